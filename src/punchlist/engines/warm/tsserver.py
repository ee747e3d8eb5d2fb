"""TypeScript 5 by its own protocol (seen with 5.9.3): lines of JSON go in, frames come out.

It is asked file by file, also for files that nobody opened; one opened file makes it load the program. `geterr` would
skip unopened ones without a word. Edited files are handed over with their text. Files that come or go it would notice
by a watcher of its own, at some time: the caller starts it anew instead.
"""

import itertools
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from punchlist.engines import find
from punchlist.engines.record import Found, Unit
from punchlist.engines.site import Site
from punchlist.engines.warm import tsc7
from punchlist.engines.warm.lsp import Refused
from punchlist.engines.warm.record import Changes, Kind
from punchlist.engines.warm.wire import Lost, Wire
from punchlist.model import Diagnostic, Severity

# `suggestion` is not in the compiler's own output.
CATEGORIES: dict[str, Severity] = {"error": "error", "warning": "warning"}
START_S = 60.0


class Tsserver:
    """One server with one program."""

    def __init__(self, argv: Sequence[str], cwd: str, env: dict[str, str], root: str, config: str) -> None:
        self.root, self.config = root, config
        self.said: list[str] = []
        self._loaded = False
        self._numbers = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._news = threading.Condition()
        self._gone = ""
        self._wire = Wire(argv, cwd, env, self._received, self._was_lost, lines=True)

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self._gone and self._wire.alive

    @property
    def pid(self) -> int:
        """Its process."""
        return self._wire.pid

    def told(self, changes: Changes) -> None:
        """Hand over the texts of changed files."""
        self._show(changes.changed)

    def ask(self, files: Sequence[str], within_s: float) -> list[Diagnostic]:
        """Return the findings in these files, in syntax and in types."""
        if files and not self._loaded:
            self._show(files[:1])
            self._loaded = True
        until = time.monotonic() + within_s
        asked = [
            (file, self._send(command, {"file": f"{self.root}/{file}", "projectFileName": self.config}))
            for file in files
            for command in ("syntacticDiagnosticsSync", "semanticDiagnosticsSync")
        ]
        found: list[Diagnostic] = []
        for file, number in asked:
            body = self._answer(number, until, within_s)
            if not isinstance(body, list):
                raise Lost("the server said what nobody understands")
            found += [d for item in body if (d := _read(item, file)) is not None]
        return found

    def end(self) -> None:
        """End it."""
        if self.alive:
            self._send("exit", {})
        self._wire.end()

    def _show(self, files: Iterable[str]) -> None:
        opened = []
        for file in files:
            try:
                text = Path(self.root, file).read_bytes().decode("utf-8", "replace")
            except OSError as trouble:
                raise Lost(f"{file} cannot be read: {trouble.strerror}") from None
            opened.append({"file": f"{self.root}/{file}", "fileContent": text, "projectRootPath": self.root})
        if opened:
            self._send("updateOpen", {"openFiles": opened})
            self._loaded = True

    def _send(self, command: str, arguments: Any) -> int:
        number = next(self._numbers)
        self._wire.send({"seq": number, "type": "request", "command": command, "arguments": arguments})
        return number

    def _answer(self, number: int, until: float, within_s: float) -> Any:
        with self._news:
            self._news.wait_for(lambda: number in self._answers or self._gone, max(0.0, until - time.monotonic()))
            message = self._answers.pop(number, None)
        if message is None:
            raise Lost(self._gone or f"the server did not answer within {within_s:g} s")
        if not message.get("success"):
            raise Refused(str(message.get("message", ""))[:200])
        return message.get("body")

    def _received(self, message: dict[str, Any]) -> None:
        number = message.get("request_seq")
        if message.get("type") == "response" and isinstance(number, int):
            if message.get("command") != "updateOpen":
                with self._news:
                    self._answers[number] = message
                    self._news.notify_all()
            elif not message.get("success"):
                self._was_lost("the server refused the text of a file")

    def _was_lost(self, why: str) -> None:
        with self._news:
            self._gone = self._gone or why
            self._news.notify_all()


def _read(item: Any, file: str) -> Diagnostic | None:
    severity = CATEGORIES.get(str(item.get("category"))) if isinstance(item, dict) else None
    if severity is None:
        return None
    head, _, rest = str(item.get("text", "")).partition("\n")
    start, end = item.get("start") or {}, item.get("end") or {}
    return Diagnostic(
        message=head.strip(),
        detail=rest.strip("\n"),
        severity=severity,
        file=file,
        line=start.get("line"),
        column=start.get("offset"),
        end_line=end.get("line"),
        end_column=end.get("offset"),
        rule=f"TS{item.get('code')}",
        tool="tsc",
    )


def start(site: Site, found: Found, unit: Unit) -> Tsserver:
    """Start the server beside the compiler."""
    script = Path(found.path).parent.parent / "lib" / "tsserver.js"
    program = find.node(site.environ)
    if program is None or not script.is_file():
        raise Lost("there is no tsserver beside tsc")
    env = {**site.environ, **find.environment(site, unit.home)}
    argv = (program, str(script), "--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents")
    return Tsserver(argv, site.path(unit.home), env, str(site.root), site.path(unit.config))


KIND = Kind(
    engine="tsc",
    known=lambda version: version.startswith("5."),
    start=start,
    configs=tsc7.configs,
    imports="script",
    comes_and_goes=False,
)
