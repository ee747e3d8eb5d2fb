"""JUnit XML, as CI systems show it: a suite per tool, a case per failing test or per file with findings."""

import re
from xml.sax.saxutils import escape, quoteattr

from punchlist.model import Diagnostic, Report, in_order
from punchlist.views.masking import mask

# XML 1.0 has no way to write these, not even as a reference.
_UNWRITABLE = r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def junit(report: Report, *, name: str = "punchlist", duration_s: float | None = None) -> str:
    """Write a report as JUnit XML.

    Errors are failures, warnings and lesser findings stand in `system-out` of a passing case. A run that failed
    without a finding is one error, so that it is never green.
    """
    cases: dict[tuple[str, str], list[Diagnostic]] = {}
    for d in in_order(report.diagnostics):
        cases.setdefault((d.tool or name, d.test or d.file or name), []).append(d)
    suites = sorted({tool for tool, _ in cases}) or [name]
    body = "".join(_suite(tool, {case: ds for (t, case), ds in cases.items() if t == tool}) for tool in suites)
    failures = sum(any(d.severity == "error" for d in ds) for ds in cases.values())
    errors = 0
    if not failures and report.outcome in ("failed", "error"):
        errors = 1
        text = "\n".join(line for _, _, line in report.excerpt) or report.how.message or report.outcome
        said = f"<error message={_attribute(report.outcome)}>{_text(text)}</error>"
        body += f'  <testsuite name={_attribute(name)} tests="1" failures="0" errors="1">\n'
        body += (
            f"    <testcase classname={_attribute(name)} name={_attribute(name)}>{said}</testcase>\n  </testsuite>\n"
        )
    time = f' time="{duration_s:.3f}"' if duration_s is not None else ""
    total = max(len(cases) + errors, report.counts.get("passed", 0) + failures + errors)
    head = f'<testsuites name={_attribute(name)} tests="{total}" failures="{failures}" errors="{errors}"{time}>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{body}</testsuites>\n'


def _suite(tool: str, cases: dict[str, list[Diagnostic]]) -> str:
    failures = sum(any(d.severity == "error" for d in ds) for ds in cases.values())
    if not cases:
        return ""
    lines = [f'  <testsuite name={_attribute(tool)} tests="{len(cases)}" failures="{failures}" errors="0">']
    for case, diagnostics in cases.items():
        lines += _case(tool, case, diagnostics)
    return "\n".join([*lines, "  </testsuite>\n"])


def _case(tool: str, case: str, diagnostics: list[Diagnostic]) -> list[str]:
    first = diagnostics[0]
    place = f" file={_attribute(first.file)}" if first.file else ""
    if first.line:
        place += f' line="{first.line}"'
    lines = [f"    <testcase classname={_attribute(tool)} name={_attribute(case)}{place}>"]
    errors = [d for d in diagnostics if d.severity == "error"]
    rest = [d for d in diagnostics if d.severity != "error"]
    if errors:
        kind = f" type={_attribute(errors[0].rule)}" if errors[0].rule else ""
        text = "\n\n".join(_told(d) for d in errors)
        lines.append(f"      <failure message={_attribute(errors[0].message)}{kind}>{_text(text)}</failure>")
    if rest:
        lines.append(f"      <system-out>{_text(chr(10).join(_told(d) for d in rest))}</system-out>")
    return [*lines, "    </testcase>"]


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
