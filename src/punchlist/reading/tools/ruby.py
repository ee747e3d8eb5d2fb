"""Read what the Ruby interpreter (1.9 to 3.4) and rake say: uncaught exceptions, syntax errors, unknown tasks."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools.ruby_frames import Frame, frame, innermost

# `file:line:in 'method': message (Class)`; Ruby 3.4 quotes with '.
RAISED = re.compile(
    r"(?P<file><internal:[^>]*>"
    r"|(?:[A-Za-z]:)?[^\s:][^:\n]*):(?P<line>\d+):in [`'](?P<in>.*)': (?P<message>.*?)(?: \("
    r"(?P<kind>[A-Z]\w*(?:::\w+)*)\))?$"
)
# Before 3.x a message of several lines has its class behind the first one, later behind the last of the message.
KIND = re.compile(r"(?P<message>.*) \((?P<kind>[A-Z]\w*(?:::\w+)*)\)$")
REVERSED = "Traceback (most recent call last):"
SYNTAX = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*\.?\w+):(?P<line>\d+): (?P<message>(?:syntax errors? found"
    r"|syntax error,? |void value"
    r"|unterminated|dynamic constant|class/module name|formal argument|numbered parameter|duplicated|Invalid|invalid"
    r"|unknown regexp|premature end|embedded document|can't find string|circular|no anonymous|else without).*)$"
)
WARNING = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*\.(?:rb|rake|ru|gemspec|erb)):(?P<line>\d+): warning: (?P<message>.*)$"
)
PRISM = re.compile(r" *\| *[\^~]+ ?(?P<message>.*)$")
CANNOT = re.compile(
    r"ruby: (?P<message>(?:No such file|invalid option|no Ruby script|Is a directory|warning: |can't).*)$"
)
ABORTED = ("rake aborted!", "rails aborted!", "bin/rails aborted!")
RAKE_RAISED = re.compile(r"(?P<kind>[A-Z]\w*(?:::\w+)*): (?P<message>.*)$")
UNKNOWN = re.compile(
    r"(?P<message>Don't know how to build task '.*?'|No Rakefile found|Unrecognized command \".*?\"|Invalid option: .*)"
)
STATUS = re.compile(r"Command failed with status|Tests? failed")
BUNDLER = re.compile(
    r"(?P<message>(?:Could not find (?:gem |compatible versions|\S+ in )|Bundler could not find"
    r"|The Gemfile|Could not locate Gemfile"
    r"|Your (?:bundle|Ruby version|Gemfile)|There was an error (?:while trying to|parsing) |The gemspec"
    r"|Gem::\w+: |Bundler::\w+: "
    r"|An error occurred while installing |Could not reach host|Could not fetch|Failed to (?:fetch|build gem)"
    r"|bundler: (?:command not found|failed to load command): |Unknown switches |Could not find command ).*)$"
)
# Said whatever program bundler was to run.
BUNDLED = re.compile(
    r"Could not (?:locate Gemfile|find gem |find .+ in (?:any of the sources|locally installed gems"
    r"|cached gems))|bundler: |Bundler could not"
)
BUNDLER_STARTS = "CBTYGAFUb"
GEMFILE = re.compile(r" *#? *from (?P<file>\S*Gemfile\S*):(?P<line>\d+)")
DETAIL = 40
LOOK = 400


def parse(log: Log, context: Context) -> Reading:
    """Read rake's and bundler's own failures, then tracebacks, syntax errors and warnings of what is left."""
    reading = Reading()
    if not context.words and context.exit_code == 0:
        # What a program prints that ends well is its own business.
        return reading
    done = 0
    ruled = context.words[:1] in (("rake",), ("rails",), ("bundle",), ("bundler",), ("ruby",))
    checked = context.words[:1] == ("ruby",) and any("c" in w for w in context.words if re.fullmatch(r"-[a-z]+", w))
    for index, line in enumerate(log.lines):
        if index < done or not line:
            continue
        if line in ABORTED:
            done = _rake(log, context, index, reading)
        elif line == REVERSED:
            done = _reversed(log, context, index, reading)
        elif (
            ":in " in line
            and line[0] not in " \t#"
            and (match := RAISED.match(line))
            and _is_raised(log.lines, index, match)
        ):
            done = _raised(log, context, index, match, reading)
        elif ": " in line and (match := SYNTAX.match(line)):
            done = _syntax(log, index, match, reading)
        elif context.words[:1] == ("ruby",) and ": warning: " in line and (match := WARNING.match(line)):
            _add(
                log,
                reading,
                index,
                index + 1,
                match["message"],
                Frame(match["file"], int(match["line"])),
                severity="warning",
            )
        elif line.startswith("ruby: ") and (match := CANNOT.match(line)):
            _add(log, reading, index, index + 1, match["message"], None)
            reading.outcome = "error"
        elif line[0] in BUNDLER_STARTS and (ruled or BUNDLED.match(line)) and (match := BUNDLER.match(line)):
            done = _bundler(log, index, match, reading)
        elif line == "Syntax OK" and checked:
            reading.outcome = reading.outcome or "passed"
            reading.claim(index)
    return reading


def _add(
    log: Log,
    reading: Reading,
    first: int,
    end: int,
    message: str,
    place: Frame | None,
    *,
    rule: str | None = None,
    detail: Sequence[str] = (),
    severity: Severity = "error",
) -> None:
    reading.add(
        Diagnostic(
            message=message.strip(),
            severity=severity,
            detail="\n".join(text for text in detail if text.strip()),
            file=place.file if place else None,
            line=place.line if place else None,
            rule=rule,
            log=log.span(first, max(end - 1, first)),
        )
    )
    reading.claim(first, end)
    if severity == "error":
        reading.outcome = reading.outcome if reading.outcome == "error" else "failed"


def _rake(log: Log, context: Context, index: int, reading: Reading) -> int:
    """`rake aborted!`, the message (with or without its class), frames, `Tasks: TOP => x`."""
    lines = log.lines
    end = index + 1
    while end < len(lines) and end < index + LOOK and not lines[end].startswith(("(See full trace", "Tasks: TOP")):
        end += 1
    body = lines[index + 1 : end]
    while end < len(lines) and lines[end].startswith(("(See full trace", "Tasks: TOP")):
        end += 1
    frames = [f for text in body if (f := frame(text, bare=False) or frame(text))]
    said = [text for text in body if text.strip() and not frame(text)]
    if not said or STATUS.match(said[0]):
        return index + 1
    message, rest = said[0], said[1:]
    place = innermost(frames, context.root)
    unknown = UNKNOWN.match(message)
    if syntax := SYNTAX.match(message.partition(": ")[2] if message.startswith("SyntaxError: ") else message):
        message, place = syntax["message"], Frame(syntax["file"], int(syntax["line"]))
    _add(log, reading, index, end, unknown["message"] if unknown else message, place, detail=rest[:DETAIL])
    if unknown or message.startswith(("LoadError:", "Bundler::", "Gem::")):
        reading.outcome = "error"
    return end


def _is_raised(lines: Sequence[str], index: int, match: re.Match[str]) -> bool:
    """Whether a line really ends a run: a class in brackets here or below, or frames led by `from`."""
    if match["kind"]:
        return True
    return any(
        text.startswith(("\tfrom ", "        from ")) or KIND.match(text) for text in lines[index + 1 : index + 30]
    )


def _raised(log: Log, context: Context, index: int, match: re.Match[str], reading: Reading) -> int:
    lines = log.lines
    message, kind = match["message"], match["kind"]
    frames = [Frame(match["file"], int(match["line"]))]
    said: list[str] = []
    end = index + 1
    while end < len(lines) and end < index + LOOK:
        text = lines[end]
        if text[:1] in "\t " and "from " in text and (found := frame(text)):
            frames.append(found)
        elif text.lstrip().startswith("... ") and "levels..." in text:
            pass
        elif len(frames) == 1 and not RAISED.match(text) and end < index + 40:
            said.append(text)
            if not kind and (last := KIND.match(text)):
                kind = last["kind"]
                said[-1] = last["message"]
        else:
            break
        end += 1
    if len(frames) == 1:
        # No frames below: only the indented or marked lines can belong to it.
        keep = next((i for i, text in enumerate(said) if text and text[0] not in " \t^"), len(said))
        said, end = said[:keep], index + 1 + keep
    causes = []
    while (
        end < len(lines) and (cause := RAISED.match(lines[end])) and _is_raised(lines, end, cause) and len(frames) > 1
    ):
        causes.append(f"caused by: {cause['message']}" + (f" ({cause['kind']})" if cause["kind"] else ""))
        causes.append(f"  {cause['file']}:{cause['line']}")
        end += 1
        while end < len(lines) and lines[end][:1] in "\t " and "from " in lines[end]:
            end += 1
    place = innermost(frames, context.root)
    syntax = next((m for text in [message, *said] if (m := SYNTAX.match(text))), None)
    if syntax:
        place, message = Frame(syntax["file"], int(syntax["line"])), syntax["message"]
    elif (at := SYNTAX.match(lines[index])) and kind == "SyntaxError":
        place, message = Frame(at["file"], int(at["line"])), at["message"]
    own = [f"{f.file}:{f.line}" for f in frames if place and f.file == place.file][:6]
    _add(
        log,
        reading,
        index,
        end,
        f"{message} ({kind})" if kind and not syntax else message,
        place,
        detail=[*said[:DETAIL], *(own if len(own) > 1 else []), *causes],
    )
    if place is None or kind in ("LoadError", "Bundler::GemNotFound", "Gem::LoadError", "Gem::MissingSpecError"):
        reading.outcome = "error"
    return end


def _reversed(log: Log, context: Context, index: int, reading: Reading) -> int:
    """Ruby 2.5 to 2.7 on a terminal print the innermost frame and the exception last."""
    lines = log.lines
    frames: list[Frame] = []
    end = index + 1
    while end < len(lines) and (match := re.match(r"\s+\d+: from (?P<rest>.*)$", lines[end])):
        if found := frame(match["rest"]):
            frames.insert(0, found)
        end += 1
    raised = RAISED.match(lines[end]) if end < len(lines) else None
    if raised is None or (not frames and not raised["kind"]):
        return index + 1
    place = innermost([Frame(raised["file"], int(raised["line"])), *frames], context.root)
    message = f"{raised['message']} ({raised['kind']})" if raised["kind"] else raised["message"]
    _add(log, reading, index, end + 1, message, place)
    return end + 1


def _syntax(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    """A syntax error with the source below it; Ruby 3.4 marks each with carets in a listing."""
    lines = log.lines
    end = index + 1
    while (
        end < len(lines)
        and end < index + 30
        and lines[end]
        and not SYNTAX.match(lines[end])
        and (lines[end][0] in " \t.>|^~" or PRISM.match(lines[end]))
    ):
        end += 1
    below = lines[index + 1 : end]
    kind = KIND.match(match["message"])
    message = kind["message"] if kind else match["message"]
    line = int(match["line"])
    if message.startswith("syntax error") and message.endswith("found"):
        marked = [(i, m["message"]) for i, text in enumerate(below) if (m := PRISM.match(text)) and m["message"]]
        if marked:
            at = next(
                (re.match(r"> *(\d+) \|", below[i]) for i in range(marked[0][0], -1, -1) if below[i].startswith(">")),
                None,
            )
            message, line = marked[0][1], int(at[1]) if at else line
    _add(log, reading, index, end, message, Frame(match["file"], line), detail=below[:DETAIL])
    return end


def _bundler(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    lines = log.lines
    end = index + 1
    while end < len(lines) and end < index + 25 and lines[end].strip() and not BUNDLER.match(lines[end]):
        end += 1
    rest = lines[index + 1 : end]
    at = next((m for text in rest if (m := GEMFILE.match(text))), None)
    place = Frame(at["file"], int(at["line"])) if at else None
    _add(log, reading, index, end, match["message"], place, detail=rest)
    reading.outcome = "error"
    return end
