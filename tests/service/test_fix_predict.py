"""What a change would do to a check, told before it is written, with real tools on a copy."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from punchlist.model import Trouble
from punchlist.service import fix_predict, fixing
from punchlist.service.fix_watch import Watch
from punchlist.service.fix_work import Prediction
from punchlist.service.project import open_project
from punchlist.service.session import Session

RUFF = Path(sys.executable).with_name("ruff")
NODE = Path(__file__).parents[1] / "node" / "node_modules"

pytestmark = pytest.mark.skipif(not RUFF.exists(), reason="needs ruff")


@pytest.fixture
def session(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Return a session in a project that ruff checks; its temporary files lie where the test can look."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ruff").symlink_to(RUFF)
    (tmp_path / "temp").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    (project / "ruff.toml").write_text('lint.select = ["F"]\n', encoding="utf-8")
    (project / "a.py").write_text("import os\n", encoding="utf-8")
    (project / "good.py").write_text("x = 1\n", encoding="utf-8")
    found = Session(open_project(explicit=str(project)))
    yield found
    found.lives.end_all()
    found.project.store.close()
    assert list((tmp_path / "temp").iterdir()) == []


def contents(project: Path) -> dict[str, bytes]:
    return {
        path.relative_to(project).as_posix(): path.read_bytes()
        for path in project.rglob("*")
        if path.is_file() and ".punchlist" not in path.parts
    }


def predict(session: Session, diff: str) -> list[str]:
    kept = fixing.transactions(session.project)
    one = fixing.preview(session.project, diff=diff)
    before = contents(session.project.folder)
    said = fix_predict.predicted(session.project, one, kept.changes(one), Watch())
    assert contents(session.project.folder) == before
    return said


BROKEN = (
    '--- a/ruff.toml\n+++ b/ruff.toml\n@@ -1 +1 @@\n-lint.select = ["F"]\n+nope = 1\n'
    "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-import os\n+x = 1\n"
)
MADE = "--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+print(nope)\n"


@pytest.mark.parametrize(
    ("diff", "said"),
    [
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-import os\n+x = 1\n", ["predicted: 1 fixed"]),
        (
            "--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n import os\n+print(nope)\n",
            ["predicted: 1 new, 1 same", "new: a.py:2 F821 Undefined name `nope`"],
        ),
        (MADE, ["predicted: 1 in files that are made", "new: b.py:1 F821 Undefined name `nope`"]),
        ("--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-import os\n", ["predicted: 1 fixed"]),
        (
            "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-import os\n+x = 1\n" + MADE,
            ["predicted: 1 fixed, 1 in files not looked at before", "new: b.py:1 F821 Undefined name `nope`"],
        ),
        (BROKEN, None),
    ],
)
def test_a_prediction_tells_what_a_check_would(session: Session, diff: str, said: list[str] | None) -> None:
    found = predict(session, diff)
    if said is None:
        assert found[0].startswith("not predicted: ")
    else:
        assert found == said


MYPY = Path(sys.executable).with_name("mypy")


@pytest.mark.skipif(not MYPY.exists(), reason="needs mypy")
def test_what_stands_in_other_files_is_not_new_with_a_file_that_is_made(session: Session, project: Path) -> None:
    (project.parent / "bin" / "mypy").symlink_to(MYPY)
    (project / "mypy.ini").write_text("[mypy]\n", encoding="utf-8")
    (project / "bad.py").write_text("x: int = ''\n", encoding="utf-8")
    found = predict(session, "--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+y: int = ''\n")
    assert found[0] == "predicted: 1 in files that are made"
    assert [line.partition(" ")[2].split(" ")[0] for line in found[1:]] == ["b.py:1"]


def test_a_prediction_stays_with_the_preview(session: Session) -> None:
    one = fixing.preview(session.project, diff=MADE)
    doing = Prediction(session, one.id)
    assert doing.wait(30)
    assert doing.result()[0].startswith("predicted: 1 in")
    assert fixing.transactions(session.project).get(one.id).notes == ("; ".join(doing.result()),)


def test_what_changed_since_or_is_called_off_or_is_too_large_is_not_predicted(
    session: Session, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = fixing.transactions(session.project)
    one = fixing.preview(session.project, diff=MADE)

    def code(watch: Watch) -> str:
        with pytest.raises(Trouble) as caught:
            fix_predict.predicted(session.project, one, kept.changes(one), watch)
        return caught.value.code

    off = Watch()
    off.call_off()
    assert code(off) == "cancelled"
    with monkeypatch.context() as patch:
        patch.setattr(fix_predict, "_MOST_FILES", 1)
        assert code(Watch()) == "too_large"
    with monkeypatch.context() as patch:
        patch.setattr(fix_predict, "_MOST_BYTES", 1)
        assert code(Watch()) == "too_large"
    (project / "b.py").write_text("theirs\n", encoding="utf-8")
    assert code(Watch()) == "file_drift_detected"


@pytest.mark.skipif(not (NODE / "eslint").is_dir() or shutil.which("node") is None, reason="needs eslint")
def test_installed_packages_are_found_from_the_copy_and_not_written(session: Session, project: Path) -> None:
    (project / "node_modules").symlink_to(NODE)
    (project / "package.json").write_text('{"devDependencies": {"eslint": "*"}}', encoding="utf-8")
    rules = 'export default [{ files: ["*.js"], rules: { "no-var": "error" } }];\n'
    (project / "eslint.config.mjs").write_text(rules, encoding="utf-8")
    (project / "a.js").write_text("let a = 1;\n", encoding="utf-8")
    said = predict(session, "--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-let a = 1;\n+var a = 1;\n")
    assert said[0].startswith("predicted: 1 new")
    assert "new: a.js:1 no-var Unexpected var, use let or const instead." in said


def test_nothing_is_written_through_what_is_linked(session: Session, project: Path) -> None:
    inside = project / "node_modules" / "x"
    inside.mkdir(parents=True)
    (project / "package.json").write_text("{}", encoding="utf-8")
    (inside / "i.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(Trouble, match="is no copy"):
        predict(session, "--- a/node_modules/x/i.py\n+++ b/node_modules/x/i.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n")
    assert (inside / "i.py").read_text(encoding="utf-8") == "x = 1\n"
