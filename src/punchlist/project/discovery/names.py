"""Decide by its name and command whether a script or target is a check, and what to call it."""

import re


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


# A name is a check's where it begins or ends with one of these ...
KINDS = words(
    """
    test tests spec specs unit e2e integration lint lints linter eslint stylelint oxlint ruff mypy pyright flake8
    pylint typecheck types tsc check checks verify validate validation coverage cov clippy vet prettier biome
    phpunit phpstan psalm pest rspec rubocop pytest vitest jest mocha ava playwright cypress shellcheck
    markdownlint quality style cs audit typos spellcheck doctest knip attw publint
    """
)
# ... or is one of these: `build-docs`, `ci-notify` are steps of something else.
WHOLE = words("build compile build-all ci")
NEVER = words(
    """
    watch dev develop start serve server preview fix write update publish release deploy clean install uninstall
    prepare debug storybook ui-mode init setup docker push run gen generate approve bench benchmark headed
    interactive report snapshot snapshots docs doc
    """
)
_BEFORE_OR_AFTER = re.compile(
    r"(?:pre|post)(?:test|lint|build|check|install|publish|pack|version|start|verify|type|commit)"
)
# What changes files, or never ends, is no check even where its name says so.
_NO_CHECK = re.compile(
    r"--watch(?:All)?\b(?!=(?:false|0))|\bnodemon\b|\s--write\b|\s--fix\b(?!-dry-run)|--update-?[sS]napshots?\b"
    r"|\bserve\b(?!r)"
    r"|\btsc\b[^&|;]*\s-w\b|\b(?:jest|vitest|karma start)\b[^&|;]*\s-(?:w|u)\b"
    r"|\bvitest\s+(?:watch|dev)\b|\s--ui\b"
    r"|\bnext dev\b|\bvite(?:\s+dev)?\s*$|\bcypress open\b|echo\s+\\?[\"']?Error: no test specified"
    r"|(?:^|[&|;]\s*|\bnpx |\bexec )prettier\b(?![^&|;]*\s(?:--check|-c|--list-different|-l)\b)"
)
_TYPECHECK = words(
    """
    typecheck type-check check-types checktypes check-type types tsc types-check ts-check typescript type-checks
    tscheck check-typescript lint-types test-types
    """
)
_FORMAT = words(
    """
    format-check fmt-check check-format check-fmt prettier-check check-prettier format-ci formatcheck fmtcheck
    lint-format check-formatting format-verify verify-format
    """
)
_TEST = frozenset({"test", "tests", "test-all", "test-run", "run-tests"})
_LINT = frozenset({"lint", "lints", "linter", "lint-all", "lint-check", "check-lint"})


def slug(text: str) -> str:
    """Write a script's name as a check's: letters, digits, `_`, `.` and single hyphens."""
    return re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9_.]+", "-", text)).strip("-.")[:80]


def plain_name(script: str) -> str | None:
    """Return the plain name of a script or target that is a check by its name, None for one that is none."""
    name = slug(script)
    low = name.lower()
    if low in _TYPECHECK:
        return "typecheck"
    if low in _FORMAT:
        return "format-check"
    if low in _TEST:
        return "test"
    if low in _LINT:
        return "lint"
    parts = [part for part in re.split(r"[-_.]", low) if part]
    if not parts or NEVER & set(parts) or _BEFORE_OR_AFTER.match(low):
        return None
    return name if low in WHOLE or KINDS & {parts[0], parts[-1]} else None


def is_check(command: str) -> bool:
    """Tell whether a command ends by itself and leaves the sources alone, as far as its text shows."""
    return _NO_CHECK.search(command) is None
