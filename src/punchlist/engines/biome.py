"""Biome (seen with 1.9 and 2.6): a native program; `lint` for findings, rdjson for its edits.

`check` would mix formatting and import order into them: only where a setting of ours asks for formatting. Rules of the
domains `project` and `types` see more than one file, as do a few by name; plugins are files of their own.
"""

import os
import re
from collections.abc import Sequence

from punchlist.engines import common, find, install
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.scope import split
from punchlist.engines.site import Site, above, joined
from punchlist.project.globs import matches

ENDINGS = (*common.SCRIPT, ".json", ".jsonc", ".css", ".graphql", ".gql", ".html", ".vue", ".svelte", ".astro", ".grit")
CONFIGS = ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")
_WIDE = re.compile(
    r"\"(?:domains|nursery|plugins|noImportCycles|noUndeclaredDependencies|noPrivateImports|noUnresolvedImports"
    r"|noDeprecatedImports|noFloatingPromises|noMisusedPromises|useExhaustiveSwitchCases|noUnknownClass|useImportExtensions"
    r"|noUndeclaredClasses|noUndeclaredStyles|noBarrelFile|noReExportAll)\"\s*:"
)


def _marked(site: Site) -> bool:
    return bool(site.holding(CONFIGS))


def _units(site: Site) -> list[Unit]:
    homes = [home for home in site.holding(CONFIGS) if home]
    if site.first("", CONFIGS) or site.setting.config or not homes:
        return common.one_unit(site, ENDINGS)
    tops = [home for home in homes if not any(other in homes for other in above(home.rpartition("/")[0]) if other)]
    return common.units_by_home(site, tops, ENDINGS, root=site.setting.enabled is True)


def _find(site: Site, home: str) -> Found | Missing:
    folder = find.node_package(site, home, "@biomejs/biome")
    if folder is None:
        other = find.program(site, home, "biome", ecosystem="node")
        return other if isinstance(other, Found) else Missing(message=install.hint(site, home, "@biomejs/biome"))
    name = f"@biomejs/cli-{find.platform()}"
    native = find.beside(folder, *((f"{name}-musl", name) if find.is_musl() else (name,)))
    program = native / ("biome.exe" if os.name == "nt" else "biome") if native else None
    if program is not None and program.is_file():
        path = str(program)
        version, where = find.package_version(folder), find.node_origin(site, home, "@biomejs/biome")
        return Found(argv=(path,), path=path, version=version, origin=where)
    return find.by_node(site, home, "@biomejs/biome", "bin/biome")


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    kind = ("check", "--assist-enabled=false") if site.setting.include_formatter else ("lint",)
    argv = (
        *found.argv,
        *kind,
        "--reporter=rdjson",
        "--max-diagnostics=none",
        "--colors=off",
        "--no-errors-on-unmatched",
    )
    if found.version.startswith("1."):
        argv = tuple("--organize-imports-enabled=false" if a == "--assist-enabled=false" else a for a in argv)
    if site.setting.config:
        argv = (*argv, f"--config-path={os.path.relpath(site.path(site.setting.config), site.path(unit.home))}")
    if unit.everything:
        return [Job(argv=(*argv, "."), cwd=unit.home)]
    argv = (*argv, "--files-ignore-unknown=true")
    return [
        Job(argv=(*argv, *common.local(unit.home, part)), cwd=unit.home, files=part) for part in split(unit.files, 400)
    ]


def whole(site: Site, found: Found, unit: Unit) -> str:
    """Return why findings in one file may depend on others."""
    folders = {place for file in unit.files for place in above(file.rpartition("/")[0])}
    for folder in sorted(folders):
        for name in CONFIGS:
            path = joined(folder, name)
            if match := _WIDE.search(site.text(path)):
                return f"{path} has {match[0].rstrip(': ')}"
            if any(not other.startswith((".", "/")) and other != "//" for other in _extends(site, path)):
                return f"{path} extends a package"
    return ""


def _extends(site: Site, path: str) -> list[str]:
    given = site.json(path).get("extends")
    return [str(one) for one in (given if isinstance(given, list) else [given] if isinstance(given, str) else [])]


def configs(site: Site, folder: str) -> list[str]:
    """Return the configuration files that apply to a folder, what they extend, and the ignore files they may use."""
    found = common.upward_configs(site, folder, (*CONFIGS, ".gitignore", ".ignore", ".editorconfig"))
    if site.setting.config:
        found.append(site.path(site.setting.config))
    root = f"{site.root}/"
    for path in found:
        if path.startswith(root) and os.path.basename(path) in CONFIGS:
            for other in _extends(site, path[len(root) :]):
                target = os.path.normpath(os.path.join(os.path.dirname(path), other))
                if target not in found:
                    found.append(target)
    return found


def _looked_at(site: Site, unit: Unit, job: Job, stdout: bytes) -> frozenset[str] | None:
    """Return the files that the configuration's own lists (of 2.0 and later) include; Biome does not name them."""
    config = site.setting.config or site.first(unit.home, CONFIGS)
    home = config.rpartition("/")[0]
    chosen = list(unit.files)
    for section in ("files", "linter"):
        table = site.json(config).get(section)
        includes = table.get("includes") if isinstance(table, dict) else None
        if isinstance(includes, list) and includes:
            patterns = [_pattern(home, str(one)) for one in includes]
            chosen = [file for file in chosen if matches(file, patterns)]
    return frozenset(chosen)


def _pattern(home: str, pattern: str) -> str:
    sign, text = ("!", pattern.lstrip("!")) if pattern.startswith("!") else ("", pattern)
    return sign + joined(home, text.removeprefix("./"))


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    folders = {place for file in unit.files for place in above(file.rpartition("/")[0])}
    paths = dict.fromkeys(path for folder in sorted(folders) for path in configs(site, folder))
    return Inputs(
        files=tuple(p for p in (*paths, *find.locks(site, unit.home)) if os.path.isfile(p)),
        trees=((site.path(unit.home), ENDINGS),),
    )


ENGINE = Engine(
    name="biome",
    kind="lint",
    endings=ENDINGS,
    parser="formats.rdjson",
    marked=_marked,
    units=_units,
    find=_find,
    jobs=_jobs,
    whole=whole,
    configs=configs,
    inputs=_inputs,
    nothing=("No files were processed in the specified paths",),
    looked_at=_looked_at,
)
