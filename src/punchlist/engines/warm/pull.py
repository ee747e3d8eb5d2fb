"""A language server that is asked for the diagnostics of files: what happened on disk is told, documents stay closed.

Only a server that answers for opened documents alone (basedpyright: an empty list, without an error) gets them opened.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from punchlist.engines.warm.lsp import Lsp, Refused, uri
from punchlist.engines.warm.record import Changes
from punchlist.engines.warm.wire import Lost
from punchlist.model import Diagnostic, Related, Severity

SEVERITIES: dict[object, Severity] = {1: "error", 2: "warning", 3: "info"}
MOST_OPEN = 200
Rewrite = Callable[[Diagnostic, Mapping[str, Any]], Diagnostic]


class Puller:
    """One server; `worst` is the mildest severity (1 to 3) that the command line shows as well.

    `opens` is the language of documents for a server that needs them opened. `rewrite` makes a finding what the
    command line would have said, from the finding and the item it was read from.
    """

    def __init__(
        self, lsp: Lsp, root: str, tool: str, *, worst: int = 3, opens: str = "", rewrite: Rewrite | None = None
    ) -> None:
        self.lsp, self.root, self.tool = lsp, root, tool
        self._worst, self._opens, self._rewrite = worst, opens, rewrite
        self._open: dict[str, tuple[int, str]] = {}

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self.lsp.alive

    @property
    def pid(self) -> int:
        """Its process."""
        return self.lsp.wire.pid

    @property
    def said(self) -> Sequence[str]:
        """What it wanted shown."""
        return self.lsp.said

    def told(self, changes: Changes) -> None:
        """Tell it what happened on disk."""
        events = [{"uri": self._uri(file), "type": kind} for kind, files in enumerate(changes, 1) for file in files]
        for file in changes.deleted:
            if self._open.pop(file, None):
                self.lsp.notify("textDocument/didClose", {"textDocument": {"uri": self._uri(file)}})
        self.lsp.notify("workspace/didChangeWatchedFiles", {"changes": events})

    def ask(self, files: Sequence[str], within_s: float) -> list[Diagnostic]:
        """Return the findings in these files."""
        if self._opens:
            self._show(files)
        asked = [("textDocument/diagnostic", {"textDocument": {"uri": self._uri(file)}}) for file in files]
        found: list[Diagnostic] = []
        for file, answer in zip(files, self.lsp.ask(asked, within_s), strict=True):
            if isinstance(answer, Refused):
                raise answer
            items = answer.get("items") if isinstance(answer, dict) else None
            if not isinstance(items, list):
                raise Lost("the server said what nobody understands")
            found += [d for item in items if (d := self._read(item, file)) is not None]
        return found

    def end(self) -> None:
        """End it."""
        self.lsp.end()

    def _uri(self, file: str) -> str:
        return uri(f"{self.root}/{file}")

    def _show(self, files: Sequence[str]) -> None:
        """Open the documents, or replace the text of those that are open."""
        for file in [one for one in self._open if one not in files][: max(0, len(self._open) - MOST_OPEN)]:
            del self._open[file]
            self.lsp.notify("textDocument/didClose", {"textDocument": {"uri": self._uri(file)}})
        for file in files:
            try:
                text = Path(self.root, file).read_bytes().decode("utf-8", "replace")
            except OSError as trouble:
                raise Lost(f"{file} cannot be read: {trouble.strerror}") from None
            version, before = self._open.get(file, (0, ""))
            about: dict[str, Any] = {"uri": self._uri(file), "version": version + 1}
            if not version:
                document = {**about, "languageId": self._opens, "text": text}
                self.lsp.notify("textDocument/didOpen", {"textDocument": document})
            elif text != before:
                change = {"textDocument": about, "contentChanges": [{"text": text}]}
                self.lsp.notify("textDocument/didChange", change)
            self._open[file] = (version + 1, text)

    def _read(self, item: Any, file: str) -> Diagnostic | None:
        """Return a finding as the command line prints it, None for what it does not print."""
        severity = item.get("severity", 1) if isinstance(item, dict) else 9
        if not isinstance(severity, int) or severity > self._worst or severity not in SEVERITIES:
            return None
        head, _, rest = str(item.get("message", "")).partition("\n")
        place = item.get("range") or {}
        code = item.get("code")
        d = Diagnostic(
            message=head.strip(),
            detail=rest.strip("\n"),
            severity=SEVERITIES[severity],
            file=file,
            line=_number(place, "start", "line"),
            column=_number(place, "start", "character"),
            end_line=_number(place, "end", "line"),
            end_column=_number(place, "end", "character"),
            rule=str(code) if isinstance(code, str | int) else None,
            tool=self.tool,
            related=tuple(self._related(item.get("relatedInformation"))),
        )
        return self._rewrite(d, item) if self._rewrite else d

    def _related(self, given: Any) -> list[Related]:
        found = []
        for one in given if isinstance(given, list) else ():
            location = one.get("location") or {}
            place = str(location.get("uri", "")).removeprefix(uri(self.root) + "/")
            if not place.startswith("file:"):
                start = location.get("range") or {}
                line, column = _number(start, "start", "line"), _number(start, "start", "character")
                found.append(Related(str(one.get("message", "")), place, line, column))
        return found


def _number(place: Any, end: str, name: str) -> int | None:
    value = (place.get(end) or {}).get(name) if isinstance(place, dict) else None
    return value + 1 if isinstance(value, int) else None
