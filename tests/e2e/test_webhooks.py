# Webhook subscriptions over REST: their life, whose they are, their secrets that are shown once, what they may name, and what is
# told of them. What arrives at receivers is in test_webhook_deliveries.py.

import concurrent.futures
import json
import secrets
import unittest

import rest
import support
import webhooks
from webhooks import ADMIN, FIELDS, TYPES, VIEWER, WEBHOOKS, WebhookCase, where

INTERNAL = 1
SHIFTS = ["shift_posted", "shift_filled"]
OF_VIEWERS = [each for each in TYPES if each != "payroll_completed"]
service = receiving = authority = owner = operator = None


def setUpModule():
    global service, receiving, authority, owner, operator
    service, receiving, authority = webhooks.start()
    owner = rest.client_of(service)
    operator = owner.with_key(service.command("token", "super.admin@platform.example.com").strip())


class Case(WebhookCase):

    @classmethod
    def setUpClass(cls):
        cls.service, cls.receiving, cls.owner = service, receiving, owner

    def check_none(self, client, hook, *words):
        """For the client there is no such subscription, whatever it asks."""
        delivery = f"{where(hook)}/deliveries/{hook.get('delivery', 1)}/redeliver"
        for answer in (client.get(where(hook)), client.patch(where(hook), {"name": "Mine"}), client.put(where(hook), {"name": "Mine"}),
                       client.post(f"{where(hook)}/rotate-secret"), client.post(f"{where(hook)}/test"),
                       client.get(f"{where(hook)}/deliveries"), client.post(delivery),
                       client.post(f"{where(hook)}/replay", {"since": hook["createdAt"]}), client.delete(where(hook))):
            self.check_refused(answer, 404, "NOT_FOUND")
            for word in words:
                self.assertNotIn(word, answer.text)
        self.assertNotIn(hook["id"], self.listed(client))

    def listed(self, client, **query):
        return {each["id"] for page in rest.pages(client, WEBHOOKS, limit=200, **query) for each in page}


class SubscriptionsTest(Case):

    def test_a_subscription_lives(self):
        url = receiving.url("/life?of=one")
        body = {"name": " Nightly ", "url": url, "events": ["shift_posted", "lead_qualified", "shift_posted", "test"],
                "metadata": {"team": "blue", "lastError": "mine"}, "isActive": True, "color": "red"}
        answer = owner.post(WEBHOOKS, body)
        made = self.check(answer, 201)
        self.assertEqual(set(made), FIELDS | {"signingSecret"})
        self.assertEqual(answer.headers.get_all("Service-Warnings"), ["ignored fields: color", "ignored fields: metadata.lastError"])
        self.assertRegex(made.pop("signingSecret"), "^whsec_[A-Za-z0-9+/]{43}=$")
        self.assertEqual((made["name"], made["url"], made["facilityId"], made["metadata"]), ("Nightly", url, None, {"team": "blue"}))
        self.assertEqual((made["events"], made["organizationId"]), (["shift_posted", "lead_qualified", "test"], self.customer))
        self.assertEqual(made["createdBy"]["type"], "api_key")
        self.assertEqual((made["secretRotation"], made["consecutiveFailures"], made["lastDeliveryAt"]), (None, 0, None))
        self.assertEqual(self.check(owner.get(where(made)), 200), made | {"deliveries": []})
        changes = {"name": "Weekly", "url": receiving.url("/else"), "events": ["*"], "metadata": {"team": "red"}, "isActive": False}
        changed = self.check(owner.patch(where(made), changes), 200)
        self.assertEqual({name: changed[name] for name in changes}, changes)
        self.check_fields(owner.patch(where(made), {"facilityId": self.facilities[0]}), "facilityId")
        self.assertEqual(owner.delete(where(made)).text, "")
        self.check_none(owner, made)

    def test_what_can_be_subscribed_to(self):
        listed = self.check(self.keyed(["staff:read"]).get(f"{WEBHOOKS}/event-types"), 200)["data"]
        self.assertEqual([each["type"] for each in listed], [*TYPES, "*", "test"])
        self.assertTrue(all(each["trigger"] for each in listed))
        self.assertEqual({each["type"] for each in listed if each["permission"] is None}, {"*", "test"})

    def test_a_creator_has_so_many_at_most(self):
        reader, other = self.keyed(["shifts:read"]), self.keyed(["shifts:read"])
        body = {"name": "many", "url": receiving.url("/many"), "events": ["shift_posted"]}
        with concurrent.futures.ThreadPoolExecutor(10) as pool:  # together, so that each might think that there is room
            made = list(pool.map(lambda _: reader.post(WEBHOOKS, body), range(30)))
        hooks = [each.body for each in made if each.status == 201]
        for hook in hooks:
            self.addCleanup(self.unsubscribe, hook)
        self.assertEqual(len(hooks), 20)
        for refused in made:
            if refused.status != 201:
                self.check_refused(refused, 409, "LIMIT_REACHED")
        self.subscribe(other)
        self.assertEqual(reader.delete(where(hooks[0])).status, 204)
        self.subscribe(reader)

    def test_bad_input_names_its_fields(self):
        good = {"name": "suite", "url": receiving.url("/x"), "events": ["*"]}
        hook = self.subscribe()
        for wrong, *fields in (({"events": ["shift_posted", "shift_lost"]}, "events[1]"), ({"events": []}, "events"),
                               ({"events": "*"}, "events"), ({"events": ["*"] * 101}, "events"), ({"name": ""}, "name"),
                               ({"name": "n" * 201}, "name"), ({"url": ""}, "url"), ({"isActive": "yes"}, "isActive"),
                               ({"url": receiving.url("/" + "u" * 2048)}, "url"), ({"metadata": ["a"]}, "metadata"),
                               ({"metadata": {str(n): "x" for n in range(21)}}, "metadata"),
                               ({"metadata": {"long": "x" * 501}}, "metadata.long"), ({"metadata": {"number": 5}}, "metadata.number"),
                               ({"events": ["nonsense"], "url": "http://10.0.0.1/"}, "events[0]", "url")):
            with self.subTest(wrong=str(wrong)[:100]):
                self.check_fields(owner.post(WEBHOOKS, good | wrong), *fields)
                self.check_fields(owner.patch(where(hook), wrong), *fields)
        self.check_fields(owner.post(WEBHOOKS, {}), "name", "url", "events")
        self.check_fields(owner.post(WEBHOOKS, good | {"facilityId": "here"}), "facilityId")
        self.check_refused(owner.post(WEBHOOKS, good | {"facilityId": 999_999}), 403, "FACILITY_SCOPE_VIOLATION")
        for hours in (-1, 73, 1.5, "soon", None):
            self.check_fields(owner.post(f"{where(hook)}/rotate-secret", {"overlapHours": hours}), "overlapHours")
        self.check_refused(owner.get(f"{WEBHOOKS}/none"), 400, "VALIDATION_ERROR")

    def test_addresses_that_nothing_is_sent_to(self):
        hook = self.subscribe()
        for url in ("ftp://127.0.0.1/", "127.0.0.1/hook", "http://", "http:///hook", "http://user:word@127.0.0.1/", "http://user@127.0.0.1/",
                    "http://127.0.0.1/#part", "http://127.0.0.1:25/", "http://127.0.0.1:0/", "http://127.0.0.1:70000/",
                    "http://127.0.0.1:5432/", "http://10.0.0.1/", "https://172.16.3.4/", "https://192.168.1.1/", "https://100.64.0.1/",
                    "http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://[fd00::1]/", "http://[::ffff:127.0.0.1]/",
                    "http://[::ffff:10.0.0.1]/", "http://0.0.0.0/", "http://[::]/", "http://224.0.0.1/", "http://2130706433/",
                    "http://0x7f.1/", "http://127.1/", "http://127.0.0.1 /", "http://127.0.0.1/a b", "http://a..b/",
                    "http://nowhere.invalid/"):
            with self.subTest(url=url):
                for answer in (owner.post(WEBHOOKS, {"name": "suite", "url": url, "events": ["*"]}), owner.patch(where(hook), {"url": url})):
                    self.check_fields(answer, "url")
                    self.assertEqual([fault["rule"] for fault in answer.details["fields"]], ["url_rejected"], str(answer))
                    self.assertRegex(answer.details["fields"][0]["message"], "^(must|has|names) ", "it goes on from the field's name")
        self.assertEqual(self.check(owner.get(where(hook)), 200)["url"], hook["url"])


class OwnersTest(Case):

    def test_whose_they_are(self):
        first, second = self.keyed(["shifts:read"]), self.keyed(["shifts:read"])
        hooks = [self.subscribe(client) for client in (first, second)]
        self.assertEqual([self.listed(client) for client in (first, second)], [{hook["id"]} for hook in hooks])
        tested = self.check(first.post(f"{where(hooks[0])}/test"), 200)["deliveryId"]
        self.check_none(second, hooks[0] | {"delivery": tested}, hooks[0]["url"])
        manager = self.keyed(["integrations:write"])
        service.wait_projected()
        self.assertLessEqual({hook["id"] for hook in hooks}, self.listed(manager))
        self.assertEqual(self.check(manager.patch(where(hooks[0]), {"name": "Theirs"}), 200)["name"], "Theirs")
        self.check(manager.post(f"{where(hooks[0])}/rotate-secret"), 200)
        self.assertEqual(manager.delete(where(hooks[0])).status, 204)
        support.wait_until(lambda: first.get(where(hooks[0])).status == 404, support.READY_SECONDS, "its owner sees it no more")
        foreign = self.keyed(["integrations:write"], organization=INTERNAL)
        self.check_none(foreign, hooks[1], hooks[1]["url"])
        self.check_refused(owner.post(WEBHOOKS, {"name": "s", "url": receiving.url("/"), "events": ["*"], "orgUnitId": INTERNAL}), 403,
                           "ORG_SCOPE_VIOLATION")
        self.check_refused(owner.get(WEBHOOKS, orgUnitId=INTERNAL), 403, "ORG_SCOPE_VIOLATION")

    def test_what_a_user_owns_each_of_their_credentials_reaches(self):
        personal = rest.client_of(service, "pat")
        by_key = self.subscribe(rest.client_of(service, "readOnly"))  # behind each is the customer's administrator
        service.wait_projected()
        for client in (personal, self.person(ADMIN)):
            self.assertIn(by_key["id"], self.listed(client))
            self.assertEqual(self.check(client.get(where(by_key)), 200)["createdBy"], by_key["createdBy"])
        self.check_none(self.person(VIEWER), by_key)
        seen = self.subscribe(self.person(VIEWER))
        self.assertEqual((seen["createdBy"]["type"], seen["createdBy"]["id"]), ("user", seen["createdBy"]["userId"]))
        self.assertEqual(self.listed(self.person(VIEWER)), {seen["id"]})

    def test_what_is_delivered_is_narrowed_to_what_its_creator_may_read(self):
        for scopes, events, effective in ((["shifts:read"], ["*"], SHIFTS), (["shifts:read"], ["lead_qualified", "shift_filled"], ["shift_filled"]),
                                          (["crm:read", "payroll:read"], ["*"], ["lead_qualified", "payroll_completed"]),
                                          (["audit:read"], TYPES, []), (["integrations:write"], ["*"], ["*"]),
                                          (["integrations:write"], ["payroll_completed"], ["payroll_completed"])):
            with self.subTest(scopes=scopes, events=events):
                made = self.subscribe(self.keyed(scopes), events=events)
                self.assertEqual((made["events"], made["effectiveEvents"]), (events, effective))
        reader = self.keyed(["shifts:read"])
        made = self.subscribe(reader, events=["shift_posted"])
        changed = self.check(owner.patch(where(made), {"events": ["*"]}), 200)
        self.assertEqual(changed["effectiveEvents"], SHIFTS, "an administrator lends no right")

    def test_who_is_bound_to_a_facility(self):
        here, there = self.facilities
        bound = self.keyed(["shifts:read", "integrations:write"], facility=here)
        self.assertEqual(self.subscribe(bound)["facilityId"], here)
        general, other = self.subscribe(), self.subscribe(facilityId=there)
        service.wait_projected()
        for hook in (general, other):
            self.check_none(bound, hook)

    def test_operators_name_the_organization(self):
        body = {"name": "suite", "url": receiving.url("/operators"), "events": ["*"]}
        named = self.check(operator.post(WEBHOOKS, body | {"orgUnitId": self.customer}), 201)
        asked = self.check(operator.post(WEBHOOKS, body, orgUnitId=self.customer), 201)
        placed = self.check(operator.post(WEBHOOKS, body | {"facilityId": self.facilities[1]}), 201)
        home = self.check(operator.post(WEBHOOKS, body), 201)
        self.assertEqual([hook["organizationId"] for hook in (named, asked, placed, home)], [self.customer] * 3 + [INTERNAL])
        service.wait_projected()
        self.assertLessEqual({named["id"], asked["id"]}, self.listed(owner))
        self.check_none(owner, home)
        self.assertNotIn(home["id"], self.listed(operator, orgUnitId=self.customer))
        self.assertLessEqual({named["id"], home["id"]}, self.listed(operator))
        self.assertEqual(self.check(operator.get(where(named)), 200)["id"], named["id"])
        self.assertEqual(self.check(operator.patch(where(named), {"name": "Renamed"}), 200)["name"], "Renamed")
        self.assertTrue(self.check(operator.post(f"{where(named)}/test"), 200)["delivered"])
        for hook in (named, asked, placed, home):
            self.assertEqual(operator.delete(where(hook)).status, 204)


class RightsTest(Case):
    """What is delivered, and shown as effectiveEvents, follows what the creator may read at the time."""

    def check_effective(self, hook, types, client=None):
        """Once the fan-out has seen what was done, all who may see the subscription are shown these types."""
        client = client or owner
        self.settle()
        self.assertEqual(self.check(client.get(where(hook)), 200)["effectiveEvents"], types)
        of_list, = [each for page in rest.pages(client, WEBHOOKS, limit=200) for each in page if each["id"] == hook["id"]]
        self.assertEqual(of_list["effectiveEvents"], types)

    def cause(self):
        """A shift is posted and a lead qualified, and who is to hear of it has."""
        self.post_shift()
        lead = self.check(owner.post("/api/crm/leads", {"name": "Grace", "company": "Harbour Ltd"}), 201)
        self.check(owner.patch(f"/api/crm/leads/{lead['id']}", {"status": "qualified"}), 200)
        self.settle()

    def arrivals(self, hook):
        return [json.loads(request.body)["type"] for request in receiving.requests(hook["path"])]

    def test_a_role_that_shrinks_and_grows(self):
        admin = self.person(ADMIN)
        email = f"{secrets.token_hex(6)}@hooks.example.test"
        made = self.check(admin.post("/api/users", {"email": email, "firstName": "Rosa", "lastName": "Role", "role": "viewer",
                                                    "password": secrets.token_hex(12)}), 201)
        user = f"/api/users/{made['id']}"
        service.wait_projected()
        hook = self.subscribe(self.person(email))
        by_token = self.subscribe(self.person(email), events=["lead_qualified", "payroll_completed"])
        self.assertEqual((hook["effectiveEvents"], by_token["effectiveEvents"]), (OF_VIEWERS, ["lead_qualified"]))
        told = []
        for role, types, kinds in (("sales_rep", ["lead_qualified"], ["lead_qualified"]),
                                   ("scheduler", SHIFTS + ["credential_expired", "timesheet_approved", "staff_onboarded"], ["shift_posted"]),
                                   ("admin", ["*"], ["shift_posted", "lead_qualified"]), ("staff", [], [])):
            with self.subTest(role=role):
                self.check(admin.patch(user, {"role": role}), 200)
                self.check_effective(hook, types)
                changed = self.check(owner.patch(where(hook), {"name": role, "events": ["*"]}), 200)
                self.assertEqual(changed["effectiveEvents"], types, "who changes it for them lends no right")
                self.cause()
                told += kinds
                self.assertEqual(sorted(self.arrivals(hook)), sorted(told))
        self.check(admin.patch(user, {"role": "manager"}), 200)
        self.check_effective(by_token, ["lead_qualified"])
        for verb, types in (("deactivate", []), ("reactivate", ["lead_qualified"])):
            service.command("users", verb, "--organization", str(self.customer), str(made["id"]))
            self.check_effective(by_token, types)
            before = len(self.arrivals(by_token))
            self.cause()
            self.assertEqual(len(self.arrivals(by_token)) - before, len(types))
        replayed = self.check(owner.post(f"{where(hook)}/replay", {"since": hook["createdAt"], "eventTypes": ["payroll_completed"]}), 202)
        self.assertEqual(replayed["queued"], 0)

    def test_a_viewer_who_is_bound_to_a_facility(self):
        here, there = self.facilities
        admin = self.person(ADMIN)
        email = f"{secrets.token_hex(6)}@hooks.example.test"
        made = self.check(admin.post("/api/users", {"email": email, "firstName": "Vera", "lastName": "View", "role": "viewer",
                                                    "password": secrets.token_hex(12)}), 201)
        service.wait_projected()
        hook = self.subscribe(self.person(email), events=["shift_posted"])
        told = []
        for bound, heard in (([], [here, there]), ([here], [here]), ([there], [there]), ([], [here, there])):
            with self.subTest(bound=bound):
                self.check(admin.patch(f"/api/users/{made['id']}", {"facilityIds": bound}), 200)
                self.settle()
                shifts = {facility: self.post_shift(facility=facility)["id"] for facility in (here, there)}
                self.settle()
                told += [shifts[facility] for facility in heard]
                arrived = [json.loads(request.body)["data"]["shiftId"] for request in receiving.requests(hook["path"])]
                self.assertEqual(sorted(arrived), sorted(told))
        self.check(admin.patch(f"/api/users/{made['id']}", {"facilityIds": [here]}), 200)
        self.settle()
        replayed = self.check(owner.post(f"{where(hook)}/replay", {"since": hook["createdAt"]}), 202)
        self.settle()
        again = [json.loads(request.body)["data"]["facilityId"] for request in receiving.requests(hook["path"])[len(told):]]
        self.assertEqual(again, [here] * replayed["queued"])
        self.assertEqual(replayed["queued"], 4, "the shifts of its facility")

    def test_a_key_that_loses_scopes_or_is_revoked(self):
        made, token = rest.make_key(service, ["shifts:read", "crm:read"])
        other, revoked = rest.make_key(service, ["shifts:read"])
        hooks = [self.subscribe(owner.with_key(each)) for each in (token, revoked)]
        self.assertEqual([hook["effectiveEvents"] for hook in hooks], [[*SHIFTS, "lead_qualified"], SHIFTS])
        self.check(operator.patch(f"/api/api-keys/{made}", {"scopes": ["crm:read"]}), 200)
        rest.revoke_key(service, other)
        self.check_effective(hooks[0], ["lead_qualified"])
        self.check_effective(hooks[1], [])
        self.cause()
        self.assertEqual([self.arrivals(hook) for hook in hooks], [["lead_qualified"], []])

    def test_another_credential_of_theirs_that_names_another_address(self):
        user = self.check(owner.get("/api/auth/me"), 200)["user"]["id"]
        narrow = self.keyed(["shifts:read"], user=user)
        hook, elsewhere = self.subscribe(), f"/{secrets.token_hex(6)}"
        self.assertEqual(hook["effectiveEvents"], ["*"])
        same = self.check(narrow.patch(where(hook), {"url": hook["url"]}), 200)
        self.assertEqual(same["effectiveEvents"], ["*"], "it goes where it went")
        key = {"Idempotency-Key": secrets.token_hex(8)}
        for _ in "12":
            moved = self.check(narrow.patch(where(hook), {"url": receiving.url(elsewhere)}, key), 200)
            self.assertEqual(moved["effectiveEvents"], SHIFTS, "the address lends no right")
        self.check_effective(hook, SHIFTS)
        self.cause()
        self.assertEqual((self.arrivals(hook), self.arrivals({"path": elsewhere})), ([], ["shift_posted"]))

    def test_of_an_operator_in_another_organization(self):
        email = f"{secrets.token_hex(6)}@hooks.example.test"
        made = self.check(operator.post("/api/users", {"email": email, "firstName": "Olga", "lastName": "Operator", "role": "manager",
                                                       "password": secrets.token_hex(12)}), 201)
        service.wait_projected()
        hook = self.subscribe(self.person(email), orgUnitId=self.customer)
        self.assertNotIn("payroll_completed", hook["effectiveEvents"])
        self.assertIn("shift_posted", hook["effectiveEvents"])
        self.check(operator.patch(f"/api/users/{made['id']}", {"role": "sales_rep"}), 200)
        self.check_effective(hook, [])  # no operator any more: what is another organization's is not theirs to read
        self.check(operator.patch(f"/api/users/{made['id']}", {"role": "manager"}), 200)
        self.check_effective(hook, hook["effectiveEvents"])
        service.command("users", "deactivate", "--organization", str(INTERNAL), str(made["id"]))
        self.check_effective(hook, [])
        self.cause()
        self.assertEqual(self.arrivals(hook), [])


class SecretsTest(Case):

    def test_a_rotation_waits_for_its_overlap(self):
        made = self.subscribe()
        rotated = self.check(owner.post(f"{where(made)}/rotate-secret", {"overlapHours": 1}), 200)
        self.assertEqual(set(rotated), {"signingSecret", "activatesAt"})
        self.assertNotEqual(rotated["signingSecret"], made["signingSecret"])
        self.assertEqual(self.check(owner.get(where(made)), 200)["secretRotation"], {"nextActivatesAt": rotated["activatesAt"]})

    def test_secrets_are_nowhere(self):
        made = self.subscribe()
        refused = owner.post(WEBHOOKS, {"name": "suite", "url": made["url"], "events": ["*"], "facilityId": 999_999})
        self.check_refused(refused, 403, "FACILITY_SCOPE_VIOLATION")
        shown = [made["signingSecret"]]
        for hours in (0, 24, 72):
            key = {"Idempotency-Key": secrets.token_hex(8)}
            shown += [self.check(owner.post(f"{where(made)}/rotate-secret", {"overlapHours": hours}, key), 200)["signingSecret"] for _ in "12"]
        self.assertEqual(len(set(shown)), 4)
        self.post_shift()
        self.arrived(made)
        needles = sorted({*shown, *(secret.removeprefix("whsec_") for secret in shown)})
        self.assertFalse(any(service.log_text_hits(needles).values()))
        for schema in ("read", "auth", "ops", "reactor", "projection"):
            for table in support.tables_of(service.postgres, schema):
                self.assertEqual(support.clear_text_hits(service.postgres, table, needles), [], table)
        told = [service.command("tap", "--from", "start", "--until-idle"), service.log_from(0), owner.get(where(made)).text,
                owner.get(WEBHOOKS).text, service.command("webhooks", "--json"), owner.get("/api/audit-log", limit=200).text]
        for needle in needles:
            self.assertFalse(any(needle in text for text in told), "a secret is told")
        stored = service.postgres.value(f"SELECT count(*) FROM auth.signing_secret WHERE webhook_id = {made['id']}")
        self.assertEqual(stored, "4", "what came to nothing is forgotten")

    def test_each_command_leaves_an_entry_and_no_activity(self):
        made = self.subscribe()
        secret = made["signingSecret"]
        self.check(owner.patch(where(made), {"name": "Audited", "metadata": {"team": "blue"}}), 200)
        self.check(owner.patch(where(made), {"name": "Audited"}), 200)  # changes nothing, and so leaves nothing
        rotated = self.check(owner.post(f"{where(made)}/rotate-secret"), 200)["signingSecret"]
        self.check(owner.post(f"{where(made)}/test"), 200)
        self.post_shift()
        self.arrived(made, 2)
        attempt = next(each for each in self.attempts(made) if each["eventType"] == "shift_posted")
        self.check(owner.post(f"{where(made)}/deliveries/{attempt['id']}/redeliver"), 202)
        self.check(owner.post(f"{where(made)}/replay", {"since": made["createdAt"]}), 202)
        self.settle()
        for active in (False, True):
            self.check(owner.patch(where(made), {"isActive": active}), 200)
        self.assertEqual(owner.delete(where(made)).status, 204)
        entries = [each for page in rest.pages(owner, "/api/audit-log", resource=f"webhook:{made['id']}") for each in page][::-1]
        done = ("CREATED", "UPDATED", "SECRET_ROTATED", "TESTED", "REDELIVERED", "REPLAYED", "UPDATED", "ENABLED", "DELETED")
        self.assertEqual([entry["action"] for entry in entries], [f"WEBHOOK_SUBSCRIPTION_{verb}" for verb in done])
        self.assertEqual(entries[1]["changes"], {"name": {"from": "suite", "to": "Audited"}, "metadata": {"from": {}, "to": {"team": "blue"}}})
        self.assertEqual(entries[6]["changes"], {"isActive": {"from": True, "to": False}})
        told = json.dumps(entries)
        for word in (secret, rotated):
            self.assertNotIn(word, told)
        activity = owner.get("/api/dashboard/recent-activity")
        self.assertNotIn(f"webhook:{made['id']}", self.check(activity, 200) and activity.text)


class SandboxTest(Case):

    def test_the_sandbox_sends_nothing(self):
        sandbox = rest.client_of(service, "test")
        live = self.subscribe()
        made = self.subscribe(sandbox)
        self.assertEqual(made["facilityId"], self.facilities[0])
        service.wait_projected()
        self.check(sandbox.post(f"{where(made)}/rotate-secret"), 200)
        result = self.check(sandbox.post(f"{where(made)}/test"), 200)
        self.assertEqual((result["delivered"], result["skipped"], result["statusCode"]), (False, "sandbox", None))
        attempt, = self.attempts(made, sandbox)
        self.assertEqual((attempt["id"], attempt["status"], attempt["trigger"]), (result["deliveryId"], "skipped", "test"))
        self.post_shift(sandbox)
        last = self.post_shift()
        bodies = [json.loads(request.body) for request in self.arrived(live)]
        self.assertEqual([body["data"]["shiftId"] for body in bodies], [last["id"]])
        self.assertEqual(receiving.requests(made["path"]), [])
        self.assertEqual(self.check(sandbox.get(where(made)), 200)["deliveries"], [attempt])
        self.assertEqual(self.check(sandbox.post(f"{where(made)}/replay", {"since": made["createdAt"]}), 202), {"queued": 0})
        self.assertEqual(sandbox.delete(where(made)).status, 204)


class StrictTest(rest.RestCase):
    """A service as it is without the setting for development."""

    def test_only_https_to_public_addresses(self):
        postgres = self.enterContext(support.Postgres())
        strict = rest.client_of(self.enterContext(support.Service(postgres)))
        public = {"name": "suite", "url": "https://93.184.216.34:8443/hook?a=b", "events": ["*"]}
        made = self.check(strict.post(WEBHOOKS, public), 201)
        for url in ("http://93.184.216.34/", "http://127.0.0.1:9/", "https://127.0.0.1/", "https://127.9.9.9/", "https://localhost/",
                    "https://a.localhost/", "https://[::1]/", "https://10.1.2.3/", "https://172.31.255.255/", "https://192.168.0.1/",
                    "https://100.64.0.1/", "https://169.254.169.254/", "https://[fe80::1]/", "https://[fd12::1]/",
                    "https://[::ffff:127.0.0.1]/", "https://[::ffff:10.0.0.1]/", "https://[::ffff:93.184.216.34]/",
                    "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://0.0.0.0/", "https://255.255.255.255/",
                    "https://224.0.0.1/", "https://[ff02::1]/", "https://2130706433/", "https://0177.0.0.1/"):
            with self.subTest(url=url):
                for answer in (strict.post(WEBHOOKS, public | {"url": url}), strict.patch(where(made), {"url": url})):
                    self.check_fields(answer, "url")
                    self.assertEqual([fault["rule"] for fault in answer.details["fields"]], ["url_rejected"], str(answer))


if __name__ == "__main__":
    unittest.main()
