"""npm 6 to 11: its own errors, lifecycle failures, script headers, `npm audit`, install totals."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading

LINE = re.compile(r"npm (?:error|ERR!)(?: (?P<text>.*))?$")
NOISE = re.compile(r"npm (?:warn|WARN|notice|verb|info|http|timing|sill)\b")
FIELD = re.compile(r"(?P<name>code|path|syscall|errno|file|dest|workspace|location|signal|command) (?P<value>\S.*)$")
CODE = re.compile(r"E[A-Z0-9]+$|ERESOLVE$")
LABEL = re.compile(
    r"(?:enoent|notarget|notsup|404|403|401|need auth|audit|network|eacces|gyp|prepare|peerinvalid) +(?=\S)", re.I
)
OUT_OF_SYNC = re.compile(r"(?:Invalid|Missing): \S.*$")
SCRIPT = re.compile(
    r"> (?P<package>@?[\w.-]+(?:/[\w.-]+)?)@(?P<version>\S+) (?P<script>[\w:.-]+)(?: (?P<folder>[/A-Z].*))?$"
)
INSTALL_SCRIPTS = (
    "preinstall",
    "install",
    "postinstall",
    "prepare",
    "prepublish",
    "preprepare",
    "postprepare",
    "prepack",
)
INSTALLS = {
    "install",
    "i",
    "ci",
    "add",
    "update",
    "up",
    "rebuild",
    "dedupe",
    "link",
    "clean-install",
    "publish",
    "pack",
}
MISSING_SCRIPT = re.compile(r"[Mm]issing script: \S.*$")
ADVICE = re.compile(
    r"A complete log of this run|For a full report see|Run \"npm help|/?\S*_logs/|Did you mean|"
    r"To see a list of scripts|This is (?:probably not|related)|Fix the upstream|"
    r"Failed at the |There is likely additional|Exit status|"
    r"Clean install a project|Usage:|Options:|aliases: "
)
DONE = re.compile(
    r"(?:added|removed|changed|up to date|audited)\b.*(?: in [\d.]+m?s| packages?\b.*)$|found 0 vulnerabilities$|"
    r"\d+ packages? (?:are|is) looking for funding|  run `npm fund` for details"
)
AUDIT = "# npm audit report"
ADVISORY = re.compile(
    r"(?P<message>\S.* - (?P<url>https://(?:github\.com/advisories|npmjs\.com/advisories)/(?P<id>\S+)))$"
)
SEVERITY = re.compile(r"Severity: (?P<word>\w+)$")
VULNERABLE = re.compile(r"(?P<package>@?[\w./-]+)  (?P<range>[*<>=^~\d|].*)$")
VULNERABILITIES = re.compile(r"(?P<total>\d+) (?:\w+ severity )?vulnerabilit(?:y|ies)(?: \(.+\))?$")
LEVELS: dict[str, Severity] = {
    "critical": "error",
    "high": "error",
    "moderate": "warning",
    "low": "warning",
    "info": "info",
}
LOOSE_LINES = 4


def parse(log: Log, context: Context) -> Reading:
    """Read npm's own errors; where npm only passes on that a script failed, its lines are understood, not repeated."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line.startswith(("npm error", "npm ERR!")) and LINE.match(line):
            index = _block(log, index, reading, context)
            continue
        if line.startswith("> ") and SCRIPT.match(line):
            end = index + 2 if index + 1 < len(log.lines) and log.lines[index + 1].startswith("> ") else index + 1
            reading.claim(index, end)
            index = end
            continue
        if line == AUDIT:
            index = _audit(log, index, reading)
            continue
        if DONE.match(line) and not reading.diagnostics:
            reading.claim(index)
            if context.exit_code in (0, None) and not line.startswith(" "):
                reading.outcome = "passed"
        elif NOISE.match(line):
            reading.claim(index)
        index += 1
    return reading


def _block(log: Log, index: int, reading: Reading, context: Context) -> int:
    """Read the lines that npm marks as its error, from `index` on; return the index after them."""
    end = index
    texts: list[tuple[int, str]] = []
    fields: dict[str, str] = {}
    while end < len(log.lines):
        match = LINE.match(log.whole(end))
        if match is None:
            if NOISE.match(log.lines[end]) or (
                not log.lines[end] and end + 1 < len(log.lines) and LINE.match(log.lines[end + 1])
            ):
                end += 1
                continue
            break
        text = (match["text"] or "").rstrip()
        if field := FIELD.match(text):
            fields.setdefault(field["name"], field["value"])
        if text.strip():
            texts.append((end, text))
        end += 1
    reading.claim(index, end)
    if _passed_on(texts, fields, context):
        if _silent(log) and (named := [(at, text) for at, text in texts if not FIELD.match(text)]):
            reading.add(Diagnostic(message=named[0][1].strip(), log=log.span(named[0][0])))
    else:
        _own(texts, fields, log, index, reading)
    return end


def _silent(log: Log) -> bool:
    """Whether the script that failed printed nothing: every line is npm's own, no line is left blank by its output."""
    headers = sum(line.startswith("> ") for line in log.lines) // 2
    others = [line for line in log.lines if not line.startswith(("> ", "npm "))]
    return not any(others) and len(others) <= 2 * headers


def _passed_on(texts: list[tuple[int, str]], fields: dict[str, str], context: Context) -> bool:
    """Whether npm only passes on that a script of the project failed while something else tells why."""
    code = fields.get("code", "")
    if not (code.isdigit() or code == "ELIFECYCLE" or any(text.startswith("Lifecycle script") for _, text in texts)):
        return False
    if any(text.startswith("Lifecycle script") for _, text in texts) or code == "ELIFECYCLE":
        return True
    sub = next((word for word in context.words[1:] if not word.startswith("-")), "")
    return bool(sub) and sub not in INSTALLS


def _own(texts: list[tuple[int, str]], fields: dict[str, str], log: Log, index: int, reading: Reading) -> None:
    code = fields.get("code", "")
    rule = code if CODE.match(code) else None
    if code.isdigit():
        _lifecycle(texts, log, index, reading)
        return
    reading.outcome = "error"
    if rule == "EUSAGE" and (wrong := [(at, text) for at, text in texts if OUT_OF_SYNC.match(text)]):
        for at, text in wrong:
            reading.add(Diagnostic(message=text.strip(), rule=rule, log=log.span(at)))
        return
    said = [(at, text) for at, text in texts if not FIELD.match(text) and not ADVICE.match(text)]
    chosen = next(((at, t) for at, t in said if MISSING_SCRIPT.match(t)), None)
    if chosen is None and rule == "ENOENT":
        chosen = next(((at, t) for at, t in said if t.startswith(("enoent ", "Error: ENOENT", "spawn "))), None)
    if chosen is None:
        chosen = next(((at, t) for at, t in said if not t.startswith(("[", "{", " ", "}"))), None)
    if chosen is None:
        chosen = texts[0] if texts else (index, log.whole(index))
    at, text = chosen
    label = LABEL.match(text)
    keep = label is None or rule in ("E404", "E403", "E401")
    rest = [t for i, t in said if i != at and t.strip()]
    path = fields.get("path", "")
    reading.add(
        Diagnostic(
            message=text.strip() if keep or label is None else text[label.end() :].strip(),
            detail="\n".join(rest[:30]),
            file=path if path.replace("\\", "/").endswith("/package.json") else None,
            rule=rule,
            log=log.span(at),
        )
    )


def _lifecycle(texts: list[tuple[int, str]], log: Log, index: int, reading: Reading) -> None:
    """A script that an installation runs failed: its command, and the few lines it left directly before npm's own."""
    first = index
    while first > 0 and log.lines[first - 1] and not LINE.match(log.lines[first - 1]) and _loose(log, first - 1, index):
        first -= 1
    if 0 < index - first <= LOOSE_LINES:
        reading.add(
            Diagnostic(
                message=log.whole(first).strip(),
                detail="\n".join(log.lines[first + 1 : index]),
                log=log.span(first, index - 1),
            )
        )
        reading.claim(first, index)
    commands = [(at, text) for at, text in texts if text.startswith("command ")]
    if not commands:
        return
    at, command = next(((i, text) for i, text in commands if text != "command failed"), commands[0])
    output = [text for i, text in texts if i > at and not ADVICE.match(text)]
    reading.add(
        Diagnostic(
            message=command.strip(),
            detail="\n".join(output[:60]),
            log=log.span(at),
        )
    )


def _loose(log: Log, at: int, index: int) -> bool:
    line = log.lines[at]
    return (log.numbers[at] < 0) == (log.numbers[index] < 0) and not NOISE.match(line) and not line.startswith("> ")


def _audit(log: Log, index: int, reading: Reading) -> int:
    """Read the report of `npm audit`: one finding an advisory."""
    reading.claim(index)
    level: Severity = "warning"
    package = ""
    at = index + 1
    while at < len(log.lines):
        line = log.lines[at]
        if vulnerable := VULNERABLE.match(line):
            package, level = f"{vulnerable['package']} {vulnerable['range']}", "warning"
        elif word := SEVERITY.match(line):
            level = LEVELS.get(word["word"].lower(), "warning")
        elif advisory := ADVISORY.match(log.whole(at)):
            reading.add(
                Diagnostic(
                    message=advisory["message"],
                    severity=level,
                    detail=package,
                    rule=advisory["id"],
                    log=log.span(at),
                )
            )
        elif VULNERABILITIES.match(line):
            reading.outcome = "failed"
            reading.claim(index, at + 1)
            return at + 1
        at += 1
    reading.claim(index, at)
    return at
