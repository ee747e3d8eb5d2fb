"""The tools for diagnostics that others hand over: take them in, see them together with the newest check."""

from collections.abc import Sequence
from typing import Any

from punchlist.model import Trouble
from punchlist.project.paths import checked_all, from_uri
from punchlist.server.runs import POSITIVE, STRING, page_of, room
from punchlist.server.tool import Answer, Arguments, Tool
from punchlist.service import live_answers, live_diagnostics
from punchlist.service.session import Session
from punchlist.store.runs import Run

PATHS: dict[str, Any] = {"type": "array", "items": STRING}
MODES = ("both", "structured", "text")


def _ingest(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    items, report = arguments.get("diagnostics"), arguments.get("report")
    form = arguments.get("format", "lsp")
    if report is None and items is None:
        raise Trouble("diagnostics: required (or report, a tool's output, with its format)", "invalid_arguments")
    if report is not None and (items is not None or "format" not in arguments):
        raise Trouble("report goes with format, and without diagnostics", "invalid_arguments")
    if report is None and form != "lsp":
        raise Trouble(f"diagnostics are in the format lsp; give {form} as text in report", "invalid_arguments")
    batch = live_diagnostics.ingest(
        session.project,
        items,
        report=report,
        form=form,
        source=arguments.get("source", ""),
        server=arguments.get("serverName", ""),
        files=_files(session, arguments),
    )
    return Answer(live_answers.batch_text(batch), live_answers.batch_value(session.project, batch))


def _files(session: Session, arguments: Arguments) -> Sequence[str]:
    given = [from_uri(file) for file in arguments.get("files", ())]
    return checked_all(given, session.project.folder, absolute=True, missing=True)


def _view(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    files, severity = _files(session, arguments), arguments.get("severity")
    two = session.project.settings()[0].payload in MODES
    found = live_diagnostics.view(session.project, files=files, severity=severity, two=two)
    filters = {name: value for name, value in arguments.items() if name != "cursor"}
    page = page_of(arguments.get("cursor", "1"))
    text = live_answers.view_text(found, filters, budget=room(arguments), page=page)
    return Answer(text, live_answers.view_value(found, page=page))


TOOLS: tuple[Tool, ...] = (
    Tool(
        "ingest_diagnostics",
        "Take diagnostics (LSP items with file, 0-based; or report text in any format read here). Replaces what the "
        "source said of these files; an empty set clears.",
        {
            "diagnostics": {"type": "array", "items": {"type": "object"}},
            "report": {"type": "string"},
            "format": {"type": "string", "description": "lsp, ruff, mypy, sarif ..."},
            "source": STRING,
            "serverName": STRING,
            "files": PATHS,
        },
        _ingest,
        toolset="live",
        read_only=False,
        idempotent=False,
    ),
    Tool(
        "get_live_diagnostics",
        "Ingested diagnostics merged with the newest check.",
        {
            "files": PATHS,
            "severity": {"enum": ["error", "warning", "info", "hint"]},
            "cursor": STRING,
            "max_tokens": POSITIVE,
        },
        _view,
        toolset="live",
    ),
)
