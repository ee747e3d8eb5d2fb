"""Read what an engine's process printed: its parser's findings, or why there are none."""

import importlib
from collections.abc import Sequence

from punchlist.engines.record import Engine, Job
from punchlist.model import Diagnostic, How, Span
from punchlist.reading.fallback import best_lines
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.paths import placed, relative
from punchlist.reading.reader import once
from punchlist.reading.text import to_log
from punchlist.records import dataclass, replace

_MESSAGE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of one process: findings, and where it could not do its work a code and the reason."""

    diagnostics: tuple[Diagnostic, ...]
    code: str = ""
    message: str = ""
    empty: bool = False
    notes: tuple[str, ...] = ()


def read(engine: Engine, job: Job, how: How, stdout: bytes, stderr: bytes, root: str) -> Verdict:
    """Read one process's output; its findings are kept whatever became of it."""
    if engine.findings is not None:
        stdout = engine.findings(stdout)
    log = to_log([("stdout", 1, stdout), ("stderr", 1, stderr)])
    words = job.words or (engine.command or engine.name,)
    parse = importlib.import_module(f"punchlist.reading.{engine.parser}").parse
    reading: Reading = parse(log, Context(words, how.exit_code, root))
    found = [_placed(d, engine, job, root) for d in once(reading.diagnostics)]
    accepted = [one for d in found if (one := engine.accept(d) if engine.accept else d) is not None]
    if how.ending == "exit" and not any(d.file for d in accepted) and _nothing(engine, stdout, stderr):
        return Verdict(diagnostics=(), empty=True)
    code, message = _trouble(engine, how, reading, accepted, log)
    return Verdict(diagnostics=tuple(accepted), code=code, message=message, notes=tuple(reading.notes))


def _nothing(engine: Engine, stdout: bytes, stderr: bytes) -> bool:
    """Whether the tool says that there was nothing for it to look at."""
    return any(words.encode() in output for words in engine.nothing for output in (stdout, stderr))


def _placed(d: Diagnostic, engine: Engine, job: Job, root: str) -> Diagnostic:
    d = placed(d, root, job.cwd)
    fix = d.fix
    if fix is not None:
        fix = replace(fix, edits=tuple(replace(e, file=relative(e.file, root, job.cwd)) for e in fix.edits))
    span = Span(f"{engine.name}:{d.log.stream}", d.log.first, d.log.last) if d.log else None
    return replace(d, tool=engine.name, fix=fix, log=span)


def _trouble(engine: Engine, how: How, reading: Reading, found: Sequence[Diagnostic], log: Log) -> tuple[str, str]:
    """Return code and reason where a process did not do its work, else two empty texts."""
    if how.ending == "timeout":
        return "engine_timeout", how.message
    if how.ending == "ceiling":
        return "output_limit_exceeded", how.message
    if how.ending == "cancelled":
        return "cancelled", f"{engine.name} was cancelled"
    if how.ending != "exit":
        return "engine_execution_failed", how.message or f"{engine.name} did not end by itself"
    if reading.outcome == "error":
        said = next((d.message for d in found if d.severity == "error"), "") or _said(log)
        return "engine_execution_failed", said[:_MESSAGE]
    if reading.partial:
        return "engine_execution_failed", "its output ends early"
    if how.exit_code and not found:
        said = _said(log)
        return "engine_execution_failed", f"exit code {how.exit_code}" + (f": {said}" if said else " and no output")
    if not found and not reading.understood and not (engine.silent and not any(log.lines)):
        said = _said(log)
        return "engine_execution_failed", f"its output was not understood: {said}" if said else "it printed nothing"
    return "", ""


def _said(log: Log) -> str:
    """Return the lines that best explain a failure."""
    lines = [text.strip() for _, _, text in best_lines([log])]
    return " / ".join(lines)[:_MESSAGE]
