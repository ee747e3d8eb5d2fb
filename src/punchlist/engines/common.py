"""What several engines share: units by marker, configuration chains, inputs of Python programs."""

import os
import re
from collections.abc import Iterable, Sequence

from punchlist.engines import find
from punchlist.engines.record import Found, Inputs, Output, Unit
from punchlist.engines.site import Site, above, below, joined
from punchlist.records import dataclass

SCRIPT = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".mjsx", ".cjsx", ".mtsx", ".ctsx")
PYTHON = (".py", ".pyi")
_OUTSIDE = re.compile(
    r"(?:mypy_path|[Ee]xtra-?[Pp]aths?|search[-_]path|stub[-_]?[Pp]ath|typeshed)[\"']?\s*[=:]"
    r"[^\n]*(?:\.\./|[\"' :=]/|~)"
)


def one_unit(site: Site, endings: tuple[str, ...], names: Iterable[str] = ()) -> list[Unit]:
    """Return the root as the only unit, where the scope holds a file for it."""
    files = site.scope.of(endings, names)
    return [Unit(home="", files=files, everything=site.scope.whole)] if files else []


def units_by_home(
    site: Site, homes: Sequence[str], endings: tuple[str, ...], names: Iterable[str] = (), *, root: bool = True
) -> list[Unit]:
    """Return a unit for each home that has files in the scope; a file belongs to the deepest home that holds it.

    With `root` the files outside of all homes belong to the root's unit; without, to none.
    """
    known = {*homes, ""} if root else set(homes)
    found: dict[str, list[str]] = {}
    for file in site.scope.of(endings, names):
        home = next((folder for folder in above(file.rpartition("/")[0]) if folder in known), None)
        if home is not None:
            found.setdefault(home, []).append(file)
    for path in site.scope.gone:  # what needed a file that is not there any more has to be checked
        home = next((folder for folder in above(path.rpartition("/")[0]) if folder in known), None)
        if home is not None and path.endswith(endings):
            found.setdefault(home, [])
    return [
        Unit(home=home, files=tuple(files), everything=_is_all(site, home)) for home, files in sorted(found.items())
    ]


def _is_all(site: Site, home: str) -> bool:
    """Whether the scope holds all files below a folder."""
    return site.scope.whole or any(below(home or ".", path) and home for path in site.scope.paths or ())


def upward_configs(site: Site, folder: str, names: Iterable[str]) -> list[str]:
    """Return where these files may lie (existing or not) from a folder up to the root, and those that lie above it."""
    wanted = tuple(names)
    prefix = f"{site.root}/"
    outside: list[str] = site.once("outside", "\0".join(wanted), lambda: _outside(site, wanted))
    return [
        f"{prefix}{place}/{name}" if place else prefix + name for place in above(folder) for name in wanted
    ] + outside


def _outside(site: Site, names: Iterable[str]) -> list[str]:
    parents = [str(place) for place in site.root.parents]
    return [path for place in parents for name in names if os.path.isfile(path := f"{place.rstrip('/')}/{name}")]


def local(folder: str, files: Iterable[str]) -> tuple[str, ...]:
    """Write root-relative files relative to a root-relative folder, safe against being taken for options."""
    found = (os.path.relpath(file, folder).replace(os.sep, "/") if folder else file for file in files)
    return tuple(f"./{name}" if name.startswith(("-", "@")) else name for name in found)


def python_inputs(site: Site, home: str, configs: Iterable[str], text: str = "") -> Inputs:
    """Return what a Python type checker's result depends on; `text` is its configuration as written.

    All Python files below the unit by name and content, the configuration, lock files, and what is installed.
    """
    if _OUTSIDE.search(text):
        return Inputs(reason="its configuration names folders outside of the project")
    stamps = []
    venv = find.virtual_environment(site, home)
    if venv:
        stamps.append(os.path.join(venv, "pyvenv.cfg"))
        for place in site_packages(venv):
            stamps.append(place)
            if _leads_out(place, str(site.root)):
                return Inputs(reason="packages are installed from folders outside of the project")
    files = [path for path in (*configs, *find.locks(site, home)) if os.path.isfile(path)]
    return Inputs(files=tuple(files), stamps=tuple(stamps), trees=((site.path(home), PYTHON),))


@dataclass(frozen=True, slots=True)
class Homes:
    """Where a Python type checker has its programs: a file of its own, or a table of pyproject.toml, makes a home."""

    file: str
    table: str

    @property
    def configs(self) -> tuple[str, str]:
        """The names of its configuration files."""
        return self.file, "pyproject.toml"

    def of(self, site: Site) -> list[str]:
        """Return the homes of the scope."""
        return [
            home
            for home in site.holding(self.configs)
            if site.exists(joined(home, self.file)) or f"[{self.table}" in site.text(joined(home, "pyproject.toml"))
        ]

    def units(self, site: Site) -> list[Unit]:
        """Return a unit for each home; the root is one where a setting of ours names the configuration."""
        homes = [] if site.setting.config else self.of(site)
        return units_by_home(site, homes, PYTHON, root=not homes or "" in homes)

    def inputs(self, site: Site, _found: Found, unit: Unit, _outputs: Sequence[Output]) -> Inputs:
        """Return what a unit's result depends on."""
        configs = [joined(unit.home, name) for name in self.configs]
        if site.setting.config:
            configs.append(site.setting.config)
        text = "\n".join(site.text(path) for path in configs)
        return python_inputs(site, unit.home, [site.path(path) for path in configs], text)


def site_packages(venv: str) -> list[str]:
    """Return the folders that packages of a virtual environment lie in."""
    try:
        inner = [os.path.join(venv, "lib", name, "site-packages") for name in os.listdir(os.path.join(venv, "lib"))]
    except OSError:
        inner = []
    return [place for place in (*inner, os.path.join(venv, "Lib", "site-packages")) if os.path.isdir(place)]


def _leads_out(place: str, root: str) -> bool:
    """Whether a `.pth` file adds a folder outside of the root, where changes would not be seen."""
    try:
        names = [name for name in os.listdir(place) if name.endswith(".pth")]
    except OSError:
        return True
    for name in names:
        try:
            with open(os.path.join(place, name), encoding="utf-8", errors="replace") as file:
                lines = [line.strip() for line in file.read(100_000).split("\n")]
        except OSError:
            return True
        for line in lines:
            if (
                os.path.isabs(line)
                and not os.path.realpath(line).startswith((root + os.sep, place))
                and os.path.realpath(line) != root
            ):
                return True
    return False


def declared(site: Site, name: str, folder: str = "") -> bool:
    """Whether a Python project's own files ask for a tool: pyproject.toml, requirements files, pre-commit hooks."""
    pattern = re.compile(rf"(?:^|[\"'\s/]){re.escape(name)}(?:-pre-commit|-mypy)?\s*(?:[\"'<>=~!\[#;]|$)", re.M)
    places = (
        "pyproject.toml",
        "requirements-dev.txt",
        "requirements_dev.txt",
        "dev-requirements.txt",
        "requirements.txt",
        ".pre-commit-config.yaml",
    )
    return any(pattern.search(site.text(joined(folder, place))) for place in places)
