"""Visual Studio Code: the same file and answers as Copilot CLI; its payloads say `hookEventName`."""

from punchlist.agents.hooks import copilot
from punchlist.agents.hooks.host import Host, warned

HOST = Host(
    id="vscode",
    name="VS Code",
    project=copilot.HOST.project,
    user=copilot.HOST.user,
    entries=copilot.entries,
    head=copilot.HOST.head,
    rewrite=copilot.rewrite,
    tell=copilot.tell,
    block=copilot.block,
    warn=warned,
    quiet={},
    fresh_shell=True,
    note="VS Code's hooks are a preview; Copilot CLI reads the same file",
)
