"""Programs that stay in the background on purpose, to serve the next call of their tool."""

from punchlist import platforms
from punchlist.running.records import Left

# Words of their command lines; ending one of these makes the next call slow and helps nobody.
_DAEMONS = (
    "GradleDaemon", "KotlinCompileDaemon", "tsserver", "typingsInstaller", "turbo daemon", "turbod", "bazel",
    "A-server.jar", "watchman", "buckd", "buck2d", "nx/src/daemon", "nx-daemon", "sccache", "ccache", "mvnd",
    "zinc", "bloop", "sbt-launch", "eslint_d", "prettierd", "biome __run_server", "dmypy", "ruff server",
    "VBCSCompiler", "MSBuild.dll", "rust-analyzer", "spring server", "esbuild --service", "gpg-agent", "ssh-agent",
    "dbus-daemon", "adb", "dockerd", "containerd", "mspdbsrv",
)  # fmt: skip


def is_daemon(words: str) -> bool:
    """Tell whether a command line is that of a known helper."""
    return any(name in words for name in _DAEMONS)


def spared(process: platforms.Process) -> bool:
    """Tell whether a process that left our group and session is a known helper, which even a timeout leaves alone."""
    return is_daemon(platforms.command_line(process.pid))


def left(process: platforms.Process) -> Left:
    """Describe a process that goes on."""
    words = platforms.command_line(process.pid) or process.name
    return Left(pid=process.pid, name=words[:200], daemon=is_daemon(words))
