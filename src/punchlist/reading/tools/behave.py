"""Read behave's formatters (1.2.5 to 1.3): pretty, plain, progress, progress3, and the lists of failing scenarios."""

import re

from punchlist.model import Diagnostic
from punchlist.reading import frames
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.records import dataclass, field

SCENARIO = re.compile(
    r"\s+(?:Scenario(?: Outline)?|Example|Background): (?P<name>.*?)(?:\s+# (?P<file>\S.*?):(?P<line>\d+))?$"
)
STEP = re.compile(
    r"\s+(?P<step>(?:Given|When|Then|And|But|\*) .*?)"
    r"(?: \.\.\. (?P<word>failed|error|undefined|pending)\b.*|\s+# \S.*)$"
)
PROGRESS = re.compile(r"  (?P<name>\S.*?)  [.FESUP_-]+$")
REASON = re.compile(r"\s*(?P<message>(?:ASSERT FAILED|Assertion Failed|HOOK-ERROR in \S+|ASSERT)(?:: .*)?)$")
STEP_BLOCK = re.compile(r"(?:FAILURE|ERROR) in step '(?P<step>.*)' \((?P<file>.+):(?P<line>\d+)\):$")
LISTED = re.compile(r"  (?P<file>\S.*?\.feature):(?P<line>\d+)  (?P<name>.*)$")
LIST = re.compile(r"(?:Failing|Errored) scenarios:$")
COUNTS = re.compile(
    r"(?P<passed>\d+) scenarios? passed, (?P<failed>\d+) failed(?:, (?P<errors>\d+) error)?, (?P<skipped>\d+) skipped"
)
START_UP = re.compile(
    r"(?P<message>(?:(?:FileNotFound|Config|ModuleNotFound|Import|InvalidFileLocation|Syntax|(?:\w+\.)?Parser)Error"
    r"|Exception): .*|Failed to parse .*)$"
)
USAGE = re.compile(r"behave: error: (?P<message>\S.*)$")


@dataclass(slots=True)
class Failure:
    """Why a scenario failed: message and its line, the step, the innermost own frame, what else was said."""

    message: str
    at: int
    first: int
    step: str = ""
    file: str | None = None
    line: int | None = None
    detail: list[str] = field(default_factory=list)


def parse(log: Log, context: Context) -> Reading:
    """Read one finding a failing scenario: the lists at the end name them, the steps above say why."""
    reading = Reading()
    if not lines_with(log, "scenario"):
        _trouble(log, context, reading)
        return reading
    listed = _listed(log, reading)
    reasons = _reasons(log, context)
    if listed:
        first = next((i for i, line in enumerate(log.lines) if line.startswith(("Feature: ", "USING RUNNER"))), None)
        reading.claim(listed[0][0] if first is None else first, listed[-1][0] + 1)
    for index, place in listed:
        reason = reasons.get((place["file"], int(place["line"]))) or reasons.get(("", place["name"]))
        reading.add(_diagnostic(log, index, place, reason))
    for index in lines_with(log, " passed, "):
        line = log.lines[index]
        if match := COUNTS.search(line):
            for name, value in match.groupdict().items():
                if value is not None:
                    reading.counts[name] = int(value)
            reading.outcome = "failed" if reading.diagnostics else "passed"
            reading.claim(index)
    if reading.outcome is None:
        _trouble(log, context, reading)
    return reading


def _listed(log: Log, reading: Reading) -> list[tuple[int, re.Match[str]]]:
    found: list[tuple[int, re.Match[str]]] = []
    inside = False
    for index, line in enumerate(log.lines):
        if LIST.match(line):
            inside = True
            reading.claim(index)
        elif inside and (match := LISTED.match(line)):
            found.append((index, match))
            reading.claim(index)
        elif line:
            inside = False
    return found


def _reasons(log: Log, context: Context) -> dict[tuple[str, int | str], Failure]:
    """Failures by the scenario's place and by its name."""
    reasons: dict[tuple[str, int | str], Failure] = {}
    keys: list[tuple[str, int | str]] = []
    step = ""
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if scenario := SCENARIO.match(line):
            keys = [("", scenario["name"])]
            if scenario["file"]:
                keys.append((scenario["file"], int(scenario["line"])))
        elif named := PROGRESS.match(line):
            keys = [("", named["name"])]
        elif match := STEP.match(line):
            step = match["step"]
            if match["word"] == "undefined" or line.endswith("# None"):
                _keep(reasons, keys, Failure(line.strip(), index, index, step))
        elif match := STEP_BLOCK.match(line):
            step = match["step"]
            if log.lines[index + 1 : index + 2] == ["None"]:
                _keep(reasons, keys, Failure(line.strip(), index, index, step))
        elif match := REASON.match(line):
            _keep(reasons, keys, Failure(match["message"], index, index, step))
        elif "Traceback (" in line and (traceback := frames.read_traceback(log.lines, index)):
            own = frames.innermost(traceback.frames, context.root)
            failure = Failure(traceback.message, traceback.at, index, step)
            if own is not None:
                failure.file, failure.line = own.file, own.line
            if traceback.message:
                _keep(reasons, keys, failure)
            end = traceback.end
        index = end
    return reasons


def _keep(reasons: dict[tuple[str, int | str], Failure], keys: list[tuple[str, int | str]], failure: Failure) -> None:
    for key in keys:
        reasons.setdefault(key, failure)


def _diagnostic(log: Log, index: int, match: re.Match[str], reason: Failure | None) -> Diagnostic:
    file, line = match["file"], int(match["line"])
    if reason is None:
        return Diagnostic(
            message=log.lines[index].strip(), file=file, line=line, test=match["name"], log=log.span(index)
        )
    return Diagnostic(
        message=reason.message,
        detail="\n".join([f"step: {reason.step}" if reason.step else "", f"scenario: {file}:{line}"]).strip(),
        file=reason.file or file,
        line=reason.line or line,
        test=match["name"],
        log=log.span(reason.first, reason.at),
    )


def _trouble(log: Log, context: Context, reading: Reading) -> None:
    if not context.words or context.exit_code == 0:
        return
    for index in lines_with(log, "Error: ", "Exception: ", "Failed to parse", "behave: error: "):
        line = log.lines[index]
        if match := START_UP.match(line) or USAGE.match(line):
            reading.add(Diagnostic(message=match["message"], log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
