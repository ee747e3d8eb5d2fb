"""What the engines printed in a check, kept as logs of steps: one folder for each process, named by its engine."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from punchlist.engines.record import EngineResult
from punchlist.model import Diagnostic, Span
from punchlist.records import replace

_STATUS = {"ok": "completed", "error": "failed", "disabled": "skipped"}


def put_away(folder: Path, results: Iterable[EngineResult]) -> list[dict[str, Any]]:
    """Move the logs that engines left in a run's folder into a folder each; return the steps as facts of the run."""
    states = {result.engine: result for result in results}
    steps: list[dict[str, Any]] = []
    for log in sorted(folder.glob("*.stdout.log")):
        name = log.name.removesuffix(".stdout.log")
        result = states.get(name) or states.get(name.rpartition("-")[0])
        place = folder / "steps" / f"{len(steps) + 1}-{name}"
        place.parent.mkdir(mode=0o700, exist_ok=True)
        place.mkdir(mode=0o700)
        for file in sorted(folder.glob(f"{name}.*")):
            file.rename(place / file.name.removeprefix(f"{name}."))
        steps.append(
            {
                "name": name,
                "status": _STATUS[result.state] if result else "completed",
                "folder": place.name,
                "duration_ms": result.duration_ms if result else None,
            }
        )
    return steps


def pointed(diagnostics: Iterable[Diagnostic], steps: Sequence[dict[str, Any]]) -> list[Diagnostic]:
    """Let findings point at the log of their process (`ruff:stdout` becomes `1-ruff:stdout`), or nowhere."""
    folders = {step["name"]: step["folder"] for step in steps}

    def one(d: Diagnostic) -> Diagnostic:
        if d.log is None:
            return d
        name, _, stream = d.log.stream.rpartition(":")
        place = folders.get(name)
        return replace(d, log=Span(f"{place}:{stream}", d.log.first, d.log.last) if place else None)

    return [one(d) for d in diagnostics]
