"""Read Terraform, OpenTofu, Packer and tflint: diagnostics in a box (0.15 on) or without (0.12 on), `fmt -check`."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity

BAR = re.compile(r"[│|] ?")
HEAD = re.compile(r"(?P<word>Error|Warning|Notice): (?P<message>\S.*)$")
PLACE = re.compile(r"\s*on (?P<file>\S.*?) line (?P<line>\d+)(?:, in (?P<where>.+))?:?$")
COUNT = re.compile(r"(?P<total>\d+) issue\(s\) found:$")
RULE = re.compile(r"(?P<message>.+) \((?P<rule>[a-z]\w+)\)$")
PASSED = re.compile(
    r"Success! The configuration is valid|Apply complete!|No changes\.|Plan: \d+ to add|The configuration is valid\."
)
RUN = re.compile(r"\s+run \"(?P<name>.+)\"\.\.\. (?P<word>pass|fail|skip)$")
TEST_TOTALS = re.compile(
    r"(?:Success|Failure)! (?P<passed>\d+) passed, (?P<failed>\d+) failed(?:, (?P<skipped>\d+) skipped)?\.$"
)
UNFORMATTED = re.compile(r"(?P<file>\S+\.(?:tf|tfvars|tftest\.hcl|hcl|pkrvars\.hcl))$")
END = re.compile(r"[╵╷]$|(?:Error|Warning|Notice): \S|Reference: |\[0m$|Releasing state lock|Operation failed")
NEAR = 60


def parse(log: Log, context: Context) -> Reading:
    """Read the diagnostics of a run, the results of `terraform test`, and files that `fmt -check` names."""
    reading = Reading()
    program = context.words[0] if context.words else "terraform"
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        text = BAR.sub("", line, count=1) if line[:1] in ("│", "|") else line
        end = index + 1
        if not text:
            pass
        elif text.startswith(("Error: ", "Warning: ", "Notice: ")) and (head := HEAD.match(text)):
            end = _block(head, log, index, program, reading)
        elif match := COUNT.match(text):
            reading.expected = int(match["total"])
            reading.claim(index)
        elif PASSED.match(text):
            reading.outcome = reading.outcome or "passed"
            reading.claim(index)
        elif "run " in line and (match := RUN.match(line)):
            reading.claim(index)
        elif match := TEST_TOTALS.match(text):
            for name, value in match.groupdict().items():
                if value is not None:
                    reading.counts[name] = int(value)
            reading.claim(index)
        index = end
    if "fmt" in context.words and context.exit_code not in (0, None) and not reading.diagnostics:
        _unformatted(log, reading, program)
    return reading


def _block(head: re.Match[str], log: Log, index: int, program: str, reading: Reading) -> int:
    boxed = log.lines[index][:1] in ("│", "|")
    end = index + 1
    place = None
    body: list[str] = []
    while end < len(log.lines) and end - index < NEAR:
        line = log.lines[end]
        text = BAR.sub("", line, count=1) if boxed and line[:1] in ("│", "|") else line
        if (boxed and text is line and line) or END.match(text):
            break
        place = place or PLACE.match(text)
        body.append(text.rstrip())
        end += 1
    while body and not body[-1]:
        body.pop()
    if not boxed:
        end = index + 1 + len(body)
    ruled = RULE.match(head["message"]) if program == "tflint" or "issue(s) found" in log.lines[0] else None
    level = severity(head["word"])
    reading.add(
        Diagnostic(
            message=ruled["message"] if ruled else head["message"],
            severity=level,
            detail="\n".join(body).strip("\n"),
            file=place["file"] if place else None,
            line=number(place["line"]) if place else None,
            rule=ruled["rule"] if ruled else None,
            tool=program,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index - 1 if index and log.lines[index - 1] == "╷" else index, end)
    if level == "error" or program == "tflint":
        reading.outcome = "failed"
    return end


def _unformatted(log: Log, reading: Reading, program: str) -> None:
    for index, line in enumerate(log.lines):
        if match := UNFORMATTED.match(line):
            reading.add(Diagnostic(message=line, file=match["file"], tool=program, log=log.span(index)))
            reading.claim(index)
            reading.outcome = "failed"
