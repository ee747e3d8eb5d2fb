"""How a command ended, in the model's words: what could not start, what the shell says, what an exit code means."""

import os
import subprocess
from collections.abc import Mapping

from punchlist import platforms
from punchlist.model import How


def spawned(
    what: list[str] | str, cwd: str, env: Mapping[str, str], stdin: int | None, stdout: int, stderr: int
) -> "subprocess.Popen[bytes]":
    """Start a command as a shell would: a script without a first line that names its interpreter goes to `/bin/sh`."""
    import errno

    try:
        return platforms.spawn(what, cwd, env, stdin, stdout, stderr)
    except OSError as error:
        if error.errno != errno.ENOEXEC or isinstance(what, str):
            raise
        return platforms.spawn(["/bin/sh", *what], cwd, env, stdin, stdout, stderr)


def not_started(error: OSError, run: str | tuple[str, ...], cwd: str, env: Mapping[str, str] | None) -> How:
    """Say why a command did not start: not found (127), not executable (126), or a fault of ours (125)."""
    name = (run[0] if run else "") if isinstance(run, tuple) else "/bin/sh"
    if not os.path.isdir(cwd):
        why = "is not a folder" if os.path.exists(cwd) else "does not exist"
        return How(ending="fault", message=f"the working folder {cwd} {why}: create it or name another one")
    if not name:
        return How(ending="not_found", message="the command is empty: name a program to run")
    path = os.path.join(cwd, name) if "/" in name else ""
    if isinstance(error, FileNotFoundError):
        if path and os.path.exists(path):
            return How(ending="not_found", message=f"{name}: the interpreter its first line names does not exist")
        where = "" if path else f" in PATH ({_path_length(env)} folders)"
        return How(ending="not_found", message=f"command not found: {name}{where}")
    if isinstance(error, PermissionError | IsADirectoryError):
        folder = bool(path) and os.path.isdir(path)
        why = "is a folder, not a program" if folder else "may not be executed (permission denied)"
        return How(
            ending="not_executable", message=f"{name} {why}" + ("" if folder or not path else f": chmod +x {name}")
        )
    return How(ending="fault", message=f"{name} could not be started: {os.strerror(error.errno or 0)}")


def _path_length(env: Mapping[str, str] | None) -> int:
    value = (os.environ if env is None else env).get("PATH", "")
    return len([folder for folder in value.split(os.pathsep) if folder])


def ended(status: int, stderr_tail: bytes, run: str | tuple[str, ...] = "") -> How:
    """Put a child's status (`Popen.returncode`) into words; 127 and 126 are a shell's own only if it says so."""
    if status < 0:
        how = How(ending="signal", signal=-status)
        return How(ending="signal", signal=-status, message=describe(how))
    if status in (126, 127):
        from punchlist.running.hints import shell_refusal

        if status == 127 and (name := shell_refusal(stderr_tail)[0]):
            return How(ending="not_found", exit_code=status, message=f"command not found: {name}")
        if status == 126 and (why := shell_refusal(stderr_tail)[1]):
            return How(ending="not_executable", exit_code=status, message=why)
    if status == 124 and "timeout" in (run.replace("/", " ").split() if isinstance(run, str) else run):
        return How(ending="exit", exit_code=status, message="exit 124: the command's own `timeout` ended it")
    how = How(ending="exit", exit_code=status)
    return How(ending="exit", exit_code=status, message=describe(how) if _signal_in(status) else "")


def _signal_in(status: int) -> int | None:
    """Return the signal that a shell's 128 + n stands for, only for those that end a process without its doing."""
    deadly = {"SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV",
              "SIGPIPE", "SIGALRM", "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSYS"}  # fmt: skip
    number = status - 128
    return number if number > 0 and platforms.signal_name(number) in deadly else None


_OFTEN = {
    "SIGKILL": "killed from outside, often because memory ran out",
    "SIGSEGV": "segmentation fault",
    "SIGABRT": "it aborted itself",
    "SIGBUS": "bus error",
    "SIGFPE": "arithmetic error",
    "SIGILL": "illegal instruction",
    "SIGPIPE": "its reader had gone",
    "SIGXCPU": "its limit of processor time was reached",
    "SIGXFSZ": "its limit of file size was reached",
}


def describe(how: How) -> str:
    """Say in one plain sentence how a command ended: `ended by SIGSEGV (segmentation fault)`, `exit 139: ...`."""
    if how.message:
        return how.message
    if how.ending == "signal" and how.signal is not None:
        name = platforms.signal_name(how.signal)
        return f"ended by {name}" + (f" ({_OFTEN[name]})" if name in _OFTEN else "")
    if how.ending == "exit" and how.exit_code is not None:
        number = _signal_in(how.exit_code)
        if number is None:
            return f"exit {how.exit_code}"
        name = platforms.signal_name(number)
        return f"exit {how.exit_code}: a process died of {name}" + (f" ({_OFTEN[name]})" if name in _OFTEN else "")
    return how.ending.replace("_", " ")


def last_line(data: bytes, width: int = 200) -> str:
    """Return the last line of an output's tail that is not blank, without escapes, cut to `width` characters."""
    from punchlist.running.hints import plain

    return next((line.strip()[:width] for line in reversed(plain(data[-4096:])) if line.strip()), "")
