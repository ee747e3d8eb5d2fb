"""Whatever a log holds, every view gives an answer that its reader can parse."""

import json
import random
import xml.etree.ElementTree as ET

import pytest

from punchlist.analysis.delta import compare
from punchlist.analysis.loops import Snapshot, recurrence, seen
from punchlist.model import SEVERITIES, Diagnostic, How, Report, in_order
from punchlist.views.as_json import read_json
from punchlist.views.brief import Facts, brief
from punchlist.views.budget import budget, size
from punchlist.views.change import change
from punchlist.views.github import annotations
from punchlist.views.html import page
from punchlist.views.junit import junit
from punchlist.views.sarif import sarif
from punchlist.views.schema14 import CheckFacts, check_response, comparison_json
from punchlist.views.signal_json import SignalRun, diff_result, run_summary

PIECES = (
    *("a", "B", " ", "\n", "\t", "'", '"', "`", "/", "\\", "{", "}", "[", "]", "(", "::", ",", ";", "é", "日", "🍵"),
    *("\x00", "\x1b[31m", "\r", "0", "17", "0x1f", "%", " | ", "^^^ ", "at ", "node_modules/x.js:3:4", "- ", "+ "),
    *("Expected:\n", "left: ", "<", ">", "&", "\u2028", "\ud800", "..", "@body@", "]]>", "]"),
)
FILES = (None, "a.py", "src/b.py", "/usr/lib/x.py", "\ud800\n:,", "..")


def text(rng: random.Random, most: int) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, most)))


def finding(rng: random.Random) -> Diagnostic:
    return Diagnostic(
        message=text(rng, 20),
        severity=rng.choice(SEVERITIES),
        detail=text(rng, 60),
        file=rng.choice(FILES),
        line=rng.choice((None, 1, 7, 90)),
        column=rng.choice((None, 3)),
        rule=rng.choice((None, "R1", text(rng, 4))),
        test=rng.choice((None, "t1", "a.py", text(rng, 6))),
        tool=rng.choice(("", "x")),
        times=rng.choice((1, 3)),
    )


def report(rng: random.Random) -> Report:
    found = in_order(finding(rng) for _ in range(rng.choice((0, 1, 5, 40))))
    return Report(outcome="failed", diagnostics=found, how=How(ending="exit", exit_code=1))


@pytest.mark.parametrize("seed", range(12))
def test_every_view_survives_hostile_findings(seed: int) -> None:
    rng = random.Random(seed)
    before, after = report(rng), report(rng)
    delta = compare(before, after, before_id="x-1", after_id="x-2")
    facts = Facts(title=text(rng, 9), run_id="x-2", since=delta)
    json.dumps(read_json(after))
    json.dumps(check_response(after.diagnostics, CheckFacts(check_id="c", project_root="/", engines={})))
    json.dumps([comparison_json(delta), diff_result(delta), sarif(after)])
    json.dumps(run_summary(after, SignalRun(run_id="x", check="c", status="failed")))
    assert ET.fromstring(junit(after).encode()).tag == "testsuites"
    assert all(line.startswith("::") for line in annotations(after).removesuffix("\n").split("\n"))
    assert page(after, facts=facts).count("</body>") == 1
    recurrence([Snapshot(seen=seen(after.diagnostics), finished=frozenset({"x"}))])
    for tokens in (100, 1500):
        assert size(brief(after, facts=facts, budget=budget(tokens))) <= tokens * 3
        assert size(change(delta, facts=facts, budget=budget(tokens))) <= tokens * 3
    assert len(delta.removed) + len(delta.unobserved) + len(delta.changed) + len(delta.persisting) <= len(
        before.diagnostics
    )
