"""Real engines over small projects; each is passed over, with a word, where it is not installed."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from punchlist.project.records import Config
from punchlist.project.settings import EngineSetting

pytestmark = [pytest.mark.tools, pytest.mark.timeout(300)]
Need = Callable[..., None]
TSCONFIG = json.dumps({"compilerOptions": {"strict": True, "noEmit": True, "types": []}, "include": ["src"]})


def places(result: Any) -> set[tuple[Any, ...]]:
    return {(d.file, d.line, d.column, d.rule) for d in result.diagnostics}


def test_oxlint_names_rules_plainly_and_a_broken_file_as_such(made: Any, node_modules: Need) -> None:
    node_modules("oxlint")
    made.write(
        {".oxlintrc.json": "{}", "src/a.ts": 'const s = "😀"; debugger;\nexport { s };\n', "src/b.ts": "let x = ;\n"}
    )
    result = made.one("oxlint")
    assert (result.state, result.whole, result.coverage) == ("ok", False, {"src/a.ts", "src/b.ts"})
    assert places(result) == {("src/a.ts", 1, 16, "no-debugger"), ("src/b.ts", 1, 9, "parse-error")}


def test_oxlint_with_the_import_plugin_sees_more_than_one_file(made: Any, node_modules: Need) -> None:
    node_modules("oxlint")
    rules = {"plugins": ["import"], "rules": {"import/named": "error"}}
    made.write(
        {
            ".oxlintrc.json": json.dumps(rules),
            "a.js": "import { b } from './b.js';\nb();\n",
            "b.js": "export const b = 1;\n",
        }
    )
    made.settle()
    result = made.one("oxlint")
    assert (result.state, result.whole) == ("ok", True)
    assert made.one("oxlint").cached == 2
    made.write({"b.js": "export const c = 1;\n"})
    made.settle()
    assert ("a.js", "named") in {(d.file, d.rule) for d in made.one("oxlint").diagnostics}


def test_tsc_checks_each_file_by_its_own_program(made: Any, node_modules: Need) -> None:
    node_modules("typescript")
    made.write(
        {
            "one/tsconfig.json": TSCONFIG,
            "one/package.json": "{}",
            "one/src/a.ts": 'export const a: number = "x";\n',
            "two/tsconfig.json": "// strict, with a comment\n" + TSCONFIG[:-1] + ",}",
            "two/package.json": "{}",
            "two/src/b.ts": 'const s = "😀"; export const b: string = 1;\n',
            "two/src/unasked.ts": "export const c: string = 2;\n",
        }
    )
    made.settle()
    result = made.one("tsc", ["one/src/a.ts", "two/src/b.ts"])
    assert (result.state, result.message) == ("ok", "")
    assert places(result) == {
        ("one/src/a.ts", 1, 14, "TS2322"),
        ("two/src/b.ts", 1, 29, "TS2322"),
        ("two/src/unasked.ts", 1, 14, "TS2322"),
    }
    assert result.coverage == {"one/src/a.ts", "two/src/b.ts", "two/src/unasked.ts"}
    assert made.one("tsc").cached == 3


def test_tsc_is_asked_again_when_a_file_appears_that_it_would_read(made: Any, node_modules: Need) -> None:
    node_modules("typescript")
    made.write({"tsconfig.json": TSCONFIG, "src/a.ts": "import { b } from './b';\nexport const a = b;\n"})
    made.settle()
    assert {d.rule for d in made.one("tsc").diagnostics} == {"TS2307"}
    made.settle()
    assert made.one("tsc").cached
    made.write({"src/b.ts": "export const b = 1;\n"})
    made.settle()
    assert made.one("tsc").diagnostics == ()


def test_tsc_follows_the_whole_chain_of_its_configuration(made: Any, node_modules: Need) -> None:
    node_modules("typescript")
    made.write(
        {
            "tsconfig.json": '{"extends": ["./base"], "include": ["src"]}',
            "base.json": '{"extends": "./more/strict.json", "compilerOptions": {"noEmit": true, "types": []}}',
            "more/strict.json": '{"compilerOptions": {"strict": true}}',
            "src/a.ts": "export function f(a) { return a; }\n",
        }
    )
    made.settle()
    assert {d.rule for d in made.one("tsc").diagnostics} == {"TS7006"}
    made.write({"more/strict.json": '{"compilerOptions": {"strict": false, "noImplicitAny": false}}'})
    made.settle()
    assert made.one("tsc").diagnostics == ()


def test_tsc_that_cannot_read_its_configuration_has_checked_nothing(made: Any, node_modules: Need) -> None:
    node_modules("typescript")
    broken = '{"compilerOptions": {"types": ["nope"]}, "include": ["src"]}'
    made.write({"tsconfig.json": broken, "src/a.ts": "export const a: number = 1;\n"})
    result = made.one("tsc")
    assert (result.state, result.code) == ("error", "engine_execution_failed")
    assert result.diagnostics
    assert not result.cached


def test_an_option_that_tsc_does_not_know_is_a_finding_in_its_configuration(made: Any, node_modules: Need) -> None:
    node_modules("typescript")
    made.write({"tsconfig.json": '{"compilerOptions": {"tarjet": 1}}', "src/a.ts": "export const a: number = 1;\n"})
    (found,) = made.one("tsc").diagnostics
    assert (found.file, found.rule) == ("tsconfig.json", "TS5025")


def test_tsc_checks_the_parts_of_a_solution_without_writing_beside_them(made: Any, node_modules: Need) -> None:
    node_modules("typescript")
    part = {"compilerOptions": {"composite": True, "strict": True, "types": []}, "include": ["src"]}
    made.write(
        {
            "tsconfig.json": json.dumps(
                {"files": [], "references": [{"path": "./lib"}, {"path": "./app/tsconfig.json"}]}
            ),
            "lib/tsconfig.json": json.dumps(part),
            "lib/src/a.ts": 'export const a: number = "x";\n',
            "app/tsconfig.json": json.dumps(part),
            "app/src/b.ts": "export const b: string = 1;\n",
        }
    )
    result = made.one("tsc")
    assert places(result) == {("lib/src/a.ts", 1, 14, "TS2322"), ("app/src/b.ts", 1, 14, "TS2322")}
    assert not list(made.root.rglob("*.tsbuildinfo"))


def test_tsc_checks_a_project_that_refers_to_another_by_its_sources(made: Any, node_modules: Need) -> None:
    node_modules("typescript")
    options = {"composite": True, "strict": True, "types": [], "module": "NodeNext", "rootDir": "src", "outDir": "dist"}
    made.write(
        {
            "lib/package.json": json.dumps({"name": "@x/lib", "type": "module", "exports": "./dist/index.js"}),
            "lib/tsconfig.json": json.dumps({"compilerOptions": {**options, "emitDeclarationOnly": True}}),
            "lib/src/index.ts": "export const a: number = 1;\n",
            "app/package.json": json.dumps({"name": "@x/app", "type": "module"}),
            "app/tsconfig.json": json.dumps({"compilerOptions": options, "references": [{"path": "../lib"}]}),
            "app/src/b.ts": 'import { a } from "@x/lib";\nexport const b: string = a;\n',
            "tsconfig.json": json.dumps({"files": [], "references": [{"path": "app"}]}),
        }
    )
    made.settle()
    result = made.one("tsc")
    assert (result.state, places(result)) == ("ok", {("app/src/b.ts", 2, 14, "TS2322")})
    assert {"app/src/b.ts", "lib/src/index.ts"} <= result.coverage
    assert made.one("tsc", ["app/src/b.ts"]).cached == 2
    made.write({"lib/src/index.ts": 'export const a: string = "now it fits";\n'})
    made.settle()
    assert made.one("tsc", ["app/src/b.ts"]).diagnostics == ()
    assert not [p for name in ("dist", "*.tsbuildinfo") for p in made.root.rglob(name) if "node_modules" not in p.parts]


def test_biome_tells_edits_and_no_formatting_unless_asked(made: Any, node_modules: Need) -> None:
    node_modules("@biomejs/biome")
    made.write(
        {
            "biome.json": '{"files": {"includes": ["src/**"]}}',
            "src/a.ts": "export const f = (a: number) => a  == 1\n",
            "b.ts": "debugger",
        }
    )
    result = made.one("biome")
    assert (result.state, result.coverage) == ("ok", {"src/a.ts"})
    assert [(d.rule, d.column, d.fix is not None) for d in result.diagnostics] == [
        ("lint/suspicious/noDoubleEquals", 36, True)
    ]
    config = Config(engines={"biome": EngineSetting(enabled=True, include_formatter=True)})
    assert "format" in {d.rule for d in made.one("biome", config=config).diagnostics}


def test_eslint_tells_fixes_and_what_it_passed_over(made: Any, node_modules: Need) -> None:
    node_modules("eslint")
    made.write(
        {
            "eslint.config.mjs": "export default [{ignores: ['old/**']}, "
            "{rules: {'prefer-const': 2, 'no-debugger': 1}}];\n",
            "a.js": 'const s = "😀"; let z = s; debugger;\nexport { z };\n',
            "old/b.js": "debugger;\n",
            "c.js": "let x = ;\n",
        }
    )
    result = made.one("eslint", ["a.js", "old/b.js", "c.js"])
    assert (result.state, result.coverage, result.skipped) == ("ok", {"a.js", "c.js"}, 1)
    assert places(result) == {
        ("a.js", 1, 20, "prefer-const"),
        ("a.js", 1, 27, "no-debugger"),
        ("c.js", 1, 9, "parse-error"),
    }
    (fix,) = [d.fix for d in result.diagnostics if d.fix]
    assert fix.safe
    assert [(e.file, e.line, e.column, e.end_column, e.text) for e in fix.edits] == [
        ("a.js", 1, 16, 26, "const z = s;")
    ]


def test_ruff_tells_safe_and_unsafe_fixes(made: Any, program: Need) -> None:
    program("ruff")
    made.write(
        {
            "ruff.toml": 'exclude = ["old"]\nlint.select = ["F401", "E711"]\n',
            "a.py": "import os\nx = 1\nif x == None:\n    pass\n",
            "old/b.py": "import os\n",
        }
    )
    result = made.one("ruff", ["a.py", "old/b.py"])
    assert (result.state, result.whole) == ("ok", False)
    assert {(d.file, d.rule, d.fix is not None and d.fix.safe) for d in result.diagnostics} == {
        ("a.py", "F401", True),
        ("a.py", "E711", False),
    }


def test_mypy_sees_an_edit_that_its_own_cache_would_not(made: Any, program: Need) -> None:
    program("mypy")
    made.write({"mypy.ini": "[mypy]\n", "a.py": "def f() -> str:\n    return 1\n", "b.py": "import a\n"})
    made.settle()
    second = 1_700_000_000 * 10**9
    os.utime(made.root / "a.py", ns=(second, second))
    made.settle()
    assert len(made.one("mypy").diagnostics) == 1
    made.write({"a.py": "def f() -> int:\n    return 1\n"})
    os.utime(made.root / "a.py", ns=(second, second))
    made.settle()
    result = made.one("mypy")
    assert (result.state, result.diagnostics) == ("ok", ())
    assert not list(made.root.rglob(".mypy_cache"))


def test_mypy_covers_what_its_configuration_names(made: Any, program: Need) -> None:
    program("mypy")
    made.write(
        {
            "pyproject.toml": '[tool.mypy]\nfiles = ["src"]\n',
            "src/a.py": 'x: int = "a"\n',
            "tests/b.py": 'y: int = "b"\n',
        }
    )
    result = made.one("mypy")
    assert places(result) == {("src/a.py", 1, 10, "assignment")}
    assert (result.coverage, result.skipped) == ({"src/a.py"}, 1)


@pytest.mark.parametrize(
    ("name", "config", "rule"),
    [
        ("pyright", {"pyrightconfig.json": "{}"}, "reportAssignmentType"),
        ("basedpyright", {"pyproject.toml": "[tool.basedpyright]\n"}, "reportAssignmentType"),
        ("ty", {"ty.toml": ""}, "invalid-assignment"),
        ("pyrefly", {"pyrefly.toml": ""}, "bad-assignment"),
    ],
)
def test_type_checkers_of_python_find_what_is_wrong(
    made: Any, program: Need, name: str, config: dict[str, str], rule: str
) -> None:
    program(name)
    made.write({**config, "a.py": 's: str = "😀"; x: int = "b"\n', "b.py": "import a\n"})
    made.settle()
    result = made.one(name)
    assert (result.state, result.message) == ("ok", "")
    assert [(d.file, d.line, d.column) for d in result.diagnostics if d.rule == rule] == [("a.py", 1, 24)]
    assert made.one(name).cached == 2


def test_clippy_keeps_its_suggestions(made: Any, program: Need) -> None:
    program("cargo-clippy")
    made.write(
        {
            "Cargo.toml": '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/main.rs": "fn main() {\n    let v: Vec<i32> = Vec::new();\n    if v.len() == 0 {}\n}\n",
        }
    )
    made.settle()
    result = made.one("clippy")
    found = {d.rule: d for d in result.diagnostics}
    assert result.state == "ok"
    assert found["clippy::len_zero"].fix is not None
    assert found["clippy::len_zero"].fix.edits[0].text == "v.is_empty()"
    made.write({"Cargo.toml": "[package\n"})
    broken = made.one("clippy")
    assert broken.state == "error"


def test_go_vet_reads_the_module_it_stands_in(made: Any, program: Need) -> None:
    program("go")
    made.environ = {**made.environ, "HOME": str(made.state), "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    text = 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Printf("%d\\n", "x")\n}\n'
    made.write({"sub/go.mod": "module example.com/m\n\ngo 1.19\n", "sub/m.go": text})
    result = made.one("go-vet")
    assert (result.state, result.message) == ("ok", "")
    assert [(d.file, d.line) for d in result.diagnostics] == [("sub/m.go", 6)]


def test_shellcheck_and_rubocop_are_read(made: Any, program: Need) -> None:
    program("shellcheck")
    made.write({".shellcheckrc": "", "a.sh": "#!/bin/sh\necho $1\n"})
    result = made.one("shellcheck")
    assert [(d.rule, d.line, d.column, d.fix is not None) for d in result.diagnostics] == [("SC2086", 2, 6, True)]


def test_git_decides_what_belongs_to_the_project(made: Any, program: Need) -> None:
    program("ruff")
    program("git")
    made.write(
        {
            ".gitignore": "made\n",
            "ruff.toml": 'lint.select = ["F"]',
            "a.py": "",
            "made/b.py": "import os\n",
            "new.py": "import os\n",
        }
    )
    subprocess.run(["git", "init", "-q"], cwd=made.root, check=True)
    subprocess.run(["git", "add", "a.py", "ruff.toml"], cwd=made.root, check=True)
    checked = made.check(engines=["ruff"])
    assert checked.files == (".gitignore", "a.py", "new.py", "ruff.toml")
    assert {d.file for d in checked.results[0].diagnostics} == {"new.py"}
    assert {d.file for d in made.one("ruff", ["made/b.py"]).diagnostics} == {"made/b.py"}
    Path(made.root / "a.py").unlink()
    checked = made.check(engines=["ruff"])
    assert ("a.py" in checked.files, checked.gone) == (False, ("a.py",))
