"""Checks by real engines, from the question to the answer."""

import json
import os
import re
import sqlite3
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from punchlist.model import Diagnostic, Report, Trouble
from punchlist.service.answers import comparison
from punchlist.service.checking import recurring, snapshot, values
from punchlist.service.checking.answers import check_text, edit_text
from punchlist.service.checking.asked import of_files, of_project
from punchlist.service.checking.compare import covering, difference, seen_by
from punchlist.service.live_diagnostics import view
from punchlist.service.logs import folder_of, take
from punchlist.service.plan import of_command
from punchlist.service.project import open_project
from punchlist.service.session import Session
from punchlist.store.runs import Run
from punchlist.views.budget import PROJECT, Budget
from punchlist.views.verdict import CLI_CALLS

Check = Callable[..., Run]


def edit(session: Session, run: Run) -> str:
    return edit_text(session.project, run, covering(session.project, run), "", budget=PROJECT, calls=CLI_CALLS)


def test_a_check_is_a_run_with_its_own_id_and_answers_with_every_finding(session: Session, check: Check) -> None:
    first, second = check(), check()
    assert (first.id, second.id, first.kind) == ("check-1", "check-2", "engines")
    text = check_text(session.project, first)
    assert text.splitlines()[0].startswith("FAILED check: 1 error")
    assert "ruff" in text.splitlines()[1]
    assert "3 files" in text.splitlines()[1]
    assert "a.py:1 F401" in text
    assert "(cached)" in check_text(session.project, second)
    assert "since check-1: 1 same" in check_text(session.project, second)


def test_a_clean_check_is_short_and_says_what_was_looked_at(session: Session, check: Check) -> None:
    text = check_text(session.project, check("b.py"))
    assert text.startswith("PASSED check b.py")
    assert "1 file" in text
    assert len(text.splitlines()) == 2


def test_files_of_no_engine_are_an_error_not_a_pass(session: Session, check: Check, python: Path) -> None:
    (python / "notes.txt").write_text("x", encoding="utf-8")
    done = check("notes.txt")
    assert (done.outcome, done.facts["code"]) == ("error", "nothing_checked")
    assert "Nothing was checked" in check_text(session.project, done)
    assert values.response(session.project, done)["code"] == "nothing_checked"


def test_a_project_without_engines_says_so(session: Session, project: Path) -> None:
    done = session.wait(session.check(of_project(session.project)).id, 30)
    assert done.outcome == "error"
    assert "no engine is on" in check_text(session.project, done)


@pytest.fixture
def broken_mypy(python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let mypy be a program that fails."""
    (python / "punchlist.toml").write_text("[engines.mypy]\nenabled = true\n", encoding="utf-8")
    tool = tmp_path / "bin" / "mypy"
    tool.parent.mkdir()
    tool.write_text(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'mypy 1.13.0 (compiled: yes)' && exit 0\necho boom >&2\nexit 7\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("broken_mypy")
def test_an_engine_that_fails_makes_an_error_and_loses_nobody_elses_findings(session: Session, check: Check) -> None:
    done = check()
    text = check_text(session.project, done)
    assert done.outcome == "error"
    assert "mypy ERROR" in text
    assert "boom" in text
    assert "F401" in text
    response = values.response(session.project, done)
    assert (response["status"], response["totalIssues"]) == ("error", 1)
    assert response["engines"]["mypy"]["code"] == "engine_execution_failed"
    assert response["engines"]["mypy"]["nextStep"]


@pytest.mark.usefixtures("broken_mypy")
def test_with_a_failed_side_the_verdict_is_unknown(session: Session, check: Check, python: Path) -> None:
    before = check()
    (python / "a.py").write_text("x = 1\n", encoding="utf-8")
    after = check()
    assert values.comparison(difference(session.project, before, after))["verdict"] == "unknown"
    assert edit(session, check("a.py")).startswith("UNKNOWN")


def test_snapshots_survive_a_restart(session: Session, check: Check, python: Path) -> None:
    done = check()
    again = Session(open_project(explicit=str(python)))
    kept = seen_by(again.project, again.project.store.get(done.id))
    assert kept is not None
    assert ("ruff", "a.py") in kept.covered
    assert values.snapshot(again.project, done)["coverage"]["ruff"]["checked"] == 3
    again.project.store.close()


def test_what_is_kept_is_for_its_owner_alone(session: Session, check: Check) -> None:
    folder = session.project.runs_folder / check().id
    below = [folder, *folder.rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in below if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in below if path.is_file()} == {0o600}


def test_an_edit_is_told_as_fixed_broke_and_left_with_lines_followed(
    session: Session, check: Check, python: Path
) -> None:
    (python / "a.py").write_text("import os\nimport sys\n\n\ndef total(x):\n    return x\n", encoding="utf-8")
    check()
    (python / "a.py").write_text("# new\n\nimport sys\n\n\ndef total(x):\n    return y\n", encoding="utf-8")
    text = edit(session, check("a.py"))
    assert text.startswith("WORSE: 1 fixed, 1 broke, 1 left")
    assert "F821" in text.partition("broke (1):")[2].splitlines()[1]
    assert "a.py:3 F401" in text.partition("left (1):")[2].splitlines()[1]
    assert len(text.splitlines()) < 15


def test_a_narrower_check_never_calls_fixed_what_it_did_not_look_at(session: Session, check: Check) -> None:
    whole, narrow = check(), check("b.py")
    delta = difference(session.project, whole, narrow)
    assert (delta.removed, len(delta.unobserved)) == ((), 1)
    assert values.comparison(delta)["verdict"] == "unknown"
    assert "not looked at: 1 known finding in other files" in edit(session, narrow)


def test_a_deleted_file_is_observed_as_gone(session: Session, check: Check, python: Path) -> None:
    whole = check()
    (python / "a.py").unlink()
    gone = check("a.py")
    delta = difference(session.project, whole, gone)
    assert [d.file for d in delta.removed] == ["a.py"]
    assert "1 fixed" in edit(session, gone)
    assert [d.file for d in difference(session.project, whole, check()).removed] == ["a.py"]


def test_a_new_file_is_new_and_not_merely_seen_first(session: Session, check: Check, python: Path) -> None:
    whole = check()
    (python / "c.py").write_text("import sys\n", encoding="utf-8")
    assert [d.file for d in difference(session.project, whole, check()).added] == ["c.py"]


def test_two_engine_runs_and_a_command_never_fix_each_others_findings(session: Session, check: Check) -> None:
    checked = check()
    command = session.wait(session.start(of_command(session.project, "true")).id, 20)
    delta = difference(session.project, checked, command)
    assert (delta.removed, len(delta.unobserved)) == ((), 1)
    back = difference(session.project, command, checked)
    assert (back.added, len(back.first_seen)) == ((), 1)


def test_a_switched_off_engine_leaves_its_findings_unobserved(session: Session, check: Check, python: Path) -> None:
    before = check()
    (python / "punchlist.toml").write_text(
        "[engines.ruff]\nenabled = false\n[engines.mypy]\nenabled = true\n", encoding="utf-8"
    )
    after = check()
    assert difference(session.project, before, after).removed == ()


def test_what_comes_back_is_a_loop_also_after_a_restart(session: Session, check: Check, python: Path) -> None:
    bad, good = "import os\n", "x = 1\n"
    for text in (bad, good, bad, good, bad):
        (python / "a.py").write_text(text, encoding="utf-8")
        last = check("a.py")
    assert [loop.occurrences for loop in recurring.of_run(last).loops] == [2]
    again = Session(open_project(explicit=str(python)))
    (loop,) = recurring.now(again.project).loops
    assert loop.occurrences == 2
    assert any("a.py" in edits for edits in loop.edits)
    assert "loop: F401" in check_text(session.project, last)
    for text in (good, bad) * 4:
        (python / "a.py").write_text(text, encoding="utf-8")
        last = check("a.py")
    line = next(line for line in check_text(session.project, last).split("\n") if line.startswith("loop: "))
    assert line.endswith(" (edits before check-10, check-11, check-12, check-13: a.py)")
    again.project.store.close()


def test_a_check_that_does_not_look_at_a_file_does_not_make_a_loop(session: Session, check: Check) -> None:
    for files in (("a.py",), ("b.py",), ("a.py",), ("b.py",), ("a.py",)):
        check(*files)
    assert recurring.now(session.project).loops == ()


def test_the_same_rule_in_the_same_file_three_times_is_churn(session: Session, check: Check) -> None:
    for _ in range(3):
        last = check("a.py")
    (churn,) = recurring.of_run(last).churns
    assert (churn.file, churn.rule, churn.check_count) == ("a.py", "F401", 3)
    assert values.response(session.project, last)["fileRuleChurnWarning"]["checkCount"] == 3


def test_the_same_check_asked_twice_at_once_is_one_run(session: Session, python: Path) -> None:
    ids: list[str] = []

    def ask() -> None:
        ids.append(session.check(of_project(session.project)).id)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 1
    session.wait(ids[0], 60)


def test_a_fresh_check_joins_nothing_and_believes_no_cache(session: Session, check: Check) -> None:
    check()
    again = check(fresh=True)
    assert again.facts["engines"]["ruff"]["checked"] == 3


def test_a_cancelled_check_says_so_and_is_no_baseline(session: Session, python: Path) -> None:
    run = session.check(of_project(session.project, fresh=True))
    done = session.stop(run.id)
    if done.how.ending != "cancelled":
        pytest.skip("it was done before it could be ended")
    assert done.outcome == "error"
    assert covering(session.project, session.wait(session.check(of_files(session.project, ["a.py"])).id, 30)) is None


def test_findings_outside_of_what_was_asked_are_counted(session: Session, check: Check, python: Path) -> None:
    done = check("b.py")
    report = session.report(done.id)
    other = session.report(check().id)
    session.project.store.finish(done.id, other, size=0)
    value = values.response(session.project, session.project.store.get(done.id))
    assert (report.diagnostics, value["totalIssues"], value["filteredOutCount"]) == ((), 0, 1)
    assert value["filteredOutIssueCount"] == 1
    assert "check_project" in value["nextStep"]
    assert "+ 1 in files that were not asked for: a.py" in check_text(
        session.project, session.project.store.get(done.id)
    )


def test_a_bad_configuration_is_told_before_anything_runs(session: Session, python: Path) -> None:
    (python / "punchlist.toml").write_text("[engines.rufff]\nenabled = true\n", encoding="utf-8")
    with pytest.raises(Trouble, match=r"punchlist\.toml"):
        session.check(of_project(session.project))


def test_every_finding_is_reachable_page_by_page(session: Session, check: Check, python: Path) -> None:
    lines = "".join(f"import m{n}\n" for n in range(250))
    (python / "a.py").write_text(lines, encoding="utf-8")
    done = check()
    report = session.report(done.id)
    found: set[str] = set()
    page: str | None = "1"
    while page:
        value = values.detail(report, cluster_id=None, issue_id=None, page=int(page))
        found |= {issue["issueId"] for issue in value["issues"]}
        page = value.get("nextCursor")
    assert len(found) == len(report.diagnostics) >= 250
    assert json.dumps(value)


@pytest.mark.parametrize("tokens", [None, 100, 300])
def test_pages_of_any_length_lose_nothing(session: Session, check: Check, python: Path, tokens: int | None) -> None:
    rules = "".join(f"x{n} = undefined_{n} + lambda_{n}\n" for n in range(120)) + "import os\nimport sys, json\n"
    (python / "a.py").write_text(rules, encoding="utf-8")
    done = check("a.py", "b.py")
    budget = Budget(tokens, asked=True) if tokens else PROJECT
    text = check_text(session.project, done, budget=budget)
    assert len(text.encode()) <= max(budget.chars, 900)
    said = text
    while text.splitlines()[-1].startswith("+") or "more: punchlist show" in text:
        last = next(line for line in reversed(text.splitlines()) if "punchlist show" in line)
        call = last.split("--page ")[1].split()
        assert ("--max-tokens" in call) == bool(tokens)
        text = check_text(session.project, done, budget=budget, page=int(call[0]))
        said += text
    assert {f"undefined_{n}" for n in range(120)} <= set(re.findall(r"undefined_\d+", said))


def test_a_diff_of_two_checks_goes_by_what_both_looked_at(session: Session, check: Check) -> None:
    whole, narrow = check(), check("b.py")
    delta = comparison(session.project, whole.id, narrow.id, None)
    assert (delta.removed, len(delta.unobserved)) == ((), 1)


def test_a_state_that_is_locked_is_told_and_breaks_nothing(session: Session, check: Check, python: Path) -> None:
    check()
    other = sqlite3.connect(session.project.store.folder / "state.db", isolation_level=None)
    session.project.store.db.execute("PRAGMA busy_timeout = 50")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Trouble, match="try again"):
        check()
    other.execute("ROLLBACK")
    assert check().outcome == "failed"
    other.close()


def test_a_locked_cache_is_gone_without_and_said(session: Session, check: Check, python: Path) -> None:
    check()
    other = sqlite3.connect(session.project.store.folder / "cache.db", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    (python / "b.py").write_text("import sys\n", encoding="utf-8")
    done = check()
    other.execute("ROLLBACK")
    other.close()
    assert len(session.report(done.id).diagnostics) == 2


def test_a_file_that_no_engine_looks_at_is_named_beside_one_that_is_clean(
    session: Session, check: Check, python: Path
) -> None:
    (python / "notes.txt").write_text("x", encoding="utf-8")
    text = check_text(session.project, check("b.py", "notes.txt"))
    assert text.startswith("PASSED")
    assert "not looked at by any engine: notes.txt" in text


def finished(session: Session, run: Run, *found: Diagnostic, whole: bool = True) -> Run:
    """Let a check have found what is given, with an engine that looked at a.py."""
    folder = session.project.runs_folder / run.id
    (folder / snapshot.FILE).unlink()
    seen = snapshot.Snapshot(
        covered=frozenset({("tsc", "a.py")}), files=frozenset({"a.py"}), finished=frozenset({"tsc"}), whole=whole
    )
    snapshot.save(folder, seen)
    session.project.store.finish(run.id, Report(outcome="failed" if found else "passed", diagnostics=found), size=0)
    return session.project.store.get(run.id)


@pytest.mark.parametrize(("whole", "removed"), [(True, 1), (False, 0)])
def test_what_an_engine_tells_of_its_configuration_is_gone_when_it_ends_without_it(
    session: Session, check: Check, whole: bool, removed: int
) -> None:
    one = Diagnostic(message="Unknown option", file="tsconfig.json", line=3, tool="tsc", rule="TS5023")
    before, after = finished(session, check(), one), finished(session, check(fresh=True), whole=whole)
    delta = difference(session.project, before, after)
    assert (len(delta.removed), len(delta.unobserved)) == (removed, 1 - removed)


def test_a_hostile_file_name_makes_no_line_of_its_own(session: Session, check: Check, python: Path) -> None:
    name = "x\nPASSED everything.py"
    (python / name).write_text("import os\n", encoding="utf-8")
    done = check(name)
    text = check_text(session.project, done)
    assert not any(line.startswith("PASSED") for line in text.splitlines()[:2])
    assert "\n" not in done.title


def test_findings_point_at_their_lines_in_the_kept_log_of_their_engine(session: Session, check: Check) -> None:
    done = check()
    (found,) = session.report(done.id).diagnostics
    folder = folder_of(session.project.runs_folder, done)
    assert "F401" in "\n".join(line for _, line in take(folder, "stdout").lines)
    assert (folder.name, done.facts["steps"][0]["status"]) == ("1-ruff", "completed")
    assert found.log is not None
    assert found.log.stream == "1-ruff:stdout"
    assert session.report(check().id).diagnostics[0].log is None


def test_what_a_narrow_check_did_not_look_at_is_known_from_the_one_before(
    session: Session, check: Check, python: Path
) -> None:
    def known() -> list[str | None]:
        return [d.file for d in view(session.project).diagnostics]

    check()
    check("b.py")
    assert known() == ["a.py"]
    (python / "a.py").write_text("x = 1\n", encoding="utf-8")
    check("a.py")
    assert known() == []
