"""A client of the Language Server Protocol: the few messages that pull diagnostics, with a deadline on every answer."""

import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from punchlist.engines.warm.wire import Lost, Wire

METHOD_NOT_FOUND = -32601
START_S = 60.0
_NOTHING = ("client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create")
_REFRESH = "/refresh"

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "synchronization": {"dynamicRegistration": False},
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": False},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}}},
        "publishDiagnostics": {"relatedInformation": True},
    },
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "diagnostics": {"refreshSupport": True},
    },
    "window": {"workDoneProgress": True},
}


def uri(path: str) -> str:
    """Return the URI of an absolute path."""
    return Path(path).as_uri()


class Refused(Exception):  # noqa: N818  what the server does
    """The server answered a request with an error."""


class Lsp:
    """A language server that was started and initialised in a folder.

    `settings` are its answers to `workspace/configuration` by section. `said` are the messages that it wanted shown.
    """

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        *,
        options: Any = None,
        settings: Mapping[str, Any] | None = None,
        start_s: float = START_S,
    ) -> None:
        self.said: list[str] = []
        self._settings = dict(settings or {})
        self._folder = {"uri": uri(cwd), "name": os.path.basename(cwd) or "root"}
        self._answers: dict[int, dict[str, Any]] = {}
        self._news = threading.Condition()
        self._gone = ""
        self._last = 0
        self.wire = Wire(argv, cwd, env, self._received, self._was_lost)
        try:
            self.about = self._initialize(options, start_s)
        except BaseException:
            self.wire.end()
            raise

    def _initialize(self, options: Any, start_s: float) -> dict[str, Any]:
        about = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": self._folder["uri"],
                "workspaceFolders": [self._folder],
                "capabilities": CAPABILITIES,
                "initializationOptions": options,
            },
            start_s,
        )
        self.notify("initialized", {})
        return about if isinstance(about, dict) else {}

    @property
    def alive(self) -> bool:
        """Whether the server can be asked."""
        return not self._gone and self.wire.alive

    def notify(self, method: str, params: Any) -> None:
        """Tell the server something."""
        self.wire.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Any, within_s: float) -> Any:
        """Ask one thing; raises Refused where the server refuses, Lost where it is gone or silent."""
        (answer,) = self.ask([(method, params)], within_s)
        if isinstance(answer, Refused):
            raise answer
        return answer

    def ask(self, requests: Iterable[tuple[str, Any]], within_s: float) -> list[Any]:
        """Ask many things at once and return the answers in order, one that is refused as a Refused."""
        until = time.monotonic() + within_s
        numbers = []
        for method, params in requests:
            self._last += 1
            numbers.append(self._last)
            self.wire.send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return [self._answer(number, until, within_s, numbers) for number in numbers]

    def _answer(self, number: int, until: float, within_s: float, numbers: Sequence[int]) -> Any:
        with self._news:
            self._news.wait_for(lambda: number in self._answers or self._gone, max(0.0, until - time.monotonic()))
            message = self._answers.pop(number, None)
            if message is None:
                if not self._gone:
                    for one in numbers:
                        self.notify("$/cancelRequest", {"id": one})
                raise Lost(self._gone or f"the server did not answer within {within_s:g} s")
        if "error" in message:
            error = message["error"]
            return Refused(str(error.get("message", error)) if isinstance(error, dict) else str(error))
        return message.get("result")

    def _was_lost(self, why: str) -> None:
        with self._news:
            self._gone = self._gone or why
            self._news.notify_all()

    def _received(self, message: dict[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        if method is None:
            with self._news:
                if isinstance(number, int):
                    self._answers[number] = message
                self._news.notify_all()
        elif number is not None:
            self.wire.send({"jsonrpc": "2.0", "id": number, **self._reply(str(method), message.get("params"))})
        elif method == "window/showMessage":
            params = message.get("params")
            if isinstance(params, dict) and params.get("type") in (1, 2):
                self.said.append(str(params.get("message", "")))

    def _reply(self, method: str, params: Any) -> dict[str, Any]:
        """Answer a request of the server: without an answer it would wait for ever."""
        if method == "workspace/configuration":
            items = params.get("items", ()) if isinstance(params, dict) else ()
            return {"result": [self._setting(item.get("section") or "") for item in items if isinstance(item, dict)]}
        if method == "workspace/workspaceFolders":
            return {"result": [self._folder]}
        if method in _NOTHING or method.endswith(_REFRESH):
            return {"result": None}
        return {"error": {"code": METHOD_NOT_FOUND, "message": f"{method} is not offered"}}

    def _setting(self, section: str) -> Any:
        """Return the settings of a section: `a.b` is what `a` holds under `b`."""
        value: Any = self._settings
        for part in filter(None, section.split(".")):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def end(self) -> None:
        """Ask the server to go, and see that it does."""
        if self.alive:
            self.notify("exit", None)
        self.wire.end()
