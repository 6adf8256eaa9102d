# kill -9 between the steps of making and of renewing an API key: no secret works that its owner does not know, a retry with the
# same idempotency key shows the one that does, and the log has none.

import contextlib
import hashlib
import http.client
import random
import secrets
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import rest
import support
from kafka_cluster import OnKafka

KEYS = "/api/api-keys"
SEED = 20261123
KILLS = 5  # at random moments
CREATE = {"name": "suite", "scopes": ["staff:read"]}
# Steps by what holds them back: a lock, and the statement that waits for it.
STORE = ("LOCK TABLE auth.shown_secret IN SHARE MODE", "INSERT INTO auth.shown_secret")
APPEND = ("LOCK TABLE log.event IN SHARE MODE", "log.event")
MARK = ("SELECT FROM auth.api_key_secret WHERE key_id = {key} FOR UPDATE", "SET valid_until = e.until")


class KeyCrashesTest(rest.RestCase, support.ServiceCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.nobody = rest.Client(cls.service.demo["baseUrl"])
        cls.admin = cls.nobody.with_key(cls.service.command("token", "super.admin@platform.example.com").strip())
        cls.demo = set(cls.digests())
        cls.sender = cls.enterClassContext(ThreadPoolExecutor(1))

    def setUp(self):
        self.known = {}  # tokens by key
        self.seen = set()  # digests that were stored at some time

    @classmethod
    def digests(cls):
        return [digest for (digest,) in cls.service.postgres.psql("SELECT encode(digest, 'hex') FROM auth.api_key_secret")]

    def begin(self, path, body, headers):
        """Sends a request on another thread; its future has the answer, or None where the process died before it came."""
        def send():
            with contextlib.suppress(OSError, http.client.HTTPException):
                return self.admin.post(path, body, headers)
            return None
        return self.sender.submit(send)

    def die_and_come_back(self, begun, release):
        """Kills the process, ends what held it back, and returns what the request was told, with the process back again."""
        self.service.kill9()
        answer = begun.result(support.COMMAND_SECONDS)
        self.sender.submit(self.admin.close).result()
        self.seen.update(self.digests())
        release()
        for client in (self.admin, self.nobody):
            client.close()
        self.service.start_at_once()
        return answer

    def check_retry(self, path, body, headers, told):
        """The retry gets the answer that the first request got or would have got, whose secret works. Returns it."""
        status = 201 if path == KEYS else 200
        made = self.check(self.admin.post(path, body, headers), status)
        if told is not None and told.status == status:
            self.assertEqual(told.body["key"], made["key"])
        again = self.admin.post(path, body, headers)
        self.assertEqual((self.check(again, status)["key"], again.headers["Idempotency-Replayed"]), (made["key"], "true"))
        self.known.setdefault(made["id"], []).append(made["key"])
        self.check_works(made["key"])
        return made

    def check_works(self, token):
        support.wait_until(lambda: self.nobody.get("/api/auth/me", {"Authorization": f"Bearer {token}"}).status == 200,
                           support.READY_SECONDS, "the secret works")

    def waits(self, statement):
        """Whether a session waits for a lock to do that."""
        return int(self.service.postgres.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                                               f"position('{statement}' IN query) > 0"))

    def crash_at(self, step, path, body=None, key=0):
        """Sends a request and kills the process while it is at that step; returns what the retry is answered."""
        lock, statement = step
        session = support.Session(self.service.postgres)
        session.execute("BEGIN; " + lock.format(key=key))
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        begun = self.begin(path, body, headers)
        support.wait_until(lambda: self.waits(statement), support.READY_SECONDS, f"it is at {statement}")
        def release():
            if step == APPEND:  # which is lost with the process; what waits elsewhere is done once it may
                self.service.postgres.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            session.close()
        return self.check_retry(path, body, headers, self.die_and_come_back(begun, release))

    def crash_after(self, seconds, path, body=None):
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        begun = self.begin(path, body, headers)
        time.sleep(seconds)
        return self.check_retry(path, body, headers, self.die_and_come_back(begun, lambda: None))

    def check_end(self):
        """Once all is settled, the secrets that are stored are those that were shown; and none was ever in the log. Returns the
        digests of those that came to nothing."""
        postgres = self.service.postgres
        postgres.psql("UPDATE auth.api_key_secret SET created_at = created_at - interval '2 minutes' WHERE settled_at IS NULL")
        support.wait_until(lambda: postgres.value("SELECT count(*) FROM auth.api_key_secret WHERE settled_at IS NULL") == "0",
                           support.READY_SECONDS, "all is settled")
        tokens = [token for of_key in self.known.values() for token in of_key]
        shown = {hashlib.sha256(token.encode()).hexdigest() for token in tokens}
        self.assertEqual(set(self.digests()) - self.demo, shown)
        for key, of_key in self.known.items():
            record = self.check(self.admin.get(f"{KEYS}/{key}"), 200)
            self.assertEqual([secret["last4"] for secret in record["secrets"]], [token[-4:] for token in reversed(of_key)])
        for token in tokens:
            self.check_works(token)
        needles = tokens + sorted(self.seen | shown)
        self.assertFalse(any(self.service.log_text_hits(needles).values()))
        self.assertEqual(support.clear_text_hits(postgres, "auth.shown_secret", tokens), [])
        type(self).demo |= shown
        return self.seen - self.demo

    def steps(self, renewal):
        return [STORE, APPEND, *([MARK] if renewal else [])]

    def test_at_each_step(self):
        made = [self.crash_at(step, KEYS, CREATE) for step in self.steps(False)][-1]
        for step in self.steps(True):
            self.crash_at(step, f"{KEYS}/{made['id']}/rotate", key=made["id"])
        self.assertEqual(len(self.check_end()), 2 * self.steps(False).count(APPEND), "stored, and never appended")

    def test_at_any_moment(self):
        moments = random.Random(SEED)
        began = time.monotonic()
        made = self.check(self.admin.post(KEYS, CREATE), 201)
        usual = time.monotonic() - began
        self.known[made["id"]] = [made["key"]]
        for number in range(KILLS):
            if number % 2:
                self.crash_after(moments.uniform(0, 1.5 * usual), f"{KEYS}/{made['id']}/rotate")
            else:
                made = self.crash_after(moments.uniform(0, 1.5 * usual), KEYS, CREATE)
        self.check_end()


class KeyCrashesOnKafkaTest(OnKafka, KeyCrashesTest):

    def steps(self, renewal):
        return [step for step in super().steps(renewal) if step != APPEND]  # which no lock holds back


if __name__ == "__main__":
    unittest.main()
