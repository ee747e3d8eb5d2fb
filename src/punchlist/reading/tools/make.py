"""Read make, gmake, bmake, ninja's own and scons' words: no rule, bad makefiles, missing programs, deaths by signal.

What a recipe's program printed is read by that program's parser; `*** [target] Error 1` only follows from it.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import lines_with
from punchlist.records import dataclass

MAKE = r"(?:g?make|bmake|[\w-]*make(?:\.exe)?|scons)(?:\[\d+\])?"
STOPPED = re.compile(rf"{MAKE}: \*\*\* (?P<message>.+?)(?:  Stop\.)?$")
FAILED = re.compile(
    r"(?:\[(?:(?P<file>[^\]:]+):(?P<line>\d+): )?(?P<target>[^\]]+)\] )(?P<how>Error (?P<code>-?\d+)"
    r"|[A-Z][\w ]+(?:\(core dumped\))?)(?: \(ignored\))?$"
)
MAKEFILE = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+): (?P<warning>warning: )?(?:\*\*\* )?(?P<message>.+?)(?:  Stop\.)?$"
)
MAKEFILE_SAYS = re.compile(
    r"(?:\*\*\* |warning: (?:overriding|ignoring old|undefined variable|pattern)|missing separator"
    r"|recipe commences before|commands commence before)"
)
WARNING = re.compile(rf"{MAKE}: (?:warning: (?P<message>.+)|Circular .+ dependency dropped\.)$")
NOT_FOUND = re.compile(
    rf"(?:{MAKE}: )?(?P<message>(?:/bin/|/usr/bin/)?\w*sh: (?:\d+: "
    rf"|line \d+: )?.+: (?:command )?(?:not found|Permission denied|No such file or directory"
    rf"|cannot execute.*)"
    r"|[^\s:]+: (?:No such file or directory|Command not found|Permission denied|command not found))$"
)
CHATTER = re.compile(
    rf"{MAKE}: (?:Nothing to be done|'.*' is up to date|`.*' is up to date|Entering directory"
    rf"|Leaving directory|Target .* not remade|Waiting for|"
    r"Circular|Für das Ziel|.* ist bereits aktuell)|scons: (?:Reading|done|Building|building|`.*' is up to date)"
)
WORTH = re.compile(
    r"\*\*\* |ake(?:\.exe)?(?:\[\d+\])?: |scons: |not found|No such file|Permission denied|cannot execute"
    r"|: warning: |missing separator"
    r"|commences? before"
)
UP_TO_DATE = re.compile(rf"{MAKE}: (?:Nothing to be done|'.*' is up to date|`.*' is up to date)")
NEVER_RAN = re.compile(
    r"No rule to make target|No targets|missing separator|commences? before|recursive variable"
    r"|unterminated|invalid|missing|"
    r"No such file|multiple target|mixed implicit|empty variable|prerequisites|Do not know how to make|No SConstruct|"
    r"Keine Regel|Pas de règle|No hay ninguna regla|target pattern|extraneous|Unknown|unknown|Recursive"
)
DEATHS = (
    "Segmentation fault",
    "Killed",
    "Aborted",
    "Bus error",
    "Illegal instruction",
    "Floating point",
    "Terminated",
    "Trace",
    "Alarm",
    "Hangup",
)
SIGNED = {"126", "127", "-1", "134", "136", "137", "139"}


@dataclass(slots=True)
class State:
    """What make said: a recipe failed, make could not work, nothing was to do; the last `not found` line."""

    failed: bool = False
    trouble: bool = False
    idle: bool = False
    missing: int = -1


def parse(log: Log, context: Context) -> Reading:
    """Read make's lines; a failed recipe is a finding only where no program could have said why."""
    reading, state = Reading(), State()
    for at in lines_with(log, WORTH):
        line = log.lines[at]
        if "***" in line and (match := STOPPED.match(line)):
            _stopped(log, at, match, reading, state)
        elif CHATTER.match(line):
            state.idle |= bool(UP_TO_DATE.match(line))
            reading.claim(at)
        elif match := WARNING.match(line):
            reading.add(Diagnostic(message=match["message"] or line, severity="warning", log=log.span(at)))
            reading.claim(at)
        elif (match := MAKEFILE.match(line)) and MAKEFILE_SAYS.search(line):
            _makefile(log, at, match, reading, state)
        elif NOT_FOUND.match(line):
            state.missing = at
    if state.failed:
        reading.outcome = "failed"
    elif state.trouble:
        reading.outcome = "error"
    elif state.idle and context.exit_code in (0, None):
        reading.outcome = "passed"
    return reading


def _stopped(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> None:
    message = match["message"]
    failed = FAILED.match(message)
    if failed is None:
        if message.startswith(("Waiting for unfinished", "Target ", "Deleting ", "[")):
            state.failed |= message.startswith("[")
            reading.claim(at)
            return
        state.trouble = True
        place = MAKEFILE.match(message) if re.match(r"[^\s:]+:\d+: ", message) else None
        if not any(d.message == message for d in reading.diagnostics):
            reading.add(
                Diagnostic(
                    message=message, file=place["file"] if place else None,
                    line=int(place["line"]) if place else None, log=log.span(at),
                )
            )  # fmt: skip
        reading.claim(at)
        return
    if "(ignored)" in message:
        reading.claim(at)
        return
    state.failed = True
    _recipe(log, at, failed, reading, state)
    reading.claim(at)


def _recipe(log: Log, at: int, failed: re.Match[str], reading: Reading, state: State) -> None:
    """A failed recipe: its program was missing, or a signal ended it; else its own words say why."""
    if failed["code"] in ("127", "126") and state.missing >= 0:
        match = NOT_FOUND.match(log.whole(state.missing))
        message = match["message"] if match else log.whole(state.missing)
        reading.add(
            Diagnostic(
                message=message, detail=failed[0], file=failed["file"], line=number(failed["line"]),
                log=log.span(state.missing),
            )
        )  # fmt: skip
        reading.claim(state.missing)
        state.missing = -1
    elif failed["code"] is None and failed["how"].startswith(DEATHS) and not reading.diagnostics:
        reading.add(
            Diagnostic(
                message=failed[0],
                file=failed["file"],
                line=number(failed["line"]),
                log=log.span(at),
            )
        )
    elif not reading.weak:
        weak = Diagnostic(message=failed[0], file=failed["file"], line=number(failed["line"]), log=log.span(at))
        reading.weak.append(weak)


def _makefile(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> None:
    """An error or warning of the makefile itself: `Makefile:3: *** missing separator.  Stop.`"""
    warns = bool(match["warning"])
    state.trouble |= not warns
    reading.add(
        Diagnostic(
            message=match["message"], severity="warning" if warns else "error", file=match["file"],
            line=int(match["line"]), log=log.span(at),
        )
    )  # fmt: skip
    reading.claim(at)
