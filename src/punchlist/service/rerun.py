"""Run again only what failed: an argv that selects the failing tests, or a linter on the files of a group."""

import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from punchlist.analysis.groups import find, group
from punchlist.model import Diagnostic, Report, Trouble
from punchlist.reading.command import ASSIGNMENT, Invocation, simple_commands, understand
from punchlist.records import dataclass, replace
from punchlist.service.plan import Plan, of_check, of_command
from punchlist.service.project import Project
from punchlist.store.runs import Run

MOST_TESTS = 500
Failing = Sequence[Diagnostic]


@dataclass(frozen=True, slots=True)
class Selection:
    """How one tool is told what to run: `select` gives the words that pick the failing tests, put where `keep` says.

    `valued` are options that take the next word, `drop` options (with their value) that select by themselves.
    """

    select: Callable[[Failing], list[str]]
    valued: frozenset[str] = frozenset()
    drop: frozenset[str] = frozenset()
    positional: bool = False


def plan_of(project: Project, run_id: str, name: str | None = None, timeout_s: float | None = None) -> Plan:
    """Plan the rerun of a run's failing tests, of one group of it, or of a linter on the group's files."""
    run = project.store.get(run_id)
    report = project.store.report(run_id)
    failing = _wanted(report, run, name)
    tests = tuple({d.test: d for d in failing if d.test}.values())
    words, env, cwd, tool = _base(run, report)
    argv = _selecting(tool, words, tests) if tests else _on_files(tool, words, failing)
    plan = of_command(
        project, tuple(argv), name=run.slug, cwd=str(cwd), timeout_s=timeout_s or run.facts.get("timeout_s")
    )
    own = dict(of_check(project, run.title).env) if run.kind == "check" and run.title in project.checks() else {}
    step = replace(plan.steps[0], env={**own, **env})
    return replace(plan, key=f"rerun:{run.key}", kind="command", title=f"rerun of {run.id}", steps=(step,))


def _wanted(report: Report, run: Run, name: str | None) -> tuple[Diagnostic, ...]:
    failing = tuple(d for d in report.diagnostics if d.severity in ("error", "warning") and d.state != "flaky")
    if name is not None:
        found = find(group(report.diagnostics), name)
        if not found:
            raise Trouble(
                f"no group {name!r} in {run.id}; see its groups with show or get_run_summary", "unknown_group"
            )
        return tuple(d for g in found for d in g.diagnostics)
    tests = tuple(d for d in failing if d.test)
    if not failing:
        raise Trouble(f"nothing failed in {run.id}; run the whole check again", "nothing_failed")
    return tests or failing


def _base(run: Run, report: Report) -> tuple[list[str], dict[str, str], Path, str]:
    """The words of the one program that made the report, its environment and folder."""
    tools = [*report.tools]
    for words in simple_commands(run.command):
        env = {}
        while words and ASSIGNMENT.match(words[0]):
            key, _, value = words[0].partition("=")
            env[key] = value
            words = words[1:]
        found = understand(shlex.join(words)) if words else []
        tool = next((name for one in found for name in _names(one) if name in SELECTIONS or name in tools), None)
        if tool:
            directory = next((one.directory for one in understand(run.command) if one.words == found[-1].words), "")
            return list(words), env, Path(os.path.normpath(Path(run.cwd) / directory)), tool
    script = _script(run.command)
    if script and tools:
        return script, {}, Path(run.cwd), tools[0]
    raise Trouble(
        f"{run.id} ran `{run.command}`: what failed in it cannot be picked out; run the whole check again", "no_rerun"
    )


def _names(one: Invocation) -> tuple[str, ...]:
    rest = [word for word in one.words[1:] if not word.startswith(("-", "+"))]
    return (f"{one.program} {rest[0]}" if rest else one.program, one.program)


def _script(command: str) -> list[str] | None:
    """`npm test` and its like pass words after `--` on to the script."""
    words = shlex.split(command)
    runners = {"npm": ["--"], "pnpm": [], "yarn": [], "bun": []}
    return [*words, *runners[words[0]]] if len(words) > 1 and words[0] in runners else None


def _selecting(tool: str, words: list[str], tests: Failing) -> list[str]:
    selection = SELECTIONS.get(tool) or SELECTIONS.get(tool.split(" ")[0])
    if selection is None:
        raise Trouble(
            f"{tool} has no way to run single tests that is known here; run the whole check again", "no_rerun"
        )
    if len(tests) > MOST_TESTS:
        raise Trouble(f"{len(tests)} tests failed: run the whole check again, or name one group", "too_many")
    return [*_without(words, selection), *selection.select(tests)]


def _without(words: list[str], selection: Selection) -> list[str]:
    """The words without what selects tests already: options to drop, and paths."""
    start = _program_end(words)
    kept = list(words[:start])
    skip = keep_next = False
    for word in words[start:]:
        name = word.split("=", 1)[0]
        if skip:
            skip = False
        elif keep_next:
            kept.append(word)
            keep_next = False
        elif name in selection.drop:
            skip = "=" not in word
        elif word.startswith("-"):
            kept.append(word)
            keep_next = word in selection.valued
        elif selection.positional:
            kept.append(word)
    return kept


def _program_end(words: list[str]) -> int:
    """Where the tool's own arguments begin: after the wrappers, the program, and its sub-command."""
    found = understand(shlex.join(words))
    inner = found[-1].words if found else tuple(words)
    start = len(words) - len(inner) + 1
    subcommands = {"test", "run", "check", "lint", "nextest", "clippy", "vet", "exec"}
    while start < len(words) and words[start] in subcommands:
        start += 1
    return start


def _on_files(tool: str, words: list[str], failing: Failing) -> list[str]:
    files = list(dict.fromkeys(d.file for d in failing if d.file))
    if tool.split(" ")[0] not in FILE_TOOLS or not files:
        return words
    return [*_without(words, Selection(_ids, valued=FILE_TOOLS[tool.split(" ")[0]])), *files]


def _ids(tests: Failing) -> list[str]:
    return [d.test for d in tests if d.test]


def _files(tests: Failing) -> list[str]:
    return list(dict.fromkeys(d.file for d in tests if d.file))


def _places(tests: Failing) -> list[str]:
    return list(dict.fromkeys(f"{d.file}:{d.line}" for d in tests if d.file and d.line)) or _files(tests)


def _spaced(test: str) -> str:
    return " ".join(
        part.strip() for part in re.split(r" > | › ", test) if not re.search(r"\.[cm]?[jt]sx?$", part.strip())
    )


def _either(names: Sequence[str]) -> str:
    return "|".join(dict.fromkeys(re.escape(name).replace(r"\ ", " ").replace("/", r"\/") for name in names))


def _by_name(option: str) -> Callable[[Failing], list[str]]:
    def select(tests: Failing) -> list[str]:
        return [*_test_files(tests), option, f"({_either([_spaced(t) for t in _ids(tests)])})$"]

    return select


def _test_files(tests: Failing) -> list[str]:
    """Test files as the ids name them, else those of the places that look like tests."""
    found = [part for d in tests for part in re.split(r" > | › ", d.test or "") if re.search(r"\.[cm]?[jt]sx?$", part)]
    found += [d.file for d in tests if d.file and re.search(r"\.(?:test|spec)\.|__tests__|(?:^|/)tests?/", d.file)]
    return list(dict.fromkeys(found))


def _pytest(tests: Failing) -> list[str]:
    return ["-vv", *_ids(tests)]


def _cargo(tests: Failing) -> list[str]:
    return ["--no-fail-fast", "--", "--exact", *(t.split(" ")[-1] for t in _ids(tests))]


GO_TEST = re.compile(r"(?:(?P<package>.+?)\.)?(?P<test>(?:Test|Example|Fuzz|Benchmark)\w*(?:/.*)?)$")


def _go(tests: Failing) -> list[str]:
    names = _ids(tests)
    split = [GO_TEST.match(name) for name in names]
    packages = list(dict.fromkeys(m["package"] for m in split if m and m["package"])) or ["./..."]
    paths = [m["test"] for m in split if m] or names
    if len(paths) == 1:
        pattern = "/".join(f"^{re.escape(part)}$" for part in paths[0].split("/"))
    else:
        pattern = f"^(?:{'|'.join(dict.fromkeys(re.escape(p.split('/')[0]) for p in paths))})$"
    return ["-v", "-run", pattern, *packages]


def _phpunit(tests: Failing) -> list[str]:
    return ["--filter", f"/({'|'.join(re.escape(t) for t in _ids(tests))})$/"]


def _maven(tests: Failing) -> list[str]:
    methods: dict[str, list[str]] = {}
    for test in _ids(tests):
        owner, _, method = test.rpartition(".")
        methods.setdefault(owner.rsplit(".", 1)[-1], []).append(method)
    return ["-Dtest=" + ",".join(f"{owner}#{'+'.join(names)}" for owner, names in methods.items())]


def _gradle(tests: Failing) -> list[str]:
    return [word for test in _ids(tests) for word in ("--tests", test)]


def _dotnet(tests: Failing) -> list[str]:
    return ["--filter", "|".join(f"FullyQualifiedName~{test.split('(')[0]}" for test in _ids(tests))]


def _named(option: str, joined: str) -> Callable[[Failing], list[str]]:
    return lambda tests: [option + joined.join(_ids(tests))]


JS_VALUED = frozenset({"--config", "-c", "--reporter", "--project", "--environment", "--require", "-r", "--timeout"})
SELECTIONS: dict[str, Selection] = {
    "pytest": Selection(
        _pytest,
        valued=frozenset(
            {"-m", "-p", "-n", "-c", "-o", "--tb", "--maxfail", "--cov", "--rootdir", "--timeout", "--dist"}
        ),
        drop=frozenset({"-k", "--deselect", "--lf", "--ff"}),
    ),
    "unittest": Selection(lambda tests: ["-v", *_ids(tests)], drop=frozenset({"-k", "-s", "-p", "-t"})),
    "vitest": Selection(_by_name("-t"), JS_VALUED, frozenset({"-t", "--testNamePattern"}), positional=False),
    "jest": Selection(_by_name("-t"), JS_VALUED, frozenset({"-t", "--testNamePattern"})),
    "bun": Selection(_by_name("-t"), JS_VALUED, frozenset({"-t"})),
    "mocha": Selection(
        lambda tests: ["--grep", f"({_either([_spaced(t) for t in _ids(tests)])})$"],
        JS_VALUED,
        frozenset({"-g", "--grep", "-f", "--fgrep"}),
        positional=True,
    ),
    "playwright": Selection(_places, JS_VALUED, frozenset({"-g", "--grep"})),
    "cypress": Selection(
        lambda tests: ["--spec", ",".join(_test_files(tests))], JS_VALUED, frozenset({"--spec", "-s"})
    ),
    "cargo test": Selection(_cargo, frozenset({"-p", "--package", "--test", "--features", "--manifest-path", "--bin"})),
    "cargo nextest": Selection(lambda tests: [t.split(" ")[-1] for t in _ids(tests)], frozenset({"-p", "--package"})),
    "go test": Selection(_go, frozenset({"-timeout", "-count", "-tags", "-p", "-parallel"}), frozenset({"-run"})),
    "rspec": Selection(_places, frozenset({"-r", "-I", "--format", "-f"}), frozenset({"-e", "--example"})),
    "rails": Selection(_places),
    "mix": Selection(_places),
    "behave": Selection(_places),
    "behat": Selection(lambda tests: [*_places(tests)[:1], "-vv"]),
    "phpspec": Selection(_places),
    "phpunit": Selection(_phpunit, frozenset({"-c", "--configuration"}), frozenset({"--filter"}), positional=True),
    "pest": Selection(_phpunit, frozenset({"-c", "--configuration"}), frozenset({"--filter"}), positional=True),
    "mvn": Selection(_maven, frozenset({"-pl", "-f", "-P"}), positional=True),
    "gradle": Selection(_gradle, frozenset({"-p"}), frozenset({"--tests"}), positional=True),
    "dotnet": Selection(_dotnet, frozenset({"-c", "-f"}), frozenset({"--filter"}), positional=True),
    "ctest": Selection(
        lambda tests: ["-R", f"^({'|'.join(map(re.escape, _ids(tests)))})$"], drop=frozenset({"-R"}), positional=True
    ),
    "node": Selection(
        lambda tests: [f"--test-name-pattern={_either([_spaced(t) for t in _ids(tests)])}"],
        drop=frozenset({"--test-name-pattern"}),
        positional=True,
    ),
}
FILE_TOOLS: dict[str, frozenset[str]] = {
    "ruff": frozenset({"--select", "--ignore", "--config", "--output-format"}),
    "flake8": frozenset({"--max-line-length", "--select", "--ignore", "--config"}),
    "pylint": frozenset({"--rcfile", "--disable", "--enable", "-j"}),
    "mypy": frozenset({"--config-file", "--python-version"}),
    "pyright": frozenset({"-p", "--project"}),
    "eslint": frozenset({"-c", "--config", "-f", "--format", "--ext"}),
    "oxlint": frozenset({"-c", "--config", "-f", "--format"}),
    "biome": frozenset({"--reporter", "--config-path"}),
    "prettier": frozenset({"--config"}),
    "stylelint": frozenset({"--config", "--formatter", "-f"}),
    "rubocop": frozenset({"--format", "-f", "-c"}),
    "phpstan": frozenset({"-c", "-l", "--level", "--error-format"}),
    "shellcheck": frozenset({"-f", "-e", "-s"}),
    "black": frozenset({"-l", "--line-length"}),
    "yamllint": frozenset({"-c", "-f"}),
}
