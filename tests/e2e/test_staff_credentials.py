# Credentials of staff from the client's side: their life, what registries say of them, their lists, who sees them, what
# subscribers hear, and what is left of them once their holder is forgotten.

import datetime
import json
import secrets
import zoneinfo

import mcp
import people
import rest
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
        self.assertIn("color", made.headers["Service-Warnings"])
        del body["color"]
        self.assertEqual({name: credential[name] for name in body}, body | {"name": "Registered Nurse"})
        self.assertEqual((credential["status"], credential["verification"], credential["expiredReason"], credential["statusReason"],
                          credential["daysUntilExpiry"]), ("pending", NEVER_CHECKED, None, "", 400))
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


class AccessTest(rest.RestCase):

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

    def test_an_erased_holder_leaves_what_is_not_personal(self):
        person = hire(here)
        credential, gone = add(person, number="RN-QUITTENFEST-88213"), add(person, number="RN-QUITTENFEST-88213")
        self.check(owner.post(f"{where(credential)}/verify"), 200)
        self.check(owner.delete(where(gone)), 200)
        service.wait_projected()
        service.command("erase", f"staff/{person}", "--reason", "asked for")
        for each, status in ((credential, "verified"), (gone, "revoked")):
            left = self.check(owner.get(where(each)), 200)
            self.assertEqual((left["number"], left["name"], left["status"]), ("", "Registered Nurse", status))
        for refused in (owner.patch(where(credential), {"number": "RN-1"}), owner.post(f"{where(credential)}/expire", {}),
                        owner.post(CREDENTIALS, {"staffId": person, "type": "license", "name": "Nurse"})):
            self.check_refused(refused, 409, "INVALID_STATE_TRANSITION")
        self.assertEqual(types_of(credential)[-1], "credential.holder_erased")
