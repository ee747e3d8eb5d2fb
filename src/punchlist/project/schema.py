"""Describe and read settings: a key has a shape, a default and a line of documentation; a mistake has a place."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from punchlist.model import Trouble
from punchlist.project.positions import column_of
from punchlist.records import dataclass, field

Path_ = tuple[str | int, ...]
T = TypeVar("T")
MAX_PROBLEMS = 5


@dataclass(slots=True)
class Source:
    """One configuration file being read: its shown name, how to find a key's line, and the mistakes found so far.

    With `text`, the file's own, a mistake is told with its column too (1-based, code points).
    """

    name: str
    line_of: Callable[[Path_], int | None] = lambda _: None
    text: str = ""
    problems: list[str] = field(default_factory=list)

    def problem(self, path: Path_, message: str) -> None:
        """Note a mistake at the place of a key."""
        line = self.line_of(path)
        column = column_of(self.text, line, path) if line and self.text else None
        place = ":".join(str(part) for part in (self.name, line, column) if part)
        self.problems.append(f"{place}: {message}")

    def finish(self) -> None:
        """Raise all noted mistakes as one `Trouble` (code `invalid_configuration`), the first five in full."""
        if not self.problems:
            return
        shown = self.problems[:MAX_PROBLEMS]
        rest = len(self.problems) - len(shown)
        more = [f"... and {rest} more"] if rest else []
        raise Trouble(
            "\n".join([*shown, *more, f"Mend {self.name}; it is read again at the next call."]), "invalid_configuration"
        )


@dataclass(frozen=True, slots=True)
class Key:
    """One setting: `read` turns the raw value into ours; `shape` says what it accepts.

    `read` raises ValueError for a wrong value, empty, or with words that follow the key's name.
    """

    shape: str
    read: Callable[[object], object]
    default: str = ""
    doc: str = ""
    alias_of: str | None = None


Spec = Mapping[str, Key]


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean "x"?` for the closest known name, else the list of them (empty for none)."""
    names = sorted(known)
    if not names:
        return ""
    import difflib

    close = difflib.get_close_matches(word.lower(), names, 1, 0.6)
    return f' Did you mean "{close[0]}"?' if close else f" Known: {', '.join(names)}."


def read_table(source: Source, path: Path_, data: object, spec: Spec) -> dict[str, object]:
    """Read a table of settings; what is wrong is noted at its line, what is right is returned under its real name."""
    if not isinstance(data, dict):
        source.problem(path, f"{dotted(path) or 'the file'} must be a table of settings, not {kind(data)}.")
        return {}
    values: dict[str, object] = {}
    for key, raw in data.items():
        here = (*path, key)
        entry = spec.get(key)
        if entry is None:
            known = (name for name, one in spec.items() if not one.alias_of)
            source.problem(here, f'unknown key "{key}".{nearest(str(key), known)}')
            continue
        name = entry.alias_of or key
        if name in values:
            source.problem(here, f'"{key}" and "{name}" mean the same setting; keep one of them.')
            continue
        try:
            values[name] = entry.read(raw)
        except ValueError as error:
            source.problem(here, f"{dotted(here)} {error}" if str(error) else _must_be(here, entry, raw))
    return values


def _must_be(path: Path_, entry: Key, raw: object) -> str:
    return f"{dotted(path)} must be {entry.shape}, not {kind(raw)}."


def read_map(source: Source, path: Path_, data: object) -> Iterable[tuple[str, Path_, object]]:
    """Yield (name, path, raw value) of a table whose keys are names the user chose."""
    if data is None:
        return
    if not isinstance(data, dict):
        source.problem(path, f"{dotted(path)} must be a table of names, not {kind(data)}.")
        return
    for name, raw in data.items():
        if not isinstance(name, str) or not is_name(name):
            source.problem(
                (*path, name),
                f"{dotted(path)}: {name!r} is no name; use letters, digits and . _ : / @ + - (not first).",
            )
            continue
        yield name, (*path, name), raw


def is_name(text: str) -> bool:
    """Tell whether a text can name a check, template or parser: up to 100 plain characters, no dash or dot first."""
    return re.fullmatch(r"[\w@][\w.:/@+-]{0,99}", text) is not None


def dotted(path: Path_) -> str:
    """Write a key's path as a person would: `checks.test.steps[0].cwd`."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out


def kind(value: object) -> str:
    """Name a raw value for a message, short."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + '..."'


# Shapes. Each returns a Key, so that a table of settings reads like its documentation.


def string(doc: str, default: str = "", *, empty: bool = False, alias_of: str | None = None) -> Key:
    """A string; not an empty one unless said."""

    def read(value: object) -> str:
        if not isinstance(value, str) or not (empty or value.strip()) or "\0" in value:
            raise ValueError
        return value

    return Key("a string" if empty else "a string that is not empty", read, default, doc, alias_of)


def boolean(doc: str, default: str = "") -> Key:
    """True or false."""

    def read(value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value

    return Key("true or false", read, default, doc)


def integer(doc: str, default: str = "", *, least: int = 1) -> Key:
    """A whole number from `least` up."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError
        return value

    return Key(f"a whole number from {least} up", read, default, doc)


def choice(doc: str, words: Sequence[str], default: str = "") -> Key:
    """One word of a list."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError
        return value

    return Key("one of " + ", ".join(words), read, default, doc)


def strings(
    doc: str,
    default: str = "",
    *,
    one: bool = False,
    words: Sequence[str] = (),
    shape: str = "strings that are not empty",
) -> Key:
    """A list of strings that are not empty, of `words` only where given (`one`: a string stands for a list of one)."""

    def read(value: object) -> tuple[str, ...]:
        raw = [value] if one and isinstance(value, str) else value
        if not isinstance(raw, list):
            raise ValueError
        for item in raw:
            if not isinstance(item, str) or not item.strip() or "\0" in item:
                raise ValueError
            if words and item not in words:
                raise ValueError(f'holds "{item}", which there is not.{nearest(item, words)}')
        return tuple(raw)

    return Key(("a string or " if one else "") + "a list of " + shape, read, default, doc)


def variables(doc: str, default: str = "") -> Key:
    """A table of environment variables: names to strings."""

    def read(value: object) -> dict[str, str]:
        if not isinstance(value, dict) or not all(isinstance(v, str) and "\0" not in v for v in value.values()):
            raise ValueError
        if not all(isinstance(k, str) and k and "=" not in k and "\0" not in k for k in value):
            raise ValueError
        return dict(value)

    return Key("a table of strings", read, default, doc)


def milliseconds(doc: str, default: str = "", *, alias_of: str | None = None) -> Key:
    """A positive whole number of milliseconds, read into seconds."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
            raise ValueError
        return value / 1000

    return Key("a positive integer in milliseconds", read, default, doc, alias_of)


_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")


def duration(doc: str, default: str = "") -> Key:
    """Seconds as a number, or a text like "90s", "5m", "1h30m", "500ms"."""

    def read(value: object) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = float(value)
        else:
            found = _DURATION.fullmatch(value.replace(" ", "")) if isinstance(value, str) else None
            if found is None:
                raise ValueError
            hours, minutes, secs, millis = (float(part or 0) for part in found.groups())
            seconds = hours * 3600 + minutes * 60 + secs + millis / 1000
        if not 0 < seconds < 1e8:
            raise ValueError
        return seconds

    return Key('seconds, or a text like "90s", "5m", "1h30m"', read, default, doc)


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.I)


def size(doc: str, default: str = "") -> Key:
    """Bytes as a number, or a text like "500 MB", "2 GiB"."""

    def read(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            count = value
        else:
            found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
            if found is None:
                raise ValueError
            count = int(float(found[1]) * (1024 if found[3] else 1000) ** " kmgt".index(found[2].lower() or " "))
        if count <= 0:
            raise ValueError
        return count

    return Key('bytes, or a text like "500 MB", "2 GiB"', read, default, doc)
