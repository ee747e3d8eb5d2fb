"""What is new since a base commit, and when nothing may be said of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from punchlist.model import Trouble
from punchlist.service.base.answers import base_line, since_base, value_of, with_base
from punchlist.service.checking.asked import of_project
from punchlist.service.plan import Plan, of_command
from punchlist.service.project import open_project
from punchlist.service.session import Session
from punchlist.store.runs import Run
from punchlist.views.budget import RUN
from tests.service.checking.conftest import git

TEST = """import unittest
from pkg import one
class T(unittest.TestCase):
    def test_one(self): self.assertEqual(one(), 1)
"""
UNITTEST = f"{sys.executable} -m unittest test_pkg"


def pair(session: Session, command: str | Plan, revision: str = "HEAD") -> tuple[Run, Run]:
    plan = command if isinstance(command, Plan) else of_command(session.project, command)
    run = session.wait(session.start(plan).id, 60)
    return run, session.wait(session.base(revision, plan).id, 120)


def state_of(folder: Path) -> tuple[str, ...]:
    untouched = ("status", "--porcelain=v2", "--branch", "--untracked-files=all"), ("stash", "list"), ("ls-files", "-s")
    return tuple(git(folder, *words) for words in untouched)


@pytest.fixture
def package(python: Path) -> Path:
    """Return a project with a package, a test of it that passes at HEAD, and a working tree that breaks it."""
    (python / "src" / "pkg").mkdir(parents=True)
    (python / "src" / "pkg" / "__init__.py").write_text("def one():\n    return 1\n", encoding="utf-8")
    (python / "test_pkg.py").write_text(TEST, encoding="utf-8")
    git(python, "add", "-A")
    git(python, "commit", "-q", "-m", "package")
    (python / "src" / "pkg" / "__init__.py").write_text("def one():\n    return 2\n", encoding="utf-8")
    return python


def test_findings_are_marked_new_old_and_gone(session: Session, python: Path) -> None:
    (python / "b.py").write_text("import sys\nimport os\nfrom a import total\n\nprint(total(1))\n", encoding="utf-8")
    git(python, "commit", "-q", "-am", "unused")
    (python / "a.py").write_text("# first\nimport os\n\n\ndef total(x):\n    return y\n", encoding="utf-8")
    (python / "b.py").write_text("from a import total\n\nprint(total(1))\n", encoding="utf-8")
    (python / "c.py").write_text("import json\n", encoding="utf-8")
    before = state_of(python)
    asked = of_project(session.project)
    run = session.wait(session.check(asked).id, 60)
    base = session.wait(session.base("HEAD", asked.plan(session.project), asked).id, 120)
    assert state_of(python) == before
    delta = since_base(session.project, base, run)
    assert delta is not None
    assert {(d.file, d.rule) for d in delta.added} == {("a.py", "F821"), ("c.py", "F401")}
    assert [(old.line, new.line) for old, new in delta.persisting] == [(1, 2)]
    assert {(d.file, d.line) for d in delta.removed} == {("b.py", 1), ("b.py", 2)}
    text = with_base(session.project, run, base, budget=RUN)
    assert text is not None
    assert "2 new, 1 old, 2 gone" in text
    assert text.index("new (2)") < text.index("old (1)") < text.index("gone (2)")
    value = value_of(session.project, run, base)
    assert (value["status"], len(value["new"]), len(value["old"]), len(value["gone"])) == ("known", 2, 1, 2)


def test_a_base_is_made_once_for_a_commit_and_a_configuration(session: Session, python: Path) -> None:
    asked = of_project(session.project)
    plan = asked.plan(session.project)
    first = session.wait(session.base("HEAD", plan, asked).id, 120)
    assert session.base("main", plan, asked).id == first.id
    (python / "punchlist.toml").write_text('extend_ignore = ["b.py"]\n', encoding="utf-8")
    assert session.base("HEAD", plan, asked).id != first.id


def test_tests_run_against_the_code_of_the_base(session: Session, package: Path) -> None:
    run, base = pair(session, f"PYTHONPATH=src {UNITTEST}")
    assert (run.outcome, base.outcome) == ("failed", "passed")
    delta = since_base(session.project, base, run)
    assert delta is not None
    assert "1 new, 0 old" in base_line(base, delta)


def editable(package: Path) -> Path:
    """Install a project as `pip install -e` does, into an environment of its own; return that one's Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=package, check=True)
    site = next((package / ".venv" / "lib").glob("python*/site-packages"))
    (site / "pkg.pth").write_text(f"{package / 'src'}\n", encoding="utf-8")
    with (package / ".gitignore").open("a", encoding="utf-8") as file:
        file.write(".venv/\n")
    return package / ".venv" / "bin" / "python"


def test_an_editable_install_does_not_let_the_base_test_todays_code(session: Session, package: Path) -> None:
    editable(package)
    run, base = pair(session, ".venv/bin/python -m unittest test_pkg")
    assert (run.outcome, base.outcome) == ("failed", "passed")


def test_a_base_whose_modules_come_from_elsewhere_is_unknown(
    session: Session, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editable(package)
    site = next((package / ".venv" / "lib").glob("python*/site-packages"))
    hook = f"import sys; sys.path.insert(0, {str(package / 'src')!r})\n"
    (site / "first.pth").write_text(hook, encoding="utf-8")
    run, base = pair(session, ".venv/bin/python -m unittest test_pkg")
    assert since_base(session.project, base, run) is None
    assert with_base(session.project, run, base, budget=RUN) is None
    line = base_line(base, None)
    assert "unknown: the module pkg comes from" in line
    assert "nothing is called new or old" in line
    assert value_of(session.project, run, base)["status"] == "unknown"


def test_a_workspaces_own_packages_lead_into_the_worktree(session: Session, python: Path) -> None:
    if not (node := next((p for p in os.environ["PATH"].split(os.pathsep) if Path(p, "node").exists()), None)):
        pytest.skip("no Node.js")
    assert node
    lib = python / "packages" / "lib"
    lib.mkdir(parents=True)
    (python / "package.json").write_text(json.dumps({"workspaces": ["packages/*"]}), encoding="utf-8")
    (lib / "package.json").write_text(json.dumps({"name": "lib", "main": "index.js"}), encoding="utf-8")
    (lib / "index.js").write_text("module.exports = 1\n", encoding="utf-8")
    (python / "use.js").write_text(
        "const n = require('lib'); if (n !== 1) throw new Error('lib is ' + n)\n", encoding="utf-8"
    )
    (python / ".gitignore").write_text(".punchlist/\nnode_modules/\n", encoding="utf-8")
    git(python, "add", "-A")
    git(python, "commit", "-q", "-m", "workspace")
    (python / "node_modules").mkdir()
    (python / "node_modules" / "lib").symlink_to("../packages/lib")
    (lib / "index.js").write_text("module.exports = 2\n", encoding="utf-8")
    run, base = pair(session, "node use.js")
    assert (run.how.exit_code, base.how.exit_code) == (1, 0)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("lock", "its dependencies are not those installed now"),
        ("generated", "generated files that are not in the commit (src/pkg/schema.py)"),
        ("install", "its command installs something"),
        ("folder", "has no folder late"),
        ("fails", "did not come to its end"),
    ],
)
def test_what_is_not_given_makes_the_base_unknown_and_is_said(
    session: Session, package: Path, kind: str, said: str
) -> None:
    command, cwd = "true", None
    if kind == "lock":
        (package / "node_modules").mkdir()
        (package / "package-lock.json").write_text('{"packages": {"a": {}}}', encoding="utf-8")
    elif kind == "generated":
        (package / ".gitignore").write_text("schema.py\n.punchlist/\n", encoding="utf-8")
        (package / "src" / "pkg" / "schema.py").write_text("", encoding="utf-8")
    elif kind == "install":
        command = "npm ci --help > /dev/null; true"
    elif kind == "folder":
        (package / "late").mkdir()
        cwd = "late"
    else:
        command = "test -e late.txt"
        (package / "late.txt").write_text("", encoding="utf-8")
    run, base = pair(session, of_command(session.project, command, cwd=cwd))
    assert since_base(session.project, base, run) is None
    assert said in base_line(base, None)


def test_submodules_make_the_base_unknown(session: Session, package: Path) -> None:
    head = git(package, "rev-parse", "HEAD")
    git(package, "update-index", "--add", "--cacheinfo", f"160000,{head},vendored")
    git(package, "commit", "-q", "-m", "submodule")
    _, base = pair(session, "true")
    assert "submodules (vendored)" in base_line(base, None)


def test_a_revision_that_is_none_is_refused(session: Session, package: Path) -> None:
    for revision in ("nowhere", "--help", ""):
        with pytest.raises(Trouble):
            session.base(revision, of_command(session.project, "true"))


def test_no_hook_of_the_repository_runs_and_the_worktree_lies_outside(
    session: Session, package: Path, tmp_path: Path
) -> None:
    hook = package / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", encoding="utf-8")
    hook.chmod(0o755)
    _, base = pair(session, "true")
    assert not (tmp_path / "ran").exists()
    assert not Path(base.facts["tree"]).is_relative_to(package)


def test_what_an_earlier_check_wrote_into_the_worktree_is_undone(session: Session, package: Path) -> None:
    _, first = pair(session, "echo changed > a.py")
    _, again = pair(session, "grep -q changed a.py || exit 0; exit 1")
    assert (first.outcome, again.outcome) == ("passed", "passed")


def test_a_project_in_a_folder_of_its_repository_has_a_base(tmp_path: Path, python: Path) -> None:
    inner = python / "apps" / "one"
    inner.mkdir(parents=True)
    (inner / "pyproject.toml").write_text("[tool.ruff]\n[tool.punchlist]\n", encoding="utf-8")
    (inner / "x.py").write_text("import os\n", encoding="utf-8")
    (inner / ".env").write_text("A=1\n", encoding="utf-8")
    (python / ".gitignore").write_text(".punchlist/\n.env\n", encoding="utf-8")
    git(python, "add", "-A")
    git(python, "commit", "-q", "-m", "inner")
    (inner / "x.py").write_text("import os\nimport sys\n", encoding="utf-8")
    session = Session(open_project(explicit=str(inner)))
    asked = of_project(session.project)
    run = session.wait(session.check(asked).id, 60)
    base = session.wait(session.base("HEAD", asked.plan(session.project), asked).id, 60)
    assert "1 new, 1 old, 0 gone" in base_line(base, since_base(session.project, base, run))
    _, shell = pair(session, "cat .env && grep -q sys x.py && exit 1; true")
    assert shell.outcome == "passed"
    session.project.store.close()
