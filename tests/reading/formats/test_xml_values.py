"""XML documents are found and read in whatever state a log holds them."""

import pytest

from punchlist.reading.formats.xml_values import documents
from punchlist.reading.text import to_log

CASES = {
    "between other lines": (
        b'x\n<?xml version="1.0"?>\n<testsuites>\n<testsuite/>\n</testsuites>\ny\n',
        [(1, 5, True)],
    ),
    "glued to other text": (b'....<testsuite name="a"></testsuite>done\n', [(0, 1, True)]),
    "several": (
        b'<testsuite a="1"/><testsuite b="2"/>\n<?xml version="1.0"?><testsuite/>\n',
        [(0, 1, True)] * 2 + [(1, 2, True)],
    ),
    "cut": (b'<testsuites>\n<testsuite name="a">\n<testcase name="b">\n', [(0, 3, False)]),
    "illegal characters and references": (
        b'<testsuite a="&#x1B;[31m">\x02 a & b &nbsp; < c</testsuite>\n',
        [(0, 1, True)],
    ),
    "brackets in an attribute": (b'<testsuite a="List<String>"></testsuite>\n', [(0, 1, True)]),
    "none": (b"a < b\n<html></html>\n", []),
}


@pytest.mark.parametrize("name", CASES)
def test_documents_are_found_with_their_lines(name: str) -> None:
    raw, expected = CASES[name]
    found = documents(to_log([("stdout", 1, raw)]), "testsuites", "testsuite")
    assert [(d.first, d.end, d.whole) for d in found] == expected


def test_an_attribute_keeps_its_line_ends() -> None:
    log = to_log([("stdout", 1, b'<testsuite>\n<failure type="x" message="a &lt;\nb"/></testsuite>\n')])
    (document,) = documents(log, "testsuite")
    ((line, offset),) = document.lines_of("failure")
    assert (line, document.attribute(offset, "message")) == (1, "a <\nb")


@pytest.mark.parametrize(
    "raw", [b"<testsuite " * 5000, b"<testsuite>" * 50_000, b'<!DOCTYPE a [<!ENTITY x "y">]><testsuite>&x;']
)
def test_hostile_input_gives_no_error(raw: bytes) -> None:
    assert not any(d.whole for d in documents(to_log([("stdout", 1, raw)]), "testsuite"))
