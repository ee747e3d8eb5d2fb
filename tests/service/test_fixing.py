"""Fixes from proposal to undo."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from punchlist.analysis.delta import compare
from punchlist.editing import journal
from punchlist.editing.places import Folder
from punchlist.model import Diagnostic, Edit, Fix, How, Report, Trouble
from punchlist.records import replace
from punchlist.service import fix_text, fixing
from punchlist.service.checking import snapshot
from punchlist.service.checking.asked import of_project
from punchlist.service.files import private_folder
from punchlist.service.fix_sources import Wanted
from punchlist.service.fix_verify import Checker, _asked, checker_of
from punchlist.service.fix_watch import Watch
from punchlist.service.session import Session
from punchlist.store.history import add_issue_files
from punchlist.store.runs import Run
from punchlist.views.budget import Budget
from punchlist.views.schema14 import issues_of


def whole(file: str, before: str, after: str, **more: str) -> dict[str, Any]:
    return {"file": file, "originalContent": before, "patchedContent": after, **more}


def ranged(file: str, line: int, column: int, end: int, text: str) -> dict[str, Any]:
    return {"file": file, "line": line, "column": column, "endLine": line, "endColumn": end, "text": text}


def fixable(line: int, rule: str = "R1", *, safe: bool = True, file: str = "a.py", tool: str = "ruff") -> Diagnostic:
    """Return a finding whose fix replaces the first character of a line by X."""
    fix = Fix((Edit(file, line, 1, line, 2, "X"),), safe=safe)
    return Diagnostic(message=f"bad {rule}", severity="warning", file=file, line=line, rule=rule, tool=tool, fix=fix)


def ran(session: Session, *found: Diagnostic, name: str = "lint", outcome: str = "failed") -> Run:
    """Return a finished run with these findings."""
    report = Report(outcome=outcome, diagnostics=found, how=How(ending="exit", exit_code=1))  # type: ignore[arg-type]
    return session.project.store.finish(begun(session, name).id, report, size=1)


def begun(session: Session, name: str = "check") -> Run:
    return session.project.store.begin(
        name=name, kind="check", key=name, title=name, command="x", cwd="/", owner=os.getpid(), owner_start=""
    )


def write(project: Path, name: str, text: str) -> Path:
    path = project / name
    path.write_bytes(text.encode())
    past = time.time() - 5
    os.utime(path, (past, past))
    return path


def test_patches_of_every_form_are_applied_and_taken_back(session: Session, project: Path) -> None:
    write(project, "a.py", "one\ntwo\n")
    write(project, "b.py", "x\r\ny\r\n")
    write(project, "c.py", "c\n")
    one = fixing.preview(
        session.project,
        patches=[whole("a.py", "one\ntwo\n", "one\n2\n", description="a number"), ranged("b.py", 2, 1, 2, "z")],
        diff="--- a/c.py\n+++ b/c.py\n@@ -1 +1,2 @@\n c\n+d\n--- /dev/null\n+++ b/new/d.py\n@@ -0,0 +1 @@\n+d\n",
    )
    assert (project / "a.py").read_text(encoding="utf-8") == "one\ntwo\n"
    done = fixing.apply(session.project, one.id, confirm=True)
    assert (done.status, done.files) == ("success", ("a.py", "b.py", "c.py", "new/d.py"))
    assert (project / "b.py").read_bytes() == b"x\r\nz\r\n"
    assert (project / "c.py").read_bytes() == b"c\nd\n"
    back = fixing.take_back(session.project)
    assert back.transaction.state == "undone"
    assert (project / "b.py").read_bytes() == b"x\r\ny\r\n"
    assert not (project / "new").exists()


def test_the_preview_is_a_diff_with_counts_and_the_next_call(session: Session, project: Path) -> None:
    write(project, "a.py", "one\ntwo\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "one\ntwo\n", "one\n2\n", description="a number")])
    kept = fixing.transactions(session.project)
    assert fix_text.preview_text(kept, one).splitlines() == [
        f"PREVIEW {one.id} · 1 file, +1 -1",
        "a.py: a number",
        "--- a/a.py",
        "+++ b/a.py",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+2",
        f'apply: apply_diagnostic_fix {{"transactionId":"{one.id}","confirm":true}}',
    ]
    value = fix_text.preview_value(kept, one, "text")
    assert list(value) == ["transactionId", "filesCount", "summary", "status", "patchesPreview"]
    assert value["patchesPreview"] == [
        {"file": "a.py", "description": "a number", "originalLength": 8, "patchedLength": 6}
    ]


def test_a_long_preview_stays_within_its_budget_and_every_line_is_on_some_page(session: Session, project: Path) -> None:
    lines = [f"line {n} of a text that is not short" for n in range(400)]
    patches = []
    for name in ("a.py", "b.py", "c.py"):
        write(project, name, "\n".join(lines) + "\n")
        changed = [
            line.replace("line", "row") if n % (7 if name < "c" else 1) == 0 else line for n, line in enumerate(lines)
        ]
        patches.append(whole(name, "\n".join(lines) + "\n", "\n".join(changed) + "\n"))
    one = fixing.preview(session.project, patches=patches)
    kept = fixing.transactions(session.project)
    seen: list[str] = []
    page = 1
    while True:
        text = fix_text.preview_text(kept, one, budget=Budget(1000), page=page)
        assert len(text.encode()) <= 3000
        seen += [line for line in text.splitlines() if line.startswith(("+row", "-line"))]
        if "\n+ more of " not in text:
            break
        page += 1
        assert f'"cursor":"{page}"' in text
    assert len(seen) == 2 * (58 + 58 + 400)
    with pytest.raises(Trouble, match="no page"):
        fix_text.preview_text(kept, one, budget=Budget(1000), page=page + 1)


def test_secrets_do_not_leave_in_a_preview(session: Session, project: Path) -> None:
    write(project, "a.env", "X=1\n")
    secret = "ghp_" + "a1B2" * 9
    one = fixing.preview(session.project, patches=[whole("a.env", "X=1\n", f"X=1\nTOKEN={secret}\n")])
    text = fix_text.preview_text(fixing.transactions(session.project), one)
    assert "+TOKEN=[masked]" in text
    fixing.apply(session.project, one.id, confirm=True)
    assert secret in (project / "a.env").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ({"file": "a.py"}, "originalContent, patchedContent: required"),
        ({"file": "a.py", "originalContent": "x"}, "patchedContent: required"),
        ({"file": "a.py", "line": 1, "text": ""}, "column, endLine, endColumn: required"),
        ({**ranged("a.py", 1, 1, 1, ""), "originalContent": "x", "patchedContent": "y"}, "not both"),
        (ranged("a.py", 7, 1, 1, "x"), "no place 7:1"),
        (whole("a.py", "one\n", "one\n"), "changes nothing"),
    ],
)
def test_an_incomplete_patch_says_what_is_missing(
    session: Session, project: Path, patch: dict[str, Any], said: str
) -> None:
    write(project, "a.py", "one\n")
    with pytest.raises(Trouble, match=said):
        fixing.preview(session.project, patches=[patch])
    assert not fixing.transactions(session.project).newest()


def test_drift_is_told_in_the_preview_refused_by_apply_and_rebased_when_asked(session: Session, project: Path) -> None:
    write(project, "a.py", "zero\none\ntwo\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "one\ntwo\n", "one\n2\n")])
    assert "a.py" in one.notes[0]
    with pytest.raises(Trouble) as caught:
        fixing.apply(session.project, one.id, confirm=True)
    assert caught.value.code == "file_drift_detected"
    assert (project / "a.py").read_bytes() == b"zero\none\ntwo\n"
    assert fixing.apply(session.project, one.id, confirm=True, rebase=True).files == ("a.py",)
    assert (project / "a.py").read_bytes() == b"zero\none\n2\n"
    (project / "a.py").write_bytes(b"zero\none\n2\nthree\n")
    with pytest.raises(Trouble) as caught:
        fixing.take_back(session.project, one.id)
    assert caught.value.code == "file_drift_detected"
    fixing.take_back(session.project, one.id, rebase=True)
    assert (project / "a.py").read_bytes() == b"zero\none\ntwo\nthree\n"


def test_undo_takes_files_that_are_back_already_as_they_are(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    write(project, "b.py", "b\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n"), whole("b.py", "b\n", "B\n")])
    fixing.apply(session.project, one.id, confirm=True)
    (project / "a.py").write_bytes(b"a\n")
    assert fixing.take_back(session.project, one.id).files == ("b.py",)
    assert (project / "b.py").read_bytes() == b"b\n"


@pytest.mark.parametrize(
    ("writes", "confirm", "code"),
    [
        ("off", True, "writes_off"),
        ("ask", None, "invalid_arguments"),
        ("ask", False, "not_confirmed"),
        ("on", False, "not_confirmed"),
        ("ask", True, None),
        ("on", None, None),
    ],
)
def test_the_configuration_bounds_writing(
    session: Session, project: Path, writes: str, confirm: bool | None, code: str | None
) -> None:
    (project / "punchlist.toml").write_text(f'writes = "{writes}"\n', encoding="utf-8")
    write(project, "a.py", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])
    if code is None:
        assert fixing.apply(session.project, one.id, confirm=confirm).status == "success"
        return
    with pytest.raises(Trouble) as caught:
        fixing.apply(session.project, one.id, confirm=confirm)
    assert caught.value.code == code
    assert (project / "a.py").read_bytes() == b"a\n"
    assert fixing.transactions(session.project).get(one.id).state == "previewed"


def test_a_baseline_that_is_not_kept_is_refused_and_the_preview_stays(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])
    gone = ran(session)
    session.project.store.prune([gone])
    for name, code in (("nope-1", "baseline_check_unknown"), (gone.id, "baseline_snapshot_expired")):
        with pytest.raises(Trouble) as caught:
            fixing.apply(session.project, one.id, confirm=True, baseline=name)
        assert caught.value.code == code
    assert (project / "a.py").read_bytes() == b"a\n"
    assert fixing.apply(session.project, one.id, confirm=True).status == "success"


def test_a_transaction_is_applied_once_and_discarded_only_before(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    first = fixing.preview(session.project, patches=[whole("a.py", "a\n", "b\n")])
    assert fixing.discard(session.project, first.id)
    assert not fixing.discard(session.project, first.id)
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "b\n")])
    fixing.apply(session.project, one.id, confirm=True)
    assert not fixing.discard(session.project, one.id)
    with pytest.raises(Trouble, match="applied already"):
        fixing.apply(session.project, one.id, confirm=True)
    fixing.take_back(session.project, one.id)
    with pytest.raises(Trouble, match="undone already"):
        fixing.apply(session.project, one.id, confirm=True)
    with pytest.raises(Trouble, match="nothing to take back") as caught:
        fixing.take_back(session.project, one.id)
    assert caught.value.code == "transaction_unknown"


def test_a_failed_write_is_rolled_back_and_the_transaction_is_gone(
    session: Session, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "a.py", "a\n")
    write(project, "b.py", "b\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n"), whole("b.py", "b\n", "B\n")])
    real, calls = Folder.replace, []

    def failing(self: Folder, source: str, target: str) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        real(self, source, target)

    monkeypatch.setattr(Folder, "replace", failing)
    with pytest.raises(journal.Aborted, match="every file is as it was") as caught:
        fixing.apply(session.project, one.id, confirm=True)
    assert (project / "a.py").read_bytes() == b"a\n"
    value = fix_text.refused_value(one.id, caught.value)
    assert (value["status"], value["code"], value["filesModified"]) == (
        "rolled_back", "transaction_aborted_and_rolled_back", [],
    )  # fmt: skip
    assert fixing.transactions(session.project).find(one.id) is None


# The tools' own fixes


def test_safe_fixes_of_the_newest_run_with_fixes_become_a_transaction(session: Session, project: Path) -> None:
    write(project, "a.py", "a\nb\nc\nd\n")
    run = ran(session, fixable(1), fixable(2, "R2"), fixable(3, safe=False), Diagnostic(message="no fix", file="a.py"))
    ran(session, Diagnostic(message="no fix"), name="test")
    one = fixing.preview(session.project, wanted=Wanted())
    assert (one.source, one.title) == (run.id, f"2 safe fixes of {run.id}")
    assert one.notes == ("2 have no safe fix",)
    fixing.apply(session.project, one.id, confirm=True)
    assert (project / "a.py").read_bytes() == b"X\nX\nc\nd\n"


@pytest.mark.parametrize(
    ("wanted", "after"),
    [
        ({"rule": "R2"}, b"a\nX\nc\nd\n"),
        ({"engine": "eslint"}, b"a\nb\nc\nX\n"),
        ({"paths": ("other",)}, None),
        ({"paths": (".",), "rule": "r1"}, b"X\nb\nc\nd\n"),
        ({"unsafe": True, "rule": "R3"}, b"a\nb\nX\nd\n"),
        ({"cluster": "R2"}, b"a\nX\nc\nd\n"),
    ],
)
def test_fixes_are_narrowed(session: Session, project: Path, wanted: dict[str, Any], after: bytes | None) -> None:
    write(project, "a.py", "a\nb\nc\nd\n")
    ran(session, fixable(1), fixable(2, "R2"), fixable(3, "R3", safe=False), fixable(4, "R4", tool="eslint"))
    if after is None:
        with pytest.raises(Trouble):
            fixing.preview(session.project, wanted=Wanted(**wanted))
        return
    fixing.apply(session.project, fixing.preview(session.project, wanted=Wanted(**wanted)).id, confirm=True)
    assert (project / "a.py").read_bytes() == after


def test_issues_and_clusters_are_named_as_answers_name_them(session: Session, project: Path) -> None:
    write(project, "a.py", "a\nb\nc\nd\n")
    found = [fixable(1), fixable(2), fixable(3, "R3")]
    run = ran(session, *found)
    ids = {issue.line: issue.id for issue in issues_of(found)}
    one = fixing.preview(session.project, wanted=Wanted(issues=(ids[2][:12], ids[3])))
    assert "2 safe fixes" in one.title
    from punchlist.views.schema14 import Cluster

    cluster = Cluster(rule="R1", issues=tuple(i for i in issues_of(found) if i.rule == "R1"))
    assert "2 safe fixes" in fixing.preview(session.project, wanted=Wanted(cluster=cluster.id)).title
    for wanted, code in (
        (Wanted(issues=("ffffffff",)), "unknown_issue"),
        (Wanted(cluster="nope", run_id=run.id), "unknown_group"),
        (Wanted(run_id="nope-1"), "unknown_run"),
    ):
        with pytest.raises(Trouble) as caught:
            fixing.preview(session.project, wanted=wanted)
        assert caught.value.code == code


def test_a_finding_without_a_safe_fix_says_so(session: Session, project: Path) -> None:
    write(project, "a.py", "a\nb\n")
    ran(session, fixable(1, safe=False), Diagnostic(message="m", file="a.py", rule="R9", tool="mypy"))
    for wanted, said in ((Wanted(rule="R1"), "does not call safe"), (Wanted(rule="R9"), "no tool offers")):
        with pytest.raises(Trouble, match=said) as caught:
            fixing.preview(session.project, wanted=wanted)
        assert caught.value.code == "no_safe_fix"


def test_fixes_for_a_read_only_file_say_that_it_is_read_only(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n").chmod(0o444)
    ran(session, fixable(1))
    with pytest.raises(Trouble, match=r"a\.py is read-only") as caught:
        fixing.preview(session.project, wanted=Wanted())
    assert caught.value.code == "read_only"
    write(project, "b.py", "b\n")
    ran(session, fixable(1), fixable(1, file="b.py"))
    one = fixing.preview(session.project, wanted=Wanted())
    assert [file.file for file in one.files] == ["b.py"]
    assert any(note.startswith("1 are left out: a.py is read-only") for note in one.notes)


def test_fixes_for_files_that_changed_since_the_run_are_not_believed(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    write(project, "b.py", "b\n")
    run = ran(session, fixable(1), fixable(1, file="b.py"))
    later = time.time() + 5
    os.utime(project / "a.py", (later, later))
    one = fixing.preview(session.project, wanted=Wanted(run_id=run.id))
    assert [record.file for record in one.files] == ["b.py"]
    assert f"1 are in files that changed since {run.id}" in one.notes[0]
    os.utime(project / "b.py", (later, later))
    with pytest.raises(Trouble) as caught:
        fixing.preview(session.project, wanted=Wanted(run_id=run.id))
    assert caught.value.code == "file_drift_detected"


def looked(session: Session, *found: Diagnostic, at: Sequence[str]) -> Run:
    """Return a finished check in which ruff looked at some files."""
    store = session.project.store
    run = store.begin(
        name="check", kind="engines", key="k", title="check", command="x", cwd="/", owner=os.getpid(), owner_start=""
    )
    folder = session.project.runs_folder / run.id
    private_folder(folder)
    snapshot.save(folder, snapshot.Snapshot(covered=frozenset(("ruff", file) for file in at)))
    return store.finish(run.id, Report(outcome="failed", diagnostics=found), size=1, facts={"engines": {}})


@pytest.mark.parametrize(
    ("again", "code", "said"),
    [
        (["a.py", "b.py"], "no_safe_fix", "nothing to fix any more: checks since check-1"),
        (["a.py"], None, "b.py"),
        ([], None, "a.py, b.py"),
    ],
)
def test_what_a_newer_check_looked_at_again_is_not_taken_from_an_older_one(
    session: Session, project: Path, again: Sequence[str], code: str | None, said: str
) -> None:
    write(project, "a.py", "a\n")
    write(project, "b.py", "b\n")
    looked(session, fixable(1), fixable(1, file="b.py"), at=["a.py", "b.py"])
    looked(session, at=again)
    if code is None:
        one = fixing.preview(session.project, wanted=Wanted(rule="R1"))
        assert ", ".join(record.file for record in one.files) == said
        return
    with pytest.raises(Trouble, match=said) as caught:
        fixing.preview(session.project, wanted=Wanted(rule="R1"))
    assert caught.value.code == code


def test_fixes_of_an_older_run_that_still_fit_are_taken_where_those_of_the_newest_do_not(
    session: Session, project: Path
) -> None:
    write(project, "a.py", "a\n")
    write(project, "b.py", "b\n")
    old = ran(session, fixable(1, file="b.py"))
    ran(session, fixable(1), name="other")
    later = time.time() + 5
    os.utime(project / "a.py", (later, later))
    assert fixing.preview(session.project, wanted=Wanted()).source == old.id


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_what_git_ignores_is_not_edited(session: Session, project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    write(project, ".gitignore", '.env\nmade/\nä*\n"*\n!*.kept\n')
    write(project, ".env", "K=1\n")
    write(project, "a.py", "a\n")
    (project / "made").mkdir()
    write(project, "made/x.py", "a\n")
    for patch in (
        whole(".env", "K=1\n", "K=2\n"),
        whole("made/new.py", "", "x\n"),
        whole("ä b", "", "x"),
        whole('"', "", "x"),
    ):
        with pytest.raises(Trouble, match="ignored by git") as caught:
            fixing.preview(session.project, patches=[patch])
        assert caught.value.code == "invalid_path"
    assert fixing.preview(session.project, patches=[whole("ä.kept", "", "x"), whole("not\tit", "", "x")]).files
    ran(session, fixable(1), fixable(1, file="made/x.py"))
    one = fixing.preview(session.project, wanted=Wanted())
    assert [record.file for record in one.files] == ["a.py"]
    assert "1 are in files that git ignores" in one.notes


# What a check says afterwards


def checker(
    session: Session, *reports: Sequence[Diagnostic], outcomes: Sequence[str] = ("failed",) * 9
) -> tuple[Checker, list[Sequence[str]]]:
    """Return a checker whose checks find these things, one after the other, and the files it was asked about."""
    asked: list[Sequence[str]] = []

    def start(files: Sequence[str]) -> Run:
        asked.append(files)
        return ran(session, *reports[len(asked) - 1], name="check", outcome=outcomes[len(asked) - 1])

    def difference(before: Run, after: Run) -> Any:
        return compare(session.report(before.id), session.report(after.id), before_id=before.id, after_id=after.id)

    return Checker(start, lambda run_id, _: session.project.store.get(run_id), difference), asked


ERROR = Diagnostic(message="broken", file="a.py", line=1, rule="E1", tool="tsc")


@pytest.mark.parametrize(("asked", "state", "after"), [("revert", "undone", b"a\n"), ("keep", "applied", b"A\n")])
def test_a_change_that_breaks_something_is_taken_back_when_asked(
    session: Session, project: Path, asked: Any, state: str, after: bytes
) -> None:
    write(project, "a.py", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])
    checks, files = checker(session, [], [ERROR])
    found = fixing.apply(session.project, one.id, confirm=True, on_regression=asked, checker=checks)
    assert files == [["a.py"], ("a.py",)]
    assert (found.transaction.state, (project / "a.py").read_bytes()) == (state, after)
    text = fix_text.applied_text(session.project, found)
    assert "1 new" in text
    assert "a.py:1 E1 broken" in text
    value = fix_text.applied_value(found, {})
    if asked == "revert":
        assert (value["status"], value["code"], value["filesModified"]) == ("rolled_back", "regression_reverted", [])
    else:
        assert (value["status"], value["filesModified"], value["postCheckId"]) == ("success", ["a.py"], "check-2")


@pytest.mark.parametrize(
    ("outcomes", "status", "said"),
    [
        (("passed", "error"), "rolled_back", "does not come to its end any more"),
        (("error", "failed"), "success", "check-1 did not come to its end"),
        (("error", "error"), "success", "check-1 did not come to its end"),
    ],
)
def test_a_check_that_did_not_finish_says_nothing_of_what_is_new(
    session: Session, project: Path, outcomes: Sequence[str], status: str, said: str
) -> None:
    write(project, "a.py", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])
    second = [] if outcomes[0] == "passed" else [ERROR]
    checks, _ = checker(session, [], second, outcomes=outcomes)
    found = fixing.apply(session.project, one.id, confirm=True, on_regression="revert", checker=checks)
    assert found.status == status
    assert said in fix_text.applied_text(session.project, found)
    assert (project / "a.py").read_bytes() == (b"a\n" if status == "rolled_back" else b"A\n")


def test_without_a_baseline_the_check_is_made_and_no_difference_is_told(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])
    found = fixing.apply(session.project, one.id, confirm=True, checker=checker(session, [ERROR])[0])
    value = fix_text.applied_value(found, None)
    assert value["message"] == "No baselineCheckId provided; baseline delta was not requested."
    assert value["postCheckId"] == "check-1"
    assert "delta" not in value


def test_a_check_that_cannot_be_made_leaves_the_change_and_says_so(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])

    def start(_: Sequence[str]) -> Run:
        raise Trouble("no engine here", "nothing_checked")

    checks = Checker(start, lambda run_id, _: session.wait(run_id), lambda *_: pytest.fail("nothing to compare"))
    found = fixing.apply(session.project, one.id, confirm=True, on_regression="revert", checker=checks)
    assert (found.status, found.unverified) == ("success", "no engine here")
    assert "not verified: no engine here" in fix_text.applied_text(session.project, found)
    assert fix_text.applied_value(found, None)["verification"] == {"status": "unknown", "message": "no engine here"}


@pytest.mark.parametrize("known", [True, False])
def test_a_removed_file_is_followed_by_a_check(session: Session, project: Path, known: bool) -> None:
    (project / "src").mkdir()
    write(project, "src/a.py", "a\n")
    if known:
        add_issue_files(session.project.store, ["src/a.py"])
    one = fixing.preview(session.project, diff="--- a/src/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")
    asked: list[Any] = []

    def check(what: Any) -> Run:
        asked.append(what)
        return ran(session, name="check", outcome="passed")

    real = checker_of(session)
    checks = replace(real, start=lambda files: check(_asked(session.project, files)))
    found = fixing.apply(session.project, one.id, confirm=True, checker=checks)
    assert found.unverified == ""
    assert [what.paths for what in asked] == [("src/a.py",) if known else ("src",)]


def test_a_change_that_cannot_be_taken_back_stays_and_says_so(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])
    checks, _ = checker(session, [], [ERROR])

    def finish(run_id: str, watch: Watch) -> Run:
        if watch.committed:
            (project / "a.py").write_bytes(b"somebody else\n")
        return session.project.store.get(run_id)

    found = fixing.apply(
        session.project, one.id, confirm=True, on_regression="revert", checker=replace(checks, finish=finish)
    )
    assert (found.status, found.code, found.files) == ("success", "not_reverted", ("a.py",))
    assert "1 new error, but it could not be taken back: a.py changed since it was applied" in found.message
    assert (project / "a.py").read_bytes() == b"somebody else\n"


def test_a_file_that_no_engine_reads_is_not_verified_and_no_error(session: Session, project: Path) -> None:
    write(project, "a.txt", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.txt", "a\n", "A\n")])
    found = fixing.apply(session.project, one.id, confirm=True, on_regression="revert", checker=checker_of(session))
    assert found.unverified.startswith("Nothing was checked")
    text = fix_text.applied_text(session.project, found)
    assert "not verified: Nothing was checked" in text
    assert "ERROR" not in text


def test_a_check_that_somebody_ended_takes_nothing_back(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])
    checks, _ = checker(session, [])

    def finish(run_id: str, watch: Watch) -> Run:
        if not watch.committed:
            return session.project.store.get(run_id)
        ended = Report(outcome="error", partial=True, how=How(ending="cancelled"))
        return session.project.store.finish(begun(session).id, ended, size=0)

    checks = Checker(lambda _: ran(session, name="check"), finish, checks.compare)
    found = fixing.apply(session.project, one.id, confirm=True, on_regression="revert", checker=checks)
    assert (found.status, (project / "a.py").read_bytes()) == ("success", b"A\n")
    assert "was ended before" in found.unverified


# Killed


KILLED = """
import sys
from pathlib import Path
from punchlist.editing.places import Folder
from punchlist.service import fixing
from punchlist.service.project import open_project
import os, signal
real = Folder.replace
def replace(self, source, target):
    real(self, source, target)
    os.kill(os.getpid(), signal.SIGKILL)
Folder.replace = replace
fixing.apply(open_project(explicit=sys.argv[1]), sys.argv[2], confirm=True)
"""


def test_a_start_after_a_kill_puts_the_files_back_and_tells_of_it(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    write(project, "b.py", "b\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n"), whole("b.py", "b\n", "B\n")])
    done = subprocess.run([sys.executable, "-c", KILLED, str(project), one.id], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (project / "a.py").read_bytes() == b"A\n"
    later = Session(session.project)
    later.recover()
    assert (project / "a.py").read_bytes() == b"a\n"
    assert later.notes == ["a change of files was cut off; put back: a.py"]
    assert fixing.apply(session.project, one.id, confirm=True).files == ("a.py", "b.py")


def test_a_preview_after_a_kill_tells_what_was_put_back(session: Session, project: Path) -> None:
    write(project, "a.py", "a\n")
    one = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])
    subprocess.run([sys.executable, "-c", KILLED, str(project), one.id], check=False)
    again = fixing.preview(session.project, patches=[whole("a.py", "a\n", "A\n")])
    assert again.notes == ("a change of files was cut off; put back: a.py",)


def test_a_journal_of_a_process_that_lives_is_left_alone(session: Session, project: Path) -> None:
    from punchlist.editing.alone import alone

    folder = session.project.store.folder / "edits"
    folder.mkdir()
    (folder / "journal").write_text("{}", encoding="utf-8")
    with alone(folder / "lock"):
        assert fixing.recover(session.project) == ""
    assert (folder / "journal").exists()


def test_a_fix_that_a_tool_tells_only_when_asked_is_found_for_a_named_issue(session: Session, project: Path) -> None:
    modules = Path(__file__).parents[1] / "node" / "node_modules"
    if not (modules / "oxlint").is_dir() or shutil.which("node") is None:
        pytest.skip("tools/node_tools.py installs what this needs")
    (project / "node_modules").symlink_to(modules)
    write(project, ".oxlintrc.json", '{"rules": {"prefer-const": "error"}}')
    write(project, "a.ts", "let x = 1;\nlet y = 2;\nexport { x, y };\n")
    run = session.wait(session.check(of_project(session.project)).id, 60)
    second = issues_of(session.report(run.id).diagnostics)[1].id
    one = fixing.preview(session.project, wanted=Wanted(run_id=run.id, issues=(second,)))
    (change,) = fixing.transactions(session.project).changes(one)
    assert change.after == b"let x = 1;\nconst y = 2;\nexport { x, y };\n"
