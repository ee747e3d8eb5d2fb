import json
import time
from pathlib import Path

import pytest

from punchlist.project.config import Check, Config, load
from punchlist.project.discover import discover, find_check, known_checks, tool_path
from punchlist.project.discovery.names import is_check, plain_name


def project(root: Path, files: dict[str, str]) -> dict[str, Check]:
    """Write files (a name that ends in / is a folder) and discover the checks."""
    for name, text in files.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return discover(root)


def commands(checks: dict[str, Check]) -> dict[str, str]:
    return {name: check.command for name, check in checks.items()}


def package(scripts: dict[str, str], **more: object) -> str:
    return json.dumps({"name": "x", "scripts": scripts, **more}, indent=2)


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("test", "test"),
        ("tests", "test"),
        ("test:unit", "test-unit"),
        ("unit", "unit"),
        ("e2e", "e2e"),
        ("test.ci", "test.ci"),
        ("lint", "lint"),
        ("lint:ci", "lint-ci"),
        ("eslint", "eslint"),
        ("typecheck", "typecheck"),
        ("type-check", "typecheck"),
        ("check:types", "typecheck"),
        ("tsc", "typecheck"),
        ("format:check", "format-check"),
        ("check-format", "format-check"),
        ("prettier:check", "format-check"),
        ("build", "build"),
        ("prettier", "prettier"),
        ("precommit-check", None),
        ("build:prod", None),
        ("build-and-verify-docs", None),
        ("ci-notify", None),
        ("redis-check-dump", None),
        ("ui-test", "ui-test"),
        ("approve-size-tests", None),
        ("verify", "verify"),
        ("ci", "ci"),
        ("dev", None),
        ("start", None),
        ("serve", None),
        ("test:watch", None),
        ("watch:test", None),
        ("lint:fix", None),
        ("fix:lint", None),
        ("format", None),
        ("test:update", None),
        ("test:debug", None),
        ("build:watch", None),
        ("pretest", None),
        ("postbuild", None),
        ("prepare", None),
        ("release", None),
        ("deploy", None),
        ("clean", None),
        ("latest", None),
        ("attestation", None),
    ],
)
def test_a_script_is_a_check_by_its_name(script: str, name: str | None) -> None:
    assert plain_name(script) == name


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("vitest run", True),
        ("jest --ci", True),
        ("jest --watchAll=false", True),
        ("tsc --noEmit", True),
        ("tsc --watch", False),
        ("tsc -p . -w", False),
        ("jest --watch", False),
        ("jest --watchAll", False),
        ("vitest watch", False),
        ("vitest --ui", False),
        ("nodemon test.js", False),
        ("eslint . --fix", False),
        ("eslint . --fix-dry-run", True),
        ("prettier --write .", False),
        ("prettier --check .", True),
        ("npx prettier -l src", True),
        ("eslint . && prettier --check .", True),
        ('prettier "**/*.css"', False),
        ("jest -u", False),
        ("vite build", True),
        ("vite", False),
        ("next dev", False),
        ("webpack serve", False),
        ("node server.test.js", True),
        ('echo "Error: no test specified" && exit 1', False),
    ],
)
def test_what_never_ends_or_changes_files_is_no_check(command: str, expected: bool) -> None:
    assert is_check(command) is expected


@pytest.mark.parametrize(
    ("files", "manager"),
    [
        ({}, "npm"),
        ({"package-lock.json": "{}"}, "npm"),
        ({"pnpm-lock.yaml": ""}, "pnpm"),
        ({"yarn.lock": ""}, "yarn"),
        ({"bun.lock": ""}, "bun"),
        ({"bun.lockb": ""}, "bun"),
    ],
)
def test_scripts_run_with_the_package_manager_of_the_lock_file(
    tmp_path: Path, files: dict[str, str], manager: str
) -> None:
    checks = project(tmp_path, {"package.json": package({"test": "vitest run"}), **files})
    assert commands(checks) == {"test": f"{manager} run test"}


def test_the_declared_package_manager_beats_the_lock_file(tmp_path: Path) -> None:
    text = package({"test": "vitest run"}, packageManager="pnpm@9.1.0+sha512.abc")
    assert commands(project(tmp_path, {"package.json": text, "package-lock.json": "{}"})) == {"test": "pnpm run test"}


def test_a_package_shows_its_scripts_that_are_checks_with_their_lines(tmp_path: Path) -> None:
    scripts = {
        "dev": "vite",
        "build": "tsc -b && vite build",
        "test": "vitest run",
        "test:watch": "vitest",
        "lint": "eslint .",
        "lint:fix": "eslint . --fix",
        "type-check": "tsc --noEmit",
        "format:check": "prettier --check .",
        "format": "prettier --write .",
        "prepare": "husky",
    }
    checks = project(tmp_path, {"package.json": package(scripts)})
    assert commands(checks) == {
        "build": "npm run build",
        "test": "npm run test",
        "lint": "npm run lint",
        "typecheck": "npm run type-check",
        "format-check": "npm run format:check",
    }
    test = checks["test"]
    assert (test.origin, test.file, test.line) == ("package.json script", "package.json", 6)
    assert test.description == "vitest run"


def test_a_test_script_that_only_starts_the_watcher_is_no_check(tmp_path: Path) -> None:
    scripts = {"test": "npm run test:watch", "test:watch": "jest --watch", "test:ci": "jest --ci"}
    assert list(project(tmp_path, {"package.json": package(scripts)})) == ["test-ci"]


@pytest.mark.parametrize(
    ("script", "lock", "command", "env"),
    [
        ("ng test", "package-lock.json", "npm run test -- --watch=false", {}),
        ("ng test", "pnpm-lock.yaml", "pnpm run test --watch=false", {}),
        ("ng test --no-watch", "package-lock.json", "npm run test", {}),
        ("react-scripts test", "yarn.lock", "yarn run test", {"CI": "true"}),
        ("npm run unit", "yarn.lock", "yarn run test", {"CI": "true"}),
        ("vitest run", "yarn.lock", "yarn run test", {}),
    ],
)
def test_a_runner_that_watches_by_default_is_told_to_run_once(
    tmp_path: Path, script: str, lock: str, command: str, env: dict[str, str]
) -> None:
    check = project(tmp_path, {"package.json": package({"test": script, "unit": "react-scripts test"}), lock: ""})[
        "test"
    ]
    assert (check.command, check.env) == (command, env)


def test_a_script_name_that_a_shell_could_read_otherwise_is_quoted(tmp_path: Path) -> None:
    checks = project(tmp_path, {"package.json": package({"test $(touch x)": "vitest run"})})
    assert commands(checks) == {"test-touch-x": "npm run 'test $(touch x)'"}


def test_a_check_script_that_only_type_checks_has_the_plain_name(tmp_path: Path) -> None:
    checks = project(tmp_path, {"package.json": package({"check": "tsc --noEmit"})})
    assert commands(checks) == {"typecheck": "npm run check"}


def test_tools_that_no_script_names_are_concluded_from_their_settings(tmp_path: Path) -> None:
    files = {
        "package.json": package({}, devDependencies={"vitest": "^2", "typescript": "^5"}),
        "eslint.config.mjs": "",
        "tsconfig.json": '{\n  // strict\n  "compilerOptions": {"strict": true,},\n}',
    }
    assert commands(project(tmp_path, files)) == {"test": "vitest run", "lint": "eslint .", "typecheck": "tsc --noEmit"}


def test_a_solution_of_typescript_references_is_built(tmp_path: Path) -> None:
    files = {"package.json": package({}), "tsconfig.json": '{"files": [], "references": [{"path": "a"}]}'}
    assert commands(project(tmp_path, files)) == {"typecheck": "tsc --build"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, {"test": "pytest"}),
        ({"pyproject.toml": '[dependency-groups]\ndev = ["pytest>=8"]\n'}, {"test": "pytest"}),
        ({"pyproject.toml": '[project.optional-dependencies]\ntest = [\n  "pytest",\n]\n'}, {"test": "pytest"}),
        ({"pyproject.toml": '[dependency-groups]\ndev = ["pytest-cov"]\n'}, {}),
        ({"requirements-dev.txt": "pytest==8.0\n", "setup.py": ""}, {"test": "pytest"}),
        ({"tox.ini": "[pytest]\n"}, {"test": "pytest"}),
        (
            {"setup.cfg": "[tool:pytest]\n[flake8]\n[mypy]\n"},
            {"test": "pytest", "lint": "flake8", "typecheck": "mypy ."},
        ),
        ({"setup.py": "", "tests/conftest.py": ""}, {"test": "pytest"}),
        (
            {"setup.py": "", "tests/__init__.py": "", "tests/test_a.py": ""},
            {"test": "python -m unittest discover -s tests -t ."},
        ),
        ({"manage.py": ""}, {"test": "python manage.py test"}),
        (
            {"pyproject.toml": "[tool.ruff]\n[tool.mypy]\nfiles = ['src']\n"},
            {"lint": "ruff check .", "typecheck": "mypy"},
        ),
        ({"pyproject.toml": "[tool.ruff.format]\n"}, {"lint": "ruff check .", "format-check": "ruff format --check ."}),
        ({"pyproject.toml": "[tool.pyright]\n[tool.mypy]\n"}, {"typecheck": "mypy .", "pyright": "pyright"}),
        ({"pyrightconfig.json": "{}"}, {"typecheck": "pyright"}),
        ({"tox.ini": "[tox]\n[testenv]\n"}, {"tox": "tox"}),
        ({"noxfile.py": ""}, {"nox": "nox"}),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n", "uv.lock": ""}, {"test": "uv run pytest"}),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n", "poetry.lock": ""}, {"test": "poetry run pytest"}),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n", "uv.lock": "", ".venv/pyvenv.cfg": ""}, {"test": "pytest"}),
        ({"pyproject.toml": "not toml ["}, {}),
    ],
)
def test_python_projects(tmp_path: Path, files: dict[str, str], expected: dict[str, str]) -> None:
    assert commands(project(tmp_path, files)) == expected


MAKEFILE = """\
.PHONY: test lint
PY := python
TESTS = tests
all: build

test: deps ## run the tests
\t$(PY) -m pytest
test-watch:
\tptw
lint check-style:
\truff check .
lint-fix:
\truff check --fix .
build: out/test.o
\tcc -o out
%.o: %.c
\tcc -c $<
out/test.o: x.c
deploy:
\t./deploy.sh
verify::
\techo ok
"""

JUSTFILE = """\
set shell := ["bash", "-c"]
export CHECK := "1"

default: test

# all tests
test *args:
    cargo test {{args}}

test-one name:
    cargo test {{name}}

@lint:
    cargo clippy

_check:
    true

build mode="debug":
    cargo build
"""

TASKFILE = """\
version: '3'
tasks:
  test:
    cmds: [go test ./...]
  lint:
    internal: true
    cmds: [golangci-lint run]
  watch-tests: {cmd: x}
"""


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"Makefile": MAKEFILE},
            {
                "test": "make test",
                "lint": "make lint",
                "check-style": "make check-style",
                "build": "make build",
                "verify": "make verify",
            },
        ),
        ({"Makefile": "all: x\n\t$(CC) x.c\n"}, {"build": "make"}),
        ({"Makefile": "all: testcov lint\nlint:\n\tflake8\n"}, {"lint": "make lint"}),
        ({"justfile": JUSTFILE}, {"test": "just test", "lint": "just lint", "build": "just build"}),
        ({"Taskfile.yml": TASKFILE}, {"test": "task test"}),
        (
            {"Cargo.toml": "[package]\nname = 'x'\n"},
            {
                "test": "cargo test",
                "lint": "cargo clippy --all-targets",
                "check": "cargo check --all-targets",
                "build": "cargo build",
            },
        ),
        (
            {"Cargo.toml": "[package]\nname = 'x'\n[workspace]\n", "crates/a/Cargo.toml": "[package]\nname = 'a'\n"},
            {
                "test": "cargo test --workspace",
                "lint": "cargo clippy --workspace --all-targets",
                "check": "cargo check --workspace --all-targets",
                "build": "cargo build --workspace",
            },
        ),
        ({"go.mod": "module x\n"}, {"test": "go test ./...", "vet": "go vet ./...", "build": "go build ./..."}),
        (
            {"go.mod": "module x\n", ".golangci.yml": ""},
            {"test": "go test ./...", "lint": "golangci-lint run", "vet": "go vet ./...", "build": "go build ./..."},
        ),
        ({"pom.xml": "", "a/pom.xml": ""}, {"test": "mvn -B test", "build": "mvn -B package -DskipTests"}),
        ({"pom.xml": "", "mvnw": ""}, {"test": "./mvnw -B test", "build": "./mvnw -B package -DskipTests"}),
        (
            {"settings.gradle.kts": "", "gradlew": "", "app/build.gradle.kts": ""},
            {
                "test": "./gradlew --console=plain test",
                "check": "./gradlew --console=plain check",
                "build": "./gradlew --console=plain assemble",
            },
        ),
        (
            {"Gemfile": "gem 'rspec'\n", ".rspec": "", ".rubocop.yml": ""},
            {"test": "bundle exec rspec", "lint": "bundle exec rubocop"},
        ),
        ({"Rakefile": "Rake::TestTask.new(:test)\n"}, {"test": "rake test"}),
        ({"Gemfile": "", "bin/rails": "", "test/": ""}, {"test": "bin/rails test"}),
        (
            {"composer.json": '{"scripts": {"test": "phpunit", "lint": ["phpcs", "x"], "post-install-cmd": "x"}}'},
            {"test": "composer run-script test", "lint": "composer run-script lint"},
        ),
        (
            {"composer.json": '{"require-dev": {"pestphp/pest": "^2"}}', "phpunit.xml": "", "phpstan.neon.dist": ""},
            {"test": "vendor/bin/pest", "lint": "vendor/bin/phpstan analyse --no-progress"},
        ),
        (
            {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(x)\nenable_testing()\n"},
            {
                "build": "cmake -S . -B build && cmake --build build",
                "test": "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
            },
        ),
        (
            {"CMakeLists.txt": "project(x)\n", "cmake-build-debug/CMakeCache.txt": ""},
            {"build": "cmake --build cmake-build-debug"},
        ),
        (
            {"mix.exs": "", ".formatter.exs": ""},
            {"test": "mix test", "build": "mix compile", "format-check": "mix format --check-formatted"},
        ),
        ({"App.sln": 'Project("App.Tests")\n'}, {"build": "dotnet build", "test": "dotnet test"}),
        ({"App.csproj": "<Project/>"}, {"build": "dotnet build"}),
        ({"A.sln": "", "B.sln": ""}, {"build": "dotnet build A.sln"}),
        (
            {"deno.json": '{"tasks": {"test": "deno test -A", "dev": "deno run --watch main.ts"}}'},
            {"test": "deno task test", "lint": "deno lint", "typecheck": "deno check ."},
        ),
        ({"Package.swift": "", "Tests/": ""}, {"build": "swift build", "test": "swift test"}),
        ({"pubspec.yaml": "name: x\n", "test/": ""}, {"lint": "dart analyze", "test": "dart test"}),
        ({"pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n"}, {"lint": "flutter analyze"}),
        ({".pre-commit-config.yaml": "repos: []\n"}, {"pre-commit": "pre-commit run --all-files"}),
        ({}, {}),
    ],
)
def test_other_ecosystems(tmp_path: Path, files: dict[str, str], expected: dict[str, str]) -> None:
    assert commands(project(tmp_path, files)) == expected


def test_a_pipeline_of_build_and_test_has_steps(tmp_path: Path) -> None:
    checks = project(tmp_path, {"CMakeLists.txt": "project(x)\ninclude(CTest)\n"})
    assert [step.name for step in checks["test"].steps] == ["configure", "build", "test"]
    assert checks["test"].pipeline


def test_what_a_project_declares_has_the_plain_name_before_what_is_concluded(tmp_path: Path) -> None:
    checks = project(tmp_path, {"Makefile": "test:\n\tpytest -x\n", "pyproject.toml": "[tool.pytest.ini_options]\n"})
    assert commands(checks) == {"test": "make test", "pytest": "pytest"}


def test_packages_stand_in_front_where_several_have_a_name(tmp_path: Path) -> None:
    checks = project(
        tmp_path,
        {
            "package.json": package({"lint": "eslint ."}, workspaces=["apps/*", "libs/*"]),
            "apps/web/package.json": package({"test": "vitest run", "e2e": "playwright test"}),
            "libs/ui/package.json": package({"test": "vitest run"}),
            "backend/pyproject.toml": "[tool.pytest.ini_options]\n[tool.mypy]\n",
        },
    )
    assert {name: check.cwd for name, check in checks.items()} == {
        "lint": None,
        "web-test": "apps/web",
        "e2e": "apps/web",
        "backend-test": "backend",
        "typecheck": "backend",
        "ui-test": "libs/ui",
    }
    assert checks["web-test"].package == "apps/web"


def test_the_root_keeps_the_plain_name(tmp_path: Path) -> None:
    files = {"package.json": package({"test": "x run"}), "web/package.json": package({"test": "vitest run"})}
    assert {name: check.cwd for name, check in project(tmp_path, files).items()} == {"test": None, "web-test": "web"}


def test_folders_of_one_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    files = {f"{side}/core/package.json": package({"test": "vitest run"}) for side in ("front", "back")}
    assert sorted(project(tmp_path, files)) == ["back-core-test", "front-core-test"]


@pytest.mark.parametrize(
    "folder", ["node_modules/x", "tests/fixtures/x", "examples/x", "vendor/x", ".hidden/x", "a/b/c/x", "target/x"]
)
def test_projects_of_others_are_passed_over(tmp_path: Path, folder: str) -> None:
    assert project(tmp_path, {f"{folder}/package.json": package({"test": "vitest run"})}) == {}


@pytest.mark.parametrize(
    "text", ["{", "[]", "null", '{"scripts": 3}', '{"scripts": {"test": 3}}', '{"workspaces": {"packages": 1}}', "\x00"]
)
def test_a_broken_manifest_breaks_nothing(tmp_path: Path, text: str) -> None:
    files = {"package.json": text, "composer.json": text, "deno.json": text, "go.mod": "module x\n"}
    assert "vet" in project(tmp_path, files)


def test_discovered_checks_come_after_configured_ones_and_never_over_them(tmp_path: Path) -> None:
    project(tmp_path, {"package.json": package({"test": "vitest run", "lint": "eslint ."})})
    (tmp_path / "punchlist.toml").write_text('[checks]\ntest = "mine"\n', encoding="utf-8")
    config = load(tmp_path, {})
    assert commands(known_checks(tmp_path, config)) == {"test": "mine", "lint": "npm run lint"}
    assert list(known_checks(tmp_path, Config(discover=False))) == []


@pytest.mark.parametrize("name", ["test-unit", "test:unit", "test unit"])
def test_a_check_is_found_by_the_name_its_script_has(tmp_path: Path, name: str) -> None:
    checks = project(tmp_path, {"package.json": package({"test:unit": "vitest run"})})
    found = find_check(checks, name)
    assert found is not None
    assert found.name == "test-unit"


def test_an_unknown_name_finds_no_check(tmp_path: Path) -> None:
    assert find_check(project(tmp_path, {}), "nothing") is None


def test_the_projects_own_tools_are_found_nearest_first_up_to_the_repository(tmp_path: Path) -> None:
    root = tmp_path / "repo/app"
    for folder in (
        ".venv/bin",
        "node_modules/.bin",
        "pkg/node_modules/.bin",
        "../node_modules/.bin",
        "../.git",
        "../../node_modules/.bin",
    ):
        (root / folder).mkdir(parents=True)
    (root / ".venv/pyvenv.cfg").write_text("", encoding="utf-8")
    found = [path.relative_to(tmp_path).as_posix() for path in tool_path(root, root / "pkg")]
    assert found == [
        "repo/app/pkg/node_modules/.bin",
        "repo/app/.venv/bin",
        "repo/app/node_modules/.bin",
        "repo/node_modules/.bin",
    ]


def test_tools_above_a_root_without_a_repository_are_not_the_projects(tmp_path: Path) -> None:
    (tmp_path / "node_modules/.bin").mkdir(parents=True)
    (tmp_path / "app").mkdir()
    assert tool_path(tmp_path / "app") == []


def test_a_folder_named_venv_that_is_no_environment_is_not_used(tmp_path: Path) -> None:
    (tmp_path / ".venv/bin").mkdir(parents=True)
    assert tool_path(tmp_path) == []


def test_two_hundred_packages_are_discovered_in_a_moment(tmp_path: Path) -> None:
    files = {f"packages/p{n}/package.json": package({"test": "vitest run"}) for n in range(200)}
    begin = time.perf_counter()
    checks = project(tmp_path, {"package.json": package({}, workspaces=["packages/*"]), **files})
    assert len(checks) == 200
    assert time.perf_counter() - begin < 5
