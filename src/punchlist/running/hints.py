"""What the end of an output tells: the command asks something, it never meant to end, its shell found nothing."""

import re

_ESCAPES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")

# The last line, without a newline behind it, of programs that wait for an answer.
_PROMPT = re.compile(
    r"""(?ix)
    \b(?:pass(?:word|phrase|code)|pin|otp|verification\ code)\b[^\n]{0,80}:\s*$     # ssh, sudo, git, gpg
    | \b(?:user\s?name|login|e-?mail)\b[^\n]{0,80}:\s*$                             # git over https, npm login
    | [(\[]\s*(?:y(?:es)?\s*[/|,]\s*n(?:o)?|n(?:o)?\s*[/|]\s*y(?:es)?)\b[^\n]{0,40}[)\]]\s*[?:>]?\s*$   # apt, ssh
    | \([yn]\)\s*[?:]?\s*$                                                          # npx: Ok to proceed? (y)
    | \bpress\ (?:any\ key|enter|return)\b[^\n]{0,60}$
    | \b(?:continue|proceed|overwrite|are\ you\ sure|do\ you\ want|would\ you\ like)\b[^\n]{0,160}[?:>]\s*$
    | ^\s*(?:please\s+)?(?:enter|select|choose|type)\b[^\n]{0,160}[?:>]\s*$
    | ^\s*[?]\s[^\n]{1,200}$                                                        # inquirer, enquirer, prompts
    | ^(?:>>>|\(Pdb\)|\(gdb\)|\(lldb\)|ipdb>|irb\S*>|pry\S*>|mysql>|sqlite>|\w+=[>\#])\s*$   # debuggers, shells
    """
)

# Lines of programs that watch files or serve until somebody ends them, with where each was seen.
_ENDLESS = re.compile(
    r"""(?ix)
    watching\ for\ (?:file\ )?changes              # tsc --watch, nodemon, webpack, vitest
    | waiting\ for\ (?:file\ )?changes             # vitest watch, cargo watch
    | \bwatch\ usage\b                             # jest --watch
    | press\ h\ (?:\+\ enter\ )?to\ show\ help     # vite, vitest
    | \bPASS\b\s+waiting\b | \bDEV\s+v\d           # vitest watch
    | compilation\ complete\.\ watching | watch(?:ing)?\ mode | \bstarted\ watching\b
    | \bready\ in\ [\d.]+\s*m?s\b                  # vite, next dev, astro
    | ➜\s+local: | ^\s*-?\s*local:\s+https?://     # vite, next dev
    | \blistening\ (?:on|at)\b | \blisten(?:s|ing)\ on\ port\b
    | \bserv(?:er|ing)\b[^\n]{0,60}\b(?:running|started|listening|ready|http)\b
    | \bserving\ (?:http\ )?on\b                   # python -m http.server
    | uvicorn\ running\ on | running\ on\ (?:all\ addresses|https?://)     # uvicorn, flask
    | starting\ development\ server\ at            # django
    | development\ server\ is\ running | webpack\ compiled | compiled\ successfully\ in
    | quit\ the\ server\ with | press\ ctrl\s?[+-]\s?c\ to\ (?:quit|stop|exit)
    | use\ ctrl-c\ to\ stop                        # puma, rails server
    | tomcat\ started\ on\ port | started\ \S+\ in\ [\d.]+\ seconds        # spring boot
    """
)

# Who speaks: a shell by its name or path (`sh: 1:`, `/bin/bash: line 3:`), or a script with a line number.
_SHELLS = rb"(?:(?:/[\w./-]+/)?(?:ba|da|z|k|a|fi|mk)?sh(?:: (?:line )?\d+)?|[^\s:][^:\n]{0,200}: (?:line )?\d+)"
_RUNNERS = rb"(?:[\w./-]*/)?(?:env|timeout|nice|nohup|stdbuf|setsid|xargs|time|sudo|doas|chroot|busybox)"
# dash: `sh: 1: x: not found`; bash: `bash: line 1: x: command not found`; zsh: `zsh:1: command not found: x`
_NOT_FOUND = re.compile(
    rb"^" + _SHELLS + rb": (?P<name>[^\n:]{1,200}): (?:(?:command )?not found|No such file or directory)\s*$"
    rb"|^zsh:\d+: (?:command not found|no such file or directory): (?P<zsh>[^\n]{1,200})$"
    rb"|^fish: Unknown command: (?P<fish>[^\n]{1,200})$"
    rb"|^" + _RUNNERS + rb": (?:[a-z' ]+ )?(?P<run>[^\n:]{1,200}): (?:No such file or directory|command not found)\s*$"
    rb'|exec: "(?P<oci>[^"\n]{1,200})": executable file not found in \$PATH'
    rb"|^'(?P<cmd>[^'\n]{1,200})' is not recognized as an internal or external command",
    re.MULTILINE,
)
_NOT_EXECUTABLE = re.compile(
    rb"^(?:" + _SHELLS + rb"|" + _RUNNERS + rb"): (?:[a-z' ]+ )?(?P<name>[^\n:]{1,200}): "
    rb"(?P<why>Permission denied|cannot execute[^\n]*|Is a directory|Exec format error)\s*$",
    re.MULTILINE,
)


def plain(data: bytes) -> list[str]:
    """Return the lines of an output's tail without escapes, each as it stands after carriage returns."""
    text = _ESCAPES.sub(b"", data).decode("utf-8", errors="replace").replace("\r\n", "\n")
    return [line.rstrip("\r").rpartition("\r")[2].rstrip() for line in text.split("\n")]


def prompt_in(*tails: bytes) -> str:
    """Return the unfinished last line that asks for an answer, from the tails of the streams; else an empty text."""
    for tail in tails:
        last = plain(tail[-2000:])[-1].strip()
        if last and _PROMPT.search(last):
            return last[-200:]
    return ""


def never_ends_in(*tails: bytes) -> str:
    """Return the line by which a watcher or a server says that it is up and stays; else an empty text."""
    for tail in tails:
        for line in reversed(plain(tail)[-200:]):
            if len(line) <= 400 and _ENDLESS.search(line):
                return line.strip()
    return ""


def shell_refusal(stderr_tail: bytes) -> tuple[str, str]:
    """Return the program a shell says it could not find, and what it could not execute and why; empty texts if none."""
    found = next(reversed(list(_NOT_FOUND.finditer(stderr_tail))), None)
    name = _bare(next(group for group in found.groups() if group)) if found else ""
    refused = next(reversed(list(_NOT_EXECUTABLE.finditer(stderr_tail))), None)
    why = (
        f"{_bare(refused['name'])} could not be executed: {refused['why'].decode(errors='replace')}" if refused else ""
    )
    return name, why


def _bare(name: bytes) -> str:
    return name.decode("utf-8", errors="replace").strip("'`\"‘’“” ")
