"""Git's list of files is remembered, and asked for anew whenever it may be another."""

import subprocess
import time
from pathlib import Path

import pytest

from punchlist.engines.listed import listing_with
from punchlist.engines.scope import listing
from punchlist.store.cache import Cache


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    root = tmp_path / "project"
    for name in ("a.py", "sub/deep/b.py", ".gitignore", "empty/only-ignored.tmp"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("*.tmp\n" if name == ".gitignore" else "", encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    time.sleep(0.05)
    return root


def asked(cache: Cache, root: Path) -> tuple[list[str], int]:
    """Return the list and how often git was asked for it."""
    count = []

    def ask() -> list[str]:
        count.append(1)
        return listing(root)

    return listing_with(cache, root, ask), len(count)


def test_nobody_is_asked_while_nothing_changes(tmp_path: Path, repository: Path) -> None:
    cache = Cache(tmp_path / "state")
    first = asked(cache, repository)
    (repository / "a.py").write_text("changed = 1\n", encoding="utf-8")
    assert asked(cache, repository) == (first[0], 0)
    assert sorted(first[0]) == [".gitignore", "a.py", "sub/deep/b.py"]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda root: (root / "new.py").touch(), "new.py"),
        (lambda root: (root / "sub/deep/new.py").touch(), "sub/deep/new.py"),
        (lambda root: (root / "empty/new.py").touch(), "empty/new.py"),
        (lambda root: ((root / "n").mkdir(), (root / "n/new.py").touch()), "n/new.py"),
        (lambda root: (root / ".gitignore").write_text("", encoding="utf-8"), "empty/only-ignored.tmp"),
        (lambda root: (root / "sub/deep/b.py").rename(root / "sub/c.py"), "sub/c.py"),
    ],
)
def test_a_change_of_names_or_rules_is_seen(tmp_path: Path, repository: Path, change, name: str) -> None:  # type: ignore[no-untyped-def]
    cache = Cache(tmp_path / "state")
    before, _ = asked(cache, repository)
    assert name not in before
    change(repository)
    after, count = asked(cache, repository)
    assert count == 1
    assert name in after


def test_a_list_that_changed_while_it_was_asked_for_is_not_believed(tmp_path: Path, repository: Path) -> None:
    cache = Cache(tmp_path / "state")

    def ask() -> list[str]:
        found = listing(repository)
        (repository / "sub" / "late.py").touch()
        return found

    assert "sub/late.py" not in listing_with(cache, repository, ask)
    names, count = asked(cache, repository)
    assert ("sub/late.py" in names, count) == (True, 1)
