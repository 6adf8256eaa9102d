# The write side holds next to nothing in memory: all is looked up in the read models, and all must be as ever. And large
# rows and slow readers, within bytes.

import concurrent.futures
import contextlib
import json
import re
import socket
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import rest
import support
import test_roster

SMALL_ROSTER = "n030w4"
PEOPLE = 200 if support.LONG else 60
PROJECTION_BYTES = 8 << 20  # of rows that projections keep, and less than all people have
HISTORY_ITEMS = 60
READERS = 60
KEYS = 3  # of which each may have 20 streams
UNREAD_SECONDS = 3
MOST_RESIDENT = 400 << 20


class LittleMemory:
    """Mixed into a support.ServiceCase, ahead of it."""

    ENVIRONMENT = {"WORKFORCE_MEMORY_BYTES": "10000", "WORKFORCE_CREDENTIAL_BYTES": "0"}


class RosterInLittleMemoryTest(LittleMemory, test_roster.RosterTest):
    """A roster played by clients of a service that remembers ten resources or so."""

    ROSTERS = test_roster.DEFAULT_ROSTERS[:1]

    def test_it_did_forget(self):
        metrics = self.service.metrics()
        self.assertGreater(metrics["workforce_memory_evicted_total"], self.report["shifts"])
        self.assertGreater(metrics["workforce_memory_looked_up_total"], 0)
        self.assertEqual(metrics["workforce_credential_bytes"], 0)
        self.assertGreater(metrics["workforce_credentials_dropped_total"], 0)


class KillInLittleMemoryTest(LittleMemory, test_roster.KillTest):
    """Service and Postgres are killed meanwhile. Rows of read models that a crash of Postgres loses are not decided on."""

    ROSTER = SMALL_ROSTER
    KILLS = ((0.02, "postgres"), (0.1, "service"), (0.2, "postgres"), (0.35, "postgres"), (0.5, "service"),
             (0.7, "postgres"), (0.9, "service"))


class CutOff(Exception):
    """The server gave an answer up that was not taken in time, as it may on a slow machine."""


class Reader:
    """Asks on a connection whose buffer is small, and takes the answer only when told. `request`: its lines, and its body
    after an empty one."""

    def __init__(self, address, key, *request):
        first, *rest_of_it = request
        self._address = address
        self._request = "\r\n".join([first, f"Authorization: Bearer {key}", *rest_of_it]).encode()

    def ask(self):
        """Sends the request and returns the status once the answer begins."""
        self._socket = socket.socket()
        self._socket.settimeout(60)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.connect(self._address)
        self._socket.sendall(self._request)
        self._text = self._socket.recv(12, socket.MSG_WAITALL)
        return int(self._text[9:])

    def stream(self):
        """The id of the stream that the answer is, as far as its head came."""
        found = re.search(rb"\r\nMcp-Stream-Id: (\S+)\r\n", self._text)
        return found and found[1].decode()

    def message(self):
        """The JSON-RPC message at the end of an answer that is a stream."""
        while not self._text.endswith(b"\r\n0\r\n\r\n"):
            self._text += self._more()
        self._socket.close()
        chunks = self._text.partition(b"\r\n\r\n")[2]
        parts = []
        while not chunks.startswith(b"0\r\n"):
            size, _, chunks = chunks.partition(b"\r\n")
            parts.append(chunks[:int(size, 16)])
            chunks = chunks[int(size, 16) + 2:]
        data = [line for line in b"".join(parts).decode().splitlines() if line.startswith("data: ")]
        return json.loads(data[-1].removeprefix("data: "))

    def answer(self):
        """The head and the JSON of the answer, read to its end."""
        while b"\r\n\r\n" not in self._text:
            self._text += self._more()
        head, _, body = self._text.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
        parts, left = [body], int(fields["content-length"]) - len(body)
        while left:
            parts.append(self._more())
            left -= len(parts[-1])
        self._socket.close()
        return fields, json.loads(b"".join(parts))

    def _more(self):
        if not (piece := self._socket.recv(1 << 16)):
            raise CutOff
        return piece


class LargeRowsTest(support.ServiceCase, rest.RestCase):
    """Rows of a quarter of a megabyte each, all of which 60 clients ask for at once and take slowly."""

    ENVIRONMENT = {"WORKFORCE_PROJECTION_BYTES": str(PROJECTION_BYTES)}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client = rest.client_of(cls.service)
        cls.people = [cls.client.post("/api/staff", cls.person(n)).body["id"] for n in range(PEOPLE)]
        cls.service.wait_projected()

    @staticmethod
    def person(number):
        history = [{"facility": "Ward", "position": "Nurse", "startDate": "2020-01-01",
                    "description": f"{number}.{item} ".ljust(3900, "h")} for item in range(HISTORY_ITEMS)]
        return {"firstName": "Ada", "lastName": f"Number {number}", "email": f"large{number}@example.test",
                "workHistory": history}

    def check_rows(self, rows):
        """Each row is whole, and the one that was sent."""
        for row in rows:
            number = self.people.index(row["id"])
            self.assertEqual(row["lastName"], f"Number {number}")
            self.assertEqual([item["description"][:len(str(number)) + 3].split()[0] for item in row["workHistory"]],
                             [f"{number}.{item}" for item in range(HISTORY_ITEMS)])

    def most_resident(self):
        """The most that the process ever had resident, in bytes."""
        with open(f"/proc/{self.service._process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))

    def walk(self, limit):
        """All large rows, by cursors; and the pages that had rows of them alone."""
        seen, full, cursor = [], 0, {}
        while True:
            page = self.check(self.client.get("/api/staff", limit=limit, sort="createdAt", **cursor), 200)
            large = [row for row in page["data"] if row["id"] in self.people]
            self.check_rows(large)
            seen += [row["id"] for row in large]
            full += len(large) == limit
            self.assertGreater(len(page["data"]), 0)
            if not page["pagination"]["hasMore"]:
                self.assertIsNone(page["pagination"]["nextCursor"])
                return seen, full
            cursor = {"cursor": page["pagination"]["nextCursor"]}

    def test_a_walk_sees_each_row_once(self):
        for limit in (PEOPLE, 3):
            seen, full = self.walk(limit)
            self.assertEqual(seen, self.people)
            self.assertEqual(full > 0, limit == 3, "all do not fit into a page, three do")

    def test_slow_readers(self):
        address = ("127.0.0.1", int(self.service.demo["baseUrl"].rsplit(":", 1)[1]))
        key = self.service.demo["keys"]["live"]
        all_ask = threading.Barrier(READERS + 1)
        take = threading.Event()

        def read(_):
            reader = Reader(address, key, f"GET /api/staff?limit={PEOPLE}&sort=-createdAt HTTP/1.1", "Host: x", "", "")
            status = reader.ask()
            all_ask.wait(60)
            take.wait(60)
            page = None
            while page is None:
                try:
                    fields, body = reader.answer()
                except CutOff:
                    status = reader.ask()
                    continue
                if status == 200:
                    page = body
                    continue
                self.assertEqual((status, body["error"]["code"]), (503, "SERVICE_UNAVAILABLE"))
                time.sleep(int(fields["retry-after"]))
                status = reader.ask()
            self.assertTrue(page["pagination"]["hasMore"])
            self.assertEqual([row["id"] for row in page["data"]], self.people[::-1][:len(page["data"])])
            self.check_rows(page["data"])

        with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
            readers = [pool.submit(read, n) for n in range(READERS)]
            all_ask.wait(60)
            take.set()
            for reader in readers:
                reader.result()
        print(f"the most resident: {self.most_resident() >> 20} MiB")
        self.assertLess(self.most_resident(), MOST_RESIDENT)
        support.wait_until(lambda: self.service.metrics()["workforce_http_reply_bytes"] == 0, 30, "all was given back")
        metrics = self.service.metrics()
        self.assertLess(metrics["workforce_memory_bytes"], 64 << 20)
        self.assertLess(metrics["workforce_projection_row_bytes"], PROJECTION_BYTES * 3 // 2)

    def test_streams_that_nobody_reads(self):
        """Clients of MCP that call a tool, and then ones that take up its stream again, and read nothing for seconds."""
        url = urllib.parse.urlsplit(self.service.demo["mcpUrl"])
        keys = [rest.make_key(self.service, ["staff:read"])[1] for _ in range(KEYS)]
        call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": "staff_list", "arguments": {"limit": PEOPLE, "sort": "-createdAt"}}})

        def readers(credentials, request):
            """As many of each credential as it may have streams."""
            all_of_them = [Reader((url.hostname, url.port), credentials[number % len(credentials)], *request(number))
                           for number in range(READERS // KEYS * len(credentials))]
            statuses = [reader.ask() for reader in all_of_them]
            time.sleep(UNREAD_SECONDS)
            self.assertLess(self.most_resident(), MOST_RESIDENT)
            return [reader for reader, status in zip(all_of_them, statuses) if status == 200], statuses

        head = (f"Host: {url.netloc}", "Accept: text/event-stream", "MCP-Protocol-Version: 2025-11-25")
        called, statuses = readers(keys, lambda _: ("POST /mcp HTTP/1.1", *head, "Content-Type: application/json",
                                              f"Content-Length: {len(call)}", "", call))
        self.assertEqual(set(statuses), {200})
        streams, served, refused = {}, set(), 0
        for number, reader in enumerate(called):
            key = keys[number % KEYS]
            try:
                message = reader.message()
            except CutOff:  # as it may on a slow machine; the answer may be kept all the same
                refused += 1
                continue
            finally:
                streams.setdefault(key, []).append(reader.stream())
            content = message["result"]["structuredContent"]
            if message["result"]["isError"]:
                self.assertEqual(content["error"]["code"], "SERVICE_UNAVAILABLE")
                refused += 1
            else:
                self.check_rows(content["data"])
                served.add(key)
        self.assertGreater(refused, 0, "not all of them had room")
        self.assertEqual(len(served), KEYS, "of each key one had room")

        def is_kept(key, stream):
            """Whether a large answer found room among those that are kept: any other one's end is an error, which is small."""
            reader = Reader((url.hostname, url.port), key, *taken_up(stream))
            self.assertEqual(reader.ask(), 200)
            try:
                message = reader.message()
            except CutOff:  # none that is small
                return True
            if "error" in message:
                self.assertIn("was not kept", message["error"]["message"])
            return "result" in message and not message["result"]["isError"]

        def taken_up(stream):
            return f"GET /mcp/stream/{stream} HTTP/1.1", *head, "", ""

        kept = {key: stream for key, all_of_it in streams.items()
                if (stream := next((each for each in all_of_it if each and is_kept(key, each)), None))}
        self.assertTrue(kept, "the first answer of all found room")
        # The answers that the streams of one key hold are more than it may have.
        resumed, statuses = readers(list(kept), lambda number: taken_up(list(kept.values())[number % len(kept)]))
        self.assertEqual(set(statuses), {200, 503})
        for reader in resumed:
            with contextlib.suppress(CutOff):
                self.check_rows(reader.message()["result"]["structuredContent"]["data"])
        print(f"the most resident: {self.most_resident() >> 20} MiB")
        support.wait_until(lambda: self.service.metrics()["workforce_http_reply_bytes"] == 0, 30, "all was given back")


class StartTest(support.ServiceCase):
    """A start goes on from the read models."""

    def post(self, path, body, key):
        """The answer's status, headers and body."""
        request = urllib.request.Request(
            self.service.demo["baseUrl"] + path, json.dumps(body).encode(), method="POST",
            headers={"Authorization": f"Bearer {self.service.demo['keys']['live']}", "Content-Type": "application/json",
                     "Idempotency-Key": key})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, json.load(answer)
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.headers, json.load(refusal)

    def person(self, number):
        return {"firstName": "Ada", "lastName": f"Number {number}", "email": f"ada{number}@example.test"}

    def restart(self):
        self.service.wait_projected()
        self.service.kill9()
        self.service.start()

    def test_a_start_folds_the_tail_alone(self):
        for number in range(50):
            self.assertEqual(self.post("/api/staff", self.person(number), f"key {number}")[0], 201)
        self.restart()
        metrics = self.service.metrics()
        head, base = metrics["workforce_log_head"], metrics["workforce_take_over_base"]
        self.assertGreater(base, 100)
        self.assertLessEqual(head - base, 20, "more was folded than what the clock may have added")
        self.assertLessEqual(metrics["workforce_memory_answers"], head - base, "answers of the tail alone")

    def test_answers_are_told_again_after_a_start(self):
        first = self.post("/api/staff", self.person(1001), "once")
        self.assertEqual(first[0], 201)
        refused = self.post("/api/staff", self.person(1001), "twice")
        self.assertEqual((refused[0], refused[2]["error"]["code"]), (409, "DUPLICATE_RESOURCE"))
        self.restart()
        for key, answer in (("once", first), ("twice", refused)):
            again = self.post("/api/staff", self.person(1001), key)
            self.assertEqual((again[0], again[2]), (answer[0], answer[2]))
            self.assertEqual(again[1]["Idempotency-Replayed"], "true")
        other = self.post("/api/staff", self.person(1002), "once")
        self.assertEqual((other[0], other[2]["error"]["code"]), (409, "IDEMPOTENCY_KEY_CONFLICT"))
        # And what is no retry is judged on what stood before the start.
        fresh = self.post("/api/staff", self.person(1001), "another key")
        self.assertEqual((fresh[0], fresh[2]["error"]["code"]), (409, "DUPLICATE_RESOURCE"))


if __name__ == "__main__":
    unittest.main()
