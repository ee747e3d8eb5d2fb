"""Read javac's messages (8 to 25), bare or behind ant's `[javac]`: place, text, source and caret, what follows them."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

ANT = re.compile(r" *\[javac\] ?")
HEAD = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^:\n]*?\.(?:java|jav|kt|groovy|class)):(?P<line>\d+): "
    r"(?:(?P<word>error|warning|Fehler|Warnung|erreur|avertissement|エラー|警告|错误) ?: )?(?P<message>.*)$"
)
BARE = re.compile(r"(?P<word>error|warning): (?P<message>\S.*)$")
RULE = re.compile(r"\[(?P<rule>[a-z][\w-]*)\] (?P<message>.*)$")
TOTAL = re.compile(r"(?P<number>\d+) (?P<what>error|warning)s?$")
SHOWN = re.compile(r"only showing the first \d+ (?P<what>error|warning)s, of (?P<number>\d+) total")
CARET = re.compile(r"\s*\^$")
NOTE = ("Note: ", "Usage: ", "use --help", "use -help", "error: ", "warning: ")
WARNINGS = ("warning", "Warnung", "avertissement", "警告")
LOOK = 40


def parse(log: Log, context: Context) -> Reading:
    """Read every message, the totals, and what javac says of its command line."""
    reading = Reading()
    lines = [ANT.sub("", line, count=1) if "[javac]" in line else line for line in log.lines]
    done = 0
    for index in lines_with(log, ".java:", ": error: ", "error: ", "warning: ", " error", " warning", ".kt:"):
        if index < done:
            continue
        line = lines[index]
        match = HEAD.match(line)
        if match and (match["word"] or _has_caret(lines, index)):
            done = _message(log, lines, index, match, reading)
        elif bare := BARE.match(line):
            done = _bare(log, lines, index, bare, context, reading)
        elif total := TOTAL.match(line) or SHOWN.match(line):
            name = f"{total['what']}s"
            shown = total.re is SHOWN
            reading.counts[name] = int(total["number"]) if shown else reading.counts.get(name, 0) + int(total["number"])
            reading.claim(index)
    if not reading.diagnostics and not context.words:
        return Reading()
    errors = [d for d in reading.diagnostics if d.severity == "error"]
    if errors:
        reading.outcome = "failed" if any(d.line for d in errors) else "error"
    elif reading.diagnostics:
        reading.outcome = "passed" if not context.exit_code else None
    return reading


def _has_caret(lines: Sequence[str], index: int) -> bool:
    """A message without a word for its severity (javac 6) is one where a caret stands below it."""
    return any(CARET.match(text) for text in lines[index + 1 : index + 4])


def _message(log: Log, lines: Sequence[str], index: int, match: re.Match[str], reading: Reading) -> int:
    """Add one message; return the line after it. The caret tells the column, which javac does not print."""
    message, rule = match["message"].strip(), None
    if tagged := RULE.match(message):
        message, rule = tagged["message"], tagged["rule"]
    severity: Severity = "warning" if match["word"] in WARNINGS else "error"
    end = index + 1
    caret = None
    while end < len(lines) and end < index + LOOK and not _ends(lines[end]):
        text = lines[end]
        if caret is None and CARET.match(text):
            caret = end
        elif caret is not None and text and text[0] not in " \t":
            break
        end += 1
    if caret is None:
        end = next((i for i in range(index + 1, end) if lines[i][:1] not in (" ", "\t")), end)
    more = [text for i, text in enumerate(lines[index + 1 : end], index + 1)]
    reading.add(
        Diagnostic(
            message=message,
            severity=severity,
            detail="\n".join(more).rstrip(),
            file=match["file"].strip(),
            line=int(match["line"]),
            column=len(lines[caret]) if caret is not None else None,
            rule=rule,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _ends(text: str) -> bool:
    return not text or text.startswith(NOTE) or HEAD.match(text) is not None or TOTAL.match(text) is not None


def _bare(log: Log, lines: Sequence[str], index: int, match: re.Match[str], context: Context, reading: Reading) -> int:
    """A message without a place: javac's own options, missing files; only where javac is known to have run."""
    if not (context.words and context.words[0] in ("javac", "javadoc", "ant")) and not reading.diagnostics:
        return index + 1
    message, rule = match["message"], None
    if tagged := RULE.match(message):
        message, rule = tagged["message"], tagged["rule"]
    reading.add(
        Diagnostic(
            message=message,
            severity="warning" if match["word"] == "warning" else "error",
            rule=rule,
            log=log.span(index),
        )
    )
    end = index + 1
    while end < len(lines) and lines[end].startswith(("Usage: javac", "use --help", "use -help", "where possible")):
        end += 1
    reading.claim(index, end)
    return end
