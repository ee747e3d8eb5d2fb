"""Read the JSON events of `go test -json` and `go build -json`; each package's text is read as that of `-v`."""

import json
from collections.abc import Iterable

from punchlist.reading.formats.json_values import text_of
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import go_build, go_folders, go_test
from punchlist.records import dataclass, field, replace


@dataclass(slots=True)
class Texts:
    """Lines put together from output events: per package, and of the build."""

    packages: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    build: list[tuple[str, int]] = field(default_factory=list)
    open: dict[str, tuple[str, int]] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)


def parse(log: Log, context: Context) -> Reading:
    """Put the output of each package together again and read it as text."""
    reading, texts = Reading(), Texts()
    for index, line in enumerate(log.lines):
        if line.startswith("{") and '"Action"' in line:
            _event(log, index, texts, reading)
    if not reading.claimed:
        return reading
    lines = [one for package in texts.packages.values() for one in package]
    _merge(reading, go_test.read_tests(_log(lines), context))
    built = go_build.parse(_log(texts.build), context)
    if built.diagnostics:
        reading.diagnostics = [d for d in reading.diagnostics if not go_test.NOT_BUILT.search(d.message)]
    reading.diagnostics += built.diagnostics
    if built.outcome and reading.outcome != "failed":
        reading.outcome = built.outcome
    reading.partial = bool(set(texts.packages) - texts.ended - {""})
    folders = go_folders.module_folders(reading.diagnostics, context.root)
    reading.diagnostics = [go_folders.with_folder(d, folders) for d in reading.diagnostics]
    return reading


def _merge(reading: Reading, inner: Reading) -> None:
    for d in inner.diagnostics:
        if d.message.startswith("got: "):  # each line is an event of its own here: the message must stand on one
            d = replace(d, message="got:", detail=d.message[len("got: ") :])
        reading.add(d)
    reading.counts = inner.counts
    reading.outcome = inner.outcome
    reading.notes += inner.notes


def _event(log: Log, index: int, texts: Texts, reading: Reading) -> None:
    try:
        event = json.loads(log.whole(index))
    except (ValueError, RecursionError):
        return
    action, package = text_of(event, "Action"), text_of(event, "Package")
    if not action or not isinstance(event, dict) or not ({"Package", "ImportPath", "Test", "Output"} & event.keys()):
        return
    reading.claim(index)
    number = log.numbers[index]
    if action == "build-output":
        texts.build += [(line, number) for line in text_of(event, "Output").rstrip("\n").split("\n")]
    elif action == "output":
        text = text_of(event, "Output")
        lines = texts.packages.setdefault(package, [])
        begun, first = texts.open.pop(package, ("", number))
        *whole, rest = (begun + text).split("\n")
        lines += [(line, first if n == 0 else number) for n, line in enumerate(whole)]
        if rest:
            texts.open[package] = (rest, first if not whole else number)
    elif action in ("pass", "fail", "skip") and "Test" not in event:
        texts.ended.add(package)
        if package in texts.open:
            texts.packages.setdefault(package, []).append(texts.open.pop(package))
    elif action == "start":
        texts.packages.setdefault(package, [])


def _log(lines: Iterable[tuple[str, int]]) -> Log:
    texts, numbers = [], []
    for text, number in lines:
        texts.append(text.rstrip())
        numbers.append(number)
    return Log(texts, numbers)
