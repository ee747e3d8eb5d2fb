"""pyright and basedpyright (seen with 1.1.414 and 1.40): whole programs, JSON, run by node without their wrappers."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.site import Site, joined
from punchlist.project.globs import matches

CONFIG = "pyrightconfig.json"
_NO_WRAPPER_TALK = {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYRIGHT_PYTHON_PYLANCE_VERSION": ""}


def _homes(site: Site, name: str) -> list[str]:
    found = []
    for home in site.holding((CONFIG, "pyproject.toml")):
        text = site.text(joined(home, "pyproject.toml"))
        other = "basedpyright" if name == "pyright" else "pyright"
        asked = f"[tool.{name}]" in text or f"[tool.{name}." in text
        if asked or (site.exists(joined(home, CONFIG)) and f"[tool.{other}]" not in text):
            found.append(home)
    return found


def _marked(name: str) -> Callable[[Site], bool]:
    def marked(site: Site) -> bool:
        homes = _homes(site, name)
        if name == "pyright" or not homes:
            return bool(homes) or (name == "basedpyright" and common.declared(site, name))
        # A pyrightconfig.json alone does not tell which of the two is meant.
        asked = any("[tool.basedpyright" in site.text(joined(home, "pyproject.toml")) for home in homes)
        return asked or common.declared(site, name) or "basedpyright" in site.dependencies()

    return marked


def _units(name: str) -> Callable[[Site], list[Unit]]:
    def units(site: Site) -> list[Unit]:
        homes = [] if site.setting.config else _homes(site, name)
        return common.units_by_home(site, homes, common.PYTHON, root=not homes or "" in homes)

    return units


def _find(name: str) -> Callable[[Site, str], Found | Missing]:
    def look(site: Site, home: str) -> Found | Missing:
        node = find.by_node(site, home, name, "index.js")
        if isinstance(node, Found):
            return node
        found = find.program(site, home, name)
        if isinstance(found, Missing):
            return found
        script = _script(found.path, name)
        program = find.node(site.environ)
        if script is None or program is None:
            return found
        return Found(argv=(program, str(script)), path=found.path, version=found.version, origin=found.origin)

    return look


def _script(path: str, name: str) -> Path | None:
    """Return the script that a Python package carries along, beside the wrapper that would start it."""
    for place in common.site_packages(os.path.dirname(os.path.dirname(os.path.abspath(path)))):
        for script in (Path(place) / name / "index.js", Path(place) / name / "dist" / "index.js"):
            if script.is_file():
                return script
    return None


def _jobs(name: str) -> Callable[[Site, Found, Unit], list[Job]]:
    def jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
        argv = (*found.argv, "--outputjson")
        if site.setting.config:
            argv = (*argv, "--project", os.path.relpath(site.path(site.setting.config), site.path(unit.home)))
        venv = find.virtual_environment(site, unit.home)
        if venv and not _names_environment(site, unit):
            python = os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python")
            argv = (*argv, "--pythonpath", python)
        return [Job(argv=argv, cwd=unit.home, env=dict(_NO_WRAPPER_TALK), words=(name,))]

    return jobs


def _names_environment(site: Site, unit: Unit) -> bool:
    return bool(re.search(r"\"?(?:venv|venvPath)\"?\s*[=:]", _text(site, unit)))


def _text(site: Site, unit: Unit) -> str:
    names = (
        (site.setting.config,)
        if site.setting.config
        else (joined(unit.home, CONFIG), joined(unit.home, "pyproject.toml"))
    )
    return "\n".join(site.text(name) for name in names)


def _settings(site: Site, unit: Unit, name: str) -> dict[str, object]:
    config = joined(unit.home, CONFIG)
    if site.setting.config:
        config = site.setting.config
    if site.exists(config) and config.endswith(".json"):
        return site.json(config)
    tool = site.toml(joined(unit.home, "pyproject.toml")).get("tool")
    table = tool.get(name) or tool.get("pyright") if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else {}


def _looked_at(name: str) -> Callable[[Site, Unit, Job, bytes], frozenset[str] | None]:
    def looked_at(site: Site, unit: Unit, job: Job, stdout: bytes) -> frozenset[str] | None:
        settings = _settings(site, unit, name)
        chosen = list(unit.files)
        for key, wanted in (("include", True), ("exclude", False), ("ignore", False)):
            given = settings.get(key)
            if isinstance(given, list) and given:
                patterns = [p for one in given for p in _patterns(unit.home, str(one))]
                chosen = [file for file in chosen if matches(file, patterns) == wanted]
        return frozenset(chosen)

    return looked_at


def _patterns(home: str, pattern: str) -> tuple[str, ...]:
    whole = os.path.normpath(joined(home, pattern)).replace(os.sep, "/")
    return ("**",) if whole == "." else (whole, f"{whole}/**")


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    configs = [site.path(joined(unit.home, name)) for name in (CONFIG, "pyproject.toml")]
    if site.setting.config:
        configs.append(site.path(site.setting.config))
    return common.python_inputs(site, unit.home, configs, _text(site, unit))


def _engine(name: str) -> Engine:
    return Engine(
        name=name,
        kind="types",
        endings=common.PYTHON,
        parser="tools.pyright",
        marked=_marked(name),
        units=_units(name),
        find=_find(name),
        jobs=_jobs(name),
        whole=lambda site, found, unit: "a type checker sees whole programs",
        configs=lambda site, folder: (),
        inputs=_inputs,
        entire=True,
        timeout_s=300.0,
        columns="utf16",
        nothing=("No source files found",),
        looked_at=_looked_at(name),
    )


PYRIGHT = _engine("pyright")
BASEDPYRIGHT = _engine("basedpyright")
