"""The best lines of logs that no parser reads: what must be among them, and what must not."""

import pytest

# ruff: noqa: E501, RUF005  logs read best line by line
from punchlist.reading.fallback import best_lines, ranked, shape, weigh
from punchlist.reading.text import to_log

PACKAGES = "\n".join(f" + error-tools-{n}=={n}.0.1\nDownloading fail_fast-{n}.whl (1.2 MB)" for n in range(120))
PASSING = "\n".join(
    f"=== RUN   TestError{n}\n--- PASS: TestError{n} (0.00s)\n  ✓ rejects an invalid order {n}\ntest_failure_{n} ... ok"
    for n in range(120)
)
CHATTER = "\n".join(f"step {n} of 300: copied assets/icon-{n}.svg" for n in range(300))
SETUP = f"""Current runner version: '2.333.1'
Complete job name: build (ubuntu-latest)
##[group]Run actions/checkout@v4
with:
  fail-on-error: true
##[endgroup]
[command]/usr/bin/git version
hint: to use in all of your new repositories, which will suppress this warning,
##[group]Run ./install.sh
./install.sh
shell: /usr/bin/bash -e {{0}}
##[endgroup]
error: cache was empty, starting anew
{PACKAGES}
"""
ENDING = """##[error]Process completed with exit code {code}.
Post job cleanup.
[command]/usr/bin/git config --local --unset-all error.handler
fatal: nothing to clean up
Cleaning up orphan processes
"""


def job(command: str, output: str, code: int = 1) -> str:
    script = (
        f"##[group]Run {command}\n{command}\nshell: /usr/bin/bash -e {{0}}\nenv:\n  ERROR_LEVEL: fatal\n##[endgroup]\n"
    )
    return SETUP + script + output + "\n" + ENDING.format(code=code)


def best(text: str, chars: int = 2_400) -> str:
    return "\n".join(line for _, _, line in best_lines([to_log([("stdout", 1, text.encode())])], chars))


KINDS = {
    "a refused push": (
        job(
            "git push origin HEAD:main",
            f"{CHATTER}\nremote: Permission to acme/shop.git denied to github-actions[bot].\n"
            "fatal: unable to access 'https://example.org/acme/shop.git/': The requested URL returned error: 403",
            128,
        ),
        ["remote: Permission to acme/shop.git denied", "The requested URL returned error: 403", "exit code 128"],
    ),
    "an image that cannot be built": (
        job(
            "docker build .",
            f"{CHATTER}\n > [build 4/6] RUN ./configure && make:\n12.4 checking for libxml2... no\n"
            "12.5 configure: error: libxml2 is required\n------\n"
            'ERROR: failed to solve: process "/bin/sh -c ./configure && make" did not complete successfully: exit code: 1',
        ),
        ["configure: error: libxml2 is required", "ERROR: failed to solve: process", "##[group]Run docker build ."],
    ),
    "a process killed for want of memory": (
        job("./simulate --all", f"{CHATTER}\n./run.sh: line 12:  4711 Killed    ./solver --mesh big.msh", 137),
        ["line 12:  4711 Killed", "exit code 137"],
    ),
    "a job that took too long": (
        SETUP
        + f"##[group]Run ./soak.sh\n##[endgroup]\n{CHATTER}\n"
        + "##[error]The job has exceeded the maximum execution time of 6h0m0s\n##[error]The operation was canceled.\n"
        + "Post job cleanup.\n",
        ["exceeded the maximum execution time", "The operation was canceled"],
    ),
    "a package that is not there": (
        job(
            "sudo apt-get install -y libfoo-dev",
            f"{CHATTER}\nReading package lists...\nE: Unable to locate package libfoo-dev",
            100,
        ),
        ["E: Unable to locate package libfoo-dev", "exit code 100"],
    ),
    "a script's own check with the files it names": (
        job(
            "yarn headers",
            f"{CHATTER}\n  Every source file needs a license header.\n    Please add it to the files listed below:\n\n"
            "packages/cart/src/total.js\npackages/cart/src/tax.js\nerror Command failed with exit code 1.",
        ),
        ["Every source file needs a license header", "packages/cart/src/total.js", "packages/cart/src/tax.js"],
    ),
    "a reporter without bullets": (
        job(
            "yarn test",
            f"{PASSING}\nFAIL tests/format/import.test.js\nsnippet 1 > prints\n"
            "    Error: expect(received).toMatchSnapshot()\n\n    Snapshot name: `snippet 1 prints 1`\n\n"
            "    - Snapshot  - 1\n    + Received  + 1\n\n    - Unexpected token (1:8)\n    + Too many arguments (1:1)\n\n"
            "        at Object.toMatchSnapshot (tests/config/run.js:17:48)\n"
            f"{PASSING}\n › 1 snapshot failed.\nTest Suites: 1 failed, 40 passed, 41 total\n"
            "Tests:       1 failed, 900 passed, 901 total\nSnapshots:   1 failed, 800 passed, 801 total",
        ),
        [
            "FAIL tests/format/import.test.js",
            "snippet 1 > prints",
            "Error: expect(received).toMatchSnapshot()",
            "- Unexpected token (1:8)",
            "+ Too many arguments (1:1)",
            "› 1 snapshot failed.",
            "Test Suites: 1 failed",
            "Snapshots:   1 failed",
        ],
    ),
    "a chained traceback whose cause is a syntax error": (
        job(
            "doc-builder build",
            f'{CHATTER}\nTraceback (most recent call last):\n  File "/srv/lib/python3.11/site-packages/builder/run.py", '
            'line 22, in build\n    module = load(name)\n  File "/srv/shop/models/cart.py", line 197\n'
            "    <<<<<<< feature-x\n    ^^\nSyntaxError: invalid syntax\n\n"
            "The above exception was the direct cause of the following exception:\n\n"
            'Traceback (most recent call last):\n  File "/srv/bin/doc-builder", line 10, in <module>\n    main()\n'
            "BuildError: could not convert cart.md",
        ),
        ['cart.py", line 197', "<<<<<<< feature-x", "SyntaxError: invalid syntax", "BuildError: could not convert"],
    ),
    "a test suite of behaviours": (
        job(
            "make e2e",
            f"{CHATTER}\n• [FAILED] [1.014 seconds]\nCart [It] adds a line\n/srv/shop/cart_test.go:64\n\n"
            "  [FAILED] Timed out after 1.001s.\n  Expected\n      <int>: 3\n  to equal\n      <int>: 4\n"
            f"{PASSING}\nSummarizing 1 Failure:\n  [FAIL] Cart [It] adds a line\n  /srv/shop/cart_test.go:66\n\n"
            "Ran 12 of 14 Specs in 9.248 seconds\nFAIL! -- 11 Passed | 1 Failed | 0 Pending | 2 Skipped\n"
            "--- FAIL: TestSuite (9.28s)\nFAIL\nFAIL\texample.org/shop\t10.2s\nmake: *** [Makefile:46: e2e] Error 1",
            2,
        ),
        [
            "[FAILED] [1.014 seconds]",
            "Cart [It] adds a line",
            "[FAILED] Timed out after 1.001s.",
            "[FAIL] Cart [It] adds a line",
            "FAIL! -- 11 Passed | 1 Failed",
            "--- FAIL: TestSuite",
            "make: *** [Makefile:46: e2e] Error 1",
        ],
    ),
    "a crash in the middle of a line": (
        job(
            "spin test",
            f"{CHATTER}\nshop/tests/test_cart.py .....Fatal Python error: Segmentation fault\n\n"
            'Current thread 0x00007f41 (most recent call first):\n  File "/srv/shop/cart.py", line 31 in total\n'
            '  File "/srv/shop/tests/test_cart.py", line 26 in test_total\n'
            + "\n".join(f'  File "/srv/lib/python3.11/site-packages/pluggy/m{n}.py", line {n} in call' for n in range(60)),
            139,
        ),
        ["Fatal Python error: Segmentation fault", "line 31 in total", "line 26 in test_total", "exit code 139"],
    ),
    "a token that may not do this": (
        job("gh api -X DELETE /repos/acme/shop/actions/artifacts/1", f"{CHATTER}\ngh: Resource not accessible by integration (HTTP 403)"),
        ["gh: Resource not accessible by integration (HTTP 403)", "Complete job name: build (ubuntu-latest)"],
    ),
    "a plan with boxed errors": (
        job(
            "terraform plan",
            f"{CHATTER}\n╷\n│ Error: Reference to undeclared resource\n│ \n│   on main.tf line 12, in output \"url\":\n"
            "│   12:   value = aws_lb.front.dns_name\n╵",
        ),
        ["Error: Reference to undeclared resource", "on main.tf line 12"],
    ),
    "a failing command of a traced script": (
        job("bash -x ./deploy.sh", f"{CHATTER}\n+ kubectl apply -f shop.yaml\nThe connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?"),
        ["+ kubectl apply -f shop.yaml", "The connection to the server 10.0.0.1:6443 was refused"],
    ),
    "an unknown compiler": (
        job("zigzag build", f"{CHATTER}\nsrc/cart.zz:14:9: error: use of undeclared identifier 'total'\n    return total;\n           ^~~~~\nzigzag: 1 error generated"),
        ["src/cart.zz:14:9: error: use of undeclared identifier 'total'", "return total;", "1 error generated"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_the_lines_that_explain_a_failed_job_are_among_the_best(name: str) -> None:
    text, wanted = KINDS[name]
    shown = best(text)
    assert [line for line in wanted if line not in shown] == []


@pytest.mark.parametrize("name", KINDS)
def test_packages_passing_tests_and_cleaning_up_are_not(name: str) -> None:
    shown = best(KINDS[name][0])
    for noise in (
        " + error-tools-",
        "Downloading ",
        "--- PASS",
        "=== RUN",
        "✓ ",
        "... ok",
        "ERROR_LEVEL",
        "nothing to clean up",
    ):
        assert noise not in shown


def test_every_step_that_failed_is_named() -> None:
    text = (
        SETUP
        + f"##[group]Run make lint\n##[endgroup]\n{CHATTER}\ncart.js: bad indentation\n##[error]Process completed with exit code 3.\n"
        + f"##[group]Run make docs\n##[endgroup]\n{CHATTER}\nall pages written\n"
        + f"##[group]Run make test\n##[endgroup]\n{CHATTER}\nfatal: no tests\n"
        + ENDING.format(code=4)
    )
    shown = best(text)
    assert "##[group]Run make lint" in shown
    assert "cart.js: bad indentation" in shown
    assert "exit code 3" in shown
    assert "##[group]Run make test" in shown
    assert "fatal: no tests" in shown
    assert "##[group]Run make docs" not in shown


PLAIN = {
    "an error far from the end": (f"{CHATTER}\nfrobnicate: fatal: cannot open ledger.db\n{PASSING}", "cannot open ledger.db"),
    "an assertion of an unknown runner": (f"{CHATTER}\nCHECK FAILED total\n  expected: 4\n  actual:   3\n{CHATTER}", "expected: 4"),
    "an exit line of a wrapper": (f"{CHATTER}\ntask build: exited with code 9\n{PASSING}", "exited with code 9"),
    "a message of another language": (f"{CHATTER}\ncaisse.ml:12: Error: valeur négative\n{CHATTER}", "valeur négative"),
    "a stack of an unknown language": (f"{CHATTER}\nUncaught LedgerException: balance\n   from ledger.xyz:41 in post\n{CHATTER}", "ledger.xyz:41"),
    "only a last word": (f"{CHATTER}\nno ledger here, giving up", "no ledger here, giving up"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_a_log_without_steps_gives_its_evidence_wherever_it_stands(name: str) -> None:
    text, wanted = PLAIN[name]
    assert wanted in best(text)


PARTS = [f"verified part {n} of the shop" for n in range(200)]
OTHERS = {
    "gitlab": (
        ["section_start:1:step_script", 'Executing "step_script" stage of the job script', "$ npm ci", "$ ./check.sh", *PARTS]
        + ["part 7 has a licence which is not allowed", "section_end:2:step_script"]
        + ["Cleaning up project directory and file based variables", "ERROR: Job failed: exit code 3"],
        ["$ ./check.sh", "part 7 has a licence which is not allowed", "ERROR: Job failed: exit code 3"],
    ),
    "azure": (
        ["##[section]Starting: Build", "fine", "##[section]Finishing: Build", "##[section]Starting: Sign", *PARTS]
        + ["shop.dll: signature expired 2026-01-01", "##[error]Bash exited with code '4'.", "##[section]Finishing: Sign"],
        ["##[section]Starting: Sign", "shop.dll: signature expired 2026-01-01", "exited with code '4'"],
    ),
    "jenkins": (
        ["[Pipeline] { (Build)", "[Pipeline] sh", "+ ./build.sh", *PARTS, "[Pipeline] sh", "+ ./deploy.sh prod", *PARTS]
        + ["ssh: connect to host prod port 22: Connection refused", "[Pipeline] }", "[Pipeline] End of Pipeline"]
        + ["ERROR: script returned exit code 255", "Finished: FAILURE"],
        ["+ ./deploy.sh prod", "Connection refused", "ERROR: script returned exit code 255", "Finished: FAILURE"],
    ),
    "buildkite": (
        ["~~~ Preparing working directory", "--- :npm: Install", "+++ :shell: Contract tests", "$ ./contract.sh", *PARTS]
        + ["contract 77 broken: field `total` is missing", "🚨 Error: The command exited with status 1", "^^^ +++"],
        ["+++ :shell: Contract tests", "$ ./contract.sh", "contract 77 broken", "exited with status 1"],
    ),
    "circleci": (
        ["#!/bin/bash -eo pipefail", "./smoke.sh", *PARTS]
        + ["smoke test: /cart answered 500, wanted 200", "", "Exited with code exit status 1"],
        ["smoke test: /cart answered 500, wanted 200", "Exited with code exit status 1"],
    ),
    "travis": (
        ["$ ./smoke.sh", *PARTS, "smoke test: no answer", 'The command "./smoke.sh" exited with 3.', "Done. Your build exited with 1."],
        ["$ ./smoke.sh", "smoke test: no answer", "exited with 3"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_the_jobs_of_other_ci_systems_tell_step_command_reason_and_end(name: str) -> None:
    lines, wanted = OTHERS[name]
    shown = best("\n".join(lines))
    assert [line for line in wanted if line not in shown] == []
    assert shown.count("verified part") <= 3


def test_a_list_of_files_is_no_repetition() -> None:
    files = [f"packages/cart/src/file{n}.js" for n in range(12)]
    shown = best(job("yarn headers", "\n".join([CHATTER, "Please add a license header to:", *files])))
    assert [file for file in files if file not in shown] == []


def test_sources_that_were_split_come_back_in_the_order_of_the_log() -> None:
    from punchlist.reading.unwrap import unwrap

    text = "".join(f"api-1  | a{n}\nweb-1  | w{n}\n" for n in range(3))
    assert [line for _, _, line in best_lines(unwrap(to_log([("stdout", 1, text.encode())])))] == [
        "a0",
        "w0",
        "a1",
        "w1",
        "a2",
        "w2",
    ]


def test_a_short_log_is_given_whole() -> None:
    assert best("one\ntwo\n\nthree") == "one\ntwo\nthree"


def test_lines_come_in_their_order_with_stream_and_number() -> None:
    log = to_log([("stdout", 1, b"a\nb\n"), ("stderr", 1, b"error: c\n")])
    assert best_lines([log]) == (("stdout", 1, "a"), ("stdout", 2, "b"), ("stderr", 1, "error: c"))


def test_an_answer_stays_within_its_size() -> None:
    text = "\n".join(f"error: problem {n} of a kind {n % 7} {'x' * 50}" for n in range(5000))
    assert len(best(text, 2_000)) < 2_400


def test_many_lines_of_one_kind_leave_room_for_another() -> None:
    many = "\n".join(f"error: cannot read part {n}" for n in range(400))
    assert "assertion failed: ledger is balanced" in best(
        f"{many}\nassertion failed: ledger is balanced\n{many}", 1_500
    )


def test_a_shape_forgets_names_numbers_and_quotes() -> None:
    assert shape("src/a.c:12: cannot find 'x'") == shape("lib/b.c:4: cannot find 'y'")


def test_a_line_printed_twice_is_ranked_once() -> None:
    lines = ["FAIL a", "fine", "FAIL a"]
    assert ranked(lines, weigh(lines)).count(2) == 0


HOSTILE = [
    "a/" * 195 + "failed",
    "x" * 390 + " error",
    " " * 380 + "error",
    "a.b" * 130,
    "1" * 399,
    "A" * 399,
    "a::b " * 80,
    "- " * 200,
    "| 1 " * 99,
]


@pytest.mark.parametrize("line", HOSTILE)
def test_no_line_costs_more_than_its_length(line: str) -> None:
    from time import process_time

    lines = [f"{line}{n}" for n in range(300)]
    start = process_time()
    best_lines([to_log([("stdout", 1, "\n".join(lines).encode())])])
    assert process_time() - start < 2


def test_an_empty_log_has_no_best_lines() -> None:
    assert best_lines([to_log([])]) == ()
    assert best_lines([]) == ()
