"""Translate JavaScript regular expressions (no flags) for the `regex` library, or say why one cannot be."""

import re

# What `\s` is in JavaScript (ECMA-262, WhiteSpace and LineTerminator).
_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_GROUP = re.compile(r"\(\?(?:[:=!]|<[=!]|<([A-Za-z_$\u0080-\uffff][\w$]*)>|[ims]*(?:-[ims]+)?:)")
_QUANTIFIER = re.compile(r"\{\d+(?:,\d*)?\}")
_NOTHING = frozenset({"^", "|", r"\Z", r"\b", r"\B"})
_OPENS = re.compile(r"\((?:\?(?:[:=!]|<[=!]|[ims-]+:))?")
_NAMED = re.compile(r"\(\?<([A-Za-z_$\u0080-\uffff][\w$]*)>")


class UntranslatableError(ValueError):
    """A pattern that is not JavaScript's, or cannot be carried over; the text says what to write instead."""


def translate(pattern: str) -> str:
    """Return the pattern for `regex` with the ASCII flag; raises `UntranslatableError`.

    `\\d`, `\\w` and `\\b` are ASCII as in JavaScript, `\\s` is JavaScript's set, `$` is the end of the line, names of
    groups are dropped, a letter behind a backslash that means nothing is the letter, a `{` that counts nothing a brace.
    """
    return _Translator(pattern).run()


class _Translator:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.groups = _count_groups(pattern)
        self.names = _names(pattern)

    def run(self) -> str:
        out: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\":
                out.append(self._escape())
            elif char == "[":
                out.append(self._class())
            elif char == "(":
                out.append(self._group())
            elif char in "*+?" or (char == "{" and _QUANTIFIER.match(self.text, self.at)):
                if not out or out[-1] in _NOTHING or _OPENS.fullmatch(out[-1]):
                    raise UntranslatableError("nothing to repeat before a quantifier")
                out.append(self._quantifier())
            else:
                out.append({"{": r"\{", "}": r"\}", "]": r"\]", "$": r"\Z"}.get(char, char))
                self.at += 1
        return "".join(out)

    def _quantifier(self) -> str:
        found = _QUANTIFIER.match(self.text, self.at)
        mark = found[0] if found else self.text[self.at]
        self.at += len(mark)
        if self.text[self.at : self.at + 1] == "?":
            self.at += 1
            mark += "?"
        if self.text[self.at : self.at + 1] in ("*", "+", "?") or _QUANTIFIER.match(self.text, self.at):
            raise UntranslatableError("nothing to repeat before a second quantifier")
        return mark

    def _group(self) -> str:
        if self.text[self.at + 1 : self.at + 2] != "?":
            self.at += 1
            return "("
        found = _GROUP.match(self.text, self.at)
        if found is None:
            start = self.text[self.at : self.at + 4]
            hint = (
                "; write (?i:...) around what ignores case" if re.match(r"\(\?[a-z]+\)", self.text[self.at :]) else ""
            )
            raise UntranslatableError(f"`{start}` begins no group of JavaScript{hint}")
        self.at = found.end()
        return "(" if found[1] else found[0]

    def _escape(self) -> str:
        """Translate a backslash outside of a class."""
        following = self.text[self.at + 1 : self.at + 2]
        if following == "s":
            self.at += 2
            return f"[{_SPACE}]"
        if following == "S":
            self.at += 2
            return f"[^{_SPACE}]"
        if following in ("d", "D", "w", "W", "b", "B"):
            self.at += 2
            return f"\\{following}"
        if following == "k" and self.names:
            found = re.compile(r"\\k<([^>]*)>").match(self.text, self.at)
            if found is None or found[1] not in self.names:
                raise UntranslatableError("\\k names no group of the pattern")
            self.at = found.end()
            return _back(self.names[found[1]])
        number = re.compile(r"\\([1-9]\d*)").match(self.text, self.at)
        if number and int(number[1]) <= self.groups:
            self.at = number.end()
            return _back(int(number[1]))
        return _literal(self._character())

    def _character(self) -> str:
        """Read one escaped character: control letters, `\\xHH`, `\\uHHHH`, old octal numbers, else the character."""
        rest = self.text[self.at + 1 :]
        if not rest:
            raise UntranslatableError("it ends in a backslash")
        if rest.startswith("u{") or re.match(r"[pP]\{", rest):
            raise UntranslatableError(
                f"`\\{rest[0]}{{...}}` needs the u flag, which a template cannot give; write the characters"
            )
        for pattern, base in (
            (r"x([0-9A-Fa-f]{2})", 16),
            (r"u([0-9A-Fa-f]{4})", 16),
            (r"([0-3][0-7]{0,2}|[4-7][0-7]?)", 8),
        ):
            found = re.match(pattern, rest)
            if found:
                self.at += 1 + found.end()
                return chr(int(found[1], base))
        control = re.match(r"c([A-Za-z])", rest)
        if control:
            self.at += 3
            return chr(ord(control[1]) % 32)
        if rest[0] == "c":  # behind which stands no letter: then the backslash is one
            self.at += 1
            return "\\"
        self.at += 2
        return {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}.get(rest[0], rest[0])

    def _class(self) -> str:
        """Translate a character class; a hyphen beside `\\w` and its like is a hyphen."""
        self.at += 1
        negative = self.text[self.at : self.at + 1] == "^"
        self.at += negative
        items: list[str] = []  # translated members; a range stays three items: low, "-", high
        while True:
            if self.at >= len(self.text):
                raise UntranslatableError("a [ is not closed")
            char = self.text[self.at]
            if char == "]":
                self.at += 1
                break
            items.append(self._member())
        if not items:
            return r"[\s\S]" if negative else r"(?!)"
        body = ""
        for position, item in enumerate(items):
            if item == "-":
                around = items[position - 1 : position] + items[position + 1 : position + 2]
                item = "-" if position and len(around) == 2 and not any(_is_set(a) for a in around) else r"\-"
            body += item
        return f"[{'^' if negative else ''}{body}]"

    def _member(self) -> str:
        char = self.text[self.at]
        if char != "\\":
            self.at += 1
            return char if char == "-" else _literal(char)
        following = self.text[self.at + 1 : self.at + 2]
        if following in ("d", "D", "w", "W", "S", "s"):
            self.at += 2
            return _SPACE if following == "s" else f"\\{following}"
        if following == "b":
            self.at += 2
            return r"\x08"
        literal = self._character()
        return r"\-" if literal == "-" else _literal(literal)


def _is_set(item: str) -> bool:
    return item == _SPACE or item in (r"\d", r"\D", r"\w", r"\W", r"\S")


def _literal(char: str) -> str:
    return (
        char if char.isalnum() or ord(char) > 127 else re.escape(char) if char.isprintable() else f"\\x{ord(char):02x}"
    )


def _back(number: int) -> str:
    """Refer back to a group; one that took no part matches nothing, as in JavaScript."""
    return f"(?:(?({number})(?:\\{number})|))"


def _bare(pattern: str) -> str:
    """Blank out escapes and classes, so that brackets can be counted."""
    return re.sub(r"\\.|\[\^?(?:\\.|[^\]\\])*\]", lambda m: "." * len(m[0]), pattern, flags=re.S)


def _count_groups(pattern: str) -> int:
    return len(re.findall(r"\((?!\?)|\(\?<(?![=!])", _bare(pattern)))


def _names(pattern: str) -> dict[str, int]:
    names: dict[str, int] = {}
    opened = re.finditer(r"\((?!\?)|\(\?<(?![=!])", _bare(pattern))
    for number, found in enumerate(opened, 1):
        named = _NAMED.match(pattern, found.start())
        if named:
            names.setdefault(named[1], number)
    return names
