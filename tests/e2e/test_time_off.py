# Time off and weekly availability from the client's side: people ask and planners decide, what that does to assignments and to the
# ranking of who could take a shift, who sees and may what, and that one writer decides what races.

import json
import secrets

import people
import rest
import support
from kafka_cluster import OnKafka

TIME_OFF, STAFF, SHIFTS, AVAILABLE = "/api/time-off", "/api/staff", "/api/shifts", "/api/staff/available"
FIELDS = {"id", "organizationId", "staffId", "type", "startDate", "endDate", "startTime", "endTime", "timezone", "startsAt", "endsAt",
          "status", "note", "requestedBy", "decidedBy", "decidedAt", "declineReason", "createdAt", "updatedAt"}
MONDAY = "2031-03-03"
RACES = 6


class TimeOffCase(rest.RestCase, support.ServiceCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner = rest.client_of(cls.service)
        cls.here, cls.there = cls.service.demo["facilityIds"]

    def hire(self, *facilities):
        return self.check(self.owner.post(STAFF, {"firstName": "Ada", "lastName": "Byron", "facilityIds": list(facilities or [self.here]),
                                                  "email": f"{secrets.token_hex(6)}@example.test"}), 201)["id"]

    def shift(self, *staff, facility=None, date=MONDAY):
        return self.check(self.owner.post(SHIFTS, {"facilityId": facility or self.here, "title": "Ward", "date": date, "startTime": "08:00",
                                                   "endTime": "16:00", "assignedStaffIds": list(staff)}), 201)["id"]

    def ask(self, staff, first=MONDAY, last=None, client=None, **fields):
        body = {"staffId": staff, "type": "vacation", "startDate": first, "endDate": last or first} | fields
        return self.check((client or self.owner).post(TIME_OFF, body), 201)

    def decide(self, off, verb, client=None, **body):
        return self.check((client or self.owner).post(f"{TIME_OFF}/{off['id']}/{verb}", body or None), 200)

    def assign(self, shift, staff, **fields):
        return self.owner.post(f"{SHIFTS}/{shift}/assign", {"staffId": staff, **fields})

    def violations(self, shift, staff):
        """What the ranking says of the person."""
        for row in self.check(self.owner.get(AVAILABLE, shiftId=shift, limit=200), 200)["data"]:
            if row["staff"]["id"] == staff:
                return [(found["code"], found["level"]) for found in row["violations"]]
        raise AssertionError("the person is not ranked")

    def restart(self):
        """The service forgets what was in memory."""
        self.service.stop()
        self.service.start()
        self.owner.close()

    def user(self, **fields):
        """A client with the token of a new user."""
        return people.take_token(self.service, people.make_user(self.service, **fields)["email"])

    def listed(self, client, **query):
        return [row["id"] for page in rest.pages(client, TIME_OFF, limit=200, **query) for row in page]


class OfBothEngines:
    """What the writer decides, whatever was folded."""

    def test_approved_time_off_keeps_from_assignments(self):
        person, shift = self.hire(), self.shift()
        off = self.ask(person, note="A wedding")
        self.assertEqual(set(off), FIELDS)
        self.assertEqual((off["status"], off["note"], off["decidedBy"], off["declineReason"]), ("pending", "A wedding", None, ""))
        self.assertEqual(self.violations(shift, person), [])
        approved = self.decide(off, "approve")
        self.assertEqual((approved["status"], "warnings" in approved), ("approved", False))
        refused = self.assign(shift, person)
        self.check_refused(refused, 409, "STAFF_ON_TIME_OFF")
        self.assertEqual([found["staffId"] for found in refused.details["violations"]], [person])
        self.assertEqual(self.violations(shift, person), [("STAFF_ON_TIME_OFF", "block")])
        self.check_refused(self.owner.post(SHIFTS, {"facilityId": self.here, "title": "Ward", "date": MONDAY, "startTime": "08:00",
                                                    "endTime": "16:00", "assignedStaffIds": [person]}), 409, "STAFF_ON_TIME_OFF")
        # What memory has lost is looked up: nothing goes by what was known before.
        self.restart()
        self.check_refused(self.assign(shift, person), 409, "STAFF_ON_TIME_OFF")
        passed = self.check(self.assign(shift, person, override=True, overrideComment="Agreed"), 200)
        self.assertEqual([warning["code"] for warning in passed["warnings"]], ["STAFF_ON_TIME_OFF"])
        self.decide(off, "cancel")
        self.check(self.assign(self.shift(date="2031-03-04"), person), 200)

    def test_an_approval_and_an_assignment_that_race_know_of_one_another(self):
        for number in range(RACES):
            person, shift = self.hire(), self.shift()
            off = self.ask(person)
            approved, assigned = people.at_once([lambda: self.owner.post(f"{TIME_OFF}/{off['id']}/approve"),
                                                 lambda: self.assign(shift, person)])
            warned = [warning.get("shiftId") for warning in self.check(approved, 200).get("warnings", [])]
            if assigned.status == 200:
                self.assertEqual(warned, [shift], number)
            else:
                self.check_refused(assigned, 409, "STAFF_ON_TIME_OFF")
                self.assertEqual(warned, [], number)

    def test_availability_warns(self):
        person, shift = self.hire(), self.shift()
        where = f"{STAFF}/{person}/availability"
        self.assertEqual(self.check(self.owner.get(where), 200), {"staffId": person, "blocks": [], "updatedAt": None})
        blocks = [{"weekday": 1, "from": "08:00", "to": "12:00"}, {"weekday": 1, "from": "22:00", "to": "06:00"}]
        said = self.owner.put(where, {"blocks": blocks})
        self.assertEqual(self.check(said, 200)["blocks"], blocks)
        read = self.owner.get(where)
        self.assertEqual((self.check(read, 200), read.headers["ETag"]), (said.body, said.headers["ETag"]))
        self.assertEqual(self.violations(shift, person), [("STAFF_UNAVAILABLE", "flag")])
        self.restart()
        warnings = self.check(self.assign(shift, person), 200)["warnings"]
        self.assertEqual([warning["code"] for warning in warnings], ["STAFF_UNAVAILABLE"])
        self.check(self.owner.put(where, {"blocks": blocks + [{"weekday": 1, "from": "12:00", "to": "16:00"}]}), 200)
        self.assertEqual(self.check(self.assign(self.shift(date="2031-03-10"), person), 200)["warnings"], [])


class TimeOffTest(OfBothEngines, TimeOffCase):

    def test_people_ask_for_themselves_and_planners_decide(self):
        mara, colleague = self.hire(), self.hire()
        own = self.user(role="staff", staffId=mara, facilityIds=[self.here])
        planner = self.user(role="scheduler", facilityIds=[self.here])
        off = self.check(own.post(TIME_OFF, {"type": "sick", "startDate": "2031-04-01", "endDate": "2031-04-02"}), 201)
        self.assertEqual((off["staffId"], off["type"]), (mara, "sick"))
        others = self.ask(colleague, "2031-04-01")
        self.service.wait_projected()
        self.assertEqual(self.listed(own), [off["id"]])
        self.assertLessEqual({off["id"], others["id"]}, set(self.listed(planner)))
        for answer in (own.get(f"{TIME_OFF}/{others['id']}"), own.post(f"{TIME_OFF}/{others['id']}/cancel"),
                       own.post(TIME_OFF, {"staffId": colleague, "type": "sick", "startDate": "2031-05-01", "endDate": "2031-05-01"}),
                       own.put(f"{STAFF}/{colleague}/availability", {"blocks": []})):
            self.check_refused(answer, 404, "NOT_FOUND")
        for verb in ("approve", "decline"):
            self.check_refused(own.post(f"{TIME_OFF}/{off['id']}/{verb}"), 403, "FORBIDDEN")
        declined = self.decide(off, "decline", planner, reason="Nobody else is there")
        self.assertEqual((declined["status"], declined["declineReason"]), ("declined", "Nobody else is there"))
        self.service.wait_projected()
        self.assertEqual(self.check(own.get(f"{TIME_OFF}/{off['id']}"), 200), declined)
        again = self.check(own.post(TIME_OFF, {"type": "sick", "startDate": "2031-04-01", "endDate": "2031-04-01"}), 201)
        self.check_refused(own.post(TIME_OFF, {"type": "sick", "startDate": "2031-04-01", "endDate": "2031-04-01"}), 409, "DUPLICATE_RESOURCE")
        self.assertEqual(self.decide(again, "cancel", own)["status"], "cancelled")
        blocks = [{"weekday": 5, "from": "22:00", "to": "06:00"}]
        self.assertEqual(self.check(own.put(f"{STAFF}/{mara}/availability", {"blocks": blocks}), 200)["blocks"], blocks)
        self.assertEqual(self.check(own.get(f"{STAFF}/{mara}/availability"), 200)["blocks"], blocks)

    def test_nobody_but_an_admin_approves_their_own(self):
        mara = self.hire()
        off = self.ask(mara, "2031-04-08")
        self.check_refused(self.user(role="manager", staffId=mara).post(f"{TIME_OFF}/{off['id']}/approve"), 403, "SELF_APPROVAL_FORBIDDEN")
        self.decide(off, "approve", self.user(role="admin", staffId=mara))

    def test_an_approval_names_the_shifts_that_its_caller_sees(self):
        person = self.hire(self.here, self.there)
        seen, hidden = self.shift(person, date="2031-04-14"), self.shift(person, facility=self.there, date="2031-04-15")
        off = self.ask(person, "2031-04-14", "2031-04-18")
        planner = self.user(role="scheduler", facilityIds=[self.here])
        warnings = self.decide(off, "approve", planner)["warnings"]
        self.assertEqual([(warning["code"], warning.get("shiftId")) for warning in warnings],
                         [("STAFF_ON_TIME_OFF", seen), ("STAFF_ON_TIME_OFF", None)])
        for shift in (seen, hidden):
            self.assertEqual(self.check(self.owner.get(f"{SHIFTS}/{shift}"), 200)["assignedStaffIds"], [person], "they stay")

    def test_keys_act_for_their_user_or_for_anybody(self):
        mara, colleague = self.hire(), self.hire()
        user = people.make_user(self.service, role="staff", staffId=mara, facilityIds=[self.here])
        body = {"type": "unpaid", "startDate": "2031-04-21", "endDate": "2031-04-21"}

        def key(*scopes, **fields):
            return self.owner.with_key(rest.make_key(self.service, list(scopes), **fields)[1])
        own, nobodys = key("scheduling:request", user=user["id"]), key("scheduling:request")
        self.assertEqual(self.check(own.post(TIME_OFF, body), 201)["staffId"], mara)
        self.check_refused(own.post(TIME_OFF, body | {"staffId": colleague}), 404, "NOT_FOUND")
        self.check_fields(nobodys.post(TIME_OFF, body), "staffId")
        self.check_refused(nobodys.post(TIME_OFF, body | {"staffId": mara}), 404, "NOT_FOUND")
        writer, elsewhere = key("scheduling:write"), key("scheduling:write", facility=self.there)
        self.check(writer.post(TIME_OFF, body | {"staffId": colleague}), 201)
        self.check_refused(elsewhere.post(TIME_OFF, body | {"staffId": colleague}), 404, "NOT_FOUND")
        self.check_refused(writer.get(TIME_OFF), 403, "INSUFFICIENT_SCOPE")
        self.assertEqual(key("staff:read").post(TIME_OFF, body).details, {"permission": "scheduling.request"})

    def test_what_is_asked_for_wrongly(self):
        person = self.hire()
        body = {"staffId": person, "type": "vacation", "startDate": "2031-05-01", "endDate": "2031-05-02"}
        for fields, *faults in (({"type": "holiday"}, "type"), ({"endDate": "2031-04-30"}, "endDate"), ({"endDate": "2033-01-01"}, "endDate"),
                                ({"startDate": "1999-12-31"}, "startDate"), ({"startDate": None}, "startDate"),
                                ({"endDate": "2031-05-01", "startTime": "12:00", "endTime": "08:00"}, "endTime"), ({"startTime": "24:00"}, "startTime")):
            with self.subTest(fields=fields):
                self.check_fields(self.owner.post(TIME_OFF, body | fields), *faults)
        for blocks, fault in (([{"weekday": 0, "from": "08:00", "to": "16:00"}], "blocks[0].weekday"), ([{"weekday": 1, "from": "08:00"}], "blocks[0].to"),
                              ([{"weekday": 1, "from": "08:00", "to": "16:00"}] * 101, "blocks"), (None, "blocks")):
            self.check_fields(self.owner.put(f"{STAFF}/{person}/availability", {"blocks": blocks}), fault)
        self.check_refused(self.owner.put(f"{STAFF}/9000000000/availability", {"blocks": []}), 404, "NOT_FOUND")
        part = self.ask(person, "2031-05-05", startTime="08:00", endTime="12:30")
        self.assertEqual((part["startTime"], part["endTime"]), ("08:00", "12:30"))

    def test_what_is_told_of_it(self):
        person = self.hire()
        off = self.ask(person, "2031-06-02", note="Kunigunde Morgenroth marries")
        self.decide(off, "decline", reason="Morgenroth again")
        self.owner.put(f"{STAFF}/{person}/availability", {"blocks": []})
        self.owner.put(f"{STAFF}/{person}/availability", {"blocks": [{"weekday": 1, "from": "08:00", "to": "16:00"}]})
        self.service.wait_projected()
        self.assertEqual(support.logged_types(self.service, f"time_off/{off['id']}"), ["time_off.requested", "time_off.declined"])
        self.assertEqual(support.logged_types(self.service, f"staff/{person}"), ["staff.onboarded", "staff.availability_set"])
        told = self.check(self.owner.get("/api/events", types="time_off.*", limit=200), 200)["data"]
        mine = [event for event in told if event["resource"] == f"time_off:{off['id']}"]
        self.assertEqual([(event["type"], event["facilityIds"]) for event in mine],
                         [("time_off.requested", [self.here]), ("time_off.declined", [self.here])])
        self.assertNotIn("Morgenroth", json.dumps(told))
        activity = self.check(self.owner.get("/api/dashboard/recent-activity", limit=100), 200)
        self.assertIn(("time_off.declined", f"time_off:{off['id']}"), [(item["action"], item["resource"]) for item in activity])

    def test_an_erasure_forgets_when_somebody_could_work(self):
        person = self.hire()
        where, blocks = f"{STAFF}/{person}/availability", [{"weekday": 3, "from": "03:17", "to": "04:51"}]
        self.assertEqual(self.check(self.owner.put(where, {"blocks": blocks}), 200)["blocks"], blocks)
        self.service.wait_projected()
        set_, = (event for event in support.logged_events(self.service)
                 if event["subject"] == f"staff/{person}" and event["type"] == "staff.availability_set")
        self.assertEqual(set(set_["data"]["blocks"]), {"sealed"})
        told, = (event for event in self.check(self.owner.get("/api/events", types="staff.availability_set", limit=200), 200)["data"]
                 if event["resource"] == f"staff:{person}")
        self.assertEqual(told["data"], {})
        self.service.command("erase", f"staff/{person}", "--reason", "asked for")
        self.service.wait_projected()
        self.assertEqual(self.check(self.owner.get(where), 200), {"staffId": person, "blocks": [], "updatedAt": None})
        self.assertEqual(support.clear_text_hits(self.service.postgres, "read.staff", ["03:17"]), [])


class TimeOffOnKafkaTest(OnKafka, OfBothEngines, TimeOffCase):
    pass
