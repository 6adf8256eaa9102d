# Agents: how they are built, what their runs do step by step, and what bounds them.

import contextlib
import json
import unittest

import people
import rest
import support

BUILDER, AGENTS, RUNS = "/api/agent-builder", "/api/agents", "/api/agent-runs"
ENDED = ("completed", "failed", "rejected", "cancelled")
RUN_SECONDS = 60
service = owner = admin = None


def setUpModule():
    global service, owner, admin
    service = rest.start_service()
    owner = rest.client_of(service)
    admin = people.take_token(service, people.make_user(service, role="admin")["email"])


def agent(name, plan, tools=("*",), **more):
    return {"name": name, "allowedTools": list(tools), "plan": plan} | more


def nested(levels, value):
    for _ in range(levels):
        value = {"a": value}
    return value


class AgentCase(rest.RestCase):

    def build(self, name, plan, **more):
        return self.check(admin.post(BUILDER, agent(name, plan, **more)), 201)

    def start(self, built, **order):
        answer = admin.post(f"{AGENTS}/{built['id']}/runs", order)
        self.assertIn(answer.status, (200, 202), str(answer))
        return answer.body

    @contextlib.contextmanager
    def paused(self):
        """Meanwhile no run goes on."""
        service.command("reactors", "pause", "agent_runs", "--reason", "a test")
        try:
            yield
        finally:
            service.command("reactors", "resume", "agent_runs")

    def ended(self, run):
        """The run once it has ended."""
        def look():
            nonlocal run
            run = self.check(admin.get(f"{RUNS}/{run['id']}"), 200)
            return run["status"] in ENDED
        support.wait_until(look, RUN_SECONDS, f"run {run['id']} ends")
        return run


class ScriptedRunTest(AgentCase):

    def test_two_steps(self):
        facility = service.demo["facilityIds"][0]
        built = self.build("Poster", [
            {"id": "where", "tool": "facilities_get", "arguments": {"facilityId": "{{input.facilityId}}"}},
            {"id": "post", "tool": "shifts_create", "arguments": {
                "facilityId": "{{steps.where.result.id}}", "title": "For {{steps.where.result.name}}", "date": "2031-05-01",
                "startTime": "08:00", "endTime": "16:00"}}])
        run = self.start(built, input={"facilityId": facility})
        self.assertEqual(run["status"], "completed", run)
        self.assertEqual([step["status"] for step in run["steps"]], ["ok", "ok"])
        shift = self.check(admin.get(f"/api/shifts/{run['output']['id']}"), 200)
        self.assertEqual(shift["title"], f"For {run['steps'][0]['result']['name']}")
        self.assertEqual(run["usage"]["toolCalls"], 2)

    def test_each_item_and_what_fails(self):
        facility = service.demo["facilityIds"][0]
        each = [{"id": "post", "tool": "shifts_create", "forEach": "input.titles", "onError": "continue", "arguments": {
            "facilityId": facility, "title": "{{item}}", "date": "2031-05-02", "startTime": "08:00", "endTime": "16:00"}}]
        built = self.build("Each", each, output={"made": "{{steps.post.result[*].id}}", "on": "{{now.date}}"})
        run = self.start(built, input={"titles": ["One", "", "Three"]})
        step = run["steps"][0]
        self.assertEqual((run["status"], step["status"]), ("completed", "error"), run)
        self.assertEqual([item["status"] for item in step["items"]], ["ok", "error", "ok"])
        self.assertEqual([item["error"] and item["error"]["code"] for item in step["items"]], [None, "VALIDATION_ERROR", None])
        self.assertEqual([shift and shift["title"] for shift in step["result"]], ["One", None, "Three"])
        self.assertEqual(run["output"]["made"], [step["result"][0]["id"], step["result"][2]["id"]])

    def test_a_failed_step_ends_a_run(self):
        built = self.build("Fails", [{"id": "look", "tool": "shifts_get", "arguments": {"shiftId": 999999999}}, {"tool": "whoami"}])
        run = self.start(built)
        self.assertEqual((run["status"], run["error"]["code"]), ("failed", "TOOL_FAILED"))
        self.assertIn("NOT_FOUND", run["error"]["message"])
        self.assertEqual([step["status"] for step in run["steps"]], ["error", "pending"])

    def test_the_plan_of_the_request(self):
        built = self.build("Reader", [{"tool": "whoami"}], tools=["whoami", "shifts_*"])
        run = self.start(built, plan=[{"tool": "shifts_list", "arguments": {"limit": 1}}])
        self.assertEqual((run["status"], run["steps"][0]["tool"]), ("completed", "shifts_list"), run)
        refused = admin.post(f"{AGENTS}/{built['id']}/runs", {"plan": [{"tool": "staff_list"}]})
        self.check_refused(refused, 400, "VALIDATION_ERROR")
        self.assertEqual(refused.fields, {"plan[0].tool"})

    def test_the_output_of_the_request(self):
        built = self.build("Told otherwise", [{"id": "me", "tool": "whoami"}], output={"by": "agent"})
        run = self.start(built, output={"as": "{{steps.me.result.user.role}}", "for": "{{input.who}}"}, input={"who": "us"})
        self.assertEqual((run["status"], run["output"]), ("completed", {"as": "admin", "for": "us"}), run)
        self.assertEqual(self.start(built)["output"], {"by": "agent"})
        plan = [{"tool": "whoami"}]
        runs = f"{AGENTS}/{built['id']}/runs"
        refused = admin.post(runs, {"plan": plan, "output": {"x": "{{steps.me.result}} {{item}}"}})
        self.check_fields(refused, "output")
        for bad in ("{{inputs.who}}", "{{steps.me}}", "{{now.date", "{{input.{{input.who}}}}", "\0"):
            self.check_fields(admin.post(runs, {"output": {"x": bad}}), "output")
            self.check_fields(admin.patch(f"{BUILDER}/{built['id']}", {"output": {"x": bad}}), "output")
        self.assertEqual(len(self.check(admin.get(runs), 200)["data"]), 2, "those two alone were started")

    def test_who_acts(self):
        run = self.start(self.build("Who", [{"tool": "whoami"}]))
        me = self.check(admin.get("/api/auth/me"), 200)
        self.assertEqual((run["output"]["user"]["id"], run["runAsUserId"]), (me["user"]["id"], me["user"]["id"]))
        self.assertEqual(run["requestedBy"], {"type": "user", "id": me["user"]["id"], "userId": me["user"]["id"]})
        self.assertEqual(run["output"]["credential"], {"type": "agent", "id": run["agentId"]})

    def test_who_may_not_call_a_tool_does_not_read_its_calls(self):
        viewer = people.take_token(service, people.make_user(service, role="viewer")["email"])
        built = self.build("Not for all", [{"tool": "whoami"}, {"tool": "leads_create", "arguments": {"name": "Hidden"}}])
        run = self.start(built)
        self.assertEqual(run["output"]["name"], "Hidden", run)
        listed = self.check(viewer.get(RUNS, agentId=built["id"]), 200)["data"][0]
        for seen in (self.check(viewer.get(f"{RUNS}/{run['id']}"), 200), listed,
                     self.check(viewer.get(f"{AGENTS}/{built['id']}/runs/{run['id']}"), 200)):
            mine, theirs = seen["steps"]
            self.assertEqual((mine["result"], theirs["result"], theirs["arguments"], seen["output"]),
                             (run["steps"][0]["result"], None, {}, None))
        manager = people.take_token(service, people.make_user(service, role="manager")["email"])
        payroll = self.start(self.build("Not for managers", [{"tool": "payroll_runs_list", "arguments": {"limit": 1}}]))
        self.assertEqual(payroll["status"], "completed", payroll)
        for seen in (self.check(manager.get(f"{RUNS}/{payroll['id']}"), 200),
                     self.check(manager.post(f"{AGENTS}/{payroll['agentId']}/runs/{payroll['id']}/cancel"), 200)):
            self.assertEqual((seen["steps"][0]["result"], seen["steps"][0]["arguments"], seen["output"]), (None, {}, None))

    def test_it_is_told_by_one_correlation(self):
        facility = service.demo["facilityIds"][0]
        run = self.start(self.build("Told", [{"tool": "shifts_create", "arguments": {
            "facilityId": facility, "title": "Told", "date": "2031-05-03", "startTime": "08:00", "endTime": "16:00"}}]))
        events = [json.loads(body) for _, _, body in service.log_records()]
        mine = [event for event in events if run["correlationId"] in (event.get("correlationid"), event.get("requestid"))]
        types = [event["type"] for event in mine if event["type"] != "command.answered"]
        self.assertEqual(types, ["agent_run.queued", "agent_run.started", "shift.posted", "agent_run.step_finished", "agent_run.completed"])
        posted = next(event for event in mine if event["type"] == "shift.posted")
        self.assertEqual((posted["runid"], posted["actortype"], posted["channel"]), (str(run["id"]), "agent", "agent"))


class TraceTest(AgentCase):
    """What others tell of runs."""

    def test_the_audit_log_says_from_where(self):
        built = self.build("From where", [{"tool": "leads_create", "arguments": {"name": "L"}}], approvalMode="always")
        one, other = self.start(built), self.start(built)
        runs = f"{AGENTS}/{built['id']}/runs"
        self.check(admin.post(f"{runs}/{one['id']}/cancel"), 200)
        self.check(admin.delete(runs), 200)
        for run, causes in ((one, ["requested"]), (other, ["all_requested"])):
            entries = self.check(admin.get("/api/audit-log", resource=f"agent_run:{run['id']}"), 200)["data"]
            self.assertEqual([(entry["action"], entry["ip"]) for entry in entries],
                             [("AGENT_RUN_CANCELLED", "127.0.0.1"), ("AGENT_RUN_STARTED", "127.0.0.1")])
            self.assertEqual([entry["metadata"]["cause"] for entry in entries[:1]], causes)

    def test_usage_by_agent(self):
        """Of a long name sixty-four bytes are kept, which end within a character."""
        runs = [self.start(self.build(name, [{"tool": "whoami"}] * 2)) for name in ("\u20ac" * 100, "Counted")]

        def counted():
            rows = self.check(owner.send("GET", "/api/api-usage/by-agent"), 200)["data"]
            found = {row["agent"]: (row["agentId"], row["totalCalls"]) for row in rows if row["agent"] in ("\u20ac" * 21, "Counted")}
            return found if sum(calls for _, calls in found.values()) == 4 else None
        self.assertEqual(support.wait_until(counted, 30, "usage counts the calls"),
                         {"\u20ac" * 21: (runs[0]["agentId"], 2), "Counted": (runs[1]["agentId"], 2)})

    def test_a_plan_of_before_with_a_nul_hides_nothing(self):
        """Plans were taken with one, of which Postgres makes no text."""
        built = self.build("Has a nul", [{"tool": "leads_create", "arguments": {"name": "Hidden mark"}}], approvalMode="always")
        run = self.start(built)
        service.wait_projected()
        service.postgres.psql(f"UPDATE read.agent SET doc = replace(doc, 'Hidden mark', 'Hidden ' || chr(92) || 'u0000') WHERE id = {built['id']}")
        self.assertIn("\0", self.check(admin.get(f"{AGENTS}/{built['id']}"), 200)["plan"][0]["arguments"]["name"])
        asked, = self.check(admin.get("/api/audit-log", resource=f"approval:{run['approvalId']}"), 200)["data"]
        self.assertEqual(asked["actor"], {"type": "agent", "id": built["id"], "name": "Has a nul"})
        self.assertIn("Has a nul", service.command("runs"))
        self.check(admin.delete(f"{AGENTS}/{built['id']}/runs"), 200)


class RefusalTest(AgentCase):

    def test_bad_agents(self):
        for body, field in (({"allowedTools": ["*"]}, "name"), ({"name": "A"}, "allowedTools"), (agent("A", [], tools=[]), "allowedTools"),
                            (agent("A", [], tools=["none_*"]), "allowedTools[0]"), (agent("A", [], tools=["usage_summary"]), "allowedTools[0]"),
                            (agent("A", [{"tool": "none"}]), "plan[0].tool"), (agent("A", [{"tool": "whoami", "id": "1"}]), "plan[0].id"),
                            (agent("A", [{"tool": "whoami"}] * 51), "plan"), (agent("A", [{"tool": "whoami", "id": "x"}] * 2), "plan[1].id"),
                            (agent("A", [{"tool": "whoami", "arguments": {"a": "{{steps.b.result}}"}}]), "plan[0].arguments"),
                            (agent("A", [{"tool": "whoami", "when": {"path": "input.a", "op": "gt", "value": []}}]), "plan[0].when.value"),
                            (agent("A", [{"tool": "whoami", "arguments": {"a": "{{input.{{input.b}}}}"}}]), "plan[0].arguments"),
                            (agent("A", [{"tool": "whoami", "arguments": {"a": ["\0"]}}]), "plan[0].arguments"),
                            (agent("A", [], limits={"maxSteps": 51}), "limits.maxSteps"), (agent("A", [], executor="llm"), "executor")):
            refused = admin.post(BUILDER, body)
            self.check_refused(refused, 400, "VALIDATION_ERROR")
            self.assertIn(field, refused.fields, str(refused))

    def test_what_validation_finds(self):
        built = self.build("Looked through", [{"id": "me", "tool": "whoami"}], output={"x": "{{steps.me.result}}"})
        validate = f"{BUILDER}/{built['id']}/validate"
        self.assertEqual(self.check(admin.post(validate), 200), {"valid": True, "faults": []})
        for draft, fields in (({"allowedTools": []}, {"allowedTools", "plan[0].tool"}), ({"allowedTools": ["shifts_*"]}, {"plan[0].tool"}),
                              ({"plan": []}, {"output"}), ({"output": "{{steps.you.result}}"}, {"output"}),
                              ({"output": None, "plan": [{"tool": "whoami", "arguments": {"who": "{{input.who}}"}}]}, {"plan[0].arguments.who"})):
            found = self.check(admin.post(validate, draft), 200)
            self.assertEqual((found["valid"], {fault["field"] for fault in found["faults"]}), (False, fields), draft)
        self.assertEqual(self.check(admin.get(f"{BUILDER}/{built['id']}"), 200), built)

    def test_names_are_unique(self):
        self.build("Only one", [{"tool": "whoami"}])
        self.check_refused(admin.post(BUILDER, agent("only ONE", [])), 409, "DUPLICATE_RESOURCE")

    def test_only_operators_trust(self):
        self.check_refused(admin.post(BUILDER, agent("Trusted", [], approvalMode="trusted")), 403, "FORBIDDEN")

    def test_no_plan(self):
        built = self.build("Idle", [])
        self.check_refused(admin.post(f"{AGENTS}/{built['id']}/runs"), 400, "PLAN_INVALID")

    def test_a_key_without_a_user(self):
        built = self.build("Of nobody", [{"tool": "whoami"}])
        _, key = rest.make_key(service, ["agents:run"])
        self.check_refused(owner.with_key(key).post(f"{AGENTS}/{built['id']}/runs"), 400, "VALIDATION_ERROR")

    def test_a_key_brings_only_what_its_scopes_cover(self):
        built = self.build("For keys", [{"tool": "whoami"}])
        user = people.make_user(service, role="admin")["id"]
        client = owner.with_key(rest.make_key(service, ["agents:run", "shifts:read"], user=user)[1])
        runs = f"{AGENTS}/{built['id']}/runs"
        self.check_refused(client.post(runs, {"plan": [{"tool": "staff_list"}]}), 403, "INSUFFICIENT_SCOPE")
        self.assertEqual(client.post(runs, {"plan": [{"tool": "shifts_list"}]}).body["status"], "completed")

    def test_an_inactive_agent(self):
        built = self.build("Gone", [{"tool": "whoami"}])
        gone = self.check(admin.delete(f"{BUILDER}/{built['id']}"), 200)
        self.assertFalse(gone["isActive"])
        self.check_refused(admin.post(f"{AGENTS}/{built['id']}/runs"), 409, "AGENT_INACTIVE")
        self.check(admin.patch(f"{BUILDER}/{built['id']}", {"isActive": True}), 200)
        self.assertEqual(self.start(built)["status"], "completed")

    def test_a_user_who_is_gone(self):
        built = self.build("For who is gone", [{"tool": "whoami"}])
        user = people.make_user(service, role="admin")
        client = people.take_token(service, user["email"])
        with self.paused():
            run = client.post(f"{AGENTS}/{built['id']}/runs", {"wait": 0}).body
            self.check(admin.delete(f"/api/users/{user['id']}"), 200)
        self.assertEqual(self.ended(run)["error"]["code"], "RUN_AS_USER_INACTIVE")


class BoundsTest(AgentCase):

    def test_a_sixth_run_and_cancelling(self):
        built = self.build("Crowd", [{"tool": "whoami"}])
        runs = f"{AGENTS}/{built['id']}/runs"
        with self.paused():
            made = [self.check(admin.post(runs, {"wait": 0}), 202)["id"] for _ in range(5)]
            self.check_refused(admin.post(runs, {"wait": 0}), 429, "RUN_LIMIT_REACHED")
            cancelled = self.check(admin.post(f"{runs}/{made[0]}/cancel"), 200)
            self.assertEqual(cancelled["status"], "cancelled")
            self.assertEqual(self.check(admin.delete(runs, runId=made[1]), 200), {"cancelled": 1, "runIds": [made[1]]})
            self.check_fields(admin.delete(runs, runid=made[2]), "runid")
            rest_of_them = self.check(admin.delete(runs), 200)
            self.assertEqual((rest_of_them["cancelled"], sorted(rest_of_them["runIds"])), (3, made[2:]))
            self.assertEqual(self.check(admin.delete(runs), 200), {"cancelled": 0, "runIds": []})
        listed = self.check(admin.get(runs, status="cancelled"), 200)["data"]
        self.assertEqual(sorted(run["id"] for run in listed), made)

    def test_poison_plans_end_within_their_limits(self):
        huge = "x" * 60000
        plans = {
            "calls": ([{"tool": "whoami", "forEach": "input.l"}], {"l": list(range(100))}, "LIMIT_EXCEEDED"),
            "items": ([{"tool": "whoami", "forEach": "input.l"}], {"l": list(range(10000))}, "LIMIT_EXCEEDED"),
            "arguments": ([{"tool": "leads_create", "arguments": {"tags": ["{{input.t}}"] * 50}}], {"t": huge}, "LIMIT_EXCEEDED"),
            "template": ([{"tool": "whoami", "arguments": {"a": "{{input.none}}"}}], {}, "PLAN_INVALID"),
            "deep": ([{"tool": "whoami", "arguments": nested(20, "{{input}}"), "onError": "continue"}], nested(20, 1), "LIMIT_EXCEEDED"),
        }
        built = {name: self.build(f"Poison {name}", plan) for name, (plan, _, _) in plans.items()}
        runs = {name: admin.post(f"{AGENTS}/{built[name]['id']}/runs", {"input": plans[name][1], "wait": 0}).body for name in plans}
        quick = self.start(self.build("Beside poison", [{"tool": "whoami"}]))
        self.assertEqual(quick["status"], "completed")
        for name, (_, _, code) in plans.items():
            run = self.ended(runs[name])
            self.assertEqual((run["status"], run["error"]["code"]), ("failed", code), name)
            self.assertLessEqual(run["usage"]["toolCalls"], 50)
            events = [json.loads(body) for _, _, body in service.log_records()]
            ends = [event["type"] for event in events if event["subject"] == f"agent_run/{run['id']}"
                    and event["type"] in ("agent_run.failed", "agent_run.completed")]
            self.assertEqual(ends, ["agent_run.failed"], name)

    def test_an_output_that_is_nested_too_deep(self):
        """What no decoder takes never gets into the log, where it would stop all who read it."""
        built = self.build("Deep", [{"tool": "whoami"}], output=nested(20, "{{input}}"))
        for levels, ending in ((4, ("completed", None)), (5, ("failed", "LIMIT_EXCEEDED")), (22, ("failed", "LIMIT_EXCEEDED"))):
            run = self.start(built, input=nested(levels, 1))
            self.assertEqual((run["status"], run["error"] and run["error"]["code"]), ending, levels)
        listed = self.start(built, input={"l": [1]}, output=nested(23, "{{input.l[*]}}"))
        self.assertEqual((listed["status"], listed["output"]), ("completed", nested(23, [1])))
        service.wait_projected()
        self.assertTrue(service.standing()["checks"]["projections"]["ok"])

    def test_results_that_are_too_large(self):
        """A hundred shifts with all that may be said of them are more than 256 KiB."""
        facility = service.demo["facilityIds"][0]
        shift = {"facilityId": facility, "title": "Huge", "date": "2031-09-01", "startTime": "08:00", "endTime": "16:00", "notes": "n" * 3900}
        for _ in range(2):
            self.check(admin.post("/api/shifts", {"shifts": [shift] * 50}), 201)
        for on_error in ("stop", "continue"):
            run = self.start(self.build(f"Huge {on_error}", [
                {"tool": "shifts_list", "arguments": {"q": "Huge", "limit": 100}, "onError": on_error}, {"tool": "whoami"}]))
            self.assertEqual((run["status"], run["error"]["code"], [step["status"] for step in run["steps"]]),
                             ("failed", "LIMIT_EXCEEDED", ["error", "pending"]))
        many = self.start(self.build("Many of them", [{"tool": "shifts_list", "arguments": {"q": "Huge", "limit": 40}, "forEach": "input.l"}]),
                          input={"l": list(range(40))}, wait=55)
        self.assertEqual((many["status"], many["error"]["code"]), ("failed", "LIMIT_EXCEEDED"), many["error"])
        self.assertIn("4 MiB", many["error"]["message"])

    def test_time_that_is_over(self):
        """Read models stay behind, so that the run's read is put off until its five seconds are over."""
        reads = self.build("Slow", [{"tool": "shifts_list", "arguments": {"limit": 1}}, {"tool": "whoami"}], limits={"timeoutSeconds": 5})
        service.wait_projected()
        holder = support.Session(service.postgres)
        holder.execute(f"BEGIN; LOCK TABLE {support.SHIFT_TABLE} IN SHARE MODE")
        try:
            self.check(admin.post("/api/shifts", {"facilityId": service.demo["facilityIds"][0], "title": "Behind", "date": "2041-06-01",
                                                  "startTime": "08:00", "endTime": "16:00"}), 201)
            run = self.check(admin.post(f"{AGENTS}/{reads['id']}/runs", {"wait": 0}), 202)["id"]

            def failed():
                events = [json.loads(body) for _, _, body in service.log_records()]
                return [event["data"]["code"] for event in events if event["subject"] == f"agent_run/{run}" and event["type"] == "agent_run.failed"]
            self.assertEqual(support.wait_until(failed, RUN_SECONDS, f"run {run} fails"), ["RUN_TIMEOUT"])
        finally:
            holder.close()
        ended = self.ended({"id": run})
        self.assertEqual((ended["error"]["code"], [step["status"] for step in ended["steps"]]), ("RUN_TIMEOUT", ["pending"] * 2))

    def test_a_plan_of_too_many_steps_or_tools_is_none(self):
        """Two hundred tools in one plan, and a name of none: told by field, and nothing is made."""
        for plan, field in (([{"tool": "whoami"}] * 200, "plan"), ([{"tool": f"tool_{number}"} for number in range(50)], "plan[49].tool")):
            refused = admin.post(BUILDER, agent("Too many", plan))
            self.check_refused(refused, 400, "VALIDATION_ERROR")
            self.assertIn(field, refused.fields)
        self.check_refused(admin.post(BUILDER, agent("Too many", [], tools=[f"shifts_{number}" for number in range(200)])), 400, "VALIDATION_ERROR")
        self.assertEqual([row["name"] for row in self.check(admin.get(BUILDER, q="Too many"), 200)["data"]], [])

    def test_another_facility_is_out_of_reach(self):
        here, there = service.demo["facilityIds"][:2]
        built = self.build("Bound", [{"tool": "shifts_create", "arguments": {
            "facilityId": there, "title": "Elsewhere", "date": "2031-05-04", "startTime": "08:00", "endTime": "16:00"}}], facilityId=here)
        run = self.start(built)
        self.assertEqual((run["status"], run["facilityId"]), ("failed", here))
        self.assertIn("FACILITY_SCOPE_VIOLATION", run["error"]["message"])


class ApprovalTest(AgentCase):
    """Calls that wait for a person: shifts_cancel does in runs."""

    def shift(self, title):
        return self.check(admin.post("/api/shifts", {"facilityId": service.demo["facilityIds"][0], "title": title, "date": "2031-07-01",
                                                     "startTime": "08:00", "endTime": "16:00"}), 201)["id"]

    def waiting(self, name, shifts, **more):
        """A run that cancels these shifts, once it waits, and its approval."""
        built = self.build(name, [{"id": "end", "tool": "shifts_cancel", "forEach": "input.shifts",
                                   "arguments": {"shiftId": "{{item}}", "reason": "Closed"}}, {"id": "me", "tool": "whoami"}], **more)
        run = self.start(built, input={"shifts": shifts})
        self.assertEqual(run["status"], "pending_approval", run)
        return run, self.approval_of(run)

    def approval_of(self, run):
        approval = self.check(admin.get(f"/api/approvals/{run['approvalId']}"), 200)
        self.assertEqual((approval["status"], approval["origin"], approval["runId"], approval["agentId"], approval["tool"]),
                         ("pending", "agent_run", run["id"], run["agentId"], "shifts_cancel"))
        return approval

    def approve(self, approval):
        return self.check(admin.post(f"/api/approvals/{approval['id']}/approve"), 200)

    def rests(self, run, *statuses):
        """The run once it stands so."""
        def look():
            nonlocal run
            run = self.check(admin.get(f"{RUNS}/{run['id']}"), 200)
            return run["status"] in statuses
        support.wait_until(look, RUN_SECONDS, f"run {run['id']} is {statuses}")
        return run

    def test_three_in_a_row(self):
        shifts = [self.shift(f"Three {number}") for number in range(3)]
        run, approval = self.waiting("Three in a row", shifts)
        seen = set()
        for number in range(3):
            seen.add(approval["id"])
            self.assertEqual([self.check(admin.get(f"/api/shifts/{shift}"), 200)["status"] for shift in shifts],
                             ["cancelled"] * number + ["open"] * (3 - number))
            answer = self.approve(approval)
            self.assertEqual((answer["success"], answer["runResumed"]), (True, True), answer)
            if number < 2:
                self.rests({"id": run["id"]}, "pending_approval")
                support.wait_until(lambda: self.check(admin.get(f"{RUNS}/{run['id']}"), 200)["approvalId"] not in (None, *seen),
                                   RUN_SECONDS, "the next one waits")
                approval = self.approval_of(self.check(admin.get(f"{RUNS}/{run['id']}"), 200))
        run = self.ended(run)
        self.assertEqual((run["status"], len(seen)), ("completed", 3), run)
        self.assertEqual([shift["status"] for shift in run["steps"][0]["result"]], ["cancelled"] * 3)
        self.check_refused(admin.post(f"/api/approvals/{approval['id']}/approve"), 409, "ALREADY_RESOLVED")

    def test_rejected(self):
        shift = self.shift("Rejected")
        run, approval = self.waiting("Rejected", [shift])
        self.check(admin.post(f"/api/approvals/{approval['id']}/reject", {"reason": "Not now"}), 200)
        run = self.ended(run)
        self.assertEqual((run["status"], run["error"]["code"]), ("rejected", "APPROVAL_REJECTED"))
        self.assertIn("Not now", run["error"]["message"])
        self.assertEqual(self.check(admin.get(f"/api/shifts/{shift}"), 200)["status"], "open")

    def test_cancelled(self):
        run, approval = self.waiting("Cancelled", [self.shift("Cancelled")])
        self.check(admin.post(f"{AGENTS}/{run['agentId']}/runs/{run['id']}/cancel"), 200)
        self.assertEqual(self.rests(run, "cancelled")["status"], "cancelled")
        support.wait_until(lambda: self.check(admin.get(f"/api/approvals/{approval['id']}"), 200)["status"] == "rejected", RUN_SECONDS,
                           "its approval is rejected")

    def test_what_fails_when_it_is_carried_out(self):
        shift = self.shift("Gone by then")
        staff = self.check(admin.post("/api/staff", {"firstName": "Ada", "lastName": "Late", "email": "late@example.test"}), 201)["id"]
        built = self.build("Fails late", [{"tool": "shifts_assign", "arguments": {"shiftId": shift, "staffIds": [staff]}}],
                           approvalMode="always")
        run = self.start(built)
        self.assertEqual(run["status"], "pending_approval", run)
        self.check(admin.delete(f"/api/shifts/{shift}"), 200)
        answer = self.approve({"id": run["approvalId"]})
        self.assertEqual((answer["success"], answer["runResumed"]), (False, True), answer)
        run = self.ended(run)
        self.assertEqual((run["status"], run["error"]["code"], run["steps"][0]["status"]), ("failed", "TOOL_FAILED", "error"), run)
        self.assertEqual(run["error"]["message"].count(run["steps"][0]["error"]["code"]), 1, run["error"])

    def test_always(self):
        built = self.build("Always asks", [{"tool": "leads_create", "arguments": {"name": "Asked"}}], approvalMode="always")
        run = self.start(built)
        self.assertEqual(run["status"], "pending_approval", run)
        self.assertEqual(self.check(admin.get(f"/api/approvals/{run['approvalId']}"), 200)["reason"], "agent_setting")
        self.approve({"id": run["approvalId"]})
        run = self.ended(run)
        self.assertEqual((run["status"], run["output"]["name"]), ("completed", "Asked"))

    def test_secrets_of_apps_are_not_shown(self):
        connection = self.check(admin.post("/api/apps/demo/connect"), 201)
        built = self.build("Tells a secret", [{"id": "say", "tool": "app_execute", "arguments": {
            "connectionId": connection["id"], "action": "demo.echo", "arguments": {"apiKey": "{{input.apiKey}}", "n": 1}}}],
                           output={"said": "{{steps.say.result.data}}"})
        run = self.start(built, input={"apiKey": "Swordfish7"})
        self.assertEqual(run["status"], "pending_approval", run)
        self.approve({"id": run["approvalId"]})
        ended = self.ended(run)
        shown = [run, ended, self.check(admin.get(RUNS, agentId=built["id"]), 200)["data"][0],
                 self.check(admin.post(f"{AGENTS}/{built['id']}/runs/{run['id']}/cancel"), 200)]
        for each in shown:
            self.assertNotIn("Swordfish7", json.dumps(each))
            self.assertEqual((each["input"], each["steps"][0]["arguments"]["arguments"]),
                             ({"apiKey": "[redacted]"}, {"apiKey": "[redacted]", "n": 1}))
        self.assertEqual((ended["status"], ended["output"], ended["steps"][0]["result"]["data"]),
                         ("completed", {"said": {"apiKey": "[redacted]", "n": 1}}, {"apiKey": "[redacted]", "n": 1}))
        executed, = self.check(admin.get("/api/apps/executions", connectionId=connection["id"]), 200)["data"]
        self.assertEqual(executed["arguments"], {"apiKey": "[redacted]", "n": 1})

    def test_a_person_whom_it_names_is_forgotten(self):
        staff = [self.check(admin.post("/api/staff", {"firstName": "Ada", "lastName": f"Named {number}",
                                                      "email": f"named{number}@example.test"}), 201)["id"] for number in range(3)]
        reads = self.build("Reads of one", [{"tool": "staff_get", "arguments": {"staffId": "{{input.who}}"}}])
        done, other = self.start(reads, input={"who": staff[0]}), self.start(reads, input={"who": staff[1]})
        self.assertEqual(done["output"]["lastName"], "Named 0", done)
        waits = self.start(self.build("Waits for one", [{"tool": "leads_create", "arguments": {"name": "Named 2"}}],
                                      approvalMode="always"), input={"staffId": staff[2]})
        for person in (staff[0], staff[2]):
            service.command("erase", f"staff/{person}", "--reason", "Asked for")
        service.wait_projected()
        for run, status in ((done, "completed"), (waits, "rejected")):
            gone = self.check(admin.get(f"{RUNS}/{run['id']}"), 200)
            self.assertEqual((gone["status"], gone["input"], gone["steps"], gone["output"]), (status, {}, [], None))
        self.assertEqual(self.check(admin.get(f"/api/approvals/{waits['approvalId']}"), 200)["rejectionReason"], "erased")
        self.assertEqual(self.check(admin.get(f"{RUNS}/{other['id']}"), 200)["output"]["lastName"], "Named 1")

    def test_a_waiting_run_is_no_live_one(self):
        run, _ = self.waiting("Room for five", [self.shift("Room")])
        with self.paused():
            for _ in range(5):
                self.check(admin.post(f"{AGENTS}/{run['agentId']}/runs", {"wait": 0, "input": {"shifts": []}}), 202)
            self.check(admin.delete(f"{AGENTS}/{run['agentId']}/runs"), 200)


class ReadsTest(AgentCase):
    """What a run reads shows what stood when it was started, however far behind read models are."""

    def completed(self):
        """The ids of runs that are, by the log."""
        events = [json.loads(body) for _, _, body in service.log_records()]
        return {int(event["subject"].partition("/")[2]) for event in events if event["type"] == "agent_run.completed"}

    def test_a_run_waits_for_what_it_is_to_read(self):
        reads = self.build("Reads the day", [{"tool": "shifts_list", "arguments": {"from": "2041-05-01", "to": "2041-05-01"}}],
                           output={"titles": "{{steps.s1.result.data[*].title}}"})
        reads_nothing = self.build("Reads nothing", [{"tool": "whoami", "when": {"path": "input.never", "op": "exists", "value": True}}])
        service.wait_projected()
        self.check(admin.get("/api/shifts"), 200)  # the first read of a process looks at the log's end, whoever asks
        holder = support.Session(service.postgres)
        holder.execute(f"BEGIN; LOCK TABLE {support.SHIFT_TABLE} IN SHARE MODE")
        try:  # read models stay behind
            self.check(admin.post("/api/shifts", {"facilityId": service.demo["facilityIds"][0], "title": "The cause", "date": "2041-05-01",
                                                  "startTime": "08:00", "endTime": "16:00"}), 201)
            run, other = (self.check(admin.post(f"{AGENTS}/{each['id']}/runs", {"wait": 0}), 202)["id"] for each in (reads, reads_nothing))
            support.wait_until(lambda: other in self.completed(), RUN_SECONDS, f"run {other}, which began later, has ended")
            self.assertNotIn(run, self.completed())
        finally:
            holder.close()
        support.wait_until(lambda: run in self.completed(), RUN_SECONDS, f"run {run} has ended")
        self.assertEqual(self.check(admin.get(f"{RUNS}/{run}"), 200)["output"], {"titles": ["The cause"]})


class SandboxTest(AgentCase):
    """The sandbox has agents and runs of its own, which go with a reset; those of the live data stay."""

    def test_a_reset(self):
        facility = service.demo["facilityIds"][0]
        me = self.check(admin.get("/api/auth/me"), 200)["user"]["id"]
        scopes = ["agents:manage", "agents:run", "agents:read", "crm:read", "crm:write"]
        inside = owner.with_key(rest.make_key(service, scopes, kind="test", facility=facility, user=me)[1])
        live = self.start(self.build("Live", [{"tool": "leads_create", "arguments": {"name": "Live"}}], approvalMode="always"))
        plan = [{"tool": "leads_create", "arguments": {"name": "Inside"}}]
        tools = ["leads_create", "leads_list"]
        done, waits = (self.check(inside.post(BUILDER, agent(f"Inside {mode}", plan, tools, approvalMode=mode)), 201)
                       for mode in ("default", "always"))
        ended, waiting = (self.check(inside.post(f"{AGENTS}/{each['id']}/runs"), 200) for each in (done, waits))
        self.assertEqual((ended["status"], waiting["status"], ended["isSandbox"]), ("completed", "pending_approval", True), ended)
        self.assertEqual(self.check(admin.get("/api/crm/leads", q="Inside"), 200)["data"], [])
        self.check_refused(admin.get(f"{RUNS}/{waiting['id']}"), 404, "NOT_FOUND")
        reset = self.check(admin.post("/api/sandbox/reset", {"facilityId": facility}), 200)
        # With those of the data set that was there.
        self.assertEqual((reset["cleared"]["agent"], reset["cleared"]["agent_run"], reset["cleared"]["approval"]), (3, 4, 2))
        service.wait_projected()
        for path in (f"{BUILDER}/{done['id']}", f"{RUNS}/{ended['id']}", f"{RUNS}/{waiting['id']}"):
            self.check_refused(inside.get(path), 404, "NOT_FOUND")
        self.check_refused(inside.post(f"{AGENTS}/{done['id']}/runs"), 404, "NOT_FOUND")
        self.assertEqual(self.check(admin.get(f"{RUNS}/{live['id']}"), 200)["status"], "pending_approval")
        self.assertEqual(service.postgres.value("SELECT count(*) FROM reactor.agent_run_work WHERE is_sandbox"), "0")


class OperatorTest(AgentCase):
    """`workforce runs`."""

    def shown(self):
        return json.loads(service.command("runs", "--json"))

    def test_what_operators_are_shown(self):
        busy = self.build("Busy", [{"tool": "whoami"}])
        asks = self.build("Asks", [{"tool": "leads_create", "arguments": {"name": "Asked"}}], approvalMode="always")
        waiting = [self.start(asks)["id"] for _ in range(2)]
        with self.paused():
            queued = [self.check(admin.post(f"{AGENTS}/{busy['id']}/runs", {"wait": 0}), 202)["id"] for _ in range(3)]
            service.wait_projected()
            rows = {row["agentId"]: row for row in self.shown()["agents"]}
            self.assertEqual([(rows[each["id"]][name]) for each in (busy, asks) for name in ("agent", "queued", "running", "waiting")],
                             ["Busy", 3, 0, 0, "Asks", 0, 0, 2])
            self.assertEqual({row["runId"] for row in self.shown()["stuck"]} & set(queued), set(), "they are young")
            first, second, third = queued
            work = ("INSERT INTO reactor.agent_run_work (id, partition, position, organization_id, is_sandbox, run_id, agent_id, correlation_id, "
                    f"due_at, attempts, last_error, waits_turn) SELECT gen_random_uuid(), 0, 0, {busy['organizationId']}, false, id, {busy['id']}, '', "
                    "now() + interval '1 hour', attempts, error, waits FROM (VALUES")
            service.postgres.psql(
                f"UPDATE read.agent_run SET updated_at = now() - interval '2 minutes' WHERE id IN ({first}, {second}, {third}); "
                f"{work} ({first}, 4, 'the log is away', false), ({second}, 0, '', true)) AS w (id, attempts, error, waits)")
            stuck = {row["runId"]: (row["status"], row["attempts"], row["why"]) for row in self.shown()["stuck"]}
            self.assertEqual({run: stuck.get(run) for run in queued},
                             {first: ("queued", 4, "the log is away"), second: None, third: ("queued", 0, "it has no work")})
            text = service.command("runs")
            for word in ("Busy", "Asks", "stuck for a minute or more", "the log is away"):
                self.assertIn(word, text)
            self.check(admin.delete(f"{AGENTS}/{busy['id']}/runs"), 200)
        self.check(admin.delete(f"{AGENTS}/{asks['id']}/runs"), 200)
        service.wait_projected()
        self.assertEqual({row["agentId"] for row in self.shown()["agents"]} & {busy["id"], asks["id"]}, set())
        self.assertEqual(sorted(run["id"] for run in self.check(admin.get(RUNS, agentId=asks["id"], status="cancelled"), 200)["data"]), waiting)


if __name__ == "__main__":
    unittest.main()
