"""Read what the JVM itself says: uncaught exceptions, classes and archives it cannot find, its own crashes."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import jvm_trace

UNCAUGHT = re.compile(r'Exception in thread "(?P<thread>[^"]*)" (?P<text>.*)$')
TROUBLE = re.compile(
    r"(?:Error: (?P<message>(?:Could not find or load main class|Main method not found|Unable to access jarfile"
    r"|A JNI error has occurred|Could not create the Java Virtual Machine|LinkageError occurred).*)"
    r"|(?P<option>Unrecognized (?:VM )?option.*|Invalid maximum heap size.*"
    r"|Error occurred during initialization of VM))$"
)
# What `scala`, `kotlin` and some launchers print has no words in front of the exception.
BARE = re.compile(r"(?:[a-z_]\w*\.)+[A-Z][\w$]*(?:Error|Exception|Failure)(?::.*)?$")
CRASH = "# A fatal error has been detected by the Java Runtime Environment:"
LOOK = 400


def parse(log: Log, context: Context) -> Reading:
    """Read uncaught exceptions, start-up errors and crash notices."""
    reading = Reading()
    lines = log.lines
    bare = bool(context.words) and context.exit_code not in (0, None)
    done = 0
    for index in lines_with(log, "xception", "Error", "Failure", "Unrecognized ", CRASH):
        line = lines[index]
        if index < done:
            continue
        match = UNCAUGHT.match(line)
        if match or (bare and BARE.match(line) and jvm_trace.is_trace_line("".join(lines[index + 1 : index + 2]))):
            end = index + 1
            while (
                end < len(lines)
                and end < index + LOOK
                and (
                    jvm_trace.is_trace_line(lines[end]) or (lines[end] and not jvm_trace.is_trace_line(lines[end - 1]))
                )
            ):
                end += 1
            trace = jvm_trace.read(
                [match["text"] if match else log.whole(index), *(log.whole(i) for i in range(index + 1, end))]
            )
            own = jvm_trace.own_frame(trace.frames)
            reading.add(
                Diagnostic(
                    message=trace.message,
                    detail="\n".join(trace.detail),
                    file=own.path if own else None,
                    line=own.line if own else None,
                    derived=own is not None and own.path != own.file,
                    log=log.span(index, end - 1),
                )
            )
            reading.claim(index, end)
            done = end
        elif line == CRASH:
            end = next((i for i in range(index + 1, len(lines)) if not lines[i].startswith("#")), len(lines))
            body = [text.strip("# ") for text in lines[index + 1 : end] if text.strip("# ")]
            reading.add(
                Diagnostic(
                    message=body[0] if body else line.strip("# "),
                    detail="\n".join(body[1:20]),
                    log=log.span(index, end - 1),
                )
            )
            reading.claim(index, end)
            reading.outcome = "error"
        elif found := TROUBLE.match(line):
            reading.add(Diagnostic(message=found["message"] or found["option"], log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
    return reading
