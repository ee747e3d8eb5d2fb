"""Engines side by side: each by itself, cached by what its result depends on, ended when asked."""

import json
import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from punchlist.engines.run import Event, Stop
from punchlist.project.records import Config
from punchlist.project.settings import EngineSetting

RUFF = {"ruff.toml": "", "a.py": "import os\n", "b.py": "x = 1\n"}
FINDING = {
    "filename": "a.py",
    "code": "F401",
    "message": "`os` imported but unused",
    "location": {"row": 1, "column": 8},
    "end_location": {"row": 1, "column": 10},
    "fix": {
        "applicability": "safe",
        "message": "Remove unused import: `os`",
        "edits": [{"content": "", "location": {"row": 1, "column": 1}, "end_location": {"row": 2, "column": 1}}],
    },
}
SAY = f"echo \"$@\" >> $CALLS\ncat <<'END'\n{json.dumps([FINDING])}\nEND"


def test_findings_carry_place_rule_and_fix(made: Any) -> None:
    made.write(RUFF)
    made.fake("ruff", SAY)
    result = made.one("ruff")
    (found,) = result.diagnostics
    assert (result.state, result.version, result.origin) == ("ok", "9.9.9", "project")
    assert (found.file, found.line, found.column, found.rule, found.tool) == ("a.py", 1, 8, "F401", "ruff")
    assert found.fix is not None
    assert found.fix.safe
    assert result.coverage == {"a.py", "b.py"}
    assert (result.checked, result.cached, result.skipped) == (2, 0, 0)


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ("echo broken >&2; exit 3", "engine_execution_failed", "ruff failed: exit code 3: broken"),
        ("echo hello", "engine_execution_failed", "its output was not understood: hello"),
        ("exit 0", "engine_execution_failed", "it printed nothing"),
        ("kill -9 $$", "engine_execution_failed", "SIGKILL"),
        (
            'echo \'[{"filename": "a.py", "code": "F401", "message": "m", "location": {"row": 1,\'',
            "engine_execution",
            "",
        ),
        ("sleep 30", "engine_timeout", "ruff did not complete within 300ms"),
    ],
)
def test_an_engine_that_fails_says_so_and_loses_nobody_elses_results(
    made: Any, script: str, code: str, message: str
) -> None:
    made.write({**RUFF, "mypy.ini": "[mypy]\n"})
    made.fake("ruff", script)
    made.fake(
        "mypy", "echo 'a.py:1:1: error: Wrong  [misc]'; echo 'Found 1 error in 1 file (checked 2 source files)'; exit 1"
    )
    config = Config(engines={"ruff": EngineSetting(timeout_s=0.3 if "sleep" in script else 20)})
    ruff, mypy = made.check(config=config, engines=["ruff", "mypy"]).results
    assert ruff.state == "error"
    assert ruff.code.startswith(code)
    assert message in ruff.message
    assert ruff.next_step
    assert ruff.retryable == (code == "engine_timeout")
    assert not ruff.coverage
    assert (mypy.state, [d.message for d in mypy.diagnostics]) == ("ok", ["Wrong"])


def test_a_tool_that_found_nothing_to_look_at_covers_nothing_and_does_not_fail(made: Any) -> None:
    made.write(RUFF)
    made.fake("ruff", "echo 'warning: No Python files found under the given path(s)' >&2; exit 1")
    result = made.one("ruff")
    assert (result.state, result.coverage, result.skipped) == ("ok", frozenset(), 2)


def test_odd_records_do_not_hide_the_others(made: Any) -> None:
    made.write(RUFF)
    records = [{"x": 1}, 5, None, {**FINDING, "location": None}, {**FINDING, "fix": "?"}, FINDING]
    made.fake("ruff", f"cat <<'END'\n{json.dumps(records)}\nEND")
    result = made.one("ruff")
    assert result.state == "ok"
    assert {d.line for d in result.diagnostics} == {1, None}


def test_what_a_failing_engine_had_found_is_kept(made: Any) -> None:
    made.write(RUFF)
    made.fake("ruff", f"{SAY}\nsleep 30")
    result = made.one("ruff", config=Config(engines={"ruff": EngineSetting(timeout_s=0.4)}))
    assert (result.state, len(result.diagnostics), result.coverage) == ("error", 1, frozenset())


def test_nothing_is_started_while_nothing_changes(made: Any) -> None:
    made.write(RUFF)
    made.settle()
    made.fake("ruff", SAY)
    first, second = made.one("ruff"), made.one("ruff")
    assert len(made.calls("ruff")) == 1
    assert second.diagnostics == tuple(d for d in (_without_log(d) for d in first.diagnostics))
    assert (second.checked, second.cached, second.coverage) == (0, 2, first.coverage)


def _without_log(d):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    return replace(d, log=None)


def test_only_changed_files_are_checked_again(made: Any) -> None:
    made.write({"ruff.toml": "", **{f"m{n}.py": "x = 1\n" for n in range(6)}})
    made.settle()
    made.fake("ruff", 'echo "$@" >> $CALLS\necho "[]"')
    made.one("ruff")
    made.write({"m3.py": "x = 2\n"})
    made.settle()
    result = made.one("ruff")
    assert (result.checked, result.cached) == (1, 5)
    assert made.calls("ruff")[1].endswith("-- m3.py")


def test_a_touched_file_is_not_a_changed_one(made: Any) -> None:
    made.write(RUFF)
    made.settle()
    made.fake("ruff", SAY)
    made.one("ruff")
    os.utime(made.root / "a.py")
    made.one("ruff")
    assert len(made.calls("ruff")) == 1


def test_an_edit_of_the_same_size_with_its_old_time_is_seen(made: Any) -> None:
    made.write(RUFF)
    made.settle()
    made.fake("ruff", SAY)
    made.one("ruff")
    before = (made.root / "b.py").stat()
    made.write({"b.py": "y = 1\n"})
    os.utime(made.root / "b.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    made.one("ruff")
    assert len(made.calls("ruff")) == 2


@pytest.mark.parametrize("name", ["ruff.toml", "pyproject.toml", "sub/ruff.toml"])
def test_a_changed_configuration_is_a_change_of_what_it_governs(made: Any, name: str) -> None:
    made.write({**RUFF, "sub/c.py": ""})
    made.settle()
    made.fake("ruff", SAY)
    made.one("ruff")
    made.write({name: "[tool.ruff]\n" if name == "pyproject.toml" else "line-length = 90\n"})
    made.settle()
    made.one("ruff")
    assert len(made.calls("ruff")) == 2
    assert ("a.py" in made.calls("ruff")[1] or made.calls("ruff")[1].endswith(" .")) == (name != "sub/ruff.toml")


def test_another_version_of_the_tool_is_asked_anew(made: Any) -> None:
    made.write(RUFF)
    made.settle()
    script = made.fake("ruff", SAY)
    made.one("ruff")
    text = script.read_text(encoding="utf-8").replace("9.9.9", "9.9.10")
    script.write_text(text, encoding="utf-8")
    assert made.one("ruff").version == "9.9.10"
    assert len(made.calls("ruff")) == 2


def test_fresh_believes_no_earlier_result(made: Any) -> None:
    made.write(RUFF)
    made.settle()
    made.fake("ruff", SAY)
    made.one("ruff")
    assert made.one("ruff", fresh=True).checked == 2
    assert len(made.calls("ruff")) == 2


def test_a_whole_program_is_checked_again_when_any_of_its_files_changes(made: Any) -> None:
    made.write({"mypy.ini": "[mypy]\n", "a.py": "", "sub/b.py": ""})
    made.fake("mypy", 'echo "$@" >> $CALLS\necho "Success: no issues found in 2 source files"')
    made.settle()
    made.one("mypy")
    assert made.one("mypy", ["a.py"]).cached == 2
    made.write({"sub/c.py": ""})
    made.settle()
    assert made.one("mypy", ["a.py"]).cached == 0
    (made.root / "sub/c.py").unlink()
    made.settle()
    made.one("mypy", ["a.py"])
    assert len(made.calls("mypy")) == 3


def test_a_file_written_while_the_tool_runs_is_looked_at_again(made: Any) -> None:
    made.write(RUFF)
    made.settle()
    made.fake("ruff", f"{SAY}\necho 'y = 2' > b.py")
    made.one("ruff")
    made.settle()
    made.fake("ruff", SAY)
    assert made.one("ruff").cached < 2


def test_a_missing_tool_is_disabled_with_the_way_to_get_it(made: Any) -> None:
    made.write({"mypy.ini": "", "uv.lock": "", "a.py": "", ".oxlintrc.json": "{}", "b.ts": "", "pnpm-lock.yaml": ""})
    made.environ = {"PATH": "/nonexistent"}
    results = {r.engine: r for r in made.check().results}
    assert {name: (r.state, r.message) for name, r in results.items()} == {
        "oxlint": ("disabled", "oxlint is not installed. Run `pnpm add -D oxlint`."),
        "mypy": ("disabled", "mypy is not installed. Run `uv add --dev mypy`."),
    }


def test_an_engine_that_is_switched_off_says_nothing_more(made: Any) -> None:
    made.write(RUFF)
    made.fake("ruff", SAY)
    result = made.one("ruff", config=Config(engines={"ruff": EngineSetting(enabled=False)}))
    assert (result.state, result.message, made.calls("ruff")) == ("disabled", "", [])


def test_a_project_without_markers_uses_no_engine(made: Any) -> None:
    made.write({"a.py": "", "b.ts": "", "c.rs": ""})
    assert made.check().results == ()


def test_ignored_files_are_neither_asked_about_nor_answered(made: Any) -> None:
    made.write(RUFF)
    made.fake("ruff", SAY)
    config = Config(ignore=("a.py",))
    result = made.one("ruff", config=config)
    assert (result.diagnostics, result.hidden, result.coverage) == ((), 1, {"b.py"})
    checked = made.check(["a.py"], config=config)
    assert (checked.files, checked.ignored) == ((), 1)
    assert checked.results[0].state == "ok"


def test_a_file_that_is_gone_counts_as_looked_at(made: Any) -> None:
    made.write({**RUFF, "mypy.ini": ""})
    made.fake("ruff", SAY)
    made.fake("mypy", 'echo "$@" >> $CALLS\necho "Success: no issues found in 2 source files"')
    checked = made.check(["old.py"], engines=["ruff", "mypy"])
    assert checked.gone == ("old.py",)
    assert all("old.py" in result.coverage for result in checked.results)
    assert made.calls("ruff") == []
    assert len(made.calls("mypy")) == 1  # what needed it is checked


def test_two_checks_at_once_do_the_work_once(made: Any) -> None:
    made.write(RUFF)
    made.settle()
    made.fake("ruff", f"{SAY}\nsleep 0.5")
    results = []
    threads = [threading.Thread(target=lambda: results.append(made.one("ruff"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made.calls("ruff")) == 1
    assert [len(result.diagnostics) for result in results] == [1, 1, 1]


def test_a_check_can_be_ended_from_another_thread(made: Any) -> None:
    made.write({**RUFF, "mypy.ini": ""})
    for name in ("ruff", "mypy"):
        made.fake(name, 'echo "$@" >> $CALLS\nsleep 60')
    stop = Stop()

    def end() -> None:
        while not (made.calls("ruff") and made.calls("mypy")):
            time.sleep(0.01)
        stop.cancel()

    thread = threading.Thread(target=end)
    thread.start()
    begin = time.monotonic()
    results = made.check(stop=stop, engines=["ruff", "mypy"]).results
    thread.join()
    assert time.monotonic() - begin < 20
    assert {(r.state, r.code) for r in results} == {("error", "cancelled")}


def test_progress_tells_each_engine_as_it_is_ready(made: Any) -> None:
    made.write({**RUFF, "mypy.ini": ""})
    made.fake("ruff", f"sleep 0.5\n{SAY}")
    made.fake("mypy", 'echo "Success: no issues found in 2 source files"')
    events: list[Event] = []
    made.check(on_event=events.append, engines=["ruff", "mypy"])
    assert [(e.engine, e.kind) for e in events] == [
        ("ruff", "started"),
        ("mypy", "started"),
        ("mypy", "finished"),
        ("ruff", "finished"),
    ]
    assert events[3].result is not None
    assert len(events[3].result.diagnostics) == 1


def test_logs_are_kept_where_they_are_wanted(made: Any, tmp_path: Path) -> None:
    made.write(RUFF)
    made.fake("ruff", SAY)
    result = made.one("ruff", folder=tmp_path / "logs")
    assert json.loads((tmp_path / "logs" / "ruff.stdout.log").read_text(encoding="utf-8")) == [FINDING]
    assert result.diagnostics[0].log is not None
    assert result.diagnostics[0].log.stream == "ruff:stdout"


def test_a_locked_cache_does_not_stop_a_check(made: Any) -> None:
    made.write(RUFF)
    made.fake("ruff", SAY)
    made.one("ruff")
    lock = sqlite3.connect(made.state / "cache.db", isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    try:
        made.write({"b.py": "z = 3\n"})
        made.settle()
        checked = made.check(engines=["ruff"])
    finally:
        lock.execute("ROLLBACK")
        lock.close()
    assert checked.results[0].state == "ok"
    assert len(checked.results[0].diagnostics) == 1
    assert "locked" in checked.cache


def test_a_long_list_of_files_is_handed_over_in_parts(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("punchlist.engines.scope.ARG_BYTES", 400)
    made.write({"ruff.toml": "", **{f"module_number_{n}.py": "" for n in range(30)}})
    made.fake("ruff", 'echo "$@" >> $CALLS\necho "[]"')
    result = made.one("ruff", [f"module_number_{n}.py" for n in range(30)])
    assert result.checked == 30
    assert len(made.calls("ruff")) > 2
    assert sum(call.count("module_number") for call in made.calls("ruff")) == 30


def test_a_file_from_the_future_is_believed_as_any_other(made: Any) -> None:
    made.write(RUFF)
    os.utime(made.root / "a.py", (4_000_000_000, 4_000_000_000))
    made.settle()
    made.fake("ruff", SAY)
    made.one("ruff")
    assert made.one("ruff").cached == 2


def test_a_damaged_result_is_done_without(made: Any) -> None:
    made.write(RUFF)
    made.settle()
    made.fake("ruff", SAY)
    made.one("ruff")
    db = sqlite3.connect(made.state / "cache.db", isolation_level=None)
    db.execute("UPDATE results SET body = x'00ff' WHERE engine IN ('ruff', 'versions')")
    db.close()
    result = made.one("ruff")
    assert (result.state, len(result.diagnostics), result.cached) == ("ok", 1, 0)


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_file_whose_name_is_no_text_is_a_file(made: Any) -> None:
    made.write(RUFF)
    Path(os.fsdecode(os.fsencode(made.root) + b"/caf\xe9.py")).touch()
    made.settle()
    made.fake("ruff", SAY)
    assert made.one("ruff").checked == 3
    assert made.one("ruff").cached == 3


RECORDED = {
    "golangci-lint": (
        {".golangci.yml": "", "go.mod": "module m\n", "a.go": "package m\n"},
        {
            "Issues": [
                {"FromLinter": "errcheck", "Text": "not checked", "Pos": {"Filename": "a.go", "Line": 3, "Column": 2}}
            ]
        },
        ("a.go", 3, 2, "errcheck"),
    ),
    "phpstan": (
        {"phpstan.neon": "", "src/a.php": "<?php\n"},
        {
            "totals": {"errors": 0, "file_errors": 1},
            "files": {"src/a.php": {"errors": 1, "messages": [{"message": "no", "line": 7, "identifier": "x.y"}]}},
            "errors": [],
        },
        ("src/a.php", 7, None, "x.y"),
    ),
    "rubocop": (
        {".rubocop.yml": "", "a.rb": "x = 1\n"},
        {
            "metadata": {"rubocop_version": "1.39.0"},
            "files": [
                {
                    "path": "a.rb",
                    "offenses": [
                        {
                            "severity": "warning",
                            "message": "Useless",
                            "cop_name": "Lint/UselessAssignment",
                            "location": {"start_line": 1, "start_column": 1, "line": 1, "column": 1},
                        }
                    ],
                }
            ],
            "summary": {"offense_count": 1, "target_file_count": 1, "inspected_file_count": 1},
        },
        ("a.rb", 1, 1, "Lint/UselessAssignment"),
    ),
    "shellcheck": (
        {".shellcheckrc": "", "a.sh": "echo $1\n"},
        {"comments": [{"file": "a.sh", "line": 1, "column": 6, "level": "info", "code": 2086, "message": "Quote"}]},
        ("a.sh", 1, 6, "SC2086"),
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_tools_that_are_seldom_there_are_read_as_they_were_recorded(made: Any, name: str) -> None:
    files, answer, place = RECORDED[name]
    made.write(files)
    made.settle()
    made.fake(name, f"cat <<'END'\n{json.dumps(answer)}\nEND\nexit 1")
    result = made.one(name)
    assert (result.state, result.message) == ("ok", "")
    assert [(d.file, d.line, d.column, d.rule) for d in result.diagnostics] == [place]
    assert made.one(name).checked == 0


@pytest.mark.parametrize("name", ["tsc", "mypy"])
def test_a_type_checker_without_files_of_its_own_is_not_taken_for_one_that_found_nothing(made: Any, name: str) -> None:
    made.write({"a.ts": "", "node_modules/typescript/package.json": '{"version": "7.0.0"}'})
    made.fake("mypy", "exit 0")
    result = made.one(name, config=Config(engines={name: EngineSetting(enabled=True)}))
    assert result.state == "disabled"
    assert result.message
