"""JSON with comments and trailing commas as a tree that knows where everything stands in the text."""

import json
import re
from collections.abc import Iterator
from typing import Any

from punchlist.model import Trouble
from punchlist.records import dataclass, field

DEEPEST = 200
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.S)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')


@dataclass(slots=True)
class Node:
    """A value at text[start:end]; `children` of an object or a list, in the order written."""

    kind: str  # object, list, scalar
    start: int
    end: int
    value: Any = None
    children: list["Child"] = field(default_factory=list)

    def named(self, key: str) -> list["Child"]:
        """The members of an object with this key: none, one, or several in a faulty file."""
        return [child for child in self.children if child.key == key]


@dataclass(slots=True)
class Child:
    """A member of an object (with its key) or an item of a list; `comma` is the place of the comma behind it."""

    start: int
    node: Node
    key: str | None = None
    comma: int | None = None


def parse(text: str) -> Node:
    """Parse a whole text; raises `Trouble` (`malformed_settings`) that says the line and what was expected there."""
    reader = _Reader(text)
    at = reader.blank(0)
    node = reader.value(at, 0)
    at = reader.blank(node.end)
    if at != len(text):
        reader.fail(at, "the end of the file")
    return node


def plain(node: Node) -> Any:
    """Return the value of a node as plain Python: dicts, lists, texts, numbers; of equal keys the last one counts."""
    if node.kind == "object":
        return {child.key: plain(child.node) for child in node.children}
    if node.kind == "list":
        return [plain(child.node) for child in node.children]
    return node.value


def comments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the comments between two tokens."""
    for found in re.finditer(r"//[^\r\n]*|/\*.*?\*/", text[start:end], re.S):
        yield start + found.start(), start + found.end()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, at: int, expected: str) -> None:
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        raise Trouble(
            f"line {line}, column {column}: {expected} was expected here; mend the file", "malformed_settings"
        )

    def blank(self, at: int) -> int:
        """Return the place after blanks and comments."""
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> Node:
        if depth > DEEPEST:
            self.fail(at, f"a nesting of at most {DEEPEST}")
        char = self.text[at : at + 1]
        if char == "{":
            return self.container(at, "object", "}", depth)
        if char == "[":
            return self.container(at, "list", "]", depth)
        found = _SCALAR.match(self.text, at)
        if found is None:
            self.fail(at, "a value")
            raise AssertionError
        return Node("scalar", at, found.end(), self.scalar(found[0], at))

    def scalar(self, written: str, at: int) -> Any:
        try:
            return json.loads(written)
        except ValueError:
            self.fail(at, "a well-formed value")

    def container(self, start: int, kind: str, close: str, depth: int) -> Node:
        node = Node(kind, start, start)
        at = self.blank(start + 1)
        while self.text[at : at + 1] != close:
            if node.children and node.children[-1].comma is None:
                self.fail(at, f"a comma or {close!r}")
            child = self.child(at, kind, depth)
            node.children.append(child)
            at = self.blank(child.node.end)
            if self.text[at : at + 1] == ",":
                child.comma = at
                at = self.blank(at + 1)
        node.end = at + 1
        return node

    def child(self, at: int, kind: str, depth: int) -> Child:
        if kind == "list":
            return Child(at, self.value(at, depth + 1))
        found = _SCALAR.match(self.text, at)
        if found is None or found[0][0] != '"':
            self.fail(at, "a key in double quotes")
            raise AssertionError
        after = self.blank(found.end())
        if self.text[after : after + 1] != ":":
            self.fail(after, "a colon")
        return Child(at, self.value(self.blank(after + 1), depth + 1), self.scalar(found[0], at))
