"""Reports for people and for other programs, written by the command line."""

import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

PUNCHLIST = [sys.executable, "-m", "punchlist.cli"]
LOG = "src/a.ts(3,5): error TS2322: Type 'x' is not assignable to type 'y'.\n"


def call(project: Path, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PUNCHLIST, *words], cwd=project, input=stdin, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def checked(project: Path) -> Path:
    """Return a project with one kept run that found one error in src/a.ts."""
    (project / "src").mkdir()
    (project / "src" / "a.ts").write_text("let a = 1;\nlet y: number;\ny = 'x<b>';\n", encoding="utf-8")
    call(project, "read", "--command", "tsc", "--exit-code", "2", stdin=LOG)
    return project


def test_the_page_shows_the_code_the_last_runs_and_what_changed(checked: Path) -> None:
    more = LOG + "src/a.ts(1,5): error TS6133: 'a' is declared but its value is never read.\n"
    call(checked, "read", "--command", "tsc", "--exit-code", "2", stdin=more)
    done = call(checked, "report", "--html", "out.html")
    assert (done.returncode, done.stdout) == (0, "tsc-2: wrote html to out.html\n")
    text = (checked / "out.html").read_text(encoding="utf-8")
    assert "<b>3</b><span>y = &#x27;x&lt;b&gt;&#x27;;" in text
    assert "Errors in the last 2 runs" in text
    assert "Since tsc-1: 1 new" in text
    assert not re.search(r"""(?:src|href)=|url\(|https?://|@import""", text)


def test_an_older_run_is_written_with_the_history_it_had(checked: Path) -> None:
    call(checked, "read", "--command", "tsc", "--exit-code", "2", stdin=LOG)
    text = call(checked, "report", "tsc-1", "--html", "-").stdout
    assert "tsc-1" in text
    assert "tsc-2" not in text


def test_code_that_changed_after_the_run_is_left_out_and_said(checked: Path) -> None:
    later = time.time() + 60
    os.utime(checked / "src" / "a.ts", (later, later))
    text = call(checked, "report", "--html", "-").stdout
    assert "1 file changed after this run, their code is left out: src/a.ts" in text
    assert "x&lt;b&gt;" not in text


def test_no_code_from_outside_of_the_project_is_shown(checked: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.ts").write_text("a\nb\nouter words\n", encoding="utf-8")
    (checked / "src" / "link.ts").symlink_to(tmp_path / "outside.ts")
    log = "".join(LOG.replace("src/a.ts", name) for name in ("../outside.ts", "src/link.ts", str(tmp_path / "x.ts")))
    call(checked, "read", "--command", "tsc", "--exit-code", "2", stdin=log)
    assert "outer words" not in call(checked, "report", "--html", "-").stdout


def test_junit_is_written_with_the_cases_it_counts(checked: Path) -> None:
    assert call(checked, "report", "--format", "junit", "--output", "junit.xml").returncode == 0
    root = ET.parse(checked / "junit.xml").getroot()
    (suite,) = root
    (case,) = suite
    for element in (root, suite):
        assert [element.get(name) for name in ("tests", "failures", "errors")] == ["1", "1", "0"]
    assert (case.get("classname"), case.get("name")) == ("tsc", "src/a.ts")


def test_paths_for_other_programs_begin_at_the_repository(checked: Path) -> None:
    (checked.parent / ".git").mkdir()
    assert "file=project/src/a.ts,line=3" in call(checked, "report", "--format", "github").stdout
    log = json.loads(call(checked, "report", "--format", "sarif").stdout)
    artifact = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "project/src/a.ts", "uriBaseId": "%SRCROOT%"}
    assert str(checked) not in json.dumps(log)


@pytest.mark.parametrize(
    ("form", "said"), [("github", "::error file=src/a.ts,line=3,col=5::TS2322: Type"), ("sarif", '"version": "2.1.0"')]
)
def test_other_formats_go_to_standard_output(checked: Path, form: str, said: str) -> None:
    assert said in call(checked, "report", "--format", form).stdout


def test_page_and_format_are_written_by_one_call(checked: Path) -> None:
    done = call(checked, "report", "--html", "a.html", "--format", "sarif", "-o", "a.sarif")
    assert done.stdout.count("wrote") == 2
    assert json.loads((checked / "a.sarif").read_text(encoding="utf-8"))["runs"][0]["results"][0]["ruleId"] == "TS2322"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say what to write"),
        (["--output", "x"], "--output needs --format"),
        (["--html", "-", "--format", "sarif"], "only one report"),
        (["nope-1", "--html", "-"], "no run 'nope-1'"),
        (["--html", "no/such/folder/x.html"], "cannot be written"),
    ],
)
def test_wrong_usage_says_what_to_do(checked: Path, words: list[str], said: str) -> None:
    done = call(checked, "report", *words)
    assert done.returncode == 125
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_project_without_runs_says_what_to_do_first(project: Path) -> None:
    assert "run a check first" in call(project, "report", "--html", "-").stderr


def test_a_running_check_is_not_written(project: Path) -> None:
    running = subprocess.Popen([*PUNCHLIST, "run", "--", "sleep 20"], cwd=project, stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while not call(project, "runs").stdout.startswith("sleep-1") and time.monotonic() < until:
            time.sleep(0.02)
        assert "still running" in call(project, "report", "sleep-1", "--html", "-").stderr
    finally:
        running.terminate()
        running.wait(20)
