"""ty as a language server (seen with 0.0.108): it answers for files that nobody opened, in milliseconds.

Its messages carry what the command line writes beside the carets; told apart as the command line tells them they make
the same finding. With `workspace/diagnostic` it waits until something changes: files are asked for instead.
"""

import re
from collections.abc import Mapping, Sequence
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

CONFIGS = ("ty.toml", "pyproject.toml", ".python-version")
# Rules whose headline itself goes on after a colon.
LONG_HEADLINES = frozenset({"too-many-positional-arguments", "unresolved-reference-suggestion"})
_CHOOSES = re.compile(r"^\s*(?:src\.)?(?:include|exclude|respect-ignore-files)\s*=|\[(?:tool\.ty\.)?overrides", re.M)
_PART = re.compile(r"`[^`]*`|: ")


def start(site: Site, found: Found, unit: Unit) -> Puller:
    """Start a server at the program's own folder."""
    if _leaves_out(site, unit):
        raise Lost("its configuration leaves files out, and the server does not tell which")
    env = {**site.environ, **find.environment(site, unit.home)}
    options: dict[str, Any] = {"diagnosticMode": "workspace"}
    if site.setting.config:
        options["configurationFile"] = site.path(site.setting.config)
    lsp = Lsp((*found.argv, "server"), site.path(unit.home), env, options=options, settings={"ty": options})
    return Puller(lsp, str(site.root), "ty", worst=3, rewrite=as_printed)


def _leaves_out(site: Site, unit: Unit) -> bool:
    """Whether a setting chooses files: the server would answer for the others too."""
    names = [joined(unit.home, name) for name in CONFIGS] + [site.setting.config]
    return any(_CHOOSES.search(site.text(name)) for name in names if name)


def as_printed(d: Diagnostic, item: Mapping[str, Any]) -> Diagnostic:
    """Part the headline from what stands beside the carets; the notes follow it."""
    head, beside = parted(d.message, 1 if d.rule in LONG_HEADLINES else 0)
    return replace(d, message=head, detail="\n".join(filter(None, [beside, d.detail.strip()])))


def parted(message: str, colons: int) -> tuple[str, str]:
    """Part a message at the colon that follows `colons` others, those inside of backticks not counted."""
    for found in _PART.finditer(message):
        if found[0] != ": ":
            continue
        if colons == 0:
            return message[: found.start()], message[found.end() :]
        colons -= 1
    return message, ""


def configs(site: Site, unit: Unit) -> Sequence[str]:
    """Return its configuration files, the lock files, and what tells of the environment."""
    names = [*CONFIGS, *([site.setting.config] if site.setting.config else [])]
    own = [site.path(joined(unit.home, name)) for name in names]
    venv = find.virtual_environment(site, unit.home)
    return (*own, *find.locks(site, unit.home), *([f"{venv}/pyvenv.cfg"] if venv else []))


KIND = Kind(
    engine="ty", known=lambda version: version.startswith("0.0."), start=start, configs=configs, imports="python"
)
