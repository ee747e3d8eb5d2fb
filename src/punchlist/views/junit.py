"""JUnit XML, as CI systems show it: a suite per tool, a case per failing test or per file with findings."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from punchlist.model import Diagnostic, Report, in_order
from punchlist.views.masking import mask
from punchlist.views.verdict import Facts, counted, verdict

# XML 1.0 has no way to write these, not even as a reference.
_UNWRITABLE = r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_NOWHERE = "findings without a file"


class Case(NamedTuple):
    """A written case and how it ended: "failures", "errors", "skipped" or nothing."""

    xml: str
    ended: str = ""


def junit(
    report: Report, *, name: str = "punchlist", duration_s: float | None = None, troubles: Sequence[str] = ()
) -> str:
    """Write a report as JUnit XML that keeps to the schema of Jenkins (no attributes of other families).

    Errors are failures; warnings and lesser findings stand in `system-out` of a passing case. The totals are those of
    the cases in the file, since that is what its readers count; what the tool counted, passing tests too, stands in
    the properties. Where no failing case explains how the run ended, the run itself is a case: passing, skipped where
    nobody knows, else an error, so that it is never green by mistake, and never a file without a case, which Jenkins
    and others take for a broken build. `troubles` say which tools of a check could not do their work.
    """
    suites: dict[str, dict[tuple[str, str], list[Diagnostic]]] = {}
    for d in in_order(report.diagnostics):
        tool = d.tool or name
        place = f"{tool} {d.package}" if d.package else tool
        suites.setdefault(tool, {}).setdefault((place, d.test or d.file or _NOWHERE), []).append(d)
    written = {tool: [_case(*case, those) for case, those in sorted(cases.items())] for tool, cases in suites.items()}
    if not (report.outcome == "failed" and any(d.severity == "error" for d in report.diagnostics)):
        written.setdefault(name, []).insert(0, _of_run(report, name, troubles))
    body = ""
    for number, (suite, cases) in enumerate(sorted(written.items())):
        body += _suite(suite, cases, report.counts if number == 0 else {})
    time = f' time="{duration_s:.3f}"' if duration_s is not None else ""
    totals = _totals([case for cases in written.values() for case in cases], "failures", "errors")
    head = f"<testsuites name={_attribute(name)}{totals}{time}>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{body}</testsuites>\n'


def _suite(name: str, cases: Sequence[Case], counts: Mapping[str, int]) -> str:
    properties = "".join(f'<property name={_attribute(n)} value="{count}"/>' for n, count in sorted(counts.items()))
    told = f"    <properties>{properties}</properties>\n" if properties else ""
    head = f"  <testsuite name={_attribute(name)}{_totals(cases, 'failures', 'errors', 'skipped')}>\n"
    return f"{head}{told}{''.join(case.xml for case in cases)}  </testsuite>\n"


def _totals(cases: Sequence[Case], *names: str) -> str:
    ended = "".join(f' {name}="{sum(case.ended == name for case in cases)}"' for name in names)
    return f' tests="{len(cases)}"{ended}'


def _case(place: str, case: str, diagnostics: list[Diagnostic]) -> Case:
    errors = [d for d in diagnostics if d.severity == "error"]
    rest = [d for d in diagnostics if d.severity != "error"]
    inner = ""
    if errors:
        kind = f" type={_attribute(errors[0].rule)}" if errors[0].rule else ""
        text = "\n\n".join(_told(d) for d in errors)
        inner += f"      <failure message={_attribute(errors[0].message)}{kind}>{_text(text)}</failure>\n"
    if rest:
        inner += f"      <system-out>{_text(chr(10).join(_told(d) for d in rest))}</system-out>\n"
    return _testcase(place, case, inner, "failures" if errors else "")


def _of_run(report: Report, name: str, troubles: Sequence[str]) -> Case:
    """The run itself as a case."""
    line = verdict(report, Facts(title=name))
    if report.outcome == "passed":
        counts = counted(report)
        return _testcase("punchlist", name, f"      <system-out>{_text(counts)}</system-out>\n" if counts else "")
    if report.outcome == "unknown":
        return _testcase("punchlist", name, f"      <skipped>{_text(line)}</skipped>\n", "skipped")
    lines = "\n".join([*troubles, *(text for _, _, text in report.excerpt)])
    text = lines or report.how.message or line
    return _testcase("punchlist", name, f"      <error message={_attribute(line)}>{_text(text)}</error>\n", "errors")


def _testcase(place: str, name: str, inner: str, ended: str = "") -> Case:
    head = f"    <testcase classname={_attribute(place)} name={_attribute(name)}"
    return Case(f"{head}>\n{inner}    </testcase>\n" if inner else f"{head}/>\n", ended)


def _told(d: Diagnostic) -> str:
    place = ":".join(str(part) for part in (d.file, d.line, d.column) if part)
    head = " ".join(part for part in (place, d.severity, d.rule, d.message) if part)
    return f"{head}\n{d.detail.rstrip()}" if d.detail.strip() else head


def _clean(text: str) -> str:
    return re.sub(_UNWRITABLE, "\ufffd", mask(text))


def _text(text: str) -> str:
    return escape(_clean(text)).replace("\r", "&#13;")


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))
