"""PHPStan: whole programs, JSON; the project's own in vendor/bin, else on PATH."""

import os
from collections.abc import Sequence

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Inputs, Job, Output, Unit
from punchlist.engines.site import Site, joined

ENDINGS = (".php",)
CONFIGS = ("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon")


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (*found.argv, "analyse", "--error-format=json", "--no-progress", "--no-interaction", "--no-ansi")
    if site.setting.config:
        argv = (*argv, "--configuration", site.path(site.setting.config))
    return [Job(argv=argv, cwd=unit.home, words=("phpstan", "analyse"))]


def _units(site: Site) -> list[Unit]:
    homes = [] if site.setting.config else site.holding(CONFIGS)
    return common.units_by_home(site, homes, ENDINGS, root=not homes or "" in homes)


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    """All its files; the configuration may include others, so every one of these forms counts."""
    paths = [site.path(joined(unit.home, name)) for name in (*CONFIGS, "composer.json")]
    if site.setting.config:
        paths.append(site.path(site.setting.config))
    files = [p for p in (*paths, *find.locks(site, unit.home)) if os.path.isfile(p)]
    return Inputs(files=tuple(files), trees=((site.path(unit.home), (*ENDINGS, ".neon", ".dist", ".stub")),))


ENGINE = Engine(
    name="phpstan",
    kind="types",
    endings=ENDINGS,
    parser="tools.phpstan",
    marked=lambda site: bool(site.holding(CONFIGS)),
    units=_units,
    find=lambda site, home: find.program(site, home, "phpstan", ecosystem="system"),
    jobs=_jobs,
    whole=lambda site, found, unit: "a type checker sees whole programs",
    configs=lambda site, folder: (),
    inputs=_inputs,
    entire=True,
    timeout_s=300.0,
    nothing=("No files found to analyse",),
)
