# The audit log: who changed what of users, keys and organizations, from where; and what it never tells.

import json
import secrets
from datetime import datetime, timedelta, timezone

import rest
import support

LOG = "/api/audit-log"
AGENT = {"User-Agent": "audit-suite/1.0"}
PERSONAL = {"from": "[personal]", "to": "[personal]"}
SECRET = {"from": "[redacted]", "to": "[redacted]"}
service = owner = operator = None
customer = facility = 0


def setUpModule():
    global service, owner, operator, customer, facility
    service = rest.start_service()
    owner = rest.client_of(service)
    operator = owner.with_key(service.command("token", "super.admin@platform.example.com").strip())
    customer = service.demo["organizationId"]
    facility = service.demo["facilityIds"][0]


def unique(name):
    return f"{name}-{secrets.token_hex(4)}@audit.example.test"


def day(date, later):
    """The day that is so many days later than a date."""
    return (datetime.fromisoformat(date) + timedelta(days=later)).date().isoformat()


class AuditCase(rest.RestCase):

    def entries(self, client=None, **query):
        return [entry for page in rest.pages(client or owner, LOG, **query) for entry in page]

    def user(self, email=None, **fields):
        """A user that the owner made, and the answer's request id."""
        answer = owner.post("/api/users", {"firstName": "Wilhelmina", "lastName": "Quasthoff", "role": "viewer",
                                           "email": email or unique("user")} | fields, AGENT)
        return self.check(answer, 201), answer.headers["X-Request-Id"]

    def person(self):
        body = {"firstName": "P", "lastName": "Q", "email": unique("staff"), "facilityIds": [facility]}
        return self.check(owner.post("/api/staff", body), 201)["id"]

    def overridden(self):
        """A shift that a person was assigned to although they work at that time."""
        one = self.person()
        day = (datetime.now(timezone.utc) + timedelta(days=60)).date().isoformat()
        shift = {"facilityId": facility, "title": "Watch", "date": day, "startTime": "08:00", "endTime": "16:00"}
        self.check(owner.post("/api/shifts", shift | {"assignedStaffIds": [one]}), 201)
        clash = self.check(owner.post("/api/shifts", shift | {"startTime": "12:00", "endTime": "18:00"}), 201)["id"]
        override = {"staffId": one, "override": True, "overrideComment": "Agreed by phone"}
        self.check(owner.post(f"/api/shifts/{clash}/assign", override), 200)
        return clash, one


class EntriesTest(AuditCase):

    def test_a_user_from_the_first_to_the_last(self):
        made, request = self.user()
        path = f"/api/users/{made['id']}"
        self.check(owner.patch(path, {"role": "scheduler", "lastName": "Ahornberg"}, AGENT), 200)
        self.check(owner.patch(path, {"role": "scheduler"}, AGENT), 200)  # changes nothing, and so leaves nothing
        self.check(owner.delete(path, AGENT), 200)
        gone, changed, created = self.entries(resource=f"user:{made['id']}")
        self.assertEqual([entry["action"] for entry in (created, changed, gone)],
                         ["USER_CREATED", "USER_UPDATED", "USER_DEACTIVATED"])
        self.assertEqual((created["organizationId"], created["facilityId"], created["requestId"]), (customer, None, request))
        me = self.check(owner.get("/api/auth/me"), 200)
        self.assertEqual(created["actor"]["type"], "api_key", me)
        self.assertTrue(created["actor"]["name"])
        self.assertEqual(created["metadata"], {"event": "user.created", "operation": "users.create", "channel": "rest"})
        self.assertEqual(created["changes"]["role"], {"from": None, "to": "viewer"})
        self.assertEqual(created["changes"]["email"], PERSONAL)
        self.assertEqual(changed["changes"], {"lastName": PERSONAL, "role": {"from": "viewer", "to": "scheduler"}})
        self.assertEqual(gone["changes"], {"status": {"from": "invited", "to": "deactivated"}})
        told = json.dumps([created, changed, gone])
        for personal in ("Wilhelmina", "Quasthoff", "Ahornberg", made["email"]):
            self.assertNotIn(personal, told)

    def test_where_a_request_came_from(self):
        made, _ = self.user()
        plain = self.check(owner.post("/api/users", {"firstName": "A", "lastName": "B", "role": "viewer", "email": unique("plain")}), 201)

        def origin(user):
            entry = self.entries(resource=f"user:{user['id']}")[0]
            return entry["ip"], entry["userAgent"]

        self.assertEqual(origin(made), ("127.0.0.1", AGENT["User-Agent"]))
        self.assertEqual(origin(plain), ("127.0.0.1", ""))
        long = self.check(owner.post("/api/users", {"firstName": "A", "lastName": "B", "role": "viewer", "email": unique("long")},
                                     {"User-Agent": "x" * 400}), 201)
        self.assertEqual(origin(long)[1], "x" * 256)

    def test_each_sign_in_that_fails(self):
        made, _ = self.user(password="correct horse battery staple")
        service.wait_projected()
        nobody = rest.Client(service.demo["baseUrl"])
        for number in range(5):
            agent = {"User-Agent": f"guess/{number}"}
            answer = nobody.post("/api/auth/login", {"email": made["email"], "password": "a wrong guess of some length"}, agent)
            self.check_refused(answer, 401, "INVALID_CREDENTIALS")

        def failed():
            entries = self.entries(resource=f"user:{made['id']}", action="USER_LOGIN_FAILED")
            return entries if len(entries) == 5 else None
        entries = support.wait_until(failed, 30, "all are told")
        self.assertEqual([(entry["ip"], entry["userAgent"]) for entry in entries],
                         [("127.0.0.1", f"guess/{number}") for number in reversed(range(5))])

        def locked():
            return [entry["userAgent"] for entry in self.entries(resource=f"user:{made['id']}", action="USER_LOCKED")]
        support.wait_until(lambda: locked() == ["guess/4"], 30, "the lock follows the last attempt, and has its origin")

    def test_a_retry_leaves_nothing_more(self):
        body = {"firstName": "A", "lastName": "B", "role": "viewer", "email": unique("retry")}
        key = {"Idempotency-Key": secrets.token_hex(8)}
        first = owner.post("/api/users", body, key)
        again = owner.post("/api/users", body, key)
        self.assertEqual((again.status, again.headers["Idempotency-Replayed"]), (201, "true"))
        entry, = self.entries(resource=f"user:{first.body['id']}")
        self.assertEqual((entry["requestId"], entry["ip"]), (first.headers["X-Request-Id"], "127.0.0.1"))
        refused = owner.post("/api/users", body)
        self.check_refused(refused, 409, "DUPLICATE_RESOURCE")
        for answer in (again, refused):
            support.wait_until(lambda of=answer.headers["X-Request-Id"]: self.origins(of) == 0, support.READY_SECONDS, "it left no entry, and so no origin")

    @staticmethod
    def origins(request):
        return int(service.postgres.value(f"SELECT count(*) FROM auth.request_origin WHERE request_id = '{request}'"))

    def test_an_origin_is_durable_before_the_answer_leaves(self):
        made, request = self.user()
        self.assertEqual(self.origins(request), 1)
        for client in (owner, operator):
            client.close()
        service.kill9()
        service.start()
        entry, = self.entries(resource=f"user:{made['id']}")
        self.assertEqual(entry["ip"], "127.0.0.1")
        shift, _ = self.overridden()
        self.assertEqual(self.entries(resource=f"shift:{shift}")[0]["ip"], "127.0.0.1")

    def test_keys_tell_no_secret(self):
        made = self.check(operator.post("/api/api-keys", {"orgUnitId": customer, "name": "Export", "scopes": ["staff:read"]}), 201)
        rest.wait_for_key(service, made["id"])
        path = f"/api/api-keys/{made['id']}"
        self.check(operator.patch(path, {"scopes": ["staff:read", "shifts:read"]}), 200)
        rotated = self.check(operator.post(path + "/rotate"), 200)
        self.check(operator.post(path + "/revoke"), 200)
        service.wait_projected()
        entries = self.entries(resource=f"api_key:{made['id']}")
        self.assertEqual([entry["action"] for entry in entries],
                         ["API_KEY_REVOKED", "API_KEY_ROTATED", "API_KEY_UPDATED", "API_KEY_CREATED"])
        revoked, turned, updated, created = entries
        self.assertEqual(updated["changes"], {"scopes": {"from": ["staff:read"], "to": ["staff:read", "shifts:read"]}})
        self.assertEqual(turned["changes"]["secrets"], SECRET)
        self.assertEqual(created["changes"]["secrets"], SECRET)
        self.assertIsNone(revoked["metadata"]["reason"])
        told = json.dumps(entries)
        for secret in (made["key"], rotated["key"], made["last4"], rotated["last4"]):
            self.assertNotIn(secret, told)
        self.assertEqual({(entry["actor"]["name"], entry["ip"], entry["userAgent"]) for entry in entries}, {("Operator", None, None)},
                         "of operators a customer learns no more")
        for query in ({}, {"orgUnitId": customer}):
            def seen(query=query):
                return self.entries(operator, resource=f"api_key:{made['id']}", **query)
            self.assertEqual({entry["ip"] for entry in seen()}, {"127.0.0.1"})
            self.assertTrue({entry["actor"]["name"] for entry in seen()}.isdisjoint({"Operator", ""}))

    def test_an_organization(self):
        path = f"/api/organizations/{customer}"
        before = self.check(operator.get(path), 200)["settings"]["approvalTtlHours"]
        self.check(operator.patch(path, {"settings": {"approvalTtlHours": before - 1}}), 200)
        service.wait_projected()
        newest = self.entries(action="ORGANIZATION_UPDATED")[0]
        self.assertEqual((newest["resource"], newest["changes"]),
                         (f"organization:{customer}", {"settings.approvalTtlHours": {"from": before, "to": before - 1}}))

    def test_an_overridden_rule_is_told_and_work_is_not(self):
        shift, one = self.overridden()
        entry, = self.entries(resource=f"shift:{shift}")
        self.assertEqual((entry["action"], entry["facilityId"], entry["changes"]), ("SHIFT_RULE_OVERRIDDEN", facility, {}))
        self.assertEqual((entry["metadata"]["staffId"], entry["metadata"]["overrides"]),
                         (one, [{"rule": "doubleBooking", "comment": "Agreed by phone"}]))

    def test_a_reset_of_a_sandbox_is_told_with_what_is_live_at_its_facility(self):
        admin = owner.with_key(service.command("token", "admin@demo.example.com").strip())
        self.check(admin.post("/api/sandbox/reset", {"facilityId": facility}), 200)
        entry = self.check(admin.get(LOG, action="SANDBOX_RESET"), 200)["data"][0]
        self.assertEqual((entry["resource"], entry["facilityId"]), (f"sandbox:{facility}", facility))
        self.assertGreater(entry["metadata"]["seeded"]["staff"], 0)
        self.assertTrue(entry["actor"]["name"] not in ("", "Operator"), entry)
        self.assertEqual(entry["ip"], "127.0.0.1")
        self.assertEqual(self.check(admin.get(LOG, action="SANDBOX_RESET", facilityId=facility), 200)["data"][0], entry)
        self.assertEqual(self.check(admin.get(LOG, headers={"Service-Sandbox": "true"}, action="SANDBOX_RESET"), 200)["data"], [])


class ExportsTest(AuditCase):
    """That usage left as a file stands in the log before the file does."""

    EXPORT, ACTION = "/api/api-usage/export", "USAGE_EXPORTED"

    def exports(self, client=None, **query):
        return self.entries(client, action=self.ACTION, **query)

    def test_who_took_what_out_from_where(self):
        where = f"/api/organizations/{customer}"
        before, known = self.check(owner.get(where), 200), len(self.exports())
        bound = owner.with_key(rest.make_key(service, ["analytics:read"], facility=facility)[1])
        person = owner.with_key(service.command("token", "admin@demo.example.com").strip())
        for client, kind, query in ((owner, "api_key", {}), (owner, "api_key", {"days": 7, "facilityId": facility}), (bound, "api_key", {}),
                                    (person, "user", {"facilityId": facility})):
            with self.subTest(kind=kind, **query):
                answer = client.get(self.EXPORT, AGENT, **query)
                self.assertEqual((answer.status, answer.headers["Content-Type"].partition(";")[0]), (200, "text/csv"))
                service.wait_projected()
                entry = self.exports()[0]
                self.assertEqual((entry["resource"], entry["organizationId"], entry["changes"], entry["actor"]["type"]),
                                 (f"organization:{customer}", customer, {}, kind))
                self.assertTrue(entry["actor"]["name"])
                self.assertEqual((entry["ip"], entry["userAgent"], entry["requestId"]),
                                 ("127.0.0.1", AGENT["User-Agent"], answer.headers["X-Request-Id"]))
                told = entry["metadata"]
                self.assertEqual((told["event"], told["operation"], told["channel"]), ("organization.usage_exported", "usage.export", "rest"))
                place = None if client is owner and not query else facility
                self.assertEqual((told["facilityId"], told["allOrganizations"]), (place, False))
                self.assertEqual(told["rows"], len(answer.text.partition("\r\n\r\n")[2].splitlines()) - 1)
                window = datetime.fromisoformat(told["to"]) - datetime.fromisoformat(told["from"])
                self.assertLess(abs(window - timedelta(days=query.get("days", 30))), timedelta(days=1))
        self.assertEqual(len(self.exports()), known + 4)
        self.assertEqual(self.check(owner.get(where), 200), before, "it changes nothing of the organization")

    def test_what_was_refused_or_is_empty_leaves_nothing(self):
        known = len(self.exports())
        self.check_fields(owner.get(self.EXPORT, days=0), "days")
        self.check_refused(owner.get(self.EXPORT, facilityId=9_000_000), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(owner.with_key(rest.make_key(service, ["shifts:read"])[1]).get(self.EXPORT), 403, "INSUFFICIENT_SCOPE")
        tester = rest.client_of(service, "test")
        self.assertEqual(tester.get(self.EXPORT).status, 200)
        head = owner.send("HEAD", self.EXPORT)
        self.assertEqual((head.status, head.text), (200, ""))
        service.wait_projected()
        self.assertEqual(len(self.exports()), known)
        self.assertEqual(self.exports(tester), [])

    def test_an_operators_lies_where_it_is_of(self):
        known = len(self.exports())
        self.assertEqual(operator.get(self.EXPORT, orgUnitId=customer).status, 200)
        service.wait_projected()
        entry, *others = self.exports()
        self.assertEqual((entry["actor"]["name"], len(others)), ("Operator", known))
        self.assertEqual(operator.get(self.EXPORT).status, 200)
        service.wait_projected()
        self.assertEqual(self.exports()[0], entry, "the customer does not hear of what is of all")
        newest = self.exports(operator)[0]
        self.assertNotEqual(newest["organizationId"], customer)
        self.assertEqual((newest["metadata"]["allOrganizations"], newest["metadata"]["facilityId"]), (True, None))

    def test_nothing_leaves_that_the_log_does_not_take(self):
        known = len(self.exports())
        holder = support.Session(service.postgres)
        self.addCleanup(holder.close)
        holder.execute(f"BEGIN; LOCK TABLE {support.LOG_TABLE} IN EXCLUSIVE MODE")
        answer = owner.get(self.EXPORT)
        self.check_refused(answer, 503, "LOG_UNAVAILABLE")
        self.assertNotIn("Summary", answer.text)
        holder.execute("ROLLBACK")
        support.wait_until(lambda: owner.get(self.EXPORT).status == 200, support.READY_SECONDS, "it takes events again")
        service.wait_projected()
        self.assertGreater(len(self.exports()), known)


class ListTest(AuditCase):

    def test_filters(self):
        made, _ = self.user()
        resource = f"user:{made['id']}"
        self.check(owner.patch(f"/api/users/{made['id']}", {"role": "scheduler"}), 200)
        changed, created = self.entries(resource=resource)
        first, last = created["createdAt"][:10], changed["createdAt"][:10]
        for query, expected in (({"action": "USER_ERASED"}, []), ({"from": first}, [changed, created]),
                                ({"to": last}, [changed, created]), ({"from": first, "to": last}, [changed, created]),
                                ({"from": day(last, 1)}, []), ({"to": day(first, -1)}, [])):
            with self.subTest(**query):
                self.assertEqual(self.entries(resource=resource, **query), expected)
        self.assertEqual({entry["actor"]["type"] for entry in self.entries(operator, actorId=0)}, {"system"})
        self.check_fields(owner.get(LOG, **{"from": "2026-07-32", "actorId": "x", "to": "0000-12-31"}), "from", "actorId", "to")

    def test_operators_see_all_of_them(self):
        made, _ = self.user()
        service.wait_projected()
        self.assertEqual(len(self.entries(operator, resource=f"user:{made['id']}")), 1)
        one = self.check(operator.get(LOG, orgUnitId=customer, limit=200), 200)
        self.assertEqual({entry["organizationId"] for entry in one["data"]}, {customer})


class ErasureTest(AuditCase):

    def test_an_erased_person_has_no_name_and_no_address(self):
        email = unique("erased")
        made, _ = self.user(email, role="admin")
        for verb in ("deactivate", "reactivate"):  # who was invited is active then
            service.command("users", verb, "--organization", str(customer), str(made["id"]))
        service.wait_projected()  # the command line finds users by their rows
        client = owner.with_key(service.command("token", email).strip())
        body = {"firstName": "A", "lastName": "B", "role": "viewer", "email": unique("by-erased")}
        by_them = self.check(client.post("/api/users", body, AGENT), 201)
        service.wait_projected()
        self.assertTrue(self.entries(resource=f"user:{by_them['id']}")[0]["ip"])
        before, = self.entries(resource=f"user:{by_them['id']}")
        self.assertEqual(before["actor"], {"type": "user", "id": made["id"], "name": "Wilhelmina Quasthoff"})
        service.command("erase", f"user/{made['id']}", "--reason", "asked for by letter")
        service.wait_projected()
        support.wait_until(lambda: self.entries(resource=f"user:{by_them['id']}")[0]["ip"] is None, support.READY_SECONDS, "the origin is deleted")
        after, = self.entries(resource=f"user:{by_them['id']}")
        self.assertEqual(after, before | {"actor": before["actor"] | {"name": ""}, "ip": None, "userAgent": None})
        erased = self.entries(resource=f"user:{made['id']}")[0]
        self.assertEqual((erased["action"], erased["metadata"]["reason"]), ("USER_ERASED", "asked for by letter"))
        for table in ("read.audit_entry", "auth.request_origin"):
            self.assertEqual(support.clear_text_hits(service.postgres, table, ["Wilhelmina", email]), [], table)
