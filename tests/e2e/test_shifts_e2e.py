# The life of a shift, from its posting to its end, and what the dashboard says of it.

import itertools
import json
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import rest
import support

service = live = None
numbers = itertools.count()
days = itertools.count(100)  # each shift of its own day: nobody is booked twice by accident


def setUpModule():
    global service, live
    service = rest.start_service()
    live = rest.client_of(service)


class ShiftCase(rest.RestCase):

    def setUp(self):
        self.facility = service.demo["facilityIds"][1]
        self.zone = ZoneInfo("Europe/Berlin")

    def person(self, **fields):
        body = {"firstName": "S", "lastName": "Hift", "email": f"shift{next(numbers)}@example.test", "specialty": "Cook"} | fields
        return self.check(live.post("/api/staff", body), 201)["id"]

    def body(self, **fields):
        day = datetime.now(timezone.utc).date() + timedelta(days=next(days))
        return {"facilityId": self.facility, "title": "Kitchen", "date": str(day), "startTime": "08:00", "endTime": "16:00"} | fields

    def shift(self, **fields):
        """A new shift: its path and its body."""
        made = self.check(live.post("/api/shifts", self.body(**fields)), 201)
        return f"/api/shifts/{made['id']}", made

    def moment(self, minutes):
        """Date and time of day at the facility, so many minutes from now."""
        at = datetime.now(self.zone) + timedelta(minutes=minutes)
        return str(at.date()), at.strftime("%H:%M")

    def starting(self, minutes, length=240, **fields):
        """A new shift that starts so many minutes from now."""
        day, start = self.moment(minutes)
        return self.shift(date=day, startTime=start, endTime=self.moment(minutes + length)[1], **fields)

    def check_move(self, answer, command, *allowed):
        details = self.check_refused(answer, 409, "INVALID_STATE_TRANSITION")
        self.assertEqual(set(details["allowed"]), set(allowed), str(answer))
        self.assertIn(command, answer.body["error"]["message"])

    def state(self, where):
        body = self.check(live.get(where), 200)
        return body["status"], body["assignedStaffIds"], body["openSpots"]


class CreateTest(ShiftCase):

    def test_defaults_and_moments(self):
        where, made = self.shift(date="2031-03-29", startTime="22:00", endTime="06:00")
        expected = {"status": "open", "assignedStaffIds": [], "requiredWorkers": 1, "openSpots": 1, "urgency": "medium", "rate": 0,
                    "department": "", "specialty": "", "notes": "", "breaks": [], "filledAt": None, "cancelReason": "",
                    "timezone": "Europe/Berlin", "organizationId": service.demo["organizationId"],
                    # The clocks go forward that night.
                    "startsAt": "2031-03-29T21:00:00.000Z", "endsAt": "2031-03-30T04:00:00.000Z"}
        self.assertEqual({name: made[name] for name in expected}, expected)
        self.assertEqual(live.get(where).body, made)

    def test_with_staff(self):
        one, two = self.person(), self.person()
        _, made = self.shift(requiredWorkers=2, assignedStaffIds=[one, two])
        self.assertEqual((made["status"], made["assignedStaffIds"], made["openSpots"]), ("assigned", [one, two], 0))
        self.assertEqual(made["filledAt"], made["createdAt"])
        busy = self.body(date=made["date"], assignedStaffIds=[one])
        self.check_refused(live.post("/api/shifts", busy), 409, "STAFF_DOUBLE_BOOKED")
        self.check_refused(live.post("/api/shifts", self.body(assignedStaffIds=[one, two])), 409, "SHIFT_FULL")
        self.check_refused(live.post("/api/shifts", self.body(assignedStaffIds=[9_000_000])), 404, "NOT_FOUND")
        poster = live.with_key(rest.make_key(service, ["shifts:write"])[1])
        details = self.check_refused(poster.post("/api/shifts", self.body(assignedStaffIds=[one])), 403, "INSUFFICIENT_SCOPE")
        self.assertEqual(details, {"permission": "shifts.assign"})
        self.check(poster.post("/api/shifts", self.body()), 201)

    def test_largest_request_there_is(self):
        # In NFC, as it is kept, this character takes three times its bytes; the answer repeats all of it.
        notes = "\U0001d160" * 620
        shifts = [self.body(title=f"Large {n}", notes=notes) for n in range(100)]
        raw = json.dumps({"shifts": shifts}, ensure_ascii=False).encode()
        self.assertGreater(len(raw), 250 << 10)
        headers = {"Idempotency-Key": "the largest"}
        made = live.send("POST", "/api/shifts", headers=headers, raw=raw)
        self.check(made, 201)
        again = live.send("POST", "/api/shifts", headers=headers, raw=raw)
        self.assertEqual((again.status, again.body, again.headers["Idempotency-Replayed"]), (201, made.body, "true"))
        self.check(live.delete(f"/api/shifts/{made.body['data'][0]['id']}"), 200)

    def test_many_at_once_are_all_or_nothing(self):
        one = self.person()
        day = self.body()["date"]
        made = self.check(live.post("/api/shifts", {"shifts": [self.body(title=f"Bulk {n}") for n in range(100)]}), 201)["data"]
        self.assertEqual([shift["title"] for shift in made], [f"Bulk {n}" for n in range(100)])
        count = len(live.get("/api/shifts", q="Nothing of it", limit=200).body["data"])
        good = self.body(title="Nothing of it", date=day, assignedStaffIds=[one])
        for bad, status, code in ((self.body(facilityId=9_000_000), 403, "FACILITY_SCOPE_VIOLATION"), (good, 409, "STAFF_DOUBLE_BOOKED")):
            self.check_refused(live.post("/api/shifts", {"shifts": [good, bad]}), status, code)
        self.check_fields(live.post("/api/shifts", {"shifts": [good, good | {"title": "", "date": 5}, good | {"endTime": "x"}]}),
                          "shifts[1].title", "shifts[1].date", "shifts[2].endTime")
        self.check_fields(live.post("/api/shifts", {"shifts": [good, good | {"endTime": good["startTime"]}]}),
                          "shifts[1].endTime")
        self.check_fields(live.post("/api/shifts", {"shifts": []}), "shifts")
        self.check_fields(live.post("/api/shifts", {"shifts": [self.body()] * 101}), "shifts")
        self.assertEqual(len(live.get("/api/shifts", q="Nothing of it", limit=200).body["data"]), count)


class AssignTest(ShiftCase):

    def test_fill_and_full(self):
        one, two, three = self.person(), self.person(), self.person()
        where, _ = self.shift(requiredWorkers=2)
        first = self.check(live.post(f"{where}/assign", {"staffId": one}), 200)
        self.assertEqual((first["filled"], first["assigned"], first["warnings"], first["status"], first["openSpots"]),
                         (False, [one], [], "open", 1))
        again = self.check(live.post(f"{where}/assign", {"staffId": one}), 200)
        self.assertEqual((again["filled"], again["assigned"], again["assignedStaffIds"]), (False, [], [one]))
        second = self.check(live.post(f"{where}/assign", {"staffIds": [one, two]}), 200)
        self.assertEqual((second["filled"], second["assigned"], second["status"]), (True, [two], "assigned"))
        full = self.check_refused(live.post(f"{where}/assign", {"staffId": three}), 409, "SHIFT_FULL")
        self.assertEqual(full, {"requiredWorkers": 2, "assignedCount": 2, "addedCount": 1})
        self.check_refused(live.post(f"{where}/assign", {"staffId": 9_000_000}), 404, "NOT_FOUND")
        self.assertEqual(self.state(where), ("assigned", [one, two], 0))
        listed = self.check(live.get(f"{where}/assignments"), 200)["data"]
        self.assertEqual([(a["staffId"], a["assignedBy"], a["source"], a["acknowledgedAt"], a["overrides"]) for a in listed],
                         [(who, live.get("/api/auth/me").body["user"]["id"], "direct", None, []) for who in (one, two)])

    def test_double_booking_and_override(self):
        one, two = self.person(), self.person()
        where, made = self.shift(assignedStaffIds=[one])
        # Until 08:00 and from 16:00 on the person is free: touching ends are no overlap.
        for start, end in (("00:00", "08:00"), ("16:00", "23:00")):
            self.shift(date=made["date"], startTime=start, endTime=end, assignedStaffIds=[one])
        clash, _ = self.shift(date=made["date"], startTime="15:59", endTime="18:00", requiredWorkers=2)
        answer = live.post(f"{clash}/assign", {"staffIds": [two, one]})
        violations = self.check_refused(answer, 409, "STAFF_DOUBLE_BOOKED")["violations"]
        self.assertEqual({(v["code"], v["staffId"]) for v in violations}, {("STAFF_DOUBLE_BOOKED", one)})
        self.assertTrue(all(v["message"] and v["shiftId"] for v in violations))
        self.assertEqual(self.state(clash), ("open", [], 2), "all or nothing")
        assigner = live.with_key(rest.make_key(service, ["shifts:assign", "shifts:read"])[1])
        override = {"staffId": one, "override": True, "overrideComment": "Agreed by phone"}
        details = self.check_refused(assigner.post(f"{clash}/assign", override), 403, "INSUFFICIENT_SCOPE")
        self.assertEqual(details, {"permission": "shifts.override"})
        done = self.check(live.post(f"{clash}/assign", override), 200)
        self.assertEqual((done["assigned"], [w["code"] for w in done["warnings"]]), ([one], ["STAFF_DOUBLE_BOOKED", "STAFF_DOUBLE_BOOKED", "REST_PERIOD_VIOLATION"]))
        self.assertEqual(live.get(f"{clash}/assignments").body["data"][0]["overrides"],
                         [{"rule": "doubleBooking", "comment": "Agreed by phone"}])

    def test_replace_and_unassign(self):
        one, two, three = self.person(), self.person(), self.person()
        where, _ = self.shift(requiredWorkers=2, assignedStaffIds=[one, two])
        done = self.check(live.post(f"{where}/assign", {"staffIds": [two, three], "mode": "replace"}), 200)
        self.assertEqual((sorted(done["assignedStaffIds"]), done["assigned"], done["status"]), ([two, three], [three], "assigned"))
        off = self.check(live.post(f"{where}/unassign", {"staffId": two}), 200)
        self.assertEqual((off["status"], off["assignedStaffIds"], off["openSpots"], off["filledAt"]), ("open", [three], 1, None))
        self.check_refused(live.post(f"{where}/unassign", {"staffId": two}), 404, "NOT_FOUND")
        self.check_fields(live.post(f"{where}/unassign", {}), "staffId")
        cleared = self.check(live.post(f"{where}/assign", {"staffIds": [], "mode": "replace"}), 200)
        self.assertEqual(cleared["assignedStaffIds"], [])


class StateTest(ShiftCase):

    STAFFABLE = ("update", "assign", "unassign", "acknowledge", "swap", "start", "cancel", "delete")
    RUNNING = ("update", "assign", "unassign", "acknowledge", "complete", "cancel", "delete")

    def test_start_and_complete(self):
        one = self.person()
        where, _ = self.starting(30)
        self.check_move(live.post(f"{where}/start"), "start", *self.STAFFABLE)
        self.check_move(live.post(f"{where}/complete"), "complete", *self.STAFFABLE)
        self.check(live.post(f"{where}/assign", {"staffId": one}), 200)
        self.assertEqual(self.check(live.post(f"{where}/start"), 200)["status"], "in_progress")
        self.assertEqual(self.check(live.post(f"{where}/start"), 200)["status"], "in_progress", "it already holds")
        self.check_move(live.patch(where, {"title": "Other"}), "update", *self.RUNNING)
        self.check(live.patch(where, {"notes": "running", "endTime": self.moment(300)[1]}), 200)
        self.assertEqual(self.check(live.post(f"{where}/complete"), 200)["status"], "completed")
        for command, body in (("start", None), ("cancel", {}), ("reopen", None), ("assign", {"staffId": one}),
                              ("unassign", {"staffId": one})):
            self.check_move(live.post(f"{where}/{command}", body), command)
        self.check_move(live.patch(where, {"notes": "late"}), "update")
        self.check_refused(live.delete(where), 409, "INVALID_STATE_TRANSITION")

    def test_cancel_frees_and_reopen_does_not_restore(self):
        one = self.person()
        where, made = self.shift(assignedStaffIds=[one])
        gone = self.check(live.post(f"{where}/cancel", {"reason": "closed"}), 200)
        self.assertEqual((gone["status"], gone["cancelReason"]), ("cancelled", "closed"))
        self.assertEqual((gone["assignedStaffIds"], gone["openSpots"], gone["filledAt"]), ([], 1, None))
        self.assertEqual(live.get(where).body, gone)
        self.assertEqual(live.get(f"{where}/assignments").body["data"], [])
        self.assertNotIn(made["id"], [row["id"] for row in live.get("/api/shifts", staffId=one).body["data"]])
        feed = live.get("/api/dashboard/recent-activity", limit=100).body
        self.assertIn("shift.staff_assigned", [item["action"] for item in feed if item["resource"] == f"shift:{made['id']}"])
        self.shift(date=made["date"], assignedStaffIds=[one])
        self.check_move(live.post(f"{where}/assign", {"staffId": one}), "assign", "reopen", "delete")
        back = self.check(live.post(f"{where}/reopen"), 200)
        self.assertEqual((back["status"], back["assignedStaffIds"], back["cancelReason"]), ("open", [], ""))
        self.assertEqual(live.get(f"{where}/assignments").body["data"], [])
        past, _ = self.starting(-600)
        self.check(live.post(f"{past}/cancel", {}), 200)
        self.check_refused(live.post(f"{past}/reopen"), 409, "INVALID_STATE_TRANSITION")

    def test_delete(self):
        one = self.person()
        where, made = self.shift(assignedStaffIds=[one])
        gone = self.check(live.delete(where), 200)
        self.assertEqual((gone["status"], gone["cancelReason"]), ("cancelled", "deleted"))
        self.assertNotIn(made["id"], [row["id"] for row in live.get("/api/shifts", **{"from": made["date"]}, limit=200).body["data"]])
        for answer in (live.get(where), live.get(f"{where}/assignments"), live.delete(where), live.patch(where, {"notes": "x"}),
                       live.patch(where, {}), live.put(where, gone), live.post(f"{where}/assign", {"staffId": one}),
                       live.post(f"{where}/unassign", {"staffId": one}),
                       *(live.post(f"{where}/{command}", {}) for command in ("start", "complete", "cancel", "reopen"))):
            self.check_refused(answer, 404, "NOT_FOUND")
        self.shift(date=made["date"], assignedStaffIds=[one])

    def test_an_answer_outlives_its_shift(self):
        where, _ = self.shift()
        headers = {"Idempotency-Key": f"cancel {where}"}
        first = live.post(f"{where}/cancel", {"reason": "r"}, headers)
        self.check(first, 200)
        self.check(live.delete(where), 200)
        again = live.post(f"{where}/cancel", {"reason": "r"}, headers)
        self.assertEqual((again.status, again.body, again.headers["Idempotency-Replayed"]), (200, first.body, "true"))
        self.check_refused(live.post(f"{where}/cancel", {"reason": "r"}), 404, "NOT_FOUND")

    def test_the_clock_starts_what_has_begun_and_ends_what_is_over(self):
        begun, _ = self.starting(-1, assignedStaffIds=[self.person()])
        partly, _ = self.starting(-1, requiredWorkers=2, assignedStaffIds=[self.person()])
        unstaffed, _ = self.starting(-1)
        ahead, _ = self.starting(30, assignedStaffIds=[self.person()])
        over, _ = self.starting(-300, length=240, assignedStaffIds=[self.person()])
        service.wait_projected()  # the clock goes by read models
        service.stop()
        service.start()
        live.close()
        for where, status in ((begun, "in_progress"), (partly, "in_progress"), (over, "completed")):
            support.wait_until(lambda: self.state(where)[0] == status, 30, f"{where} is {status}")  # noqa: B023
        self.assertEqual((self.state(unstaffed)[0], self.state(ahead)[0]), ("open", "assigned"))
        service.wait_projected()  # the feed is another read model
        feed = live.get("/api/dashboard/recent-activity", limit=100).body
        item = next(item for item in feed if item["resource"] == begun.replace("/api/shifts/", "shift:"))
        self.assertEqual((item["action"], item["user"]), ("shift.started", {"id": 0, "name": "System", "email": ""}))


class DashboardTest(ShiftCase):

    def setUp(self):
        super().setUp()
        service.wait_projected()  # what other credentials wrote: only its own writes does a reader wait for

    def stats(self, **query):
        return self.check(live.get("/api/dashboard/stats", **query), 200)

    def check_change(self, before, **change):
        after = self.stats()
        names = ("activeStaff", "openShifts", "filledShifts", "urgentShifts", "totalFacilities")
        self.assertEqual({name: after[name] - before[name] for name in names}, dict.fromkeys(names, 0) | change)
        return after

    def test_figures_follow_what_happens(self):
        at = first = self.stats()
        one = self.person()
        at = self.check_change(at, activeStaff=1)
        today = datetime.now(self.zone).date()
        where, _ = self.starting(30, urgency="critical")
        in_month = int(datetime.fromisoformat(live.get(where).body["date"]).month == today.month)
        at = self.check_change(at, openShifts=1, urgentShifts=1)
        self.check(live.post(f"{where}/assign", {"staffId": one}), 200)
        at = self.check_change(at, openShifts=-1, urgentShifts=-1, filledShifts=in_month)
        self.check(live.post(f"{where}/start"), 200)
        self.check(live.post(f"{where}/complete"), 200)
        at = self.check_change(at)
        cancelled, _ = self.shift(urgency="low")
        at = self.check_change(at, openShifts=1)
        self.check(live.post(f"{cancelled}/cancel", {}), 200)
        at = self.check_change(at, openShifts=-1)
        self.starting(-600)  # an unstaffed one that is over
        at = self.check_change(at)
        facility = self.check(live.post("/api/facilities", {"name": "Counted"}), 201)["id"]
        at = self.check_change(at, totalFacilities=1)
        self.check(live.delete(f"/api/facilities/{facility}"), 200)
        self.check(live.delete(f"/api/staff/{one}"), 200)
        at = self.check_change(at, totalFacilities=-1, activeStaff=-1)
        others = ("complianceRate", "monthlyHours", "expiringCredentials", "monthlyRevenue")
        self.assertEqual([at[name] for name in others], [first[name] for name in others])
        self.assertEqual(self.stats(facilityId=facility)["openShifts"], 0)

    def test_recent_activity(self):
        _, made = self.shift(assignedStaffIds=[self.person()])
        feed = self.check(live.get("/api/dashboard/recent-activity", limit=3), 200)
        self.assertEqual([item["action"] for item in feed], ["shift.filled", "shift.staff_assigned", "shift.posted"])
        me = live.get("/api/auth/me").body["user"]
        for item in feed:
            self.assertEqual((item["resource"], item["createdAt"]), (f"shift:{made['id']}", made["createdAt"]))
            self.assertEqual(item["user"], {"id": me["id"], "name": f"{me['firstName']} {me['lastName']}", "email": me["email"]})
        ids = [item["id"] for item in live.get("/api/dashboard/recent-activity", limit=100).body]
        self.assertEqual(ids, sorted(set(ids), reverse=True))
        self.assertEqual(self.stats()["recentActivity"], live.get("/api/dashboard/recent-activity", limit=10).body)


class LeavingTest(ShiftCase):

    def test_staff_with_shifts_ahead(self):
        one = self.person()
        first, made = self.shift(assignedStaffIds=[one])
        second, _ = self.shift(requiredWorkers=2, assignedStaffIds=[one])
        for answer in (live.delete(f"/api/staff/{one}"), live.delete(f"/api/staff/{one}", force="false"),
                       live.patch(f"/api/staff/{one}", {"isActive": False})):
            self.assertEqual(self.check_refused(answer, 409, "STAFF_HAS_FUTURE_SHIFTS")["shiftId"], made["id"])
        self.check_fields(live.delete(f"/api/staff/{one}", force="maybe"), "force")
        gone = self.check(live.delete(f"/api/staff/{one}", force="true"), 200)
        self.assertFalse(gone["isActive"])
        self.assertEqual((self.state(first), self.state(second)), (("open", [], 1), ("open", [], 2)))
        self.assertTrue(self.check(live.post(f"/api/staff/{one}/reactivate"), 200)["isActive"])
        self.assertEqual(self.state(first), ("open", [], 1))

    def test_a_facility_with_shifts_ahead(self):
        facility = self.check(live.post("/api/facilities", {"name": "Leaving"}), 201)["id"]
        where, made = self.shift(facilityId=facility)
        for answer in (live.delete(f"/api/facilities/{facility}"), live.patch(f"/api/facilities/{facility}", {"isActive": False})):
            self.assertEqual(self.check_refused(answer, 409, "FACILITY_IN_USE")["shiftId"], made["id"])
        self.check(live.post(f"{where}/cancel", {}), 200)
        self.assertFalse(self.check(live.delete(f"/api/facilities/{facility}"), 200)["isActive"])
        self.check_refused(live.post("/api/shifts", self.body(facilityId=facility)), 409, "INVALID_STATE_TRANSITION")
        self.assertTrue(self.check(live.patch(f"/api/facilities/{facility}", {"isActive": True}), 200)["isActive"])
