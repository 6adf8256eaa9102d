# The write side holds next to nothing in memory: all is looked up in the read models, and all must be as ever.

import json
import unittest
import urllib.error
import urllib.request

import support
import test_roster

SMALL_ROSTER = "n030w4"


class LittleMemory:
    """Mixed into a support.ServiceCase, ahead of it."""

    ENVIRONMENT = {"WORKFORCE_MEMORY_AGGREGATES": "10"}


class RosterInLittleMemoryTest(LittleMemory, test_roster.RosterTest):
    """A roster played by clients of a service that remembers ten resources."""

    ROSTERS = test_roster.DEFAULT_ROSTERS[:1]

    def test_it_did_forget(self):
        metrics = self.service.metrics()
        self.assertGreater(metrics["workforce_memory_evicted"], self.report["shifts"])
        self.assertGreater(metrics["workforce_memory_looked_up"], 0)


class KillInLittleMemoryTest(LittleMemory, test_roster.KillTest):
    """Service and Postgres are killed meanwhile. Rows of read models that a crash of Postgres loses are not decided on."""

    ROSTER = SMALL_ROSTER
    KILLS = ((0.02, "postgres"), (0.1, "service"), (0.2, "postgres"), (0.35, "postgres"), (0.5, "service"),
             (0.7, "postgres"), (0.9, "service"))


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
        self.assertEqual(metrics["workforce_memory_answers"], 0)

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
