# The whole story of agents, by clients of its own: an event fires a trigger, whose run finds staff, assigns them and comes to a payroll approval;
# a person hears of it and approves; the run goes on to its end. Whoever tells of it tells it under one correlation id: that of the request that
# posted the shift.

import csv
import io
import json
import unittest

import approvals
import payroll
import people
import rest
import support
import webhooks

WAIT_SECONDS = 60
BUILDER, RUNS = "/api/agent-builder", "/api/agent-runs"
PLAN = [
    {"id": "who", "tool": "staff_find_available", "arguments": {"shiftId": "{{event.data.shiftId}}"}},
    {"id": "fill", "tool": "shifts_assign",
     "arguments": {"shiftId": "{{event.data.shiftId}}", "staffIds": ["{{steps.who.result.data[0].staff.id}}"]}},
    {"id": "pay", "tool": "payroll_runs_approve", "arguments": {"runId": "{{input.payrollRunId}}"}},
    {"id": "look", "tool": "payroll_runs_get", "arguments": {"runId": "{{steps.pay.result.id}}"}},
]
OUTPUT = {"shift": "{{steps.fill.result.id}}", "staff": "{{steps.fill.result.assignedStaffIds}}", "paid": "{{steps.look.result.id}}"}
# What the log has of it, but for what people are told and for what the provider says of payments.
STORY = ["shift.posted", "trigger.fired", "agent_run.queued", "agent_run.started", "agent_run.step_finished", "shift.staff_assigned",
         "shift.filled", "agent_run.step_finished", "approval.requested", "agent_run.pending_approval", "approval.approved",
         "payroll_run.payments_created", "payroll_run.approved", "payroll_run.submitted", "approval.executed", "agent_run.resumed",
         "agent_run.step_finished", "agent_run.completed", "trigger.run_ended"]
HOOKS = ["agent_run.completed", "agent_run.pending_approval", "payroll_completed", "shift_filled", "shift_posted"]
AUDIT = ["AGENT_RUN_STARTED", "APPROVAL_REQUESTED", "APPROVAL_APPROVED", "PAYROLL_RUN_APPROVED"]
service = receiving = None


def setUpModule():
    global service, receiving
    service, receiving, _ = webhooks.start()


class LoopTest(webhooks.WebhookCase, payroll.PayrollCase):

    @classmethod
    def setUpClass(cls):
        cls.service, cls.receiving, cls.owner, cls.facility = service, receiving, rest.client_of(service), service.demo["facilityIds"][0]
        cls.builder_user, cls.approver_user = (people.make_user(service, role="admin") for _ in range(2))
        cls.builder, cls.approver = (people.sign_in(service, user["email"]) for user in (cls.builder_user, cls.approver_user))
        cls.scheduler = people.take_token(service, people.make_user(service, role="scheduler")["email"])

    def build(self, **entries):
        """An agent, and its trigger."""
        agent = self.check(self.builder.post(BUILDER, {
            "name": "Closer", "allowedTools": ["staff_*", "shifts_*", "payroll_*"], "plan": PLAN, "output": OUTPUT}), 201)
        return agent, self.check(self.builder.post(f"{BUILDER}/{agent['id']}/triggers", {
            "name": "Critical shifts", "type": "event", "eventType": "shift.posted", "filter": {"urgency": "critical"},
            "input": entries}), 201)

    def run_once(self, trigger, status):
        """The one run that the trigger started, once it stands so."""
        def look():
            found = self.check(self.builder.get(RUNS, triggerId=trigger["id"]), 200)["data"]
            return found[0] if len(found) == 1 and found[0]["status"] == status else None
        return support.wait_until(look, WAIT_SECONDS, f"a run of trigger {trigger['id']} is {status}")

    def test_from_an_event_to_what_everybody_tells_of_it(self):
        hook, draft = self.subscribe(), self.draft(people=2)
        agent, trigger = self.build(payrollRunId=draft["id"])
        posted = self.scheduler.post("/api/shifts", {"facilityId": self.facility, "title": "Loop", "date": "2031-08-01", "startTime": "08:00",
                                                     "endTime": "16:00", "urgency": "critical"})
        shift, root = self.check(posted, 201), posted.headers["X-Request-Id"]
        run = self.run_once(trigger, "pending_approval")
        self.assertEqual(([step["status"] for step in run["steps"]], run["runAsUserId"], run["correlationId"]),
                         (["ok", "ok", "deferred", "pending"], self.builder_user["id"], root))
        self.check_asked(run, hook)
        answer = self.check(self.approver.post(f"{approvals.LIST}/{run['approvalId']}/approve"), 200)
        self.assertEqual((answer["success"], answer["runResumed"]), (True, True), answer)
        done = self.run_once(trigger, "completed")
        staff = self.check(self.scheduler.get(f"/api/shifts/{shift['id']}"), 200)["assignedStaffIds"]
        self.assertEqual((done["id"], done["output"], [step["status"] for step in done["steps"]]),
                         (run["id"], {"shift": shift["id"], "staff": staff, "paid": draft["id"]}, ["ok"] * 4))
        self.until(draft, "paid")
        self.settle()
        by_type = self.check_log(root, done)
        self.check_webhooks(root, hook, done)
        self.check_usage(by_type, done)
        self.check_audit(root, agent, done)
        self.check_activity(shift, draft, done)

    def check_asked(self, run, hook):
        """The approval shows in the list, as a notification, and as a webhook."""
        listed = self.check(self.approver.get(approvals.LIST, status="pending", agentId=run["agentId"]), 200)["data"]
        self.assertEqual([(each["id"], each["tool"], each["runId"], each["canApprove"]) for each in listed],
                         [(run["approvalId"], "payroll_runs_approve", run["id"], True)])
        resource = f"approval:{run['approvalId']}"
        self.assertIn(("approval_requested", resource), [(each["type"], each["resource"]) for each in people.told(self.approver, 1)])
        waits, = (body for body in self.bodies(hook) if body["type"] == "agent_run.pending_approval")
        self.assertEqual((waits["data"]["approvalId"], waits["data"]["runId"]), (run["approvalId"], run["id"]))

    def check_log(self, root, run):
        """All of it, in order and once, has one correlation id; returns the events by type."""
        events = [json.loads(body) for _, _, body in service.log_records()]
        story = [event for event in events if root in (event.get("requestid"), event.get("correlationid"))]
        by_type = {event["type"]: event for event in story}
        told = [event["type"] for event in story if event["type"] in STORY]
        self.assertEqual(told, STORY)
        self.assertTrue({"notification.created", "payroll_run.paid", "timesheet.paid"} <= by_type.keys(), sorted(by_type))
        outside = [event["type"] for event in events if event not in story and event["subject"] in
                   (f"agent_run/{run['id']}", f"approval/{by_type['approval.requested']['subject'].partition('/')[2]}")]
        self.assertEqual(outside, [])
        news = [event["subject"] for event in story if event["type"] == "notification.created"]
        self.assertGreaterEqual(len(news), 2, "of the question, and of the answer")
        return by_type

    def check_webhooks(self, root, hook, run):
        told = [request for request in receiving.requests(hook["path"]) if request.headers["X-Service-Correlation"] == root]
        self.assertEqual(sorted(request.headers["X-Service-Event"] for request in told), HOOKS)
        end, = (json.loads(request.body)["data"] for request in told if request.headers["X-Service-Event"] == "agent_run.completed")
        self.assertEqual((end["runId"], end["output"], end["toolCalls"]), (run["id"], run["output"], 4))

    def check_usage(self, by_type, run):
        """A row for each call, with the outcomes of those that had one."""
        def rows():
            found = service.postgres.psql("SELECT tool, request_id::text, channel, agent FROM usage.call "
                                          f"WHERE run_id = '{run['id']}' ORDER BY occurred_at")
            return found if len(found) >= len(PLAN) else None
        calls = support.wait_until(rows, WAIT_SECONDS, "the run's calls are metered")
        self.assertEqual([(tool, channel, agent) for tool, _, channel, agent in calls],
                         [(step["tool"], "agent", "Closer") for step in PLAN])
        requests = {tool: f"req_{request}" for tool, request, _, _ in calls}
        self.assertEqual(requests["shifts_assign"], by_type["shift.filled"]["requestid"])
        self.assertEqual(requests["payroll_runs_approve"], by_type["payroll_run.approved"]["requestid"])

        def outcomes():
            answer = self.owner.send("GET", "/api/api-usage/export")
            lines = list(csv.reader(io.StringIO(answer.text, newline="")))
            names, *data = lines[lines.index([]) + 1:]
            found = [dict(zip(names, line, strict=True)) for line in data]
            told = sorted((row["outcomeType"], row["tool"], row["requestId"]) for row in found if row["outcomeType"])
            return told if len(told) >= 2 else None
        self.assertEqual(support.wait_until(outcomes, WAIT_SECONDS, "outcomes are counted"),
                         [("payroll_run", "payroll_runs_approve", requests["payroll_runs_approve"]),
                          ("shift_filled", "shifts_assign", requests["shifts_assign"])])

    def check_audit(self, root, agent, run):
        entries = self.check(self.approver.get("/api/audit-log", limit=200), 200)["data"][::-1]
        story = [entry for entry in entries if entry["metadata"].get("correlationId") == root]
        self.assertEqual([entry["action"] for entry in story], AUDIT)
        self.assertEqual(story[0]["resource"], f"agent_run:{run['id']}")
        by_agent = {"type": "agent", "id": agent["id"], "name": "Closer"}
        self.assertEqual([story[1]["actor"], story[3]["actor"]], [by_agent, by_agent])
        self.assertEqual(story[2]["actor"]["id"], self.approver_user["id"])

    def check_activity(self, shift, draft, run):
        wanted = {f"shift:{shift['id']}": ["shift.posted", "shift.staff_assigned", "shift.filled"],
                  f"approval:{run['steps'][2]['approvalId']}": ["approval.requested", "approval.approved", "approval.executed"],
                  f"payroll_run:{draft['id']}": ["payroll_run.created", "payroll_run.payments_created", "payroll_run.approved",
                                                 "payroll_run.submitted"]}
        items = self.check(self.approver.get("/api/dashboard/recent-activity", limit=100), 200)[::-1]
        for resource, actions in wanted.items():
            told = [item["action"] for item in items if item["resource"] == resource]
            self.assertEqual(told[:len(actions)], actions)


if __name__ == "__main__":
    unittest.main()
