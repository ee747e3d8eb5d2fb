"""Write the tables of the documentation from the code; `--check` only tells whether they are as they should be.

A page holds `<!-- table: NAME -->` and `<!-- end -->`; what stands between is replaced.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.S)


def parsers() -> str:
    """Return the table of parsers: name, what kind of tool, the commands that name it, formats."""
    from punchlist.reading.registry import PARSERS

    rows = ["| parser | kind | commands | formats |", "| --- | --- | --- | --- |"]
    for parser in sorted(PARSERS, key=lambda one: one.name):
        commands = ", ".join(f"`{command}`" for command in parser.commands) or "by the log alone"
        rows.append(f"| {parser.name} | {parser.kind} | {commands} | {parser.formats or 'default'} |")
    return "\n".join(rows)


def tools() -> str:
    """Return the table of MCP tools: name, arguments, what it does."""
    from punchlist.server.table import TOOLS

    rows = ["| tool | arguments | what it does |", "| --- | --- | --- |"]
    for tool in TOOLS.values():
        names = ", ".join(f"**{name}**" if name in tool.required else name for name in tool.properties) or "-"
        rows.append(f"| `{tool.name}` | {names} | {tool.description} |")
    return "\n".join(rows)


def verbs() -> str:
    """Return the table of the command line's verbs."""
    from punchlist.cli.main import VERBS

    return "\n".join(
        ["| verb | what it does |", "| --- | --- |", *(f"| `{verb}` | {text} |" for verb, text in VERBS.items())]
    )


def settings() -> str:
    """Return the tables of settings."""
    from punchlist.project.native import settings_table

    return settings_table()


def variables() -> str:
    """Return the table of presentation variables that a run sets."""
    from punchlist.running.environment import PRESENTATION

    rows = ["| variable | value | why |", "| --- | --- | --- |"]
    rows += [f"| `{v.name}` | {'taken away' if v.value is None else f'`{v.value}`'} | {v.why} |" for v in PRESENTATION]
    return "\n".join(rows)


TABLES: dict[str, Callable[[], str]] = {
    "parsers": parsers,
    "tools": tools,
    "verbs": verbs,
    "settings": settings,
    "variables": variables,
}


def filled(text: str) -> str:
    """Return a page with its tables as the code has them now."""

    def table(match: re.Match[str]) -> str:
        return f"{match[1]}{TABLES[match['name']]()}\n{match[3]}"

    return BLOCK.sub(table, text)


def main() -> int:
    """Fill every page; with --check name those that are behind and exit 1."""
    behind = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        new = filled(text)
        if new != text:
            behind.append(page.relative_to(ROOT).as_posix())
            if "--check" not in sys.argv:
                page.write_text(new, encoding="utf-8")
    if behind and "--check" in sys.argv:
        print(f"behind the code: {', '.join(behind)}; run python tools/docs.py")
        return 1
    print(f"docs: {'written: ' + ', '.join(behind) if behind else 'as the code has it'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
