"""One finding that two engines report is one finding: linters that share their rules' names, in the same place."""

from collections.abc import Iterable, Iterator

from punchlist.analysis.fingerprint import rule_name
from punchlist.model import Diagnostic
from punchlist.records import replace

# Engines that check the same rules, the one whose finding stays first: ESLint's carry a fix and the exact end.
FAMILIES = (("eslint", "oxlint", "biome"), ("basedpyright", "pyright"))
# Biome's names for rules that ESLint and oxlint call otherwise.
SAME = {
    "nodebugger": "no-debugger",
    "novar": "no-var",
    "nounusedvariables": "no-unused-vars",
    "nounusedimports": "no-unused-vars",
    "nodoubleequals": "eqeqeq",
    "noexplicitany": "no-explicit-any",
    "useconst": "prefer-const",
    "useisnan": "use-isnan",
    "nounsafefinally": "no-unsafe-finally",
    "noduplicatecase": "no-duplicate-case",
    "nouselessescapeinregex": "no-useless-escape",
    "noempty": "no-empty",
    "noemptyblockstatements": "no-empty",
    "noconsole": "no-console",
    "noselfcompare": "no-self-compare",
    "noselfassign": "no-self-assign",
    "nounreachable": "no-unreachable",
    "noduplicateobjectkeys": "no-dupe-keys",
    "usevalidtypeof": "valid-typeof",
}
_RANK = {engine: (family, at) for family, engines in enumerate(FAMILIES) for at, engine in enumerate(engines)}


def once(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Leave one of the findings that engines of a family share, and name the others in its detail."""
    found = list(diagnostics)
    if len({d.tool for d in found} & _RANK.keys()) < 2:
        yield from found
        return
    by_place: dict[tuple[object, ...], list[Diagnostic]] = {}
    for d in found:
        by_place.setdefault(_place(d) or (id(d),), []).append(d)
    for those in by_place.values():
        yield from _merged(those) if len(those) > 1 else those


def _place(d: Diagnostic) -> tuple[object, ...] | None:
    if d.tool not in _RANK or not (d.file and d.line and d.rule):
        return None
    last = rule_name(d.rule).rpartition("/")[2]
    return (_RANK[d.tool][0], d.file, d.line, d.column, SAME.get(last, last))


def _merged(those: list[Diagnostic]) -> list[Diagnostic]:
    first = min(those, key=lambda d: _RANK[d.tool][1])
    same = [d for d in those if d.tool == first.tool]
    others = sorted({f"{d.tool} {d.rule}" for d in those if d.tool != first.tool})
    if not others:
        return those
    said = f"also: {', '.join(others)}"
    fix = first.fix or next((d.fix for d in those if d.fix), None)
    return [replace(first, detail=f"{first.detail}\n{said}".lstrip("\n"), fix=fix), *same[1:]]
