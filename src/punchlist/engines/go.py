"""go vet and golangci-lint (v1 and v2): whole modules."""

import os
import shutil
from collections.abc import Sequence

from punchlist.engines import common, find, install
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.site import Site

ENDINGS = (".go",)
_MODULE = ("go.mod", "go.sum", "go.work")
_CONFIGS = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")


def _homes(site: Site) -> list[str]:
    return site.holding(["go.mod"])


def _units(site: Site) -> list[Unit]:
    return common.units_by_home(site, _homes(site), ENDINGS, ("go.mod",), root=False)


def _find_go(site: Site, home: str) -> Found | Missing:
    path = shutil.which("go", path=site.environ.get("PATH", os.defpath))
    if path is None:
        return Missing(message=install.hint(site, home, "go", "system"))
    return Found(argv=(path,), path=path, version=find.version_of(site, path, "go", "version"), origin="system")


def _vet(site: Site, found: Found, unit: Unit) -> list[Job]:
    return [Job(argv=(*found.argv, "vet", "./..."), cwd=unit.home, words=("go", "vet"))]


def _find_golangci(site: Site, home: str) -> Found | Missing:
    return find.program(site, home, "golangci-lint", ecosystem="system")


def _golangci(site: Site, found: Found, unit: Unit) -> list[Job]:
    out = (
        ("--out-format", "json")
        if found.version.startswith("1.")
        else ("--output.json.path", "stdout", "--show-stats=false")
    )
    argv = (*found.argv, "run", *out, "--max-issues-per-linter=0", "--max-same-issues=0")
    if site.setting.config:
        argv = (*argv, "--config", site.path(site.setting.config))
    return [Job(argv=(*argv, "./..."), cwd=unit.home, words=("golangci-lint", "run"))]


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    """Every file below the module, for any may be embedded; configuration and workspace files above it."""
    names = ("go.work", "go.work.sum", *_CONFIGS)
    places = [str(place / name) for place in find.places(site, unit.home) for name in names]
    if site.setting.config:
        places.append(site.path(site.setting.config))
    return Inputs(files=tuple(p for p in places if os.path.isfile(p)), trees=((site.path(unit.home), ("",)),))


VET = Engine(
    name="go-vet",
    kind="lint",
    endings=ENDINGS,
    names=_MODULE,
    parser="tools.go_build",
    marked=lambda site: bool(_homes(site)),
    units=_units,
    find=_find_go,
    jobs=_vet,
    whole=lambda site, found, unit: "a compiler sees whole programs",
    configs=lambda site, folder: (),
    inputs=_inputs,
    entire=True,
    timeout_s=300.0,
    columns="utf8",
    silent=True,
    nothing=("matched no packages", "no packages to vet"),
)
GOLANGCI = Engine(
    name="golangci-lint",
    kind="lint",
    endings=ENDINGS,
    names=(*_MODULE, *_CONFIGS),
    parser="tools.go_lint",
    marked=lambda site: bool(site.holding(_CONFIGS)),
    units=_units,
    find=_find_golangci,
    jobs=_golangci,
    whole=lambda site, found, unit: "its linters see whole programs",
    configs=lambda site, folder: (),
    inputs=_inputs,
    entire=True,
    timeout_s=300.0,
    columns="utf8",
    nothing=("no go files to analyze",),
)
