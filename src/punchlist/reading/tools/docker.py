"""Read docker build (BuildKit and legacy), buildah, docker compose and the daemon's own errors.

What a step's program printed is left to that program's own reader; the step itself is the finding that names it.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

SOLVE = re.compile(r"(?:ERROR: )?(?:failed to build: )?failed to solve: (?P<message>.+)$")
PARSE = re.compile(
    r"(?:[Dd]ockerfile parse error (?:on )?line (?P<line>\d+): |(?P<file>\S+):(?P<line2>\d+): )(?P<message>.+)$"
)
AT = re.compile(r"(?P<file>\S+):(?P<line>\d+)$")
MARKED = re.compile(r"\s*(?P<line>\d+) \| >>> (?P<text>.*)$")
STEP = re.compile(r" ?> \[(?P<step>[^\]]+)\] (?P<text>.+):$|>>> (?P<text2>.+)$")
LEGACY = re.compile(r"(?P<message>The command '(?P<command>.+)' returned a non-zero code: \d+)$")
LEGACY_STEP = re.compile(r"Step (?P<number>\d+)/(?P<of>\d+) : ")
BUILT = re.compile(r"Successfully (?:built|tagged) |(?:#\d+ )?naming to \S+.* done$")
DAEMON = re.compile(
    r"(?P<message>(?:docker: )?Error response from daemon: .+|Cannot connect to the Docker daemon .+"
    r"|unable to prepare context: .+|ERROR: unable to prepare context: .+|error during connect: .+"
    r"|invalid reference format.*|COPY failed: .+|ADD failed: .+|docker: '.+' is not a docker command\."
    r"|unknown (?:shorthand )?flag: .+|ERROR: (?:failed to \w+|denied|unauthorized|resolve|inval"
    r"id|open|no |service|Version|Named|The) ?.*"
    r"|failed to (?:read|load|create|copy|register|compute|fetch|do|resolve|set up|parse).*|no c"
    r"onfiguration file provided: .+"
    r"|dependency failed to start: .+|validating .+: .+|service \".+\" (?:depends on|refers to|has neither|didn't).+"
    r"|no such service: .+|yaml: (?:line \d+: )?.+|parsing .+: yaml: .+|.*driver failed programm"
    r"ing external connectivity.*)$"
)
EXITED = re.compile(r"(?P<service>[\w.-]+?)(?:-\d+)? exited with code (?P<code>\d+)(?: \(restarting\))?$")
VALIDATING = re.compile(r"(?:validating|parsing) (?P<file>[^:]+): (?P<message>.+)$")
WARNED = re.compile(r" ?-? ?(?P<rule>[A-Z][A-Za-z]+): (?P<message>.+?) \(line (?P<line>\d+)\)$")
RULE = "------"
MOST = 60


def parse(log: Log, context: Context) -> Reading:
    """Read what failed: a step, the Dockerfile, the daemon, a service."""
    reading = Reading()
    named = bool(context.words) and context.words[0] in ("docker", "docker-compose", "podman", "buildah", "nerdctl")
    at: re.Match[str] | None = None
    marked: re.Match[str] | None = None
    step = -1
    legacy = -1
    for index, line in enumerate(log.lines):
        if not line:
            continue
        if match := MARKED.match(line):
            marked = marked or match
        elif match := AT.match(line):
            at, marked = match, None
        elif line.startswith((" > [", "> [")) and STEP.match(line):
            step = index
        elif line.startswith("Step ") and LEGACY_STEP.match(line):
            legacy = index
            reading.claim(index)
        elif "failed to solve: " in line and (match := SOLVE.match(line)):
            _solve(match["message"], at, marked, step, log, index, reading)
        elif match := LEGACY.match(line):
            detail = "\n".join(log.lines[legacy:index][-MOST:]) if legacy >= 0 else ""
            _add(reading, log, index, match["message"], detail)
        elif "exited with code" in line and (match := EXITED.match(line)):
            reading.claim(index)
            if match["code"] != "0":
                _add(reading, log, index, line, "", package=match["service"])
        elif named and (match := DAEMON.match(line)):
            _daemon(match["message"], log, index, reading)
        elif "(line " in line and (match := WARNED.match(line)):
            reading.add(
                Diagnostic(
                    message=match["message"],
                    severity="warning",
                    line=number(match["line"]),
                    file="Dockerfile" if at is None else at["file"],
                    derived=at is None,
                    rule=match["rule"],
                    tool="docker",
                    log=log.span(index),
                )
            )
            reading.claim(index)
        elif BUILT.match(line):
            reading.outcome = reading.outcome or "passed"
            reading.claim(index)
    if any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = reading.outcome if reading.outcome == "error" else "failed"
    return reading


def _solve(
    message: str,
    at: re.Match[str] | None,
    marked: re.Match[str] | None,
    step: int,
    log: Log,
    index: int,
    reading: Reading,
) -> None:
    """Read BuildKit's last line with the excerpt and the step's output above it.

    Where the program's own reader understood all of that output, the step is only its consequence.
    """
    refused = PARSE.match(message)
    detail = ""
    if step >= 0:
        end = next((i for i in range(step + 1, index) if log.lines[i].startswith(RULE)), index)
        if not any(log.lines[step + 1 : end]) and end > step + 1:
            reading.claim(step, index + 1)
            reading.outcome = "failed"
            return
        detail = "\n".join(log.lines[step:end][-MOST:])
    line = number(marked["line"]) if marked else number(at["line"]) if at else None
    file = at["file"] if at else None
    if refused:
        file = file or refused["file"]
        line = number(refused["line"] or refused["line2"])
        message = refused["message"]
    same = any(d.message == message for d in reading.diagnostics)
    if not same:
        _add(reading, log, index, message, detail, file, line)
    reading.claim(index)


def _daemon(message: str, log: Log, index: int, reading: Reading) -> None:
    file = None
    if match := VALIDATING.match(message):
        file, message = match["file"], match["message"]
    if not any(message in d.message or d.message in message for d in reading.diagnostics):
        _add(reading, log, index, message, "", file)
    reading.claim(index)
    if not any(d.detail for d in reading.diagnostics):
        reading.outcome = "error"


def _add(
    reading: Reading,
    log: Log,
    index: int,
    message: str,
    detail: str,
    file: str | None = None,
    line: int | None = None,
    package: str | None = None,
) -> None:
    reading.add(
        Diagnostic(
            message=message,
            detail=detail,
            file=file,
            line=line,
            package=package,
            tool="docker",
            log=log.span(index),
        )
    )
    reading.claim(index)
