"""Java stack traces as the JVM and the test runners print them: message, frames, causes, the own code's place."""

import re
from collections.abc import Iterable, Sequence
from posixpath import join

from punchlist.records import dataclass

# `at app//com.example.Foo$Bar.baz(Foo.java:12)`, `at java.base@17/java.util...(Native Method)`
FRAME = re.compile(r"\s*at (?:[\w.@-]*/)*(?P<call>[^\s(/]+(?: [^\s(]+)*)\((?P<file>[^():]+\.\w+)(?::(?P<line>\d+))?\)")
OTHER_FRAME = re.compile(
    r"\s*(?:at [^(\s]+.*\((?:Native Method|Unknown Source|.*)\)|\.\.\. \d+ (?:more|common frames|elided))"
)
CAUSE = re.compile(r"\s*(?:Caused by|Suppressed|Wrapped by): (?P<text>.*)$")
RAISED = re.compile(
    r"(?P<kind>(?:[a-z_][\w-]*\.)+[A-Z][\w$]*|[A-Z]\w*(?:Error|Exception|Failure|Throwable))(?:: (?P<message>.*)|:)?$"
)
FOREIGN = re.compile(
    r"(?:java|javax|jdk|sun|com\.sun|com\.intellij|org\.(?:junit|assertj|hamcrest|mockito|opentest4j|gradle|apache"
    r"|springframework|testng|codehaus|eclipse|scalatest|spockframework|hibernate|slf4j|jboss|mozilla"
    r"|easymock|jetbrains"
    r"|scalacheck|specs2|scalactic)|junit|kotlin|kotlinx|scala|groovy|sbt|worker\.org|munit|zio|cats|utest|weaver"
    r"|io\.(?:kotest|mockk|netty|micronaut|quarkus|cucumber)|androidx?|com\.(?:android|google|fasterxml|zaxxer|mysql)"
    r"|clojure|reactor|net\.bytebuddy|lombok)\."
)
# The type of these says nothing that their message does not.
PLAIN = re.compile(
    r"(?:org\.opentest4j\.(?:AssertionFailedError|MultipleFailuresError)|java\.lang\.AssertionError"
    r"|org\.junit\.ComparisonFailure|junit\.framework\.(?:AssertionFailedError|ComparisonFailure)"
    r"|org\.scalatest\.exceptions\.TestFailedException|io\.kotest\.assertions\.AssertionFailedError"
    r"|kotlin\.AssertionError)$"
)
DETAIL = 40


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame with a place: the class and method called, file name and line as printed."""

    call: str
    file: str
    line: int

    @property
    def path(self) -> str:
        """The file with its package's folders in front (Java's own rule; other languages may keep files elsewhere)."""
        if not self.file.endswith(".java"):
            return self.file
        parts = self.call.split(".")
        package = [part for part in parts[:-2] if part[:1].islower() or part[:1] == "_"]
        return join(*package, self.file) if package else self.file


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace: message lines, the type of the exception, frames of the exception itself, lines worth keeping."""

    kind: str
    message: str
    detail: tuple[str, ...]
    frames: tuple[Frame, ...]


def frame(text: str) -> Frame | None:
    """Return the frame of a line, if it holds one with a place."""
    if "(" not in text or len(text) > 4_000:
        return None
    match = FRAME.match(text)
    if match is None or not match["line"]:
        return None
    return Frame(match["call"], match["file"], int(match["line"]))


def is_trace_line(text: str) -> bool:
    """Whether a line is part of a trace below its message."""
    return bool(OTHER_FRAME.match(text) or CAUSE.match(text))


def read(lines: Sequence[str]) -> Trace:
    """Read a trace: the message goes on until the first frame; causes and own frames stay as detail."""
    end = next((i for i, text in enumerate(lines) if is_trace_line(text)), len(lines))
    head = [text for text in lines[:end] if text.strip()]
    kind, message = "", ""
    if head:
        match = RAISED.match(head[0].strip())
        kind = match["kind"] if match else ""
        message = (match["message"] or "").strip() if match else head[0].strip()
        head = head[1:]
        if not message and head:
            message, head = head[0].strip(), head[1:]
        if kind and not PLAIN.match(kind):
            message = f"{kind}: {message}" if message else kind
        message = message or kind
    frames: list[Frame] = []
    detail = list(head)
    caused = False
    for text in lines[end:]:
        if CAUSE.match(text):
            caused = True
            if "Suppressed:" not in text:
                detail.append(text.strip())
        elif not caused and (found := frame(text)):
            frames.append(found)
            if not FOREIGN.match(found.call):
                detail.append(text.strip())
        elif text.strip() and not is_trace_line(text) and caused:
            detail.append(text)
    return Trace(kind, message, tuple(detail[:DETAIL]), tuple(frames))


def own_frame(frames: Iterable[Frame], test_class: str = "") -> Frame | None:
    """Return the innermost frame of the project's own code.

    A class shares its first two package names with the test's class; else it is what is of no known library.
    """
    found = list(frames)
    parts = test_class.split(".")[:-1]
    base = ".".join(parts[:2])
    if base:
        near = [f for f in found if f.call.startswith(base + ".")]
        if near:
            return near[0]
    return next((f for f in found if not FOREIGN.match(f.call)), None)
