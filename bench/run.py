"""Run every benchmark of this folder, one after the other."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main() -> int:
    """Run them; each prints its ratios."""
    for path in sorted(FOLDER.glob("*.py")):
        if path.name != Path(__file__).name:
            print(f"== {path.stem}", flush=True)
            subprocess.run([sys.executable, str(path)], check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
