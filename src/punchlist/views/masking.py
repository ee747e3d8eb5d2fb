"""Secrets masked where text leaves: high-precision patterns, lines kept in place, linear time."""

import re
from collections.abc import Iterable

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
_TOKEN = re.compile("|".join(_TOKENS))
_URL = re.compile(
    r"(?P<keep>\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"<>]{0,100}:)(?P<secret>[^\s/@'\"<>]{1,200})(?=@[\w.\[-])", re.I
)
_HEADER = re.compile(
    r"(?P<keep>\b(?:Authorization|Proxy-Authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:Bearer|Basic|Token|Digest)\s{1,3}"
    r"|\bBearer\s)(?P<secret>[A-Za-z0-9._~+/=-]{12,4000})",
    re.I,
)
_NAME = (
    r"(?:[A-Za-z0-9]{1,40}[_-]){0,6}(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|SECRET[_-]?KEY|API[_-]?KEY|APIKEY|ACCESS[_-]?KEY"
    r"|ACCESS[_-]?TOKEN|AUTH[_-]?TOKEN|REFRESH[_-]?TOKEN|CLIENT[_-]?SECRET|PRIVATE[_-]?KEY|TOKEN|PWD)"
)
# Shell and .env style: a name in capitals, `=` without blanks. `API_KEY=$X`, `=os.environ` and `=None` are no secrets.
_ENV = re.compile(rf"(?P<keep>(?<![A-Za-z0-9_-])(?-i:{_NAME})=[\"']?)(?P<secret>[^\s\"'`;,&|)(<>{{}}$]{{4,500}})")
# JSON, YAML and Python literals: a lower-case name, a quoted value without blanks.
_QUOTED = re.compile(
    rf"(?P<keep>(?<![A-Za-z0-9_-]){_NAME}[\"']?\s{{0,3}}(?::|=|=>)\s{{0,3}}(?P<q>[\"']))(?P<secret>[^\s\"']{{6,500}})(?=(?P=q))",
    re.I,
)
# `aws_secret_access_key = ...` of credential files: a value that only a generator writes.
_BARE = re.compile(
    rf"(?P<keep>(?<![A-Za-z0-9_-]){_NAME}\s{{0,3}}[:=]\s{{0,3}})(?P<secret>(?=[A-Za-z0-9+/_.-]{{0,200}}\d)(?=[A-Za-z0-9+/_.-]{{0,200}}[A-Za-z])"
    r"[A-Za-z0-9+/_-]{20,200}={0,2})(?![\w(.\[])",
    re.I,
)
_PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_HINT = re.compile(
    r"AKIA|ASIA|gh[pousr]_|github_pat_|gl[a-z]{2,4}-|npm_|pypi-|xox|xapp-|slack|[sr]k_|whsec_|sk-|AIza|ya29|hf_|dop_v1|SG\.|eyJ"
    r"|://|bearer|authorization|passw|passphrase|secret|key|token|pwd",
    re.I,
)
_HARMLESS = re.compile(
    r"^(?:none|null|true|false|undefined|str|string|bytes|int|bool|any|optional|self|\*+|x{3,}|\.{3}|\[masked\]|<.*|process\.env.*|os\.environ.*"
    r"|import\.meta.*|secrets\..*|env\..*|config\..*|settings\..*|[A-Za-z_.]+\(.*)$",
    re.I,
)


def mask(text: str) -> str:
    """Replace secrets in a text; every line stays in its place, and what is no secret is not touched."""
    if not _HINT.search(text) and "PRIVATE KEY" not in text:
        return text
    lines = text.split("\n")
    return "\n".join(_mask_keys(_mask_line(line) for line in lines))


def _mask_line(line: str) -> str:
    if not _HINT.search(line):
        return line
    line = _TOKEN.sub(MASK, line)
    for pattern in (_URL, _HEADER, _ENV, _QUOTED, _BARE):
        line = pattern.sub(_masked, line)
    return line


def _masked(match: re.Match[str]) -> str:
    if _HARMLESS.match(match["secret"]):
        return match[0]
    return f"{match['keep']}{MASK}"


def _mask_keys(lines: Iterable[str]) -> Iterable[str]:
    """Private keys in PEM form, from the BEGIN line to the END line or, where it is missing, the end of the armour."""
    inside = False
    for line in lines:
        if inside:
            if _PEM_END.search(line):
                inside = False
                yield line
            elif re.fullmatch(r"[\w+/=:\s|>.,\"'\\-]{0,400}", line):
                yield MASK if line.strip() else line
            else:
                inside = False
                yield line
        else:
            begin = _PEM_BEGIN.search(line)
            if begin and "-----END" in line[begin.end() :]:
                yield re.sub(r"(PRIVATE KEY(?: BLOCK)?-----).*?(-----END)", rf"\1{MASK}\2", line)
            else:
                inside = bool(begin)
                yield line
