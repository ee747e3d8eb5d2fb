"""Read Scala's compilers (2.10 to 3) and test frameworks (ScalaTest, munit), bare and behind sbt's `[error]`."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

PREFIX = re.compile(r"\[(?P<level>error|warn|info|success)\] ?")
PLACED = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:\[][^:\n]*\.(?:scala|sc|sbt"
    r"|java)):(?P<line>\d+):(?:(?P<column>\d+):)? (?:(?P<word>error|warning): )?(?P<message>\S.*)$"
)
# Scala 3: `-- [E007] Type Mismatch Error: src/A.scala:3:15 -----`
DOTTY = re.compile(
    r"-- (?:\[(?P<rule>E\d+)\] )?(?P<kind>[A-Z][\w ]*?)?(?P<word>Error"
    r"|Warning): (?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+) -*$"
)
GUTTER = re.compile(r"(?:\d+ | *)\|(?P<text>.*)$")
CARET = re.compile(r"\s*\^+$")
COMPARED = re.compile(r"\s*(?:found|required) *: ")
COUNT = re.compile(r"(?P<number>one|two|three|four|five|six|seven|eight|nine|ten|\d+) (?P<what>error|warning)s? found$")
NUMBERS = {
    word: at
    for at, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=1)
}
SUITE = re.compile(r"(?P<name>[A-Z]\w*(?:Spec|Test|Suite|Tests|Specs|[\w]*)):$")
FAILED = re.compile(r"(?P<indent> *)- (?P<name>\S.*) \*\*\* FAILED \*\*\*(?: \([\d, a-z]+\))?$")
GROUP = re.compile(r"(?P<name>[A-Za-z].*)$")
AT = re.compile(r"\((?P<file>[\w$.-]+\.scala):(?P<line>\d+)\)$")
TOTALS = re.compile(
    r"Tests: succeeded (?P<passed>\d+), failed (?P<failed>\d+), canceled (?P<cancelled>\d+), ignored "
    r"(?P<skipped>\d+), pending (?P<pending>\d+)"
)
MUNIT = re.compile(r"==> X (?P<test>\S.*?)(?:  ?[\d.]+s)? +(?P<kind>[\w.]+(?:Exception|Error)\S*): ?(?P<message>.*)$")
SBT_TOTALS = re.compile(
    r"(?:Passed|Failed): Total (?P<run>\d+), Failed (?P<failed>\d+), Errors (?P<errors>\d+), Passed "
    r"(?P<passed>\d+)(?:, Ignored (?P<skipped>\d+))?"
)
TROUBLE = re.compile(
    r"(?P<message>(?:Not a valid (?:command|key|project)|Expected |java\.lang\.\S+: "
    r"|sbt\.librarymanagement\.\S+: |not found: |Error downloading |Project loading failed"
    r"|.*\bis not a valid).*)$"
)
TASK = re.compile(r"\((?P<task>.+ / .+|\S+)\) (?P<message>.+)$")
LOOK = 60


def parse(log: Log, context: Context) -> Reading:
    """Read compiler messages, failing tests and totals."""
    reading = Reading()
    texts = [PREFIX.sub("", line, count=1) if line[:1] == "[" else line for line in log.lines]
    levels = [m["level"] if line[:1] == "[" and (m := PREFIX.match(line)) else "" for line in log.lines]
    _compiled(log, texts, levels, reading)
    _tests(log, texts, reading)
    if reading.diagnostics:
        failing = any(d.severity == "error" for d in reading.diagnostics)
        reading.outcome = "failed" if failing else reading.outcome
    elif context.exit_code and lines_with(log, "scalac error: "):
        for index in lines_with(log, "scalac error: "):
            reading.add(Diagnostic(message=log.lines[index].removeprefix("scalac error: "), log=log.span(index)))
            reading.claim(index)
        reading.outcome = "error"
    elif context.exit_code and "error" in levels:
        _trouble(log, texts, levels, reading)
    return reading


def _compiled(log: Log, texts: Sequence[str], levels: Sequence[str], reading: Reading) -> None:
    done = 0
    for index in lines_with(log, ".scala:", ".sc:", ".sbt:", " found", ".java:"):
        if index < done:
            continue
        text = texts[index]
        if match := DOTTY.match(text):
            done = _dotty(log, texts, index, match, reading)
        elif (match := PLACED.match(text)) and (match["word"] or levels[index] in ("error", "warn")):
            done = _placed(log, texts, levels, index, match, reading)
        elif match := COUNT.match(text):
            number = NUMBERS.get(match["number"]) or int(match["number"])
            name = f"{match['what']}s"
            reading.counts[name] = reading.counts.get(name, 0) + number
            reading.claim(index)


def _placed(
    log: Log, texts: Sequence[str], levels: Sequence[str], index: int, match: re.Match[str], reading: Reading
) -> int:
    """Scala 2: the message, `found` and `required`, the source and a caret, all behind one level or none."""
    end = _message_end(texts, levels, index)
    severity: Severity = "warning" if match["word"] == "warning" or levels[index] == "warn" else "error"
    message = "\n".join([match["message"], *(t for t in texts[index + 1 : end] if COMPARED.match(t))])
    column = match["column"]
    caret = next((i for i in range(index + 1, end) if CARET.match(texts[i])), None)
    reading.add(
        Diagnostic(
            message=message,
            severity=severity,
            detail="\n".join(t for t in texts[index + 1 : end] if not COMPARED.match(t)),
            file=match["file"],
            line=int(match["line"]),
            column=int(column) if column else len(texts[caret]) if caret is not None else None,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _message_end(texts: Sequence[str], levels: Sequence[str], index: int) -> int:
    """A message ends with its caret; without one, with the lines that are indented."""
    end = index + 1
    while end < len(texts) and end < index + 12 and levels[end] == levels[index] and not PLACED.match(texts[end]):
        if CARET.match(texts[end]):
            return end + 1
        end += 1
    end = index + 1
    while end < len(texts) and end < index + LOOK and levels[end] == levels[index] and texts[end][:1] in (" ", "\t"):
        end += 1
    return end


def _dotty(log: Log, texts: Sequence[str], index: int, match: re.Match[str], reading: Reading) -> int:
    """Scala 3: the source behind a gutter, carets, then what is wrong."""
    end = index + 1
    said: list[str] = []
    carets = False
    while end < len(texts) and end < index + LOOK and (gutter := GUTTER.match(texts[end])):
        text = gutter["text"]
        if carets and text.strip():
            said.append(text.strip())
        carets = carets or bool(CARET.match(text))
        end += 1
    kind = (match["kind"] or "").strip()
    message = said[0] if said else kind or match["word"]
    reading.add(
        Diagnostic(
            message=message,
            severity="warning" if match["word"] == "Warning" else "error",
            detail="\n".join([*said[1:], kind] if kind and said else said[1:]),
            file=match["file"],
            line=int(match["line"]),
            column=int(match["column"]),
            rule=match["rule"],
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _tests(log: Log, texts: Sequence[str], reading: Reading) -> None:
    for index in lines_with(log, "*** FAILED ***", "==> X ", "Tests: succeeded", ": Total "):
        text = texts[index]
        if match := FAILED.match(text):
            _failure(log, texts, index, match, reading)
        elif match := MUNIT.match(text):
            place = re.match(r"(?P<file>\S+\.scala):(?P<line>\d+)(?: (?P<message>.*))?$", match["message"])
            message = (place["message"] if place else match["message"]) or match["kind"]
            reading.add(
                Diagnostic(
                    message=message,
                    file=place["file"] if place else None,
                    line=int(place["line"]) if place else None,
                    test=match["test"],
                    log=log.span(index),
                )
            )
            reading.claim(index)
        elif (match := TOTALS.search(text)) or ((match := SBT_TOTALS.match(text)) and "passed" not in reading.counts):
            if "passed" in reading.counts and match.re is TOTALS and any(SBT_TOTALS.match(t) for t in texts[:index]):
                continue
            for name, number in match.groupdict(default="0").items():
                key = {"cancelled": "skipped", "pending": "skipped"}.get(name, name)
                if key != "run":
                    reading.counts[key] = reading.counts.get(key, 0) + int(number)
            reading.claim(index)
            reading.outcome = "failed" if int(match["failed"]) else reading.outcome or "passed"


def _failure(log: Log, texts: Sequence[str], index: int, match: re.Match[str], reading: Reading) -> None:
    """ScalaTest prints what failed below, deeper by two, with `(File.scala:12)` at its end."""
    depth = len(match["indent"]) + 2
    end = index + 1
    while (
        end < len(texts)
        and end < index + LOOK
        and texts[end].startswith(" " * depth)
        and not texts[end].lstrip().startswith("- ")
    ):
        end += 1
    said = [text.strip() for text in texts[index + 1 : end]]
    place = next((m for text in said if (m := AT.search(text))), None)
    message = said[0] if said else match["name"]
    if place and message.endswith(place[0]):
        message = message[: -len(place[0])].strip()
    suite = group = ""
    for text in reversed(texts[:index]):
        if (found := SUITE.match(text)) and not suite:
            suite = found["name"]
            break
        if (
            not group
            and text
            and not text.startswith(("-", " ", "*", "["))
            and GROUP.match(text)
            and not SUITE.match(text)
        ):
            group = text.strip()
    test = " ".join(filter(None, [group, match["name"]]))
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join(said[1:40]),
            file=place["file"] if place else None,
            line=int(place["line"]) if place else None,
            test=f"{suite}: {test}" if suite else test,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    reading.outcome = "failed"


def _trouble(log: Log, texts: Sequence[str], levels: Sequence[str], reading: Reading) -> None:
    """sbt itself could not work: what its first error line says."""
    for index, level in enumerate(levels):
        if level == "error" and (TROUBLE.match(texts[index]) or TASK.match(texts[index])):
            end = index + 1
            while end < len(texts) and levels[end] == "error" and end < index + 20:
                end += 1
            reading.add(
                Diagnostic(
                    message=texts[index].strip(), detail="\n".join(texts[index + 1 : end]), log=log.span(index, end - 1)
                )
            )
            reading.claim(index, end)
            reading.outcome = "failed" if TASK.match(texts[index]) else "error"
            return
