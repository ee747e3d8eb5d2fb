"""Unified diffs: read with lenience, applied only where they fit."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from punchlist.editing.changes import Change
from punchlist.editing.diff import diffs_of, file_diff
from punchlist.editing.splices import spliced, together
from punchlist.editing.text import decode
from punchlist.editing.unified import parse, splices_of
from punchlist.model import Trouble


def applied(body: str, diff: str, *, unique: bool = False) -> str:
    (patch,) = parse(diff)
    return spliced(body, together(splices_of(patch.hunks, body, "f", unique=unique), "f", body))


HEAD = "--- a/f\n+++ b/f\n"


@pytest.mark.parametrize(
    ("body", "diff", "after"),
    [
        ("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"),
        ("a\nb\nc\n", "@@ -9,9 +9,9 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"),
        ("a\nb\nc\n", "@@\n a\n-b\n+B\n c\n", "a\nB\nc\n"),
        ("a\n\nc\n", "@@ -1,3 +1,3 @@\n a\n\n-c\n+C\n", "a\n\nC\n"),
        ("a\r\nb\r\nc\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n", "a\r\nB\r\nB2\r\nc\r\n"),
        ("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\nB"),
        ("a\nb", "@@ -2 +2,2 @@\n b\n+c\n", "a\nb\nc"),
        ("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n", "a\nB\n"),
        ("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n\\ No newline at end of file\n", "a\nB"),
        ("a\nb\n", "@@ -1,0 +2 @@\n+x\n", "a\nx\nb\n"),
        ("a\nb\n", "@@ -0,0 +1 @@\n+x\n", "x\na\nb\n"),
        ("-- a\nb\n", "@@ -1,2 +1 @@\n--- a\n b\n", "b\n"),
        ("x\na\ny\nx\na\ny\n", "@@ -4,3 +4,3 @@\n x\n-a\n+A\n y\n", "x\na\ny\nx\nA\ny\n"),
        ("1\n2\n3\n4\n5\n6\n", "@@ -1,2 +1,3 @@\n+0\n 1\n 2\n@@ -5,2 +6,1 @@\n-5\n 6\n", "0\n1\n2\n3\n4\n6\n"),
        ("", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n"),
    ],
)  # fmt: skip
def test_a_hunk_goes_where_its_lines_stand(body: str, diff: str, after: str) -> None:
    assert applied(body, HEAD + diff) == after


@pytest.mark.parametrize(
    ("body", "diff", "said"),
    [
        ("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-x\n+y\n", "fits nowhere"),
        ("a\nb\na\nb\n", "@@ -9,2 +9,2 @@\n a\n-b\n+y\n", "fits in 2 places"),
        ("a\n", "@@\n+y\n", "neither a line"),
    ],
)
def test_a_hunk_that_does_not_fit_is_refused_with_what_it_looked_for(body: str, diff: str, said: str) -> None:
    with pytest.raises(Trouble, match=said) as caught:
        applied(body, HEAD + diff)
    assert caught.value.code == "patch_does_not_apply"


@pytest.mark.parametrize(
    ("diff", "names"),
    [
        ("--- a/x/y.py\t2026-01-01\n+++ b/x/y.py\t2026\n@@ -1 +1 @@\n-a\n+b\n", ("x/y.py", "x/y.py")),
        ("--- x.py\n+++ x.py\n@@ -1 +1 @@\n-a\n+b\n", ("x.py", "x.py")),
        ("--- i/x.py\n+++ w/x.py\n@@ -1 +1 @@\n-a\n+b\n", ("x.py", "x.py")),
        ("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+b\n", (None, "new.py")),
        ("--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", ("old.py", None)),
        ('--- "a/\\303\\244.py"\n+++ "b/\\303\\244.py"\n@@ -1 +1 @@\n-a\n+b\n', ("ä.py", "ä.py")),
        ("diff --git a/e b/e\nnew file mode 100644\nindex 0..e\n", (None, "e")),
        ("diff --git a/e b/f\nsimilarity index 100%\nrename from e\nrename to f\n", ("e", "f")),
        ("some words\n```\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n", ("x", "x")),
    ],
)
def test_names_are_read_as_tools_write_them(diff: str, names: tuple[str | None, str | None]) -> None:
    (patch,) = parse(diff)
    assert (patch.old, patch.new) == names


@pytest.mark.parametrize(
    "diff",
    ["", "hello", "@@ -1 +1 @@\n-a\n+b\n", "--- a/x\n+++ b/x\n", "diff --git a/x b/x\nGIT binary patch\n",
     "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
     "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n",
     "diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-there\n",
     "diff --git a/m b/m\nnew file mode 160000\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+Subproject commit 12\n"],
)  # fmt: skip
def test_what_is_no_diff_of_text_is_refused(diff: str) -> None:
    with pytest.raises(Trouble) as caught:
        parse(diff)
    assert caught.value.code == "invalid_diff"


def test_several_files_in_one_diff_stay_apart() -> None:
    diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" * 2
    diff = diff.replace("/x", "/y").replace("/y", "/x", 4)
    assert [(p.new, len(p.hunks), len(p.hunks[0].lines)) for p in parse(diff)] == [("x", 1, 2), ("y", 1, 2)]


def variants(seed: int) -> tuple[str, str]:
    chance = random.Random(seed)
    lines = [chance.choice(["", "a", "b", "  x", "-- y", "++ z", "end"]) for _ in range(chance.randint(0, 30))]
    after = list(lines)
    for _ in range(chance.randint(1, 6)):
        at = chance.randint(0, len(after))
        if chance.random() < 0.5:
            after[at:at] = [f"new {chance.randint(0, 9)}"] * chance.randint(1, 3)
        else:
            del after[at : at + chance.randint(1, 3)]
    end = chance.choice(["\n", "\r\n"])
    before, changed = (end.join(part) + (end if part and chance.random() < 0.7 else "") for part in (lines, after))
    # A content without a line end has none that new lines could take over.
    return before, changed if end in before else changed.replace(end, "\n")


@pytest.mark.parametrize("seed", range(150))
def test_a_diff_we_write_is_read_back_to_the_same_content(seed: int) -> None:
    before, after = variants(seed)
    diff = file_diff("f", before.encode(), after.encode())
    if not diff.added and not diff.removed:
        assert before.replace("\r\n", "\n") == after.replace("\r\n", "\n")
        return
    assert applied(before, "\n".join([diff.head, *diff.hunks]) + "\n") == after


@pytest.mark.tools
@pytest.mark.parametrize("seed", range(12))
def test_git_reads_the_diffs_we_write(seed: int, tmp_path: Path) -> None:
    before, after = (text.replace("\r\n", "\n") for text in variants(seed))
    diff = file_diff("f", before.encode(), after.encode())
    if not diff.added and not diff.removed:
        return
    (tmp_path / "f").write_bytes(before.encode())
    text = "\n".join([diff.head, *diff.hunks]) + "\n"
    done = subprocess.run(
        ["git", "apply", "-p1", "--unidiff-zero", "-"], cwd=tmp_path, input=text.encode(), capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "f").read_bytes() == after.encode()


def test_a_binary_content_is_named_as_one() -> None:
    assert file_diff("f", b"a\0b", b"c").hunks == ("(binary)",)
    with pytest.raises(Trouble, match="binary"):
        decode(b"a\0b", "f")


RENAMED = "diff --git a/a/old b/b/new\nrename from a/old\nrename to b/new\n"
OLD_NAME = Change(file="a/old", before=b"1\n2\n3\n4\n", after=None)


@pytest.mark.parametrize(
    ("after", "shown"),
    [
        (b"1\n2\n3\n4\n", RENAMED),
        (
            b"1\n2\n3\n5\n",
            f"{RENAMED}--- a/a/old\n+++ b/b/new\n@@ -1,4 +1,4 @@\n 1\n 2\n 3\n-4\n+5\n",
        ),
        (b"5\n", None),
    ],
)
def test_a_renamed_file_is_shown_once_and_read_back(after: bytes, shown: str | None, tmp_path: Path) -> None:
    found = diffs_of([OLD_NAME, Change(file="b/new", before=None, after=after)])
    text = "".join("\n".join([diff.head, *diff.hunks]) + "\n" for diff in found)
    if shown is None:
        assert [diff.file for diff in found] == ["a/old", "b/new"]
        return
    assert text == shown
    (patch,) = parse(text)
    assert (patch.old, patch.new, len(patch.hunks)) == ("a/old", "b/new", len(found[0].hunks))
    if shutil.which("git") is not None:
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "old").write_bytes(b"1\n2\n3\n4\n")
        subprocess.run(["git", "apply"], cwd=tmp_path, input=text.encode(), check=True)
        assert (tmp_path / "b" / "new").read_bytes() == after
