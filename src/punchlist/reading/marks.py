"""What the words of one line say about a failure: a table of patterns with weights."""

# ruff: noqa: E501  a table of patterns reads best with one row a line
import re

from punchlist.records import dataclass

WIDTH = 240
"""Only so much of a line is looked at."""
STRONG = 8.0
"""From this weight on a line begins a block of evidence."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A pattern, its weight, and how many lines after (`reach`) and before it (`lead`) belong to it."""

    pattern: re.Pattern[str]
    weight: float
    reach: int = 0
    lead: int = 0


def _mark(pattern: str, weight: float, reach: int = 0, lead: int = 0, flags: int = 0) -> Mark:
    return Mark(re.compile(pattern, flags), weight, reach, lead)


# A tool's verdict on one thing, then its totals, then words that only hint; what follows a verdict explains it.
MARKS: tuple[Mark, ...] = (
    _mark(r"^\W{0,4}##\[error\]|^::error|^\W{0,4}Error: Process completed", 14, 3),
    _mark(r"\b(?:Segmentation fault|core dumped|SIGSEGV|SIGABRT|SIGBUS|SIGKILL|OutOfMemoryError|oom-kill|heap out of memory|Killed process|Fatal Python error|Bus error)|\b(?:Killed|Aborted)\b(?: *\(|$)|\bOut of memory\b|\bstack overflow\b", 13, 10, 0, re.I),
    _mark(r"^[\s•*>|]{0,6}(?:--- FAIL|FAIL(?:ED|URE|S)?!?(?:[:\s]|$)|\[(?:FAIL|FAILED|ERROR|Fail|FATAL)\]|not ok\b|[✗✖❌✘✕×●] *\S|\[\s+FAILED\s+\]|(?:ERROR|FATAL|CRITICAL)(?:[:\s]|$))|\.\.\. (?:FAILED|ERROR|FAIL|mismatch)$|\bFAILED$|<<< (?:FAILURE|ERROR)", 11, 12),
    _mark(r"^\W{0,6}(?:error|fatal|fatal error|panic|failure)(?:\[\w+\])?(?: \w+\d+)?: \S|\bpanicked at\b|\bERR! |^npm error |\bERR_[A-Z_]{4,}|^\s*[╷│]? ?Error: ", 11, 7, 0, re.I),
    _mark(r"^E {2,}\S", 11, 2, 2),
    _mark(r"^\s*(?:[\w.]{1,80}\.)?[A-Z]\w{0,60}(?:Error|Exception|Warning|Exit|Interrupt|Failure|Timeout)(?:: \S|$)|^Caused by: |^\s*(?:Uncaught|Unhandled)\b", 11, 5, 5),
    _mark(r"^\s*(?:[A-Za-z]:)?[^\s:(]{1,200}\.\w{1,6}[:(]\d+(?:[:,.]\d+)?\)?:? (?:(?:fatal )?error\b|panic:)|: error (?:TS|CS|MSB|C|LNK)\d+", 11, 3, 0, re.I),
    _mark(r"^Traceback \(|^\s*Failures?:|^=+ (?:ERRORS|FAILURES) =+|^failures:|\bSummarizing \d+ Failure|Summary of all failing|short test summary", 8, 3),
    _mark(r"\b[1-9][\d,]* (?:\w+ )?(?:failed|failures?|failing|errors?|problems?|mismatch(?:es)?|offenses?|vulnerabilit|obsolete)\b|\b(?:Failures|Errors|Failed)[:=] *[1-9]|tests? failed|\btest result: FAILED|^\s*(?:Test Suites|Tests|Snapshots|Test Files|Time|Ran all): .*\bfail", 10, 1, 0, re.I),
    _mark(r"\bexit(?:ed)?(?: with)? (?:code|status)(?: exit status)?:? *[1-9]\d*|\bexited (?:with )?[1-9]|completed with exit code|Command failed|returned non-zero|non-zero exit|\breturned exit code|make(?:\[\d+\])?: \*\*\*|^Exit (?:status|code) [1-9]|ELIFECYCLE|Build step .* failure|Finished: FAILURE", 9.5, 1, 0, re.I),
    _mark(r"\bHTTP(?:/\d\S*)? ?(?:error )?[45]\d\d\b|\b(?:status|code)[ :=]+[45]\d\d\b|\b(?:403|401|404|429|50[0-4])\b.*\b(?:forbidden|unauthorized|not found|denied|error|unavailable)|permission denied|access denied|not accessible|\brejected\b|authentication failed|could not read (?:Username|from)|no space left|connection (?:refused|reset)|has been cancell?ed|was cancell?ed|exceeded the maximum|shutdown signal", 9, 2, 1, re.I),
    _mark(r"(?:^|[\s:(])(?:[\w.]{0,80}(?:Error|Exception)|error(?:\[\w+\])?):\s|\bfatal:", 8, 3, 1),
    _mark(r"\b(?:assert(?:ion)?|unhandled|uncaught|unresolved|undefined reference|did not complete|timed? ?out|DATA RACE|WARNING: (?:DATA|Thread|Address))\b", 7, 3, 0, re.I),
    _mark(r"\b(?:cannot|can't|could not|couldn't|unable to|not found|no such|denied|refused|missing|unexpected|invalid|unsupported|mismatch|timeout|conflict|forbidden|unauthorized|exceeded|does not|doesn't|not allowed|out of date|outdated|would reformat|requires?|must)\b", 4, 1, 0, re.I),
    _mark(r"\berrors?\b|\bfail(?:s|ed|ure|ures|ing)?\b|\bFAIL|\bERROR", 4, 0, 0, re.I),
    _mark(r"\b(?:Expected|Received|Actual|expected|received|actual|got|want):? |^\s*[<>] |Expected<|^\s+(?:left|right): |^\s*In \[", 5, 2),
    _mark(r"\w\.[A-Za-z]\w{0,5}(?:[:(]\d+|\", line \d+)", 3),
    _mark(r"\bline \d+,? in test|\bin <?test_\w+|\btest_\w+|\w::test", 4),
    _mark(r"^(?:\$|>|\+) \S|^\[command\]", 2),
    _mark(r"\bwarn(?:ing)?\b|deprecat|please (?:run|use|fix|update)|\bto fix\b|\brun `", 2, 0, 0, re.I),
)  # fmt: skip
AGAINST: tuple[Mark, ...] = (
    _mark(r"\b(?:0|no) (?:errors?|failures?|failed|failing|warnings?|problems?)\b|\b(?:failed|errors?|failures)[=:] ?0\b", -8, 0, 0, re.I),
    _mark(r"\bPASS(?:ED)?\b|^\s*(?:✓|✔|√)|\bok\b|\bDONE\b|\bsuccess(?:fully)?\b|\bskipp(?:ing|ed)\b|\bSKIP\b|\bignor(?:ed|ing)\b|\bas expected\b", -6),
    _mark(r"if-no-files-found|continue-on-error|fail-fast|fail-on|error-on|set -e|--fail\b|\bretry|\bDEBUG\b|\bINFO\b|^\s*\w[\w-]*: (?:true|false)$|\|\| |&& ", -4),
    _mark(r"\bnode_modules[\\/]|site-packages[\\/]|dist-packages[\\/]|node:internal|/usr/lib/|\.cargo/registry|/rustc/|lib/python3|<frozen ", -4),
    _mark(r"(?:error|fail)[\w-]{0,40}\.\w{1,4}\b|\btest\w{0,60}(?:error|fail|invalid|missing)|/errors?/", -3, 0, 0, re.I),
    _mark(r"● Console|console\.(?:warn|log|error|info)|^\s*\* *-|DeprecationWarning|\bhint:|was not found in the cache|Cache not found", -7),
)  # fmt: skip
NOISE = re.compile(
    r"(?:"
    r"[+~-] ?[\w.@/\[\]-]+(?:==| )v?\d[\w.+!-]*(?: \(.*\))?$|\S+ +\| +(?:Progress: |\+\d|\++$)|[├└│][├└│ ]*─? ?[\w@/.-]+@?v?\d[\d.]+|\|? ?[+-]{6,}|[-=_*#─━~. ]{6,}$"
    r"|(?:Compiling|Checking|Download(?:ing|ed)?|Install(?:ing|ed)|Collecting|Fetch(?:ing|ed)|Requirement already|Using cached"
    r"|Get:\d|Hit:\d|Ign:\d|Unpacking|Setting up|Selecting previously|Preparing|Prepared|Processing triggers|Progress[: ]"
    r"|Resolv(?:ing|ed)|Receiv(?:ing|ed) |remote: (?:Counting|Compressing|Enumerating|Total|Resolving)|Counting|Compressing"
    r"|Copying|Built |Audited|Updating |Locking|Adding |Extracting|Pull(?:ing|ed)|Digest: |Status: Downloaded"
    r"|Verifying|Waiting|Already exists|hint: |Switched to|HEAD is now|From https?:|\* \[new |Cache (?:hit|restored|saved|Size)"
    r"|Reading (?:package|state)|Building (?:dependency|wheel|wheels)|Looking in|Fresh |Finished |Running \d+ tests|go: (?:downloading|finding|extracting)"
    r"|npm (?:warn|WARN|notice)|added \d+ packages|\d+ packages are looking|run `npm fund`|Successfully (?:installed|built|uninstalled)"
    r"|Attempting uninstall|Found existing installation|Uninstalling|creating build|copying |adding '|byte-compiling|running \w+$"
    r"|If you want to (?:create|keep)|Turn off this advice|git switch -c|Note: switching to|state without impacting"
    r"|\[command\]/\S*git |Temporarily overriding HOME|Adding repository directory|##\[(?:group|endgroup|debug|command|section)\]"
    r")"
    r"|\d+% |.*\d+%\|.*\| \d+/\d+|\d+\.\d+ [KMG]i?B|\S+: (?:Pulling|Waiting|Verifying|Download|Pull|Already|Layer)"
    r"|at (?:node:|async Promise\.all|.*node_modules[/\\])"
    r")"
)  # fmt: skip
PASSES = re.compile(
    r"(?:"
    r"(?:=== (?:RUN|PAUSE|CONT|NAME)|--- (?:PASS|SKIP)|PASS(?: \S+(?: \([\d.]+ ?m?s\))?)?$|ok\s+\S|ok \d+)"
    r"|(?:✓|✔|√|PASSED|\[ *(?:OK|RUN|PASSED) *\])|\S.* \.\.\. ok$|\S+ [.sxXuR]+ *\[ *\d+%\]$|[.sxX]{10,} *(?:\[ *\d+%\])?$"
    r"|\S+::\S+ (?:PASSED|SKIPPED|XFAIL)|(?:\S.*)?\| +[\d.]+ \| +[\d.]+ \||[-|]+\|[-|]+$"
    r")"
)
# Said in a line that looks like noise, these count all the same.
ALARM = re.compile(
    r"error[:\[ ]|\bfatal|segmentation|panic|exception|denied|rejected|\bfailed\b|failure|killed|abort|not found", re.I
)
_QUICK = re.compile(
    "|".join(
        (
            "err|fail|fatal|panic|abort|assert|kill|oom|memory|overflow|exit|except|warn|trace|segm|sig[a-z]|dumped|uncaught",
            r"not |no |n't|unable|denied|refuse|missing|unexpected|invalid|un\w{2,20}ed|mismatch|time|conflict|forbidden|exceed",
            r"expect|receiv|actual|got|want|cause|test|race|does|require|must|would|please|cancel|signal|reject|http|\*\*\*",
            r"[:(]\d|line \d|[✗✖❌✘✕×●]|^[$>+<E] |^\[c|left:|right:|summar|deprec|outdated|problem|offense|obsolete|code|status|fix",
        )
    ),
    re.I,
)


def words(text: str) -> tuple[float, int, int]:
    """Return what a line says by itself, and how many lines after and before it belong to it."""
    shown = text[:WIDTH]
    if not _QUICK.search(shown) or is_noise(text):
        return 0.0, 0, 0
    best, rest, reach, lead = 0.0, 0.0, 0, 0
    for mark in MARKS:
        if mark.pattern.search(shown):
            best, rest = max(best, mark.weight), rest + mark.weight
            if mark.weight >= STRONG:
                reach, lead = max(reach, mark.reach), max(lead, mark.lead)
    if not best:
        return 0.0, 0, 0
    weight = best + 0.15 * (rest - best)
    weight += sum(mark.weight for mark in AGAINST if mark.pattern.search(shown))
    return weight, reach, lead


def is_noise(text: str) -> bool:
    """Whether a line is only about the way: packages, downloads, passing tests, tables, git's talk."""
    shown = text.lstrip()[:WIDTH]
    return PASSES.match(shown) is not None or (NOISE.match(shown) is not None and not ALARM.search(shown))
