"""Proposals of every form become one record a file."""

import codecs
import os
from pathlib import Path

import pytest

from punchlist.editing.changes import agreed, edited, fixed, patched, rebased, replacing
from punchlist.editing.unified import parse
from punchlist.model import Edit, Fix, Trouble


@pytest.mark.parametrize(
    ("raw", "original", "new", "after"),
    [
        (b"a\nb\n", "a\nb\n", "a\nB\n", b"a\nB\n"),
        (b"a\r\nb\r\n", "a\nb\n", "a\nB\nc\n", b"a\r\nB\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", b"a\nb\n"),
        (b"a\nb\r\nc\n", "a\nb\nc\n", "a\nB\nc\nd\n", b"a\nB\r\nc\nd\n"),
        (codecs.BOM_UTF8 + b"a\n", "a\n", "b\n", codecs.BOM_UTF8 + b"b\n"),
        (codecs.BOM_UTF8 + b"a\r\n", "a\n", "b\nc\n", codecs.BOM_UTF8 + b"b\r\nc\r\n"),
        (b"a\nb", "a\nb\n", "a\nB\n", b"a\nB"),
        (b"a\nb", "a\nb", "a\nB\n", b"a\nB\n"),
        (b"a\r\nb\r\n", "a\nb\n", "a\nb", b"a\r\nb"),
        ("\ufeffa\r\n".encode("utf-16-le"), "a\n", "ä\n", "\ufeffä\r\n".encode("utf-16-le")),
        (b"a\n", "a\n", "", b""),
    ],
)  # fmt: skip
def test_a_whole_content_keeps_mark_line_ends_and_open_end(
    tmp_path: Path, raw: bytes, original: str, new: str, after: bytes
) -> None:
    (tmp_path / "f").write_bytes(raw)
    change = replacing(tmp_path, "f", original, new)
    assert (change.before, change.after, change.drifted) == (raw, after, False)


def test_a_content_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("now\n", encoding="utf-8")
    assert replacing(tmp_path, "f", "then\n", "new\n").drifted
    assert replacing(tmp_path, "f", "", "new\n").drifted
    assert replacing(tmp_path, "gone", "then\n", "new\n").drifted
    made = replacing(tmp_path, "new/file", "", "x\n")
    assert (made.before, made.after, made.drifted) == (None, b"x\n", False)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", "invalid_path"),
        ("/etc/passwd", "invalid_path"),
        ("C:\\x", "invalid_path"),
        ("-x", "invalid_path"),
        ("../x", "path_outside_project"),
        ("a/../../x", "path_outside_project"),
        (".git/hooks/pre-commit", "invalid_path"),
        ("sub/.GIT/config", "invalid_path"),
        (".punchlist/state.db", "invalid_path"),
        (".git./hooks/pre-commit", "invalid_path"),
        (".git::$INDEX_ALLOCATION/hooks/pre-commit", "invalid_path"),
        ("folder", "invalid_path"),
        ("out", "path_outside_project"),
        ("outfolder/x", "path_outside_project"),
        ("togit", "invalid_path"),
        ("nowhere", "invalid_path"),
        ("locked", "read_only"),
        ("fifo", "invalid_path"),
        ("file/x", "invalid_path"),
    ],
)
def test_places_that_are_not_to_be_written_are_refused(tmp_path: Path, path: str, code: str) -> None:
    root = tmp_path / "root"
    for folder in ("folder", ".git/hooks", ".punchlist"):
        (root / folder).mkdir(parents=True)
    (tmp_path / "secret").write_text("s", encoding="utf-8")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "outfolder").symlink_to(tmp_path)
    (root / ".git" / "config").write_text("c", encoding="utf-8")
    (root / "togit").symlink_to(root / ".git" / "config")
    (root / "nowhere").symlink_to(root / "missing")
    (root / "locked").write_text("x", encoding="utf-8")
    (root / "locked").chmod(0o444)
    (root / "file").write_text("x", encoding="utf-8")
    os.mkfifo(root / "fifo")
    with pytest.raises(Trouble) as caught:
        replacing(root, path, "s", "t")
    assert caught.value.code == code


def test_a_link_inside_the_root_means_its_file(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("a", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    assert replacing(tmp_path, "link", "a", "b").file == "real"


def test_a_file_with_a_name_outside_is_refused_and_two_names_inside_are_one_file(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    (root / "a").write_text("a", encoding="utf-8")
    os.link(root / "a", root / "deep" / "b")
    assert agreed(root, [replacing(root, "a", "a", "x")])
    with pytest.raises(Trouble, match="one file under two names"):
        agreed(root, [replacing(root, "a", "a", "x"), replacing(root, "deep/b", "a", "y")])
    os.link(root / "a", tmp_path / "outside")
    with pytest.raises(Trouble) as caught:
        agreed(root, [replacing(root, "a", "a", "x")])
    assert caught.value.code == "path_outside_project"


def test_two_contents_for_one_file_must_agree(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a", encoding="utf-8")
    assert len(agreed(tmp_path, [replacing(tmp_path, "f", "a", "b"), replacing(tmp_path, "./f", "a", "b")])) == 1
    with pytest.raises(Trouble) as caught:
        agreed(tmp_path, [replacing(tmp_path, "f", "a", "b"), replacing(tmp_path, "f", "a", "c")])
    assert caught.value.code == "overlapping_edits"
    assert agreed(tmp_path, [replacing(tmp_path, "f", "a", "a")]) == []


def test_range_edits_of_a_file_that_is_missing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Trouble) as caught:
        edited(tmp_path, {"f": [Edit("f", 1, 1, 1, 1, "x")]})
    assert caught.value.code == "path_not_found"


def test_bytes_that_are_no_text_stay_through_a_range_edit(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"caf\xe9 = 1\n")
    (change,) = edited(tmp_path, {"f": [Edit("f", 1, 8, 1, 9, "2")]})
    assert change.after == b"caf\xe9 = 2\n"


@pytest.mark.parametrize(
    ("raw", "text", "after"),
    [
        (b"caf\xe9\n", "e", b"eaf\xe9\n"),
        (b"caf\xe9\n", "\u00e9", None),
        (b"caf\xe9 \xc3\xa9\n", "\u00e9", b"\xc3\xa9af\xe9 \xc3\xa9\n"),
        (b"cafe\n", "\u00e9", b"\xc3\xa9afe\n"),
    ],
)
def test_no_second_encoding_gets_into_a_file(tmp_path: Path, raw: bytes, text: str, after: bytes | None) -> None:
    (tmp_path / "f").write_bytes(raw)
    edits = {"f": [Edit("f", 1, 1, 1, 2, text)]}
    if after is None:
        with pytest.raises(Trouble, match="f is not UTF-8") as caught:
            edited(tmp_path, edits)
        assert caught.value.code == "unknown_encoding"
    else:
        assert edited(tmp_path, edits)[0].after == after


def test_fixes_that_meet_an_earlier_one_wait_whole(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("abcdef\n", encoding="utf-8")
    (tmp_path / "g").write_text("x\n", encoding="utf-8")

    def fix(*edits: tuple[str, int, int, str]) -> Fix:
        return Fix(tuple(Edit(file, 1, start, 1, end, text) for file, start, end, text in edits), safe=True)

    fixes = [
        fix(("f", 1, 3, "AB")),
        fix(("f", 2, 4, "!"), ("g", 1, 2, "never")),
        fix(("f", 1, 3, "AB"), ("g", 1, 2, "y")),
        fix(("f", 9, 99, "")),
        fix(("../h", 1, 1, "")),
    ]
    changes, met, unfit = fixed(tmp_path, fixes)
    assert {change.file: change.after for change in changes} == {"f": b"ABcdef\n", "g": b"y\n"}
    assert (met, [one.code for one in unfit]) == (1, ["invalid_range", "path_outside_project"])


def test_a_diff_makes_removes_and_renames_files(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("a\n", encoding="utf-8")
    (tmp_path / "old").chmod(0o640)
    (tmp_path / "go").write_text("g\n", encoding="utf-8")
    diff = (
        "diff --git a/old b/name\nsimilarity index 50%\nrename from old\nrename to name\n--- a/old\n+++ b/name\n"
        "@@ -1 +1 @@\n-a\n+b\n--- a/go\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n"
        "--- /dev/null\n+++ b/in/new\n@@ -0,0 +1 @@\n+n\n"
    )
    found = {c.file: (c.before, c.after, c.mode) for c in patched(tmp_path, parse(diff))}
    assert found == {
        "old": (b"a\n", None, 0o640),
        "name": (None, b"b\n", 0o640),
        "go": (b"g\n", None, 0o644),
        "in/new": (None, b"n\n", 0),
    }


@pytest.mark.parametrize(
    ("diff", "code"),
    [
        ("--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n", "path_not_found"),
        ("--- /dev/null\n+++ b/there\n@@ -0,0 +1 @@\n+n\n", "patch_does_not_apply"),
        ("--- a/there\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "patch_does_not_apply"),
        ("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", "path_outside_project"),
        ("--- a/there\n+++ b/.git/x\n@@ -1 +1 @@\n-a\n+b\n", "invalid_path"),
    ],
)
def test_a_diff_that_does_not_fit_the_project_is_refused(tmp_path: Path, diff: str, code: str) -> None:
    (tmp_path / "there").write_text("a\nb\n", encoding="utf-8")
    with pytest.raises(Trouble) as caught:
        patched(tmp_path, parse(diff))
    assert caught.value.code == code


def test_a_change_is_rebased_where_it_fits_in_one_place_only(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one\ntwo\nthree\nfour\nfive\n")
    change = replacing(tmp_path, "f", "one\ntwo\nthree\nfour\nfive\n", "one\ntwo\nTHREE\nfour\nfive\n")
    moved = rebased(change, b"zero\none\r\ntwo\nthree\nfour\nfive, six\n")
    assert moved.after == b"zero\none\r\ntwo\nTHREE\nfour\nfive, six\n"
    for now in (b"one\ntwo\n3\nfour\nfive\n", b"two\nthree\nfour\ntwo\nthree\nfour\n", None):
        with pytest.raises(Trouble) as caught:
            rebased(change, now)
        assert caught.value.code == "file_drift_detected"
