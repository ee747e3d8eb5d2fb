"""webpack 4 and 5, webpack-cli, rspack: `ERROR in` blocks, totals, schema and configuration errors, stats as JSON."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.json_values import claim, dicts_of, inner, lines_with, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading

HEAD = re.compile(r"(?P<word>ERROR|WARNING) in ?(?P<where>.*)$")
END = re.compile(
    r"(?:ERROR|WARNING) in |(?:[\d-]+ [\d:]+: )?(?:webpack|rspack|Rspack)\b.* compiled |"
    r"\d+ (?:errors?|warnings?) (?:have|has) detailed information|"
    r"\[webpack-cli\]|Child |(?:client|server) \(webpack|npm ERR!|npm error|[ℹ✖] ｢wdm｣"
)
COMPILED = re.compile(
    r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: )?(?:[\w.() -]*\(?(?:webpack|[Rr]spack)\b.*?|Rspack) ?compiled "
    r"(?:with (?:(?P<errors>\d+) errors?)?(?: and )?"
    r"(?:(?P<warnings>\d+) warnings?)?|successfully)"
)
PLACE = re.compile(
    r"(?P<file>\S.*?)(?: (?P<line>\d+):(?P<column>\d+)(?:-(?:\d+:)?\d+)?|:(?P<line2>\d+):(?P<column2>\d+))?$"
)
TSL = re.compile(r"\[tsl\] (?P<word>ERROR|WARNING) in (?P<file>.+?)\((?P<line>\d+),(?P<column>\d+)\)$")
CODED = re.compile(r"\s*(?P<rule>(?:TS|NG)-?\d+): (?P<message>.+)$")
LOADER = re.compile(r"Module (?:build|Warning|Error)[^(]*\(from (?P<loader>[^)]+)\):$")
IN_TEXT = re.compile(r"\((?P<line>\d+):(?P<column>\d+)\)")
DETAILS = re.compile(r"\d+ (?:errors?|warnings?) (?:have|has) detailed information|Use 'stats\.|\(?Use '?--stats-")
CLI = re.compile(r"(?:\[webpack-cli\] )?(?:✖ )?(?P<text>\S.*)$")
SCHEMA = re.compile(r" - (?P<message>\S.*)$")
INVALID = "Invalid configuration object"
LOAD = re.compile(r"Failed to load '(?P<file>[^']+)' config")
REASON = re.compile(r"\s*(?:\[webpack-cli\] )?(?P<name>(?:\w+)?Error)(?: \[(?P<code>\w+)\])?: (?P<message>\S.*)$")
CODE = re.compile(r"\s+code: '?(?P<code>[A-Z][A-Z0-9_]+)'?,?$")
STACK = re.compile(r"\s+at ")
FILE_LIKE = re.compile(r"\.{0,2}[\\/]|\S+\.\w+(?:[ :]\d|$)|[A-Za-z]:[\\/]")
DETAIL_LINES = 40


def parse(log: Log, context: Context) -> Reading:
    """Read blocks, totals, and what webpack-cli says when it cannot start."""
    reading = Reading()
    if any('"errorsCount"' in line or '"assetsByChunkName"' in line for line in log.lines):
        _json(log, reading)
    known = bool(context.words) or any("compiled" in line and COMPILED.match(line) for line in log.lines)
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        head = HEAD.match(log.whole(index)) if line.startswith(("ERROR in", "WARNING in")) else None
        if head and (known or FILE_LIKE.match(head["where"])):
            index = _block(head, log, index, reading)
            continue
        if line.startswith("[webpack-cli] ") or (line and log.source == "webpack-cli"):
            index = _cli(log, index, reading)
            continue
        if "compiled" in line and (total := COMPILED.match(line)):
            _total(total, reading)
            reading.claim(index)
        elif DETAILS.match(line):
            reading.claim(index)
        index += 1
    _verdict(reading)
    blocks = (
        context.words[:1] in (("webpack",), ("rspack",)) and bool(reading.diagnostics) and reading.outcome != "error"
    )
    reading.partial |= blocks and not reading.counts
    return reading


def _block(head: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and not END.match(log.lines[end]):
        if not log.lines[end] and end + 1 < len(log.lines) and not log.lines[end + 1] and end - index > 40:
            break
        end += 1
    where = head["where"].strip()
    if where.startswith("["):
        # A linter's own report inside of a block is left to that linter's parser.
        reading.claim(index)
        return index + 1
    body = [at for at in range(index + 1, end) if log.lines[at].strip()]
    word: Severity = "warning" if head["word"] == "WARNING" else "error"
    reading.add(_diagnostic(where, body, word, log, index))
    reading.claim(index, end)
    return end


def _diagnostic(where: str, body: list[int], word: Severity, log: Log, index: int) -> Diagnostic:
    if not body or where.endswith(":") or (": " in where and not re.match(r"(?:\.{0,2}/|[A-Za-z]:[\\/])", where)):
        return Diagnostic(
            message=where or log.whole(index).strip(),
            severity=word,
            detail="\n".join(log.lines[at] for at in body[:DETAIL_LINES]),
            log=log.span(index),
        )
    file, line, column = _place(where)
    rule = None
    at = 0
    if (tsl := TSL.match(log.whole(body[0]))) or (len(body) > 1 and (tsl := TSL.match(log.whole(body[1])))):
        at = 1 if TSL.match(log.whole(body[0])) else 2
        file, line, column = tsl["file"], int(tsl["line"]), int(tsl["column"])
    elif LOADER.match(log.lines[body[0]]) and len(body) > 1:
        at = 1
    at = min(at, len(body) - 1)
    message = log.whole(body[at]).strip()
    if coded := CODED.match(message):
        rule, message = coded["rule"], coded["message"]
    if line is None and (inside := IN_TEXT.search(message)) and file:
        line, column = int(inside["line"]), int(inside["column"])
    others = ([] if file else [where]) + [log.lines[i] for i in body if i != body[at]]
    return Diagnostic(
        message=message,
        severity=word,
        detail="\n".join(text for text in others if not STACK.match(text))[:6000],
        file=file,
        line=line or None,
        column=column or None,
        rule=rule,
        log=log.span(index, body[at]),
    )


def _place(where: str) -> tuple[str | None, int | None, int | None]:
    match = PLACE.match(where)
    if match is None:
        return None, None, None
    name = match["file"].rsplit("!", 1)[-1].split(" (")[0].split("?")[0]
    line, column = match["line"] or match["line2"], match["column"] or match["column2"]
    if line is None and not re.search(r"[\\/]|\.\w+$", name):
        return None, None, None
    return name, int(line) if line else None, int(column) if column else None


def _total(total: re.Match[str], reading: Reading) -> None:
    for name in ("errors", "warnings"):
        if total[name] is not None:
            reading.counts[name] = reading.counts.get(name, 0) + int(total[name])
    if not total["errors"] and not any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "passed"


def _cli(log: Log, index: int, reading: Reading) -> int:
    """Read what webpack-cli says before or instead of a build."""
    cli = CLI.match(log.whole(index))
    text = cli["text"] if cli else ""
    if INVALID in text:
        return _schema(log, index, reading)
    end = index + 1
    while end < len(log.lines) and (log.lines[end].startswith((" ", "▶", "-", "Require stack")) or not log.lines[end]):
        end += 1
    reading.claim(index, end)
    load = LOAD.search(text)
    if text.removeprefix("✖ ").startswith(("Did you mean ", "Run '")):
        return end  # advice about the line above
    if text.startswith(("Run '", "Compilation starting", "Compilation finished", "Compiler ", "Watch")):
        return index + 1
    if load and end < len(log.lines) and log.lines[end].startswith("[webpack-cli] "):
        # webpack-cli 4 prints the reason in a line of its own.
        index, end = end, end + 1
        while end < len(log.lines) and log.lines[end].startswith((" ", "-", "Require stack")):
            end += 1
        reading.claim(index, end)
        text = log.whole(index)[len("[webpack-cli] ") :]
    at = next((i for i in range(index, end) if REASON.match(log.whole(i))), index)
    reason = REASON.match(log.whole(at))
    code = next((m["code"] for i in range(index, end) if (m := CODE.match(log.lines[i]))), None)
    said = [log.lines[i] for i in range(index, end) if i != at and not STACK.match(log.lines[i])]
    reading.outcome = "error"
    reading.add(
        Diagnostic(
            message=reason["message"].strip() if reason else text.removeprefix("✖ ").strip(),
            detail="\n".join(said[:DETAIL_LINES]).strip("\n") if end > index + 1 else "",
            file=load["file"] if load else None,
            rule=(reason["code"] if reason else None) or code,
            log=log.span(at),
        )
    )
    return end


def _schema(log: Log, index: int, reading: Reading) -> int:
    """Read the entries of an invalid configuration object: each begins with " - " and is indented by three below."""
    at = index + 1
    while at < len(log.lines) and (item := SCHEMA.match(log.whole(at))):
        end = at + 1
        while end < len(log.lines) and log.lines[end].startswith("   "):
            end += 1
        reading.add(
            Diagnostic(
                message=item["message"].strip(),
                detail="\n".join(log.lines[at + 1 : min(end, at + 20)]),
                log=log.span(at),
            )
        )
        at = end
    if at == index + 1:
        reading.add(Diagnostic(message=log.whole(index).strip(), log=log.span(index)))
    reading.outcome = "error"
    reading.claim(index, at)
    return at


def _json(log: Log, reading: Reading) -> None:
    """Read `--json` (stats): errors and warnings of every compilation."""
    for value in values(log):
        if inner(value.value, "errorsCount") is None and inner(value.value, "assetsByChunkName") is None:
            continue
        levels: tuple[tuple[str, Severity], ...] = (("errors", "error"), ("warnings", "warning"))
        for key, level in levels:
            found = dicts_of(value.value, key)
            at = value.first
            for one in found:
                lines = [text for text in text_of(one, "message").splitlines() if text.strip()]
                if not lines:
                    continue
                place = _place(f"{text_of(one, 'moduleName')} {text_of(one, 'loc')}".strip())
                body = lines[1:] if LOADER.match(lines[0]) and len(lines) > 1 else lines
                coded = next((m for text in body[:2] if (m := CODED.match(text))), None)
                message = coded["message"] if coded else body[0].strip()
                at = lines_with(log, value, message, at)
                reading.add(
                    Diagnostic(
                        message=message,
                        severity=level,
                        detail="\n".join(lines[:DETAIL_LINES]),
                        file=place[0],
                        line=place[1] or None,
                        column=place[2] or None,
                        rule=coded["rule"] if coded else None,
                        log=log.span(at),
                    )
                )
            reading.counts[key] = number_of(value.value, f"{key}Count") or len(found)
        claim(reading, log, value)


def _verdict(reading: Reading) -> None:
    errors = [d for d in reading.diagnostics if d.severity == "error"]
    if reading.outcome == "error":
        return
    if errors or reading.counts.get("errors"):
        reading.outcome = "failed"
    if reading.diagnostics and ("errors" in reading.counts or "warnings" in reading.counts):
        total = reading.counts.get("errors", 0) + reading.counts.get("warnings", 0)
        reading.expected = max(len(reading.diagnostics), total)
