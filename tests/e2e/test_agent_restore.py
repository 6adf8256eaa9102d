# A restored backup with runs that wait for people, and runs that were about to go on: nothing of them moves until it is told to; then each is done
# once. Triggers that are due are in test_trigger_crashes.py.

import unittest

import backups
import people
import rest
import support

BUILDER, AGENTS, RUNS = "/api/agent-builder", "/api/agents", "/api/agent-runs"
RUN_SECONDS = 60


class RestoredRunsTest(backups.BackupCase):

    @classmethod
    def setUpClass(cls):
        cls.service, _ = backups.start()
        cls.user = people.make_user(cls.service, role="admin")["email"]
        cls.admin = people.take_token(cls.service, cls.user)

    def start(self, name, wait, **more):
        """A run that adds a lead of that name."""
        agent = self.check(self.admin.post(BUILDER, {"name": name, "allowedTools": ["*"], "plan": [
            {"tool": "leads_create", "arguments": {"name": name}}], **more}), 201)
        answer = self.admin.post(f"{AGENTS}/{agent['id']}/runs", {"wait": wait})
        self.assertIn(answer.status, (200, 202), str(answer))
        return answer.body

    def leads(self, client, name):
        return len(self.check(client.get("/api/crm/leads", q=name), 200)["data"])

    def status(self, client, run):
        return self.check(client.get(f"{RUNS}/{run['id']}"), 200)["status"]

    def test_a_clone_goes_on_with_no_run_until_it_is_told_to(self):
        waits = self.start("Waits through it", 20, approvalMode="always")
        self.assertEqual(waits["status"], "pending_approval", waits)
        self.service.command("reactors", "pause", "agent_runs", "--reason", "a test")
        due = self.start("Due through it", 0)
        self.service.wait_projected()
        self.assertEqual(self.status(self.admin, due), "queued")
        clone = self.restored(self.backup())
        self.service.command("reactors", "resume", "agent_runs")
        served = self.served(clone)
        admin = rest.client_of(served, served.command("token", self.user).strip())
        approved = self.check(admin.post(f"/api/approvals/{waits['approvalId']}/approve"), 200)
        self.assertEqual((approved["success"], approved["runResumed"]), (True, True), approved)
        served.wait_projected()
        self.assertEqual((self.status(admin, waits), self.status(admin, due)), ("running", "queued"))
        self.assertEqual((self.leads(admin, "Waits through it"), self.leads(admin, "Due through it")), (1, 0))
        clone.run("reactors", "resume", check=True)
        for run in (waits, due):
            support.wait_until(lambda: self.status(admin, run) == "completed", RUN_SECONDS, f"the clone's run {run['id']} ends")
        self.assertEqual((self.leads(admin, "Waits through it"), self.leads(admin, "Due through it")), (1, 1))
        support.wait_until(lambda: self.status(self.admin, due) == "completed", RUN_SECONDS, "the original's ends")
        self.assertEqual((self.status(self.admin, waits), self.leads(self.admin, "Waits through it")), ("pending_approval", 0))


if __name__ == "__main__":
    unittest.main()
