"""pyrefly (seen with 1.5): a native program, JSON."""

from collections.abc import Sequence

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Inputs, Job, Output, Unit
from punchlist.engines.site import Site, joined

CONFIGS = ("pyrefly.toml", "pyproject.toml")


def _homes(site: Site) -> list[str]:
    return [
        home
        for home in site.holding(CONFIGS)
        if site.exists(joined(home, "pyrefly.toml")) or "[tool.pyrefly" in site.text(joined(home, "pyproject.toml"))
    ]


def _units(site: Site) -> list[Unit]:
    homes = [] if site.setting.config else _homes(site)
    return common.units_by_home(site, homes, common.PYTHON, root=not homes or "" in homes)


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (*found.argv, "check", "--output-format", "json", "--summary=none")
    if site.setting.config:
        argv = (*argv, "--config", site.path(site.setting.config))
    return [Job(argv=argv, cwd=unit.home, words=("pyrefly", "check"))]


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    configs = [joined(unit.home, name) for name in CONFIGS]
    if site.setting.config:
        configs.append(site.setting.config)
    text = "\n".join(site.text(path) for path in configs)
    return common.python_inputs(site, unit.home, [site.path(path) for path in configs], text)


ENGINE = Engine(
    name="pyrefly",
    kind="types",
    endings=common.PYTHON,
    parser="tools.pyrefly",
    marked=lambda site: bool(_homes(site)) or common.declared(site, "pyrefly"),
    units=_units,
    find=lambda site, home: find.program(site, home, "pyrefly"),
    jobs=_jobs,
    whole=lambda site, found, unit: "a type checker sees whole programs",
    configs=lambda site, folder: (),
    inputs=_inputs,
    entire=True,
    nothing=("No Python files matched", "No Python files found"),
)
