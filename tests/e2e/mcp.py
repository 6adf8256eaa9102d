# A plain client of the MCP endpoint in both eras: JSON-RPC messages, answers as JSON or as events, and streams taken up again.

import base64
import collections
import contextlib
import http.client
import itertools
import json
from urllib.parse import urlsplit

import support

OLDEST, HANDSHAKE, STATELESS = "2025-06-18", "2025-11-25", "2026-07-28"
VERSIONS = (OLDEST, HANDSHAKE, STATELESS)
EITHER, JSON, STREAM = "application/json, text/event-stream", "application/json", "text/event-stream"
INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, PARSE_ERROR = -32600, -32601, -32602, -32700
DENIED, HEADER_MISMATCH, UNSUPPORTED_VERSION = -32003, -32020, -32022
META = "io.modelcontextprotocol/"
READS = ("_list", "_get", "_stats", "_recent", "_find_available")  # how the tools end that read what the caller may have written

# One event of a stream: its id and name as texts, its data as the JSON that it is (None where it is empty).
Event = collections.namedtuple("Event", "id name data")


def url_of(service):
    """Where the service serves MCP."""
    return service.demo["mcpUrl"]


def client_of(service, key="live", version=HANDSHAKE):
    """A client with a key of the demo, or with the token given."""
    return Client(url_of(service), service.demo["keys"].get(key, key), version)


class Reply:
    """An answer as it came: status, headers, the events that were read (none of an answer in JSON), and the JSON-RPC
    message that answers the request, which is None where none came (yet)."""

    def __init__(self, what, response):
        self.what, self.status, self.headers = what, response.status, response.headers
        self.is_stream = response.headers.get("Content-Type", "").startswith(STREAM)
        self.stream = response.headers.get("Mcp-Stream-Id")
        self.events, self.body, self.text = [], None, ""
        self._response = response

    def read(self, frames=None):
        """Reads to the end, or so many events of a stream; returns itself."""
        if self.is_stream:
            for event in itertools.islice(events_of(self._response), frames):
                self.events.append(event)
                if isinstance(event.data, dict) and "method" not in event.data:
                    self.body = event.data
        elif not self.text:
            self.text = self._response.read().decode()
            is_json = self.headers.get("Content-Type", "").startswith(JSON)
            self.body = json.loads(self.text) if self.text and is_json else None
        return self

    @property
    def result(self):
        """The result; AssertionError for anything else."""
        assert self.body is not None and "result" in self.body, str(self)
        return self.body["result"]

    @property
    def error(self):
        """The JSON-RPC error; AssertionError for anything else."""
        assert self.body is not None and "error" in self.body, str(self)
        return self.body["error"]

    @property
    def content(self):
        """What a tool returned."""
        assert not self.result.get("isError"), str(self)
        return self.result["structuredContent"]

    @property
    def failure(self):
        """The error's envelope of a tool that failed."""
        assert self.result.get("isError"), str(self)
        return self.result["structuredContent"]["error"]

    @property
    def is_stale(self):
        """Whether what a tool returned may lack the caller's own writes."""
        result = self.body.get("result") if isinstance(self.body, dict) else None
        return isinstance(result, dict) and result.get("_meta", {}).get("svc/stale", False)

    @property
    def notices(self):
        """Notifications of the stream, in order."""
        return [event.data for event in self.events if isinstance(event.data, dict) and "method" in event.data]

    @property
    def progress(self):
        """(progress, total) of each notice of it."""
        told = [notice["params"] for notice in self.notices if notice["method"] == "notifications/progress"]
        return [(each["progress"], each["total"]) for each in told]

    def __str__(self):
        return f"{self.what} -> {self.status} {dict(self.headers)} {self.text[:2000]} {self.events}"


def events_of(response):
    """The events of a stream as they come, to its end; comments are passed over."""
    id_, name, data = "", "message", []
    while line := response.readline():
        field, _, value = line.decode().rstrip("\r\n").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "id":
            id_ = value
        elif field == "event":
            name = value
        elif not line.strip() and data:
            text = "\n".join(data)
            yield Event(id_, name, json.loads(text) if text else None)
            name, data = "message", []


class Client:
    """One credential (None: none) and one protocol version. Each request has a connection of its own, so that a client is
    for any number of threads. An answer may take `timeout` seconds."""

    def __init__(self, url, key=None, version=HANDSHAKE, timeout=60, path="/mcp"):
        self.url, self.version, self.path = url, version, path
        self._key, self._timeout = key, timeout
        self._ids = itertools.count(1)
        self.capabilities = {}  # told to the server, of the stateless era in each request

    def message(self, method, params=None, id_=None):
        """A request with an id of its own or with `id_`, as the era has it."""
        params = dict(params or {})
        if self.version == STATELESS:
            own = {META + "protocolVersion": self.version, META + "clientCapabilities": self.capabilities,
                   META + "clientInfo": {"name": "suite", "version": "1"}}
            params["_meta"] = own | params.get("_meta", {})
        return {"jsonrpc": "2.0", "id": next(self._ids) if id_ is None else id_, "method": method, "params": params}

    def headers(self, message, accept=EITHER):
        """The headers that go with a message."""
        headers = {"Content-Type": JSON, "Accept": accept, "MCP-Protocol-Version": self.version}
        if self.version == STATELESS:
            headers["Mcp-Method"] = message["method"]
            name = message.get("params", {}).get("name", message.get("params", {}).get("uri"))
            if isinstance(name, str):
                plain = name.isascii() and name.isprintable() and name == name.strip()
                headers["Mcp-Name"] = name if plain else f"=?base64?{base64.b64encode(name.encode()).decode()}?="
        return headers

    @contextlib.contextmanager
    def open(self, method, body=None, headers=None, path=None):
        """Sends an HTTP request with the bytes of `body` and gives its Reply, unread; the connection ends with the block.
        A header that is None is not sent."""
        url = urlsplit(self.url)
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=self._timeout)
        sent = {"Host": url.netloc} | ({} if self._key is None else {"Authorization": f"Bearer {self._key}"}) | (headers or {})
        path = path or self.path
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value is not None})
            yield Reply(f"{method} {path} {(body or b'')[:500]!r}", connection.getresponse())
        finally:
            connection.close()

    def begin(self, message, accept=EITHER, headers=None):
        """As open(), of a message that is POSTed: for answers that are read in part."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        own = self.headers(message, accept) if isinstance(message, dict) else {"Content-Type": JSON, "Accept": accept}
        return self.open("POST", body, own | (headers or {}))

    def post(self, message, accept=EITHER, headers=None):
        """The Reply to a message (or to bytes, whatever they are), read to its end."""
        with self.begin(message, accept, headers) as reply:
            return reply.read()

    def request(self, method, params=None, accept=EITHER, headers=None):
        """The Reply to a request."""
        return self.post(self.message(method, params), accept, headers)

    def notify(self, method, params=None):
        """The Reply to a notification."""
        message = self.message(method, params)
        del message["id"]
        return self.post(message)

    def initialize(self):
        """Does the handshake and returns what the server said of itself."""
        opened = self.request("initialize", {"protocolVersion": self.version, "capabilities": self.capabilities,
                                             "clientInfo": {"name": "suite", "version": "1"}})
        noted = self.notify("notifications/initialized")
        assert noted.status == 202 and not noted.text, str(noted)
        return opened.result

    def call_message(self, tool, arguments=None, token=None, **meta):
        """A call of a tool; with a `token` its progress is told."""
        params = {"name": tool, "arguments": arguments or {}}
        if token is not None:
            meta["progressToken"] = token
        return self.message("tools/call", params | ({"_meta": meta} if meta else {}))

    def call(self, tool, arguments=None, token=None, accept=EITHER, headers=None, **meta):
        """The Reply to a call of a tool; with a `token` it is a stream that tells of progress. A read is called again while it may
        lack the caller's own writes, as rest.Client.get has it."""
        return support.until_fresh(lambda: self.post(self.call_message(tool, arguments, token, **meta), accept, headers),
                                   lambda reply: tool.endswith(READS) and reply.is_stale)

    def tools(self):
        """All tools that the caller may see, by name."""
        tools, cursor = [], None
        for _ in range(100):
            page = self.request("tools/list", {} if cursor is None else {"cursor": cursor}).result
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None:
                return {tool["name"]: tool for tool in tools}
        raise AssertionError("tools/list does not end")

    def resume(self, stream, after=None, path=None):
        """As open(), of a stream that is taken up again: what comes after the event with that id, or all of it."""
        headers = {"Accept": STREAM, "MCP-Protocol-Version": self.version} | ({} if after is None else {"Last-Event-ID": after})
        return self.open("GET", headers=headers, path=path or f"{self.path}/stream/{stream}")
