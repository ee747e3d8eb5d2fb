"""Read sphinx-build (1.8 to 9): warnings over several lines with their rule at the very end, errors, linkcheck."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.usage import read_usage

LEVELS: dict[str, Severity] = {"WARNING": "warning", "ERROR": "error", "CRITICAL": "error", "SEVERE": "error"}
STARTS = re.compile(
    r"(?:(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*(?:\.[A-Za-z]\w*"
    r"|>))(?::(?P<docstring>docstring of [^:]+))?(?::(?P<line>\d+|None))?: )?"
    r"(?P<level>WARNING|ERROR|CRITICAL|SEVERE): (?P<message>.*)"
)
RULE = re.compile(r"(?:^|\s)\[(?P<rule>[a-z][\w-]*(?:\.[\w-]+)?)\]$")
TOTALS = re.compile(r"build (?P<verdict>succeeded|finished with problems)(?:, (?P<warnings>\d+) warnings?)?")
FATAL = re.compile(
    r"(?P<kind>Configuration error|Extension error(?: \([\w.]+\))?|Theme error|Sphinx (?:parallel build )?error"
    r"|Application error"
    r"|Recursion error|Encoding error|Exception occurred|Warning, treated as error|sphinx-build: error"
    r"|Versioning error):(?P<rest>.*)"
)
# Sphinx 9 writes its whole report of an error: versions, last messages, extensions, then the indented traceback.
REPORTED = re.compile(
    r"(?:Application|Configuration|Extension|Theme|Recursion|Encoding|Sphinx) error!|Exception occurred!?$"
)
RAISED = re.compile(r" +(?P<type>[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning)): (?P<message>.+)")
TREATED = re.compile(r"(?P<file>[^\s:][^:]*):(?:(?P<line>\d+):)?(?P<message>.+)")
BROKEN = re.compile(r"\( *(?P<file>\S+): line +(?P<line>\d+)\) (?P<what>broken|timeout) +(?P<message>.+)")
PROGRESS = re.compile(
    r"(?:Running Sphinx|loading |making output|building \[|updating environment|(?:reading sources"
    r"|writing output|copying)\b.*"
    r"|looking for now|pickling|checking consistency|preparing documents|Writing evaluated|generating indices"
    r"|writing additional"
    r"|dumping |The \w+ pages? (?:is|are) in|sphinx-sitemap|highlighting module|none found|done$)"
)
MOST = 40
NEEDLES = (
    "WARNING",
    "rror",
    "build ",
    "broken",
    "CRITICAL",
    "SEVERE",
    "Running Sphinx",
    "timeout",
    "xception",
)


def parse(log: Log, context: Context) -> Reading:
    """Read sphinx-build's output."""
    reading = Reading()
    named = bool(context.words) and context.words[0] in ("sphinx-build", "sphinx-autobuild", "sphinx", "make")
    if named:
        read_usage(log, reading, "sphinx-build")
    if not lines_with(log, *NEEDLES):
        return reading
    index = 0
    while index < len(log.lines):
        index = _line(log, index, reading)
    started = any(line.startswith("Running Sphinx v") for line in log.lines[:40])
    reading.partial = started and reading.outcome is None
    return reading


def _line(log: Log, index: int, reading: Reading) -> int:
    line = log.lines[index]
    if not line:
        return index + 1
    if ": " in line and (match := STARTS.match(line)):
        return _warning(log, index, match, reading)
    if match := TOTALS.match(line):
        reading.counts["warnings"] = int(match["warnings"] or 0)
        if match["verdict"] == "succeeded":
            reading.outcome = reading.outcome or "passed"
        else:
            reading.outcome = "failed"
        reading.claim(index)
    elif match := FATAL.match(line):
        return _fatal(log, index, match, reading)
    elif match := REPORTED.match(line):
        return _reported(log, index, reading)
    elif match := BROKEN.match(line):
        reading.add(
            Diagnostic(
                message=match["message"],
                file=match["file"],
                line=number(match["line"]),
                rule=match["what"],
                tool="sphinx-build",
                log=log.span(index),
            )
        )
        reading.claim(index)
    elif PROGRESS.match(line):
        reading.claim(index)
    return index + 1


def _warning(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    end = index + 1
    rule = RULE.search(match["message"])
    if not rule:
        end, rule = _rule_below(log, index)
    message = match["message"]
    if rule and end == index + 1:
        message = message[: rule.start()]
    more = list(log.lines[index + 1 : end])
    if rule and more:
        more[-1] = RULE.sub("", more[-1])
    if not message.strip() and more:
        message = more.pop(0).strip()
    reading.add(
        Diagnostic(
            message=message.strip(),
            detail="\n".join(filter(None, [match["docstring"] or "", "\n".join(more).strip("\n")])),
            severity=LEVELS[match["level"]],
            file=match["file"],
            line=number(match["line"]),
            rule=rule["rule"] if rule else None,
            tool="sphinx-build",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _rule_below(log: Log, index: int) -> tuple[int, re.Match[str] | None]:
    """The rule of a warning that goes on over lines closes its last one; without a rule only indented lines belong."""
    end = index + 1
    while end < len(log.lines) and end - index < MOST and (log.numbers[end] < 0) == (log.numbers[index] < 0):
        line = log.lines[end]
        if STARTS.match(line) or TOTALS.match(line) or FATAL.match(line) or PROGRESS.match(line):
            break
        if line and (rule := RULE.search(line)):
            return end + 1, rule
        end += 1
    end = index + 1
    while (
        end < len(log.lines) and end - index < MOST and log.lines[end][:1] == " " and not STARTS.match(log.lines[end])
    ):
        end += 1
    return end, None


def _fatal(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and end - index < MOST and (log.lines[end] or end == index + 1):
        if TOTALS.match(log.lines[end]):
            break
        end += 1
    lines = [line for line in log.lines[index + 1 : end] if line.strip() and not line.startswith("The full traceback")]
    said = match["rest"].strip() or (lines[0].strip() if lines else match["kind"])
    if match["kind"] == "Exception occurred":
        said = next((line.strip() for line in reversed(lines) if line[:1] != " " and ":" in line), said)
    place = TREATED.match(said) if match["kind"].startswith("Warning") else None
    reading.add(
        Diagnostic(
            message=place["message"].strip() if place else said,
            detail="\n".join([match["kind"], *lines]),
            file=place["file"] if place else None,
            line=number(place["line"]) if place else None,
            tool="sphinx-build",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    reading.outcome = "failed" if place else "error"
    return end


def _reported(log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    raised: tuple[int, re.Match[str]] | None = None
    while end < len(log.lines) and end - index < 400 and not log.lines[end].startswith("Please also report"):
        raised = (end, match) if (match := RAISED.match(log.lines[end])) else raised
        end += 1
    at, message = (raised[0], raised[1]["message"]) if raised else (index, log.lines[index])
    reading.add(Diagnostic(message=message, detail=log.lines[index], tool="sphinx-build", log=log.span(at)))
    reading.claim(index, end)
    reading.outcome = "error"
    return end
