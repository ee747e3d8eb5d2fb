"""The same projects as for checks."""

from tests.service.checking.conftest import check, own_tools, python

__all__ = ["check", "own_tools", "python"]
