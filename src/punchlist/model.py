"""The records that every part shares: diagnostics, reports, how a run ended, and one total order."""

from collections.abc import Iterable
from typing import Literal

from punchlist.records import dataclass, field

Severity = Literal["error", "warning", "info", "hint"]
Outcome = Literal["passed", "failed", "error", "unknown", "running"]
Ending = Literal[
    "exit", "timeout", "signal", "cancelled", "ceiling", "not_found", "not_executable", "fault", "owner_died", "none"
]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info", "hint")


class Trouble(Exception):  # noqa: N818  the word of the product, not a fault of the code
    """Expected trouble: the message says what is wrong and what to do next.

    `code` is a short machine word ("invalid_path", "unknown_run" ...); front doors show the message, never a traceback.
    """

    def __init__(self, message: str, code: str = "trouble") -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Lines of a kept log: `first` to `last` inclusive, 1-based; a line is a newline in the raw bytes of `stream`."""

    stream: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a diagnostic: a previous definition, a caller, an own frame."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace a range by text: 1-based code points, end-exclusive (3:5 to 3:5 inserts before column 5 of line 3)."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change the tool itself offers; `safe` only where the tool says that behaviour stays the same."""

    edits: tuple[Edit, ...]
    safe: bool
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One thing wrong in one place.

    `message` is the line to act on, `detail` what else the tool says (expected and received, diff, notes, own frames).
    `file` is root-relative with `/` (or as printed where it lies outside); `line`, `column` and ends are 1-based code
    points, end-exclusive, and absent rather than 0 or made up. `derived` marks a path built from a package or class.
    `state` is "flaky" for a test that failed and then passed, else empty. `times` counts exact repeats of the finding.
    """

    message: str
    severity: Severity = "error"
    detail: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    rule: str | None = None
    test: str | None = None
    tool: str = ""
    package: str | None = None
    derived: bool = False
    state: str = ""
    times: int = 1
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    log: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a process ended: `exit_code` only where it exited by itself, `signal` only where a signal ended it."""

    ending: Ending = "none"
    exit_code: int | None = None
    signal: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run means: outcome, exact counts, diagnostics in total order, notes on the reading itself.

    `counts` hold only what the tool printed or what was counted exactly. `tools` are the parsers that understood lines.
    `excerpt` are lines that explain a failure no parser could read (stream, line number, text).
    """

    outcome: Outcome
    tools: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
    excerpt: tuple[tuple[str, int, str], ...] = ()
    partial: bool = False
    how: How = How()


def order_key(d: Diagnostic) -> tuple[object, ...]:
    """Key of the one total order: severity, file, line, column, rule, test, message, then place in the log."""
    return (
        SEVERITIES.index(d.severity),
        d.file is None,
        d.file or "",
        d.line or 0,
        d.column or 0,
        d.rule or "",
        d.test or "",
        d.message,
        d.log or Span("", 0, 0),
    )


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort diagnostics by the total order."""
    return tuple(sorted(diagnostics, key=order_key))


def exit_status(how: How, outcome: Outcome, *, strict: bool = False) -> int:
    """Exit status of `punchlist run` for a run: the command's own, or the documented one where it has none.

    124 out of time, 128 + signal, 127 not found, 126 not executable, 125 a fault of ours, 130 cancelled,
    137 ended at the output ceiling; with `strict` an exit 0 with failures in the log is 1.
    """
    if how.ending == "exit" and how.exit_code is not None:
        return 1 if strict and how.exit_code == 0 and outcome not in ("passed", "unknown") else how.exit_code
    fixed: dict[str, int] = {"timeout": 124, "not_found": 127, "not_executable": 126, "fault": 125, "owner_died": 125}
    if how.ending in fixed:
        return fixed[how.ending]
    if how.signal is not None:
        return 128 + how.signal
    return {"cancelled": 143, "ceiling": 137}.get(how.ending, 125)


def signal_status(how: How, outcome: Outcome) -> str:
    """The word Signal's JSON uses for how a run stands."""
    if outcome == "running":
        return "running"
    words = {"timeout": "timeout", "owner_died": "interrupted"} | dict.fromkeys(
        ("signal", "cancelled", "ceiling"), "killed"
    )
    return words.get(how.ending) or ("completed" if outcome == "passed" else "failed")
