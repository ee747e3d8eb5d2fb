"""Frames of every JavaScript runtime, and which of them is the project's own."""

import pytest

from punchlist.reading.js_frames import frame, innermost

FRAMES = [
    ("    at ApiClient.order (src/api.ts:25:74)", ("src/api.ts", 25, 74), True),
    ("    at async Context.<anonymous> (file:///home/dev/a%20b.js:1:2)", ("/home/dev/a b.js", 1, 2), True),
    ("    at file:///C:/shop/a.ts:3:4", ("C:/shop/a.ts", 3, 4), True),
    ("  at new Foo (C:\\shop\\a.ts:3:4)", ("C:\\shop\\a.ts", 3, 4), True),
    (" ❯ ApiClient.order src/api.ts:25:74", ("src/api.ts", 25, 74), True),
    (" ❯ transform node_modules/vite/dist/node.js:7249:19", ("node_modules/vite/dist/node.js", 7249, 19), False),
    ("  › file://test/cart.js:10:5", ("test/cart.js", 10, 5), True),
    ("    at webpack://shop/./src/x.js:3:4", ("src/x.js", 3, 4), True),
    ("    at X (webpack-internal:///(rsc)/./src/x.js:3:4)", ("src/x.js", 3, 4), True),
    ("    at f (http://localhost:9876/base/spec/x.js?abc123:3:4)", ("spec/x.js", 3, 4), True),
    (
        "  at Context.eval (http://localhost:80/__cypress/tests?p=cypress/e2e/a.cy.js:12:8)",
        ("cypress/e2e/a.cy.js", 12, 8),
        True,
    ),
    ("order@http://localhost:9876/base/spec/x.js?abc:3:4", ("spec/x.js", 3, 4), True),
    ("    at listOnTimeout (node:internal/timers:581:17)", ("node:internal/timers", 581, 17), False),
    ("    at Object.<anonymous> (/home/my (old) shop/x.js:1:2)", ("/home/my (old) shop/x.js", 1, 2), True),
    ("    at run (ext:cli/40_test.js:1:2)", ("ext:cli/40_test.js", 1, 2), False),
    ("    at data/orders.js:4:5", ("data/orders.js", 4, 5), True),
]


@pytest.mark.parametrize(("line", "place", "own"), FRAMES, ids=[line.strip()[:40] for line, _, _ in FRAMES])
def test_a_frame_gives_its_place_and_whether_it_is_the_projects_own(
    line: str, place: tuple[str, int, int], own: bool
) -> None:
    found = frame(line)
    assert found is not None
    assert (found.file, found.line, found.column) == place
    assert found.own is own


@pytest.mark.parametrize("line", ["at the end of the day", "> a quote", "see https://example.org/a:1", "", "❯ prompt"])
def test_text_that_only_looks_like_a_frame_is_none(line: str) -> None:
    assert frame(line) is None


def test_the_innermost_own_frame_is_the_first_outside_of_packages() -> None:
    stack = ["at expect (node_modules/expect/index.js:1:1)", "at total (src/cart.ts:7:3)", "at test/cart.test.ts:9:1"]
    found = innermost(stack)
    assert found is not None
    assert found.file == "src/cart.ts"
