"""Read minitest (4 to 5), with Rails' inline reports and minitest-reporters, and test-unit."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.ruby_frames import Frame, frame, innermost, is_foreign

TOTALS = re.compile(
    r"(?P<run>\d+) (?:runs|tests), (?P<asserted>\d+) assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors"
    r"(?:, (?P<skipped>\d+) (?:skips|pendings))?(?:, (?P<omitted>\d+) omissions)?"
)
KIND = re.compile(r"(?: +\d+\) |)(?P<kind>Failure|Error|Skipped):$")
HEAD = re.compile(r"(?P<test>\S.*?)(?: \[(?P<file>[^\]]+?):(?P<line>\d+)\])?:$")
OLD = re.compile(r"(?P<method>test_\S.*|test: .*)\((?P<class>[A-Z][\w:]*)\)(?: \[(?P<file>[^\]]+?):(?P<line>\d+)\])?:$")
RERUN = re.compile(r"(?:bin/|bundle exec )?(?:rails|rake|ruby|m) (?:test )?\S+:\d+$|bin/test \S+:\d+$")
UNIT = re.compile(r"(?P<kind>Failure|Error|Omission|Pending|Notification): (?P<name>\S.*)$")
UNIT_NAME = re.compile(r"(?P<method>[^()]+)\((?P<class>[A-Z][\w:]*)\)(?P<rest>.*)$")
REPORTED = re.compile(r" ?(?P<kind>FAIL|ERROR)\[?.*$")
REPORTED_NAME = re.compile(r" (?P<test>\S.*)#(?P<class>[A-Z][\w:]*) \([\d.]+s\)$")
RULE = "=" * 60
DETAIL = 60
LOOK = 2_000


def parse(log: Log, context: Context) -> Reading:
    """Read failures and errors, then the totals."""
    reading = Reading()
    lines = log.lines
    totals = [(i, m) for i in lines_with(log, " assertions, ") if (m := TOTALS.match(lines[i]))]
    done = 0
    for index in lines_with(log, "Failure:", "Error:", "Skipped:", " FAIL", " ERROR", "Omission:", "Pending:"):
        if index < done:
            continue
        line = lines[index]
        if (match := KIND.match(line)) and index + 1 < len(lines):
            done = _block(log, context, index, match, reading)
        elif (match := UNIT.match(line)) and index and lines[index - 1].startswith(RULE):
            done = _unit(log, context, index, match, reading)
        elif line.startswith((" FAIL", " ERROR", "FAIL", "ERROR")) and index + 1 < len(lines) and totals:
            done = max(_reported(log, context, index, reading), done)
    for index, match in totals:
        _count(reading, match)
        reading.claim(index)
    for index in lines_with(log, "Finished in ", "Run options: ", "# Running:"):
        if re.match(r"Finished (?:in|tests in) [\d.]+ ?s|Run options: |# Running:$", lines[index]):
            reading.claim(index)
            if not totals and lines[index].startswith(("Run options", "# Running")):
                reading.partial = True
    if not totals and reading.diagnostics:
        reading.partial, reading.outcome = True, "failed"
    return reading


def _count(reading: Reading, match: re.Match[str]) -> None:
    run, failed, errors = (int(match[name]) for name in ("run", "failed", "errors"))
    skipped = int(match["skipped"] or 0) + int(match["omitted"] or 0)
    counts = {"passed": max(run - failed - errors - skipped, 0), "failed": failed, "errors": errors, "skipped": skipped}
    for name, number in counts.items():
        reading.counts[name] = reading.counts.get(name, 0) + number
    if failed or errors:
        reading.outcome = "failed"
    else:
        reading.outcome = reading.outcome or "passed"
        if not run:
            reading.notes.append("0 tests ran")


def _block(log: Log, context: Context, index: int, kind: re.Match[str], reading: Reading) -> int:
    """A numbered block, or one that Rails prints while tests run: kind, test and place, text up to the next block."""
    lines = log.lines
    head = OLD.match(lines[index + 1]) or HEAD.match(lines[index + 1])
    if head is None or (
        " " in lines[index + 1].split(" [")[0].rstrip(":")
        and "#" not in lines[index + 1]
        and "(" not in lines[index + 1]
    ):
        return index + 1
    numbered = lines[index][:1] == " "
    end = index + 2
    while end < len(lines) and end < index + LOOK and not _ends(lines, end, numbered):
        end += 1
    if kind["kind"] != "Skipped":
        test = f"{head['class']}#{head['method']}" if head.re is OLD else head["test"]
        place = Frame(head["file"], int(head["line"])) if head["file"] else None
        body = [log.whole(i) for i in range(index + 2, end)]
        reading.add(_diagnostic(log, context, test, place, body, index, end))
    if end < len(lines) and RERUN.match(lines[end]):
        end += 1
    reading.claim(index, end)
    return end


def _ends(lines: Sequence[str], index: int, numbered: bool) -> bool:
    line = lines[index]
    if KIND.match(line) or TOTALS.match(line) or RERUN.match(line):
        return True
    return not numbered and line.startswith(("Finished in ", "# Running"))


def _diagnostic(
    log: Log, context: Context, test: str, place: Frame | None, body: Sequence[str], index: int, end: int
) -> Diagnostic:
    frames: list[Frame] = []
    said: list[str] = []
    for text in body:
        found = frame(text, bare=False)
        if found:
            frames.append(found)
        elif text.strip():
            said.append(text)
    own = innermost(frames, context.root)
    if place is None or (is_foreign(place.file, context.root) and own):
        place = own or place
    message, rest = told(said)
    last = max((i for i in range(index, min(end, len(log.lines))) if log.lines[i].strip()), default=index)
    return Diagnostic(
        message=message or test,
        detail="\n".join(rest[:DETAIL]),
        file=place.file if place else None,
        line=place.line if place else None,
        test=test,
        log=log.span(index, last),
    )


def told(said: Sequence[str]) -> tuple[str, list[str]]:
    """Split what a failure says into the message and the rest; `Expected:` goes with its `Actual:`.

    Of a diff without a word before it the first lines that differ are the message.
    """
    if not said:
        return "", []
    first, rest = said[0].strip(), list(said[1:])
    if first == "--- expected":
        changed = [text for text in rest if text[:1] in "+-" and not text.startswith(("+++", "---"))][:2]
        return ("\n".join(changed) or first), [text for text in said if text not in changed]
    if first.startswith("Expected:") and rest and rest[0].strip().startswith("Actual:"):
        return f"{first}\n{rest[0]}", rest[1:]
    if len(rest) > 1 and rest[0].startswith("Expected:") and rest[1].strip().startswith("Actual:"):
        return f"{first}\n{rest[0]}\n{rest[1]}", rest[2:]
    return first, rest


def _unit(log: Log, context: Context, index: int, match: re.Match[str], reading: Reading) -> int:
    """test-unit's block between rules of `=`: the head, then (by version) place, source and text in either order."""
    lines = log.lines
    end = index + 1
    while end < len(lines) and end < index + LOOK and not lines[end].startswith(RULE):
        end += 1
    reading.claim(index, min(end + 1, len(lines)))
    if match["kind"] not in ("Failure", "Error"):
        return end
    head, _, inline = match["name"].partition("): ")
    name = UNIT_NAME.match(head + ")" if inline else match["name"].removesuffix(":"))
    test = f"{name['class']}#{name['method'].strip()}{name['rest']}" if name else match["name"]
    body = ([inline] if inline else []) + [log.whole(i) for i in range(index + 1, end)]
    frames = [f for text in body if (f := frame(text, bare=False))]
    said = [
        text
        for text in body
        if text.strip() and not frame(text, bare=False) and not re.match(r" +(?:=> +)?\d+: |^ +\d+:$", text)
    ]
    place = innermost(frames, context.root)
    message, rest = told(said)
    if message.endswith("expected but was") and rest:
        message, rest = f"{message}\n{rest[0]}", rest[1:]
    reading.add(
        Diagnostic(
            message=message or test,
            detail="\n".join(rest[:DETAIL]),
            file=place.file if place else None,
            line=place.line if place else None,
            test=test,
            log=log.span(index, end - 1),
        )
    )
    return end


def _reported(log: Log, context: Context, index: int, reading: Reading) -> int:
    """minitest-reporters' default: ` FAIL["test_x", #<..>, 0.1]`, ` test_x#MoneyTest (0.10s)`, the text below."""
    lines = log.lines
    match = REPORTED_NAME.match(lines[index + 1])
    kind = REPORTED.match(lines[index])
    if match is None or kind is None or "[" not in lines[index]:
        return index
    end = index + 2
    while end < len(lines) and lines[end].startswith("        "):
        end += 1
    body = [log.whole(i)[8:] for i in range(index + 2, end)]
    test = f"{match['class']}#{match['test']}"
    reading.add(
        _diagnostic(log, context, test, None, [f"  {t}" if frame(t, bare=False) else t for t in body], index, end)
    )
    reading.claim(index, end)
    return end
