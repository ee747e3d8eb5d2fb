"""Read the run-time checkers of gcc and clang: Address, Leak, Thread, Memory and UndefinedBehavior sanitizers."""

import re

from punchlist.model import Diagnostic, Related
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field

ERROR = re.compile(r"(?:==\d+==\s*)?(?:ERROR|WARNING): (?P<message>(?P<tool>\w+Sanitizer|libFuzzer): (?P<what>.+))$")
KIND = re.compile(
    r"(?P<rule>(?:[a-z]+-)+[a-z]+|SEGV|FPE|ILL|BUS|ABRT|TRAP|requested allocation size|data race"
    r"|lock-order-inversion[^(]*|heap-use-after-free|"
                  r"attempting \S+|detected memory leaks|deadly signal|timeout|out-of-memory[^(]*"
                  r"|unknown-crash)")  # fmt: skip
FRAME = re.compile(
    r"\s+#(?P<number>\d+) (?:0x[0-9a-f]+ )?(?:in )?(?P<function>.+?)"
    r"(?: (?P<file>(?:[A-Za-z]:[\\/])?[^\s()][^()]*?):(?P<line>\d+)(?::(?P<column>\d+))?)?(?: \(.*\))?$"
)
LEAK = re.compile(r"(?P<kind>Direct|Indirect) leak of \d+ byte\(s\) in \d+ object\(s\) allocated from:$")
UBSAN = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): runtime error: (?P<message>.+)$"
)
SUMMARY = re.compile(r"SUMMARY: (?P<tool>\w+Sanitizer|libFuzzer): (?P<rest>.+)$")
STACK_HEAD = re.compile(r"\s*(\S.*?)(?: here)?:$|\S.*(?:thread T\d+|by main thread|by thread .*)\b.*$")
FOREIGN = re.compile(
    r".*(?:/libsanitizer/|/sysdeps/|/csu/|compiler-rt/|/nptl/|/usr/include/|/usr/lib/|\.\./include/c\+\+"
    r"|/bits/|libstdc\+\+|/llvm-project/|/build/glibc)|<null>"
)
ENDS = re.compile(r"(?:==\d+==\s*)?ABORTING$|={10,}$|SUMMARY: ")


@dataclass(slots=True)
class Stack:
    """A stack of a report: what its heading says and its frames (function, file, line, column)."""

    heading: str
    frames: list[tuple[str, str, int, int | None]] = field(default_factory=list)

    def own(self) -> tuple[str, str, int, int | None] | None:
        """Return the innermost frame in the project's own code."""
        return next((frame for frame in self.frames if not FOREIGN.match(frame[1])), None)


def parse(log: Log, context: Context) -> Reading:
    """Read every report, leak and run-time error."""
    reading = Reading()
    at = 0
    while at < len(log.lines):
        at = _line(log, at, reading)
    if reading.diagnostics:
        reading.outcome = "failed" if context.exit_code != 0 else None
    return reading


def _line(log: Log, at: int, reading: Reading) -> int:
    line = log.lines[at]
    if "Sanitizer: " in line or "libFuzzer: " in line:
        if match := ERROR.match(line):
            return _report(log, at, match, reading)
        if SUMMARY.match(line):
            reading.claim(at)
    elif "runtime error: " in line and (match := UBSAN.match(line)):
        return _runtime_error(log, at, match, reading)
    return at + 1


def _report(log: Log, at: int, match: re.Match[str], reading: Reading) -> int:
    end = at + 1
    while end < len(log.lines) and end - at < 2000:
        line = log.lines[end]
        if "Sanitizer: " in line and (ERROR.match(line) or SUMMARY.match(line)):
            break
        if (log.numbers[end] < 0) != (log.numbers[at] < 0):
            break
        end += 1
    end, rest = _with_summary(log, end)
    if "detected memory leaks" in match["what"]:
        _leaks(log, at, end, reading)
    else:
        stacks = _stacks(log, at, end)
        place = next((own for stack in stacks if (own := stack.own())), None)
        kind = KIND.match(match["what"])
        reading.add(
            Diagnostic(
                message=match["message"].strip(), detail="\n".join(_detail(stacks)), rule=_rule(kind),
                file=place[1] if place else None, line=place[2] if place else None, column=place[3] if place else None,
                related=_related(stacks[1:]), log=log.span(at, end - 1), tool=match["tool"],
            )
        )  # fmt: skip
    begin = at - 1 if at and re.match(r"=+$", log.lines[at - 1]) else at
    reading.claim(begin, rest)
    return rest


def _rule(kind: re.Match[str] | None) -> str | None:
    if kind is None:
        return None
    return kind["rule"].strip().replace("attempting ", "attempting-").replace(" ", "-")


def _with_summary(log: Log, end: int) -> tuple[int, int]:
    """One past the report's text with its SUMMARY line, and one past the shadow bytes and the ABORTING below."""
    if end < len(log.lines) and SUMMARY.match(log.lines[end]):
        end += 1
    rest = end
    while rest < len(log.lines) and (
        re.match(
            r"\s*(?:=>)?\s*0x[0-9a-f]+:|Shadow |  \S.*:\s+[0-9a-f]{2}|  (?:Addressable|Partially)"
            r"|==\d+==ABORTING|=+$",
            log.lines[rest],
        )
    ):
        rest += 1
    return end, rest


def _stacks(log: Log, first: int, end: int) -> list[Stack]:
    stacks = [Stack(log.lines[first])]
    heading = ""
    inside = False
    for at in range(first + 1, end):
        line = log.lines[at]
        if "#" in line and (match := FRAME.match(line)):
            if not inside and stacks[-1].frames:
                stacks.append(Stack(heading))
            inside = True
            if match["file"]:
                column = int(match["column"]) if match["column"] else None
                stacks[-1].frames.append((match["function"], match["file"], int(match["line"]), column))
            elif not stacks[-1].frames:
                stacks[-1].frames.append((match["function"], "<null>", 0, None))
        elif line.strip():
            inside = False
            heading = line.strip()
    return stacks


def _detail(stacks: list[Stack]) -> list[str]:
    lines: list[str] = []
    for stack in stacks[:6]:
        own = [frame for frame in stack.frames if not FOREIGN.match(frame[1])][:5]
        if own:
            lines += [stack.heading, *(f"  {function} {file}:{line}" for function, file, line, _ in own)]
    return lines


def _related(stacks: list[Stack]) -> tuple[Related, ...]:
    return tuple(Related(stack.heading.rstrip(":"), own[1], own[2], own[3]) for stack in stacks if (own := stack.own()))


def _leaks(log: Log, first: int, end: int, reading: Reading) -> None:
    """Each leak is a finding of its own, at the innermost own frame that allocated."""
    starts = [at for at in range(first, end) if LEAK.match(log.lines[at])]
    for start, stop in zip(starts, [*starts, end][1:], strict=True):
        stack = _stacks(log, start, stop)[0]
        own = stack.own()
        frames = [f"{function} {file}:{line}" for function, file, line, _ in stack.frames if not FOREIGN.match(file)]
        last = start
        while last + 1 < stop and log.lines[last + 1].startswith("    #"):
            last += 1
        reading.add(
            Diagnostic(
                message=log.lines[start], detail="\n".join(frames[:8]), file=own[1] if own else None,
                line=own[2] if own else None, column=own[3] if own else None, rule="leak", tool="LeakSanitizer",
                log=log.span(start, last),
            )
        )  # fmt: skip
    if not starts:
        reading.add(Diagnostic(message=log.lines[first], rule="leak", tool="LeakSanitizer", log=log.span(first)))


def _runtime_error(log: Log, at: int, match: re.Match[str], reading: Reading) -> int:
    end = at + 1
    detail: list[str] = []
    while end < len(log.lines) and end - at < 60:
        line = log.lines[end]
        if not (
            FRAME.match(line) or SUMMARY.match(line) or line.startswith((" ", "0x")) or re.match(r".*: note: ", line)
        ):
            break
        if not FRAME.match(line) and not SUMMARY.match(line):
            detail.append(line)
        end += 1
    summary = SUMMARY.match(log.lines[end - 1])
    rule = summary["rest"].split(" ")[0] if summary and "undefined-behavior" not in summary["rest"] else None
    reading.add(
        Diagnostic(
            message=f"runtime error: {match['message']}", detail="\n".join(detail[:20]), file=match["file"],
            line=int(match["line"]) or None, column=int(match["column"]) or None, rule=rule,
            tool="UndefinedBehaviorSanitizer", log=log.span(at, end - 1),
        )
    )  # fmt: skip
    reading.claim(at, end)
    return end
