"""pyrefly (seen with 1.5): a native program, JSON."""

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Job, Unit
from punchlist.engines.site import Site

HOMES = common.Homes("pyrefly.toml", "tool.pyrefly")


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (*found.argv, "check", "--output-format", "json", "--summary=none")
    if site.setting.config:
        argv = (*argv, "--config", site.path(site.setting.config))
    return [Job(argv=argv, cwd=unit.home, words=("pyrefly", "check"))]


ENGINE = Engine(
    name="pyrefly",
    kind="types",
    endings=common.PYTHON,
    parser="tools.pyrefly",
    marked=lambda site: bool(HOMES.of(site)) or common.declared(site, "pyrefly"),
    units=HOMES.units,
    find=lambda site, home: find.program(site, home, "pyrefly"),
    jobs=_jobs,
    whole=lambda site, found, unit: "a type checker sees whole programs",
    configs=lambda site, folder: (),
    inputs=HOMES.inputs,
    entire=True,
    nothing=("No Python files matched", "No Python files found"),
)
