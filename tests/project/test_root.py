import json
import os
import stat
from pathlib import Path

import pytest

from punchlist.model import Trouble
from punchlist.project.root import find_root, state_dir


def tree(base: Path, *files: str) -> Path:
    """Make empty files; a name that ends in / is a folder, one with = has content behind it."""
    for entry in files:
        name, _, content = entry.partition("=")
        path = base / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    return base


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.mark.parametrize(
    ("files", "start", "root", "how"),
    [
        (["r/punchlist.toml", "r/a/.git/", "r/a/b/"], "r/a/b", "r/a", "git"),
        (["r/.git/", "r/punchlist.toml", "r/a/package.json"], "r/a", "r", "punchlist.toml"),
        (["r/.git/", "r/a/punchlist.toml", "r/a/b/"], "r/a/b", "r/a", "punchlist.toml"),
        (["r/.git/", "r/a/signalint.config.json={}", "r/a/b/"], "r/a/b", "r/a", "signalint.config.json"),
        (["r/.git/", "r/a/pyproject.toml=[tool.punchlist]\n", "r/a/b/"], "r/a/b", "r/a", "[tool.punchlist]"),
        (["r/.git/", "r/a/pyproject.toml=[project]\n", "r/a/b/"], "r/a/b", "r", "git"),
        (["r/.git=gitdir: elsewhere\n", "r/a/"], "r/a", "r", "git"),
        (["r/.hg/", "r/a/"], "r/a", "r", "Mercurial"),
        (["r/pnpm-workspace.yaml", "r/p/a/package.json={}"], "r/p/a", "r", "pnpm-workspace.yaml"),
        (['r/package.json={"workspaces": []}', "r/p/a/package.json={}"], "r/p/a", "r", "package.json workspace"),
        (["r/Cargo.toml=[workspace]\n", "r/c/Cargo.toml=[package]\n"], "r/c", "r", "Cargo.toml workspace"),
        (["r/Cargo.toml=[package]\n", "r/src/"], "r/src", "r", "Cargo.toml"),
        (["r/App.sln", "r/src/x/"], "r/src/x", "r", "App.sln"),
        (["r/x/"], "r/x", "r/x", ""),
        (["package.json={}", "r/x/"], "r/x", "r/x", ""),
        ([".git/", "r/x/"], "r/x", "r/x", ""),
    ],
)
def test_the_root_is_found_by_walking_up(home: Path, files: list[str], start: str, root: str, how: str) -> None:
    tree(home, *files)
    found = find_root(home / start, None, {}, home)
    assert found.path == home / root
    assert found.how == (f"{how}, from the working directory" if how else "the working directory")


def test_the_home_folder_is_a_root_only_when_started_there(home: Path) -> None:
    tree(home, ".git/", "x/")
    assert find_root(home, None, {}, home).path == home
    assert find_root(home / "x", None, {}, home).path == home / "x"


def test_nothing_above_the_home_folder_is_looked_at(home: Path) -> None:
    tree(home.parent, "punchlist.toml")
    tree(home, "x/")
    assert find_root(home / "x", None, {}, home).path == home / "x"


def test_a_folder_that_anybody_may_write_is_not_believed(tmp_path: Path, home: Path) -> None:
    tree(tmp_path, "shared/punchlist.toml", "shared/mine/")
    (tmp_path / "shared").chmod(0o1777)
    assert find_root(tmp_path / "shared/mine", None, {}, home).path == tmp_path / "shared/mine"


def test_named_roots_come_first_in_their_order(home: Path) -> None:
    tree(home, "a/", "b/", "c/", "w/.git/")
    environ = {"PUNCHLIST_ROOT": str(home / "b"), "SIGNALINT_PROJECT_ROOT": str(home / "c")}
    assert find_root(home / "w", home / "a", environ, home).path == home / "a"
    assert find_root(home / "w", None, environ, home).how == "PUNCHLIST_ROOT"
    del environ["PUNCHLIST_ROOT"]
    assert find_root(home / "w", None, environ, home, server=True).path == home / "c"
    assert find_root(home / "w", None, environ, home).path == home / "w", "the command line stays where it is"


def test_a_relative_explicit_root_starts_at_the_working_directory(home: Path) -> None:
    tree(home, "w/sub/")
    assert find_root(home / "w", "sub", {}, home).path == home / "w/sub"


@pytest.mark.parametrize(("explicit", "environ"), [("nowhere", {}), (None, {"PUNCHLIST_ROOT": "/nowhere/at/all"})])
def test_a_named_root_that_is_no_folder_is_refused(home: Path, explicit: str | None, environ: dict[str, str]) -> None:
    with pytest.raises(Trouble, match="is no folder") as raised:
        find_root(home, explicit, environ, home)
    assert raised.value.code == "invalid_root"


def test_a_wrong_signalint_root_is_passed_over_and_said(home: Path) -> None:
    found = find_root(home, None, {"SIGNALINT_PROJECT_ROOT": "/nowhere/at/all"}, home, server=True)
    assert found.path == home
    assert "SIGNALINT_PROJECT_ROOT" in found.notes[0]


def test_a_server_walks_up_from_the_folder_its_client_names(home: Path) -> None:
    tree(home, "p/.git/", "p/sub/", "elsewhere/.git/")
    environ = {"CLAUDE_PROJECT_DIR": str(home / "p/sub")}
    assert find_root(home / "elsewhere", None, environ, home, server=True).path == home / "p"
    assert find_root(home / "elsewhere", None, environ, home).path == home / "elsewhere"


def test_a_start_variable_that_leads_nowhere_is_passed_over(home: Path) -> None:
    tree(home, "p/.git/")
    found = find_root(home / "p", None, {"CLAUDE_PROJECT_DIR": "/nowhere/at/all"}, home, server=True)
    assert found.path == home / "p"


def signal(root: str) -> str:
    return json.dumps({"projects": {"one": {"root": root, "checks": {}}}})


def test_signal_config_gives_the_project_that_holds_the_working_directory(home: Path) -> None:
    tree(home, "conf/", "app/src/deep/", "other/.git/")
    (home / "conf/signal.config.json").write_text(signal("../app"), encoding="utf-8")
    environ = {"SIGNAL_CONFIG": str(home / "conf/signal.config.json")}
    assert find_root(home / "app/src/deep", None, environ, home).path == home / "app"
    assert find_root(home / "other", None, environ, home).path == home / "other"
    environ["SIGNAL_CWD"] = str(home / "app/src")
    assert find_root(home / "other", None, environ, home).path == home / "app"


def test_a_signal_config_above_gives_its_project_as_root(home: Path) -> None:
    tree(home, "r/backend/src/", f"r/signal.config.json={signal('backend')}")
    assert find_root(home / "r/backend/src", None, {}, home).path == home / "r/backend"


def test_a_broken_signal_config_does_not_stop_the_search(home: Path) -> None:
    tree(home, "r/.git/", "r/signal.config.json={", "r/a/")
    assert find_root(home / "r/a", None, {}, home).path == home / "r"


def test_links_in_the_start_are_resolved(home: Path) -> None:
    tree(home, "r/.git/", "r/a/")
    (home / "link").symlink_to(home / "r/a")
    assert find_root(home / "link", None, {}, home).path == home / "r"


def test_the_state_folder_is_private_and_ignores_itself(tmp_path: Path) -> None:
    folder, note = state_dir(tmp_path, {})
    assert (folder, note) == (tmp_path / ".punchlist", "")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / ".gitignore").read_text(encoding="utf-8") == "*\n"
    assert state_dir(tmp_path, {}) == (folder, "")


@pytest.mark.parametrize("variable", ["PUNCHLIST_STATE_DIR", "SIGNALINT_STATE_DIR"])
def test_a_state_folder_elsewhere_holds_a_folder_per_root(tmp_path: Path, variable: str) -> None:
    roots = [tmp_path / "a/app", tmp_path / "b/app"]
    for root in roots:
        root.mkdir(parents=True)
    folders = [state_dir(root, {variable: str(tmp_path / "state")})[0] for root in roots]
    assert folders[0] != folders[1]
    assert all(folder.parent == tmp_path / "state" for folder in folders)


def test_a_root_that_cannot_be_written_keeps_its_state_with_the_user(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / ".punchlist").write_text("a file in the way", encoding="utf-8")
    folder, note = state_dir(root, {"XDG_STATE_HOME": str(tmp_path / "user")})
    assert folder.parent == tmp_path / "user/punchlist"
    assert str(folder) in note


def test_a_link_in_the_project_never_receives_its_state(tmp_path: Path) -> None:
    root, aim = tmp_path / "root", tmp_path / "aim"
    root.mkdir()
    aim.mkdir()
    (root / ".punchlist").symlink_to(aim)
    folder, note = state_dir(root, {"XDG_STATE_HOME": str(tmp_path / "user")})
    assert folder.parent == tmp_path / "user/punchlist"
    assert note
    assert not os.listdir(aim)


def test_no_folder_for_state_is_told_with_a_way_out(tmp_path: Path) -> None:
    for name in ("root", "user"):
        (tmp_path / name).write_text("", encoding="utf-8")
    with pytest.raises(Trouble, match="PUNCHLIST_STATE_DIR"):
        state_dir(tmp_path / "root", {"XDG_STATE_HOME": str(tmp_path / "user")})
