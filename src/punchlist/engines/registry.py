"""Every engine there is, in the order their results stand in."""

from punchlist.engines import (
    biome,
    clippy,
    eslint,
    go,
    mypy,
    oxlint,
    phpstan,
    pyrefly,
    pyright,
    rubocop,
    ruff,
    shellcheck,
    tsc,
    ty,
)
from punchlist.engines.record import Engine

ENGINES: tuple[Engine, ...] = (
    oxlint.ENGINE,
    tsc.ENGINE,
    biome.ENGINE,
    eslint.ENGINE,
    ruff.ENGINE,
    mypy.ENGINE,
    pyright.PYRIGHT,
    pyright.BASEDPYRIGHT,
    ty.ENGINE,
    pyrefly.ENGINE,
    clippy.ENGINE,
    go.VET,
    go.GOLANGCI,
    shellcheck.ENGINE,
    rubocop.ENGINE,
    phpstan.ENGINE,
)
BY_NAME: dict[str, Engine] = {engine.name: engine for engine in ENGINES}
