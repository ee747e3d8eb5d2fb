"""RuboCop (seen with 1.39): JSON; through bundler's own binstub where the project has one."""

import os
import re
from collections.abc import Sequence

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.scope import split
from punchlist.engines.site import Site, above, joined

ENDINGS = (".rb", ".rake", ".gemspec", ".ru", ".jbuilder")
_NAMES = ("Gemfile", "Rakefile", "Guardfile", "Capfile", "Vagrantfile")
CONFIGS = (".rubocop.yml", ".rubocop_todo.yml", ".ruby-version", ".tool-versions", "Gemfile.lock", ".rubocop")
_FAR = re.compile(r"^(?:inherit_from|inherit_gem|inherit_mode|require|plugins):", re.M)


def _find(site: Site, home: str) -> Found | Missing:
    stub = site.path("bin/rubocop")
    if os.access(stub, os.X_OK) and os.path.isfile(stub):
        return Found(argv=(stub,), path=stub, version=find.version_of(site, stub, "rubocop"), origin="project")
    return find.program(site, home, "rubocop", ecosystem="system")


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (*found.argv, "--format", "json", "--force-exclusion", "--no-color")
    if site.setting.config:
        argv = (*argv, "--config", site.setting.config)
    if unit.everything:
        return [Job(argv=argv, words=("rubocop",))]
    return [Job(argv=(*argv, "--", *part), files=part, words=("rubocop",)) for part in split(unit.files, 200)]


def _whole(site: Site, found: Found, unit: Unit) -> str:
    folders = {place for file in unit.files for place in above(file.rpartition("/")[0])}
    for folder in sorted(folders):
        path = joined(folder, ".rubocop.yml")
        if _FAR.search(site.text(path)):
            return f"{path} takes rules from elsewhere"
    return f"{site.setting.config} is set" if site.setting.config else ""


def _configs(site: Site, folder: str) -> list[str]:
    return common.upward_configs(site, folder, CONFIGS)


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    files = [p for p in (*_configs(site, ""), *find.locks(site, "")) if os.path.isfile(p)]
    if site.setting.config:
        files.append(site.path(site.setting.config))
    return Inputs(files=tuple(files), trees=((str(site.root), (*ENDINGS, *_NAMES, ".yml", ".yaml")),))


ENGINE = Engine(
    name="rubocop",
    kind="lint",
    endings=ENDINGS,
    names=_NAMES,
    parser="tools.rubocop",
    marked=lambda site: bool(site.holding(CONFIGS[:1])),
    units=lambda site: common.one_unit(site, ENDINGS, _NAMES),
    find=_find,
    jobs=_jobs,
    whole=_whole,
    configs=_configs,
    inputs=_inputs,
)
