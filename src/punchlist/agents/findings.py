"""What `doctor` finds: each with what to do about it."""

from typing import Literal

from punchlist.records import dataclass

Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of `doctor`: what was looked at, what was found, and what to do. With a problem its status is 1."""

    level: Level
    subject: str
    text: str
    remedy: str = ""

    def line(self) -> str:
        """The finding as it is printed: what there is to do stands below it."""
        lines = f"{self.subject}: {self.text}".split("\n") + ([self.remedy] if self.remedy else [])
        return f"{self.level.upper():<8}" + f"\n{'':8}".join(lines)
