import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from punchlist import platforms
from punchlist.model import exit_status
from punchlist.running import capture as capturing
from punchlist.running import relay
from punchlist.running.capture import Command, Finished, Handle, Progress, Started, cancel_all, capture
from punchlist.running.endings import describe
from punchlist.running.order import merged_lines

pytestmark = pytest.mark.skipif(platforms.WINDOWS, reason="these commands are written for a POSIX shell")


def run(folder: Path, command: str | tuple[str, ...], **more: object) -> Finished:
    hooks = {name: more.pop(name) for name in ("handle", "on_tick", "on_start", "tick_s", "prefix") if name in more}
    settings = {"cwd": str(folder), "grace_s": 0.3, **more}
    return capture(Command(run=command, **settings), str(folder / "run"), **hooks)  # type: ignore[arg-type]


def out(folder: Path, name: str = "stdout") -> bytes:
    return (folder / "run" / f"{name}.log").read_bytes()


def gone(pid: int, within_s: float = 5.0) -> bool:
    until = time.monotonic() + within_s
    while platforms.process(pid) is not None:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def pid_in(path: Path) -> int:
    until = time.monotonic() + 5
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < until, f"{path} was never written"
        time.sleep(0.01)
    return int(path.read_text())


@pytest.mark.parametrize(
    ("command", "ending", "code", "signum", "status"),
    [
        ("exit 0", "exit", 0, None, 0),
        (("true",), "exit", 0, None, 0),
        ("exit 7", "exit", 7, None, 7),
        ("exit 255", "exit", 255, None, 255),
        ("kill -SEGV $$", "signal", None, 11, 139),
        ("kill -9 $$", "signal", None, 9, 137),
        ("sh -c 'kill -SEGV $$'; exit $?", "exit", 139, None, 139),
        (("no-such-program-xyz",), "not_found", None, None, 127),
        ("no-such-program-xyz --flag", "not_found", 127, None, 127),
        (("./no/such/path",), "not_found", None, None, 127),
        ("./no/such/path", "not_found", 127, None, 127),
        (("/etc/passwd",), "not_executable", None, None, 126),
        ("/etc/passwd", "not_executable", 126, None, 126),
        (("/",), "not_executable", None, None, 126),
        ((), "not_found", None, None, 127),
    ],
)
def test_every_way_to_end_has_its_own_verdict(tmp_path, command, ending, code, signum, status):
    how = run(tmp_path, command).how
    assert (how.ending, how.exit_code, how.signal) == (ending, code, signum)
    assert exit_status(how, "error") == status


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("exit 3", "exit 3"),
        ("kill -SEGV $$", "ended by SIGSEGV (segmentation fault)"),
        ("sh -c 'kill -SEGV $$'; exit $?", "exit 139: a process died of SIGSEGV (segmentation fault)"),
        ("kill -9 $$", "ended by SIGKILL (killed from outside, often because memory ran out)"),
        ("no-such-program-xyz", "command not found: no-such-program-xyz"),
        ("timeout 0.1 sleep 5", "exit 124: the command's own `timeout` ended it"),
        ("exit 124", "exit 124"),
        (("/",), "/ is a folder, not a program"),
    ],
)
def test_the_end_is_described_in_one_plain_sentence(tmp_path, command, sentence):
    assert describe(run(tmp_path, command).how) == sentence


def test_a_127_that_no_shell_explains_is_just_an_exit_code(tmp_path):
    assert run(tmp_path, "echo 'page not found' >&2; exit 127").how.ending == "exit"


def test_a_missing_folder_is_named(tmp_path):
    how = run(tmp_path, "true", cwd=str(tmp_path / "nowhere")).how
    assert how.ending == "fault"
    assert "nowhere does not exist" in how.message


def test_a_missing_interpreter_is_told_from_a_missing_program(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    how = run(tmp_path, ("./script",)).how
    assert how.ending == "not_found"
    assert "interpreter" in how.message


def test_a_script_without_a_first_line_goes_to_the_shell(tmp_path):
    script = tmp_path / "script"
    script.write_text("echo from the shell\n")
    script.chmod(0o755)
    assert run(tmp_path, ("./script",)).how.exit_code == 0
    assert out(tmp_path) == b"from the shell\n"


def test_both_streams_are_kept_apart_byte_for_byte(tmp_path):
    every = bytes(range(256)) * 50
    (tmp_path / "bytes").write_bytes(every)
    finished = run(tmp_path, "cat bytes; cat bytes bytes >&2")
    assert (out(tmp_path), out(tmp_path, "stderr")) == (every, every * 2)
    assert finished.sizes == (len(every), 2 * len(every))
    assert finished.lines == (every.count(b"\n") + 1, 2 * every.count(b"\n") + 1)


def test_files_are_private_and_never_written_over(tmp_path):
    run(tmp_path, "echo x")
    assert {(tmp_path / "run" / name).stat().st_mode & 0o777 for name in ("stdout.log", "stderr.log", "order")} == {
        0o600
    }
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
    with pytest.raises(FileExistsError):
        run(tmp_path, "echo y")


def test_a_log_is_not_written_through_a_link(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "stdout.log").symlink_to(tmp_path / "victim")
    with pytest.raises(FileExistsError):
        run(tmp_path, "echo x")
    assert not (tmp_path / "victim").exists()


def test_fifty_megabytes_without_a_newline_are_one_line(tmp_path):
    finished = run(tmp_path, "head -c 50000000 /dev/zero")
    assert finished.sizes == (50_000_000, 0)
    assert finished.lines == (1, 0)


def test_the_merged_log_follows_the_order_of_arrival(tmp_path):
    run(
        tmp_path,
        "echo a; sleep 0.1; echo b >&2; sleep 0.1; printf c; sleep 0.1; echo d >&2; sleep 0.1; echo e; printf f",
    )
    lines = [(line.stream, line.number, line.text) for line in merged_lines(str(tmp_path / "run"))]
    assert lines == [
        ("stdout", 1, b"a"),
        ("stderr", 1, b"b"),
        ("stderr", 2, b"d"),
        ("stdout", 2, b"ce"),
        ("stdout", 3, b"f"),
    ]


def test_a_reader_of_stdin_finds_it_empty(tmp_path):
    assert run(tmp_path, "cat; echo done", timeout_s=5).how.exit_code == 0
    assert out(tmp_path) == b"done\n"


def test_an_open_descriptor_can_be_the_input(tmp_path):
    (tmp_path / "in").write_text("words\n")
    with (tmp_path / "in").open() as file:
        run(tmp_path, "cat", stdin=file.fileno())
    assert out(tmp_path) == b"words\n"


@pytest.mark.parametrize(
    "command",
    [
        "echo $$ > pid; sleep 30",
        "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done",
        "sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.1; done' & sleep 30",
        "setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.1; done' & sleep 30",
        "(setsid sh -c 'echo $$ > pid; exec sleep 30' &) ; sleep 30",
        "kill -STOP $$ & echo $$ > pid; sleep 30",
    ],
    ids=["plain", "ignores TERM", "child ignores TERM", "left the session and ignores TERM", "a daemon", "stopped"],
)
def test_out_of_time_ends_the_whole_tree(tmp_path, command):
    finished = run(tmp_path, command, timeout_s=0.4)
    assert finished.how.ending == "timeout"
    assert exit_status(finished.how, "error") == 124
    assert gone(pid_in(tmp_path / "pid"), within_s=0.5)
    assert finished.left_behind == ()
    assert finished.duration_s < 4


def test_what_is_printed_on_the_way_out_is_kept(tmp_path):
    run(tmp_path, "trap 'echo bye; exit' TERM; echo hello; while :; do sleep 0.05; done", timeout_s=0.3, grace_s=2.0)
    assert out(tmp_path) == b"hello\nbye\n"


def test_the_output_ceiling_ends_the_command_and_keeps_what_came(tmp_path):
    finished = run(tmp_path, "yes 0123456789", ceiling=100_000)
    assert finished.how.ending == "ceiling"
    assert "100,000 bytes" in finished.how.message
    assert finished.sizes == (100_000, 0)
    assert len(out(tmp_path)) == 100_000


def test_output_of_exactly_the_ceiling_is_no_trouble(tmp_path):
    assert run(tmp_path, "head -c 100000 /dev/zero", ceiling=100_000).how.ending == "exit"


def test_a_full_disk_is_said_and_survived(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        finished = run(tmp_path, "head -c 300000 /dev/zero; echo end >&2; exit 4")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert finished.disk_full
    assert finished.how.exit_code == 4
    assert finished.sizes[0] == 100_000
    assert finished.dropped == 200_004
    assert len(out(tmp_path)) == 100_000


def test_a_background_child_that_holds_the_pipe_does_not_delay_the_answer(tmp_path):
    begin = time.monotonic()
    finished = run(tmp_path, "sleep 5 & echo $! > pid; echo started")
    assert time.monotonic() - begin < 2
    assert out(tmp_path) == b"started\n"
    pid = pid_in(tmp_path / "pid")
    assert [(one.pid, one.name, one.daemon) for one in finished.left_behind] == [(pid, "sleep 5", False)]
    assert platforms.process(pid) is not None
    os.kill(pid, signal.SIGKILL)


def test_a_background_child_may_go_on_printing(tmp_path):
    finished = run(tmp_path, "(sleep 0.5; echo more; echo alive > alive) & echo started")
    assert finished.how.exit_code == 0
    until = time.monotonic() + 5
    while not (tmp_path / "alive").exists():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_background_children_are_ended_where_that_is_asked_for(tmp_path):
    finished = run(tmp_path, "trap '' TERM; sleep 30 & echo $! > pid", keep_background=False)
    assert gone(pid_in(tmp_path / "pid"), within_s=0.5)
    assert finished.left_behind == ()


def test_a_known_daemon_outlives_even_a_timeout(tmp_path):
    daemon = tmp_path / "watchman"
    daemon.symlink_to("/bin/sleep")
    finished = run(tmp_path, "setsid ./watchman 30 & echo $! > pid; sleep 30", timeout_s=0.4)
    pid = pid_in(tmp_path / "pid")
    try:
        assert platforms.process(pid) is not None
        assert [(one.pid, one.daemon) for one in finished.left_behind] == [(pid, True)]
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_command_is_cancelled_from_another_thread(tmp_path):
    handle = Handle()
    threading.Timer(0.2, handle.cancel).start()
    finished = run(tmp_path, "echo before; sleep 30", handle=handle)
    assert finished.how.ending == "cancelled"
    assert finished.duration_s < 3
    assert out(tmp_path) == b"before\n"


def test_a_second_cancel_does_not_wait_for_the_grace(tmp_path):
    handle = Handle()
    for after in (0.2, 0.3):
        threading.Timer(after, handle.cancel).start()
    finished = run(tmp_path, "trap '' TERM; while :; do sleep 0.1; done", handle=handle, grace_s=30.0)
    assert finished.duration_s < 3


def test_a_cancel_before_the_start_starts_nothing(tmp_path):
    handle = Handle()
    handle.cancel()
    assert run(tmp_path, "echo x > made", handle=handle).how.ending == "cancelled"
    assert not (tmp_path / "made").exists()


def test_everything_that_runs_can_be_cancelled_at_once(tmp_path):
    results: list[Finished] = []
    threads = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        threads.append(
            threading.Thread(target=lambda n=name: results.append(run(tmp_path / n, "echo $$ > pid; sleep 30")))
        )
        threads[-1].start()
    for name in ("a", "b"):
        pid_in(tmp_path / name / "pid")
    assert cancel_all(signal.SIGTERM)
    for thread in threads:
        thread.join(5)
    assert [(one.how.ending, one.how.signal) for one in results] == [("cancelled", 15)] * 2


def test_progress_tells_time_lines_and_what_is_new(tmp_path):
    ticks: list[Progress] = []
    run(tmp_path, "for i in 1 2 3 4 5 6; do echo ok $i; sleep 0.1; done", on_tick=ticks.append, tick_s=0.1)
    assert len(ticks) >= 3
    assert b"".join(tick.new[0] for tick in ticks).startswith(b"ok 1\nok 2\nok 3\n")
    assert [tick.lines[0] for tick in ticks] == sorted(tick.lines[0] for tick in ticks)
    assert ticks[-1].last_line.startswith("ok ")


def test_progress_shows_no_more_than_the_last_bytes_of_a_flood(tmp_path):
    ticks: list[Progress] = []
    run(tmp_path, "head -c 20000000 /dev/zero; sleep 0.3", on_tick=ticks.append, tick_s=0.1)
    assert max(len(tick.new[0]) for tick in ticks) == capturing.PEEK_BYTES


def test_the_start_is_told_with_number_group_and_start_time(tmp_path):
    started: list[Started] = []
    run(tmp_path, "echo $$", on_start=started.append)
    assert out(tmp_path) == b"%d\n" % started[0].pid
    assert started[0].group == started[0].pid
    assert started[0].start


@pytest.mark.parametrize(
    ("command", "prompt"),
    [
        ("printf 'Password: '; sleep 30", "Password:"),
        ("printf 'Ok to proceed? (y) '; exit 1", "Ok to proceed? (y)"),
        ("printf 'Do you want to continue? [Y/n] ' >&2; sleep 30", "Do you want to continue? [Y/n]"),
        ("printf '\\033[36m?\\033[39m Project name: my-app'; sleep 30", "? Project name: my-app"),
        ("echo 'Password: '; sleep 30", ""),
        ("printf 'Downloading 34%%'; sleep 30", ""),
        ("printf 'Password: '", ""),
    ],
)
def test_a_question_that_nobody_answers_is_recognised(tmp_path, command, prompt):
    finished = run(tmp_path, command, timeout_s=0.3)
    assert finished.prompt == prompt
    assert ("wait for an answer" in finished.how.message) is (bool(prompt) and finished.how.ending == "timeout")


@pytest.mark.parametrize(
    ("line", "endless"),
    [
        ("Found 0 errors. Watching for file changes.", True),
        ("  VITE v5.4.2  ready in 312 ms", True),
        (" * Running on http://127.0.0.1:5000", True),
        ("Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...", True),
        ("press h + enter to show help", True),
        ("INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)", True),
        ("Server listening on port 3000", True),
        ("tests/test_server.py ....", False),
        ("Compiling server v0.1.0", False),
    ],
)
def test_watchers_and_servers_are_recognised_when_out_of_time(tmp_path, line, endless):
    (tmp_path / "line").write_text(line + "\n")
    finished = run(tmp_path, "cat line; sleep 30", timeout_s=0.3)
    assert finished.never_ends == (line.strip() if endless else "")
    assert ("does not end by itself" in finished.how.message) is endless


def test_the_child_ends_when_its_owner_is_killed(tmp_path):
    owner = subprocess.Popen(
        [
            sys.executable,
            "-c",
            script("capture(Command(run='sleep 60 & echo $! > child; echo $$ > pid; wait', cwd='.'), 'run')"),
        ],
        cwd=tmp_path,
    )
    pids = [pid_in(tmp_path / name) for name in ("child", "pid")]
    time.sleep(0.2)  # the guard stands from 50 ms on
    owner.kill()
    owner.wait()
    assert all(gone(pid) for pid in pids)


@pytest.mark.parametrize(("signum", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_to_the_command_line_ends_the_tree_and_leaves_a_result(tmp_path, signum, status):
    code = script("""
        with ending_on_signals():
            done = capture(Command(run='sleep 60 & echo $! > child; wait', cwd='.'), 'run')
        print(done.how.ending, done.how.signal)
        raise SystemExit(exit_status(done.how, 'error'))
    """)
    owner = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    child = pid_in(tmp_path / "child")
    owner.send_signal(signum)
    printed, _ = owner.communicate(timeout=10)
    assert printed == f"cancelled {int(signum)}\n"
    assert owner.returncode == status
    assert gone(child, within_s=0.5)


def script(body: str) -> str:
    head = """
        from punchlist.model import exit_status
        from punchlist.running.capture import Command, capture, ending_on_signals
    """
    return textwrap.dedent(head) + textwrap.dedent(body)


@pytest.fixture(params=["threads", "exit pipe"])
def other_relay(request, monkeypatch):
    """The ways of systems that are not here."""
    if request.param == "threads":
        monkeypatch.setattr(relay, "by_poll", relay.by_threads)
    else:
        monkeypatch.setattr(platforms, "exit_descriptor", lambda _: None)


def test_other_ways_to_relay_do_the_same(tmp_path, other_relay):
    finished = run(tmp_path, "echo a; sleep 0.1; echo b >&2; head -c 3000000 /dev/zero; exit 5")
    assert finished.how.exit_code == 5
    assert finished.sizes == (3_000_002, 2)
    assert [line.stream for line in merged_lines(str(tmp_path / "run"))] == ["stdout", "stderr", "stdout"]


def test_other_ways_to_relay_end_a_tree_too(tmp_path, other_relay):
    finished = run(tmp_path, "trap '' TERM; echo $$ > pid; sleep 30 & while :; do sleep 0.1; done", timeout_s=0.3)
    assert finished.how.ending == "timeout"
    assert gone(pid_in(tmp_path / "pid"), within_s=0.5)


def test_other_ways_to_relay_do_not_wait_for_the_background(tmp_path, other_relay):
    begin = time.monotonic()
    finished = run(tmp_path, "sleep 3 & echo started")
    assert time.monotonic() - begin < 2
    assert [one.name for one in finished.left_behind] == ["sleep 3"]
    os.kill(finished.left_behind[0].pid, signal.SIGKILL)


def test_no_descriptor_is_lost(tmp_path):
    before = len(os.listdir("/proc/self/fd")) if platforms.LINUX else 0
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        run(tmp_path / name, "echo x; sleep 0.06")
        run(tmp_path / name, ("no-such-program-xyz",), prefix="again.")
    if platforms.LINUX:
        assert len(os.listdir("/proc/self/fd")) == before
