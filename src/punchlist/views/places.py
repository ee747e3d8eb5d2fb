"""Where the diagnostics of a group are, in the fewest characters: a file once, its lines after it."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from posixpath import basename, dirname

from punchlist.analysis.fingerprint import split, squash
from punchlist.model import Diagnostic
from punchlist.views import wording

MESSAGE_WIDTH = 400
_BRACES = 3
_LINE = 160
_MOST_SLOTS = 3


def one_line(text: str, width: int = MESSAGE_WIDTH) -> str:
    """A message on one line, cut with an ellipsis where it is longer than `width`."""
    line = squash(text)
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"


def short_test(d: Diagnostic) -> str:
    """A test's id without the file that already stands beside it."""
    test = squash(d.test or "")
    if d.file and test.startswith(d.file):
        return re.sub(r"^(?:::|\s*[>›:]\s*|\s+)", "", test[len(d.file) :])
    return test


def join_tests(tests: Sequence[str]) -> str:
    """Names of tests; the cases of one parametrised test share its name."""
    out: list[str] = []
    stem = ""
    for test in dict.fromkeys(t for t in tests if t):
        head, bracket, case = test.partition("[")
        out.append(f"[{case}" if bracket and head == stem else test)
        stem = head if bracket else ""
    return ", ".join(out)


def variation(d: Diagnostic, head: Diagnostic, varying: Sequence[int]) -> str:
    """How the message of `d` differs from the message that stands at the head of its group."""
    said, first = wording.message(d), wording.message(head)
    if said == first:
        return ""
    template, slots = split(said)
    if template == split(first)[0]:
        text = " ".join(slots[i] for i in varying if i < len(slots))
        if len(varying) <= _MOST_SLOTS and len(text) < 0.6 * len(said):
            return text
    return one_line(said)


def varying_slots(members: Sequence[Diagnostic], head: Diagnostic) -> list[int]:
    """Which varying parts of the message really differ among the members of a group that say the same as its head."""
    template = split(wording.message(head))[0]
    alike = [slots for said, slots in (split(wording.message(d)) for d in members) if said == template]
    columns = zip(*[split(wording.message(head))[1], *alike], strict=False)
    return [i for i, column in enumerate(columns) if len(set(column)) > 1]


def entries(members: Sequence[Diagnostic], head: Diagnostic, *, columns: bool = False) -> str:
    """Lines of one file with the tests and the differing parts of messages: `1,9, 5 'sys'`, `13 test_a`."""
    said = (head.message, head.detail, head.rule, None)
    if all((d.message, d.detail, d.rule, d.test) == said for d in members):  # a linter's: nothing but lines
        numbers = Counter(_where(d, columns=columns) for d in members)
        return ",".join(filter(None, numbers.elements()))
    varying = varying_slots(members, head)
    by_line: dict[tuple[str, str], list[str]] = {}
    for d in members:
        where = _where(d, columns=columns)
        by_line.setdefault((where, variation(d, head, varying)), []).append(short_test(d))
    by_text: dict[tuple[str, str], list[str]] = {}
    for (where, differing), tests in by_line.items():
        repeats = [where] * (len(tests) if not any(tests) else 1)
        by_text.setdefault((join_tests(tests), differing), []).extend(repeats)
    out = []
    for (tests_text, differing), lines in by_text.items():
        out.append(" ".join(part for part in (",".join(filter(None, lines)), tests_text, differing) if part))
    return ", ".join(out)


def _where(d: Diagnostic, *, columns: bool) -> str:
    text = str(d.line) if d.line else ""
    if columns and d.line and d.column:
        text += f":{d.column}"
    return text + (f"(x{d.times})" if d.times > 1 else "")


def in_file(file: str, text: str) -> str:
    """A file with what stands in it: `a.py:1,5`, or the bare name where no line is known."""
    if not text:
        return file
    return f"{file}:{text}" if text[0].isdigit() else f"{file} {text}"


def places(members: Sequence[Diagnostic], head: Diagnostic, *, columns: bool = False) -> str:
    """All places of a group; files of one folder share its name: `src/{a.py:1,5 b.py:3} c.py:2`."""
    by_file: dict[str, list[Diagnostic]] = {}
    for d in members:
        by_file.setdefault(d.file or "", []).append(d)
    texts = {file: entries(those, head, columns=columns) for file, those in by_file.items()}
    gap = "; " if any(" " in text for text in texts.values()) else " "
    out: list[str] = []
    for folder, files in _by_folder(list(by_file)):
        out += _in_folder(folder, {file: texts[file] for file in files}, gap)
    line = gap.join(filter(None, out))
    return line if gap == " " or len(line) <= _LINE else "\n " + "\n ".join(filter(None, out))


def _in_folder(folder: str, texts: dict[str, str], gap: str) -> list[str]:
    """Files of one folder: `src/{a.py,b.py}:1` where the lines are the same, `src/{c.py:2 d.py:3}` for the others."""
    by_text: dict[str, list[str]] = {}
    for file, text in texts.items():
        by_text.setdefault(text, []).append(file)
    alike = {text: files for text, files in by_text.items() if len(files) > 1 and text and all(files)}
    front = f"{folder}/" if folder else ""
    out = [in_file(f"{front}{{{','.join(map(basename, files))}}}", text) for text, files in alike.items()]
    single = [file for file, text in texts.items() if text not in alike]
    if (len(single) - 1) * len(front) > _BRACES:
        return [*out, f"{front}{{{gap.join(in_file(basename(file), texts[file]) for file in single)}}}"]
    return out + [in_file(file, texts[file]) for file in single]


def _by_folder(files: Sequence[str]) -> list[tuple[str, list[str]]]:
    return [(folder, list(run)) for folder, run in groupby(files, key=dirname)]
