# Offers of open shifts: planners ask chosen people, the first who accepts comes, on both engines; and what ends offers by itself.

import json
from datetime import datetime, timedelta, timezone

import mcp
import people
import rest
import support
from kafka_cluster import OnKafka
from open_shifts import EXPIRY_SECONDS, SHIFTS, OpenShiftCase

OFFERS = "/api/shift-offers"
FIELDS = {"id", "organizationId", "facilityId", "shiftId", "staffId", "status", "offeredBy", "expiresAt", "decidedAt", "createdAt", "updatedAt"}
RACES = 4


class OfferCase(OpenShiftCase):

    def offer(self, shift, *staff, client=None, **fields):
        """The offers to these people, in their order."""
        made = self.check((client or self.owner).post(f"{SHIFTS}/{shift['id']}/offers", {"staffIds": list(staff)} | fields), 201)
        self.assertEqual(made["warnings"], [])
        return made["data"]

    def send(self, client, offer, verb):
        return client.post(f"{OFFERS}/{offer['id']}/{verb}")

    def decide(self, client, offer, verb):
        return self.check(self.send(client, offer, verb), 200)

    def status(self, offer):
        return self.check(self.owner.get(f"{OFFERS}/{offer['id']}"), 200)["status"]


class OfBothEngines:
    """What the writer decides, whatever was folded."""

    def test_whoever_accepts_comes_on_the_shift(self):
        (mara, own), (cole, other) = self.member(), self.member()
        shift = self.shift()
        offers = self.offer(shift, mara, cole)
        self.assertEqual([(offer["staffId"], offer["status"], offer["expiresAt"]) for offer in offers],
                         [(mara, "offered", None), (cole, "offered", None)])
        self.assertEqual(set(offers[0]), FIELDS)
        # What memory has lost is looked up: nothing goes by what was known before.
        self.restart(own, other)
        again = self.owner.post(f"{SHIFTS}/{shift['id']}/offers", {"staffIds": [self.hire(), cole]})
        self.check_refused(again, 409, "DUPLICATE_RESOURCE")
        self.assertEqual(again.details, {"existingId": offers[1]["id"]})
        self.restart(own, other)
        accepted = self.decide(own, offers[0], "accept")
        self.assertEqual((accepted["status"], accepted["filled"], accepted["shift"]["assignedStaffIds"], accepted["warnings"]),
                         ("accepted", True, [mara], []))
        self.assertEqual(self.assigned(shift), [(mara, "offer")])
        self.assertEqual(set(self.decide(own, offers[0], "accept")), FIELDS | {"warnings"}, "it held already")
        self.check_refused(self.send(other, offers[1], "accept"), 409, "SHIFT_FULL")
        self.check_refused(self.owner.post(f"{SHIFTS}/{shift['id']}/offers", {"staffIds": [self.hire()]}), 409, "SHIFT_FULL")

    def test_of_two_who_accept_at_once_one_comes(self):
        (mara, own), (cole, other) = self.member(), self.member()
        for _ in range(RACES):
            shift = self.shift()
            offers = self.offer(shift, mara, cole)
            answers = people.at_once([lambda: self.send(own, offers[0], "accept"), lambda: self.send(other, offers[1], "accept")])
            self.assertEqual(sorted(answer.status for answer in answers), [200, 409])
            self.check_refused(next(answer for answer in answers if answer.status == 409), 409, "SHIFT_FULL")
            self.service.wait_projected()
            self.assertIn(self.assigned(shift), ([(mara, "offer")], [(cole, "offer")]))


class ShiftOfferTest(OfBothEngines, OfferCase):

    def test_who_offers_and_who_answers(self):
        (mara, own), (cole, other) = self.member(), self.member()
        planner, elsewhere = (self.user(role="scheduler", facilityIds=[place]) for place in (self.here, self.there))
        shift = self.shift(workers=3)
        mine, theirs = self.offer(shift, mara, cole, client=planner)
        self.assertIsNotNone(mine["offeredBy"])
        self.service.wait_projected()
        self.assertEqual(self.listed(own, OFFERS), [mine["id"]])
        self.assertEqual(self.listed(planner, OFFERS, shiftId=shift["id"]), [mine["id"], theirs["id"]])
        self.assertEqual(self.listed(planner, OFFERS, staffId=mara, status="offered"), [mine["id"]])
        self.assertEqual(self.listed(elsewhere, OFFERS, shiftId=shift["id"]), [])
        for answer in (own.get(f"{OFFERS}/{theirs['id']}"), self.send(own, theirs, "accept"), self.send(own, theirs, "decline"),
                       elsewhere.get(f"{OFFERS}/{mine['id']}"), self.send(elsewhere, mine, "withdraw"), self.send(self.owner, mine, "accept"),
                       elsewhere.post(f"{SHIFTS}/{shift['id']}/offers", {"staffIds": [self.hire(self.there)]}),
                       self.owner.post(f"{SHIFTS}/{self.shift()['id']}/offers", {"staffIds": [mara, 9_000_000_000]})):
            self.check_refused(answer, 404, "NOT_FOUND")
        self.check_refused(own.post(f"{SHIFTS}/{shift['id']}/offers", {"staffIds": [cole]}), 403, "FORBIDDEN")
        self.check_refused(self.send(own, mine, "withdraw"), 403, "FORBIDDEN")
        self.check_refused(self.send(planner, mine, "accept"), 403, "FORBIDDEN")
        declined = self.decide(other, theirs, "decline")
        self.assertEqual((declined["status"], declined["decidedAt"] is None), ("declined", False))
        self.check_refused(self.send(planner, theirs, "withdraw"), 409, "INVALID_STATE_TRANSITION")
        self.assertEqual(self.decide(planner, mine, "withdraw")["status"], "withdrawn")
        self.check_refused(self.send(own, mine, "accept"), 409, "INVALID_STATE_TRANSITION")
        again, = self.offer(shift, mara)
        self.assertEqual(self.decide(own, again, "accept")["filled"], False)

    def test_what_is_offered_wrongly(self):
        mara, _ = self.member()
        busy = self.shift(mara)
        shift = self.shift(date=busy["date"])
        where = f"{SHIFTS}/{shift['id']}/offers"
        for body, fault in (({}, "staffIds"), ({"staffIds": []}, "staffIds"), ({"staffIds": list(range(1, 52))}, "staffIds"),
                            ({"staffIds": [mara], "expiresAt": "2020-01-01T00:00:00Z"}, "expiresAt"),
                            ({"staffIds": [mara], "expiresAt": "2099-01-01T00:00:00Z"}, "expiresAt"), ({"staffIds": [mara], "expiresAt": "soon"}, "expiresAt")):
            with self.subTest(body=body):
                self.check_fields(self.owner.post(where, body), fault)
        refused = self.owner.post(where, {"staffIds": [self.hire(), mara]})
        self.check_refused(refused, 409, "STAFF_DOUBLE_BOOKED")
        self.assertEqual([found["staffId"] for found in refused.details["violations"]], [mara])
        self.assertEqual(self.listed(self.owner, OFFERS, shiftId=shift["id"]), [], "all of them or none")
        on_it = self.owner.post(f"{SHIFTS}/{self.shift(mara, workers=2)['id']}/offers", {"staffIds": [mara]})
        self.check_refused(on_it, 409, "DUPLICATE_RESOURCE")

    def test_offers_end_by_themselves(self):
        mara, own = self.member()
        colleague = self.hire()
        full, cancelled, _, _ = shifts = [self.shift(), self.shift(), self.shift(**self.soon()), self.shift()]
        offers = [self.offer(shift, mara)[0] for shift in shifts]
        soon, = self.offer(self.shift(), mara, expiresAt=(datetime.now(timezone.utc) + timedelta(seconds=20)).isoformat())
        self.check(self.owner.post(f"{SHIFTS}/{full['id']}/assign", {"staffId": colleague}), 200)
        self.check(self.owner.post(f"{SHIFTS}/{cancelled['id']}/cancel"), 200)

        def standing():
            self.service.wait_projected()
            return [self.status(offer) for offer in (*offers, soon)]
        support.wait_until(lambda: standing() == ["expired", "expired", "expired", "offered", "expired"], EXPIRY_SECONDS, "offers expire")
        self.check_refused(self.send(own, soon, "accept"), 409, "INVALID_STATE_TRANSITION")

    def test_a_mail_tells_of_an_offer(self):
        mara, _ = self.member()
        address = self.check(self.owner.get(f"/api/staff/{mara}"), 200)["email"]
        offer, = self.offer(self.shift(title="Lantern watch"), mara)

        def mails():
            sent = json.loads(self.service.command("outbox", "--json", "--limit", "10000"))["mails"]
            return [mail["text"] for mail in sent if mail["to"] == address and "you are offered the shift Lantern watch" in mail["text"]]
        self.assertEqual(len(support.wait_until(mails, 60, "the mail is sent")), 1)
        self.decide(self.owner, offer, "withdraw")

    def test_models_offer_shifts(self):
        mara, own = self.member()
        shift = self.shift()
        token = rest.make_key(self.service, ["shifts:assign"])[1]
        called = mcp.Client(mcp.url_of(self.service), token).request(
            "tools/call", {"name": "shifts_offer", "arguments": {"shiftId": shift["id"], "staffIds": [mara]}})
        offer, = called.content["data"]
        self.assertEqual((offer["staffId"], offer["status"]), (mara, "offered"))
        self.assertEqual(self.decide(own, offer, "accept")["shift"]["id"], shift["id"])

    def test_the_sandbox_has_offers_of_its_own(self):
        mara, own = self.member()
        live, = self.offer(self.shift(), mara)
        sandbox = self.owner.with_key(rest.make_key(self.service, ["scheduling:*", "shifts:*", "staff:*"], kind="test", facility=self.here)[1])
        staff = self.check(sandbox.post("/api/staff", {"firstName": "Tried", "lastName": "Out", "email": "tried@example.test"}), 201)["id"]
        shift = self.check(sandbox.post(SHIFTS, {"facilityId": self.here, "title": "Tried", "date": "2031-01-01", "startTime": "08:00",
                                                 "endTime": "16:00"}), 201)
        made, = self.offer(shift, staff, client=sandbox)
        self.service.wait_projected()
        self.assertEqual(self.listed(sandbox, OFFERS), [made["id"]])
        for answer in (sandbox.get(f"{OFFERS}/{live['id']}"), self.send(sandbox, live, "withdraw"), self.owner.get(f"{OFFERS}/{made['id']}"),
                       sandbox.post(f"{SHIFTS}/{shift['id']}/offers", {"staffIds": [mara]})):
            self.check_refused(answer, 404, "NOT_FOUND")
        admin = people.take_token(self.service, people.make_user(self.service, role="admin")["email"])
        cleared = self.check(admin.post("/api/sandbox/reset", {"facilityId": self.here}), 200)["cleared"]
        self.assertEqual((cleared["shift_offer"], cleared.get("shift_claim", 0)), (1, 0))
        self.service.wait_projected()
        self.assertEqual(self.listed(sandbox, OFFERS), [])
        self.assertEqual(self.status(live), "offered")

    def test_what_is_told_of_it(self):
        mara, own = self.member()
        offer, = self.offer(self.shift(), mara)
        self.decide(own, offer, "accept")
        self.service.wait_projected()
        told = self.check(self.owner.get("/api/events", types="shift_offer.*", limit=200), 200)["data"]
        self.assertEqual([(event["type"], event["facilityId"], event["data"]["staffId"]) for event in told
                          if event["resource"] == f"shift_offer:{offer['id']}"],
                         [("shift_offer.made", self.here, mara), ("shift_offer.accepted", self.here, mara)])

    def test_an_erasure_ends_offers(self):
        mara, _ = self.member()
        offer, = self.offer(self.shift(), mara)
        self.service.command("erase", f"staff/{mara}", "--reason", "asked for")
        self.service.wait_projected()
        self.assertEqual(self.status(offer), "expired")


class ShiftOfferOnKafkaTest(OnKafka, OfBothEngines, OfferCase):
    pass
