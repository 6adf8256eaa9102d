# Usage after a restore and after an erasure: calls and outcomes are those that were, and what was not folded yet counts once.

import secrets
import unittest

import backups
import rest
import support

USAGE = "/api/api-usage"
FOLD_SECONDS = 60


class RestoredUsageTest(backups.BackupCase):

    @classmethod
    def setUpClass(cls):
        cls.service, _ = backups.start()
        cls.owner = rest.client_of(cls.service)

    def qualify(self, name):
        lead = self.check(self.owner.post("/api/crm/leads", {"name": name, "company": "Usage"}), 201)["id"]
        self.check(self.owner.put(f"/api/crm/leads/{lead}", {"status": "qualified"}), 200)

    def outcomes(self, client):
        return {item["outcomeType"]: item["totalCount"] for item in self.check(client.send("GET", f"{USAGE}/outcomes"), 200)["data"]}

    def figures(self, client):
        return self.check(client.send("GET", f"{USAGE}/summary"), 200)

    def wait_for(self, client, qualified):
        support.wait_until(lambda: self.outcomes(client).get("lead_qualified") == qualified, FOLD_SECONDS, f"{qualified} leads count")

    def written(self, database, request):
        """Whether the request's row is there, and with it those of all requests before."""
        return database.value(f"SELECT count(*) FROM usage.call WHERE request_id = '{request.removeprefix('req_')}'") == "1"

    def settle(self):
        last = self.owner.get("/api/facilities").headers["X-Request-Id"]
        support.wait_until(lambda: self.written(self.service.postgres, last), FOLD_SECONDS, "rows are written")

    def test_a_clone_counts_what_was_and_each_outcome_once(self):
        self.qualify("Folded")
        self.wait_for(self.owner, 1)
        self.service.command("reactors", "pause", "usage", "--reason", "a test")
        self.qualify("Not folded yet")
        self.settle()
        calls = int(self.service.postgres.value("SELECT count(*) FROM usage.call"))
        clone = self.restored(self.backup())
        self.service.command("reactors", "resume", "usage")
        self.wait_for(self.owner, 2)
        self.assertEqual(int(clone.value("SELECT count(*) FROM usage.call")), calls)
        client = rest.client_of(self.served(clone))
        self.assertEqual(self.outcomes(client), {"lead_qualified": 1})
        self.assertGreaterEqual(self.figures(client)["totalCalls"], calls)
        clone.run("reactors", "resume", check=True)
        self.wait_for(client, 2)
        self.assertEqual(self.figures(client)["outcomeCount"], 2)

    def test_an_erasure_takes_no_call_and_no_outcome(self):
        person = self.person("Forgettable" + secrets.token_hex(4))
        self.settle()
        before = self.figures(self.owner), self.outcomes(self.owner)
        self.service.command("erase", f"staff/{person['id']}", "--reason", "Asked for")
        self.service.wait_projected()
        after = self.figures(self.owner), self.outcomes(self.owner)
        self.assertGreaterEqual(after[0]["totalCalls"], before[0]["totalCalls"])
        self.assertEqual((after[0]["outcomeCount"], after[1]), (before[0]["outcomeCount"], before[1]))
        kept = self.service.postgres.psql("SELECT c::text FROM usage.call c")
        self.assertFalse([row for (row,) in kept if person["lastName"] in row or person["email"] in row])


if __name__ == "__main__":
    unittest.main()
