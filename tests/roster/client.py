# An HTTP client of the public REST API that outlives restarts of the service: keep-alive, retries, idempotency keys.

import http.client
import itertools
import json
import random
import socket
import threading
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

RETRYABLE_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
IN_PROGRESS = "IDEMPOTENCY_IN_PROGRESS"
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0
# What a connection that was lost, refused or cut in the middle of an answer raises.
_BROKEN = (OSError, http.client.HTTPException)


class GaveUp(Exception):
    """The time for the whole run was over before a request got its final answer."""


class Unexpected(Exception):
    """A final answer that the caller did not allow for; its text shows request, status and body."""

    def __init__(self, answer):
        self.answer = answer
        super().__init__(f"{answer.method} {answer.path}: {answer.status} {answer.text[:2000]}")


@dataclass
class Answer:
    """One final answer. `body` is the decoded JSON, or None where there is none."""
    method: str
    path: str
    status: int
    headers: dict
    text: str
    body: object = None

    @property
    def ok(self):
        return 200 <= self.status < 300

    @property
    def code(self):
        """The error code of the envelope, or "" where the body is none."""
        error = self.body.get("error") if isinstance(self.body, dict) else None
        return error.get("code", "") if isinstance(error, dict) else ""

    @property
    def details(self):
        error = self.body.get("error") if isinstance(self.body, dict) else None
        return (error.get("details") if isinstance(error, dict) else None) or {}


@dataclass
class Statistics:
    """What happened on the wire. Safe to use from many threads."""
    requests: int = 0
    replays: int = 0
    retries: Counter = field(default_factory=Counter)
    milliseconds: list = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def answered(self, milliseconds, replayed):
        with self._lock:
            self.requests += 1
            self.replays += replayed
            self.milliseconds.append(milliseconds)

    def retried(self, why):
        with self._lock:
            self.retries[why] += 1

    def percentile(self, share):
        """Nearest-rank percentile of the time a request took, in ms; 0 before the first answer."""
        with self._lock:
            ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Client:
    """Sends requests with one API key, or with several of one organization, each of which has a limit of its own. Each
    thread has a connection of its own.

    `key` is one, or several separated by commas. Which of them a write goes with follows from its idempotency key, since a
    retry needs the same. Reads go with the first one, and so may be behind what was written with the others. `deadline` is a time.monotonic() value for everything this client does; `timeout` bounds a single attempt."""

    def __init__(self, base_url, key, deadline, timeout=30.0):
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{base_url!r} is no http(s) URL")
        self._connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._address = (parts.hostname, parts.port)
        self._prefix = parts.path.rstrip("/")
        self._keys = key.split(",")
        self._deadline = deadline
        self._timeout = timeout
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections = set()
        self._stopped = threading.Event()
        self.statistics = Statistics()

    def reach(self):
        """Connects once. Raises OSError when nobody takes the connection: a service that was never there is not waited
        for, as one that goes away later is."""
        port = self._address[1] or self._connect.default_port
        socket.create_connection((self._address[0], port), timeout=min(self._timeout, 10.0)).close()

    def stop(self):
        """Makes every pause end at once and every request that has no answer yet raise GaveUp."""
        self._stopped.set()

    def send(self, method, path, body=None, idempotency_key=None, query=None):
        """Sends until there is a final answer and returns it, whatever its status. A write without a key of its own
        would not be safe to retry, hence POST, PUT and PATCH must bring one. Raises GaveUp."""
        if method in ("POST", "PUT", "PATCH") and not idempotency_key:
            raise ValueError(f"{method} {path} needs an idempotency key")
        target = self._prefix + path + ("?" + urlencode(query) if query else "")
        key = self._keys[zlib.crc32(idempotency_key.encode()) % len(self._keys)] if idempotency_key else self._keys[0]
        headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
        payload = None
        if body is not None:
            payload = json.dumps(body, separators=(",", ":")).encode()
            headers["Content-Type"] = "application/json"
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        for attempt in itertools.count():
            try:
                answer = self._once(method, target, payload, headers)
            except _BROKEN as error:
                self._drop()
                self._pause(attempt, None, type(error).__name__, f"{method} {path}: {error!r}")
                continue
            in_progress = answer.status == 409 and answer.code == IN_PROGRESS
            if answer.status not in RETRYABLE_STATUSES and not in_progress:
                return answer
            why = answer.code or str(answer.status)
            self._pause(attempt, answer.headers.get("retry-after"), why, f"{method} {path}: {answer.text[:500]}")

    def expect(self, method, path, body=None, idempotency_key=None, query=None):
        """As send, but returns the JSON body of a 2xx answer and raises Unexpected for any other."""
        answer = self.send(method, path, body, idempotency_key, query)
        if not answer.ok:
            raise Unexpected(answer)
        return answer.body

    def items(self, path, query=None, limit=200):
        """Yields every item of a list, page after page by the cursor."""
        query = dict(query or {}, limit=limit)
        seen = set()
        while True:
            page = self.expect("GET", path, query=query)
            yield from page["data"]
            paging = page["pagination"]
            if not paging["hasMore"]:
                return
            query["cursor"] = paging["nextCursor"]
            if query["cursor"] in seen:
                raise ValueError(f"GET {path}: cursor {query['cursor']!r} came a second time")
            seen.add(query["cursor"])

    def close(self):
        """Closes every thread's connection; call it when no request is under way. Later requests connect again."""
        with self._lock:
            connections, self._connections = self._connections, set()
        for connection in connections:
            connection.close()

    def _once(self, method, target, payload, headers):
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect(*self._address)
            with self._lock:
                self._connections.add(connection)
        # The last attempt must not outlast the run. A lost connection has no socket until the request opens it.
        connection.timeout = max(0.1, min(self._timeout, self._deadline - time.monotonic()))
        if connection.sock is not None:
            connection.sock.settimeout(connection.timeout)
        started = time.perf_counter()
        connection.request(method, target, payload, headers)
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        received = {name.lower(): value for name, value in response.getheaders()}
        replayed = received.get("idempotency-replayed", "").lower() == "true"
        self.statistics.answered((time.perf_counter() - started) * 1000, replayed)
        if response.will_close:
            self._drop()
        try:
            body = json.loads(text) if text else None
        except ValueError:
            body = None
        return Answer(method, target, response.status, received, text, body)

    def _drop(self):
        connection = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            with self._lock:
                self._connections.discard(connection)
            connection.close()

    def _pause(self, attempt, retry_after, why, what):
        """Waits before the next attempt: what the service asks for where it does, else an exponential back-off; both
        with jitter, so that the threads do not come back together."""
        self.statistics.retried(why)
        asked = float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdigit() else None
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(attempt, 16)) * random.uniform(0.5, 1.0)
        if asked is not None:
            pause = asked + random.uniform(0.0, 0.25)
        if self._stopped.is_set() or time.monotonic() + pause >= self._deadline:
            raise GaveUp(f"no final answer in time after {attempt + 1} attempts: {what}")
        if self._stopped.wait(pause):
            raise GaveUp(f"stopped after {attempt + 1} attempts: {what}")
