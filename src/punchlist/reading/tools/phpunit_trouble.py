"""Read what ends a PHPUnit run before its tests: configuration, options, bootstrap, files that are not there."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.php_frames import frame, innermost

CONFIG = re.compile(r'Could not (?:load|read)(?: XML from file)? "(?P<file>[^"]+)"')
BOOTSTRAP = re.compile(r"Error in bootstrap script: (?P<kind>[\w\\]+):$")
INSIDE = "An error occurred inside PHPUnit."
LOCATION = re.compile(r"Location: +(?P<file>.+):(?P<line>\d+)$")
OTHER = re.compile(
    r"(?P<message>(?:unrecognized option|option (?:requires|doesn't|is ambiguous)|Unknown option |ambiguous option"
    r"|Cannot open (?:file|bootstrap script|directory)|Could not use \"|Test (?:file|directory|suite) \""
    r"|Class ['\"]?\S+ (?:could not be found"
    r"|cannot be found|was not found|declared)|PHPUnit requires|Argument \"\S+\" not recognized|No code coverage"
    r"|Bootstrap script \"|This version of PHPUnit|Unable to find|The bootstrap script).*)$"
)
RAISED = re.compile(r"(?:PHP )?(?P<kind>(?:[\w\\]+\\)?[A-Z]\w*(?:Error|Exception)): (?P<message>.*)$")
XML_LINE = re.compile(r" line (?P<line>\d+)\b")


def read(log: Log, context: Context, reading: Reading) -> None:
    """Add what stopped the run; nothing where tests were counted."""
    lines = log.lines
    for index in lines_with(log, "Could not load ", "Could not read ", "Error in bootstrap script", INSIDE):
        line = lines[index]
        if match := CONFIG.match(line):
            at = next((i for i in range(index + 1, min(index + 4, len(lines))) if lines[i].strip()), index)
            _add(log, reading, index, at, lines[at].strip(), file=match["file"])
        elif match := BOOTSTRAP.match(line):
            _raised(log, context, reading, index, index + 1)
        elif line == INSIDE:
            _inside(log, reading, index)
    if reading.counts or reading.diagnostics:
        return
    if context.words and context.exit_code and lines_with(log, "Fatal error: ", "Parse error: "):
        reading.outcome = "error"
        return
    start = next((i for i in lines_with(log, " by Sebastian Bergmann")), None)
    if start is None and not (context.words and context.words[0] in ("phpunit", "paratest", "simple-phpunit")):
        return
    for index in range(0 if start is None else start + 1, min(len(lines), (start or 0) + 40)):
        if match := OTHER.match(lines[index]):
            _add(log, reading, index, index, match["message"])
            return


def _add(
    log: Log,
    reading: Reading,
    first: int,
    last: int,
    message: str,
    *,
    file: str | None = None,
    line: int | None = None,
    detail: str = "",
) -> None:
    reading.add(Diagnostic(message=message, detail=detail, file=file, line=line, log=log.span(first, last)))
    reading.claim(first, last + 1)
    reading.outcome = "error"


def _raised(log: Log, context: Context, reading: Reading, first: int, at: int) -> None:
    """An exception's message, then its numbered frames."""
    lines = log.lines
    end = at
    while end < len(lines) and (end == at or lines[end].startswith("#")):
        end += 1
    frames = [f for text in lines[at:end] if (f := frame(text))]
    place = innermost(frames, context.root)
    _add(
        log,
        reading,
        first,
        end - 1,
        lines[at].strip() if at < len(lines) else lines[first],
        file=place.file if place else None,
        line=place.line if place else None,
        detail=lines[first],
    )


def _inside(log: Log, reading: Reading, index: int) -> None:
    lines: Sequence[str] = log.lines
    message = next((i for i in range(index, min(index + 5, len(lines))) if lines[i].startswith("Message:")), index)
    place = next((m for i in range(index, min(index + 40, len(lines))) if (m := LOCATION.match(lines[i]))), None)
    _add(
        log,
        reading,
        index,
        max(message, index),
        lines[message].removeprefix("Message:").strip(),
        file=place["file"] if place else None,
        line=int(place["line"]) if place else None,
    )
