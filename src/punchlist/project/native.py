"""Read Punchlist's own settings: `punchlist.toml`, or `[tool.punchlist]` in pyproject.toml."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from punchlist.model import Trouble
from punchlist.project.positions import KeyPath, line_of, toml_lines
from punchlist.project.records import (
    COMMANDS,
    MONOREPO_MODES,
    PAYLOADS,
    TOOL_NAMES,
    TOOLSETS,
    WRITES,
    Budget,
    Check,
    Keep,
    Step,
    steps_limit,
)
from punchlist.project.schema import (
    Key,
    Path_,
    Source,
    Spec,
    boolean,
    choice,
    duration,
    integer,
    is_name,
    kind,
    milliseconds,
    nearest,
    read_map,
    read_table,
    size,
    string,
    strings,
    variables,
)
from punchlist.project.settings import EngineSetting, ParserSetting, Template

ENGINES = (
    "oxlint",
    "tsc",
    "biome",
    "eslint",
    "ruff",
    "mypy",
    "pyright",
    "basedpyright",
    "ty",
    "pyrefly",
    "clippy",
    "go-vet",
    "golangci-lint",
    "shellcheck",
    "rubocop",
    "phpstan",
)


def _any(shape: str, doc: str, default: str = "none") -> Key:
    return Key(shape, lambda value: value, default, doc)


def _presentation(value: object) -> bool | tuple[str, ...]:
    if isinstance(value, bool):
        return value
    if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
        return tuple(value)
    raise ValueError


TOP: Spec = {
    "payload": choice("how MCP results look", PAYLOADS, "brief"),
    "compact": boolean("short keys in the JSON of project checks", "false"),
    "monorepo_mode": choice("how workspace packages are planned", MONOREPO_MODES, "auto"),
    "tools": strings(
        "what the MCP server shows",
        "all",
        words=(*TOOLSETS, *TOOL_NAMES),
        shape=", ".join(TOOLSETS) + " or names of single tools",
    ),
    "commands": choice("which commands `execute_command` may run", COMMANDS, "any"),
    "writes": choice("whether fixes may be written", WRITES, "ask"),
    "ignore": strings(
        "globs of files no engine looks at, as in .gitignore; replaces the default list",
        "node_modules, dist, state folders",
    ),
    "extend_ignore": strings("globs added to `ignore`", "none"),
    "timeout": duration("longest time of a check that names none", "10m"),
    "max_output": size("output of one run after which it is ended", "1 GiB"),
    "parallel": integer("checks that run at the same time", "4"),
    "presentation": Key(
        "true, false or a list of variable names",
        _presentation,
        "true",
        "whether a run sets variables for plain, wide output; a list names the ones it may set",
    ),
    "discover": boolean("add the checks found in manifests and build files", "true, false beside signal.config.json"),
    "checks": _any("a table", "the checks, by name"),
    "engines": _any("a table", "the engines of project checks, by name"),
    "parsers": _any("a table", "parsers of your own, by name"),
    "templates": _any("a table", "output filters, by name"),
    "budget": _any("a table", "tokens an answer may cost", "see below"),
    "keep": _any("a table", "how much history is kept", "see below"),
}

CHECK: Spec = {
    "command": string("the shell command; `${VAR}` is replaced when it runs", "or `steps`"),
    "steps": _any(
        "a list of commands or step tables", "commands run one after the other, instead of `command`", "or `command`"
    ),
    "fail_fast": boolean("stop at the first failing step", "true"),
    "timeout": duration("longest time of the whole check", "the general one"),
    "cwd": string("folder it runs in, relative to the root", "the root"),
    "env": variables("variables added to the environment", "none"),
    "parser": string("the parser to read its output with", "found from command and output"),
    "reports": strings("globs of report files it writes (JUnit XML, SARIF ...), relative to `cwd`", "none", one=True),
    "on_failure": string("command run after a failure, its output kept apart", "none"),
    "strip_path_prefix": string("text taken off the front of every path, such as a container's folder", "none"),
    "description": string("one line for people and agents", "none"),
    "cmd": string("", alias_of="command"),
    "adapter": string("", alias_of="parser"),
    "timeout_ms": milliseconds("", alias_of="timeout"),
}

STEP: Spec = {
    "name": string("its name, unique in the check", "step-1, step-2 ..."),
    "command": string("the shell command"),
    "timeout": duration("longest time of this step", "none of its own"),
    "cwd": string("folder, relative to the check's", "the check's"),
    "env": variables("variables added to the check's", "none"),
    "parser": string("the parser to read its output with", "the check's"),
    "on_failure": string("command run after this step failed", "none"),
    "strip_path_prefix": string("text taken off the front of every path", "the check's"),
    "cmd": string("", alias_of="command"),
    "adapter": string("", alias_of="parser"),
    "timeout_ms": milliseconds("", alias_of="timeout"),
}

ENGINE: Spec = {
    "enabled": boolean("use it, or not", "where the project shows its marker"),
    "config": string("its configuration file, relative to the root", "found as the tool does"),
    "timeout": duration("longest time of one run", "the engine's"),
    "include_formatter": boolean("biome: report formatting too", "false"),
    "skip_lib_check": boolean("tsc: add --skipLibCheck", "as the project says"),
}

PARSER: Spec = {
    "pattern": strings("a regex with named groups, or a list for consecutive lines", "or `file`", one=True),
    "loop": boolean("the last regex repeats", "false"),
    "file": string("a VS Code or GitHub problem-matcher file, instead of `pattern`", "or `pattern`"),
    "owner": string("the matcher in that file, by owner or name", "all of them"),
    "severity": choice("severity where the line tells none", ("error", "warning", "info", "hint"), "error"),
    "commands": strings("regexes of commands it is used for", "only where a check names it", one=True),
    "examples": strings("globs of example logs kept beside it", "none", one=True),
}

TEMPLATE: Spec = {
    "description": string("when to use it", "none"),
    "include_regex": string("lines to keep, a JavaScript regular expression without flags"),
    "tail_paragraphs": integer("paragraphs kept from the end", "0", least=0),
    "suppress_output_on_success": boolean("say one line only when the command passes", "as the call asks, else true"),
}

BUDGET: Spec = {
    "run": integer("tokens of a run's answer", "1500", least=100),
    "check": integer("tokens of a project check's answer", "2400", least=100),
}

KEEP: Spec = {
    "runs": integer("newest runs kept per check", "20"),
    "engine_checks": integer("newest engine checks kept", "50"),
    "size": size("size of all logs together before old ones go", "2 GiB"),
}

TABLES: Mapping[str, Spec] = {
    "": TOP,
    "checks.NAME": CHECK,
    "checks.NAME.steps": STEP,
    "engines.NAME": ENGINE,
    "parsers.NAME": PARSER,
    "templates.NAME": TEMPLATE,
    "budget": BUDGET,
    "keep": KEEP,
}


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
    source = Source(name, _finder(text))
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


def settings_table() -> str:
    """Return the Markdown tables of all native settings, made from the very tables that read them."""
    parts = []
    for title, spec in TABLES.items():
        rows = [
            f"### `[{title}]`" if title else "### Top level",
            "",
            "| key | value | default | meaning |",
            "|---|---|---|---|",
        ]
        for key, entry in spec.items():
            if entry.alias_of:
                rows.append(f"| `{key}` | {entry.shape} | | as in `signal.config.json`: `{entry.alias_of}` |")
            else:
                rows.append(f"| `{key}` | {entry.shape} | {entry.default or 'needed'} | {entry.doc} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"
