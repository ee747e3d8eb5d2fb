"""mypy (seen with 1.x and 2.4): whole programs, incremental with a cache folder of ours.

Its cache believes a file unchanged that has the same size and the same modification time in whole seconds: two edits
within a second can leave it with the first (2.4.1). We know what each file held when it last ran; where a file's
content differs and those two do not, its cache is thrown away.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from punchlist.engines import common, find
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.signatures import Signatures, signature_of, tree
from punchlist.engines.site import Site, below, joined

CONFIGS = ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg")
_SECTION = re.compile(r"^\[mypy\]\s*$(?P<body>(?:\n(?!\[).*)*)", re.M)
_TARGETS = re.compile(r"^\s*(files|packages|modules)\s*=\s*(?P<value>[^\n]*(?:\n[ \t]+[^\n]*)*)", re.M)


def config_of(site: Site, home: str) -> str:
    """Return the configuration mypy would use in a folder, root-relative, or ""."""
    for name in CONFIGS:
        path = joined(home, name)
        text = site.text(path)
        wanted = {"pyproject.toml": "[tool.mypy", "setup.cfg": "[mypy"}.get(name, "")
        if (text and wanted in text) or (not wanted and site.exists(path)):
            return path
    return ""


def _homes(site: Site) -> list[str]:
    return [home for home in site.holding(CONFIGS) if config_of(site, home)]


def _marked(site: Site) -> bool:
    return bool(_homes(site))


def _units(site: Site) -> list[Unit]:
    homes = [""] if site.setting.config else _homes(site)
    return common.units_by_home(site, homes, common.PYTHON, root=site.setting.enabled is True and not homes)


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (
        *found.argv, "--show-column-numbers", "--show-error-end", "--show-error-codes", "--no-pretty",
        "--no-color-output", "--hide-error-context", "--cache-dir", str(_folder(site, unit, found) / "cache"),
    )  # fmt: skip
    if site.setting.config:
        argv = (*argv, "--config-file", os.path.relpath(site.path(site.setting.config), site.path(unit.home)))
    venv = find.virtual_environment(site, unit.home)
    if venv and found.origin == "system" and not found.path.startswith(venv):
        argv = (*argv, "--python-executable", os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python"))
    if not targets(site, unit):
        argv = (*argv, ".")
    return [Job(argv=argv, cwd=unit.home, words=("mypy",))]


def targets(site: Site, unit: Unit) -> dict[str, list[str]]:
    """Return what the configuration says to check: `files`, `packages`, `modules`, those that are there."""
    config = site.setting.config or config_of(site, unit.home)
    if config.endswith(".toml"):
        tool = site.toml(config).get("tool")
        table = tool.get("mypy") if isinstance(tool, dict) else None
        given = {k: table[k] for k in ("files", "packages", "modules") if k in table} if isinstance(table, dict) else {}
    else:
        section = _SECTION.search(site.text(config))
        given = {m[1]: m["value"] for m in _TARGETS.finditer(section["body"])} if section else {}
    return {key: _listed(value) for key, value in given.items()}


def _listed(value: object) -> list[str]:
    if isinstance(value, list):
        return [str(one) for one in value]
    return [part.strip() for part in re.split(r"[,\n]", str(value)) if part.strip()]


def _looked_at(site: Site, unit: Unit, job: Job, stdout: bytes) -> frozenset[str] | None:
    """Return the files that the configuration's `files` name; what it names otherwise is not known file by file."""
    wanted = targets(site, unit)
    if not wanted or set(wanted) != {"files"}:
        return None
    places = [os.path.normpath(joined(unit.home, place)).replace(os.sep, "/") for place in wanted["files"]]
    if any(set("*?[") & set(place) for place in places):
        from punchlist.project.globs import matches

        return frozenset(f for f in unit.files if matches(f, [*places, *(f"{place}/**" for place in places)]))
    return frozenset(f for f in unit.files if any(place == "." or below(f, place) for place in places))


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    configs = [site.path(joined(unit.home, name)) for name in CONFIGS]
    if site.setting.config:
        configs.append(site.path(site.setting.config))
    text = site.text(site.setting.config or config_of(site, unit.home))
    return common.python_inputs(site, unit.home, configs, text)


def _folder(site: Site, unit: Unit, found: Found | None = None) -> Path:
    name = hashlib.sha256(f"{site.root}\0{unit.home}".encode()).hexdigest()[:8]
    folder = site.state / "engines" / "mypy" / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def before(site: Site, unit: Unit, signatures: Signatures) -> None:
    """Throw mypy's cache away where it would take a changed file for the one it knows."""
    folder = _folder(site, unit)
    try:
        seen = json.loads((folder / "seen.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        shutil.rmtree(folder / "cache", ignore_errors=True)  # made by a run that did not come to its end
        return
    (folder / "seen.json").unlink(missing_ok=True)
    digests = signatures.digests(path for path in seen if os.path.exists(path))
    for path, digest in digests.items():
        now = signature_of(path)
        second, size, content = seen[path]
        if now is not None and (now[1] // 10**9, now[0]) == (second, size) and digest.hex() != content:
            shutil.rmtree(folder / "cache", ignore_errors=True)
            return


def after(site: Site, unit: Unit, signatures: Signatures, started_ns: int) -> None:
    """Note what each file held when mypy read it; nothing certain of one that was written meanwhile."""
    paths = tree(site.path(unit.home), common.PYTHON)[0]
    digests = signatures.digests(paths)
    certain = frozenset(signatures.unchanged_since(paths, started_ns))
    seen = {
        path: (info[1] // 10**9, info[0], digests[path].hex() if path in certain else "")
        for path in paths
        if (info := signature_of(path))
    }
    (_folder(site, unit) / "seen.json").write_text(json.dumps(seen), encoding="utf-8")


def _find(site: Site, home: str) -> Found | Missing:
    return find.program(site, home, "mypy")


ENGINE = Engine(
    name="mypy",
    kind="types",
    endings=common.PYTHON,
    parser="tools.mypy",
    marked=_marked,
    units=_units,
    find=_find,
    jobs=_jobs,
    whole=lambda site, found, unit: "a type checker sees whole programs",
    configs=lambda site, folder: (),
    inputs=_inputs,
    entire=True,
    timeout_s=300.0,
    nothing=("There are no .py[i] files in directory",),
    looked_at=_looked_at,
    before=before,
    after=after,
)
