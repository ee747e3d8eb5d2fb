"""basedpyright as a language server (seen with 1.40): asked for edited files and their dependents, which get opened.

The whole project takes it as long as the command line. A configuration it refuses is only said by a message for the
user; what it then answers is by its defaults, so that the command line has to be asked.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from punchlist.engines import find
from punchlist.engines.record import Found, Unit
from punchlist.engines.site import Site, joined
from punchlist.engines.warm.lsp import Lsp
from punchlist.engines.warm.pull import Puller
from punchlist.engines.warm.record import Kind
from punchlist.engines.warm.wire import Lost
from punchlist.model import Diagnostic
from punchlist.records import replace

CONFIGS = ("pyrightconfig.json", "pyproject.toml")


def start(site: Site, found: Found, unit: Unit) -> Puller:
    """Start a server at the program's own folder, with the interpreter that the command line gets."""
    env = {**site.environ, **find.environment(site, unit.home)}
    venv = find.virtual_environment(site, unit.home)
    python = os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python") if venv else ""
    settings: dict[str, Any] = {
        "python": {"pythonPath": python} if python else {},
        "basedpyright": {"analysis": {"diagnosticMode": "openFilesOnly"}, "disablePullDiagnostics": False},
    }
    lsp = Lsp(_command(found), site.path(unit.home), env, settings=settings)
    name = (lsp.about.get("serverInfo") or {}).get("name", "basedpyright")
    if name != "basedpyright":
        lsp.end()
        raise Lost(f"the server is {name}")
    return Puller(lsp, str(site.root), "basedpyright", worst=3, opens="python", rewrite=as_printed)


def _command(found: Found) -> tuple[str, ...]:
    """Return how the server beside the command line is started: the script beside its own, or the program's sibling."""
    script = Path(found.argv[-1])
    for name in ("langserver.index.js", "dist/pyright-langserver.js"):
        if (script.parent / name).is_file():
            return (*found.argv[:-1], str(script.parent / name), "--stdio")
    beside = Path(found.path).with_name(f"basedpyright-langserver{'.exe' if os.name == 'nt' else ''}")
    if not beside.is_file():
        raise Lost("there is no basedpyright-langserver beside basedpyright")
    return (str(beside), "--stdio")


def as_printed(d: Diagnostic, item: Mapping[str, Any]) -> Diagnostic:
    """Take away the place of a finding that has none, which the protocol cannot say."""
    if (d.line, d.column, d.end_line, d.end_column) == (1, 1, 1, 1):
        d = replace(d, line=None, column=None, end_line=None, end_column=None)
    return replace(d, related=())


def configs(site: Site, unit: Unit) -> Sequence[str]:
    """Return its configuration files, the lock files, and what tells of the environment."""
    names = [*CONFIGS, *([site.setting.config] if site.setting.config else [])]
    own = [site.path(joined(unit.home, name)) for name in names]
    venv = find.virtual_environment(site, unit.home)
    return (*own, *find.locks(site, unit.home), *([f"{venv}/pyvenv.cfg"] if venv else []))


KIND = Kind(
    engine="basedpyright",
    known=lambda version: version.startswith("1."),
    start=start,
    configs=configs,
    imports="python",
)
