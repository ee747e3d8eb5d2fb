"""Put `punchlist run --` in front of an agent's own tests, linters and builds, and of nothing else.

A command is changed only where nothing but the way its output is shown changes: never where its bytes go to a file or
to a program, where it runs in the background, or where anything in it is unclear.
"""

# A hook is waited for, and pathlib costs some milliseconds to import.
# ruff: noqa: PTH109, PTH110, PTH111, PTH113, PTH118, PTH123

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from punchlist.agents.shell import ASSIGNMENT, Simple, split, upward, word_end
from punchlist.agents.worth import PLAIN, worth

OFF = "PUNCHLIST"
OWN_LIMIT_S = 600.0  # a run's usual deadline: a longer one of the command itself must not be cut short
_HARMLESS = re.compile(r"2>\s*&1$|2>\s*/dev/null$|0?<\s*/dev/null$|2>&1$")
_TAKEN_ALONG = frozenset({"time", "!", "exec"})  # words of the shell in front of a command
_LIMIT = re.compile(r"(?:^|[\s;&|])(?:g?timeout)\s+(?:-\S+\s+)*(\d+(?:\.\d+)?)([smhd]?)\b")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_SIZING = frozenset({"head", "tail", "cat", "less", "more", "tee"})
_SEARCHES = frozenset({"grep", "egrep", "fgrep", "rg"})
_IN_CONTAINER = re.compile(r"(?:docker|podman|docker-compose)\b.*?\s(?:exec|run)\s")
_ATTACHED = re.compile(r"\s-(?:it|ti|i|t|d)\b|\s--(?:interactive|tty|detach)\b")
_ELSEWHERE = re.compile(r"\s(?:-w|--workspaces?|-C|--prefix|--filter|-F|--dir|--cwd|-r|--recursive)\b")
_FAILURES = re.compile(r"fail|err|warn|pass|assert|panic|except|tests?\b|✗|✕|✘|×|FAIL|summary|total|problem|ok", re.I)


def decide(
    command: str,
    cwd: str | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    program: str = "punchlist",
    limit_s: float | None = None,
    declared: Callable[[str], bool] | None = None,
) -> str | None:
    """Return the command with `punchlist run --` in front of its checks, or None to leave it as it is.

    `cwd` is where it will run (for `npm run x`). `limit_s` is a time limit that the agent or its user has set around
    it. `declared` tells whether a simple command is a check that the project declares.
    """
    environ = environ or {}
    if environ.get(OFF, "").lower() in ("off", "0", "no", "false") or environ.get("PUNCHLIST_RUN"):
        return None
    if not command.strip() or "\0" in command or len(command) > 20_000:
        return None
    parts = split(command)
    if parts is None or any(_hands_over(part) for part in parts):
        return None
    prefix = f"{program} run{' --timeout inf' if _longer(command, limit_s) else ''} -- "
    folder = cwd or None
    new, taken = command, 0
    edits: list[tuple[int, int, str]] = []
    at = 0
    while at < len(parts):
        pipeline = [parts[at]]
        while pipeline[-1].operator in ("|", "|&") and at + len(pipeline) < len(parts):
            pipeline.append(parts[at + len(pipeline)])
        at += len(pipeline)
        words = [word.raw for word in pipeline[0].words]
        if words[:1] == ["cd"] and folder is not None:
            folder = _moved(folder, words)
        edit = _alone(pipeline[0], prefix, folder, declared) if len(pipeline) == 1 else None
        if len(pipeline) > 1:
            edit = _viewed(command, pipeline, prefix, folder, declared)
        if edit is not None:
            edits.append(edit)
    for start, end, text in edits:
        new = new[: start + taken] + text + new[end + taken :]
        taken += len(text) - (end - start)
    return new if edits else None


def _hands_over(part: Simple) -> bool:
    """Whether a part names us already, or the user's way around us."""
    words = [word.raw for word in part.words]
    if any(word.startswith((f"{OFF}=", "PUNCHLIST_RUN=")) for word in words):
        return True
    return any(re.search(r"(?:^|[/\\])punchlist(?:\.exe)?$|^punchlist\.cli$", word.strip("'\"")) for word in words)


def _alone(
    part: Simple, prefix: str, folder: str | None, declared: Callable[[str], bool] | None
) -> tuple[int, int, str] | None:
    start = _begin(part)
    if start is None or not all(_HARMLESS.match(one) for one in part.redirections):
        return None
    if not is_check(_plain(part, start), folder, declared):
        return None
    return start, start, prefix


def _viewed(
    text: str,
    stages: list[Simple],
    prefix: str,
    folder: str | None,
    declared: Callable[[str], bool] | None,
) -> tuple[int, int, str] | None:
    """Take over `CHECK | tail -5`: as one word, which is seen through when it runs."""
    start, end = stages[0].start, stages[-1].end
    whole = text[start:end]
    begin = _begin(stages[0])
    if begin is None or any(word.raw in _TAKEN_ALONG for word in stages[0].words[:1]):
        return None
    # The shell that runs the word is another one: nothing may depend on this one's variables or on its own notation.
    if re.search(r"\$(?!(?:HOME|PWD|USER)\b)|`|\{[^{}]*[,.]", re.sub(r"'[^']*'", "", whole)) or "\n" in whole:
        return None
    if not all(_views([word.raw for word in stage.words]) for stage in stages[1:]):
        return None
    begun = stages[0]
    errors = {"".join(one.split()) for one in begun.redirections}
    if len(begun.redirections) > 1 or not errors <= {"2>&1", "2>/dev/null"} or any(s.redirections for s in stages[1:]):
        return None
    if any(stage.operator == "|&" for stage in stages[1:]) or not is_check(_plain(begun, begin), folder, declared):
        return None
    whole = re.sub(r"\s*\|&\s*", " 2>&1 | ", whole)
    return start, end, prefix + shlex.quote(whole)


def _views(words: list[str]) -> bool:
    """Whether a stage only bounds what is shown, or looks for failures; counting and picking are left alone."""
    if not words:
        return False
    if words[0] in _SIZING:
        return not any(re.match(r"-[A-Za-z]*[fF]|--follow|--retry", word) for word in words[1:])
    if words[0] not in _SEARCHES:
        return False
    options = "".join(word[1:] for word in words[1:] if re.match(r"-[A-Za-z]", word))
    if set(options) & set("cqloLZf") or any(word.startswith(("--count", "--quiet", "--only")) for word in words):
        return False
    return "v" in options or any(_FAILURES.search(word) for word in words[1:] if not word.startswith("-"))


def _begin(part: Simple) -> int | None:
    """Return where the program stands, behind variables and words of the shell; None for a way around us."""
    for word in part.words:
        if ASSIGNMENT.match(word.raw):
            continue
        if word.raw in _TAKEN_ALONG or (word.raw == "-p" and word.start > part.start):
            continue
        return None if word.raw.startswith("\\") or word.raw in ("command", "builtin", "eval") else word.start
    return None


def _plain(part: Simple, start: int) -> str:
    """The words from the program on, without redirections."""
    return " ".join(word.raw for word in part.words if word.start >= start)


def _without_assignments(text: str) -> str:
    while found := re.match(r"[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|[^\s'\"])*\s+", text):
        text = text[found.end() :]
    return text


def is_check(text: str, folder: str | None, declared: Callable[[str], bool] | None = None) -> bool:
    """Tell whether a simple command is a check: known by its program, or declared by the project."""
    inner = _inner(text)
    if inner is not None:
        parts = split(inner)
        if not parts or any(one.redirections or one.operator in ("|", "|&") for one in parts):
            return False
        return all(
            one.words[0].raw == "cd" or is_check(_without_assignments(_plain(one, one.start)), folder, declared)
            for one in parts
        ) and any(one.words[0].raw != "cd" for one in parts)
    if _IN_CONTAINER.match(text) and re.search(r"\s-(?:it|ti|i|t|d)\b|\s--(?:interactive|tty|detach)\b", text):
        return False
    if worth(text, _scripts_of(text, folder)):
        return True
    first = text.split(None, 1)[0].rsplit("/", 1)[-1] if text.split() else ""
    return declared is not None and first not in PLAIN and declared(text)


def _inner(text: str) -> str | None:
    """Return what `sh -c '...'` runs."""
    found = re.match(r"(?:\S*/)?(?:ba|z|da|k)?sh\s+(?:-[a-z]+\s+)*-[a-z]*c\s", text)
    if not found:
        return None
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    at = next(position for position, word in enumerate(words) if re.fullmatch(r"-[a-z]*c", word))
    return words[at + 1] if at + 1 < len(words) else ""


def _scripts_of(text: str, folder: str | None) -> Callable[[str, str], str | None] | None:
    """Look up a package's scripts in the nearest package.json, unless an option names another folder."""
    if folder is None or _ELSEWHERE.search(text):
        return None

    def lookup(runner: str, name: str) -> str | None:
        if runner not in ("npm", "pnpm", "yarn", "bun"):
            return None
        import json

        for place in upward(folder):
            file = os.path.join(place, "package.json")
            if os.path.isfile(file):
                try:
                    with open(file, encoding="utf-8") as stream:
                        found = json.load(stream).get("scripts", {}).get(name)
                except (OSError, ValueError, AttributeError):
                    return None
                return found if isinstance(found, str) else None
        return None

    return lookup


def _moved(folder: str, words: list[str]) -> str | None:
    try:
        return os.path.join(folder, os.path.expanduser(shlex.split(words[1])[0])) if len(words) == 2 else None
    except (ValueError, IndexError):
        return None


def _longer(command: str, limit_s: float | None) -> bool:
    """Whether the command, or what surrounds it, allows more time than a run usually has."""
    limits = [float(number) * _UNITS[unit] for number, unit in _LIMIT.findall(command)]
    return any(limit > OWN_LIMIT_S or limit == 0 for limit in limits) or (limit_s or 0) > OWN_LIMIT_S


def shell_command(text: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the shell to use and what it is to run, for a host that puts a program of its choice before its commands.

    Claude Code's CLAUDE_CODE_SHELL_PREFIX is such a place (2.1.332): the agent's command stands there as the word
    behind `eval`, in front of the host's own end. Hooks and servers come through the same program and stay as they
    are.
    """
    named = environ.get("SHELL", "")
    known = named.rsplit("/", 1)[-1] in ("bash", "zsh", "sh", "dash", "ksh")
    shell = next(
        (one for one in (named if known else "", "/bin/bash", "/bin/sh") if one and os.path.exists(one)), "/bin/sh"
    )
    from punchlist.agents.hooks.answer import program

    own = program(environ)
    if found := evaluated(text):
        start, end = found
        (inner,) = shlex.split(text[start:end])
        new = decide(inner, os.getcwd(), environ, program=own)
        return shell, text if new is None else text[:start] + shlex.quote(new) + text[end:]
    if environ.get(PREFIX):
        return shell, text
    return shell, decide(text, os.getcwd(), environ, program=own) or text


PREFIX = "CLAUDE_CODE_SHELL_PREFIX"
_EVAL = re.compile(r"(?:^|&& )eval (?=['\"])")
_ITS_END = re.compile(r"(?: < /dev/null)? && pwd(?: -P)?(?: >\|? ?\S+)?\s*")


def evaluated(text: str) -> tuple[int, int] | None:
    """Return where the word behind the host's own `eval` stands; None where a text has not the host's form."""
    for found in _EVAL.finditer(text):
        end = word_end(text, found.end())
        if end is not None and _ITS_END.fullmatch(text, end):
            return found.end(), end
    return None


def become(command: str, more: Sequence[str]) -> NoReturn:
    """Become the shell that runs a command with its checks taken over, `more` being the command's own words."""
    program, text = shell_command(command, os.environ)
    os.execv(program, [program, "-c", text, *more])  # noqa: S606


def shell() -> NoReturn:
    """Become the shell for the command in the first argument: the program `punchlist-shell`."""
    import sys

    if len(sys.argv) < 2:
        print("usage: punchlist-shell COMMAND", file=sys.stderr)  # noqa: T201
        os._exit(2)
    become(sys.argv[1], sys.argv[2:])
