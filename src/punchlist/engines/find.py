"""Find a tool: the project's own installation first, up to its repository's top, then PATH; never beside ourselves."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from punchlist.engines.install import hint
from punchlist.engines.record import Found, Missing
from punchlist.engines.signatures import digest, signature_of
from punchlist.engines.site import Site, above
from punchlist.project.discover import tool_path
from punchlist.project.manifests import json_of

_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[-.+]?[0-9A-Za-z.]+)?")
_ASK_S = 20.0
_EXE = ".exe" if os.name == "nt" else ""
_versions: dict[bytes, str] = {}


def top(root: Path) -> Path:
    """Return the repository's or workspace's top folder that holds the root; the root itself outside of any."""
    for place in (root, *root.parents):
        if (place / ".git").exists() or (place / "pnpm-workspace.yaml").is_file():
            return place
    return root


def places(site: Site, home: str) -> list[Path]:
    """Return the folders from a unit's own up to the repository's top, nearest first."""
    inside = [site.root / folder for folder in above(home)]
    last = top(site.root)
    return [*inside, *(place for place in site.root.parents if place == last or last in place.parents)]


def origin(site: Site, path: str) -> str:
    """Tell where a tool lies: below the root, above it in the repository, or elsewhere on the system."""
    if Path(path).is_relative_to(site.root):
        return "project"
    return "repository" if Path(path).is_relative_to(top(site.root)) else "system"


def node_package(site: Site, home: str, name: str) -> Path | None:
    """Return the folder of an npm package installed from a unit's folder up to the repository's top, links resolved.

    Package managers link packages, or node_modules itself, to stores that lie elsewhere: the link is what counts.
    """
    for place in places(site, home):
        folder = place / "node_modules" / name
        if (folder / "package.json").is_file():
            return Path(os.path.realpath(folder))
    return None


def node_origin(site: Site, home: str, name: str) -> str:
    """Tell where an npm package is installed, whatever store it is linked to."""
    for place in places(site, home):
        if (place / "node_modules" / name / "package.json").is_file():
            return origin(site, str(place))
    return "system"


def package_version(folder: Path) -> str:
    """Return the version an installed npm package names, read anew each time."""
    return str((json_of(folder / "package.json") or {}).get("version", ""))


def node(environ: Mapping[str, str]) -> str | None:
    """Return the node program."""
    return shutil.which("node", path=environ.get("PATH"))


def by_node(site: Site, home: str, package: str, script: str) -> Found | Missing:
    """Find an npm package's script, to be run by node itself: a shim costs a process of its own."""
    folder = node_package(site, home, package)
    if folder is None:
        return Missing(message=hint(site, home, package))
    program = node(site.environ)
    if program is None:
        return Missing(message=f"{package} needs Node.js, and there is no node on PATH. Install it.")
    path = str(folder / script)
    where = node_origin(site, home, package)
    return Found(argv=(program, path), path=path, version=package_version(folder), origin=where)


def beside(folder: Path, *names: str) -> Path | None:
    """Return the folder of a package that another one depends on: within it, or installed beside it."""
    own = folder.parent.parent if folder.parent.name.startswith("@") else folder.parent
    for place in (folder / "node_modules", own, *(p / "node_modules" for p in own.parents)):
        for name in names:
            if (place / name).is_dir():
                return Path(os.path.realpath(place / name))
        if place.name != "node_modules":
            continue
        if (place.parent / ".git").exists():
            break
    return None


def platform() -> str:
    """Return the name that npm packages of native programs end in: `linux-x64`, `darwin-arm64`, `win32-x64` ..."""
    import platform as system

    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(system.machine().lower(), system.machine())
    return f"{ {'linux': 'linux', 'darwin': 'darwin', 'win32': 'win32'}.get(sys.platform, sys.platform) }-{machine}"


def is_musl() -> bool:
    """Whether this Linux has musl instead of glibc."""
    return sys.platform == "linux" and any(Path("/lib").glob("ld-musl-*"))


def program(site: Site, home: str, name: str, *, package: str = "", ecosystem: str = "python") -> Found | Missing:
    """Find a program by name: the project's own virtual environments and vendor folders, then PATH."""
    folders = [str(folder) for folder in tool_path(site.root, site.root / home) if folder.name != ".bin"]
    given = site.environ.get("VIRTUAL_ENV", "")
    own = os.path.dirname(os.path.dirname(sys.executable))
    if given and os.path.realpath(given) != os.path.realpath(own):
        folders.append(os.path.join(given, "Scripts" if os.name == "nt" else "bin"))
    path = shutil.which(name, path=os.pathsep.join([*folders, site.environ.get("PATH", os.defpath)]))
    if path is None:
        return Missing(message=hint(site, home, package or name, ecosystem))
    return Found(argv=(path,), path=path, version=version_of(site, path, name), origin=origin(site, path))


def version_of(site: Site, path: str, name: str, *ask: str, beside: Sequence[str] = ()) -> str:
    """Return a program's version: of a Python package from its metadata, else by asking it, once for the same file.

    `beside` are files or folders that change with the version where the program is only a proxy (rustup's).
    """
    if known := _metadata_version(path, name):
        return known
    stamps = [signature_of(place) for place in (os.path.realpath(path), *beside)]
    key = digest("version", path, *ask, repr(stamps))
    # A shim (pyenv, asdf, mise) stands for another program in every folder.
    lasting = site.cache if site.cache is not None and f"{os.sep}shims{os.sep}" not in path else None
    if key not in _versions:
        kept = lasting.get([key]).get(key) if lasting else None
        _versions[key] = kept.decode("utf-8") if kept else _asked(path, ask or ("--version",))
        if lasting and not kept and _versions[key]:
            lasting.put("versions", {key: _versions[key].encode()})
    return _versions[key]


def _metadata_version(path: str, name: str) -> str:
    """Read the version from the `.dist-info` folder of the environment that a program lies in."""
    environment = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    wanted = re.compile(rf"{re.escape(name.replace('-', '_'))}(?:_py)?-([^-]+)\.dist-info$", re.I)
    places = [os.path.join(environment, "Lib", "site-packages")]
    try:
        places += [
            os.path.join(environment, "lib", n, "site-packages") for n in os.listdir(os.path.join(environment, "lib"))
        ]
    except OSError:
        return ""
    if not os.path.isfile(os.path.join(environment, "pyvenv.cfg")):
        return ""
    for place in places:
        try:
            found = next((m[1] for n in os.listdir(place) if (m := wanted.match(n))), "")
        except OSError:
            continue
        if found:
            return found
    return ""


def _asked(path: str, ask: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(
            [path, *ask],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_ASK_S,
            errors="replace",
            encoding="utf-8",
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = _VERSION.search(done.stdout) or _VERSION.search(done.stderr)
    return match[0] if match else ""


def environment(site: Site, home: str) -> dict[str, str]:
    """Return what a tool's environment needs so that it finds the project's own tools and interpreter first."""
    folders = [str(folder) for folder in tool_path(site.root, site.root / home)]
    env = {"PATH": os.pathsep.join([*folders, site.environ.get("PATH", os.defpath)])}
    if venv := virtual_environment(site, home):
        env["VIRTUAL_ENV"] = venv
    return env


def virtual_environment(site: Site, home: str) -> str:
    """Return the project's virtual environment, nearest first, or ""."""
    for folder in tool_path(site.root, site.root / home):
        if (folder.parent / "pyvenv.cfg").is_file():
            return str(folder.parent)
    given = site.environ.get("VIRTUAL_ENV", "")
    return given if given and os.path.isfile(os.path.join(given, "pyvenv.cfg")) else ""


def locks(site: Site, home: str) -> list[str]:
    """Return the files that tell which packages are installed, from a unit's folder up to the repository's top."""
    found = []
    for place in places(site, home):
        for name in LOCKS:
            path = place / name
            if path.is_file():
                found.append(str(path))
    return found


LOCKS = (
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb",
    "node_modules/.package-lock.json", "node_modules/.modules.yaml", "node_modules/.yarn-state.yml",
    "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock", "go.sum", "go.work.sum", "Gemfile.lock",
    "composer.lock",
)  # fmt: skip
