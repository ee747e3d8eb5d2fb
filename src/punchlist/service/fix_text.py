"""Answers about fixes: the preview as a diff in pages, what was applied, and the JSON that older clients parse."""

from collections.abc import Sequence
from typing import Any

from punchlist.editing.changes import Change
from punchlist.editing.diff import FileDiff, diffs_of
from punchlist.editing.text import decode
from punchlist.editing.transactions import Transaction, Transactions
from punchlist.model import Trouble
from punchlist.records import dataclass
from punchlist.service.fix_verify import Applied, broken
from punchlist.service.fix_work import Work
from punchlist.service.project import Project
from punchlist.store.runs import Run
from punchlist.views.budget import RUN, Budget, size
from punchlist.views.masking import mask

_WIDEST = 400
_LEAST = 300
_FOOTER = 320  # the line that says what is not shown
_NARROW = 1  # lines of context where the diff does not fit with the usual ones
_NAMED = 12
_ROOM_FOR_NAMES = 160
_VERDICT = 120  # tokens for the one line that is wanted


@dataclass(frozen=True, slots=True)
class FixCalls:
    """The calls that go on from an answer, with `{id}`, `{page}` and `{run}` filled in."""

    page: str
    apply: str
    undo: str
    more: str


CLI_CALLS = FixCalls(page="punchlist fix {id}", apply="", undo="punchlist undo {id}", more="punchlist fix {run}")
MCP_CALLS = FixCalls(
    page='preview_diagnostic_fix {{"transactionId":"{id}","cursor":"{page}"}}',
    apply='apply_diagnostic_fix {{"transactionId":"{id}","confirm":true}}',
    undo='apply_diagnostic_fix {{"transactionId":"{id}","undo":true,"confirm":true}}',
    more='preview_diagnostic_fix {{"checkId":"{run}"}}',
)


def preview_text(
    kept: Transactions, one: Transaction, *, budget: Budget | None = RUN, page: int = 1, calls: FixCalls = MCP_CALLS
) -> str:
    """Return a transaction as a unified diff, one page of it; without a budget all of it."""
    changes = kept.changes(one)
    diffs = diffs_of(changes)
    word = {"previewed": "PREVIEW", "applied": "APPLIED", "undone": "UNDONE"}[one.state]
    head = [f"{word} {one.id} · {counted(diffs, len(changes))}{f' · {one.title}' if one.title else ''}"]
    head += [f"note: {note}" for note in one.notes]
    head += [f"{c.file}: {c.description}" for c in changes if c.description]
    foot = [f"apply: {calls.apply.format(id=one.id)}"] if calls.apply and one.state == "previewed" else []
    if budget is None:
        return mask("\n".join([*head, *(text for text, _ in _pieces(diffs, None)), *foot]))
    head_text = _cut("\n".join(head), budget.chars // 3)
    room = max(_LEAST, budget.chars - size(head_text) - size("".join(foot)) - 2)
    pages = _pages(diffs, room)
    if len(pages) > 1:
        pages = _pages(diffs_of(changes, _NARROW), max(_LEAST, room - _FOOTER))
    if not 1 <= page <= len(pages):
        raise Trouble(f"{one.id} has {len(pages)} pages; there is no page {page}", "invalid_arguments")
    if page < len(pages):
        left = [file for later in pages[page:] for _, file in later]
        foot.insert(0, f"+ {_left(diffs, left)}: {calls.page.format(id=one.id, page=page + 1)}")
    texts = [text for text, _ in pages[page - 1]]
    return mask("\n".join([head_text if page == 1 else head[0], *texts, *foot]))


def question(kept: Transactions, one: Transaction, *, undo: bool = False) -> str:
    """Return what a person is asked before a transaction is written, or taken back."""
    diffs = diffs_of(kept.changes(one))
    names = ", ".join(f"{d.file} +{d.added} -{d.removed}" for d in diffs[:_NAMED])
    more = f" and {len(diffs) - _NAMED} more" if len(diffs) > _NAMED else ""
    return f"{'Take back' if undo else 'Write'} {one.id} ({counted(diffs, len(one.files))})? {names}{more}"


def counted(diffs: Sequence[FileDiff], files: int) -> str:
    """Return `3 files, +10 -4`."""
    added, removed = sum(d.added for d in diffs), sum(d.removed for d in diffs)
    return f"{files} file{'s' * (files != 1)}, +{added} -{removed}"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _pieces(diffs: Sequence[FileDiff], room: int | None) -> list[tuple[str, str]]:
    """Return (text, file) of every piece; a hunk longer than a page is parted between its lines."""
    found: list[tuple[str, str]] = []
    for diff in diffs:
        head = [diff.head]
        for hunk in diff.hunks or ("",):
            lines = hunk.split("\n") if hunk else []
            if room is None:
                found.append(("\n".join([*head, *lines]), diff.file))
                head = []
                continue
            part, used = [*head], sum(map(size, head))
            for line in lines:
                shown = line if len(line) <= _WIDEST else f"{line[:_WIDEST]}… ({len(line) - _WIDEST} more characters)"
                if used + size(shown) > room and len(part) > len(head):
                    found.append(("\n".join(part), diff.file))
                    part, used = [f"(goes on: {diff.file})"], len(diff.file) + 20
                part.append(shown)
                used += size(shown) + 1
            found.append(("\n".join(part), diff.file))
            head = []
    return found


def _pages(diffs: Sequence[FileDiff], room: int) -> list[list[tuple[str, str]]]:
    """Return the pages, each a list of pieces."""
    pages: list[list[tuple[str, str]]] = [[]]
    used = 0
    for text, file in _pieces(diffs, room):
        if pages[-1] and used + size(text) + 1 > room:
            pages.append([])
            used = 0
        pages[-1].append((text, file))
        used += size(text) + 1
    return pages


def _left(diffs: Sequence[FileDiff], files: Sequence[str]) -> str:
    """Say of which files something is still to be shown, with their counts as far as there is room."""
    names = list(dict.fromkeys(files))
    by_name = {d.file: d for d in diffs}
    said: list[str] = []
    for name in names[:_NAMED]:
        told = f"{name} +{by_name[name].added} -{by_name[name].removed}"
        if said and sum(map(len, said)) + len(told) > _ROOM_FOR_NAMES:
            break
        said.append(told)
    more = f" and {len(names) - len(said)} more" if len(names) > len(said) else ""
    return f"more of {len(names)} file{'s' * (len(names) != 1)} ({', '.join(said)}{more})"


def applied_text(project: Project, found: Applied, *, calls: FixCalls = MCP_CALLS) -> str:
    """Return what became of a transaction: files, what a check says, how to go on, how to take it back."""
    one = found.transaction
    word = "REVERTED" if found.status == "rolled_back" else one.state.upper()
    lines = [f"{word} {one.id} · {found.message or named(found.files)}"]
    if found.delta is not None and found.check is not None:
        lines.append(f"{found.check.id}: {found.delta.line()}")
        worse = broken(one, found.delta)
        lines += [f"new: {d.file or ''}:{d.line or ''} {d.rule or ''} {d.message}"[:_WIDEST] for d in worse[:_NAMED]]
        lines += [f"+ {len(worse) - _NAMED} more new errors"] if len(worse) > _NAMED else []
    elif found.check is not None and not found.unverified:
        lines += _verdict(project, found.check)
    if found.unverified:
        lines.append(f"not verified: {found.unverified}")
    if one.state == "applied" and found.more and found.check is not None:
        fixes = f"{found.more} safe fix{'es' * (found.more != 1)}"
        lines.append(f"{fixes} more: {calls.more.format(run=found.check.id)}")
    if one.state == "applied":
        lines.append(f"undo: {calls.undo.format(id=one.id)}")
    return mask("\n".join(lines))


def named(files: Sequence[str]) -> str:
    """Return `2 files: a, b`."""
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return f"{len(files)} file{'s' * (len(files) != 1)}: {', '.join(files[:_NAMED])}{more}"


def _verdict(project: Project, run: Run) -> list[str]:
    """Return the first line on a check, and why it looked at nothing, or not at everything."""
    from punchlist.service.answers import punch_list
    from punchlist.service.checking.answers import engine_lines

    first = punch_list(project, run, budget=Budget(_VERDICT)).partition("\n")[0]
    return [first, *(engine_lines(run) if run.outcome == "error" else [])]


def waiting_text(kept: Transactions, work: Work, *, reverts: bool) -> str:
    """Return how a change stands that takes longer than a caller is let wait."""
    one = kept.get(work.name)
    if not work.watch.committed:
        return mask(f"WAITING {work.so_far()}\nthe same call again waits on; cancelled, nothing is written")
    then = "new errors take it back" if reverts else "the change stays"
    look = f'preview_diagnostic_fix {{"transactionId":"{one.id}"}}'
    head = f"{one.state.upper()} {one.id} · {named([f.file for f in one.files])}"
    return mask(f"{head}\n{work.so_far()}; {then}\nthe same call again waits on; later: {look}")


def preview_value(kept: Transactions, one: Transaction, text: str) -> dict[str, Any]:
    """Return the documented answer of `preview_diagnostic_fix`; `summary` holds the diff."""
    return {
        "transactionId": one.id,
        "filesCount": len(one.files),
        "summary": text,
        "status": one.state,
        "patchesPreview": [_patch_value(change) for change in kept.changes(one)],
    }


def _patch_value(change: Change) -> dict[str, Any]:
    told = {"description": change.description} if change.description else {}
    lengths = {"originalLength": _length(change.before), "patchedLength": _length(change.after)}
    return {"file": change.file, **told, **lengths}


def _length(raw: bytes | None) -> int:
    return len(decode(raw, "").body.encode("utf-16-le", "surrogatepass")) // 2 if raw else 0


def applied_value(found: Applied, delta: dict[str, Any] | None) -> dict[str, Any]:
    """Return the documented answer of `apply_diagnostic_fix`; `verification` is there where no check could be made."""
    value: dict[str, Any] = {
        "status": found.status,
        "transactionId": found.transaction.id,
        "filesModified": list(found.files),
    }
    message = found.message
    if not message and found.baseline is None and found.transaction.state == "applied":
        message = "No baselineCheckId provided; baseline delta was not requested."
    value |= {name: text for name, text in (("code", found.code), ("message", message)) if text}
    if found.check is not None:
        value["postCheckId"] = found.check.id
    if delta is not None:
        value["delta"] = delta
    if found.unverified:
        value["verification"] = {"status": "unknown", "message": found.unverified}
    return value


def waiting_value(kept: Transactions, work: Work) -> dict[str, Any]:
    """Return how a change stands in the keys of `apply_diagnostic_fix`; `status` is `running` until it is written."""
    done = work.watch.committed
    return {
        "status": "success" if done else "running",
        "transactionId": work.name,
        "filesModified": [f.file for f in kept.get(work.name).files] if done else [],
        "verification": {"status": "running", "message": work.so_far()},
    }


def refused_value(name: str, trouble: Trouble) -> dict[str, Any]:
    """Return the documented answer of an apply that wrote nothing."""
    rolled_back = trouble.code == "transaction_aborted_and_rolled_back"
    return {
        "status": "rolled_back" if rolled_back else "error",
        "transactionId": name,
        "filesModified": [],
        "code": trouble.code,
        "message": str(trouble),
    }
