from pathlib import Path

import pytest

from punchlist.model import Trouble
from punchlist.project.paths import checked, checked_all, from_uri, is_absolute, relative


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    (place / "src").mkdir(parents=True)
    (place / "src/a.ts").write_text("", encoding="utf-8")
    (place / "-odd").write_text("", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x").write_text("", encoding="utf-8")
    (place / "out").symlink_to(tmp_path / "outside")
    (place / "in").symlink_to(place / "src")
    (place / "gone").symlink_to(tmp_path / "nowhere")
    return place


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".", "."),
        ("./", "."),
        ("src", "src"),
        ("src/", "src"),
        ("src/a.ts", "src/a.ts"),
        ("./src//a.ts", "src/a.ts"),
        ("src/../src/a.ts", "src/a.ts"),
        ("src\\a.ts", "src/a.ts"),
        ("in/a.ts", "in/a.ts"),
    ],
)
def test_a_path_inside_is_written_root_relative(root: Path, text: str, expected: str) -> None:
    assert checked(text, root) == expected


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "invalid_path", "non-empty"),
        ("  ", "invalid_path", "non-empty"),
        ("a\0b", "invalid_path", "no NUL bytes"),
        ("-rf", "invalid_path", "must not begin with '-'"),
        ("./-odd", "invalid_path", "must not begin with '-'"),
        ("/etc/passwd", "invalid_path", "Absolute paths are not allowed."),
        ("C:\\x", "invalid_path", "Absolute paths are not allowed."),
        ("c:x", "invalid_path", "Absolute paths are not allowed."),
        ("\\\\server\\share", "invalid_path", "Absolute paths are not allowed."),
        ("..", "path_outside_project", "outside the project root"),
        ("src/../../outside/x", "path_outside_project", "outside the project root"),
        ("..\\outside\\x", "path_outside_project", "outside the project root"),
        ("out", "path_outside_project", "link"),
        ("out/x", "path_outside_project", "link"),
        ("gone", "path_outside_project", "link"),
        ("nope.ts", "path_not_found", "does not exist"),
    ],
)
def test_a_path_that_is_not_safe_is_refused_by_its_kind(root: Path, text: str, code: str, message: str) -> None:
    with pytest.raises(Trouble, match=message) as raised:
        checked(text, root)
    assert raised.value.code == code


def test_a_root_that_is_a_prefix_of_another_name_holds_only_its_own(root: Path) -> None:
    (root.parent / "root-two").mkdir()
    with pytest.raises(Trouble) as raised:
        checked(str(root.parent / "root-two"), root, absolute=True)
    assert raised.value.code == "path_outside_project"


def test_an_absolute_path_inside_is_taken_where_that_is_allowed(root: Path) -> None:
    assert checked(str(root / "src/a.ts"), root, absolute=True) == "src/a.ts"
    assert checked(str(root), root, absolute=True) == "."


def test_an_absolute_path_may_name_the_root_through_a_link(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    assert checked(str(link / "src/a.ts"), link, absolute=True) == "src/a.ts"


def test_a_file_that_is_gone_can_be_asked_about(root: Path) -> None:
    assert checked("src/deleted.ts", root, missing=True) == "src/deleted.ts"


def test_each_path_of_a_call_counts_once_and_too_many_are_refused(root: Path) -> None:
    assert checked_all(["src", "./src", "src/a.ts"], root) == ("src", "src/a.ts")
    with pytest.raises(Trouble, match="At most 512") as raised:
        checked_all(["src"] * 513, root)
    assert raised.value.code == "too_many_paths"


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("src/a.py", None, "src/a.py"),
        ("/r/src/a.py", None, "src/a.py"),
        ("a.py", "/r/pkg", "pkg/a.py"),
        ("../a.py", "/r/pkg", "a.py"),
        ("../../x/a.py", "/r/pkg", "/x/a.py"),
        ("/usr/include/stdio.h", None, "/usr/include/stdio.h"),
        ("C:\\shop\\a.cs", None, "C:/shop/a.cs"),
        (".", None, "."),
    ],
)
def test_paths_are_written_relative_to_the_root(path: str, folder: str | None, expected: str) -> None:
    assert relative(path, Path("/r"), Path(folder) if folder else None) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("/x", True), ("\\x", True), ("D:/x", True), ("d:x", True), ("x/y", False), ("x:y", True), ("xy:z", False)],
)
def test_absolute_forms_of_every_system_are_known(text: str, expected: bool) -> None:
    assert is_absolute(text) is expected


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///home/a%20b/c.ts", "/home/a b/c.ts"),
        ("file:///C:/a/b.ts", "C:/a/b.ts"),
        ("file:///c%3A/a.ts", "c:/a.ts"),
        ("file://server/share/x", "//server/share/x"),
        ("file://localhost/x", "/x"),
        ("src/a.ts", "src/a.ts"),
    ],
)
def test_file_uris_become_paths(uri: str, expected: str) -> None:
    assert from_uri(uri) == expected
