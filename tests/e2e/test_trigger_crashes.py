# kill -9 while events and moments become runs, on both logs: one run each. And what a pause and a restore hold back.

import collections
import contextlib
import datetime
import json
import random
import secrets
import threading
import time
import unittest

import backups
import rest
import support
import triggers
from kafka_cluster import OnKafka
from triggers import TriggerCase

SEED = 20261128
KILLS = 20 if support.LONG else 4
EVENTS = 400 if support.LONG else 60


def admin_of(service):
    return rest.client_of(service, service.command("token", "admin@demo.example.com").strip())


class KillTest(support.ServiceCase, TriggerCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.admin, cls.facility = admin_of(cls.service), cls.service.demo["facilityIds"][0]

    def kill(self):
        """Kills the process; what it had claimed is due, as if its time had passed."""
        self.service.kill9()
        self.admin.close()
        self.service.postgres.psql("UPDATE reactor.trigger_work SET due_at = now()")

    def post_shifts(self, count, posted):
        """Posts so many, each until it is answered, whoever is killed meanwhile."""
        client = self.admin.with_key(self.service.command("token", "admin@demo.example.com").strip())
        while len(posted) < count:
            key = {"Idempotency-Key": secrets.token_hex(8)}
            body = triggers.SHIFT | {"facilityId": self.facility}
            for pause in range(600):
                with contextlib.suppress(OSError, rest.http.client.HTTPException):
                    answer = client.post("/api/shifts", body, key)
                    if answer.status == 201:
                        posted.append(answer.body["id"])
                        break
                time.sleep(0.02 * min(pause, 10))

    def check_once(self, made, causes, of):
        """Each trigger fired once for each cause, and each of these runs is there once."""
        fired = collections.defaultdict(list)
        for event in self.events("fired"):
            fired[event["subject"]].append(event)
        for one in made:
            own = fired[f"trigger/{one['id']}"]
            self.assertEqual(sorted(of(event) for event in own), sorted(causes), one)
            runs = [event["data"]["runId"] for event in own]
            self.assertEqual(sorted(run["id"] for run in self.runs(one)), sorted(runs))

    def test_kill_9_while_events_start_runs(self):
        chance = random.Random(SEED)
        agent = self.agent()
        made = [self.trigger(agent, eventType=kind, maxRunsPerHour=600) for kind in ("shift.posted", "shift.posted", "shift.*")]
        posted = []
        posting = threading.Thread(target=self.post_shifts, args=(EVENTS, posted))
        posting.start()
        for number in range(KILLS):
            enough = EVENTS * (number + 1) // (KILLS + 2)
            support.wait_until(lambda: len(posted) >= enough, triggers.RUN_SECONDS, f"some are posted before kill {number}")
            time.sleep(chance.random() / 2)
            self.kill()
            self.service.start()
        posting.join()
        self.settle()
        lines = self.service.command("tap", "--from", "start", "--until-idle", "--type", "shift.posted").splitlines()
        wanted = [event["id"] for event in map(json.loads, lines) if event["subject"].removeprefix("shift/") in map(str, posted)]
        self.assertEqual(len(wanted), EVENTS)
        self.check_once(made, wanted, lambda event: event["data"]["eventId"])

    def test_kill_9_at_the_moment_of_schedules(self):
        chance = random.Random(SEED + 1)
        agent = self.agent()
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=75)
        made = [self.trigger(agent, cron=f"{moment.minute} {moment.hour} * * *", timezone="UTC") for _ in range(20)]
        due = made[0]["nextRunAt"]
        at = datetime.datetime.fromisoformat(due)
        support.wait_until(lambda: datetime.datetime.now(datetime.timezone.utc) >= at, triggers.RUN_SECONDS, "the moment has come")
        for _ in range(KILLS):
            time.sleep(chance.random() * 2)
            self.kill()
            self.service.start()
        for one in made:
            self.until_runs(one, 1)
        self.settle()
        self.check_once(made, [due], lambda event: event["data"]["dueAt"])
        self.assertEqual({self.read(one)["nextRunAt"][11:] for one in made}, {due[11:]})

    def test_what_is_paused_fires_once_when_it_goes_on(self):
        one = self.trigger(self.agent(), eventType="shift.posted")
        self.service.command("reactors", "pause", "triggers", "--reason", "a test")
        for _ in range(3):
            self.post_shift()
        self.kill()
        self.service.start()
        self.service.wait_projected()
        self.assertEqual(self.runs(one), [])
        self.service.command("reactors", "resume", "triggers")
        self.until_runs(one, 3)
        self.settle()
        self.assertEqual(len(self.runs(one)), 3)


class KillOnKafkaTest(OnKafka, KillTest):
    pass


class RestoredTest(backups.BackupCase, TriggerCase):

    @classmethod
    def setUpClass(cls):
        cls.service, _ = backups.start()
        cls.admin, cls.facility = admin_of(cls.service), cls.service.demo["facilityIds"][0]

    def test_a_clone_fires_nothing_until_it_is_told_to(self):
        agent = self.agent()
        seeing = self.trigger(agent, eventType="shift.posted")
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=60)
        due = self.trigger(agent, cron=f"{moment.minute} {moment.hour} * * *", timezone="UTC")
        self.service.wait_projected()
        path = self.backup()
        for job in ("triggers", "trigger_clock"):
            self.service.command("reactors", "pause", job, "--reason", "the clone is looked at")
        clone = self.restored(path)
        served = self.served(clone)
        original, type(self).admin = self.admin, rest.client_of(served, served.command("token", "admin@demo.example.com").strip())
        try:
            self.post_shift()
            at = datetime.datetime.fromisoformat(due["nextRunAt"]) + datetime.timedelta(seconds=5)
            support.wait_until(lambda: datetime.datetime.now(datetime.timezone.utc) >= at, triggers.RUN_SECONDS, "the moment has come")
            served.wait_projected()
            self.assertEqual([self.runs(each) for each in (seeing, due)], [[], []])
            clone.run("reactors", "resume", check=True)
            for each in (seeing, due):
                self.until_runs(each, 1)
            self.settle(served)
            self.assertEqual([len(self.runs(each)) for each in (seeing, due)], [1, 1])
        finally:
            type(self).admin = original


if __name__ == "__main__":
    unittest.main()
