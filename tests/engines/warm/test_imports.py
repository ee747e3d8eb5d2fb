"""Who depends on whom, and what happened on disk."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from punchlist.engines.warm.imports import Imports, Language
from punchlist.engines.warm.watch import Watch

SCRIPT = {
    "src/a.ts": "export const a = 1;",
    "src/b.ts": 'import { a } from "./a";\nexport {};',
    "src/c.ts": 'import { b } from "./b";',
    "src/d.js": 'export const a = require("./a.js");',
    "src/e.ts": 'export async function e() { await import("./a") }',
    "src/f.tsx": "export type F = import('../src/a').A;",
    "lib/index.ts": 'export * from "../src/a";',
    "lib/user.ts": 'import { a } from "../lib";',
    "lib/near.ts": 'import { a } from ".";',
    "other.ts": 'export const text = "./a";',
}
PYTHON = {
    "pkg/__init__.py": "from .a import x",
    "pkg/a.py": "x = 1",
    "pkg/b.py": "from pkg import a",
    "pkg/c.py": "from . import (\n    a,\n    b,\n)",
    "user.py": "import pkg.b as other",
    "top.py": "from pkg import x",
    "apart.py": "import os\n# import a",
}


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "files", "edited", "expected"),
    [
        ("script", SCRIPT, "src/a.ts", {"src/b.ts", "src/d.js", "src/e.ts", "src/f.tsx", "lib/index.ts"}),
        ("script", SCRIPT, "src/b.ts", {"src/c.ts"}),
        ("script", SCRIPT, "other.ts", set()),
        ("python", PYTHON, "pkg/a.py", {"pkg/__init__.py", "pkg/b.py", "pkg/c.py"}),
        ("python", PYTHON, "pkg/b.py", {"pkg/c.py", "user.py"}),
        ("python", PYTHON, "apart.py", set()),
    ],
)
def test_dependents_are_those_that_import_a_file(
    tmp_path: Path, language: Language, files: Mapping[str, str], edited: str, expected: set[str]
) -> None:
    write(tmp_path, files)
    found = set(Imports(str(tmp_path), language, files).dependents([edited]))
    assert expected <= found
    # Those behind a file that hands on what it imports come with it; nobody else does.
    behind = {"lib/user.ts", "lib/near.ts", "top.py", "user.py"}
    assert found - expected <= behind


def test_those_behind_a_barrel_depend_too(tmp_path: Path) -> None:
    write(tmp_path, SCRIPT)
    assert {"lib/user.ts", "lib/near.ts"} <= set(Imports(str(tmp_path), "script", SCRIPT).dependents(["src/a.ts"]))


@pytest.mark.parametrize("text", ["declare const everywhere: number;", "export {};\ndeclare global { var x: 1 }"])
def test_a_file_that_declares_for_all_concerns_all(tmp_path: Path, text: str) -> None:
    write(tmp_path, {**SCRIPT, "types.d.ts": text})
    found = Imports(str(tmp_path), "script", [*SCRIPT, "types.d.ts"]).dependents(["types.d.ts"])
    assert set(found) == set(SCRIPT)


def test_an_edit_of_the_imports_counts_at_once(tmp_path: Path) -> None:
    write(tmp_path, SCRIPT)
    imports = Imports(str(tmp_path), "script", SCRIPT)
    assert "other.ts" not in imports.dependents(["src/a.ts"])
    write(tmp_path, {"other.ts": 'import { a } from "./src/a";'})
    imports.update(["other.ts"], gone=["src/b.ts"])
    assert "other.ts" in imports.dependents(["src/a.ts"])
    assert "src/b.ts" not in imports.dependents(["src/a.ts"])


def test_what_happened_on_disk_is_seen(tmp_path: Path) -> None:
    write(tmp_path, {**SCRIPT, "src/notes.txt": ""})
    watch = Watch(str(tmp_path), SCRIPT, (".ts", ".tsx", ".js"))
    assert not watch.look([])
    assert watch.look(["src/a.ts"]).changed == ("src/a.ts",)
    write(tmp_path, {"src/b.ts": "other text", "src/new.ts": "", "gen/deep/x.ts": "", "src/new.txt": ""})
    (tmp_path / "src" / "c.ts").unlink()
    changes = watch.look([])
    assert set(changes.created) == {"src/new.ts", "gen/deep/x.ts"}
    assert (changes.changed, changes.deleted) == (("src/b.ts",), ("src/c.ts",))
    assert not watch.look([])


def test_an_edit_within_one_tick_that_keeps_the_size_is_taken_at_the_editors_word(tmp_path: Path) -> None:
    write(tmp_path, SCRIPT)
    watch = Watch(str(tmp_path), SCRIPT, (".ts",))
    about = (tmp_path / "src/a.ts").stat()
    write(tmp_path, {"src/a.ts": "export const a = 2;"})
    os.utime(tmp_path / "src/a.ts", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert watch.look(["src/a.ts"]).changed == ("src/a.ts",)
