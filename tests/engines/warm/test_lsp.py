"""The client of language servers, against servers that behave and servers that do not."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from punchlist import platforms
from punchlist.engines.warm.lsp import Lsp, Refused
from punchlist.engines.warm.wire import Lost

BASE = """
import json, sys, os, time
def receive():
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        if line.lower().startswith(b"content-length"): length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else sys.exit()
def send(value):
    raw = json.dumps({"jsonrpc": "2.0", **value}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(raw), raw)); sys.stdout.buffer.flush()
def loop(answer):
    while True:
        m = receive()
        if m.get("method") == "initialize": send({"id": m["id"], "result": {"serverInfo": {"name": "fake"}}})
        elif m.get("method") == "exit": sys.exit()
        elif "id" in m and "method" in m: answer(m)
"""
Start = Callable[..., Lsp]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return what starts a fake server; all are ended afterwards."""
    started: list[Lsp] = []

    def run(script: str, **options: object) -> Lsp:
        (tmp_path / "fake.py").write_text(BASE + script, encoding="utf-8")
        argv = (sys.executable, str(tmp_path / "fake.py"))
        started.append(Lsp(argv, str(tmp_path), dict(os.environ), **options))  # type: ignore[arg-type]
        return started[-1]

    yield run
    for one in started:
        one.end()


def test_many_questions_at_once_are_answered_in_order(start: Start) -> None:
    lsp = start(
        "waiting = []\ndef a(m):\n waiting.append(m)\n if len(waiting) == 3:\n"
        "  for w in reversed(waiting): send({'id': w['id'], 'result': w['params']})\nloop(a)"
    )
    assert lsp.about["serverInfo"]["name"] == "fake"
    assert lsp.ask([("x", 1), ("x", 2), ("x", 3)], 10) == [1, 2, 3]


def test_what_the_server_asks_is_answered(start: Start) -> None:
    script = """
def a(m):
    items = [{"section": "a.b"}, {"section": "c"}, {}]
    send({"id": "q1", "method": "workspace/configuration", "params": {"items": items}})
    one = receive()
    send({"id": "q2", "method": "client/registerCapability", "params": {}})
    two = receive()
    send({"id": "q3", "method": "no/such", "params": {}})
    three = receive()
    send({"id": m["id"], "result": [one["result"], two, three["error"]["code"]]})
loop(a)"""
    lsp = start(script, settings={"a": {"b": 7}})
    configuration, registered, unknown = lsp.request("x", {}, 10)
    assert configuration == [7, None, {"a": {"b": 7}}]
    assert registered["result"] is None
    assert unknown == -32601


def test_an_error_is_a_refusal_and_the_server_stays(start: Start) -> None:
    lsp = start("loop(lambda m: send({'id': m['id'], 'error': {'code': -32603, 'message': 'no project'}}))")
    with pytest.raises(Refused, match="no project"):
        lsp.request("x", {}, 10)
    assert lsp.alive


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("loop(lambda m: sys.exit(3))", "ended"),
        ("loop(lambda m: time.sleep(60))", "did not answer within 0.3 s"),
        (
            "loop(lambda m: (sys.stdout.write('Content-Length: x\\r\\n\\r\\n'), sys.stdout.flush()))",
            "nobody understands",
        ),
        (
            "loop(lambda m: (sys.stdout.write('Content-Length: 3\\r\\n\\r\\n[1]'), sys.stdout.flush()))",
            "nobody understands",
        ),
        ("loop(lambda m: (sys.stdout.write('hello\\n' * 99), sys.stdout.flush()))", "nobody understands"),
        ("loop(lambda m: (sys.stdout.write('Content-Length: 99999999999\\r\\n\\r\\n'), sys.stdout.flush()))", "nobody"),
    ],
)
def test_a_server_that_fails_is_lost_with_the_reason(start: Start, script: str, why: str) -> None:
    lsp = start(script)
    begin = time.monotonic()
    with pytest.raises(Lost, match=why):
        lsp.request("x", {}, 0.3 if "0.3" in why else 20)
    assert time.monotonic() - begin < 20


def test_a_server_that_dies_while_it_starts_is_lost(start: Start) -> None:
    with pytest.raises(Lost, match="ended"):
        start("sys.exit(1)")


def test_a_program_that_is_not_there_is_lost(tmp_path: Path) -> None:
    with pytest.raises(Lost, match="cannot be started"):
        Lsp((str(tmp_path / "nothing"),), str(tmp_path), {})


def test_a_server_that_does_not_read_holds_up_nobody(start: Start) -> None:
    lsp = start("m = receive(); send({'id': m['id'], 'result': {}}); time.sleep(60)")
    with pytest.raises(Lost, match="did not answer"):
        lsp.ask([("x", "y" * (1 << 20))] * 3, 0.5)


def test_the_end_takes_along_what_the_server_started(start: Start, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    lsp = start(
        "import subprocess\np = subprocess.Popen(['sleep', '60'])\n"
        f"open({str(mark)!r}, 'w').write(str(p.pid))\nloop(print)"
    )
    until = time.monotonic() + 10
    while not (mark.exists() and mark.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    pid = int(mark.read_text())
    assert platforms.process(pid)
    lsp.end()
    assert not platforms.process(pid)
    assert not lsp.alive


def test_what_the_server_wants_shown_is_kept(start: Start) -> None:
    lsp = start(
        "def a(m):\n send({'method': 'window/showMessage', 'params': {'type': 1, 'message': 'pick one'}})\n"
        " send({'id': m['id'], 'result': 1})\nloop(a)"
    )
    lsp.request("x", {}, 10)
    assert lsp.said == ["pick one"]


def test_the_server_ends_with_its_owner_however_that_dies(tmp_path: Path) -> None:
    (tmp_path / "fake.py").write_text(BASE + "loop(print)", encoding="utf-8")
    owner = (
        "import os, sys, time\nfrom punchlist.engines.warm.lsp import Lsp\n"
        f"lsp = Lsp((sys.executable, {str(tmp_path / 'fake.py')!r}), {str(tmp_path)!r}, dict(os.environ))\n"
        "print(lsp.wire.pid, flush=True)\ntime.sleep(60)\n"
    )
    running = subprocess.Popen([sys.executable, "-c", owner], stdout=subprocess.PIPE, text=True)
    assert running.stdout
    pid = int(running.stdout.readline())
    running.kill()
    running.wait()
    running.stdout.close()
    until = time.monotonic() + 20
    while platforms.process(pid) and time.monotonic() < until:
        time.sleep(0.02)
    assert not platforms.process(pid)
