"""What a check looked at survives on disk."""

import stat
from array import array
from pathlib import Path

from punchlist.model import Diagnostic
from punchlist.service.checking.snapshot import FILE, Snapshot, lines_of, load, save

ONE = Snapshot(
    covered=frozenset({("ruff", "a.py"), ("ruff", "b.py"), ("mypy", "a.py"), ("mypy", "lib/far.pyi")}),
    files=frozenset({"a.py", "b.py", "ä\udcff.md"}),
    gone=frozenset({"old.py"}),
    finished=frozenset({"ruff"}),
    whole=True,
    lines={"a.py": array("I", [1, 2, 4_000_000_000])},
)


def test_a_snapshot_comes_back_as_it_was(tmp_path: Path) -> None:
    save(tmp_path, ONE)
    assert load(tmp_path) == ONE
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_run_without_a_snapshot_or_with_a_damaged_one_has_none(tmp_path: Path) -> None:
    assert load(tmp_path) is None
    (tmp_path / FILE).write_bytes(b"\x00damaged")
    assert load(tmp_path) is None


def test_files_that_were_not_there_are_observed_as_absent_by_engines_that_finished() -> None:
    seen = ONE.observed({"old.py", "new.py", "b.py"})
    assert {("ruff", "old.py"), ("ruff", "new.py"), ("ruff", "b.py")} <= seen
    assert ("mypy", "old.py") not in seen
    assert ("mypy", "b.py") not in seen


def test_a_check_of_some_files_tells_nothing_of_others() -> None:
    narrow = Snapshot(covered=frozenset({("ruff", "a.py")}), files=frozenset({"a.py"}), finished=frozenset({"ruff"}))
    assert narrow.observed({"new.py"}) == {("ruff", "a.py")}


def test_lines_are_kept_of_files_with_findings_only(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x\ny\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("x\n", encoding="utf-8")
    found = lines_of(tmp_path, [Diagnostic(message="m", file="a.py"), Diagnostic(message="m", file="gone.py")])
    assert {file: len(lines) for file, lines in found.items()} == {"a.py": 3}
