"""Hold every import of the package against the arrows of the house; exit 1 names each that points the wrong way."""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "punchlist"

# A room may import the rooms named beside it, itself, `model` and `records`.
BELOW = {"reading", "running", "project", "store", "platforms"}
MIDDLE = {"engines", "editing", "analysis", "views"}
ALLOWED: dict[str, set[str]] = {
    "model": set(),
    "platforms": set(),
    "project": {"platforms"},
    "running": {"platforms"},
    "store": set(),
    "reading": {"project"},
    "analysis": {"reading"},
    "views": {"analysis", "reading"},
    "engines": BELOW,
    "editing": BELOW | {"analysis"},
    "service": BELOW | MIDDLE,
    "agents": BELOW | MIDDLE | {"service"},
    "server": BELOW | MIDDLE | {"service"},
    "cli": BELOW | MIDDLE | {"service", "agents", "server"},
    "library": {"reading"},
    "__init__": {"library"},
}
# A parser is handed its log: it opens nothing and starts nothing.
NO_IO = {"os", "subprocess", "pathlib", "io", "socket", "shutil", "tempfile", "sqlite3", "mmap"}
PARSERS = ("reading/tools", "reading/formats", "reading/rows")
# The command line starts fast: the protocol's package is imported by the server alone.
ONLY_IN = {"mcp": "server", "mcp_types": "server", "anyio": "server"}


def imports(path: Path) -> list[tuple[int, str]]:
    """Return (line, dotted name) of every import in a file, also those inside functions."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.lineno, node.module)]
            if node.module == "punchlist":
                found += [(node.lineno, f"punchlist.{alias.name}") for alias in node.names]
    return found


def faults(path: Path) -> list[str]:
    """Return what is wrong with the imports of a file."""
    inside = path.relative_to(PACKAGE).as_posix()
    room = inside.split("/")[0].removesuffix(".py")
    wrong = []
    for line, name in imports(path):
        top, _, rest = name.partition(".")
        if top == "punchlist" and rest:
            other = rest.split(".")[0]
            if (
                other not in {room, "model", "records", "__version__"}
                and other not in ALLOWED.get(room, set())
                and room != "__init__"
            ):
                wrong.append(f"{inside}:{line}: {room} must not import {other}")
        elif top in NO_IO and inside.startswith(PARSERS):
            wrong.append(f"{inside}:{line}: a parser must not import {top}")
        elif top in ONLY_IN and room != ONLY_IN[top]:
            wrong.append(f"{inside}:{line}: only {ONLY_IN[top]} imports {top}")
    return wrong


def main() -> int:
    """Check every file of the package."""
    wrong = [
        fault for path in sorted(PACKAGE.rglob("*.py")) if "demo_project" not in path.parts for fault in faults(path)
    ]
    print("\n".join(wrong) or "imports: every arrow points the right way")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
