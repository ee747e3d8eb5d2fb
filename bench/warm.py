"""What a warm server saves: after_edit_check on one file of a generated project of 50,000 lines, over MCP.

It is held against the engine's own command line in the same go: only the ratio means something elsewhere. Exit 1 where
they do not say the same of the edited file and of those that depend on it. Give the names of engines (tsc7 tsc5 ty
basedpyright; else the first three), `--modules DIR` for a node_modules with typescript and typescript-7, `--venv DIR`
for an environment with the others.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from punchlist.engines.warm.pool import places
from punchlist.service.checking.compare import seen_by
from punchlist.service.project import open_project

FILES, TIMES, BODY = 300, 5, 20
EDITED, SETTLE_S = 50, 5.0
NODE_MODULES = Path(__file__).resolve().parent.parent / "tests" / "node" / "node_modules"
Write = Callable[[int, str], str]


def imported(number: int) -> list[int]:
    """Return which earlier modules a module imports: the first, and five others."""
    if number == 0:
        return []
    # The same project each time.
    chosen = random.Random(number).sample(range(number), min(5, number))
    return sorted({0, *chosen})


def script(number: int, kind: str) -> str:
    """Return a TypeScript module of some 165 lines; every tenth has a type error."""
    lines = [f'import {{ make as make{n}, Shape{n} }} from "./mod{n:03d}";' for n in imported(number)]
    lines += [f"export interface Shape{number} {{ id: number; name: string; tags: string[] }}"]
    lines += [f"export function make(id: number, name: {kind}): Shape{number} {{"]
    lines += ["  return { id, name: String(name), tags: [] };", "}"]
    for n in range(BODY):
        lines += [f"export function work{n}(list: Shape{number}[], limit: number): number {{", "  let sum = 0;"]
        lines += ["  for (const one of list) {", "    if (one.id > limit) { sum += one.name.length; }", "  }"]
        lines += ["  return sum;", "}"]
    lines += [f'export const use{n}: Shape{n} = make{n}({n}, "x");' for n in imported(number)]
    lines += [f'export const wrong: number = make({number}, "x");'] if number % 10 == 9 else []
    return "\n".join([*lines, ""])


def python(number: int, kind: str) -> str:
    """Return a Python module of some 165 lines; every tenth has a type error."""
    lines = [f"from mod{n:03d} import Shape{n}, make as make{n}" for n in imported(number)]
    lines += [f"class Shape{number}:", "    def __init__(self, id: int, name: str) -> None:"]
    lines += ["        self.id = id", "        self.name = name"]
    lines += [f"def make(id: int, name: {kind}) -> Shape{number}:", f"    return Shape{number}(id, str(name))"]
    for n in range(BODY):
        lines += [f"def work{n}(items: list[Shape{number}], limit: int) -> int:", "    total = 0"]
        lines += ["    for one in items:", "        if one.id > limit:", "            total += len(one.name)"]
        lines += ["    return total", ""]
    lines += [f'use{n}: Shape{n} = make{n}({n}, "x")' for n in imported(number)]
    lines += [f'wrong: int = make({number}, "x")'] if number % 10 == 9 else []
    return "\n".join([*lines, ""])


ENGINES: dict[str, tuple[str, str, Write, tuple[str, str]]] = {
    "tsc7": ("tsc", "typescript-7", script, ("string", "number")),
    "tsc5": ("tsc", "typescript", script, ("string", "number")),
    "ty": ("ty", "", python, ("str", "int")),
    "basedpyright": ("basedpyright", "", python, ("str", "int")),
}


def project(root: Path, name: str, modules: Path, venv: Path) -> None:
    """Write the project, with the tools linked into it."""
    engine, package, write, (kind, _) = ENGINES[name]
    ending = "ts" if package else "py"
    for number in range(FILES):
        (root / f"mod{number:03d}.{ending}").write_text(write(number, kind), encoding="utf-8")
    if package:
        options = '{"compilerOptions": {"strict": true, "module": "esnext", "moduleResolution": "bundler"}}'
        (root / "tsconfig.json").write_text(options, encoding="utf-8")
        (root / "node_modules").mkdir()
        (root / "node_modules" / "typescript").symlink_to(modules / package)
        if package == "typescript-7":
            (root / "node_modules" / "@typescript").symlink_to(modules / "@typescript")
    else:
        (root / "pyproject.toml").write_text(f"[tool.{engine}]\n", encoding="utf-8")
        (root / ".venv").symlink_to(venv)


async def measured(name: str, root: Path, env: dict[str, str]) -> bool:
    """Edit, ask the server's after_edit_check and the command line, time after time; print a line."""
    _, package, write, kinds = ENGINES[name]
    file, mark = f"mod{EDITED:03d}.{'ts' if package else 'py'}", "//" if package else "#"
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "punchlist.cli", "serve"], env=env, cwd=root)
    warm, cold, whole, trouble = [], [], [], []
    async with stdio_client(parameters) as streams, ClientSession(*streams) as client:
        await client.initialize()

        async def ask(**arguments: Any) -> tuple[float, str]:
            begin = time.perf_counter()
            answer = await client.call_tool("after_edit_check", {"files": [file], **arguments})
            return time.perf_counter() - begin, "\n".join(getattr(part, "text", "") for part in answer.content)

        await ask()
        for n in range(TIMES):
            await anyio.sleep(SETTLE_S)  # an agent thinks between two edits; the first time the server starts
            (root / file).write_text(write(EDITED, kinds[1 - n % 2]) + f"\n{mark} {n}\n", encoding="utf-8")
            seconds, text = await ask()
            warm.append(seconds)
            trouble += [] if "warm server" in text else [text.split("\n")[1]]
            asked = await ask(fresh=True)
            whole.append(asked[0])
            begin = time.perf_counter()
            subprocess.run(bare(name, root), cwd=root, capture_output=True, check=False)
            cold.append(time.perf_counter() - begin)
            trouble += differences(root)
    slow, fast = statistics.median(cold), statistics.median(warm)
    by_us = statistics.median(whole)
    print(
        f"{name}: after_edit_check warm {fast * 1000:.0f} ms, by the command line {by_us * 1000:.0f} ms, "
        f"the bare command {slow * 1000:.0f} ms: {slow / fast:.1f} times; {'; '.join(trouble) or 'the same'}"
    )
    return not trouble


def bare(name: str, root: Path) -> list[str]:
    """Return the engine's own command for the whole project."""
    engine, package, _, _ = ENGINES[name]
    if package:
        return ["node", str(root / "node_modules" / "typescript" / "bin" / "tsc"), "--noEmit"]
    return [str(root / ".venv" / "bin" / engine), *(["check"] if engine == "ty" else [])]


def differences(root: Path) -> list[str]:
    """Compare what the server said last, in the files it looked at, with what the command line said after it."""
    project = open_project(explicit=str(root))
    cold, warm = project.store.newest(kind="engines", limit=2)
    seen = seen_by(project, warm)
    files = {file for _, file in seen.covered} if seen else set()
    said, expected = (
        places(d for d in project.store.report(run.id).diagnostics if d.file in files) for run in (warm, cold)
    )
    return [] if said == expected and files else [f"NOT the same: {sorted(said ^ expected, key=str)[:3]}"]


def measure(name: str, modules: Path, venv: Path) -> bool:
    """Measure one engine in a generated project."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        project(root, name, modules, venv)
        return anyio.run(measured, name, root, {**os.environ, "PUNCHLIST_WARM": "on", "PUNCHLIST_ROOT": str(root)})


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=", ".join(ENGINES))
    parser.add_argument("--modules", type=Path, default=NODE_MODULES)
    parser.add_argument("--venv", type=Path, default=Path(sys.prefix))
    options = parser.parse_args()
    if unknown := set(options.engines) - set(ENGINES):
        parser.error(f"unknown: {', '.join(unknown)}")
    names = options.engines or list(ENGINES)[:3]
    results = [measure(name, options.modules.resolve(), options.venv.absolute()) for name in names]
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
