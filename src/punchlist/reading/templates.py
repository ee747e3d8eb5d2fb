"""quiet-shell's templates: keep the lines that match, what explains them, and the last paragraphs, in their order."""

import re
import time
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from punchlist.model import Trouble
from punchlist.reading.text import clean
from punchlist.records import dataclass

TIME_LIMIT_S = 2.0
SECONDS_PER_LINE = 20e-6  # what any expression costs, however simple
TAIL_LINES = 40
FALLBACK_LINES = 30
WHOLE_LINES = 40
DETAIL_LINES = 10
REASON_LINES = 12
MATCHED_WIDTH = 20_000


@dataclass(frozen=True, slots=True)
class Template:
    """A filter: `include_regex` picks lines, `tail_paragraphs` paragraphs are kept from the end.

    `suppress_output_on_success` None leaves that to the call. `file` and `line` say where a template of a user stands.
    """

    name: str
    description: str
    include_regex: str
    tail_paragraphs: int
    suppress_output_on_success: bool | None = None
    file: str | None = None
    line: int | None = None


class HasTemplates(Protocol):
    """Settings with templates of their own, by name: records with the fields of `Template`."""

    @property
    def templates(self) -> Mapping[str, Any]: ...


_MAVEN_END = r"\[INFO\] BUILD (SUCCESS|FAILURE)|\[INFO\] Total time:|\[INFO\] Finished at:"
# The four of quiet-shell 0.3.0, with its very expressions.
BUILT_IN = (
    Template("tsc", "TypeScript compiler: type errors and the summary", r"(error TS|TS[0-9]+:|Found [0-9]+ error)", 1),
    Template(
        "vitest",
        "Vitest: failing tests and the summary",
        r"(FAIL|ERROR|✖|❯.*failed|Test Files\s+\d+|Tests\s+\d+|Tasks:|Cached:|Time:)",
        0,
    ),
    Template("maven-build", "Maven build: errors and the result", rf"(\[ERROR\]|{_MAVEN_END})", 0),
    Template(
        "maven-test",
        "Maven tests: errors, failing tests and the result",
        rf"(\[ERROR\]|\[INFO\] Results:|\[INFO\] Tests run:(?!.*-- in)|{_MAVEN_END})",
        0,
    ),
)


def list_templates(settings: HasTemplates | None = None) -> list[Template]:
    """Return the built-in templates and the users' own, which come after them or in the place of one of that name.

    Raises `Trouble` (`invalid_configuration`) with file and line for an expression that cannot be used.
    """
    found = {template.name: template for template in BUILT_IN}
    for name, own in (settings.templates if settings else {}).items():
        found[name] = Template(
            name,
            own.description,
            own.include_regex,
            own.tail_paragraphs,
            own.suppress_output_on_success,
            own.file,
            own.line,
        )
        _expression(found[name])
    return list(found.values())


def find_template(name: str, settings: HasTemplates | None = None) -> Template:
    """Return a template by name; raises `Trouble` (`unknown_template`) with the names there are."""
    templates = list_templates(settings)
    for template in templates:
        if template.name == name:
            return template
    known = ", ".join(template.name for template in templates)
    raise Trouble(
        f'Template "{name}" not found. Use list_templates tool to see available templates. Available: {known}',
        "unknown_template",
    )


def suppresses(template: Template | None, asked: bool | None) -> bool:
    """Tell whether a passing command's output is left out: as the call asks, else as the template says, else yes."""
    if asked is not None:
        return asked
    if template is not None and template.suppress_output_on_success is not None:
        return template.suppress_output_on_success
    return True


def filter_output(lines: Sequence[str], template: Template, failed: bool) -> list[str]:
    """Return the lines a template keeps, in their order, without blank ones, clean of colours and overwritten text.

    Kept are lines that match, lines indented below one, after a failure also the error and the place that follow it,
    and the last paragraphs (of one longer than 40 lines its last 40). Equal lines that follow each other in one
    paragraph become one with their number; equal lines of different places stay. A failure of which nothing matches
    gives the whole output, or its last 30 lines. An expression that takes more than two seconds of work is given up:
    the last lines are given then, and it is said.
    """
    plain = [clean(line.rstrip("\r\n")).split("\r")[-1] for line in lines]
    blocks = _paragraphs(plain)
    try:
        matched = _matched(plain, template)
    except TimeoutError:
        said = f'[template "{template.name}": its include_regex took too long, so the last lines are shown]'
        return [*_last(plain), said]
    if failed and not matched:
        return _last(plain)
    kept = set(matched)
    for start, end in blocks[max(0, len(blocks) - template.tail_paragraphs) :]:
        kept.update(range(max(start, end - TAIL_LINES), end))
    starts = [start for start, _ in blocks]
    chosen = frozenset(matched)
    for index in matched:
        kept.update(_details(plain, index, chosen, blocks[bisect_right(starts, index) - 1][1]))
        if failed:
            kept.update(_reasons(plain, index, chosen))
    return _counted([(bisect_right(starts, index), plain[index]) for index in sorted(kept)])


def _paragraphs(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return start and end of each run of lines that are not blank."""
    blocks: list[tuple[int, int]] = []
    start: int | None = None
    for index, line in enumerate([*lines, ""]):
        if line.strip():
            start = index if start is None else start
        elif start is not None:
            blocks.append((start, index))
            start = None
    return blocks


def _matched(lines: Sequence[str], template: Template) -> list[int]:
    expression = _expression(template)
    if template in BUILT_IN:
        return [index for index, line in enumerate(lines) if line.strip() and expression.search(line)]
    deadline = time.thread_time() + TIME_LIMIT_S + SECONDS_PER_LINE * len(lines)
    found = []
    for index, line in enumerate(lines):
        left = deadline - time.thread_time()
        if left <= 0:
            raise TimeoutError
        if line.strip() and expression.search(line[:MATCHED_WIDTH], timeout=left):
            found.append(index)
    return found


def _details(lines: Sequence[str], index: int, matched: frozenset[int], end: int) -> list[int]:
    """Return the lines directly below a match that are indented deeper, as far as its paragraph goes."""
    depth = _indent(lines[index])
    out = []
    for below in range(index + 1, min(end, index + 1 + DETAIL_LINES)):
        if below in matched or _indent(lines[below]) <= depth:
            break
        out.append(below)
    return out


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


_REASON = re.compile(
    r"\s*(?:\w*(?:Error|Exception|Failure)\b.*:|E {2,}\S|(?:Expected|Received|expected|received)\b.*:)"
)
_PLACE = re.compile(r"\s*(?:❯|→|-->|at\b)\s.*:\d+")


def _reasons(lines: Sequence[str], index: int, matched: frozenset[int]) -> list[int]:
    """Return the lines soon after a match that say why and where: the messages, and the first place."""
    out = []
    placed = False
    for below in range(index + 1, min(len(lines), index + 1 + REASON_LINES)):
        if below in matched:
            break
        if _REASON.match(lines[below]):
            out.append(below)
        elif not placed and _PLACE.match(lines[below]):
            out.append(below)
            placed = True
    return out


def _last(lines: Sequence[str]) -> list[str]:
    spoken = [line.rstrip() for line in lines if line.strip()]
    if len(spoken) <= WHOLE_LINES:
        return spoken
    return [f"[{len(spoken) - FALLBACK_LINES} lines before these]", *spoken[-FALLBACK_LINES:]]


def _counted(kept: Sequence[tuple[int, str]]) -> list[str]:
    """Join equal lines that follow each other in one paragraph."""
    out: list[str] = []
    times = 0
    previous: tuple[int, str] | None = None
    for item in [*kept, None]:
        if item is not None and item == previous:
            times += 1
            continue
        if previous is not None:
            out.append(previous[1].rstrip() + (f" (×{times})" if times > 1 else ""))
        previous, times = item, 1
    return out


def _expression(template: Template) -> Any:
    if template in BUILT_IN:
        return re.compile(template.include_regex)
    try:
        return _compiled(template.include_regex)
    except ValueError as error:
        place = f"{template.file}:{template.line or 1}: " if template.file else ""
        raise Trouble(
            f'{place}template "{template.name}": include_regex cannot be used: {error}. '
            "It must be a JavaScript regular expression without flags.",
            "invalid_configuration",
        ) from None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Any:
    import regex

    from punchlist.reading.javascript_regex import translate

    try:
        return regex.compile(translate(pattern), regex.ASCII | regex.VERSION0)
    except regex.error as error:
        raise ValueError(str(error)) from None
