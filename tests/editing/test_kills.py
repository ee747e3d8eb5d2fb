"""A process killed while it writes leaves every file old or every file new."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from kills import rounds  # found beside this file


def test_a_killed_apply_leaves_all_old_or_all_new(tmp_path: Path) -> None:
    wrong, cut = rounds(tmp_path, 40, seed=1)
    assert wrong == []
    assert cut > 10


def test_a_killed_recovery_is_finished_by_the_next(tmp_path: Path) -> None:
    wrong, cut = rounds(tmp_path, 30, seed=2, recoveries=True)
    assert wrong == []
    assert cut > 5
