"""The record of a tool: name, what a model reads of it, its arguments, and the operation behind it."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from punchlist.records import dataclass
from punchlist.service.session import Session
from punchlist.store.runs import Run

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says: text for a model, the documented JSON value for clients that parse; `failed`: nothing ran.

    `about` are the ids of the runs it tells of.
    """

    text: str
    value: Any = None
    failed: bool = False
    about: tuple[str, ...] = ()


class Work(Protocol):
    """Something under way in a thread of its own that a call waits for."""

    def wait(self, seconds: float) -> bool:
        """Wait at most so long and return whether it is over."""

    def so_far(self) -> str:
        """Return one line on how far it is."""

    def withdraw(self) -> None:
        """The caller took the call back: do nothing, or where that is too late, finish."""

    def answer(self) -> Answer:
        """Return what it came to, or how it stands."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One row of the tool table.

    `properties` are JSON schemas by argument name, `required` the names that must be there; unknown names are refused.
    A tool that runs something has `begin`, which returns the runs to wait for; `answer` then says how they stand.
    One whose work is not runs alone has `work` instead of `answer`.
    `looks` says that it only waits for runs that others started, so that they go on when its call is taken back.
    `asks` gives the question that the user is to be asked first, None where there is none.
    `toolset` is the name under which a project may show or hide the tool. The hints are the annotations.
    """

    name: str
    description: str
    properties: dict[str, dict[str, Any]]
    answer: Callable[[Session, Arguments, Sequence[Run]], Answer] | None = None
    work: Callable[[Session, Arguments], Work] | None = None
    begin: Callable[[Session, Arguments], list[Run]] | None = None
    required: tuple[str, ...] = ()
    toolset: str = "run"
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False
    looks: bool = False
    asks: Callable[[Session, Arguments], str | None] | None = None

    @property
    def schema(self) -> dict[str, Any]:
        """The input schema as it goes over the wire."""
        found: dict[str, Any] = {"type": "object", "properties": self.properties, "additionalProperties": False}
        return found | ({"required": list(self.required)} if self.required else {})
