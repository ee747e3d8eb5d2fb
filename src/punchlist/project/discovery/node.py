"""Checks of a package.json: its scripts, and what its tools' settings imply."""

import json
import re
from collections.abc import Iterator
from shlex import quote

from punchlist.project.discovery.folder import Folder, Found, line_in
from punchlist.project.discovery.names import is_check, plain_name, slug
from punchlist.project.manifests import table

_LINTERS = (
    ("eslint", "eslint .", re.compile(r"(eslint\.config\.[cm]?[jt]s|\.eslintrc(\.(c?js|json|ya?ml))?)\Z")),
    ("biome", "biome check", re.compile(r"\.?biome\.jsonc?\Z")),
    ("oxlint", "oxlint", re.compile(r"(\.oxlintrc(\.json)?|oxlint\.json|oxlint\.config\.ts)\Z")),
)
_RUNNERS = (
    ("vitest", "vitest run"),
    ("jest", "jest"),
    ("mocha", "mocha"),
    ("ava", "ava"),
    ("@playwright/test", "playwright test"),
)


def find(folder: Folder) -> Iterator[Found]:
    """Yield a package's checks: scripts first, then test runner, linter and compiler that no script names."""
    manifest = folder.json("package.json")
    if not manifest:
        return
    from punchlist.project.workspace_node import node_manager

    manager = node_manager(folder.root, folder.path)
    text = folder.text("package.json")
    scripts = {n: c for n, c in table(manifest, "scripts").items() if isinstance(c, str)}
    named: set[str] = set()
    for script, command in scripts.items():
        name = plain_name(script)
        whole = _handed_on(command, scripts)
        if name is None or not is_check(whole):
            continue
        if (
            name == "check"
            and re.match(r"\s*(?:vue-tsc|tsc)\b", command)
            and "typecheck" not in map(plain_name, scripts)
        ):
            name = "typecheck"
        other = slug(script)
        key = re.escape(json.dumps(script, ensure_ascii=False)) + r"\s*:"
        name = other if name in named else name
        named.add(name)
        line = line_in(text, key, text.find('"scripts"'))
        once, env = _once(manager, command, whole)
        yield Found(
            name,
            f"{manager}-{other}",
            f"{manager} run {quote(script)}{once}",
            "package.json script",
            "package.json",
            line,
            True,
            env=env,
            says=command,
        )
    yield from _implied(folder, manifest, " ".join(scripts.values()), named)


def _once(manager: str, command: str, whole: str) -> tuple[str, dict[str, str]]:
    """Return what makes a runner that watches by default run once: arguments for the script, and variables.

    Angular's CLI watches unless told otherwise; react-scripts (3 to 5) does unless CI is set.
    """
    if re.search(r"\bng test\b", command) and not re.search(r"--(?:no-)?watch\b", command):
        return (" -- --watch=false" if manager == "npm" else " --watch=false"), {}
    return "", {"CI": "true"} if re.search(r"\breact-scripts test\b", whole) else {}


_SCRIPT = re.compile(r"\b(?:npm|pnpm|yarn|bun)(?:\s+-s)?(?:\s+run)?\s+([\w:.-]+)")


def _handed_on(command: str, scripts: dict[str, str]) -> str:
    """Return a script's command followed by those of the scripts it runs, so that a hidden watcher is seen."""
    seen: dict[str, str] = {}
    waiting = [command]
    while waiting and len(seen) < 50:
        for name in _SCRIPT.findall(waiting.pop()):
            if name in scripts and name not in seen:
                seen[name] = scripts[name]
                waiting.append(scripts[name])
    return " ; ".join([command, *seen.values()])


def _implied(folder: Folder, manifest: dict[str, object], used: str, named: set[str]) -> Iterator[Found]:
    needed = {n for section in ("dependencies", "devDependencies") for n in table(manifest, section)}
    if "test" not in named:
        for package, command in _RUNNERS:
            if package in needed and not re.search(rf"\b{command.split()[0]}\b", used):
                yield Found("test", command.split()[0], command, f"{package} in package.json", "package.json")
                break
    if "lint" not in named:
        for tool, command, settings in _LINTERS:
            config = next((n for n in sorted(folder.names) if settings.match(n)), None)
            if config and not re.search(rf"\b{tool}\b", used):
                yield Found("lint", tool, command, config, config)
                break
    if "typecheck" not in named and folder.has("tsconfig.json") and not re.search(r"\b(tsc|vue-tsc|tsgo)\b", used):
        build = "references" in folder.json("tsconfig.json")
        yield Found("typecheck", "tsc", "tsc --build" if build else "tsc --noEmit", "tsconfig.json", "tsconfig.json")
