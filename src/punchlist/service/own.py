"""The project's own parsers: which ones a command asks for, the list of all, and their examples."""

import json
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from punchlist.project.records import Config
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.reader import Parse, read
from punchlist.reading.registry import BY_NAME, PARSERS
from punchlist.reading.users import OwnParser, own_parsers, parse, registered, registered_names
from punchlist.service.project import Project


def wanted(config: Config, command: str, parser: str | None) -> Mapping[str, Parse]:
    """Return the own parsers to be tried on a command's log: the one named, else those whose `commands` match."""
    found: dict[str, Parse] = {}
    settings = {
        name: setting
        for name, setting in config.parsers.items()
        if name == parser or (parser is None and any(re.search(one, command) for one in setting.commands))
    }
    for name, parsers in own_parsers(settings).items():
        found[name] = partial(_parse, tuple(parsers))
    if parser is not None and parser not in found and parser not in BY_NAME:
        loaded = registered(parser)
        if loaded is not None:
            found[parser] = loaded
    return found


def _parse(parsers: tuple[OwnParser, ...], log: Log, _context: Context) -> Reading:
    return parse(parsers, log)


def listed(project: Project) -> list[str]:
    """Return one line a parser: name, kind, what names it, formats; own and registered ones last."""
    lines = []
    for one in sorted(PARSERS, key=lambda parser: parser.name):
        known_by = ", ".join(one.commands[:4]) or "its output"
        lines.append(f"{one.name:<20} {one.kind:<8} {known_by}  ({one.formats or 'default'})")
    lines += [
        f"{name:<20} own      {', '.join(s.commands) or 'when named'}" for name, s in project.config.parsers.items()
    ]
    return lines + [f"{name:<20} package  when named" for name in registered_names()]


def tested(project: Project) -> tuple[list[str], bool]:
    """Read each example of the own parsers; beside `x.log` stands `x.json`, the diagnostics that it has to give."""
    lines: list[str] = []
    failed = False
    for name, setting in project.config.parsers.items():
        folder = setting.folder or project.folder
        parsers = own_parsers({name: setting})[name]
        for path in sorted({path for pattern in setting.examples for path in folder.glob(pattern)}):
            if path.suffix == ".json":
                continue
            good, said = _example(name, tuple(parsers), path)
            failed |= not good
            lines.append(f"{'ok' if good else 'FAILED'} {name} {path.name}: {said}")
    return lines, failed


def _example(name: str, parsers: tuple[OwnParser, ...], path: Path) -> tuple[bool, str]:
    report = read(path.read_bytes(), parser=name, own={name: partial(_parse, parsers)})
    found = [d for d in report.diagnostics if d.tool == name]
    beside = path.with_suffix(".json")
    if not beside.exists():
        return bool(found), f"{len(found)} findings (no {beside.name} to hold them against)"
    expected = json.loads(beside.read_text(encoding="utf-8"))
    for at, want in enumerate(expected):
        if at >= len(found):
            return False, f"{len(found)} findings, {len(expected)} expected"
        wrong = {key: value for key, value in want.items() if getattr(found[at], key, None) != value}
        if wrong:
            key = next(iter(wrong))
            return False, f"finding {at + 1}: {key} is {getattr(found[at], key, None)!r}, expected {wrong[key]!r}"
    return len(found) == len(expected), f"{len(found)} findings, {len(expected)} expected"
