"""Lines of the log beside the findings, where it holds more than its tools say: the failing step of a CI job."""

from punchlist.model import Report
from punchlist.views.budget import size

_WIDTH = 300
_LEAST = 200


def with_evidence(text: str, report: Report, room: int) -> str:
    """Add the excerpt's lines that the text does not show yet, as many as `room` characters hold, in order."""
    left = room - size(text) - 16
    if left < _LEAST or not any(d.severity == "error" for d in report.diagnostics):
        return text
    shown = " ".join(text.split())
    added: list[str] = []
    # The last lines say how it ended: they come first when there is not room for all.
    for _, _, line in reversed(report.excerpt):
        bare = line.strip()[:_WIDTH]
        if bare and " ".join(bare.split()) not in shown and size(bare) < left:
            left -= size(bare) + 1
            added.append(bare)
    return "\n".join([text, "also in the log:", *reversed(added)]) if added else text
