"""Diagnostics that a caller hands over: items of the Language Server Protocol, checked one by one, or a report's text.

Positions of the protocol count from 0 and in UTF-16 units; whoever sends them may be wrong about anything.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from punchlist.engines.columns import in_characters
from punchlist.model import Diagnostic, Related, Severity, Trouble
from punchlist.project.paths import from_uri, is_absolute, relative
from punchlist.records import replace

SEVERITIES: dict[object, Severity] = {0: "error", 1: "error", 2: "warning", 3: "info", 4: "hint"}
SEVERITIES |= {"error": "error", "warning": "warning", "info": "info", "information": "info", "hint": "hint"}
MOST_FAULTS = 5
MOST_RELATED = 20
LARGEST = 2**31 - 1


def from_items(items: Iterable[Any], root: Path, tool: str) -> dict[str, list[tuple[Diagnostic, str]]]:
    """Return the findings by root-relative file, each with the name of the tool that the item gives ("" none).

    An item is a diagnostic with its `file` (or `uri`), or what a server publishes: `uri` and `diagnostics`, which
    names its file also where it is empty. Raises Trouble (`invalid_arguments`) that names each item that is wrong.
    """
    found: dict[str, list[tuple[Diagnostic, str]]] = {}
    faults: list[str] = []
    for where, item in _flat(items, faults):
        file, one = _read(item, where, root, tool, faults)
        if file is not None:
            those = found.setdefault(file, [])
            if one is not None:
                those.append(one)
    if faults:
        more = f"; and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
        raise Trouble("; ".join(faults[:MOST_FAULTS]) + more, "invalid_arguments")
    return found


def _flat(items: Iterable[Any], faults: list[str]) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield (name for a fault, item); the items of a published set carry its file, an empty set is an item without."""
    for at, item in enumerate(items):
        where = f"diagnostics.{at}"
        if not isinstance(item, dict):
            faults.append(f"{where}: expected object")
        elif isinstance(item.get("diagnostics"), list):
            place = {name: item[name] for name in ("file", "uri") if name in item}
            yield where, place
            for n, inner in enumerate(item["diagnostics"]):
                if isinstance(inner, dict):
                    yield f"{where}.diagnostics.{n}", {**place, **inner}
                else:
                    faults.append(f"{where}.diagnostics.{n}: expected object")
        else:
            yield where, {"message": None, **item}


def _read(
    item: Mapping[str, Any], where: str, root: Path, tool: str, faults: list[str]
) -> tuple[str | None, tuple[Diagnostic, str] | None]:
    wrong = len(faults)
    file = file_of(item.get("file") or item.get("uri"), root)
    if file is None:
        faults.append(f"{where}.file: expected a path or a file: URI")
    if "message" not in item:
        return file, None
    message = item["message"]
    if isinstance(message, dict):  # MarkupContent, as 3.18 allows it
        message = message.get("value")
    if not isinstance(message, str) or not message.strip():
        faults.append(f"{where}.message: expected text")
    severity = _severity(item.get("severity"))
    if severity is None:
        faults.append(f"{where}.severity: expected 1 (error), 2 (warning), 3 (info) or 4 (hint)")
    given = item.get("range")
    if not isinstance(given, dict):
        faults.append(f"{where}.range: required")
    start = _position(given, "start", where, faults)
    end = _position(given, "end", where, faults, optional=True)
    if len(faults) > wrong or file is None or severity is None or not isinstance(message, str):
        return file, None
    head, _, rest = message.strip().partition("\n")
    line, column = start or (None, None)
    end_line, end_column = end if end and start and end >= start else (None, None)
    d = Diagnostic(
        message=head.strip(),
        detail=rest.rstrip(),
        severity=severity,
        file=file,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        rule=_rule(item.get("code")),
        tool=tool,
        related=_related(item.get("relatedInformation"), root),
    )
    source = item.get("source")
    return file, (d, source.strip() if isinstance(source, str) else "")


def _severity(given: Any) -> Severity | None:
    """Return a severity, None for what is none; where it is left out the protocol lets the reader choose."""
    if given is None:
        return "warning"
    if isinstance(given, str):
        given = given.casefold()
    return SEVERITIES.get(given) if isinstance(given, str | int) and not isinstance(given, bool) else None


def _position(given: Any, key: str, where: str, faults: list[str], *, optional: bool = False) -> tuple[int, int] | None:
    """Return line and column from 1; below 0 is taken for 0."""
    position = given.get(key) if isinstance(given, dict) else None
    if position is None and (optional or not isinstance(given, dict)):
        return None
    numbers = [position.get(name) if isinstance(position, dict) else None for name in ("line", "character")]
    if not all(isinstance(n, int | float) and not isinstance(n, bool) and n == n for n in numbers):
        faults.append(f"{where}.range.{key}: expected line and character, numbers from 0")
        return None
    line, column = (int(min(max(n or 0, 0), LARGEST - 1)) + 1 for n in numbers)
    return line, column


def _rule(code: Any) -> str | None:
    if isinstance(code, dict):
        code = code.get("value")
    if isinstance(code, bool) or not isinstance(code, str | int):
        return None
    return str(code).strip() or None


def _related(given: Any, root: Path) -> tuple[Related, ...]:
    found = []
    for one in given[:MOST_RELATED] if isinstance(given, list) else ():
        location = one.get("location") if isinstance(one, dict) else None
        if not isinstance(location, dict) or not isinstance(one.get("message"), str):
            continue
        start = _position(location.get("range"), "start", "", [])
        line, column = start or (None, None)
        found.append(Related(one["message"], file_of(location.get("uri"), root), line, column))
    return tuple(found)


def file_of(given: Any, root: Path) -> str | None:
    """Return a path or `file:` URI root-relative with `/`; outside of the root it stays absolute; None for no path."""
    if not isinstance(given, str) or not given.strip() or "\0" in given:
        return None
    path = from_uri(given)
    if "://" in path:
        return path  # untitled:, vscode-notebook-cell: and their like are names of their own
    if "\\" in path and not is_absolute(path) and not os.path.lexists(root / path):
        path = path.replace("\\", "/")
    shown = relative(path, root)
    real = os.path.realpath(root)
    return Path(shown).relative_to(real).as_posix() if shown.startswith(real + os.sep) else shown


def in_code_points(diagnostics: Iterable[Diagnostic], root: Path) -> list[Diagnostic]:
    """Return findings whose columns count UTF-16 units with columns in code points, as the files' lines tell."""
    top = os.path.realpath(root)

    def read(file: str) -> bytes | None:
        try:
            path = Path(os.path.realpath(root / file))
            return path.read_bytes() if path.is_relative_to(top) and path.is_file() else None
        except (OSError, ValueError):
            return None

    return in_characters(diagnostics, "utf16", read)


def from_report(text: str, form: str, root: Path) -> dict[str, list[tuple[Diagnostic, str]]]:
    """Return the findings in a report's text by file ("" for those of no file); `form` is a parser's name or alias.

    Raises Trouble (`unknown_parser`, `not_understood`): a report that cannot be read changes nothing.
    """
    from punchlist.reading.reader import read

    name = parser_named(form)
    report = read(text.encode("utf-8", "surrogatepass"), root=os.path.realpath(root), parser=name)
    if name not in report.tools and not _says_nothing(text):
        raise Trouble(f"the report was not understood as {form}; nothing was changed", "not_understood")
    found: dict[str, list[tuple[Diagnostic, str]]] = {}
    for d in report.diagnostics:
        found.setdefault(d.file or "", []).append((replace(d, log=None), d.tool))
    return found


def _says_nothing(text: str) -> bool:
    """Whether a report in JSON holds an empty list and nothing else: no parser knows it by its looks."""
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return value == [] or (isinstance(value, dict) and list(value.values()) == [[]])


def parser_named(name: str) -> str:
    """Return the parser that a name or alias stands for."""
    from punchlist.reading.registry import BY_NAME, PARSERS

    wanted = name.strip().casefold()
    if wanted in BY_NAME:
        return wanted
    known = {alias: parser.name for parser in PARSERS for alias in (*parser.aliases, *parser.commands)}
    known |= {"golangci": "golangci-lint", "checkstyle": "checkstyle-xml"}
    if wanted in known and known[wanted] in BY_NAME:
        return known[wanted]
    import difflib

    near = difflib.get_close_matches(wanted, [*BY_NAME, *known], 3)
    said = f"; near: {', '.join(near)}" if near else ""
    raise Trouble(f"no report format is called {name!r}{said}; `punchlist parsers` lists them", "unknown_parser")
