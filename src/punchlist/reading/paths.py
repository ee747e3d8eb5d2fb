"""Make printed paths root-relative, textually: nothing is looked up on disk."""

import re
from posixpath import join, normpath

from punchlist.model import Diagnostic, Related
from punchlist.records import replace

WINDOWS = re.compile(r"^(?:[A-Za-z]:[\\/]|\\\\|[\w.@~-]+(?:\\[\w.@~ -]+)+$)")
FILE_URL = re.compile(r"^file://(?:localhost)?(?=/)")


def relative(path: str, root: str, directory: str = "") -> str:
    """Return `path` relative to `root` with forward slashes; a path outside of the root stays as printed.

    A relative path is taken from `directory` (itself relative to the root).
    """
    text = FILE_URL.sub("", path.strip())
    if WINDOWS.match(text):
        text = text.replace("\\", "/")
    base = root.replace("\\", "/").rstrip("/")
    if base and "/../" in text and normpath(text).startswith(base + "/"):
        text = normpath(text)  # seen from a build folder outside of the root
    if base and (
        text.startswith(base + "/") or (":" in base[:3] and text.casefold().startswith(base.casefold() + "/"))
    ):
        return normpath(text[len(base) + 1 :])
    if text.startswith(("/", "<")) or re.match(r"[A-Za-z]:/|[a-z][\w+.-]+:", text):
        return text
    return normpath(join(directory, text)) if text else text


def placed(diagnostic: Diagnostic, root: str, directory: str) -> Diagnostic:
    """Return the diagnostic with its own and its related paths root-relative."""
    file = relative(diagnostic.file, root, directory) if diagnostic.file else None
    related = tuple(
        Related(r.message, relative(r.file, root, directory) if r.file else None, r.line, r.column)
        for r in diagnostic.related
    )
    return replace(diagnostic, file=file, related=related)
