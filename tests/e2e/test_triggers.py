# Triggers of agents: what they may say, who may change them, and what makes them fire. Kills are in test_trigger_crashes.py.

import datetime
import secrets
import time
import unittest

import people
import rest
import support
import triggers
from triggers import BUILDER, FAILING, TriggerCase

FIELDS = {"id", "organizationId", "agentId", "facilityId", "createdBy", "name", "type", "cron", "timezone", "eventType", "filter", "input",
          "runAsUserId", "maxRunsPerHour", "isEnabled", "consecutiveFailures", "lastRunId", "lastRunStatus", "lastFiredAt", "nextRunAt",
          "disabledReason", "disabledAt", "lastError", "createdAt", "updatedAt"}
service = owner = operator = admin = None


def setUpModule():
    global service, owner, operator, admin
    service = rest.start_service()
    owner = rest.client_of(service)
    operator = people.operator_of(service)
    admin = owner.with_key(service.command("token", "admin@demo.example.com").strip())


class Case(TriggerCase):

    @classmethod
    def setUpClass(cls):
        cls.service, cls.admin, cls.facility = service, admin, service.demo["facilityIds"][0]
        cls.customer = service.demo["organizationId"]
        cls.me = admin.get("/api/auth/me").body["user"]["id"]

    def agent(self, plan=None, **fields):
        made = super().agent(plan, **fields)
        service.wait_projected()  # operators find whose it is there
        return made

    def trigger(self, agent, **fields):
        made = super().trigger(agent, **fields)
        service.wait_projected()
        return made

    def user(self, role="admin", client=None, **fields):
        """A new user of the customer, and a client of theirs."""
        email = f"{secrets.token_hex(6)}@example.test"
        body = {"firstName": "T", "lastName": "User", "email": email, "role": role, "password": people.PASSWORD}
        made = self.check((client or operator).post("/api/users", body | {"orgUnitId": self.customer} | fields), 201)
        service.wait_projected()  # the command looks for them there
        return made, owner.with_key(service.command("token", email).strip())


class RoutesTest(Case):

    def test_a_trigger_lives(self):
        agent = self.agent()
        answer = self.admin.post(f"{BUILDER}/{agent['id']}/triggers",
                                 {"name": " Weekdays ", "type": "schedule", "cron": "30 8 * * mon-fri", "timezone": "Europe/Berlin",
                                  "input": {"day": "{{now.date}}"}, "maxRunsPerHour": 2, "color": "red",
                                  "nextRunAt": "2031-01-01T00:00:00Z"})
        made = self.check(answer, 201)
        self.assertEqual(set(made), FIELDS)
        self.assertEqual(answer.headers["Location"], self.where(made))
        self.assertIn("color", answer.headers["Service-Warnings"])
        self.assertEqual((made["name"], made["agentId"], made["runAsUserId"], made["createdBy"], made["isEnabled"]),
                         ("Weekdays", agent["id"], self.me, self.me, True))
        self.assertRegex(made["nextRunAt"], r"T0[67]:30:00\.000Z$")
        shown = self.admin.get(self.where(made))
        self.assertEqual(self.check(shown, 200), made)
        self.assertEqual(shown.headers["ETag"], answer.headers["ETag"])
        changed = self.admin.patch(self.where(made), {"cron": "0 9 * * *", "timezone": "UTC"}, {"If-Match": shown.headers["ETag"]})
        self.assertRegex(self.check(changed, 200)["nextRunAt"], r"T09:00:00\.000Z$")
        self.check_refused(self.admin.patch(self.where(made), {"name": "Late"}, {"If-Match": shown.headers["ETag"]}), 412,
                           "PRECONDITION_FAILED")
        again = self.check(self.admin.put(self.where(made), self.read(made)), 200)
        self.assertEqual(again, self.read(made), "what GET shows can be sent back")
        off = self.check(self.admin.post(self.where(made, "toggle")), 200)
        self.assertEqual((off["isEnabled"], off["disabledReason"], off["nextRunAt"]), (False, "manual", None))
        self.assertEqual(self.check(self.admin.post(self.where(made, "toggle"), {"isEnabled": False}), 200), off)
        on = self.check(self.admin.post(self.where(made, "toggle"), {"isEnabled": True}), 200)
        self.assertEqual((on["isEnabled"], on["disabledReason"], on["disabledAt"]), (True, "", None))
        self.check(self.admin.delete(self.where(made)), 204)
        for answer in (self.admin.get(self.where(made)), self.admin.patch(self.where(made), {"name": "Gone"}),
                       self.admin.delete(self.where(made)), self.admin.post(self.where(made, "toggle")),
                       self.admin.post(self.where(made, "run-now"))):
            self.check_refused(answer, 404, "NOT_FOUND")

    def test_both_spellings(self):
        agent = self.agent()
        base = f"{BUILDER}/{agent['id']}/triggers"
        one = self.trigger(agent)
        named = {"triggerId": one["id"]}
        self.assertEqual(self.check(self.admin.send("PATCH", base, {"name": "By query"}, **named), 200)["name"], "By query")
        self.assertEqual(self.check(self.admin.patch(base, {"name": "By body"} | named), 200)["name"], "By body")
        self.assertEqual(self.check(self.admin.put(base, {"name": "By PUT"} | named), 200)["name"], "By PUT")
        self.assertFalse(self.check(self.admin.post(f"{base}/toggle", named), 200)["isEnabled"])
        self.assertTrue(self.check(self.admin.post(f"{base}/toggle", **named), 200)["isEnabled"])
        self.assertEqual(self.check(self.admin.post(f"{base}/run-now", named), 202)["triggerId"], one["id"])
        for answer in (self.admin.patch(base, {"name": "Nobody"}), self.admin.delete(base), self.admin.post(f"{base}/toggle"),
                       self.admin.post(f"{base}/run-now"), self.admin.send("PATCH", base, {}, triggerId="x"),
                       self.admin.patch(base, {"triggerId": "x"}), self.admin.send("PATCH", base, named, triggerId=one["id"] + 1),
                       self.admin.patch(self.where(one), {"triggerId": one["id"] + 1}), self.admin.delete(base, triggerId=0)):
            self.check_fields(answer, "triggerId")
        self.check_refused(self.admin.delete(base, triggerId=10**9), 404, "NOT_FOUND")
        self.check(self.admin.delete(base, **named), 204)
        self.check_refused(self.admin.delete(base, **named), 404, "NOT_FOUND")

    def test_what_is_wrong_is_told_by_field(self):
        base = f"{BUILDER}/{self.agent()['id']}/triggers"
        schedule = {"name": "A", "type": "schedule", "cron": "0 9 * * *"}
        event = {"name": "A", "type": "event", "eventType": "shift.posted"}
        for body, *fields in (
                ({}, "name", "type"), ({"name": "A", "type": "never"}, "type"), ({"name": "A", "type": "schedule"}, "cron"),
                ({"name": "A", "type": "event"}, "eventType"), (schedule | {"cron": "* * * * *"}, "cron"),
                (schedule | {"cron": "0 0 9 * * *"}, "cron"), (schedule | {"cron": "@reboot"}, "cron"),
                (schedule | {"cron": "0 9 31 2 *"}, "cron"), (schedule | {"cron": 5}, "cron"),
                (schedule | {"timezone": "Mars/Base"}, "timezone"), (schedule | {"eventType": "shift.*"}, "eventType"),
                (schedule | {"filter": {"a": 1}}, "filter"), (schedule | {"input": []}, "input"),
                (schedule | {"input": {"a": "{{event.data"}}, "input"), (schedule | {"input": {"a": "{{nothing.of.it}}"}}, "input"),
                (schedule | {"input": {"a": "{{event.data.shiftId}}"}}, "input"), (event | {"input": {"a": ["{{input.a}}"]}}, "input"),
                (event | {"input": {"a": "{{event.nothing}}"}}, "input"), (event | {"input": {"a": "{{ event.data.shiftID }}"}}, "input"),
                (event | {"input": {"a": "{{event.data.{{event.id}}}}"}}, "input"), (event | {"input": {"a": "\0"}}, "input"),
                (schedule | {"input": {"a": "x" * 20_000}}, "input"), (schedule | {"maxRunsPerHour": 0}, "maxRunsPerHour"),
                (schedule | {"maxRunsPerHour": 601}, "maxRunsPerHour"), (schedule | {"isEnabled": "yes"}, "isEnabled"),
                (event | {"eventType": "user.created"}, "eventType"), (event | {"cron": "0 9 * * *"}, "cron"),
                (event | {"filter": {"urgnecy": 1, "rate": {}, "title": [[]]}}, "filter.urgnecy", "filter.rate", "filter.title[0]"),
                (event | {"filter": 5}, "filter"), (event | {"name": "x" * 201}, "name")):
            self.check_fields(self.admin.post(base, body), *fields)
        one = self.check(self.admin.post(base, schedule), 201)
        for change, *fields in (({"cron": "* * * * *"}, "cron"), ({"type": "event"}, "type"), ({"agentId": 1}, "agentId"),
                                ({"eventType": "shift.*", "timezone": "Mars/Base"}, "eventType", "timezone"),
                                ({"filter": {"shiftId": 1}}, "filter"), ({"input": {"a": "{{event.x"}}, "input"), ({"cron": ""}, "cron")):
            self.check_fields(self.admin.patch(self.where(one), change), *fields)
        self.assertEqual(self.read(one), one)
        self.check_refused(self.admin.post(f"{BUILDER}/999999/triggers", schedule), 404, "NOT_FOUND")
        self.check_refused(self.admin.get(f"{BUILDER}/999999/triggers"), 404, "NOT_FOUND")

    def test_the_list_is_of_the_agent(self):
        agent, other = self.agent(), self.agent()
        made = [self.trigger(agent, name=f"Trigger {n % 3}", isEnabled=n % 2 == 0) for n in range(5)]
        made.append(self.trigger(agent, eventType="shift.*", name="Events"))
        elsewhere = self.trigger(other)
        base = f"{BUILDER}/{agent['id']}/triggers"

        def listed(**query):
            return [row["id"] for page in rest.pages(self.admin, base, limit=2, **query) for row in page]
        ids = [each["id"] for each in made]
        self.assertEqual(listed(), ids)
        self.assertEqual(listed(sort="-createdAt"), ids[::-1])
        self.assertEqual(listed(sort="name"), [ids[5], *(ids[n] for n in (0, 3, 1, 4, 2))])
        self.assertEqual(listed(type="event"), [ids[5]])
        self.assertEqual(listed(type="schedule,event"), ids)
        self.assertEqual(listed(isEnabled="false"), [ids[1], ids[3]])
        self.assertEqual(listed(q="EVENTS"), [ids[5]])
        self.check_fields(self.admin.get(base, type="never"), "type[0]")
        self.check_refused(self.admin.get(f"{base}/{elsewhere['id']}"), 404, "NOT_FOUND")
        self.check_refused(self.admin.get(base, cursor="AAAA"), 400, "INVALID_CURSOR")

    def test_a_retry_makes_no_second_one(self):
        agent = self.agent()
        body, key = {"name": "Once", "type": "schedule", "cron": "0 9 * * *"}, {"Idempotency-Key": secrets.token_hex(8)}
        base = f"{BUILDER}/{agent['id']}/triggers"
        first, second = (self.check(self.admin.post(base, body, key), 201) for _ in range(2))
        self.assertEqual(first, second)
        key = {"Idempotency-Key": secrets.token_hex(8)}
        runs = [self.check(self.admin.post(self.where(first, "run-now"), None, key), 202)["id"] for _ in range(2)]
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(len(self.runs(first)), 1)

    def test_an_hour_that_is_used_up(self):
        one = self.trigger(self.agent(), maxRunsPerHour=1)
        self.check(self.admin.post(self.where(one, "run-now")), 202)
        refused = self.admin.post(self.where(one, "run-now"))
        self.check_refused(refused, 429, "RUN_LIMIT_REACHED")
        left = refused.details["retryAfter"]
        self.assertTrue(3000 < left <= 3600, left)
        self.assertEqual(refused.headers["Retry-After"], str(left))

    def test_who_may(self):
        agent = self.agent(facilityId=self.facility)
        one = self.trigger(agent)
        for role in ("manager", "viewer", "scheduler"):
            _, client = self.user(role)
            self.check_refused(client.get(self.where(one)), 403, "FORBIDDEN")
            self.check_refused(client.patch(self.where(one), {"name": "Mine"}), 403, "FORBIDDEN")
        _, key = rest.make_key(service, ["agents:run", "agents:approve", "agents:read"])
        self.check_refused(owner.with_key(key).get(self.where(one)), 403, "INSUFFICIENT_SCOPE")
        elsewhere = service.demo["facilityIds"][1] if len(service.demo["facilityIds"]) > 1 else \
            self.check(owner.post("/api/facilities", {"name": f"House {secrets.token_hex(3)}"}), 201)["id"]
        _, bound = self.user(facilityIds=[elsewhere])
        for answer in (bound.get(self.where(one)), bound.patch(self.where(one), {"name": "Mine"}), bound.delete(self.where(one)),
                       bound.post(self.where(one, "toggle")), bound.post(self.where(one, "run-now"))):
            self.check_refused(answer, 404, "NOT_FOUND")
        _, near = self.user(facilityIds=[self.facility])
        self.assertEqual(self.check(near.get(self.where(one)), 200), one)
        self.assertEqual(self.check(operator.get(self.where(one)), 200), one)
        changed = self.check(operator.patch(self.where(one), {"name": "By the operator"}), 200)
        self.assertEqual((changed["name"], changed["runAsUserId"]), ("By the operator", self.me))


class RunAsTest(Case):

    def test_only_operators_name_others(self):
        agent, (other, _) = self.agent(), self.user()
        base, body = f"{BUILDER}/{agent['id']}/triggers", {"name": "A", "type": "schedule", "cron": "0 9 * * *"}
        self.check_refused(self.admin.post(base, body | {"runAsUserId": other["id"]}), 403, "RUN_AS_FORBIDDEN")
        own = self.check(self.admin.post(base, body | {"runAsUserId": self.me}), 201)
        self.check_refused(self.admin.patch(self.where(own), {"runAsUserId": other["id"]}), 403, "RUN_AS_FORBIDDEN")
        self.assertEqual(self.check(operator.patch(self.where(own), {"runAsUserId": other["id"]}), 200)["runAsUserId"], other["id"])
        self.assertEqual(self.check(self.admin.patch(self.where(own), {"name": "Still theirs"}), 200)["runAsUserId"], other["id"])
        self.assertEqual(self.check(self.admin.patch(self.where(own), {"runAsUserId": self.me}), 200)["runAsUserId"], self.me)
        for unknown in (10**9, self.stranger()):
            self.check_fields(operator.post(base, body | {"runAsUserId": unknown}), "runAsUserId")
        by_operator = self.check(operator.post(base, body), 201)
        self.assertNotEqual(by_operator["runAsUserId"], self.me)
        _, key = rest.make_key(service, ["agents:manage"])
        self.check_fields(owner.with_key(key).post(base, body), "runAsUserId")

    def stranger(self):
        """A user of a third organization."""
        organization = self.check(operator.post("/api/organizations", {"name": f"Third {secrets.token_hex(3)}"}), 201)["id"]
        return self.user(orgUnitId=organization)[0]["id"]

    def test_nobody_uses_the_rights_of_who_is_above(self):
        one = self.trigger(self.agent(), eventType="shift.posted")
        above = operator.get("/api/auth/me").body["user"]["id"]
        self.check(operator.patch(self.where(one), {"runAsUserId": above}), 200)
        for answer in (self.admin.post(self.where(one, "run-now"), {"input": {"a": 1}}),
                       self.admin.patch(self.where(one), {"input": {"a": 1}}),
                       self.admin.patch(self.where(one), {"eventType": "shift.*"}),
                       self.admin.patch(f"{BUILDER}/{one['agentId']}", {"plan": FAILING})):
            self.check_refused(answer, 403, "RUN_AS_FORBIDDEN")
        self.check(self.admin.patch(self.where(one), {"name": "Renamed"}), 200)
        self.check(self.admin.patch(self.where(one), {"input": {"a": 1}, "runAsUserId": self.me}), 200)
        self.check(self.admin.post(self.where(one, "run-now")), 202)

    def test_a_user_who_may_not_act_fails_the_dispatch_until_it_is_given_up(self):
        user, client = self.user()
        agent = self.agent()
        one = self.check(client.post(f"{BUILDER}/{agent['id']}/triggers",
                                     {"name": "Orphan", "type": "event", "eventType": "shift.posted"}), 201)
        self.check(operator.delete(f"/api/users/{user['id']}"), 200)
        self.check_refused(self.admin.post(self.where(one, "run-now")), 409, "INVALID_STATE_TRANSITION")
        for _ in range(5):
            self.post_shift()
        given_up = self.until(one, isEnabled=False)
        self.assertEqual((given_up["disabledReason"], given_up["consecutiveFailures"], given_up["lastError"]["code"]),
                         ("max_consecutive_failures", 5, "RUN_AS_USER_INACTIVE"))
        self.post_shift()
        self.settle()
        self.assertEqual(self.read(one), given_up)
        self.assertEqual(self.runs(one), [])


class EventTest(Case):

    def test_an_event_that_passes_the_filter_starts_one_run(self):
        agent = self.agent()
        one = self.trigger(agent, eventType="shift.posted", filter={"urgency": ["high", "critical"], "department": "ICU"},
                           input={"shift": "{{event.data.shiftId}}", "text": "{{event.type}} at {{event.data.facilityId}}"})
        every = self.trigger(agent, eventType="shift.*")
        for fields in ({"urgency": "low", "department": "ICU"}, {"urgency": "high", "department": "ER"}, {"urgency": "high"}):
            self.post_shift(**fields)
        wanted = self.post_shift(urgency="critical", department="ICU")
        run, = self.until_runs(one, 1)
        self.assertEqual(run["input"], {"shift": wanted["id"], "text": f"shift.posted at {self.facility}"})
        self.assertEqual((run["triggerId"], run["runAsUserId"]), (one["id"], self.me))
        self.settle()
        self.assertEqual(len(self.runs(one)), 1)
        self.assertEqual(len(self.runs(every)), 4)
        self.assertEqual(self.read(one)["lastRunId"], run["id"])

    def test_an_agent_of_a_facility_sees_that_facility_alone(self):
        elsewhere = self.check(owner.post("/api/facilities", {"name": f"House {secrets.token_hex(3)}"}), 201)["id"]
        here = self.trigger(self.agent(facilityId=self.facility), eventType="shift.posted")
        _, bound = self.user(facilityIds=[self.facility])
        agent = self.agent()
        whole = self.trigger(agent, eventType="shift.posted")
        theirs = self.trigger(agent, eventType="shift.posted")
        self.check(operator.patch(self.where(theirs), {"runAsUserId": bound.get("/api/auth/me").body["user"]["id"]}), 200)
        self.post_shift(facilityId=elsewhere)
        self.post_shift()
        self.until_runs(whole, 2)
        self.settle()
        self.assertEqual((len(self.runs(here)), len(self.runs(theirs)), len(self.runs(whole))), (1, 1, 2))

    def test_what_is_disabled_gone_or_over_its_rate_starts_nothing(self):
        agent = self.agent()
        made = [self.trigger(agent, eventType="shift.posted", **fields) for fields in ({}, {}, {"maxRunsPerHour": 2}, {"isEnabled": False})]
        off, gone, twice, never = made
        self.check(self.admin.post(self.where(off, "toggle"), {"isEnabled": False}), 200)
        self.check(self.admin.delete(self.where(gone)), 204)
        for _ in range(3):
            self.post_shift()
        self.settle()
        self.assertEqual([len(self.runs(each)) for each in made], [0, 0, 2, 0])
        self.assertEqual(self.read(twice)["consecutiveFailures"], 0)
        self.check_refused(self.admin.post(self.where(twice, "run-now")), 429, "RUN_LIMIT_REACHED")
        self.check(self.admin.post(self.where(off, "toggle"), {"isEnabled": True}), 200)
        self.post_shift()
        self.until_runs(off, 1)
        skipped = [event for event in self.events("skipped") if event["subject"] == f"trigger/{twice['id']}"]
        self.assertEqual({event["data"]["reason"] for event in skipped}, {"rate"})
        self.assertEqual(self.runs(never), [])

    def test_other_organizations_hear_nothing(self):
        organization = self.check(operator.post("/api/organizations", {"name": f"Deaf {secrets.token_hex(3)}"}), 201)["id"]
        _, theirs = self.user(orgUnitId=organization)
        agent = self.check(theirs.post(BUILDER, {"name": "Deaf", "allowedTools": ["*"], "plan": triggers.PLAN}), 201)
        one = self.check(theirs.post(f"{BUILDER}/{agent['id']}/triggers",
                                     {"name": "All", "type": "event", "eventType": "shift.*"}), 201)
        self.post_shift()
        self.settle()
        self.assertEqual(self.check(theirs.get(f"{BUILDER}/{agent['id']}/triggers/{one['id']}"), 200)["lastRunId"], None)

    def test_an_agent_that_is_deactivated_takes_its_triggers_along(self):
        agent = self.agent()
        one, schedule = self.trigger(agent, eventType="shift.posted"), self.trigger(agent)
        self.check(self.admin.delete(f"{BUILDER}/{agent['id']}"), 200)
        for each in (one, schedule):
            row = self.read(each)
            self.assertEqual((row["isEnabled"], row["disabledReason"], row["nextRunAt"]), (False, "agent_deactivated", None))
            self.check_refused(self.admin.post(self.where(each, "toggle")), 409, "AGENT_INACTIVE")
            self.check_refused(self.admin.post(self.where(each, "run-now")), 409, "AGENT_INACTIVE")
        self.post_shift()
        self.settle()
        self.assertEqual(self.runs(one), [])

    def test_the_sandbox_is_apart(self):
        _, key = rest.make_key(service, ["shifts:read", "shifts:write", "agents:manage", "agents:read"], kind="test",
                               facility=self.facility, user=self.me)
        sandbox = owner.with_key(key)
        live = self.trigger(self.agent(), eventType="shift.posted")
        agent = self.check(sandbox.post(BUILDER, {"name": "In the sandbox", "allowedTools": ["shifts_list"], "plan": triggers.PLAN}), 201)
        base = f"{BUILDER}/{agent['id']}/triggers"
        inside = self.check(sandbox.post(base, {"name": "Inside", "type": "event", "eventType": "shift.posted"}), 201)
        self.check_refused(sandbox.get(self.where(live)), 404, "NOT_FOUND")
        self.check_refused(self.admin.get(self.where(inside)), 404, "NOT_FOUND")
        self.post_shift(sandbox)
        support.wait_until(lambda: sandbox.get(f"{base}/{inside['id']}").body["lastRunId"], triggers.RUN_SECONDS, "the sandbox's fires")
        self.settle()
        self.assertEqual(self.runs(live), [])
        before = sandbox.get(f"{base}/{inside['id']}").body
        self.post_shift()
        self.until_runs(live, 1)
        self.settle()
        self.assertEqual(sandbox.get(f"{base}/{inside['id']}").body["lastRunId"], before["lastRunId"])


class StreakTest(Case):

    def test_failing_runs_end_it_and_its_maker_is_told(self):
        user, client = self.user()
        agent = self.agent(FAILING)
        one = self.check(client.post(f"{BUILDER}/{agent['id']}/triggers",
                                     {"name": "Fails", "type": "event", "eventType": "shift.posted"}), 201)
        for _ in range(5):
            self.post_shift()
        given_up = self.until(one, isEnabled=False)
        self.assertEqual((given_up["disabledReason"], given_up["consecutiveFailures"]), ("max_consecutive_failures", 5))
        self.assertEqual((given_up["lastError"]["code"], given_up["lastRunStatus"]), ("TOOL_FAILED", "failed"))
        entry, = [row for row in self.check(self.admin.get("/api/audit-log", action="AGENT_TRIGGER_DISABLED", limit=200), 200)["data"]
                  if row["resource"] == f"trigger:{one['id']}"]
        self.assertEqual(entry["metadata"]["reason"], "max_consecutive_failures")

        def told():
            rows = client.get(people.NOTIFICATIONS).body["data"]
            return [row for row in rows if row["type"] == "trigger_disabled" and row["resource"] == f"trigger:{one['id']}"]
        support.wait_until(told, triggers.RUN_SECONDS, "its maker is told")
        self.assertEqual(len(told()), 1)
        self.assertIn("Fails", told()[0]["body"])
        on = self.check(client.post(self.where(one, "toggle"), {"isEnabled": True}), 200)
        self.assertEqual((on["consecutiveFailures"], on["lastError"], on["disabledReason"]), (0, None, ""))

    def test_a_run_that_completes_forgets_failures(self):
        agent = self.agent(FAILING)
        one = self.trigger(agent, eventType="shift.posted")
        for _ in range(3):
            self.post_shift()
        self.until(one, consecutiveFailures=3)
        self.check(self.admin.patch(f"{BUILDER}/{agent['id']}", {"plan": triggers.PLAN}), 200)
        self.post_shift()
        self.until(one, consecutiveFailures=0, lastRunStatus="completed", lastError=None)

    def test_a_loop_of_its_own_stops_at_the_third_hop(self):
        """Each run posts a shift, which is what its trigger waits for."""
        plan = [{"id": "more", "tool": "shifts_create", "arguments": {**triggers.SHIFT, "facilityId": self.facility, "title": "Loop"}}]
        one = self.trigger(self.agent(plan), eventType="shift.posted", filter={"title": "Loop"})
        self.post_shift(title="Loop")
        support.wait_until(lambda: [event for event in self.events("skipped") if event["subject"] == f"trigger/{one['id']}"],
                           triggers.RUN_SECONDS, "the loop is stopped")
        self.settle()
        self.assertEqual({run["status"] for run in self.runs(one)}, {"completed"})
        self.assertEqual(len(self.runs(one)), 3)
        skipped, = [event for event in self.events("skipped") if event["subject"] == f"trigger/{one['id']}"]
        self.assertEqual(skipped["data"]["reason"], "depth")
        self.assertEqual(self.read(one)["consecutiveFailures"], 0)


class ScheduleTest(Case):

    def test_a_moment_starts_one_run(self):
        now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=75)
        one = self.trigger(self.agent(), cron=f"{now.minute} {now.hour} * * *", timezone="UTC", input={"at": "{{now.time}}"})
        due = one["nextRunAt"]
        time.sleep(max(0, (datetime.datetime.fromisoformat(due) - datetime.datetime.now(datetime.timezone.utc)).total_seconds()))
        run, = self.until_runs(one, 1)
        after = self.read(one)
        self.assertEqual(run["input"], {"at": due[11:16]})
        self.assertGreaterEqual(run["createdAt"], due)
        self.assertEqual(after["nextRunAt"][11:], due[11:])
        self.assertGreater(after["nextRunAt"], due)
        self.assertEqual(after["lastRunId"], run["id"])


if __name__ == "__main__":
    unittest.main()
