"""The cleaned log that parsers read, and the reading they give back."""

from collections.abc import Iterator

from punchlist.model import Diagnostic, Outcome, Span
from punchlist.records import dataclass, field

LINE_LIMIT = 16_384


@dataclass(frozen=True, slots=True)
class Log:
    """Lines of one source, cleaned (no colours, no carriage returns, right-stripped), each with its place in the log.

    `numbers[i]` is the newline-counted line number of `lines[i]`: positive on stdout, negative on stderr. Lines over
    LINE_LIMIT characters stand shortened in `lines` and whole in `long`. `gaps` holds the indexes before which lines of
    a very large log were left out because nothing in them matters. `source` is the prefix the lines stood behind
    (a service, a task), `directory` the folder that its relative paths start from, `package` its name.
    """

    lines: list[str]
    numbers: list[int]
    long: dict[int, str] = field(default_factory=dict)
    gaps: frozenset[int] = frozenset()
    source: str = ""
    directory: str = ""
    package: str | None = None

    def whole(self, index: int) -> str:
        """Return line `index` unshortened."""
        return self.long.get(index) or self.lines[index]

    def stream(self, index: int) -> str:
        """Return the stream that line `index` was printed on."""
        return "stderr" if self.numbers[index] < 0 else "stdout"

    def span(self, first: int, last: int | None = None) -> Span:
        """Return the place of lines `first` to `last` (indexes, inclusive), cut where the stream changes."""
        last = first if last is None else max(first, min(last, len(self.numbers) - 1))
        start = end = self.numbers[first]
        for index in range(first + 1, last + 1):
            number = self.numbers[index]
            if (number < 0) == (start < 0) and abs(number) >= abs(end):
                end = number
        return Span(self.stream(first), abs(start), abs(end))

    def text(self) -> str:
        """Return all lines, unshortened, as one text."""
        if not self.long:
            return "\n".join(self.lines)
        return "\n".join(self.long.get(i, line) for i, line in enumerate(self.lines))

    def streams(self) -> Iterator[tuple[int, int]]:
        """Yield the index ranges (first, one past last) between which the stream stays the same."""
        start = 0
        for index in range(1, len(self.numbers) + 1):
            if index == len(self.numbers) or (self.numbers[index] < 0) != (self.numbers[start] < 0):
                if index > start:
                    yield start, index
                start = index


@dataclass(frozen=True, slots=True)
class Context:
    """What is known beside the log: the words of the command this parser stands for, exit code, root as printed.

    `words` are the program and its arguments (wrappers taken off), empty where the log alone named the tool.
    """

    words: tuple[str, ...] = ()
    exit_code: int | None = None
    root: str = ""


@dataclass(slots=True)
class Reading:
    """What one parser understood.

    `outcome` is what the tool's own text says (None: it does not tell): "failed" = it worked and found something,
    "error" = it could not do its work, "passed". `counts` are the tool's own totals under the names of the model.
    `claimed` are index ranges (first, one past last) of lines understood, whatever they say. `expected` is how many
    findings the tool itself says it has, held against what was read. `partial` says the log ends before the tool did.
    `weak` are consequences ("make: *** [x] Error 1"): findings only where nothing else in the log is an error.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    outcome: Outcome | None = None
    claimed: list[tuple[int, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    expected: int | None = None
    partial: bool = False
    weak: list[Diagnostic] = field(default_factory=list)

    def add(self, diagnostic: Diagnostic) -> None:
        """Add one finding; set its `log` to the lines that hold its message."""
        self.diagnostics.append(diagnostic)

    def claim(self, first: int, end: int | None = None) -> None:
        """Claim the lines `first` up to, not including, `end` (indexes; one line without `end`)."""
        self.claimed.append((first, first + 1 if end is None else end))

    @property
    def understood(self) -> bool:
        """Whether this parser recognised anything at all."""
        return bool(self.claimed or self.diagnostics or self.weak or self.counts or self.outcome)
