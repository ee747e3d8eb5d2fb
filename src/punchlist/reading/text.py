"""Bytes to clean lines with their original numbers: encodings, colours, links, carriage returns, backspaces."""

import re
from collections.abc import Iterable

from punchlist.reading.log import LINE_LIMIT, Log

# CSI, OSC (links, titles), DCS/APC strings, charset selections and the two-byte escapes; some CI systems keep escapes
# spelled out (`^[[31m`).
ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[PX^_][^\x1b\n]*(?:\x1b\\)?"
    r"|[()*+][A-Za-z0-9]|[@-Z\\-~=>78])"
    r"|\x9b[0-?]*[ -/]*[@-~]|\^\[\[[0-9;?]*[A-HJKSTfhlmsu]"
)
# A move to the first column and a line erased begin a line anew, as a carriage return does.
REWRITES = re.compile(r"\x1b\[(?:[01]?G|2K)")
ODD = re.compile("[\x00\x08\x0e\x0f\ufeff]")
BACKSPACES = re.compile("[^\x08]\x08")
# An earlier frame of a rewritten line is kept only where it says something: progress is not a finding.
SAYS_SOMETHING = re.compile(r"error|fail|warn|panic|exception|traceback|fatal|:\d+:|\(\d+,\d+\)", re.I)


def decode(raw: bytes) -> str:
    """Decode leniently: UTF-16 where its mark or zero bytes show it, else UTF-8; bad bytes are replaced."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", errors="replace")
    head = raw[:2000]
    if len(head) >= 8 and head[1::2].count(0) > len(head) * 0.4 and head[::2].count(0) == 0:
        return raw.decode("utf-16-le", errors="replace")
    return raw.decode("utf-8", errors="replace")


def clean(text: str) -> str:
    """Return text without escapes, byte order marks and overstruck characters; line ends become newlines alone."""
    if "\x1b" in text or "\x9b" in text or "^[[" in text:
        text = ESCAPES.sub("", REWRITES.sub("\r", text))
    if "\r\n" in text:
        text = re.sub("\r+\n", "\n", text)
    if "\x08" in text:
        for _ in range(4):
            text, changed = BACKSPACES.subn("", text)
            if not changed:
                break
    return ODD.sub("", text)


def frames(line: str) -> list[str]:
    """Split a line at its carriage returns; the last frame stays, earlier ones only where they say something."""
    parts = [part.rstrip() for part in line.split("\r")]
    parts = [part for part in parts if part.strip()]
    kept = [part for part in dict.fromkeys(parts[:-1]) if SAYS_SOMETHING.search(part)]
    return [*kept, parts[-1]] if parts else [""]


def shorten(line: str) -> str:
    """Return the head and the tail of an overlong line."""
    half = LINE_LIMIT // 2
    return f"{line[:half]} … {line[-half:]}"


def to_log(streams: Iterable[tuple[str, int, bytes]]) -> Log:
    """Build a log from pieces: (stream, number of the first line, bytes) in the order to be read."""
    lines: list[str] = []
    numbers: list[int] = []
    long: dict[int, str] = {}
    gaps: set[int] = set()
    last: dict[str, int] = {}
    for stream, first, raw in streams:
        if first != last.get(stream, 0) + 1:
            gaps.add(len(lines))
        sign = -1 if stream == "stderr" else 1
        texts = clean(decode(raw)).split("\n")
        if texts and not texts[-1]:
            texts.pop()
        for number, text in enumerate(texts, start=first):
            for frame in frames(text) if "\r" in text else (text.rstrip(),):
                if len(frame) > LINE_LIMIT:
                    long[len(lines)] = frame
                    frame = shorten(frame)
                lines.append(frame)
                numbers.append(sign * number)
        last[stream] = first + len(texts) - 1
    return Log(lines, numbers, long, frozenset(gaps))
