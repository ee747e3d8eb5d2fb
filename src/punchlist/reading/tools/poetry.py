"""Read poetry (1.0 to 2.5): resolution, lock file, builds, `poetry check`, unknown commands."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools.build_output import causes

PROGRESS = re.compile(
    r"\s*(?:Creating virtualenv|Using virtualenv|Updating dependencies|Resolving dependencies"
    r"|Installing dependencies|Finding the necessary"
    r"|Package operations:|Writing lock file|Skipping virtualenv|No dependencies to"
    r"|Installing the current project|Loading |Recreating"
    r"|Virtualenv|The currently activated Python|Trying to find|Using python|Project environment|Building "
    r"|  - (?:Building|Adding|Built)"
    r"|  [-•] (?:Installing|Updating|Removing|Downgrading) [^:]+(?:\.\.\.)?$|  [-•] .*: (?:Pending|Downloading"
    r"|Installing|Building|Extracting|Skipped)"
    r"|All set!|Source \(|Stack trace|Configuration file exists|Consider moving|Would you like)"
)
USAGE = re.compile(
    r"\s*(?P<message>The (?:requested )?command \"?.+\"? does not exist.*|The \"?--?[\w-]+\"? option .+"
    r"|The option \".+\" does not exist|Not enough arguments.*"
    r"|Too many arguments.*|No arguments expected.*|Command not found: .+|The command \".+\" does not exist.*)"
)
CANNOT = re.compile(
    r"\s*(?P<message>Poetry could not find a pyproject\.toml file.+|The Poetry configuration is invalid:?"
    r"|Invalid TOML.+"
    r"|.*pyproject\.toml.* (?:is not valid|invalid).*|Unable to read the lock file.*)"
)
CHECKED = re.compile(r"(?P<level>Error|Warning): (?P<message>.+)")
FAILED = re.compile(r"\s*[-•] (?:Installing|Updating) (?P<package>.+): Failed")
MOST = 60


def parse(log: Log, context: Context) -> Reading:
    """Read poetry's errors: paragraphs that are no progress, on stderr or after the progress."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if not line.strip():
            index += 1
            continue
        if line == "All set!":
            reading.outcome = "passed"
        if PROGRESS.match(line):
            reading.claim(index)
            index += 1
            continue
        if FAILED.match(line):
            index = _failed(log, index, context, reading)
        elif match := CHECKED.match(line):
            reading.add(
                Diagnostic(
                    message=match["message"],
                    severity="warning" if match["level"] == "Warning" else "error",
                    tool="poetry",
                    log=log.span(index),
                )
            )
            reading.claim(index)
            index += 1
        else:
            index = _paragraph(log, index, context, reading)
    return reading


def _failed(log: Log, index: int, context: Context, reading: Reading) -> int:
    """A package that cannot be installed: the build's cause, or the lines below."""
    end = index + 1
    while end < len(log.lines) and not PROGRESS.match(log.lines[end]) and not FAILED.match(log.lines[end]):
        end += 1
    found = causes(log.lines, index + 1, end, context.root)
    said = [at for at in range(index + 1, end) if log.lines[at].strip()]
    detail = "\n".join(log.lines[at] for at in said[:MOST])
    if found:
        for cause in found:
            reading.add(
                Diagnostic(
                    message=cause.message.strip(),
                    detail=log.lines[index].strip(),
                    file=cause.file,
                    line=cause.line,
                    column=cause.column,
                    tool="poetry",
                    log=log.span(cause.at, cause.end - 1),
                )
            )
    else:
        at = said[1] if len(said) > 1 else said[0] if said else index
        reading.add(Diagnostic(message=log.lines[at].strip(), detail=detail, tool="poetry", log=log.span(at)))
    reading.claim(index, end)
    reading.outcome = "failed"
    return end


def _paragraph(log: Log, index: int, context: Context, reading: Reading) -> int:
    end = index + 1
    same = log.numbers[index] < 0
    while end < len(log.lines) and log.lines[end].strip() and not PROGRESS.match(log.lines[end]):
        if (log.numbers[end] < 0) != same:
            break
        end += 1
    line = log.lines[index]
    usage, cannot = USAGE.match(line), CANNOT.match(line)
    # What poetry says on stdout while all is well is no error.
    if not (usage or cannot) and (context.exit_code == 0 or (not same and not _telling(line))):
        return end
    lines = [text.strip() for text in log.lines[index:end]]
    wrapped = lines[0].startswith(("Because ", "So, because ", "And because "))
    reading.add(
        Diagnostic(
            message=" ".join(lines) if wrapped else lines[0],
            detail="" if wrapped else "\n".join(lines[1:MOST]),
            tool="poetry",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    reading.outcome = "error" if usage or cannot else reading.outcome or "failed"
    return end


def _telling(line: str) -> bool:
    return bool(
        re.search(
            r"not found|[Ee]rror|fail|invalid|cannot|could not|significantly changed|changed significantly|Because ",
            line,
        )
    )
