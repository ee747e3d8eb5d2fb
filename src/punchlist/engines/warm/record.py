"""The records of warm engines: what keeps one warm, what it is told and asked, and what came of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from punchlist.model import Diagnostic
from punchlist.records import dataclass

if TYPE_CHECKING:
    from punchlist.engines.record import Found, Unit
    from punchlist.engines.site import Site


class Changes(NamedTuple):
    """What happened on disk since the last look: root-relative files."""

    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything happened."""
        return bool(self.created or self.changed or self.deleted)


class Resident(Protocol):
    """A server that holds one program. What cannot be answered raises `wire.Lost` or `lsp.Refused`."""

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""

    @property
    def pid(self) -> int:
        """Its process."""

    @property
    def said(self) -> Sequence[str]:
        """What it complained about, apart from findings."""

    def told(self, changes: Changes) -> None:
        """Tell it what happened on disk."""

    def ask(self, files: Sequence[str], within_s: float) -> list[Diagnostic]:
        """Return the findings in these files (root-relative, existing), columns in UTF-16 units."""

    def end(self) -> None:
        """End it and all it started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How one engine is kept warm.

    `known` tells whether a version was tried with it. `start` starts a server for a program, `configs` are the files
    (absolute) a change of which makes everything the server knows worthless. `imports` names the language whose
    imports tell the dependents. `whole` says that files may come and go without a restart.
    """

    engine: str
    known: Callable[[str], bool]
    start: Callable[["Site", "Found", "Unit"], Resident]
    configs: Callable[["Site", "Unit"], Sequence[str]]
    imports: Literal["script", "python"]
    comes_and_goes: bool = True
