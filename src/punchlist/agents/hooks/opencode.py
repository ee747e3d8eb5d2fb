"""OpenCode: a plugin of its own file, since there are no command hooks (1.18.33 was run)."""

import json
from typing import Any

from punchlist.agents.hooks.event import Event
from punchlist.agents.hooks.host import Answer, Host

PLUGIN = """\
// Written by `punchlist hooks install --runtime opencode`; `punchlist hooks uninstall` takes it away.
import { spawn } from "node:child_process"

const COMMAND = %(command)s

function ask(payload, limit) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: payload.cwd, stdio: ["pipe", "pipe", "ignore"] })
    let said = ""
    const timer = setTimeout(() => child.kill(), limit)
    const done = () => {
      clearTimeout(timer)
      try {
        resolve(said.trim() ? JSON.parse(said) : {})
      } catch {
        resolve({})
      }
    }
    child.stdout.on("data", (chunk) => (said += chunk))
    child.on("error", done)
    child.on("close", done)
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Punchlist = async ({ client, directory }) => {
  const event = (name, rest) => ({ hook_event_name: name, cwd: directory, ...rest })
  return {
    "tool.execute.before": async (input, output) => {
      if (input.tool !== "bash") return
      const cwd = output.args.workdir || directory
      const payload = { ...event("PreToolUse", { tool_name: "bash", tool_input: output.args }), cwd }
      const answer = await ask(payload, 10000)
      if (answer.command) output.args.command = answer.command
    },
    "tool.execute.after": async (input, output) => {
      if (!["edit", "write", "patch", "apply_patch", "multiedit"].includes(input.tool)) return
      const answer = await ask(event("PostToolUse", { tool_name: "edit", tool_input: input.args || {} }), 28000)
      if (answer.text && typeof output.output === "string") output.output += `\\n\\n${answer.text}`
    },
    event: async ({ event: happened }) => {
      if (happened.type !== "session.idle") return
      const id = happened.properties.sessionID
      const answer = await ask(event("Stop", { session_id: id }), 120000)
      if (answer.prompt) {
        await client.session.prompt({ path: { id }, body: { parts: [{ type: "text", text: answer.prompt }] } })
      }
    },
  }
}
"""


def plugin(command: list[str]) -> str:
    """Return the plugin's text for the command that answers its events."""
    return PLUGIN % {"command": json.dumps(command)}


def no_entries(_: str) -> dict[str, Any]:
    """A plugin has no entries."""
    return {}


def rewrite(_: Event, command: str) -> Answer:
    """Give another command to the plugin."""
    return {"command": command}


def tell(_: Event, text: str) -> Answer:
    """Give text to the plugin, which puts it behind the result of an edit."""
    return {"text": text}


def block(_: Event, reason: str) -> Answer:
    """Let the plugin prompt the agent."""
    return {"prompt": reason}


HOST = Host(
    id="opencode",
    name="OpenCode",
    project=".opencode/plugins/punchlist.js",
    user="~/.config/opencode/plugins/punchlist.js",
    entries=no_entries,
    head={},
    whole=plugin,
    rewrite=rewrite,
    tell=tell,
    block=block,
    quiet={},
)
