"""Parsers that users describe in the configuration, and those that other packages register."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from punchlist.model import Diagnostic, Severity, Trouble
from punchlist.project.settings import ParserSetting
from punchlist.reading.javascript_regex import UntranslatableError, translate
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity
from punchlist.records import dataclass

Parse = Callable[[Log, Context], Reading]
ENTRY_POINTS = "punchlist.parsers"
LINE_S = 0.1
WIDTH = 4_000
FIELDS = ("file", "line", "column", "end_line", "end_column", "severity", "rule", "message", "test")
# What VS Code and GitHub call the parts of a problem matcher's pattern.
MATCHER_FIELDS = {"file": "file", "fromPath": "", "line": "line", "column": "column", "endLine": "end_line",
                  "endColumn": "end_column", "severity": "severity", "code": "rule", "message": "message"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a format: a compiled pattern and which group holds which part; `loop` repeats it."""

    search: Callable[..., Any]
    groups: Mapping[str, int | str]
    loop: bool = False


@dataclass(frozen=True, slots=True)
class OwnParser:
    """A parser of the user's: patterns for consecutive lines, the severity of findings that name none."""

    name: str
    patterns: tuple[Pattern, ...]
    severity: Severity = "error"
    commands: tuple[str, ...] = ()


def own_parsers(settings: Mapping[str, ParserSetting]) -> dict[str, list[OwnParser]]:
    """Build the parsers of a configuration by name; a pattern that does not compile is a Trouble with file and line."""
    return {name: list(_built(setting)) for name, setting in settings.items()}


def _built(setting: ParserSetting) -> Iterator[OwnParser]:
    default = severity(setting.severity, "error")
    if setting.file_of_matchers:
        for matcher in _matchers(setting):
            level = severity(matcher.get("severity"), default)
            yield OwnParser(setting.name, tuple(_matcher_patterns(matcher, setting)), level, setting.commands)
    if setting.patterns:
        last = len(setting.patterns) - 1
        patterns = tuple(
            _compiled(text, setting, loop=setting.loop and at == last) for at, text in enumerate(setting.patterns)
        )
        yield OwnParser(setting.name, patterns, default, setting.commands)


def _where(setting: ParserSetting) -> str:
    return f"{setting.file}:{setting.line}: " if setting.file and setting.line else ""


def _compiled(text: str, setting: ParserSetting, *, loop: bool) -> Pattern:
    import regex

    try:
        pattern = regex.compile(text)
    except regex.error as error:
        raise Trouble(
            f"{_where(setting)}parsers.{setting.name}: {error} in {text!r}", "invalid_configuration"
        ) from error
    groups = {name: name for name in pattern.groupindex if name in FIELDS}
    unknown = [name for name in pattern.groupindex if name not in FIELDS]
    if unknown:
        known = ", ".join(FIELDS)
        raise Trouble(
            f"{_where(setting)}parsers.{setting.name}: no group is called {unknown[0]!r}; choose from {known}",
            "invalid_configuration",
        )
    return Pattern(pattern.search, groups, loop)


def _matchers(setting: ParserSetting) -> list[dict[str, Any]]:
    path = (setting.folder or Path.cwd()) / str(setting.file_of_matchers)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Trouble(
            f"{path.name}: {error}; it has to be a problem-matcher file in JSON", "invalid_configuration"
        ) from error
    found = list(_find_matchers(value))
    wanted = [one for one in found if setting.owner in (None, one.get("owner"), one.get("name"))]
    if not wanted:
        raise Trouble(
            f"{path.name}: no problem matcher" + (f" of {setting.owner!r}" if setting.owner else ""),
            "invalid_configuration",
        )
    return wanted


def _find_matchers(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "pattern" in value and isinstance(value["pattern"], dict | list):
            yield value
        else:
            for inner in value.values():
                yield from _find_matchers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _find_matchers(inner)


def _matcher_patterns(matcher: Mapping[str, Any], setting: ParserSetting) -> Iterator[Pattern]:
    import regex

    listed = matcher["pattern"] if isinstance(matcher["pattern"], list) else [matcher["pattern"]]
    for one in listed:
        text = one.get("regexp", "") if isinstance(one, dict) else ""
        try:
            pattern = regex.compile(translate(text))
        except (UntranslatableError, regex.error) as error:
            raise Trouble(
                f"{_where(setting)}parsers.{setting.name}: {error} in {text!r}", "invalid_configuration"
            ) from error
        groups = {
            ours: one[theirs] for theirs, ours in MATCHER_FIELDS.items() if ours and isinstance(one.get(theirs), int)
        }
        if isinstance(one.get("location"), int):
            groups["location"] = one["location"]
        yield Pattern(pattern.search, groups, bool(one.get("loop")))


def parse(parsers: Sequence[OwnParser], log: Log) -> Reading:
    """Read a log with a user's patterns; each line is given a tenth of a second at most."""
    reading = Reading()
    for parser in parsers:
        index = 0
        while index < len(log.lines):
            index = _at(parser, log, index, reading) or index + 1
    return reading


def _at(parser: OwnParser, log: Log, start: int, reading: Reading) -> int | None:
    """Read one finding, or a run of them where the last pattern repeats, from line `start`; return where it ends."""
    parts: dict[str, str] = {}
    index = start
    last = len(parser.patterns) - 1
    for at, pattern in enumerate(parser.patterns):
        found = _match(pattern, log, index)
        if found is None:
            return None
        index += 1
        if at < last:
            parts |= found
            continue
        _add(parser, log, start, index, parts | found, reading)
        while pattern.loop and (found := _match(pattern, log, index)) is not None:
            _add(parser, log, index, index + 1, parts | found, reading)
            index += 1
    reading.claim(start, index)
    return index


def _match(pattern: Pattern, log: Log, index: int) -> dict[str, str] | None:
    if index >= len(log.lines):
        return None
    try:
        match = pattern.search(log.lines[index][:WIDTH], timeout=LINE_S)
    except TimeoutError:
        return None
    if match is None:
        return None
    return {name: match[group] for name, group in pattern.groups.items() if match[group] is not None}


def _add(parser: OwnParser, log: Log, first: int, end: int, parts: Mapping[str, str], reading: Reading) -> None:
    place = dict(parts)
    if "location" in place:
        numbers = place["location"].split(",")
        place.update(zip(("line", "column", "end_line", "end_column"), numbers, strict=False))
    reading.add(
        Diagnostic(
            message=(place.get("message") or log.lines[end - 1]).strip(),
            severity=severity(place.get("severity"), parser.severity),
            file=place.get("file"),
            line=number(place.get("line")),
            column=number(place.get("column")),
            end_line=number(place.get("end_line")),
            end_column=number(place.get("end_column")),
            rule=place.get("rule"),
            test=place.get("test"),
            tool=parser.name,
            log=log.span(first, end - 1),
        )
    )


def registered(name: str) -> Parse | None:
    """Return the parser that another package registers under the entry point `punchlist.parsers`, loaded now."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS, name=name):
        loaded: Parse = entry.load()
        return loaded
    return None


def registered_names() -> list[str]:
    """Return the names that other packages register, without loading any of them."""
    from importlib.metadata import entry_points

    return sorted(entry.name for entry in entry_points(group=ENTRY_POINTS))
