"""A project's checks without any configuration, and the folders its own tools are in. Nothing is run."""

import os
from collections.abc import Mapping
from pathlib import Path

from punchlist.project.records import Check, Config


def discover(root: Path) -> dict[str, Check]:
    """Return the checks that the project's own files declare or imply, by name, in a fixed order.

    A name that only one folder has stays plain (`test`); where several have it, the root's does, and the others get
    their folder in front (`web-test`).
    """
    from punchlist.project.discovery.collect import checks_below

    return checks_below(root)


def known_checks(root: Path, config: Config) -> dict[str, Check]:
    """Return all checks: the configured ones, then discovered ones whose names are free (unless `discover` is off)."""
    checks = dict(config.checks)
    if config.discover:
        for name, check in discover(root).items():
            checks.setdefault(name, check)
    return checks


def find_check(checks: Mapping[str, Check], name: str) -> Check | None:
    """Return a check by its name, or by a script's name that is written otherwise (`test:unit` finds `test-unit`)."""
    if name in checks:
        return checks[name]
    from punchlist.project.discovery.names import slug

    return next((check for known, check in checks.items() if slug(known) == slug(name)), None)


def tool_path(root: Path, folder: Path | None = None) -> list[Path]:
    """Return the folders of the project's own tools, nearest first, to be put in front of PATH.

    From `folder` (the root) upward to the root and on to the repository's top: node_modules/.bin, virtual environments,
    vendor/bin.
    """
    out: list[Path] = []
    scripts = "Scripts" if os.name == "nt" else "bin"
    inside = False
    for place in ((folder or root), *(folder or root).parents):
        for name in (".venv", "venv", "env"):
            if (place / name / "pyvenv.cfg").is_file() and (place / name / scripts).is_dir():
                out.append(place / name / scripts)
                break
        out += [place / name for name in ("node_modules/.bin", "vendor/bin") if (place / name).is_dir()]
        inside = inside or place == root
        if (place / ".git").exists() or (inside and not _in_repository(place)):
            break
    return out


def _in_repository(place: Path) -> bool:
    return any((parent / ".git").exists() for parent in place.parents)
