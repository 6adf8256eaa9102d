# A provider of models on loopback, in both formats: it checks each request (path, key, messages, schemas of tools, a result for each call and
# no other), and says what its script says.

import functools
import itertools
import json
import re
import secrets
import threading

import jsonschema
import receiver
from receiver import Reply

MODEL = "model-of-the-suite"
NAME = re.compile("[a-zA-Z0-9_-]{1,64}")  # of tools, as both providers have it


def told_name(tool):
    """What a model called, as it may be told again."""
    return re.sub("[^a-zA-Z0-9_-]", "_", tool)[:64]


def call(tool, arguments=None, raw=None):
    """A call of a tool; `raw`: arguments that may be no JSON (OpenAI's format alone has such)."""
    return {"tool": tool, "arguments": arguments if arguments is not None else {}, "raw": raw}


def says(text="", *calls, tokens=(100, 10)):
    """A turn of the model."""
    return {"text": text, "calls": list(calls), "tokens": tokens}


@functools.cache
def _check_schema(text):
    """Once each: a model is told the same of its tools with every request, and there are many."""
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


class Model(receiver.Receiver):
    """`turns` are said one after the other: turns, Replies that are sent as they are, or functions of what was asked that give either.
    `asked` has each question as {system, user, tools: {name: schema}, results: [(tool, content, is_error)]}; `faults` what was wrong."""

    def __init__(self, wire):
        super().__init__()
        self.wire, self.key = wire, "sk-" + secrets.token_hex(16)
        self.turns, self.asked, self.faults = [], [], []
        self._ids = itertools.count(1)
        self._told = {}  # calls that were asked for: id: tool
        self._state = threading.Lock()

    def settings(self, directory):
        file = directory / "llm.key"
        file.write_text(self.key + "\n", encoding="utf-8")
        file.chmod(0o600)
        return {"WORKFORCE_LLM_PROVIDER": self.wire, "WORKFORCE_LLM_BASE_URL": self.url(""), "WORKFORCE_LLM_API_KEY_FILE": str(file),
                "WORKFORCE_LLM_MODELS": f"standard={MODEL}", "WORKFORCE_LLM_TIMEOUT_SECONDS": "3",
                "WORKFORCE_MODEL_TIERS": f"basic=tiny-*,basic={MODEL}-lite,standard={MODEL},advanced=local/large:70b"}

    def take(self, request):
        super().take(request)
        with self._state:
            try:
                self.asked.append(self._openai(request) if self.wire == "openai" else self._anthropic(request))
            except (AssertionError, KeyError, ValueError, TypeError, jsonschema.exceptions.SchemaError) as fault:
                self.faults.append(f"{type(fault).__name__}: {fault}: {request.body[:2000]!r}")
                return Reply(400, b'{"error":{"message":"the request is at fault"}}')
            turn = self.turns.pop(0) if self.turns else says("Nothing is left.")
            if callable(turn):
                turn = turn(self.asked[-1])
            if isinstance(turn, Reply):
                return turn
            body = self._said_openai(turn) if self.wire == "openai" else self._said_anthropic(turn)
            return Reply(200, json.dumps(body).encode(), (("Content-Type", "application/json"),))

    def _body(self, request, path, header, value):
        assert request.method == "POST" and request.path == path, f"{request.method} {request.path}"
        assert request.headers.get(header) == value, "the key"
        assert request.headers.get("Content-Type") == "application/json"
        body = json.loads(request.body)
        assert body["model"] == MODEL, body["model"]
        return body

    def _tools(self, tools):
        for name, schema in tools.items():
            assert schema["type"] == "object" and NAME.fullmatch(name), name
            _check_schema(json.dumps(schema))
        return tools

    def _openai(self, request):
        body = self._body(request, "/chat/completions", "Authorization", f"Bearer {self.key}")
        assert body["max_completion_tokens"] > 0
        system, user, *rest = body["messages"]
        assert (system["role"], user["role"]) == ("system", "user")
        open_calls, results = [], []
        for message in rest:
            if message["role"] == "assistant":
                assert not open_calls, f"{open_calls} have no result"
                assert message["content"] or message.get("tool_calls"), "an empty turn"
                for each in message.get("tool_calls", []):
                    assert each["type"] == "function" and isinstance(each["function"]["arguments"], str)
                    open_calls.append((each["id"], each["function"]["name"]))
            else:
                assert message["role"] == "tool" and set(message) == {"role", "tool_call_id", "content"}, message
                (id_, tool), *open_calls = open_calls
                assert message["tool_call_id"] == id_ and self._told[id_] == tool
                content = json.loads(message["content"])
                results.append((tool, content, isinstance(content, dict) and "error" in content))
        assert not open_calls, f"{open_calls} have no result"
        tools = {}
        for tool in body.get("tools", []):
            assert tool["type"] == "function" and tool["function"]["description"]
            tools[tool["function"]["name"]] = tool["function"]["parameters"]
        return {"system": system["content"], "user": user["content"], "tools": self._tools(tools), "results": results}

    def _anthropic(self, request):
        body = self._body(request, "/v1/messages", "x-api-key", self.key)
        assert request.headers.get("anthropic-version") == "2023-06-01" and body["max_tokens"] > 0
        messages = body["messages"]
        assert [message["role"] for message in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"], "roles in turn"
        (user,), results, open_calls = messages[0]["content"], [], []
        for message in messages[1:]:
            if message["role"] == "assistant":
                assert message["content"], "an empty turn"
                for block in message["content"]:
                    assert block["type"] in ("text", "tool_use")
                    if block["type"] == "text":
                        assert block["text"], "an empty text"
                    else:
                        assert isinstance(block["input"], dict)
                        open_calls.append((block["id"], block["name"]))
            else:
                for block in message["content"]:
                    (id_, tool), *open_calls = open_calls
                    assert block["type"] == "tool_result" and block["tool_use_id"] == id_ and self._told[id_] == tool
                    results.append((tool, json.loads(block["content"]), block.get("is_error", False)))
                assert not open_calls, f"{open_calls} have no result"
        tools = {tool["name"]: tool["input_schema"] for tool in body.get("tools", [])}
        assert all(tool["description"] for tool in body.get("tools", []))
        return {"system": body["system"], "user": user["text"], "tools": self._tools(tools), "results": results}

    def _id(self, tool):
        id_ = f"call_{next(self._ids)}"
        self._told[id_] = told_name(tool)
        return id_

    def _said_openai(self, turn):
        calls = [{"id": self._id(each["tool"]), "type": "function", "function": {
            "name": each["tool"], "arguments": each["raw"] if each["raw"] is not None else json.dumps(each["arguments"])}}
                 for each in turn["calls"]]
        message = {"role": "assistant", "content": turn["text"] or None} | ({"tool_calls": calls} if calls else {})
        return {"id": "c", "object": "chat.completion", "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
            "usage": {"prompt_tokens": turn["tokens"][0], "completion_tokens": turn["tokens"][1]}}

    def _said_anthropic(self, turn):
        content = [{"type": "text", "text": turn["text"]}] if turn["text"] else []
        content += [{"type": "tool_use", "id": self._id(each["tool"]), "name": each["tool"], "input": each["arguments"]}
                    for each in turn["calls"]]
        return {"id": "m", "type": "message", "role": "assistant", "content": content,
                "stop_reason": "tool_use" if turn["calls"] else "end_turn",
                "usage": {"input_tokens": turn["tokens"][0], "output_tokens": turn["tokens"][1]}}
