# An official client meets a call that waits, a person decides in a session, and the client reads the result; and everything that tells
# of it tells the same. The client's program is in tests/mcp.

import json
import os
import subprocess

import approvals
import mcp
import people
import rest
import support
import webhooks
from approvals import IN_APP

PROGRAMS = support.PROJECT_ROOT / "tests" / "mcp"
NODE = support.PROJECT_ROOT / "scripts" / "node"
service = receiving = owner = None


def setUpModule():
    global service, receiving, owner
    support.run([NODE, "--version"], seconds=600)  # installs it where it is not there
    service, receiving, _ = webhooks.start()
    owner = rest.client_of(service)


class OfficialClientTest(rest.RestCase):

    def test_the_client_reads_what_a_person_let_happen(self):
        here = service.demo["facilityIds"][0]
        admin = people.make_user(service, role="admin")
        agent = approvals.Agent(service, ["staff:read", "staff:write", "agents:read"], admin["id"])
        rest.wait_for_key(service, agent.id)
        decider = people.make_user(service, role="facility_admin", facilityIds=[here])
        session = people.sign_in(service, decider["email"])
        staff = approvals.onboard(owner, facilityIds=[here])
        with subprocess.Popen([NODE, PROGRAMS / "approval1.cjs", mcp.url_of(service) + "/mcp", str(staff)], cwd=support.PROJECT_ROOT,
                              env=os.environ | {"MCP_KEY": agent.key}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as program:
            first = program.stdout.readline()
            self.assertTrue(first, program.stderr.read() if not first else "")
            waits = json.loads(first)
            self.assertFalse(waits["isError"])
            self.assertIn("Suggestion: ", waits["text"])
            id_ = waits["content"]["approvalId"]
            news, = people.told(session)
            self.assertEqual((news["type"], news["resource"]), ("approval_requested", f"approval:{id_}"))
            approved = self.check(session.post(f"{IN_APP}/{id_}/approve"), 200)
            done = json.loads(program.stdout.readline())
            self.assertEqual(program.wait(60), 0, program.stderr.read())
        self.assertEqual((done["status"], done["sessionId"]), ("approved", "approval1-session"))
        self.assertEqual(done["executionResult"], {"success": True, "result": approved["result"], "error": None})
        self.check_stories(id_, staff, decider, agent)

    def test_nobody_is_asked_about_what_is_no_call(self):
        admin = people.make_user(service, role="admin")
        agent = approvals.Agent(service, ["timesheets:approve", "payroll:run"], admin["id"])
        rest.wait_for_key(service, agent.id)
        count = "SELECT count(*) FROM read.approval"
        service.wait_projected()
        before = service.postgres.value(count)
        for ids, field in (([], "ids"), (["x"], "ids[0]"), ([0], "ids[0]"), (list(range(1, 102)), "ids")):
            failure = agent.call("timesheets_approve", timesheetIds=ids).failure
            self.assertEqual((failure["code"], [fault["field"] for fault in failure["details"]["fields"]]), ("VALIDATION_ERROR", [field]))
        self.assertEqual(agent.call("payroll_runs_approve", runId=9_000_000).failure["code"], "NOT_FOUND")
        service.wait_projected()
        self.assertEqual(service.postgres.value(count), before)

    def test_a_webhook_names_the_request_that_waited(self):
        here = service.demo["facilityIds"][0]
        admin = people.make_user(service, role="admin")
        session = people.sign_in(service, admin["email"])
        agent = approvals.Agent(service, ["timesheets:approve"], admin["id"])
        rest.wait_for_key(service, agent.id)
        self.check(owner.post(webhooks.WEBHOOKS, {"name": "Approved", "url": receiving.url("/approved"), "events": ["timesheet_approved"]}),
                   201)
        log = self.check(owner.post("/api/timesheets", {
            "staffId": approvals.onboard(owner, facilityIds=[here]), "facilityId": here, "clockIn": "2024-03-04T08:00:00Z",
            "clockOut": "2024-03-04T16:00:00Z"}), 201)
        id_ = agent.defer("timesheets_approve", timesheetIds=[log["id"]])
        self.check(session.post(f"{IN_APP}/{id_}/approve"), 200)
        first = approvals.events_of(service, f"approval/{id_}")[0]["requestid"]
        sent, = receiving.wait("/approved")
        self.assertEqual(sent.headers["X-Service-Correlation"], first)
        effect, = approvals.events_of(service, f"timesheet/{log['id']}", "--type", "timesheet.approved")
        self.assertEqual((effect["correlationid"], effect["channel"]), (first, "mcp"))

    def check_stories(self, id_, staff, decider, agent):
        requested, approved, executed = approvals.events_of(service, f"approval/{id_}")
        effect, = approvals.events_of(service, f"staff/{staff}", "--type", "staff.deactivated")
        first = requested["requestid"]
        self.assertEqual({event["correlationid"] for event in (approved, executed, effect)}, {first})
        self.assertEqual(executed["requestid"], approved["requestid"])
        service.wait_projected()
        viewer = people.operator_of(service)
        entries = [entry for entry in viewer.get("/api/audit-log", limit=200, orgUnitId=service.demo["organizationId"]).body["data"]
                   if entry["resource"] == f"approval:{id_}"]
        self.assertEqual([(entry["action"], entry["actor"]["id"]) for entry in entries],
                         [("APPROVAL_APPROVED", decider["id"]), ("APPROVAL_REQUESTED", agent.id)])
        self.assertEqual((entries[0]["metadata"]["correlationId"], entries[1]["requestId"]), (first, first))
        activity = [item for item in owner.get("/api/dashboard/recent-activity", limit=100).body
                    if item["resource"] == f"staff:{staff}"]
        self.assertEqual(activity[0]["action"], "staff.deactivated")

        def rows():
            found = service.postgres.psql("SELECT tool, channel, status_code, request_id::text FROM usage.call "
                                          f"WHERE key_id = {agent.id} AND tool = 'staff_deactivate' ORDER BY occurred_at")
            return found if len(found) >= 2 else None
        usage = support.wait_until(rows, 60, "both calls are metered")
        self.assertEqual(len(usage), 2, "the call that waited, and the one that was carried out")
        self.assertEqual({row[3] for row in usage}, {event["requestid"].removeprefix("req_") for event in (requested, effect)})
