"""A model of no wits on loopback: it plays a script in the streaming forms that agent programs speak, and keeps notes.

Known are Anthropic's messages, OpenAI's chat completions and responses, and Gemini's generateContent. A request that
offers tools gets the script's next turn; every other one (titles, counts, probes) gets a plain word.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turn = dict[str, Any]
"""`{"tool": NAME, "arguments": {...}}`, or `{"text": ...}`, which ends a turn."""

DONE: Turn = {"text": "Done."}


class Script:
    """What the model says, and what it was asked: `requests` holds the bodies that offered tools, in order."""

    def __init__(self, turns: list[Turn]) -> None:
        self.turns = list(turns)
        self.requests: list[Any] = []
        self.lock = threading.Lock()

    def answer(self, body: Any) -> Turn:
        """Return the turn for a request."""
        if not body.get("tools"):
            return {"text": "ok"}
        with self.lock:
            self.requests.append(body)
            return self.turns.pop(0) if self.turns else DONE


@contextmanager
def model(script: Script, port: int = 0) -> Iterator[str]:
    """Serve a script on a port (0: any); give the base address."""
    handler = type("Handler", (_Handler,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._send("{}", "application/json")

    def do_GET(self) -> None:
        self._send(json.dumps({"object": "list", "data": [], "models": []}), "application/json")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        path = self.path.partition("?")[0]
        if path.endswith(("/count_tokens", ":countTokens")):
            self._send(json.dumps({"input_tokens": 10, "totalTokens": 10}), "application/json")
            return
        turn = self.script.answer(body)
        number = len(self.script.requests)
        if ":generateContent" in path:
            self._send(json.dumps(_gemini(turn, number)), "application/json")
        elif ":streamGenerateContent" in path:
            self._stream([(None, _gemini(turn, number))])
        elif path.endswith("/messages"):
            message = _anthropic(turn, number)
            if body.get("stream"):
                self._stream(_anthropic_events(message))
            else:
                self._send(json.dumps(message), "application/json")
        elif path.endswith("/responses"):
            self._stream(_response_events(turn, number))
        elif path.endswith("/chat/completions"):
            if body.get("stream"):
                self._stream(_chat_events(turn, number), end="data: [DONE]\n\n")
            else:
                self._send(json.dumps(_chat(turn, number)), "application/json")
        else:
            self._send("{}", "application/json")

    def _stream(self, events: list[tuple[str | None, Any]], end: str = "") -> None:
        text = "".join(
            f"{f'event: {name}{chr(10)}' if name else ''}data: {json.dumps(data)}\n\n" for name, data in events
        )
        self._send(text + end, "text/event-stream")

    def _send(self, text: str, kind: str) -> None:
        raw = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)


def _anthropic(turn: Turn, number: int) -> dict[str, Any]:
    tool = "tool" in turn
    block = (
        {"type": "tool_use", "id": f"toolu_{number:04}", "name": turn["tool"], "input": turn["arguments"]}
        if tool
        else {"type": "text", "text": turn["text"]}
    )
    return {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "content": [block],
        "stop_reason": "tool_use" if tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def _anthropic_events(message: dict[str, Any]) -> list[tuple[str | None, Any]]:
    (block,) = message["content"]
    tool = block["type"] == "tool_use"
    start = {**block, "input": {}} if tool else {**block, "text": ""}
    delta = (
        {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        if tool
        else {"type": "text_delta", "text": block["text"]}
    )
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 10}},
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


def _chat(turn: Turn, number: int, *, delta: bool = False) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.get("text")}
    if "tool" in turn:
        function = {"name": turn["tool"], "arguments": json.dumps(turn["arguments"])}
        call = {"id": f"call_{number:04}", "type": "function", "function": function}
        message["tool_calls"] = [{"index": 0, **call} if delta else call]
    end = "tool_calls" if "tool" in turn else "stop"
    choice = {"index": 0, "delta" if delta else "message": message, "finish_reason": None if delta else end}
    return {
        "id": f"chat-{number}",
        "object": "chat.completion.chunk" if delta else "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
    }


def _chat_events(turn: Turn, number: int) -> list[tuple[str | None, Any]]:
    first = _chat(turn, number, delta=True)
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if "tool" in turn else "stop"}
    return [(None, {**first, "usage": None}), (None, {**first, "choices": [end]})]


def _response_events(turn: Turn, number: int) -> list[tuple[str | None, Any]]:
    response = {"id": f"resp_{number}", "object": "response", "created_at": 1, "status": "in_progress", "output": []}
    if "tool" in turn and isinstance(turn["arguments"], str):  # a tool that takes free text
        item = {"type": "custom_tool_call", "name": turn["tool"], "input": turn["arguments"]}
        item |= {"id": f"ctc_{number}", "call_id": f"call_{number}", "status": "completed"}
    elif "tool" in turn:
        item = {"type": "function_call", "name": turn["tool"], "arguments": json.dumps(turn["arguments"])}
        item |= {"id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed"}
    else:
        content = [{"type": "output_text", "text": turn["text"], "annotations": []}]
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
        item["status"] = "completed"
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 20,
    }
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]
    return [(event["type"], event) for event in events]


def _gemini(turn: Turn, _: int) -> dict[str, Any]:
    if "tool" in turn:
        part: dict[str, Any] = {"functionCall": {"name": turn["tool"], "args": turn["arguments"]}}
    else:
        part = {"text": turn["text"]}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
        "modelVersion": "fake",
    }
