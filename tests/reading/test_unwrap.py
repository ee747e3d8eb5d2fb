"""Prefixes that other programs put before every line: which are taken off, which only look like one."""

# ruff: noqa: E501  logs read best line by line
import pytest

from punchlist.reading.text import to_log
from punchlist.reading.unwrap import unwrap

Sources = dict[str, list[str]]


def sources(text: str) -> Sources:
    """The lines of each source below its prefix."""
    return {log.source: [line for line in log.lines if line] for log in unwrap(to_log([("stdout", 1, text.encode())]))}


def unprefixed(text: str) -> list[str]:
    return [line for lines in sources(text).values() for line in lines]


def stamped(stamp: str, lines: list[str]) -> str:
    return "\n".join(stamp.format(n=n % 60) + line for n, line in enumerate(lines))


LINES = [
    "src/cart.c:14:9: error: use of undeclared identifier 'total'",
    "    return total;",
    "           ^",
    "1 error generated.",
    "make: *** [Makefile:3: cart.o] Error 1",
]

STAMPS = {
    "github's log": "2026-04-23T11:39:{n:02}.1393891Z ",
    "github's log of a whole run": "test (3.12)\tRun pytest\t2026-04-23T11:39:{n:02}.1393891Z ",
    "github's log without step names": "build\tUNKNOWN STEP\t2026-04-23T11:39:{n:02}.1393891Z ",
    "gitlab": "2026-04-23T11:39:{n:02}.139389Z 00O ",
    "gitlab's continuation": "2026-04-23T11:39:{n:02}.139389Z 01E+",
    "azure": "2026-04-23T11:39:{n:02}.1393891Z ",
    "jenkins' timestamper": "[2026-04-23T11:39:{n:02}.139Z] ",
    "jenkins' short stamp": "11:39:{n:02}  ",
    "jenkins' bracketed clock": "[11:39:{n:02}] ",
    "date and time with a comma": "2026-04-23 11:39:{n:02},139 ",
    "time zone": "2026-04-23T11:39:{n:02}+02:00 ",
    "ts of moreutils": "Apr 23 11:39:{n:02} ",
    "kubectl logs --timestamps": "2026-04-23T11:39:{n:02}.139389123Z ",
    "buildkite's stamps": "[2026-04-23T11:39:{n:02}Z] ",
    "a bar of a terminal tool": "│ ",
    "git's remote": "remote: ",
}


@pytest.mark.parametrize("name", STAMPS)
def test_a_stamp_before_every_line_is_taken_off(name: str) -> None:
    assert unprefixed(stamped(STAMPS[name], LINES * 3)) == [line.rstrip() for line in LINES * 3]


PREFIXES = {
    "docker compose": ("web-1  | {}", "api-1  | {}"),
    "docker compose v1": ("shop_web_1  | {}", "shop_api_1  | {}"),
    "docker compose run with names padded": ("postgres-1  | {}", "api-1       | {}"),
    "dependabot's containers": ("updater | {}", "  proxy | {}"),
    "foreman": ("web.1     | {}", "worker.1  | {}"),
    "foreman with times": ("11:39:24 web.1     | {}", "11:39:24 worker.1  | {}"),
    "turbo": ("@acme/web:test: {}", "api:test: {}"),
    "pnpm -r": ("packages/web test: {}", "packages/api test: {}"),
    "pnpm -r with dots": ("apps/web.site test:unit: {}", "apps/api test:unit: {}"),
    "lerna": ("@acme/web: {}", "@acme/api: {}"),
    "concurrently by number": ("[0] {}", "[1] {}"),
    "concurrently by name": ("[web] {}", "[api] {}"),
    "npm-run-all -l": ("[test:web ] {}", "[test:api ] {}"),
    "yarn workspaces foreach -v": ("[@acme/web]: {}", "[@acme/api]: {}"),
    "bun --filter": ("@acme/web test: {}", "@acme/api test: {}"),
    "nx in parallel": ("web:test: {}", "api:test: {}"),
    "jenkins' branches": ("[web] {}", "[api] {}"),
    "syslog": ("Apr 23 11:39:24 host7 web[11]: {}", "Apr 23 11:39:24 host7 api[12]: {}"),
    "journald with its times": ("2026-04-23T11:39:24+0200 host7 web[11]: {}", "2026-04-23T11:39:24+0200 host7 api[12]: {}"),
    "stern or kubetail": ("web-6f7c9-x2x1k web | {}", "api-6f7c9-aaaaa api | {}"),
    "overmind": ("web    | {}", "api    | {}"),
}  # fmt: skip
EVIDENCE = {
    "turbo": "• Packages in scope: @acme/web, api\n",
    "nx in parallel": "NX   Running target test for 2 projects\n",
    "pnpm -r": "Scope: 2 of 3 workspace projects\n",
    "pnpm -r with dots": "Scope: 2 of 3 workspace projects\n",
    "lerna": "lerna notice cli v8.1.2\n",
    "bun --filter": "$ bun run --filter '*' test\n",
}


@pytest.mark.parametrize("name", PREFIXES)
def test_lines_of_several_sources_are_split_and_grouped_again(name: str) -> None:
    one, other = PREFIXES[name]
    text = EVIDENCE.get(name, "") + "\n".join(
        one.format(line) + "\n" + other.format(line.replace("cart", "tax")) for line in LINES * 2
    )
    parts = [lines for source, lines in sources(text).items() if source]
    assert parts == [LINES * 2, [line.replace("cart", "tax") for line in LINES * 2]]


@pytest.mark.parametrize("name", PREFIXES)
def test_the_same_below_the_stamps_of_a_ci_system(name: str) -> None:
    one, other = PREFIXES[name]
    lines = [text for line in LINES * 2 for text in (one.format(line), other.format(line.replace("cart", "tax")))]
    lines = [*EVIDENCE.get(name, "").splitlines(), *lines]
    parts = [lines for source, lines in sources(stamped(STAMPS["github's log"], lines)).items() if source]
    assert parts == [LINES * 2, [line.replace("cart", "tax") for line in LINES * 2]]


def test_stamps_over_compose_over_turbo_are_all_taken_off() -> None:
    lines = ["runner-1  | • Packages in scope: web, api"]
    for line in LINES * 2:
        lines += [f"runner-1  | web:test: {line}", f"runner-1  | api:test: {line}"]
    parts = sources(stamped(STAMPS["github's log"], lines))
    assert parts["runner-1 web:test"] == LINES * 2
    assert parts["runner-1 api:test"] == LINES * 2


def test_the_jobs_of_a_run_are_sources_of_their_own() -> None:
    text = "".join(
        f"{job}\tRun make\t2026-04-23T11:39:24.1Z line {n}\n" for job in ("build", "lint (3.12)") for n in range(3)
    )
    assert sources(text) == {"build": ["line 0", "line 1", "line 2"], "lint (3.12)": ["line 0", "line 1", "line 2"]}


def test_lines_keep_their_numbers_when_they_are_split() -> None:
    text = "web-1  | one\napi-1  | two\nweb-1  | three\napi-1  | four\n"
    assert {log.source: log.numbers for log in unwrap(to_log([("stdout", 1, text.encode())]))} == {
        "web-1": [1, 3],
        "api-1": [2, 4],
    }


def test_buildkit_steps_are_split_and_their_seconds_taken_off() -> None:
    text = (
        "#5 [web 3/4] RUN make\n#5 0.412 cc -c cart.c\n#6 [api 2/4] RUN npm ci\n#5 0.518 cart.c:3:1: error: no type\n"
        "#6 1.100 added 3 packages\n#5 ERROR: process did not complete\n#6 DONE 1.2s\n"
    )
    assert "cart.c:3:1: error: no type" in sources(text)["#5"]
    assert "added 3 packages" in sources(text)["#6"]


def test_a_package_of_a_monorepo_tells_the_folder_its_paths_start_from() -> None:
    text = "Scope: 2 of 3 workspace projects\n" + "\n".join(
        f"packages/web test: line {n}\npackages/api test: line {n}" for n in range(6)
    )
    logs = unwrap(to_log([("stdout", 1, text.encode())]))
    assert {(log.directory, log.package) for log in logs if log.source} == {
        ("packages/web", "packages/web"),
        ("packages/api", "packages/api"),
    }


def test_gitlabs_section_marks_leave_the_text_behind_them() -> None:
    text = "section_start:1776944364:step_script\nmake\nsection_end:1776944365:step_script\nERROR: Job failed: exit code 1\n"
    assert unprefixed(text) == ["make", "ERROR: Job failed: exit code 1"]


ALONE = {
    "compiler": "\n".join(f"src/part{n}.c:{n + 1}:5: error: expected ';' before 'return'" for n in range(8)),
    "compiler with a gutter": "cart.c: In function 'total':\ncart.c:3:12: error: no\n    3 |   return total;\n      |          ^~~~~\n" * 4,
    "coverage table": "---------|---------|----------|\nFile     | % Stmts | % Branch |\n---------|---------|----------|\n" + "".join(f"cart{n}.js |   {n}0.2 |    66.66 |\n" for n in range(8)),
    "log levels in brackets": "\n".join(f"[{level}] building module {n}" for n in range(6) for level in ("INFO", "ERROR", "WARNING")),
    "maven": "\n".join(f"[INFO] --- compiler:3.{n}:compile ---\n[ERROR] /src/Cart.java:[{n},4] ';' expected" for n in range(6)),
    "a tool's own name in brackets": "\n".join(f"[webpack-cli] Error {n}: cannot find module './a{n}'" for n in range(8)),
    "a markdown table": "| name | value |\n| --- | --- |\n" + "\n".join(f"| n{n} | {n} |" for n in range(8)),
    "yaml": "\n".join(f"name{n}: value {n}" for n in range(12)),
    "make's own lines": "make: Entering directory '/srv'\nmake: *** [all] Error 2\n" * 6,
    "the linker": "\n".join(f"ld: cart{n}.o: undefined reference to `total'" for n in range(8)),
    "progress": "\n".join(f"[{n}/10] Building CXX object cart{n}.o" for n in range(10)),
    "percents": "\n".join(f"[ {n}0%] Building CXX object cart{n}.o" for n in range(10)),
    "test ids": "\n".join(f"tests/test_cart.py::test_{n} FAILED" for n in range(10)),
    "eslint's rows": "/srv/cart.js\n" + "\n".join(f"  {n}:5  error  'x' is not defined  no-undef" for n in range(9)),
    "rust's gutter": "error[E0308]: mismatched types\n --> src/cart.rs:3:5\n  |\n3 |     total\n  |     ^^^^^ expected `()`\n" * 4,
    "application's own log levels": "\n".join(f"{level}: order {n} was stored" for n in range(6) for level in ("INFO", "WARN", "ERROR")),
    "a python log": "\n".join(f"ERROR:shop.cart:order {n} is empty" for n in range(8)),
    "a git diff": "diff --git a/cart.c b/cart.c\n--- a/cart.c\n+++ b/cart.c\n@@ -1 +1 @@\n-int a;\n+long a;\n" * 3,
    "gcc's include chain": "In file included from cart.h:1,\n                 from cart.c:2:\n/usr/include/a.h:3:1: error: no\n" * 4,
    "mypy": "\n".join(f"shop/cart{n}.py:{n}: error: Name 'x' is not defined  [name-defined]" for n in range(9)),
}  # fmt: skip


@pytest.mark.parametrize("name", ALONE)
def test_what_only_looks_like_a_prefix_is_not_touched(name: str) -> None:
    assert unprefixed(ALONE[name]) == [line.rstrip() for line in ALONE[name].split("\n") if line.strip()]


def test_pytests_workers_are_no_sources() -> None:
    text = "\n".join(f"[gw{n % 2}] [ {n}0%] FAILED tests/test_cart.py::test_{n}" for n in range(9))
    assert unprefixed(text) == text.split("\n")


def test_a_prefixed_table_keeps_its_own_bars() -> None:
    text = "\n".join(f"web-1  | cart{n}.js |   {n}0.2 |\napi-1  | tax{n}.js |   {n}0.2 |" for n in range(6))
    assert sources(text)["web-1"][0] == "cart0.js |   00.2 |"
