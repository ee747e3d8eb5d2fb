"""Loops and churn: what came back, and what never went."""

from punchlist.analysis.loops import Churn, Loop, Seen, Snapshot, recurrence, seen, signature
from punchlist.model import Diagnostic

TSC = frozenset({"tsc"})


def check(
    *files: str, focused: bool = True, covered: set[str] | None = None, finished: bool = True, edits: str = ""
) -> Snapshot:
    """A check that saw one kind of finding in some files and looked at `covered` (all where None)."""
    return Snapshot(
        seen=frozenset(Seen("TS1:bad", file, "TS1", "tsc") for file in files),
        finished=TSC if finished else frozenset(),
        covered=None if covered is None else frozenset(("tsc", file) for file in covered),
        focused=focused,
        edits=tuple(edits.split()),
    )


def loops(*snapshots: Snapshot) -> list[int]:
    return [loop.occurrences for loop in recurrence(snapshots).loops]


def churns(*snapshots: Snapshot) -> list[int]:
    return [churn.check_count for churn in recurrence(snapshots).churns]


def test_a_finding_that_came_back_twice_is_a_loop() -> None:
    bad, good = check("a.ts"), check()
    assert loops(bad, good, bad) == []
    assert loops(bad, good, bad, good, bad) == [2]


def test_a_finding_that_never_went_is_no_loop() -> None:
    assert loops(*[check("a.ts")] * 9) == []


def test_a_loop_stays_known_after_a_clean_check() -> None:
    bad, good = check("a.ts"), check()
    assert loops(bad, good, bad, good, bad, good) == [2]


def test_a_loop_is_forgotten_after_many_clean_checks() -> None:
    bad, good = check("a.ts"), check()
    assert loops(bad, good, bad, good, bad, *[good] * 20) == []


def test_a_check_of_another_file_does_not_make_a_finding_absent() -> None:
    bad, elsewhere = check("a.ts", covered={"a.ts"}), check(covered={"b.ts"})
    assert loops(bad, elsewhere, bad, elsewhere, bad) == []


def test_an_engine_that_did_not_finish_does_not_make_a_finding_absent() -> None:
    bad, crashed = check("a.ts"), check(finished=False)
    assert loops(bad, crashed, bad, crashed, bad) == []


def test_a_finding_that_moves_from_file_to_file_is_still_there() -> None:
    assert loops(check("a.ts"), check("b.ts"), check("a.ts"), check("b.ts"), check("a.ts")) == []


def test_a_loop_names_the_edits_between() -> None:
    found = recurrence([check("a.ts"), check(edits="e1"), check("a.ts", edits="e2"), check(edits="e3"), check("a.ts")])
    assert found.loops == (Loop("TS1:bad", 2, ("e1", "e2", "e3")),)


def test_three_focused_checks_in_a_row_are_churn() -> None:
    assert churns(check("a.ts"), check("a.ts")) == []
    assert recurrence([check("a.ts")] * 3).churns == (Churn("a.ts", "TS1", 3),)


def test_a_project_check_neither_counts_nor_ends_churn() -> None:
    assert churns(*[check("a.ts", focused=False)] * 5) == []
    assert churns(check("a.ts"), check("a.ts"), check(focused=False), check("a.ts")) == [3]


def test_a_focused_check_that_finds_nothing_ends_churn() -> None:
    assert churns(check("a.ts"), check("a.ts"), check(), check("a.ts")) == []


def test_a_check_of_another_file_does_not_end_churn() -> None:
    bad, elsewhere = check("a.ts", covered={"a.ts"}), check(covered={"b.ts"})
    assert churns(bad, bad, elsewhere, bad) == [3]


def test_the_order_is_by_count_then_name() -> None:
    found = recurrence(
        [check("b.ts", "a.ts"), check("b.ts", "a.ts"), check("b.ts", "a.ts"), check("b.ts", covered={"b.ts"})]
    )
    assert [(churn.file, churn.check_count) for churn in found.churns] == [("b.ts", 4), ("a.ts", 3)]


def test_a_signature_leaves_names_numbers_and_paths_open() -> None:
    one = Diagnostic(message="Type 'a' is not assignable to type 'b' (line 3)", rule="TS2322", file="a.ts")
    other = Diagnostic(message="Type 'x' is not assignable to type 'y' (line 9)", rule="TS2322", file="b.ts")
    assert (
        signature(one)
        == signature(other)
        == "TS2322:type <identifier> is not assignable to type <identifier> (line <number>)"
    )


def test_findings_without_a_file_are_not_followed() -> None:
    assert seen([Diagnostic(message="m", tool="tsc")]) == frozenset()


def test_hints_say_how_often() -> None:
    assert "2 times" in Loop("s", 2).hint
    assert "a.ts" in Churn("a.ts", "TS1", 3).hint
