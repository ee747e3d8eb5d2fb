"""Each client's settings file is changed and put back byte for byte."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from punchlist.agents.clients.entries import env_of, found, install, place, uninstall
from punchlist.agents.clients.registry import CLIENTS, client
from punchlist.agents.files import jsonc, tomltext, yamltext
from punchlist.agents.files.settings import BACKUP
from punchlist.agents.hooks import install as hooks
from punchlist.agents.hooks.install import place as hooks_place
from punchlist.agents.hooks.registry import host
from punchlist.model import Trouble

FILES = sorted((Path(__file__).parent / "settings").iterdir(), key=lambda path: path.name)
COMMAND = ["/opt/tools/punchlist"]
# What moves a client's own folder: the file of its user's servers, and of its hooks where it has some.
MOVING = {
    "CLAUDE_CONFIG_DIR": ("claude", ".claude.json", "settings.json"),
    "CLINE_MCP_SETTINGS_PATH": ("cline", "", None),
    "CODEX_HOME": ("codex", "config.toml", "hooks.json"),
    "COPILOT_HOME": ("copilot", "mcp-config.json", "hooks/punchlist.json"),
    "GEMINI_CLI_HOME": ("gemini", ".gemini/settings.json", ".gemini/settings.json"),
    "QWEN_HOME": ("qwen", "settings.json", "settings.json"),
    "XDG_CONFIG_HOME": ("opencode", "opencode/opencode.json", "opencode/plugins/punchlist.js"),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in MOVING:
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.mark.parametrize("variable", MOVING)
def test_a_variable_moves_what_it_moves_for_the_client(variable: str, tmp_path: Path) -> None:
    name, servers, hooks = MOVING[variable]
    environ = {variable: str(tmp_path / "moved"), "HOME": str(tmp_path)}
    assert client(name).file("user", tmp_path, environ) == tmp_path / "moved" / servers
    if hooks is not None:
        assert hooks_place(host(name), "user", tmp_path, environ) == tmp_path / "moved" / hooks


def put_in_place(sample: Path, project: Path) -> tuple[Any, str, Path]:
    one, scope, _ = sample.name.split(".", 2)
    path = client(one).file(scope, project, os.environ)
    assert path is not None
    path = path.with_suffix(sample.suffix) if sample.suffix == ".jsonc" else path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(sample.read_bytes())
    return client(one), scope, path


def value_of(path: Path) -> Any:
    text = path.read_bytes().decode("utf-8-sig")
    if path.suffix == ".toml":
        return tomltext.load(text)
    return yamltext.load(text) if path.suffix == ".yaml" else jsonc.load(text)


def without_ours(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: without_ours(item) for key, item in value.items() if key != "punchlist"}
        return {key: item for key, item in kept.items() if item not in ({}, [])}
    if isinstance(value, list):
        return [
            without_ours(item) for item in value if not (isinstance(item, dict) and item.get("name") == "punchlist")
        ]
    return value


def test_there_are_enough_files() -> None:
    assert len(FILES) >= 20
    assert len({sample.name.split(".")[0] for sample in FILES}) >= 15


@pytest.mark.parametrize("sample", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("kept", ["with its backup", "by the text alone"])
def test_a_file_is_changed_and_put_back_byte_for_byte(sample: Path, kept: str, home: Path, project: Path) -> None:
    one, scope, path = put_in_place(sample, project)
    before = path.read_bytes()
    old = value_of(path)
    file, done = install(one, scope, project, os.environ, COMMAND, {"A": "1"})
    assert (file, done) == (path, "written")
    assert without_ours(value_of(path)) == without_ours(old)
    there = found(one, scope, project, os.environ)
    assert there is not None
    assert (there.command, there.env) == ([*COMMAND, "serve"], {"A": "1"})
    for line in before.splitlines():
        words = line.replace(b",", b"").rstrip(b"}] ")
        assert words in path.read_bytes().replace(b",", b"")
    if kept == "by the text alone":
        Path(f"{path}{BACKUP}").unlink()
    assert uninstall(one, scope, project, os.environ) is not None
    assert path.exists() or not without_ours(old)
    if path.exists():
        assert normal(path.read_bytes(), kept) == normal(before, kept)
    assert not Path(f"{path}{BACKUP}").exists()


def normal(raw: bytes, kept: str) -> bytes:
    """Without the first state an empty container, or a last line without an end, cannot be told from one of ours."""
    if kept == "with its backup":
        return raw
    squeezed = raw.rstrip()
    for empty in (b'"mcpServers": {}', b'"mcpServers": {\n  }'):
        squeezed = squeezed.replace(empty, b"")
    return b"".join(squeezed.split()) if b"mcpServers" not in squeezed else squeezed


@pytest.mark.parametrize("one", CLIENTS, ids=lambda one: one.id)
@pytest.mark.parametrize("scope", ["project", "user"])
def test_a_file_that_was_not_there_is_made_and_taken_away(one: Any, scope: str, home: Path, project: Path) -> None:
    if scope not in one.scopes():
        with pytest.raises(Trouble, match="has no"):
            place(one, scope, project, os.environ)
        return
    file, _ = install(one, scope, project, os.environ, COMMAND, {})
    there = found(one, scope, project, os.environ)
    assert there is not None and there.command == [*COMMAND, "serve"]
    if scope == "user":
        assert file.stat().st_mode & 0o077 == 0
    assert install(one, scope, project, os.environ, COMMAND, {})[1] == "as it was"
    uninstall(one, scope, project, os.environ)
    assert not file.exists()


@pytest.mark.parametrize(
    ("name", "scope", "text", "keeps"),
    [
        (
            "claude",
            "project",
            (
                '{"mcpServers": {"punchlist": {"command": "old", "args": ["serve", "--root", "x"], // why\n'
                ' "env": {"MINE": "1"}, "timeout": 9}}}'
            ),
            ["// why", '"timeout": 9', '"MINE": "1"', '["serve", "--root", "x"]'],
        ),
        (
            "codex",
            "user",
            (
                '[mcp_servers.punchlist]\ncommand = "old" # mine\nargs = ["serve", "--root", "x"]\nenabled = false\n'
                'env_vars = ["CI"]\n\n[mcp_servers.punchlist.env]\nMINE = "1"\n\n[tui]\nx = 1\n'
            ),
            ["# mine", "enabled = false", 'env_vars = ["CI"]', 'MINE = "1"', '["serve", "--root", "x"]', "[tui]"],
        ),
        (
            "cline",
            "user",
            (
                '{"mcpServers": {"punchlist": {"transport": {"type": "stdio", "command": "old", "cwd": "/x"},'
                ' "autoApprove": ["ping"]}}}'
            ),
            ['"cwd": "/x"', '"autoApprove": ["ping"]'],
        ),
        (
            "goose",
            "user",
            (
                "extensions:\n  punchlist:\n    name: punchlist\n    type: stdio\n    cmd: old\n    args: [serve]\n"
                "    enabled: false\n    envs:\n      MINE: '1'\n"
            ),
            ["enabled: false", "MINE: '1'"],
        ),
    ],
)
def test_what_a_user_added_to_the_entry_stays(
    name: str, scope: str, text: str, keeps: list[str], home: Path, project: Path
) -> None:
    path = client(name).file(scope, project, os.environ)
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert install(client(name), scope, project, os.environ, COMMAND, {"NEW": "2"})[1] == "updated"
    new = path.read_text(encoding="utf-8")
    for part in keeps:
        assert part in new
    there = found(client(name), scope, project, os.environ)
    assert there is not None
    assert there.command[0] == COMMAND[0]
    assert env_of(there.value)["NEW"] == "2"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("claude", '{"mcpServers": []}', "not an object"),
        ("claude", '{"mcpServers": {"a": 1,, }}', "line 1"),
        ("claude", '{"mcpServers": {}, "mcpServers": {}}', "twice"),
        ("claude", "[]", "not an object"),
        ("cursor", '{\n "mcpServers": {\n', "line 3"),
        ("codex", 'mcp_servers = "none"\n', "no table"),
        ("codex", "a = [\n", "mend the file"),
        ("codex", 'mcp_servers = { a = { command = "b" } }\n', "by hand"),
        ("continue", "mcpServers: {a: {command: b}}\n", "by hand"),
        ("goose", "extensions: {a: {cmd: b}}\n", "by hand"),
        ("goose", "- a\n", "no map"),
        ("goose", "a: [\n", "mend the file"),
    ],
)
def test_what_cannot_be_changed_safely_is_refused_and_left_alone(
    name: str, text: str, said: str, home: Path, project: Path
) -> None:
    path = client(name).file("user", project, os.environ)
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Trouble, match=said):
        install(client(name), "user", project, os.environ, COMMAND, {})
    assert path.read_text(encoding="utf-8") == text
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_file_is_written_through_a_link_inside_of_the_home_folder_only(
    home: Path, project: Path, tmp_path: Path
) -> None:
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "claude.json").write_text('{"a": 1}\n', encoding="utf-8")
    (home / "dotfiles" / "claude.json").chmod(0o600)
    (home / ".claude.json").symlink_to("dotfiles/claude.json")
    install(client("claude"), "user", project, os.environ, COMMAND, {})
    assert (home / ".claude.json").is_symlink()
    assert json.loads((home / "dotfiles" / "claude.json").read_text())["a"] == 1
    assert (home / "dotfiles" / "claude.json").stat().st_mode & 0o777 == 0o600
    (tmp_path / "elsewhere.json").write_text("{}", encoding="utf-8")
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(Trouble, match="outside of the home"):
        install(client("cursor"), "user", project, os.environ, COMMAND, {})


def test_a_file_of_another_encoding_is_refused(home: Path, project: Path) -> None:
    (home / ".claude.json").write_bytes('{"a": "ü"}'.encode("utf-16"))
    with pytest.raises(Trouble, match="not UTF-8"):
        install(client("claude"), "user", project, os.environ, COMMAND, {})


@pytest.mark.parametrize(
    ("text", "path", "value", "new"),
    [
        ("", ("a",), 1, '{\n  "a": 1\n}\n'),
        ("{}", ("a", "b"), 1, '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"a":1}', ("b",), 2, '{"a":1, "b": 2}'),
        ('{"a":1,}', ("b",), 2, '{"a":1, "b": 2,}'),
        ('{\n\t"a": 1\n}', ("b",), {"c": []}, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": []\n\t}\n}'),
        ('{\n  "a": 1, // x\n}', ("b",), 2, '{\n  "a": 1, // x\n  "b": 2,\n}'),
        ('{\n  "a": 1 /* x */\n}', ("b",), 2, '{\n  "a": 1, /* x */\n  "b": 2\n}'),
        ("{ // c\n}", ("b",), 2, '{ // c\n  "b": 2\n}'),
        ('{"a": "//"}', ("a",), 2, '{"a": 2}'),
    ],
)
def test_an_entry_takes_the_layout_of_its_file(text: str, path: tuple[str, ...], value: Any, new: str) -> None:
    assert jsonc.put(text, path, value) == new


def test_items_of_a_list_come_and_go() -> None:
    text = '{\n  "hooks": {\n    "Stop": [\n      {"a": 1}, // mine\n      {"b": 2}\n    ]\n  }\n}\n'
    more = jsonc.append(text, ("hooks", "Stop"), {"ours": True})
    assert jsonc.load(more)["hooks"]["Stop"][2] == {"ours": True}
    assert jsonc.remove_items(more, ("hooks", "Stop"), lambda item: "ours" in item) == text
    assert jsonc.load(jsonc.remove_items(more, ("hooks", "Stop"), lambda item: "b" in item))["hooks"]["Stop"] == [
        {"a": 1},
        {"ours": True},
    ]


@pytest.mark.parametrize("order", [("server", "hooks"), ("hooks", "server")])
@pytest.mark.parametrize("name", ["gemini", "qwen"])
def test_a_server_and_hooks_in_one_file_go_without_a_trace(
    name: str, order: tuple[str, str], home: Path, project: Path
) -> None:
    path = project / f".{name}" / "settings.json"
    path.parent.mkdir()
    before = '{\n  // mine\n  "mcpServers": {},\n  "hooks": {"Notification": []}, "ui": {"theme": "x"}\n}\n'
    path.write_text(before, encoding="utf-8")
    install(client(name), "project", project, os.environ, COMMAND, {})
    hooks.install(hooks.planned(host(name), "project", project, os.environ), "project")
    for what in order:
        if what == "server":
            uninstall(client(name), "project", project, os.environ)
        else:
            hooks.uninstall(host(name), "project", project, os.environ)
    assert path.read_text(encoding="utf-8") == before
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]
