"""What a check may be asked to look at."""

import json
from pathlib import Path

import pytest

from punchlist.model import Trouble
from punchlist.service.checking.asked import holds, of_files, of_project, of_selected
from punchlist.service.session import Session
from tests.service.checking.conftest import git


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", "invalid_path"),
        ("a\0b", "invalid_path"),
        ("-rf", "invalid_path"),
        ("/etc/passwd", "path_outside_project"),
        ("../x", "path_outside_project"),
        ("never-there.py", "path_not_found"),
    ],
)
def test_bad_paths_are_refused_with_their_code(session: Session, python: Path, path: str, code: str) -> None:
    with pytest.raises(Trouble) as caught:
        of_files(session.project, [path])
    assert caught.value.code == code


def test_a_link_out_of_the_project_is_refused(session: Session, python: Path, tmp_path: Path) -> None:
    (python / "out").symlink_to(tmp_path)
    with pytest.raises(Trouble) as caught:
        of_files(session.project, ["out/x.py"])
    assert caught.value.code == "path_outside_project"


def test_at_most_512_paths_are_taken_and_no_limit_holds_for_what_a_folder_has(session: Session, python: Path) -> None:
    with pytest.raises(Trouble) as caught:
        of_files(session.project, [f"f{n}.py" for n in range(513)])
    assert caught.value.code == "too_many_paths"
    assert of_project(session.project, ["."]).whole


def test_no_file_at_all_is_refused(session: Session, python: Path) -> None:
    with pytest.raises(Trouble, match="at least one file"):
        of_files(session.project, [])


def test_a_tracked_file_that_is_gone_is_taken(session: Session, python: Path) -> None:
    (python / "a.py").unlink()
    asked = of_files(session.project, ["a.py"])
    assert (asked.paths, asked.more) == (("a.py",), (".",))


def test_the_key_is_the_same_for_the_same_scope(session: Session, python: Path) -> None:
    assert of_files(session.project, ["a.py", "b.py"]).key == of_files(session.project, ["b.py", "./a.py"]).key
    assert of_files(session.project, ["a.py"]).key != of_files(session.project, ["b.py"]).key


@pytest.mark.parametrize(
    ("paths", "file", "inside"),
    [
        ((), "x", True),
        (("src",), "src/a", True),
        (("src",), "srcs/a", False),
        (("a.py",), "a.py", True),
        ((".",), "x", True),
    ],
)
def test_a_folder_holds_what_lies_below_it(paths: tuple[str, ...], file: str, inside: bool) -> None:
    assert holds(paths, file) is inside


def test_what_git_calls_changed_is_asked_for(session: Session, python: Path) -> None:
    assert of_selected(session.project) is None
    (python / "a.py").write_text("x = 1\n", encoding="utf-8")
    (python / "new ü.py").write_text("", encoding="utf-8")
    (python / "b.py").unlink()
    changed = of_selected(session.project)
    assert changed is not None
    assert changed.paths == ("a.py", "b.py", "new ü.py")
    assert of_selected(session.project, staged=True) is None
    git(python, "add", "a.py")
    staged = of_selected(session.project, staged=True)
    assert staged is not None
    assert staged.paths == ("a.py",)


def test_since_a_revision_counts_what_this_branch_changed(session: Session, python: Path) -> None:
    git(python, "checkout", "-q", "-b", "work")
    (python / "c.py").write_text("", encoding="utf-8")
    git(python, "add", "-A")
    git(python, "commit", "-q", "-m", "second")
    since = of_selected(session.project, since="main")
    assert since is not None
    assert since.paths == ("c.py",)
    with pytest.raises(Trouble, match="no commit 'nowhere'"):
        of_selected(session.project, since="nowhere")
    with pytest.raises(Trouble, match="no revision"):
        of_selected(session.project, since="--output=x")


def workspace(project: Path) -> None:
    (project / "package.json").write_text(json.dumps({"workspaces": ["packages/*"]}), encoding="utf-8")
    for name, needs in (("core", {}), ("ui", {"core": "*"}), ("app", {"ui": "*"}), ("other", {})):
        folder = project / "packages" / name
        folder.mkdir(parents=True)
        manifest = {"name": name, "version": "1.0.0", "dependencies": needs}
        (folder / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
        (folder / "index.js").write_text("", encoding="utf-8")


def test_dependents_are_looked_at_when_asked(session: Session, python: Path) -> None:
    workspace(python)
    path = "packages/core/index.js"
    assert of_files(session.project, [path]).more == ()
    assert of_files(session.project, [path], dependents_too=True).more == ("packages/app", "packages/ui")
    assert of_project(session.project, ["packages/core"]).more == ("packages/app", "packages/ui")


def test_without_workspaces_in_the_settings_no_dependents_are_looked_for(session: Session, python: Path) -> None:
    workspace(python)
    (python / "punchlist.toml").write_text('monorepo_mode = "off"\n', encoding="utf-8")
    assert of_project(session.project, ["packages/core"]).more == ()


def test_strict_tells_of_a_circle_instead_of_going_on(session: Session, python: Path) -> None:
    workspace(python)
    manifest = {"name": "core", "version": "1.0.0", "dependencies": {"app": "*"}}
    (python / "packages/core/package.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert set(of_project(session.project, ["packages/core"]).more) == {"packages/app", "packages/ui"}
    (python / "punchlist.toml").write_text('monorepo_mode = "strict"\n', encoding="utf-8")
    with pytest.raises(Trouble, match="in a circle"):
        of_project(session.project, ["packages/core"])
