"""The page for people."""

import re
import shutil
import subprocess
import zlib
from html.parser import HTMLParser
from pathlib import Path

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
    assert '<span class="l hit"><b>3</b># src/a.py' in text


def test_the_last_runs_are_bars_with_words() -> None:
    past = [Past(run_id="test-1", outcome="failed", errors=4), Past(run_id="test-2", outcome="passed", errors=0)]
    text = page(report(BAD), facts=FACTS, history=past)
    assert 'title="test-1 · failed · 4 errors"' in text
    assert "Last 2 runs" in text


def test_findings_of_one_message_in_one_file_share_an_entry() -> None:
    places = [Diagnostic(message="same", file="a.py", line=n, column=2, rule="R") for n in (3, 7)]
    assert "<li><code>a.py:3:2</code> <code>:7:2</code></li>" in page(report(*places), facts=FACTS)


def test_what_changed_is_listed() -> None:
    now = report(BAD)
    since = compare(report(Diagnostic(message="old", file="b.py", line=1)), now, before_id="test-2")
    text = page(now, facts=Facts(title="t", run_id="test-3", since=since))
    assert "since test-2: 1 fixed, 1 new" in text
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


def test_secrets_are_masked() -> None:
    d = Diagnostic(message="m", file="a.py", line=1, detail="DB_PASSWORD=hunter2")
    text = page(report(d), facts=FACTS, frame=code)
    assert "hunter2" not in text
    assert "abcdef123456" not in text


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MEASURE = """<script>
const q = document.getElementById('q');
q.value = 'boom r1'; q.dispatchEvent(new Event('input'));
const shown = [...document.querySelectorAll('details.group')].filter(g => !g.hidden).length;
const said = document.getElementById('n').textContent;
document.title = [innerWidth, document.documentElement.scrollWidth, shown, said].join('|');
</script></body>"""


def browsed(folder: Path, text: str, width: int, *more: str) -> subprocess.CompletedProcess[bytes]:
    (folder / "page.html").write_text(text, encoding="utf-8")
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
    ]
    words = [str(BROWSER), *flags, f"--window-size={width},900", *more, f"file://{folder / 'page.html'}"]
    return subprocess.run(words, capture_output=True, check=False, timeout=60)


def first_pixel(png: bytes) -> tuple[int, ...]:
    """Return the colour of the upper left pixel: no filter of PNG changes the first one."""
    data = b"".join(chunk for chunk in re.findall(rb"IDAT(.*?)(?=....(?:IDAT|IEND))", png, re.S))
    return tuple(zlib.decompressobj().decompress(data, 4)[1:4])


def rich() -> str:
    long = Diagnostic(message="word" * 60, file="src/" + "deep/" * 30 + "b.py", line=1, rule="R2", detail="x" * 400)
    past = [Past(run_id=f"test-{n}", outcome="failed", errors=n * 40) for n in range(30)]
    since = compare(report(long), report(BAD), before_id="test-2")
    return page(report(BAD, long), facts=FACTS._replace(since=since), history=past, frame=code)


@pytest.mark.tools
@pytest.mark.skipif(BROWSER is None, reason="no chromium here")
@pytest.mark.parametrize("width", [1280, 400])
def test_in_a_browser_the_page_fits_and_its_search_finds(tmp_path: Path, width: int) -> None:
    done = browsed(tmp_path, rich().replace("</body>", MEASURE), width, "--dump-dom")
    title = re.search(r"<title>([^<]*)</title>", done.stdout.decode("utf-8"))
    assert title, done.stderr[-500:]
    inner, needed, shown, said = title[1].split("|")
    assert int(needed) <= int(inner)
    assert (shown, said) == ("1", "1 of 2 groups")


@pytest.mark.tools
@pytest.mark.skipif(BROWSER is None, reason="no chromium here")
@pytest.mark.parametrize(("scheme", "dark"), [("1", False), ("0", True)])
def test_in_a_browser_the_page_follows_light_and_dark(tmp_path: Path, scheme: str, dark: bool) -> None:
    shot = tmp_path / "shot.png"
    browsed(tmp_path, rich(), 400, f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={shot}")
    colour = first_pixel(shot.read_bytes())
    assert len(colour) == 3
    assert (max(colour) < 80) == dark
    assert (min(colour) > 200) != dark
