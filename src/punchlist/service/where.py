"""Say what there is to know about where a server works: notes on the root, several roots, the wrong repository."""

from pathlib import Path

from punchlist.project.elsewhere import warning
from punchlist.service.session import Session


def notes(session: Session) -> list[str]:
    """Return the notes, none where the root is beyond doubt."""
    root = session.project.root
    found = [f"note: {note}" for note in (*root.notes, session.project.state_note) if note]
    folders = session.client_roots
    if len(folders) > 1:
        shown = ", ".join(map(str, folders))
        found.append(
            f"note: the client has {len(folders)} roots ({shown}); this server works in {root.path}. "
            "Another one needs an entry of its own with PUNCHLIST_ROOT."
        )
    trap = warning(root, folders, session.project.environ, _here(root.path))
    return [*found, trap] if trap else found


def _here(otherwise: Path) -> Path:
    """Return the working directory; one that was removed tells nothing."""
    try:
        return Path.cwd()
    except OSError:
        return otherwise
