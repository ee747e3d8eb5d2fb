"""Columns are counted in code points, however the tool counts them."""

from typing import Any

import pytest

from punchlist.engines.columns import in_characters
from punchlist.model import Diagnostic, Edit, Fix, Related

TEXT = 's = "😀é"; x\nplain\n'.encode()


@pytest.mark.parametrize(("unit", "printed"), [("utf16", 12), ("utf8", 15), ("characters", 11)])
def test_every_unit_is_converted(unit: Any, printed: int) -> None:
    edit = Edit("a", 1, printed, 1, printed + 1, "y")
    found = Diagnostic(
        message="m",
        file="a",
        line=1,
        column=printed,
        end_line=1,
        end_column=printed + 1,
        related=(Related("r", "a", 1, printed),),
        fix=Fix((edit,), True),
    )
    (d,) = in_characters([found], unit, lambda _file: TEXT)
    assert (d.column, d.end_column) == (11, 12)
    assert d.related[0].column == 11
    assert d.fix is not None
    assert (d.fix.edits[0].column, d.fix.edits[0].end_column) == (11, 12)


@pytest.mark.parametrize("content", [None, b"plain ascii\n", b""])
def test_what_cannot_be_read_keeps_its_columns(content: bytes | None) -> None:
    found = Diagnostic(message="m", file="a", line=3, column=9)
    assert in_characters([found, Diagnostic(message="n")], "utf16", lambda _file: content)[0].column == 9
