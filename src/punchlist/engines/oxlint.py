"""oxlint (seen with 1.94): run by node, for its program is a library of node's since it takes plugins in JavaScript.

Its JSON tells no fixes. With type-aware rules, the import plugin or plugins in JavaScript its findings in a file depend
on other files.
"""

import os
import re
from collections.abc import Sequence

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.scope import split
from punchlist.engines.site import Site, above, joined
from punchlist.model import Diagnostic
from punchlist.records import replace

ENDINGS = (*common.SCRIPT, ".vue", ".astro", ".svelte")
CONFIGS = (".oxlintrc.json", ".oxlintrc.jsonc", ".oxlintrc", "oxlint.json", "oxlint.config.ts")
_IGNORES = (".eslintignore", ".gitignore", ".oxlintignore")
_WRAPPED = re.compile(r"(?P<plugin>[\w@/.-]+)\((?P<rule>[^()]+)\)$")
# Plugins whose rules read nothing but the file.
_LOCAL_PLUGINS = frozenset({
    "eslint", "typescript", "unicorn", "oxc", "react", "react-perf", "jsx-a11y", "jest", "vitest", "jsdoc", "promise",
    "nextjs",
})  # fmt: skip


def _marked(site: Site) -> bool:
    return bool(site.holding(CONFIGS)) or "oxlint" in site.dependencies()


def _find(site: Site, home: str) -> Found | Missing:
    folder = find.node_package(site, home, "oxlint")
    if folder is not None:
        native = find.beside(folder, f"@oxlint/{find.platform()}", f"@oxlint/{find.platform()}-gnu")
        program = native / ("oxlint.exe" if os.name == "nt" else "oxlint") if native else None
        if program is not None and program.is_file():  # before 1.20
            return Found(
                argv=(str(program),), path=str(program), version=find.package_version(folder),
                origin=find.node_origin(site, home, "oxlint"),
            )  # fmt: skip
        return find.by_node(site, home, "oxlint", "bin/oxlint")
    other = find.program(site, home, "oxlint", ecosystem="node")
    return other if isinstance(other, Found) else find.by_node(site, home, "oxlint", "bin/oxlint")


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (*found.argv, "--format", "json")
    if site.setting.config:
        argv = (*argv, "--config", site.setting.config)
    # A node_modules that is a link, or that no .gitignore names, would be walked.
    for pattern in ("**/node_modules/**", *site.scope.ignore.for_tools()):
        argv = (*argv, f"--ignore-pattern={pattern}")
    if unit.everything:
        return [Job(argv=(*argv, "."))]
    return [Job(argv=(*argv, "--", *part), files=part) for part in split(unit.files, 400)]


def whole(site: Site, found: Found, unit: Unit) -> str:
    """Return why findings in one file depend on others: by any configuration that may apply to the unit."""
    folders = {place for file in unit.files for place in above(file.rpartition("/")[0])}
    paths = [site.setting.config] if site.setting.config else [joined(f, n) for f in sorted(folders) for n in CONFIGS]
    for path in paths:
        if site.exists(path) and (reason := _reason(site, path, 0)):
            return reason
    return ""


def _reason(site: Site, path: str, depth: int) -> str:
    if not path.endswith(("json", "jsonc", ".oxlintrc")):
        return f"{path} is a program"
    config = site.json(path)
    if not config:
        return f"{path} cannot be read" if site.text(path).strip() not in ("", "{}") else ""
    plugins = config.get("plugins")
    strange = [str(p) for p in plugins if p not in _LOCAL_PLUGINS] if isinstance(plugins, list) else []
    options = config.get("options")
    if strange or config.get("jsPlugins") or (isinstance(options, dict) and options):
        return f"{path} asks for {', '.join(strange) or 'rules that see more than one file'}"
    overrides = config.get("overrides")
    for override in overrides if isinstance(overrides, list) else []:
        more = override.get("plugins") if isinstance(override, dict) else None
        if isinstance(more, list) and any(p not in _LOCAL_PLUGINS for p in more):
            return f"{path} asks for more plugins in places"
    extends = config.get("extends")
    for other in extends if isinstance(extends, list) else []:
        target = os.path.normpath(joined(path.rpartition("/")[0], str(other)))
        if depth > 20 or target.startswith("..") or not site.exists(target):
            return f"{path} extends {other}"
        if reason := _reason(site, target, depth + 1):
            return reason
    return ""


def configs(site: Site, folder: str) -> list[str]:
    """Return the configuration and ignore files that apply to a folder, and what they extend."""
    found = common.upward_configs(site, folder, (*CONFIGS, *_IGNORES))
    if site.setting.config:
        found.append(site.path(site.setting.config))
    root = f"{site.root}/"
    for path in found:
        extends = (
            site.json(path[len(root) :]).get("extends") if path.startswith(root) and path.endswith("json") else None
        )
        for other in extends if isinstance(extends, list) else []:
            target = os.path.normpath(os.path.join(os.path.dirname(path), str(other)))
            if target not in found:
                found.append(target)
    return found


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    folders = {place for file in unit.files for place in above(file.rpartition("/")[0])}
    paths = dict.fromkeys(path for folder in sorted(folders) for path in configs(site, folder))
    manifests = [
        site.path(joined(folder, name)) for folder in sorted(folders) for name in ("tsconfig.json", "package.json")
    ]
    files = [path for path in (*paths, *manifests, *find.locks(site, "")) if os.path.isfile(path)]
    return Inputs(files=tuple(files), trees=((str(site.root), (*ENDINGS, ".json")),))


def accept(d: Diagnostic) -> Diagnostic:
    """Name the rule without its plugin, as `oxlint-disable` comments may, and a file that does not parse as such."""
    if d.rule is None:
        return replace(d, rule="parse-error") if d.file else d
    match = _WRAPPED.match(d.rule)
    if match is None:
        return d
    return replace(d, rule=f"TS{match['rule']}" if match["plugin"] == "TS" else match["rule"])


ENGINE = Engine(
    name="oxlint",
    kind="lint",
    endings=ENDINGS,
    parser="tools.oxlint",
    marked=_marked,
    units=lambda site: common.one_unit(site, ENDINGS),
    find=_find,
    jobs=_jobs,
    whole=whole,
    configs=configs,
    inputs=_inputs,
    columns="utf8",
    nothing=("No files found to lint",),
    accept=accept,
)
