"""Entry point of the command line: words to verbs, expected trouble to one clear line."""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

BROKEN_PIPE = 141
VERBS: dict[str, str] = {
    "run": "run checks by name, or any command after --",
    "check": "check the project, or some files, with its linters and type checkers",
    "checks": "list the checks of this project",
    "runs": "list the kept runs",
    "show": "show a run's punch list, page by page",
    "log": "show lines of a run's log",
    "diff": "compare two runs",
    "rerun": "run again what failed in a run",
    "report": "write a run as an HTML page, SARIF, JUnit or GitHub annotations",
    "stop": "end a run and its process tree",
    "read": "read a log from a file or a pipe",
    "parsers": "list the parsers; `parsers test` tries the project's own",
    "templates": "list the output templates",
    "stats": "what was sent against the plain logs, and what checks cost",
    "cache": "`cache clear` forgets the engines' results",
    "fix": "show the tools' own safe fixes as a diff and write them",
    "undo": "take back a fix that was written",
    "serve": "serve the Model Context Protocol",
    "init": "set a project up: what is found, what can be installed",
    "install": "put the server into a client's settings",
    "uninstall": "take back entries, hooks and state",
    "hooks": "preview, install, uninstall or try an agent's hooks",
    "hook": "answer one event of an agent (what installed hooks call)",
    "doctor": "find out what does not work, and what to do about it",
    "clean": "remove kept runs",
    "demo": "run the bundled example project",
}
GUIDANCE = """punchlist runs a project's own tools and answers with a punch list.

  punchlist run -- pytest -q     run any command
  punchlist checks               what this project can check
  punchlist run test lint        run checks by name
  punchlist show test-1          the whole list of a run

punchlist --help lists every verb. An agent starts `punchlist serve`."""


def console() -> NoReturn:
    """Run the command line and leave at once: taking the interpreter apart costs as much as half of a short run."""
    status = main()
    common = sys.modules.get("punchlist.cli.common")
    if common is not None:
        common.close_all(next(iter(sys.argv[1:]), ""))
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except BrokenPipeError:
        status = BROKEN_PIPE
    os._exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; return its exit status (2 wrong usage, 125 expected trouble, 130 interrupted)."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["hook"]:  # a host waits for it before every command: nothing that it can do without is imported
        from punchlist.cli import hook

        return hook.answered(words[1:])
    from punchlist.model import Trouble

    try:
        return dispatch(words)
    except Trouble as trouble:
        say(f"punchlist: {trouble}")
        return 125
    except BrokenPipeError:
        # The reader of our output went away (`punchlist show | head`): nothing is left to say.
        sys.stderr.close()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return 130


def dispatch(words: list[str]) -> int:
    """Find the verb and hand it its words."""
    if not words:
        if sys.stdin is not None and sys.stdin.isatty():
            print(GUIDANCE)  # noqa: T201
            return 2
        words = ["serve"]
    verb = words[0]
    if verb in ("--version", "-V"):
        from punchlist import __version__

        print(f"punchlist {__version__}")  # noqa: T201
        return 0
    if verb in ("--help", "-h", "help"):
        print(usage())  # noqa: T201
        return 0
    if verb == "-c":  # called as a shell: `punchlist -c COMMAND`
        from punchlist.cli import hook

        return hook.as_shell(words[1:])
    if verb not in VERBS:
        import difflib

        near = difflib.get_close_matches(verb, VERBS, 1)
        say(f"punchlist: no verb {verb!r}" + (f"; did you mean {near[0]!r}?" if near else "; see punchlist --help"))
        return 2
    import importlib

    module = importlib.import_module(f"punchlist.cli.{verb}")
    own, command = split_command(words[1:]) if verb == "run" else (words[1:], None)
    if command is not None and not own:  # by far the most usual call, and argparse takes as long as all the rest of it
        plain: int = module.run(module.plain(command))
        return plain
    import argparse
    import functools

    # With a width of its own the formatter does not import shutil to measure the terminal for every argument.
    formatter = functools.partial(argparse.HelpFormatter, width=100)
    parser = argparse.ArgumentParser(prog=f"punchlist {verb}", description=module.__doc__, formatter_class=formatter)
    module.arguments(parser)
    options = parser.parse_args(own)
    options.command_words = command
    status: int = module.run(options)
    return status


def split_command(words: list[str]) -> tuple[list[str], list[str] | None]:
    """Split words at the first `--`: our own ones, and the command behind it (None without one)."""
    if "--" not in words:
        return words, None
    at = words.index("--")
    return words[:at], words[at + 1 :]


def usage() -> str:
    """Return the list of verbs."""
    lines = [f"  {verb:<10} {text}" for verb, text in VERBS.items()]
    return "\n".join(
        ["usage: punchlist VERB ...", "", *lines, "", "punchlist VERB --help tells more; --version the version."]
    )


def say(text: str) -> None:
    """Print a line for a person."""
    print(text, file=sys.stderr)  # noqa: T201
