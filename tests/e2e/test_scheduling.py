# Staffing a week: who could take a shift, rest and overtime, and swaps, as clients of REST and of MCP meet them.

import itertools
import json

import mcp
import rest

AVAILABLE, SWAP = "/api/staff/available", "/api/shifts/swap"
service = live = model = operator = None
numbers = itertools.count()


def setUpModule():
    global service, live, model, operator
    service = rest.start_service()
    live, model = rest.client_of(service), mcp.client_of(service)
    operator = live.with_key(service.command("token", "super.admin@platform.example.com").strip())


class SchedulingTest(rest.RestCase):

    def setUp(self):
        made = live.post("/api/facilities", {"name": f"Scheduling {next(numbers)}", "timezone": "Europe/Berlin"})
        self.facility = self.check(made, 201)["id"]

    def person(self, last_name="Person", **fields):
        body = {"firstName": "S", "lastName": last_name, "email": f"scheduling{next(numbers)}@example.test",
                "facilityIds": [self.facility]} | fields
        return self.check(live.post("/api/staff", body), 201)["id"]

    def shift(self, day, start="08:00", end="16:00", *staff, **fields):
        """In the week of Monday, the 7th of January 2030."""
        body = {"facilityId": self.facility, "title": "Ward", "date": f"2030-01-{day:02}", "startTime": start, "endTime": end,
                "requiredWorkers": max(1, len(staff)), "assignedStaffIds": list(staff)} | fields
        return self.check(live.post("/api/shifts", body), 201)["id"]

    def ranked(self, client=None, **query):
        """Each person of the answer with the codes and levels of what they would break. People of no facility are left out."""
        answer = self.check((client or live).get(AVAILABLE, **query), 200)
        return [(row["staff"]["id"], [(v["code"], v["level"]) for v in row["violations"]]) for row in answer["data"]
                if row["staff"]["facilityIds"]]

    def test_who_breaks_no_rule_comes_first_and_who_is_blocked_last(self):
        busy, tired, idle, elsewhere, gone, on_it = (self.person(name) for name in "ABCDEF")
        self.check(live.patch(f"/api/staff/{elsewhere}", {"specialty": "Cook"}), 200)
        self.check(live.delete(f"/api/staff/{gone}"), 200)
        self.shift(8, "07:00", "09:00", busy)
        self.shift(8, "17:00", "18:00", tired)
        self.shift(10, "08:00", "16:00", elsewhere)
        wanted = self.shift(8, "08:00", "16:00", on_it, requiredWorkers=3)
        self.assertEqual(self.ranked(shiftId=wanted),
                         [(idle, []), (elsewhere, []), (tired, [("REST_PERIOD_VIOLATION", "flag")]),
                          (busy, [("STAFF_DOUBLE_BOOKED", "block")])])
        self.assertEqual(self.ranked(facilityId=self.facility, date="2030-01-08", startTime="08:00", endTime="16:00", specialty="Cook"),
                         [(elsewhere, []), (idle, [("SPECIALTY_MISMATCH", "flag")]),
                          (tired, [("SPECIALTY_MISMATCH", "flag"), ("REST_PERIOD_VIOLATION", "flag")]),
                          (busy, [("STAFF_DOUBLE_BOOKED", "block"), ("SPECIALTY_MISMATCH", "flag")]),
                          (on_it, [("STAFF_DOUBLE_BOOKED", "block"), ("SPECIALTY_MISMATCH", "flag")])])

    def test_it_says_what_assign_says(self):
        person = self.person()
        for day in range(7, 12):
            self.shift(day, "08:00", "16:00", person)
        wanted = self.shift(12, "08:00", "12:00")
        self.assertEqual(self.ranked(shiftId=wanted), [(person, [("OVERTIME_EXCEEDED", "flag")])])
        assigned = self.check(live.post(f"/api/shifts/{wanted}/assign", {"staffId": person}), 200)
        self.assertEqual([warning["code"] for warning in assigned["warnings"]], ["OVERTIME_EXCEEDED"])
        self.check(live.patch(f"/api/facilities/{self.facility}", {"schedulingRules": {"overtime": "block"}}), 200)
        last = self.shift(13, "08:00", "12:00")
        self.assertEqual(self.ranked(shiftId=last), [(person, [("OVERTIME_EXCEEDED", "block")])])
        self.check_refused(live.post(f"/api/shifts/{last}/assign", {"staffId": person}), 409, "OVERTIME_EXCEEDED")

    def test_a_page_has_the_best_of_them(self):
        for i in range(5):
            self.person(f"N{i:02}")
        wanted = self.shift(9)
        whole = self.check(live.get(AVAILABLE, shiftId=wanted), 200)
        self.assertEqual((whole["total"], whole["scope"]), (len(whole["data"]), {"facilityId": self.facility}))
        answer = self.check(live.get(AVAILABLE, shiftId=wanted, limit=2), 200)
        self.assertEqual(answer["data"], whole["data"][:2])
        self.assertEqual(answer["total"], whole["total"])
        staff = answer["data"][0]["staff"]
        self.assertEqual(staff, self.check(live.get(f"/api/staff/{staff['id']}"), 200))

    def test_what_is_asked_for_wrongly(self):
        wanted = self.shift(8)
        for query, *fields in (({}, "facilityId", "date", "startTime", "endTime"),
                               ({"facilityId": self.facility, "date": "2030-01-08"}, "startTime", "endTime"),
                               ({"shiftId": wanted, "date": "2030-01-08"}, "date"), ({"shiftId": "x"}, "shiftId"),
                               ({"facilityId": self.facility, "date": "2030-01-08", "startTime": "08:00", "endTime": "08:00"}, "endTime"),
                               ({"shiftId": wanted, "limit": 0}, "limit")):
            with self.subTest(query=query):
                self.check_fields(live.get(AVAILABLE, **query), *fields)
        self.check_refused(live.get(AVAILABLE, shiftId=9_000_000_000), 404, "NOT_FOUND")

    def test_a_key_of_one_facility_is_told_of_no_other(self):
        person = self.person(facilityIds=[])
        self.check(live.patch(f"/api/facilities/{self.facility}", {"schedulingRules": {"doubleBooking": "flag"}}), 200)
        wanted = self.shift(8)
        _, token = rest.make_key(service, ["staff:read", "shifts:read"], facility=self.facility)
        other = self.check(live.post("/api/shifts", {"facilityId": service.demo["facilityIds"][0], "title": "There", "date": "2030-01-08",
                                                     "startTime": "08:00", "endTime": "12:00", "assignedStaffIds": [person]}), 201)
        for client, told in ((live, other["id"]), (live.with_key(token), None)):
            row, = (row for row in self.check(client.get(AVAILABLE, shiftId=wanted), 200)["data"] if row["staff"]["id"] == person)
            self.assertEqual([violation.get("shiftId") for violation in row["violations"]], [told])

    def test_a_model_finds_somebody(self):
        person = self.person()
        wanted = self.shift(8)
        found = model.call("staff_find_available", {"shiftId": wanted}).content
        self.assertIn(person, [row["staff"]["id"] for row in found["data"]])
        filled = model.call("shifts_assign", {"shiftId": wanted, "staffIds": [person]}).content
        self.assertTrue(filled["filled"])

    def test_a_swap(self):
        one, two = self.person(), self.person()
        a, b = self.shift(8, "08:00", "16:00", one), self.shift(8, "12:00", "20:00", two)
        body = {"shiftIdA": a, "staffIdA": one, "shiftIdB": b, "staffIdB": two}
        key = {"Idempotency-Key": f"swap {a}"}
        done = live.post(SWAP, body, key)
        answer = self.check(done, 200)
        self.assertEqual([(shift["id"], shift["assignedStaffIds"], shift["status"]) for shift in answer["shifts"]],
                         [(a, [two], "assigned"), (b, [one], "assigned")])
        self.assertEqual((answer["filled"], answer["warnings"]), (True, []))
        self.assertEqual(live.post(SWAP, body, key).body, answer)
        self.check_refused(live.post(SWAP, body), 404, "NOT_FOUND")
        self.assertEqual(self.check(live.get(f"/api/shifts/{a}/assignments"), 200)["data"][0]["source"], "swap")
        self.assertEqual(self.check(live.get(f"/api/shifts/{b}"), 200)["assignedStaffIds"], [one])
        back = model.call("shifts_swap", body | {"staffIdA": two, "staffIdB": one}).content
        self.assertEqual([shift["assignedStaffIds"] for shift in back["shifts"]], [[one], [two]])

    def test_a_swap_that_a_rule_forbids_changes_nothing(self):
        one, two = self.person(), self.person()
        a, b = self.shift(8, "08:00", "16:00", one), self.shift(9, "08:00", "16:00", two)
        self.shift(9, "15:00", "18:00", one)
        refused = live.post(SWAP, {"shiftIdA": a, "staffIdA": one, "shiftIdB": b, "staffIdB": two})
        details = self.check_refused(refused, 409, "STAFF_DOUBLE_BOOKED")
        self.assertEqual([violation["staffId"] for violation in details["violations"]], [one])
        self.assertEqual(self.check(live.get(f"/api/shifts/{a}"), 200)["assignedStaffIds"], [one])

    def test_an_operator_names_no_organization(self):
        """The shift tells whose it is."""
        one, two = self.person(), self.person()
        a, b = self.shift(8, "08:00", "16:00", one), self.shift(10, "08:00", "16:00", two)
        service.wait_projected()  # for these were another caller's writes
        self.assertIn(two, [staff for staff, _ in self.ranked(operator, shiftId=a)])
        done = operator.post(SWAP, {"shiftIdA": a, "staffIdA": one, "shiftIdB": b, "staffIdB": two})
        self.assertEqual([shift["assignedStaffIds"] for shift in self.check(done, 200)["shifts"]], [[two], [one]])

    def test_the_organizations_limits_and_a_persons_own(self):
        person = self.person(maxWeeklyHours=8)
        self.shift(8, "08:00", "16:00", person)
        wanted = self.shift(9, "08:00", "09:00")
        self.assertEqual(self.ranked(shiftId=wanted), [(person, [("OVERTIME_EXCEEDED", "flag")])])
        organization = f"/api/organizations/{service.demo['organizationId']}"
        before = self.check(operator.get(organization), 200)["settings"]["minRestMinutes"]
        self.addCleanup(lambda: self.check(operator.patch(organization, {"settings": {"minRestMinutes": before}}), 200))
        self.check(operator.patch(organization, {"settings": {"minRestMinutes": 1440}}), 200)
        service.wait_projected()
        self.assertEqual(self.ranked(shiftId=wanted), [(person, [("REST_PERIOD_VIOLATION", "flag"), ("OVERTIME_EXCEEDED", "flag")])])
        warnings = self.check(live.post(f"/api/shifts/{wanted}/assign", {"staffId": person}), 200)["warnings"]
        self.assertEqual([warning["code"] for warning in warnings], ["REST_PERIOD_VIOLATION", "OVERTIME_EXCEEDED"])
        self.assertEqual(json.dumps(warnings).count("shiftId"), 1)
