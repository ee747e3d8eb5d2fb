"""ruff (seen with 0.1 to 0.17): a native program whose findings in a file depend on that file and its configuration."""

import os
import re
from collections.abc import Sequence

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.scope import split
from punchlist.engines.site import Site, above, joined
from punchlist.project.manifests import text_of

ENDINGS = (".py", ".pyi", ".ipynb")
CONFIGS = (".ruff.toml", "ruff.toml", "pyproject.toml")
_EXTEND = re.compile(r"^\s*extend\s*=\s*[\"']([^\"']+)[\"']", re.M)


def _marked(site: Site) -> bool:
    return (
        bool(site.holding(CONFIGS[:2]))
        or any(
            "[tool.ruff" in site.text(joined(folder, "pyproject.toml")) for folder in site.holding(["pyproject.toml"])
        )
        or common.declared(site, "ruff")
    )


def _find(site: Site, home: str) -> Found | Missing:
    return find.program(site, home, "ruff")


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    # Its own cache believes modification times; ours does not, and ruff needs no cache to be fast.
    argv = (*found.argv, "check", "--output-format=json", "--no-cache", "--force-exclude", "--no-fix", "--exit-zero")
    if site.setting.config:
        argv = (*argv, "--config", site.setting.config)
    if unit.everything:
        return [Job(argv=(*argv, "."), words=("ruff", "check"))]
    return [Job(argv=(*argv, "--", *part), files=part, words=("ruff", "check")) for part in split(unit.files, 200)]


def configs(site: Site, folder: str) -> list[str]:
    """Return the files that may decide for a folder: on the way up, the user's own, and what they extend.

    What stands in the folders where first-party modules are looked for decides how imports are sorted (isort rules),
    whether a folder is a package decides others.
    """
    found = [site.path(site.setting.config)] if site.setting.config else common.upward_configs(site, folder, CONFIGS)
    home = site.environ.get("XDG_CONFIG_HOME") or os.path.join(site.environ.get("HOME", ""), ".config")
    found += [os.path.join(home, "ruff", name) for name in ("ruff.toml", ".ruff.toml", "pyproject.toml")]
    found += [site.path(joined(place, "__init__.py")) for place in above(folder)]
    for path in found:
        if path.endswith(".toml") and (match := _EXTEND.search(_text(site, path))):
            extended = os.path.normpath(os.path.join(os.path.dirname(path), os.path.expanduser(match[1])))
            if extended not in found:
                found.append(extended)
    return found


def _text(site: Site, path: str) -> str:
    root = f"{site.root}/"
    if path.startswith(root):
        return site.text(path[len(root) :])
    from pathlib import Path

    return text_of(Path(path)) or ""


def _modules(site: Site) -> str:
    """Return the names that count as first-party modules in the usual places."""
    names = []
    for folder in ("", "src"):
        try:
            with os.scandir(site.path(folder)) as entries:
                names += [
                    f"{folder}/{e.name}" for e in entries if e.name.isidentifier() or e.name.endswith((".py", ".pyi"))
                ]
        except OSError:
            continue
    return "\0".join(sorted(names))


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    return Inputs(reason="its findings are kept file by file")


ENGINE = Engine(
    name="ruff",
    kind="lint",
    endings=ENDINGS,
    parser="tools.ruff",
    marked=_marked,
    units=lambda site: common.one_unit(site, ENDINGS, ("pyproject.toml",)),
    find=_find,
    jobs=_jobs,
    whole=lambda site, found, unit: "",
    configs=configs,
    inputs=_inputs,
    nothing=("No Python files found",),
    surroundings=_modules,
)
