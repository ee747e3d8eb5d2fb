"""Which commands are taken over: right on a table of what agents really type."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from punchlist.agents.hooks.answer import program
from punchlist.agents.transparent import decide, shell_command
from punchlist.reading.command import understand
from punchlist.reading.recognise import by_command
from punchlist.running.seethrough import see_through

P = "punchlist run -- "

TAKEN = [
    # one program
    ("pytest", f"{P}pytest"),
    ("pytest -q tests/test_a.py::test_b", f"{P}pytest -q tests/test_a.py::test_b"),
    ("  pytest -x", f"  {P}pytest -x"),
    ("python -m pytest -q", f"{P}python -m pytest -q"),
    ("python3.12 -m unittest discover", f"{P}python3.12 -m unittest discover"),
    (".venv/bin/pytest", f"{P}.venv/bin/pytest"),
    ("./node_modules/.bin/tsc --noEmit", f"{P}./node_modules/.bin/tsc --noEmit"),
    ("python manage.py test shop", f"{P}python manage.py test shop"),
    ("ruff check .", f"{P}ruff check ."),
    ("ruff format --check src", f"{P}ruff format --check src"),
    ("mypy src --strict", f"{P}mypy src --strict"),
    ("black --check .", f"{P}black --check ."),
    ("prettier --check 'src/**/*.ts'", f"{P}prettier --check 'src/**/*.ts'"),
    ("gofmt -l .", f"{P}gofmt -l ."),
    ("eslint . --fix", f"{P}eslint . --fix"),
    ("tsc -p tsconfig.json --noEmit", f"{P}tsc -p tsconfig.json --noEmit"),
    ("jest --coverage --watchAll=false", f"{P}jest --coverage --watchAll=false"),
    ("vitest run --reporter=dot", f"{P}vitest run --reporter=dot"),
    ("playwright test", f"{P}playwright test"),
    ("cargo test --workspace -- --nocapture", f"{P}cargo test --workspace -- --nocapture"),
    ("cargo +nightly clippy --all-targets", f"{P}cargo +nightly clippy --all-targets"),
    ("cargo build --release", f"{P}cargo build --release"),
    ("go test ./...", f"{P}go test ./..."),
    ("go vet ./cmd/...", f"{P}go vet ./cmd/..."),
    ("go -C api build ./...", f"{P}go -C api build ./..."),
    ("golangci-lint run", f"{P}golangci-lint run"),
    ("make", f"{P}make"),
    ("make -j8 test", f"{P}make -j8 test"),
    ("make -C lib check", f"{P}make -C lib check"),
    ("make clean all", f"{P}make clean all"),
    ("just lint", f"{P}just lint"),
    ("cmake --build build -j4", f"{P}cmake --build build -j4"),
    ("ctest --output-on-failure", f"{P}ctest --output-on-failure"),
    ("ninja -C build", f"{P}ninja -C build"),
    ("gcc -Wall -c a.c -o a.o", f"{P}gcc -Wall -c a.c -o a.o"),
    ("javac -d out src/A.java", f"{P}javac -d out src/A.java"),
    ("mvn -q -B verify", f"{P}mvn -q -B verify"),
    ("./mvnw clean test", f"{P}./mvnw clean test"),
    ("./gradlew :app:testDebugUnitTest", f"{P}./gradlew :app:testDebugUnitTest"),
    ("bundle exec rspec spec/a_spec.rb", f"{P}bundle exec rspec spec/a_spec.rb"),
    ("vendor/bin/phpunit --filter x", f"{P}vendor/bin/phpunit --filter x"),
    ("php vendor/bin/phpunit", f"{P}php vendor/bin/phpunit"),
    ("node node_modules/.bin/jest", f"{P}node node_modules/.bin/jest"),
    ("react-scripts test --watchAll=false", f"{P}react-scripts test --watchAll=false"),
    ("php artisan test", f"{P}php artisan test"),
    ("shellcheck run.sh", f"{P}shellcheck run.sh"),
    ("dotnet test", f"{P}dotnet test"),
    ("mix test", f"{P}mix test"),
    ("tox -e py312", f"{P}tox -e py312"),
    ("pre-commit run --all-files", f"{P}pre-commit run --all-files"),
    ("node --test", f"{P}node --test"),
    ("prove -r t", f"{P}prove -r t"),
    ("bats test", f"{P}bats test"),
    ("yamllint .", f"{P}yamllint ."),
    ("terraform validate", f"{P}terraform validate"),
    ("docker build -t x .", f"{P}docker build -t x ."),
    # package scripts
    ("npm test", f"{P}npm test"),
    ("npm run lint -- --max-warnings 0", f"{P}npm run lint -- --max-warnings 0"),
    ("pnpm --filter web test", f"{P}pnpm --filter web test"),
    ("yarn workspace web test", f"{P}yarn workspace web test"),
    ("yarn typecheck", f"{P}yarn typecheck"),
    ("npm run test:unit", f"{P}npm run test:unit"),
    ("bun test", f"{P}bun test"),
    ("turbo run build --filter=web", f"{P}turbo run build --filter=web"),
    # wrappers
    ("uv run pytest -q", f"{P}uv run pytest -q"),
    ("hatch test -x", f"{P}hatch test -x"),
    ("hatch fmt --check", f"{P}hatch fmt --check"),
    ("poetry run mypy .", f"{P}poetry run mypy ."),
    ("npx --yes eslint .", f"{P}npx --yes eslint ."),
    ("npx tsc --noEmit", f"{P}npx tsc --noEmit"),
    ("env CI=1 pytest", f"{P}env CI=1 pytest"),
    ("nice -n 10 make test", f"{P}nice -n 10 make test"),
    ("timeout 60 pytest", f"{P}timeout 60 pytest"),
    ("timeout -k 5 300s cargo test", f"{P}timeout -k 5 300s cargo test"),
    ("timeout 20m make test", "punchlist run --timeout inf -- timeout 20m make test"),
    ("docker exec web pytest", f"{P}docker exec web pytest"),
    ("docker compose exec -T web pytest", f"{P}docker compose exec -T web pytest"),
    ("coverage run -m pytest", f"{P}coverage run -m pytest"),
    ("bash -c 'pytest -q'", f"{P}bash -c 'pytest -q'"),
    ("bash -lc 'cd api && pytest -q'", f"{P}bash -lc 'cd api && pytest -q'"),
    # variables and words of the shell stay in front
    ("CI=1 npm test", f"CI=1 {P}npm test"),
    ('A="x y" B=2 pytest -k "a b"', f'A="x y" B=2 {P}pytest -k "a b"'),
    ("time pytest -q", f"time {P}pytest -q"),
    ("! pytest -q", f"! {P}pytest -q"),
    ("pytest -n $(nproc) $FILES", f"{P}pytest -n $(nproc) $FILES"),
    ("pytest $(git diff --name-only | grep test_)", f"{P}pytest $(git diff --name-only | grep test_)"),
    # lists: each check by itself, everything else as it stands
    ("cd api && pytest", f"cd api && {P}pytest"),
    ("cd 'my dir' ; npm test", f"cd 'my dir' ; {P}npm test"),
    ("pytest && mypy .", f"{P}pytest && {P}mypy ."),
    ("pytest || true", f"{P}pytest || true"),
    ("pytest; echo $?", f"{P}pytest; echo $?"),
    ("git add -A && pytest && git commit -m 'x && y'", f"git add -A && {P}pytest && git commit -m 'x && y'"),
    (". .venv/bin/activate && pytest", f". .venv/bin/activate && {P}pytest"),
    ("export A=1; pytest", f"export A=1; {P}pytest"),
    ("set -e\nruff check .\nmypy .\n", f"set -e\n{P}ruff check .\n{P}mypy .\n"),
    ("pytest \\\n  -q tests", f"{P}pytest \\\n  -q tests"),
    ("# the tests\npytest", f"# the tests\n{P}pytest"),
    ("cat a.txt > b.txt && pytest", f"cat a.txt > b.txt && {P}pytest"),
    ("git status | head -3; pytest", f"git status | head -3; {P}pytest"),
    # redirections that change nothing
    ("pytest 2>&1", f"{P}pytest 2>&1"),
    ("pytest 2>/dev/null", f"{P}pytest 2>/dev/null"),
    ("pytest < /dev/null", f"{P}pytest < /dev/null"),
    # seen through
    ("pytest | tail -20", f"{P}'pytest | tail -20'"),
    ("pytest -q 2>&1 | tail -n 5", f"{P}'pytest -q 2>&1 | tail -n 5'"),
    ("cd web && npm test 2>&1 | tail -30", f"cd web && {P}'npm test 2>&1 | tail -30'"),
    ("cargo build |& tail -5", f"{P}'cargo build 2>&1 | tail -5'"),
    ("tsc --noEmit | head -50 | cat", f"{P}'tsc --noEmit | head -50 | cat'"),
    ("pytest | grep -E 'FAILED|ERROR' | head", f"{P}" + "'pytest | grep -E '\"'\"'FAILED|ERROR'\"'\"' | head'"),
    ("make test 2>&1 | tee build.log", f"{P}'make test 2>&1 | tee build.log'"),
    ("A=1 pytest | tail -1; echo done", f"{P}'A=1 pytest | tail -1'; echo done"),
    ("set -o pipefail; pytest | tail -3", f"set -o pipefail; {P}'pytest | tail -3'"),
]

LEFT = [
    # nothing to see
    "",
    "ls -la",
    "git status",
    "git diff --check",
    "kubectl get pods",
    "docker ps",
    "jq . a.json",
    "perl -e 1",
    "bash run.sh",
    "php a.php",
    "ansible-playbook site.yml",
    "git push && kubectl apply -f a.yml",
    "echo pytest",
    "git commit -m 'run pytest | tail'",
    "cat pytest.ini",
    "which pytest",
    "grep -rn pytest .",
    "python script.py",
    "python -c 'import pytest'",
    "node index.js",
    "npm install",
    "npm ci && echo ok",
    "pip install pytest",
    "cargo run",
    "go run .",
    "go mod tidy",
    "docker compose up -d",
    "make clean",
    "make run",
    "terraform apply",
    # told, not run
    "pytest --version",
    "pytest -h",
    "tsc --help",
    "tsc -v",
    "javac -version",
    "mvn -v",
    "go test -list .",
    "react-scripts test",
    "docker run -it web pytest",
    "yes | make config",
    "ssh host pytest",
    "kubectl exec pod -- pytest",
    "yarn",
    "cargo --version",
    "cargo help test",
    "pytest --collect-only -q",
    "pytest --fixtures",
    "jest --listTests",
    "eslint --print-config a.js",
    "tsc --showConfig",
    "make -n test",
    "ctest -N",
    "tox -l",
    "ruff rule F401",
    "coverage report",
    "gcc -dumpversion",
    "gcc -E a.c",
    # they print what is wanted
    "prettier src/a.ts",
    "gofmt a.go",
    "black --diff .",
    "black -",
    "esbuild a.ts",
    "clang-format a.c",
    # they do not end, or they ask
    "tsc --watch",
    "tsc -w -p .",
    "jest --watch",
    "vitest --ui",
    "vitest watch",
    "npm start",
    "npm run dev",
    "npm run test:watch",
    "yarn serve",
    "yarn workspace web dev",
    "vite",
    "vite dev",
    "next dev",
    "webpack serve",
    "mkdocs serve",
    "nodemon app.js",
    "cargo watch -x test",
    "pytest --pdb",
    "playwright test --ui",
    "docker exec -it web pytest",
    "watch pytest",
    "sudo pytest",
    # bytes that go to a file or a program
    "pytest > out.txt",
    "pytest >> out.txt 2>&1",
    "pytest &> out.txt",
    "pytest 2> err.txt",
    "pytest -q >/dev/null 2>&1 && echo ok",
    "ruff check --output-format json . | jq length",
    "pytest | wc -l",
    "pytest | grep -c passed",
    "pytest | grep slowest_durations_xyz",
    "pytest | sort | uniq -c",
    "pytest | xargs echo",
    "pytest | tail > out.txt",
    "pytest | python3 parse.py",
    "pytest | tee >(cat)",
    "out=$(pytest -q)",
    'echo "$(pytest -q)"',
    "diff <(pytest) b.txt",
    "cat a.py | black -",
    "git diff --name-only | xargs ruff check",
    "pytest | tail -f",
    # in the background
    "pytest &",
    "pytest & npm run dev",
    "nohup pytest > log &",
    "nohup make test",
    # more than simple commands
    "(cd api && pytest)",
    "for f in a b; do pytest $f; done",
    "if pytest; then echo ok; fi",
    "while ! pytest; do sleep 1; done",
    "{ pytest; }",
    "t() { pytest; }; t",
    "pytest <<EOF\nx\nEOF",
    "cat > a.py <<'EOF'\npytest\nEOF\npytest a.py",
    "pytest <<< x",
    "case $x in a) pytest;; esac",
    "bash -c 'pytest > out.txt'",
    "bash -c 'pytest | wc -l'",
    "bash -c 'pytest &'",
    "eval 'pytest'",
    "xargs pytest < list",
    "pytest 'unfinished",
    'pytest "unfinished',
    "pytest $(unfinished",
    "pytest |",
    "&& pytest",
    # another shell would read these otherwise
    "X=1; pytest -k $X | tail",
    "pytest tests/{a,b} | tail",
    "pytest | tail -n $N",
    # around us
    "PUNCHLIST=off pytest",
    "PUNCHLIST=off npm test && mypy .",
    "command pytest",
    "\\pytest -q",
    "punchlist run -- pytest",
    "/opt/bin/punchlist run -- pytest | tail",
    "python -m punchlist.cli run test",
    "cd a && punchlist run test",
    "uv run punchlist run -- pytest",
]


@pytest.mark.parametrize("taken", [taken for _, taken in TAKEN if f"{P}'" in taken])
def test_what_is_taken_over_with_its_viewers_is_seen_through_when_it_runs(taken: str) -> None:
    at = taken.index(P) + len(P)
    words = shlex.split(taken[at:].partition(";")[0])
    assert len(words) == 1
    assert see_through(words[0], lambda first: bool(by_command(understand(first)))) is not None


def test_a_decision_imports_nothing_that_is_slow_to_start() -> None:
    payload = {"tool_name": "Bash", "hook_event_name": "PreToolUse", "tool_input": {"command": "cd a && pytest | tail"}}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "punchlist.cli", "hook", "claude"],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "punchlist run --" in done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    slow = {
        "argparse",
        "dataclasses",
        "inspect",
        "subprocess",
        "tomllib",
        "yaml",
        "sqlite3",
        "asyncio",
        "mcp",
        "logging",
    }
    assert not imported & (slow | {"punchlist.model", "punchlist.reading.registry", "punchlist.service.project"})


def test_the_table_is_large_enough() -> None:
    assert len(TAKEN) + len(LEFT) >= 200
    assert len({text for text, _ in TAKEN} | set(LEFT)) == len(TAKEN) + len(LEFT)


@pytest.mark.parametrize(("command", "taken"), TAKEN)
def test_a_check_is_taken_over(command: str, taken: str) -> None:
    assert decide(command) == taken


@pytest.mark.parametrize("command", LEFT)
def test_everything_else_is_left_as_it_is(command: str) -> None:
    assert decide(command) is None


@pytest.mark.parametrize(
    ("script", "taken"),
    [
        ("vitest run", True),
        ("vitest --watch", False),
        ("tsc --noEmit && eslint .", True),
        ("node scripts/all.js", True),
        ("node --test", True),
        ("echo no tests yet", True),
        ("webpack serve", False),
        ("nodemon x.js", False),
    ],
)
def test_a_package_script_is_what_it_stands_for(tmp_path: Path, script: str, taken: bool) -> None:
    (tmp_path / "web" / "src").mkdir(parents=True)
    (tmp_path / "web" / "package.json").write_text(
        json.dumps({"scripts": {"test": script, "x": script}}), encoding="utf-8"
    )
    assert (decide("npm test", str(tmp_path / "web" / "src")) is not None) is taken
    assert (decide("cd web && npm test", str(tmp_path)) is not None) is taken


def test_a_declared_check_is_taken_over_and_plain_programs_are_not_looked_up() -> None:
    asked = []

    def declared(text: str) -> bool:
        asked.append(text)
        return text == "./scripts/verify.sh all"

    assert decide("./scripts/verify.sh all", declared=declared) == f"{P}./scripts/verify.sh all"
    assert decide("./scripts/other.sh", declared=declared) is None
    assert decide("git status && ls", declared=declared) is None
    assert asked == ["./scripts/verify.sh all", "./scripts/other.sh"]


@pytest.mark.parametrize("variable", [("PUNCHLIST", "off"), ("PUNCHLIST_RUN", "test-1")])
def test_the_environment_switches_it_off(variable: tuple[str, str]) -> None:
    assert decide("pytest", environ=dict([variable])) is None


def test_a_longer_time_limit_is_not_cut_short() -> None:
    assert decide("pytest", limit_s=1200) == "punchlist run --timeout inf -- pytest"
    assert decide("pytest", limit_s=600) == f"{P}pytest"


def test_another_name_of_the_program_is_put_in_front() -> None:
    assert decide("a=1 pytest", program="/x/y/punchlist") == "a=1 /x/y/punchlist run -- pytest"


# What Claude Code 2.1.332 puts around an agent's command.
BEGIN = (
    "source /home/dev/.claude/shell-snapshots/snapshot-bash-1.sh 2>/dev/null || true && "
    "{ \\builtin shopt -u extglob || \\builtin setopt NO_EXTENDED_GLOB; } >/dev/null 2>&1 || true && "
    "{ \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && eval "
)
ENDS = (" < /dev/null && pwd -P >| /tmp/claude-1-cwd", " && pwd -P >| /tmp/claude-1-cwd")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    ("command", "taken"),
    [
        ("pytest -q && echo done", "punchlist run -- pytest -q && echo done"),
        ("pytest -k 'a b'", "punchlist run -- pytest -k 'a b'"),
        ("x && eval 'pytest' && pwd", None),
        ("pytest > out.txt; wc -c < out.txt", None),
        ("ls", None),
    ],
)
def test_claude_s_shell_prefix_takes_over_what_stands_behind_its_eval(
    command: str, taken: str | None, end: str
) -> None:
    environ = {"CLAUDE_CODE_SHELL_PREFIX": "/x/punchlist-shell", "SHELL": "/bin/bash", "PATH": ""}
    text = BEGIN + shlex.quote(command) + end
    said = shell_command(text, environ)[1].replace(program(environ), "punchlist")
    assert said == (text if taken is None else BEGIN + shlex.quote(taken) + end)


@pytest.mark.parametrize("text", ["npx eslint --mcp", "/x/punchlist serve", "pytest -q", "cat > a; npx tsc --noEmit"])
def test_hooks_and_servers_behind_claude_s_shell_prefix_stay_as_they_are(text: str) -> None:
    assert shell_command(text, {"CLAUDE_CODE_SHELL_PREFIX": "/x/punchlist-shell"})[1] == text
