"""Every parser against recorded output of its tool: `fixtures/<parser>/<case>/`, in the form of the public corpus.

A case folder holds case.toml (tool_version, command, exit_code, cwd, note), stdout.log, stderr.log and expected.json
(outcome, counts, diagnostics: only the fields that matter; `alt` lists other right values).
"""

import json
import re
import tomllib
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from punchlist.model import Diagnostic, How, Report
from punchlist.reading.reader import read
from punchlist.reading.registry import PARSERS

FIXTURES = Path(__file__).parent / "fixtures"
CASES = sorted(path.parent for path in FIXTURES.glob("*/*/case.toml"))
NOTES = ("note", "info", "hint")


@cache
def report_of(case: Path) -> tuple[dict[str, Any], Report]:
    facts = tomllib.loads((case / "case.toml").read_text(encoding="utf-8"))
    raw = [path.read_bytes() if (path := case / name).exists() else b"" for name in ("stdout.log", "stderr.log")]
    how = How(ending="exit", exit_code=facts.get("exit_code", 0))
    return facts, read(*raw, command=facts["command"], how=how, root=facts.get("cwd", ""))


def words(text: object) -> str:
    return " ".join(re.findall(r"\w+", str(text or ""))).casefold()


def is_right(expected: dict[str, Any], found: Diagnostic) -> bool:
    file = expected.get("file")
    if file and not (
        found.file
        and (found.file == file or f"/{file}".endswith(f"/{found.file}") or f"/{found.file}".endswith(f"/{file}"))
    ):
        return False
    if expected.get("line") and expected["line"] != found.line:
        return False
    if expected.get("rule") and not (found.rule and words(expected["rule"]).endswith(words(found.rule).split(" ")[-1])):
        return False
    if expected.get("test") and not (
        found.test
        and (words(expected["test"]).endswith(words(found.test)) or words(found.test).endswith(words(expected["test"])))
    ):
        return False
    said = words(f"{found.message} {found.detail[:2000]}")
    return words(expected.get("message")) in said or words(found.message) in words(expected.get("message"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_recorded_output_is_read_whole(case: Path) -> None:
    _, report = report_of(case)
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    rest = list(report.diagnostics)
    lost = []
    for wanted in expected["diagnostics"]:
        choices = [{**wanted, **other} for other in [{}, *wanted.get("alt", [])]]
        hit = next((d for d in rest if any(is_right(choice, d) for choice in choices)), None)
        if hit is not None:
            rest.remove(hit)
        elif wanted.get("severity") not in NOTES:
            lost.append(wanted)
    assert not lost
    assert not rest
    assert report.outcome == expected["outcome"]
    wrong = {
        k: (v, report.counts.get(k)) for k, v in expected.get("counts", {}).items() if report.counts.get(k, 0) != v
    }
    assert not wrong


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_each_diagnostic_points_at_lines_that_hold_its_message(case: Path) -> None:
    _, report = report_of(case)
    raw = {
        name: (case / f"{name}.log").read_bytes() if (case / f"{name}.log").exists() else b""
        for name in ("stdout", "stderr")
    }
    for d in report.diagnostics:
        assert d.log is not None
        lines = raw[d.log.stream].decode(errors="replace").split("\n")[d.log.first - 1 : d.log.last]
        assert words(d.message[:40]) in words(re.sub(r"\x1b\[[0-9;]*m", "", unescape(" ".join(lines))))


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_every_parser_has_a_fixture(parser: Any) -> None:
    assert any((FIXTURES / parser.name).glob("*/case.toml")), (
        f"record an output of {parser.name} in {FIXTURES.name}/{parser.name}/"
    )
