"""The records of engines: what one tool needs to be found, started, cached and read, and what came of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from punchlist.model import Diagnostic
from punchlist.records import dataclass, field

if TYPE_CHECKING:
    from punchlist.engines.signatures import Signatures
    from punchlist.engines.site import Site

Kind = Literal["lint", "types"]
State = Literal["ok", "error", "disabled"]
Columns = Literal["characters", "utf16", "utf8"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A tool that can be started: `argv` begins its commands, `path` is the file that tells what it is.

    `origin` is "project" (below the root), "repository" (above it, in the same repository) or "system" (PATH).
    """

    argv: tuple[str, ...]
    path: str
    version: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A tool that is not there; `message` says so and how to get it."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One program an engine checks by itself: its working folder and the files of the scope that belong to it.

    `home` is root-relative ("" the root), `config` the configuration file that makes it, where one does. `everything`
    says that the scope holds all files of the unit, so that the tool may look for them by itself.
    """

    home: str
    files: tuple[str, ...]
    config: str = ""
    everything: bool = True

    @property
    def name(self) -> str:
        """A name that is unique among the units of an engine."""
        return self.config or self.home or "."


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One process: `argv` and the files named in it (None: the tool finds them), `cwd` root-relative."""

    argv: tuple[str, ...]
    cwd: str = ""
    env: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] | None = None
    words: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a whole program's result depends on, so that it is believed only while all of it stays the same.

    `files` (absolute) by content, `stamps` (absolute files or folders) by what the system says of them. `names` are
    (absolute folder, endings): which files lie below; `trees` the same, and what is in them. `reason` tells why
    nothing may be kept at all.
    """

    files: tuple[str, ...] = ()
    stamps: tuple[str, ...] = ()
    names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    trees: tuple[tuple[str, tuple[str, ...]], ...] = ()
    reason: str = ""


class Output(NamedTuple):
    """What one job printed, read: its findings, the files it says it looked at (None: it does not say), its text."""

    diagnostics: list[Diagnostic]
    looked_at: frozenset[str] | None
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One tool.

    `parser` is the module of `punchlist.reading` that reads its output. `endings` and `names` are those of the files it
    looks at. `marked` tells whether the project shows that it uses it, `units` which programs a scope makes. `whole`
    gives the reason why its findings in one file depend on others, "" where they do not. `configs` are the files
    (existing or not) that decide what it says of the files in a folder; `inputs` all a whole program depends on.
    `looked_at` reads from an output which files it covered, `findings` blanks what in it is for that alone. `accept`
    rewrites or drops a finding. `nothing` are words that say there was nothing to look at; `silent` that an empty
    output with exit 0 means all is well; `entire` that it always checks whole units, whichever files are asked for.
    `surroundings` is what else its findings depend on. `before` prepares a run, `after` sees to what it left (started
    at the given Unix time in nanoseconds).
    """

    name: str
    kind: Kind
    endings: tuple[str, ...]
    parser: str
    marked: Callable[["Site"], bool]
    units: Callable[["Site"], Sequence[Unit]]
    find: Callable[["Site", str], Found | Missing]
    jobs: Callable[["Site", Found, Unit], Sequence[Job]]
    whole: Callable[["Site", Found, Unit], str]
    configs: Callable[["Site", str], Sequence[str]]
    inputs: Callable[["Site", Found, Unit, Sequence[Output]], Inputs]
    timeout_s: float = 120.0
    columns: Columns = "characters"
    names: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()
    silent: bool = False
    entire: bool = False
    command: str = ""
    looked_at: Callable[["Site", Unit, Job, bytes], frozenset[str] | None] | None = None
    accept: Callable[[Diagnostic], Diagnostic | None] | None = None
    findings: Callable[[bytes], bytes] | None = None
    before: Callable[["Site", Unit, "Signatures"], None] | None = None
    after: Callable[["Site", Unit, "Signatures", int], None] | None = None
    surroundings: Callable[["Site"], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineResult:
    """What one engine says.

    `state` "error" means it did not finish for some of its files: `code` (`engine_timeout`, `output_limit_exceeded`,
    `engine_execution_failed`, `cancelled`) and `message` say why, `diagnostics` hold what it had found. "disabled"
    means it did not run: not there (`message` says how to get it) or switched off. `coverage` are the files really
    looked at, now or as cached; `checked`, `cached` and `skipped` count files; `whole` tells that it works on whole
    programs. `diagnostics` may lie in files outside of what was asked for, where it does. `hidden` counts findings in
    ignored files. `spoke` tells who answered: the command line, or a server that is kept "warm"; `why` then the command
    line had to, where there is, or could be, a server.
    """

    engine: str
    state: State
    code: str = ""
    message: str = ""
    version: str = ""
    origin: str = ""
    path: str = ""
    whole: bool = False
    checked: int = 0
    cached: int = 0
    skipped: int = 0
    hidden: int = 0
    duration_ms: int = 0
    retryable: bool = False
    next_step: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    coverage: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    spoke: Literal["cold", "warm"] = "cold"
    why: str = ""
