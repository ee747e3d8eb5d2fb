"""Everything that depends on the operating system: starting, watching and ending whole process trees.

Written for Linux, macOS and Windows. Linux reads `/proc`, macOS asks `ps`, Windows keeps the tree in a job object.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from punchlist.records import dataclass

WINDOWS = sys.platform == "win32"
LINUX = sys.platform == "linux"
MARK = "PUNCHLIST_TREE"  # an environment variable whose value finds what left the process group
PIPE_BYTES = 1 << 20
TERM = int(signal.SIGTERM)
KILL = int(getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows ends a process either way

_GUARD = 'read -r _ || { kill -s TERM -- "-$1"; sleep 2; kill -s KILL -- "-$1"; }'


@dataclass(frozen=True, slots=True)
class Process:
    """One living process: `start` tells it from a later one with the same number (a platform's own words)."""

    pid: int
    parent: int
    group: int
    session: int
    start: str
    name: str


def shell_command(text: str) -> list[str] | str:
    """Return what starts `text` in the system's shell (`/bin/sh -c`, on Windows `cmd /c`)."""
    if WINDOWS:
        return f'{os.environ.get("COMSPEC", "cmd.exe")} /d /s /c "{text}"'
    return ["/bin/sh", "-c", text]


def signal_name(number: int) -> str:
    """Return `SIGSEGV` for 11, or `signal 99` where the system has no name for it."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def spawn(
    command: list[str] | str, cwd: str, env: Mapping[str, str], stdin: int | None, stdout: int, stderr: int
) -> "subprocess.Popen[bytes]":
    """Start a command at the head of a process group (and session) of its own; raises OSError as `Popen` does.

    Nothing of ours runs between fork and exec, so that it is quick, and safe in a process with threads; what ends the
    group of a killed owner is `Guard`.
    """
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return subprocess.Popen(
            command, cwd=cwd, env=dict(env), stdin=stdin, stdout=stdout, stderr=stderr, creationflags=flags
        )
    return subprocess.Popen(
        command, cwd=cwd, env=env, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
    )


def widen_pipe(fd: int) -> None:
    """Ask for a larger pipe buffer where the system has one; a refusal changes nothing."""
    if sys.platform == "linux":
        import fcntl

        try:
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        except OSError:
            return


def exit_descriptor(pid: int) -> int | None:
    """Return a descriptor that becomes readable when `pid` exits, or None where there is no such thing."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def wait_for(pid: int) -> None:
    """Block until `pid` has exited; its status stays for its `Popen`."""
    if sys.platform == "win32":
        handle = _kernel.OpenProcess(_SYNCHRONIZE, False, pid)
        if handle:
            _kernel.WaitForSingleObject(wintypes.HANDLE(handle), 0xFFFFFFFF)
            _kernel.CloseHandle(wintypes.HANDLE(handle))
    elif sys.platform == "darwin":
        import select

        ended = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
        with suppress(OSError):  # it has ended already
            select.kqueue().control([ended], 1)
    else:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(1 << 20)
    except OSError:
        return b""


def _linux_process(pid: int, dead: bytes = b"ZX") -> Process | None:
    raw = _read(f"/proc/{pid}/stat")
    if not raw:
        return None
    name, _, rest = raw.partition(b" (")[2].rpartition(b") ")
    fields = rest.split()
    if len(fields) < 20 or fields[0] in dead:
        return None
    return Process(
        pid, int(fields[1]), int(fields[2]), int(fields[3]), fields[19].decode(), name.decode(errors="replace")
    )


def _listed_by_ps(options: list[str]) -> Iterable[Process]:
    form = "pid=,ppid=,pgid=,stat=,lstart=,comm="
    try:
        done = subprocess.run(["ps", *options, "-o", form], capture_output=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return
    for line in done.stdout.decode(errors="replace").splitlines():
        fields = line.split(None, 9)
        if len(fields) == 10 and not fields[3].startswith("Z"):
            pid, parent, group = (int(field) for field in fields[:3])
            yield Process(pid, parent, group, group, " ".join(fields[4:9]), os.path.basename(fields[9]))


def process(pid: int) -> Process | None:
    """Return the living process `pid`; None where there is none (a zombie is none) or nothing can be told."""
    if LINUX:
        return _linux_process(pid)
    if WINDOWS:
        return _windows_process(pid)
    return next(iter(_listed_by_ps(["-p", str(pid)])), None)


def start_of(child: int) -> str:
    """Return the start time of a child that was not waited for yet, also of one that has ended; empty if unknown."""
    found = _linux_process(child, dead=b"X") if LINUX else process(child)
    return found.start if found else ""


def processes() -> list[Process]:
    """Return every living process that can be seen; empty on Windows, where job objects do this work."""
    if LINUX:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        return [found for pid in numbers if (found := _linux_process(pid))]
    return [] if WINDOWS else list(_listed_by_ps(["-ax"]))


def command_line(pid: int) -> str:
    """Return the arguments of a process joined by spaces, or an empty text where they cannot be read."""
    if LINUX:
        return _read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
    if WINDOWS:
        return ""
    try:
        done = subprocess.run(["ps", "-p", str(pid), "-o", "command="], capture_output=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace").strip()


def boot() -> str:
    """Return what tells this machine's process numbers from those of another machine, container or start."""
    if sys.platform != "linux":
        import socket

        return socket.gethostname()
    name = _read("/proc/sys/kernel/random/boot_id").decode("ascii", errors="replace").strip() or os.uname().nodename
    try:
        return f"{name}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return name


class Tree:
    """All processes that came from one child: its group, its session, their descendants, and what carries its mark.

    `spare` names those outside of group and session that are to be left alone.
    """

    def __init__(
        self,
        pid: int,
        mark: str = "",
        child: "subprocess.Popen[bytes] | None" = None,
        spare: Callable[[Process], bool] = lambda _: False,
    ) -> None:
        self.group = pid
        self.mark = mark
        self._tag = f"{MARK}={mark}\0".encode()
        self._spare = spare
        self._spared: dict[int, Process] = {}
        self._seen: dict[int, str] = {}
        self._job = _Job(child) if child is not None and WINDOWS else None

    def alive(self) -> list[Process]:
        """Return the living members that are not spared."""
        if self._job is not None:
            return self._job.members()
        table = processes()
        near = {p.pid for p in table if self.group in (p.group, p.session)}
        marked = {p.pid for p in table if self._seen.get(p.pid) == p.start or (self.mark and self._is_marked(p, near))}
        members = _with_descendants(near | marked | {self.group}, table) - {os.getpid()}
        found = [p for p in table if p.pid in members and not (p.pid not in near and self._leaves_alone(p))]
        self._seen.update({p.pid: p.start for p in found})
        return found

    def _is_marked(self, process: Process, near: set[int]) -> bool:
        return LINUX and process.pid not in near and self._tag in _read(f"/proc/{process.pid}/environ")

    def _leaves_alone(self, process: Process) -> bool:
        if process.pid not in self._spared and self._spare(process):
            self._spared[process.pid] = process
        return process.pid in self._spared

    def spared(self) -> list[Process]:
        """Return the members that `alive` came across and left alone."""
        return list(self._spared.values())

    def anybody(self) -> bool:
        """Tell, for the price of one system call, whether the group has members (once the child was reaped)."""
        if sys.platform == "win32":
            return bool(self.alive())
        try:
            os.killpg(self.group, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def end(self, force: bool) -> list[Process]:
        """Ask every member to end (TERM), or with `force` make it (KILL); return those that were there."""
        members = self.alive()
        if sys.platform == "win32":
            if self._job is not None:
                self._job.end(force)
            return members
        for member in members:
            send(member.pid, KILL if force else TERM)
            if not force:
                send(member.pid, signal.SIGCONT)  # a stopped process hears of TERM only when it goes on
        return members

    def close(self) -> None:
        """Let go of what the system keeps for the tree; members that live on are left alone."""
        if self._job is not None:
            self._job.release()


def _with_descendants(members: set[int], table: list[Process]) -> set[int]:
    children: dict[int, list[int]] = {}
    for p in table:
        children.setdefault(p.parent, []).append(p.pid)
    waiting = list(members)
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in members:
                members.add(pid)
                waiting.append(pid)
    return members


def send(pid: int, number: int) -> bool:
    """Send a signal; False where the process is gone or is not ours."""
    try:
        os.kill(pid, number)
    except OSError:
        return False
    return True


class Guard:
    """A tiny shell that ends the group however its owner dies.

    Linux has PR_SET_PDEATHSIG for this, but it ends one process only, and already when the thread ends that started it.
    """

    def __init__(self, group: int) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if WINDOWS:  # a job object does the same
            return
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD, "punchlist-guard", str(group)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": "/usr/bin:/bin"},
                start_new_session=True,
            )
        except OSError:
            return

    def dismiss(self) -> None:
        """End the guard without touching the group."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdin:
                self._process.stdin.close()
            self._process = None


def keep_drained(fds: list[int]) -> None:
    """Let a program that stays in the background go on printing: without a reader its next line would kill it."""
    if WINDOWS:
        return
    for fd in fds:
        try:
            subprocess.run(
                ["/bin/sh", "-c", "exec 3<&0; cat <&3 >/dev/null 2>&1 &"],
                stdin=fd,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": "/usr/bin:/bin"},
                start_new_session=True,
                check=False,
            )
        except OSError:
            continue


# Windows. A job object holds the tree, and its death with the last handle is the death of the owner.

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.CreateJobObjectW.restype = wintypes.HANDLE
    _kernel.OpenProcess.restype = wintypes.HANDLE
    _KILL_ON_CLOSE = 0x2000
    _EXTENDED_LIMITS = 9
    _PROCESS_LIST = 3
    _QUERY = 0x1000
    _SYNCHRONIZE = 0x100000

    class _Limits(ctypes.Structure):
        _fields_ = [
            ("per_process_time", ctypes.c_int64),
            ("per_job_time", ctypes.c_int64),
            ("flags", wintypes.DWORD),
            ("minimum", ctypes.c_size_t),
            ("maximum", ctypes.c_size_t),
            ("active", wintypes.DWORD),
            ("affinity", ctypes.c_size_t),
            ("priority", wintypes.DWORD),
            ("scheduling", wintypes.DWORD),
            ("io", ctypes.c_uint64 * 6),
            ("memory", ctypes.c_size_t * 4),
        ]

    class _Members(ctypes.Structure):
        _fields_ = [
            ("assigned", wintypes.DWORD),
            ("listed", wintypes.DWORD),
            ("pids", ctypes.c_size_t * 1024),
        ]

    class _Job:
        """A job object around one child; whoever it starts is in it, and its last handle takes all of them along."""

        def __init__(self, child: "subprocess.Popen[bytes]") -> None:
            self._child = child
            self._handle = int(_kernel.CreateJobObjectW(None, None) or 0)
            if self._handle:
                self._limit(_KILL_ON_CLOSE)
                _kernel.AssignProcessToJobObject(
                    wintypes.HANDLE(self._handle), wintypes.HANDLE(int(vars(child)["_handle"]))
                )

        def _limit(self, flags: int) -> None:
            limits = _Limits(flags=flags)
            _kernel.SetInformationJobObject(
                wintypes.HANDLE(self._handle), _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )

        def members(self) -> list[Process]:
            pid, members = self._child.pid, _Members()
            if not self._handle or not _kernel.QueryInformationJobObject(
                wintypes.HANDLE(self._handle), _PROCESS_LIST, ctypes.byref(members), ctypes.sizeof(members), None
            ):
                return [Process(pid, 0, pid, pid, "", "")] if self._child.poll() is None else []
            return [found for one in members.pids[: members.listed] if (found := _windows_process(int(one)))]

        def end(self, force: bool) -> None:
            if not force:
                send(self._child.pid, signal.CTRL_BREAK_EVENT)
            elif self._handle:
                _kernel.TerminateJobObject(wintypes.HANDLE(self._handle), 1)
            else:
                subprocess.run(["taskkill", "/T", "/F", "/PID", str(self._child.pid)], capture_output=True, check=False)

        def release(self) -> None:
            if self._handle:
                self._limit(0)
                _kernel.CloseHandle(wintypes.HANDLE(self._handle))
                self._handle = 0

    def _windows_process(pid: int) -> Process | None:
        handle = _kernel.OpenProcess(_QUERY, False, pid)
        if not handle:
            return None
        times = [wintypes.FILETIME() for _ in range(4)]
        code = wintypes.DWORD()
        _kernel.GetProcessTimes(wintypes.HANDLE(handle), *(ctypes.byref(t) for t in times))
        _kernel.GetExitCodeProcess(wintypes.HANDLE(handle), ctypes.byref(code))
        _kernel.CloseHandle(wintypes.HANDLE(handle))
        start = (times[0].dwHighDateTime << 32) + times[0].dwLowDateTime
        return Process(pid, 0, pid, pid, str(start), "") if code.value == 259 else None

else:

    class _Job:
        def __init__(self, child: "subprocess.Popen[bytes]") -> None:
            raise NotImplementedError(child)

        def members(self) -> list[Process]:
            raise NotImplementedError

        def end(self, force: bool) -> None:
            raise NotImplementedError(force)

        def release(self) -> None:
            raise NotImplementedError

    def _windows_process(pid: int) -> Process | None:
        raise NotImplementedError(pid)
