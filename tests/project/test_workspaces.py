import json
import shutil
import subprocess
from pathlib import Path

import pytest

from punchlist.project.workspace_graph import satisfies
from punchlist.project.workspaces import Package, Workspace, cycles, dependents, find_workspaces, layers, package_of


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def node(name: str, version: str = "1.0.0", **more: object) -> str:
    return json.dumps({"name": name, "version": version, **more})


PACKAGES = ("packages/a", "packages/b", "packages/legacy", "packages/.hidden", "packages/grp/c")
FOLDERS = (*PACKAGES, "apps/web", "apps/web/test/fix", "apps/api")


def tree(root: Path, workspaces: object, **files: str) -> Path:
    packages = {f"{folder}/package.json": node(folder.replace("/", "-")) for folder in FOLDERS}
    top = {"package.json": json.dumps({"name": "top", "workspaces": workspaces})} if workspaces is not None else {}
    return write(root, {**packages, **top, **files})


def members(root: Path) -> list[str]:
    (workspace,) = find_workspaces(root)
    return [package.folder for package in workspace.packages if package.folder]


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["packages/*"], "packages/a packages/b packages/legacy"),
        (["packages/*/"], "packages/a packages/b packages/legacy"),
        (["./packages/a", "/packages/b"], "packages/a packages/b"),
        (["packages/**"], "packages/a packages/b packages/grp/c packages/legacy"),
        (["packages/{a,b}", "apps/*"], "apps/api apps/web packages/a packages/b"),
        (["packages/[!a]"], "packages/b"),
        (["packages/*", "!packages/legacy"], "packages/a packages/b"),
        (["!packages/legacy", "packages/*"], "packages/a packages/b"),
        (["packages/*", "!packages/*", "packages/a"], "packages/a packages/b packages/legacy"),
        (["apps/**", "!**/test/**"], "apps/api apps/web"),
        (["packages/.hidden"], "packages/.hidden"),
        (["nothing/*"], ""),
        ({"packages": ["apps/*"], "nohoist": ["x"]}, "apps/api apps/web"),
    ],
)
def test_npm_members_are_those_that_npm_finds(tmp_path: Path, patterns: object, expected: str) -> None:
    assert members(tree(tmp_path, patterns)) == expected.split()


def test_yarn_applies_exclusions_to_what_stands_before_them(tmp_path: Path) -> None:
    tree(tmp_path, ["packages/*", "!packages/*", "packages/a"], **{"yarn.lock": ""})
    (workspace,) = find_workspaces(tmp_path)
    assert workspace.kind == "yarn"
    assert members(tmp_path) == ["packages/a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("packages:\n  - 'packages/*'\n  - '!packages/legacy'\n", "packages/a packages/b"),
        ("packages: ['!packages/legacy', packages/*]\n", "packages/a packages/b"),
        ("packages:\n  - &x apps/**\n  - '!**/test/**'\n", "apps/api apps/web"),
        ("packages:\n  # all\n  - 'packages/**'  # deep\n", "packages/a packages/b packages/grp/c packages/legacy"),
    ],
)
def test_pnpm_members_are_read_as_yaml_and_exclusions_hold_for_all(tmp_path: Path, text: str, expected: str) -> None:
    tree(tmp_path, None, **{"pnpm-workspace.yaml": text})
    assert members(tmp_path) == expected.split()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("packages:\n  - 'a\n", "not valid YAML"),
        ("packages: packages/*\n", "must be a list of globs"),
        ("- packages/*\n", "must be a table"),
    ],
)
def test_a_pnpm_file_that_cannot_be_read_is_a_problem_and_not_an_empty_workspace(
    tmp_path: Path, text: str, said: str
) -> None:
    (workspace,) = find_workspaces(write(tmp_path, {"pnpm-workspace.yaml": text}))
    assert said in workspace.problems[0]


def test_a_pnpm_file_that_holds_only_settings_makes_no_workspace(tmp_path: Path) -> None:
    write(tmp_path, {"pnpm-workspace.yaml": "onlyBuiltDependencies:\n  - esbuild\n", "package.json": node("top")})
    assert find_workspaces(tmp_path) == ()


def test_a_member_that_is_broken_is_named_and_the_others_stay(tmp_path: Path) -> None:
    tree(tmp_path, ["packages/*"], **{"packages/a/package.json": "{"})
    (workspace,) = find_workspaces(tmp_path)
    assert workspace.problems == ("packages/a/package.json: not valid JSON",)
    assert "packages/b" in members(tmp_path)


def test_a_folder_under_two_names_is_one_package(tmp_path: Path) -> None:
    tree(tmp_path, ["packages/*"])
    (tmp_path / "packages/zz").symlink_to(tmp_path / "packages/a")
    assert "packages/zz" not in members(tmp_path)


def test_two_packages_of_one_name_are_told(tmp_path: Path) -> None:
    tree(tmp_path, ["packages/*"], **{"packages/b/package.json": node("packages-a")})
    (workspace,) = find_workspaces(tmp_path)
    assert "packages/a has the name packages-a too" in workspace.problems[0]


@pytest.mark.parametrize(
    ("section", "wanted", "linked"),
    [
        ("dependencies", "workspace:*", True),
        ("devDependencies", "workspace:^", True),
        ("peerDependencies", "workspace:^1.0.0", True),
        ("optionalDependencies", "*", True),
        ("dependencies", "^1.0.0", True),
        ("dependencies", "~1.2", True),
        ("dependencies", ">=1 <2", True),
        ("dependencies", "^2.0.0", False),
        ("dependencies", "latest", False),
        ("dependencies", "file:../b", True),
        ("dependencies", "link:../b", True),
        ("dependencies", "portal:../b", True),
        ("dependencies", "workspace:../b", True),
        ("dependencies", "file:../nowhere", False),
        ("dependencies", "npm:other@^1.0.0", False),
        ("dependencies", "catalog:", True),
        ("dependencies", "github:me/b", False),
        ("dependencies", "git+https://example.com/b.git", False),
        ("scripts", "*", False),
    ],
)
def test_a_sibling_is_needed_by_every_form_that_resolves_to_it(
    tmp_path: Path, section: str, wanted: str, linked: bool
) -> None:
    write(
        tmp_path,
        {
            "package.json": json.dumps({"workspaces": ["packages/*"]}),
            "packages/a/package.json": node("a", **{section: {"b": wanted}}),
            "packages/b/package.json": node("b", "1.2.3"),
        },
    )
    (workspace,) = find_workspaces(tmp_path)
    assert workspace.needs["packages/a"] == (frozenset({"packages/b"}) if linked else frozenset())


@pytest.mark.parametrize("path", ["../b", "../b/tsconfig.json", "./../b/"])
def test_typescript_references_are_dependencies_too(tmp_path: Path, path: str) -> None:
    write(
        tmp_path,
        {
            "package.json": json.dumps({"workspaces": ["packages/*"]}),
            "packages/a/package.json": node("a"),
            "packages/a/tsconfig.json": f'{{\n  // built first\n  "references": [{{"path": "{path}"}},],\n}}',
            "packages/b/package.json": node("b"),
        },
    )
    (workspace,) = find_workspaces(tmp_path)
    assert workspace.needs["packages/a"] == frozenset({"packages/b"})


def test_uv_members_exclude_and_need_each_other_by_their_sources(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pyproject.toml": '[project]\nname = "top"\ndependencies = ["My_Lib"]\n[tool.uv.workspace]\n'
            'members = ["packages/*"]\nexclude = ["packages/seeds"]\n'
            "[tool.uv.sources]\nmy-lib = { workspace = true }\n",
            "packages/lib/pyproject.toml": '[project]\nname = "my.lib"\nversion = "1"\n',
            "packages/app/pyproject.toml": '[project]\nname = "app"\n'
            "dependencies = ['my-lib>=1; python_version > \"3\"', 'httpx']\n",
            "packages/seeds/pyproject.toml": '[project]\nname = "seeds"\n',
            "packages/notes/readme.txt": "",
        },
    )
    (workspace,) = find_workspaces(tmp_path)
    assert [p.folder for p in workspace.packages] == ["", "packages/app", "packages/lib"]
    assert workspace.needs == {
        "": frozenset({"packages/lib"}),
        "packages/app": frozenset({"packages/lib"}),
        "packages/lib": frozenset(),
    }
    assert workspace.problems == ("packages/notes: is a workspace member without pyproject.toml",)


CARGO = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/skip"]\nresolver = "2"\n'
    '[workspace.dependencies]\ntool = { path = "tools/tool" }\n',
    "crates/a/Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\n[dependencies]\nb = { path = "../b" }\n'
    "[dev-dependencies]\ntool = { workspace = true }\n[target.'cfg(unix)'.dependencies]\nc = { path = \"../c\" }\n",
    "crates/b/Cargo.toml": '[package]\nname = "b"\nversion = "0.1.0"\n',
    "crates/c/Cargo.toml": '[package]\nname = "c"\nversion = "0.1.0"\n',
    "crates/skip/Cargo.toml": '[package]\nname = "skip"\nversion = "0.1.0"\n',
    "tools/tool/Cargo.toml": '[package]\nname = "tool"\nversion = "0.1.0"\n',
    **{f"{folder}/src/lib.rs": "" for folder in ("crates/a", "crates/b", "crates/c", "crates/skip", "tools/tool")},
}


def test_cargo_members_include_path_dependencies_and_leave_out_excluded_paths(tmp_path: Path) -> None:
    (workspace,) = find_workspaces(write(tmp_path, CARGO))
    assert [p.folder for p in workspace.packages] == ["crates/a", "crates/b", "crates/c", "tools/tool"]
    assert workspace.needs["crates/a"] == frozenset({"crates/b", "crates/c", "tools/tool"})


@pytest.mark.tools
@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_cargo_itself_names_the_same_members(tmp_path: Path) -> None:
    write(tmp_path, CARGO)
    command = ["cargo", "metadata", "--offline", "--no-deps", "--format-version", "1"]
    found = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout)
    theirs = sorted(
        Path(p["manifest_path"]).parent.relative_to(tmp_path.resolve()).as_posix() for p in found["packages"]
    )
    assert members(tmp_path) == theirs


def test_go_modules_of_a_workspace_need_each_other_by_their_paths(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "go.work": "go 1.22\n\nuse (\n\t./api // the server\n\t./lib\n\t./gone\n)\nuse ./cmd\n",
            "api/go.mod": "module example.com/api\n\nrequire (\n\texample.com/lib v0.0.0\n\tgolang.org/x/net v0.1\n)\n",
            "lib/go.mod": "module example.com/lib\n",
            "cmd/go.mod": "module example.com/cmd\nrequire example.com/api v0.0.0\n",
        },
    )
    (workspace,) = find_workspaces(tmp_path)
    assert [p.folder for p in workspace.packages] == ["api", "cmd", "lib"]
    assert dependents(workspace, ["lib"]) == ("api", "cmd")
    assert workspace.problems == ("go.work: ./gone has no go.mod",)


def graph(**needs: str) -> Workspace:
    packages = tuple(Package(name, name, f"{name}/package.json") for name in needs)
    return Workspace(
        "npm", "package.json", packages, {name: frozenset(wanted.split()) for name, wanted in needs.items()}
    )


def test_dependencies_come_before_what_needs_them() -> None:
    order = layers(graph(app="ui core", ui="core", core="", docs="ui"))
    position = {name: index for index, (name,) in enumerate(order)}
    assert position["core"] < position["ui"] < min(position["app"], position["docs"])


def test_a_cycle_is_exactly_its_own_packages() -> None:
    workspace = graph(app="a", a="b", b="c", c="a", lib="", other="lib app", self="self")
    assert set(cycles(workspace)) == {("a", "b", "c"), ("self",)}
    assert len(layers(workspace)) == 5


def test_a_long_chain_of_packages_is_ordered() -> None:
    workspace = graph(**{f"p{n}": f"p{n + 1}" if n < 1500 else "" for n in range(1501)})
    assert layers(workspace)[0] == ("p1500",)
    assert len(dependents(workspace, ["p1500"])) == 1500


def test_dependents_are_found_through_others_and_in_cycles() -> None:
    workspace = graph(app="ui", ui="core", core="ui", tool="")
    assert dependents(workspace, ["core"]) == ("app", "ui")
    assert dependents(workspace, ["tool"]) == ()


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("packages/a/src/x.ts", "packages/a"),
        ("packages/a", "packages/a"),
        ("packages/ab/x.ts", ""),
        ("packages/a/inner/y.ts", "packages/a/inner"),
        ("README.md", ""),
    ],
)
def test_a_path_belongs_to_the_deepest_package_that_holds_it(path: str, folder: str) -> None:
    packages = tuple(Package(f or "top", f, "package.json") for f in ("", "packages/a", "packages/a/inner"))
    found = package_of(Workspace("npm", "package.json", packages), path)
    assert found is not None
    assert found.folder == folder


def test_a_path_outside_of_all_packages_belongs_to_none() -> None:
    assert package_of(graph(a=""), "b/x.ts") is None


# Each row as npm's own semver 7 decides it with pre-releases included.
@pytest.mark.parametrize(
    ("wanted", "yes", "no"),
    [
        ("^1.2.3", "1.2.3 1.3.0", "1.2.2 2.0.0 1.2.3-beta.1"),
        ("^0.2.3", "0.2.3", "0.3.0 1.0.0"),
        ("^0.0.3", "0.0.3", "0.0.4"),
        ("^0", "0.9.9", "1.0.0"),
        ("~1.2", "1.2.9", "1.3.0"),
        ("~1", "1.9.0", "2.0.0"),
        ("1.x", "1.9.0", "2.0.0"),
        ("1.2", "1.2.9", "1.3.0"),
        ("*", "0.0.0 9.9.9", ""),
        ("1.0.0 - 2", "1.0.0 2.9.9", "0.9.9 3.0.0"),
        (">1", "2.0.0", "1.9.9"),
        ("<=1.2", "1.2.9", "1.3.0"),
        (">= 1.2 <2", "1.5.0", "2.0.0 1.1.0"),
        ("^1 || ~0.2", "0.2.5 1.1.0", "0.3.0 2.0.0"),
        ("<1.2.3", "1.2.3-beta.1 1.2.2", "1.2.3"),
        ("1.2.3-beta.2", "1.2.3-beta.2", "1.2.3-beta.10 1.2.3"),
        (">1.2.3-beta.2", "1.2.3-beta.10 1.2.3", "1.2.3-beta.1"),
        ("next", "", "1.0.0"),
    ],
)
def test_versions_lie_in_ranges_as_npm_says(wanted: str, yes: str, no: str) -> None:
    assert [version for version in yes.split() if not satisfies(version, wanted)] == []
    assert [version for version in no.split() if satisfies(version, wanted)] == []
