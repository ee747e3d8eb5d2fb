"""Measure what a check adds to the engines it starts, and what a check costs when nothing has changed.

Run: python bench/engines.py [FILES [NODE_MODULES PYTHON_BIN]]. NODE_MODULES holds oxlint and typescript, PYTHON_BIN
holds ruff and mypy; else those of the tests are taken. A project of FILES TypeScript and as many Python
modules is made in a temporary folder. By hand means: the same commands started together, their output thrown away.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from punchlist.engines.run import Checked, run
from punchlist.project.config import load
from punchlist.store.cache import Cache

ROUNDS = 3
TESTS = Path(__file__).resolve().parent.parent / "tests" / "node"


def make(root: Path, modules: Path, python: Path, files: int) -> None:
    """Write the project."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "node_modules").symlink_to(modules)
    (root / ".venv").symlink_to(python.parent)
    texts = {
        ".gitignore": "node_modules\n.venv\n.punchlist\n",
        "package.json": '{"private": true, "devDependencies": {"oxlint": "*"}}',
        ".oxlintrc.json": "{}",
        "tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "types": []}, "include": ["ts"]}',
        "pyproject.toml": "[tool.ruff]\n[tool.mypy]\nfiles = ['py']\n",
    }
    for number in range(files):
        before = max(0, number - 1)
        texts[f"ts/d{number // 50}/m{number}.ts"] = (
            f"import {{ f{before} as g }} from '../d{before // 50}/m{before}';\n"
            + "".join(f"export function f{number}_{i}(a: number): number {{ return a * {i}; }}\n" for i in range(20))
            + f"export function f{number}(a: number): number {{ return {'g(a)' if number else 'a'}; }}\n"
        )
        texts[f"py/d{number // 50}/m{number}.py"] = "import os\n" + "".join(
            f"\n\ndef f{i}(a: int) -> int:\n    return a * {i}\n" for i in range(10)
        )
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "add", "."], cwd=root, check=True)


def by_hand(root: Path, commands: list[str]) -> float:
    """Return the seconds until all commands, started together, have ended."""
    env = {**os.environ, "PATH": f"{root}/.venv/bin{os.pathsep}{os.environ['PATH']}"}
    begin = time.perf_counter()
    started = [subprocess.Popen(c, shell=True, cwd=root, env=env, stdout=-3, stderr=-3) for c in commands]
    for one in started:
        one.wait()
    return time.perf_counter() - begin


def timed(root: Path, state: Path, paths: list[str] | None = None) -> tuple[float, Checked]:
    """Return the seconds a check takes, with its result."""
    config = load(root)
    begin = time.perf_counter()
    cache = Cache(state)
    checked = run(root, config, paths, state=state, cache=cache)
    cache.close()
    return time.perf_counter() - begin, checked


def stats(root: Path) -> float:
    """Return the seconds one os.stat pass over the project's files takes."""
    names = [str(path) for folder in ("ts", "py") for path in (root / folder).rglob("*") if path.is_file()]
    begin = time.perf_counter()
    for name in names:
        os.stat(name)  # noqa: PTH116 - the very call that is the measure
    return time.perf_counter() - begin


def main() -> None:
    """Print the medians."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    modules, python = TESTS / "node_modules", Path(sys.executable).parent
    if len(sys.argv) > 3:
        modules, python = Path(sys.argv[2]).resolve(), Path(sys.argv[3]).absolute()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "project"
        root.mkdir()
        make(root, modules, python, files)
        _, first = timed(root, Path(name) / "first")
        for result in first.results:
            print(f"  {result.engine} {result.version} {result.state} {result.message} {result.duration_ms} ms")
        hand, ours = [], []
        for number in range(ROUNDS):
            state = Path(name) / f"cold{number}"
            commands = [c for r in first.results for c in r.commands]
            commands = [c.replace(f"{name}/first", f"{name}/hand{number}") for c in commands]
            for command in commands:
                for word in command.split():
                    if f"/hand{number}/" in word:
                        Path(word).parent.mkdir(parents=True, exist_ok=True)
            hand.append(by_hand(root, commands))
            ours.append(timed(root, state)[0])
        limit = median(hand) * 1.15 + 0.15
        print(f"cold: by hand {median(hand):.3f} s, checked {median(ours):.3f} s, allowed {limit:.3f} s")
        state = Path(name) / "cold0"
        timed(root, state)
        look = [stats(root) for _ in range(ROUNDS)]
        warm = [timed(root, state) for _ in range(ROUNDS)]
        again = {result.engine for _, checked in warm for result in checked.results if result.checked}
        if again:
            print(f"ran again although nothing changed: {', '.join(sorted(again))}")
        took, allowed = median(t for t, _ in warm), median(look) * 4 + 0.03
        print(f"warm, {2 * files} files: stat pass {median(look):.4f} s, checked {took:.4f} s, allowed {allowed:.4f} s")
        few = [timed(root, state, ["ts/d0/m1.ts", "py/d0/m2.py"])[0] for _ in range(ROUNDS + 2)]
        print(f"warm, two files: {median(few) * 1000:.1f} ms")


if __name__ == "__main__":
    main()
