"""Checks that task runners declare: Makefile, justfile, Taskfile."""

import re
from collections.abc import Iterator
from shlex import quote

from punchlist.project.discovery.folder import Folder, Found, line_in
from punchlist.project.discovery.names import is_check, plain_name, slug
from punchlist.project.manifests import table, yaml_of

_MAKE_TARGET = re.compile(r"^([A-Za-z0-9_][\w./ -]*?)\s*::?(?![:=])([^\n]*)((?:\n(?:\t[^\n]*|[ \t]*))*)", re.M)
_JUST_RECIPE = re.compile(r"^@?([A-Za-z][\w-]*)((?:[ \t][^:\n]*)?):(?!=)[^\n]*((?:\n(?:[ \t]+[^\n]*|))*)", re.M)
_COMPILES = re.compile(
    r"\.o\b|\$[({](?:CC|CXX|LD|GO|FC|MAKE|RUSTC)[)}]|\b(?:gcc|g\+\+|clang|cc|rustc|javac|gfortran)\s"
)
TASKFILES = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml")


def find(folder: Folder) -> Iterator[Found]:
    """Yield the targets that are checks, in the order of the file."""
    yield from _make(folder)
    yield from _just(folder)
    yield from _task(folder)


def _make(folder: Folder) -> Iterator[Found]:
    file = folder.first("GNUmakefile", "makefile", "Makefile")
    text = folder.text(file) if file else ""
    if not file:
        return
    seen: set[str] = set()
    for found in _MAKE_TARGET.finditer(text):
        for target in found[1].split():
            name = plain_name(target)
            if name is None or target in seen or "/" in target or not is_check(found[3]):
                continue
            seen.add(target)
            line = text.count("\n", 0, found.start()) + 1
            yield Found(name, f"make-{slug(target)}", f"make {target}", f"{file} target", file, line, declared=True)
    everything = line_in(text, r"^all\s*:(?!=)")
    if "build" not in seen and everything and _COMPILES.search(text):
        yield Found("build", "make", "make", f"{file} target", file, everything, declared=True)


def _just(folder: Folder) -> Iterator[Found]:
    file = folder.first("justfile", "Justfile", ".justfile")
    text = folder.text(file) if file else ""
    for found in _JUST_RECIPE.finditer(text):
        recipe, parameters = found[1], re.sub(r"\"[^\"]*\"|'[^']*'", "", found[2]).split()
        needs_more = any("=" not in word and not word.startswith("*") for word in parameters)
        name = plain_name(recipe)
        if file and name and not needs_more and is_check(found[3]):
            line = text.count("\n", 0, found.start()) + 1
            yield Found(name, f"just-{slug(recipe)}", f"just {recipe}", f"{file} recipe", file, line, declared=True)


def _task(folder: Folder) -> Iterator[Found]:
    file = folder.first(*TASKFILES)
    if file is None:
        return
    text = folder.text(file)
    for task, body in table(yaml_of(folder.path / file), "tasks").items():
        name = plain_name(task) if isinstance(task, str) else None
        hidden = isinstance(body, dict) and body.get("internal") is True
        if name and not hidden and is_check(str(body)):
            line = line_in(text, rf"^\s+[\"']?{re.escape(task)}[\"']?\s*:")
            yield Found(name, f"task-{slug(task)}", f"task {quote(task)}", f"{file} task", file, line, declared=True)
