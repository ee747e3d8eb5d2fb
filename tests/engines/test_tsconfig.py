"""Configurations of TypeScript are followed as the compiler follows them."""

import json
import os
from pathlib import Path

from punchlist.engines.scope import Scope
from punchlist.engines.site import Site
from punchlist.engines.tsconfig import chain
from punchlist.engines.tsgraph import members


def site(root: Path, files: dict[str, object]) -> Site:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return Site(root, Scope(root, ()), root / ".state", os.environ)


def test_extends_is_followed_into_packages_and_lists(tmp_path: Path) -> None:
    here = site(
        tmp_path,
        {
            "tsconfig.json": '{ // comment\n "extends": ["./base", "@tsconfig/node20/tsconfig.json", '
            '"shared", "own/strict"],\n}',
            "base.json": {"compilerOptions": {"strict": True, "outDir": "out"}},
            "node_modules/@tsconfig/node20/tsconfig.json": {"compilerOptions": {"target": "es2022"}},
            "node_modules/shared/package.json": {"tsconfig": "conf.json"},
            "node_modules/shared/conf.json": {"compilerOptions": {"strict": False}},
            "node_modules/own/package.json": {"exports": {"./strict": {"default": "./deep/strict.json"}}},
            "node_modules/own/deep/strict.json": {"compilerOptions": {"noEmit": True}},
        },
    )
    one = chain(here, "tsconfig.json")
    assert one.trouble == ""
    assert len(one.files) == 5
    assert (one.options["outDir"], one.options["noEmit"]) == (f"{tmp_path}/out", True)


def test_what_cannot_be_found_is_said_and_a_circle_ends(tmp_path: Path) -> None:
    here = site(
        tmp_path, {"a.json": {"extends": "./b.json"}, "b.json": {"extends": ["./a.json", "nowhere"]}, "c.json": "{"}
    )
    assert "nowhere" in chain(here, "a.json").trouble
    assert "c.json" in chain(here, "c.json").trouble


def test_references_are_followed_and_a_list_of_them_is_no_program(tmp_path: Path) -> None:
    here = site(
        tmp_path,
        {
            "tsconfig.json": {"files": [], "references": [{"path": "./app"}, {"path": "../outside"}, {"x": 1}]},
            "app/tsconfig.json": {"references": [{"path": "../lib/tsconfig.lib.json"}], "include": ["src"]},
            "lib/tsconfig.lib.json": {"references": [{"path": "../app"}]},
        },
    )
    assert chain(here, "tsconfig.json").is_solution
    assert not chain(here, "app/tsconfig.json").is_solution
    assert members(here, "tsconfig.json") == ["app/tsconfig.json", "lib/tsconfig.lib.json"]
