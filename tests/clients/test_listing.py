"""Each client's own program reads the entry that `punchlist install` writes, and starts our server from it."""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.clients.programs import alone, environment, punchlist, settle, words

SECONDS = 60
VALUE = "two words"
# What a client says of a server that it started and shook hands with.
CONNECTED = {
    "claude": r"^punchlist: \S+ serve - \S+ Connected$",
    "gemini": r"punchlist: \S+ serve \(stdio\) - Connected",
    "opencode": r"punchlist \s*connected",
    "qwen": r"punchlist: \S+ serve \(stdio\) - Connected",
}


class Place:
    """A home and a project of their own for one client, with the entry installed in a scope."""

    def __init__(self, name: str, scope: str, folder: Path, **moved: str) -> None:
        self.name = name
        self.program = words(name)
        self.home, self.project = folder / "home", folder / "project"
        for made in (self.home, self.project / ".git"):
            made.mkdir(parents=True)
        settle(name, self.home, self.project)
        self.environ = environment(name, self.home, **moved)
        # Python looks for this module whenever it starts: our server tells so that it was started, and how.
        witness, self.told = folder / "witness", folder / "told.jsonl"
        witness.mkdir()
        (witness / "sitecustomize.py").write_text(WITNESS.format(file=str(self.told)), encoding="utf-8")
        variables = ["--env", f"PYTHONPATH={witness}", "--env", f"SHOP={VALUE}"]
        self.variables = {"PYTHONPATH": str(witness), "SHOP": VALUE}
        punchlist(self.project, self.environ, "install", "--client", name, "--scope", scope, "--yes", *variables)

    def run(self, arguments: Sequence[str]) -> str:
        """Run the client; return what it says, without colours."""
        done = subprocess.run(
            [*alone(), *self.program, *arguments],
            cwd=self.project,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
        assert done.returncode == 0, said
        return said

    def json(self, arguments: Sequence[str]) -> Any:
        """Run the client; return the value in what it says."""
        said = self.run(arguments)
        begin = re.search(r"^[\[{]", said, re.M)
        assert begin, said
        return json.JSONDecoder().raw_decode(said[begin.start() :])[0]

    def started(self) -> list[tuple[list[str], str]]:
        """Return the arguments of each start of our server, and the variable that the entry sets."""
        if not self.told.exists():
            return []
        return [tuple(json.loads(line)) for line in self.told.read_text(encoding="utf-8").splitlines()]


WITNESS = """\
import json, os, sys
with open({file!r}, "a", encoding="utf-8") as file:
    print(json.dumps([sys.orig_argv[1:], os.environ.get("SHOP")]), file=file)
"""


@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("name", CONNECTED)
def test_a_client_connects_to_the_installed_server(name: str, scope: str, tmp_path: Path) -> None:
    place = Place(name, scope, tmp_path)
    if name == "qwen" and scope == "project":
        assert "punchlist" in place.run(["mcp", "approve", "punchlist"])
    said = place.run(["mcp", "list"])
    assert re.search(CONNECTED[name], said, re.M), said
    if name != "gemini":  # which keeps PYTHONPATH from every server
        assert [(arguments[-1], value) for arguments, value in place.started()] == [("serve", VALUE)]


MOVED = {
    "claude": "CLAUDE_CONFIG_DIR",
    "opencode": "XDG_CONFIG_HOME",
    "qwen": "QWEN_HOME",
}


@pytest.mark.parametrize("name", MOVED)
def test_the_entry_is_where_a_client_with_a_moved_home_looks(name: str, tmp_path: Path) -> None:
    place = Place(name, "user", tmp_path, **{MOVED[name]: str(tmp_path / "moved")})
    said = place.run(["mcp", "list"])
    assert re.search(CONNECTED[name], said, re.M), said
    assert len(place.started()) == 1


@pytest.mark.parametrize("name", ["claude", "qwen"])
def test_a_project_s_server_waits_for_its_user_where_our_note_says_so(name: str, tmp_path: Path) -> None:
    place = Place(name, "project", tmp_path)
    (place.home / ".claude.json").unlink(missing_ok=True)
    assert "Pending approval" in place.run(["mcp", "list"])
    assert place.started() == []


@pytest.mark.parametrize("scope", ["project", "user"])
def test_codex_reads_the_entry_as_it_was_meant(scope: str, tmp_path: Path) -> None:
    place = Place("codex", scope, tmp_path)
    (server,) = place.json(["mcp", "list", "--json"])
    transport = server["transport"]
    assert (server["name"], server["enabled"], transport["type"]) == ("punchlist", True, "stdio")
    assert Path(transport["command"]).name == "punchlist"
    assert transport["args"] == ["serve"]
    assert transport["env"] == place.variables
    assert server["startup_timeout_sec"] == 20


@pytest.mark.parametrize("scope", ["project", "user"])
def test_copilot_reads_the_entry_as_it_was_meant(scope: str, tmp_path: Path) -> None:
    place = Place("copilot", scope, tmp_path)
    server = place.json(["mcp", "list", "--json"])["mcpServers"]["punchlist"]
    assert Path(server["command"]).name == "punchlist"
    assert (server["args"], server["tools"]) == (["serve"], ["*"])
    assert sorted(server["env"]) == sorted(place.variables)
