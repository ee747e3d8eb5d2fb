"""What a JUnit failure says: its message, its detail and the names of its test, by the habits of each writer."""

import re
from xml.etree.ElementTree import Element

from punchlist.reading.formats.places import Place
from punchlist.reading.formats.xml_values import unescaped
from punchlist.reading.oneline import number
from punchlist.records import dataclass

VAGUE = re.compile(
    r"(?:(?:test )?fail(?:ed|ure)?|error|assertion failed|test failure.*|.*exited with code \d+)?[.!]?$", re.I
)
PLACE_ONLY = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*\.[A-Za-z]\w*):(?P<line>\d+)(?::\d+)?:?(?: (?:Failure|error:?))?$"
)
GTEST = re.compile(r"(?:(?P<file>(?:[A-Za-z]:)?[^\s:(][^:(]*)[:(](?P<line>\d+)\)?|unknown file): (?:Failure|error:)$")
GTEST_END = re.compile(r"\[ +(?:FAILED|OK|RUN|SKIPPED) +\]|\[[-=]{6,}\]")
GO = re.compile(r"\s+(?P<file>[\w./-]+\.go):(?P<line>\d+): (?P<message>.*)")
# testthat ends its messages so.
R_PLACE = re.compile(r".*(?P<place>\('?(?P<file>[^'()\s:]+\.[rR]):(?P<line>\d+)(?::(?P<column>\d+))?'?\))$")
CATCH_PLACE = re.compile(r"at (?P<file>.+):(?P<line>\d+)$")
NOISE = re.compile(r"\s*(?:FAILED:|=== (?:RUN|PAUSE|CONT|NAME)\b.*|--- FAIL\b.*|at Object\.<anonymous>.*)?\s*$")
IDENTIFIER = re.compile(r"[\w.$/\\@:-]+$")
PATHLIKE = re.compile(r"[^\s].*(?:\.[cm]?[jt]sx?|\.py|\.rb|\.vue|\.svelte)$")
MODULE = re.compile(r"test_\w*$|\w*_tests?$|tests?$|conftest$")
RAISED = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Failure)\b")
QUOTED = re.compile(r"'(?P<file>[^'\n]+\.py)'")
DATASET = re.compile(r" with data set .*")


@dataclass(frozen=True, slots=True)
class Said:
    """One thing a failure says; `trace` is the text to look for frames in, `place` one that stands in the message."""

    message: str
    detail: str
    trace: str
    place: Place | None = None


def said(raw: str, body: str, output: str, kind: str, test: str) -> list[Said]:
    """Return what a failure says: one finding, or several where GoogleTest's output is all there is.

    `raw` is the message attribute, `body` the element's text, `output` what the test printed (looked at only where
    both are empty), `kind` the type attribute, `test` the test's own id.
    """
    if not raw.strip() and not body.strip():
        return _printed(output) or [Said(kind or "failed", "", output)]
    if body.lstrip().startswith("FAILED:"):
        return [_catch(body)]
    lines = (body if body.strip() else raw).strip("\n").split("\n")
    if PLACE_ONLY.match(lines[0].strip()) and len(lines) > 1:
        return [_placed(lines)]
    head = raw.strip().split("\n")[0].strip()
    if kind == "FAILURE" and " › " in lines[0]:
        return [_playwright(lines)]
    if head == "collection failure" or head.startswith(("failed on setup", "failed on teardown")):
        return [_pytest_error(head, lines, body)]
    if kind and head and f"{kind}: {head}" in body:
        return [Said(f"{kind}: {head}", body.strip("\n"), body)]
    if (at := R_PLACE.match(raw.strip().split("\n")[-1])) and head:
        place = Place(at["file"], number(at["line"]), number(at["column"]))
        return [Said(head.removesuffix(at["place"]).strip(), _rest(raw, body, head), "", place)]
    if VAGUE.match(head):
        return [_from_body(head, body, kind, test)]
    return [Said(_worded(head, lines, kind), _rest(raw, body, head), f"{raw}\n{body}")]


def _printed(output: str) -> list[Said]:
    """GoogleTest's failures in a test's output (ctest keeps it there)."""
    found = []
    lines = output.split("\n")
    index = 0
    while index < len(lines):
        match = GTEST.match(lines[index])
        index += 1
        if not match:
            continue
        start = index
        while index < len(lines) and not GTEST.match(lines[index]) and not GTEST_END.match(lines[index]):
            index += 1
        block = "\n".join(lines[start:index]).strip("\n").split("\n")
        place = Place(match["file"], number(match["line"])) if match["file"] else None
        found.append(Said(block[0], "\n".join(block[1:]), "", place))
    return found


def _catch(body: str) -> Said:
    lines = body.strip("\n").strip().split("\n")[1:]
    place = None
    if lines and (match := CATCH_PLACE.match(lines[-1].strip())):
        place = Place(match["file"], number(match["line"]))
        lines.pop()
    at = next((i + 1 for i, line in enumerate(lines) if line.strip() == "with expansion:"), None)
    if at is None:
        at = next((i for i, line in enumerate(lines) if line[:1] not in (" ", "\t")), 0)
    message = lines[at].strip() if at < len(lines) else "failed"
    return Said(message, "\n".join(lines), "", place)


def _placed(lines: list[str]) -> Said:
    match = PLACE_ONLY.match(lines[0].strip())
    place = Place(match["file"], number(match["line"])) if match else None
    return Said(lines[1].strip(), "\n".join(lines[2:]), "", place)


def _playwright(lines: list[str]) -> Said:
    """Playwright's text: a header with the test, then the error; what follows a retry's header repeats it."""
    end = next((at for at, line in enumerate(lines) if line.strip().startswith("Retry #")), len(lines))
    telling = [line for line in lines[1:end] if line.strip()]
    message = telling[0].strip() if telling else lines[0].strip()
    return Said(message, "\n".join(telling[1:]), "\n".join(lines[1:end]) + "\n" + lines[0])


def _pytest_error(head: str, lines: list[str], body: str) -> Said:
    """pytest's errors outside of a test say why on their last `E` lines, and at collection which file."""
    said_ = [line[1:].strip() for line in lines if line.startswith("E  ")]
    raised = next((text for text in reversed(said_) if RAISED.match(text)), "") or (said_[0] if said_ else "")
    file = QUOTED.search(body) if head == "collection failure" else None
    return Said(raised or head, body.strip("\n"), body, Place(file["file"]) if file else None)


def _raised(lines: list[str]) -> str:
    """The last line of a Python traceback, or ""."""
    if not any("Traceback (most recent call last)" in line for line in lines):
        return ""
    return next((line.strip() for line in reversed(lines) if RAISED.match(line)), "")


def _from_body(head: str, body: str, kind: str, test: str) -> Said:
    """The attribute says nothing: take the first line of the text that does, Go's `file.go:1: message` before all."""
    lines = body.strip("\n").split("\n")
    for at, line in enumerate(lines):
        if match := GO.match(line):
            more = [text for text in lines[at + 1 :] if not NOISE.match(text)]
            first = match["message"].strip()
            if not first and more:
                first = more.pop(0).strip()
            return Said(first, "\n".join(more), "", Place(match["file"], number(match["line"])))
    if raised := _raised(lines):
        return Said(raised, body.strip("\n"), body)
    name = DATASET.sub("", test)
    telling = [line for line in lines if not NOISE.match(line) and DATASET.sub("", line.strip()) != name]
    if not telling:
        return Said(head or kind or "failed", "", body)
    return Said(telling[0].strip(), "\n".join(telling[1:]), body)


def _worded(head: str, lines: list[str], kind: str) -> str:
    """The message as the text words it: with the type of the exception in front, and ended where its line ends."""
    for line in lines[:4]:
        text = line.strip()
        at = text.find(head[:16])
        if at < 0:
            continue
        tail = text[at:]
        if head.startswith(tail) or tail.startswith(head):
            typed = bool(kind) and text[:at].rstrip(": ") == kind
            shorter = min(head, tail, key=len)
            return text[:at] + shorter if typed else shorter
    return head


def _rest(raw: str, body: str, head: str) -> str:
    """Everything but the message: the text, or the further lines of the attribute where there is no text."""
    text = body.strip("\n") if body.strip() else "\n".join(raw.strip().split("\n")[1:])
    lines = text.split("\n")
    if lines and lines[0].strip() and head.endswith(lines[0].strip()):
        lines = lines[1:]
    return "\n".join(lines).strip("\n")


def test_id(case: Element, suites: tuple[Element, ...], *, catch: bool) -> tuple[str, str]:
    """Return a test's id as its runner would print it, and for Catch2 the section within the test."""
    # node:test 20 escapes names twice.
    name, group = unescaped(case.get("name") or "").strip(), (case.get("classname") or "").strip()
    if catch:
        root, _, section = name.partition("/")
        return root, section
    suite = (suites[-1].get("name") or "") if suites else ""
    if case.get("class") and case.get("file"):  # phpunit writes the class with backslashes beside the dotted one
        return f"{case.get('class')}::{name}", ""
    if group in ("", "test") and len(suites) > 0 and name_is_nested(suites):
        chain = [unescaped(s.get("name") or "") for s in suites if s.tag == "testsuite"]
        return " > ".join([*filter(None, chain), name]), ""
    if not group or group == name or name.startswith((f"{group} ", f"{group}.")):
        return name, ""
    if "::" in name and " " not in name and not suite.startswith("pytest"):
        return name, ""
    if PATHLIKE.match(group) or not IDENTIFIER.match(group) or " " in name:
        return f"{group} > {name}", ""
    return f"{group}.{name}", ""


def name_is_nested(suites: tuple[Element, ...]) -> bool:
    """Whether suites are named like describe blocks (node:test writes `classname="test"` and nests them)."""
    return any(suite.tag == "testsuite" and suite.get("name") for suite in suites)


def node_id(case: Element, suites: tuple[Element, ...], place: Place | None) -> str:
    """Return pytest's node id of a test case, or "" for other runners.

    The file is the one that the case names, else the module by pytest's naming rule (`test_*.py`, `*_test.py`).
    """
    if not suites or not (suites[-1].get("name") or "").startswith("pytest"):
        return ""
    name, group = case.get("name") or "", case.get("classname") or ""
    if not group:
        return name.replace(".", "/") + ".py" if MODULE.match(name.rsplit(".", 1)[-1]) else name
    parts = group.split(".")
    at = next((i for i in range(len(parts) - 1, -1, -1) if MODULE.match(parts[i])), None)
    if at is None and place and place.file.endswith(".py"):
        stem = place.file[:-3].replace("\\", "/").split("/")[-1]
        at = next((i for i, part in enumerate(parts) if part == stem), None)
    if at is None:
        return f"{group}::{name}"
    return "::".join(["/".join(parts[: at + 1]) + ".py", *parts[at + 1 :], name])
