"""Read what perl itself says: compile errors, missing modules, uncaught exceptions, `perl -c` (perl 5.8 to 5.40)."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.records import dataclass, replace

SAID = re.compile(
    r"(?P<message>\S.*) at (?P<file>\S(?:.*\S)?) line (?P<line>\d+)"
    r"(?P<rest>\.|, (?:<.*?> (?:line|chunk) \d+\.|near .*|at EOF|at end of line.*|within .*))?$"
)
FRAME = re.compile(r"\t.* called at (?P<file>\S.*) line (?P<line>\d+)$")
ABORTED = re.compile(
    r"(?:BEGIN|INIT|CHECK|UNITCHECK|END) (?:failed--(?:compilation aborted|call queue aborted)|not safe after errors.*)"
    r" at .+ line \d+\.$|Compilation failed in require at .+ line \d+\.$|Missing right curly .*--continuing"
)
REFUSED = re.compile(
    r"(?:Execution of .+ aborted due to compilation errors|.+ had compilation errors|.+ had too many errors"
    r"|.+ has too many errors)\.$"
)
CANNOT = re.compile(
    r"Can't open perl script \"(?P<file>.+?)\": .+|Unrecognized switch: .+|Unknown (?:Unicode option|PERLIO).+"
    r"|No code specified for -e\.|Missing argument to -\w"
)
OK = re.compile(r".+ syntax OK$")
FOREIGN = re.compile(r"^/(?:usr|etc|opt)/|^\(eval|/perl5?/|^-e$")
MOST = 40


@dataclass(slots=True)
class Said:
    """One message of perl: its place, the lines it stands on, and whether perl says that it ended the program."""

    message: str
    file: str
    line: int | None
    first: int
    end: int
    fatal: bool = False
    frames: tuple[tuple[str, int], ...] = ()

    def diagnostic(self, log: Log, tool: str = "perl") -> Diagnostic:
        """Return it as an error at the innermost own place of its backtrace."""
        places = [(self.file, self.line), *self.frames]
        file, line = next((p for p in places if not FOREIGN.search(p[0])), places[0])
        return Diagnostic(
            message=self.message,
            detail="\n".join(log.lines[self.first + 1 : min(self.end, self.first + MOST)]),
            file=None if file == "-e" or file.startswith("(eval") else file,
            line=line if file != "-e" else None,
            tool=tool,
            log=log.span(self.first, self.end - 1),
        )


def said_at(log: Log, index: int) -> Said | None:
    """Return the message that begins at line `index` with its backtrace and what perl adds below it, or None."""
    line = log.lines[index]
    if " line " not in line or line[0] in "#\t" or not (match := SAID.match(line)):
        return None
    if ABORTED.match(line) or REFUSED.match(line):
        return None
    end = index + 1
    frames: list[tuple[str, int]] = []
    while end < len(log.lines) and (frame := FRAME.match(log.lines[end])):
        frames.append((frame["file"], int(frame["line"])))
        end += 1
    fatal = False
    while end < len(log.lines) and ABORTED.match(log.lines[end]):
        fatal = True
        end += 1
    rest = match["rest"] or ""
    message = line if rest.startswith((", near", ", at E", ", within")) else match["message"]
    return Said(message, match["file"], number(match["line"]), index, end, fatal, tuple(frames))


def messages(log: Log, first: int = 0, last: int | None = None) -> list[Said]:
    """Return every message of perl; those above a line that refuses the program are fatal."""
    found: list[Said] = []
    last = len(log.lines) if last is None else last
    index = first
    run = 0
    while index < last:
        line = log.lines[index]
        if not line:
            index += 1
            continue
        if one := said_at(log, index):
            if found and found[-1].end != index:
                run = len(found)
            found.append(one)
            index = one.end
        elif REFUSED.match(line) and found and found[-1].end == index:
            for at in range(run, len(found)):
                found[at] = replace(found[at], fatal=True)
            found[-1].end = index = index + 1
        elif found and found[-1].end == index and line.startswith("\t(") and "called at" not in line:
            found[-1].end = index = index + 1
        else:
            index += 1
    return found


def parse(log: Log, context: Context) -> Reading:
    """Read one program's run: the last message of a run that failed is what ended it; those before it are warnings."""
    reading = Reading()
    found = messages(log)
    named = bool(context.words) and context.words[0] == "perl"
    if named and context.exit_code not in (0, None) and found and not any(one.fatal for one in found):
        found[-1].fatal = True
    for one in found:
        if one.fatal:
            reading.add(one.diagnostic(log))
            reading.claim(one.first, one.end)
            reading.outcome = "failed"
    if named:
        _own(log, reading)
    return reading


def _own(log: Log, reading: Reading) -> None:
    for index, line in enumerate(log.lines):
        if match := CANNOT.match(line):
            reading.add(Diagnostic(message=line, file=match["file"], tool="perl", log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
        elif OK.match(line):
            reading.claim(index)
            reading.outcome = reading.outcome or "passed"
