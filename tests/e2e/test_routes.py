# Every route of the API, as its own description lists them, against every kind of credential that must not get through.

import json
import re
import secrets

import rest
import support

INTERNAL_ORGANIZATION = 1
ABSENT = 9_000_000_000  # an id that nothing has
service = world = None
routes = []

# How to reach one row of the demo customer, by the resource that stands before {id}.
ROW_OF = {"/api/facilities": lambda: world.facility, "/api/staff": lambda: world.staff, "/api/shifts": lambda: world.shift,
          "/api/crm/leads": lambda: world.lead, "/api/api-keys": lambda: world.key}
# A valid body, by operation; only routes that take one and need members have theirs here.
BODY_OF = {"shifts.assign": lambda: {"staffId": world.staff}, "shifts.unassign": lambda: {"staffId": world.staff}}
# What makes something without an {id}: its body, then the refusal of another organization's key, of a key of another
# facility, and of a sandbox key; None where the caller may make it, in its own place.
CREATE = {
    "shifts.create": (lambda: {"facilityId": world.facility, "title": "Not mine", "date": "2031-01-01", "startTime": "08:00",
                               "endTime": "16:00"}, (403, "FACILITY_SCOPE_VIOLATION"), (403, "FACILITY_SCOPE_VIOLATION"), None),
    "staff.create": (lambda: {"firstName": "Not", "lastName": "Mine", "email": f"{secrets.token_hex(6)}@other.example.test",
                              "facilityIds": [world.facility]},
                     (403, "FACILITY_SCOPE_VIOLATION"), (403, "FACILITY_SCOPE_VIOLATION"), None),
    "leads.create": (lambda: {"facilityId": world.facility, "name": "Not mine"},
                     (403, "FACILITY_SCOPE_VIOLATION"), (403, "FACILITY_SCOPE_VIOLATION"), None),
    "api_keys.create": (lambda: {"name": "Not mine", "scopes": ["staff:read"]}, None, None, None),  # of people alone
    "facilities.create": (lambda: {"name": f"Not mine {secrets.token_hex(6)}"}, None, (403, "FACILITY_SCOPE_VIOLATION"),
                          (403, "FACILITY_SCOPE_VIOLATION")),
}
# Queries without an {id} that are no lists: what they must show to a key that reaches no live row of the demo.
NOTHING_OF_THE_DEMO = {
    "dashboard.stats": lambda body: body["openShifts"] == body["filledShifts"] == body["urgentShifts"] == 0,
    "dashboard.activity": lambda body: not any(re.match(f"(shift:|staff:|lead:{world.lead}$)", item["resource"]) for item in body),
    "auth.me": lambda body: str(world.facility_name) not in json.dumps(body),
}


class Route:
    """One operation of the description."""

    def __init__(self, method, path, operation, description):
        self.method, self.path = method.upper(), path
        self.name = operation["operationId"]
        self.permission = operation.get("x-permission")
        self.open = operation.get("security") == []
        self.people = operation.get("x-people-only", False)
        self.schema = next(({} if "content" not in answer else answer["content"]["application/json"]["schema"]
                            for status, answer in operation["responses"].items() if status.startswith("2")), {})
        self.by_id = "{id}" in path
        self.lists = self.method == "GET" and self.schema.get("$ref", "").endswith("Page")
        self.description = description

    def send(self, client):
        path = self.path
        if self.by_id:
            path = path.replace("{id}", str(ROW_OF[path.split("/{id}")[0]]()), 1)
        body = BODY_OF.get(self.name) or (CREATE[self.name][0] if self.name in CREATE else None)
        if body is None and self.method in ("POST", "PUT", "PATCH"):
            body = dict
        return client.send(self.method, path, body() if body else None)


class World:
    """The rows of the demo that others try to reach, and the keys that they try it with."""

    def __init__(self):
        self.facility, self.other_facility = service.demo["facilityIds"]
        owner = self.owner = rest.client_of(service)
        self.facility_name = owner.get(f"/api/facilities/{self.facility}").body["name"]
        made = owner.post("/api/staff", {"firstName": "Tied", "lastName": "Down", "email": "tied@demo.example.test",
                                         "facilityIds": [self.facility]})
        self.staff = made.body["id"]
        self.shift = owner.get("/api/shifts", status="open", limit=1).body["data"][0]["id"]
        self.lead = owner.post("/api/crm/leads", {"name": "Tied Down", "facilityId": self.facility}).body["id"]
        everything = owner.get("/api/auth/me").body["scopes"]
        self.person = self.owner.with_key(service.command("token", "super.admin@platform.example.test").strip())
        self.key = rest.make_key(service, ["staff:read"], organization=INTERNAL_ORGANIZATION)[0]
        self.foreign = self.keyed(everything, organization=INTERNAL_ORGANIZATION)
        self.elsewhere = self.keyed(everything, facility=self.other_facility)
        self.sandbox = self.keyed(everything, kind="test", facility=self.facility)
        # Whatever permission a route asks for, one of these two has none of it.
        self.bystanders = {name: self.keyed([f"{name}:read"]) for name in ("payroll", "crm")}

    def keyed(self, scopes, **how):
        return self.owner.with_key(rest.make_key(service, scopes, **how)[1])

    def rows(self):
        """What of the demo must stay as it is."""
        return [self.owner.get(path).text for path in
                (f"/api/facilities/{self.facility}", f"/api/staff/{self.staff}", f"/api/shifts/{self.shift}",
                 f"/api/crm/leads/{self.lead}")]


def setUpModule():
    global service, world
    service = rest.start_service()
    world = World()
    description = world.owner.get("/openapi.json").body
    routes[:] = [Route(method, path, operation, description) for path, methods in description["paths"].items()
                 for method, operation in methods.items()]


class RoutesTest(rest.RestCase):

    def each_closed(self, check, **about):
        """Calls `check` with each route that takes a credential, as a sub-test."""
        found = [route for route in routes if not route.open]
        self.assertGreater(len(found), 20)
        for route in found:
            with self.subTest(route=f"{route.method} {route.path}", **about):
                check(route)

    def test_every_route_can_be_tested_here(self):
        def check(route):
            if route.by_id:
                self.assertIn(route.path.split("/{id}")[0], ROW_OF, "teach ROW_OF a row of this resource")
                self.assertEqual(route.path.count("{"), 1, "only one {id} is known here")
            elif route.method == "GET":
                self.assertTrue(route.lists or route.name in NOTHING_OF_THE_DEMO, "teach NOTHING_OF_THE_DEMO this query")
            else:
                self.assertIn(route.name, CREATE, "teach CREATE this command")
        self.each_closed(check)

    def test_open_routes_are_these_and_take_no_credential(self):
        found = {route.path: route for route in routes if route.open}
        self.assertEqual(set(found), {"/healthz", "/openapi.json", "/api/openapi.json", "/.well-known/api-versions",
                                      "/.well-known/jwks.json", "/api/scopes"})
        nobody = world.owner.with_key(None)
        for path in found:
            self.check(nobody.get(path), 200)

    def test_both_descriptions_are_one(self):
        self.assertEqual(world.owner.get("/openapi.json").text, world.owner.get("/api/openapi.json").text)
        self.assertEqual(world.owner.get("/openapi.json").text.strip(), (support.PROJECT_ROOT / "schemas" / "openapi.json").read_text(encoding="utf-8").strip())

    def test_answers_of_queries_fit_the_description(self):
        for route in routes:
            if route.method == "GET" and route.schema:
                with self.subTest(route=route.path):
                    body = self.check(route.send(world.person if route.people else world.owner), 200)
                    self.assertIsNone(rest.mismatch(body, route.schema, route.description))

    def test_without_a_credential(self):
        nobody = world.owner.with_key(None)
        self.each_closed(lambda route: self.check_refused(route.send(nobody), 401, "UNAUTHENTICATED"))

    def test_malformed_and_unknown_keys(self):
        unknown = "svc_live_" + "".join(secrets.choice(rest.BASE62) for _ in range(43))
        tokens = {"no key": "svc_live_nonsense", "wrong checksum": unknown + "000000",
                  "unknown": unknown + rest.checksum(unknown)}
        # The checksum here is the service's own, or the third token would only be a second malformed one.
        demo = service.demo["keys"]["live"]
        self.assertEqual(demo[-6:], rest.checksum(demo[:-6]))
        for name, token in tokens.items():
            client = world.owner.with_key(token)
            self.each_closed(lambda route: self.check_refused(route.send(client), 401, "INVALID_API_KEY"), key=name)

    def test_a_revoked_key(self):
        key, token = rest.make_key(service, ["staff:read"])
        client = world.owner.with_key(token)
        self.check(client.get("/api/staff"), 200)
        rest.revoke_key(service, key)
        support.wait_until(lambda: client.get("/api/staff").status == 401, 5, "the revoked key is refused")
        self.each_closed(lambda route: self.check_refused(route.send(client), 401, "UNAUTHENTICATED"))

    def test_other_authorization_schemes(self):
        token = service.demo["keys"]["live"]
        for header in (token, f"Basic {token}", "Bearer", "Bearer ", "Bearer other-token"):
            with self.subTest(header=header):
                answer = world.owner.get("/api/staff", headers={"Authorization": header})
                self.check_refused(answer, 401, "UNAUTHENTICATED")

    def test_without_the_scope(self):
        def check(route):
            if route.people:
                for client in (world.owner, world.bystanders["crm"]):
                    self.check_refused(route.send(client), 403, "FORBIDDEN")
                return
            if not route.permission:
                self.check(route.send(world.bystanders["crm"]), 200)
                return
            other = "crm" if route.permission.startswith("payroll") else "payroll"
            answer = route.send(world.bystanders[other])
            details = self.check_refused(answer, 403, "INSUFFICIENT_SCOPE")
            self.assertEqual(details, {"permission": route.permission})
            self.assertIn(route.permission, answer.body["error"]["message"])
        self.each_closed(check)

    def check_unreached(self, client, refusal_of_create, foreign_facilities):
        """None of the demo's rows of the first facility can be read or changed."""
        def check(route):
            answer = route.send(client)
            if route.people:
                self.check_refused(answer, 403, "FORBIDDEN")
                return
            shared = route.path.startswith("/api/facilities") and not foreign_facilities
            if route.by_id and not (shared and route.method == "GET"):
                self.check_refused(answer, 404, "NOT_FOUND")
            elif route.lists and not shared:
                seen = [row for row in self.check(answer, 200)["data"] if row["organizationId"] != INTERNAL_ORGANIZATION]
                if route.path == "/api/facilities":
                    seen = [row for row in seen if row["id"] != world.other_facility]
                # Who is tied to no facility is seen from each; that is nobody of this facility's.
                self.assertFalse([row for row in seen if route.path != "/api/staff" or row["facilityIds"]], str(answer))
            elif route.name in NOTHING_OF_THE_DEMO:
                self.assertTrue(NOTHING_OF_THE_DEMO[route.name](self.check(answer, 200)), str(answer))
            elif route.name in CREATE:
                refusal = CREATE[route.name][refusal_of_create]
                if refusal:
                    self.check_refused(answer, *refusal)
                else:
                    self.check(answer, 201)
        before = world.rows()
        self.each_closed(check)
        self.assertEqual(world.rows(), before)

    def test_a_key_of_another_organization(self):
        self.check_unreached(world.foreign, 1, True)
        self.assertFalse(self.check(world.foreign.get("/api/staff"), 200)["data"])

    def test_a_key_of_another_facility(self):
        self.check_unreached(world.elsewhere, 2, True)

    def test_a_sandbox_key(self):
        client = world.sandbox
        self.assertEqual([], client.get("/api/staff").body["data"] + client.get("/api/shifts").body["data"])
        self.check_unreached(client, 3, False)
        facility = self.check(client.get(f"/api/facilities/{world.facility}"), 200)
        self.assertEqual((facility["id"], facility["name"]), (world.facility, f"{world.facility_name} (sandbox)"))
        self.assertEqual(facility["phone"] + "".join(facility["address"].values()), "", "no contact data")
        self.assertEqual(client.get("/api/facilities").body["data"], [facility])
        self.check_refused(client.get(f"/api/facilities/{world.other_facility}"), 404, "NOT_FOUND")
        mine = [row["facilityId"] for row in client.get("/api/shifts").body["data"]]
        self.assertEqual(mine, [world.facility], "what it made itself, it sees")
        live = world.owner.get("/api/shifts", q="Not mine").body["data"]
        self.assertEqual(live, [], "and what it made is not there for live keys")

    def test_naming_what_is_out_of_scope(self):
        for route in routes:
            if route.lists and not route.people or route.name == "dashboard.stats":
                with self.subTest(route=route.path):
                    for client, facility in ((world.elsewhere, world.facility), (world.owner, ABSENT),
                                             (world.foreign, world.facility), (world.sandbox, world.other_facility)):
                        self.check_refused(client.get(route.path, facilityId=facility), 403, "FACILITY_SCOPE_VIOLATION")
                    for _ in range(2):
                        self.check(world.owner.get(route.path, facilityId=world.facility), 200)
                    self.check(world.sandbox.get(route.path, facilityId=world.facility), 200)
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
        service.wait_projected()
        for table in tables:
            with self.subTest(table=table):
                self.assertGreater(self.rows_seen(table, ("organization", demo), ("sandbox", "false")), 0)
                self.assertEqual(self.rows_seen(table), 0, "no settings at all")
                self.assertEqual(self.rows_seen(table, ("organization", ""), ("sandbox", "")), 0, "settings left empty")
                self.assertEqual(self.rows_seen(table, ("organization", demo), ("sandbox", "true"), where="NOT is_sandbox"),
                                 0, "live rows from the sandbox")
                for sandbox in ("false", "true"):
                    mine = (("organization", INTERNAL_ORGANIZATION), ("sandbox", sandbox), ("operator", "false"))
                    self.assertEqual(self.rows_seen(table, *mine), 0)

    def test_readers_can_not_write(self):
        for table in support.tables_of(service.postgres, support.READ_SCHEMA):
            with self.subTest(table=table), self.assertRaisesRegex(AssertionError, "permission denied"):
                service.postgres.psql(f"SET ROLE workforce_reader; DELETE FROM {table}")
