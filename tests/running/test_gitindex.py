import shutil
import subprocess

import pytest

from punchlist.running.gitindex import tracked

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


def shell(folder, text):
    identity = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a; "
    subprocess.run(identity + text, shell=True, cwd=folder, check=True, capture_output=True)


def by_git(folder):
    done = subprocess.run(["git", "ls-files", "-z"], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.split("\0")[:-1]


@pytest.fixture
def project(tmp_path):
    for n in range(60):
        folder = tmp_path / f"d{n % 7}" / ("x" * (n % 11))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{'y' * (n % 17)}{n}").write_text("")
    (tmp_path / "d1" / "é ü").write_text("")
    (tmp_path / ("long" * 40)).write_text("")
    shell(tmp_path, "git init -q . && git add .")
    return tmp_path


def test_the_index_tells_what_git_tells(project):
    assert tracked(str(project)) == by_git(project)
    assert len(tracked(str(project)) or ()) == 62


def test_a_subfolder_sees_its_own_files_only(project):
    assert tracked(str(project / "d3")) == by_git(project / "d3")


def test_entries_with_more_flags_are_read(project):
    shell(project, "git rm -q --cached d1/*/*; git add -N d1")
    assert tracked(str(project)) == by_git(project)


def test_a_file_in_conflict_stands_once(tmp_path):
    shell(tmp_path, "git init -q -b one . && echo 0 > f && echo g > g && git add . && git commit -qm 0")
    shell(tmp_path, "git checkout -qb two && echo 2 > f && git commit -qam 2 && git checkout -q one && echo 1 > f")
    shell(tmp_path, "git commit -qam 1; git merge two || true")
    assert tracked(str(tmp_path)) == ["f", "g"]


def test_a_linked_work_tree_has_an_index_of_its_own(project, tmp_path_factory):
    linked = tmp_path_factory.mktemp("linked") / "tree"
    shell(project, f"git commit -qm 0 && git worktree add -q '{linked}' && cd '{linked}' && touch more && git add more")
    assert tracked(str(linked)) == by_git(linked)
    assert "more" in (tracked(str(linked)) or ())


@pytest.mark.parametrize("version", ["git update-index --index-version 4", "git update-index --split-index"])
def test_forms_that_are_not_read_are_left_to_git(project, version):
    shell(project, version)
    assert tracked(str(project)) is None


@pytest.mark.parametrize("cut", [0, 11, 40, 1000, 3000])
def test_a_damaged_index_is_left_to_git(project, cut):
    index = project / ".git" / "index"
    index.write_bytes(index.read_bytes()[:cut])
    assert tracked(str(project)) is None


def test_an_index_of_longer_names_is_left_to_git(tmp_path):
    (tmp_path / "a").write_text("")
    shell(tmp_path, "git init -q --object-format=sha256 . && git add .")
    assert tracked(str(tmp_path)) is None


def test_outside_of_a_repository_there_is_nothing_to_tell(tmp_path):
    assert tracked(str(tmp_path)) is None
