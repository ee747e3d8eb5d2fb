"""GitHub workflow commands: one annotation per finding."""

from collections.abc import Iterable

from punchlist.model import Diagnostic, in_order
from punchlist.views.masking import mask

_COMMAND = {"error": "error", "warning": "warning", "info": "notice", "hint": "notice"}


def annotations(diagnostics: Iterable[Diagnostic]) -> str:
    """Write `::error file=F,line=L,col=C::RULE: MESSAGE` lines, in total order, each ending in a newline."""
    return "".join(annotation(d) + "\n" for d in in_order(diagnostics))


def annotation(d: Diagnostic) -> str:
    """Write one workflow command; `%`, line ends, and in properties `,` and `:`, are escaped as GitHub asks."""
    places = {"file": d.file, "line": d.line, "endLine": d.end_line, "col": d.column, "title": d.test}
    if d.end_column and d.end_line in (None, d.line):
        places["endColumn"] = d.end_column
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items() if value)
    text = f"{d.rule}: {d.message}" if d.rule else d.message
    if d.detail.strip():
        text += f"\n{d.detail[:2000].rstrip()}"
    return f"::{_COMMAND[d.severity]}{' ' * bool(properties)}{properties}::{_data(mask(text))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
