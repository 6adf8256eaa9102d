# Rebuilds of all read models while clients write and read: nothing fails, nothing is missing, rows come out the same.

import threading
import unittest

import rest
import support

service = None
REBUILDS = 4 if support.LONG else 2
REST_SECONDS = 0.005  # of each client between two steps: a rebuild meets some hundred of them all the same
# What of the read models' tables is not rows: owners, grants, policies, indexes, settings.
TRAITS = """SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
    SELECT format('%s %s %s %s %s', relname, relowner::regrole, relrowsecurity, reloptions, relacl) AS line
    FROM pg_class WHERE relnamespace = 'read'::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'read'
    UNION ALL SELECT p::text FROM pg_policies p WHERE schemaname = 'read') AS traits"""


def setUpModule():
    global service
    service = rest.start_service()


class Worker(threading.Thread):
    """Repeats a step until it is stopped; keeps what went wrong."""

    def __init__(self, step):
        super().__init__(daemon=True)
        self._step, self._ended, self.fault, self.steps = step, threading.Event(), None, 0

    def run(self):
        try:
            while not self._ended.wait(REST_SECONDS):
                self._step(self.steps)
                self.steps += 1
        except Exception as fault:
            self.fault = fault

    def end(self):
        self._ended.set()
        self.join(60)
        if self.fault:
            raise self.fault


class RebuildTest(rest.RestCase):
    def test_beside_clients(self):
        client = rest.client_of(service)
        _, foreign = rest.make_key(service, ["staff:read", "shifts:read"], organization=1)
        stranger = rest.client_of(service, foreign)
        made = []

        def write(number):
            body = {"firstName": f"F{number}", "lastName": "Rebuilt", "email": f"rebuilt{number}@example.test"}
            answer = client.post("/api/staff", body, headers={"Idempotency-Key": f"rebuilt-{number}"})
            self.check(answer, 201)
            person = self.check(client.get(f"/api/staff/{answer.body['id']}"), 200)
            self.assertEqual(person["email"], body["email"], "its own write")
            made.append(answer.body["id"])

        def read(number):
            known = len(made)
            if known:
                self.check(client.get(f"/api/staff/{made[number % known]}"), 200)
            everyone = [person["id"] for page in rest.pages(client, "/api/staff", limit=100) for person in page]
            self.assertEqual(set(made[:known]) - set(everyone), set(), "rows that were there are missing")
            self.check(client.get("/api/dashboard/stats"), 200)

        def look_in(number):
            if made:
                self.check_refused(stranger.get(f"/api/staff/{made[number % len(made)]}"), 404, "NOT_FOUND")
            self.assertEqual(self.check(stranger.get("/api/staff"), 200)["data"], [])

        before = service.postgres.value(TRAITS)
        workers = [Worker(write), Worker(read), Worker(read), Worker(look_in)]
        for worker in workers:
            worker.start()
        for _ in range(REBUILDS):
            steps = [worker.steps for worker in workers]
            service.command("rebuild", "--all")
            support.wait_until(lambda: all(w.fault or w.steps > s for w, s in zip(workers, steps)), 60, "clients go on")
        for worker in workers:
            worker.end()
        self.assertEqual(service.postgres.value(TRAITS), before)
        live, rebuilt = support.checksums_around_rebuild(service)
        self.assertEqual(live, rebuilt)
        support.wait_until(service.ready, support.READY_SECONDS, "it is ready")


if __name__ == "__main__":
    unittest.main()
