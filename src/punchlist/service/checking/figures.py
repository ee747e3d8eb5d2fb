"""What the checks of a project cost so far, and what the engines' cache holds."""

from collections.abc import Sequence
from typing import Any

from punchlist.model import Trouble
from punchlist.service.project import Project
from punchlist.store import history
from punchlist.store.cache import Cache


def summary(project: Project) -> dict[str, Any]:
    """Return the figures by the names that Signalint's `stats --json` uses, and bytes and tokens beside them."""
    kept = history.all_figures(project.store)
    measured = [f for f in kept if f.raw_bytes and f.answer_bytes]
    native = [f for f in kept if f.native_bytes and f.answer_bytes]
    hits, misses = sum(f.hits for f in kept), sum(f.misses for f in kept)
    return {
        "checks": len(kept),
        "payloadSamples": len(measured),
        "averagePayloadReductionPercent": _mean([(1 - f.answer_bytes / f.raw_bytes) * 100 for f in measured]),
        "cacheHits": hits,
        "cacheMisses": misses,
        "cacheHitRatePercent": round(hits / (hits + misses) * 100, 1) if hits + misses else None,
        "latencySamples": len(kept),
        "averageLatencyMs": _mean([f.latency_ms for f in kept]),
        "maxLatencyMs": max((f.latency_ms for f in kept), default=None),
        "loopWarningsTriggered": len({loop for f in kept for loop in f.loops}),
        "malformedLinesSkipped": 0,
        "answerBytes": sum(f.answer_bytes for f in kept),
        "nativeBytes": sum(f.native_bytes for f in native),
        "averageNativeReductionPercent": _mean([(1 - f.answer_bytes / f.native_bytes) * 100 for f in native]),
    }


def _mean(numbers: Sequence[float]) -> float | None:
    return round(sum(numbers) / len(numbers), 1) if numbers else None


def text(value: dict[str, Any]) -> str:
    """Return the figures for a person."""

    def shown(name: str, unit: str = "") -> str:
        return "n/a" if value[name] is None else f"{value[name]:.1f}{unit}"

    def over(samples: str) -> str:
        return f"({value[samples]} measured checks)"

    hits, misses = value["cacheHits"], value["cacheMisses"]
    return "\n".join(
        [
            "Check statistics",
            f"Checks: {value['checks']}",
            f"Average payload reduction: {shown('averagePayloadReductionPercent', '%')} {over('payloadSamples')}",
            "  first answers alone, against the same issues as JSON",
            f"Against the engines' machine-readable output: {shown('averageNativeReductionPercent', '%')}",
            f"Engine-file cache hit rate: {shown('cacheHitRatePercent', '%')} ({hits} hits / {hits + misses} lookups)",
            f"Average check latency: {shown('averageLatencyMs', 'ms')} {over('latencySamples')}",
            f"Max check latency: {shown('maxLatencyMs', 'ms')}",
            f"Loop warnings triggered: {value['loopWarningsTriggered']}",
        ]
    )


def cache_cleared(project: Project, engine: str | None) -> int:
    """Forget the engines' results, or those of one engine; return how many there were."""
    from punchlist.engines.registry import BY_NAME

    if engine is not None and engine not in BY_NAME:
        raise Trouble(f"no engine {engine!r}; engines: {', '.join(BY_NAME)}", "unknown_engine")
    cache = Cache(project.store.folder)
    gone = cache.clear(engine)
    note = cache.note
    cache.close()
    if note:
        raise Trouble(f"{note}; try again", "cache_busy")
    return gone


def cache_text(project: Project) -> str:
    """Return what the cache holds."""
    cache = Cache(project.store.folder)
    kept = cache.kept()
    cache.close()
    lines = [f"{name:<12} {count:>6} results" for name, count in kept.results.items()]
    return "\n".join([*lines, f"{kept.signatures} files known, {kept.bytes / 1024:.0f} KB"])
