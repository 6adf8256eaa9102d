# Shift swap requests from the client's side: two people agree and a planner approves, who sees and may what, that nobody stands in two
# requests, that what can't happen ends by itself, and what an erasure leaves.

import datetime
import itertools
import json
import secrets

import people
import rest
import support
from kafka_cluster import OnKafka

SWAPS, STAFF, SHIFTS = "/api/shift-swaps", "/api/staff", "/api/shifts"
FIELDS = {"id", "organizationId", "facilityId", "shiftId", "staffId", "otherShiftId", "otherStaffId", "status", "decidedBy", "decidedAt",
          "rejectReason", "createdAt", "updatedAt"}
EXPIRED_SECONDS = 120  # the job comes by each minute
RACES = 6
IN_SANDBOX = {"Service-Sandbox": "true"}

days = itertools.count()


def some_day():
    """A day on which nobody works yet."""
    return str(datetime.date(2031, 1, 1) + datetime.timedelta(days=next(days)))


class ShiftSwapCase(rest.RestCase, support.ServiceCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner = rest.client_of(cls.service)
        cls.here, cls.there = cls.service.demo["facilityIds"]

    def hire(self, *facilities, client=None, headers=None):
        body = {"firstName": "Ada", "lastName": "Byron", "facilityIds": list(facilities or [self.here]), "email": f"{secrets.token_hex(6)}@example.test"}
        return self.check((client or self.owner).post(STAFF, body, headers), 201)["id"]

    def shift(self, *staff, facility=None, date=None, client=None, headers=None, start="08:00", end="12:00"):
        body = {"facilityId": facility or self.here, "title": "Ward", "date": date or some_day(), "startTime": start, "endTime": end,
                "assignedStaffIds": list(staff)}
        return self.check((client or self.owner).post(SHIFTS, body, headers), 201)["id"]

    def pair(self, **fields):
        """Two people with a shift each, as the body of a request."""
        mara, noor = self.hire(), self.hire()
        return {"shiftId": self.shift(mara, **fields), "staffId": mara, "otherShiftId": self.shift(noor, **fields), "otherStaffId": noor}

    def ask(self, body=None, client=None):
        return self.check((client or self.owner).post(SWAPS, body or self.pair()), 201)

    def act(self, swap, verb, client=None, **body):
        return self.check((client or self.owner).post(f"{SWAPS}/{swap['id']}/{verb}", body or None), 200)

    def user(self, **fields):
        """A client with the token of a new user."""
        return people.take_token(self.service, people.make_user(self.service, **fields)["email"])

    def session(self, staff, *facilities):
        """A client with a session of somebody who works."""
        user = people.make_user(self.service, role="staff", staffId=staff, facilityIds=list(facilities or [self.here]))
        return people.sign_in(self.service, user["email"])

    def read(self, swap, client=None):
        self.service.wait_projected()
        return self.check((client or self.owner).get(f"{SWAPS}/{swap['id']}"), 200)

    def listed(self, client, **query):
        self.service.wait_projected()
        return [row["id"] for page in rest.pages(client, SWAPS, limit=200, **query) for row in page]

    def on(self, shift):
        self.service.wait_projected()
        return self.check(self.owner.get(f"{SHIFTS}/{shift}"), 200)["assignedStaffIds"]

    def restart(self):
        """The service forgets what was in memory, and its jobs come by at once."""
        self.service.stop()
        self.service.start()
        self.owner.close()

    def wait_expired(self, swap):
        support.wait_until(lambda: self.read(swap)["status"] == "expired", EXPIRED_SECONDS, "the request expires")


class OfBothEngines:
    """What the writer decides, whatever was folded."""

    def test_two_people_agree_and_a_planner_approves(self):
        body = self.pair()
        swap = self.ask(body)
        self.assertEqual(set(swap), FIELDS)
        self.assertEqual({name: swap[name] for name in body}, body)
        self.assertEqual((swap["status"], swap["facilityId"], swap["decidedBy"]), ("pending_peer", self.here, None))
        refused = self.owner.post(f"{SWAPS}/{swap['id']}/approve")
        self.assertEqual(self.check_refused(refused, 409, "INVALID_STATE_TRANSITION")["from"], "pending_peer")
        self.restart()  # what memory has lost is looked up
        for again in (body, {"shiftId": body["otherShiftId"], "staffId": body["otherStaffId"],
                             "otherShiftId": self.shift(colleague := self.hire()), "otherStaffId": colleague}):
            details = self.check_refused(self.owner.post(SWAPS, again), 409, "DUPLICATE_RESOURCE")
            self.assertEqual(details, {"existingId": swap["id"]})
        noor = self.session(body["otherStaffId"])
        self.assertEqual(self.act(swap, "accept", noor)["status"], "pending_approval")
        self.restart()
        approved = self.act(swap, "approve")
        self.assertEqual(set(approved), FIELDS | {"shifts", "filled", "warnings"})
        self.assertEqual((approved["status"], approved["filled"], approved["warnings"]), ("approved", True, []))
        self.assertEqual([(shift["id"], shift["assignedStaffIds"]) for shift in approved["shifts"]],
                         [(body["shiftId"], [body["otherStaffId"]]), (body["otherShiftId"], [body["staffId"]])])
        self.assertEqual((self.on(body["shiftId"]), self.on(body["otherShiftId"])), ([body["otherStaffId"]], [body["staffId"]]))
        again = self.act(swap, "approve")
        self.assertEqual((again["filled"], len(again["shifts"])), (False, 2))
        self.assertEqual(support.logged_types(self.service, f"shift_swap/{swap['id']}"),
                         ["shift_swap.requested", "shift_swap.accepted", "shift_swap.approved"])

    def test_of_requests_that_race_one_stands(self):
        for number in range(RACES):
            body, colleague = self.pair(), self.hire()
            third = {"shiftId": self.shift(colleague), "staffId": colleague}
            mirrored = {"shiftId": body["otherShiftId"], "staffId": body["otherStaffId"],
                        "otherShiftId": body["shiftId"], "otherStaffId": body["staffId"]}
            bodies = [body, mirrored, third | {"otherShiftId": body["shiftId"], "otherStaffId": body["staffId"]},
                      third | {"otherShiftId": body["otherShiftId"], "otherStaffId": body["otherStaffId"]}]
            answers = people.at_once([lambda body=body: self.owner.post(SWAPS, body) for body in bodies])
            made = [answer for answer in answers if answer.status == 201]
            self.assertEqual(len(made), 1, number)
            for answer in answers:
                if answer not in made:
                    self.assertEqual(self.check_refused(answer, 409, "DUPLICATE_RESOURCE"), {"existingId": made[0].body["id"]})

    def test_an_approval_and_what_undoes_it_race(self):
        for number in range(RACES):
            body = self.pair()
            swap = self.ask(body)
            self.act(swap, "accept", self.session(body["otherStaffId"]))
            approved, unassigned = people.at_once([lambda: self.owner.post(f"{SWAPS}/{swap['id']}/approve"),
                                                   lambda: self.owner.post(f"{SHIFTS}/{body['shiftId']}/unassign", {"staffId": body["staffId"]})])
            if unassigned.status == 200:
                self.check_refused(approved, 409, "INVALID_STATE_TRANSITION")
            else:
                self.check_refused(unassigned, 404, "NOT_FOUND")
                self.check(approved, 200)
                self.assertEqual(self.on(body["shiftId"]), [body["otherStaffId"]], number)

    def test_what_cannot_happen_expires(self):
        left, stays, cancelled = self.ask(), self.ask(), self.ask()
        self.check(self.owner.post(f"{SHIFTS}/{left['otherShiftId']}/unassign", {"staffId": left["otherStaffId"]}), 200)
        self.check(self.owner.post(f"{SHIFTS}/{cancelled['shiftId']}/cancel", {}), 200)
        self.check_refused(self.session(cancelled["otherStaffId"]).post(f"{SWAPS}/{cancelled['id']}/accept"), 409, "INVALID_STATE_TRANSITION")
        self.restart()
        self.wait_expired(left)
        self.wait_expired(cancelled)
        self.assertEqual(self.read(stays)["status"], "pending_peer")
        self.assertEqual(support.logged_types(self.service, f"shift_swap/{left['id']}"), ["shift_swap.requested", "shift_swap.expired"])
        self.check_refused(self.owner.post(f"{SWAPS}/{left['id']}/cancel"), 409, "INVALID_STATE_TRANSITION")


class ShiftSwapTest(OfBothEngines, ShiftSwapCase):

    def test_people_ask_for_themselves(self):
        body = self.pair()
        mara, noor, ole = (self.session(staff) for staff in (body["staffId"], body["otherStaffId"], self.hire()))
        manager = self.user(role="manager", facilityIds=[self.here])
        named = {name: body[name] for name in ("shiftId", "otherShiftId", "otherStaffId")}
        swap = self.ask(named, mara)
        self.assertEqual((swap["staffId"], swap["status"]), (body["staffId"], "pending_peer"))
        for client in (mara, noor, manager):
            self.assertEqual(self.read(swap, client), swap)
            self.assertIn(swap["id"], self.listed(client))
        self.assertEqual((self.listed(mara), self.listed(noor)), ([swap["id"]], [swap["id"]]))
        self.assertEqual(self.listed(ole), [])
        self.check_refused(ole.get(f"{SWAPS}/{swap['id']}"), 404, "NOT_FOUND")
        for client, verbs in ((ole, ("accept", "decline", "cancel")), (mara, ("accept", "decline")), (noor, ("cancel",)),
                              (manager, ("accept", "decline"))):
            for verb in verbs:
                self.check_refused(client.post(f"{SWAPS}/{swap['id']}/{verb}"), 404, "NOT_FOUND")
        for client in (mara, noor, ole):
            for verb in ("approve", "reject"):
                self.check_refused(client.post(f"{SWAPS}/{swap['id']}/{verb}"), 403, "FORBIDDEN")
        self.act(swap, "accept", noor)
        self.assertEqual(self.act(swap, "approve", manager)["status"], "approved")
        self.assertEqual(self.read(swap, mara)["status"], "approved")
        self.assertEqual(self.check(mara.get(f"{SHIFTS}/{body['otherShiftId']}"), 200)["assignedStaffIds"], [body["staffId"]])

    def test_what_a_requester_may_learn(self):
        """A shift elsewhere, one that nobody has and a person who is not on it look alike."""
        body, far = self.pair(), self.hire(self.there)
        mara = self.session(body["staffId"])
        named = {name: body[name] for name in ("shiftId", "otherShiftId", "otherStaffId")}
        elsewhere = self.shift(far, facility=self.there)
        for other in ({"otherShiftId": elsewhere, "otherStaffId": far}, {"otherStaffId": far}, {"otherShiftId": 9_000_000_000},
                      {"otherStaffId": 9_000_000_000}, {"otherShiftId": self.shift()}):
            refused = mara.post(SWAPS, named | other)
            self.check_refused(refused, 404, "NOT_FOUND")
            self.assertIn(str((named | other)["otherShiftId"]), refused.body["error"]["message"])
        self.check_refused(mara.post(SWAPS, named | {"staffId": far}), 404, "NOT_FOUND")
        self.check_refused(mara.post(SWAPS, named | {"shiftId": body["otherShiftId"], "otherShiftId": body["shiftId"]}), 404, "NOT_FOUND")
        others = self.ask(self.pair() | {"otherShiftId": body["otherShiftId"], "otherStaffId": body["otherStaffId"]})
        refused = mara.post(SWAPS, named)
        self.check_refused(refused, 409, "DUPLICATE_RESOURCE")
        self.assertNotIn(str(others["id"]), json.dumps(refused.details), "it is of others")
        self.act(others, "cancel")
        # A shift of the peer's at that time is theirs alone to know of.
        date = self.check(self.owner.get(f"{SHIFTS}/{body['shiftId']}"), 200)["date"]
        beside = self.shift(body["otherStaffId"], date=date, start="10:00", end="14:00")
        refused = mara.post(SWAPS, named)
        self.check_refused(refused, 409, "STAFF_DOUBLE_BOOKED")
        self.assertNotIn("shiftId", json.dumps(refused.details))
        told = self.owner.post(SWAPS, body)
        self.check_refused(told, 409, "STAFF_DOUBLE_BOOKED")
        self.assertEqual([found["shiftId"] for found in told.details["violations"]], [beside])

    def test_warnings(self):
        body = self.pair()
        self.check(self.owner.put(f"{STAFF}/{body['staffId']}/availability", {"blocks": [{"weekday": 1, "from": "03:00", "to": "03:30"}]}), 200)
        swap = self.ask(body)
        self.assertEqual([(found["code"], found["staffId"]) for found in swap["warnings"]], [("STAFF_UNAVAILABLE", body["staffId"])])
        self.act(swap, "accept", self.session(body["otherStaffId"]))
        self.assertEqual([found["code"] for found in self.act(swap, "approve")["warnings"]], ["STAFF_UNAVAILABLE"])

    def test_an_approval_goes_by_the_rules_of_then(self):
        body = self.pair()
        swap = self.ask(body)
        self.act(swap, "accept", self.session(body["otherStaffId"]))
        date = self.check(self.owner.get(f"{SHIFTS}/{body['otherShiftId']}"), 200)["date"]
        off = self.check(self.owner.post("/api/time-off", {"staffId": body["staffId"], "type": "sick", "startDate": date, "endDate": date}), 201)
        self.check(self.owner.post(f"/api/time-off/{off['id']}/approve"), 200)
        self.check_refused(self.owner.post(f"{SWAPS}/{swap['id']}/approve"), 409, "STAFF_ON_TIME_OFF")
        self.assertEqual(self.read(swap)["status"], "pending_approval")
        rejected = self.act(swap, "reject", reason="Away then")
        self.assertEqual((rejected["status"], rejected["rejectReason"]), ("rejected", "Away then"))
        self.check_refused(self.owner.post(f"{SWAPS}/{swap['id']}/approve"), 409, "INVALID_STATE_TRANSITION")
        again = self.ask(body | {"otherShiftId": self.shift(body["otherStaffId"])})
        self.assertEqual(self.act(again, "decline", self.session(body["otherStaffId"]))["status"], "declined")
        third = self.ask(body | {"otherShiftId": self.shift(body["otherStaffId"])})
        self.assertEqual(self.act(third, "cancel", self.session(body["staffId"]))["status"], "cancelled")

    def test_nobody_but_an_admin_approves_what_they_take_part_in(self):
        body = self.pair()
        swap = self.ask(body)
        peer = self.user(role="manager", staffId=body["otherStaffId"])
        self.assertEqual(self.act(swap, "accept", peer)["status"], "pending_approval")
        for client in (peer, self.user(role="scheduler", staffId=body["staffId"])):
            self.check_refused(client.post(f"{SWAPS}/{swap['id']}/approve"), 403, "SELF_APPROVAL_FORBIDDEN")
        self.act(swap, "approve", self.user(role="admin", staffId=body["staffId"]))

    def test_facilities(self):
        mara, far = self.hire(), self.hire(self.there)
        body = {"shiftId": self.shift(mara), "staffId": mara, "otherShiftId": self.shift(far, facility=self.there), "otherStaffId": far}
        here, there = (self.user(role="scheduler", facilityIds=[facility]) for facility in (self.here, self.there))
        for client in (here, there):
            self.check_refused(client.post(SWAPS, body), 404, "NOT_FOUND")
        swap = self.ask(body)
        peer = self.session(far, self.there)
        self.assertEqual(self.read(swap, peer)["id"], swap["id"], "a peer sees it, wherever it is")
        self.act(swap, "accept", peer)
        self.assertIn(swap["id"], self.listed(here))
        self.assertNotIn(swap["id"], self.listed(there))
        self.assertIn(swap["id"], self.listed(self.owner, facilityId=self.here))
        self.assertNotIn(swap["id"], self.listed(self.owner, facilityId=self.there))
        for client in (here, there):
            self.check_refused(client.post(f"{SWAPS}/{swap['id']}/approve"), 404, "NOT_FOUND")
        self.check_refused(there.post(f"{SWAPS}/{swap['id']}/reject"), 404, "NOT_FOUND")
        approved = self.act(swap, "approve")
        self.assertEqual([shift["facilityId"] for shift in approved["shifts"]], [self.here, self.there])

    def test_filters_find_either_side(self):
        first = self.ask()
        for query in ({"staffId": first["staffId"]}, {"staffId": first["otherStaffId"]}, {"shiftId": first["shiftId"]},
                      {"shiftId": first["otherShiftId"]}):
            self.assertEqual(self.listed(self.owner, **query), [first["id"]], query)
        self.assertEqual(self.listed(self.owner, staffId=first["staffId"], status="approved,rejected"), [])

    def test_keys_act_for_their_user_or_for_anybody(self):
        body = self.pair()
        mara, noor = (people.make_user(self.service, role="staff", staffId=body[name], facilityIds=[self.here]) for name in ("staffId", "otherStaffId"))

        def key(*scopes, **fields):
            return self.owner.with_key(rest.make_key(self.service, list(scopes), **fields)[1])
        own, peers, nobodys = key("scheduling:request", user=mara["id"]), key("scheduling:request", user=noor["id"]), key("scheduling:request")
        self.check_refused(nobodys.post(SWAPS, body), 404, "NOT_FOUND")
        swap = self.ask({name: body[name] for name in ("shiftId", "otherShiftId", "otherStaffId")}, own)
        self.check_refused(nobodys.post(f"{SWAPS}/{swap['id']}/accept"), 404, "NOT_FOUND")
        self.act(swap, "accept", peers)
        self.check_refused(peers.post(f"{SWAPS}/{swap['id']}/approve"), 403, "INSUFFICIENT_SCOPE")
        self.check_refused(key("scheduling:write", facility=self.there).post(f"{SWAPS}/{swap['id']}/approve"), 404, "NOT_FOUND")
        self.act(swap, "approve", key("scheduling:write"))

    def test_a_swap_counts_once(self):
        body = self.pair()
        swap = self.ask(body)
        self.act(swap, "accept", self.session(body["otherStaffId"]))
        self.act(swap, "approve")
        marked = [event for event in support.logged_events(self.service)
                  if event["type"] == "shift.filled" and event["subject"] in (f"shift/{body['shiftId']}", f"shift/{body['otherShiftId']}")
                  and event.get("verb") == "shift_swaps.approve"]
        self.assertEqual(len(marked), 2)
        self.assertEqual(sorted(event.get("outcome", "") for event in marked), ["none", "shift_filled"])

    def test_what_is_told_of_it(self):
        body = self.pair()
        swap = self.ask(body)
        self.act(swap, "reject", reason="Kunigunde Morgenroth is not to work there")
        self.service.wait_projected()
        told = self.check(self.owner.get("/api/events", types="shift_swap.*", limit=200), 200)["data"]
        mine = [event for event in told if event["resource"] == f"shift_swap:{swap['id']}"]
        self.assertEqual([(event["type"], event["facilityId"]) for event in mine],
                         [("shift_swap.requested", self.here), ("shift_swap.rejected", self.here)])
        self.assertNotIn("Morgenroth", json.dumps(told))
        activity = self.check(self.owner.get("/api/dashboard/recent-activity", limit=100), 200)
        self.assertIn(("shift_swap.rejected", f"shift_swap:{swap['id']}"), [(item["action"], item["resource"]) for item in activity])

    def test_an_erasure_of_the_requester_forgets_what_was_said(self):
        needle = f"Quasthoff{secrets.randbelow(10**9)}"
        body = self.pair()
        swap = self.ask(body)
        self.assertEqual(self.act(swap, "reject", reason=needle)["rejectReason"], needle)
        pending = self.ask(body)
        self.service.wait_projected()
        self.assertFalse(any(self.service.log_text_hits([needle]).values()), "the log has it sealed")
        self.service.command("erase", f"staff/{body['staffId']}", "--reason", "asked for")
        left = self.read(swap)
        self.assertEqual((left["rejectReason"], left["status"], left["staffId"]), ("", "rejected", body["staffId"]))
        self.assertEqual(support.clear_text_hits(self.service.postgres, "read.shift_swap", [needle]), [])
        self.check_refused(self.owner.post(f"{SWAPS}/{pending['id']}/reject", {"reason": needle}), 409, "INVALID_STATE_TRANSITION")
        self.restart()
        self.wait_expired(pending)

    def test_an_erasure_of_the_peer_ends_what_waits_for_them(self):
        rejected, waits = self.ask(), self.ask()
        self.act(rejected, "reject", reason="Not that ward")
        for swap in (rejected, waits):
            self.service.command("erase", f"staff/{swap['otherStaffId']}", "--reason", "asked for")
        self.assertEqual(self.read(rejected)["rejectReason"], "Not that ward", "it is the requester's")
        self.restart()
        self.wait_expired(waits)

    def test_the_sandbox(self):
        admin = self.owner.with_key(self.service.command("token", "admin@demo.example.com").strip())
        body = {}
        for person, shift in (("staffId", "shiftId"), ("otherStaffId", "otherShiftId")):
            body[person] = self.hire(client=admin, headers=IN_SANDBOX)
            body[shift] = self.shift(body[person], client=admin, headers=IN_SANDBOX)
        live = self.ask()
        self.check_refused(admin.post(SWAPS, {name: live[name] for name in body}, IN_SANDBOX), 404, "NOT_FOUND")
        self.check_refused(self.owner.post(SWAPS, body), 404, "NOT_FOUND")
        made = self.check(admin.post(SWAPS, body, IN_SANDBOX), 201)
        self.service.wait_projected()
        swaps = [row["id"] for row in self.check(admin.get(SWAPS, IN_SANDBOX), 200)["data"]]
        self.assertEqual(swaps, [made["id"]])
        self.check_refused(self.owner.get(f"{SWAPS}/{made['id']}"), 404, "NOT_FOUND")
        reset = self.check(admin.post("/api/sandbox/reset", {"facilityId": self.here}), 200)
        self.assertEqual((reset["cleared"]["shift_swap"], "shift_swap" in reset["seeded"]), (1, False))
        self.service.wait_projected()
        self.assertEqual(self.check(admin.get(SWAPS, IN_SANDBOX), 200)["data"], [])
        self.assertEqual(self.read(live)["status"], "pending_peer")

    def test_what_is_asked_for_wrongly(self):
        body = self.pair()
        for fields, *faults in (({"otherShiftId": body["shiftId"]}, "otherShiftId"), ({"otherStaffId": body["staffId"]}, "otherStaffId"),
                                ({"shiftId": None}, "shiftId"), ({"staffId": "x"}, "staffId")):
            with self.subTest(fields=fields):
                self.check_fields(self.owner.post(SWAPS, body | fields), *faults)
        self.check_fields(self.owner.post(SWAPS, {}), "shiftId", "otherShiftId", "otherStaffId")
        begun = self.shift(date="2024-01-01")
        self.check(self.owner.post(f"{SHIFTS}/{begun}/assign", {"staffId": body["staffId"]}), 200)
        self.check_refused(self.owner.post(SWAPS, body | {"shiftId": begun}), 409, "INVALID_STATE_TRANSITION")


class ShiftSwapOnKafkaTest(OnKafka, OfBothEngines, ShiftSwapCase):
    pass
