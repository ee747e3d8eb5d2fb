"""What makes two diagnostics the same finding, or of the same kind."""

import re
from functools import cache, lru_cache

from punchlist.model import Diagnostic

LONGEST = 2000
SLOT = "\x00"


def squash(text: str) -> str:
    """Fold white space, so that two spellings of one line compare equal."""
    return " ".join(text.split())


@cache
def _varying() -> re.Pattern[str]:
    """Quoted parts, paths, hexadecimal and other numbers; compiled when the first finding is looked at.

    An apostrophe inside a word ("can't") neither opens nor closes a quoted part.
    """
    return re.compile(
        r"(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))*'"
        r'|"[^"\n]*"|`[^`\n]*`|‘[^’\n]*’|“[^”\n]*”'
        r"|(?:\b[A-Za-z]:)?[\w.@~+-]*(?:[/\\][\w.@~+-]+)+"
        r"|\b0x[0-9a-fA-F]+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\d+(?:\.\d+)*"
    )


@lru_cache(maxsize=8192)
def split(message: str) -> tuple[str, tuple[str, ...]]:
    """Part a message into its template (varying parts replaced by SLOT) and the parts, in order."""
    line = squash(message[:LONGEST].replace(SLOT, " "))
    parts = tuple(_varying().findall(line))
    return _varying().sub(SLOT, line), parts


def rule_name(rule: str | None) -> str:
    """Name of a rule without its tool's name space: `eslint(no-var)`, `eslint/no-var` and `no-var` are one."""
    if not rule:
        return ""
    return re.split(r"::|\(", rule.rstrip(")"))[-1].casefold()


def key(text: str) -> str:
    """Twelve hex digits for a text."""
    import hashlib

    return hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:12]


def fingerprint(d: Diagnostic) -> str:
    """Key of the kind of a diagnostic: its rule and its message but for names, numbers and paths."""
    return _fingerprint(d.rule, d.message)


@lru_cache(maxsize=8192)
def _fingerprint(rule: str | None, message: str) -> str:
    return key(f"{rule_name(rule)}\n{split(message)[0]}")


def identity(d: Diagnostic) -> tuple[object, ...]:
    """What makes a finding this one and no other: place, rule, message, test and package."""
    return (d.package or "", d.file or "", d.line or 0, d.column or 0, d.rule or "", d.test or "", squash(d.message))
