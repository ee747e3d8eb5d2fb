"""Read EUnit (its own report and rebar3's) and Common Test on a console (OTP 20 to 27, rebar3 3.6 to 3.24)."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

FAILED = re.compile(
    r"(?P<place>(?:[\w./@-]+:)?(?:\d+: |\d+:\d+: )?)(?P<name>\S.*?)\.\.\."
    r"(?:\[[\d.]+ s\] )?\*(?:failed|timed out)\*$"
)
BARE_FAILED = re.compile(r"\s*\*(?:failed|timed out)\*$")
IN = re.compile(r"(?:in|called from) (?:function )?(?:call from )?\S.*? \((?P<file>[^,()]+), line (?P<line>\d+)\)$")
OTP = re.compile(
    r"(?:eunit\w*|timer|lists|maps|gen\w*|proc_lib|erlang|ets|io\w*|file|binary|string|dict|proplists)\.erl$"
)
REASON = re.compile(r"\*\*(?P<kind>error|exit|throw):(?P<rest>.*)$")
VERBOSE = re.compile(r"(?P<lead>\s*)(?:module '(?P<module>[^']+)'|(?P<file>\S+\.erl):(?P<line>\d+)).*")
TOTALS = re.compile(r" *Failed: (?P<failed>\d+)\.  Skipped: (?P<skipped>\d+)\.  Passed: (?P<passed>\d+)\.$")
ALL = re.compile(r"  (?:All (?P<all>\d+) tests|(?P<two>2) tests|Test) passed\.$")
CANCELLED = "One or more tests were cancelled."
RULE = "======="
REBAR_HEAD = re.compile(r"  (?P<number>\d+)\) (?P<name>\S.*?)(?:: (?P<where>module '.*'|.*))?$")
REBAR_SAID = re.compile(r"     Failure/Error: (?P<message>.*)$")
REBAR_AT = re.compile(r"\s+%% (?P<file>.+?):(?P<line>\d+):in `")
REBAR_TOTALS = re.compile(
    r"(?P<run>\d+) tests?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) skips?)?"
    r"(?:, (?P<cancelled>\d+) cancell?ed)?$"
)
CT_FAILED = re.compile(r"(?P<suite>\w+):(?P<case>\w+) failed(?: on line (?P<line>\d+))?$")
CT_TOTALS = re.compile(
    r"Testing .+: TEST COMPLETE, (?P<passed>\d+) ok, (?P<failed>\d+) failed(?:, (?P<skipped>\d+) skipped)?"
    r" of \d+ test cases"
)
REBAR_CT = re.compile(r"%%% (?P<suite>\w+)(?: ==> (?P<case>\S+))?: (?P<word>FAILED|SKIPPED)$")
REBAR_CT_TOTALS = re.compile(
    r"(?:(?P<all>All (?P<alln>\d+) tests passed\.)|Failed (?P<failed>\d+) tests\."
    r"(?: Skipped (?P<skipped>\d+) \([^)]*\) tests\.)? Passed (?P<passed>\d+) tests\.)"
)
# A place in a term: `{file,"/src/a.erl"},{line,3}`; OTP's own files have no folder.
IN_TERM = re.compile(r"\{file,\s*\"(?P<file>[^\"]+)\"\},\s*\{line,(?P<line>\d+)\}")
CANCELLED_SAID = re.compile(r"\s+%% Unknown error: (?P<message>.*)$")
MOST = 60
MESSAGE = 200


def parse(log: Log, _context: Context) -> Reading:
    """Read every failed test and the totals."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        stripped = line.strip()
        if not stripped:
            pass
        elif stripped.endswith("*") and (match := FAILED.match(stripped)):
            end = _eunit(match["name"], log, index, reading)
        elif match := BARE_FAILED.match(line):
            name = log.lines[index - 1].strip().removesuffix("...") if index else ""
            end = _eunit(name, log, index, reading)
        elif line.startswith("  ") and (match := REBAR_HEAD.match(line)) and _said_follows(log, index):
            end = _rebar(match, log, index, reading)
        elif stripped.startswith("%% Unknown error: ") and (match := CANCELLED_SAID.match(line)):
            end = _cancelled(match["message"], log, index, reading)
        elif stripped.startswith("%%% ") and (match := REBAR_CT.match(stripped)):
            end = _rebar_ct(match, log, index, reading)
        elif " failed" in line and (match := CT_FAILED.match(line)):
            end = _common(match, log, index, reading)
        elif (
            stripped.startswith("undefined")
            and index + 1 < len(log.lines)
            and log.lines[index + 1].strip().startswith("*** ")
        ):
            end = _not_run(log, index, reading)
        else:
            _totals(line, index, reading)
        index = end
    return reading


def _said_follows(log: Log, index: int) -> bool:
    return any(REBAR_SAID.match(text) for text in log.lines[index + 1 : index + 4])


def _eunit(name: str, log: Log, index: int, reading: Reading) -> int:
    """Read `*failed*` with the backtrace, the reason and the output below it."""
    end = index + 1
    file, line = None, None
    message = ""
    while end < len(log.lines) and end - index < 200:
        text = log.lines[end].strip()
        if not text or text.startswith(RULE) or FAILED.match(text):
            break
        if (at := IN.match(text)) and line is None and not OTP.match(at["file"]):
            file, line = at["file"], number(at["line"])
        if not message and REASON.match(text):
            message = text
            more = end + 1
            while more < len(log.lines) and log.lines[more].startswith("   ") and len(message) < MESSAGE:
                message += log.lines[more].strip()
                more += 1
        end += 1
    name = name.split(": ", 1)[-1] if re.match(r"\S+\.erl:\d+: ", name) else name
    reading.add(
        Diagnostic(
            message=message or log.lines[index].strip(),
            detail="\n".join(log.lines[index + 1 : min(end, index + MOST)]),
            file=file,
            line=line,
            test=name,
            tool="eunit",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    reading.outcome = "failed"
    return end


def _term(lines: list[str]) -> tuple[str, str | None, int | None]:
    """Return what a printed term says in front of its stack, and the first place in it that is not OTP's."""
    text = "\n".join(lines)
    own = next((m for m in IN_TERM.finditer(text) if "/" in m["file"]), None)
    said = re.split(r"\[\{\w+,", text, maxsplit=1)[0]
    message = "".join(part.strip() for part in said.split("\n"))[:300].rstrip(",")
    return message, own["file"] if own else None, number(own["line"]) if own else None


def _cancelled(message: str, log: Log, index: int, reading: Reading) -> int:
    """Read why rebar3 says a group of tests was not run."""
    end = index + 1
    while end < len(log.lines) and log.lines[end].startswith("     "):
        end += 1
    said, file, line = _term([message, *log.lines[index + 1 : end]])
    reading.add(
        Diagnostic(
            message=said,
            detail="\n".join(text.strip() for text in log.lines[index + 1 : end]),
            file=file,
            line=line,
            tool="eunit",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _rebar(head: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    message, said_at = "", end
    file, line = None, None
    while end < len(log.lines) and (not log.lines[end] or log.lines[end].startswith("     ")):
        text = log.lines[end]
        if said := REBAR_SAID.match(text):
            message, said_at = said["message"], end
        elif (at := REBAR_AT.match(text)) and line is None and not OTP.search(at["file"]):
            file, line = at["file"], number(at["line"])
        end += 1
    if message.startswith("{"):
        message, file, line = _term([message, *log.lines[said_at + 1 : end]])
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join(text.strip() for text in log.lines[said_at + 1 : min(end, said_at + MOST)]).strip(),
            file=file,
            line=line,
            test=head["name"],
            tool="eunit",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    reading.outcome = "failed"
    return end


def _common(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Read Common Test's own block: `SUITE:case failed on line N`, then `Reason: ...` up to a dashed line."""
    end = index + 1
    while end < len(log.lines) and log.lines[end] and not log.lines[end].startswith("- - "):
        end += 1
    body = log.lines[index + 1 : end]
    if not body or not body[0].startswith("Reason: "):
        return index + 1
    _suite(match["suite"], match["case"], body, number(match["line"]), log, index, end, reading)
    return end


def _suite(
    suite: str,
    case: str,
    body: list[str],
    line: int | None,
    log: Log,
    index: int,
    end: int,
    reading: Reading,
) -> None:
    reading.add(
        Diagnostic(
            message=body[0] if body else log.lines[index],
            detail="\n".join(body[1:MOST]),
            file=f"{suite}.erl" if line else None,
            line=line,
            test=f"{suite}:{case}",
            tool="common_test",
            derived=bool(line),
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    reading.outcome = "failed"


def _rebar_ct(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Read `%%% SUITE ==> case: FAILED` and the term below it, up to an empty line."""
    end = index + 1
    if match["word"] == "SKIPPED":
        reading.claim(index)
        return end
    while end < len(log.lines) and log.lines[end] and not REBAR_CT.match(log.lines[end].strip()):
        end += 1
    reading.claim(index, end)
    test = f"{match['suite']}:{match['case'] or ''}"
    if any(d.test == test for d in reading.diagnostics):
        return end
    body = [text.removeprefix(f"%%% {match['suite']} ==> ") for text in log.lines[index + 1 : end]]
    message, file, line = _term(body)
    reading.add(
        Diagnostic(
            message=message or log.lines[index],
            detail="\n".join(body[1:MOST]),
            file=file,
            line=line,
            test=test,
            tool="common_test",
            log=log.span(index, end - 1),
        )
    )
    reading.outcome = "failed"
    return end


def _not_run(log: Log, index: int, reading: Reading) -> int:
    """Read what kept EUnit from a group: `*** context setup failed ***` and the reason below it."""
    end = index + 1
    file, line, reason = None, None, ""
    while end < len(log.lines) and log.lines[end].strip() and not log.lines[end].startswith(RULE):
        text = log.lines[end].strip()
        if (at := IN.match(text.removeprefix("**"))) and line is None:
            file, line = at["file"], number(at["line"])
        elif REASON.match(text) and not reason:
            reason = text
        end += 1
    what = log.lines[index + 1].strip("* ")
    reading.add(
        Diagnostic(
            message=reason or what,
            detail="\n".join(log.lines[index + 1 : end]),
            file=file,
            line=line,
            tool="eunit",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _totals(line: str, index: int, reading: Reading) -> None:
    match = TOTALS.match(line) or REBAR_TOTALS.match(line) or CT_TOTALS.match(line)
    if match:
        values = {name: int(value) for name, value in match.groupdict().items() if value}
        run = values.pop("run", None)
        if run is not None:
            rest = values.get("failed", 0) + values.get("skipped", 0) + values.get("cancelled", 0)
            values["passed"] = max(0, run - rest)
        for name, value in values.items():
            if value or name in ("passed", "failed"):
                reading.counts[name] = reading.counts.get(name, 0) + value
        if values.get("failed") or values.get("cancelled"):
            reading.outcome = "failed"
        elif reading.outcome is None and values.get("passed"):
            reading.outcome = "passed"
        reading.claim(index)
    elif line.startswith("  ") and (match := ALL.match(line)):
        reading.counts["passed"] = int(match["all"] or match["two"] or 1)
        reading.outcome = reading.outcome or "passed"
        reading.claim(index)
    elif line == CANCELLED:
        reading.outcome = reading.outcome or "error"
        reading.claim(index)
    elif line.startswith(("Failed ", "All ")) and (match := REBAR_CT_TOTALS.match(line)):
        reading.counts["passed"] = int(match["alln"] or match["passed"])
        if match["failed"]:
            reading.counts["failed"] = int(match["failed"])
        if match["skipped"]:
            reading.counts["skipped"] = int(match["skipped"])
        reading.outcome = reading.outcome or ("failed" if match["failed"] else "passed")
        reading.claim(index)
