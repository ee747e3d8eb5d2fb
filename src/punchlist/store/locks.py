"""Locks on open files, which end with the process that holds them."""

import sys


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this process alone; False where another has it.

    A file system that has no locks makes nobody wait.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        import errno

        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True
