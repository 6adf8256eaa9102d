# Receivers of webhooks that fail by script, each in its way: what is recorded, kept, tried again and given up.

import json
import secrets
import unittest

import receiver
import rest
import support
import webhooks
from receiver import Reply
from webhooks import DELAYS, WebhookCase, moment, where

KEPT = 4096  # bytes of a response
service = receiving = authority = owner = None


def setUpModule():
    global service, receiving, authority, owner
    service, receiving, authority = webhooks.start()
    owner = rest.client_of(service)


class FailuresTest(WebhookCase):

    @classmethod
    def setUpClass(cls):
        cls.service, cls.receiving, cls.owner = service, receiving, owner

    def test_each_way_to_fail(self):
        elsewhere = self.enterContext(receiver.Receiver(authority.server("elsewhere.example.test")))
        untrusted = self.enterContext(receiver.Receiver(authority.server("localhost", self_signed=True)))
        trusted = self.enterContext(receiver.Receiver(authority.server("localhost")))
        deaf = self.enterContext(receiver.deaf_port())
        here = receiving.url("")
        ways = {  # what is sent to, its script, and the attempt's status code and class of error
            "error": (receiving, Reply(500, b"boom"), 500, "non_2xx"),
            "gone": (receiving, Reply(410), 410, "non_2xx"),
            "redirect": (receiving, Reply(302, headers=(("Location", receiving.url(receiver.REDIRECT)),)), 302, "non_2xx"),
            "slow": (receiving, receiver.SLOW, None, "timeout"),
            "drip": (receiving, receiver.DRIP, None, "timeout"),
            "cut": (receiving, receiver.CUT, None, "connect"),
            "refused": (f"http://127.0.0.1:{receiver.refused_port()}", None, None, "connect"),
            "deaf": (f"https://127.0.0.1:{deaf}", None, None, "timeout"),
            "wrong name": (elsewhere.url("", "localhost"), None, None, "tls"),
            "untrusted": (untrusted.url("", "localhost"), None, None, "tls"),
            "no tls": (here.replace("http:", "https:"), None, None, "tls"),
            "unknown name": (here, None, None, "dns"),
            "private": (here, None, None, "blocked_address"),
        }
        hooks = {}
        for name, (target, script, *_) in ways.items():
            path = f"/{secrets.token_hex(6)}"
            if script:
                receiving.script(path, script)
            target = target.url("") if target is receiving else target
            hooks[name] = self.subscribe(path=path, events=["shift_posted"], url=target + path)
        good = self.subscribe(events=["shift_posted"], url=trusted.url("/good", "localhost"))
        self.settle()
        for name, url in (("unknown name", "http://nowhere.invalid/"), ("private", "http://10.0.0.1/")):
            # As if the name had come to stand for something else since the subscription was made.
            service.postgres.psql("UPDATE reactor.webhook_subscription SET doc = (doc::jsonb || jsonb_build_object('url', "
                                  f"'{url}'))::text WHERE webhook_id = {hooks[name]['id']}")
        self.post_shift()
        failed = {}  # by way: its attempts and its subscription as they are soon after, for it is tried again in half a minute

        def all_failed():
            for name in ways.keys() - failed.keys():
                attempts, view = self.attempts(hooks[name]), self.check(owner.get(where(hooks[name])), 200)
                if len(attempts) > 1 and view["consecutiveFailures"]:
                    failed[name] = attempts, view
            return len(failed) == len(ways)
        support.wait_until(all_failed, 120, "all have failed")
        support.wait_until(lambda: any(each["statusCode"] == 200 for each in self.attempts(good)), 120,
                           "a receiver of the authority that it was told of has it")
        for name, (_, _, status, error) in ways.items():
            with self.subTest(way=name):
                (pending, attempt), view = failed[name]
                self.assertEqual((attempt["attempt"], attempt["trigger"], attempt["status"]), (1, "event", "failed"), attempt)
                self.assertEqual(attempt["statusCode"], status, attempt)
                kind = "(tls|timeout)" if error == "tls" else error  # the receiver shares the machine
                self.assertRegex(attempt["error"], f"^{kind}: .", attempt)
                self.check_retry_after(attempt, DELAYS[0])
                self.assertEqual((pending["attempt"], pending["trigger"], pending["status"], pending["nextRetryAt"]),
                                 (2, "retry", "pending", attempt["nextRetryAt"]))
                self.assertEqual(view["consecutiveFailures"], 1)
        self.assertEqual(receiving.requests(receiver.REDIRECT), [], "a redirect is not followed")
        self.assertEqual(self.made_attempts(hooks["error"])[0]["responseBody"], "boom")
        listed = json.loads(service.command("webhooks", "--json", "--worst"))["webhooks"]
        self.assertLessEqual({hook["id"] for hook in hooks.values()}, {each["id"] for each in listed})

    def check_retry_after(self, attempt, seconds):
        """The next attempt comes after the delay, a tenth longer at most, which begins when this one has failed."""
        between = (moment(attempt["nextRetryAt"]) - moment(attempt["attemptedAt"])).total_seconds()
        delay = round(between - attempt["durationMs"] / 1000, 3)
        self.assertTrue(seconds <= delay <= 1.1 * seconds, attempt)

    def test_what_is_kept_of_responses(self):
        long = "é" * 4000
        ways = {"huge": (receiver.HUGE, "h" * KEPT, True), "exactly": (Reply(500, b"e" * KEPT), "e" * KEPT, False),
                "one more": (Reply(200, b"m" * (KEPT + 1)), "m" * KEPT, True), "long": (Reply(500, long.encode()), long[:KEPT // 2], True),
                "split": (Reply(500, b"x" + long.encode()), None, True), "bad": (receiver.BAD_UTF8, None, False),
                "all bad": (Reply(500, b"\xff" * 5000), None, True), "bomb": (receiver.bomb(), None, True),
                "zeros": (Reply(500, b"\0" * 100), None, False)}
        hooks = {}
        for name, (script, *_) in ways.items():
            path = f"/{secrets.token_hex(6)}"
            receiving.script(path, script)
            hooks[name] = self.subscribe(path=path, events=["shift_posted"])
        self.post_shift()
        for name, (script, kept, truncated) in ways.items():
            with self.subTest(way=name):
                attempt = self.made_attempts(hooks[name])[0]
                self.assertEqual((attempt["statusCode"], attempt["responseTruncated"]), (script.status, truncated))
                self.assertLessEqual(len(attempt["responseBody"].encode()), KEPT)
                if kept is not None:
                    self.assertEqual(attempt["responseBody"], kept)
        self.assertRegex(self.made_attempts(hooks["bad"])[0]["responseBody"], "^caf\ufffd .*end$")
        self.assertEqual(set(self.made_attempts(hooks["all bad"])[0]["responseBody"]), {"\ufffd"})

    def test_six_failures_end_a_subscription(self):
        hook = self.subscribe(events=["shift_posted"])
        receiving.script(hook["path"], Reply(503, b"no"))
        self.post_shift()
        for number in range(1, 6):
            attempts = self.made_attempts(hook, number)
            self.check_retry_after(attempts[-1], DELAYS[number - 1])
            if number == 5:
                self.post_shift()  # its delivery is abandoned with the subscription
                self.made_attempts(hook, 6)
            self.hurry(hook)
        disabled = support.wait_until(lambda: not (view := owner.get(where(hook)).body)["isActive"] and view, webhooks.SENT_SECONDS, "it is disabled")
        self.assertEqual(disabled["metadata"]["disabledReason"], "max_retries_exceeded")
        self.assertRegex(disabled["metadata"]["lastError"], "503")
        self.assertRegex(disabled["metadata"]["disabledAt"], "Z$")
        self.settle()
        attempts = self.made_attempts(hook, 7)
        event = attempts[0]["eventId"]
        first = [each for each in attempts if each["eventId"] == event]
        self.assertEqual([(each["attempt"], each["status"]) for each in first], [(number, "failed") for number in range(1, 7)])
        self.assertIsNone(first[-1]["nextRetryAt"])
        self.assertEqual([each["status"] for each in attempts if each["eventId"] != event][-1], "abandoned")
        sent = [request for request in receiving.requests(hook["path"]) if request.headers["webhook-id"] == event]
        for number, request in enumerate(sent, 1):
            self.check_request(request, hook, "shift_posted", None if number == 1 else str(number))
            self.assertEqual(request.body, sent[0].body)
        self.assertEqual(len(sent), 6)
        audited = self.check(owner.get("/api/audit-log", resource=f"webhook:{hook['id']}", action="WEBHOOK_SUBSCRIPTION_DISABLED"), 200)["data"]
        self.assertEqual(len(audited), 1)
        receiving.script(hook["path"], receiver.OK)
        count = len(receiving.requests(hook["path"]))
        enabled = self.check(owner.patch(where(hook), {"isActive": True}), 200)
        self.assertEqual((enabled["isActive"], enabled["metadata"], enabled["consecutiveFailures"]), (True, {}, 0))
        shift = self.post_shift()
        later = self.arrived(hook, count + 1)[count:]
        self.assertEqual([json.loads(request.body)["data"]["shiftId"] for request in later], [shift["id"]], "what was missed is not sent")

    def test_attempts_are_shown_however_many_wait(self):
        hook = self.subscribe(events=["shift_posted"])
        receiving.script(hook["path"], Reply(500, b"no"))
        for _ in range(26):
            self.post_shift()
        self.made_attempts(hook, 26)
        shown = self.check(owner.get(where(hook)), 200)["deliveries"]
        self.assertEqual([(each["status"], each["statusCode"], each["responseBody"]) for each in shown], [("failed", 500, "no")] * 25)

    def test_switched_off_and_on(self):
        hook = self.subscribe(events=["shift_posted"])
        receiving.script(hook["path"], Reply(500))
        missed = self.post_shift()
        self.made_attempts(hook)
        self.check(owner.patch(where(hook), {"isActive": False}), 200)
        attempts = self.made_attempts(hook, 2)
        self.assertEqual([(each["attempt"], each["status"]) for each in attempts], [(1, "failed"), (2, "abandoned")])
        self.assertIsNone(attempts[1]["attemptedAt"])
        self.post_shift()
        self.settle()
        receiving.script(hook["path"], receiver.OK)
        self.assertEqual(self.check(owner.patch(where(hook), {"isActive": True}), 200)["consecutiveFailures"], 0)
        later = self.post_shift()
        told = [body["data"]["shiftId"] for body in self.bodies(hook, 2)]
        self.assertEqual(told, [missed["id"], later["id"]])

    def test_of_a_deactivated_organization_nothing_leaves(self):
        operator = owner.with_key(service.command("token", "super.admin@platform.example.com").strip())
        organization = f"/api/organizations/{self.customer}"
        hook = self.subscribe(events=["shift_posted"])
        receiving.script(hook["path"], Reply(500))
        self.post_shift()
        self.made_attempts(hook)
        self.check(operator.post(f"{organization}/deactivate"), 200)
        try:
            attempts = self.made_attempts(hook, 2, client=operator)
            self.assertEqual([(each["attempt"], each["status"]) for each in attempts], [(1, "failed"), (2, "abandoned")])
            receiving.script(hook["path"], receiver.OK)
            self.hurry(hook)
            missed = self.post_shift(operator)
            self.check_refused(operator.post(f"{where(hook)}/test"), 409, "INVALID_STATE_TRANSITION")
            self.settle()
            self.assertEqual(len(receiving.requests(hook["path"])), 1, "the retry does not leave")
        finally:
            self.check(operator.post(f"{organization}/reactivate"), 200)
        support.wait_until(lambda: owner.get("/api/auth/me").status == 200, webhooks.SENT_SECONDS, "keys open again")
        self.assertTrue(self.check(owner.get(where(hook)), 200)["isActive"])
        later = self.post_shift()
        told = [json.loads(request.body)["data"]["shiftId"] for request in self.arrived(hook, 2)[1:]]
        self.assertEqual(told, [later["id"]])
        self.assertNotIn(missed["id"], told)

    def test_a_receiver_that_hangs_holds_up_no_other(self):
        one = {"facilityId": self.facilities[0], "title": "Hang", "date": "2031-03-03", "startTime": "08:00", "endTime": "16:00"}
        for _ in range(5):  # once as a rule; a slow machine may need more than the ten seconds for which an attempt hangs
            hanging = [self.subscribe(events=["shift_posted"]) for _ in range(3)]
            for hook in hanging:
                receiving.script(hook["path"], receiver.SLOW)
            good = self.subscribe(events=["shift_posted"])
            shifts = self.check(owner.post("/api/shifts", {"shifts": [one] * 20}), 201)["data"]
            receiving.wait(good["path"], len(shifts))
            begun = [len(receiving.requests(hook["path"])) for hook in hanging]
            ended = [len([each for each in self.attempts(hook) if each["status"] != "pending"]) for hook in hanging]
            for hook in (*hanging, good):
                owner.delete(where(hook))
            if not any(ended):
                break
        self.assertEqual(ended, [0] * 3, "they hang still")
        self.assertLessEqual(max(begun), 4, "so many at once")


if __name__ == "__main__":
    unittest.main()
