"""What is said about one finding: its message with the values that explain it, and the detail that says more."""

import re
from collections import Counter
from functools import lru_cache

from punchlist.analysis.fingerprint import squash
from punchlist.analysis.ranking import foreign
from punchlist.model import Diagnostic

_VALUES = re.compile(
    r"\s*(?:left|right|expected|actual|received|got|want|wanted|but was|found|which is)(?: \w+)?\s*[:=]\s|\s*assert\s",
    re.I,
)
_LABEL = re.compile(r"(?:with expansion|left|right|expected|actual|received|got|want(?:ed)?)(?: \w+)?:", re.I)
_LEGEND = re.compile(r"[-+]\s*(?:Expected|Received|Snapshot|actual|expected)\s*")
_FRAME = re.compile(r"^\s*(?:-->|:::|╭─\[)|\bat\b|\bFile \"|^\s*\d+:|^\s*\S+:\d+|❯|^\s*#\d+ |^\s*from \S+:\d+")
_PATH = re.compile(r"(?:node:)?[\w.@~+-]*(?:/[\w.@~+-]+)+")
_ENGINE = re.compile(r"\bat (?:\S+ )?\(?(?:node|internal|native):?")
_SOURCE = re.compile(r"\s*>?\s*(\d{0,7})\s*[|│](.*)")
_CARETS = re.compile(r"^\s*[|│][ |_-]*\^+ (\S.*)$", re.M)
_MOST_VALUES = 4
_NEW_WORDS = 3
_AGAIN = 3
_LONG = 20
_MESSAGE = 200
_VALUE = 120


@lru_cache(maxsize=4096)
def _parted(message: str, detail: str) -> tuple[str, str, int]:
    """Message, the values that follow it in the detail, and how many lines of the detail those are."""
    base = squash(message)
    if not detail or len(base) > _MESSAGE:
        return base, "", 0
    said: list[str] = []
    used = 0
    wanted = base.endswith(":")
    for line in detail.splitlines():
        text = squash(line)
        if text and (said or text not in base):
            fits = len(text) <= _VALUE and len(base) + sum(map(len, said)) + len(text) <= _MESSAGE
            label = bool(_LABEL.fullmatch(text))
            if not fits or len(said) >= _MOST_VALUES or not (wanted or label or _VALUES.match(line)):
                break
            wanted = label or base.endswith(":") or text.endswith(("where", ","))
            said.append(text)
        used += 1
    if said and _LABEL.fullmatch(said[-1]):
        return base, "", 0
    return (base, " ".join(said), used) if said else (base, "", 0)


def message(d: Diagnostic) -> str:
    """The message on one line, with what explains it: values the detail begins with, a compiler's main label."""
    base, values, _ = _parted(d.message, d.detail)
    return f"{base} {values or ('' if d.test else _label(base, d.detail, d.rule or ''))}".rstrip()


@lru_cache(maxsize=4096)
def _label(base: str, detail: str, rule: str) -> str:
    """What a compiler writes beside the carets under the source: `expected u32, found i64`."""
    found = _CARETS.search(detail) if "^" in detail and len(base) <= _MESSAGE else None
    if not found:
        return ""
    label = squash(found[1])
    new = [word for word in re.findall(r"\w+", label) if word not in base]
    return "" if len(new) < _NEW_WORDS or label == rule or len(label) > _VALUE else f"({label})"


def detail(d: Diagnostic, *, whole: bool = False) -> tuple[str, ...]:
    """Lines of the detail that say more than the message and the place.

    Foreign frames are folded into a count; of source code shown around a finding only its own line stays, for the
    file is at hand. With `whole` the source code stays too.
    """
    place = f"{d.file}:{d.line}" if d.file and d.line else ""
    return _detail(d.message, d.detail, place, None if whole or d.test else d.line)


@lru_cache(maxsize=4096)
def _detail(text: str, detail: str, place: str, own_line: int | None) -> tuple[str, ...]:
    if not detail:
        return ()
    known = squash(text)
    used = _parted(text, detail)[2]
    lines: list[str] = []
    folded = 0
    for line in detail.expandtabs(4).splitlines()[used:]:
        bare = squash(line)
        if not bare or bare == known or (own_line is not None and _is_source(line, own_line)):
            continue
        if _FRAME.search(line):
            if _foreign_frame(line):
                folded += 1
                continue
            if place and place in line:
                continue
        lines.append(line.rstrip())
    if all(_adds_nothing(line, known) for line in lines):
        return ()
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    shown = _once([line[indent:] for line in lines])
    return (*shown, f"({folded} foreign frame{'s' * (folded > 1)})") if folded else tuple(shown)


def _is_source(line: str, own_line: int) -> bool:
    """Is this source code around a finding, or a ruler under it that carries no words?"""
    found = _SOURCE.match(line)
    if not found:
        return False
    number, text = found.groups()
    return int(number) != own_line if number else not text.strip(" |_^~-=+:.")


def _once(lines: list[str]) -> list[str]:
    """Lines in their order; a long one that comes again and again stands once, with its number."""
    times = Counter(lines)
    again = {line for line, n in times.items() if n >= _AGAIN and len(line) >= _LONG}
    first = dict.fromkeys(lines)
    if not again:
        return lines
    out: list[str] = []
    for line in lines:
        if line not in again:
            out.append(line)
        elif line in first:
            del first[line]
            out.append(f"{line} (x{times[line]})")
    return out


def _foreign_frame(line: str) -> bool:
    path = _PATH.search(line)
    return foreign(path[0]) if path else bool(_ENGINE.search(line))


def _adds_nothing(line: str, known: str) -> bool:
    """Is this a line of a difference, or a rest of one, that the message itself already holds?"""
    bare = squash(line)
    return bool(_LEGEND.fullmatch(bare)) or bare.lstrip("-+ ") in known
