from pathlib import Path

import pytest

from punchlist.project import globs


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*", "a a.b", "a/b .a"),
        ("packages/*", "packages/a", "packages packages/a/b packages/.a"),
        ("packages/*/", "packages/a", "packages"),
        ("./packages/*", "packages/a", "packages"),
        ("packages/**", "packages packages/a packages/a/b", "package packages/.a packages/a/.b"),
        ("**/test/**", "test test/x a/test a/b/test/c/d", "tests a/testing"),
        ("**/*.ts", "a.ts a/b/c.ts", "a.tsx .a.ts a/.b.ts"),
        ("**", "a a/b", ".a a/.b"),
        ("a/**/b", "a/b a/x/b a/x/y/b", "a/xb ab"),
        ("?", "a", "ab .  /"),
        ("[ab]*", "a b1", "c"),
        ("[!ab]", "c", "a b"),
        ("[^ab]", "c", "a b"),
        ("[", "[", "a"),
        ("[z-a]", "", "a z -"),
        ("[a&&b-]", "a & b -", "c"),
        ("[[:x]", "[ : x", "a"),
        ("{a,b}/c", "a/c b/c", "c/c {a,b}/c"),
        ("{a,{b,c}d}", "a bd cd", "b c d"),
        ("p{1..3}", "p1 p2 p3", "p0 p4"),
        ("{a}", "{a}", "a"),
        ("@(a|b)c", "ac bc", "c abc"),
        ("?(a)c", "c ac", "aac"),
        ("+(ab)", "ab abab", "a"),
        ("!(a)", "b aa", "a"),
        ("(a)", "(a)", "a"),
        (".github/*", ".github/x", "github/x"),
        ("a.b", "a.b", "axb"),
        ("packages\\*", "packages/a", "packages"),
    ],
)
def test_a_glob_selects_what_its_writer_means(pattern: str, yes: str, no: str) -> None:
    match = globs.compiled(pattern)
    assert [text for text in yes.split() if not match.match(text)] == []
    assert [text for text in no.split() if match.match(text)] == []


def test_the_last_pattern_that_matches_decides() -> None:
    patterns = ["src/**", "!src/gen/**", "src/gen/keep.ts"]
    selected = [p for p in ("src/a.ts", "src/gen/b.ts", "src/gen/keep.ts", "x") if globs.matches(p, patterns)]
    assert selected == ["src/a.ts", "src/gen/keep.ts"]


def test_names_with_a_dot_are_matched_where_that_is_asked() -> None:
    assert globs.compiled("**", dot=True).match("a/.b/c")
    assert globs.matches(".env", ["*"])


def test_braces_without_end_stay_within_bounds() -> None:
    assert len(globs.expand_braces("{1..100000}")) <= globs.MAX_BRACES
    assert len(globs.expand_braces("{a,b}" * 30)) <= 2 * globs.MAX_BRACES


def test_walking_leaves_out_installed_packages_and_links_that_lead_outside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for folder in ("p/a", "p/node_modules/x", "p/a/deep/er", "../outside/q"):
        (root / folder).mkdir(parents=True)
    (root / "p/out").symlink_to(tmp_path / "outside")
    (root / "p/a/loop").symlink_to(root / "p")
    (root / "p/twin").symlink_to(root / "p/a")
    assert list(globs.folders(root, "p/*")) == ["p/a", "p/twin"]
    assert "p/a/deep/er" in list(globs.folders(root, "**"))
    assert not [found for found in globs.folders(root, "**") if "loop" in found or "node_modules" in found]
