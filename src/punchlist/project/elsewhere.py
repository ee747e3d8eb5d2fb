"""Tell where a server works in another repository than the one its client shows: the wrong-repository trap."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from punchlist.project.root import ROOT_VARIABLES, START_VARIABLES, Root, find_root


def preferred(root: Root, folders: Sequence[Path], environ: Mapping[str, str], home: Path | None = None) -> Root | None:
    """Return the root to work in where the client's folders tell of another one than was found; None to stay.

    A root that somebody named stays, and so does a project inside of one of the folders: the client may have been told
    to start the server right there. `folders` are absolute, links resolved.
    """
    if root.named or not folders or (root.marked and any(root.path.is_relative_to(folder) for folder in folders)):
        return None
    found = find_root(folders[0], environ=environ, home=home, origin="the client's root")
    return None if found.path == root.path else found


def warning(
    root: Root, folders: Sequence[Path], environ: Mapping[str, str], cwd: Path, home: Path | None = None
) -> str:
    """Return what to say where the best witness of the client's repository speaks of another one, else ""."""
    for said, places in _witnesses(folders, environ, cwd):
        others = [other for place in places if (other := _other(root, place, environ, home, sure=said != _CWD))]
        if len(others) < len(places):
            return ""
        if others:
            return (
                f"WRONG REPOSITORY? This server works in {root.path} ({root.how}), but {said} is {places[0]}. "
                + _remedy(root, others[0])
            )
    return ""


_CWD = "the folder it was started in"


def _witnesses(folders: Sequence[Path], environ: Mapping[str, str], cwd: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield who tells where the client works, the most reliable one first."""
    if folders:
        yield "the client's root", list(folders)
    for variable in START_VARIABLES:
        value = environ.get(variable, "").strip()
        if value and Path(value).is_absolute() and Path(value).is_dir():
            yield variable, [Path(os.path.realpath(value))]
    yield _CWD, [Path(os.path.realpath(cwd))]


def _other(root: Root, place: Path, environ: Mapping[str, str], home: Path | None, *, sure: bool) -> Path | None:
    """Return the other project that a folder belongs to, None where it goes with the root, or with no project at all.

    A folder above the root holds it, one below it is held by it. Where a program was started tells something only
    inside of a project: many clients start their servers in the home folder.
    """
    if place.is_relative_to(root.path) or root.path.is_relative_to(place):
        return None
    plain = {name: value for name, value in environ.items() if not name.startswith(("PUNCHLIST_", "SIGNAL"))}
    found = find_root(place, environ=plain, home=home)
    if found.path == root.path or root.path.is_relative_to(found.path):
        return None
    return found.path if sure or found.marked else None


def _remedy(root: Root, other: Path) -> str:
    place = f"the server's entry (`punchlist doctor --root {other}` names the file)"
    if root.how == "given":
        return f"Take --root out of {place}, or make it {other}."
    for variable in ROOT_VARIABLES:
        if variable in root.how:
            return f"Take {variable} out of {place}, or make it fit {other}."
    return f"Restart the server there, or put PUNCHLIST_ROOT={other} into {place}."
