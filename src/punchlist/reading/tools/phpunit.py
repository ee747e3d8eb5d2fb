"""Read PHPUnit's text (6 to 12): the numbered lists of problems, testdox, totals, and what ends a run early."""

import re
from collections.abc import Iterator, Sequence

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import phpunit_testdox, phpunit_trouble
from punchlist.reading.tools.php_frames import Frame, frame, innermost
from punchlist.records import dataclass

SECTION = re.compile(
    r"There (?:was|were) (?P<count>\d+) (?P<what>(?:PHPUnit |PHP )?(?:test runner )?"
    r"(?:error|failure|warning|risky test|skipped test|incomplete test|skipped|incomplete|deprecation"
    r"|notice|pending))s?:$"
    r"|(?P<tests>\d+) tests? triggered (?P<count2>\d+) (?P<what2>(?:self |direct |indirect "
    r"|unknown )?(?:PHPUnit |PHP )?"
    r"(?:warning|notice|deprecation|error))s?:$"
)
HEAD = re.compile(r"(?P<number>\d+)\) (?P<name>\S.*)$")
OK = re.compile(r"OK \((?P<tests>\d+) tests?, (?:\d+) assertions?\)$")
TOTALS = re.compile(r"Tests: (?P<run>\d+), Assertions: \d+(?P<rest>.*?)\.?$")
COUNT = re.compile(r"([A-Z][A-Za-z ]*): (\d+)")
VERDICTS = ("FAILURES!", "ERRORS!", "WARNINGS!", "OK, but ", "No tests executed!")
VERSION = re.compile(r"PHPUnit (?P<major>\d+)\.\S+ by Sebastian Bergmann")
DATA = re.compile(r'(?P<id>.+? with data set (?:#\d+|".*?"))(?: \(.*)?$')
ARGUMENTS = re.compile(r"(?P<id>[\w\\]+::\w+(?: with data set (?:#\d+|\".*\"))?)(?:#\d+)?(?: \(.*)?$")
# Errors outside of a test (a class's set-up) come as PHP prints exceptions.
THROWN = re.compile(r"(?P<message>.*) in (?P<file>\S.*):(?P<line>\d+)$")
DETAIL = 60


@dataclass(frozen=True, slots=True)
class Section:
    """One list of problems: what they are called, and the lines between its head and its end."""

    what: str
    first: int
    end: int


def parse(log: Log, context: Context) -> Reading:
    """Read problems, totals and the verdict; testdox only where no list names the failing tests."""
    reading = Reading()
    _totals(log, context, reading)
    minor: list[Diagnostic] = []
    for section in _sections(log.lines):
        for head, end in _blocks(log.lines, section):
            severity = _severity(section.what)
            if severity == "error":
                reading.add(_problem(log, context, head, end, "error"))
            elif severity == "warning":
                minor += _warnings(log, context, section, head, end)
        reading.claim(section.first - 1, section.end)
    phpunit_testdox.read(log, context, reading)
    phpunit_trouble.read(log, context, reading)
    for d in minor:
        # A risky test fails nothing unless the run says so.
        if not d.rule or d.rule != "risky" or (context.exit_code and not reading.diagnostics):
            reading.add(d)
    if not reading.counts and reading.outcome is None and _started(log):
        reading.partial = True
        reading.outcome = "failed" if reading.diagnostics else None
    return reading


def _started(log: Log) -> bool:
    """Whether a run began, so that missing totals mean a log that ends early."""
    return any(
        re.match(r"[.FEWRSIND]{2,}(?: |$)", log.lines[i + k]) is not None
        for i in lines_with(log, " by Sebastian Bergmann")
        for k in range(1, 9)
        if i + k < len(log.lines)
    )


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    heads = [
        (index, match)
        for index, line in enumerate(lines)
        if line.endswith(":") and line[:1] in "T0123456789" and line and (match := SECTION.match(line))
    ]
    for at, (index, match) in enumerate(heads):
        bound = heads[at + 1][0] if at + 1 < len(heads) else len(lines)
        end = next((i for i in range(index + 1, bound) if _ends(lines, i)), bound)
        yield Section(match["what"] or match["what2"], index + 1, end)


def _ends(lines: Sequence[str], index: int) -> bool:
    line = lines[index]
    if line.startswith(VERDICTS) or OK.match(line):
        return True
    return line == "--" and not lines[index - 1] and any(SECTION.match(text) for text in lines[index + 1 : index + 4])


def _severity(what: str) -> Severity | None:
    if "skipped" in what or "incomplete" in what or "pending" in what:
        return None
    return "error" if what.endswith(("failure", "error")) else "warning"


def _blocks(lines: Sequence[str], section: Section) -> list[tuple[int, int]]:
    heads: list[int] = []
    for index in range(section.first, section.end):
        line = lines[index]
        if line[:1].isdigit() and (match := HEAD.match(line)) and int(match["number"]) == len(heads) + 1:
            heads.append(index)
    return list(zip(heads, [*heads, section.end][1:], strict=True))


def test_id(name: str) -> str:
    """Return `Class::method`, with the data set's name but without its values."""
    match = DATA.match(name) or ARGUMENTS.match(name)
    return match["id"] if match else name


def _problem(log: Log, context: Context, head: int, end: int, severity: Severity) -> Diagnostic:
    match = HEAD.match(log.lines[head])
    name = log.whole(head)[match.start("name") :] if match else ""
    body = [(index, log.whole(index)) for index in range(head + 1, end)]
    message, detail, frames = told([text for _, text in body])
    place = innermost(frames, context.root)
    last = next((index for index, text in reversed(body) if text.strip()), head)
    return Diagnostic(
        message=message or name,
        severity=severity,
        detail=detail,
        file=place.file if place else None,
        line=place.line if place else None,
        test=test_id(name),
        log=log.span(head, last),
    )


def told(body: Sequence[str]) -> tuple[str, str, list[Frame]]:
    """Split a problem's text into its message, the further lines and the frames of the exception itself.

    What an assertion was given as its message stands above `Failed asserting ...`; both are the message.
    """
    lines: list[str] = []
    frames: list[Frame] = []
    caused = traced = False
    for text in body:
        found = frame(text)
        caused = caused or text.strip() in ("Caused by", "Previous")
        if found and not caused:
            frames.append(found)
        elif text == "Stack trace:":
            traced = True
        elif not found and text.strip() not in (".", "") and not (traced and text.startswith("#")):
            lines.append(text)
    if not lines:
        return "", "", frames
    message, rest = lines[0].strip(), lines[1:]
    if traced and (thrown := THROWN.match(message)):
        message = thrown["message"]
        frames.insert(0, Frame(thrown["file"], int(thrown["line"])))
    if rest and rest[0].startswith("Failed asserting") and not message.startswith("Failed asserting"):
        message, rest = f"{message}\n{rest[0]}", rest[1:]
    return message, "\n".join(rest[:DETAIL]), frames


def _warnings(log: Log, context: Context, section: Section, head: int, end: int) -> list[Diagnostic]:
    """Warnings of PHPUnit up to 9 read like failures; later ones list a place, a message and the tests that meet it."""
    lines = log.lines
    match = HEAD.match(lines[head])
    name = match["name"] if match else ""
    place = frame(name)
    if place is None:
        d = _problem(log, context, head, end, "warning")
        rule = "risky" if "risky" in section.what else None
        return [
            Diagnostic(
                message=d.message,
                severity="warning",
                detail=d.detail,
                file=d.file,
                line=d.line,
                test=d.test if "::" in (d.test or "") else None,
                rule=rule,
                log=d.log,
            )
        ]
    at = next((i for i in range(head + 1, end) if lines[i].strip()), head)
    rest = [text for text in lines[at + 1 : end] if text.strip()]
    message = lines[at].strip() if at != head else name
    return [
        Diagnostic(
            message=message,
            severity="warning",
            detail="\n".join(rest[:DETAIL]),
            file=place.file,
            line=place.line,
            log=log.span(head, max(at, head)),
        )
    ]


def _totals(log: Log, context: Context, reading: Reading) -> None:
    lines = log.lines
    for index in lines_with(log, "OK (", "Tests: ", "No tests executed!", " by Sebastian Bergmann"):
        line = lines[index]
        if match := OK.match(line):
            _add(reading, {"passed": int(match["tests"]), "failed": 0, "errors": 0, "skipped": 0})
            reading.outcome = reading.outcome or "passed"
            reading.claim(index)
        elif line == "No tests executed!":
            reading.notes.append("0 tests ran")
            reading.outcome = reading.outcome or "passed"
            if context.exit_code:
                reading.add(Diagnostic(message=line, log=log.span(index)))
                reading.outcome = "error"
            reading.claim(index)
        elif (match := TOTALS.match(line)) and index and lines[index - 1].startswith(VERDICTS):
            _verdict(lines[index - 1], match, context, reading)
            reading.claim(index - 1, index + 1)
        elif VERSION.match(line):
            reading.claim(index)


def _verdict(verdict: str, match: re.Match[str], context: Context, reading: Reading) -> None:
    run = int(match["run"])
    rest = {name: int(number) for name, number in COUNT.findall(match["rest"])}
    errors, failed = rest.get("Errors", 0), rest.get("Failures", 0)
    skipped = rest.get("Skipped", 0) + rest.get("Incomplete", 0)
    # Up to 9 a warning is a test's own result, and later it is not.
    other = rest.get("Risky", 0) + (rest.get("Warnings", 0) if verdict == "WARNINGS!" else 0)
    _add(
        reading,
        {
            "passed": max(run - errors - failed - skipped - other, 0),
            "failed": failed,
            "errors": errors,
            "skipped": skipped,
        },
    )
    if verdict.startswith(("FAILURES", "ERRORS")) or context.exit_code:
        reading.outcome = "failed"
    else:
        reading.outcome = reading.outcome or "passed"


def _add(reading: Reading, counts: dict[str, int]) -> None:
    for name, number in counts.items():
        reading.counts[name] = reading.counts.get(name, 0) + number
