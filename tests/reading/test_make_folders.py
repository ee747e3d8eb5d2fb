"""Relative paths are taken from the folder that make was in."""

import pytest

from punchlist.model import Diagnostic, Related
from punchlist.reading.log import Log
from punchlist.reading.make_folders import folders_of, in_folder

ENTER_A = "make[1]: Entering directory '/p/a'"
LEAVE_A = "make[1]: Leaving directory '/p/a'"
ENTER_B = "make[1]: Entering directory '/p/b'"
LEAVE_B = "make[1]: Leaving directory '/p/b'"


def log_of(stdout: list[str], stderr: list[str]) -> Log:
    numbers = [*range(1, len(stdout) + 1), *(-n for n in range(1, len(stderr) + 1))]
    return Log([*stdout, *stderr], numbers)


@pytest.mark.parametrize(
    ("stdout", "stderr", "at", "folder"),
    [
        ([ENTER_A, "x.c:1:1: error: no", LEAVE_A], [], 1, "/p/a"),
        ([ENTER_A, LEAVE_A, "x.c:1:1: error: no"], [], 2, None),
        ([ENTER_A, "cc -c x.c", LEAVE_A, ENTER_B, "cc -c y.c", LEAVE_B], ["x.c:1:1: error: no"], 6, "/p/a"),
        ([ENTER_A, "cc -c x.c", LEAVE_A, ENTER_B, "cc -c x.c", LEAVE_B], ["x.c:1:1: error: no"], 6, None),
    ],
    ids=["inside", "after leaving", "by the one command that names it", "named in two folders"],
)
def test_the_folder_of_a_path_is_known_or_left_open(
    stdout: list[str], stderr: list[str], at: int, folder: str | None
) -> None:
    folders = folders_of(log_of(stdout, stderr))
    assert folders is not None
    assert folders.of(at, "x.c") == folder


def test_related_places_move_with_the_finding_and_absolute_paths_stay() -> None:
    folders = folders_of(log_of([ENTER_A, "x.c:1:1: error: no"], []))
    assert folders is not None
    found = Diagnostic(
        message="no", file="x.c", line=1, related=(Related("here", "x.h", 2), Related("there", "/usr/y.h", 3))
    )
    placed = in_folder(found, 1, folders)
    assert placed.file == "/p/a/x.c"
    assert [place.file for place in placed.related] == ["/p/a/x.h", "/usr/y.h"]
    assert in_folder(Diagnostic(message="no", file="/usr/z.h"), 1, folders).file == "/usr/z.h"


def test_a_log_without_moves_has_no_folders() -> None:
    assert folders_of(log_of(["cc -c x.c"], [])) is None
