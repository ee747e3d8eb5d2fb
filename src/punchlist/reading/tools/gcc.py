"""Read gcc, clang, gfortran, clang-tidy, cppcheck and their linkers by the structure of their lines, in any language.

Seen with gcc 4.8 to 15, clang 11 to 20, clang-tidy 14, cppcheck 1.90 to 2.17, GNU ld, gold, lld, mold, Apple's ld.
"""

import re

from punchlist.model import Diagnostic, Related, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.make_folders import folders_of, in_folder
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import linkers
from punchlist.records import dataclass, field, replace

EXTENSIONS = (
    "c|cc|cpp|cxx|c\\+\\+|cp|C|CPP|h|hh|hpp|hxx|h\\+\\+|H|inl|ipp|tpp|txx|tcc|inc|def|m|mm|cu|cuh|cl|hip|f|for|ftn|f77|f90|f95|"
    "f03|f08|F|FOR|F90|F95|s|S|asm|y|yy|l|ll|ii|i|d|ino|pc|re|cppm|ixx|ads|adb|v|sv|vala|pyx|rc|ld|lds"
)
C_FILE = re.compile(rf"(?:.*\.(?:{EXTENSIONS})|.*[/\\]include[/\\].*|<[\w -]+>|nofile)$")
# FILE:LINE:COL: word: message. The word may be any language's; a colon may be the full-width one.
# `# a.c:7: error: text` is a comment of TAP.
HEAD = re.compile(
    r"((?:[A-Za-z]:[\\/])?(?!# )[^:\n]+):(\d+):(?:(\d+):)?(?:\{[\d:,{}-]+\}:)? ?(\S[^:：]{0,40}?) ?[:：] ?(.+)$"
)
PLACED = re.compile(r"((?:[A-Za-z]:[\\/])?(?!# )[^:\n]+):(\d+):(?:(\d+):)? ? ?(\S.*)$")
BARE_PLACE = re.compile(r"((?:[A-Za-z]:[\\/])?[^:\n]+):(\d+)[:.](\d+):$")
FORTRAN = re.compile(r"(Error|Warning|Fatal Error|Note|Fehler|Warnung|Erreur|Avertissement): (.+)$")
CHAIN = re.compile(r"((?:[A-Za-z]:[\\/])?[^:\n]+):(\d+):(?:(\d+):)?   +(\S.*)$")
SCOPE = re.compile(r"((?:[A-Za-z]:[\\/])?[^:\n]+): \S.*:$")
INCLUDED = re.compile(
    r"(?:In file included from|In module .* imported from|In included file|\s+from"
    r"|\S.* \S+) ?\s*((?:[A-Za-z]:[\\/])?[^\s:]+):(\d+)(?::\d+)?[:,]$"
)
GUTTER = re.compile(r"\s*(?:\d+|\+\+\+|\.\.\.)? *\|(?: |\+|$)| {3,}\S.*\|$")
CARETS = re.compile(r"[ \t]*[~^][ \t~^|-]*$|[ \t]*\|[ \t|]*$")
RULE = re.compile(r"\s*\[((?:-[A-Za-z][\w+=.,*-]*)|(?:[A-Za-z][\w.-]*(?:,[\w.-]+)*(?:,-warnings-as-errors)?))\]$")
TOTALS = re.compile(r"\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated(?: when compiling for .*)?\.$")
OLD_CPPCHECK = re.compile(r"\[([^\]:]+):(\d+)\](?: -> \[[^\]]+\])*: \((?:(\w+)(?:, inconclusive)?)\) (.+)$")
DRIVER = re.compile(
    r"((?:\S*/)?(?:cc1(?:plus|obj|objplus)?|lto1|f951|d21|g?cc|g\+\+|c\+\+|[a-z0-9_-]+-g(?:cc|\+\+)"
    r"|clang(?:\+\+|-cl|-tidy|-format)?(?:-\d+)?"
    r"|gfortran|cpp|as|nvcc|xcrun|cppcheck|include-what-you-use|emcc|icx|icpx"
    r"|Error while processing .+)(?:-\d[\d.]*)?): "
    r"(?:(?P<word>fatal error|internal compiler error|error|warning|note|Fehler|schwerwiegender Fehler"
    r"|erreur|[^\s:：]{1,24}) ?[:：] ?)(?P<message>.+)$"
)
# What a line must have to be worth a look. Each alternative begins with a literal: that makes the search fast.
WORTH = re.compile(
    r":(?:\d+(?:[:.,)]|\]: \()|$| (?:fatal error|internal compiler error|error|warning|note|Error|Fehler"
    r"|erreur)\b ?:| \w+ \w* ?: )|："
    r"|ld(?:\.\w+)?: |lld: |mold: |undefined (?:reference|symbol)|multiple definition|Undefined symbol"
    r"|n function [`'‘]| generated| terminated|collect2|ld returned|linker command|Suppressed |Active checkers"
    r"|Checking |files checked|treated as error|cc1|header-filter|bug report",
    re.M,
)
CONSEQUENCE = re.compile(
    r"compilation terminated|collect2: |.*ld returned \d+ |.*linker command failed with exit code"
    r"|cc1(?:plus)?: (?:all|some) warnings being treated"
    r"|(?:\S+: )?fatal error: too many errors|.*too many errors emitted|Kompilierung beendet"
    r"|compilation interrompue|cc1(?:plus)?: .*-Werror"
    r"|clang.*: note: diagnostic msg:|.*: (?:recipe|Rezept) for target .* failed"
    r"|Please submit a full bug report|See <?\S+> for instructions"
    r"|Preprocessed source stored into|PLEASE submit a bug report|Suppressed \d+ warnings"
    r"|Use -header-filter=|Error while processing \S+$"
    r"|\d+ warnings? treated as errors?|Found compiler error\(s\)\.|Checking \S+( .*)?\.\.\.$"
    r"|\d+/\d+ files checked \d+% done|Active checkers: "
)
# The words for a finding in the languages gcc and clang are translated to.
_WORDS: dict[Severity, str] = {
    "error": "error|fatal error|fatal|internal compiler error|sorry, unimplemented|fehler|schwerwiegender fehler|"
    "interner compiler-fehler|erreur|erreur fatale|errore|errore fatale|erro|erro fatal|error fatal|ошибка|"
    "фатальная ошибка|エラー|致命的エラー|错误|致命错误|錯誤|嚴重錯誤|fout|fatale fout|błąd|fel|hata|"
    "ölümcül hata|помилка|오류|치명적 오류|chyba|virhe|fejl|грешка|eraro",
    "warning": "warning|pedwarn|warnung|attention|avertissement|attenzione|avviso|aviso|advertencia|"
    "предупреждение|警告|waarschuwing|let op|ostrzeżenie|varning|uyarı|попередження|경고|varování|varoitus|"
    "advarsel|упозорење|averto",
    "info": "note|remark|style|performance|portability|information|debug|anmerkung|bemerkung|nota|замечание|"
    "備考|附注|注解|註|noot|uwaga|bilgi|примітка|huomautus|обавештење",
}
WORDS: dict[str, Severity] = {word: level for level, words in _WORDS.items() for word in words.split("|")}
# Infos that are findings of their own; every other info is a note to the finding before it.
OWN_INFOS = ("style", "performance", "portability", "information")
DETAIL_LINES = 60
FOREIGN = ("/usr/include/", "/usr/lib/", "/usr/bin/../", "/opt/", "/Library/", "/Applications/")


@dataclass(slots=True)
class State:
    """The finding being put together, and what stood before it that belongs to it."""

    own: bool
    found: Diagnostic | None = None
    first: int = 0
    end: int = 0
    detail: list[str] = field(default_factory=list)
    related: list[Related] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    before_related: list[Related] = field(default_factory=list)
    before_at: int = -1
    folders: list[str] = field(default_factory=list)
    driver: bool = False
    placed: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read compilers' and linkers' findings; notes and template chains belong to the finding they stand at."""
    reading, state = Reading(), State(bool(context.words))
    linked = linkers.Linker()
    at = 0
    for index in lines_with(log, WORTH):
        if index >= at:
            at = _line(log, index, log.lines[index], reading, state, linked)
    _flush(log, reading, state)
    reading.diagnostics += linked.found
    if (folders := folders_of(log)) is not None:
        index_of = {number: index for index, number in enumerate(log.numbers)}
        reading.diagnostics = [in_folder(d, _index(d, index_of), folders) for d in reading.diagnostics]
    for first, end in linked.claimed:
        reading.claim(first, end)
    if state.placed or any(d.severity == "error" for d in linked.found):
        reading.outcome = "failed"
    elif state.driver:
        reading.outcome = "error"
    return reading


def _index(d: Diagnostic, index_of: dict[int, int]) -> int:
    """The index of the line that a finding begins on."""
    if d.log is None:
        return 0
    return index_of.get(-d.log.first if d.log.stream == "stderr" else d.log.first, 0)


def _line(log: Log, at: int, line: str, reading: Reading, state: State, linked: linkers.Linker) -> int:
    if (done := linkers.line_at(log, at, linked)) is not None:
        _flush(log, reading, state)
        return done
    if ":" in line or "：" in line:
        if match := HEAD.match(line):
            done = _header(log, at, match, reading, state)
            if done is not None:
                return done
        if (done := _other(log, at, line, reading, state)) is not None:
            return done
    if CONSEQUENCE.match(line) or TOTALS.match(line):
        _flush(log, reading, state)
        reading.claim(at)
    elif match := OLD_CPPCHECK.match(line):
        _flush(log, reading, state)
        severity = WORDS.get(match[3], "warning")
        reading.add(
            Diagnostic(message=match[4], severity=severity, file=match[1], line=int(match[2]), log=log.span(at))
        )
        reading.claim(at)
        state.placed |= severity == "error"
    return at + 1


def _is_source(file: str, state: State) -> bool:
    return bool(C_FILE.match(file)) or (state.own and " " not in file and not file.isdigit())


def _header(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> int | None:
    """A line `file:line:col: word: message`: a new finding, or a note to the one before it."""
    word = match[4].strip().lower()
    severity = WORDS.get(word)
    if not _is_source(match[1].strip(), state):
        return None
    body_end = _body(log, at)
    if severity is None:
        if CHAIN.match(log.lines[at]) or len(word.split()) > 3 or not word.replace(" ", "").isalpha():
            return None
        if body_end == at + 1 and not RULE.search(match[5]):
            return None
        severity = "warning" if RULE.search(match[5]) else "error"
    whole = HEAD.match(log.whole(at)) or match
    if severity == "info" and word not in OWN_INFOS:
        _note(log, at, whole, body_end, reading, state)
        return body_end
    _flush(log, reading, state)
    message, rule = _parted(whole[5])
    file = match[1].strip()
    if "too many errors emitted" in message:
        reading.claim(at, body_end)
        return body_end
    state.found = Diagnostic(
        message=message,
        severity=severity,
        file=None if file.startswith("<") or file == "nofile" else file,
        line=int(match[2]) or None,
        column=int(match[3] or 0) or None,
        rule=rule,
    )
    state.first = state.before_at if state.before_at >= 0 else at
    state.detail = [*log.lines[at + 1 : body_end], *state.before]
    state.related = list(state.before_related)
    state.before, state.before_related, state.before_at = [], [], -1
    state.end = body_end
    state.placed |= severity == "error"
    return body_end


def _note(log: Log, at: int, match: re.Match[str], end: int, reading: Reading, state: State) -> None:
    if state.found is None or at - state.end > 12:
        reading.claim(at, end)
        return
    file = match[1].strip()
    if len(state.related) < 20:
        state.related.append(Related(_parted(match[5])[0], file, int(match[2]) or None, int(match[3] or 0) or None))
    own = not file.startswith(FOREIGN)
    if len(state.detail) < DETAIL_LINES and (own or len(state.detail) < 20):
        state.detail += [*state.before, log.lines[at], *(log.lines[at + 1 : end] if own else [])]
    state.before, state.before_related, state.before_at = [], [], -1
    state.end = end


def _parted(message: str) -> tuple[str, str | None]:
    """Part a message from the rule in brackets at its end."""
    match = RULE.search(message)
    if not match:
        return message.strip(), None
    names = [name for name in match[1].split(",") if name != "-warnings-as-errors" and name != "-Werror"]
    if not names:
        return message.strip(), None
    return message[: match.start()].strip() or message, names[0]


def _body(log: Log, at: int) -> int:
    """One past the frame below a header: gutters, or a source line with carets below it, and a fix under them."""
    lines = log.lines
    end = at + 1
    while end < len(lines) and lines[end] and GUTTER.match(lines[end]):
        end += 1
    if end > at + 1:
        return end
    for skip in (1, 0):
        mark = at + 1 + skip
        if mark < len(lines) and CARETS.match(lines[mark]) and lines[mark].strip():
            end = mark + 1
            while end < len(lines) and CARETS.match(lines[end]) and lines[end].strip():
                end += 1
            if end < len(lines) and lines[end].startswith(" ") and not GUTTER.match(lines[end]) and _is_fix(lines, end):
                end += 1
            return end
    return end


def _is_fix(lines: list[str], at: int) -> bool:
    """Whether a set-in line below carets is the replacement clang offers, and not the next output."""
    line = lines[at]
    before = lines[at - 1]
    column = len(line) - len(line.lstrip())
    mark = before.find("^") if "^" in before else before.find("~")
    return column >= min(i for i in (mark, before.find("~") if "~" in before else mark) if i >= 0) - 1


def _other(log: Log, at: int, line: str, reading: Reading, state: State) -> int | None:
    """Lines that belong to a finding without being one: scopes, include chains, `required from`; and driver errors."""
    if match := CHAIN.match(line):
        if _is_source(match[1], state):
            end = _body(log, at)
            caller = Related(match[4], match[1], int(match[2]), int(match[3] or 0) or None)
            _remember(state, at, log.lines[at:end], caller)
            reading.claim(at, end)
            return end
    elif match := BARE_PLACE.match(line):
        stop = _fortran(log, at, match, reading, state) if _is_source(match[1], state) else None
        if stop is not None:
            return stop
    if line.endswith((":", ",")):
        if (match := INCLUDED.match(line)) and _is_source(match[1], state):
            _remember(state, at, [line], None)
            reading.claim(at)
            return at + 1
        if (match := SCOPE.match(line)) and C_FILE.match(match[1]) and " " not in match[1]:
            _flush(log, reading, state)
            _remember(state, at, [], None)
            state.before_at = -1
            reading.claim(at)
            return at + 1
    if CONSEQUENCE.match(line):
        return None
    if match := DRIVER.match(line):
        return _driver(log, at, match, reading, state)
    return None


def _remember(state: State, at: int, lines: list[str], related: Related | None) -> None:
    if state.before_at < 0 and lines:
        state.before_at = at
    if len(state.before) < 20:
        state.before += lines
    if related is not None and len(state.before_related) < 10:
        state.before_related.append(related)


def _fortran(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> int | None:
    """gfortran: the place, the source with a digit below it, then `Error: ...`."""
    for end in range(at + 1, min(len(log.lines), at + 14)):
        said = FORTRAN.match(log.lines[end])
        if said:
            _flush(log, reading, state)
            message, rule = _parted(said[2])
            severity = WORDS.get(said[1].lower(), "error")
            reading.add(
                Diagnostic(
                    message=message, severity=severity, rule=rule, file=match[1], line=int(match[2]) or None,
                    column=int(match[3]) or None, log=log.span(at, end),
                    detail="\n".join(text for text in log.lines[at + 1 : end] if text),
                )
            )  # fmt: skip
            reading.claim(at, end + 1)
            state.placed |= severity == "error"
            return end + 1
        if BARE_PLACE.match(log.lines[end]) is None and log.lines[end] and not log.lines[end].startswith(" "):
            return None
    return None


def _driver(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> int | None:
    """An error of the compiler driver itself: no place, only the program's name."""
    word = match["word"].lower()
    severity = WORDS.get(word)
    if severity is None:
        return None
    if severity == "info":
        reading.claim(at)
        return at + 1
    _flush(log, reading, state)
    message, rule = _parted(match["message"])
    reading.add(Diagnostic(message=message, severity=severity, rule=rule, log=log.span(at)))
    reading.claim(at)
    if word == "internal compiler error":
        state.placed = True
    else:
        state.driver |= severity == "error"
    return at + 1


def _flush(log: Log, reading: Reading, state: State) -> None:
    if state.found is None:
        return
    detail = "\n".join(state.detail[:DETAIL_LINES])
    reading.add(
        replace(state.found, detail=detail, related=tuple(state.related), log=log.span(state.first, state.end - 1))
    )
    reading.claim(state.first, state.end)
    state.found = None
    state.detail, state.related = [], []
