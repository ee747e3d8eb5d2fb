"""The library as a program uses it."""

import json
import subprocess
import sys

import pytest

import punchlist
from punchlist import Trouble, read_log


def test_a_report_becomes_diagnostics() -> None:
    finding = {"code": "F401", "filename": "/p/a.py", "location": {"row": 1, "column": 8}, "message": "`os` is unused"}
    report = read_log(json.dumps([finding]), command="ruff check --output-format json", exit_code=1, root="/p")
    assert [(d.file, d.line, d.rule) for d in report.diagnostics] == [("a.py", 1, "F401")]
    assert report.outcome == "failed"


def test_an_unknown_parser_is_refused() -> None:
    with pytest.raises(Trouble, match="no parser is called 'nope'"):
        read_log(b"x", parser="nope")


@pytest.mark.parametrize("log", [b"", b"\x00\xff\xfe", b"\xff\xfea\x00\n\x00", "plain text"])
def test_any_bytes_can_be_read(log: bytes | str) -> None:
    assert read_log(log).outcome in ("unknown", "passed")


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, punchlist; assert not {'re', 'json', 'sqlite3', 'mcp'} & (set(sys.modules) - before)"
    before = "import sys; before = set(sys.modules) | {'re'}; "
    assert subprocess.run([sys.executable, "-c", before + code], check=False).returncode == 0


def test_names_that_do_not_exist_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="nope"):
        punchlist.nope  # noqa: B018
