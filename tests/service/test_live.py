"""Diagnostics handed over by editors, language servers and other tools."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from punchlist.model import Diagnostic, Fix, Report, Trouble
from punchlist.service.live_answers import batch_text, view_text, view_value
from punchlist.service.live_diagnostics import Batch, ingest, view
from punchlist.service.project import Project, open_project
from punchlist.service.session import Session
from punchlist.store.live import MOST, published


def item(file: str = "src/a.ts", line: int = 2, message: str = "bad", **more: Any) -> dict[str, Any]:
    place = {"start": {"line": line, "character": 4}, "end": {"line": line, "character": 7}}
    return {"file": file, "range": place, "message": message, "severity": 1, **more}


def said(project: Project) -> list[str]:
    return [f"{d.file}:{d.line} {d.message}" for d in view(project).diagnostics]


@pytest.fixture
def here(session: Session) -> Project:
    return session.project


def checked(project: Project, *diagnostics: Diagnostic, kind: str = "engines") -> str:
    """Keep a check with these findings and return its id."""
    run = project.store.begin(
        name="check", kind=kind, key="k", title="check", command="", cwd=".", owner=os.getpid(), owner_start=""
    )
    project.store.finish(run.id, Report(outcome="failed", diagnostics=diagnostics), size=0)
    return run.id


def test_positions_count_from_one_and_ends_stay_exclusive(here: Project) -> None:
    ingest(here, [item(line=0, code=2322, source="ts")])
    (d,) = view(here).diagnostics
    assert (d.line, d.column, d.end_line, d.end_column, d.rule) == (1, 5, 1, 8, "2322")


def test_columns_become_code_points_where_the_line_tells(here: Project) -> None:
    (here.folder / "a.ts").write_text("x\ny\n'\U0001f600' bad\n", encoding="utf-8")
    place = {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 8}}
    ingest(here, [item("a.ts") | {"range": place}])
    (d,) = view(here).diagnostics
    assert (d.column, d.end_column) == (5, 8)
    assert (here.folder / "a.ts").read_text(encoding="utf-8").split("\n")[2][4:7] == "bad"


@pytest.mark.parametrize(
    ("given", "severity"),
    [(1, "error"), (2, "warning"), (3, "info"), (4, "hint"), (None, "warning"), ("Information", "info"), (0, "error")],
)
def test_all_four_severities_stay(here: Project, given: object, severity: str) -> None:
    ingest(here, [item(severity=given)])
    assert view(here).diagnostics[0].severity == severity


def test_a_set_replaces_what_the_source_said_of_the_file_and_an_empty_one_clears(here: Project) -> None:
    ingest(here, [item(message="one"), item(line=5, message="two"), item("b.ts", message="other")])
    ingest(here, [item(message="three")])
    assert said(here) == ["b.ts:3 other", "src/a.ts:3 three"]
    batch = ingest(here, [{"uri": (here.folder / "src/a.ts").as_uri(), "diagnostics": []}])
    assert (batch.held, batch.replaced, batch.files) == (0, 1, ("src/a.ts",))
    assert said(here) == ["b.ts:3 other"]
    ingest(here, [], files=["b.ts"])
    assert said(here) == []


def test_a_batch_that_names_no_file_clears_its_source_alone(here: Project) -> None:
    ingest(here, [item(message="mine")], source="lsp", server="pyright")
    ingest(here, [item(line=9, message="theirs")], source="vscode")
    assert ingest(here, [], source="lsp", server="pyright").replaced == 1
    assert said(here) == ["src/a.ts:10 theirs"]


def test_servers_do_not_replace_each_other(here: Project) -> None:
    ingest(here, [item(message="a")], server="one")
    ingest(here, [item(line=8, message="b")], server="two")
    assert len(said(here)) == 2


def test_what_was_handed_over_survives_a_restart(here: Project) -> None:
    ingest(here, [item(code="R1", relatedInformation=[related(here)])], server="s")
    again = open_project(explicit=str(here.folder))
    (one,) = view(again).seen
    assert (one.diagnostic.rule, one.sources[0].server) == ("R1", "s")
    assert [(r.message, r.file, r.line) for r in one.diagnostic.related] == [("see", "b.ts", 8)]
    again.store.close()


def related(project: Project) -> dict[str, Any]:
    start = {"line": 7, "character": 0}
    return {"message": "see", "location": {"uri": (project.folder / "b.ts").as_uri(), "range": {"start": start}}}


@pytest.mark.parametrize(
    ("form", "report", "expected"),
    [
        ("ruff", "src/a.py:3:5: F401 [*] `os` imported but unused\nFound 1 error.\n", "src/a.py:3 `os` imported"),
        (
            "mypy",
            "src/a.py:3: error: Bad thing  [misc]\nFound 1 error in 1 file (checked 1 source file)\n",
            "Bad thing",
        ),
        (
            "golangci",
            '{"Issues":[{"FromLinter":"errcheck","Text":"not checked","Pos":{"Filename":"a.go","Line":3}}]}',
            "",
        ),
        (
            "lsp",
            '{"uri":"a.py","diagnostics":[{"message":"m","range":{"start":{"line":2,"character":0}}}]}',
            "a.py:3 m",
        ),
    ],
)
def test_any_report_format_is_taken(here: Project, form: str, report: str, expected: str) -> None:
    assert ingest(here, report=report, form=form).held == 1
    (line,) = said(here)
    assert ":3 " in line
    assert expected in line


def test_a_clean_report_clears_its_source(here: Project) -> None:
    ingest(here, report="a.py:3:5: F401 `os` imported but unused\nFound 1 error.\n", form="ruff")
    assert ingest(here, report="[]", form="ruff").replaced == 1
    assert said(here) == []


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"report": "who knows", "form": "ruff"}, "not_understood", "nothing was changed"),
        ({"report": "[]", "form": "rufff"}, "unknown_parser", "ruff"),
        ({"items": [{"file": "a"}]}, "invalid_arguments", "diagnostics.0.message: expected text"),
        ({"items": [item(message="  ")]}, "invalid_arguments", "diagnostics.0.message"),
        ({"items": [{**item(), "file": ""}]}, "invalid_arguments", "diagnostics.0.file"),
        ({"items": [item("a\0b")]}, "invalid_arguments", "diagnostics.0.file"),
        ({"items": [item(severity=7)]}, "invalid_arguments", "diagnostics.0.severity"),
        ({"items": [item(severity=True)]}, "invalid_arguments", "diagnostics.0.severity"),
        ({"items": [{**item(), "range": None}]}, "invalid_arguments", "diagnostics.0.range: required"),
        (
            {"items": [item(), {**item(), "range": {"start": {"line": "1"}}}]},
            "invalid_arguments",
            "diagnostics.1.range",
        ),
        ({"items": ["x"]}, "invalid_arguments", "diagnostics.0: expected object"),
        ({"items": [{"uri": "a", "diagnostics": [3]}]}, "invalid_arguments", "diagnostics.0.diagnostics.0"),
        ({"items": [{}] * 30}, "invalid_arguments", "more"),
    ],
)
def test_a_batch_that_cannot_be_read_changes_nothing(
    here: Project, arguments: dict[str, Any], code: str, words: str
) -> None:
    ingest(here, [item(message="kept")])
    with pytest.raises(Trouble) as caught:
        ingest(here, **arguments)
    assert caught.value.code == code
    assert words in str(caught.value)
    assert said(here) == ["src/a.ts:3 kept"]


def test_positions_out_of_all_bounds_are_clamped(here: Project) -> None:
    wild = {"start": {"line": -3, "character": -1}, "end": {"line": 10**30, "character": 2.5}}
    ingest(here, [item() | {"range": wild}])
    (d,) = view(here).diagnostics
    assert (d.line, d.column, d.end_column) == (1, 1, 3)


def test_files_are_named_from_the_root_however_they_are_written(here: Project, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(here.folder)
    (here.folder / "src").mkdir()
    (here.folder / "src" / "a.ts").write_text("", encoding="utf-8")
    for file in ("src/a.ts", "./src/../src/a.ts", "src\\a.ts", str(here.folder / "src/a.ts")):
        ingest(here, [item(file)], server=file)
    assert {d.file for d in view(here).diagnostics} == {"src/a.ts"}


def test_more_than_fits_loses_the_mildest_of_a_batch_and_the_oldest_sets(here: Project) -> None:
    ingest(here, [item("old.ts", n) for n in range(10)])
    batch = ingest(here, [item("a.ts", n, severity=1 + (n % 2)) for n in range(MOST + 50)], server="big")
    assert (batch.held, batch.dropped, batch.evicted) == (MOST, 50, 10)
    kept = [d for one in published(here.store) for d in one.diagnostics]
    assert len(kept) == MOST
    assert sum(d.severity == "error" for d in kept) == (MOST + 50) // 2
    assert "50 of the batch not kept" in batch_text(batch)


ENGINE = Diagnostic(message="Type 'x' is wrong", file="src/a.ts", line=3, column=5, rule="TS2322", tool="tsc")


@pytest.mark.parametrize(
    ("other", "merged"),
    [
        (item(code=2322, message="Type 'x' is wrong, says the server"), True),
        (item(code="TS2322"), True),
        (item(code=2345), False),
        (item(code=2322, line=3), False),
        (item(code=2322) | {"range": {"start": {"line": 2, "character": 9}}}, False),
        (item(message="Type 'x'  is wrong"), True),
        (item(message="Something else"), False),
        (item("src/b.ts", code=2322), False),
    ],
)
def test_what_check_and_server_both_say_stands_once(here: Project, other: dict[str, Any], merged: bool) -> None:
    checked(here, ENGINE)
    ingest(here, [other], server="tsserver")
    found = view(here)
    assert len(found.seen) == (1 if merged else 2)
    if merged:
        assert [source.shown for source in found.seen[0].sources] == ["tsc", "tsserver"]
        assert found.seen[0].diagnostic.message == ENGINE.message


def test_two_findings_of_one_source_never_become_one(here: Project) -> None:
    ingest(here, [item(message="a", code="R"), item(message="b", code="R")])
    assert len(view(here).seen) == 2


def test_a_fix_of_either_side_is_kept(here: Project) -> None:
    fix = Fix((), safe=True, title="mend")
    checked(here, Diagnostic(message="m", file="a.py", line=1, tool="ruff", rule="F401", fix=fix))
    ingest(here, report="a.py:1:1: F401 m\nFound 1 error.\n", form="ruff", source="editor")
    (one,) = view(here).seen
    assert one.diagnostic.fix == fix


def test_filters_take_files_folders_and_severity(here: Project) -> None:
    ingest(here, [item("src/a.ts"), item("lib/b.ts", severity=2), item("lib/c.ts", severity=4)])
    assert [d.file for d in view(here, files=["lib"]).diagnostics] == ["lib/b.ts", "lib/c.ts"]
    assert [d.file for d in view(here, severity="warning").diagnostics] == ["lib/b.ts"]
    assert [d.file for d in view(here, severity="warning", two=True).diagnostics] == ["lib/b.ts", "lib/c.ts"]


@pytest.mark.parametrize("severity", ["info", "hint"])
def test_what_was_asked_for_by_its_severity_is_shown(here: Project, severity: str) -> None:
    ingest(here, [item("a.ts", message="mild", severity=severity)])
    text = view_text(view(here, severity=severity), {"severity": severity})
    assert text.startswith(f"UNKNOWN live + lsp (only {severity})")
    assert "a.ts:3 mild" in text


def test_files_that_nobody_looked_at_are_not_green(here: Project) -> None:
    ingest(here, [item("src/a.ts", severity=4)], files=["src/clean.ts"])
    text = view_text(view(here, files=["src", "src/clean.ts", "other.ts"]), {})
    assert text.startswith("UNKNOWN ")
    assert "nobody looked at other.ts yet" in text
    assert view_text(view(here, files=["src/clean.ts"]), {}).startswith("PASSED ")


def test_files_written_since_are_named(here: Project) -> None:
    (here.folder / "a.ts").write_text("x", encoding="utf-8")
    ingest(here, [item("a.ts")])
    assert view(here).old == ()
    later = time.time() + 10
    os.utime(here.folder / "a.ts", (later, later))
    assert view(here).old == ("a.ts",)
    assert "out of date: a.ts" in view_text(view(here), {})


def test_nothing_known_is_not_green(here: Project) -> None:
    text = view_text(view(here), {})
    assert text.startswith("UNKNOWN")
    assert "check_project" in text


def test_an_incomplete_check_is_not_green(here: Project) -> None:
    run = here.store.begin(
        name="check", kind="engines", key="k", title="check", command="", cwd=".", owner=1, owner_start=""
    )
    here.store.finish(run.id, Report(outcome="error"), size=0)
    assert view_text(view(here), {}).startswith("ERROR")


def test_an_answer_keeps_its_budget_and_every_finding_is_on_some_page(here: Project) -> None:
    ingest(here, [item(f"src/f{n}.ts", n, f"thing {'abcdefgh'[n % 8] * 5} is wrong {n}") for n in range(900)])
    found = view(here)
    text = view_text(found, {"files": ["src"]})
    assert len(text.encode()) <= 1500 * 3
    assert 'get_live_diagnostics {"files": ["src"], "cursor": "2"}' in text
    pages, page = [text], 2
    while "more: " in pages[-1] or page == 2:
        pages.append(view_text(found, {"files": ["src"]}, page=page))
        page += 1
    whole = "\n".join(pages)
    assert all(f"f{n}.ts:{n + 1}" in whole for n in range(900))


def test_the_value_names_source_and_time_of_every_issue(here: Project) -> None:
    checked(here, ENGINE)
    ingest(here, [item(code=2322)], server="tsserver")
    ingest(here, [item("b.ts", severity=3)], source="vscode")
    value = view_value(view(here))
    assert value["totalIssues"] == 2
    by_file = {issue["file"]: issue for issue in value["issues"]}
    assert by_file["src/a.ts"]["sourceKind"] == "compiler"
    assert by_file["src/a.ts"]["alsoFrom"][0]["serverName"] == "tsserver"
    other = by_file["b.ts"]
    assert (other["engine"], other["severity"], other["sourceKind"]) == ("vscode", "warning", "editor")
    assert other["provenance"]["timestamp"].endswith("Z")


def test_a_batch_is_a_check_that_can_be_compared(session: Session) -> None:
    from punchlist.service.checking.compare import difference

    here = session.project
    first: Batch = ingest(here, [item("a.ts", message="one"), item("b.ts", message="two")])
    second = ingest(here, [item("a.ts", message="three")])
    delta = difference(here, first.run, second.run)
    assert [d.message for d in delta.unobserved] == ["two"]
    assert [d.message for d in delta.removed] + [before.message for before, _ in delta.changed] == ["one"]
