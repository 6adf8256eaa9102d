# Keys bound to a facility, and persons whom it shares with others.

import secrets
from datetime import datetime, timedelta, timezone

import rest

VIOLATION = (403, "FACILITY_SCOPE_VIOLATION")
service = owner = bound = None
here = there = 0


def setUpModule():
    global service, owner, bound, here, there
    service = rest.start_service()
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]
    everything = owner.get("/api/auth/me").body["scopes"]
    bound = owner.with_key(rest.make_key(service, everything, facility=here)[1])


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
