"""Secrets masked where text leaves: high-precision patterns, lines kept in place, linear time."""

import re
from collections.abc import Iterable
from functools import cache

MASK = "[masked]"

# Formats that a vendor prefix makes unmistakable; each begins with a literal so that the scan stays fast.
_TOKENS = (
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b",
    r"\bgithub_pat_[A-Za-z0-9_]{22,255}\b",
    r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,255}",
    r"\bnpm_[A-Za-z0-9]{36}\b",
    r"\bpypi-[A-Za-z0-9_-]{50,300}",
    r"\bxox[abposr]-[A-Za-z0-9-]{10,250}",
    r"\bxapp-\d-[A-Za-z0-9-]{10,250}",
    r"\bhooks\.slack\.com/services/[A-Za-z0-9/]{20,200}",
    r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,250}",
    r"\bwhsec_[A-Za-z0-9]{24,250}",
    r"\bsk-(?:ant-|proj-|svcacct-|or-v1-)[A-Za-z0-9_-]{20,250}",
    r"\bsk-[A-Za-z0-9]{32,64}\b",
    r"\bAIza[0-9A-Za-z_-]{35}\b",
    r"\bya29\.[0-9A-Za-z_-]{20,500}",
    r"\bhf_[A-Za-z0-9]{30,64}\b",
    r"\bdop_v1_[a-f0-9]{64}\b",
    r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b",
    r"\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{10,2000}",
)
_URL = r"(?i)(?P<keep>\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"<>]{0,100}:)(?P<secret>[^\s/@'\"<>]{1,200})(?=@[\w.\[-])"
_HEADER = (
    r"(?i)(?P<keep>\b(?:Authorization|Proxy-Authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:Bearer|Basic|Token|Digest)\s{1,3}"
    r"|\bBearer\s)(?P<secret>[A-Za-z0-9._~+/=-]{12,4000})"
)
_NAME = (
    r"(?:[A-Za-z0-9]{1,40}[_-]){0,6}(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|SECRET[_-]?KEY|API[_-]?KEY|APIKEY|ACCESS[_-]?KEY"
    r"|ACCESS[_-]?TOKEN|AUTH[_-]?TOKEN|REFRESH[_-]?TOKEN|CLIENT[_-]?SECRET|PRIVATE[_-]?KEY|TOKEN|PWD)"
)
# Shell and .env style: a name in capitals, `=` without blanks.
_ENV = (
    rf"(?P<keep>(?<![A-Za-z0-9_-]){_NAME}=(?P<q>[\"']?))"
    r"(?P<secret>(?<=\")[^\"]{3,500}(?=\")|(?<=')[^']{3,500}(?=')|[^\s\"'`;,&|)(<>{}$]{4,500})"
)
# JSON, YAML and Python literals: any case, a quoted value without blanks.
_QUOTED = (
    rf"(?i)(?P<keep>(?<![A-Za-z0-9_-]){_NAME}[\"']?\s{{0,3}}(?::|=|=>)\s{{0,3}}(?P<q>[\"']))"
    r"(?P<secret>[^\s\"']{6,500})(?=(?P=q))"
)
# `aws_secret_access_key = ...` of credential files, `password: hunter2hunter2x9` of YAML: only what a generator writes.
_BARE = (
    rf"(?i)(?P<keep>(?<![A-Za-z0-9_-]){_NAME}\s{{0,3}}[:=]\s{{0,3}})"
    r"(?P<secret>(?=[A-Za-z+/_-]{0,200}\d)(?=[\d+/_-]{0,200}[A-Za-z])[A-Za-z0-9+/_-]{20,200}={0,2})(?![\w(.\[])"
)
_PEM_BEGIN = r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_PEM_END = r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
# One line of a key, behind what a container or a CI service may put in front of every line.
_ARMOUR = (
    r"(?:[^|]{0,40}\|\s?|\S{0,40}Z\s)?\s*(?:[A-Za-z0-9+/]{1,80}={0,2}|(?:Proc-Type|DEK-Info|Version|Comment):.{0,200})?"
    r"[\s\"',]*"
)
_HINTS = (
    *(
        "akia",
        "asia",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "gldt-",
        "glrt-",
        "glcbt-",
        "glptt-",
    ),
    *(
        "glft-",
        "glsoat-",
        "npm_",
        "pypi-",
        "xox",
        "xapp-",
        "slack",
        "k_live_",
        "k_test_",
        "whsec_",
        "sk-",
        "aiza",
        "ya29.",
    ),
    *(
        "hf_",
        "dop_v1",
        "sg.",
        "eyj",
        "://",
        "bearer",
        "authorization",
        "passw",
        "passphrase",
        "secret",
        "key",
        "token",
        "pwd",
    ),
)
_HARMLESS = (
    r"(?i)(?:none|null|nil|true|false|undefined|str|string|bytes|int|bool|any|optional|self|required|changeme|\*+|x{3,}|\.{3}"
    r"|\[masked\]|\[redacted\]|<.*|process\.env.*|os\.environ.*|import\.meta.*|secrets\..*|env\..*|config\..*|settings\..*"
    r"|[A-Za-z_.]+\(.*|\$.*|%.*)"
)


def mask(text: str) -> str:
    """Replace secrets in a text; every line stays in its place, and what is no secret is not touched.

    Half of a surrogate pair (`\\ud800` in a tool's JSON) becomes `?`, for no stream or file could take it.
    """
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    if not _hinted(text):
        return text
    lines = [_mask_line(line) for line in text.split("\n")]
    return "\n".join(_mask_keys(lines) if "PRIVATE KEY" in text else lines)


def _hinted(text: str) -> bool:
    low = text.lower()
    return any(hint in low for hint in _HINTS)


@cache
def _patterns() -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    """Compiled when the first hint is met: most answers need none of them."""
    return re.compile("|".join(_TOKENS)), tuple(re.compile(p) for p in (_URL, _HEADER, _ENV, _QUOTED, _BARE))


def _mask_line(line: str) -> str:
    if not _hinted(line):
        return line
    tokens, assignments = _patterns()
    line = tokens.sub(MASK, line)
    for pattern in assignments:
        line = pattern.sub(_masked, line)
    return line


def _masked(match: re.Match[str]) -> str:
    if re.fullmatch(_HARMLESS, match["secret"]):
        return match[0]
    return f"{match['keep']}{MASK}"


def _mask_keys(lines: Iterable[str]) -> Iterable[str]:
    """Private keys in PEM form, from the BEGIN line to the END line or, where it is missing, the end of the armour."""
    inside = False
    for line in lines:
        if inside:
            if re.search(_PEM_END, line):
                inside = False
                yield line
            elif re.fullmatch(_ARMOUR, line):
                yield MASK if line.strip() else line
            else:
                inside = False
                yield line
        else:
            begin = re.search(_PEM_BEGIN, line)
            if begin and "-----END" in line[begin.end() :]:
                yield re.sub(r"(PRIVATE KEY(?: BLOCK)?-----).*?(-----END)", rf"\1{MASK}\2", line)
            else:
                inside = bool(begin)
                yield line
