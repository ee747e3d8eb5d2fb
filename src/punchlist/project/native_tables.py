"""Every native setting with its shape, default and meaning: what is read, and what the documentation shows."""

from collections.abc import Mapping

from punchlist.project.records import COMMANDS, MONOREPO_MODES, PAYLOADS, TOOL_NAMES, TOOLSETS, WARM, WRITES
from punchlist.project.schema import (
    Key,
    Spec,
    boolean,
    choice,
    duration,
    integer,
    milliseconds,
    size,
    string,
    strings,
    variables,
)

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
    "warm": choice(
        "whether the MCP server keeps language servers for edited files; auto: of slow engines", WARM, "auto"
    ),
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
