# Every route of the API, as its own description lists them: that answers fit it, and what keeps to a facility and an organization.
# Who may use which is in test_access.py, which reaches rows and makes things as is said here.

import datetime
import itertools
import json
import re
import secrets

import approvals
import oauth
import people
import rest
import support
import webhooks

INTERNAL_ORGANIZATION = 1
ABSENT = 9_000_000_000  # an id that nothing has
service = world = None
routes = []

hours = itertools.count()


def some_time():
    """When somebody worked: an hour that no other log takes."""
    begins = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(hours=next(hours))
    return {"clockIn": begins.isoformat(), "clockOut": (begins + datetime.timedelta(minutes=59)).isoformat()}


days = itertools.count()


def some_day():
    """When somebody does not work: a day of which no other time off has some."""
    when = str(datetime.date(2040, 1, 1) + datetime.timedelta(days=next(days)))
    return {"type": "vacation", "startDate": when, "endDate": when}


# How to reach one row of the demo customer, by the resource that stands before {id}.
ROW_OF = {"/api/facilities": lambda: world.facility, "/api/staff": lambda: world.staff, "/api/shifts": lambda: world.shift,
          "/api/crm/leads": lambda: world.lead, "/api/conversations": lambda: ABSENT, "/api/messages": lambda: ABSENT, "/api/api-keys": lambda: world.key,
          "/api/organizations": lambda: service.demo["organizationId"], "/api/users": lambda: world.user,
          "/api/auth/sessions": lambda: world.browser.session, "/api/webhooks": lambda: world.webhook,
          "/api/notifications": lambda: world.notification, "/api/credentials": lambda: world.credential,
          "/api/timesheets": lambda: world.timesheet, "/api/time-off": lambda: world.time_off, "/api/shift-templates": lambda: world.template,
          "/api/shift-claims": lambda: world.claim, "/api/shift-offers": lambda: world.offer, "/api/shift-swaps": lambda: world.swap,
          "/api/payroll/runs": lambda: world.run,
          "/api/payroll/payments": lambda: world.payment, "/api/oauth/grants": lambda: ABSENT,
          "/api/guardrails": lambda: world.guardrail,
          "/api/approvals": lambda: ABSENT, "/api/ai/actions": lambda: ABSENT, "/api/agent-builder": lambda: world.agent, "/api/agents": lambda: world.agent,
          "/api/agent-runs": lambda: world.agent_run, "/api/apps/connections": lambda: world.connection}
# Queries of one row of which the world has none: their answers are read where they are tested.
NO_ROW = {"approvals.get", "conversations.get", "messages.list", "messages.get", "triggers.get", "agent_runs.get_of_agent"}
# A valid body, by operation; only routes that take one and need members have theirs here.
BODY_OF = {"shifts.assign": lambda: {"staffId": world.staff}, "shifts.unassign": lambda: {"staffId": world.staff},
           "credentials.add_to_staff": lambda: {"type": "license", "name": "Not mine"},
           "credentials.reject": lambda: {"reason": "Unreadable"}, "timesheets.reject": lambda: {"reason": "Unreadable"},
           "shift_templates.generate": lambda: {"from": "2031-01-06", "to": "2031-01-06"},
           "shifts.offer": lambda: {"staffIds": [world.staff]},
           "staff.set_availability": lambda: {"blocks": []}, "staff.put_availability": lambda: {"blocks": []},
           "agent_runs.start": lambda: {"wait": 99}, "messages.send": lambda: {"body": "Not mine"},
           "triggers.create": lambda: {"name": "Not mine", "type": "schedule", "cron": "0 9 * * *"},
           "webhooks.replay": lambda: {"since": datetime.datetime.now(datetime.timezone.utc).isoformat()}}
# Parameters that a query needs, by operation.
USAGE = [f"usage.{view}" for view in ("summary", "timeseries", "by_agent", "by_tool", "by_key", "outcomes", "export")]
QUERY_OF = {"search.all": lambda: {"q": world.facility_name}, "sandbox.get": lambda: {"facilityId": world.facility},
            **{name: lambda: {"facilityId": world.facility} for name in USAGE},
            "staff.available": lambda: {"facilityId": world.facility, "date": "2031-01-01", "startTime": "08:00", "endTime": "16:00"}}
# A body of what is asked without an {id}, by operation: of what makes something a valid one.
CREATE = {
    "shifts.create": lambda: {"facilityId": world.facility, "title": "Not mine", "date": "2031-01-01", "startTime": "08:00",
                              "endTime": "16:00"},
    "staff.create": lambda: {"firstName": "Not", "lastName": "Mine", "email": f"{secrets.token_hex(6)}@other.example.test",
                             "facilityIds": [world.facility]},
    "credentials.add": lambda: {"staffId": world.staff, "type": "license", "name": "Not mine"},
    "timesheets.create": lambda: {"staffId": world.staff, "facilityId": world.facility, **some_time()},
    "time_off.create": lambda: {"staffId": world.staff, **some_day()},
    "shift_templates.create": lambda: {"facilityId": world.facility, "title": "Not mine", "weekdays": [1], "startTime": "08:00",
                                       "endTime": "16:00"},
    "shift_swaps.create": lambda: dict(world.swap_body),  # which is asked already
    "timesheets.clock_in": lambda: {"staffId": 0}, "timesheets.approve_many": lambda: {"ids": []},
    "payroll_runs.create": lambda: {"facilityId": service.demo["facilityIds"][0], "periodStart": "2024-01-01", "periodEnd": "2024-01-31",
                                    "type": "off_cycle"},
    "leads.create": lambda: {"facilityId": world.facility, "name": "Not mine"},
    "conversations.create": lambda: {"facilityId": world.facility, "participantUserIds": [world.user]},
    "messages.create": lambda: {"to": {"userIds": [world.user]}, "body": "Not mine"},
    # It binds nobody, for others call tools meanwhile.
    "guardrails.create": lambda: {"name": f"Not mine {secrets.token_hex(6)}", "effect": "block", "tools": ["shifts_cancel"],
                                  "facilityIds": [world.facility], "isEnabled": False},
    "agent_builder.create": lambda: {"facilityId": world.facility, "name": f"Not mine {secrets.token_hex(6)}", "allowedTools": ["whoami"],
                                     "plan": [{"tool": "whoami"}]},
    "guardrails.test": lambda: {"tool": "shifts_list"},
    "organizations.create": lambda: {"name": f"Not mine {secrets.token_hex(6)}"},
    "users.create": lambda: {"firstName": "Not", "lastName": "Mine", "email": f"{secrets.token_hex(6)}@other.example.test",
                             "role": "viewer", "facilityIds": [world.facility]},
    "api_keys.create": lambda: {"name": "Not mine", "scopes": ["staff:read"]},
    "facilities.create": lambda: {"name": f"Not mine {secrets.token_hex(6)}"},
    # Nothing is sent to it but tests, which nobody takes.
    "webhooks.create": lambda: {"name": "Not mine", "url": "http://127.0.0.1:9/", "events": ["test"], "facilityId": world.facility},
    "sandbox.reset": lambda: {"facilityId": world.other_facility},
    "staff.import_csv": lambda: None, "shifts.import_csv": lambda: None,  # no file
    "notifications.read_all": dict, "shifts.swap": dict, "apps.connect": dict,
    **{f"auth.{verb}": dict for verb in ("login", "token", "accept_invite", "forgot", "reset", "logout", "change_password", "mfa_enrol", "mfa_confirm", "mfa_disable")},
}
# Queries without an {id} that are no lists: what they must show to a key that reaches no live row of the demo.
NOTHING_OF_THE_DEMO = {
    "dashboard.stats": lambda body: body["openShifts"] == body["filledShifts"] == body["urgentShifts"] == 0,
    "dashboard.activity": lambda body: not any(re.match(f"(shift:|staff:|lead:{world.lead}$)", item["resource"]) for item in body),
    "events.list": lambda body: not any(world.facility in (event["facilityId"], *event["facilityIds"]) and not event["sandbox"]
                                        for event in body["data"]),
    "auth.me": lambda body: str(world.facility_name) not in json.dumps(body),
    "search.all": lambda body: world.facility_name not in (found["title"] for found in body["data"]),
}


class Route:
    """One operation of the description."""

    def __init__(self, method, path, operation, description):
        self.method, self.path = method.upper(), path
        self.name = operation["operationId"]
        self.people = operation.get("x-people-only", False)
        self.schema = next((answer.get("content", {}).get("application/json", {}).get("schema", {})
                            for status, answer in operation["responses"].items() if status.startswith("2")), {})
        self.by_id = "{id}" in path
        self.lists = self.method == "GET" and self.schema.get("$ref", "").endswith("Page")
        self.description = description

    def read(self, client):
        """The answer of a route that reads, of a row where it names one."""
        path = self.path.split("/{id}")[0]
        target = self.path.replace("{id}", str(ROW_OF[path]()), 1) if self.by_id else path
        return client.get(target, **QUERY_OF.get(self.name, dict)())


def bonus(staff):
    """What a payroll run pays without any timesheets."""
    return {"facilityId": service.demo["facilityIds"][0], "timesheetIds": [],
            "adjustments": [{"staffId": staff, "kind": "bonus", "amount": 10}]}


def paid_run(client, staff, facility):
    """The payment that an approved payroll run makes to the person."""
    run = client.post("/api/payroll/runs", {"periodStart": "2024-01-01", "periodEnd": "2024-01-31", "type": "off_cycle"}
                      | bonus(staff) | {"facilityId": facility}).body["id"]
    approved = client.post(f"/api/payroll/runs/{run}/approve")
    assert approved.status == 200, str(approved)
    return client.get("/api/payroll/payments", payrollRunId=run).body["data"][0]["id"]


def swap_of(client, staff, facility):
    """What asks somebody to change places with the person, on shifts of their own days."""
    def made(path, **body):
        answer = client.post(path, body)
        assert answer.status == 201, str(answer)
        return answer.body["id"]

    def on_shift(person):
        return made("/api/shifts", facilityId=facility, title="Theirs", date=some_day()["startDate"], startTime="08:00", endTime="12:00",
                    assignedStaffIds=[person])
    peer = made("/api/staff", firstName="Changes", lastName="Places", email=f"{secrets.token_hex(6)}@other.example.test", facilityIds=[facility])
    return {"staffId": staff, "shiftId": on_shift(staff), "otherStaffId": peer, "otherShiftId": on_shift(peer)}


class World:
    """A row of each kind of the demo customer, which others try to reach, its owner's key, and a token and a session of
    operators."""

    def __init__(self):
        self.facility, self.other_facility = service.demo["facilityIds"]
        owner = self.owner = rest.client_of(service)
        self.facility_name = owner.get(f"/api/facilities/{self.facility}").body["name"]
        made = owner.post("/api/staff", {"firstName": "Tied", "lastName": "Down", "email": "tied@demo.example.com",
                                         "facilityIds": [self.facility]})
        self.staff = made.body["id"]
        self.credential = owner.post(f"/api/staff/{self.staff}/credentials", {"type": "license", "name": "Tied down"}).body["id"]
        self.timesheet = owner.post("/api/timesheets", {"staffId": self.staff, "clockIn": "2026-01-05T08:00:00Z",
                                                        "clockOut": "2026-01-05T16:00:00Z"}).body["id"]
        self.time_off = owner.post("/api/time-off", {"staffId": self.staff, **some_day()}).body["id"]
        self.template = owner.post("/api/shift-templates", {"facilityId": self.facility, "title": "Tied down", "weekdays": [1],
                                                            "startTime": "08:00", "endTime": "16:00"}).body["id"]
        self.claim, self.offer = self._claim(), self._offer()
        self.swap_body = swap_of(owner, self.staff, self.facility)
        self.swap = owner.post("/api/shift-swaps", self.swap_body).body["id"]
        self.run, self.payment = self._draft(self.staff), paid_run(owner, self.staff, self.facility)
        self.shift = owner.get("/api/shifts", status="open", limit=1).body["data"][0]["id"]
        self.lead = owner.post("/api/crm/leads", {"name": "Tied Down", "facilityId": self.facility}).body["id"]
        self.user = owner.post("/api/users", {"firstName": "Tied", "lastName": "Down", "email": "tied@demo.example.com",
                                              "role": "viewer", "facilityIds": [self.facility]}).body["id"]
        self.person = self.owner.with_key(service.command("token", "super.admin@platform.example.com").strip())
        self.key = rest.make_key(service, ["staff:read"], organization=INTERNAL_ORGANIZATION)[0]
        self.browser = people.sign_in(service, people.make_user(service, self.person)["email"])
        hook = {"name": "Tied down", "url": "http://127.0.0.1:9/", "events": ["test"], "facilityId": self.facility}
        self.webhook = owner.post("/api/webhooks", hook).body["id"]
        policy = {"name": "Tied down", "effect": "block", "tools": ["shifts_cancel"], "facilityIds": [self.facility], "isEnabled": False}
        self.guardrail = owner.post("/api/guardrails", policy).body["id"]
        self.agent = owner.post("/api/agent-builder", {"facilityId": self.facility, "name": "Not yours", "allowedTools": ["whoami"],
                                                       "plan": [{"tool": "whoami"}]}).body["id"]
        self.agent_run = self._run()
        self.notification = self._tell_somebody()
        self.connection = owner.post("/api/apps/demo/connect", {"facilityId": self.facility}).body["id"]
        owner.post(f"/api/apps/connections/{self.connection}/actions/demo.echo", {})
        owner.delete(f"/api/apps/connections/{self.connection}")

    def _run(self):
        """A run of the agent, which somebody starts who has a user."""
        manager = people.sign_in(service, people.make_user(service, role="admin")["email"])
        return manager.post(f"/api/agents/{self.agent}/runs", {"facilityId": self.facility}).body["id"]

    def _open_shift(self, date):
        return self.owner.post("/api/shifts", {"facilityId": self.facility, "title": "Open", "date": date, "startTime": "08:00",
                                               "endTime": "16:00"}).body["id"]

    def _claim(self):
        """The staff member's claim of an open shift."""
        shift = self._open_shift("2041-01-01")
        account = people.make_user(service, role="staff", staffId=self.staff, facilityIds=[self.facility])
        made = people.take_token(service, account["email"]).post(f"/api/shifts/{shift}/claim")
        assert made.status == 201, str(made)
        return made.body["id"]

    def _offer(self):
        """An offer of an open shift to the staff member."""
        shift = self._open_shift("2041-01-03")
        return self.owner.post(f"/api/shifts/{shift}/offers", {"staffIds": [self.staff]}).body["data"][0]["id"]

    def _draft(self, staff):
        """A payroll run that could be approved."""
        return self.owner.post("/api/payroll/runs", CREATE["payroll_runs.create"]() | bonus(staff)).body["id"]

    def _tell_somebody(self):
        """The notification of a user who is assigned to a shift."""
        staff = self.owner.post("/api/staff", {"firstName": "Told", "lastName": "Off", "email": "told@demo.example.com",
                                               "facilityIds": [self.facility]}).body["id"]
        client = people.sign_in(service, people.make_user(service, role="staff", staffId=staff)["email"])
        made = self.owner.post("/api/shifts", {"facilityId": self.facility, "title": "Theirs", "date": "2031-02-01",
                                               "startTime": "08:00", "endTime": "16:00", "assignedStaffIds": [staff]})
        assert made.status == 201, str(made)
        return people.told(client)[0]["id"]


def setUpModule():
    global service, world
    service = rest.start_service(webhooks.settings() | webhooks.MANY)
    world = World()
    description = world.owner.get("/openapi.json").body
    routes[:] = [Route(method, path, operation, description) for path, method, operation in rest.operations_of(description)]


class RoutesTest(rest.RestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        everything = world.owner.get("/api/auth/me").body["scopes"]

        def keyed(**how):
            return world.owner.with_key(rest.make_key(service, everything, **how)[1])

        cls.foreign = keyed(organization=INTERNAL_ORGANIZATION)
        cls.elsewhere = keyed(facility=world.other_facility)
        cls.sandbox = keyed(kind="test", facility=world.facility)

    def test_both_descriptions_are_one(self):
        self.assertEqual(world.owner.get("/openapi.json").text, world.owner.get("/api/openapi.json").text)
        self.assertEqual(world.owner.get("/openapi.json").text.strip(), (support.PROJECT_ROOT / "schemas" / "openapi.json").read_text(encoding="utf-8").strip())

    def test_answers_of_queries_fit_the_description(self):
        for route in routes:
            if route.method == "GET" and route.schema and route.name not in NO_ROW:
                with self.subTest(route=route.path):
                    client = world.person if route.people or route.name == "billing.outbox" else world.owner
                    body = self.check(route.read(client), 200)
                    self.assertIsNone(rest.mismatch(body, route.schema, route.description))

    def test_other_authorization_schemes(self):
        token = service.demo["keys"]["live"]
        for header in (token, f"Basic {token}", "Bearer", "Bearer ", "Bearer other-token"):
            with self.subTest(header=header):
                answer = world.owner.get("/api/staff", headers={"Authorization": header})
                self.check_refused(answer, 401, "UNAUTHENTICATED")

    def test_the_sandbox_shows_its_facility(self):
        facility = self.check(self.sandbox.get(f"/api/facilities/{world.facility}"), 200)
        self.assertEqual((facility["id"], facility["name"]), (world.facility, f"{world.facility_name} (sandbox)"))
        self.assertEqual(facility["phone"] + "".join(facility["address"].values()), "", "no contact data")
        self.assertEqual(self.sandbox.get("/api/facilities").body["data"], [facility])
        self.check_refused(self.sandbox.get(f"/api/facilities/{world.other_facility}"), 404, "NOT_FOUND")

    def test_naming_what_is_out_of_scope(self):
        for route in routes:
            named = route.lists and not route.people and not route.by_id and route.name != "notifications.list"
            if (named and route.name != "billing.outbox") or route.name in ("dashboard.stats", "usage.summary", "usage.export"):
                with self.subTest(route=route.path):
                    for client, facility in ((self.elsewhere, world.facility), (world.owner, ABSENT),
                                             (self.foreign, world.facility), (self.sandbox, world.other_facility)):
                        self.check_refused(client.get(route.path, facilityId=facility), 403, "FACILITY_SCOPE_VIOLATION")
                    for _ in range(2):
                        self.check(world.owner.get(route.path, facilityId=world.facility), 200)
                    self.check(self.sandbox.get(route.path, facilityId=world.facility), 200)
                    self.check_refused(world.owner.get(route.path, orgUnitId=INTERNAL_ORGANIZATION), 403,
                                       "ORG_SCOPE_VIOLATION")
                    self.check(world.owner.get(route.path, orgUnitId=service.demo["organizationId"]), 200)


class RowSecurityTest(rest.RestCase):
    """Row-level security alone, table by table; the queries themselves are tried without their conditions in
    tests/integration/projections."""

    def rows_seen(self, table, *settings, where="true"):
        sql = "SET ROLE workforce_reader; " + "".join(f"SET app.{name} = '{value}'; " for name, value in settings)
        return int(service.postgres.value(sql + f"SELECT count(*) FROM {table} "
                                                f"WHERE organization_id <> {INTERNAL_ORGANIZATION} AND {where}"))

    def test_readers_see_their_organization_only(self):
        tables = support.tables_of(service.postgres, support.READ_SCHEMA)
        self.assertIn(support.SHIFT_TABLE, tables)
        demo = service.demo["organizationId"]
        person = {"firstName": "P", "lastName": "Q", "email": "kept@example.test"}
        self.check(rest.client_of(service).post("/api/staff", person, {"Idempotency-Key": "an answer that is kept"}), 201)
        oauth.connected(service, people.make_user(service)["email"], "staff:read")
        approvals.Agent(service, ["staff:write"]).defer(staffId=world.staff)
        trigger = {"name": "Never", "type": "schedule", "cron": "0 9 29 2 *", "isEnabled": False}
        self.check(world.owner.post(f"/api/agent-builder/{world.agent}/triggers", trigger), 201)
        self.check(world.owner.post("/api/messages", CREATE["messages.create"]()), 201)
        service.wait_projected()
        for table in tables:
            with self.subTest(table=table):
                own = str(table == "read.sandbox").lower()  # which has rows of the sandbox alone
                if table != "read.oauth_client":  # all of which are the installation's
                    self.assertGreater(self.rows_seen(table, ("organization", demo), ("sandbox", own)), 0)
                self.assertEqual(self.rows_seen(table), 0, "no settings at all")
                self.assertEqual(self.rows_seen(table, ("organization", ""), ("sandbox", "")), 0, "settings left empty")
                for sandbox, others in (("true", "NOT is_sandbox"), ("false", "is_sandbox")):
                    self.assertEqual(self.rows_seen(table, ("organization", demo), ("sandbox", sandbox), where=others), 0, others)
                for sandbox in ("false", "true"):
                    mine = (("organization", INTERNAL_ORGANIZATION), ("sandbox", sandbox), ("operator", "false"))
                    self.assertEqual(self.rows_seen(table, *mine), 0)

    def test_readers_can_not_write(self):
        for table in support.tables_of(service.postgres, support.READ_SCHEMA):
            with self.subTest(table=table), self.assertRaisesRegex(AssertionError, "permission denied"):
                service.postgres.psql(f"SET ROLE workforce_reader; DELETE FROM {table}")
