# kill -9 while webhooks are delivered: each event arrives at each subscription, few twice and then as it was. A rebuild sends
# nothing, and a restored clone nothing until it is told to.

import collections
import json
import os
import random
import time
import unittest

import backups
import receiver
import rest
import support
import webhooks
from kafka_cluster import OnKafka
from receiver import Reply
from webhooks import WebhookCase, where

SEED = 20261125
UNRECORDED = 4  # deliveries of one subscription that a process has made and not recorded, at most
MOST_REPEATS = 0.01  # of all, where there are enough
BULK = 50  # shifts in one request
# With WORKFORCE_WEBHOOK_KILLS=N a test has N kills, each among a thousand deliveries (docs/testing.md).
LONG_KILLS = int(os.environ.get("WORKFORCE_WEBHOOK_KILLS", "0"))
LONG_HOOKS = int(os.environ.get("WORKFORCE_WEBHOOK_HOOKS", "2"))


class WebhookCrashesTest(support.ServiceCase, WebhookCase):
    ENVIRONMENT = webhooks.settings() | webhooks.MANY
    KILLS, SHIFTS, HOOKS = (5, 200, 10) if support.LONG else (3, 100, 5)

    @classmethod
    def setUpClass(cls):
        if LONG_KILLS:
            cls.KILLS, cls.HOOKS = LONG_KILLS, LONG_HOOKS
            cls.SHIFTS = 1000 * LONG_KILLS // LONG_HOOKS // BULK * BULK
        cls.receiving = cls.enterClassContext(receiver.Receiver())
        super().setUpClass()
        cls.owner = rest.client_of(cls.service)

    def post_shifts(self, count):
        """Posts them, and returns the ids of their events."""
        one = {"facilityId": self.facilities[0], "title": "Crash", "date": "2031-03-03", "startTime": "08:00", "endTime": "16:00"}
        shifts = set()
        for _ in range(count // BULK):
            made = self.check(self.owner.post("/api/shifts", {"shifts": [one] * BULK}), 201)
            shifts |= {f"shift/{shift['id']}" for shift in made["data"]}
        lines = self.service.command("tap", "--from", "start", "--until-idle", "--type", "shift.posted").splitlines()
        return {event["id"] for event in map(json.loads, lines) if event["subject"] in shifts}

    def setUp(self):
        self.before = len(self.receiving.requests())

    def count(self):
        """The requests that came in this test."""
        return len(self.receiving.requests()) - self.before

    def kill(self):
        """Kills the process; what it had leased is free, as if its time had passed."""
        self.service.kill9()
        self.owner.close()
        self.service.forget_killed()
        self.service.postgres.psql("UPDATE reactor.webhook_queue SET leased_until = '-infinity'")

    def check_arrived(self, hooks, events, kills):
        """Each event came to each subscription; again only what a killed process had under way, with the same bytes."""
        repeats = 0
        for hook in hooks:
            bodies = collections.defaultdict(list)
            for request in self.receiving.requests(hook["path"]):
                bodies[request.headers["webhook-id"]].append(request.body)
                self.assertEqual(request.headers["X-Service-Signature"], webhooks.signature(hook["signingSecret"], request.body))
            self.assertEqual(set(bodies), events)
            for event, same in bodies.items():
                self.assertEqual({json.loads(body)["id"] for body in same}, {event})
                self.assertEqual(len(set(same)), 1)
                repeats += len(same) - 1
            done = [each for each in self.attempts(hook) if each["status"] == "succeeded"]
            self.assertEqual(sorted(each["eventId"] for each in done), sorted(events), "each is recorded once")
            view = self.check(self.owner.get(where(hook)), 200)
            self.assertEqual((view["isActive"], view["consecutiveFailures"]), (True, 0))
        wanted = len(hooks) * len(events)
        print(f"summary: {self.id()}: {wanted} deliveries to {len(hooks)} subscriptions, {kills} kills, "
              f"{repeats} came again ({100 * repeats / wanted:.2f} %)")
        self.assertLessEqual(repeats, kills * len(hooks) * UNRECORDED)
        if LONG_KILLS and len(hooks) == LONG_HOOKS == 2:
            self.assertLess(repeats, wanted * MOST_REPEATS)

    def held_deliveries(self):
        """New subscriptions, and the ids of events that are to be sent to them once the service starts."""
        hooks = [self.subscribe(events=["shift_posted"]) for _ in range(self.HOOKS)]
        for hook in hooks if not LONG_KILLS else ():
            self.receiving.script(hook["path"], Reply(wait=0.02))
        self.service.command("reactors", "pause", "webhooks", "--reason", "a test")
        events = self.post_shifts(self.SHIFTS)
        self.assertEqual((len(events), self.count()), (self.SHIFTS, 0))
        self.kill()
        self.service.postgres.psql("DELETE FROM reactor.pause")
        return hooks, events

    def test_kill_9_while_they_are_sent(self):
        chance = random.Random(SEED)
        hooks, events = self.held_deliveries()
        kills, wanted = 0, len(events) * len(hooks)
        while kills < self.KILLS and self.count() < wanted * 0.8:
            more = self.count() + chance.randrange(wanted // (8 * self.KILLS), wanted // (4 * self.KILLS))
            self.service.launch()
            support.wait_until(lambda enough=more: self.count() >= enough, webhooks.SENT_SECONDS, f"some are sent before kill {kills}")
            self.kill()
            kills += 1
        self.assertGreater(kills, min(1, self.KILLS - 1))
        self.service.start()
        self.settle()
        self.check_arrived(hooks, events, kills)
        before = self.count()
        self.service.command("rebuild", "--all")
        last = self.post_shifts(BULK)  # folded after what a rebuild could have made
        self.settle()
        self.assertEqual(self.count(), before + len(last) * len(hooks))
        self.check_arrived(hooks, events | last, kills)

    def test_kill_9_of_postgresql_while_they_are_sent(self):
        """The service lives through it, and has what it could not record in memory."""
        chance = random.Random(SEED + 1)
        hooks, events = self.held_deliveries()
        wanted = len(events) * len(hooks)
        self.service.start()
        kills = 0
        while kills < self.KILLS and self.count() < wanted * 0.8:
            more = self.count() + chance.randrange(wanted // (8 * self.KILLS), wanted // (4 * self.KILLS))
            support.wait_until(lambda enough=more: self.count() >= enough, webhooks.SENT_SECONDS, f"some are sent before kill {kills}")
            self.service.postgres.kill9()
            self.service.postgres.start()
            kills += 1
        support.wait_until(self.service.ready, support.READY_SECONDS, "the service is ready")
        self.settle()
        self.check_arrived(hooks, events, kills)

    def test_kill_9_of_retries_and_fan_out(self):
        """The process dies while receivers fail, and at once after events; what is due then is sent, with its attempts' numbers."""
        hook = self.subscribe(events=["shift_posted"])
        self.receiving.script(hook["path"], *[Reply(500)] * BULK, receiver.OK)
        events = self.post_shifts(BULK)
        self.receiving.wait(hook["path"], BULK // 2)
        self.kill()
        self.service.start()
        support.wait_until(lambda: self.due() == 0, webhooks.SENT_SECONDS, "all had their first attempt")
        self.kill()
        self.hurry(hook)
        self.service.start()
        self.settle()
        requests = self.receiving.requests(hook["path"])
        self.assertEqual({request.headers["webhook-id"] for request in requests}, events)
        for event in events:
            retries = [int(request.headers["X-Service-Retry"] or 1) for request in requests if request.headers["webhook-id"] == event]
            self.assertEqual(retries, sorted(retries), "in order of the attempts")
        succeeded = [each["eventId"] for each in self.attempts(hook) if each["status"] == "succeeded"]
        self.assertEqual(sorted(succeeded), sorted(events))
        self.assertFalse([each for each in self.attempts(hook) if each["status"] == "pending"])


class WebhookCrashesOnKafkaTest(OnKafka, WebhookCrashesTest):
    """The log is in Kafka."""


class RestoredTest(backups.BackupCase, WebhookCase):

    @classmethod
    def setUpClass(cls):
        cls.receiving = cls.enterClassContext(receiver.Receiver())
        cls.service, _ = backups.start(webhooks.settings())
        cls.owner = rest.client_of(cls.service)

    def test_a_clone_sends_nothing_until_it_is_told_to(self):
        hook, failing = self.subscribe(events=["shift_posted"]), self.subscribe(events=["shift_posted"])
        self.receiving.script(failing["path"], Reply(503), receiver.OK)
        self.post_shift()
        self.made_attempts(hook)
        self.made_attempts(failing)
        self.put_off(failing)
        self.settle()
        path = self.backup()
        self.service.command("reactors", "pause", "webhooks", "--reason", "the clone is looked at")
        clone = self.restored(path)
        served = self.served(clone)
        at_clone = rest.client_of(served)
        self.assertEqual([len(self.attempts(each, at_clone)) for each in (hook, failing)], [1, 2], "what was sent is known")
        clone.psql("UPDATE reactor.webhook_delivery SET due_at = now(); UPDATE reactor.webhook_queue SET next_due = now()")
        self.post_shift(at_clone)
        served.wait_projected()
        listed = json.loads(clone.run("reactors", "--json", check=True).stdout)["reactors"]
        self.assertTrue(all(each["paused"] for each in listed))
        time.sleep(2)  # for what should not come
        self.assertEqual([len(self.receiving.requests(each["path"])) for each in (hook, failing)], [1, 1])
        clone.run("reactors", "resume", check=True)
        sent = [self.receiving.wait(each["path"], count) for each, count in ((hook, 2), (failing, 3))]
        support.wait_until(lambda: clone.value("SELECT count(*) FROM reactor.webhook_delivery") == "0", webhooks.SENT_SECONDS, "all is sent")
        self.assertEqual([len(self.receiving.requests(each["path"])) for each in (hook, failing)], [2, 3])
        retry = next(request for request in sent[1] if request.headers["X-Service-Retry"])
        self.check_request(retry, failing, "shift_posted", "2")
        for request in (sent[0][1], next(request for request in sent[1][1:] if request is not retry)):
            self.check_request(request, hook if request is sent[0][1] else failing, "shift_posted")
        ids = [each["id"] for each in self.attempts(failing, at_clone)]
        self.assertEqual(len(ids), len(set(ids)))


if __name__ == "__main__":
    unittest.main()
