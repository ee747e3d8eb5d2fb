"""Read a log into a report: the five stages in order."""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from posixpath import join

from punchlist.model import Diagnostic, How, Report, Trouble, in_order
from punchlist.reading import oneline, testees
from punchlist.reading.command import Invocation, Scripts, understand
from punchlist.reading.fallback import Line, best_lines
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.outcome import outcome, said
from punchlist.reading.paths import placed
from punchlist.reading.recognise import Candidate, by_command, candidates
from punchlist.reading.registry import BY_NAME, Parser
from punchlist.reading.registry.generic import GENERIC
from punchlist.reading.sieve import Buffer, edges, is_large, pieces
from punchlist.reading.steps import has_steps, only_failing
from punchlist.reading.text import to_log
from punchlist.reading.unwrap import unwrap
from punchlist.records import dataclass, replace

Parse = Callable[[Log, Context], Reading]
Piece = tuple[str, int, bytes]
"""Part of a log: stream, number of its first line, bytes."""


@dataclass(frozen=True, slots=True)
class Understood:
    """One parser's reading of one source."""

    parser: str
    log: Log
    reading: Reading


def read(
    stdout: Buffer,
    stderr: Buffer = b"",
    *,
    command: str = "",
    how: How | None = None,
    root: str = "",
    parser: str | None = None,
    scripts: Scripts | None = None,
    merged: Sequence[Piece] | None = None,
    directory: str = "",
    own: Mapping[str, Parse] | None = None,
) -> Report:
    """Read what a command printed.

    `root` is the folder that absolute paths in the log start with, `directory` the folder below it that relative ones
    start from; `parser` names the one parser to use instead of those that the command and the log ask for; `scripts`
    looks up what `npm run x` or `make x` stands for. `merged` is the same log as pieces in the order of arrival.
    `own` are parsers beside the registry's by name: those of the user that this command asks for, tried first.
    Raises Trouble (`unknown_parser`) for a `parser` that neither the registry nor `own` has.
    """
    how = how or How()
    invocations = understand(command, scripts) if command else []
    whole = to_log(merged) if merged is not None else _log(stdout, stderr, _anchors(stdout, stderr, invocations))
    sources = unwrap(whole)
    own = own or {}
    text = "\n".join(line for source in sources for line in source.lines)
    chosen = _chosen(parser, own, candidates(invocations, text))
    runners = testees.runners(invocations, text) if parser is None else ()
    chosen = testees.in_turn(chosen, runners) if runners else chosen
    # Behind a pipe that cuts the log, exit code 0 says nothing of the tool.
    seen = How() if how.exit_code == 0 and testees.is_blind(invocations, whole.lines) else how
    understood: list[Understood] = []
    left: list[Log] = []
    for source in sources:
        found, rest = _parse(only_failing(source), chosen, seen, root, directory, own, runners)
        understood += found
        left.append(rest)
    if parser is not None and parser != GENERIC.name and not understood:
        report = read(stdout, stderr, command=command, how=how, root=root, merged=merged, directory=directory)
        return replace(
            report, notes=(f"{parser} understood nothing of this log; the log itself was asked", *report.notes)
        )
    if parser is None and not any(_explains(one.reading) for one in understood):
        for source, rest in zip(sources, left, strict=True):
            rest = replace(rest, source=source.source)
            understood += _parse(rest, [Candidate(GENERIC)], seen, root, directory, {})[0]
    return _report(understood, sources, how, seen)


def _explains(reading: Reading) -> bool:
    """Whether a parser of a known tool tells what is wrong, or that nothing is."""
    return reading.outcome == "passed" or any(d.severity == "error" for d in reading.diagnostics)


def _anchors(stdout: Buffer, stderr: Buffer, invocations: Sequence[Invocation]) -> list[bytes]:
    """The anchors of the tools that the command names, else of those that the edges of a very large log show."""
    if not (is_large(stdout) or is_large(stderr)):
        return []
    if named := [anchor for candidate in by_command(invocations) for anchor in candidate.parser.anchors]:
        return named
    first_look = to_log(
        [(name, n, raw) for name, log in (("stdout", stdout), ("stderr", stderr)) for n, raw in edges(log)]
    )
    found = candidates(invocations, "\n".join(first_look.lines))
    return [anchor for candidate in found for anchor in candidate.parser.anchors]


def _log(stdout: Buffer, stderr: Buffer, anchors: Sequence[bytes]) -> Log:
    streams = [("stdout", first, raw) for first, raw in pieces(stdout, anchors)]
    streams += [("stderr", first, raw) for first, raw in pieces(stderr, anchors)]
    return to_log(streams)


def _chosen(parser: str | None, own: Mapping[str, Parse], found: list[Candidate]) -> list[Candidate]:
    if parser is None:
        return [*(Candidate(Parser(name, "")) for name in own), *found]
    if parser in own:
        return [Candidate(Parser(parser, ""))]
    if parser not in BY_NAME:
        raise Trouble(f"no parser is called {parser!r}; `punchlist parsers` lists them", "unknown_parser")
    return [c for c in found if c.parser.name == parser] or [Candidate(BY_NAME[parser])]


def _parse(
    log: Log,
    chosen: Sequence[Candidate],
    how: How,
    root: str,
    start: str,
    own: Mapping[str, Parse],
    runners: Sequence[str] = (),
) -> tuple[list[Understood], Log]:
    understood: list[Understood] = []
    rest = log
    for candidate in chosen:
        named = bool(candidate.words) and candidate.parser.kind != "report"
        if runners and not named and candidate.parser.name not in (*runners, *own):
            known = testees.allowed(runners, {one.parser: one.reading for one in understood}, how.exit_code)
            if known is not None and candidate.parser.name not in known:
                continue
        context = Context(candidate.words, how.exit_code, root)
        reading = _run(own.get(candidate.parser.name), candidate.parser, rest, context)
        if not (reading.understood or reading.notes):
            continue
        testees.settled(candidate.parser.name, reading, how.exit_code)
        directory = join(start, log.directory or candidate.directory)
        name = candidate.parser.name
        reading.diagnostics = [_own(d, name, log, root, directory) for d in reading.diagnostics]
        reading.weak = [_own(d, name, log, root, directory) for d in reading.weak]
        understood.append(Understood(candidate.parser.name, log, reading))
        rest = _without(rest, reading.claimed)
    return understood, rest


def _own(d: Diagnostic, parser: str, log: Log, root: str, directory: str) -> Diagnostic:
    """The finding with its paths root-relative, its tool and its package named."""
    return replace(placed(d, root, directory), tool=d.tool or parser, package=d.package or log.package)


def _run(own: Parse | None, parser: Parser, log: Log, context: Context) -> Reading:
    try:
        return own(log, context) if own else run_parser(parser, log, context)
    except Exception as fault:  # noqa: BLE001  a fault of one parser must not lose what the others read
        return Reading(notes=[f"the parser {parser.name} failed on this log ({type(fault).__name__}); read without it"])


def run_parser(parser: Parser, log: Log, context: Context) -> Reading:
    """Run one parser over a log."""
    if parser.module.startswith("rows:"):
        return oneline.parse(oneline.rows_of(parser.module[5:], parser.name), log, context)
    parse = importlib.import_module(f"punchlist.reading.{parser.module}").parse
    reading: Reading = parse(log, context)
    return reading


def _without(log: Log, claimed: Sequence[tuple[int, int]]) -> Log:
    """The log with the lines that a more specific parser understood made blank."""
    if not claimed:
        return log
    lines = list(log.lines)
    for first, end in claimed:
        lines[first:end] = [""] * (min(end, len(lines)) - first)
    return replace(log, lines=lines, long={i: t for i, t in log.long.items() if lines[i]})


def _report(understood: Sequence[Understood], sources: Sequence[Log], how: How, seen: How) -> Report:
    diagnostics = once(d for one in understood for d in one.reading.diagnostics)
    if not any(d.severity == "error" for d in diagnostics):
        diagnostics = once([*diagnostics, *(d for one in understood for d in one.reading.weak)])
    counts = _counts(understood)
    verdict = outcome(seen, [said(one.reading.outcome, one.reading.diagnostics) for one in understood])
    notes = [note for one in understood for note in one.reading.notes]
    notes += [_differs(one) for one in understood if _differs(one)]
    failed = verdict in ("failed", "error", "unknown")
    return Report(
        outcome=verdict,
        tools=tuple(dict.fromkeys(one.parser for one in understood)),
        counts=counts,
        diagnostics=in_order(diagnostics),
        notes=tuple(dict.fromkeys(notes)),
        excerpt=_excerpt(sources, explained=any(d.severity == "error" for d in diagnostics)) if failed else (),
        partial=any(one.reading.partial for one in understood),
        how=how,
    )


def _excerpt(sources: Sequence[Log], *, explained: bool) -> tuple[Line, ...]:
    """The lines that explain a failure; beside findings only those of a CI job, which holds more than tools say."""
    if explained and not any(has_steps(log.lines) for log in sources):
        return ()
    return best_lines(sources)


def _differs(one: Understood) -> str:
    expected, found = one.reading.expected, len(one.reading.diagnostics)
    if expected is None or expected == found:
        return ""
    return f"{one.parser} counts {expected} findings, {found} were read from its output"


def _counts(understood: Sequence[Understood]) -> dict[str, int]:
    """Add up the totals; those of a report format only stand where no tool's own text gives that total."""
    counts: dict[str, int] = {}
    for one in sorted(understood, key=lambda one: one.parser in BY_NAME and BY_NAME[one.parser].kind == "report"):
        report = one.parser in BY_NAME and BY_NAME[one.parser].kind == "report"
        for name, value in one.reading.counts.items():
            if report and any(name in o.reading.counts for o in understood if BY_NAME[o.parser].kind != "report"):
                continue
            counts[name] = counts.get(name, 0) + value
    return counts


def once(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return each finding once, exact repeats counted in `times`."""
    kept: dict[tuple[object, ...], Diagnostic] = {}
    for d in diagnostics:
        key = (d.file, d.line, d.column, d.rule, d.message, d.test, d.package, d.severity)
        kept[key] = replace(kept[key], times=kept[key].times + d.times) if key in kept else d
    return list(kept.values())
