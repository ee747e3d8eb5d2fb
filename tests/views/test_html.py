"""The page for people."""

from html.parser import HTMLParser

import pytest

from punchlist.analysis.delta import compare
from punchlist.model import Diagnostic, How, Outcome, Report
from punchlist.views.brief import Facts
from punchlist.views.html import MOST_GROUPS, MOST_PLACES, Past, page

BAD = Diagnostic(message="boom <b>&", file="src/a.py", line=3, rule="R1", tool="t", detail="expected <1>")
FACTS = Facts(title="pytest -q", run_id="test-3", duration_s=2.0)


class Tags(HTMLParser):
    """Counts tags and checks that they are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: dict[str, int] = {}
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def report(*diagnostics: Diagnostic, outcome: Outcome = "failed", **more: object) -> Report:
    return Report(outcome=outcome, diagnostics=diagnostics, how=How(ending="exit", exit_code=1), **more)  # type: ignore[arg-type]


def code(file: str, line: int) -> list[tuple[int, str]]:
    return [(line - 1, "API_KEY=abcdef123456"), (line, f"# {file}"), (line + 1, "y")]


def test_the_page_is_well_formed_and_needs_nothing_from_outside() -> None:
    tags = Tags(page(report(BAD), facts=FACTS))
    assert tags.open == []
    assert tags.links == []
    assert tags.seen["details"] == 1


def test_all_text_is_escaped() -> None:
    text = page(report(BAD, notes=("<i>note</i>",)), facts=Facts(title="<script>x</script>"))
    assert "boom &lt;b&gt;&amp;" in text
    assert "<i>note" not in text
    assert "<script>x" not in text


def test_a_group_shows_its_code() -> None:
    text = page(report(BAD), facts=FACTS, frame=code)
    assert '<span class="l hit"><b>3</b><span># src/a.py' in text


def test_the_named_part_of_a_line_is_marked_where_its_columns_hold() -> None:
    named = Diagnostic(message="m", file="src/a.py", line=3, column=3, end_line=3, end_column=6)
    masked = Diagnostic(message="m", file="src/a.py", line=3, column=9, end_line=3, end_column=12)
    assert "# <mark>src</mark>/a.py" in page(report(named), facts=FACTS, frame=code)
    assert "<mark>" not in page(report(masked), facts=FACTS, frame=lambda _, n: [(n, "API_KEY=abcdef123456")])


def test_the_last_runs_are_bars_with_words() -> None:
    past = [Past(run_id="test-1", outcome="failed", errors=4), Past(run_id="test-2", outcome="passed", errors=0)]
    text = page(report(BAD), facts=FACTS, history=past)
    assert 'title="test-1 · failed · 4 errors"' in text
    assert "Errors in the last 2 runs" in text
    assert "test-1 to test-2: 0 now, at most 4" in text


def test_findings_of_one_message_in_one_file_share_an_entry() -> None:
    places = [Diagnostic(message="same", file="a.py", line=n, column=2, rule="R") for n in (3, 7)]
    assert "<li><code>a.py:3:2</code> <code>:7:2</code></li>" in page(report(*places), facts=FACTS)


def test_what_changed_is_listed() -> None:
    now = report(BAD)
    since = compare(report(Diagnostic(message="old", file="b.py", line=1)), now, before_id="test-2")
    text = page(now, facts=Facts(title="t", run_id="test-3", since=since))
    assert "Since test-2: 1 fixed, 1 new" in text
    assert "Fixed (1)" in text


def test_a_run_without_findings_shows_what_explains_it() -> None:
    assert "sh: x: not found" in page(
        report(outcome="error", excerpt=(("stderr", 1, "sh: x: not found"),)), facts=FACTS
    )


def test_what_a_page_does_not_hold_is_counted() -> None:
    letters = [chr(97 + n % 26) * (1 + n // 26) for n in range(MOST_GROUPS + 3)]
    many = [Diagnostic(message=f"{word} is wrong", file="a.py", line=1) for word in letters]
    places = [Diagnostic(message="same", file="a.py", line=n + 1, rule="R") for n in range(MOST_PLACES + 7)]
    assert "3 findings in 3 more groups" in page(report(*many), facts=FACTS)
    assert "and 7 more" in page(report(*places), facts=FACTS)


def test_the_header_says_how_the_run_ended_and_how_each_tool_fared() -> None:
    ended = Report(outcome="error", how=How(ending="timeout", message="out of time after 5 s"))
    text = page(ended, facts=FACTS, ran=("eslint ERROR: no configuration <x>",))
    assert '<p class="about">out of time after 5 s · 2.0 s · test-3</p>' in text
    assert '<ul class="ran"><li>eslint ERROR: no configuration &lt;x&gt;</li></ul>' in text


@pytest.mark.parametrize(("files", "folded"), [(6, ""), (7, ""), (8, "2 more places"), (12, "6 more places")])
def test_many_places_of_a_group_are_folded_in_and_counted(files: int, folded: str) -> None:
    places = [Diagnostic(message="same", file=f"f{n}.py", line=1, rule="R") for n in range(files)]
    text = page(report(*places), facts=FACTS)
    assert (f"<summary>{folded}</summary>" in text) == bool(folded)
    assert text.count("<li><code>f") == files


def test_secrets_are_masked() -> None:
    d = Diagnostic(message="m", file="a.py", line=1, detail="DB_PASSWORD=hunter2")
    text = page(report(d), facts=FACTS, frame=code)
    assert "hunter2" not in text
    assert "abcdef123456" not in text
