"""Read RSpec's text (2.14 to 3.13: progress, documentation, failure list) and its JSON."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import rspec_json
from punchlist.reading.tools.ruby_frames import Frame, frame, innermost
from punchlist.records import dataclass, field, replace

TOTALS = re.compile(
    r"(?P<run>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pendings?)?"
    r"(?:, (?P<errors>\d+) errors? occurred outside of examples)?$"
)
HEAD = re.compile(r" {2,3}(?P<number>\d+)\) (?P<name>.*)$")
SUB = re.compile(r"(?P<indent> +)(?P<number>\d+(?:\.\d+)+)\) (?P<text>.*)$")
GOT = re.compile(r"Got \d+ (?:failures?|other errors?)\b.*:?$")
OUTSIDE = re.compile(r"An error occurred (?P<what>(?:while loading|in an?) .*?)\.?(?: - Did you mean\?)?$")
LOADING = re.compile(r"while loading (?P<file>\S.*?\.\w+)$")
RAISED = re.compile(r"(?P<kind>[A-Z]\w*(?:::\w+)*):$")
PLACED = re.compile(r"(?:-->\s*)?(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*\.\w+):(?P<line>\d+): (?P<message>.*)$")
MARK = re.compile(r"(?P<indent> *)(?P<name>\S.*) \(FAILED - (?P<number>\d+)\)$")
USAGE = re.compile(r"(?P<message>(?:invalid|missing|ambiguous|needless) (?:option|argument): .*)$")
COVERAGE = re.compile(
    r"(?P<message>(?:Line|Branch|Method)?\s?[Cc]overage (?:\([\d.]+%\) is below the (?:expected )?minimum"
    r"|.*has dropped).*)"
)
LIST = re.compile(r"(?P<file>\.?/?\S+?\.(?:rb|feature)):(?P<line>\d+):(?P<name>.+)$")
PROGRESS = re.compile(r"[.F*]{4,}")
SECTIONS = ("Finished in ", "Failed examples:", "Failures:", "Pending:", "Top ", "Randomized with seed", "Run options:")
COMMAND = re.compile(r"rspec (?P<place>\S+) # ")
DETAIL = 60


@dataclass(slots=True)
class Part:
    """One failure's text: lines with the body's indent taken off, each with its index in the log."""

    lines: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Told:
    """What a failure says: message, further lines, frames; `place` where the message itself begins with one."""

    message: str
    detail: str
    at: int
    frames: tuple[Frame, ...]
    place: Frame | None = None


def parse(log: Log, context: Context) -> Reading:
    """Read failures, errors outside of examples, totals, refused options and JSON reports."""
    reading = Reading()
    if not _json(log, context, reading):
        _sections(log, context, reading)
        _outside(log, context, reading)
        _totals(log, context, reading)
        _marks(log, reading)
    _others(log, context, reading)
    return reading


def _json(log: Log, context: Context, reading: Reading) -> bool:
    """Read `--format json`, which what the code prints may stand in front of."""
    found = list(rspec_json.reports(log))
    for report in found:
        for example in report.failed:
            reading.add(rspec_json.diagnostic(example, report, log, context.root))
        for message in report.outside:
            inner = Reading()
            lines = message.split("\n")
            _outside(Log(lines, list(range(1, len(lines) + 1))), context, inner)
            span = log.span(report.value.first, report.value.end - 1)
            reading.diagnostics += [replace(d, log=span) for d in inner.diagnostics]
        _count(reading, *report.totals, context)
        reading.claim(report.value.first, report.value.end)
    return bool(found)


def _sections(log: Log, context: Context, reading: Reading) -> None:
    lines = log.lines
    for index in lines_with(log, "Failures:", "Pending:", "Failed examples:"):
        line = lines[index]
        if line == "Failures:":
            end = _end(lines, index + 1)
            for head, block_end in _blocks(lines, index + 1, end):
                _failure(log, context, head, block_end, reading)
            reading.claim(index, end)
        elif line.startswith("Pending:") and _is_head(lines, index + 1):
            reading.claim(index, _end(lines, index + 1))
        elif line == "Failed examples:":
            end = index + 1
            while end < len(lines) and (not lines[end] or COMMAND.match(lines[end])):
                end += 1
            reading.claim(index, end)


def _is_head(lines: Sequence[str], start: int) -> bool:
    return any(HEAD.match(line) for line in lines[start : start + 3])


def _end(lines: Sequence[str], start: int) -> int:
    """The end of a section: the first line of the next one, or of whatever else is not indented."""
    for index in range(start, len(lines)):
        line = lines[index]
        if line and line[0] not in " \t" and (line.startswith(SECTIONS) or TOTALS.match(line) or OUTSIDE.match(line)):
            return index
    return len(lines)


def _blocks(lines: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """The numbered blocks of a section: the numbers go up by one, so that quoted ones are no heads."""
    heads: list[int] = []
    wanted = 0
    for index in range(start, end):
        match = HEAD.match(lines[index]) if lines[index][:2] == "  " else None
        if match and (int(match["number"]) == wanted + 1 or not heads):
            heads.append(index)
            wanted = int(match["number"])
    return [(head, after) for head, after in zip(heads, [*heads, end][1:], strict=True)]


def _failure(log: Log, context: Context, head: int, end: int, reading: Reading) -> None:
    match = HEAD.match(log.lines[head])
    if match is None:
        return
    name = log.whole(head)[match.start("name") :].strip()
    # In an aggregate that stands below a hook's failure the name can end in FIXED.
    test = name.removesuffix(" FIXED")
    for part in _parts(log, head, end):
        told = _told(part, head)
        place = told.place or innermost(told.frames, context.root)
        reading.add(
            Diagnostic(
                message=told.message or name,
                detail=told.detail,
                file=place.file if place else None,
                line=place.line if place else None,
                test=test,
                log=log.span(min(head, told.at), _last(part, end - 1)),
            )
        )


def _last(part: Part, default: int) -> int:
    return next((index for index, text in reversed(part.lines) if text.strip()), default)


def _parts(log: Log, head: int, end: int) -> list[Part]:
    """The failures of one block: one, or those of an aggregate (`2.1)`), whose own head says only how many."""
    parts = [Part()]
    indent = next((len(t) - len(t.lstrip()) for t in log.lines[head + 1 : end] if t.strip()), 5)
    for index in range(head + 1, end):
        text = log.whole(index)
        if match := SUB.match(text):
            parts.append(Part())
            indent = match.start("text")
            parts[-1].lines.append((index, match["text"]))
        else:
            parts[-1].lines.append((index, text[indent:] if not text[:indent].strip() else text.lstrip()))
    telling = [p for p in parts if (first := _first(p)) and not GOT.match(first)]
    return telling or [parts[0]]


def _first(part: Part) -> str:
    return next((text.strip() for _, text in part.lines if text.strip()), "")


def _told(part: Part, default: int) -> Told:
    """Split a failure's lines into the code that failed, the message and the backtrace (lines led by `# `)."""
    code: list[str] = []
    said: list[tuple[int, str]] = []
    frames: list[Frame] = []
    chain: list[str] = []
    caused = False
    for index, text in part.lines:
        if text.startswith("# ") or text == "#":
            caused = caused or "--- Caused by: ---" in text
            found = frame(text)
            if found and not caused:
                frames.append(found)
            elif not found:
                chain.append(text)
        elif text.startswith("Failure/Error:") or (
            text.strip() and not said and code and text.startswith("  ") and not _is_message(part, index)
        ):
            code.append(text)
        elif text.strip() or said:
            said.append((index, text))
    while said and not said[-1][1].strip():
        said.pop()
    message, at, rest, place = _message(said)
    if not message:
        message, at = (code[0], part.lines[0][0]) if code else ("", default)
        code = code[1:]
    detail = [*rest, *code, *chain]
    return Told(message, "\n".join(detail[:DETAIL]).strip("\n"), at, tuple(frames), place)


def _is_message(part: Part, index: int) -> bool:
    """Whether an indented line below `Failure/Error:` is the message: a blank line ends the code."""
    before = [text for i, text in part.lines if i < index]
    start = next((at for at, text in enumerate(before) if text.startswith("Failure/Error:")), 0)
    return any(not text.strip() for text in before[start:])


def _message(said: Sequence[tuple[int, str]]) -> tuple[str, int, list[str], Frame | None]:
    """The message: with `expected:` its `got:` as well, with an exception's class in front of its text."""
    if not said:
        return "", 0, [], None
    at, first = said[0]
    rest = [text for _, text in said[1:]]
    if (match := RAISED.match(first.strip())) and rest:
        text = rest[0].strip()
        placed = PLACED.match(text)
        if placed and match["kind"].endswith("SyntaxError"):
            return placed["message"], at, rest[1:], Frame(placed["file"], int(placed["line"]))
        return f"{first.strip()} {text}", at, rest[1:], None
    if first.strip().startswith("expected") and rest and re.match(r"got:?(?: |$)", rest[0].strip()):
        return f"{first.strip()}\n{rest[0].strip()}", at, rest[1:], None
    return first.strip(), at, rest, None


def _outside(log: Log, context: Context, reading: Reading) -> None:
    """Errors while loading files and in suite hooks stand before or between everything else."""
    lines = log.lines
    starts = [index for index in lines_with(log, "An error occurred ") if OUTSIDE.match(lines[index])]
    for start, bound in zip(starts, [*starts, len(lines)][1:], strict=True):
        end = start + 1
        while (
            end < bound
            and not lines[end].startswith((*SECTIONS, "No examples found."))
            and not TOTALS.match(lines[end])
        ):
            end += 1
        part = Part([(index, log.whole(index)) for index in range(start + 1, end)])
        code = next((at for at, (_, text) in enumerate(part.lines) if text.startswith("Failure/Error:")), 0)
        part.lines = part.lines[code:]
        told = _told(part, start)
        match = OUTSIDE.match(lines[start])
        loading = LOADING.match(match["what"]) if match else None
        place = told.place or innermost(told.frames, context.root)
        file = place.file if place else loading["file"] if loading else None
        reading.add(
            Diagnostic(
                message=told.message or lines[start],
                detail="\n".join(filter(None, [told.detail, lines[start]])),
                file=file,
                line=place.line if place else None,
                log=log.span(start, _last(part, end - 1)),
            )
        )
        reading.claim(start, end)


def _totals(log: Log, context: Context, reading: Reading) -> None:
    lines = log.lines
    found = [(index, match) for index in lines_with(log, " example") if (match := TOTALS.match(lines[index]))]
    # parallel_rspec prints the totals of each process and then those of all.
    parallel = lines_with(log, " processes for ")
    for _, match in found[-1:] if parallel and len(found) > 1 else found:
        run, failed = int(match["run"]), int(match["failed"])
        skipped, errors = int(match["skipped"] or 0), int(match["errors"] or 0)
        _count(reading, run, failed, skipped, errors, context)
    for index, _ in found:
        reading.claim(index)
    for index in lines_with(log, "Finished in "):
        if re.match(r"Finished in .*\d seconds?", lines[index]):
            reading.claim(index)
    started = reading.diagnostics or any(PROGRESS.match(line) for line in lines[:5])
    if not found and started and not _list_format(context):
        reading.partial = True
        reading.outcome = "failed" if reading.diagnostics else None


def _count(reading: Reading, run: int, failed: int, skipped: int, errors: int, context: Context) -> None:
    counts = {"passed": max(run - failed - skipped, 0), "failed": failed, "skipped": skipped}
    if errors:
        counts["errors"] = errors
    for name, number in counts.items():
        reading.counts[name] = reading.counts.get(name, 0) + number
    if errors and not run:
        reading.outcome = "error"
    elif failed or errors:
        reading.outcome = "failed"
    else:
        reading.outcome = reading.outcome or ("passed" if run or not context.exit_code else "error")
        if not run:
            reading.notes.append("0 examples ran")


def _marks(log: Log, reading: Reading) -> None:
    """A log that ends before its failures are told still names them: `(FAILED - 1)` in the documentation format."""
    if not reading.partial and reading.outcome is not None:
        return
    seen = {d.test for d in reading.diagnostics}
    for index in lines_with(log, " (FAILED - "):
        match = MARK.match(log.lines[index])
        test = _name(log.lines, index, match) if match else ""
        if match and test not in seen:
            reading.add(
                Diagnostic(message=f"{match['name']} (FAILED - {match['number']})", test=test, log=log.span(index))
            )
            reading.outcome, reading.partial = "failed", True
        reading.claim(index)


def _name(lines: Sequence[str], index: int, match: re.Match[str]) -> str:
    """The full description: the groups above, each less indented than the one below it."""
    names, depth = [match["name"]], len(match["indent"])
    for line in reversed(lines[max(0, index - 3_000) : index]):
        indent = len(line) - len(line.lstrip())
        if line and indent < depth and indent % 2 == 0 and not line.startswith("DEBUG"):
            names.append(line.strip())
            depth = indent
        if not depth:
            break
    # RSpec puts no blank before the name of a method.
    return re.sub(r" (?=[.#][A-Za-z_]|::)", "", " ".join(reversed(names)))


def _list_format(context: Context) -> bool:
    return any(word in ("failures", "--format=failures", "-ffailures") for word in context.words)


def _others(log: Log, context: Context, reading: Reading) -> None:
    """What RSpec says of its own options, of a coverage that is too low, and the bare list of `--format failures`."""
    lines = log.lines
    help_line = bool(lines_with(log, "Please use --help for a listing of valid options"))
    for index in lines_with(log, " option: ", " argument: ", "overage "):
        line = lines[index]
        if help_line and (match := USAGE.match(line)):
            more = [text for text in lines[index + 1 : index + 3] if text.startswith("Did you mean?")]
            reading.add(Diagnostic(message=match["message"], detail="\n".join(more), log=log.span(index)))
            reading.claim(index, index + 1 + len(more))
            reading.outcome = "error"
        elif match := COVERAGE.match(line):
            reading.add(Diagnostic(message=match["message"], log=log.span(index)))
            reading.claim(index)
            reading.outcome = reading.outcome if reading.outcome == "error" else "failed"
    if _list_format(context):
        for index, line in enumerate(lines):
            if ":" in line and (match := LIST.match(line)):
                reading.add(
                    Diagnostic(
                        message=match["name"],
                        file=match["file"],
                        line=int(match["line"]),
                        test=match["name"],
                        log=log.span(index),
                    )
                )
                reading.claim(index)
                reading.outcome = "failed"
