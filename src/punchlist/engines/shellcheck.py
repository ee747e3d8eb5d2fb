"""shellcheck (seen with 0.11): json1, whose columns are real and whose changes can be made."""

import os
from collections.abc import Sequence

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Inputs, Job, Output, Unit
from punchlist.engines.scope import split
from punchlist.engines.site import Site, above, joined

ENDINGS = (".sh", ".bash", ".ksh", ".dash", ".bats")
CONFIGS = (".shellcheckrc", "shellcheckrc")


def _marked(site: Site) -> bool:
    return bool(site.holding(CONFIGS)) or (common.declared(site, "shellcheck") and bool(site.scope.of(ENDINGS)))


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (*found.argv, "--format=json1")
    if site.setting.config:
        argv = (*argv, f"--rcfile={site.path(site.setting.config)}")
    return [Job(argv=(*argv, "--", *part), files=part, words=("shellcheck",)) for part in split(unit.files, 100)]


def _whole(site: Site, found: Found, unit: Unit) -> str:
    folders = {place for file in unit.files for place in above(file.rpartition("/")[0])}
    paths = [site.setting.config] if site.setting.config else [joined(f, n) for f in sorted(folders) for n in CONFIGS]
    return next((f"{path} lets it read other files" for path in paths if "external-sources" in site.text(path)), "")


def _configs(site: Site, folder: str) -> list[str]:
    """Return the configuration files that may apply: up to the root, above it, and the user's own."""
    home = site.environ.get("HOME", "")
    own = [os.path.join(home, name) for name in (".shellcheckrc", ".config/shellcheckrc")]
    found = common.upward_configs(site, folder, CONFIGS)
    return [*found, *own, *([site.path(site.setting.config)] if site.setting.config else [])]


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    folders = {place for file in unit.files for place in above(file.rpartition("/")[0])}
    paths = dict.fromkeys(path for folder in sorted(folders) for path in _configs(site, folder))
    return Inputs(files=tuple(p for p in paths if os.path.isfile(p)), trees=((str(site.root), ("",)),))


ENGINE = Engine(
    name="shellcheck",
    kind="lint",
    endings=ENDINGS,
    parser="tools.shellcheck",
    marked=_marked,
    units=lambda site: common.one_unit(site, ENDINGS),
    find=lambda site, home: find.program(site, home, "shellcheck", ecosystem="system"),
    jobs=_jobs,
    whole=_whole,
    configs=_configs,
    inputs=_inputs,
)
