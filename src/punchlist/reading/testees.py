"""Tell what the code under test printed from what the tools of a run said.

A test that passes may print a compiler's errors, another runner's failures, a traceback. Where the command runs
nothing but test runners whose own text tells how they ended, the parsers that only signs in the log ask for read
such output, and are left out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from punchlist.reading.command import SCRIPT_RUNNERS, Invocation, understand
from punchlist.reading.log import Reading
from punchlist.reading.recognise import Candidate, by_command
from punchlist.reading.registry import BY_NAME, formats

QUIET = SCRIPT_RUNNERS | frozenset(
    {"head", "tail", "grep", "egrep", "fgrep", "rg", "cat", "less", "more", "tee", "wc", "sort", "uniq", "tr", "cut"}
    | {
        "sed",
        "awk",
        "true",
        "echo",
        "printf",
        "date",
        "sleep",
        "set",
        "unset",
        "export",
        "ulimit",
        "source",
        ".",
        "wait",
    }
    | {"exit", "rm", "mkdir", "cp", "mv", "ls"}
)
"""Programs that say nothing a parser reads; the script runners among them name their script in the log."""

CUTTERS = frozenset({"head", "tail", "sed", "grep", "egrep", "fgrep", "rg", "awk", "cut", "less", "more"})
"""Programs behind a pipe that pass a part of the log on, and an exit code of their own."""

RUNNERS: dict[str, frozenset[str]] = {
    "pytest": frozenset({"coverage"}),
    "unittest": frozenset({"coverage", "django"}),
    "django": frozenset({"unittest"}),
    "behave": frozenset(),
    "jest": frozenset({"c8"}),
    "vitest": frozenset({"c8"}),
    "mocha": frozenset({"c8"}),
    "ava": frozenset({"c8"}),
    "jasmine": frozenset({"c8"}),
    "tap-js": frozenset({"c8"}),
    "node-test": frozenset({"c8"}),
    "playwright": frozenset(),
    "cypress": frozenset({"mocha"}),
    "karma": frozenset({"jasmine", "mocha", "webpack", "esbuild", "tsc"}),
    "bun-test": frozenset(),
    "cargo-test": frozenset({"cargo", "rustc", "rustc-json", "libtest-json", "nextest", "sanitizers"}),
    "nextest": frozenset({"cargo", "rustc", "rustc-json", "cargo-test"}),
    "go-test": frozenset({"go-build", "go-json", "gotestsum", "ginkgo", "sanitizers"}),
    "phpunit": frozenset({"pest", "php"}),
    "rspec": frozenset({"ruby", "rspec"}),
    "minitest": frozenset({"ruby"}),
    "prove": frozenset({"perl"}),
    "bats": frozenset(),
    "busted": frozenset(),
}
"""Test runners that print their tests' output among their own lines, and who else reads their text."""

FIRST = frozenset(parser.name for parser in formats.PARSERS)
FORMATS = FIRST.union(parser.name for parser in formats.LAST)
SCRIPT = re.compile(r"^(?:> (?:\S+@\S* )?[\w:.-]+(?: [/A-Z]\S*)?\n> |\$ )(?P<command>\S.*)$", re.MULTILINE)


def runners(invocations: Sequence[Invocation], text: str) -> tuple[str, ...]:
    """Return the test runners of a command that runs nothing else, else nothing.

    `text` is the cleaned log: npm, pnpm and yarn print there what their scripts run.
    """
    said = [one for one in invocations if one.program not in QUIET]
    if any(one.program in SCRIPT_RUNNERS for one in invocations):
        said += [one for match in SCRIPT.finditer(text) for one in understand(match["command"])]
        said = [one for one in said if one.program not in QUIET]
    found: list[str] = []
    for one in said:
        names = [candidate.parser.name for candidate in by_command([one])]
        if not any(name in RUNNERS for name in names):
            return ()
        found += names
    return tuple(dict.fromkeys(found))


def in_turn(chosen: Iterable[Candidate], own: Sequence[str]) -> list[Candidate]:
    """Put the command's test runners, and who reads a part of their text, before all that might read their tests'."""
    early = FIRST.union(own, *(RUNNERS.get(name, frozenset()) for name in own))
    found = [*chosen]
    known = {one.parser.name for one in found}
    found += [Candidate(BY_NAME[name]) for name in own if name in RUNNERS and name not in known]
    return sorted(found, key=lambda one: one.parser.name not in early)


def allowed(own: Sequence[str], readings: Mapping[str, Reading], exit_code: int | None) -> frozenset[str] | None:
    """Return the parsers that may still read, None where all may: no runner, nor its report, told how the run ended."""
    verdicts = [reading for name, reading in readings.items() if name in RUNNERS and name in own]
    verdicts = verdicts or [reading for name, reading in readings.items() if name in FIRST]
    if not verdicts or not all(_told(reading, exit_code) for reading in verdicts):
        return None
    return FORMATS.union(own, *(RUNNERS.get(name, frozenset()) for name in own))


def _told(reading: Reading, exit_code: int | None) -> bool:
    """Whether a runner's own text tells all: its failures, or that all passed where the exit code says so too."""
    if reading.partial:
        return reading.outcome == "failed" and any(d.test for d in reading.diagnostics)
    if not reading.counts:
        return False
    return reading.outcome == "failed" or (reading.outcome == "passed" and exit_code in (0, None))


def settled(name: str, reading: Reading, exit_code: int | None) -> None:
    """Hold a runner's verdict against its own totals.

    Failing tests that its log only seems to show are dropped where the totals say that none failed; a run with failed
    tests in its totals did not pass, whatever part of its log is left.
    """
    bad = any(reading.counts.get(word) for word in ("failed", "errors", "cancelled"))
    if name in RUNNERS and reading.outcome in (None, "passed") and bad:
        reading.outcome = "failed"
    if name not in RUNNERS or reading.outcome != "passed" or not _told(reading, exit_code):
        return
    if not bad:
        reading.diagnostics = [d for d in reading.diagnostics if d.severity != "error" or not d.test or d.state]


def is_blind(invocations: Sequence[Invocation], lines: Iterable[str]) -> bool:
    """Whether the exit code is that of a program behind a known tool's pipe, which may have cut the tool's verdict."""
    if len(invocations) < 2 or invocations[-1].program not in CUTTERS:
        return False
    return any(by_command([one]) for one in invocations[:-1]) and any(line.strip() for line in lines)
