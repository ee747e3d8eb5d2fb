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
CRASH = "# A fatal error has been detected by the Java Runtime Environment:"
LOOK = 400


def parse(log: Log, _context: Context) -> Reading:
    """Read uncaught exceptions, start-up errors and crash notices."""
    reading = Reading()
    lines = log.lines
    for index in lines_with(log, "Exception in thread ", "Error: ", "Unrecognized ", "Error occurred", CRASH):
        line = lines[index]
        if match := UNCAUGHT.match(line):
            end = index + 1
            while (
                end < len(lines)
                and end < index + LOOK
                and (
                    jvm_trace.is_trace_line(lines[end]) or (lines[end] and not jvm_trace.is_trace_line(lines[end - 1]))
                )
            ):
                end += 1
            trace = jvm_trace.read([match["text"], *(log.whole(i) for i in range(index + 1, end))])
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
