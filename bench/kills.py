"""Kill a process that applies a change of ten files at random instants: files must be all old or all new afterwards.

Run: python bench/kills.py [KILLS] [SEED]. Prints how many kills cut a change off and what was wrong; exit 1 for any.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "editing"))

from kills import rounds  # shared with the tests


def main() -> int:
    """Kill, look, print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as folder:
        wrong, cut = rounds(Path(folder), count, seed=int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    print(f"{count} kills, {cut} in the middle of a change, {len(wrong)} faults")
    print("\n".join(wrong[:20]), end="")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
