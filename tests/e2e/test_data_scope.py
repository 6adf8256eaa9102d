# Whom credentials reach: those of operators any organization, others their own, and those that are bound to a facility this one, and persons
# whom it shares with others.

import secrets
from datetime import datetime, timedelta, timezone

import rest

INTERNAL_ORGANIZATION = 1
VIOLATION = (403, "FACILITY_SCOPE_VIOLATION")
service = owner = operator = bound = None
customer = facility = here = there = 0


def setUpModule():
    global service, owner, operator, bound, customer, facility, here, there
    service = rest.start_service()
    owner = rest.client_of(service)
    customer = service.demo["organizationId"]
    facility = here = service.demo["facilityIds"][0]
    there = service.demo["facilityIds"][1]
    everything = owner.get("/api/auth/me").body["scopes"]
    operator = owner.with_key(rest.make_key(service, everything, INTERNAL_ORGANIZATION, everywhere=True)[1])
    bound = owner.with_key(rest.make_key(service, everything, facility=here)[1])


def person(**fields):
    return {"firstName": "Ola", "lastName": "Across", "email": f"{secrets.token_hex(6)}@example.test", **fields}


def shift(**fields):
    day = (datetime.now(timezone.utc) + timedelta(days=40)).date().isoformat()
    return {"facilityId": facility, "title": "Watch", "date": day, "startTime": "08:00", "endTime": "16:00", **fields}


class AcrossOrganizationsTest(rest.RestCase):

    def test_an_organization_is_named_in_the_query_or_in_the_body(self):
        for query, body in (({"orgUnitId": customer}, {}), ({}, {"orgUnitId": customer})):
            answer = operator.post("/api/staff", person(**body), **query)
            made = self.check(answer, 201)
            self.assertEqual(made["organizationId"], customer)
            self.assertNotIn("Service-Warnings", answer.headers)
            self.assertEqual(self.check(operator.get(f"/api/staff/{made['id']}"), 200), made)
            service.wait_projected()
            self.assertEqual(self.check(owner.get(f"/api/staff/{made['id']}"), 200), made)
        own = self.check(operator.post("/api/staff", person(), orgUnitId=INTERNAL_ORGANIZATION), 201)
        self.assertEqual(own["organizationId"], INTERNAL_ORGANIZATION)
        self.check_refused(owner.get(f"/api/staff/{own['id']}"), 404, "NOT_FOUND")

    def test_a_write_that_names_none_is_refused(self):
        self.check_refused(operator.post("/api/staff", person()), 400, "ORG_REQUIRED")
        self.check_refused(operator.post("/api/staff", person(), orgUnitId=900), 403, "ORG_SCOPE_VIOLATION")
        self.check_refused(operator.post("/api/staff", person(facilityIds=[900])), 403, "FACILITY_SCOPE_VIOLATION")
        for wrong in ("x", "0", "-1", "1.5"):
            self.check_fields(operator.post("/api/staff", person(), orgUnitId=wrong), "orgUnitId")
        self.check_fields(operator.post("/api/staff", person(orgUnitId="2")), "orgUnitId")

    def test_a_facility_or_the_resource_itself_says_whose_it_is(self):
        key = {"Idempotency-Key": secrets.token_hex(8)}
        made = self.check(operator.post("/api/shifts", shift(), headers=key), 201)
        again = operator.post("/api/shifts", shift(), headers=key)
        self.assertEqual((self.check(again, 201), again.headers["Idempotency-Replayed"]), (made, "true"))
        self.assertEqual(made["organizationId"], customer)
        service.wait_projected()  # whose it is its row says
        where = f"/api/shifts/{made['id']}"
        self.assertEqual(self.check(operator.patch(where, {"title": "Moved"}), 200)["title"], "Moved")
        self.check(operator.delete(where), 200)
        self.check_refused(operator.get(where), 404, "NOT_FOUND")
        many = self.check(operator.post("/api/shifts", {"shifts": [shift(), shift(startTime="09:00")]}), 201)
        self.assertEqual({each["organizationId"] for each in many["data"]}, {customer})
        member = self.check(operator.post("/api/staff", person(facilityIds=[facility])), 201)
        self.assertEqual(member["organizationId"], customer)
        service.wait_projected()
        self.check(operator.delete(f"/api/staff/{member['id']}"), 200)
        self.check_refused(operator.patch("/api/shifts/900900", {"title": "None"}), 404, "NOT_FOUND")
        foreign = operator.send("PATCH", where, {"title": "Foreign"}, orgUnitId=INTERNAL_ORGANIZATION)
        self.check_refused(foreign, 404, "NOT_FOUND")

    def test_lists_are_of_all_organizations_or_of_the_one_that_is_named(self):
        name = secrets.token_hex(4)
        made = {organization: self.check(operator.post("/api/crm/leads", {"name": name, "orgUnitId": organization}), 201)["id"]
                for organization in (INTERNAL_ORGANIZATION, customer)}
        everywhere = self.check(operator.get("/api/crm/leads", q=name), 200)
        self.assertEqual((everywhere["scope"], [lead["id"] for lead in everywhere["data"]]),
                         ({"global": True}, [made[INTERNAL_ORGANIZATION], made[customer]]))
        pages = list(rest.pages(operator, "/api/crm/leads", q=name, limit=1))
        self.assertEqual([lead["id"] for page in pages for lead in page], list(made.values()))
        for organization, lead in made.items():
            one = self.check(operator.get("/api/crm/leads", q=name, orgUnitId=organization), 200)
            self.assertEqual((one["scope"], [each["id"] for each in one["data"]]), ({"orgUnitId": organization}, [lead]))
        shifts = self.check(operator.get("/api/shifts", facilityId=facility), 200)
        self.assertEqual(shifts["scope"], {"facilityId": facility})
        self.assertEqual({each["organizationId"] for each in shifts["data"]}, {customer})
        self.check_refused(operator.get("/api/shifts", facilityId=900), 403, "FACILITY_SCOPE_VIOLATION")
        self.check_refused(operator.get("/api/shifts", orgUnitId=900), 403, "ORG_SCOPE_VIOLATION")
        counts = {scope: self.check(operator.get("/api/dashboard/stats", **query), 200)["totalFacilities"]
                  for scope, query in (("all", {}), ("own", {"orgUnitId": INTERNAL_ORGANIZATION}), ("theirs", {"orgUnitId": customer}))}
        self.assertEqual((counts["own"], counts["all"]), (0, counts["theirs"]))
        feed = self.check(operator.get("/api/dashboard/recent-activity"), 200)
        self.assertIn(f"lead:{made[customer]}", [item["resource"] for item in feed])

    def test_nobody_else_reaches_another_organization(self):
        everything = owner.get("/api/auth/me").body["scopes"]
        internal = owner.with_key(rest.make_key(service, everything, INTERNAL_ORGANIZATION)[1])
        for client, own, other in ((owner, customer, INTERNAL_ORGANIZATION), (internal, INTERNAL_ORGANIZATION, customer)):
            self.check_refused(client.post("/api/staff", person(), orgUnitId=other), 403, "ORG_SCOPE_VIOLATION")
            self.check_refused(client.post("/api/staff", person(orgUnitId=other)), 403, "ORG_SCOPE_VIOLATION")
            self.check_refused(client.get("/api/staff/1", orgUnitId=other), 403, "ORG_SCOPE_VIOLATION")
            made = client.post("/api/staff", person(orgUnitId=own))
            self.assertEqual(self.check(made, 201)["organizationId"], own)
            self.assertNotIn("Service-Warnings", made.headers)
            listed = self.check(client.get("/api/staff"), 200)
            self.assertEqual({each["organizationId"] for each in listed["data"]}, {own})
        self.check_refused(internal.get(f"/api/facilities/{facility}"), 404, "NOT_FOUND")

    def test_only_keys_of_the_internal_organization_reach_all(self):
        with self.assertRaisesRegex(AssertionError, "acrossOrganizations"):
            rest.make_key(service, ["staff:read"], customer, everywhere=True)

    def test_a_revoked_operator_changes_nothing(self):
        key, token = rest.make_key(service, ["staff:write"], INTERNAL_ORGANIZATION, everywhere=True)
        self.check(owner.with_key(token).post("/api/staff", person(), orgUnitId=customer), 201)
        rest.revoke_key(service, key, INTERNAL_ORGANIZATION)
        self.check_refused(owner.with_key(token).post("/api/staff", person(), orgUnitId=customer), 401, "UNAUTHENTICATED")


class FacilityScopeTest(rest.RestCase):

    def person(self, *facilities):
        body = {"firstName": "Sam", "lastName": "Shared", "email": f"{secrets.token_hex(6)}@example.test",
                "facilityIds": list(facilities)}
        return self.check(owner.post("/api/staff", body), 201)["id"]

    def shift(self, facility, person, start="08:00", end="16:00"):
        day = (datetime.now(timezone.utc) + timedelta(days=30)).date().isoformat()
        body = {"facilityId": facility, "title": "Watch", "date": day, "startTime": start, "endTime": end,
                "assignedStaffIds": [person] if person else []}
        return self.check(owner.post("/api/shifts", body), 201)["id"]

    def assigned(self, shift, reader=None):
        """As the reader sees it (the owner), who waits for its own writes alone."""
        return self.check((reader or owner).get(f"/api/shifts/{shift}"), 200)["assignedStaffIds"]

    def test_nobody_is_taken_off_another_facilitys_shift(self):
        for facilities in ((here,), (here, there), ()):
            with self.subTest(facilities=facilities):
                person = self.person(*facilities)
                shift = self.shift(there, person)
                answer = bound.delete(f"/api/staff/{person}", force="true")
                self.check_refused(answer, *VIOLATION)
                self.assertNotIn(str(shift), answer.text.replace(answer.headers["X-Request-Id"], ""))
                self.assertEqual(self.assigned(shift), [person])
                for refused in (bound.delete(f"/api/staff/{person}"), bound.patch(f"/api/staff/{person}", {"isActive": False})):
                    self.assertNotIn("shiftId", refused.text)
                    self.assertIn(refused.status, (403, 409), str(refused))
                self.assertTrue(owner.get(f"/api/staff/{person}").body["isActive"])

    def test_ones_own_people_leave_by_force(self):
        person = self.person(here)
        shift = self.shift(here, person)
        refused = bound.delete(f"/api/staff/{person}")
        self.assertEqual(self.check_refused(refused, 409, "STAFF_HAS_FUTURE_SHIFTS"), {"shiftId": shift})
        self.assertFalse(self.check(bound.delete(f"/api/staff/{person}", force="true"), 200)["isActive"])
        self.assertEqual(self.assigned(shift, bound), [])

    def test_facilities_of_others_stay(self):
        person = self.person(here, there)
        where = f"/api/staff/{person}"
        for facilities in ([here], [], [here, there, 9_000_000_000]):
            with self.subTest(facilities=facilities):
                self.check_refused(bound.patch(where, {"facilityIds": facilities}), *VIOLATION)
        service.wait_projected()  # for it was another caller's write
        self.assertEqual(self.check(bound.get(where), 200)["facilityIds"], [here, there])
        self.assertEqual(self.check(bound.patch(where, {"facilityIds": [there]}), 200)["facilityIds"], [there])
        floating = self.person()
        self.check_refused(bound.patch(f"/api/staff/{floating}", {"facilityIds": [here]}), *VIOLATION)
        self.check_refused(owner.patch(where, {"facilityIds": [9_000_000_000]}), *VIOLATION)

    def test_a_double_booking_names_no_shift_that_the_key_can_not_read(self):
        person = self.person(here, there)
        self.shift(there, person, "00:00", "23:30")  # whatever zones the two are in, these overlap
        mine = self.shift(here, None, "00:00", "23:30")
        answer = bound.post(f"/api/shifts/{mine}/assign", {"staffId": person})
        violation = self.check_refused(answer, 409, "STAFF_DOUBLE_BOOKED")["violations"][0]
        self.assertNotIn("shiftId", violation)
        self.assertEqual(violation["staffId"], person)

    def test_activity_shows_what_happens_to_ones_people(self):
        mine, floating, other = self.person(here), self.person(), self.person(there)
        for person in (mine, floating, other):
            self.check(owner.patch(f"/api/staff/{person}", {"specialty": "icu"}), 200)
        self.check(bound.patch(f"/api/staff/{mine}", {"specialty": "er"}), 200)  # a write of its own, which its reads show
        def seen(client):
            items = self.check(client.get("/api/dashboard/recent-activity", limit=100), 200)
            return [item["resource"] for item in items if item["action"] == "staff.updated"]
        self.assertEqual(seen(bound).count(f"staff:{mine}"), 2)
        self.assertFalse({f"staff:{floating}", f"staff:{other}"} & set(seen(bound)))
        self.assertLessEqual({f"staff:{mine}", f"staff:{floating}", f"staff:{other}"}, set(seen(owner)))
