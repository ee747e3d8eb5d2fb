"""Read JUnit XML of any test runner; what linters write in this form is read by `junit_lint`.

Seen from pytest, surefire, gradle, jest-junit, vitest, mocha (xunit), node:test, bun, phpunit, GoogleTest, Catch2,
ctest, go-junit-report, gotestsum, nextest, rspec.
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from punchlist.model import Diagnostic
from punchlist.reading.formats import junit_lint
from punchlist.reading.formats.junit_text import Said, node_id, said, test_id
from punchlist.reading.formats.places import Place, place_in
from punchlist.reading.formats.xml_values import Document, documents, name_of, unescaped, whole_text
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.records import dataclass, field

FAILING = ("failure", "error")
FLAKY = ("flakyFailure", "flakyError")
AGAIN = ("rerunFailure", "rerunError")
SKIPPED = ("skipped", "disabled", "ignored")
IDLE = ("disabled", "notrun", "skipped", "suppressed", "ignored")
# What ctest calls a test that could not be started is a failure, though the file says skipped.
NOT_RUN = re.compile(r"unable to find executable|not run|could not start", re.I)
DETAIL_LINES = 60


@dataclass(slots=True)
class Totals:
    """The names of the tests in each state; a test with sections counts once."""

    passed: dict[str, None] = field(default_factory=dict)
    failed: dict[str, None] = field(default_factory=dict)
    errors: dict[str, None] = field(default_factory=dict)
    skipped: dict[str, None] = field(default_factory=dict)
    xfailed: dict[str, None] = field(default_factory=dict)
    flaky: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """One test case: its element, the suites around it, its id, whether Catch2 wrote it."""

    element: Element
    suites: tuple[Element, ...]
    test: str
    catch: bool


def parse(log: Log, context: Context) -> Reading:
    """Read every JUnit document of a log."""
    reading = Reading()
    for document in documents(log, "testsuites", "testsuite"):
        if tool := junit_lint.linter(document.root):
            junit_lint.read(document, log, tool, reading)
        else:
            _Reader(document, log, context, reading).read()
        document.claim(reading)
        reading.partial = reading.partial or not document.whole
    return reading


def walk(root: Element) -> Iterator[tuple[Element, tuple[Element, ...]]]:
    """Yield test cases and failures of suites in document order, each with the suites around it, outermost first."""
    stack: list[tuple[Iterator[Element], tuple[Element, ...]]] = [(iter(root), (root,))]
    while stack:
        children, suites = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            continue
        name = name_of(child)
        if name in ("testsuite", "testsuites"):
            stack.append((iter(child), (*suites, child)))
        elif name == "testcase" or name in FAILING:
            yield child, suites


class _Reader:
    """Reads one document."""

    def __init__(self, document: Document, log: Log, context: Context, reading: Reading) -> None:
        self.document = document
        self.log = log
        self.root = context.root
        self.tool = context.words[0] if context.words else ""
        self.reading = reading
        self.lines = iter(document.lines_of(*FAILING, *FLAKY, *AGAIN))
        self.totals = Totals()
        self.loading = 0

    def read(self) -> None:
        """Read all test cases, then sum up."""
        for element, suites in walk(self.document.root):
            if name_of(element) == "testcase":
                self._case(element, suites)
            else:
                self._failure(element, Case(element, suites, "", catch=False))
                self.totals.errors[f"suite {len(self.totals.errors)}"] = None
        self._sum()

    def _case(self, element: Element, suites: tuple[Element, ...]) -> None:
        catch = (element.get("classname") or "").endswith(".global") or any(
            name_of(child) in FAILING and (child.text or "").lstrip().startswith("FAILED:") for child in element
        )
        name, section = test_id(element, suites, catch=catch)
        states = (element.get("status"), element.get("result"))
        if len(element) == 0 or (states[0] in IDLE and not any(name_of(c) in (*FAILING, *SKIPPED) for c in element)):
            idle = any(state in IDLE for state in states)
            state = self.totals.skipped if idle else self.totals.passed
            state[name if catch else f"{name}\0{len(state)}"] = None
            return
        kinds = {name_of(child) for child in element}
        skipped = next((child for child in element if name_of(child) in SKIPPED), None)
        case = Case(element, suites, name, catch)
        failures = [child for child in element if name_of(child) in FAILING]
        key = name if catch else f"{name}\0{len(self.totals.failed) + len(self.totals.passed)}"
        if skipped is not None and not NOT_RUN.match(skipped.get("message") or ""):
            for _ in failures:
                next(self.lines, None)
            expected = (skipped.get("type") or "").casefold().endswith("xfail")
            (self.totals.xfailed if expected else self.totals.skipped)[key] = None
        elif skipped is not None:
            self._not_run(case, skipped)
            self.totals.failed[key] = None
        elif failures and self._passed_later(element):
            self._again(case, failures)
        elif failures:
            self._failures(case, section)
            # GoogleTest and others say failure, pytest and unittest say error for what is outside of the test.
            (self.totals.failed if "failure" in kinds or catch else self.totals.errors)[key] = None
        elif kinds & set(FLAKY):
            self._flaky(case)
            self.totals.flaky[key] = None
            self.totals.passed[key] = None
        else:
            self.totals.passed[key] = None

    def _passed_later(self, element: Element) -> bool:
        """Whether a repetition of this test, marked as one, passed: then it is flaky."""
        if not any(name_of(p) == "property" and p.get("name") == "repetition" for p in element.iter()):
            return False
        same = (element.get("classname"), element.get("name"))
        runs = [c for c in self.document.root.iter(element.tag) if (c.get("classname"), c.get("name")) == same]
        return not any(name_of(child) in FAILING for child in runs[-1])

    def _again(self, case: Case, failures: list[Element]) -> None:
        for child in failures:
            self._failure(child, case, state="flaky")
        self.totals.flaky[case.test] = None

    def _failures(self, case: Case, section: str) -> None:
        for child in case.element:
            if name_of(child) in FAILING:
                self._failure(child, case, section)
            elif name_of(child) in (*AGAIN, *FLAKY):
                next(self.lines, None)

    def _flaky(self, case: Case) -> None:
        first = True
        for child in case.element:
            if name_of(child) in FLAKY:
                self._failure(child, case, state="flaky") if first else next(self.lines, None)
                first = False

    def _not_run(self, case: Case, skipped: Element) -> None:
        line = next(
            (at for at, _ in self.document.lines_of("skipped") if self._holds(at, skipped)), self.document.first
        )
        self.reading.add(
            Diagnostic(
                message=skipped.get("message") or "not run",
                test=case.test or None,
                tool=self.tool,
                log=self.log.span(line),
            )
        )

    def _holds(self, line: int, skipped: Element) -> bool:
        return (skipped.get("message") or "") in self.log.whole(line)

    def _failure(self, element: Element, case: Case, section: str = "", state: str = "") -> None:
        line, offset = next(self.lines, (self.document.first, 0))
        raw = self.document.attribute(offset, "message") or element.get("message") or ""
        body = whole_text(element)
        height = self.document.text.count("\n", offset, _closing(self.document, element, offset))
        output = "" if raw.strip() or body.strip() else _output(case.element)
        kind = element.get("type") or case.element.get("status") or ""
        if not (raw.strip() or body.strip()):
            line = next((at for at in range(line, self.document.first, -1) if "<testcase" in self.log.lines[at]), line)
        for one in said(raw, body, output, kind, case.test):
            first, last = line, line + height
            if output:
                first = last = self._line_of(one.message, line)
            self._add(one, case, section, state, first, last)
        if "collection failure" in raw:
            self.loading += 1

    def _line_of(self, message: str, line: int) -> int:
        """The line of the test case, from `line` on, that holds the message; `line` where none does."""
        for at in range(line, self.document.end):
            text = self.log.whole(at)
            if message and message in unescaped(text):
                return at
            if "</testcase>" in text:
                break
        return line

    def _add(self, one: Said, case: Case, section: str, state: str, first: int, last: int) -> None:
        place = one.place or place_in(one.trace, self.root) or _own_place(case)
        test = node_id(case.element, case.suites, place) or case.test
        # The attribute stands on the first lines, the text on those after it: point at what holds the message.
        self.reading.add(
            Diagnostic(
                tool=self.tool,
                message=one.message,
                detail="\n".join(filter(None, [section, *one.detail.split("\n")[:DETAIL_LINES]])),
                severity="warning" if state else "error",
                file=place.file if place else None,
                line=place.line if place else None,
                column=place.column if place else None,
                test=test or None,
                state=state,
                log=self.log.span(first, max(first, min(last, self.document.end - 1))),
            )
        )

    def _sum(self) -> None:
        totals, counts = self.totals, self.reading.counts
        for name in totals.failed:
            totals.passed.pop(name, None)
        for name, tests in (
            ("passed", totals.passed),
            ("failed", totals.failed),
            ("errors", totals.errors),
            ("skipped", totals.skipped),
            ("xfailed", totals.xfailed),
            ("flaky", totals.flaky),
        ):
            if tests:
                counts[name] = counts.get(name, 0) + len(tests)
        if totals.failed or totals.errors:
            only_loading = self.loading and self.loading == len(totals.errors) and not (totals.failed or totals.passed)
            self.reading.outcome = "error" if only_loading else "failed"
        elif (totals.passed or totals.skipped) and self.document.whole:
            self.reading.outcome = self.reading.outcome or "passed"


def _closing(document: Document, element: Element, offset: int) -> int:
    """Where the element that opens at `offset` ends in the text."""
    tag = name_of(element)
    close = document.text.find(f"</{tag}>", offset)
    if not len(element) and not (element.text or ""):
        alone = document.text.find("/>", offset)
        close = alone if alone >= 0 and (close < 0 or alone < close) else close
    return close if close >= 0 else len(document.text)


def _output(case: Element) -> str:
    return "\n".join(whole_text(e) for e in case if name_of(e) in ("system-out", "system-err"))


def _own_place(case: Case) -> Place | None:
    """The place that the test case or its suite names by attribute."""
    file = case.element.get("file")
    if file:
        return Place(file, number(case.element.get("line")), None)
    for suite in reversed(case.suites):
        for name in ("file", "filepath"):
            if file := suite.get(name):
                return Place(file)
    return None
