"""Decide what a run means, from how it ended and what its log says."""

from collections.abc import Sequence

from punchlist.model import Diagnostic, How, Outcome
from punchlist.records import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """What one parser says: its tool's own verdict, and whether it found errors or anything at all."""

    verdict: Outcome | None
    errors: bool
    findings: bool


def said(verdict: Outcome | None, diagnostics: Sequence[Diagnostic]) -> Said:
    """Sum up one parser's reading."""
    failing = [d for d in diagnostics if d.state != "flaky"]
    return Said(
        verdict, any(d.severity == "error" for d in failing), any(d.severity in ("error", "warning") for d in failing)
    )


def outcome(how: How, readings: Sequence[Said]) -> Outcome:
    """Return the outcome by design: the exit code first, then the log's own results.

    Exit 0 is failed only where the log says so; another code is failed where something was found, else an error.
    Without an exit code the log alone decides, and where it does not tell the outcome is unknown.
    """
    verdicts = [reading.verdict for reading in readings]
    if how.ending not in ("exit", "none"):
        return "error"
    if how.ending == "none" or how.exit_code is None:
        return _by_log(readings, "unknown")
    if how.exit_code == 0:
        return _by_log(readings, "passed")
    if any(r.verdict == "failed" for r in readings):
        return "failed"
    if "error" in verdicts:
        return "error"
    if any(r.errors for r in readings) or any(r.findings and r.verdict != "passed" for r in readings):
        return "failed"
    return "error"


def _by_log(readings: Sequence[Said], otherwise: Outcome) -> Outcome:
    verdicts = [reading.verdict for reading in readings]
    if "failed" in verdicts:
        return "failed"
    if "error" in verdicts:
        return "error"
    if any(reading.errors and reading.verdict is None for reading in readings):
        return "failed"
    return "passed" if "passed" in verdicts else otherwise
