"""What a warm server saves: an edit of one file in a generated project of 50,000 lines, against the command line.

Both are measured in one go on the same machine; only the ratio means something elsewhere. Exit 1 where they do not say
the same of the edited file and of those that depend on it. Give the names of engines (tsc7 tsc5 ty basedpyright), and
`--tools DIR` for a folder with `node_modules` (typescript, typescript-7) and `.venv` (ty, basedpyright).
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from punchlist.engines.warm.pool import Pool, places
from punchlist.project.config import load

FILES, TIMES, BODY = 300, 5, 20
EDITED = 50
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


def project(root: Path, name: str, tools: Path) -> None:
    """Write the project, with the tools linked into it."""
    engine, package, write, (kind, _) = ENGINES[name]
    ending = "ts" if package else "py"
    for number in range(FILES):
        (root / f"mod{number:03d}.{ending}").write_text(write(number, kind), encoding="utf-8")
    if package:
        options = '{"compilerOptions": {"strict": true, "module": "esnext", "moduleResolution": "bundler"}}'
        (root / "tsconfig.json").write_text(options, encoding="utf-8")
        (root / "node_modules").mkdir()
        (root / "node_modules" / "typescript").symlink_to(tools / "node_modules" / package)
        if package == "typescript-7":
            (root / "node_modules" / "@typescript").symlink_to(tools / "node_modules" / "@typescript")
    else:
        (root / "pyproject.toml").write_text(f"[tool.{engine}]\n", encoding="utf-8")
        (root / ".venv").symlink_to(tools / ".venv")


def measure(name: str, tools: Path) -> bool:
    """Measure one engine and print a line; return whether both said the same."""
    engine, package, write, kinds = ENGINES[name]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        project(root, name, tools)
        pool = Pool(root, load(root, {}), state=Path(folder) / "state", environ=dict(os.environ), worth_s=0)
        file = f"mod{EDITED:03d}.{'ts' if package else 'py'}"
        try:
            first = pool.answer(engine, [file])
            if first.failed or not pool.warm(engine, 120):
                print(f"{name}: no server ({first.failed or first.why})")
                return False
            warm, cold, same = [], [], True
            for n in range(TIMES):
                (root / file).write_text(write(EDITED, kinds[1 - n % 2]) + f"\n{'//' if package else '#'} {n}\n")
                answer = pool.answer(engine, [file])
                begin = time.perf_counter()
                told = pool.cold(engine, [file])
                cold.append(time.perf_counter() - begin)
                warm.append(answer.ms / 1000)
                expected = places(d for d in told.diagnostics if d.file in answer.files)
                same = same and answer.spoke == "warm" and places(answer.diagnostics) == expected
                if answer.spoke != "warm":
                    print(f"  {name}: {answer.why}")
        finally:
            pool.close()
    slow, fast = statistics.median(cold), statistics.median(warm)
    print(
        f"{name}: warm {fast * 1000:.0f} ms for {len(answer.files)} files, cold {slow * 1000:.0f} ms, "
        f"{slow / fast:.0f} times; {'the same' if same else 'NOT the same'}"
    )
    return same


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", choices=[*ENGINES, []], default=list(ENGINES))
    parser.add_argument("--tools", type=Path, default=Path(__file__).resolve().parent.parent / "tests" / "node")
    options = parser.parse_args()
    results = [measure(name, options.tools.resolve()) for name in options.engines]
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
