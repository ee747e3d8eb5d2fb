"""Safe fixes that an engine tells only when it is asked for them, by real tools."""

from collections.abc import Callable
from typing import Any

import pytest

from punchlist.engines.offers import offered
from punchlist.engines.run import run
from punchlist.model import Diagnostic
from punchlist.project.config import load

pytestmark = [pytest.mark.tools, pytest.mark.timeout(120)]
SOURCE = 'const s = "\U0001f600é"; let x = 1; debugger;\nexport const f = () => x !== -0 && s == "";\n'


def asked(made: Any, engine: str) -> dict[str, tuple[bool, str] | None]:
    """Check the project and return for each rule whether its fix is safe, and the line as that fix makes it."""
    config = load(made.root, {}, home=made.state)
    (result,) = run(made.root, config, state=made.state, environ=made.environ, engines=[engine]).results
    assert result.state == "ok", result.message
    told = offered(made.root, config, result.diagnostics, state=made.state, environ=made.environ)
    assert [(d.rule, d.line) for d in told] == [(d.rule, d.line) for d in result.diagnostics]
    return {str(d.rule).rpartition("/")[2]: (d.fix.safe, line(d)) if d.fix else None for d in told}


def line(d: Diagnostic) -> str:
    assert d.fix
    (edit,) = d.fix.edits
    text = SOURCE.split("\n")[edit.line - 1]
    assert edit.end_line == edit.line
    return text[: edit.column - 1] + edit.text + text[edit.end_column - 1 :]


def test_oxlint_offers_what_an_editor_would_make_all_at_once(made: Any, node_modules: Callable[..., None]) -> None:
    node_modules("oxlint")
    made.write({".oxlintrc.json": '{"rules": {"prefer-const": "error", "eqeqeq": "error"}}', "a.ts": SOURCE})
    fixes = asked(made, "oxlint")
    assert fixes["prefer-const"] == (True, 'const s = "\U0001f600é"; const x = 1; debugger;')
    assert fixes["no-compare-neg-zero"] == (True, 'export const f = () => x !== 0 && s == "";')
    assert fixes["no-debugger"] is None
    assert fixes["eqeqeq"] is None


def test_biome_says_which_of_its_edits_are_safe(made: Any, node_modules: Callable[..., None]) -> None:
    node_modules("@biomejs/biome")
    made.write({"biome.json": "{}", "a.ts": SOURCE})
    fixes = asked(made, "biome")
    assert fixes["useConst"] == (True, 'const s = "\U0001f600é"; const x = 1; debugger;')
    assert fixes["noCompareNegZero"] == (True, 'export const f = () => x !== 0 && s == "";')
    for rule in ("noDebugger", "noDoubleEquals"):
        assert fixes[rule] is not None
        assert fixes[rule][0] is False


def test_an_engine_that_is_not_there_offers_nothing(made: Any) -> None:
    made.write({".oxlintrc.json": "{}", "a.ts": SOURCE})
    found = Diagnostic(message="x", file="a.ts", line=1, column=1, rule="prefer-const", tool="oxlint")
    told = offered(made.root, load(made.root, {}, home=made.state), [found], state=made.state, environ=made.environ)
    assert told == [found]
