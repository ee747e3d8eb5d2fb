"""What `doctor` finds: each with what to do about it."""

from typing import Literal

from punchlist.records import dataclass

Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `doctor`: what was looked at, what was found, and the remedy. A problem makes the exit status 1."""

    level: Level
    subject: str
    text: str
    remedy: str = ""

    def line(self) -> str:
        """The finding as it is printed."""
        return f"{self.level.upper():<8}{self.subject}: {self.text}" + (f". {self.remedy}" if self.remedy else "")
