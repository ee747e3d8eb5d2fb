"""What `stats` says was sent, counted again by hand."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LOUD = "import sys; print('word ' * 9_000); print('a.py:3: error: no'); sys.exit(1)"


def call(project: Path, *words: str) -> str:
    words = (sys.executable, "-m", "punchlist.cli", *words)
    done = subprocess.run(words, cwd=project, capture_output=True, check=False, timeout=60)
    return done.stdout.decode("utf-8")


def stats(project: Path) -> dict[str, Any]:
    return dict(json.loads(call(project, "stats", "--json"))["sent"])


def test_stats_counts_what_the_verbs_printed_against_the_log(project: Path) -> None:
    answers = {
        "punchlist run": call(project, "run", "--name", "t", "--", sys.executable, "-c", LOUD),
        "punchlist show": call(project, "show", "t-1") + call(project, "show", "t-1"),
        "punchlist log": call(project, "log", "t-1", "--grep", "error"),
    }
    value = stats(project)
    assert {name: row["sentBytes"] for name, row in value["tools"].items()} == {
        name: len(text.encode()) for name, text in answers.items()
    }
    assert value["tools"]["punchlist show"]["calls"] == 2
    log = sum(file.stat().st_size for file in (project / ".punchlist" / "runs" / "t-1").glob("std*.log"))
    assert value["logBytes"] == log > 45_000
    assert call(project, "stats").splitlines()[0].startswith("Sent since ")


def test_a_check_by_engines_is_sent_but_no_plain_log_stands_against_it(project: Path) -> None:
    (project / "a.py").write_text("import os\n", encoding="utf-8")
    sent = call(project, "check", "a.py")
    value = stats(project)
    assert (value["runs"], value["sentOtherwiseBytes"]) == (0, len(sent.encode()))
