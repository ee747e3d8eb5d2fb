"""Read what `go build`, `go vet` and the build stage of `go test` print: package headers, errors, module errors, usage.

Seen with Go 1.16 to 1.27. File names are relative to the folder go was started in.
"""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass

HEADER = re.compile(r"# (\[?[\w.~/@+-]+\]?(?: \[[\w.~/@+-]+\])?)$")
PLACE = re.compile(
    r"(vet: )?((?:[A-Za-z]:)?[^\s:#][^:]*\.(?:go|s|c|h|cc|cpp|y|mod|sum|work|m|f|swig)):(\d+)(?::(\d+))?: (.+)"
)
STATUS = re.compile(r"go: (?:downloading|finding|extracting|upgraded|added|downgraded|removed|found|creating|to add) ")
GO_ERROR = re.compile(r"go(?: \w+)?: (.+)")
USAGE = re.compile(
    r"(?:flag provided but not defined: -\S+|invalid (?:boolean )?value .* for (?:flag )?-\S+: .*"
    r"|flag needs an argument: -\S+)$"
)
TOO_MANY = re.compile(r"(?:.*: )?too many errors$")
# Errors of go's own that begin with neither `go:` nor a place.
PLAIN = re.compile(
    r"no required module provides package .+|no Go files in .+|found packages .+ in .+|pattern \S+: .+"
    r"|cannot find (?:package|main module|module).*|stat \S+: (?:directory not found|no such file or directory)"
    r"|malformed import path .+|build constraints exclude all Go files.*|package [\w./-]+ is not in .+"
    r"|package [\w./-]+: .+|no packages to (?:build|test|vet)|cgo: .+|named files must .+|open \S+\.go: .+"
    r"|build output .* already exists.*|build flag \S+ .+|directory \S+ (?:is )?outside .+"
)
LINKER = re.compile(r"\S*/link: .+|\S+: (?:relocation target \S+ not defined|function main is undeclared.*)")
IMPORTS = re.compile(r"\s+imports ([\w./-]+)(?:: (.+))?$")
PACKAGE = re.compile(r"package ([\w./-]+)$")
WARNING = re.compile(r"(?:go: )?warning: (.+)")
CANNOT_WORK = re.compile(
    r"errors parsing go\.|go\.mod file not found|main module|unknown command|updates to go\.(?:mod"
    r"|sum) needed|toolchain"
    r"|https?:|module lookup disabled|dial tcp|missing go\.sum entry|vendoring|checksum mismatch|SECURITY ERROR"
    r"|invalid version|unrecognized import path|go\.work|cannot load module|directory not found|no such file"
)
MISSING = re.compile(
    r"no required module provides|is not in (?:std|GOROOT)|cannot find (?:package|module)|missing go\.sum entry"
)


@dataclass(slots=True)
class State:
    """What was seen: the command's verb, the last header, and what kinds of findings there were."""

    verb: str
    package: str | None = None
    header: int = -9
    vet_header: bool = False
    compiled: bool = False
    vetted: bool = False
    missing: bool = False
    trouble: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read findings under their package headers, and go's own errors."""
    reading, state = Reading(), State(_verb(context))
    at = 0
    while at < len(log.lines):
        at = _line(log, at, reading, state) if log.lines[at] else at + 1
    missing_counts = state.missing and state.verb != "vet"
    if state.compiled or state.vetted or missing_counts:
        reading.outcome = "failed"
    elif state.trouble or state.missing:
        reading.outcome = "error"
    return reading


def _verb(context: Context) -> str:
    words = [word for word in context.words[1:] if not word.startswith("-")]
    return words[0] if context.words[:1] == ("go",) and words else ""


def _line(log: Log, at: int, reading: Reading, state: State) -> int:
    line = log.lines[at]
    head = line[0]
    if head == "#" and (match := HEADER.match(line)):
        # A second header in brackets (`# [pkg]`) says that what follows is vet's.
        state.vet_header = match[1].startswith("[")
        state.package, state.header = match[1].split(" ")[0].strip("[]"), at
        reading.claim(at)
        return at + 1
    if head in " \t":
        return at + 1
    if ".go:" in line or ".mod:" in line or ".work:" in line or state.header >= 0:
        match = PLACE.match(line)
        if match and _believable(match, state):
            return _placed(log, at, match, reading, state)
    if TOO_MANY.match(line) and state.header >= 0:
        reading.claim(at)
        return at + 1
    return _own(log, at, line, reading, state)


def _believable(match: re.Match[str], state: State) -> bool:
    """Without a go command or a header only `x.go:L:C:` may be go's; other extensions need a header (cgo)."""
    if match[2].endswith((".go", ".mod", ".sum", ".work")):
        return bool(match[4] or state.header >= 0 or state.verb)
    return state.header >= 0 and bool(match[4])


def _placed(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> int:
    end = at + 1
    while end < len(log.lines) and log.lines[end].startswith("\t") and end - at < 60:
        end += 1
    message = match[5]
    if message == "too many errors":
        reading.claim(at, end)
        return end
    vets = state.verb == "vet" and not match[1] and not MISSING.search(message)
    severity: Severity = "warning" if vets else "error"
    if MISSING.search(message):
        state.missing = True
    elif match[2].endswith((".mod", ".sum", ".work")):
        state.trouble = True
    elif vets:
        state.vetted = True
    else:
        state.compiled = True
    reading.add(
        Diagnostic(
            message=message,
            severity=severity,
            detail="\n".join(line.strip() for line in log.lines[at + 1 : end]),
            file=match[2],
            line=int(match[3]) or None,
            column=int(match[4] or 0) or None,
            package=state.package,
            tool="vet" if vets or state.vet_header else "go",
            log=log.span(at, end - 1),
        )
    )
    reading.claim(at, end)
    return end


def _own(log: Log, at: int, line: str, reading: Reading, state: State) -> int:
    """Errors of go itself: `go: ...`, import cycles, missing folders, usage, the linker under a package's header."""
    if line.startswith("go: ") and STATUS.match(line):
        reading.claim(at)
        return at + 1
    if match := PACKAGE.match(line):
        return _import_chain(log, at, match, reading, state)
    if state.verb and USAGE.match(line):
        return _usage(log, at, line, reading, state)
    if (match := WARNING.match(line)) and (state.verb or line.startswith("go: ")):
        return _add(log, at, match[1], reading, "warning")
    match = GO_ERROR.match(line) if line.startswith("go") else None
    if match or (state.verb and PLAIN.match(line)):
        message = match[1] if match else line
        if message.endswith(":") and _more(log, at + 1):  # the reason stands on the next lines, with its own place
            state.trouble = True
            reading.claim(at)
            return at + 1
        state.missing |= bool(MISSING.search(message))
        state.trouble |= not MISSING.search(message) or bool(CANNOT_WORK.search(message))
        return _add(log, at, message, reading, "error")
    if at == state.header + 1 and LINKER.match(line):
        state.compiled = True
        state.header = at
        return _add(log, at, line, reading, "error", state.package)
    return at + 1


def _more(log: Log, at: int) -> bool:
    return at < len(log.lines) and bool(PLACE.match(log.lines[at]))


def _add(log: Log, at: int, message: str, reading: Reading, severity: Severity, package: str | None = None) -> int:
    end = at + 1
    while end < len(log.lines) and log.lines[end].startswith("\t") and end - at < 60:
        end += 1
    detail = "\n".join(text.strip() for text in log.lines[at + 1 : end])
    reading.add(
        Diagnostic(message=message, severity=severity, detail=detail, package=package, log=log.span(at, end - 1))
    )
    reading.claim(at, end)
    return end


def _import_chain(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> int:
    """`package a` / `imports b` / `imports c: reason`: the reason is the message, the chain the detail."""
    end, reason = at + 1, ""
    while end < len(log.lines) and (link := IMPORTS.match(log.lines[end])):
        reason = link[2] or reason
        end += 1
    if end == at + 1:
        return end
    chain = "\n".join(line.strip() for line in log.lines[at:end])
    state.compiled = True
    reading.add(
        Diagnostic(message=reason or chain.split("\n")[-1], detail=chain, package=match[1], log=log.span(at, end - 1))
    )
    reading.claim(at, end)
    return end


def _usage(log: Log, at: int, line: str, reading: Reading, state: State) -> int:
    end = at + 1
    if end < len(log.lines) and log.lines[end].lower().startswith("usage"):
        end += 1
        while end < len(log.lines) and (log.lines[end].startswith((" ", "\t", "Run 'go help")) or not log.lines[end]):
            end += 1
    detail = "\n".join(text for text in log.lines[at + 1 : min(end, at + 4)] if text)
    reading.add(Diagnostic(message=line, detail=detail, log=log.span(at, end - 1)))
    reading.claim(at, end)
    state.trouble = True
    return end
