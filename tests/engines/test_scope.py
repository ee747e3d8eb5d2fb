"""What a check looks at: everything but what is ignored, whatever the number of files."""

import os
from pathlib import Path

import pytest

from punchlist.engines.scope import Ignore, Scope, listing, resolve, split
from punchlist.model import Trouble


@pytest.mark.parametrize(
    ("patterns", "file", "ignored"),
    [
        (("dist/**",), "dist/a.js", True),
        (("dist/**",), "src/dist/a.js", False),
        (("**/dist/**",), "src/dist/a.js", True),
        (("*.gen.ts",), "a.gen.ts", True),
        (("src/**", "!src/keep.ts"), "src/keep.ts", False),
        (("src/**", "!src/keep.ts"), "src/other.ts", True),
        (("packages/*/**",), "packages/a/b.ts", True),
        ((), "a/node_modules/b.js", True),
        ((), "node_modules.js", False),
        (("src/[ab].ts",), "src/b.ts", True),
        (("./tools/**",), "tools/x.js", True),
        (("dist",), "dist", True),
    ],
)
def test_patterns_are_read_as_git_reads_them(patterns: tuple[str, ...], file: str, ignored: bool) -> None:
    assert Ignore(patterns)(file) is ignored


def test_tools_are_told_only_what_they_take_in_the_same_sense() -> None:
    patterns = ("dist/**", "**/made/**", "packages/*/out/**", "*.gen.ts", "a/*", "{a,b}/**", "x/**/y")
    assert Ignore(patterns).for_tools() == ("dist/**", "**/made/**", "packages/*/out/**")
    assert Ignore(("dist/**", "!dist/keep.ts")).for_tools() == ()


def test_a_folder_expands_to_all_it_holds(tmp_path: Path) -> None:
    for number in range(700):
        (tmp_path / f"src/d{number % 7}").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"src/d{number % 7}/f{number}.ts").touch()
    for name in ("node_modules/x.js", ".git/x.js", ".venv/x.py", "made/x.py"):
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).touch()
    (tmp_path / "src/made/CACHEDIR.TAG").touch()
    scope = Scope(tmp_path, (), ["src"])
    assert len(scope.files) == 700
    assert not scope.whole
    assert len(Scope(tmp_path, (), ["."]).files) == 700


def test_what_is_gone_is_told_apart_from_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    scope = Scope(tmp_path, ("b.py",), ["a.py", "gone.py", "a.py"])
    assert (scope.files, scope.gone) == (("a.py",), ("gone.py",))


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.py").touch()
    (tmp_path / "real/loop").symlink_to(tmp_path)
    assert listing(tmp_path) == ["real/a.py"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everything can be read here")
def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    scope = Scope(tmp_path, ())
    assert scope.files == ()
    assert scope.skipped == [("closed", "Permission denied")]


def test_a_long_list_is_cut_and_loses_nothing() -> None:
    files = [f"src/module_{number}.ts" for number in range(50_000)]
    parts = split(files, 1000)
    assert len(parts) > 1
    assert [file for part in parts for file in part] == files
    assert split([]) == []


def test_path_arguments_stay_inside_of_the_root(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    assert resolve(["./a.py", "sub/../a.py", "gone.py"], tmp_path) == ("a.py", "gone.py")
    for bad in ("../x", "/etc/passwd", "-x", "", "a\0b"):
        with pytest.raises(Trouble):
            resolve([bad], tmp_path)
