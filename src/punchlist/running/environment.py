"""The environment of a command: what only changes how output looks is set, everything else stays as it is."""

from collections.abc import Collection, Mapping

from punchlist.records import dataclass

RUN = "PUNCHLIST_RUN"
OFF = "PUNCHLIST_PRESENTATION"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable we set (or take away, where `value` is None) and why that changes the looks of an output only."""

    name: str
    value: str | None
    why: str


# None of these makes a tool look for other files, run other tests or skip a step; `CI` would, and is left alone.
PRESENTATION = (
    Variable("NO_COLOR", "1", "no colours, by the convention most tools follow (no-color.org)"),
    Variable("CLICOLOR", "0", "no colours in BSD tools, CMake, Ninja and what follows their convention"),
    Variable("CLICOLOR_FORCE", None, "a forced colour would win over NO_COLOR"),
    Variable("FORCE_COLOR", None, "a forced colour wins over NO_COLOR in Node and pytest, also with the value 0"),
    Variable("PY_COLORS", "0", "no colours in pytest and tox, whose configuration may ask for them"),
    Variable("PYTHON_COLORS", "0", "no colours in the tracebacks and in the unittest of Python 3.13 and later"),
    Variable("CARGO_TERM_COLOR", "never", "no colours in cargo and what it starts"),
    Variable("CARGO_TERM_PROGRESS_WHEN", "never", "no progress bar in cargo"),
    Variable("GCC_COLORS", "", "no colours in gcc and g++"),
    Variable("NPM_CONFIG_COLOR", "false", "no colours in npm and pnpm, also where .npmrc says always"),
    Variable("NPM_CONFIG_PROGRESS", "false", "no progress bar in npm"),
    Variable("ANSI_COLORS_DISABLED", "1", "no colours in Perl's Term::ANSIColor and Python's termcolor"),
    Variable("TERM", "dumb", "no cursor movement; what asks terminfo prints plain lines"),
    Variable("COLUMNS", "200", "lines are not cut or folded at 80 columns: pytest's summary, rich, git"),
)


def composed(
    base: Mapping[str, str],
    explicit: Mapping[str, str] | None = None,
    *,
    run_id: str = "",
    keep: Collection[str] = (),
    presentation: bool = True,
) -> dict[str, str]:
    """Return the environment for a command: `base` (ours), the presentation variables, then what was set on purpose.

    `explicit` are the variables that the check or the user names; they always win. `keep` are presentation variables to
    leave as they are in `base`; `presentation` False leaves all. `PUNCHLIST_PRESENTATION=off` or `=-TERM,-COLUMNS` in
    `base` does the same for a user. `run_id` tells a nested `punchlist run` that it is inside one already.
    """
    env = dict(base)
    switch = base.get(OFF, "").strip().lower()
    kept = {*(name.upper() for name in keep), *(part.strip().lstrip("-").upper() for part in switch.split(","))}
    if presentation and switch not in ("off", "0", "no", "false"):
        _dress(env, kept)
    env.update(explicit or {})
    if run_id:
        env[RUN] = run_id
    return env


def _dress(env: dict[str, str], kept: set[str]) -> None:
    for variable in PRESENTATION:
        if variable.name in kept:
            continue
        if variable.value is None:
            env.pop(variable.name, None)
        else:
            env[variable.name] = variable.value


def nested(environ: Mapping[str, str]) -> str:
    """Return the id of the run this process is part of, or an empty text outside of any."""
    return environ.get(RUN, "")
