"""Read what the PHP interpreter (5 to 8.4) says: `php -l`, fatal errors, exceptions that nobody caught, warnings."""

import re
from collections.abc import Sequence
from html import unescape

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.php_frames import Frame, frame, innermost, is_foreign

# On stderr (error log) with `PHP ` in front and two blanks, on stdout without; html_errors puts tags around.
HEAD = re.compile(
    r"(?:\[[^\]]+\] )?(?:<br />)?(?:<b>)?(?:PHP )?(?P<word>Parse error|Fatal error|Catchable fatal error"
    r"|Recoverable fatal error|Core error"
    r"|Compile error|Warning|Notice|Deprecated|Strict Standards|Core warning|User \w+)(?:</b>)?: +(?P<message>.*)$"
)
# `..., called in FILE on line N and defined in FILE:N` of a TypeError: the second one is where it was thrown.
PLACE = re.compile(
    r"(?P<message>.*?, called in .+? on line \d+ and defined|.*?) in (?:<b>)?(?P<file>(?:[A-Za-z]:)?[^:\n]+?)"
    r"(?:</b>)?(?: on line (?:<b>)?"
    r"(?P<line>\d+)(?:</b>)?|:(?P<line2>\d+))(?:<br />)?$"
)
THROWN = re.compile(r"\s+thrown in (?P<file>.+) on line (?P<line>\d+)$")
UNCAUGHT = re.compile(r"(?:Uncaught )?(?:exception ')?(?P<kind>[A-Z][\w\\]*)'?(?::| with message) '?(?P<message>.*)$")
LINT = re.compile(r"(?P<what>Errors parsing|No syntax errors detected in|Could not open input file:) ?(?P<file>.*)$")
WORDS: dict[str, Severity] = {
    "Warning": "warning",
    "Notice": "warning",
    "Deprecated": "warning",
    "Strict Standards": "warning",
    "Core warning": "warning",
}
LOOK = 300


def parse(log: Log, context: Context) -> Reading:
    """Read interpreter messages, each once whether it stands on one stream or both, and the lint verdict."""
    reading = Reading()
    if not context.words and context.exit_code == 0:
        # What a program prints that ends well is its own business.
        return reading
    lines = log.lines
    seen: set[tuple[object, ...]] = set()
    done = 0
    for index in lines_with(
        log,
        "rror: ",
        "Warning: ",
        "Notice: ",
        "Deprecated: ",
        "Warning</b>",
        "rror</b>",
        "Notice</b>",
        "Deprecated</b>",
        "Standards: ",
    ):
        if index < done:
            continue
        match = HEAD.match(lines[index])
        if match:
            done = _message(log, context, index, match, seen, reading)
    ran = context.words[:1] == ("php",)
    for index in lines_with(log, "Errors parsing", "No syntax errors detected", "Could not open input file"):
        match = LINT.match(lines[index])
        if match is None:
            continue
        if match["what"].startswith("Could not"):
            reading.add(Diagnostic(message=lines[index], log=log.span(index)))
            reading.outcome = "error"
        elif match["what"].startswith("No "):
            reading.outcome = reading.outcome or "passed"
        else:
            if not any(d.severity == "error" for d in reading.diagnostics):
                reading.add(Diagnostic(message=lines[index], file=match["file"] or None, log=log.span(index)))
            reading.outcome = "failed"
        reading.claim(index)
    if ran and not reading.outcome and any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "failed"
    return reading


Told = tuple[str, re.Match[str] | None, list[Frame], list[str], int]


def _message(
    log: Log, context: Context, index: int, match: re.Match[str], seen: set[tuple[object, ...]], reading: Reading
) -> int:
    """One message: the place is in its line, or below where an exception's text has several lines."""
    text = log.whole(index)[match.start("message") :]
    if "<b>" in text:
        text = unescape(text)
    uncaught = text.startswith("Uncaught ")
    text, place, frames, rest, end = _told(log.lines, index, text, context.root)
    if place is None:
        return index + 1
    message = place["message"] if place.string == text else text
    at = Frame(place["file"], int(place["line"] or place["line2"]))
    own = innermost([at, *frames], context.root) or at
    if uncaught:
        message = message.removeprefix("Uncaught ").removeprefix("exception ")
    word = match["word"]
    key = (message, own, word)
    if word in WORDS and not context.words:
        return index + 1
    if key not in seen:
        seen.add(key)
        reading.add(
            Diagnostic(
                message=message,
                severity=WORDS.get(word, "warning" if word.startswith("User ") and "error" not in word else "error"),
                detail="\n".join(rest[:40]),
                file=own.file,
                line=own.line,
                log=log.span(index, end - 1),
            )
        )
    reading.claim(index, end)
    return end


def _told(lines: Sequence[str], index: int, text: str, root: str) -> Told:
    """Read on from a message to its place and frames: those of what was thrown last, its causes after it."""
    end = index + 1
    place = PLACE.match(text)
    frames: list[Frame] = []
    rest: list[str] = []
    uncaught = text.startswith("Uncaught ")
    if uncaught or not place:
        while end < len(lines) and end < index + LOOK and not (thrown := THROWN.match(lines[end])):
            if HEAD.match(lines[end]) or (place and not uncaught):
                break
            found = frame(lines[end])
            if lines[end].startswith("Next ") and uncaught:
                later = PLACE.match(lines[end].removeprefix("Next "))
                if place and later and is_foreign(later["file"], root) and not is_foreign(place["file"], root):
                    # A tool wraps what the project's own code threw.
                    end = next((i for i in range(end, min(len(lines), index + LOOK)) if THROWN.match(lines[i])), end)
                    break
                # The exception that was thrown last has those before it as its causes.
                rest = [f"caused by: {place['message'] if place else text}"]
                text, place, frames = lines[end].removeprefix("Next "), later, []
            elif found:
                frames.append(found)
            elif not place and (later := PLACE.match(lines[end])):
                place = later
                rest.append(later["message"])
            elif lines[end].strip() and not lines[end].startswith(("Stack trace:", "#", "PHP ", "Next ")):
                rest.append(lines[end])
            end += 1
        else:
            thrown = THROWN.match(lines[end]) if end < len(lines) else None
            end += thrown is not None
    return text, place, frames, rest, end
