"""Understand a command line: which programs it really runs, and from which folder."""

import re
import shlex
from collections.abc import Callable, Iterable
from posixpath import basename, join, normpath

from punchlist.records import dataclass

Scripts = Callable[[str, str], str | None]
"""Given a runner ("npm", "make", "just") and a script's name, the command that it stands for, where that is known."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One program that a command runs: `words[0]` is its bare name (`python -m pytest` is `pytest`), `directory` its
    folder relative to where the command started ("" for the same). `via` are the wrappers taken off."""

    words: tuple[str, ...]
    directory: str = ""
    via: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The bare name of the program."""
        return self.words[0]


ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "fish"}
# c8 and nyc run a test runner: their options that take a word of their own.
COVERAGE_OPTIONS = frozenset(
    {"-r", "--reporter", "--src", "-n", "--include", "-x", "--exclude", "--lines", "--branches", "--functions"}
    | {"--statements"}
)
# Wrappers whose next word that is no option is the real program; the value names options that take a word.
WRAPPERS: dict[str, frozenset[str]] = {
    "env": frozenset({"-u", "-C", "-S"}),
    "sudo": frozenset({"-u", "-g"}),
    "time": frozenset({"-f", "-o"}),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "nohup": frozenset(),
    "stdbuf": frozenset({"-o", "-e", "-i"}),
    "unbuffer": frozenset(),
    "exec": frozenset(),
    "command": frozenset(),
    "xvfb-run": frozenset({"-s", "-n"}),
    "dotenv": frozenset({"-f", "-e"}),
    "c8": COVERAGE_OPTIONS,
    "nyc": COVERAGE_OPTIONS,
    "cross-env": frozenset(),
    "cross-env-shell": frozenset(),
    "npx": frozenset({"-p", "--package", "-c"}),
    "pnpx": frozenset(),
    "bunx": frozenset(),
    "uvx": frozenset({"--from", "--with", "-p", "--python"}),
    "catchsegv": frozenset(),
    "strace": frozenset({"-o", "-e"}),
    "ccache": frozenset(),
    "sccache": frozenset(),
    "distcc": frozenset(),
    "bear": frozenset(),
    "scan-build": frozenset({"-o"}),
    "rtk": frozenset(),
    "direnv": frozenset(),
}
# Programs that are wrappers only with the given sub-command.
SUB_WRAPPERS: dict[str, dict[str, frozenset[str]]] = {
    "uv": {
        "run": frozenset({"--with", "--extra", "--group", "-p", "--python", "--project", "--directory", "--env-file"})
    },
    "poetry": {"run": frozenset()},
    "pdm": {"run": frozenset({"-p"})},
    "hatch": {"run": frozenset(), "-e": frozenset()},
    "pipenv": {"run": frozenset()},
    "rye": {"run": frozenset()},
    "conda": {"run": frozenset({"-n", "-p", "--name"})},
    "pixi": {"run": frozenset({"-e"})},
    "bundle": {"exec": frozenset()},
    "npm": {"exec": frozenset({"-w", "--workspace", "-p"}), "x": frozenset()},
    "pnpm": {"exec": frozenset({"--filter", "-F", "-C", "--dir"}), "dlx": frozenset()},
    "yarn": {"exec": frozenset(), "dlx": frozenset()},
    "bun": {"x": frozenset()},
    "coverage": {"run": frozenset({"--source", "--include", "--omit", "--rcfile", "--data-file", "--context"})},
    "docker": {
        "exec": frozenset({"-u", "-w", "-e", "--user", "--workdir", "--env"}),
        "run": frozenset(
            {"-u", "-w", "-e", "-v", "-p", "--name", "--user", "--workdir", "--env", "--volume", "--network"}
        ),
    },
    "mise": {"exec": frozenset(), "x": frozenset()},
    "asdf": {"exec": frozenset()},
    "direnv": {"exec": frozenset()},
}
SCRIPT_RUNNERS = {"npm", "pnpm", "yarn", "bun"}
VERSIONED = re.compile(
    r"^(python|pypy|pip|php|lua|ruby|perl|node|gcc|clang|g\+\+|clang\+\+)-?\d+(?:\.\d+)*$|^(.+)-\d+(?:\.\d+)*$"
)
CROSS = re.compile(r"^(?:[a-z0-9_]+-)+(?=(?:gcc|g\+\+|c\+\+|cc|clang|clang\+\+|gfortran|ld)$)")
OPERATORS = {"&&", "||", ";", "|", "&", "|&", "\n"}
PYTHON = re.compile(r"^(?:python|pypy|py)[\d.]*w?$")
MAX_DEPTH = 6


def understand(command: str, scripts: Scripts | None = None) -> list[Invocation]:
    """Return every program a shell command runs, outermost wrappers taken off, in the order written.

    `scripts` looks up what `npm run x` or `make x` stands for. One that cannot be split gives its words.
    """
    return _command(command, "", (), scripts or (lambda _runner, _name: None), 0)


def _command(command: str, directory: str, via: tuple[str, ...], scripts: Scripts, depth: int) -> list[Invocation]:
    found: list[Invocation] = []
    for words in simple_commands(command):
        words = _without_redirections(words)
        while words and (
            ASSIGNMENT.match(words[0]) or words[0] in ("!", "{", "(", "then", "do", "if", "while", "else")
        ):
            words = words[1:]
        if not words:
            continue
        if words[0] in ("cd", "pushd") and len(words) > 1:
            directory = normpath(join(directory, words[1]))
            directory = "" if directory == "." else directory
            continue
        found += _program(words, directory, via, scripts, depth)
    return found


def simple_commands(command: str) -> list[list[str]]:
    """Split a shell command at its operators into the words of each simple command, quotes resolved."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands: list[list[str]] = [[]]
    try:
        for token in lexer:
            if token and set(token) <= set(";&|()\n"):
                # `2>&1` and `>&2` come as pieces around the ampersand: they are no operator.
                if token == "&" and commands[-1] and commands[-1][-1].endswith(">"):
                    commands[-1][-1] += "&"
                    continue
                commands.append([])
            elif commands[-1] and commands[-1][-1].endswith(">&"):
                commands[-1][-1] += token
            else:
                commands[-1].append(token)
    except ValueError:
        return [command.split()]
    return [words for words in commands if words]


def _without_redirections(words: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif re.fullmatch(r"\d*(?:>>?|<<?<?|&>>?|>\|)", word):
            skip = True
        elif not re.match(r"\d*(?:[<>]|&>)", word):
            kept.append(word)
    return kept


def _program(words: list[str], directory: str, via: tuple[str, ...], scripts: Scripts, depth: int) -> list[Invocation]:
    name = bare(words[0])
    rest = words[1:]
    if depth > MAX_DEPTH:
        return [Invocation((name, *rest), directory, via)]
    if name in SHELLS:
        return _shell(name, rest, directory, via, scripts, depth)
    if PYTHON.match(name) and "-m" in rest:
        at = rest.index("-m")
        if at + 1 < len(rest):
            return _program(
                [rest[at + 1].replace(".__main__", ""), *rest[at + 2 :]], directory, (*via, name), scripts, depth + 1
            )
    if name == "timeout":
        rest = _after_options(rest, frozenset({"-s", "-k", "--signal", "--kill-after"}))[1:]
        return _program(rest, directory, (*via, name), scripts, depth + 1) if rest else []
    if name in WRAPPERS:
        inner = _after_options(rest, WRAPPERS[name])
        while inner and ASSIGNMENT.match(inner[0]):
            inner = inner[1:]
        return (
            _program(inner, directory, (*via, name), scripts, depth + 1)
            if inner
            else [Invocation((name,), directory, via)]
        )
    return _by_subcommand(name, rest, directory, via, scripts, depth)


def _by_subcommand(
    name: str, rest: list[str], directory: str, via: tuple[str, ...], scripts: Scripts, depth: int
) -> list[Invocation]:
    own = Invocation((name, *rest), directory, via)
    directory = _moved(name, rest, directory)
    words = _after_options(
        rest, frozenset({"-C", "--prefix", "--dir", "--filter", "-F", "-w", "--workspace", "--cwd", "-f"})
    )
    sub = words[0] if words else ""
    if sub in SUB_WRAPPERS.get(name, {}):
        inner = _after_options(words[1:], SUB_WRAPPERS[name][sub])
        if name == "docker" and inner:
            inner = inner[1:]
        return _program(inner, directory, (*via, f"{name} {sub}"), scripts, depth + 1) if inner else [own]
    if name in ("docker", "docker-compose", "podman") and ("exec" in rest or "run" in rest):
        return _in_service(name, rest, directory, via, scripts, depth) or [own]
    if name in SCRIPT_RUNNERS and sub:
        script = words[1] if sub in ("run", "run-script") and len(words) > 1 else sub
        inner_command = scripts(name, script)
        if inner_command is not None:
            return [own, *_command(inner_command, directory, (*via, name), scripts, depth + 1)]
        if name == "yarn" and sub not in ("run", "install", "add", "test", "workspaces", "workspace"):
            return [own, *_program(words, directory, (*via, name), scripts, depth + 1)]
        return [Invocation((name, *rest), directory, via)]
    if name in ("make", "gmake", "just", "task"):
        target = next((w for w in words if "=" not in w), "")
        inner_command = scripts("make" if name == "gmake" else name, target)
        if inner_command is not None:
            return [own, *_command(inner_command, directory, (*via, name), scripts, depth + 1)]
    return [Invocation(own.words, directory, via)]


def _in_service(
    name: str, rest: list[str], directory: str, via: tuple[str, ...], scripts: Scripts, depth: int
) -> list[Invocation]:
    at = next(i for i, word in enumerate(rest) if word in ("exec", "run"))
    options = frozenset(
        {"-u", "-w", "-e", "-v", "-p", "--user", "--workdir", "--env", "--name", "--index", "--entrypoint"}
    )
    inner = _after_options(rest[at + 1 :], options)[1:]
    return _program(inner, directory, (*via, name), scripts, depth + 1) if inner else []


def _shell(
    name: str, rest: list[str], directory: str, via: tuple[str, ...], scripts: Scripts, depth: int
) -> list[Invocation]:
    for at, word in enumerate(rest):
        if re.fullmatch(r"-[a-z]*c", word) and at + 1 < len(rest):
            return _command(rest[at + 1], directory, (*via, name), scripts, depth + 1)
    return [Invocation((name, *rest), directory, via)]


def _moved(name: str, rest: list[str], directory: str) -> str:
    """The folder a program changes to by its own option."""
    options = {
        "make": ("-C", "--directory"),
        "git": ("-C",),
        "pnpm": ("-C", "--dir"),
        "npm": ("--prefix",),
        "yarn": ("--cwd",),
    }
    options |= {"cargo": ("-C",), "go": ("-C",), "ninja": ("-C",), "uv": ("--directory",)}
    for at, word in enumerate(rest[:-1]):
        if word in options.get(name, ()):
            return normpath(join(directory, rest[at + 1]))
    return directory


def _after_options(words: Iterable[str], with_value: frozenset[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--":
            break
        if option in with_value and rest:
            rest.pop(0)
    return rest


def bare(program: str) -> str:
    """Return a program's name without folder, extension, version and cross-compiler prefix."""
    name = basename(program.replace("\\", "/"))
    name = re.sub(r"\.(?:exe|cmd|bat|ps1|[cm]?js|phar)$", "", name, flags=re.I)
    if match := VERSIONED.match(name):
        name = match[1] or match[2]
    name = CROSS.sub("", name)
    return {"py.test": "pytest", "gradlew": "gradle", "mvnw": "mvn", "mvnd": "mvn", "cc": "gcc", "c++": "g++"}.get(
        name, name
    )
