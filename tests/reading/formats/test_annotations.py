"""Annotations of CI systems, as tools and scripts print them."""
# ruff: noqa: E501  each row stands on one line

import pytest

from punchlist.reading.reader import read

# (line, severity, file, line number, column, rule, message)
CASES = [
    ("::error::Doc build failed", "error", None, None, None, None, "Doc build failed"),
    ("::warning file=a b.js,line=3::odd %25 of%0Amore", "warning", "a b.js", 3, None, None, "odd % of"),
    ("::error file=a.py,line=1,col=8,title=ruff (F401)::a.py:1:8: F401 `os` unused", "error", "a.py", 1, 8, "F401", "`os` unused"),
    ("::notice file=C%3A\\a.py,line=2,title=C0116::Missing", "warning", "C:/a.py", 2, None, "C0116", "Missing"),
    ("##[error]src/a.ts:3:5: unexpected token", "error", "src/a.ts", 3, 5, None, "unexpected token"),
    ("##vso[task.logissue type=warning;sourcepath=a.cs;linenumber=4;code=CS01;]odd", "warning", "a.cs", 4, None, "CS01", "odd"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case[0][:40] for case in CASES])
def test_an_annotation_is_a_finding(case: tuple[object, ...]) -> None:
    (found,) = read(f"{case[0]}\n".encode()).diagnostics
    assert (found.severity, found.file, found.line, found.column, found.rule, found.message) == case[1:]


@pytest.mark.parametrize(
    "line",
    ["##[error]Process completed with exit code 1.", "  echo \"::error::never printed\"", "a::error_code = 3"],
)  # fmt: skip
def test_a_consequence_or_a_script_is_none(line: str) -> None:
    assert not [d for d in read(f"{line}\n".encode()).diagnostics if d.tool == "annotations"]
