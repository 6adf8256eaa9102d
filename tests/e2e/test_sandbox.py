# The sandbox: resets over REST and on the command line, and that it and live rows know nothing of each other.

import json
import threading
import unittest

import cluster
import rest
import support
from kafka_cluster import OnKafka

ADMIN = "admin@demo.example.com"  # of the demo customer, bound to no facility
SUPER_ADMIN = "super.admin@platform.example.com"
INTERNAL_ORGANIZATION = 1
RESET = "/api/sandbox/reset"
DATA_SET = {"staff": 8, "shift": 14, "lead": 5, "credential": 12, "timesheet": 9, "payroll_run": 2, "guardrail": 1, "app": 1,
            "agent": 1, "trigger": 1, "agent_run": 2, "approval": 1, "conversation": 1, "message": 3, "time_off": 2}
LISTS = {"staff": "/api/staff", "shift": "/api/shifts", "lead": "/api/crm/leads", "credential": "/api/credentials",
         "timesheet": "/api/timesheets", "payroll_run": "/api/payroll/runs", "guardrail": "/api/guardrails",
         "app": "/api/apps", "agent": "/api/agents", "trigger": None, "agent_run": "/api/agent-runs", "approval": "/api/approvals",
         "conversation": "/api/conversations", "message": None, "time_off": "/api/time-off"}
IN_SANDBOX = {"Service-Sandbox": "true"}
RUN_SECONDS = 60
# What differs from one reset to the next.
OWN = {"id", "createdAt", "updatedAt", "filledAt", "qualifiedAt", "assignedStaffIds", "staffId", "verification",
       "shiftId", "approvedAt", "payrollRunId", "timesheetIds", "externalPayrollId", "agentId", "disabledAt", "runId", "approvalId",
       "correlationId", "startedAt", "completedAt", "input", "arguments", "steps", "output", "sessionId", "requestedAt", "expiresAt",
       "expiresInSeconds", "usage", "participantStaffIds", "lastMessageAt", "conversationId", "deliveries", "decidedAt"}
SHIFT = {"title": "Mine", "date": "2031-01-01", "startTime": "08:00", "endTime": "16:00"}
CREDENTIAL = {"type": "license", "name": "Mine"}


class SandboxCase(rest.RestCase, support.ServiceCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.organization, (cls.facility, cls.other) = cls.service.demo["organizationId"], cls.service.demo["facilityIds"]
        cls.nobody = rest.Client(cls.service.demo["baseUrl"])
        cls.live = rest.client_of(cls.service)
        cls.admin = cls.person(ADMIN)
        cls.scopes = cls.live.get("/api/auth/me").body["scopes"]
        cls.sandbox = cls.keyed(cls.facility)
        cls.live.post("/api/crm/leads", {"name": "Live Lead", "facilityId": cls.facility})
        holder = cls.live.get("/api/staff").body["data"][0]["id"]
        cls.live.post("/api/credentials", {"staffId": holder, **CREDENTIAL})

    @classmethod
    def person(cls, email):
        """A client with a token of the user with that address."""
        return cls.nobody.with_key(cls.service.command("token", email).strip())

    @classmethod
    def keyed(cls, facility):
        """A client with a sandbox key of the facility."""
        return cls.nobody.with_key(rest.make_key(cls.service, cls.scopes, kind="test", facility=facility)[1])

    def reset(self, headers=None, facility=None, **fields):
        """Resets the sandbox; then other credentials see that too."""
        done = self.check(self.admin.post(RESET, {"facilityId": facility or self.facility, **fields}, headers), 200)
        self.service.wait_projected()
        return done

    def rows(self, kind, client=None, **query):
        client = client or self.sandbox
        if kind == "app":  # connections, by their apps
            return [row for app in self.check(client.get(LISTS[kind], **query), 200)["data"] for row in app["connections"]]
        if kind == "trigger":
            return [row for agent in self.rows("agent", client)
                    for row in self.check(client.get(f"/api/agent-builder/{agent['id']}/triggers", **query), 200)["data"]]
        if kind == "message":
            return [row for conversation in self.rows("conversation", client)
                    for row in self.check(client.get(f"/api/conversations/{conversation['id']}/messages", **query), 200)["data"]]
        return [row for page in rest.pages(client, LISTS[kind], **query) for row in page]

    def everyone(self):
        return self.rows("staff") + self.rows("staff", isActive="false")

    def content(self):
        """The sandbox without what differs from one reset to the next; rows name the people that they are about."""
        people = self.everyone()
        names = {person["id"]: person["lastName"] for person in people}
        text = [json.dumps({name: value for name, value in row.items() if name not in OWN} |
                           {"who": [names[person] for person in row.get("assignedStaffIds", [])],
                            "whose": names.get(row.get("staffId"))}, sort_keys=True)
                for row in [*people, *(row for kind in LISTS if kind != "staff" for row in self.rows(kind))]]
        return sorted(text)

    def digest(self, where):
        """What stands in the read models of rows that `where` picks, by kind; of credentials what no clock changes."""
        self.service.wait_projected()
        lasting = {"credential": "(id, staff_id, deleted, type, status, expires_on, name_key)"}
        return [self.service.postgres.value(
            f"SELECT count(*) || md5(coalesce(string_agg({lasting.get(kind, 't')}::text, '|' ORDER BY id), '')) "
            f"FROM read.{kind} t WHERE {where[kind]}")
            for kind in DATA_SET]

    def state(self, facility=None):
        return self.check(self.admin.get("/api/sandbox", facilityId=facility or self.facility), 200)

    def check_filled(self):
        """The sandbox has the data set and nothing else."""
        state = self.state()
        self.service.wait_projected()
        self.assertEqual((state["facilityId"], state["counts"]), (self.facility, DATA_SET))
        self.assertEqual([len(self.everyone()), *(len(self.rows(kind)) for kind in LISTS if kind != "staff")],
                         list(DATA_SET.values()))

    def check_pay(self):
        """Of the data set's work a run is paid, and a draft pays what is approved."""
        logs = self.rows("timesheet")
        statuses = sorted(log["status"] for log in logs)
        self.assertEqual(statuses, ["approved"] * 3 + ["paid"] * 3 + ["rejected"] + ["submitted"] * 2)
        runs = {run["status"]: run for run in self.rows("payroll_run")}
        self.assertEqual(set(runs), {"draft", "paid"})
        for status, of in (("draft", "approved"), ("paid", "paid")):
            paid = [log for log in logs if log["status"] == of]
            self.assertEqual(runs[status]["timesheetIds"], sorted(log["id"] for log in paid))
            self.assertAlmostEqual(runs[status]["totals"]["netAmount"], sum(log["grossAmount"] for log in paid), places=2)
        self.assertEqual({log["payrollRunId"] for log in logs if log["status"] == "paid"}, {runs["paid"]["id"]})
        payments = self.check(self.sandbox.get("/api/payroll/payments"), 200)["data"]
        self.assertEqual([(payment["status"], payment["payrollRunId"]) for payment in payments], [("paid", runs["paid"]["id"])] * 3)
        self.assertAlmostEqual(sum(payment["netAmount"] for payment in payments), runs["paid"]["totals"]["netAmount"], places=2)

    def runs_by_status(self):
        return {run["status"]: run for run in self.rows("agent_run")}

    def run_once(self, run, *statuses):
        """The run once it stands so."""
        def look():
            nonlocal run
            run = self.check(self.admin.get(f"/api/agent-runs/{run['id']}", IN_SANDBOX), 200)
            return run["status"] in statuses
        support.wait_until(look, RUN_SECONDS, f"run {run['id']} is {statuses}")
        return run

    def content_after(self, done):
        """What there is, once reads show that reset."""
        self.service.wait_projected()
        state = self.state()
        self.assertEqual(state["lastReset"]["resetAt"], done["resetAt"])
        return state["counts"]


class ResetsAndLog:
    """What comes to the log's engine as well."""

    def test_a_reset(self):
        person = {"firstName": "A", "lastName": "B", "email": "a.b@example.test"}
        holder = self.check(self.sandbox.post("/api/staff", person), 201)["id"]
        held = self.check(self.sandbox.post("/api/credentials", {"staffId": holder, **CREDENTIAL}), 201)
        self.check(self.sandbox.post("/api/crm/leads", {"name": "C"}), 201)
        self.service.wait_projected()
        before = self.state()["counts"]
        done = self.reset(seed=3)
        self.assertEqual(set(done), {"facilityId", "cleared", "seeded", "seed", "resetAt"})
        self.assertEqual((done["facilityId"], done["cleared"], done["seeded"], done["seed"]),
                         (self.facility, before, DATA_SET, 3))
        self.check_filled()
        self.assertEqual(self.state()["lastReset"], {name: done[name] for name in ("cleared", "seeded", "seed", "resetAt")})
        statuses = sorted(shift["status"] for shift in self.rows("shift"))
        self.assertEqual(statuses, ["assigned"] * 4 + ["cancelled"] + ["completed"] * 4 + ["in_progress"] + ["open"] * 4)
        self.assertEqual({person["employmentType"] for person in self.everyone()},
                         {"full_time", "part_time", "contract", "per_diem"})
        self.assertEqual(sum(not person["isActive"] for person in self.everyone()), 1)
        self.assertTrue(all(person["email"].endswith("@example.com") for person in self.everyone()))
        self.assertEqual({lead["status"] for lead in self.rows("lead")}, {"new", "contacted", "qualified", "won", "lost"})
        self.check_refused(self.sandbox.get(f"/api/credentials/{held['id']}"), 404, "NOT_FOUND")
        credentials = self.rows("credential")
        statuses = sorted(credential["status"] for credential in credentials)
        self.assertEqual(statuses, ["expired"] * 2 + ["pending", "rejected"] + ["verified"] * 8)
        soon = self.rows("credential", status="verified", expiringWithinDays=30)
        self.assertEqual(len(soon), 2)
        self.assertEqual({credential["staffId"] for credential in credentials}, {person["id"] for person in self.everyone()})
        self.check_pay()
        person = next(person["id"] for person in self.rows("staff"))
        open_shift = next(shift["id"] for shift in self.rows("shift", status="open") if not shift["assignedStaffIds"])
        self.check(self.sandbox.post(f"/api/shifts/{open_shift}/assign", {"staffId": person, "override": True,
                                                                         "overrideComment": "try"}), 200)
        self.check_refused(self.live.post(f"/api/shifts/{open_shift}/assign", {"staffId": person}), 404, "NOT_FOUND")

    def test_the_call_that_waits(self):
        """The data set's agent has a run that waits: whoever reset it approves the call, and the run goes on; or rejects it."""
        self.reset()
        agent, = self.rows("agent")
        trigger, = self.rows("trigger")
        self.assertEqual((agent["executor"], trigger["isEnabled"], trigger["disabledReason"]), ("scripted", False, "manual"))
        runs = self.runs_by_status()
        self.assertEqual(set(runs), {"completed", "pending_approval"})
        approval, = self.rows("approval", status="pending")
        waits = runs["pending_approval"]
        self.assertEqual((approval["id"], approval["tool"], approval["runId"], approval["origin"]),
                         (waits["approvalId"], "timesheets_approve", waits["id"], "agent_run"))
        log, = approval["arguments"]["timesheetIds"]
        self.assertEqual(self.check(self.sandbox.get(f"/api/timesheets/{log}"), 200), waits["steps"][0]["result"]["data"][0])
        self.check_refused(self.admin.post(f"/api/approvals/{approval['id']}/approve"), 404, "NOT_FOUND")
        done = self.check(self.admin.post(f"/api/approvals/{approval['id']}/approve", None, IN_SANDBOX), 200)
        self.assertEqual((done["success"], done["runResumed"], done["result"]["results"]),
                         (True, True, [{"id": log, "status": "approved", "error": None}]), done)
        run = self.run_once(waits, "completed", "failed")
        self.assertEqual((run["status"], run["output"], [step["status"] for step in run["steps"]]),
                         ("completed", done["result"], ["ok", "ok"]), run)
        self.service.wait_projected()
        self.assertEqual(self.check(self.sandbox.get(f"/api/timesheets/{log}"), 200)["status"], "approved")
        self.check_refused(self.admin.post(f"/api/approvals/{approval['id']}/approve", None, IN_SANDBOX), 409, "ALREADY_RESOLVED")
        # Started anew, it finds the hours of that shift approved, and those of none else.
        again = self.check(self.admin.post(f"/api/agents/{agent['id']}/runs", {"input": waits["input"]}, IN_SANDBOX), 200)
        self.assertEqual((again["status"], [step["status"] for step in again["steps"]], again["output"]["data"]),
                         ("completed", ["ok", "skipped"], []), again)
        self.reset()
        waits = self.runs_by_status()["pending_approval"]
        self.check(self.admin.post(f"/api/approvals/{waits['approvalId']}/reject", {"reason": "Not mine"}, IN_SANDBOX), 200)
        run = self.run_once(waits, "rejected", "failed")
        self.assertEqual((run["status"], run["error"]["code"]), ("rejected", "APPROVAL_REJECTED"))

    def test_a_reset_while_its_run_goes_on(self):
        """What is approved, rejected or worked on while a reset deletes it ends with it."""
        self.reset()
        for _ in range(3):
            waits = self.runs_by_status()["pending_approval"]
            answers = []
            client = self.person(ADMIN)
            ask = threading.Thread(target=lambda: answers.append(
                client.post(f"/api/approvals/{waits['approvalId']}/approve", None, IN_SANDBOX)))
            ask.start()
            self.reset()
            ask.join()
            client.close()
            self.assertIn(answers[0].status, (200, 404), str(answers[0]))
            for path in (f"/api/agent-runs/{waits['id']}", f"/api/approvals/{waits['approvalId']}"):
                self.check_refused(self.admin.get(path, IN_SANDBOX), 404, "NOT_FOUND")
        self.check_filled()
        support.wait_until(lambda: self.service.postgres.value("SELECT count(*) FROM reactor.agent_run_work WHERE is_sandbox") == "0",
                           RUN_SECONDS, "nothing is left to work on")

    def test_a_retry_gets_the_first_answer(self):
        key = {"Idempotency-Key": "a reset of mine"}
        first = self.admin.post(RESET, {"facilityId": self.facility}, key)
        self.check(first, 200)
        made = self.check(self.sandbox.post("/api/shifts", {"facilityId": self.facility, **SHIFT}), 201)
        again = self.admin.post(RESET, {"facilityId": self.facility}, key)
        self.assertEqual((self.check(again, 200), again.headers["Idempotency-Replayed"]), (first.body, "true"))
        self.check(self.sandbox.get(f"/api/shifts/{made['id']}"), 200)
        self.check_refused(self.admin.post(RESET, {"facilityId": self.facility, "seed": 2}, key), 409,
                           "IDEMPOTENCY_KEY_CONFLICT")

    def test_many_at_once(self):
        answers = []

        def ask():
            answers.append(self.admin.post(RESET, {"facilityId": self.facility}))

        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done = [answer for answer in answers if answer.status == 200]
        self.assertTrue(done)
        for answer in answers:
            if answer.status != 200:
                self.check_refused(answer, 409, "CONCURRENT_MODIFICATION")
        self.check_filled()
        self.assertIn(self.state()["lastReset"]["resetAt"], [answer.body["resetAt"] for answer in done])

    def test_twins_at_once(self):
        answers = []
        key = {"Idempotency-Key": "twins"}

        def ask():
            answers.append(self.admin.post(RESET, {"facilityId": self.facility}, key))

        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done = [answer.body for answer in answers if answer.status == 200]
        self.assertTrue(done)
        self.assertEqual(done, done[:1] * len(done))
        for answer in answers:
            if answer.status != 200:
                self.check_refused(answer, 409, "IDEMPOTENCY_IN_PROGRESS")
                self.assertEqual(answer.headers["Retry-After"], "1")

    def test_a_great_many_rows(self):
        self.reset()
        for _ in range(5):
            shifts = [{"facilityId": self.facility, **SHIFT}] * 100
            self.check(self.sandbox.post("/api/shifts", {"shifts": shifts}), 201)
        self.assertEqual(self.reset()["cleared"], DATA_SET | {"shift": 514})
        self.check_filled()

    def test_the_log_tells_it_all(self):
        self.reset(seed=5)
        self.reset(seed=5)
        before, after = support.checksums_around_rebuild(self.service)
        self.assertEqual(after, before)
        self.service.command("replay", "--verify")
        shown = self.service.command("replay", "--aggregate", f"sandbox/{self.facility}", "--sandbox")
        self.assertIn("sandbox.reset", shown)

    def test_the_command_line(self):
        arguments = ("sandbox", "reset", "--organization", str(self.organization), "--facility", str(self.facility))
        done = json.loads(self.service.command(*arguments, "--seed", "6"))
        self.assertEqual((done["seeded"], done["seed"]), (DATA_SET, 6))
        self.assertEqual(self.content_after(done), DATA_SET)
        self.service.stop()
        try:
            done = json.loads(self.service.command(*arguments))
            self.assertEqual((done["cleared"], done["seed"]), (DATA_SET, 1))
            with self.assertRaises(AssertionError):
                self.service.command(*arguments[:-1], "9000000000")
        finally:
            self.service.start()
        for client in (self.admin, self.sandbox, self.live):
            client.close()
        self.assertEqual(self.content_after(done), DATA_SET)


class SandboxTest(ResetsAndLog, SandboxCase):

    def test_the_same_seed_gives_the_same(self):
        self.reset(seed=7)
        first, ids = self.content(), {person["id"] for person in self.everyone()}
        self.reset(seed=8)
        self.assertNotEqual(self.content(), first)
        self.reset(seed=7)
        if self.rows("shift", status="cancelled")[0]["date"] in "".join(first):  # midnight may have passed
            self.assertEqual(self.content(), first)
        self.assertFalse(ids & {person["id"] for person in self.everyone()}, "ids are new")
        again = self.reset(seed=7)
        self.assertEqual((again["cleared"], again["seeded"]), (DATA_SET, DATA_SET))

    def test_what_is_not_of_the_facility_stays(self):
        self.reset(facility=self.other)
        shared = self.check(self.admin.post("/api/staff", {"firstName": "Of", "lastName": "Both", "email": "both@example.test",
                                                           "facilityIds": [self.facility, self.other]}, IN_SANDBOX), 201)
        others = {kind: f"NOT is_sandbox OR facility_id IS DISTINCT FROM {self.facility}" for kind in DATA_SET}
        others["staff"] = f"NOT is_sandbox OR facility_ids <> '{{{self.facility}}}'"
        others["guardrail"] = f"NOT is_sandbox OR facility_ids <> '{{{self.facility}}}'"
        others["credential"] = others["time_off"] = f"staff_id IN (SELECT id FROM read.staff WHERE {others['staff']})"
        before = self.digest(others)
        ids = {shift["id"] for shift in self.rows("shift")}
        self.reset()
        self.assertEqual(self.digest(others), before)
        self.assertFalse(ids & {shift["id"] for shift in self.rows("shift")})
        self.assertIn(shared["id"], [person["id"] for person in self.rows("staff")])
        self.check(self.admin.patch(f"/api/staff/{shared['id']}", {"facilityIds": [self.facility]}, IN_SANDBOX), 200)
        self.assertEqual(self.reset()["cleared"]["staff"], 9)
        self.assertEqual(self.state(self.other)["counts"], DATA_SET)

    def test_who_may_and_what_is_refused(self):
        for client in (self.live, self.sandbox):
            self.check_refused(client.post(RESET, {"facilityId": self.facility}), 403, "FORBIDDEN")
            self.check_refused(client.get("/api/sandbox", facilityId=self.facility), 403, "FORBIDDEN")
        self.check_refused(self.nobody.post(RESET, {}), 401, "UNAUTHENTICATED")
        self.check_refused(self.admin.post(RESET, {}), 400, "FACILITY_REQUIRED")
        self.check_refused(self.admin.get("/api/sandbox"), 400, "FACILITY_REQUIRED")
        self.check_fields(self.admin.post(RESET, {"facilityId": "x", "seed": 2**31}), "facilityId", "seed")
        for absent in (9_000_000_000, 1_000_000):
            self.check_refused(self.admin.post(RESET, {"facilityId": absent}), 403, "FACILITY_SCOPE_VIOLATION")
            self.check_refused(self.admin.get("/api/sandbox", facilityId=absent), 403, "FACILITY_SCOPE_VIOLATION")
        operator = self.person(SUPER_ADMIN)
        self.assertEqual(self.check(operator.post(RESET, {"facilityId": self.other}), 200)["facilityId"], self.other)
        self.assertEqual(self.check(operator.get("/api/sandbox", facilityId=self.other), 200)["counts"], DATA_SET)
        self.check_refused(operator.post(RESET, {}), 400, "ORG_REQUIRED")

    def test_the_only_facility_need_not_be_named(self):
        operator, own = self.person(SUPER_ADMIN), {"orgUnitId": INTERNAL_ORGANIZATION}
        self.check_refused(operator.post(RESET, own), 400, "FACILITY_REQUIRED")
        only = self.check(operator.post("/api/facilities", {"name": "Only"} | own), 201)["id"]
        self.service.wait_projected()  # facilities are counted as they are shown
        done = self.check(operator.post(RESET, own), 200)
        self.assertEqual((done["facilityId"], done["seeded"]), (only, DATA_SET))
        self.assertEqual(self.check(operator.get("/api/sandbox", **own), 200)["facilityId"], only)
        self.check(operator.post("/api/facilities", {"name": "Other"} | own), 201)
        self.service.wait_projected()
        self.check_refused(operator.post(RESET, own), 400, "FACILITY_REQUIRED")

    def test_people_act_on_the_sandbox_by_a_header(self):
        self.reset()
        mine = self.rows("staff", self.admin)
        seen = self.admin.get("/api/staff", IN_SANDBOX).body["data"]
        self.assertEqual({person["id"] for person in self.rows("staff")} - {person["id"] for person in seen}, set())
        self.assertFalse({person["id"] for person in seen} & {person["id"] for person in mine})
        self.assertEqual(self.admin.get("/api/staff", {"Service-Sandbox": "false"}).body["data"],
                         self.admin.get("/api/staff").body["data"])
        made = self.check(self.admin.post("/api/shifts", {"facilityId": self.facility, **SHIFT}, IN_SANDBOX), 201)
        self.service.wait_projected()
        self.check(self.sandbox.get(f"/api/shifts/{made['id']}"), 200)
        for client in (self.live, self.admin):
            self.check_refused(client.get(f"/api/shifts/{made['id']}"), 404, "NOT_FOUND")
        self.check_fields(self.admin.get("/api/staff", {"Service-Sandbox": "yes"}), "Service-Sandbox")
        self.check_refused(self.live.get("/api/staff", IN_SANDBOX), 403, "FORBIDDEN")
        self.check(self.sandbox.get("/api/staff", IN_SANDBOX), 200)
        key = {"Idempotency-Key": "on both sides"}
        body = {"firstName": "On", "lastName": "Both", "email": "sides@example.test", "facilityIds": [self.facility]}
        live = self.check(self.admin.post("/api/staff", body, key), 201)
        other = self.check(self.admin.post("/api/staff", body, key | IN_SANDBOX), 201)
        self.assertNotEqual(live["id"], other["id"], "each side has keys of its own")

    def test_neither_side_uses_the_other(self):
        """What is there of either, the other can't name in what it does to its own, nor does any figure tell of it."""
        self.reset()
        which = {"staff": {}, "shift": {"status": "open"}, "lead": {}, "credential": {}}
        live = {kind: self.rows(kind, self.live, **query)[0] for kind, query in which.items()}
        theirs = {kind: self.rows(kind, **query)[0] for kind, query in which.items()}
        for client, own, others in ((self.sandbox, theirs, live), (self.live, live, theirs)):
            answer = client.post(f"/api/shifts/{own['shift']['id']}/assign", {"staffId": others["staff"]["id"]})
            self.check_refused(answer, 404, "NOT_FOUND")
            resources = {item["resource"] for item in client.get("/api/dashboard/recent-activity", limit=100).body}
            self.assertFalse(resources & {f"{kind}:{row['id']}" for kind, row in others.items()})
        active = sum(person["isActive"] for person in self.rows("staff"))
        self.assertEqual(self.check(self.sandbox.get("/api/dashboard/stats"), 200)["activeStaff"], active)

    def test_seeding_once_more_changes_nothing(self):
        last = self.reset()
        self.service.command("seed", "--demo", "--out", self.service.directory / "dev.json")
        self.assertEqual(self.state()["lastReset"]["resetAt"], last["resetAt"])


class SandboxOnKafkaTest(OnKafka, *((SandboxTest,) if support.LONG else (ResetsAndLog, SandboxCase))):
    pass


class SandboxAcrossProcessesTest(rest.RestCase):
    """Two api processes, of which one writes the demo's partition and the other sends it what is to be written."""

    @classmethod
    def setUpClass(cls):
        cls.postgres = cls.enterClassContext(support.Postgres())
        cls.cluster = cls.enterClassContext(cluster.Cluster(cls.postgres))
        *cls.apis, _ = cls.cluster.start("api", "api", "workers")
        cls.facility = cls.cluster.demo["facilityIds"][0]
        cls.token = cls.cluster.command("token", ADMIN).strip()

    def test_who_acts_on_the_sandbox_does_so_at_the_owner(self):
        for number, api in enumerate(self.apis):
            client = api.client(self.token)
            body = {"firstName": "Far", "lastName": "Away", "email": f"far{number}@example.test", "facilityIds": [self.facility]}
            made = self.check(client.post("/api/staff", body, IN_SANDBOX), 201)
            for other in self.apis:
                reader = other.client(self.token)
                self.check(reader.get(f"/api/staff/{made['id']}", IN_SANDBOX), 200)
                self.check_refused(reader.get(f"/api/staff/{made['id']}"), 404, "NOT_FOUND")
        for number, api in enumerate(self.apis):
            client = api.client(self.token)
            done = self.check(client.post(RESET, {"facilityId": self.facility, "seed": number}), 200)
            self.assertEqual((done["cleared"], done["seed"]), (DATA_SET | ({} if number else {"staff": 10}), number))
            self.assertEqual(self.check(client.get("/api/sandbox", facilityId=self.facility), 200)["counts"], DATA_SET)


if __name__ == "__main__":
    unittest.main()
