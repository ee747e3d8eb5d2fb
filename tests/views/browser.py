"""A headless Chromium that the tests drive over a pipe by the DevTools protocol; it reaches no network."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NODE = Path(__file__).resolve().parents[1] / "node" / "node_modules"
PACKED = NODE / "@sparticuz" / "chromium" / "bin" / "chromium.br"
INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Without a sandbox, as it has to be for root; no request to its maker, and no name of a host that resolves.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND"
UNPACK = """
const {createReadStream, createWriteStream} = require('fs'), {createBrotliDecompress} = require('zlib');
const [source, target] = process.argv.slice(1);
require('stream/promises').pipeline(
  createReadStream(source), createBrotliDecompress(), createWriteStream(target, {mode: 0o755}));
"""
PATIENCE_S = 60.0
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}


class LostError(Exception):
    """The browser ended, or did not answer in time."""


def program() -> str | None:
    """Return a Chromium that starts: one that the machine has, else the one that an npm package carries."""
    found = next(filter(None, map(shutil.which, INSTALLED)), None) or _unpacked()
    starts = found and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0
    return found if starts else None


def _unpacked() -> str | None:
    node = shutil.which("node")
    if node is None or not PACKED.exists():
        return None
    target = NODE / ".cache" / f"chromium-{PACKED.stat().st_size}"
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        scratch = target.with_name(f"{target.name}.{os.getpid()}")
        if subprocess.run([node, "-e", UNPACK, str(PACKED), str(scratch)], check=False).returncode != 0:
            scratch.unlink(missing_ok=True)
            return None
        scratch.replace(target)
    return str(target)


class Browser:
    """One running browser and its pipe; messages are JSON, each ended by a NUL."""

    def __init__(self, path: str, folder: Path) -> None:
        there, self._out = os.pipe()
        self._in, back = os.pipe()
        words = [path, *FLAGS, OFFLINE, f"--user-data-dir={folder / 'profile'}"]
        # The protocol's pipe is fixed to the descriptors 3 and 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{there} 4>&{back}', *words],
            pass_fds=(there, back),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(there)
        os.close(back)
        self._last = 0
        self._read = b""
        self.events: list[dict[str, Any]] = []

    def ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result; events that come meanwhile are kept."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            said = self._next(until)
            if said.get("id") == self._last:
                if "error" in said:
                    raise LostError(f"{method}: {said['error']}")
                return dict(said["result"])

    def await_event(self, method: str) -> None:
        """Wait until an event has come."""
        until = time.monotonic() + PATIENCE_S
        while not any(event["method"] == method for event in self.events):
            self._next(until)

    def _next(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._read:
            if not select.select([self._in], [], [], max(0.0, until - time.monotonic()))[0]:
                raise LostError("no answer in time")
            chunk = os.read(self._in, 1 << 16)
            if not chunk:
                raise LostError("the browser ended")
            self._read += chunk
        one, _, self._read = self._read.partition(b"\0")
        said: dict[str, Any] = json.loads(one)
        if "method" in said:
            self.events.append(said)
        return said

    def close(self) -> None:
        """End the browser."""
        with suppress(OSError):
            os.write(self._out, b'{"id":0,"method":"Browser.close"}\0')
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        os.close(self._out)
        os.close(self._in)


class Tab:
    """A page in a browser, with a size and a colour scheme of its own."""

    def __init__(self, browser: Browser, file: Path, *, width: int = 1280, height: int = 900, dark: bool = False):
        self.browser = browser
        self.url = file.as_uri()
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = str(browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        browser.events.clear()
        self.ask("Page.navigate", url=self.url)
        browser.await_event("Page.loadEventFired")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol on this page."""
        return self.browser.ask(method, self.session, **params)

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        done = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key: a letter, or one of KEYS."""
        code = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.ask("Input.dispatchKeyEvent", type="keyDown", **code, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", **code)

    def troubles(self) -> list[str]:
        """Return what the console was told as an error or warning, and uncaught exceptions."""
        found = []
        for event in self.browser.events:
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(str(params["entry"]["text"]))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(str(params["args"]))
        return found

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for, itself left out."""
        asked = [
            e["params"]["request"]["url"] for e in self.browser.events if e["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in asked if url != self.url]

    def screenshot(self, file: Path) -> None:
        """Write the whole page as a PNG file."""
        file.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]))


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """Start a browser with a profile in `folder`; it ends with the block."""
    path = program()
    assert path
    browser = Browser(path, folder)
    try:
        yield browser
    finally:
        browser.close()
