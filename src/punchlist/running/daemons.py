"""Programs that stay in the background on purpose, to serve the next call of their tool."""

from punchlist import platforms
from punchlist.running.records import Left

# The last part of a word of their command lines (a path's name, a Java class), as the tools of 2026 start them.
_NAMES = frozenset(
    {
        "GradleDaemon",
        "KotlinCompileDaemon",
        "GradleWorkerMain",
        "MavenDaemon",
        "mvnd",
        "Bloop",
        "bloop",
        "NailgunRunner",
    }
    | {"tsserver.js", "typingsInstaller.js", "turbod", "eslint_d", "eslint_d.js", "prettierd", "watchman", "sccache"}
    | {"A-server.jar", "buckd", "buck2d", "dmypy", "VBCSCompiler.dll", "MSBuild.dll", "VBCSCompiler", "adb"}
    | {"gpg-agent", "ssh-agent", "dbus-daemon", "mspdbsrv.exe"}
)
_PHRASES = ("turbo daemon", "nx/src/daemon/", "biome __run_server", "spring server", "bazel(", "dotnet build-server")


def is_daemon(words: str) -> bool:
    """Tell whether a command line is that of a known helper."""
    if any(phrase in words for phrase in _PHRASES):
        return True
    names = {word.rpartition("/")[2] for word in words.split()}
    return not _NAMES.isdisjoint(names | {name.rpartition(".")[2] for name in names})


def spared(process: platforms.Process) -> bool:
    """Tell whether a process that left our group and session is a known helper, which even a timeout leaves alone."""
    return is_daemon(platforms.command_line(process.pid))


def left(process: platforms.Process) -> Left:
    """Describe a process that goes on."""
    words = platforms.command_line(process.pid) or process.name
    return Left(pid=process.pid, name=words[:200], daemon=is_daemon(words))
