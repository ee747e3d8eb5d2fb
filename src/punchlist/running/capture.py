"""Run one command to its end: its output on disk as it comes, its deadline and ceiling kept, its whole tree ended."""

import os
import subprocess
import time
from collections.abc import Callable

from punchlist import platforms
from punchlist.model import Ending, How
from punchlist.running import endings, relay
from punchlist.running.daemons import left, spared
from punchlist.running.handle import Handle, cancel_all, ending_on_signals, live
from punchlist.running.records import Command, Finished, Left, Progress, Started
from punchlist.running.sink import Sink

__all__ = [
    "Command",
    "Finished",
    "Handle",
    "Left",
    "Progress",
    "Started",
    "cancel_all",
    "capture",
    "ending_on_signals",
]

OnTick = Callable[[Progress], None]
OnStart = Callable[[Started], None]

PEEK_BYTES = 64 << 10
_IDLE_S, _DRAIN_S = 0.1, 1.0  # how long an open pipe is listened to after the command itself has ended
_GUARD_AFTER_S = 0.05  # commands that end sooner do without a guard
_STDIN = {"none": subprocess.DEVNULL, "inherit": None}
_LOOK_S = 0.02  # between two looks at a tree that is being ended
_VERIFY_S = 2.0  # how long KILL may take before survivors are reported


def capture(
    command: Command,
    folder: str,
    *,
    handle: Handle | None = None,
    on_start: OnStart | None = None,
    on_tick: OnTick | None = None,
    tick_s: float = 0.25,
    prefix: str = "",
) -> Finished:
    """Run a command to its end in the calling thread and keep its output in `folder`.

    Writes `stdout.log`, `stderr.log` and `order` there (names begin with `prefix`; none may exist). Every way to end,
    also a command that cannot be started, is a `Finished`. Raises OSError only where the logs cannot be created.
    """
    handle = handle or Handle()
    sink = Sink(folder, command.ceiling, prefix)
    run = _Run(command, sink, handle, on_tick, tick_s)
    try:
        with live(handle):
            if handle.cancelled:
                return run.not_run(run.stopped("cancelled"))
            try:
                run.start()
            except OSError as error:
                return run.not_run(endings.not_started(error, command.run, command.cwd, command.env))
            return run.to_the_end(on_start)
    finally:
        sink.close()


class _Run:
    """One command: what was seen of it, and what is due next."""

    def __init__(self, command: Command, sink: Sink, handle: Handle, on_tick: OnTick | None, tick_s: float) -> None:
        self.command, self.sink, self.handle = command, sink, handle
        self.on_tick, self.tick_s = on_tick, tick_s
        self.started_at, self.clock = time.time(), time.monotonic()
        self.deadline = float("inf") if command.timeout_s is None else self.clock + command.timeout_s
        self.next_tick = self.clock + tick_s
        self.ending: Ending = "none"
        self.ended_at = self.killed_at = self.exited_at = self.last_byte_at = self.next_look = 0.0
        self.gone = False
        self.survivors: list[platforms.Process] = []
        self.guard: platforms.Guard | None = None
        self.last_line = ""
        self.open: dict[int, int] = {}
        self.pid = 0

    def start(self) -> None:
        """Start the child; raises OSError where that cannot be."""
        command = self.command
        if not os.path.isdir(command.cwd):
            raise NotADirectoryError(command.cwd)
        if not command.run:
            raise FileNotFoundError
        env = dict(os.environ if command.env is None else command.env)
        mark = env[platforms.MARK] = os.urandom(8).hex()
        what = platforms.shell_command(command.run) if isinstance(command.run, str) else list(command.run)
        stdin = command.stdin if isinstance(command.stdin, int) else _STDIN[command.stdin]
        pipes = [os.pipe(), os.pipe()]
        try:
            self.child = endings.spawned(what, command.cwd, env, stdin, pipes[0][1], pipes[1][1])
        except BaseException:
            for pipe in pipes:
                os.close(pipe[0])
            raise
        finally:
            for pipe in pipes:
                os.close(pipe[1])
        self.pid = self.child.pid
        self.tree = platforms.Tree(self.pid, mark, self.child, spared)
        self.open = {pipes[0][0]: 0, pipes[1][0]: 1}
        for fd in self.open:
            platforms.widen_pipe(fd)

    def not_run(self, how: How) -> Finished:
        """Return the result of a command that was never started."""
        return Finished(how=how, started_at=self.started_at, duration_s=time.monotonic() - self.clock)

    def to_the_end(self, on_start: OnStart | None) -> Finished:
        """Serve the child until all is done; whatever goes wrong here, its tree does not outlive this."""
        try:
            if on_start is not None:
                start = platforms.start_of(self.pid)
                on_start(Started(pid=self.pid, group=self.tree.group, start=start, mark=self.tree.mark))
            relay.by_poll(self)
            return self._finished()
        except BaseException:
            self.tree.end(force=True)
            self.child.wait()
            raise
        finally:
            if self.guard is not None:
                self.guard.dismiss()
            for fd in self.open:
                os.close(fd)
            self.tree.close()

    def accept(self, fd: int, data: bytearray, length: int) -> None:
        """Keep what came from one pipe."""
        self.last_byte_at = time.monotonic()
        self.sink.accept(self.open[fd], data, length, int((self.last_byte_at - self.clock) * 1000))

    def exited(self, now: float) -> None:
        """Note that the child itself has ended."""
        self.exited_at = now

    def due(self, now: float) -> float | None:
        """Do what is due at `now` and return the seconds until the next look; None when all is over."""
        if self.ending == "none":
            self._look_for_a_reason_to_end(now)
        if self.ending != "none" and not self.gone and not self._carry_on_ending(now):
            return _LOOK_S
        if now >= self.next_tick:
            self._tick(now)
        if self.exited_at:
            return self._until_drained(now)
        if self.guard is None and now - self.clock >= _GUARD_AFTER_S:
            self.guard = platforms.Guard(self.tree.group)
        if self.gone:
            return None if self.survivors else _LOOK_S
        soon = self.next_tick if self.guard else min(self.next_tick, self.clock + _GUARD_AFTER_S)
        return max(0.0, min(self.deadline, soon) - now)

    def _look_for_a_reason_to_end(self, now: float) -> None:
        if self.sink.over:
            self._end("ceiling", now)
        elif self.exited_at:
            return
        elif self.handle.cancelled:
            self._end("cancelled", now)
        elif now >= self.deadline:
            self._end("timeout", now)

    def _end(self, ending: Ending, now: float) -> None:
        self.ending, self.ended_at = ending, now
        self.tree.end(force=False)

    def _carry_on_ending(self, now: float) -> bool:
        """Look whether the tree is gone, and kill it when its grace is over; True when no more can be done."""
        if now < self.next_look:
            return False
        self.next_look = now + _LOOK_S
        if not self.killed_at and (now - self.ended_at >= self.command.grace_s or self.handle.requests > 1):
            self.killed_at = now
        if self.killed_at:
            self.survivors = self.tree.end(force=True)
            self.gone = not self.survivors or now - self.killed_at > _VERIFY_S
        else:
            self.gone = not self.tree.alive()
        return self.gone

    def _until_drained(self, now: float) -> float | None:
        if not self.open or now - self.exited_at >= _DRAIN_S:
            return None
        idle = now - max(self.last_byte_at, self.exited_at)
        return _IDLE_S - idle if idle < _IDLE_S else None

    def _tick(self, now: float) -> None:
        self.next_tick = now + self.tick_s
        self.sink.flush()
        if self.on_tick is None:
            return
        sink, new = self.sink, (self.sink.unseen(0, PEEK_BYTES), self.sink.unseen(1, PEEK_BYTES))
        self.last_line = endings.last_line(new[0]) or endings.last_line(new[1]) or self.last_line
        self.on_tick(
            Progress(
                elapsed_s=now - self.clock,
                sizes=(sink.sizes[0], sink.sizes[1]),
                lines=(sink.lines(0), sink.lines(1)),
                last_line=self.last_line,
                new=new,
            )
        )

    def _finished(self) -> Finished:
        sink, tails = self.sink, (self.sink.tail(0, PEEK_BYTES), self.sink.tail(1, PEEK_BYTES))
        how = self._how(tails[1])
        prompt, never_ends = self._suspicions(how, tails)
        if how.ending == "timeout" and (prompt or never_ends):
            why = "it seems to wait for an answer" if prompt else "it watches or serves, and does not end by itself"
            how = How(ending="timeout", message=f"{how.message}: {why}")
        return Finished(
            how=how,
            started_at=self.started_at,
            duration_s=(self.exited_at or time.monotonic()) - self.clock,
            sizes=(sink.sizes[0], sink.sizes[1]),
            lines=(sink.lines(0), sink.lines(1)),
            disk_full=sink.full,
            write_trouble=sink.trouble,
            dropped=sink.dropped,
            prompt=prompt,
            never_ends=never_ends,
            left_behind=tuple(left(p) for p in self._left_behind()),
        )

    def _how(self, stderr_tail: bytes) -> How:
        status = self.child.wait() if self.exited_at else 0
        if self.ending != "none":
            return self.stopped(self.ending)
        return endings.ended(status, stderr_tail, self.command.run)

    def stopped(self, ending: Ending) -> How:
        """Say how we ended the command."""
        by = f" by {platforms.signal_name(self.handle.signal)}" if self.handle.signal else ""
        message = {
            "timeout": f"out of time after {self.command.timeout_s or 0:g} s",
            "ceiling": f"ended at the output ceiling of {self.command.ceiling:,} bytes; what came before is kept",
        }.get(ending, f"cancelled{by}")
        if self.survivors:
            message += "; could not be ended: " + ", ".join(f"{p.name} (pid {p.pid})" for p in self.survivors)
        return How(ending=ending, signal=self.handle.signal if ending == "cancelled" else None, message=message)

    def _suspicions(self, how: How, tails: tuple[bytes, bytes]) -> tuple[str, str]:
        if how.ending == "exit" and how.exit_code == 0:
            return "", ""
        from punchlist.running import hints

        endless = hints.never_ends_in(*tails) if self.ending in ("timeout", "cancelled") else ""
        return hints.prompt_in(*tails), endless

    def _left_behind(self) -> list[platforms.Process]:
        """Tell who goes on; after a normal end a background process stays unless the command says otherwise."""
        staying = self.survivors
        if self.ending == "none" and (self.open or self.tree.anybody()):
            staying = self.tree.alive() if self.command.keep_background else self._end_background()
        platforms.keep_drained(list(self.open))
        return [*staying, *self.tree.spared()]

    def _end_background(self) -> list[platforms.Process]:
        begin = time.monotonic()
        while unwanted := [p for p in self.tree.alive() if not spared(p)]:
            past = time.monotonic() - begin
            if past > self.command.grace_s + _VERIFY_S:
                break
            for p in unwanted:
                platforms.send(p.pid, platforms.KILL if past >= self.command.grace_s else platforms.TERM)
            time.sleep(_LOOK_S)
        return self.tree.alive()
