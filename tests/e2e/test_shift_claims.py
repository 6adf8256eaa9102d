# Claims of open shifts: staff ask for them, planners decide, what assignments make of it; on both engines, and what ends them by itself.

import json
import secrets

import people
import rest
import support
from kafka_cluster import OnKafka
from open_shifts import EXPIRY_SECONDS, SHIFTS, OpenShiftCase

CLAIMS = "/api/shift-claims"
FIELDS = {"id", "organizationId", "facilityId", "shiftId", "staffId", "status", "decidedBy", "decidedAt", "declineReason", "createdAt",
          "updatedAt"}
RACES = 4


class ClaimCase(OpenShiftCase):

    def claim(self, client, shift):
        return self.check(client.post(f"{SHIFTS}/{shift['id']}/claim"), 201)

    def send(self, client, claim, verb, **body):
        return client.post(f"{SHIFTS}/{claim['shiftId']}/claims/{claim['id']}/{verb}", body or None)

    def decide(self, claim, verb, client=None, **body):
        return self.check(self.send(client or self.owner, claim, verb, **body), 200)


class OfBothEngines:
    """What the writer decides, whatever was folded."""

    def test_an_approved_claim_puts_somebody_on_the_shift(self):
        mara, own = self.member()
        shift = self.shift()
        claim = self.claim(own, shift)
        self.assertEqual(set(claim), FIELDS | {"warnings"})
        self.assertEqual((claim["status"], claim["staffId"], claim["shiftId"], claim["facilityId"], claim["decidedBy"]),
                         ("pending", mara, shift["id"], self.here, None))
        self.assertEqual(self.assigned(shift), [])
        # What memory has lost is looked up: nothing goes by what was known before.
        self.restart(own)
        again = own.post(f"{SHIFTS}/{shift['id']}/claim")
        self.check_refused(again, 409, "DUPLICATE_RESOURCE")
        self.assertEqual(again.details, {"existingId": claim["id"]})
        self.restart(own)
        approved = self.decide(claim, "approve")
        self.assertEqual((approved["status"], approved["filled"], approved["shift"]["assignedStaffIds"], approved["warnings"]),
                         ("approved", True, [mara], []))
        self.assertEqual(self.assigned(shift), [(mara, "claim")])
        self.assertEqual(set(self.decide(claim, "approve")), FIELDS | {"warnings"}, "it held already")
        on_it = own.post(f"{SHIFTS}/{shift['id']}/claim")
        self.check_refused(on_it, 409, "DUPLICATE_RESOURCE")
        self.assertEqual(on_it.details, {"existingId": shift["id"]})

    def test_a_claim_with_a_key_after_a_restart(self):
        """Its answer is sealed under the key of its person, of which the process knows nothing yet."""
        mara, own = self.member()
        shift = self.shift()
        self.restart(own)
        key = {"Idempotency-Key": secrets.token_hex(8)}
        made = own.post(f"{SHIFTS}/{shift['id']}/claim", None, key)
        self.assertEqual(self.check(made, 201)["staffId"], mara)
        again = own.post(f"{SHIFTS}/{shift['id']}/claim", None, key)
        self.assertEqual((self.check(again, 201), again.headers["Idempotency-Replayed"]), (made.body, "true"))

    def test_of_approvals_that_race_for_a_spot_one_wins(self):
        (first, one), (second, two) = self.member(), self.member()
        for _ in range(RACES):
            shift = self.shift()
            claims = [self.claim(client, shift) for client in (one, two)]
            answers = people.at_once([lambda claim=claim: self.send(self.owner, claim, "approve") for claim in claims])
            self.assertEqual(sorted(answer.status for answer in answers), [200, 409])
            late = next(answer for answer in answers if answer.status == 409)
            self.check_refused(late, 409, "SHIFT_FULL")
            self.assertIn(self.assigned(shift), ([(first, "claim")], [(second, "claim")]))
            for claim, answer in zip(claims, answers, strict=True):
                left = self.check(self.owner.get(f"{CLAIMS}/{claim['id']}"), 200)["status"]
                self.assertEqual(left, "approved" if answer.status == 200 else "pending")


class ShiftClaimTest(OfBothEngines, ClaimCase):

    def test_people_claim_where_they_work(self):
        """Whatever their account reaches."""
        staff = self.hire(self.here)
        own = self.user(role="staff", staffId=staff)
        self.check_refused(own.post(f"{SHIFTS}/{self.shift(facility=self.there)['id']}/claim"), 404, "NOT_FOUND")
        self.claim(own, self.shift())

    def test_facilities_that_need_no_approval(self):
        self.check(self.owner.patch(f"/api/facilities/{self.there}", {"claimsNeedApproval": False}), 200)
        mara, own = self.member(self.there)
        shift = self.shift(facility=self.there)
        key = {"Idempotency-Key": secrets.token_hex(8)}
        made = own.post(f"{SHIFTS}/{shift['id']}/claim", None, key)
        claim = self.check(made, 201)
        self.assertEqual((claim["status"], claim["filled"], claim["decidedBy"], claim["shift"]["id"]), ("approved", True, None, shift["id"]))
        self.assertIsNotNone(claim["decidedAt"])
        self.assertEqual(made.headers["Location"], f"{CLAIMS}/{claim['id']}")
        again = own.post(f"{SHIFTS}/{shift['id']}/claim", None, key)
        self.assertEqual((self.check(again, 201), again.headers["Idempotency-Replayed"]), (claim, "true"))
        self.service.wait_projected()
        self.assertEqual(self.assigned(shift), [(mara, "claim")])
        types = support.logged_types(self.service, f"shift_claim/{claim['id']}")
        self.assertEqual(types, ["shift_claim.requested", "shift_claim.approved"])
        self.assertEqual(support.logged_types(self.service, f"shift/{shift['id']}"), ["shift.posted", "shift.staff_assigned", "shift.filled"])
        _, late = self.member(self.there)
        self.check_refused(late.post(f"{SHIFTS}/{shift['id']}/claim", {}), 409, "SHIFT_FULL")

    def test_people_claim_for_themselves_and_planners_decide(self):
        mara, own = self.member()
        _, colleague = self.member()
        planner, elsewhere = (self.user(role="scheduler", facilityIds=[place]) for place in (self.here, self.there))
        shift, other = self.shift(workers=3), self.shift(workers=2)
        claim, theirs = self.claim(own, shift), self.claim(colleague, shift)
        self.service.wait_projected()
        self.assertEqual(self.listed(own, CLAIMS), [claim["id"]])
        self.assertEqual(self.listed(planner, CLAIMS, shiftId=shift["id"]), [claim["id"], theirs["id"]])
        self.assertEqual(self.listed(planner, CLAIMS, staffId=mara, status="pending"), [claim["id"]])
        self.assertEqual(self.listed(elsewhere, CLAIMS, shiftId=shift["id"]), [])
        for answer in (own.get(f"{CLAIMS}/{theirs['id']}"), elsewhere.get(f"{CLAIMS}/{claim['id']}"), self.send(own, theirs, "withdraw"),
                       self.send(elsewhere, claim, "approve"), self.send(elsewhere, claim, "decline"),
                       self.send(planner, claim | {"shiftId": other["id"]}, "approve"),
                       own.post(f"{SHIFTS}/{self.shift(facility=self.there)['id']}/claim"), own.post(f"{SHIFTS}/9000000000/claim"),
                       self.owner.post(f"{SHIFTS}/{shift['id']}/claim")):
            self.check_refused(answer, 404, "NOT_FOUND")
        for verb in ("approve", "decline"):
            self.check_refused(self.send(own, claim, verb), 403, "FORBIDDEN")
        self.check_refused(planner.post(f"{SHIFTS}/{shift['id']}/claim"), 403, "FORBIDDEN")
        declined = self.decide(theirs, "decline", planner, reason="Somebody else comes")
        self.assertEqual((declined["status"], declined["declineReason"]), ("declined", "Somebody else comes"))
        self.assertEqual(self.decide(theirs, "decline", planner), declined, "it holds already")
        self.service.wait_projected()
        self.assertEqual(self.check(colleague.get(f"{CLAIMS}/{theirs['id']}"), 200), {name: declined[name] for name in FIELDS})
        self.check_refused(self.send(planner, theirs, "approve"), 409, "INVALID_STATE_TRANSITION")
        self.assertEqual(self.decide(claim, "withdraw", own)["status"], "withdrawn")
        self.assertNotEqual(self.claim(own, shift)["id"], claim["id"], "they may ask again")

    def test_rules_block_and_planners_pass_them(self):
        mara, own = self.member()
        busy = self.shift(mara)
        shift = self.shift(date=busy["date"])
        refused = own.post(f"{SHIFTS}/{shift['id']}/claim")
        self.check_refused(refused, 409, "STAFF_DOUBLE_BOOKED")
        self.assertEqual([found["shiftId"] for found in refused.details["violations"]], [busy["id"]])
        other = self.shift()
        claim = self.claim(own, other)
        self.shift(mara, date=other["date"])
        self.check_refused(self.send(self.owner, claim, "approve"), 409, "STAFF_DOUBLE_BOOKED")
        scheduler = self.user(role="scheduler")
        self.check_refused(self.send(scheduler, claim, "approve", override=True), 403, "FORBIDDEN")
        passed = self.decide(claim, "approve", override=True, overrideComment="Agreed")
        self.assertEqual([warning["code"] for warning in passed["warnings"]], ["STAFF_DOUBLE_BOOKED"])
        self.service.wait_projected()
        entries = self.check(self.owner.get("/api/audit-log", action="SHIFT_RULE_OVERRIDDEN", limit=200), 200)["data"]
        self.assertIn(f"shift:{other['id']}", [entry["resource"] for entry in entries])

    def test_nobody_but_an_admin_approves_their_own(self):
        mara, own = self.member()
        claim = self.claim(own, self.shift())
        self.check_refused(self.send(self.user(role="manager", staffId=mara), claim, "approve"), 403, "SELF_APPROVAL_FORBIDDEN")
        self.decide(claim, "approve", self.user(role="admin", staffId=mara))

    def test_keys_act_for_their_user(self):
        mara = self.hire()
        user = people.make_user(self.service, role="staff", staffId=mara, facilityIds=[self.here])
        shift = self.shift()

        def key(*scopes, **fields):
            return self.owner.with_key(rest.make_key(self.service, list(scopes), **fields)[1])
        self.check_refused(key("scheduling:request").post(f"{SHIFTS}/{shift['id']}/claim"), 404, "NOT_FOUND")
        self.check_refused(key("scheduling:request", user=user["id"], facility=self.there).post(f"{SHIFTS}/{shift['id']}/claim"), 404, "NOT_FOUND")
        own = key("scheduling:request", user=user["id"])
        claim = self.claim(own, shift)
        self.assertEqual(claim["staffId"], mara)
        self.check_refused(self.send(own, claim, "approve"), 403, "INSUFFICIENT_SCOPE")
        self.assertEqual(self.decide(claim, "withdraw", own)["status"], "withdrawn")

    def test_the_sandbox_knows_nobody_who_could_claim(self):
        _, own = self.member()
        claim = self.claim(own, self.shift())
        sandbox = self.owner.with_key(rest.make_key(self.service, ["scheduling:*", "shifts:*"], kind="test", facility=self.here)[1])
        shift = self.check(sandbox.post(SHIFTS, {"facilityId": self.here, "title": "Tried", "date": "2031-01-01", "startTime": "08:00",
                                                 "endTime": "16:00"}), 201)
        for answer in (sandbox.post(f"{SHIFTS}/{shift['id']}/claim"), sandbox.get(f"{CLAIMS}/{claim['id']}"),
                       self.send(sandbox, claim, "approve")):
            self.check_refused(answer, 404, "NOT_FOUND")
        self.assertEqual(self.listed(sandbox, CLAIMS), [])

    def test_claims_end_with_what_they_wait_for(self):
        (mara, own), (_, colleague) = self.member(), self.member()
        shifts = full, cancelled, deleted, _, _ = [*(self.shift() for _ in range(3)), self.shift(**self.soon()), self.shift()]
        claims = [self.claim(own, shift) for shift in shifts]
        decided = self.claim(colleague, full)
        self.decide(decided, "decline")
        self.check(self.owner.post(f"{SHIFTS}/{full['id']}/assign", {"staffId": self.hire()}), 200)
        self.check(self.owner.post(f"{SHIFTS}/{cancelled['id']}/cancel"), 200)
        self.check(self.owner.delete(f"{SHIFTS}/{deleted['id']}"), 200)

        def standing():
            self.service.wait_projected()
            return [self.check(own.get(f"{CLAIMS}/{claim['id']}"), 200)["status"] for claim in claims]
        support.wait_until(lambda: standing()[:4] == ["expired"] * 4, EXPIRY_SECONDS, "claims expire")
        self.assertEqual(standing()[4], "pending")
        self.assertEqual(self.check(self.owner.get(f"{CLAIMS}/{decided['id']}"), 200)["status"], "declined")
        self.check_refused(self.send(self.owner, claims[0], "approve"), 409, "INVALID_STATE_TRANSITION")
        expired, = (event for event in support.logged_events(self.service)
                    if event["subject"] == f"shift_claim/{claims[0]['id']}" and event["type"] == "shift_claim.expired")
        self.assertEqual(expired["data"], {"facilityId": self.here, "shiftId": full["id"], "staffId": mara})
        self.assertEqual(expired["actortype"], "system")

    def test_what_is_told_of_it(self):
        mara, own = self.member()
        claim = self.claim(own, self.shift())
        self.decide(claim, "decline", reason="Kunigunde Morgenroth comes")
        self.service.wait_projected()
        told = self.check(self.owner.get("/api/events", types="shift_claim.*", limit=200), 200)["data"]
        mine = [event for event in told if event["resource"] == f"shift_claim:{claim['id']}"]
        self.assertEqual([(event["type"], event["facilityId"], event["data"]["staffId"]) for event in mine],
                         [("shift_claim.requested", self.here, mara), ("shift_claim.declined", self.here, mara)])
        self.assertNotIn("Morgenroth", json.dumps(told))
        activity = self.check(self.owner.get("/api/dashboard/recent-activity", limit=100), 200)
        self.assertIn(("shift_claim.declined", f"shift_claim:{claim['id']}"), [(item["action"], item["resource"]) for item in activity])

    def test_an_erasure_forgets_why_and_ends_what_waits(self):
        mara, own = self.member()
        declined, waiting = self.claim(own, self.shift()), self.claim(own, self.shift())
        self.decide(declined, "decline", reason="Eulalia Quasthoff was late")
        self.service.wait_projected()
        self.assertFalse(any(self.service.log_text_hits(["Quasthoff"]).values()), "the log has it sealed")
        self.assertEqual(support.clear_text_hits(self.service.postgres, "read.shift_claim", ["Quasthoff"]), ["Quasthoff"])
        self.service.command("erase", f"staff/{mara}", "--reason", "asked for")
        self.service.wait_projected()
        left = [self.check(self.owner.get(f"{CLAIMS}/{claim['id']}"), 200) for claim in (declined, waiting)]
        self.assertEqual([(claim["status"], claim["declineReason"]) for claim in left], [("declined", ""), ("expired", "")])
        self.assertEqual(support.clear_text_hits(self.service.postgres, "read.shift_claim", ["Quasthoff"]), [])
        self.check_refused(self.send(self.owner, waiting, "approve"), 409, "INVALID_STATE_TRANSITION")


class ShiftClaimOnKafkaTest(OnKafka, OfBothEngines, ClaimCase):
    pass
