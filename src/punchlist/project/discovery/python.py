"""Checks of a Python project: what pyproject.toml, setup.cfg and the tools' own files set up."""

import re
from collections.abc import Iterator

from punchlist.project.discovery.folder import Folder, Found, line_in
from punchlist.project.manifests import table

MARKERS = (
    "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", "pytest.ini", "conftest.py", "requirements.txt",
    "mypy.ini", ".flake8", "ruff.toml", ".ruff.toml", "pyrightconfig.json", "Pipfile", "manage.py", "ty.toml",
    "pyrefly.toml", ".pylintrc", ".mypy.ini",
)  # fmt: skip


def find(folder: Folder) -> Iterator[Found]:
    """Yield the project's tests, linters, type checkers and formatters, then tox and nox."""
    if not folder.has(*MARKERS):
        return
    run = _runner(folder)
    yield from _tests(folder, run)
    for name, other, command, places in _TOOLS:
        place = _setting(folder, places)
        if place:
            yield Found(name, other, run + command(folder), *place)
    tox = _setting(folder, ("tox.toml", "tox.ini[tox]", "tox.ini[testenv]", "[tool.tox]", "setup.cfg[tox:tox]"))
    if tox:
        yield Found("tox", "tox", f"{run}tox", *tox)
    if folder.has("noxfile.py"):
        yield Found("nox", "nox", f"{run}nox", "noxfile.py", "noxfile.py")


def _runner(folder: Folder) -> str:
    """Return what to put in front of a tool: nothing where the project's environment lies beside it."""
    if any(folder.up(f"{name}/pyvenv.cfg") for name in (".venv", "venv", "env")):
        return ""
    for lock, command in (
        ("uv.lock", "uv run "),
        ("poetry.lock", "poetry run "),
        ("pdm.lock", "pdm run "),
        ("Pipfile.lock", "pipenv run "),
    ):
        if folder.up(lock):
            return command
    return ""


def _tests(folder: Folder, run: str) -> Iterator[Found]:
    places = (
        "pytest.ini",
        ".pytest.ini",
        "[tool.pytest]",
        "tox.ini[pytest]",
        "setup.cfg[tool:pytest]",
        "conftest.py",
        "tests/conftest.py",
    )
    place = _setting(folder, places) or _named_in_requirements(folder, "pytest")
    if place:
        yield Found("test", "pytest", f"{run}pytest", *place)
    elif folder.has("manage.py"):
        yield Found("test", "django-test", f"{run}python manage.py test", "manage.py", "manage.py")
    else:
        for where in ("tests", "test"):
            if where in folder.names and _has_tests(folder, where):
                yield Found("test", "unittest", f"{run}python -m unittest discover -s {where} -t .", f"{where}/", where)
                return


def _has_tests(folder: Folder, where: str) -> bool:
    try:
        names = {path.name for path in (folder.path / where).iterdir()}
    except OSError:
        return False
    return any(re.fullmatch(r"test.*\.py", name) for name in names) and "__init__.py" in names


def _named_in_requirements(folder: Folder, tool: str) -> tuple[str, str, int | None] | None:
    wanted = re.compile(rf"""^\s*["']?{tool}\b(?![-\w])""", re.M)
    for name in (
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "Pipfile",
        *folder.ending("requirements.txt", "requirements-dev.txt", "dev.txt"),
    ):
        text = folder.text(name)
        if wanted.search(text) or re.search(rf"""["'\[]{tool}(?:["'\[]|\s*[<>=~!;])""", text):
            return f"{tool} in {name}", name, line_in(text, rf"\b{tool}\b")
    return None


def _mypy(folder: Folder) -> str:
    own = table(folder.pyproject, "tool", "mypy")
    said = f"{folder.text('mypy.ini')}\n{folder.text('.mypy.ini')}\n{folder.text('setup.cfg')}"
    listed = any(key in own for key in ("files", "packages", "modules")) or re.search(
        r"^\s*(files|packages|modules)\s*=", said, re.M
    )
    return "mypy" if listed else "mypy ."


_TOOLS = (
    ("lint", "ruff", lambda _: "ruff check .", ("ruff.toml", ".ruff.toml", "[tool.ruff]")),
    ("lint", "flake8", lambda _: "flake8", (".flake8", "setup.cfg[flake8]", "tox.ini[flake8]")),
    ("lint", "pylint", lambda _: "pylint --recursive=y .", (".pylintrc", "pylintrc", "[tool.pylint]")),
    ("typecheck", "mypy", _mypy, ("mypy.ini", ".mypy.ini", "[tool.mypy]", "setup.cfg[mypy]")),
    ("typecheck", "basedpyright", lambda _: "basedpyright", ("[tool.basedpyright]",)),
    ("typecheck", "pyright", lambda _: "pyright", ("pyrightconfig.json", "[tool.pyright]")),
    ("typecheck", "ty", lambda _: "ty check", ("ty.toml", "[tool.ty]")),
    ("typecheck", "pyrefly", lambda _: "pyrefly check", ("pyrefly.toml", "[tool.pyrefly]")),
    ("format-check", "ruff-format", lambda _: "ruff format --check .", ("[tool.ruff.format]",)),
    ("format-check", "black", lambda _: "black --check .", ("[tool.black]",)),
)


def _setting(folder: Folder, places: tuple[str, ...]) -> tuple[str, str, int | None] | None:
    """Return origin, file and line of the first place that sets a tool up: a file, `file[section]`, or `[tool.x]`."""
    for place in places:
        if place.startswith("["):
            keys = place.strip("[]").split(".")
            holder = table(folder.pyproject, *keys[:-1])
            if keys[-1] in holder:
                line = line_in(folder.text("pyproject.toml"), r"^\s*\[\[?" + re.escape(place.strip("[]")))
                return f"{place} in pyproject.toml", "pyproject.toml", line
        elif "[" in place:
            file, section = place[:-1].split("[")
            line = line_in(folder.text(file), rf"^\[{re.escape(section)}\]")
            if line:
                return f"[{section}] in {file}", file, line
        elif folder.has(place.split("/", 1)[0]) and (folder.path / place).is_file():
            return place, place, None
    return None
