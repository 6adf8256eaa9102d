# The service asked for more than it may take: what is over its limits gets 503 at once, what is taken is served within
# them, nobody pays for another organization's noise, and afterwards all is as before.

import asyncio
import contextlib
import json
import os
import re
import resource
import secrets
import socket
import statistics
import threading
import time
import unittest
import urllib.request

import rest
import support
from kafka_cluster import OnKafka

# For how long each load is kept up; a longer run also shows memory that creeps.
SECONDS = float(os.environ.get("WORKFORCE_OVERLOAD_SECONDS", "20" if support.LONG else "1"))
ANSWERS = 10  # that whoever else asks has at least, in however long
INTERNAL_ORGANIZATION = 1
SESSIONS = 1
DATABASE_QUEUE = 32
ORGANIZATION_REQUESTS = 16
QUEUE_LIMIT = 64
CLIENTS = 256
CONNECTIONS = 200
OPEN_FILES = 400
# Bodies at hand may take 64 MiB, and answers and buffers of so few connections little beside them.
MEMORY_GROWTH = 96 << 20
# Few aggregates in memory, which new shifts fill within moments: what grows after that creeps.
MEMORY_BYTES = 3_000_000
# No measure of speed: what was taken is answered before its client gives up, on any machine.
PATIENCE_SECONDS = 15
OVER_SHARE = "Too many requests of this organization are under way."
OVER_QUEUE = "Too many commands wait for this organization's partition."
postgres = None  # of all services whose log is there: they serve one installation, one after the other
installed = None  # that installation's master key and demo, once it is made


def setUpModule():
    global postgres
    if not support.binary().exists():
        raise AssertionError(f"{support.binary()} is not built")
    postgres = unittest.enterModuleContext(support.Postgres())


class SmallService(support.Service):
    """A service with limits that a small client can pass."""

    def __init__(self, postgres, kafka=None, open_files=None, **settings):
        super().__init__(postgres, kafka)
        self.env |= {f"WORKFORCE_{name.upper()}": str(value) for name, value in settings.items()}
        self.env["WORKFORCE_PARTITIONS"] = "1"  # all organizations meet there
        if open_files:
            self.launcher = ("prlimit", f"--nofile={open_files}")

    def install(self):
        global installed
        if self.kafka:  # the only one
            super().install()
        elif installed is None:
            super().install()
            installed = self._key.read_text(encoding="ascii"), self.demo
        else:
            key, demo = installed
            self._key.write_text(key, encoding="ascii")
            self.demo = demo | self.addresses()

    def metrics(self):
        """The sum of each metric over its labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._admin_port}/metrics", timeout=30) as answer:
            text = answer.read().decode()
        sums = {}
        for name, value in re.findall(r"^(\w+)(?:\{.*\})? (\S+)$", text, re.MULTILINE):
            sums[name] = sums.get(name, 0) + float(value)
        return sums

    def memory(self):
        """Bytes that the process has resident."""
        with open(f"/proc/{self._process.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()


class Load:
    """Clients that send one request after the other, each on a connection of its own, and what they were answered."""

    def __init__(self, port, key):
        self.address = ("127.0.0.1", port)
        self.key = key
        self.statuses = {}
        self.reasons = set()  # of refusals
        self.wrong = []  # refusals that are not as they are to be
        self.overtaken = []  # for each that was taken: how many others were, from its sending to its answer
        self.seconds = []  # how long each of those took
        self._taken = 0

    def request(self, method, path, body=None):
        raw = b"" if body is None else json.dumps(body).encode()
        fields = f"Authorization: Bearer {self.key}\r\nContent-Type: application/json\r\nContent-Length: {len(raw)}\r\n"
        return f"{method} {path} HTTP/1.1\r\nHost: x\r\n{fields}\r\n".encode() + raw

    async def client(self, make, over):
        reader, writer = await asyncio.open_connection(*self.address)
        with contextlib.closing(writer):
            while not over():
                taken, sent = self._taken, time.monotonic()
                writer.write(make())
                status, fields, body = await self.answer(reader)
                self.statuses[status] = self.statuses.get(status, 0) + 1
                if status < 300:
                    self._taken += 1
                    self.overtaken.append(self._taken - taken)
                    self.seconds.append(time.monotonic() - sent)
                elif is_refusal(status, fields, body):
                    self.reasons.add(json.loads(body)["error"]["message"])
                else:
                    self.wrong.append((status, fields, body[:300]))

    @staticmethod
    async def answer(reader):
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)).decode()
        status = int(head.split(" ", 2)[1])
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:-2])
        return status, fields, await reader.readexactly(int(fields["content-length"]))

    async def run(self, clients, make, over):
        """Until `over()` is true."""
        await asyncio.gather(*(self.client(make, over) for _ in range(clients)))


def passed(seconds):
    """Whether so much time has passed since, each time it is asked."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


def is_refusal(status, fields, body):
    """Whether the answer is 503 as spec 2.10 has it, with a time to come again."""
    error = json.loads(body)["error"]
    return (status, error["code"], error["retryable"]) == (503, "SERVICE_UNAVAILABLE", True) and \
        int(fields["retry-after"]) >= 1


def shift_of(service):
    return {"facilityId": service.demo["facilityIds"][0], "title": "Overload", "date": "2031-01-01", "startTime": "08:00",
            "endTime": "16:00"}


def told(seconds):
    """Median and 99th percentile, in ms."""
    return f"{1000 * statistics.median(seconds):.0f} / {1000 * statistics.quantiles(seconds, n=100)[98]:.0f} ms"


class OverloadCase(rest.RestCase):
    settings = {}
    growth = MEMORY_GROWTH
    creep = MEMORY_GROWTH // 4  # which the second half of a load may take more than the first

    @classmethod
    def start_kafka(cls):
        """As support.ServiceCase has it."""

    @classmethod
    def setUpClass(cls):
        kafka = cls.start_kafka()
        database = cls.enterClassContext(support.Postgres()) if kafka else postgres
        cls.service = cls.enterClassContext(SmallService(database, kafka, **cls.settings))
        cls.owner = rest.client_of(cls.service)
        everything = cls.owner.get("/api/auth/me").body["scopes"]
        cls.quiet = cls.owner.with_key(rest.make_key(cls.service, everything, organization=INTERNAL_ORGANIZATION)[1])
        cls.port = int(cls.service.env["WORKFORCE_PORT"])

    @classmethod
    def tearDownClass(cls):
        cls.service.stop()  # in order, for the next one need not wait for its lease then

    def load(self):
        return Load(self.port, self.service.demo["keys"]["live"])

    def check_memory(self, before, peaks):
        self.assertLess(max(peaks) - before, self.growth)
        half = len(peaks) // 2
        self.assertLess(max(peaks[half:]) - max(peaks[:half]), self.creep, "memory creeps")

    def check_recovered(self):
        """Nothing waits, nothing is held, and requests are served as if nothing had been."""
        for client in (self.owner, self.quiet):
            client.close()
        quiet = ("workforce_http_connections", "workforce_database_jobs_waiting", "workforce_commands_waiting",
                 "workforce_http_body_bytes")

        def at_rest():
            metrics = self.service.metrics()
            return not any(metrics[name] for name in quiet)
        support.wait_until(at_rest, 30, f"all of {quiet} are 0")
        support.wait_until(self.service.ready, 30, "the service is ready")
        for _ in range(50):
            self.check(self.owner.get("/api/shifts", limit=5), 200)
            self.check(self.quiet.get("/api/facilities"), 200)
        self.check(self.owner.post("/api/shifts", shift_of(self.service)), 201)


class NoiseCase(OverloadCase):
    """Somebody asks for many times what they may, and somebody else for little."""

    # While read models lag behind the write side holds up to three times its budget and 32 MiB more.
    growth = MEMORY_GROWTH + 3 * MEMORY_BYTES + (32 << 20)
    creep = MEMORY_GROWTH // 2

    def noise(self, load, make, quiet, ask, reason):
        """Keeps the load up while the client `quiet` asks `ask()` over and over; its answers are all to be taken. Of the load
        some is refused for that reason."""
        before, peaks, waits, answers = self.service.memory(), [], [], []
        over, served = passed(SECONDS), threading.Event()

        def others():
            try:
                while not over() or len(answers) < ANSWERS:
                    sent = time.monotonic()
                    answers.append(ask())
                    waits.append(time.monotonic() - sent)
                    peaks.append(self.service.memory())
            finally:
                served.set()
                quiet.close()  # this thread's connection

        async def both():
            await asyncio.gather(asyncio.to_thread(others), load.run(CLIENTS, make, served.is_set))
        asyncio.run(both())
        print(f"{load.statuses} of the noisy one, taken in {told(load.seconds)}, {len(answers)} of another in {told(waits)}, "
              f"{statistics.median(load.overtaken)} in between, {before >> 20} to {max(peaks) >> 20} MiB")
        for answer in answers:
            self.assertLess(answer.status, 300, str(answer))
        self.assertIn(reason, load.reasons)
        self.assertEqual(load.wrong, [])
        self.assertLess(max(*load.seconds, *waits), PATIENCE_SECONDS)
        self.check_memory(before, peaks)
        self.check_recovered()


class NoiseTest(NoiseCase):
    """An organization asks for more than its share; the limits of the database's queue lie above that."""

    settings = {"database_connections": SESSIONS, "database_queue": DATABASE_QUEUE,
                "organization_requests": ORGANIZATION_REQUESTS, "memory_bytes": MEMORY_BYTES}

    def noise(self, load, *arguments):
        super().noise(load, *arguments)
        # Whoever got a place waits for no more than those who had one, and for what this client has not yet read; with a
        # queue for all it would be nearly all of the clients.
        self.assertLess(statistics.median(load.overtaken), CLIENTS * 7 // 8)
        self.assertGreater(self.service.metrics()["workforce_organization_requests_refused_total"], 0)

    def test_reads(self):
        load = self.load()
        self.noise(load, lambda: load.request("GET", "/api/shifts?limit=200"),
                   self.quiet, lambda: self.quiet.send("GET", "/api/facilities"), OVER_SHARE)

    def test_commands(self):
        load, shift = self.load(), shift_of(self.service)
        self.noise(load, lambda: load.request("POST", "/api/shifts", shift),
                   self.quiet, lambda: self.quiet.post("/api/facilities", {"name": secrets.token_hex(8)}), OVER_SHARE)


class PartitionQueueTest(NoiseCase):
    """The share is large; then it is the partition's queue that keeps room for others."""

    settings = {"queue_limit": QUEUE_LIMIT, "organization_requests": 2 * CLIENTS, "memory_bytes": MEMORY_BYTES}

    def test_another_organization(self):
        load, shift = self.load(), shift_of(self.service)
        self.noise(load, lambda: load.request("POST", "/api/shifts", shift),
                   self.quiet, lambda: self.quiet.post("/api/facilities", {"name": secrets.token_hex(8)}), OVER_QUEUE)

    def test_the_sandbox_of_the_same_one(self):
        shift = shift_of(self.service)
        load = Load(self.port, rest.make_key(self.service, ["shifts:write"], kind="test", facility=shift["facilityId"])[1])
        self.noise(load, lambda: load.request("POST", "/api/shifts", shift),
                   self.owner, lambda: self.owner.post("/api/shifts", shift), OVER_QUEUE)


class PartitionQueueOnKafkaTest(OnKafka, PartitionQueueTest):
    """The log is in Kafka."""


class QueueTest(OverloadCase):
    """The database's queue is full: also a single organization's requests are refused then, and at once."""

    settings = {"database_connections": SESSIONS, "database_queue": 4}

    def test_the_queue_of_the_database(self):
        load, before, peaks = self.load(), self.service.memory(), []

        async def watched():
            running = asyncio.create_task(load.run(64, lambda: load.request("GET", "/api/shifts?limit=200"), passed(SECONDS)))
            while not running.done():
                peaks.append(self.service.memory())
                await asyncio.sleep(0.1)
            await running
        asyncio.run(watched())
        print(f"{load.statuses}, taken in {told(load.seconds)}, {statistics.median(load.overtaken)} in between")
        self.check_memory(before, peaks)
        self.assertLess(max(load.seconds), PATIENCE_SECONDS)
        self.assertEqual(set(load.statuses), {200, 503})
        self.assertEqual(load.wrong, [])
        self.assertGreater(self.service.metrics()["workforce_database_jobs_refused_total"], 0)
        self.check_recovered()


class BodiesTest(OverloadCase):
    """Bodies that never end, as many as the memory for bodies would hold."""

    BODY = 256 * 1024
    ROOM = 64 << 20
    SIZES = [BODY] * (ROOM // BODY) + [61] * 6  # the small ones fill what is left

    def unfinished(self, key, size):
        """A connection whose request lacks its last byte."""
        connection = self.enterContext(socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS))
        credential = f"Authorization: Bearer {key}\r\n" if key else ""
        with contextlib.suppress(ConnectionError):  # it may have its answer already
            connection.sendall(f"POST /api/shifts HTTP/1.1\r\nHost: x\r\n{credential}Content-Type: application/json\r\n"
                               f"Content-Length: {size}\r\n\r\n".encode())
            connection.sendall(b" " * (size - 1))
        return connection

    @staticmethod
    def refusal_of(connection):
        """Status and code of the answer, if there is one by now."""
        connection.setblocking(False)
        try:
            text = connection.recv(65536).decode()
        except BlockingIOError:
            return None
        return int(text.split(" ", 2)[1]), json.loads(text.partition("\r\n\r\n")[2])["error"]["code"]

    def test_without_a_key(self):
        held = [self.unfinished("svc_live_nonsense" if i % 2 else "", size) for i, size in enumerate(self.SIZES)]
        for _ in range(20):
            self.check(self.owner.post("/api/shifts", shift_of(self.service)), 201)
        self.assertEqual({support.wait_until(lambda of=connection: self.refusal_of(of), 30, "it is answered")
                          for connection in held},
                         {(401, "UNAUTHENTICATED"), (401, "INVALID_API_KEY")})
        self.check_recovered()

    def test_with_the_key_of_another(self):
        key = self.service.demo["keys"]["live"]
        held = [self.unfinished(key, size) for size in self.SIZES]
        for _ in range(20):
            self.check(self.quiet.post("/api/facilities", {"name": secrets.token_hex(8)}), 201)
        self.assertLessEqual(self.service.metrics()["workforce_http_body_bytes"], self.ROOM // 2)
        refused = {answer for answer in map(self.refusal_of, held) if answer}
        self.assertIn((503, "SERVICE_UNAVAILABLE"), refused)
        self.assertLessEqual(refused, {(503, "SERVICE_UNAVAILABLE"), (408, "REQUEST_TIMEOUT")})
        for connection in held:
            connection.close()
        self.check_recovered()


class ConnectionsTest(OverloadCase):
    """More connections than may be, in a process that has few file descriptors."""

    settings = {"open_files": OPEN_FILES, "max_connections": CONNECTIONS}

    async def open_all(self, count):
        """Opens connections that ask for nothing; those that were told something, and those that were closed."""
        told, closed, kept = [], 0, []
        for _ in range(count):
            kept.append(await asyncio.open_connection("127.0.0.1", self.port))
        # One that is served says nothing: a request that it answers shows that it was not refused.
        for reader, writer in kept:
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            try:
                told.append(await Load.answer(reader))
            except (ConnectionError, asyncio.IncompleteReadError):
                closed += 1
        metrics = await asyncio.to_thread(self.service.metrics)
        ready = await asyncio.to_thread(support.wait_until, self.service.ready, 30, "others need not notice")
        for _, writer in kept:
            writer.close()
        return told, closed, metrics, ready

    def test_more_connections_than_may_be(self):
        for _ in range(3):
            told, closed, metrics, ready = asyncio.run(self.open_all(2 * OPEN_FILES))
            served = [status for status, *_ in told if status == 200]
            refused = [answer for answer in told if answer[0] != 200]
            print(f"{len(served)} served, {len(refused)} told 503, {closed} closed")
            self.assertTrue(0 < len(served) <= CONNECTIONS)
            self.assertTrue(refused, "nobody was told")
            self.assertTrue(all(is_refusal(*answer) for answer in refused), refused[:1])
            self.assertGreaterEqual(metrics["workforce_http_connections_refused_total"], len(refused))
            self.assertTrue(ready, "others need not notice")
            self.check_recovered()
        log = self.service.tail(10_000)
        affordable = int(re.search(r'"msg":"serving".*"connections":(\d+)', log)[1])
        self.assertTrue(0 < affordable < CONNECTIONS, log)
        self.assertNotIn("could not be accepted", log)
