"""The order in which groups deserve to be read."""

import re
from collections.abc import Iterable

from punchlist.analysis.groups import Group
from punchlist.model import SEVERITIES, Diagnostic

_FOREIGN = re.compile(
    r"(?:^|/)(?:node_modules|site-packages|dist-packages|\.cargo|\.rustup|\.venv|vendor/(?:bundle|golang\.org|github\.com)"
    r"|\.m2|\.gradle|\.pnpm|\.tox|\.nox)/|^(?:/usr|/opt|/lib|/nix|/rustc)/|^node:|^<|^(?:[A-Z]:)?/.*/lib/python3"
)
_CONSEQUENCE = re.compile(
    r"\*\*\* (?:\[|Error)|\bError \d+$|could not compile|due to \d+ previous error|aborting due to"
    r"|\bELIFECYCLE\b|[Cc]ommand failed|exited? with (?:exit )?(?:code|status) \d|exit (?:code|status):? \d"
    r"|^\d+ tests? failed|[Tt]here (?:were|are) (?:test )?failing tests|Lifecycle script|returned non-zero"
    r"|^(?:make|ninja)(?:\[\d+\])?:|subcommand failed|build (?:stopped|failed)$|Failed to execute goal|InvocationError",
)


def foreign(file: str | None) -> bool:
    """Is this file installed code rather than the project's own?"""
    return bool(file and _FOREIGN.search(file.replace("\\", "/")))


def consequence(d: Diagnostic) -> bool:
    """Does the diagnostic only say that something else went wrong?"""
    return not d.test and not (d.file and d.line) and bool(_CONSEQUENCE.search(d.message))


def priority(g: Group) -> tuple[object, ...]:
    """Sort key of a group: worst first, causes before consequences, own code before foreign, the widespread first.

    What a compiler or a loader says explains tests that fail, so it stands before them. Flaky tests come last.
    """
    first = g.diagnostics[0]
    return (
        SEVERITIES.index(g.severity),
        all(consequence(d) for d in g.diagnostics),
        all(d.state == "flaky" for d in g.diagnostics),
        all(foreign(d.file) for d in g.diagnostics),
        all(d.test for d in g.diagnostics),
        -len(g.files) if len(g.files) > 1 else 0,
        first.file is None,
        first.file or "",
        first.line or 0,
        g.rule or "",
        g.fingerprint,
    )


def ranked(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Groups in the order to be read; the same for the same input everywhere."""
    return tuple(sorted(groups, key=priority))
