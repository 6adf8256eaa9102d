# Limits of API keys: exact over several processes, whatever becomes of one of them, and as the specification's headers say.

import collections
import concurrent.futures
import http.client
import json
import socket
import threading
import time
import unittest
from urllib.parse import urlsplit

import cluster
import rest
import support

WINDOW = 4  # seconds
CALM = 20  # where a window is to hold all that a test asks, however slow the machine is
ME = "/api/auth/me"
CLIENTS = 20
WINDOWS = 3 if support.LONG else 2  # that are looked at


def setUpModule():
    global installation, apis, calm
    postgres = unittest.enterModuleContext(support.Postgres())
    installation = unittest.enterModuleContext(cluster.Cluster(postgres))
    installation.start("workers")
    apis = installation.start("api", "api", **LIMITS)
    calm = installation.start("api", "api", **LIMITS | {"WORKFORCE_RATE_WINDOW_SECONDS": str(CALM)})


PAT_MAX = 90
LIMITS = {"WORKFORCE_LEAST_RATE_LIMIT": "0", "WORKFORCE_RATE_WINDOW_SECONDS": str(WINDOW),
          "WORKFORCE_PAT_MAX_RATE_LIMIT": str(PAT_MAX)}


class Crowd:
    """Clients that ask without a pause, half of them one process and half another, until they are told to stop."""

    def __init__(self, members, key):
        self._members, self._key = members, key
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self.answers = collections.defaultdict(collections.Counter)  # by the window's end: how many of each status
        self.seen = {member: 0 for member in members}  # the last window's end that the process told

    def __enter__(self):
        self._pool = concurrent.futures.ThreadPoolExecutor(CLIENTS)
        self._asking = [self._pool.submit(self._ask, self._members[n % 2]) for n in range(CLIENTS)]
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._pool.shutdown()
        for each in self._asking:
            each.result()

    def _ask(self, member):
        client = member.client(self._key)
        while not self._stop.is_set():
            try:
                answer = client.get(ME)
            except (OSError, http.client.HTTPException):
                return  # it was killed
            end = int(answer.headers["X-RateLimit-Reset"])
            with self._lock:
                self.answers[end][answer.status] += 1
                self.seen[member] = max(end, self.seen[member])
            if answer.status == 429:
                time.sleep(0.25)

    def windows(self):
        """How many were let in, by the window's end, in order of time."""
        with self._lock:
            return [counts[200] for _, counts in sorted(self.answers.items())]

    def statuses(self):
        return {status for counts in self.answers.values() for status in counts}


class RateLimitsTest(rest.RestCase):

    def granted(self):
        return sum(member.metrics()["workforce_key_requests_granted_total"] for member in apis)

    def key(self, limit, scopes="staff:read", **options):
        """The token of a new key with that limit."""
        return self.make_key(limit, scopes, **options)["key"]

    def make_key(self, limit, scopes="staff:read", **options):
        more = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        made = installation.command("keys", "create", "--name", "limits", "--scopes", scopes, "--rate-limit", limit,
                                    "--organization", installation.demo["organizationId"], *more)
        rest.wait_for_key(installation, json.loads(made)["id"])
        return json.loads(made)

    def check_crowd(self, members, limit, windows=WINDOWS):
        """In each window of the key as many are let in as may be."""
        with Crowd(members, self.key(limit)) as crowd:
            support.wait_until(lambda: len(crowd.answers) > windows, 60, "some windows have passed")
        self.assertEqual(crowd.statuses(), {200, 429})
        self.assertEqual(crowd.windows()[:windows], [limit] * windows)

    def let_in(self, client, requests):
        """How many of so many requests, one after another, are let in."""
        return sum(client.get(ME).status == 200 for _ in range(requests))

    def test_the_command_line_gives_a_personal_token_no_more_than_is_configured(self):
        owner = {"type": "pat", "user": installation.postgres.value(
            "SELECT id FROM read.user_account WHERE email = 'admin@demo.example.com'")}
        self.make_key(PAT_MAX, **owner)
        self.make_key(PAT_MAX + 1)
        with self.assertRaises(AssertionError):
            self.make_key(PAT_MAX + 1, **owner)

    def test_all_processes_together_let_in_the_limit(self):
        self.check_crowd(apis, 40)

    def test_a_process_that_is_killed_costs_its_lease_at_most(self):
        limit = 100
        victim, = installation.start("api", **LIMITS)
        with Crowd((apis[0], victim), self.key(limit)) as crowd:
            support.wait_until(lambda: crowd.seen[victim], 60, "the first window is open")
            first = crowd.seen[victim]
            support.wait_until(lambda: crowd.seen[victim] > first, 60, "the second one is")
            victim.kill9()
            killed = len(crowd.answers)
            support.wait_until(lambda: len(crowd.answers) > killed + 2, 60, "two more have passed")
        windows = crowd.windows()[:-1]
        print(f"kill -9 of one process: {windows} of {limit} a window, {limit - windows[killed - 1]} fewer")
        self.assertLessEqual(max(windows), limit)
        self.assertEqual(windows[killed:], [limit] * len(windows[killed:]), "what the process had died with its window")

    @unittest.skipUnless(support.Clock.LIBRARY, "libfaketime is not installed")
    def test_a_process_whose_clock_is_wrong_lets_in_no_more(self):
        clock = support.Clock(installation.postgres.directory / "clock")
        wrong, = installation.start("api", **LIMITS, **clock.env)
        clock.set(-3600)
        support.wait_until(lambda: not wrong.readiness()[1]["clock"]["ok"], 30, "its clock is an hour behind")
        self.check_crowd((apis[0], wrong), 30, windows=2)
        client, before = wrong.client(self.key(5)), time.time()
        end = int(client.get(ME).headers["X-RateLimit-Reset"]) - WINDOW
        self.assertTrue(before - 1 <= end <= time.time() + 1, "the database's clock says when the window ends")
        wrong.kill9()

    def test_what_one_process_does_not_use_another_lets_in(self):
        token = self.key(40)
        one, other = (member.client(token) for member in calm)
        end = one.get(ME).headers["X-RateLimit-Reset"]
        let_in = []
        # A request waits for what the first process gives back, but on a busy machine not always long enough.
        support.wait_until(lambda: let_in.append(self.let_in(other, 39 - sum(let_in))) or sum(let_in) == 39, 30, "the other one lets in the rest")
        refused = other.get(ME)
        self.check_refused(refused, 429, "API_KEY_RATE_LIMITED")
        self.assertEqual(refused.headers["X-RateLimit-Reset"], end, "all in one window")

    def test_a_process_that_stops_gives_back_what_it_has(self):
        made = self.make_key(40)
        stopping, = installation.start("api", **LIMITS | {"WORKFORCE_RATE_WINDOW_SECONDS": "60"})
        self.check(stopping.client(made["key"]).get(ME), 200)
        stopping.stop()
        granted = installation.postgres.value(f"SELECT granted FROM ops.rate_limit WHERE key_id = {made['id']}")
        self.assertEqual(granted, "1")

    def refused_once(self):
        """A write with an idempotency key that is over the limit, and what sends it again."""
        client, body = calm[0].client(self.key(1, "staff:write")), {"firstName": "L", "lastName": "Ate", "email": "late@example.test"}
        self.check(client.get(ME), 200)
        refused = client.post("/api/staff", body, {"Idempotency-Key": "late"})
        self.check_refused(refused, 429, "API_KEY_RATE_LIMITED")
        return refused, lambda: client.post("/api/staff", body, {"Idempotency-Key": "late"})

    def test_headers_and_the_refusal(self):
        client = calm[0].client(self.key(3))
        before = time.time()
        for left in (2, 1, 0):
            answer = client.get(ME)
            self.check(answer, 200)
            self.assertEqual({name: answer.headers[f"X-RateLimit-{name}"] for name in ("Limit", "Remaining", "Window", "Policy")},
                             {"Limit": "3", "Remaining": str(left), "Window": f"{CALM}s", "Policy": f"3;w={CALM}"})
            self.assertLess(abs(int(answer.headers["X-RateLimit-Reset"]) - before - CALM), CALM)
            self.assertNotIn("Retry-After", answer.headers)
        refused = client.get(ME)
        self.check_refused(refused, 429, "API_KEY_RATE_LIMITED")
        self.assertEqual([refused.headers[f"X-RateLimit-{name}"] for name in ("Limit", "Remaining", "Window", "Policy")],
                         ["3", "0", f"{CALM}s", None])
        over, once = self.refused_once()
        wait = int(refused.headers["Retry-After"])
        self.assertTrue(1 <= wait <= CALM, wait)
        time.sleep(max(wait, int(over.headers["Retry-After"])))
        self.assertEqual(client.get(ME).headers["X-RateLimit-Remaining"], "2", "a window opens at its first request")
        made = once()
        self.check(made, 201)
        self.assertNotIn("Idempotency-Replayed", made.headers, "what is over the limit is not kept")

    def test_refusals_count_and_tell_the_limit_too(self):
        client = calm[0].client(self.key(20))
        for left, (answer, status) in enumerate((
                (client.get("/api/nothing"), 404), (client.delete("/api/staff"), 405), (client.get("/api/shifts/1"), 403),
                (client.get(ME, {"Service-Version": "2020-01-01"}), 400), (client.get("/api/staff/x"), 400),
                (client.send("GET", "/api/staff/999999999"), 404))):
            self.assertEqual((answer.status, answer.headers["X-RateLimit-Remaining"]), (status, str(19 - left)), str(answer))
        for answer in (client.get("/api/scopes"), client.with_key("svc_live_none").get(ME), client.with_key(None).get(ME)):
            self.assertNotIn("X-RateLimit-Limit", answer.headers, str(answer))

    def test_a_body_that_is_refused_as_it_comes_counts_too(self):
        """Its length is not known before, so that the key was checked."""
        token = self.key(20, "staff:write")
        address = urlsplit(calm[0].url)
        with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
            connection.sendall(f"POST /api/staff HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
                               "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            time.sleep(0.2)  # the head comes alone
            connection.sendall(b"40000\r\n" + b" " * 0x40000 + b"\r\n40000\r\n")
            response = http.client.HTTPResponse(connection, method="POST")
            response.begin()
            refused = rest.Answer("a body in chunks", response)
        self.check_refused(refused, 413, "PAYLOAD_TOO_LARGE")
        self.assertEqual((refused.headers["X-RateLimit-Limit"], refused.headers["X-RateLimit-Remaining"]), ("20", "19"))
        self.assertEqual(calm[0].client(token).get(ME).headers["X-RateLimit-Remaining"], "18")

    def test_a_limit_that_is_lowered_holds_within_a_second(self):
        """And no answer tells of more than it allows, in any process."""
        made = self.make_key(60)
        clients = [member.client(made["key"]) for member in calm]
        for client in clients:
            self.check(client.get(ME), 200)
        operator = calm[0].client(installation.command("token", "super.admin@platform.example.com").strip())
        self.check(operator.patch(f"/api/api-keys/{made['id']}?orgUnitId={installation.demo['organizationId']}",
                                  {"rateLimitPerMin": 3}), 200)
        told = []

        def lowered():
            told.extend(client.get(ME) for client in clients)
            return all(answer.headers["X-RateLimit-Limit"] == "3" for answer in told[-len(clients):])
        support.wait_until(lowered, 30, "both processes know the limit")
        for answer in told:
            self.assertLessEqual(int(answer.headers["X-RateLimit-Remaining"]), int(answer.headers["X-RateLimit-Limit"]), str(answer))
        end = told[-1].headers["X-RateLimit-Reset"]
        for client in clients * 3:
            answer = client.get(ME)
            if answer.headers["X-RateLimit-Reset"] == end:
                self.assertEqual(answer.headers["X-RateLimit-Remaining"], "0", str(answer))

    def test_a_write_counts_once_whoever_makes_it(self):
        token, body = self.key(20, "staff:write"), {"firstName": "L", "lastName": "Im", "email": "limit@example.test"}
        before = self.granted()
        for member in apis:
            answer = member.client(token).post("/api/staff", body, {"Idempotency-Key": "the first"})
            self.check(answer, 201)
            self.assertEqual(len(answer.headers.get_all("X-RateLimit-Limit")), 1, str(answer))
        self.assertEqual(self.granted() - before, 2, "a replay counts, the way to the partition's writer does not")

    def test_a_body_over_the_limit_is_refused_before_it_comes(self):
        token = self.key(3, "staff:write")
        self.assertEqual(self.let_in(calm[0].client(token), 4), 3)
        before = calm[0].metrics()["workforce_key_requests_refused_total"]
        address = urlsplit(calm[0].url)
        with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
            connection.sendall(f"POST /api/staff HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
                               "Content-Type: application/json\r\nContent-Length: 200000\r\n\r\n{".encode())
            response = http.client.HTTPResponse(connection, method="POST")
            response.begin()
            refused = rest.Answer("a head alone", response)
        self.check_refused(refused, 429, "API_KEY_RATE_LIMITED")
        self.assertEqual((refused.headers["X-RateLimit-Limit"], refused.headers["X-RateLimit-Remaining"]), ("3", "0"))
        self.assertGreaterEqual(int(refused.headers["Retry-After"]), 1)
        self.assertEqual(calm[0].metrics()["workforce_key_requests_refused_total"] - before, 1)

    def test_a_sandbox_key_has_a_space_of_its_own(self):
        live = calm[0].client(self.key(1))
        sandbox = calm[0].client(self.key(1, type="test", facility=installation.demo["facilityIds"][0]))
        self.assertEqual([self.let_in(client, 2) for client in (live, sandbox)], [1, 1])

    def test_metrics(self):
        before = calm[1].metrics()
        self.assertEqual(self.let_in(calm[1].client(self.key(10)), 12), 10)
        after = calm[1].metrics()
        grown = {name: after[f"workforce_key_{name}_total"] - before[f"workforce_key_{name}_total"]
                 for name in ("requests_granted", "requests_refused", "limit_leases")}
        self.assertEqual((grown["requests_granted"], grown["requests_refused"]), (10, 2))
        self.assertGreaterEqual(grown["limit_leases"], 1)

    def test_addresses_without_a_credential(self):
        member, = installation.start("api", WORKFORCE_ADDRESS_RATE_LIMIT="5")
        stranger = member.client(None)
        self.assertEqual([stranger.get(ME).status for _ in range(6)], [401] * 5 + [429])
        refused = stranger.get("/nothing")
        self.check_refused(refused, 429, "RATE_LIMITED")
        self.assertTrue(1 <= int(refused.headers["Retry-After"]) <= 60, str(refused))
        for path in ("/healthz", "/openapi.json", "/.well-known/api-versions"):
            self.check(stranger.get(path), 200)
        self.check(member.client().get(ME), 200)
        member.stop()

    def test_people_have_a_limit_of_their_own(self):
        member, = installation.start("api", WORKFORCE_USER_RATE_LIMIT="3")
        person = member.client(installation.command("token", "admin@demo.example.com").strip())
        self.assertEqual([person.get(ME).status for _ in range(4)], [200] * 3 + [429])
        refused = person.get(ME)
        self.check_refused(refused, 429, "RATE_LIMITED")
        self.assertNotIn("X-RateLimit-Limit", refused.headers)
        member.stop()


if __name__ == "__main__":
    unittest.main()
