"""Read the test reports of .NET: TRX of Visual Studio, NUnit 2 and 3, xUnit 2."""

from xml.etree.ElementTree import Element

from punchlist.model import Diagnostic
from punchlist.reading.formats.places import place_in
from punchlist.reading.formats.xml_values import Document, documents, name_of, whole_text
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass

ROOTS = ("TestRun", "test-run", "test-results", "assemblies", "assembly")
STATES = {
    "passed": "passed", "success": "passed", "pass": "passed", "passedbutrunaborted": "passed",
    "failed": "failed", "failure": "failed", "fail": "failed", "error": "failed", "timeout": "failed",
    "aborted": "failed",
    "notexecuted": "skipped", "skipped": "skipped", "skip": "skipped", "ignored": "skipped", "notrun": "skipped",
    "inconclusive": "skipped", "notrunnable": "failed", "invalid": "failed", "cancelled": "failed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test's result as any of the formats gives it."""

    test: str
    state: str
    message: str
    stack: str
    output: str


def parse(log: Log, context: Context) -> Reading:
    """Read every report of a log."""
    reading = Reading()
    for document in documents(log, *ROOTS):
        _document(document, log, context, reading)
        document.claim(reading)
        reading.partial = reading.partial or not document.whole
    return reading


def _document(document: Document, log: Log, context: Context, reading: Reading) -> None:
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    tags = ("UnitTestResult", "test-case", "test")
    places = iter(document.lines_of(*tags))
    for element in document.root.iter():
        name = name_of(element)
        if name in tags:
            line, offset = next(places, (document.first, 0))
            found = _trx(element) if name == "UnitTestResult" else _nunit(element)
            if found is None:
                continue
            counts[found.state] += 1
            if found.state == "failed":
                _add(found, document, log, line, offset, context, reading)
        elif name in ("RunInfo", "error", "test-suite") and (text := _run_trouble(element)):
            message, _, rest = text.strip().partition("\n")
            reading.add(Diagnostic(message=message, detail=rest, log=log.span(_line_with(document, log, message))))
    for name, count in counts.items():
        if count:
            reading.counts[name] = reading.counts.get(name, 0) + count
    if counts["failed"] or reading.diagnostics:
        reading.outcome = "failed"
    elif counts["passed"] and document.whole:
        reading.outcome = reading.outcome or "passed"


def _trx(element: Element) -> Outcome | None:
    state = STATES.get((element.get("outcome") or "").casefold())
    if state is None or any(name_of(child) == "InnerResults" for child in element):
        return None
    texts = {name_of(child): whole_text(child) for child in element.iter()}
    return Outcome(
        element.get("testName") or "",
        state,
        texts.get("Message", ""),
        texts.get("StackTrace", ""),
        texts.get("StdOut", ""),
    )


def _nunit(element: Element) -> Outcome | None:
    word = element.get("result") or ("Success" if element.get("success") == "True" else "Failed")
    if element.get("executed") == "False":
        word = "Skipped"
    state = STATES.get(word.casefold())
    if state is None:
        return None
    texts = {name_of(child): whole_text(child) for child in element.iter()}
    name = element.get("fullname") or element.get("name") or ""
    message = texts.get("message") or (element.get("label") or "")
    return Outcome(name, state, message, texts.get("stack-trace", ""), texts.get("output", ""))


def _run_trouble(element: Element) -> str:
    """What went wrong outside of a test: an aborted run, a fixture's set-up; never the mere echo of failed tests."""
    if name_of(element) == "RunInfo":
        failed = (element.get("outcome") or "").casefold() in ("error", "failed")
        text = whole_text(element).strip()
        return text if failed and not text.endswith("[FAIL]") else ""
    if name_of(element) == "test-suite":
        if element.get("site") not in ("SetUp", "TearDown") or element.get("result") != "Failed":
            return ""
        failure = next((child for child in element if name_of(child) == "failure"), None)
        element = element if failure is None else failure
    return next((whole_text(child) for child in element.iter() if name_of(child) == "message"), "")


def _line_with(document: Document, log: Log, message: str) -> int:
    return next((at for at in range(document.first, document.end) if message[:40] in log.lines[at]), document.first)


def _add(
    found: Outcome, document: Document, log: Log, line: int, offset: int, context: Context, reading: Reading
) -> None:
    message, _, rest = found.message.replace("\r", "").strip().partition("\n")
    place = place_in(found.stack.replace("\r", ""), context.root)
    close = document.text.find("</", document.text.find("tackTrace>", offset) if found.stack else offset)
    height = document.text.count("\n", offset, close) if close > 0 else 0
    reading.add(
        Diagnostic(
            message=message.strip() or "failed",
            detail="\n".join(filter(None, [rest, found.stack.replace("\r", "").strip("\n")])),
            file=place.file if place else None,
            line=place.line if place else None,
            test=found.test or None,
            tool=context.words[0] if context.words else "",
            log=log.span(line, min(line + max(height, 12), document.end - 1)),
        )
    )
