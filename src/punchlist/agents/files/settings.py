"""A settings file on disk: read strictly, written whole or not at all, its first state kept beside it."""

import os
import stat
import tempfile
from pathlib import Path

from punchlist.model import Trouble
from punchlist.project.paths import home_folder
from punchlist.records import dataclass

BACKUP = ".punchlist-backup"
LARGEST = 32_000_000
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Settings:
    """The text of a file as it is now; `target` is where a link leads, `raw` None where there is no file."""

    path: Path
    target: Path
    raw: bytes | None
    text: str

    def bytes_of(self, text: str) -> bytes:
        """Return a new text as bytes, with the byte order mark that the file has."""
        return (_BOM if (self.raw or b"").startswith(_BOM) else b"") + text.encode("utf-8")


def read(path: Path, bounds: tuple[Path, ...] = ()) -> Settings:
    """Read a settings file; a link is followed inside the home folder and `bounds` only (`Trouble` otherwise)."""
    target = Path(os.path.realpath(path))
    if not any(target.is_relative_to(os.path.realpath(bound)) for bound in (home_folder(os.environ), *bounds)):
        raise Trouble(
            f"{path} leads to {target}, outside of the home folder and the project; it is left alone", "link_out"
        )
    try:
        info = target.stat()
    except (FileNotFoundError, NotADirectoryError):
        return Settings(path, target, None, "")
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror}; make it readable", "unreadable_settings") from None
    if not stat.S_ISREG(info.st_mode) or info.st_size > LARGEST:
        raise Trouble(f"{path} is no regular file of at most 32 MB; it is left alone", "unreadable_settings")
    try:
        raw = target.read_bytes()
        return Settings(path, target, raw, raw.removeprefix(_BOM).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Trouble(
            f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8, or put the entry in by hand",
            "unreadable_settings",
        ) from None
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror}; make it readable", "unreadable_settings") from None


def write(settings: Settings, text: str, *, keep_first: bool = True, private: bool = False) -> None:
    """Replace a file by a new text at once, mode kept; with `keep_first` what it was stands beside it as a backup.

    A backup that was made before something of ours came into the file is not replaced.
    A file that is new gets mode 0600 if `private`, else what the umask leaves.
    """
    new = settings.bytes_of(text)
    if new == settings.raw:
        return
    _unchanged(settings)
    try:
        settings.target.parent.mkdir(parents=True, exist_ok=True)
        ours = backup_of(settings.target).is_file() and b"punchlist" in (settings.raw or b"")
        if keep_first and settings.raw is not None and not ours:
            _replace(backup_of(settings.target), settings.raw, _mode(settings, private))
        _replace(settings.target, new, _mode(settings, private))
    except OSError as error:
        raise Trouble(
            f"{settings.path} cannot be written: {error.strerror}; nothing was changed", "unwritable"
        ) from None


def restore(settings: Settings, text: str, first: str | None) -> str:
    """Write the text without our entry; where that is the first state again (`first`), exactly that.

    An empty text takes the file away where no state before ours is known. Returns what was done, in words.
    """
    backup = backup_of(settings.target)
    if first is not None and backup.is_file():
        _unchanged(settings)
        _replace(settings.target, backup.read_bytes(), _mode(settings, private=False))
        backup.unlink()
        return "restored"
    if not text.strip() and not backup.is_file():
        _unchanged(settings)
        settings.target.unlink(missing_ok=True)
        return "removed"
    write(settings, text, keep_first=False)
    return "entry removed" + (f", first state kept in {backup.name}" if backup.is_file() else "")


def first_state(settings: Settings) -> str | None:
    """Return the text of the kept first state, None where there is none."""
    try:
        return backup_of(settings.target).read_bytes().removeprefix(_BOM).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def backup_of(path: Path) -> Path:
    """Return where a file's first state is kept."""
    return path.with_name(path.name + BACKUP)


def _unchanged(settings: Settings) -> None:
    """Refuse to write over what another program wrote since the file was read."""
    try:
        now: bytes | None = settings.target.read_bytes()
    except FileNotFoundError:
        now = None
    if now != settings.raw:
        raise Trouble(f"{settings.path} was changed by another program just now; try again", "changed_meanwhile")


def _mode(settings: Settings, private: bool) -> int:
    if settings.raw is not None:
        return stat.S_IMODE(settings.target.stat().st_mode)
    if private:
        return 0o600
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _replace(path: Path, raw: bytes, mode: int) -> None:
    """Write a file beside the path, flush it to disk and move it over the path."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
