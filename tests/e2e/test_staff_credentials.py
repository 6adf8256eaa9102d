# Credentials of staff from the client's side: their life, what registries say of them, their lists, who sees them, what
# subscribers hear, and what is left of them once their holder is forgotten.

import datetime
import json
import secrets
import zoneinfo

import mcp
import people
import rest
import support
import webhooks

CREDENTIALS, STAFF = "/api/credentials", "/api/staff"
ABSENT = 9_000_000_000
FIELDS = {"id", "organizationId", "staffId", "type", "name", "number", "issuingAuthority", "jurisdiction", "issuedOn", "expiresOn",
          "documentUrl", "status", "verification", "expiredReason", "statusReason", "createdAt", "updatedAt", "daysUntilExpiry"}
NEVER_CHECKED = {"method": None, "provider": "", "reference": "", "checkedAt": None, "verifiedBy": None, "result": None}
service = receiving = owner = zone = None
here = there = admin = 0


def setUpModule():
    global service, receiving, owner, zone, here, there, admin
    service, receiving, _ = webhooks.start()
    owner = rest.client_of(service)
    here, there = service.demo["facilityIds"]
    zone = zoneinfo.ZoneInfo(owner.get(f"/api/organizations/{service.demo['organizationId']}").body["timezone"])
    admin = int(service.postgres.value(f"SELECT id FROM read.user_account WHERE email = '{webhooks.ADMIN}'"))


def day(ahead):
    """So many days from today, by the organization's calendar."""
    return str(datetime.datetime.now(zone).date() + datetime.timedelta(days=ahead))


def hire(*facilities, client=None):
    made = (client or owner).post(STAFF, {"firstName": "Ada", "lastName": "Byron", "facilityIds": list(facilities),
                                          "email": f"{secrets.token_hex(6)}@example.test"})
    assert made.status == 201, str(made)
    return made.body["id"]


def add(staff, client=None, **fields):
    answer = (client or owner).post(CREDENTIALS, {"staffId": staff, "type": "license", "name": "Registered Nurse", **fields})
    assert answer.status == 201, str(answer)
    return answer.body


def where(credential):
    return f"{CREDENTIALS}/{credential['id']}"


def key(*scopes, **how):
    """A client with a new key."""
    return owner.with_key(rest.make_key(service, list(scopes), **how)[1])


def types_of(credential):
    """The types of its events, in order."""
    lines = service.command("tap", "--from", "start", "--until-idle", "--aggregate", f"credential/{credential['id']}").splitlines()
    return [json.loads(line)["type"] for line in lines]


class LifeTest(rest.RestCase):

    def test_a_credential_lives(self):
        person = hire(here)
        body = {"staffId": person, "type": "license", "name": " Registered Nurse ", "number": "RN-2021-44871",
                "issuingAuthority": "Board of Nursing", "jurisdiction": "NY", "issuedOn": "2021-09-01", "expiresOn": day(400),
                "documentUrl": "https://documents.example/rn.pdf", "color": "red"}
        made = owner.post(CREDENTIALS, body)
        credential = self.check(made, 201)
        self.assertEqual(set(credential), FIELDS)
        self.assertEqual(made.headers["Location"], where(credential))
        self.assertIn("color", made.headers["Service-Warnings"])
        del body["color"]
        self.assertEqual({name: credential[name] for name in body}, body | {"name": "Registered Nurse"})
        self.assertEqual((credential["status"], credential["verification"], credential["expiredReason"], credential["statusReason"],
                          credential["daysUntilExpiry"]), ("pending", NEVER_CHECKED, None, "", 400))
        read = owner.get(where(credential))
        self.assertEqual((self.check(read, 200), read.headers["ETag"]), (credential, made.headers["ETag"]))

        self.assertEqual(self.check(owner.patch(where(credential), {"number": "RN-2021-44872"}), 200)["status"], "pending")
        verified = self.check(owner.post(f"{where(credential)}/verify"), 200)
        self.assertEqual((verified["status"], verified["verification"]),
                         ("verified", NEVER_CHECKED | {"method": "manual", "result": "match", "verifiedBy": admin,
                                                       "checkedAt": verified["updatedAt"]}))
        self.assertEqual(self.check(owner.post(f"{where(credential)}/verify"), 200), verified, "it was so before")
        refused = owner.post(f"{where(credential)}/reject", {"reason": "Unreadable"})
        self.assertEqual(self.check_refused(refused, 409, "INVALID_STATE_TRANSITION")["allowed"],
                         ["update", "verify-external", "expire", "revoke"])
        changed = self.check(owner.patch(where(credential), {"jurisdiction": "NJ"}), 200)
        self.assertEqual((changed["status"], changed["verification"]), ("pending", verified["verification"]))
        stale = owner.patch(where(credential), {"jurisdiction": "CT"}, {"If-Match": read.headers["ETag"]})
        self.check_refused(stale, 412, "PRECONDITION_FAILED")
        self.check_fields(owner.post(f"{where(credential)}/reject", {}), "reason")
        rejected = self.check(owner.post(f"{where(credential)}/reject", {"reason": "Unreadable"}), 200)
        self.assertEqual((rejected["status"], rejected["statusReason"]), ("rejected", "Unreadable"))
        self.assertEqual(self.check(owner.put(where(credential), rejected), 200), rejected, "as it was read it may be written")
        self.check_fields(owner.patch(where(credential), {"staffId": hire(), "type": "training"}), "staffId", "type")
        self.assertEqual(self.check(owner.post(f"{where(credential)}/verify"), 200)["status"], "verified")
        expired = self.check(owner.post(f"{where(credential)}/expire", {"reason": "Left the register"}), 200)
        self.assertEqual((expired["status"], expired["expiredReason"], expired["statusReason"]), ("expired", "api", "Left the register"))
        self.assertEqual(self.check(owner.post(f"{where(credential)}/expire", {}), 200), expired)
        self.assertIsNone(self.check(owner.post(f"{where(credential)}/verify"), 200)["expiredReason"])

        gone = self.check(owner.delete(where(credential)), 200)
        self.assertEqual((gone["status"], gone["statusReason"]), ("revoked", "deleted"))
        self.assertEqual(self.check(owner.delete(where(credential)), 200), gone)
        for answer in (owner.patch(where(credential), {"name": "Other"}), owner.post(f"{where(credential)}/verify"),
                       owner.post(f"{where(credential)}/verify-external"), owner.post(f"{where(credential)}/expire", {}),
                       owner.post(f"{where(credential)}/reject", {"reason": "Late"})):
            self.assertEqual(self.check_refused(answer, 409, "INVALID_STATE_TRANSITION")["allowed"], [])
        self.assertEqual(self.check(owner.get(where(credential)), 200), gone)
        self.assertEqual(types_of(credential), [f"credential.{verb}" for verb in (
            "added", "updated", "verified", "updated", "rejected", "verified", "expired", "verified", "revoked")])

    def test_it_is_added_to_the_person_of_the_path(self):
        person = hire(here)
        answer = owner.post(f"{STAFF}/{person}/credentials", {"type": "training", "name": "Fire safety", "staffId": ABSENT})
        credential = self.check(answer, 201)
        self.assertEqual(answer.headers["Location"], where(credential))
        self.assertIn("staffId", answer.headers["Service-Warnings"])
        self.assertEqual((credential["staffId"], credential["type"], credential["expiresOn"], credential["daysUntilExpiry"]),
                         (person, "training", None, None))
        self.assertEqual(self.check(owner.get(where(credential)), 200), credential)
        self.check_fields(owner.post(f"{STAFF}/{person}/credentials", {}), "type", "name")
        for refused in (owner.post(f"{STAFF}/{ABSENT}/credentials", {"type": "training", "name": "Fire safety"}),
                        owner.post(CREDENTIALS, {"staffId": ABSENT, "type": "training", "name": "Fire safety"}),
                        owner.get(f"{STAFF}/{ABSENT}/credentials"), owner.get(f"{CREDENTIALS}/{ABSENT}"),
                        owner.post(f"{CREDENTIALS}/{ABSENT}/verify"), owner.post(f"{CREDENTIALS}/{ABSENT}/verify-external"),
                        owner.post(f"{CREDENTIALS}/{ABSENT}/expire", {}), owner.delete(f"{CREDENTIALS}/{ABSENT}")):
            self.check_refused(refused, 404, "NOT_FOUND")

    def test_a_retry_adds_one(self):
        person = hire(here)
        for path in (CREDENTIALS, f"{STAFF}/{person}/credentials"):
            body = {"staffId": person, "type": "license", "name": f"Once by {path}"}
            headers = {"Idempotency-Key": secrets.token_hex(8)}
            first, again = owner.post(path, body, headers), owner.post(path, body, headers)
            self.assertEqual((first.status, again.status, again.text), (201, 201, first.text))
            self.assertEqual(again.headers["Idempotency-Replayed"], "true")
            self.assertEqual((again.headers["Location"], again.headers["ETag"]), (first.headers["Location"], first.headers["ETag"]))
            self.check_refused(owner.post(path, body | {"name": "Other"}, headers), 409, "IDEMPOTENCY_KEY_CONFLICT")
        self.assertEqual(len(self.check(owner.get(CREDENTIALS, staffId=person), 200)["data"]), 2)

    def test_bad_input_names_its_fields(self):
        person = hire(here)
        self.check_fields(owner.post(CREDENTIALS, {}), "staffId", "type", "name")
        bad = {"staffId": "x", "type": "diploma", "name": "", "number": "n" * 65, "issuedOn": "2026-02-30", "expiresOn": "soon",
               "documentUrl": "http://documents.example/rn.pdf"}
        self.check_fields(owner.post(CREDENTIALS, bad), *bad)
        order = {"issuedOn": "2026-02-02", "expiresOn": "2026-02-01"}
        self.check_fields(owner.post(CREDENTIALS, {"staffId": person, "type": "license", "name": "N"} | order), "expiresOn")
        self.check_fields(owner.post(f"{STAFF}/{person}/credentials", {"type": "license", "name": "N"} | order), "expiresOn")
        credential = add(person, issuedOn="2026-02-02")
        self.check_fields(owner.patch(where(credential), {"expiresOn": "2026-02-01"}), "expiresOn")
        self.check_fields(owner.patch(where(credential), {"name": None}), "name")

    def test_dates_decide_what_is_good(self):
        person = hire(here)
        last_day = add(person, expiresOn=day(0))
        self.assertIn((last_day["status"], last_day["daysUntilExpiry"]), (("pending", 0), ("expired", -1)))  # the latter at midnight
        past = add(person, expiresOn=day(-1))
        self.assertEqual((past["status"], past["expiredReason"]), ("expired", "date_passed"))
        self.assertLess(past["daysUntilExpiry"], 0)
        self.check_refused(owner.post(f"{where(past)}/verify"), 409, "CREDENTIAL_EXPIRED")
        asked = self.check(owner.post(f"{where(past)}/verify-external"), 200)
        self.assertEqual((asked["outcome"], asked["verified"], asked["credential"]["status"]), ("match", False, "expired"))
        renewed = self.check(owner.patch(where(past), {"expiresOn": day(60)}), 200)
        self.assertEqual((renewed["status"], renewed["expiredReason"]), ("pending", None))
        self.assertEqual(self.check(owner.post(f"{where(past)}/verify"), 200)["status"], "verified")
        ended = self.check(owner.patch(where(past), {"expiresOn": day(-2)}), 200)
        self.assertEqual((ended["status"], ended["expiredReason"]), ("expired", "date_passed"))
        endless = self.check(owner.patch(where(past), {"expiresOn": None}), 200)
        self.assertEqual((endless["status"], endless["daysUntilExpiry"]), ("pending", None))
        self.assertEqual(types_of(past), [f"credential.{verb}" for verb in (
            "added", "updated", "verified", "updated", "expired", "updated")])

    def test_activity_tells_of_credentials(self):
        credential = add(hire(here))
        items = self.check(owner.get("/api/dashboard/recent-activity", limit=20), 200)
        self.assertIn(("credential.added", f"credential:{credential['id']}"), {(item["action"], item["resource"]) for item in items})

    def test_a_rebuild_makes_the_same_rows(self):
        self.check(owner.post(f"{where(add(hire(here), number='RN-1', expiresOn=day(5)))}/verify"), 200)
        before, after = support.checksums_around_rebuild(service)
        self.assertEqual(before, after)
        self.assertIn("credential", " ".join(before))


class RegistryTest(rest.RestCase):

    def test_what_a_registry_says_is_recorded(self):
        person = hire(here)
        for number, outcome, status, reason in (("RN-4711", "match", "verified", None), ("", "match", "verified", None),
                                                ("RN-0000", "no_match", "rejected", None),
                                                ("RN-9998", "expired", "expired", "external_verification")):
            with self.subTest(number=number):
                credential = add(person, number=number, expiresOn=day(100))
                answer = owner.post(f"{where(credential)}/verify-external")
                body = self.check(answer, 200)
                self.assertEqual(set(body), {"credential", "verified", "provider", "reference", "checkedAt", "outcome", "details"})
                reference = None if outcome == "no_match" else f"sim_cr_{credential['id']}"
                self.assertEqual((body["verified"], body["provider"], body["reference"], body["outcome"]),
                                 (outcome == "match", "registry_sim", reference, outcome))
                self.assertTrue(body["details"])
                now = body["credential"]
                self.assertEqual((now["status"], now["expiredReason"], now["number"]), (status, reason, number))
                self.assertEqual(now["verification"], {"method": "external", "provider": "registry_sim", "reference": reference or "",
                                                       "checkedAt": body["checkedAt"], "verifiedBy": admin, "result": outcome})
                read = owner.get(where(credential))
                self.assertEqual((self.check(read, 200), read.headers["ETag"]), (now, answer.headers["ETag"]))

    def test_one_that_fails_changes_nothing(self):
        credential = add(hire(here), number="RN-9999")
        verified = self.check(owner.post(f"{where(credential)}/verify"), 200)
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        for _ in range(2):
            answer = owner.post(f"{where(credential)}/verify-external", headers=headers)
            self.check_refused(answer, 502, "UPSTREAM_ERROR")
            self.assertNotIn("Idempotency-Replayed", answer.headers)
        self.assertEqual(self.check(owner.get(where(credential)), 200), verified)
        self.check(owner.patch(where(credential), {"number": "RN-4711"}), 200)
        first = owner.post(f"{where(credential)}/verify-external", headers=headers)
        self.assertTrue(self.check(first, 200)["verified"], "a failure is no answer that is kept")
        again = owner.post(f"{where(credential)}/verify-external", headers=headers)
        self.assertEqual((self.check(again, 200), again.headers["Idempotency-Replayed"]), (first.body, "true"))
        self.check(owner.patch(where(credential), {"number": "RN-9999"}), 200)
        again = owner.post(f"{where(credential)}/verify-external", headers=headers)
        self.assertEqual((self.check(again, 200), again.headers["Idempotency-Replayed"]), (first.body, "true"))
        self.assertEqual(types_of(credential), [f"credential.{verb}" for verb in ("added", "verified", "updated", "verified", "updated")])

    def test_what_was_good_is_so_no_more(self):
        credential = add(hire(here), number="RN-0000")
        self.check(owner.post(f"{where(credential)}/verify"), 200)
        self.assertEqual(self.check(owner.post(f"{where(credential)}/verify-external"), 200)["credential"]["status"], "rejected")
        self.check(owner.patch(where(credential), {"number": "RN-9998"}), 200)
        self.assertEqual(self.check(owner.post(f"{where(credential)}/verify-external"), 200)["credential"]["status"], "expired")
        again = self.check(owner.post(f"{where(credential)}/verify-external"), 200)
        self.assertEqual((again["outcome"], again["verified"], again["credential"]["status"]), ("expired", False, "expired"))
        self.assertEqual(types_of(credential),
                         [f"credential.{verb}" for verb in ("added", "verified", "rejected", "updated", "expired")])


class ListsTest(rest.RestCase):

    def test_lists_show_the_end_of_a_number(self):
        person = hire(here)
        numbers = {"": "", "abc": "abc", "1234": "1234", "RN-2021-44871": "4871", "Nº-ÄÖÜß": "ÄÖÜß"}
        whole = {add(person, number=number)["id"]: number for number in numbers}
        for path, query in ((CREDENTIALS, {"staffId": person}), (f"{STAFF}/{person}/credentials", {})):
            rows = self.check(owner.get(path, **query), 200)["data"]
            self.assertEqual({row["id"]: row["number"] for row in rows}, {id_: numbers[number] for id_, number in whole.items()})
            for row in rows:
                self.assertEqual(self.check(owner.get(where(row)), 200), row | {"number": whole[row["id"]]})

    def test_lists_narrow_and_sort(self):
        mark = secrets.token_hex(6)
        person, other = hire(here), hire(here)
        made = [add(person, name=f"{mark} b", expiresOn=day(5), type="training"), add(person, name=f"{mark} A", expiresOn=day(40)),
                add(other, name=f"{mark} c", issuingAuthority="Board"), add(other, name=f"{mark} d", expiresOn=day(-1)),
                add(other, name=f"{mark} e", expiresOn=day(5)), add(person, name=f"{mark} f", expiresOn=day(5))]
        ids = [each["id"] for each in made]
        self.check(owner.post(f"{where(made[1])}/verify"), 200)
        self.check(owner.post(f"{where(made[4])}/reject", {"reason": "Unreadable"}), 200)

        def listed(path=CREDENTIALS, **query):
            return [ids.index(row["id"]) for page in rest.pages(owner, path, q=mark, limit=2, **query) for row in page]

        self.assertEqual(listed(), [0, 1, 2, 3, 4, 5])
        self.assertEqual(listed(sort="-createdAt"), [5, 4, 3, 2, 1, 0])
        self.assertEqual(listed(sort="name"), [1, 0, 2, 3, 4, 5])
        self.assertEqual(listed(sort="expiresOn"), [3, 0, 4, 5, 1, 2], "without an end last")
        self.assertEqual(listed(sort="-expiresOn"), [2, 1, 5, 4, 0, 3])
        self.assertEqual(listed(staffId=other), [2, 3, 4])
        self.assertEqual(listed(status="pending"), [0, 2, 5])
        self.assertEqual(listed(status="verified,expired"), [1, 3])
        self.assertEqual(listed(type="training"), [0])
        self.assertEqual(listed(expiringWithinDays=30), [0, 5], "neither what is rejected nor what is past")
        self.assertEqual(listed(expiringWithinDays=60), [0, 1, 5])
        self.assertEqual(listed(expiringWithinDays=3), [])
        self.assertEqual(listed(expiringWithinDays=60, staffId=person, type="license", status="pending"), [5])
        self.assertEqual(listed(updatedSince=made[5]["updatedAt"]), [1, 4, 5])
        mine = f"{STAFF}/{person}/credentials"
        self.assertEqual(listed(mine), [0, 1, 5])
        self.assertEqual(listed(mine, sort="-name"), [5, 0, 1])
        self.assertEqual(listed(mine, status="verified"), [1])
        self.assertEqual(listed(mine, type="training", expiringWithinDays=10), [0])
        self.assertEqual(self.check(owner.get(CREDENTIALS, q="bOaRd", staffId=other), 200)["data"][0]["id"], ids[2])
        self.assertEqual(owner.get(CREDENTIALS).body["scope"], {"orgUnitId": service.demo["organizationId"]})
        for query in ({"sort": "number"}, {"status": "good"}, {"type": "diploma"}, {"expiringWithinDays": -1}, {"staffId": "x"},
                      {"expiringWithinDays": 3651}, {"limit": 0}):
            for path in (CREDENTIALS, mine):
                if path == CREDENTIALS or "staffId" not in query:
                    name, = query
                    self.check_fields(owner.get(path, **query), f"{name}[0]" if name in ("status", "type") else name)


class AccessTest(rest.RestCase):

    def test_a_bound_key_sees_its_peoples(self):
        bound = key("credentials:read", "credentials:write", "credentials:verify", facility=here)
        mine, other, everywhere = (add(hire(*facilities), number="RN-1") for facilities in ((here,), (there,), ()))
        service.wait_projected()  # a key waits for its own writes alone
        listed = {row["id"] for page in rest.pages(bound, CREDENTIALS, limit=200) for row in page}
        for credential, seen in ((mine, True), (other, False), (everywhere, True)):
            status = 200 if seen else 404
            self.assertEqual(credential["id"] in listed, seen)
            self.assertEqual(bound.get(where(credential)).status, status)
            self.assertEqual(bound.get(f"{STAFF}/{credential['staffId']}/credentials").status, status)
            self.assertEqual(bound.patch(where(credential), {"jurisdiction": "NY"}).status, status)
            self.assertEqual(bound.post(f"{where(credential)}/verify-external").status, status)
            made = bound.post(CREDENTIALS, {"staffId": credential["staffId"], "type": "license", "name": "Nurse"})
            self.assertEqual(made.status, 201 if seen else 404, str(made))
        self.assertEqual(self.check(bound.get(CREDENTIALS, staffId=other["staffId"]), 200)["data"], [])

    def test_either_permission_will_do(self):
        person = hire(here)
        credential = add(person)
        service.wait_projected()
        for scope in ("staff:read", "credentials:read", "hr:read"):
            reader = key(scope)
            self.assertIn(credential["id"], [row["id"] for row in self.check(reader.get(CREDENTIALS, staffId=person), 200)["data"]])
            self.check(reader.get(where(credential)), 200)
            self.check(reader.get(f"{STAFF}/{person}/credentials"), 200)
            for refused in (reader.post(CREDENTIALS, {"staffId": person, "type": "license", "name": "Nurse"}),
                            reader.patch(where(credential), {"name": "Nurse"}), reader.delete(where(credential))):
                self.assertEqual(self.check_refused(refused, 403, "INSUFFICIENT_SCOPE"), {"permission": "credentials.edit"})
        for scope in ("staff:write", "credentials:write", "hr:write"):
            writer = key(scope)
            made = add(person, writer)
            self.check(writer.post(f"{where(made)}/expire", {}), 200)
            self.check(writer.post(f"{where(made)}/revoke", {}), 200)
            for verb in ("verify", "verify-external", "reject"):
                body = {"reason": "Unreadable"} if verb == "reject" else None
                self.assertEqual(self.check_refused(writer.post(f"{where(made)}/{verb}", body), 403, "INSUFFICIENT_SCOPE"),
                                 {"permission": "credentials.verify"})
        self.assertEqual(self.check(key("credentials:verify").post(f"{where(credential)}/verify"), 200)["status"], "verified")
        stranger = key("shifts:read")
        for refused in (stranger.get(CREDENTIALS), stranger.get(where(credential)), stranger.get(f"{STAFF}/{person}/credentials")):
            self.assertEqual(self.check_refused(refused, 403, "INSUFFICIENT_SCOPE"), {"permission": "credentials.view"})

    def test_people_see_their_own(self):
        person, colleague = hire(here), hire(here)
        mine, theirs = add(person, number="RN-2021-44871"), add(colleague)
        account = people.make_user(service, role="staff", staffId=person, facilityIds=[here])
        for client in (people.take_token(service, account["email"]), people.sign_in(service, account["email"])):
            self.assertEqual(self.check(client.get(where(mine)), 200), mine)
            shown = mine | {"number": "4871"}
            self.assertEqual(self.check(client.get(CREDENTIALS), 200)["data"], [shown])
            self.assertEqual(self.check(client.get(f"{STAFF}/{person}/credentials"), 200)["data"], [shown])
            self.assertEqual(self.check(client.get(CREDENTIALS, staffId=colleague), 200)["data"], [])
            for refused in (client.get(where(theirs)), client.get(f"{STAFF}/{colleague}/credentials")):
                self.check_refused(refused, 404, "NOT_FOUND")
            for refused in (client.post(f"{STAFF}/{person}/credentials", {"type": "license", "name": "Nurse"}),
                            client.patch(where(mine), {"name": "Nurse"}), client.post(f"{where(mine)}/verify"),
                            client.delete(where(mine))):
                self.check_refused(refused, 403, "FORBIDDEN")
        viewer = people.take_token(service, people.make_user(service, role="viewer")["email"])
        self.check(viewer.get(where(theirs)), 200)
        self.check_refused(viewer.patch(where(theirs), {"name": "Nurse"}), 403, "FORBIDDEN")
        seller = people.take_token(service, people.make_user(service, role="sales_rep")["email"])
        self.check_refused(seller.get(CREDENTIALS), 403, "FORBIDDEN")

    def test_the_sandbox_is_apart(self):
        practice = rest.client_of(service, "test")
        live = add(hire(here))
        staged = add(hire(client=practice), practice, number="RN-0000")
        service.wait_projected()
        self.assertEqual(self.check(practice.post(f"{where(staged)}/verify-external"), 200)["outcome"], "no_match")
        for client, credential in ((owner, staged), (practice, live)):
            self.check_refused(client.get(where(credential)), 404, "NOT_FOUND")
            self.check_refused(client.post(f"{where(credential)}/verify"), 404, "NOT_FOUND")
            answer = client.post(CREDENTIALS, {"staffId": credential["staffId"], "type": "other", "name": "N"})
            self.check_refused(answer, 404, "NOT_FOUND")

    def test_how_credentials_stand_is_for_those_who_may_see_them(self):
        client = people.take_token(service, people.make_user(service, role="payroll_manager")["email"])
        self.check(client.get(STAFF), 200)
        refused = client.get(STAFF, credentialStatus="expired")
        self.assertEqual(self.check_refused(refused, 403, "FORBIDDEN"), {"permission": "credentials.view"})


class WebhooksTest(webhooks.WebhookCase):

    @classmethod
    def setUpClass(cls):
        cls.service, cls.receiving, cls.owner = service, receiving, owner

    def test_subscribers_hear_what_expired_and_why(self):
        hook, elsewhere = self.subscribe(events=["credential_expired"]), self.subscribe(facilityId=there, events=["credential_expired"])
        deaf = self.subscribe(key("staff:read", "shifts:read"), events=["credential_expired"])
        bound = self.subscribe(facilityId=here, events=["credential_expired"])
        person = hire(here)
        credential = add(person, number="RN-9998", expiresOn=day(100))
        self.check(owner.post(f"{where(credential)}/expire", {"reason": "Somebody's own words"}), 200)
        self.check(owner.post(f"{where(credential)}/expire", {}), 200)
        request, = self.arrived(hook)
        body = self.check_request(request, hook, "credential_expired")
        data = {"credentialId": credential["id"], "staffId": person, "facilityIds": [here], "type": "license",
                "name": "Registered Nurse", "expiresOn": credential["expiresOn"], "expiredAt": body["occurredAt"], "reason": "api"}
        self.assertEqual(body["data"], data)
        self.assertNotIn("RN-9998", request.body.decode())
        self.check(owner.post(f"{where(credential)}/verify"), 200)
        self.check(owner.patch(where(credential), {"expiresOn": day(-1), "name": "Nurse"}), 200)
        self.check(owner.patch(where(credential), {"expiresOn": day(50)}), 200)
        self.check(owner.post(f"{where(credential)}/verify-external"), 200)
        _, by_date, by_registry = sorted(self.bodies(hook, 3), key=lambda each: each["occurredAt"])
        self.assertEqual(by_date["data"], data | {"name": "Nurse", "expiresOn": day(-1), "expiredAt": by_date["occurredAt"],
                                                  "reason": "date_passed"})
        self.assertEqual((by_registry["data"]["reason"], by_registry["data"]["expiresOn"]), ("external_verification", day(50)))
        self.assertEqual(len(self.arrived(bound, 3)), 3)
        for other in (elsewhere, deaf):
            self.assertEqual(receiving.requests(other["path"]), [])

    def test_what_begins_as_expired_tells_nobody(self):
        hook = self.subscribe(events=["credential_expired"])
        add(hire(here), expiresOn=day(-1))
        self.settle()
        self.assertEqual(receiving.requests(hook["path"]), [])


class ToolsTest(rest.RestCase):

    def test_tools_do_what_routes_do(self):
        live, person = mcp.client_of(service), hire(here)
        made = live.call("credentials_add", {"staffId": person, "type": "license", "name": "Nurse", "number": "RN-2021-4711",
                                             "expiresOn": day(20)}).content
        self.assertEqual((made["staffId"], made["status"], made["number"]), (person, "pending", "RN-2021-4711"))
        listed = live.call("credentials_list", {"staffId": person, "status": ["pending"], "expiringWithinDays": 30}).content["data"]
        self.assertEqual(listed, [made | {"number": "4711"}])
        found = live.call("credentials_verify_external", {"credentialId": made["id"]}).content
        self.assertEqual((found["verified"], found["outcome"], found["credential"]["status"]), (True, "match", "verified"))
        ended = live.call("credentials_expire", {"credentialId": made["id"], "reason": "Left the register"}).content
        self.assertEqual((ended["status"], ended["statusReason"]), ("expired", "Left the register"))
        self.assertEqual(self.check(owner.get(where(made)), 200), ended)
        failing = add(person, number="RN-9999")
        failure = live.call("credentials_verify_external", {"credentialId": failing["id"]}).failure
        self.assertEqual((failure["code"], failure["retryable"]), ("UPSTREAM_ERROR", True))
        self.assertEqual(live.call("credentials_verify_external", {"credentialId": ABSENT}).failure["code"], "NOT_FOUND")
        nobodys = live.call("credentials_add", {"staffId": ABSENT, "type": "license", "name": "Nurse"})
        self.assertEqual(nobodys.failure["code"], "NOT_FOUND")

    def test_who_sees_which(self):
        def tools(*scopes):
            client = mcp.client_of(service, rest.make_key(service, list(scopes))[1])
            return {name for name in client.tools() if name.startswith("credentials_")}
        self.assertEqual(tools("staff:read"), {"credentials_list"})
        self.assertEqual(tools("credentials:read", "credentials:verify"), {"credentials_list", "credentials_verify_external"})
        self.assertEqual(tools("staff:write"), {"credentials_add", "credentials_expire"})
        self.assertEqual(tools("shifts:read"), set())
        told = mcp.client_of(service).tools()["credentials_expire"]
        self.assertIs(told["annotations"]["destructiveHint"], True)
        self.assertEqual((told["_meta"]["svc/scope"], told["_meta"]["svc/otherScope"]), ("credentials:write", "staff:write"))


class ErasureTest(rest.RestCase):

    def test_nothing_personal_is_left(self):
        words = ["RN-QUITTENFEST-88213", "documents.example/quittenfest.pdf", "RN-AHORNBERG-77120", "documents.example/ahornberg.pdf"]
        person, headers = hire(here), {"Idempotency-Key": secrets.token_hex(8)}
        body = {"staffId": person, "type": "license", "name": "Registered Nurse", "number": words[0],
                "documentUrl": f"https://{words[1]}", "expiresOn": day(100)}
        credential = self.check(owner.post(CREDENTIALS, body, headers), 201)
        changed = {"Idempotency-Key": secrets.token_hex(8)}
        self.check(owner.patch(where(credential), {"number": words[2], "documentUrl": f"https://{words[3]}"}, changed), 200)
        self.check(owner.post(f"{where(credential)}/verify", headers={"Idempotency-Key": secrets.token_hex(8)}), 200)
        gone = add(person, number=words[0])
        self.check(owner.delete(where(gone)), 200)
        service.wait_projected()
        for table in support.tables_of(service.postgres, "log"):
            self.assertEqual(support.clear_text_hits(service.postgres, table, words), [], "sealed")
        self.assertTrue(json.loads(service.command("erase", f"staff/{person}", "--reason", "asked for"))["recorded"])
        for each, status in ((credential, "verified"), (gone, "revoked")):
            left = self.check(owner.get(where(each)), 200)
            self.assertEqual((left["number"], left["documentUrl"], left["name"], left["status"]), ("", None, "Registered Nurse", status))
        rows = self.check(owner.get(CREDENTIALS, staffId=person), 200)["data"]
        self.assertEqual([row["number"] for row in rows], ["", ""])
        self.check_refused(owner.post(CREDENTIALS, body, headers), 404, "NOT_FOUND")
        again = owner.patch(where(credential), {"number": words[2], "documentUrl": f"https://{words[3]}"}, changed)
        self.check_refused(again, 404, "NOT_FOUND")
        self.check_refused(owner.patch(where(credential), {"number": "RN-1"}), 409, "INVALID_STATE_TRANSITION")
        self.check_refused(owner.post(CREDENTIALS, body), 409, "INVALID_STATE_TRANSITION")
        self.check_refused(owner.post(f"{where(credential)}/expire", {}), 409, "INVALID_STATE_TRANSITION")
        self.assertEqual(types_of(credential)[-1], "credential.holder_erased")
        for schema in ("read", "log", "projection", "ops", "auth", "vault", "reactor"):
            for table in support.tables_of(service.postgres, schema):
                self.assertEqual(support.clear_text_hits(service.postgres, table, words), [], table)
        self.assertFalse(json.loads(service.command("erase", f"staff/{person}", "--reason", "asked for"))["recorded"])
        before, after = support.checksums_around_rebuild(service)
        self.assertEqual(before, after)
