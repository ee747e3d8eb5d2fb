"""The records that only some runs need (templates, own parsers, engines), apart so that a plain run starts fast."""

from pathlib import Path

from punchlist.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A quiet-shell template: keep lines that match, and the last paragraphs. `file` and `line` say where it stands."""

    name: str
    description: str
    include_regex: str
    tail_paragraphs: int
    suppress_output_on_success: bool | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserSetting:
    """A parser its user describes: regexes with named groups, or a file of problem matchers read as it is.

    `patterns` apply to consecutive lines; with `loop` the last one repeats. `examples` are globs of files kept beside
    it. `commands` are regexes of the commands it is for. Paths are relative to `folder`.
    """

    name: str
    patterns: tuple[str, ...] = ()
    loop: bool = False
    file_of_matchers: str | None = None
    owner: str | None = None
    severity: str | None = None
    commands: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    folder: Path | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSetting:
    """How one engine is to be used; `enabled` None means: where the project shows its marker."""

    enabled: bool | None = None
    config: str | None = None
    timeout_s: float | None = None
    include_formatter: bool = False
    skip_lib_check: bool | None = None
