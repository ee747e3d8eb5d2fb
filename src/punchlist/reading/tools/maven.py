"""Read Maven (3 and 4): compilers, test results, checkers run as plugins, failed goals, projects it cannot build."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import surefire
from punchlist.records import dataclass, field, replace

LEVEL = re.compile(r"\[(?P<level>ERROR|WARNING|WARN|INFO)\] ?(?P<text>.*)$")
# javac's places; Kotlin's come with other brackets, newer ones as a URL.
COMPILED = re.compile(
    r"(?:file://)?(?P<file>(?:/?[A-Za-z]:)?[^:\n]*?\.(?:java|kt|kts|groovy"
    r"|scala))(?::? ?[\[(](?P<line>\d+)(?:, ?(?P<column>\d+))?[\])]"
    r"|:(?P<line2>\d+)(?::(?P<column2>\d+))?:?) (?P<message>\S.*)$"
)
# The few lines of this level that say something.
INFO = re.compile(r"\[INFO\] (?:\d+ (?:error|warning)|BUILD |PMD Failure)")
CHECKSTYLE = re.compile(r"\((?P<group>[a-z]+)\) (?P<rule>[A-Z]\w+): (?P<message>.*)$")
CONSOLE = re.compile(r"(?P<message>.*) \[(?P<rule>[A-Z]\w+)\]$")
LINT = re.compile(r"\[(?P<rule>[a-z][\w-]*)\] (?P<message>.*)$")
PMD = re.compile(
    r"PMD Failure: (?P<class>[\w.$]+):(?P<line>\d+) Rule:(?P<rule>\w+) Priority:(?P<priority>\d) (?P<message>.*)$"
)
SPOTBUGS = re.compile(
    r"(?:(?P<rank>High|Medium|Low): )?(?P<message>.+ \[(?P<class>[\w.$]+)\]) (?:At|In"
    r"|Another occurrence at) (?P<file>[\w$]+\.\w+)"
    r"(?::\[lines? (?P<line>\d+)(?:-\d+)?\])? (?P<rule>[A-Z][A-Z0-9_]+)$"
)
ENFORCED = re.compile(r"Rule \d+: (?P<rule>[\w.$]+)(?:\(.*?\))? failed with message:(?P<message>.*)$")
COVERED = re.compile(r"(?P<message>Rule violated for \w+ .+)$")
TOTAL = re.compile(r"(?P<number>\d+) (?P<what>errors?|warnings?) ?$")
GOAL = re.compile(
    r"Failed to execute goal (?P<goal>\S+)(?: \((?P<id>[^()]*)\))? on project (?P<project>[\w.-]+):(?P<message>.*)$"
)
UNMET = re.compile(r"Failed to execute goal on project (?P<project>[\w.-]+): (?P<message>.*)$")
HELP = re.compile(r" -> \[Help (?P<number>\d+)\]$")
LINK = re.compile(r"\[Help \d+\] http\S+/(?P<kind>\w+)$")
POSITION = re.compile(r" @ (?:(?P<file>[^,]+), )?line (?P<line>\d+), column (?P<column>\d+)$|@ line (?P<line2>\d+)")
PROJECT = re.compile(r"The project \S+ \((?P<file>.+)\) has \d+ errors?$")
END = (
    "To see the full stack trace",
    "Re-run Maven using",
    "For more information about",
    "After correcting the problems",
    "[Help ",
)
FOUND = ("MojoFailureException",)
VAGUE = re.compile(
    r"There (?:are|were) (?:\d+ )?(?:test )?(?:failures|errors)|$|Please refer to|See .*surefire-reports"
    r"|Compilation failure"
    r"|You have \d+ (?:Checkstyle|PMD) violation|failed with \d+ bugs|Coverage checks have not been met"
    r"|Some Enforcer rules have failed|There was an error in the forked process$|Found \d+ non-complying"
)
DETAIL = 60
LOOK = 400


@dataclass(slots=True)
class State:
    """What stands so far: places named (Maven prints compiler errors twice), the kinds of Maven's help links."""

    seen: set[tuple[object, ...]] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)
    errors: int = 0
    other: list[int] = field(default_factory=list)


def parse(log: Log, context: Context) -> Reading:
    """Read what plugins found, then the goals that failed without any of them saying why."""
    reading = Reading()
    tests = surefire.read(log, reading)
    state = State()
    lines = log.lines
    claimed = {index for first, end in reading.claimed for index in range(first, end)}
    goals: list[int] = []
    done = 0
    for index in lines_with(log, "[ERROR]", "[WARNING]", "[WARN]", INFO):
        if index < done or index in claimed:
            continue
        match = LEVEL.match(lines[index])
        if match is None:
            continue
        text = match["text"]
        if match["level"] == "INFO":
            _info(text, index, reading)
        elif text.startswith("Failed to execute goal"):
            goals.append(index)
        elif link := LINK.match(text):
            state.kinds.add(link["kind"])
            reading.claim(index)
        elif text.startswith((*END, "COMPILATION ERROR", "COMPILATION WARNING", "Tests run:")) or not text.strip():
            reading.claim(index)
        else:
            done = _finding(log, index, text, match["level"], state, reading)
    for at, index in enumerate(goals):
        _goal(log, index, [*goals, len(lines)][at + 1], bool(tests.failures), state, reading)
    for index in lines_with(log, "Unable to parse command line options: "):
        said = lines[index].partition("options: ")[2]
        reading.add(Diagnostic(message=said, log=log.span(index)))
        reading.claim(index)
        state.errors += 1
    if not goals and reading.outcome != "passed":
        _unbuilt(log, state, reading)
    for index in state.other:
        reading.claim(index)
    _outcome(context, state, reading)
    return reading


def _info(text: str, index: int, reading: Reading) -> None:
    if (match := TOTAL.match(text)) is not None:
        name = match["what"].rstrip("s") + "s"
        reading.counts[name] = reading.counts.get(name, 0) + int(match["number"])
        reading.claim(index)
    elif text in ("BUILD SUCCESS", "BUILD FAILURE"):
        reading.outcome = reading.outcome or ("passed" if text == "BUILD SUCCESS" else "failed")
        reading.claim(index)
    elif match := PMD.match(text):
        reading.add(_pmd(match, index))
        reading.claim(index)


def _pmd(match: re.Match[str], _index: int) -> Diagnostic:
    return Diagnostic(message=match["message"])


def _finding(log: Log, index: int, text: str, level: str, state: State, reading: Reading) -> int:
    """Add what one line of a compiler or checker says, with the lines that continue it; return the line after it."""
    severity: Severity = "error" if level == "ERROR" else "warning"
    for read in (_compiled, _checked):
        found = read(text, severity)
        if found is None:
            continue
        end = _continued(log, index, level) if read is _compiled else index + 1
        key = (found.file, found.line, found.column, found.message, found.rule)
        if key not in state.seen:
            state.seen.add(key)
            more = [LEVEL.sub(r"\g<text>", log.whole(i)) for i in range(index + 1, end)]
            reading.add(_with(found, log, index, end, more))
        reading.claim(index, end)
        return end
    if match := ENFORCED.match(text):
        return _enforced(log, index, match, reading)
    state.other.append(index)
    return index + 1


def _with(found: Diagnostic, log: Log, index: int, end: int, more: Sequence[str]) -> Diagnostic:
    return replace(found, detail="\n".join(more[:DETAIL]).rstrip(), log=log.span(index, end - 1))


def _compiled(text: str, severity: Severity) -> Diagnostic | None:
    match = COMPILED.match(text)
    if match is None:
        return None
    message, rule = match["message"], None
    for form in (CHECKSTYLE, CONSOLE, LINT):
        if tagged := form.match(message):
            message, rule = tagged["message"], tagged["rule"]
            break
    column = match["column"] or match["column2"]
    return Diagnostic(
        message=message.removeprefix("error: ").removeprefix("warning: ").strip(),
        severity=severity,
        file=match["file"],
        line=int(match["line"] or match["line2"]) or None,
        column=int(column) or None if column else None,
        rule=rule,
    )


def _checked(text: str, severity: Severity) -> Diagnostic | None:
    """PMD's and SpotBugs' lines name a class: its file is known by its package."""
    if match := PMD.match(text):
        file = match["class"].split("$")[0].replace(".", "/") + ".java"
        return Diagnostic(
            message=match["message"],
            severity="warning",
            file=file,
            line=int(match["line"]),
            rule=match["rule"],
            derived=True,
        )
    if match := SPOTBUGS.match(text):
        package = match["class"].split("$")[0].split(".")[:-1]
        return Diagnostic(
            message=match["message"],
            severity=severity,
            file="/".join([*package, match["file"]]) if match["file"].endswith(".java") else match["file"],
            line=int(match["line"]) if match["line"] else None,
            rule=match["rule"],
            derived=True,
        )
    if match := COVERED.match(text):
        return Diagnostic(message=match["message"])
    return None


def _continued(log: Log, index: int, level: str) -> int:
    """Lines below a compiler's message belong to it: indented ones, bare or behind the same level."""
    end = index + 1
    lines = log.lines
    prefix = f"[{level}]"
    while end < len(lines) and end < index + LOOK:
        line = lines[end]
        body = line[len(prefix) + 1 :] if line.startswith(prefix) else line
        if not body.strip() or body[0] not in " \t" or (line.startswith("[") and not line.startswith(prefix)):
            break
        end += 1
    return end


def _enforced(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    lines = log.lines
    end = index + 1
    while end < len(lines) and lines[end].strip() and not lines[end].startswith("["):
        end += 1
    told = [match["message"].strip(), *lines[index + 1 : end]]
    told = [text for text in told if text.strip()]
    reading.add(
        Diagnostic(
            message=told[0] if told else match[0],
            detail="\n".join(told[1:DETAIL]),
            rule=match["rule"].rsplit(".", 1)[-1],
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _goal(log: Log, index: int, bound: int, tested: bool, state: State, reading: Reading) -> None:
    """A goal that failed is a finding of its own where nothing that it found has been read."""
    lines = log.lines
    end = index + 1
    while end < min(bound, index + LOOK) and not HELP.search(lines[end - 1]) and not _is_end(lines, end):
        end += 1
    body = [_text(log.whole(i)) for i in range(index, end)]
    reading.claim(index, end)
    match = GOAL.match(body[0]) or UNMET.match(body[0])
    said = HELP.sub("", match["message"] if match else body[0]).strip()
    rest = [text for text in (HELP.sub("", text) for text in body[1:]) if text.strip() and not COMPILED.match(text)]
    goal = match["goal"] if match and match.re is GOAL else ""
    explained = any(d.severity == "error" or d.rule for d in reading.diagnostics)
    test_goal = "surefire" in goal or "failsafe" in goal
    if VAGUE.match(said) and (tested if test_goal else explained):
        return
    message = said
    if not message and rest:
        message, rest = rest[0].strip(), rest[1:]
    reading.add(
        Diagnostic(
            message=message or body[0],
            detail="\n".join(
                [*rest[:DETAIL], *([f"goal {goal} on project {match['project']}"] if match and goal else [])]
            ),
            package=match["project"] if match else None,
            log=log.span(index, end - 1),
        )
    )
    state.errors += 1


def _above(log: Log, index: int, state: State) -> list[str]:
    """What the plugin logged as errors before its goal failed."""
    above = [_text(log.lines[i]) for i in state.other if i < index and log.lines[i].startswith("[ERROR]")]
    return above[-DETAIL // 2 :]


def _text(line: str) -> str:
    match = LEVEL.match(line)
    return match["text"] if match else line


def _is_end(lines: Sequence[str], index: int) -> bool:
    text = _text(lines[index])
    return text.startswith(END) or (
        not text.strip() and index + 1 < len(lines) and _text(lines[index + 1]).startswith(END)
    )


def _unbuilt(log: Log, state: State, reading: Reading) -> None:
    """Maven itself could not begin: an unknown phase or option, a project that cannot be read."""
    lines = log.lines
    file = None
    for index in lines_with(log, "[ERROR]", "[FATAL]"):
        if any(first <= index < end for first, end in reading.claimed):
            continue
        text = re.sub(r"^(?:\[(?:ERROR|FATAL)\] ?)+", "", lines[index])
        if text.startswith(END) or not text.strip():
            reading.claim(index)
            continue
        if project := PROJECT.match(text.strip()):
            file = project["file"]
            for at, d in enumerate(reading.diagnostics):
                if d.line and not d.file:
                    reading.diagnostics[at] = replace(d, file=file)
            reading.claim(index)
        elif not text.startswith((" ", "The build could not read", "Some problems were encountered")):
            message = HELP.sub("", text).strip()
            place = POSITION.search(message)
            line = (place["line"] or place["line2"]) if place else None
            found = re.search(r"(?P<file>/\S+\.xml)", message)
            key = (message,)
            if key not in state.seen:
                state.seen.add(key)
                reading.add(
                    Diagnostic(
                        message=message,
                        file=found["file"] if found else None,
                        line=int(line) if line else None,
                        log=log.span(index),
                    )
                )
                state.errors += 1
            reading.claim(index)
        else:
            reading.claim(index)


def _outcome(context: Context, state: State, reading: Reading) -> None:
    failing = [d for d in reading.diagnostics if d.state != "flaky" and d.severity == "error"]
    if reading.outcome == "passed" and not context.exit_code:
        return
    if failing and (len(failing) > state.errors or state.kinds & set(FOUND)):
        reading.outcome = "failed"
    elif failing:
        reading.outcome = "error"
