"""The page for people as a real browser shows it: of a failing run, light and dark, wide and narrow, by keyboard."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from punchlist import cli
from punchlist.analysis.delta import compare
from punchlist.model import Diagnostic, Report
from punchlist.views.html import Past, page
from punchlist.views.verdict import Facts

sys.path.append(str(Path(__file__).parent))
from browser import Browser, Tab, browsing, program

pytestmark = [
    pytest.mark.tools,
    pytest.mark.skipif(program() is None, reason="no Chromium: neither the machine's nor the npm package's runs here"),
]
DEMO = Path(cli.__file__).parent.parent / "demo_project"
SIZES = [(1280, False), (1280, True), (360, False), (360, True)]
FINDER = """(() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const over = (top, under) => { const a = top[3] ?? 1; return [0, 1, 2].map(i => top[i] * a + under[i] * (1 - a)); };
  const linear = v => v <= 10.3 ? v / 3294.6 : ((v / 255 + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
  const behind = element => {
    const chain = []; for (let e = element; e; e = e.parentElement) chain.unshift(getComputedStyle(e));
    return chain.reduce((under, style) => over(rgb(style.backgroundColor), under), [255, 255, 255]); };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest('script')) continue;
    const back = behind(element), front = over(rgb(getComputedStyle(element).color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    found.push([(a + .05) / (b + .05), walker.currentNode.data.trim().slice(0, 40)]);
  }
  return found;
})()"""
WATCH = """window.met = new Set(); document.addEventListener('focusin', event => {
  met.add(event.target); window.seen = getComputedStyle(event.target).outlineStyle; })"""
HOSTILE = "<img src=x onerror='window.hacked=1'></script><script>window.hacked=1</script>\u202e\x00\"'&${1}"


def punchlist(folder: Path, *words: str) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PUNCHLIST", "CLAUDE"))}
    call = [sys.executable, "-m", "punchlist.cli", *words]
    subprocess.run(call, cwd=folder, env=env, capture_output=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return one browser for all tests here."""
    with browsing(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a run of the bundled project's tests that fails, with a run before that fails less."""
    folder = tmp_path_factory.mktemp("project") / "shop"
    shutil.copytree(DEMO, folder)
    (folder / "punchlist.toml").write_text("", encoding="utf-8")
    broken = (folder / "shop" / "money.py").read_text(encoding="utf-8")
    for source in (f"{broken}\n\nassert undefined_name\n", broken):
        (folder / "shop" / "money.py").write_text(source, encoding="utf-8")
        punchlist(folder, "run", "--name", "test", "--", sys.executable, "-B", "-m", "unittest", "-v")
    punchlist(folder, "report", "test-2", "--html", "out.html")
    return folder / "out.html"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with everything that takes room: long words, many runs, many groups and places, notes."""
    long = Diagnostic(message="word" * 60, file="src/" + "deep/" * 30 + "b.py", line=1, rule="R2", detail="x" * 400)
    many = [Diagnostic(message="same", file=f"src/f{n}.py", line=n + 1, column=5, rule="R1") for n in range(40)]
    mild = [Diagnostic(message=f"{w} is odd", file="a.py", line=1, severity="warning") for w in ("one", "two", "six")]
    report = Report(outcome="failed", diagnostics=(long, *many, *mild), notes=("note" * 50,))
    past = [Past(run_id=f"test-{n}", outcome="failed" if n % 3 else "passed", errors=n % 3 * 40) for n in range(30)]
    since = compare(Report(outcome="failed", diagnostics=(many[0], mild[0])), report, before_id="test-28")
    facts = Facts(title="python -m " + "pytest" * 30, run_id="test-29", duration_s=3.0, since=since)
    text = page(report, facts=facts, history=past, frame=lambda _, n: [(n, f"{'x' * 200} = {n}")], ran=("ruff 1.0",))
    file = tmp_path_factory.mktemp("crowded") / "crowded.html"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(("width", "dark"), SIZES)
@pytest.mark.parametrize("which", ["failing", "crowded"])
def test_the_page_is_quiet_fits_and_can_be_read(
    browser: Browser, which: str, width: int, dark: bool, request: pytest.FixtureRequest
) -> None:
    tab = Tab(browser, request.getfixturevalue(which), width=width, dark=dark)
    tab.run("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert (tab.troubles(), tab.requests()) == ([], [])
    assert tab.run("innerWidth") == width
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.run("[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth)"
                   ".map(e => e.outerHTML.slice(0, 80))") == []  # fmt: skip
    texts = tab.run(FINDER)
    assert len(texts) > 20
    assert [text for ratio, text in texts if ratio < 4.5] == []
    shade = tab.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(shade) < 60) == dark


def test_verdict_changes_trend_and_first_group_stand_on_the_first_screen(browser: Browser, failing: Path) -> None:
    tab = Tab(browser, failing)
    for what in ("header .badge", ".changes h2", ".trend b", "#q", "details.group summary", "pre.code .hit"):
        assert tab.run(f"document.querySelector('{what}').getBoundingClientRect().bottom <= innerHeight"), what
    assert tab.run("document.querySelector('.badge').textContent") == "Failed"
    bars = tab.run("[...document.querySelectorAll('.trend b')].map(e => e.getBoundingClientRect().height)")
    assert len(bars) == 2
    assert min(bars) > 0


def test_the_search_filters_groups_and_says_how_many_are_shown(browser: Browser, failing: Path) -> None:
    tab = Tab(browser, failing)
    shown = "[...document.querySelectorAll('details.group')].filter(e => e.checkVisibility()).length"
    said = "document.getElementById('n').textContent"
    whole, before = tab.run(shown), tab.run(said)
    assert whole > 1
    tab.run("document.getElementById('q').focus()")
    for letter in "test_money":
        tab.press(letter)
    left = tab.run(shown)
    assert 0 < left < whole
    assert tab.run(said) == f"{left} of {whole} groups"
    for letter in " zzzz":
        tab.press(letter)
    assert (tab.run(shown), tab.run(said)) == (0, f"0 of {whole} groups")
    tab.press("Escape")
    assert (tab.run(shown), tab.run(said)) == (whole, before)


def test_everything_is_reached_and_unfolded_by_keyboard(browser: Browser, failing: Path) -> None:
    tab = Tab(browser, failing)
    wanted = tab.run("document.querySelectorAll('input, summary').length")
    tab.run(WATCH)
    for _ in range(wanted * 3):
        tab.press("Tab")
        assert tab.run("seen") != "none"
        if tab.run("document.activeElement.matches('summary') && !document.activeElement.parentElement.open"):
            tab.press("Enter")
            assert tab.run("document.activeElement.parentElement.open")
        if tab.run("met.size") >= tab.run("document.querySelectorAll('input, summary').length"):
            break
    missed = "[...document.querySelectorAll('input, summary')].filter(e => !met.has(e)).map(e => e.outerHTML)"
    assert tab.run(missed) == []


def test_hostile_text_does_nothing(browser: Browser, tmp_path: Path) -> None:
    d = Diagnostic(message=HOSTILE, file=HOSTILE, line=1, rule=HOSTILE, test=HOSTILE, detail=HOSTILE, tool=HOSTILE)
    report = Report(outcome="failed", diagnostics=(d,), notes=(HOSTILE,), excerpt=(("stdout", 1, HOSTILE),))
    past = [Past(run_id=HOSTILE, outcome="failed", errors=1, when=HOSTILE)] * 2
    since = compare(Report(outcome="passed"), report, before_id=HOSTILE)
    facts = Facts(title=HOSTILE, run_id=HOSTILE, since=since)
    text = page(report, facts=facts, history=past, frame=lambda _, n: [(n, HOSTILE)], when=HOSTILE, ran=(HOSTILE,))
    file = tmp_path / "page.html"
    file.write_text(text, encoding="utf-8")
    tab = Tab(browser, file)
    assert tab.run("window.hacked") is None
    assert tab.run("document.images.length + document.scripts.length") == 1
    assert "onerror" in tab.run("document.querySelector('h1').textContent")
    assert (tab.troubles(), tab.requests()) == ([], [])
