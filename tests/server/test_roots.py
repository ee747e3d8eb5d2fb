"""A real client over stdio that tells its roots: followed, refused, told, or never waited for."""

import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import ListRootsResult, Root

Talk = Callable[[Client], Awaitable[None]]
ERAS = ("legacy", "auto")


class Editor:
    """A client with a working directory, roots that may change, and variables for its server."""

    def __init__(self, cwd: Path, *roots: Path, env: dict[str, str] | None = None, silent: bool = False) -> None:
        self.cwd, self.roots, self.env, self.silent = cwd, list(roots), env or {}, silent
        self.asked = 0

    async def tell(self, _ctx: Any) -> ListRootsResult:
        self.asked += 1
        if self.silent:
            await anyio.sleep_forever()
        return ListRootsResult(roots=[Root(uri=root.as_uri()) for root in self.roots])  # type: ignore[arg-type]

    def talk(self, conversation: Talk, *, era: str = "legacy", words: tuple[str, ...] = ()) -> None:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "punchlist.cli", "serve", *words],
            cwd=str(self.cwd),
            env={**os.environ, **self.env},
        )

        async def whole() -> None:
            with anyio.fail_after(60):
                async with Client(stdio_client(parameters), mode=era, list_roots_callback=self.tell) as client:
                    await conversation(client)

        anyio.run(whole)


async def text(client: Client, tool: str, /, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return str(result.content[0].text)  # type: ignore[union-attr]


@pytest.fixture
def repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return two repositories below a home folder."""
    home = tmp_path.resolve() / "home"
    monkeypatch.setenv("HOME", str(home))
    for name in ("shop", "blog"):
        (home / name / ".git").mkdir(parents=True)
        (home / name / "punchlist.toml").write_text(f'[checks]\n{name}-test = "true"\n', encoding="utf-8")
    return home / "shop", home / "blog"


@pytest.mark.parametrize("era", ERAS)
def test_a_server_started_in_the_home_folder_works_in_the_clients_root(
    repositories: tuple[Path, Path], era: str
) -> None:
    shop, _ = repositories

    async def conversation(client: Client) -> None:
        assert "shop-test" in await text(client, "list_checks")
        assert await text(client, "ping") == f"pong: {shop} (punchlist.toml, from the client's root)"
        assert (await text(client, "run_check", name="shop-test")).startswith("PASSED")

    Editor(shop.parent, shop).talk(conversation, era=era)
    assert (shop / ".punchlist").is_dir()
    assert not (shop.parent / ".punchlist").exists()


def test_a_root_that_was_found_elsewhere_gives_way_before_the_first_run(repositories: tuple[Path, Path]) -> None:
    shop, blog = repositories

    async def conversation(client: Client) -> None:
        assert "blog-test" in await text(client, "list_checks")

    Editor(shop, blog).talk(conversation)
    assert not (shop / ".punchlist").exists()


def test_a_project_inside_of_the_clients_root_stays(repositories: tuple[Path, Path]) -> None:
    shop, _ = repositories
    (shop / "web").mkdir()
    (shop / "web" / "punchlist.toml").write_text("", encoding="utf-8")

    async def conversation(client: Client) -> None:
        assert await text(client, "ping") == f"pong: {shop / 'web'} (punchlist.toml, from the working directory)"

    Editor(shop / "web", shop).talk(conversation)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("how", ["--root", "PUNCHLIST_ROOT"])
def test_a_named_root_stays_and_the_trap_is_told_with_its_remedy(
    repositories: tuple[Path, Path], how: str, era: str
) -> None:
    shop, blog = repositories

    async def conversation(client: Client) -> None:
        said = await text(client, "ping")
        assert said.startswith(f"pong: {shop} (")
        for part in ("WRONG REPOSITORY?", f"the client's root is {blog}", f"Take {how} out", "punchlist doctor"):
            assert part in said

    editor = Editor(blog, blog, env={how: str(shop)} if how == "PUNCHLIST_ROOT" else {})
    editor.talk(conversation, era=era, words=("--root", str(shop)) if how == "--root" else ())


def test_the_trap_is_told_once_with_the_first_answer(repositories: tuple[Path, Path]) -> None:
    shop, blog = repositories

    async def conversation(client: Client) -> None:
        assert "WRONG REPOSITORY?" in await text(client, "run_check", name="shop-test")
        assert "WRONG REPOSITORY?" not in await text(client, "run_check", name="shop-test")
        assert "WRONG REPOSITORY?" in await text(client, "ping")

    Editor(blog, blog, env={"PUNCHLIST_ROOT": str(shop)}).talk(conversation)


def test_of_several_roots_the_one_in_use_is_named(repositories: tuple[Path, Path]) -> None:
    shop, blog = repositories

    async def conversation(client: Client) -> None:
        said = await text(client, "list_checks")
        assert "shop-test" in said
        assert f"2 roots ({blog}, {shop}); this server works in {shop}" in said
        assert "2 roots" not in await text(client, "list_checks")

    Editor(shop, blog, shop).talk(conversation)


def test_another_root_is_followed_until_something_ran_and_told_afterwards(repositories: tuple[Path, Path]) -> None:
    shop, blog = repositories
    editor = Editor(shop, shop)

    async def changed(client: Client, root: Path) -> str:
        editor.roots, asked = [root], editor.asked
        with pytest.warns(MCPDeprecationWarning):
            await client.session.send_roots_list_changed()
        while editor.asked == asked:
            await anyio.sleep(0.01)
        return await text(client, "ping")

    async def conversation(client: Client) -> None:
        assert f"pong: {shop}" in await text(client, "ping")
        assert f"pong: {blog}" in await changed(client, blog)
        assert (await text(client, "run_check", name="blog-test")).startswith("PASSED")
        said = await changed(client, shop)
        assert f"pong: {blog}" in said
        assert "WRONG REPOSITORY?" in said
        assert "Restart the server" in said

    editor.talk(conversation)


def test_a_client_that_never_answers_costs_no_more_than_a_moment(repositories: tuple[Path, Path]) -> None:
    shop, _ = repositories

    async def conversation(client: Client) -> None:
        begin = time.monotonic()
        assert "shop-test" in await text(client, "list_checks")
        first = time.monotonic() - begin
        await text(client, "list_checks")
        assert time.monotonic() - begin - first < 1.0
        assert first < 2.0

    Editor(shop, shop, silent=True).talk(conversation)


@pytest.mark.parametrize(
    ("env", "witness"),
    [({}, "the folder it was started in"), ({"CLAUDE_PROJECT_DIR": "blog"}, "CLAUDE_PROJECT_DIR")],
)
def test_without_roots_the_variables_and_the_working_directory_tell(
    repositories: tuple[Path, Path], env: dict[str, str], witness: str
) -> None:
    shop, blog = repositories

    async def conversation(client: Client) -> None:
        assert f"{witness} is {blog}. Take PUNCHLIST_ROOT out" in await text(client, "ping")

    told = {name: str(blog) for name in env}
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "punchlist.cli", "serve"],
        cwd=str(blog),
        env={**os.environ, **told, "PUNCHLIST_ROOT": str(shop)},
    )

    async def whole() -> None:
        with anyio.fail_after(60):
            async with Client(stdio_client(parameters), mode="legacy") as client:
                await conversation(client)

    anyio.run(whole)


def test_file_addresses_are_read_as_folders_and_everything_else_is_passed_over(tmp_path: Path) -> None:
    from punchlist.server.roots import folders_of

    odd = tmp_path.resolve() / "a b%é"
    odd.mkdir()
    told = [odd.as_uri(), f"{odd.as_uri()}/", "file:///no/such/folder", "https://host.test/x", "file:///a%00b"]
    assert folders_of(told) == (odd,)
