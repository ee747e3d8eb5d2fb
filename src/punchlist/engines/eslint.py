"""ESLint (seen with 8, 9 and 10): the project's own, run by node in the folder of its configuration.

Its configuration is a program, so nothing can be read from it: unless `--print-config` shows that all rules look at one
file only, findings in one file are held to depend on others. Its JSON names every file it linted.
"""

import json
import os
from collections.abc import Sequence

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.scope import split
from punchlist.engines.site import Site, above, joined
from punchlist.model import Diagnostic
from punchlist.records import replace

ENDINGS = (*common.SCRIPT, ".vue", ".svelte", ".astro")
FLAT = tuple(f"eslint.config.{ending}" for ending in ("js", "mjs", "cjs", "ts", "mts", "cts"))
LEGACY = (".eslintrc.js", ".eslintrc.cjs", ".eslintrc.yaml", ".eslintrc.yml", ".eslintrc.json", ".eslintrc")
_IGNORED = "File ignored "


def _marked(site: Site) -> bool:
    return bool(site.holding((*FLAT, *LEGACY))) or "eslintConfig" in site.json("package.json")


def _units(site: Site) -> list[Unit]:
    homes = site.holding(FLAT) or site.holding(LEGACY)
    return common.units_by_home(site, [] if site.setting.config else homes, ENDINGS, root="" in homes or not homes)


def _find(site: Site, home: str) -> Found | Missing:
    found = find.by_node(site, home, "eslint", "bin/eslint.js")
    if isinstance(found, Found) and _major(found) >= 10 and _is_legacy(site, home):
        return Missing(
            message=f"ESLint {found.version} does not read {site.upward(home, LEGACY) or 'eslintConfig'}. "
            "Move it to eslint.config.js (`npx @eslint/migrate-config`)."
        )
    return found


def _is_legacy(site: Site, home: str) -> bool:
    if site.setting.config:
        return os.path.basename(site.setting.config).startswith(".eslintrc")
    return not site.upward(home, FLAT) and bool(
        site.upward(home, LEGACY) or "eslintConfig" in site.json("package.json")
    )


def _major(found: Found) -> int:
    head = found.version.partition(".")[0]
    return int(head) if head.isdigit() else 9


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (*found.argv, "--format", "json", "--no-error-on-unmatched-pattern")
    if site.setting.config:
        argv = (*argv, "--config", os.path.relpath(site.path(site.setting.config), site.path(unit.home)))
    env = {"ESLINT_USE_FLAT_CONFIG": "false"} if _is_legacy(site, unit.home) else {}
    if unit.everything:
        for pattern in site.scope.ignore.for_tools() if not unit.home else ():
            argv = (*argv, "--ignore-pattern", pattern)
        return [Job(argv=(*argv, "."), cwd=unit.home, env=env)]
    return [
        Job(argv=(*argv, "--", *common.local(unit.home, part)), cwd=unit.home, env=env, files=part)
        for part in split(unit.files, 400)
    ]


def _configs(site: Site, folder: str) -> list[str]:
    found = common.upward_configs(site, folder, (*FLAT, *LEGACY, "package.json", ".eslintignore"))
    return [*found, *([site.path(site.setting.config)] if site.setting.config else [])]


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    """Everything it may read: scripts and data of the project, its configuration with what that imports, packages."""
    files = [path for path in (*_configs(site, unit.home), *find.locks(site, unit.home)) if os.path.isfile(path)]
    stamps = [site.path(joined(folder, "node_modules")) for folder in above(unit.home)]
    trees = ((str(site.root), (*ENDINGS, ".json", ".jsonc", ".json5", ".yaml", ".yml", ".graphql")),)
    return Inputs(files=tuple(files), stamps=tuple(stamps), trees=trees)


def _looked_at(site: Site, unit: Unit, job: Job, stdout: bytes) -> frozenset[str] | None:
    """Return the files of the JSON that were not passed over."""
    try:
        results = json.loads(stdout)
    except ValueError:
        return None
    root = f"{site.root}/"
    found = set()
    for result in results if isinstance(results, list) else []:
        path = result.get("filePath") if isinstance(result, dict) else None
        messages = result.get("messages") if isinstance(result, dict) else None
        if isinstance(path, str) and path.startswith(root) and not _passed_over(messages):
            found.add(path[len(root) :].replace(os.sep, "/"))
    return frozenset(found)


def _passed_over(messages: object) -> bool:
    return isinstance(messages, list) and any(
        isinstance(m, dict) and str(m.get("message", "")).startswith(_IGNORED) and not m.get("ruleId") for m in messages
    )


def accept(d: Diagnostic) -> Diagnostic | None:
    """Drop what it says of a file that its own configuration ignores; name a file that does not parse as such."""
    if d.rule is None and d.severity == "warning" and d.message.startswith(_IGNORED):
        return None
    return replace(d, rule="parse-error") if d.rule is None and d.file and d.severity == "error" else d


ENGINE = Engine(
    name="eslint",
    kind="lint",
    endings=ENDINGS,
    parser="tools.eslint",
    marked=_marked,
    units=_units,
    find=_find,
    jobs=_jobs,
    whole=lambda site, found, unit: "its configuration is a program",
    configs=_configs,
    inputs=_inputs,
    columns="utf16",
    nothing=("No files matching the pattern", "all files matched by", "are ignored because"),
    looked_at=_looked_at,
    accept=accept,
)
