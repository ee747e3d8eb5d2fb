"""Who answers for an edited file: the warm server, or the command line, and why."""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from punchlist.engines.record import EngineResult
from punchlist.engines.run import run
from punchlist.engines.warm import pool as module
from punchlist.engines.warm.pool import VERIFY_EVERY, Pool, places
from punchlist.engines.warm.record import Changes, Kind
from punchlist.engines.warm.wire import Lost
from punchlist.model import Diagnostic
from punchlist.project.config import load
from punchlist.records import replace

COLD = "a.py:1:1: error[rule] cold says\nFound 1 diagnostic"
NOT_OWN = Diagnostic(message="warm says", file="a.py", line=1, column=1, rule="rule", tool="ty")


class Server:
    """A server in this process, which says what the test tells it to."""

    def __init__(self) -> None:
        self.alive, self.pid, self.said = True, os.getpid(), []
        self.changes: list[Changes] = []
        self.asked: list[Sequence[str]] = []
        self.answer: Callable[[Sequence[str]], list[Diagnostic]] = lambda _: [NOT_OWN]
        self.ended = False

    def told(self, changes: Changes) -> None:
        self.changes.append(changes)

    def ask(self, files: Sequence[str], within_s: float) -> list[Diagnostic]:
        assert within_s > 0
        self.asked.append(files)
        return self.answer(files)

    def end(self) -> None:
        self.alive, self.ended = False, True


@pytest.fixture
def servers(made: Any, monkeypatch: pytest.MonkeyPatch) -> list[Server]:
    """Return the servers that were started, in a project whose command line is a fake ty."""
    started: list[Server] = []

    def start(*_: object) -> Server:
        started.append(Server())
        return started[-1]

    kind = Kind(
        engine="ty",
        known=lambda version: version == "9.9.9",
        start=start,
        configs=lambda site, _: [site.path("ty.toml")],
        imports="python",
    )
    monkeypatch.setattr(module, "KINDS", (kind,))
    made.fake("ty", f"cat <<'END'\n{COLD}\nEND\nexit 1")
    made.write({"ty.toml": "", "a.py": "x = 1\n", "b.py": "import a\n", "c.py": "y = 2\n"})
    return started


class Asker:
    """Checks files of a project with one engine, with warm servers or without."""

    def __init__(self, made: Any, worth_s: float = 0) -> None:
        self.made, self.pool = made, Pool(worth_s=worth_s)

    def answer(self, engine: str, files: Sequence[str], *, warm: bool = True) -> EngineResult:
        config = load(self.made.root, {}, home=self.made.state)
        about = {"state": self.made.state, "environ": self.made.environ, "engines": [engine], "fresh": not warm}
        (result,) = run(self.made.root, config, files, warm=self.pool, **about).results
        return result

    def ready(self, engine: str, within_s: float) -> bool:
        return self.pool.ready(engine, within_s)

    def close(self) -> None:
        self.pool.close()


@pytest.fixture
def pool(made: Any) -> Iterator[Asker]:
    found = Asker(made)
    yield found
    found.close()


def warmed(pool: Asker) -> None:
    assert pool.answer("ty", ["a.py"]).why == "first check"
    assert pool.ready("ty", 20)


def edit(made: Any, text: str = "x = 22\n", file: str = "a.py") -> None:
    made.write({file: text})


def test_after_the_first_check_the_server_answers_for_the_file_and_its_dependents(
    made: Any, servers: list[Server], pool: Asker
) -> None:
    warmed(pool)
    edit(made)
    answer = pool.answer("ty", ["a.py"])
    assert (answer.spoke, answer.why, answer.coverage) == ("warm", "", {"a.py", "b.py"})
    assert [d.message for d in answer.diagnostics] == ["warm says"]
    assert servers[0].changes[-1].changed == ("a.py",)


def test_a_quick_command_line_needs_no_server(made: Any, servers: list[Server]) -> None:
    pool = Asker(made, worth_s=60)
    assert pool.answer("ty", ["a.py"]).why == "first check"
    edit(made)
    answer = pool.answer("ty", ["a.py"])
    assert (answer.spoke, servers) == ("cold", [])
    assert answer.why == "it is quick enough"
    assert answer.notes == ()


@pytest.mark.parametrize(("worth_s", "took", "starts"), [(0, "0", True), (0.2, "0.4", True), (60, "0.4", False)])
def test_a_kept_result_starts_the_server_of_a_slow_command_line(
    made: Any, servers: list[Server], monkeypatch: pytest.MonkeyPatch, worth_s: float, took: str, starts: bool
) -> None:
    for room in ("signatures", "kept"):  # the project was written a moment ago
        monkeypatch.setattr(f"punchlist.engines.{room}.SLACK_NS", 0)
    fake = made.root / ".venv" / "bin" / "ty"
    fake.write_text(fake.read_text(encoding="utf-8").replace("cat <<", f"sleep {took}; cat <<"), encoding="utf-8")
    before = Asker(made, worth_s=60)
    before.answer("ty", ["a.py"])
    before.close()
    pool = Asker(made, worth_s)
    try:
        assert pool.answer("ty", ["a.py"]).cached
        assert pool.ready("ty", 20) == starts
    finally:
        pool.close()


def change_config(made: Any, _server: Server) -> None:
    made.write({"ty.toml": "[rules]\n"})


def add_a_file(made: Any, _server: Server) -> None:
    made.write({"new.py": "z = 3\n"})


def die(_made: Any, server: Server) -> None:
    server.alive = False


def be_silent(_made: Any, server: Server) -> None:
    def silent(_files: Sequence[str]) -> list[Diagnostic]:
        raise Lost("the server did not answer within 3 s")

    server.answer = silent


def complain(_made: Any, server: Server) -> None:
    server.said = ["pick one of two tables\nand more"]


@pytest.mark.parametrize(
    ("happens", "edited", "why"),
    [
        (change_config, "a.py", "configuration, packages or version changed"),
        (add_a_file, "new.py", "a file is new to the program"),
        (add_a_file, "a.py", "files came or went"),
        (die, "a.py", "its server died"),
        (be_silent, "a.py", "did not answer"),
        (complain, "a.py", "pick one of two tables"),
    ],
)
def test_the_command_line_answers_where_the_server_cannot_be_trusted_and_a_new_one_starts(
    made: Any, servers: list[Server], pool: Asker, happens: Callable[[Any, Server], None], edited: str, why: str
) -> None:
    warmed(pool)
    edit(made)
    happens(made, servers[0])
    answer = pool.answer("ty", [edited])
    assert answer.spoke == "cold"
    assert why in answer.why
    assert any(why in note for note in answer.notes)
    assert [d.message for d in answer.diagnostics] == ["cold says"]
    assert servers[0].ended or happens is die
    assert pool.ready("ty", 20)
    assert pool.answer("ty", ["a.py"]).spoke == "warm"
    assert len(servers) == 2


def test_a_deleted_file_is_told_and_its_dependents_are_asked(made: Any, servers: list[Server], pool: Asker) -> None:
    warmed(pool)
    (made.root / "a.py").unlink()
    answer = pool.answer("ty", ["a.py"])
    assert (answer.spoke, answer.coverage) == ("warm", {"a.py", "b.py"})
    assert servers[0].changes[-1].deleted == ("a.py",)


def test_a_version_nobody_tried_is_left_to_the_command_line(
    made: Any, servers: list[Server], pool: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = made.root / ".venv" / "bin" / "ty"
    fake.write_text(fake.read_text(encoding="utf-8").replace("9.9.9", "10.0.1"), encoding="utf-8")
    assert pool.answer("ty", ["a.py"]).why == ""
    assert not pool.ready("ty", 0)
    assert servers == []


def test_a_server_that_is_lost_again_and_again_is_not_started_any_more(
    made: Any, servers: list[Server], pool: Asker
) -> None:
    warmed(pool)
    for n in range(3):
        servers[-1].alive = False
        edit(made, f"x = {n}\n")
        assert pool.answer("ty", ["a.py"]).why == "its server died"
        pool.ready("ty", 20)
    assert len(servers) == 3
    assert "lost 3 times" in pool.answer("ty", ["a.py"]).why


@pytest.mark.parametrize("agrees", [True, False])
def test_now_and_then_both_are_asked_and_a_server_that_differs_is_let_go(
    made: Any, servers: list[Server], pool: Asker, agrees: bool
) -> None:
    warmed(pool)
    if not agrees:
        servers[0].answer = lambda _: []
    else:
        servers[0].answer = lambda _: [replace(NOT_OWN, message="cold says")]
    spoke = []
    for n in range(VERIFY_EVERY):
        edit(made, f"x = {n}{n}\n")
        answer = pool.answer("ty", ["a.py"])
        spoke.append(answer.spoke)
    assert spoke == ["warm"] * (VERIFY_EVERY - 1) + ["cold"]
    assert any("its server said otherwise" in note for note in answer.notes) != agrees
    assert servers[0].ended != agrees


@pytest.mark.skipif(not Path("/proc").exists(), reason="memory is told by /proc")
@pytest.mark.parametrize(("limit", "why"), [("IDLE_S", "its server was idle"), ("MOST_BYTES", "too much memory")])
def test_a_server_that_is_idle_or_large_is_let_go_and_comes_back(
    made: Any, servers: list[Server], pool: Asker, monkeypatch: pytest.MonkeyPatch, limit: str, why: str
) -> None:
    warmed(pool)
    before = getattr(module, limit)
    monkeypatch.setattr(module, limit, -1)
    edit(made)
    assert pool.answer("ty", ["a.py"]).spoke == "warm"
    assert servers[0].ended
    monkeypatch.setattr(module, limit, before)
    edit(made, "x = 333\n")
    assert why in pool.answer("ty", ["a.py"]).why
    assert pool.ready("ty", 20)
    assert len(servers) == 2


def test_closing_ends_the_servers(made: Any, servers: list[Server], pool: Asker) -> None:
    warmed(pool)
    pool.close()
    assert servers[0].ended


@pytest.fixture
def typescript(made: Any) -> Callable[[str], None]:
    """Return what installs one of two versions of TypeScript, or skips."""

    def link(package: str) -> None:
        given = Path(os.environ.get("TEST_NODE_MODULES") or Path(__file__).parents[2] / "node" / "node_modules")
        if not (given / package / "package.json").is_file():
            pytest.skip(f"{package} is not installed in {given}")
        (made.root / "node_modules").mkdir()
        (made.root / "node_modules" / "typescript").symlink_to(given / package)
        (made.root / "node_modules" / "@typescript").symlink_to(given / "@typescript")

    return link


OPTIONS = json.dumps({"compilerOptions": {"strict": True, "module": "esnext", "moduleResolution": "bundler"}})
TS = {
    "tsconfig.json": OPTIONS,
    "a.ts": "export function f(x: number) { return x }\n",
    "b.ts": 'import { f } from "./a";\nconst s = "😀é"; f(1); export const t: string = 2;\n',
    "c.ts": 'export * from "./a";\n',
    "d.ts": 'import { f } from "./c";\nf(3);\n',
    "e.ts": "export const apart: string = 5;\n",
}
PY = {
    "a.py": "def f(x: int) -> int:\n    return x\n",
    "b.py": 'from a import f\n\ns = "😀é"; f(1)\nt: str = 2\n',
    "c.py": "apart: str = 5\n",
}
CHANGED = {
    "a.ts": "export function f(x: string) { return x + 1; y }\n",
    "a.py": "def f(x: str) -> int:\n    return 'é'\n",
}


def really(made: Any, engine: str, files: dict[str, str], edited: str) -> None:
    """Edit, add back and delete a file; each time the server must say what the command line says."""
    made.write(files)
    pool = Asker(made)
    try:
        first = pool.answer(engine, [edited])
        assert first.state == "ok", first.message
        assert pool.ready(engine, 120), [p.trouble for p in pool.pool._programs.values()]
        # Each text is a new one: what the command line said of an old one is kept.
        for text in (CHANGED[edited], files[edited] + "\n", CHANGED[edited] + "\n"):
            made.write({edited: text})
            warm = pool.answer(engine, [edited])
            assert (warm.spoke, warm.why) == ("warm", "")
            cold = pool.answer(engine, [edited], warm=False)
            expected = [d for d in cold.diagnostics if d.file in warm.coverage]
            assert places(warm.diagnostics) == places(expected)
            assert {d.message for d in warm.diagnostics} == {d.message for d in expected}
            assert len(warm.coverage) > 1
    finally:
        pool.close()


@pytest.mark.tools
@pytest.mark.timeout(300)
@pytest.mark.parametrize("package", ["typescript-7", "typescript"])
def test_typescript_says_the_same_warm_and_cold(made: Any, typescript: Callable[[str], None], package: str) -> None:
    typescript(package)
    really(made, "tsc", TS, "a.ts")


@pytest.mark.tools
@pytest.mark.timeout(300)
@pytest.mark.parametrize("engine", ["ty", "basedpyright"])
def test_python_checkers_say_the_same_warm_and_cold(made: Any, program: Callable[[str], None], engine: str) -> None:
    program(engine)
    really(made, engine, {**PY, "pyproject.toml": f"[tool.{engine}]\n"}, "a.py")


@pytest.mark.tools
@pytest.mark.timeout(300)
def test_a_real_server_that_is_killed_is_replaced(made: Any, typescript: Callable[[str], None]) -> None:
    typescript("typescript-7")
    made.write(TS)
    pool = Asker(made)
    try:
        pool.answer("tsc", ["a.ts"])
        assert pool.ready("tsc", 60)
        (program,) = pool.pool._programs.values()
        assert program.resident
        os.kill(program.resident.pid, 9)
        until = time.monotonic() + 10
        while program.resident.alive and time.monotonic() < until:
            time.sleep(0.01)
        made.write({"a.ts": CHANGED["a.ts"]})
        answer = pool.answer("tsc", ["a.ts"])
        assert (answer.spoke, answer.why) == ("cold", "its server died")
        assert pool.ready("tsc", 60)
        assert pool.answer("tsc", ["a.ts"]).spoke == "warm"
    finally:
        pool.close()
