"""ty (seen with 0.0.108): a native program that checks a whole project in less time than others need to start."""

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Job, Unit
from punchlist.engines.site import Site

HOMES = common.Homes("ty.toml", "tool.ty")


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (*found.argv, "check", "--output-format", "full", "--color", "never", "--no-progress")
    if site.setting.config:
        argv = (*argv, "--config-file", site.path(site.setting.config))
    return [Job(argv=argv, cwd=unit.home, words=("ty", "check"))]


ENGINE = Engine(
    name="ty",
    kind="types",
    endings=common.PYTHON,
    parser="tools.ty",
    marked=lambda site: bool(HOMES.of(site)) or common.declared(site, "ty"),
    units=HOMES.units,
    find=lambda site, home: find.program(site, home, "ty"),
    jobs=_jobs,
    whole=lambda site, found, unit: "a type checker sees whole programs",
    configs=lambda site, folder: (),
    inputs=HOMES.inputs,
    entire=True,
    nothing=("No python files found", "No Python files found"),
)
