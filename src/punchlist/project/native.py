"""Read Punchlist's own settings: `punchlist.toml`, or `[tool.punchlist]` in pyproject.toml."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from punchlist.model import Trouble
from punchlist.project.native_tables import (
    BUDGET,
    CHECK,
    ENGINE,
    ENGINES,
    KEEP,
    PARSER,
    STEP,
    TEMPLATE,
    TOP,
    settings_table,
)
from punchlist.project.positions import KeyPath, line_of, toml_lines
from punchlist.project.records import Budget, Check, Keep, Step, steps_limit
from punchlist.project.schema import Path_, Source, is_name, kind, nearest, read_map, read_table
from punchlist.project.settings import EngineSetting, ParserSetting, Template

__all__ = ["ENGINES", "parse_toml", "read", "settings_table"]


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """Parse TOML, or raise `Trouble` with file and line."""
    import re
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise Trouble(f"{name}: nested too deeply to be a configuration.", "invalid_configuration") from None
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at (?:line (\d+), column (\d+)|end of document)\)", str(error))
        place = f":{found[1]}:{found[2]}" if found and found[1] else f":{text.count(chr(10)) + 1}"
        said = re.sub(r"\s*\(at .*\)", "", str(error))
        raise Trouble(
            f"{name}{place}: not valid TOML: {said}. Mend it; it is read again at the next call.",
            "invalid_configuration",
        ) from None


def read(
    text: str, name: str, folder: Path, parsers: Collection[str] | None = None, table: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Read native settings into fields of `Config`, only those that the file names.

    `table` is where they stand in the file (`("tool", "punchlist")` in pyproject.toml). `parsers` are the known parser
    names, None accepts any. Raises `Trouble` with file, line and nearest valid name.
    """
    data: Any = parse_toml(text, name)
    for part in table:
        data = data.get(part, {}) if isinstance(data, dict) else data
    source = Source(name, _finder(text), text)
    values = read_table(source, table, data, TOP)
    own = {n for n, _, _ in read_map(Source(""), (), values.get("parsers") or {})}
    known = None if parsers is None else {*parsers, *own}
    reader = _Reader(source, folder, known)
    out: dict[str, Any] = {_FIELDS.get(key, key): value for key, value in values.items() if key not in _SUBTABLES}
    for key, read_one in (
        ("checks", reader.check),
        ("engines", reader.engine),
        ("parsers", reader.parser),
        ("templates", reader.template),
    ):
        if key in values:
            entries = read_map(source, (*table, key), values[key])
            out[key] = {n: record for n, path, raw in entries if (record := read_one(n, path, raw)) is not None}
    if "budget" in values:
        out["budget"] = Budget(**read_table(source, (*table, "budget"), values["budget"], BUDGET))  # type: ignore[arg-type]
    if "keep" in values:
        kept = read_table(source, (*table, "keep"), values["keep"], KEEP)
        out["keep"] = Keep(**{_FIELDS.get(k, k): v for k, v in kept.items()})  # type: ignore[arg-type]
    for key in ("ignore", "extend_ignore"):
        if key in out:
            out[key] = tuple(_anywhere(pattern) for pattern in out[key])
    source.finish()
    return out


def _anywhere(pattern: str) -> str:
    """Write a pattern so that it matches what git ignores by it: a bare name at any depth, a folder with all in it."""
    sign, text = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    anchored = "/" in text.rstrip("/")
    text = text.replace("\\", "/").removeprefix("./").strip("/")
    text = text if text == "**" or text.endswith("/**") else f"{text}/**"
    return sign + (text if anchored or text == "**" else f"**/{text}")


_FIELDS = {"timeout": "timeout_s", "size": "bytes"}
_SUBTABLES = ("checks", "engines", "parsers", "templates", "budget", "keep")


def _finder(text: str) -> Callable[[KeyPath], int | None]:
    """Return a line finder that reads the text only when it is first asked."""
    lines: dict[KeyPath, int] = {}

    def find(path: KeyPath) -> int | None:
        if not lines:
            lines.update(toml_lines(text))
        return line_of(lines, path, text)

    return find


class _Reader:
    """Turns the raw tables of one file into records."""

    def __init__(self, source: Source, folder: Path, parsers: Collection[str] | None) -> None:
        self.source = source
        self.folder = folder
        self.parsers = parsers

    def check(self, name: str, path: Path_, raw: object) -> Check | None:
        data = {"command": raw} if isinstance(raw, str) else raw
        values: dict[str, Any] = read_table(self.source, path, data, CHECK)
        command, raw_steps = values.pop("command", None), values.pop("steps", None)
        if (command is None) == (raw_steps is None):
            if isinstance(data, dict) and not ({"command", "cmd", "steps"} & data.keys() and command is raw_steps):
                wants = "either `command` or `steps`, not both" if command else "`command` or `steps`"
                self.source.problem(path, f'check "{name}" needs {wants}.')
            return None
        self._parser_known((*path, "parser"), values)
        steps = (Step(name=name, command=command),) if command else self._steps(name, (*path, "steps"), raw_steps)
        if not steps:
            return None
        values["timeout_s"] = values.pop("timeout", None) or steps_limit(steps)
        where: dict[str, Any] = {
            "origin": self.source.name,
            "file": self.source.name,
            "line": self.source.line_of(path),
        }
        return Check(name=name, steps=steps, pipeline=command is None, base=self.folder, **where, **values)

    def _steps(self, check: str, path: Path_, raw: object) -> tuple[Step, ...]:
        if not isinstance(raw, list) or not raw:
            self.source.problem(
                path, f'the steps of check "{check}" must be a list of commands or tables, not {kind(raw)}.'
            )
            return ()
        steps: list[Step] = []
        for index, item in enumerate(raw):
            here = (*path, index)
            values: dict[str, Any] = read_table(
                self.source, here, {"command": item} if isinstance(item, str) else item, STEP
            )
            values.setdefault("name", f"step-{index + 1}")
            if "command" not in values:
                self.source.problem(here, f'step "{values["name"]}" of check "{check}" needs a `command`.')
                continue
            if not is_name(values["name"]) or any(step.name == values["name"] for step in steps):
                self.source.problem(here, f'step name "{values["name"]}" must be a plain name, unique in the check.')
                continue
            self._parser_known((*here, "parser"), values)
            values["adapter"] = values.pop("parser", None)
            values["timeout_s"] = values.pop("timeout", None)
            steps.append(Step(**values))
        return tuple(steps)

    def _parser_known(self, path: Path_, values: dict[str, Any]) -> None:
        name = values.get("parser")
        if name is not None and self.parsers is not None and name not in self.parsers:
            self.source.problem(path, f'there is no parser "{name}".' + nearest(name, self.parsers))

    def engine(self, name: str, path: Path_, raw: object) -> EngineSetting | None:
        if name not in ENGINES:
            self.source.problem(path, f'there is no engine "{name}".' + nearest(name, ENGINES))
            return None
        values: dict[str, Any] = read_table(
            self.source, path, {"enabled": raw} if isinstance(raw, bool) else raw, ENGINE
        )
        for key, only in (("include_formatter", "biome"), ("skip_lib_check", "tsc")):
            if key in values and name != only:
                self.source.problem((*path, key), f'"{key}" is a setting of {only} only.')
        values["timeout_s"] = values.pop("timeout", None)
        return EngineSetting(**values)

    def parser(self, name: str, path: Path_, raw: object) -> ParserSetting | None:
        values: dict[str, Any] = read_table(self.source, path, raw, PARSER)
        if ("pattern" in values) == ("file" in values):
            if isinstance(raw, dict):
                self.source.problem(path, f'parser "{name}" needs either `pattern` or `file`.')
            return None
        values["patterns"] = values.pop("pattern", ())
        values["file_of_matchers"] = values.pop("file", None)
        where: dict[str, Any] = {"folder": self.folder, "file": self.source.name, "line": self.source.line_of(path)}
        return ParserSetting(name=name, **where, **values)

    def template(self, name: str, path: Path_, raw: object) -> Template | None:
        values: dict[str, Any] = read_table(self.source, path, raw, TEMPLATE)
        if "include_regex" not in values:
            if isinstance(raw, dict):
                self.source.problem(path, f'template "{name}" needs an `include_regex`.')
            return None
        values = {"description": "", "tail_paragraphs": 0, **values}
        line = self.source.line_of((*path, "include_regex"))
        return Template(name=name, file=self.source.name, line=line, **values)
