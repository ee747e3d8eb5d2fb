"""Read PHPUnit's testdox: `✘ Name`, its text behind a bar, while tests run and (up to 9) again at the end."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

MARK = re.compile(r" (?:✘|\[x\]) (?P<name>\S.*?)(?: +\[[\d.]+ m?s\])?$")
BAR = re.compile(r"   (?:│|├|┐|┴|┊|┬)(?: (?P<text>.*))?$")
CLASS = re.compile(r"[\w][^\s]*.*$")
SUMMARY = "Summary of non-successful tests:"


def read(log: Log, context: Context, reading: Reading) -> None:
    """Add the failures that no numbered list names; claim those that one does."""
    from punchlist.reading.tools.php_frames import innermost
    from punchlist.reading.tools.phpunit import told

    lines = log.lines
    listed = any(d.severity == "error" for d in reading.diagnostics)
    summary = next((i for i in lines_with(log, SUMMARY) if lines[i] == SUMMARY), None)
    for index in lines_with(log, " ✘ ", " [x] "):
        match = MARK.match(lines[index])
        if match is None:
            continue
        end = index + 1
        while end < len(lines) and BAR.match(lines[end]):
            end += 1
        reading.claim(index, end)
        if listed or end == index + 1 or (summary is not None and index > summary):
            continue
        body = [bar["text"] or "" for i in range(index + 1, end) if (bar := BAR.match(log.whole(i)))]
        message, detail, frames = told(body)
        place = innermost(frames, context.root)
        reading.add(
            Diagnostic(
                message=message or match["name"],
                detail=detail,
                file=place.file if place else None,
                line=place.line if place else None,
                test=_name(lines, index, match["name"]),
                log=log.span(index, end - 1),
            )
        )


def _name(lines: list[str], index: int, name: str) -> str:
    """The class's heading above, then the test's name."""
    for at in range(index - 1, max(index - 2_000, -1), -1):
        line = lines[at]
        if (
            line
            and line[0].isalpha()
            and (not at or not lines[at - 1])
            and at + 1 < len(lines)
            and lines[at + 1][:1] == " "
        ):
            return f"{line}: {name}"
    return name
