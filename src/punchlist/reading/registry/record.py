"""The record of a parser: its name, where its code is, and how a log or a command shows that it is wanted."""

from punchlist.records import dataclass


@dataclass(frozen=True, slots=True)
class Parser:
    """One row of the registry.

    `module` holds `parse(log, context) -> Reading`, or for one-line formats `rows:MODULE` names the table
    `punchlist.reading.rows.MODULE` whose rows for `name` are used. `commands` are the words a command begins with
    ("pytest", "cargo test"); more words are more specific. `signs` are literals of which any one in the log makes the
    parser worth trying without such a command, `sign` a pattern (MULTILINE) that must then match as well. `anchors`
    are further literals around which lines of a very large log are kept. `kind` says what the tool does.
    """

    name: str
    module: str
    commands: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    sign: str = ""
    anchors: tuple[bytes, ...] = ()
    kind: str = "lint"  # test, lint, types, compile, build, format, package, report
    formats: str = ""
    aliases: tuple[str, ...] = ()
