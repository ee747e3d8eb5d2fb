"""Turn the output of tests, linters, compilers and builds into exact diagnostics.

`read_log` and the records are the public library (`punchlist.library`); they are imported when first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from punchlist.library import Diagnostic, Edit, Fix, How, Related, Report, Span, Trouble, read_log

__version__ = "0.1.0"
__all__ = ["Diagnostic", "Edit", "Fix", "How", "Related", "Report", "Span", "Trouble", "__version__", "read_log"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'punchlist' has no attribute {name!r}")
    from punchlist import library

    return getattr(library, name)
