"""Read GHC (8.0 to 9.12) alone or under cabal and stack, HLint, and what cabal and stack say themselves."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

HEAD = re.compile(
    r"(?:[\w.-]+ *> )?(?P<file>(?:[A-Za-z]:)?\S[^:]*\.(?:l?hs|hsc|chs|hs-boot|x|y)):"
    r"(?:(?P<line>\d+):(?P<column>\d+)(?:-(?P<end>\d+))?|\((?P<line2>\d+),(?P<column2>\d+)\)-\(("
    r"?P<end_line>\d+),(?P<end2>\d+)\)): "
    r"(?P<word>error|warning|Error|Warning|Suggestion|Ignore)(?::|$)(?P<rest>.*)$"
)
TAGS = re.compile(r"\s*\[(?P<tag>[^\]]+)\]")
CODE = re.compile(r"GHC-\d+$")
BODY = re.compile(r"(?:[\w.-]+ *> )?(?:\s|\d+ \||$)")
HLINT_BODY = re.compile(r"Found:|Perhaps:|Why not:|Note:|  ")
TROUBLE = re.compile(
    r"(?P<message>(?:Error: )?cabal(?:-\d\S*)?: .+|Error: \[(?:Cabal|S)-\d+\]|<no location info>"
    r": error:.*|ghc(?:-\S+)?: .+"
    r"|Stack looks for .+|Could not (?:parse|find) .+)$"
)
FAILED_BUILD = re.compile(r"Failed to build |Completed \d+ action")
LEVELS: dict[str, Severity] = {
    "error": "error",
    "Error": "error",
    "warning": "warning",
    "Warning": "warning",
    "Suggestion": "info",
    "Ignore": "hint",
}
HINTS = re.compile(r"(?P<hints>\d+) hints?$|No hints$")
MOST = 60


def parse(log: Log, context: Context) -> Reading:
    """Read each message with its indented text."""
    reading = Reading()
    program = context.words[0] if context.words else ""
    named = program in ("ghc", "cabal", "stack", "runghc", "runhaskell", "hlint", "ghcid")
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if ": " in line or line.endswith(":"):
            if match := HEAD.match(line):
                end = _message(match, log, index, reading)
            elif named and (match := TROUBLE.match(line)):
                end = _trouble(match["message"], log, index, reading)
        elif HINTS.match(line):
            reading.claim(index)
        index = end
    if (
        reading.diagnostics
        and reading.outcome is None
        and (any(d.severity == "error" for d in reading.diagnostics) or (program == "hlint" and context.exit_code != 0))
    ):
        reading.outcome = "failed"
    return reading


def _message(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    lines = log.lines
    hlint = match["word"][0].isupper()
    below = HLINT_BODY if hlint else BODY
    while end < len(lines) and lines[end] and below.match(lines[end]):
        end += 1
    rest = match["rest"]
    tags = []
    while tag := TAGS.match(rest):
        tags.append(tag["tag"])
        rest = rest[tag.end() :]
    body = [text.rstrip() for text in lines[index + 1 : end]]
    first = next((text.strip().removeprefix("• ") for text in body if text.strip()), "no message")
    message = rest.strip() or first
    flags = [tag.split(",")[0] for tag in tags if not CODE.match(tag)]
    reading.add(
        Diagnostic(
            message=message,
            severity=LEVELS[match["word"]],
            detail="\n".join(body[:MOST]),
            file=match["file"],
            line=number(match["line"] or match["line2"]),
            column=number(match["column"] or match["column2"]),
            rule=flags[-1] if flags else next((tag for tag in tags if CODE.match(tag)), None),
            tool="hlint" if hlint else "ghc",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _trouble(message: str, log: Log, index: int, reading: Reading) -> int:
    """Read what the build tool says: only a consequence where a module did not compile or a test failed."""
    end = index + 1
    while end < len(log.lines) and log.lines[end] and not HEAD.match(log.lines[end]):
        end += 1
    body = log.lines[index + 1 : end]
    summed = any(FAILED_BUILD.match(text) for text in [message, *body]) or "Tests failed" in message
    reading.claim(index, end)
    if summed and any(d.severity == "error" for d in reading.diagnostics):
        return end
    said = body[0] if body and re.match(r"Error: \[", message) else message
    reading.add(
        Diagnostic(message=said.strip(), detail="\n".join(body[:MOST]), tool="cabal", log=log.span(index, end - 1))
    )
    reading.outcome = "failed" if summed else "error"
    return end
