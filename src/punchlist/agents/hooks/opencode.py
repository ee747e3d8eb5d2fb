"""OpenCode: a plugin of its own file, since there are no command hooks (1.18.33 was run)."""

import json
from typing import Any

from punchlist.agents.hooks.event import Event
from punchlist.agents.hooks.host import Answer, Host

PLUGIN = r"""// Written by `punchlist hooks install --runtime opencode`; `punchlist hooks uninstall` takes it away.
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

const STRICT = { allow: 0, ask: 1, deny: 2 }

function matches(pattern, command) {
  let made = ""
  for (const char of pattern) {
    made += char === "*" ? ".*" : char === "?" ? "." : char.replace(/[.+^${}()|[\]\\]/, "\\$&")
  }
  if (made.endsWith(" .*")) made = made.slice(0, -3) + "( .*)?"
  return new RegExp(`^${made}$`, "s").test(command)
}

function verdict(rules, command) {
  const met = Object.entries(rules).filter(([pattern]) => matches(pattern, command))
  return met.length ? STRICT[met[met.length - 1][1]] || 0 : 0
}

// A new command must meet the same rules as the one that it stands for: a milder one would grant what the user has
// forbidden, a stricter one ask for what he has allowed. What cannot be told counts as another.
async function differs(client, before, after) {
  const config = await client.config.get().then((said) => said.data, () => null)
  if (!config) return true
  const owners = [config, ...Object.values(config.agent || {}), ...Object.values(config.mode || {})]
  const parts = (text) => text.split(/&&|\|\||[;|\n]/).map((part) => part.trim()).filter(Boolean)
  const worst = (rules, text) => Math.max(0, ...parts(text).map((part) => verdict(rules, part)))
  return owners.some((owner) => {
    const rules = owner && owner.permission && owner.permission.bash
    return rules && typeof rules === "object" && worst(rules, after) !== worst(rules, before)
  })
}

export const Punchlist = async ({ client, directory }) => {
  const event = (name, rest) => ({ hook_event_name: name, cwd: directory, ...rest })
  const ended = async (id) => {
    const session = (await client.session.get({ path: { id } })).data
    if (!session || session.parentID) return
    const answer = await ask(event("Stop", { session_id: id }), 120000)
    if (!answer.prompt) return
    // The agent and the model that the user has chosen stay: another agent may be allowed more.
    const messages = (await client.session.messages({ path: { id } })).data || []
    const last = messages.map((message) => message.info).filter((info) => info.role === "user").pop() || {}
    const parts = [{ type: "text", text: answer.prompt }]
    await client.session.prompt({ path: { id }, body: { agent: last.agent, model: last.model, parts } })
  }
  return {
    "tool.execute.before": async (input, output) => {
      if (input.tool !== "bash") return
      const cwd = output.args.workdir || directory
      const payload = { ...event("PreToolUse", { tool_name: "bash", tool_input: output.args }), cwd }
      const answer = await ask(payload, 10000)
      if (!answer.command || (await differs(client, output.args.command, answer.command))) return
      output.args.command = answer.command
    },
    "tool.execute.after": async (input, output) => {
      if (!["edit", "write", "patch", "apply_patch", "multiedit"].includes(input.tool)) return
      const answer = await ask(event("PostToolUse", { tool_name: "edit", tool_input: input.args || {} }), 28000)
      if (answer.text && typeof output.output === "string") output.output += `\n\n${answer.text}`
    },
    event: async ({ event: happened }) => {
      if (happened.type === "session.idle") await ended(happened.properties.sessionID).catch(() => {})
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
    note="the end of a turn is answered by a prompt, which `opencode run` does not wait for",
)
