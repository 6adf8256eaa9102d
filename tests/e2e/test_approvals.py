# Calls of tools that wait for a person, from the client's side: how they are deferred, who sees and decides them, what is carried out
# and what every other place tells of it.

import base64
import concurrent.futures
import hashlib
import json

import approvals
import mcp
import oauth
import people
import rest
import support
from approvals import IN_APP, LIST

ABSENT = 9_000_000_000
service = owner = None
here = there = 0


def setUpModule():
    global service, owner, here, there
    service = rest.start_service()
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]


def agent_of(scopes, user=None, **how):
    made = approvals.Agent(service, scopes, user, **how)
    rest.wait_for_key(service, made.id)
    return made


def onboard(**fields):
    return approvals.onboard(owner, **({"facilityIds": [here]} | fields))


def user_of(role, **fields):
    made = people.make_user(service, role=role, **fields)
    return made, people.sign_in(service, made["email"])


def is_active(staff):
    service.wait_projected()
    return owner.get(f"/api/staff/{staff}").body["isActive"]


def log_of(approval):
    return approvals.events_of(service, f"approval/{approval}")


class ApprovalsTest(rest.RestCase):

    @classmethod
    def setUpClass(cls):
        cls.admin, cls.approver = user_of("admin")
        cls.agent = agent_of(["staff:read", "staff:write", "timesheets:approve", "payroll:run", "agents:read"], cls.admin["id"])

    def approval(self, id_, client=None):
        service.wait_projected()  # others' writes may be shown later
        return self.check((client or self.approver).get(f"{LIST}/{id_}"), 200)

    def test_a_call_waits_and_is_carried_out_once(self):
        staff = onboard()
        reply = self.agent.tools.request("tools/call", {"name": "staff_deactivate", "arguments": {"staffId": staff}},
                                         headers={"Mcp-Session-Id": "session-7"})
        self.assertEqual(set(reply.content), {"status", "approvalId", "expiresAt", "tool"})
        self.assertEqual((reply.content["status"], reply.content["tool"]), ("pending_approval", "staff_deactivate"))
        self.assertIn("Suggestion: ", reply.result["content"][0]["text"])
        self.assertIn("approvals_get", reply.result["content"][0]["text"])
        self.assertTrue(is_active(staff))
        id_ = reply.content["approvalId"]
        waits = self.approval(id_)
        self.assertEqual(
            {name: waits[name] for name in ("status", "tool", "arguments", "reason", "guardrail", "guardrailId", "facilityId", "agentId", "runId",
                                            "sessionId", "origin", "resolvedBy", "resolvedAt", "executionResult",
                                            "rejectionReason", "canApprove", "isSandbox")},
            {"status": "pending", "tool": "staff_deactivate", "arguments": {"staffId": staff}, "reason": "tool_policy",
             "guardrail": None, "guardrailId": None, "facilityId": here, "agentId": None, "runId": None, "sessionId": "session-7", "origin": "mcp",
             "resolvedBy": None, "resolvedAt": None, "executionResult": None, "rejectionReason": None, "canApprove": True,
             "isSandbox": False})
        self.assertEqual(waits["requestedBy"], {"userId": self.admin["id"], "name": "Ada Byron"})
        polled = self.agent.call("approvals_get", approvalId=id_)
        self.assertEqual((polled.content["status"], polled.content["executionResult"]), ("pending", None))
        approved = self.check(self.approver.post(f"{IN_APP}/{id_}/approve"), 200)
        self.assertEqual((approved["success"], approved["runResumed"], "error" in approved), (True, False, False))
        self.assertEqual((approved["result"]["id"], approved["result"]["isActive"]), (staff, False))
        self.assertFalse(is_active(staff))
        service.wait_projected()
        done = self.agent.call("approvals_get", approvalId=id_).content
        self.assertEqual((done["status"], done["executionResult"]),
                         ("approved", {"success": True, "result": approved["result"], "error": None}))
        self.assertEqual(done["resolvedBy"]["userId"], self.admin["id"])
        for path, status in ((IN_APP, 400), (LIST, 409)):
            for verb in ("approve", "reject"):
                again = self.approver.post(f"{path}/{id_}/{verb}")
                self.check_refused(again, status, "ALREADY_RESOLVED")
                self.assertEqual(again.details["status"], "approved")

    def test_a_session_that_is_no_text(self):
        """What a client calls its session is only noted, whatever its bytes."""
        waits = self.agent.defer(staffId=onboard(), headers={"Mcp-Session-Id": "a\xff\x80"})
        self.assertEqual(self.approval(waits)["sessionId"], "a\ufffd\ufffd")

    def test_everybody_tells_the_same_story(self):
        staff = onboard()
        other, _ = user_of("facility_admin", facilityIds=[here])
        told_by = people.sign_in(service, other["email"])
        id_ = self.agent.defer(staffId=staff)
        news, = people.told(told_by)  # who decides later; of what is decided nobody hears that it waits
        self.assertEqual((news["type"], news["resource"]), ("approval_requested", f"approval:{id_}"))
        self.check(told_by.post(f"{LIST}/{id_}/approve"), 200)
        requested, approved, executed = log_of(id_)
        self.assertEqual([event["type"] for event in (requested, approved, executed)],
                         ["approval.requested", "approval.approved", "approval.executed"])
        line, = service.command("tap", "--from", "start", "--until-idle", "--aggregate", f"staff/{staff}", "--type",
                                "staff.deactivated").splitlines()
        effect = json.loads(line)
        first = requested["requestid"]
        self.assertEqual(effect["correlationid"], first)
        self.assertNotIn(effect["requestid"], (first, approved["requestid"]))
        self.assertEqual((effect["channel"], effect["verb"]), ("mcp", "staff.deactivate"))
        for name in ("actortype", "actorid", "actoruser"):
            self.assertEqual(effect[name], requested[name])
        support.wait_until(lambda: ("approval_resolved", f"approval:{id_}") in [
            (each["type"], each["resource"]) for each in people.told(self.approver)], 60, "whoever asked is told")
        service.wait_projected()
        entries = [entry for entry in self.approver.get("/api/audit-log", limit=200).body["data"]
                   if entry["resource"] == f"approval:{id_}"]
        self.assertEqual([entry["action"] for entry in entries], ["APPROVAL_APPROVED", "APPROVAL_REQUESTED"])
        self.assertEqual(entries[0]["metadata"]["selfApproved"], False)
        self.assertEqual(entries[0]["actor"]["id"], other["id"])

    def test_a_call_is_refused_before_it_waits(self):
        self.assertEqual(self.agent.call("staff_deactivate", staffId=ABSENT).failure["code"], "NOT_FOUND")
        self.assertEqual(self.agent.call("staff_deactivate", staffId="x").error["code"], mcp.INVALID_PARAMS)
        self.assertEqual(self.agent.call("staff_deactivate").error["code"], mcp.INVALID_PARAMS)
        reader = agent_of(["staff:read"], self.admin["id"])
        denied = reader.call("staff_deactivate", staffId=onboard())
        self.assertEqual((denied.error["code"], denied.error["data"]["code"]), (mcp.DENIED, "INSUFFICIENT_SCOPE"))
        weak = agent_of(["staff:write"], self.admin["id"], tier="standard")
        denied = weak.call("staff_deactivate", staffId=onboard())
        self.assertEqual(denied.error["data"]["code"], "TIER_REQUIRED")
        away = agent_of(["staff:write"], facility=there)
        self.assertEqual(away.call("staff_deactivate", staffId=onboard()).failure["code"], "NOT_FOUND")

    def test_the_state_is_judged_when_it_is_carried_out(self):
        staff = onboard()
        id_ = self.agent.defer(staffId=staff)
        shift = owner.post("/api/shifts", {"facilityId": here, "title": "Late", "date": "2031-01-01", "startTime": "08:00",
                                           "endTime": "12:00", "requiredWorkers": 1, "assignedStaffIds": [staff]})
        self.check(shift, 201)
        failed = self.check(self.approver.post(f"{IN_APP}/{id_}/approve"), 200)
        self.assertEqual((failed["success"], failed["runResumed"], failed["result"]), (False, False, None))
        self.assertTrue(failed["error"].startswith("STAFF_HAS_FUTURE_SHIFTS: "), failed)
        self.assertTrue(is_active(staff))
        shown = self.approval(id_)
        self.assertEqual((shown["status"], shown["executionResult"]["success"], shown["executionResult"]["error"]),
                         ("approved", False, failed["error"]))
        _, viewer = user_of("viewer")
        self.assertEqual(self.approval(id_, viewer)["executionResult"],
                         {"success": False, "result": None, "error": "STAFF_HAS_FUTURE_SHIFTS"})
        self.assertEqual([event["type"] for event in log_of(id_)][1:], ["approval.approved", "approval.execution_failed"])

    def test_who_asked_and_has_no_rights_any_more_makes_the_execution_fail(self):
        user, _ = user_of("admin")
        agent = agent_of(["staff:write"], user["id"])
        staff = onboard()
        first, second = agent.defer(staffId=staff), agent.defer(staffId=staff)
        self.check(owner.patch(f"/api/users/{user['id']}", {"role": "viewer"}), 200)
        failed = self.check(self.approver.post(f"{IN_APP}/{first}/approve"), 200)
        self.assertEqual((failed["success"], failed["error"].split(":")[0]), (False, "FORBIDDEN"))
        self.check(owner.delete(f"/api/users/{user['id']}"), 200)
        failed = self.check(self.approver.post(f"{IN_APP}/{second}/approve"), 200)
        self.assertFalse(failed["success"])
        # The role of before may be known for a second longer than the user: either is why.
        self.assertIn(failed["error"].split(":")[0], ("UNAUTHENTICATED", "FORBIDDEN"))
        self.assertTrue(is_active(staff))

    def test_a_call_is_rejected_or_withdrawn(self):
        alone = agent_of(["staff:write"])  # nobody stands behind it
        first, second = alone.defer(staffId=onboard()), alone.defer(staffId=onboard())
        _, other = user_of("facility_admin", facilityIds=[here])
        rejected = self.check(other.post(f"{LIST}/{first}/reject", {"reason": "Not now"}), 200)
        self.assertEqual((rejected["status"], rejected["rejectionReason"], rejected["executionResult"]),
                         ("rejected", "Not now", None))
        withdrawn = self.check(alone.rest.post(f"{IN_APP}/{second}/reject"), 200)
        self.assertEqual((withdrawn["status"], withdrawn["rejectionReason"]), ("rejected", "withdrawn"))
        self.check_refused(alone.rest.post(f"{IN_APP}/{second}/approve"), 403, "SELF_APPROVAL_FORBIDDEN")

    def test_ids_are_looked_at_before_rights_and_rights_before_the_state(self):
        for id_ in ("0", "-1", "x", "1.5", str(2**63), "9" * 30, "%20"):
            refused = self.approver.post(f"{IN_APP}/{id_}/approve")
            self.check_refused(refused, 400, "ALREADY_RESOLVED")
            self.assertEqual(refused.details, {"reason": "invalid_id"})
            self.check_refused(self.approver.post(f"{LIST}/{id_}/approve"), 400, "VALIDATION_ERROR")
        self.check_refused(self.approver.post(f"{IN_APP}/{ABSENT}/approve"), 404, "NOT_FOUND")
        alone = agent_of(["staff:write"])
        id_ = alone.defer(staffId=onboard())
        self.check(alone.rest.post(f"{IN_APP}/{id_}/reject"), 200)
        self.check_refused(alone.rest.post(f"{IN_APP}/{id_}/approve"), 403, "SELF_APPROVAL_FORBIDDEN")
        _, elsewhere = user_of("facility_admin", facilityIds=[there])
        self.check_refused(elsewhere.post(f"{IN_APP}/{id_}/approve"), 404, "NOT_FOUND")

    def test_a_list_has_what_its_caller_sees(self):
        mine = agent_of(["staff:write"], facility=here)
        id_ = mine.defer(staffId=onboard())
        self.assertEqual(self.approval(id_, mine.rest)["requestedBy"]["userId"], 0)
        self.check_refused(mine.rest.get(LIST), 403, "INSUFFICIENT_SCOPE")
        self.check_refused(agent_of(["staff:write"], facility=here).rest.get(f"{LIST}/{id_}"), 403, "INSUFFICIENT_SCOPE")
        listed = self.check(self.approver.get(LIST, status="pending", limit=200), 200)
        self.assertIn(id_, [row["id"] for row in listed["data"]])
        own = self.check(self.agent.rest.get(LIST, mine="true", limit=200), 200)
        self.assertNotIn(id_, [row["id"] for row in own["data"]])
        _, elsewhere = user_of("facility_admin", facilityIds=[there])
        self.assertNotIn(id_, [row["id"] for row in self.check(elsewhere.get(LIST, limit=200), 200)["data"]])
        self.check_refused(elsewhere.get(f"{LIST}/{id_}"), 404, "NOT_FOUND")
        names = {tool["name"] for tool in mine.tools.request("tools/list").result["tools"]}
        self.assertIn("approvals_get", names)
        self.assertNotIn("approvals_list", names)

    def test_contents_are_for_those_who_may_call_the_tool(self):
        staff = onboard()
        _, viewer = user_of("viewer")
        reader = agent_of(["agents:read"])
        _, decider = user_of("facility_admin", facilityIds=[here])
        id_ = self.agent.defer(staffId=staff)

        def seen_by():
            service.wait_projected()
            listed = {row["id"]: row for row in self.check(viewer.get(LIST, limit=200), 200)["data"]}
            polled = reader.call("approvals_list", limit=200).content["data"]
            return [self.check(viewer.get(f"{LIST}/{id_}"), 200), listed[id_], reader.call("approvals_get", approvalId=id_).content,
                    {row["id"]: row for row in polled}[id_]]
        for shown in seen_by():
            self.assertEqual((shown["tool"], shown["status"], shown["arguments"]), ("staff_deactivate", "pending", {}))
        self.check(decider.post(f"{IN_APP}/{id_}/approve"), 200)
        for shown in seen_by():
            self.assertEqual((shown["arguments"], shown["executionResult"]), ({}, {"success": True, "result": None, "error": None}))
        for knows in (decider, self.approver, self.agent.rest):
            self.assertEqual(self.approval(id_, knows)["arguments"], {"staffId": staff})
            self.assertEqual(self.approval(id_, knows)["executionResult"]["result"]["id"], staff)

    def test_approvers_hear_of_a_flood_once(self):
        other, _ = user_of("facility_admin", facilityIds=[here])
        session = people.sign_in(service, other["email"])
        agent = agent_of(["staff:write"])
        staff = onboard()
        service.command("reactors", "pause", "approvals", "--reason", "a flood")
        waiting = [agent.defer(staffId=staff) for _ in range(22)]
        service.wait_projected()
        service.command("reactors", "resume", "approvals")

        def all_told():
            listed = json.loads(service.command("reactors", "--json"))["reactors"]
            return all(each["lag"] == 0 and each["pending"] == 0 for each in listed if each["name"] == "approvals")
        support.wait_until(all_told, 60, "nobody is to be told any more")
        service.wait_projected()
        news = {each["resource"] for each in people.told(session, 0)}
        self.assertEqual(news & {f"approval:{each}" for each in waiting}, {f"approval:{each}" for each in waiting[:20]})

    def test_one_of_many_wins(self):
        staff = onboard()
        id_ = self.agent.defer(staffId=staff)
        deciders = [user_of("facility_admin", facilityIds=[here])[1] for _ in range(4)]

        def decide(n):
            return deciders[n % 4].post(f"{IN_APP}/{id_}/{'approve' if n % 2 else 'reject'}")
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(decide, range(100)))
        won = [answer for answer in answers if answer.status == 200]
        self.assertEqual(len(won), 1, [str(answer) for answer in won])
        self.assertEqual({(answer.status, answer.code) for answer in answers if answer.status != 200}, {(400, "ALREADY_RESOLVED")})
        approved = "success" in won[0].body
        types = [event["type"] for event in log_of(id_)]
        self.assertEqual(types, ["approval.requested"] + (["approval.approved", "approval.executed"] if approved
                                                          else ["approval.rejected"]))
        self.assertEqual(is_active(staff), not approved)

    def test_what_is_asked_outside_is_done_afterwards(self):
        staff = onboard()
        log = self.check(owner.post("/api/timesheets", {
            "staffId": staff, "facilityId": here, "clockIn": "2024-03-04T08:00:00Z", "clockOut": "2024-03-04T16:00:00Z"}), 201)
        waits = self.agent.defer("timesheets_approve", timesheetIds=[log["id"]])
        self.assertEqual(self.approval(waits)["facilityId"], here)
        done = self.check(self.approver.post(f"{IN_APP}/{waits}/approve"), 200)
        self.assertEqual(done["result"]["results"][0]["status"], "approved")
        run = self.check(owner.post("/api/payroll/runs", {"periodStart": "2024-03-04", "periodEnd": "2024-03-10",
                                                          "timesheetIds": [log["id"]]}), 201)
        waits = self.agent.defer("payroll_runs_approve", runId=run["id"])
        paid = self.check(self.approver.post(f"{IN_APP}/{waits}/approve"), 200)
        self.assertEqual((paid["success"], paid["result"]["id"]), (True, run["id"]))
        self.assertIn(paid["result"]["status"], ("processing", "paid"))
        types = [event["type"] for event in log_of(waits)]
        self.assertEqual(types, ["approval.requested", "approval.approved", "approval.executed"])

    def test_a_person_whom_it_names_is_forgotten(self):
        staff, other = onboard(), onboard()
        waits, done = self.agent.defer(staffId=staff), self.agent.defer(staffId=other)
        self.check(self.approver.post(f"{IN_APP}/{done}/approve"), 200)
        for person in (staff, other):
            service.command("erase", f"staff/{person}", "--reason", "Asked for")
        service.wait_projected()
        gone = self.approval(waits)
        self.assertEqual((gone["status"], gone["rejectionReason"], gone["arguments"]), ("rejected", "erased", {}))
        blank = self.approval(done)
        self.assertEqual((blank["status"], blank["arguments"], blank["executionResult"]),
                         ("approved", {}, {"success": True, "result": None, "error": None}))
        self.check_refused(self.approver.post(f"{LIST}/{waits}/approve"), 409, "ALREADY_RESOLVED")


class RunTest(rest.RestCase):
    """Runs of agents that wait for what is asked outside."""

    def test_whether_a_run_goes_on(self):
        _, session = user_of("admin")
        built = self.check(session.post("/api/agent-builder", {
            "name": "Payer", "allowedTools": ["payroll_runs_approve"],
            "plan": [{"tool": "payroll_runs_approve", "arguments": {"runId": "{{input.run}}"}}]}), 201)
        runs = f"/api/agents/{built['id']}/runs"

        def waiting():
            answer = session.post(runs, {"input": {"run": approvals.draft_run(owner, here)}})
            self.assertIn(answer.status, (200, 202), str(answer))

            def look():
                run = self.check(session.get(f"{runs}/{answer.body['id']}"), 200)
                return run if run["status"] == "pending_approval" else None
            return support.wait_until(look, 60, "the run waits")
        goes_on, ends = waiting(), waiting()
        done = self.check(session.post(f"{IN_APP}/{goes_on['approvalId']}/approve"), 200)
        self.assertEqual((done["success"], done["runResumed"]), (True, True), done)

        service.command("reactors", "pause", "approvals", "--reason", "a call that is under way")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            approval = f"{LIST}/{ends['approvalId']}"
            deciding = user_of("admin")[1]
            answer = pool.submit(deciding.post, f"{approval}/approve")
            support.wait_until(lambda: self.check(session.get(approval), 200)["status"] == "approved", 60, "it is approved")
            self.check(session.post(f"{runs}/{ends['id']}/cancel"), 200)
            service.command("reactors", "resume", "approvals")
            done = answer.result()
        self.assertIn(done.status, (200, 202), str(done))
        self.assertFalse(done.body["runResumed"], str(done))
        self.assertEqual(self.check(session.get(f"{runs}/{ends['id']}"), 200)["status"], "cancelled")


def digests_of(text):
    """The SHA-256 of a text as somebody may write it."""
    digest = hashlib.sha256(text.encode())
    return [digest.hexdigest(), base64.urlsafe_b64encode(digest.digest()).decode().rstrip("=")]


class DigestTest(rest.RestCase):
    """What a call says of a person can't be guessed from the log: no digest of it stands there that needs no key."""

    def test_arguments_leave_no_digest(self):
        admin, session = user_of("admin")
        agent = agent_of(["staff:write", "staff:read"], admin["id"])
        said = []

        def note(tool, **arguments):
            said.append((tool, arguments))
            return arguments
        staff = onboard()
        deferred = agent.defer(headers={"Mcp-Session-Id": "digests"}, **note("staff_deactivate", staffId=staff))
        self.check(session.post(f"{IN_APP}/{deferred}/approve"), 200)

        connection = self.check(session.post("/api/apps/demo/connect"), 201)
        plan = [{"id": "asks", "tool": "app_execute", "arguments": note(
            "app_execute", connectionId=connection["id"], action="demo.echo", arguments={"who": "Ada Byron"})},
                {"id": "makes", "tool": "leads_create", "arguments": note("leads_create", name="Ada Byron", company="Looms")}]
        built = self.check(session.post("/api/agent-builder", {
            "name": "Leaves no digests", "allowedTools": ["app_execute", "leads_create"], "plan": plan}), 201)
        run = self.check(session.post(f"/api/agents/{built['id']}/runs", {"wait": 55}), 200)
        self.check(session.post(f"{IN_APP}/{run['approvalId']}/approve"), 200)
        path = f"/api/agents/{built['id']}/runs/{run['id']}"
        support.wait_until(lambda: self.check(session.get(path), 200)["status"] == "completed", 60, "the run ends")

        needles = []
        for tool, arguments in said:
            for text in (json.dumps(arguments, separators=(",", ":")), json.dumps(arguments, separators=(",", ":"), sort_keys=True)):
                needles += digests_of(text) + digests_of(f"{tool}\n{text}")
                needles += digests_of(f"key/{agent.id}\ndigests\n1\n{tool}\n{text}")
        known = digests_of(f"agent run {run['id']}\nmakes\n")[1]
        hits = {hit for found in service.log_text_hits([*needles, known]).values() for hit in found}
        self.assertEqual(hits, {known}, "a key, made of numbers and names, is found in this way")


class GuardrailTest(rest.RestCase):
    """Policies have calls wait, and those that block by the time of the decision keep what was approved from being done."""

    def test_policies_are_asked_twice(self):
        admin, session = user_of("admin")
        agent = agent_of(["crm:write", "crm:read"], admin["id"])
        asks = self.check(session.post("/api/guardrails", {"name": "Ask", "effect": "require_approval", "tools": ["leads_create"]}), 201)

        def waits():
            content = agent.call("leads_create", name="Ada", company="Looms").content
            return content if content.get("status") == "pending_approval" else None
        first = support.wait_until(waits, 30, "the policy holds")
        service.wait_projected()
        shown = self.check(session.get(f"{LIST}/{first['approvalId']}"), 200)
        self.assertEqual((shown["reason"], shown["guardrail"], shown["guardrailId"], shown["arguments"]),
                         ("guardrail", "Ask", asks["id"], {"name": "Ada", "company": "Looms"}))
        done = self.check(session.post(f"{IN_APP}/{first['approvalId']}/approve"), 200)
        self.assertEqual((done["success"], done["result"]["name"]), (True, "Ada"))
        second = waits()
        self.check(session.patch(f"/api/guardrails/{asks['id']}", {"effect": "block"}), 200)
        support.wait_until(lambda: "error" in agent.call("leads_create", name="Ada").body, 30, "the policy blocks")
        failed = self.check(session.post(f"{IN_APP}/{second['approvalId']}/approve"), 200)
        self.assertEqual((failed["success"], failed["error"].split(":")[0]), (False, "GUARDRAIL_BLOCKED"))
        self.check(session.delete(f"/api/guardrails/{asks['id']}"), 204)


class SandboxTest(rest.RestCase):
    """The sandbox has approvals of its own, which go with a reset."""

    def test_the_sandbox_has_its_own(self):
        admin, session = user_of("admin")
        inside = people.sign_in(service, admin["email"])
        inside.always = {"Service-Sandbox": "true"}
        agent = agent_of(["staff:read", "staff:write"], admin["id"], facility=here, key_type="test")
        self.check(inside.post("/api/sandbox/reset", {"facilityId": here}), 200)
        service.wait_projected()
        staff = [person["id"] for person in agent.call("staff_list").content["data"]]
        first, second = agent.defer(staffId=staff[0]), agent.defer(staffId=staff[1])
        service.wait_projected()
        shown = self.check(agent.rest.get(f"{LIST}/{first}"), 200)
        self.assertEqual((shown["isSandbox"], shown["facilityId"], shown["status"]), (True, here, "pending"))
        self.check_refused(session.get(f"{LIST}/{first}"), 404, "NOT_FOUND")
        self.check_refused(session.post(f"{IN_APP}/{first}/approve"), 404, "NOT_FOUND")
        done = self.check(inside.post(f"{IN_APP}/{first}/approve"), 200)
        self.assertEqual(done["success"], "error" not in done)
        self.check(inside.post("/api/sandbox/reset", {"facilityId": here}), 200)
        service.wait_projected()
        for id_ in (first, second):
            self.check_refused(inside.get(f"{LIST}/{id_}"), 404, "NOT_FOUND")
            self.check_refused(inside.post(f"{IN_APP}/{id_}/approve"), 404, "NOT_FOUND")


class SameCredentialTest(rest.RestCase):
    """The setting of the organization by which the credential that asked can't approve."""

    def test_a_client_decides_what_its_person_may(self):
        admin, _ = user_of("admin")
        planner, _ = user_of("scheduler")
        agent = agent_of(["staff:write", "staff:read"], admin["id"])
        _, tokens = oauth.connected(service, admin["email"], scope="shifts:read")
        _, few = oauth.connected(service, planner["email"], scope="shifts:read")
        id_ = agent.defer(staffId=onboard())
        service.wait_projected()
        self.check_refused(people.client_of(service, few["access_token"]).post(f"{IN_APP}/{id_}/approve"), 403, "SELF_APPROVAL_FORBIDDEN")
        self.check(people.client_of(service, tokens["access_token"]).post(f"{IN_APP}/{id_}/approve"), 200)

    def test_a_setting_keeps_the_asking_credential_from_approving(self):
        admin, session = user_of("admin")
        agent = agent_of(["staff:write", "staff:read"], admin["id"])
        operator = people.operator_of(service)
        organization = f"/api/organizations/{service.demo['organizationId']}"
        first = agent.defer(staffId=onboard())
        approved = agent.rest.post(f"{IN_APP}/{first}/approve")
        self.check(approved, 200)
        self.check(operator.patch(organization, {"settings": {"forbidSameCredentialApproval": True}}), 200)
        try:
            second = agent.defer(staffId=onboard())
            self.check_refused(agent.rest.post(f"{IN_APP}/{second}/approve"), 403, "SELF_APPROVAL_FORBIDDEN")
            self.check(session.post(f"{IN_APP}/{second}/approve"), 200)
        finally:
            self.check(operator.patch(organization, {"settings": {"forbidSameCredentialApproval": False}}), 200)
        service.wait_projected()
        entries = {entry["resource"]: entry for entry in session.get("/api/audit-log", limit=200).body["data"]
                   if entry["action"] == "APPROVAL_APPROVED"}
        self.assertTrue(entries[f"approval:{first}"]["metadata"]["selfApproved"])
        self.assertTrue(entries[f"approval:{second}"]["metadata"]["selfApproved"])
