from pathlib import Path

import pytest

from punchlist.project.elsewhere import preferred, warning
from punchlist.project.root import Root, find_root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("shop", "blog", "shop/vendor/lib"):
        (tmp_path / "home" / name / ".git").mkdir(parents=True)
    (tmp_path / "home" / "shop" / "web").mkdir()
    (tmp_path / "home" / "notes").mkdir()
    return tmp_path.resolve() / "home"


@pytest.mark.parametrize(
    ("root", "how", "roots", "variable", "cwd", "said"),
    [
        ("shop", "git, from the working directory", [], "", "shop", ""),
        ("shop", "git, from the working directory", ["shop/web"], "", "shop", ""),
        ("shop/web", "given", ["shop"], "", "shop", ""),
        ("shop", "given", [], "", "", ""),  # many clients start their servers in the home folder
        ("shop", "given", [], "", "notes", ""),  # no project, so it tells of none
        ("shop", "given", [], "", "blog", "the folder it was started in is {home}/blog. Take --root out"),
        ("shop", "given", [], "blog", "shop", "CLAUDE_PROJECT_DIR is {home}/blog"),
        ("shop", "given", ["shop"], "blog", "blog", ""),  # the client itself knows best
        ("shop", "given", ["blog", "shop"], "", "blog", ""),
        ("shop", "PUNCHLIST_ROOT", ["notes"], "", "shop", "the client's root is {home}/notes. Take PUNCHLIST_ROOT out"),
        ("shop", "SIGNAL_CONFIG, from SIGNAL_CWD", ["blog"], "", "shop", "Take SIGNAL_CONFIG out"),
        ("shop", "git, from CLAUDE_PROJECT_DIR", [], "shop", "blog", ""),
        ("shop", "git, from the working directory", ["blog"], "", "shop", "put PUNCHLIST_ROOT={home}/blog into"),
        ("shop", "given", [], "", "shop/vendor/lib", ""),
    ],
)
def test_the_best_witness_of_another_repository_is_told(
    home: Path, root: str, how: str, roots: list[str], variable: str, cwd: str, said: str
) -> None:
    environ = {"CLAUDE_PROJECT_DIR": str(home / variable)} if variable else {}
    folders = [home / name for name in roots]
    found = warning(Root(home / root, how), folders, environ, home / cwd, home)
    assert said.format(home=home) in found
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    ("start", "roots", "expected"),
    [
        ("", ["blog"], "blog"),
        ("shop", ["blog"], "blog"),
        ("shop", ["blog", "shop"], "shop"),
        ("shop", ["shop/vendor/lib"], "shop/vendor/lib"),
        ("shop/vendor/lib", ["shop"], "shop/vendor/lib"),
        ("notes", ["shop/web"], "shop"),
        ("shop", [], "shop"),
    ],
)
def test_the_clients_first_folder_decides_unless_the_root_lies_in_one(
    home: Path, start: str, roots: list[str], expected: str
) -> None:
    root = find_root(home / start, environ={}, home=home)
    found = preferred(root, [home / name for name in roots], {}, home)
    assert (found or root).path == home / expected


def test_a_named_root_is_never_left(home: Path) -> None:
    root = find_root(home, explicit=home / "shop", environ={}, home=home)
    assert root.named
    assert preferred(root, [home / "blog"], {}, home) is None
