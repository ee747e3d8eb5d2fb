"""The tools that change files: preview, apply (and take back), discard."""

from collections.abc import Sequence
from typing import Any

from punchlist.model import Trouble
from punchlist.server.runs import POSITIVE, STRING, page_of, room
from punchlist.server.tool import Answer, Arguments, Tool
from punchlist.service import fix_text, fixing
from punchlist.service.fix_sources import Wanted
from punchlist.service.fix_verify import Applied, checker_of
from punchlist.service.fix_watch import Watch
from punchlist.service.fix_work import Prediction, work
from punchlist.service.session import Session
from punchlist.store.runs import Run

# Empty texts are refused where they are used, which costs no words in the list of tools.
FLAG: dict[str, Any] = {"type": "boolean"}
TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}
ID: dict[str, dict[str, Any]] = {"transactionId": TEXT}
PATCH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "file": TEXT,
        "originalContent": TEXT,
        "patchedContent": TEXT,
        "line": NUMBER,
        "column": NUMBER,
        "endLine": NUMBER,
        "endColumn": NUMBER,
        "text": TEXT,
        "description": TEXT,
    },
    "required": ["file"],
    "additionalProperties": False,
}
PREVIEWED = 'preview_diagnostic_fix {{"transactionId":"{id}"}}'
SOURCES = ("patches", "diff", "issueIds", "clusterId", "checkId", "transactionId")


def _proposed(session: Session, arguments: Arguments) -> str:
    """Return the id of the preview that is meant, or of a new one."""
    project = session.project
    if not any(name in arguments for name in SOURCES):
        raise Trouble(f"patches: required (or one of {', '.join(SOURCES[1:])})", "invalid_arguments")
    if "transactionId" in arguments:
        return fixing.transactions(project).get(arguments["transactionId"]).id
    wanted = None
    if any(name in arguments for name in ("issueIds", "clusterId", "checkId")):
        wanted = Wanted(
            run_id=arguments.get("checkId"),
            issues=tuple(arguments.get("issueIds", ())),
            cluster=arguments.get("clusterId"),
            unsafe=arguments.get("unsafe", False),
        )
    return fixing.preview(project, patches=arguments.get("patches", ()), diff=arguments.get("diff"), wanted=wanted).id


class _Preview:
    """A preview, and what the engines would say of it where that is asked for."""

    def __init__(self, session: Session, arguments: Arguments) -> None:
        self.session, self.arguments = session, arguments
        self.name = _proposed(session, arguments)
        one = fixing.transactions(session.project).get(self.name)
        wanted = arguments.get("predict") and one.state == "previewed"
        self.prediction = Prediction(session, self.name) if wanted else None

    def wait(self, seconds: float) -> bool:
        return self.prediction is None or self.prediction.wait(seconds)

    def so_far(self) -> str:
        return self.prediction.so_far() if self.prediction is not None else ""

    def withdraw(self) -> None:
        if self.prediction is not None:
            self.prediction.withdraw()

    def answer(self) -> Answer:
        kept = fixing.transactions(self.session.project)
        said = ""
        if self.prediction is not None and not self.prediction.wait(0):
            said = f"{self.prediction.so_far()}; later: {PREVIEWED.format(id=self.name)}\n"
        elif self.prediction is not None:
            try:
                self.prediction.result()
            except Trouble as trouble:
                said = f"not predicted: {trouble}\n"
        one = kept.get(self.name)
        page = page_of(self.arguments.get("cursor", "1"))
        text = said + fix_text.preview_text(kept, one, budget=room(self.arguments), page=page)
        return Answer(text, fix_text.preview_value(kept, one, text))


class _Change:
    """An apply or undo under way, as a call waits for it."""

    def __init__(self, session: Session, arguments: Arguments) -> None:
        self.session, self.arguments = session, arguments
        self.name = arguments["transactionId"]
        self.refused: Trouble | None = None
        try:
            fixing.permitted(session.project, arguments.get("confirm"))
            self.work = work(session, self.name, _kind(arguments), self._act)
        except Trouble as trouble:
            self.refused = trouble

    def _act(self, watch: Watch) -> Applied:
        project, arguments = self.session.project, self.arguments
        rebase = arguments.get("rebase", False)
        if arguments.get("undo"):
            return fixing.take_back(project, self.name, rebase=rebase, watch=watch)
        return fixing.apply(
            project,
            self.name,
            confirm=arguments.get("confirm"),
            baseline=arguments.get("baselineCheckId"),
            rebase=rebase,
            on_regression=arguments.get("onRegression"),
            checker=checker_of(self.session),
            watch=watch,
        )

    def wait(self, seconds: float) -> bool:
        return self.refused is not None or self.work.wait(seconds)

    def so_far(self) -> str:
        return self.work.so_far()

    def withdraw(self) -> None:
        if self.refused is None:
            self.work.withdraw()

    def answer(self) -> Answer:
        kept = fixing.transactions(self.session.project)
        if self.refused is None and not self.work.wait(0):
            reverts = self.arguments.get("onRegression") == "revert"
            text = fix_text.waiting_text(kept, self.work, reverts=reverts)
            return Answer(text, fix_text.waiting_value(kept, self.work))
        try:
            if self.refused is not None:
                raise self.refused
            found = self.work.result()
        except Trouble as trouble:
            return Answer(f"{trouble.code}: {trouble}", fix_text.refused_value(self.name, trouble), failed=True)
        delta = None
        if found.delta is not None:
            from punchlist.service.checking.values import comparison

            delta = comparison(found.delta)
        return Answer(fix_text.applied_text(self.session.project, found), fix_text.applied_value(found, delta))


def _kind(arguments: Arguments) -> object:
    """What two calls have in common that want the same: all arguments but the word that it may be done."""
    return tuple(sorted((name, value) for name, value in arguments.items() if name != "confirm"))


def _question(session: Session, arguments: Arguments) -> str | None:
    """Ask the user where the configuration wants it: a caller's own `confirm: true` is no consent of theirs."""
    if arguments.get("confirm") is False or session.project.config.writes != "ask":
        return None
    one = fixing.transactions(session.project).get(arguments["transactionId"])
    return fix_text.question(fixing.transactions(session.project), one, undo=arguments.get("undo", False))


def _discard(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    name = arguments["transactionId"]
    gone = fixing.discard(session.project, name)
    text = f"{name} discarded" if gone else f"no preview {name[:40]}; nothing was discarded"
    return Answer(text, {"transactionId": name, "discarded": gone})


TOOLS: tuple[Tool, ...] = (
    Tool(
        "preview_diagnostic_fix",
        "Show a change as a diff, writing nothing: patches (whole contents or ranges), a diff, or the tools' own safe "
        "fixes of issues, a cluster or a check.",
        {
            "patches": {"type": "array", "items": PATCH, "minItems": 1},
            "diff": TEXT,
            "issueIds": {"type": "array", "items": TEXT, "minItems": 1},
            "clusterId": STRING,
            "checkId": TEXT,
            "unsafe": FLAG,
            "predict": {**FLAG, "description": "check a copy first"},
            **ID,
            "cursor": TEXT,
            "max_tokens": POSITIVE,
        },
        work=_Preview,
        toolset="fix",
        read_only=True,
        idempotent=False,
    ),
    Tool(
        "apply_diagnostic_fix",
        "Write a preview, all files or none, and check them; undo takes it back.",
        {
            **ID,
            "confirm": FLAG,
            "baselineCheckId": TEXT,
            "rebase": FLAG,
            "onRegression": {"enum": ["keep", "revert"]},
            "undo": FLAG,
        },
        work=_Change,
        required=("transactionId",),
        toolset="fix",
        read_only=False,
        destructive=True,
        idempotent=False,
        asks=_question,
    ),
    Tool(
        "discard_diagnostic_fix",
        "Forget a preview.",
        ID,
        _discard,
        required=("transactionId",),
        toolset="fix",
    ),
)
