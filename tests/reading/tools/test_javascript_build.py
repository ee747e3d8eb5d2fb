"""Kinds of output of JavaScript's tools that no recorded fixture shows: other versions, other wrappers, odd layouts."""

from dataclasses import dataclass

import pytest

from punchlist.model import How, Report
from punchlist.reading.reader import read


@dataclass(frozen=True)
class Sample:
    name: str
    command: str
    stdout: str = ""
    stderr: str = ""
    exit_code: int = 1
    outcome: str = "failed"
    found: tuple[tuple[str | None, int | None, str | None, str], ...] = ()


SAMPLES = (
    Sample(
        "angular 12 puts a word before the compiler's line, templates have NG codes and numbered advice",
        "npx ng build",
        "\nError: src/app/app.component.ts:12:5 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n"
        "12     this.x = 'a';\n       ~~~~~~\n\n\n"
        "Error: src/app/b.component.html:3:10 - error NG8001: 'app-x' is not a known element:\n"
        "1. If 'app-x' is an Angular component, then verify that it is part of this module.\n\n"
        "3   <app-x></app-x>\n    ~~~~~~~\n\n"
        "  src/app/b.component.ts:5:16\n    5   templateUrl: './b.component.html',\n                     ~~~~~~~\n"
        "    Error occurs in the template of component B.\n",
        found=(
            ("src/app/app.component.ts", 12, "TS2322", "Type 'string' is not assignable to type 'number'."),
            ("src/app/b.component.html", 3, "NG8001", "'app-x' is not a known element:"),
        ),
    ),
    Sample(
        "angular 17 and later print boxes with the compiler's code in the text",
        "npx ng build",
        stderr="✘ [ERROR] TS2339: Property 'foo' does not exist on type 'AppComponent'. [plugin angular-compiler]\n\n"
        "    src/app/app.component.html:3:8:\n      3 │   {{ foo }}\n        ╵      ~~~\n\n"
        "  Error occurs in the template of component AppComponent.\n\n"
        "    src/app/app.component.ts:6:15:\n      6 │   templateUrl: './app.component.html',\n        ╵   ~~~~\n\n",
        found=(("src/app/app.component.html", 3, "TS2339", "Property 'foo' does not exist on type 'AppComponent'."),),
    ),
    Sample(
        "a watching compiler's last check counts",
        "npx tsc --watch",
        "[10:22:01 AM] Starting compilation in watch mode...\n\n"
        "src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n\n"
        "[10:22:03 AM] Found 1 error. Watching for file changes.\n\n"
        "[10:22:10 AM] File change detected. Starting incremental compilation...\n\n"
        "[10:22:11 AM] Found 0 errors. Watching for file changes.\n",
        exit_code=0,
        outcome="passed",
    ),
    Sample(
        "a message with blank lines and a code frame keeps its rule",
        "npx eslint .",
        "\n/home/dev/shop/src/a.js\n  12:5  error  Error: Cannot access refs during render\n\n"
        "React refs are values that are not needed for rendering.\n\n/home/dev/shop/src/a.js:12:5\n"
        "  10 |   const ref = useRef(0);\n  11 |\n> 12 |   ref.current\n"
        "     |   ^^^^^^^^^^^ Cannot access ref value during render\n  13 | }  react-hooks/refs\n\n"
        "✖ 1 problem (1 error, 0 warnings)\n",
        found=(("src/a.js", 12, "react-hooks/refs", "Error: Cannot access refs during render"),),
    ),
    Sample(
        "Windows paths",
        "npx eslint .",
        "\r\nC:\\shop\\src\\a.js\r\n  1:5  error  'x' is never used  no-unused-vars\r\n\r\n"
        "✖ 1 problem (1 error, 0 warnings)\r\n",
        found=(("C:/shop/src/a.js", 1, "no-unused-vars", "'x' is never used"),),
    ),
    Sample(
        "npm 6 passes on what the compiler said",
        "npm run build",
        "\n> shop@1.0.0 build /home/dev/shop\n> tsc\n\n"
        "src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
        "npm ERR! code ELIFECYCLE\nnpm ERR! errno 2\nnpm ERR! shop@1.0.0 build: `tsc`\nnpm ERR! Exit status 2\n",
        found=(("src/a.ts", 1, "TS2322", "Type 'string' is not assignable to type 'number'."),),
    ),
    Sample(
        "npm 6 alone is the only one who says that a silent script failed",
        "npm run build",
        "\n> shop@1.0.0 build /home/dev/shop\n> exit 2\n\n",
        "npm ERR! code ELIFECYCLE\nnpm ERR! errno 2\nnpm ERR! shop@1.0.0 build: `exit 2`\nnpm ERR! Exit status 2\n",
        found=((None, None, None, "shop@1.0.0 build: `exit 2`"),),
    ),
    Sample(
        "a dependency's install script failed",
        "npm ci",
        stderr="npm error code 1\nnpm error path /home/dev/shop/node_modules/bcrypt\nnpm error command failed\n"
        "npm error command sh -c node-gyp rebuild\nnpm error gyp ERR! find Python\n",
        found=((None, None, None, "command sh -c node-gyp rebuild"),),
    ),
    Sample(
        "yarn 4 names codes, details are indented",
        "yarn install",
        "➤ YN0000: ┌ Resolution step\n➤ YN0035: │ nope-pkg@npm:^1.0.0: Package not found\n"
        "➤ YN0035: │   Response Code: 404 (Not Found)\n➤ YN0000: └ Completed in 0s 500ms\n"
        "➤ YN0000: Failed with errors in 0s 511ms\n",
        outcome="error",
        found=((None, None, "YN0035", "nope-pkg@npm:^1.0.0: Package not found"),),
    ),
    Sample(
        "node runs out of memory",
        "node build.js",
        stderr="\n<--- Last few GCs --->\n\n[123:0x5]    60000 ms: Mark-sweep 2000.0 (2080.0) -> 1999.0 MB\n\n\n"
        "<--- JS stacktrace --->\n\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n"
        " 1: 0xb7a940 node::Abort() [node]\nAborted (core dumped)\n",
        exit_code=134,
        found=((None, None, None, "Reached heap limit Allocation failed - JavaScript heap out of memory"),),
    ),
    Sample(
        "create-react-app lists lint rows by line",
        "npx react-scripts build",
        "Creating an optimized production build...\n\nFailed to compile.\n\n[eslint] \nsrc/App.js\n"
        "  Line 3:10:  'x' is defined but never used  no-unused-vars\n  Line 9:5:   Unexpected alert   no-alert\n\n",
        found=(
            ("src/App.js", 3, "no-unused-vars", "'x' is defined but never used"),
            ("src/App.js", 9, "no-alert", "Unexpected alert"),
        ),
    ),
    Sample(
        "npm audit lists advisories by package",
        "npm audit",
        "# npm audit report\n\nlodash  <=4.17.20\nSeverity: high\n"
        "Command Injection in lodash - https://github.com/advisories/GHSA-35jh-r3h4-6jhm\n"
        "fix available via `npm audit fix`\nnode_modules/lodash\n\n1 high severity vulnerability\n",
        found=(
            (
                None,
                None,
                "GHSA-35jh-r3h4-6jhm",
                "Command Injection in lodash - https://github.com/advisories/GHSA-35jh-r3h4-6jhm",
            ),
        ),
    ),
    Sample(
        "a task runner that does not know the task",
        "npx turbo run biuld",
        stderr="  x Missing tasks in project\n  |-> \n  `->   x Could not find task `biuld` in project\n\n",
        outcome="error",
        found=((None, None, None, "Missing tasks in project"),),
    ),
)


def reading(sample: Sample) -> Report:
    how = How(ending="exit", exit_code=sample.exit_code)
    return read(sample.stdout.encode(), sample.stderr.encode(), command=sample.command, how=how, root="/home/dev/shop")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_output_is_read_as_its_tool_means_it(sample: Sample) -> None:
    report = reading(sample)
    assert report.outcome == sample.outcome
    assert tuple((d.file, d.line, d.rule, d.message) for d in report.diagnostics) == sample.found


def test_lines_that_only_look_like_findings_make_none() -> None:
    log = (
        "error TS is short for TypeScript\n  12:5  see the notes\n[warn] cache is cold\n(!) mind the gap in prose\n"
        "npm is a package manager\nFound 3 errors yesterday\nERROR in the morning\n✓ 12 tests\n"
    )
    report = read(log.encode(), b"", command="cat notes.txt", how=How(ending="exit", exit_code=0))
    assert report.diagnostics == ()
