"""Read OCaml's compilers (4.0 to 5.3), alone or under dune: a place, an excerpt, then `Error:` or `Warning N:`."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

PLACE = re.compile(
    r"File \"(?P<file>[^\"]+\.(?:mli?|mll|mly|re|rei|opam|eliom))\"(?:, lines? (?P<line>\d+)(?:-\d+)?)?"
    r"(?:, characters (?P<from>\d+)-(?P<to>\d+))?:$|File \"(?P<file2>dune(?:-project)?|[^\"]+/du"
    r"ne)\", line (?P<line2>\d+)"
    r", characters (?P<from2>\d+)-(?P<to2>\d+):$"
)
SAID = re.compile(
    r"(?P<word>Error|Warning|Alert)(?: (?P<number>\d+))?(?: \(warning (?P<number2>\d+)(?: \[(?P<name2>[\w-]+)\])?\))?"
    r"(?: \[(?P<name>[\w-]+)\])?(?: (?P<alert>\w+))?: (?P<message>.*)$"
)
# The toplevel's word for what ended a script.
EXCEPTION = re.compile(r"Exception: (?P<message>[A-Z][\w.]*\b.*)\.$")
# dune's expect tests: the file that is no longer right, then the diff.
PROMOTED = re.compile(r"File \"(?P<file>[^\"]+)\", line (?P<line>\d+), characters 0-0:$")
DIFF = re.compile(r"(?:diff --git |--- |\+\+\+ |@@ |index |[ +-]|\(cd |\s+\S+ \(internal\)|Binary files )")
EXCERPT = re.compile(r"\s*\d+ \||\s+[\^~]+|\.\.\.|\s*\.+")
MOST = 40


def parse(log: Log, context: Context) -> Reading:
    """Read each message; its text goes on until the next place or an empty line."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if line.startswith('File "'):
            if match := PLACE.match(line):
                end = _message(match, log, index, reading)
            if end == index + 1 and (promoted := PROMOTED.match(line)):
                end = _promoted(promoted, log, index, reading)
        elif context.words[:1] == ("ocaml",) and (said := EXCEPTION.match(line)):
            reading.add(Diagnostic(message=said["message"], tool="ocaml", log=log.span(index)))
            reading.claim(index)
        index = end
    errors = any(d.severity == "error" for d in reading.diagnostics)
    if errors or (reading.diagnostics and context.exit_code not in (0, None)):
        reading.outcome = "failed"
    return reading


def _promoted(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Read a diff between what a test printed and what stands in its file."""
    end = index + 1
    while end < len(log.lines) and DIFF.match(log.lines[end]):
        end += 1
    body = log.lines[index + 1 : end]
    if not any(text.startswith("@@ ") for text in body):
        return index + 1
    changed = [text for text in body if text[:1] in "+-" and not text.startswith(("+++", "---"))]
    reading.add(
        Diagnostic(
            message="\n".join(changed[:2]) or log.lines[index],
            detail="\n".join(body[:MOST]),
            file=match["file"],
            line=number(match["line"]),
            tool="dune",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _message(place: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    at = index + 1
    while at < len(log.lines) and EXCERPT.match(log.lines[at]):
        at += 1
    said = SAID.match(log.lines[at]) if at < len(log.lines) else None
    if not said:
        return index + 1
    end = at + 1
    while end < len(log.lines) and log.lines[end] and not PLACE.match(log.lines[end]):
        if not log.lines[end].startswith((" ", "\t")) and said["word"] == "Error":
            break
        end += 1
    message = said["message"].strip()
    wrapped = at + 1
    while said["word"] == "Error" and wrapped < end and log.lines[wrapped].startswith("       ") and wrapped - at < 4:
        message = f"{message} {log.lines[wrapped].strip()}".strip()
        wrapped += 1
    start = number(place["from"] or place["from2"]) if (place["from"] or place["from2"]) != "0" else 0
    code = said["number"] or said["number2"]
    reading.add(
        Diagnostic(
            message=message or said["word"],
            severity="error" if said["word"] == "Error" else "warning",
            detail="\n".join(log.lines[index + 1 : min(end, index + MOST)]),
            file=place["file"] or place["file2"],
            line=number(place["line"] or place["line2"]),
            column=start + 1 if start is not None else None,
            rule=said["name"] or said["name2"] or code,
            tool="ocaml",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end
