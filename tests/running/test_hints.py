import pytest

from punchlist.running.hints import never_ends_in, prompt_in, shell_refusal


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("sh: 1: vitest: not found", "vitest"),
        ("/bin/sh: 1: vitest: not found", "vitest"),
        ("sh: vitest: command not found", "vitest"),
        ("bash: line 1: vitest: command not found", "vitest"),
        ("/bin/bash: line 12: ./gradlew: No such file or directory", "./gradlew"),
        ("./run.sh: line 3: foo: command not found", "foo"),
        ("./scripts/run: 3: foo: not found", "foo"),
        ("zsh:1: command not found: foo", "foo"),
        ("fish: Unknown command: foo", "foo"),
        ("/usr/bin/env: 'python9': No such file or directory", "python9"),
        ("env: ‘node’: No such file or directory", "node"),
        ("timeout: failed to run command 'foo': No such file or directory", "foo"),
        ("xargs: foo: No such file or directory", "foo"),
        ("sudo: foo: command not found", "foo"),
        ('OCI runtime exec failed: exec failed: exec: "jest": executable file not found in $PATH: unknown', "jest"),
        ("'foo' is not recognized as an internal or external command,", "foo"),
        ("cat: data.txt: No such file or directory", ""),
        ("error: page not found", ""),
        ("test.py:3: module foo: not found here", ""),
        ("", ""),
    ],
)
def test_a_shell_names_what_it_did_not_find(line, name):
    assert shell_refusal(f"warning: before\n{line}\n".encode())[0] == name


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/bin/sh: 1: ./run: Permission denied", "./run could not be executed: Permission denied"),
        ("bash: line 1: /tmp: Is a directory", "/tmp could not be executed: Is a directory"),
        (
            "bash: ./a.out: cannot execute binary file: Exec format error",
            "./a.out could not be executed: cannot execute binary file: Exec format error",
        ),
        ("timeout: failed to run command './x': Permission denied", "./x could not be executed: Permission denied"),
        ("cat: /etc/shadow: Permission denied", ""),
    ],
)
def test_a_shell_says_why_it_did_not_execute(line, why):
    assert shell_refusal(f"{line}\n".encode())[1] == why


@pytest.mark.parametrize(
    "tail",
    [
        "Username for 'https://github.com': ",
        "Password for 'https://a@github.com': ",
        "[sudo] password for me: ",
        "Enter passphrase for key '/root/.ssh/id_rsa': ",
        "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
        "Need to install the following packages:\ncreate-vite@5\nOk to proceed? (y) ",
        "Proceed (Y/n)? ",
        "Do you want to continue? [Y/n] ",
        "? Select a framework: \x1b[2m» - Use arrow-keys\x1b[0m",
        "Press any key to continue . . .",
        "Overwrite existing file? [y/N]: ",
        ">>> ",
        "> /src/x.py(3)f()\n(Pdb) ",
        "\x1b[32m?\x1b[39m What is your name?",
    ],
)
def test_questions_are_recognised(tail):
    assert prompt_in(tail.encode())


@pytest.mark.parametrize(
    "tail",
    [
        "",
        "done",
        "Password: hunter2\n",
        "50% [=====>    ]",
        "Running tests...",
        "expected: 3",
        "continue reading at x",
        "a\n\n",
    ],
)
def test_other_ends_are_no_questions(tail):
    assert prompt_in(tail.encode()) == ""


@pytest.mark.parametrize(
    "line",
    [
        "12:00:01 AM - Found 0 errors. Watching for file changes.",
        " PASS  Waiting for file changes...",
        "Watch Usage: Press w to show more.",
        "  ➜  Local:   http://localhost:5173/",
        "   - Local:        http://localhost:3000",
        "✓ Ready in 2.1s",
        "Starting development server at http://127.0.0.1:8000/",
        "Listening on http://0.0.0.0:4567",
        "* Listening on tcp://0.0.0.0:3000",
        "Use Ctrl-C to stop",
        "Started DemoApplication in 2.3 seconds (process running for 2.7)",
        "Tomcat started on port 8080 (http) with context path ''",
        "Compiled successfully in 812 ms",
        "[nodemon] watching for file changes",
        "App running at: server started on port 80",
    ],
)
def test_servers_and_watchers_are_recognised(line):
    assert never_ends_in(f"start\n{line}\n".encode()) == line.strip()


@pytest.mark.parametrize(
    "line", ["PASS src/server.test.ts", "3 passed in 2.1s", "Compiling serde v1.0", "listening tests: 3"]
)
def test_ordinary_lines_are_not(line):
    assert never_ends_in(f"{line}\n".encode()) == ""


def test_no_pattern_runs_away_on_long_lines():
    for tail in (b"a" * 65536, b"(y" * 30000, b"? " * 30000, b"/" * 65536, b"x: " * 20000, b"password" * 8000):
        prompt_in(tail)
        never_ends_in(tail)
        shell_refusal(tail)
