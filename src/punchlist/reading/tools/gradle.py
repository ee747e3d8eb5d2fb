"""Read Gradle (4 to 9): failing tests, what went wrong, the Android linter; compilers have parsers of their own."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import jvm_trace

TEST = re.compile(
    r"(?P<name>[A-Za-z_][\w.$]*(?:Test|Tests|Spec|IT|[\w$]*)?(?: > .+?)?) (?P<what>FAILED|SKIPPED"
    r"|PASSED)(?: \([\d.]+m?s\))?$"
)
SHORT = re.compile(r"    (?P<kind>[\w.$]+)(?:: (?P<message>.*?))? at (?P<file>[\w$-]+\.\w+):(?P<line>\d+)$")
SHORT_FRAME = re.compile(
    r" {8}(?:at |Caused by: .* at )?(?:[\w.$/<>]+\()?(?P<file>[\w$-]+\.(?:java|kt|groovy|scala)):(?P<line>\d+)\)?$"
)
TOTALS = re.compile(r"(?P<run>\d+) tests? completed(?:, (?P<failed>\d+) failed)?(?:, (?P<skipped>\d+) skipped)?$")
WRONG = "* What went wrong:"
WHERE = re.compile(
    r"(?:Build|Settings|Script|Initialization script|script) (?:file )?'(?P<file>[^']+)' line: (?P<line>\d+)$"
)
SCRIPT = re.compile(r"  Line (?P<line>\d+): (?P<text>.*)$")
GROOVY = re.compile(r"(?:build file|settings file|script) '(?P<file>[^']+)': (?P<line>\d+): (?P<message>.*)$")
TASK = re.compile(r"Execution failed for task '(?P<task>[^']+)'(?:\.| \(.*\)\.?)?$")
TASK_FAILED = re.compile(r"> Task (?P<task>:\S+) FAILED$")
DONE = re.compile(r"BUILD (?P<word>SUCCESSFUL|FAILED)(?: in .*)?$")
# The reason stands above, where a compiler, a linter or the tests printed it.
ELSEWHERE = re.compile(
    r"(?:> )?(?:Compilation (?:failed|error)|There were failing tests|Compilation error"
    r"|Compile(?:r)? (?:failed|error)|Lint found (?:\d+ )?errors"
    r"|(?:A failure occurred while executing org\.jetbrains\.kotlin)|KtLint found code style|Checkstyle rule violations"
    r"|\d+ (?:PMD|Checkstyle|SpotBugs)|PMD .*rule violations|SpotBugs (?:ended|violations)"
    r"|Process 'command|Analysis failed with)"
)
LINT = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^:\n]+\.\w+):(?:(?P<line>\d+):)?(?:(?P<column>\d+):)? (?P<word>Error|Warning"
    r"|Information): (?P<message>.*?) \[(?P<rule>[A-Z]\w+)(?: from [^\]]+)?\]$"
)
LINT_TOTALS = re.compile(r"(?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?")
WORDS: dict[str, Severity] = {"Error": "error", "Warning": "warning"}
DETAIL = 50
LOOK = 300


def parse(log: Log, _context: Context) -> Reading:
    """Read failing tests and lint findings; then each `What went wrong` that they do not explain."""
    reading = Reading()
    lines = log.lines
    done = 0
    for index in lines_with(log, " FAILED", " tests completed", " test completed", "Error: ", "Warning: ", "BUILD "):
        if index < done:
            continue
        line = lines[index]
        if line.startswith("> Task") or not line:
            continue
        if match := TOTALS.match(line):
            _totals(match, index, reading)
        elif match := DONE.match(line):
            reading.outcome = (
                "passed" if match["word"] == "SUCCESSFUL" and not reading.diagnostics else reading.outcome or "failed"
            )
            reading.claim(index)
        elif (
            line.endswith(("FAILED", ")"))
            and " > " in line
            and (match := TEST.match(line))
            and match["what"] == "FAILED"
        ):
            done = _test(log, index, match, reading)
        elif match := LINT.match(line):
            done = _lint(log, index, match, reading)
    for index in lines_with(log, WRONG):
        _wrong(log, index, reading)
    return reading


def _totals(match: re.Match[str], index: int, reading: Reading) -> None:
    run, failed, skipped = int(match["run"]), int(match["failed"] or 0), int(match["skipped"] or 0)
    for name, number in (("passed", max(run - failed - skipped, 0)), ("failed", failed), ("skipped", skipped)):
        reading.counts[name] = reading.counts.get(name, 0) + number
    reading.claim(index)
    if failed:
        reading.outcome = "failed"


def _test(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    """`MoneyTest > negative() FAILED`, the exception and its places indented below (or a full trace)."""
    lines = log.lines
    end = index + 1
    while end < len(lines) and end < index + LOOK and (lines[end].startswith("    ") or _continues(lines, end)):
        end += 1
    body = [log.whole(i) for i in range(index + 1, end)]
    while body and not body[-1].strip():
        body.pop()
    if not body:
        return index + 1
    parts = [part.strip() for part in match["name"].split(" > ")]
    message, rest, file, line = _told(body, parts[0])
    reading.add(
        Diagnostic(
            message=message or match["name"],
            detail="\n".join(rest[:DETAIL]),
            file=file,
            line=line,
            test=".".join([parts[0], " > ".join(parts[1:])]) if len(parts) > 1 else parts[0],
            derived=bool(file and "/" in file),
            log=log.span(index, index + len(body)),
        )
    )
    reading.claim(index, end)
    reading.outcome = "failed"
    return end


def _continues(lines: Sequence[str], index: int) -> bool:
    """A blank line within a failure: more of it follows, indented."""
    return not lines[index] and index + 1 < len(lines) and lines[index + 1].startswith("        ")


def _told(body: Sequence[str], owner: str) -> tuple[str, list[str], str | None, int | None]:
    if short := SHORT.match(body[0]):
        message = f"{short['kind']}: {short['message']}" if short["message"] else short["kind"]
        return message, [text.strip() for text in body[1:]], short["file"], int(short["line"])
    trace = jvm_trace.read([text[4:] for text in body])
    own = jvm_trace.own_frame(trace.frames, owner)
    if own:
        return trace.message, list(trace.detail), own.path, own.line
    place = next((m for text in body[1:] if (m := SHORT_FRAME.match(text))), None)
    rest = [text for text in trace.detail if not SHORT_FRAME.match("    " + text)]
    return trace.message, rest, place["file"] if place else None, int(place["line"]) if place else None


def _lint(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    """Android lint: the finding, source and tildes, then (once an issue) an explanation."""
    lines = log.lines
    end = index + 1
    while end < len(lines) and end < index + 60 and lines[end].startswith((" ", "~")):
        end += 1
    reading.add(
        Diagnostic(
            message=match["message"],
            severity=WORDS.get(match["word"], "info"),
            detail="\n".join(lines[index + 1 : min(end, index + 12)]),
            file=match["file"],
            line=int(match["line"]) if match["line"] else None,
            column=int(match["column"]) if match["column"] else None,
            rule=match["rule"],
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _wrong(log: Log, index: int, reading: Reading) -> None:
    """The reason of a failed build; where it only says that something above failed, that has been read already."""
    lines = log.lines
    end = index + 1
    while (
        end < len(lines)
        and end < index + LOOK
        and not lines[end].startswith(("* Try:", "* Exception is:", "====", "* Get more help", "BUILD FAILED"))
    ):
        end += 1
    body = [(i, lines[i]) for i in range(index + 1, end) if lines[i].strip()]
    if not body:
        return
    reading.claim(index, end)
    head = body[0][1]
    rest = [text for _, text in body[1:]]
    task = TASK.match(head)
    reason = next((text for text in rest if text.lstrip().startswith(">")), "")
    reading.outcome = "failed" if task else reading.outcome or "error"
    if task and ELSEWHERE.match(reason.strip()):
        return
    file, line = _where(lines, index)
    message = reason.strip().removeprefix("> ") if task and reason else head
    told = next(
        ((m["file"], int(m["line"]), m["message"]) for _, text in body if (m := GROOVY.match(text.strip()))), None
    )
    if told:
        file, line, message = told
    scripted = next((m for _, text in body if (m := SCRIPT.match(text))), None)
    if scripted and not line:
        line = int(scripted["line"])
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join([head, *rest][:DETAIL]) if message != head else "\n".join(rest[:DETAIL]),
            file=file,
            line=line,
            rule=None,
            log=log.span(index, body[-1][0]),
        )
    )
    if not task:
        reading.outcome = "error"


def _where(lines: Sequence[str], index: int) -> tuple[str | None, int | None]:
    for at in range(index - 1, max(index - 6, -1), -1):
        if match := WHERE.match(lines[at]):
            return match["file"], int(match["line"])
    return None, None
