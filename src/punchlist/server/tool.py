"""The record of a tool: name, what a model reads of it, its arguments, and the operation behind it."""

from collections.abc import Callable, Sequence
from typing import Any

from punchlist.records import dataclass
from punchlist.service.session import Session
from punchlist.store.runs import Run

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says: text for a model, the documented JSON value for clients that parse; `failed`: nothing ran."""

    text: str
    value: Any = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """One row of the tool table.

    `properties` are JSON schemas by argument name, `required` the names that must be there; unknown names are refused.
    A tool that runs something has `begin`, which returns the runs to wait for; `answer` then says how they stand.
    `looks` says that it only waits for runs that others started, so that they go on when its call is taken back.
    `asks` gives the question that the user is to be asked first, None where there is none.
    `toolset` is the name under which a project may show or hide the tool. The hints are the annotations.
    """

    name: str
    description: str
    properties: dict[str, dict[str, Any]]
    answer: Callable[[Session, Arguments, Sequence[Run]], Answer]
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
