"""Is it really the commit's own code that runs in its worktree? Else nothing that is found there may be believed."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from punchlist.project.discover import tool_path
from punchlist.project.globs import SKIPPED
from punchlist.project.manifests import json_of
from punchlist.service.base.tree import Tree, Unknown
from punchlist.service.checking.selection import git
from punchlist.service.project import Project

_PROBE_S = 20.0
_CODE = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte|pyi?|go|rs|java|kt|cs|rb|php|proto|so|pyd|node|dll|wasm)$")
_OUTPUT = SKIPPED | {
    *("dist", "build", "out", "target", "coverage", "htmlcov", "tmp", "temp", "logs", "log", "cache", "site", "bin"),
    *("storybook-static", "lib-cov", "obj"),
}
_HARMLESS = frozenset({"_version.py", "_version.pyi", "next-env.d.ts"})
_ASIDE = {"test", "tests", "doc", "docs", "example", "examples", "scripts", "tools", "bench", "benchmarks"}
# Where a module of each name would come from; the first entry of the path is the working folder and does not count.
_FIND = """
import importlib.util, json, sys
sys.path.pop(0)
found = {}
for name in sys.argv[1:]:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        spec = None
    found[name] = (spec.origin or next(iter(spec.submodule_search_locations or []), None)) if spec else None
print(json.dumps(found))
"""


def environment(project: Project, tree: Tree) -> dict[str, str]:
    """Return the environment for the base: nothing installs, and Python looks into the worktree first where it must.

    Raises `Unknown` where the project's own modules would come from somewhere else.
    """
    env = {name: value for name, value in project.environ.items() if not name.startswith("GIT_")}
    env = {
        name: _moved(value, tree) if name in ("PYTHONPATH", "NODE_PATH", "PATH") else value
        for name, value in env.items()
    }
    # `uv run` would install the worktree into the environment that both share; pnpm would install before it runs.
    env |= {"UV_NO_SYNC": "1", "UV_FROZEN": "1", "npm_config_verify_deps_before_run": "false"}
    env["CARGO_TARGET_DIR"] = str(tree.home / "cargo-target")
    _no_generated_files(project, tree)
    _node(tree)
    return env | _python(tree, env)


def _moved(value: str, tree: Tree) -> str:
    """Let folders of a search path that lie in today's tree be those of the worktree, where it has them."""
    parts = []
    for part in value.split(os.pathsep):
        inside = os.path.relpath(part, tree.of) if part and Path(part).is_relative_to(tree.of) else None
        parts.append(str(tree.top / inside) if inside and (tree.top / inside).exists() else part)
    return os.pathsep.join(parts)


def _no_generated_files(project: Project, tree: Tree) -> None:
    """Files that git ignores beside the sources are made by something, and the worktree does not have them."""
    words = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z", "--", "."]
    out = git(project.folder, words)
    for name in os.fsdecode(out or b"").split("\0")[:-1]:
        parts = name.rstrip("/").split("/")
        if len(parts) < 2 or any(
            part in _OUTPUT or part.startswith(".") or part.endswith(".egg-info") for part in parts
        ):
            continue
        here, there = project.folder / name, tree.root / name
        if parts[-1] in _HARMLESS:
            if there.parent.is_dir() and not there.exists():
                shutil.copyfile(here, there)
            continue
        if (here.is_dir() and any(_code_below(here))) or (here.is_file() and _CODE.search(parts[-1])):
            raise Unknown(f"it needs generated files that are not in the commit ({name.rstrip('/')})")


def _code_below(folder: Path) -> Iterator[str]:
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _OUTPUT]
        yield from (name for name in files if _CODE.search(name))


def _node(tree: Tree) -> None:
    """Packages of the workspace have to lead into the worktree, and what they offer has to be there."""
    modules = [path for path in (tree.root / "node_modules", tree.top / "node_modules") if path.is_dir()]
    real = Path(os.path.realpath(tree.top))
    today = Path(os.path.realpath(tree.of))
    for folder in dict.fromkeys(modules):
        for link in [*folder.iterdir(), *(one for scope in folder.glob("@*") for one in scope.iterdir())]:
            target = Path(os.path.realpath(link))
            if target.is_relative_to(today) and "node_modules" not in target.relative_to(today).parts:
                raise Unknown(f"{link.name} resolves to today's code ({target.relative_to(today).as_posix()})")
            if target.is_relative_to(real) and "node_modules" not in target.relative_to(real).parts:
                _offers(target, today / target.relative_to(real))


def _offers(there: Path, here: Path) -> None:
    """What a package offers to others may be built: then the worktree lacks it."""
    manifest = json_of(there / "package.json") or {}
    for path in _targets([manifest.get(name) for name in ("main", "module", "types", "typings", "exports")]):
        if "*" not in path and (here / path).is_file() and not (there / path).exists():
            raise Unknown(f"it needs what is built ({here.name}/{path.removeprefix('./')})")


def _targets(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _targets(list(value.values()))
    elif isinstance(value, list):
        for one in value:
            yield from _targets(one)


def _python(tree: Tree, env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that make the project's own modules come from the worktree."""
    names = own_modules(tree.root)
    if not names:
        return {}
    path = os.pathsep.join([*(str(one) for one in tool_path(tree.root, tree.root)), env.get("PATH", os.defpath)])
    python = shutil.which("python", path=path) or shutil.which("python3", path=path)
    if python is None:
        return {}
    asked = dict(env, PATH=path)
    if not _foreign(python, tree, asked, names):
        return {}
    folders = sorted({str(place) for place in names.values()})
    extra = {"PYTHONPATH": os.pathsep.join([*folders, *filter(None, [env.get("PYTHONPATH", "")])])}
    wrong = _foreign(python, tree, {**asked, **extra}, names)
    if wrong:
        name, origin = next(iter(wrong.items()))
        raise Unknown(f"the module {name} comes from {origin}, not from its own tree")
    return extra


def own_modules(root: Path) -> dict[str, Path]:
    """Return the project's own top-level modules with the folders that hold them."""
    found: dict[str, Path] = {}
    for place in (root / "src", root / "lib", root):
        if not place.is_dir() or (place != root and (place / "__init__.py").exists()):
            continue
        for init in sorted(place.glob("*/__init__.py")):
            name = init.parent.name
            if name not in _ASIDE and not name.startswith(".") and name.isidentifier():
                found.setdefault(name, place)
        if place == root and not (root / "pyproject.toml").exists() and not (root / "setup.py").exists():
            continue
        for file in sorted(place.glob("*.py")):
            if (
                file.stem.isidentifier()
                and file.stem not in ("setup", "conftest", "noxfile", "tasks")
                and place != root
            ):
                found.setdefault(file.stem, place)
    return found


def _foreign(python: str, tree: Tree, env: Mapping[str, str], names: Mapping[str, Path]) -> dict[str, str]:
    """Return the modules that would come from elsewhere than the worktree; one that is not found at all is no harm."""
    try:
        done = subprocess.run(
            [python, "-c", _FIND, *names], cwd=tree.root, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True,
            check=False, timeout=_PROBE_S,
        )  # fmt: skip
        found: dict[str, str | None] = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        raise Unknown("its Python could not be asked where the project's modules come from") from None
    inside = Path(os.path.realpath(tree.top))
    return {
        name: origin
        for name, origin in found.items()
        if origin and origin not in ("built-in", "frozen") and not Path(os.path.realpath(origin)).is_relative_to(inside)
    }
