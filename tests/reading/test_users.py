"""Parsers that users describe: patterns, problem matchers, examples."""

import json
from pathlib import Path

import pytest

from punchlist.model import Trouble
from punchlist.service import own, plan
from punchlist.service.answers import punch_list
from punchlist.service.project import open_project
from punchlist.service.session import Session

LOG = "checking\nsrc/a.x:3: error: bad thing [E12]\nsrc/b.x:9: warning: so so [W1]\ndone\n"
TOML = """
[parsers.xlint]
pattern = '^(?P<file>\\S+):(?P<line>\\d+): (?P<severity>error|warning): (?P<message>.*) \\[(?P<rule>\\w+)\\]$'
commands = "xlint"
examples = "examples/*.log"
[checks.x]
command = "cat {log}; exit 1"
parser = "xlint"
"""
ESLINT_MATCHER = {
    "problemMatcher": [
        {
            "owner": "stylish",
            "pattern": [
                {"regexp": "^([^\\s].*)$", "file": 1},
                {"regexp": "^\\s+(\\d+):(\\d+)\\s+(error|warning|info)\\s+(.*)\\s\\s+(.*)$", "line": 1, "column": 2,
                 "severity": 3, "message": 4, "code": 5, "loop": True},
            ],
        }
    ]
}  # fmt: skip


@pytest.fixture
def described(project: Path) -> Path:
    (project / "log.txt").write_text(LOG, encoding="utf-8")
    (project / "punchlist.toml").write_text(TOML.replace("{log}", "log.txt"), encoding="utf-8")
    return project


def test_a_check_is_read_by_the_users_own_patterns(described: Path, session: Session) -> None:
    report = session.report(session.wait(session.start_checks(["x"])[0].id).id)
    assert [(d.file, d.line, d.severity, d.rule, d.message) for d in report.diagnostics] == [
        ("src/a.x", 3, "error", "E12", "bad thing"),
        ("src/b.x", 9, "warning", "W1", "so so"),
    ]


def test_a_command_that_a_parser_is_for_is_read_by_it(described: Path, session: Session) -> None:
    done = session.wait(session.start(plan.of_command(session.project, "cat log.txt # xlint\nexit 1")).id)
    assert "bad thing" in punch_list(session.project, done)
    assert session.report(done.id).tools == ("xlint",)


def test_problem_matchers_are_read_as_they_are(project: Path, session: Session) -> None:
    (project / "matcher.json").write_text(json.dumps(ESLINT_MATCHER), encoding="utf-8")
    log = "src/index.js\n  3:7  error  'x' is not defined  no-undef\n  9:1  warning  Bad  semi\n\n"
    log += "other.js\n  1:2  error  Worse  no-x\n"
    (project / "log.txt").write_text(log, encoding="utf-8")
    (project / "punchlist.toml").write_text(
        '[parsers.own]\nfile = "matcher.json"\n[checks.x]\ncommand = "cat log.txt; exit 1"\nparser = "own"\n',
        encoding="utf-8",
    )
    report = session.report(session.wait(session.start_checks(["x"])[0].id).id)
    assert [(d.file, d.line, d.column, d.rule) for d in report.diagnostics] == [
        ("other.js", 1, 2, "no-x"),
        ("src/index.js", 3, 7, "no-undef"),
        ("src/index.js", 9, 1, "semi"),
    ]


def test_examples_are_held_against_what_they_should_give(described: Path) -> None:
    folder = described / "examples"
    folder.mkdir()
    (folder / "one.log").write_text(LOG, encoding="utf-8")
    (folder / "one.json").write_text(json.dumps([{"line": 3, "rule": "E12"}, {"line": 9}]), encoding="utf-8")
    project = open_project(explicit=str(described))
    assert own.tested(project) == (["ok xlint one.log: 2 findings, 2 expected"], False)
    (folder / "one.json").write_text(json.dumps([{"line": 4}, {"line": 9}]), encoding="utf-8")
    lines, failed = own.tested(project)
    assert failed
    assert "line is 3, expected 4" in lines[0]


@pytest.mark.parametrize("pattern", ["(unclosed", "(?P<place>x)"])
def test_a_pattern_that_cannot_be_used_is_refused_with_its_place(project: Path, pattern: str) -> None:
    (project / "punchlist.toml").write_text(f"[parsers.bad]\npattern = '{pattern}'\nexamples = 'x'\n", encoding="utf-8")
    with pytest.raises(Trouble, match=r"punchlist.toml:\d+: .*bad"):
        own.wanted(open_project(explicit=str(project)).config, "", "bad")


def test_a_pattern_that_never_ends_is_given_up(project: Path, session: Session) -> None:
    (project / "log.txt").write_text("a" * 60 + "!\n", encoding="utf-8")
    (project / "punchlist.toml").write_text(
        "[parsers.slow]\npattern = '^(?P<message>(a+)+)$'\n"
        "[checks.x]\ncommand = 'cat log.txt; exit 1'\nparser = 'slow'\n",
        encoding="utf-8",
    )
    done = session.wait(session.start_checks(["x"])[0].id, 30)
    assert done.outcome == "error"
