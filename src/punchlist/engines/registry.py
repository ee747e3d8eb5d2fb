"""Every engine there is, in the order their results stand in."""

from punchlist.engines import oxlint, ruff, tsc
from punchlist.engines.record import Engine

ENGINES: tuple[Engine, ...] = (
    oxlint.ENGINE,
    tsc.ENGINE,
    ruff.ENGINE,
)
BY_NAME: dict[str, Engine] = {engine.name: engine for engine in ENGINES}
