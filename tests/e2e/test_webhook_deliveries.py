# What arrives at receivers of webhooks, signed and once; tests, redelivery and replay; and what is left of a person who was
# erased. Receivers that fail are in test_webhook_failures.py, subscriptions themselves in test_webhooks.py.

import json
import os
import re
import secrets
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import receiver
import rest
import support
import webhooks
from receiver import Reply
from webhooks import ATTEMPT_FIELDS, WebhookCase, signature, standard_accepts, svix_tells, where

service = receiving = owner = None


def setUpModule():
    global service, receiving, owner
    service, receiving, _ = webhooks.start()
    owner = rest.client_of(service)


class Case(WebhookCase):

    @classmethod
    def setUpClass(cls):
        cls.service, cls.receiving, cls.owner = service, receiving, owner

    def types(self, hook, count=1):
        return sorted(body["type"] for body in self.bodies(hook, count))

    def qualify(self, **fields):
        lead = self.check(owner.post("/api/crm/leads", {"name": "Grace", "company": "Harbour Ltd"} | fields), 201)
        return self.check(owner.patch(f"/api/crm/leads/{lead['id']}", {"status": "qualified"}), 200)


class ReadmeTest(Case):
    """What README shows of webhooks, run word by word, but for its port and for who runs it where."""

    PORT = "9000"

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.directory / "var").mkdir()
        text = (support.PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
        section = text.partition("### A first webhook")[2]
        self.port = support.free_port()
        self.blocks = [block.replace(self.PORT, str(self.port)) for block in re.findall(r"^```\n(.*?)^```$", section, re.M | re.S)[:3]]

    def test_the_first_webhook_arrives_and_is_known_to_be_genuine(self):
        write, subscribe, cause = self.blocks
        self.assertEqual(write.count("\n") - 2, 10, "ten lines of Python")
        own = f"key={service.demo['keys']['live']}\napi={service.demo['baseUrl']}\n"
        receives = "test -n \"$secret\"\ntrap 'kill $!' EXIT\n"
        listens = f"until (exec 3<>/dev/tcp/127.0.0.1/{self.port}) 2>/dev/null; do kill -0 $!; sleep 0.05; done\n"
        # Of the answer only whether it is one is looked at: amid what the receiver prints it would tear that apart.
        causes = f"{{ {cause} }} | tee /dev/stderr | grep -q '\"id\"'\n"
        shell = subprocess.Popen(["bash", "-euc", f"{own}{write}{subscribe}{receives}{listens}{causes}wait"], cwd=self.directory,
                                 stdout=subprocess.PIPE, text=True, start_new_session=True)  # what it says of errors is the suite's to show
        self.addCleanup(shell.communicate)
        self.addCleanup(os.killpg, shell.pid, signal.SIGKILL)
        said = {}
        while "genuine:" not in said:
            line = shell.stdout.readline()
            self.assertTrue(line, "the lines of README came to an end")
            for word, found in re.findall(r"(genuine:|forged:) (\{.*?\})$", line, re.M):
                said[word] = json.loads(found)
        self.assertEqual(list(said), ["genuine:"])
        self.assertEqual(said["genuine:"]["type"], "staff_onboarded")
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/", b"{}", {"X-Service-Signature": "sha256=" + "0" * 64})
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=support.READY_SECONDS)
        self.assertEqual(refused.exception.code, 401)
        refused.exception.close()


class ContentTest(Case):

    def one(self, hook, kind):
        """The body of the only request, of that type."""
        request, = self.arrived(hook)
        return self.check_request(request, hook, kind)

    def test_a_shift_that_is_posted(self):
        hook = self.subscribe(events=["shift_posted"])
        shift = self.post_shift(department="Ward", requiredWorkers=2, rate=31.5, urgency="high")
        self.check(owner.patch(f"/api/shifts/{shift['id']}", {"notes": "Changed"}), 200)
        body = self.one(hook, "shift_posted")
        names = ("facilityId", "title", "date", "startTime", "endTime", "department", "specialty", "requiredWorkers", "urgency", "rate")
        self.assertEqual(body["data"], {"shiftId": shift["id"], "status": "open"} | {name: shift[name] for name in names})
        self.assertEqual(body["occurredAt"], shift["createdAt"])

    def test_a_shift_that_is_filled(self):
        hook = self.subscribe(events=["shift_filled"])
        people = [self.onboard()["id"] for _ in "12"]
        shift = self.post_shift(requiredWorkers=2)
        for person in people:
            self.check(owner.post(f"/api/shifts/{shift['id']}/assign", {"staffId": person}), 200)
        body = self.one(hook, "shift_filled")
        self.assertEqual(body["data"], {"shiftId": shift["id"], "facilityId": shift["facilityId"], "assignedStaffIds": people})

    def test_a_lead_on_its_move_into_qualified_alone(self):
        hook = self.subscribe(events=["lead_qualified"])
        lead = self.qualify(facilityId=self.facilities[1])
        self.check(owner.patch(f"/api/crm/leads/{lead['id']}", {"status": "qualified", "score": 70}), 200)
        body = self.one(hook, "lead_qualified")
        self.assertEqual(body["data"], {
            "leadId": lead["id"], "facilityId": self.facilities[1], "name": "Grace", "company": "Harbour Ltd", "previousStatus": "new",
            "status": "qualified", "ownerUserId": lead["ownerUserId"], "qualifiedAt": lead["qualifiedAt"]})
        self.check(owner.patch(f"/api/crm/leads/{lead['id']}", {"status": "contacted", "company": "Quay"}), 200)
        self.check(owner.patch(f"/api/crm/leads/{lead['id']}", {"status": "qualified"}), 200)
        again = self.bodies(hook, 2)[1]["data"]
        self.assertEqual((again["previousStatus"], again["company"]), ("contacted", "Quay"))

    def test_a_person_who_is_onboarded(self):
        hook = self.subscribe(events=["staff_onboarded"])
        made = self.onboard(facilityIds=self.facilities[:1], specialty="Nurse", employmentType="part_time", phone="+1 555 0123")
        body = self.one(hook, "staff_onboarded")
        names = ("facilityIds", "firstName", "lastName", "specialty", "employmentType")
        self.assertEqual(body["data"], {"staffId": made["id"], "onboardedAt": body["occurredAt"]} | {name: made[name] for name in names})

    def test_the_cause_is_told(self):
        hook = self.subscribe(events=["shift_posted"])
        answer = owner.post("/api/shifts", {"facilityId": self.facilities[0], "title": "Cause", "date": "2031-03-03", "startTime": "08:00",
                                            "endTime": "16:00"})
        self.check(answer, 201)
        request, = self.arrived(hook)
        self.assertEqual(request.headers["X-Service-Correlation"], answer.headers["X-Request-Id"])
        attempt, = self.attempts(hook)
        self.assertEqual(set(attempt), ATTEMPT_FIELDS)
        self.assertEqual(str(attempt["id"]), request.headers["X-Service-Delivery"])
        event = next(json.loads(line) for line in service.command("tap", "--from", "start", "--until-idle", "--type", "shift.posted").splitlines()
                     if json.loads(line)["id"] == attempt["eventId"])
        self.assertEqual(json.loads(request.body)["id"], event["id"])
        expected = {"webhookId": hook["id"], "eventType": "shift_posted", "attempt": 1, "trigger": "event", "status": "succeeded",
                    "statusCode": 200, "responseBody": "", "responseTruncated": False, "error": None, "nextRetryAt": None}
        self.assertEqual({name: attempt[name] for name in expected}, expected)
        def told():  # a moment after the attempt
            seen = self.check(owner.get(where(hook)), 200)
            return seen if seen["lastDeliveryAt"] else None
        seen = support.wait_until(told, webhooks.SENT_SECONDS, "the last delivery is told")
        self.assertEqual((seen["deliveries"], seen["lastDeliveryAt"], seen["consecutiveFailures"]), ([attempt], attempt["attemptedAt"], 0))

    def test_who_hears_of_what(self):
        here, there = self.facilities
        everything, at_one, shifts = self.subscribe(), self.subscribe(facilityId=here), self.subscribe(self.keyed(["shifts:read"]))
        inert = self.subscribe(events=["test"])
        filled = self.post_shift(facility=there, assignedStaffIds=[self.onboard()["id"]])
        self.onboard(facilityIds=[here])
        self.qualify()
        self.post_shift(facility=here)
        self.assertEqual(self.types(everything, 6), sorted(["staff_onboarded"] * 2 + ["shift_posted"] * 2 + ["shift_filled", "lead_qualified"]))
        self.assertEqual(self.types(at_one, 2), ["shift_posted", "staff_onboarded"])
        self.assertEqual(self.types(shifts, 3), ["shift_filled", "shift_posted", "shift_posted"])
        self.assertIn(filled["id"], [body["data"]["shiftId"] for body in self.bodies(shifts, 3)])
        self.assertEqual(receiving.requests(inert["path"]), [])
        self.assertEqual(len({request.headers["webhook-id"] for request in receiving.requests(everything["path"])}), 6)

    def test_rotation(self):
        hook = self.subscribe(events=["shift_posted"])
        first = hook["signingSecret"]
        second = self.check(owner.post(f"{where(hook)}/rotate-secret", {"overlapHours": 2}), 200)["signingSecret"]
        self.post_shift()
        request, = self.arrived(hook)
        self.assertEqual(request.headers["X-Service-Signature"], signature(first, request.body))
        self.assertEqual(request.headers["X-Service-Signature-Next"], signature(second, request.body))
        self.assertTrue(standard_accepts(first, request) and standard_accepts(second, request))
        third = self.check(owner.post(f"{where(hook)}/rotate-secret", {"overlapHours": 0}), 200)["signingSecret"]
        self.assertIsNone(self.check(owner.get(where(hook)), 200)["secretRotation"])
        self.post_shift()
        request = self.arrived(hook, 2)[1]
        self.assertEqual(request.headers["X-Service-Signature"], signature(third, request.body))
        self.assertIsNone(request.headers["X-Service-Signature-Next"])
        self.assertTrue(standard_accepts(third, request))
        self.assertFalse(standard_accepts(first, request) or standard_accepts(second, request))


class AgainTest(Case):

    def test_a_test(self):
        hook = self.subscribe(events=["lead_qualified"], isActive=False)
        receiving.script(hook["path"], Reply(200, b"thanks"))
        key = {"Idempotency-Key": secrets.token_hex(8)}
        result = self.check(owner.post(f"{where(hook)}/test", headers=key), 200)
        expected = {"delivered": True, "statusCode": 200, "responseBody": "thanks", "error": None, "durationMs": result["durationMs"],
                    "deliveryId": result["deliveryId"]}
        self.assertEqual(result, expected)
        again = owner.post(f"{where(hook)}/test", headers=key)
        self.assertEqual((self.check(again, 200), again.headers["Idempotency-Replayed"]), (result, "true"))
        request, = receiving.requests(hook["path"])
        body = self.check_request(request, hook, "test")
        self.assertEqual((body["data"]["webhookId"], set(body["data"])), (hook["id"], {"webhookId", "message"}))
        self.assertEqual(request.headers["X-Service-Delivery"], str(result["deliveryId"]))
        receiving.script(hook["path"], Reply(500, b"no"))
        failed = self.check(owner.post(f"{where(hook)}/test"), 200)
        self.assertEqual((failed["delivered"], failed["statusCode"], failed["responseBody"]), (False, 500, "no"))
        self.assertRegex(failed["error"], "^non_2xx: ")
        attempts = self.attempts(hook)
        self.assertEqual([(each["id"], each["trigger"], each["status"], each["nextRetryAt"]) for each in attempts],
                         [(failed["deliveryId"], "test", "failed", None), (result["deliveryId"], "test", "succeeded", None)])
        self.check_refused(owner.post(f"{where(hook)}/deliveries/{result['deliveryId']}/redeliver"), 409, "INVALID_STATE_TRANSITION")
        self.assertEqual(self.check(owner.get(where(hook)), 200)["consecutiveFailures"], 0)

    def test_a_retry_while_the_test_is_under_way_sends_once(self):
        hook = self.subscribe(isActive=False)
        receiving.script(hook["path"], Reply(200, b"late", wait=6))
        for tests in range(1, 6):  # one as a rule; a slow machine may send the retry when the test is over
            key = {"Idempotency-Key": secrets.token_hex(8)}
            with ThreadPoolExecutor(1) as other:
                first = other.submit(owner.post, f"{where(hook)}/test", None, key)
                receiving.wait(hook["path"], tests)
                again = owner.post(f"{where(hook)}/test", headers=key)
                self.assertTrue(self.check(first.result(), 200)["delivered"])
            self.assertEqual(len(receiving.requests(hook["path"])), tests)
            if again.status != 200:
                break
        self.check_refused(again, 409, "IDEMPOTENCY_IN_PROGRESS")

    def test_redelivery(self):
        hook = self.subscribe(events=["shift_posted"])
        receiving.script(hook["path"], Reply(500))
        self.post_shift()
        first, = self.made_attempts(hook)
        path = f"{where(hook)}/deliveries/{first['id']}/redeliver"
        self.check(owner.patch(where(hook), {"isActive": False}), 200)  # which redelivery minds not
        key = {"Idempotency-Key": secrets.token_hex(8)}
        queued = self.check(owner.post(path, headers=key), 202)
        self.assertEqual((self.check(owner.post(path, headers=key), 202), list(queued)), (queued, ["deliveryId"]))
        self.settle()
        manual, = [each for each in self.attempts(hook) if each["trigger"] == "manual"]
        self.assertEqual((manual["id"], manual["status"], manual["nextRetryAt"], manual["attempt"]), (queued["deliveryId"], "failed", None, 1))
        requests = receiving.requests(hook["path"])
        self.assertEqual([request.body for request in requests], [requests[0].body] * 2)
        self.assertEqual(self.check(owner.get(where(hook)), 200)["consecutiveFailures"], 1, "redeliveries don't count")
        receiving.script(hook["path"], receiver.OK)
        self.check(owner.post(path), 202)
        self.check_request(self.arrived(hook, 3)[2], hook, "shift_posted")
        other = self.subscribe()
        for wrong in (f"{where(other)}/deliveries/{first['id']}/redeliver", f"{where(hook)}/deliveries/999999999/redeliver"):
            self.check_refused(owner.post(wrong), 404, "NOT_FOUND")

    def test_replay(self):
        hook = self.subscribe(events=["shift_posted", "staff_onboarded"])
        failing = self.post_shift()
        receiving.wait(hook["path"])
        receiving.script(hook["path"], Reply(500), receiver.OK)
        self.made_attempts(hook)
        failing = self.post_shift()
        self.made_attempts(hook, 2)
        self.put_off(hook)
        self.onboard()
        self.made_attempts(hook, 3)
        self.settle()

        def replay(**body):
            before = len(receiving.requests(hook["path"]))
            queued = self.check(owner.post(f"{where(hook)}/replay", {"since": hook["createdAt"]} | body), 202)["queued"]
            self.settle()
            sent = receiving.requests(hook["path"])[before:]
            self.assertEqual(len(sent), queued)
            return [json.loads(request.body) for request in sent]

        self.assertEqual([body["data"]["shiftId"] for body in replay(onlyFailed=True)], [failing["id"]])
        self.assertEqual(replay(onlyFailed=True), [])
        self.assertEqual(sorted(body["type"] for body in replay()), ["shift_posted", "shift_posted", "staff_onboarded"])
        self.assertEqual([body["type"] for body in replay(eventTypes=["staff_onboarded"])], ["staff_onboarded"])
        self.assertEqual(replay(eventTypes=["lead_qualified"]), [])
        self.assertEqual(replay(since=self.now(-7200), until=self.now(-3600)), [])
        self.assertEqual(replay(since=self.now(-1), eventTypes=["lead_qualified", "shift_filled"]), [])
        for wrong, field in (({"since": "2020-01-01T00:00:00Z"}, "since"), ({"since": self.now(3600)}, "since"), ({"since": "today"}, "since"),
                             ({"until": hook["createdAt"]}, "until"), ({"eventTypes": ["shift_posted", "nonsense"]}, "eventTypes[1]"),
                             ({"onlyFailed": "yes"}, "onlyFailed")):
            with self.subTest(wrong=wrong):
                self.check_fields(owner.post(f"{where(hook)}/replay", {"since": hook["createdAt"]} | wrong), field)
        self.check_fields(owner.post(f"{where(hook)}/replay", {}), "since")

    def now(self, ahead=0):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + ahead))

    def test_pages_of_attempts(self):
        hook = self.subscribe(events=["shift_posted"])
        shifts = [self.post_shift()["id"] for _ in range(30)]
        self.arrived(hook, len(shifts))
        attempts = self.attempts(hook)
        self.assertEqual(len(attempts), len(shifts))
        ids = [each["id"] for each in attempts]
        self.assertEqual(ids, sorted(ids, reverse=True))
        paged = [each for page in rest.pages(owner, f"{where(hook)}/deliveries", limit=7) for each in page]
        self.assertEqual(paged, attempts)
        self.assertEqual(self.check(owner.get(where(hook)), 200)["deliveries"], attempts[:25])
        cursor = owner.get(f"{where(hook)}/deliveries", limit=7).body["pagination"]["nextCursor"]
        self.check_refused(owner.get(f"{where(hook)}/deliveries", cursor=cursor[:-3] + "abc"), 400, "INVALID_CURSOR")
        self.check_fields(owner.get(f"{where(hook)}/deliveries", limit=0), "limit")


class SvixTest(Case):

    def test_npms_svix_verifies_what_arrives(self):
        """While secrets rotate, too; the spec's own header is checked by Python's hmac (check_request)."""
        hook = self.subscribe(events=["shift_posted"])
        self.post_shift(title="Nachtschicht — Zoë 夜勤")
        self.arrived(hook)
        self.settle()
        next_secret = self.check(owner.post(f"{where(hook)}/rotate-secret", {"overlapHours": 1}), 200)["signingSecret"]
        self.post_shift()
        self.arrived(hook, 2)
        self.check(owner.post(f"{where(hook)}/rotate-secret", {"overlapHours": 0}), 200)
        self.check(owner.post(f"{where(hook)}/test"), 200)
        first, second, third = receiving.requests(hook["path"])
        self.check_request(first, hook, "shift_posted")
        ids = [request.headers["webhook-id"] for request in (first, second, third)]
        old, stale = hook["signingSecret"], dict(first.headers.items()) | {"webhook-timestamp": str(int(time.time()) - 3600)}
        told = svix_tells([(old, first.headers, first.body), (old, second.headers, second.body), (next_secret, second.headers, second.body),
                           (next_secret, first.headers, first.body), (old, third.headers, third.body),
                           (old, first.headers, first.body.replace(b"Zo", b"Bo")), (old, second.headers, first.body), (old, stale, first.body)])
        self.assertEqual(told, [ids[0], ids[1], ids[1]] + [None] * 5)


class ErasureTest(Case):

    def test_what_named_an_erased_person(self):
        name = f"Wilhelmina{secrets.token_hex(4)}"
        hook, failing = self.subscribe(events=["staff_onboarded"]), self.subscribe(events=["staff_onboarded"])
        receiving.script(hook["path"], Reply(200, f"hello {name}".encode()))
        receiving.script(failing["path"], Reply(500, f"who is {name}?".encode()))
        made = self.onboard(firstName=name)
        sent, failed = self.made_attempts(hook)[0], self.made_attempts(failing)[0]
        self.assertIn(name, sent["responseBody"])
        self.assertEqual(support.clear_text_hits(service.postgres, "ops.webhook_body", [name]), [], "sealed")
        service.command("erase", f"staff/{made['id']}", "--reason", "asked for")
        self.settle()
        self.assertEqual([self.made_attempts(each)[0]["responseBody"] for each in (hook, failing)], ["", ""])
        self.hurry(failing)
        self.check(owner.post(f"{where(hook)}/deliveries/{sent['id']}/redeliver"), 202)
        self.settle()
        self.assertEqual(self.made_attempts(failing, 2)[1]["status"], "abandoned")
        self.assertEqual(self.made_attempts(hook, 2)[1]["status"], "abandoned")
        self.assertEqual([len(receiving.requests(each["path"])) for each in (hook, failing)], [1, 1])
        self.check(owner.post(f"{where(hook)}/replay", {"since": hook["createdAt"]}), 202)
        self.settle()
        self.assertEqual(len(receiving.requests(hook["path"])), 1)
        self.assertEqual(failed["attempt"], 1)
        for schema in ("read", "ops", "reactor"):
            for table in support.tables_of(service.postgres, schema):
                self.assertEqual(support.clear_text_hits(service.postgres, table, [name]), [], table)


if __name__ == "__main__":
    unittest.main()
