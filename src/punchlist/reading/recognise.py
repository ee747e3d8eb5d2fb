"""Which parsers a log wants: by the command that made it, and by what stands in it."""

import re
from collections.abc import Iterable

from punchlist.reading.command import Invocation
from punchlist.reading.registry import PARSERS, Parser
from punchlist.records import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A parser to try; `words` and `directory` come from the command that names it, if one does."""

    parser: Parser
    words: tuple[str, ...] = ()
    directory: str = ""


def by_command(invocations: Iterable[Invocation]) -> list[Candidate]:
    """Return the parsers that a command asks for by name, each once."""
    found: dict[str, Candidate] = {}
    for invocation in invocations:
        for parser in PARSERS:
            if parser.name not in found and any(_begins(invocation.words, c) for c in parser.commands):
                found[parser.name] = Candidate(parser, invocation.words, invocation.directory)
    return list(found.values())


def by_signs(text: str) -> list[Candidate]:
    """Return the parsers whose signs stand in the cleaned text."""
    return [
        Candidate(parser)
        for parser in PARSERS
        if any(sign in text for sign in parser.signs) and (not parser.sign or re.search(parser.sign, text, re.M))
    ]


def candidates(invocations: Iterable[Invocation], text: str) -> list[Candidate]:
    """Return every parser worth trying, each once, in the registry's order."""
    named = by_command(invocations)
    names = {candidate.parser.name for candidate in named}
    others = [_with_command(candidate, named) for candidate in by_signs(text) if candidate.parser.name not in names]
    rank = {parser.name: at for at, parser in enumerate(PARSERS)}
    return sorted([*named, *others], key=lambda candidate: rank[candidate.parser.name])


def _with_command(candidate: Candidate, named: list[Candidate]) -> Candidate:
    """A report format belongs to the tool that the command runs, where that is one known tool."""
    if candidate.parser.kind == "report" and len(named) == 1:
        return Candidate(candidate.parser, named[0].words, named[0].directory)
    return candidate


def _begins(words: tuple[str, ...], command: str) -> bool:
    """Whether the words begin with the command's, options between them passed over (`cargo +nightly --locked test`)."""
    wanted = command.split()
    if not words or words[0] != wanted[0]:
        return False
    rest = [word for word in words[1:] if not word.startswith(("-", "+"))]
    return rest[: len(wanted) - 1] == wanted[1:] or (
        len(wanted) > 1 and all(w in words for w in wanted[1:]) and wanted[1].startswith("-")
    )
