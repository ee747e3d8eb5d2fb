"""Read busted 2: utfTerminal, plainTerminal, TAP, gtest, json; its JUnit output is read as such."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.formats.json_values import claim, dicts_of, inner, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import filled
from punchlist.reading.tools.lua_errors import PLACED, place
from punchlist.records import dataclass, field

TOTALS = re.compile(
    r"(?P<passed>\d+) success(?:es)? / (?P<failed>\d+) failures? / (?P<errors>\d+) errors? / (?P<skipped>\d+) pending :"
)
HEAD = re.compile(r"(?P<kind>Failure|Error|Pending|Fehler|Erreur|Échec) (?:->|→) (?P<at>.*)$")
AT = re.compile(r"(?P<file>.+?) @ (?P<line>\d+)$")
POINT = re.compile(r"(?P<not>not )?ok (?P<number>\d+) - (?P<skip># SKIP )?(?P<name>.*)$")
PLAN = re.compile(r"1\.\.(?P<last>\d+)$")
GTEST = re.compile(
    r"\[ +(?P<word>RUN|OK|FAILED|ERROR|SKIPPED) +\] (?P<file>.+?) @ (?P<line>\d+): (?P<name>.*?)(?: \([\d.]+ ms\))?$"
)
REFUSED = re.compile(r"busted: error: (?P<message>.+)$")
SAID = "Failure message: "
MOST = 60
SHORT = 5


@dataclass(slots=True)
class Failed:
    """One failed test: where it stands in its file, what was said about it and on which lines of the log."""

    name: str
    file: str | None
    line: int | None
    first: int
    end: int
    said: list[str] = field(default_factory=list)

    def diagnostic(self, log: Log) -> Diagnostic:
        """Return it at the place that its message names, else at its own."""
        said = [text for text in self.said if text.strip()] or [self.name]
        trace_at = next((i for i, text in enumerate(said) if text.startswith("stack traceback:")), len(said))
        file, line, first = place(said[0], said[trace_at + 1 :], self.file)
        body = [first, *said[1:trace_at]]
        return Diagnostic(
            message=("\n".join(text.strip() for text in body) if len(body) <= SHORT else first) or said[0] or "failed",
            detail="\n".join(said[1:][:MOST]),
            file=file or self.file,
            line=line if file else self.line,
            test=self.name if self.line is not None and self.name else None,
            tool="busted",
            log=log.span(self.first, self.end - 1),
        )


def parse(log: Log, context: Context) -> Reading:
    """Read the results of a run in whatever format the log has them."""
    reading = Reading()
    failed = [*_terminal(log, reading), *_tap(log, reading), *_gtest(log, reading)]
    for one in failed:
        reading.add(one.diagnostic(log))
    _json(log, reading)
    ran = reading.counts.get("passed", 0) + sum(d.test is not None for d in reading.diagnostics)
    for index, line in enumerate(log.lines):
        if line.startswith("busted: error:") and (match := REFUSED.match(line)):
            end = index + 1
            while end < len(log.lines) and log.lines[end].startswith(("\t", "...", "module")):
                end += 1
            detail = "\n".join(log.lines[index + 1 : end])
            message = match["message"]
            reading.add(Diagnostic(message=message, detail=detail, tool="busted", log=log.span(index, end - 1)))
            reading.claim(index, end)
            reading.outcome = reading.outcome or "error"
    if reading.diagnostics and reading.outcome != "error":
        reading.outcome = "failed" if ran else "error"
    named = bool(context.words) and context.words[0] == "busted"
    if named and reading.outcome is None and (reading.counts or context.exit_code == 0):
        reading.outcome = "passed" if context.exit_code in (0, None) else None
    return reading


def _terminal(log: Log, reading: Reading) -> list[Failed]:
    found: list[Failed] = []
    totals = False
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if " pending : " in line and (match := TOTALS.search(line)):
            for name, value in match.groupdict().items():
                reading.counts[name] = reading.counts.get(name, 0) + int(value)
            reading.claim(index)
            totals = True
        elif totals and line[:1].isalpha() and (head := HEAD.match(line)):
            end = _block_end(log, index)
            if head["kind"] != "Pending":
                found.append(_block(head, log, index, end))
            reading.claim(index, end)
            index = end
            continue
        index += 1
    return found


def _block_end(log: Log, index: int) -> int:
    end = index + 1
    while end < len(log.lines) and not HEAD.match(log.lines[end]) and not TOTALS.search(log.lines[end]):
        if (log.numbers[end] < 0) != (log.numbers[index] < 0):
            break
        end += 1
    return filled(log.lines, index + 1, end)


def _block(head: re.Match[str], log: Log, index: int, end: int) -> Failed:
    at = AT.match(head["at"])
    body = log.lines[index + 1 : end]
    if at:
        name = body[0] if body else ""
        return Failed(name, at["file"].removeprefix("./"), int(at["line"]), index, end, body[1:])
    return Failed(body[0] if body else "", None, None, index, end, [head["at"], *body])


def _tap(log: Log, reading: Reading) -> list[Failed]:
    found: list[Failed] = []
    passed = failed = skipped = 0
    planned = False
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        match = POINT.match(line) if line.startswith(("ok ", "not ok ")) else None
        if not match:
            planned = planned or (line.startswith("1..") and bool(PLAN.match(line)))
            if line.startswith("1..") and (passed or failed or skipped):
                reading.claim(index)
            index += 1
            continue
        end = index + 1
        while end < len(log.lines) and log.lines[end].startswith("#"):
            end += 1
        reading.claim(index, end)
        skipped += bool(match["skip"])
        failed += bool(match["not"])
        passed += not match["not"] and not match["skip"]
        if match["not"]:
            found.append(_tap_failure(match["name"], log, index, end))
        index = end
    if passed or failed or skipped:
        counts = {"passed": passed, "failed": failed, "skipped": skipped}
        reading.counts |= {name: value for name, value in counts.items() if value or name != "skipped"}
        reading.partial = not planned
    return found


def _tap_failure(name: str, log: Log, index: int, end: int) -> Failed:
    said = [text[1:].removeprefix(" ") for text in log.lines[index + 1 : end]]
    at = AT.match(said[0]) if said else None
    start = next((i for i, text in enumerate(said) if text.startswith(SAID)), None)
    body = said[1:] if at else said
    if start is not None:
        body = [said[start].removeprefix(SAID), *said[start + 1 :]]
    if at:
        return Failed(name, at["file"].removeprefix("./"), int(at["line"]), index, end, body)
    return Failed(name, name if name.endswith((".lua", ".moon")) else None, None, index, end, body)


def _gtest(log: Log, reading: Reading) -> list[Failed]:
    found: list[Failed] = []
    started: int | None = None
    counts = {"OK": 0, "FAILED": 0, "ERROR": 0, "SKIPPED": 0}
    for index, line in enumerate(log.lines):
        if not line.startswith("[") or not (match := GTEST.match(line)):
            if started is None and any(counts.values()) and (loose := PLACED.match(line)):
                found.append(Failed("", loose["file"], None, index, index + 1, [line]))
                counts["ERROR"] += 1
                reading.claim(index)
            continue
        if match["word"] == "RUN":
            started = index
            continue
        counts[match["word"]] += 1
        first = index if started is None else started
        reading.claim(first, index + 1)
        if match["word"] in ("FAILED", "ERROR") and started is not None:
            said = log.lines[started + 1 : index]
            found.append(Failed(match["name"], match["file"], int(match["line"]), first, index + 1, said))
        started = None
    if any(counts.values()):
        for index, line in enumerate(log.lines):
            if line.startswith("["):
                reading.claim(index)
        names = {"OK": "passed", "FAILED": "failed", "ERROR": "errors", "SKIPPED": "skipped"}
        reading.counts |= {names[word]: value for word, value in counts.items()}
    return found


def _json(log: Log, reading: Reading) -> None:
    for value in values(log):
        if not isinstance(value.value, dict) or not {"successes", "failures", "errors", "pendings"} <= set(value.value):
            continue
        for key in ("failures", "errors"):
            for item in dicts_of(value.value, key):
                message = text_of(item, "message") or str(inner(item, "message") or "")
                file = text_of(item, "element", "trace", "short_src") or text_of(item, "trace", "short_src")
                line = number_of(item, "element", "trace", "currentline") or number_of(item, "trace", "currentline")
                one = Failed(text_of(item, "name"), file or None, line, value.first, value.end, message.split("\n"))
                one.said += text_of(item, "trace", "traceback").strip().split("\n")
                reading.add(one.diagnostic(log))
        names = {"successes": "passed", "failures": "failed", "errors": "errors", "pendings": "skipped"}
        reading.counts |= {name: len(dicts_of(value.value, key)) for key, name in names.items()}
        reading.partial = not value.whole
        claim(reading, log, value)
