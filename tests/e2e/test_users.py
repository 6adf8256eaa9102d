# Users and organizations over REST: who is listed, who may change whom, and what a client is told.

import people
import rest
import support

INTERNAL = 1
service = owner = operator = None


def setUpModule():
    global service, owner, operator
    service = rest.start_service()
    owner = rest.client_of(service)
    operator = owner.with_key(service.command("token", "super.admin@platform.example.com").strip())


def person(email, **fields):
    return {"firstName": "Ada", "lastName": "Byron", "email": email, "role": "viewer"} | fields


class UsersTest(rest.RestCase):

    def made(self, email, client=None, **fields):
        return self.check((client or owner).post("/api/users", person(email, **fields)), 201)

    def test_a_user_is_invited_listed_changed_and_deactivated(self):
        made = self.made("ada@users.example.test", role="scheduler")
        self.assertEqual((made["status"], made["username"], made["facilityIds"], made["staffId"]),
                         ("invited", "ada@users.example.test", [], None))
        found = self.check(owner.get("/api/users", q="ADA BY", role="scheduler,viewer", status="invited"), 200)
        self.assertEqual(found["data"], [made])
        self.assertEqual(found["scope"], {"orgUnitId": service.demo["organizationId"]})
        self.assertEqual(self.check(owner.get("/api/users", q="ada by", status="active"), 200)["data"], [])
        path = f"/api/users/{made['id']}"
        changed = self.check(owner.patch(path, made | {"lastName": "Lovelace", "facilityIds": [service.demo["facilityIds"][0]]}), 200)
        self.assertEqual((changed["lastName"], changed["facilityIds"]), ("Lovelace", [service.demo["facilityIds"][0]]))
        self.assertEqual(self.check(owner.get(path), 200), changed)
        gone = self.check(owner.delete(path), 200)
        self.assertEqual(gone["status"], "deactivated")
        self.assertEqual(self.check(owner.delete(path), 200), gone, "a second time changes nothing")

    def test_a_deactivation_is_undone(self):
        made = people.make_user(service, operator, firstName="Eve", lastName="Rook", role="scheduler",
                                orgUnitId=service.demo["organizationId"])
        path = f"/api/users/{made['id']}"
        for out, back in ((lambda: owner.delete(path), lambda: owner.post(path + "/reactivate")),
                          (lambda: owner.patch(path, {"isActive": False}), lambda: owner.patch(path, {"isActive": True}))):
            self.assertEqual(self.check(out(), 200)["status"], "deactivated")
            self.check_refused(people.login(people.client_of(service), made["email"]), 401, "INVALID_CREDENTIALS")
            done = back()
            self.assertEqual(self.check(done, 200)["status"], "active")
            self.assertNotIn("Service-Warnings", done.headers)
            self.assertEqual(self.check(back(), 200)["updatedAt"], done.body["updatedAt"], "a second time changes nothing")
            self.assertEqual(self.check(owner.get(path), 200)["status"], "active")
            people.sign_in(service, made["email"])
        entries = self.check(owner.get("/api/audit-log", resource=f"user:{made['id']}"), 200)["data"]
        self.assertEqual([entry["action"] for entry in entries if entry["action"].endswith("ACTIVATED")],
                         ["USER_REACTIVATED", "USER_DEACTIVATED"] * 2)

    def test_a_person_shows_the_user_who_names_them(self):
        ada, bob = (self.check(owner.post("/api/staff", {"firstName": "Ada", "lastName": "Byron", "email": email}), 201)
                    for email in ("ada@staff.example.test", "bob@staff.example.test"))
        path = f"/api/staff/{ada['id']}"
        user = self.made("login@users.example.test", role="staff", staffId=ada["id"])
        self.assertEqual(self.check(owner.get(path), 200)["userId"], user["id"])
        self.assertEqual(self.check(owner.get("/api/staff", q="ada@staff"), 200)["data"][0]["userId"], user["id"])
        self.assertEqual(self.check(owner.patch(path, {"phone": "+1 555 0123"}), 200)["userId"], user["id"])
        self.check(owner.patch(f"/api/users/{user['id']}", {"staffId": bob["id"]}), 200)
        self.assertIsNone(self.check(owner.get(path), 200)["userId"])
        self.check(owner.delete(f"/api/users/{user['id']}"), 200)
        self.assertEqual(self.check(owner.get(f"/api/staff/{bob['id']}"), 200)["userId"], user["id"])

    def test_names_are_on_the_platform_once(self):
        self.made("once@users.example.test", username="Once")
        for taken in ({"email": "Once@users.example.test"}, {"email": "other@users.example.test", "username": "ONCE"}):
            self.check_refused(operator.post("/api/users", person("") | taken), 409, "DUPLICATE_RESOURCE")
        other = self.made("third@users.example.test")
        self.check_refused(owner.patch(f"/api/users/{other['id']}", {"email": "once@users.example.test"}), 409, "DUPLICATE_RESOURCE")

    def test_every_rule_of_a_body_is_told_at_once(self):
        details = self.check_refused(owner.post("/api/users", {"email": "no address", "role": "king", "staffId": "x"}), 400,
                                     "VALIDATION_ERROR")
        self.assertLessEqual({"email", "role", "staffId", "firstName", "lastName"},
                             {fault["field"] for fault in details["fields"]})
        self.check_refused(owner.post("/api/users", person("king@users.example.test", role="super_admin")), 403, "FORBIDDEN")
        self.check_refused(owner.post("/api/users", person("bound@users.example.test", role="facility_admin")), 400, "VALIDATION_ERROR")

    def test_an_operator_names_the_organization_or_acts_at_home(self):
        home = self.made("home@users.example.test", operator)
        away = self.made("away@users.example.test", operator, orgUnitId=service.demo["organizationId"])
        self.assertEqual((home["organizationId"], away["organizationId"]), (INTERNAL, service.demo["organizationId"]))
        self.check_refused(owner.get(f"/api/users/{home['id']}"), 404, "NOT_FOUND")
        everybody = {row["id"] for row in self.check(operator.get("/api/users", q="users.example.test", limit=200), 200)["data"]}
        self.assertLessEqual({home["id"], away["id"]}, everybody)

    def test_the_last_super_admin_stays(self):
        me = self.check(operator.get("/api/auth/me"), 200)["user"]
        self.check_refused(operator.delete(f"/api/users/{me['id']}"), 409, "LAST_SUPER_ADMIN")
        self.check_refused(operator.patch(f"/api/users/{me['id']}", {"role": "admin"}), 409, "LAST_SUPER_ADMIN")


class ServiceKeysTest(rest.RestCase):
    """A key that no user stands behind."""

    def test_it_is_named(self):
        key, token = rest.make_key(service, ["staff:read", "staff:write", "users:write", "analytics:read"])
        client = owner.with_key(token)
        me = self.check(client.get("/api/auth/me"), 200)
        self.assertEqual(me["user"], {"id": 0, "email": "", "username": "suite", "firstName": "", "lastName": "", "role": "service"})
        self.assertEqual(me["credential"], {"type": "live", "id": key})
        made = self.check(client.post("/api/staff", {"firstName": "By", "lastName": "Key", "email": "by@key.example.test"}), 201)
        item, = [item for item in self.check(client.get("/api/dashboard/recent-activity"), 200)
                 if item["resource"] == f"staff:{made['id']}"]
        self.assertEqual(item["user"], {"id": 0, "name": "suite", "email": ""})
        user = self.check(client.post("/api/users", person("by@users.example.test")), 201)
        service.wait_projected()
        entry, = self.check(owner.get("/api/audit-log", resource=f"user:{user['id']}"), 200)["data"]
        self.assertEqual(entry["actor"], {"type": "api_key", "id": key, "name": "suite"})

    def test_activity_shows_what_the_caller_may_read(self):
        made = self.check(owner.post("/api/crm/leads", {"name": "Lead"}), 201)
        shown = {}
        for scopes in (["crm:read"], ["staff:read", "facilities:read"], ["hr:read", "shifts:read"], []):
            client = owner.with_key(rest.make_key(service, ["analytics:read", *scopes])[1])
            service.wait_projected()
            for items in (self.check(client.get("/api/dashboard/recent-activity", limit=100), 200),
                          self.check(client.get("/api/dashboard/stats"), 200)["recentActivity"]):
                shown.setdefault(tuple(scopes), set()).update(item["resource"].split(":")[0] for item in items)
        self.assertEqual(shown[("crm:read",)], {"lead"})
        self.assertLessEqual(shown[("staff:read", "facilities:read")], {"staff", "facility", "credential"})
        self.assertIn("staff", shown[("staff:read", "facilities:read")])
        self.assertNotIn("lead", shown[("hr:read", "shifts:read")])
        self.assertEqual(shown[()], set())
        self.assertIn(f"lead:{made['id']}", [item["resource"] for item in owner.get("/api/dashboard/recent-activity").body])


class OrganizationsTest(rest.RestCase):

    def test_operators_change_what_customers_read(self):
        path = f"/api/organizations/{service.demo['organizationId']}"
        before = self.check(owner.get(path), 200)
        self.assertEqual(self.check(owner.get("/api/organizations"), 200)["data"], [before])
        changed = self.check(operator.patch(path, {"settings": {"approvalTtlHours": 24}, "billingCustomerRef": "cus_1"}), 200)
        self.assertEqual((changed["settings"], changed["billingCustomerRef"]),
                         (before["settings"] | {"approvalTtlHours": 24}, "cus_1"))
        service.wait_projected()
        self.assertEqual(self.check(owner.get(path), 200), changed)
        self.check_refused(owner.patch(path, {"industry": "hotels"}), 403, "INSUFFICIENT_SCOPE")
        self.check_refused(operator.patch(path, {"type": "internal"}), 400, "VALIDATION_ERROR")
        listed = self.check(operator.get("/api/organizations", sort="-createdAt", q=before["name"][:4]), 200)["data"]
        self.assertIn(changed, listed)

    def test_an_operator_makes_one_and_ends_it(self):
        made = operator.post("/api/organizations", {"name": "Quayside Care", "timezone": "Europe/Dublin"})
        organization = self.check(made, 201)
        self.assertEqual(made.headers["Location"], f"/api/organizations/{organization['id']}")
        self.assertEqual((organization["type"], organization["currency"], organization["isActive"]), ("customer", "USD", True))
        self.check_fields(operator.post("/api/organizations", {"name": "Quayside", "currency": "ABC"}), "currency")
        self.check_fields(operator.patch(made.headers["Location"], {"currency": "DEM"}), "currency")
        path = f"/api/organizations/{organization['id']}"
        self.assertEqual(self.check(operator.get(path), 200), organization)  # which is folded then
        theirs = {"orgUnitId": organization["id"]}
        facility = self.check(operator.post("/api/facilities", theirs | {"name": "Quay 1"}), 201)
        self.assertEqual((facility["organizationId"], facility["timezone"]), (organization["id"], "Europe/Dublin"))
        key = self.check(operator.post("/api/api-keys", theirs | {"name": "Theirs", "scopes": ["facilities:read"]}), 201)["key"]
        service.wait_projected()
        self.assertEqual(self.check(owner.with_key(key).get("/api/facilities"), 200)["data"], [facility])
        ended = self.check(operator.post(path + "/deactivate"), 200)
        self.assertFalse(ended["isActive"])
        self.assertEqual(self.check(operator.post(path + "/deactivate"), 200), ended, "a second time changes nothing")
        support.wait_until(lambda: owner.with_key(key).get("/api/facilities").status == 401, support.READY_SECONDS, "its keys open nothing any more")
        self.assertIn(ended, self.check(operator.get("/api/organizations", isActive="false"), 200)["data"])
        for out, back in ((None, lambda: operator.post(path + "/reactivate")),
                          (lambda: operator.patch(path, {"isActive": False}), lambda: operator.patch(path, {"isActive": True}))):
            if out:
                self.assertFalse(self.check(out(), 200)["isActive"])
            self.assertTrue(self.check(back(), 200)["isActive"])
            self.assertTrue(self.check(back(), 200)["isActive"])
        service.wait_projected()
        support.wait_until(lambda: owner.with_key(key).get("/api/facilities").status == 200, support.READY_SECONDS, "its keys open what they did")

    def test_who_makes_none_and_what_stays(self):
        self.check_refused(owner.post("/api/organizations", {"name": "Mine"}), 403, "INSUFFICIENT_SCOPE")
        self.check_refused(operator.post("/api/organizations", {"name": "Ours", "type": "internal"}), 400, "VALIDATION_ERROR")
        self.check_refused(operator.post(f"/api/organizations/{INTERNAL}/deactivate"), 409, "LAST_SUPER_ADMIN")
        self.check_refused(operator.post("/api/organizations/999999999/deactivate"), 404, "NOT_FOUND")
