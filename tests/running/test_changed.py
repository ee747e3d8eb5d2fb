import os
import shutil
import subprocess
import time

import pytest

from punchlist.running.changed import changed_since

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


@pytest.fixture
def project(tmp_path):
    for name, text in {"a.py": "1", "sub/b.py": "2", "sub dir/c é.py": "3", ".gitignore": "build/\n*.log\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run("git init -q && git add . ", shell=True, cwd=tmp_path, check=True)
    time.sleep(0.03)  # more than one tick of the clock that files are stamped with
    return tmp_path


def test_nothing_changed_is_said_as_such(project):
    found = changed_since(str(project), time.time())
    assert found is not None
    assert (found.files, found.complete) == ((), True)


def test_written_and_new_files_are_found_and_ignored_ones_are_not(project):
    begin = time.time()
    (project / "a.py").write_text("changed")
    (project / "sub dir/c é.py").write_text("3")
    (project / "sub/new.py").write_text("n")
    (project / "fresh/deep").mkdir(parents=True)
    (project / "fresh/deep/x.snap").write_text("s")
    (project / "build").mkdir()
    (project / "build/out.o").write_text("o")
    (project / "run.log").write_text("l")
    (project / ".punchlist").mkdir()
    (project / ".punchlist/state.db").write_text("d")
    (project / "-odd [name].py").write_text("o")
    found = changed_since(str(project), begin)
    assert found is not None
    assert found.files == ("-odd [name].py", "a.py", "fresh/deep/x.snap", "sub dir/c é.py", "sub/new.py")


def test_a_subfolder_of_a_repository_can_be_the_root(project):
    begin = time.time()
    (project / "a.py").write_text("outside")
    (project / "sub/b.py").write_text("inside")
    found = changed_since(str(project / "sub"), begin)
    assert found is not None
    assert found.files == ("b.py",)


def test_files_written_before_do_not_count(project):
    (project / "a.py").write_text("dirty")
    os.utime(project / "sub/b.py", (1, 1))
    time.sleep(0.03)
    found = changed_since(str(project), time.time())
    assert found is not None
    assert found.files == ()


def test_without_git_nothing_is_said(tmp_path):
    assert changed_since(str(tmp_path), 0.0) is None


def test_no_time_to_look_is_said(project):
    subprocess.run("for i in $(seq 300); do : > f$i; done; git add .", shell=True, cwd=project, check=True)
    found = changed_since(str(project), 0.0, most_s=0.0)
    assert found is not None
    assert not found.complete
