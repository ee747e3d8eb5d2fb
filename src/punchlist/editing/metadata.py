"""What a file is beside its content: mode, owner, extended attributes and access lists."""

import errno
import os
from pathlib import Path


def can_be_replaced(path: Path, found: os.stat_result) -> bool:
    """Whether a new file may take this one's place with nothing lost: it has one name, and we may give its owner.

    Where not (or where its folder cannot be written), its content is written in place.
    """
    if found.st_nlink > 1:
        return False
    if os.name == "nt" or os.geteuid() == 0:
        return True
    groups = {os.getegid(), *os.getgroups()}
    return found.st_uid == os.geteuid() and found.st_gid in groups and os.access(path.parent, os.W_OK | os.X_OK)


def copy_metadata(source: int, target: int) -> None:
    """Give one open file the owner, mode and attributes of another.

    Security labels that only the system sets are left to it.
    """
    found = os.fstat(source)
    if os.name == "nt":
        return
    made = os.fstat(target)
    if (found.st_uid, found.st_gid) != (made.st_uid, made.st_gid):
        os.fchown(target, found.st_uid, found.st_gid)
    os.fchmod(target, found.st_mode & 0o7777)
    if not hasattr(os, "listxattr"):
        return
    try:
        names = os.listxattr(source)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return
        raise
    for name in names:
        try:
            os.setxattr(target, name, os.getxattr(source, name))
        except OSError:
            if not name.startswith(("security.", "trusted.")):
                raise
