"""How long an answer may be."""

from punchlist.records import dataclass

CHARS_PER_TOKEN = 3
CEILING = 8000


@dataclass(frozen=True, slots=True)
class Budget:
    """Room for one answer, in tokens (estimated as bytes / 3); `asked` when a caller named the number."""

    tokens: int
    asked: bool = False

    @property
    def chars(self) -> int:
        """Bytes that fit; never more than 8,000 and never fewer than a verdict needs."""
        return max(240, min(self.tokens * CHARS_PER_TOKEN, CEILING))


RUN = Budget(1500)
PROJECT = Budget(2400)


def budget(max_tokens: int | None, usual: Budget = RUN) -> Budget:
    """Budget for a caller's `max_tokens`, or the usual one."""
    return usual if max_tokens is None else Budget(max_tokens, asked=True)


def size(text: str) -> int:
    """Length of a text against a budget: bytes in UTF-8, which for any script is near three to a token."""
    return len(text.encode("utf-8", "replace"))
