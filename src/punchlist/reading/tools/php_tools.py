"""Read smaller PHP tools: psalm's text, php-cs-fixer, Composer, phpspec and Behat."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

# psalm 4 to 6: `ERROR: InvalidReturn - src/A.php:3:5 - message (see https://psalm.dev/011)`
PSALM = re.compile(
    r"(?P<word>ERROR|INFO): (?P<rule>[A-Z]\w+)(?: - "
    r"| at )(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+) - "
    r"(?P<message>.*?)(?: \(see https?://\S+\))?$"
)
PSALM_TOTALS = re.compile(r"(?P<errors>\d+) errors? found$")
PSALM_OK = re.compile(r" *No errors found!$")
# php-cs-fixer 2, 3: `   1) src/A.php (braces, ...)`
FIXER = re.compile(r" +\d+\) (?P<file>\S.*?\.\w+)(?: \((?P<rules>[\w/, -]+)\))?$")
FIXER_TOTALS = re.compile(r"(?:Found|Fixed|Checked all files.*|Checked) (?P<number>\d+) of \d+ files")
FIXER_ERROR = re.compile(r"Files that were not fixed due to errors reported during (?P<when>.*):$")
# Composer: boxed exceptions, problems of the solver
PROBLEM = re.compile(r"  Problem \d+$")
BOXED = re.compile(r"  \[(?P<kind>[\w\\]+(?:Exception|Error))\] *$")
COMPOSER = re.compile(
    r"(?P<message>(?:Your requirements could not be resolved|Composer could not find a composer\.json"
    r"|\"?\./composer\.json\"? (?:is|does) not"
    r"|Script .* returned with error code|Your lock file does not contain|The lock file is not up to date"
    r"|Could not find package"
    r"|Command \".*\" is not defined|.* is not valid, the following errors|\./composer\.json is invalid).*)$"
)
# phpspec's progress report and Behat's list
SPEC = re.compile(r" +(?P<line>\d+) +(?P<what>✘|!|✗) (?P<name>\S.*?)(?: \(\d+ms\))?$")
SPEC_TOTALS = re.compile(r"(?P<run>\d+) examples? \((?P<parts>.*)\)$")
BEHAT = re.compile(
    r"    (?P<name>(?:Scenario|Background|Example|Scenario Outline|Szenario):? ?.*?"
    r"|.*?) +# (?P<file>\S+\.feature):(?P<line>\d+)$"
)
BEHAT_TOTALS = re.compile(r"(?P<run>\d+) scenarios? \((?P<parts>.*)\)$")
PART = re.compile(r"(\d+) (passed|failed|undefined|pending|skipped|broken|ambiguous)")
NAMES = {
    "passed": "passed",
    "failed": "failed",
    "broken": "errors",
    "skipped": "skipped",
    "pending": "skipped",
    "undefined": "skipped",
    "ambiguous": "failed",
}
LOOK = 60


def parse(log: Log, context: Context) -> Reading:
    """Read whatever of these tools stands in the log."""
    reading = Reading()
    _psalm(log, reading)
    _fixer(log, context, reading)
    _composer(log, context, reading)
    _phpspec(log, reading)
    _behat(log, reading)
    return reading


def _add(
    log: Log,
    reading: Reading,
    first: int,
    end: int,
    message: str,
    *,
    file: str | None = None,
    line: str | None = None,
    column: str | None = None,
    rule: str | None = None,
    test: str | None = None,
    detail: Sequence[str] = (),
    severity: Severity = "error",
    tool: str,
) -> None:
    reading.add(
        Diagnostic(
            message=message.strip(),
            severity=severity,
            detail="\n".join(text for text in detail if text.strip()),
            file=file,
            line=int(line) or None if line else None,
            column=int(column) or None if column else None,
            rule=rule,
            test=test,
            tool=tool,
            log=log.span(first, max(first, end - 1)),
        )
    )
    reading.claim(first, end)


def _psalm(log: Log, reading: Reading) -> None:
    lines = log.lines
    for index in lines_with(log, "ERROR: ", "INFO: "):
        if match := PSALM.match(lines[index]):
            end = index + 1
            while end < len(lines) and end < index + 8 and lines[end] and not PSALM.match(lines[end]):
                end += 1
            _add(
                log,
                reading,
                index,
                end,
                match["message"],
                file=match["file"],
                line=match["line"],
                column=match["column"],
                rule=match["rule"],
                detail=lines[index + 1 : end],
                severity="error" if match["word"] == "ERROR" else "info",
                tool="psalm",
            )
    for index in lines_with(log, " found", "No errors found!"):
        if match := PSALM_TOTALS.match(lines[index]):
            reading.counts["errors"] = int(match["errors"])
            reading.outcome = "failed"
            reading.claim(index)
        elif PSALM_OK.match(lines[index]):
            reading.outcome = reading.outcome or "passed"
            reading.claim(index)


def _fixer(log: Log, context: Context, reading: Reading) -> None:
    lines = log.lines
    if not lines_with(log, "PHP CS Fixer", "Loaded config ", " files in "):
        return
    totals = next((i for i in lines_with(log, " of ") if FIXER_TOTALS.match(lines[i])), None)
    broken = next((i for i in lines_with(log, "Files that were not fixed") if FIXER_ERROR.match(lines[i])), None)
    fixed = (
        totals is not None
        and lines[totals].startswith("Fixed")
        and "--dry-run" not in context.words
        and "check" not in context.words
    )
    for index in lines_with(log, ") "):
        if match := FIXER.match(lines[index]):
            failed = broken is not None and index > broken
            severity: Severity = "error" if failed else "info" if fixed else "warning"
            message = f"{match['file']} ({match['rules']})" if match["rules"] else match["file"]
            end = index + 1
            if end < len(lines) and "begin diff" in lines[end]:
                while end < len(lines) and "end diff" not in lines[end]:
                    end += 1
                end = min(end + 1, len(lines))
            _add(
                log,
                reading,
                index,
                end,
                message,
                file=match["file"],
                severity=severity,
                detail=lines[index + 1 : end][:40],
                tool="php-cs-fixer",
            )
    if totals is not None:
        left = any(d.severity in ("error", "warning") for d in reading.diagnostics)
        reading.outcome = "failed" if left else reading.outcome or "passed"
        reading.claim(totals)


def _composer(log: Log, context: Context, reading: Reading) -> None:
    lines = log.lines
    if context.words[:1] != ("composer",):
        return
    for index, line in enumerate(lines):
        if PROBLEM.match(line):
            end = index + 1
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            body = [text.strip().removeprefix("- ") for text in lines[index + 1 : end]]
            if body:
                _add(log, reading, index, end, body[0], detail=body[1:], tool="composer")
        elif match := BOXED.match(line):
            end = index + 1
            while end < len(lines) and lines[end].startswith("  ") and lines[end].strip():
                end += 1
            body = [text.strip() for text in lines[index + 1 : end]]
            if body:
                _add(log, reading, index, end, body[0], detail=[*body[1:], match["kind"]], tool="composer")
        elif (
            (found := COMPOSER.match(line))
            and not reading.diagnostics
            and not any(map(PROBLEM.match, lines[index : index + 5]))
        ):
            _add(log, reading, index, index + 1, found["message"], tool="composer")
    if reading.diagnostics and context.exit_code:
        reading.outcome = "error"


def _phpspec(log: Log, reading: Reading) -> None:
    """phpspec: the class as a heading, `  12  ✘ adds`, the reason indented deeper."""
    lines = log.lines
    owner = ""
    if not any(SPEC_TOTALS.match(lines[i]) for i in lines_with(log, " examples (", " example (")):
        return
    for index, line in enumerate(lines):
        if line[:1] == " " and re.match(r" {2,}[A-Z][\w\\/]+$", line):
            owner = line.strip()
        elif line[:1] == " " and (match := SPEC.match(line)):
            end = index + 1
            while end < len(lines) and end < index + LOOK and (lines[end].startswith("        ") or not lines[end]):
                if not lines[end] and not (end + 1 < len(lines) and lines[end + 1].startswith("        ")):
                    break
                end += 1
            body = [text.strip() for text in lines[index + 1 : end] if text.strip()]
            _add(
                log,
                reading,
                index,
                end,
                body[0] if body else match["name"],
                test=f"{owner} {match['name']}".strip(),
                detail=body[1:30],
                tool="phpspec",
            )
    _parts(log, SPEC_TOTALS, reading, (" examples (", " example ("))


def _behat(log: Log, reading: Reading) -> None:
    """Behat lists failed scenarios with their places; the step that failed stands above, in the feature's text."""
    lines = log.lines
    heads = lines_with(log, "--- Failed scenarios:", "--- Failed steps:")
    for start in heads:
        if "scenarios" not in lines[start]:
            continue
        for index in range(start + 1, min(start + 500, len(lines))):
            place = re.match(r" {4}(?P<file>\S+\.feature):(?P<line>\d+)(?: .*)?$", lines[index])
            if place:
                step = _failed_step(lines, start, place["file"], place["line"])
                _add(
                    log,
                    reading,
                    step[2] if step else index,
                    (step[3] if step else index + 1),
                    step[1] if step else place[0].strip(),
                    file=place["file"],
                    line=place["line"],
                    test=step[0] if step else None,
                    tool="behat",
                )
            elif lines[index].strip() and not lines[index].startswith("    "):
                break
    _parts(log, BEHAT_TOTALS, reading, (" scenarios (", " scenario ("))


def _failed_step(lines: Sequence[str], end: int, file: str, line: str) -> tuple[str, str, int, int] | None:
    """The scenario's title, what its failing step says, and the lines of that."""
    title = None
    for index in range(end):
        if match := BEHAT.match(lines[index] if lines[index][:4] == "    " else "    " + lines[index].strip()):
            if title:
                return None
            if match["file"].endswith(file.split("/")[-1]) and match["line"] == line:
                title = match["name"].split(":", 1)[-1].strip()
        elif title and (
            said := re.match(r" {6,}(?P<message>\S.*\((?:[\w\\]*Exception|[\w\\]*Error|PHPUnit\S*)\))$", lines[index])
        ):
            return title, said["message"], index, index + 1
    return None


def _parts(log: Log, form: re.Pattern[str], reading: Reading, needles: tuple[str, str]) -> None:
    for index in lines_with(log, *needles):
        if match := form.match(log.lines[index].strip()):
            for number, name in PART.findall(match["parts"]):
                reading.counts[NAMES[name]] = reading.counts.get(NAMES[name], 0) + int(number)
            reading.claim(index)
            bad = reading.counts.get("failed", 0) + reading.counts.get("errors", 0)
            reading.outcome = "failed" if bad else reading.outcome or "passed"
