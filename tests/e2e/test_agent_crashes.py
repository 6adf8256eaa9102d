# kill -9 of whoever works on runs of agents, at random and at each point that a step has: every effect is there once, and each run
# ends. And processes of a cluster that share the work.

import collections
import json
import random
import secrets
import threading
import time
import unittest

import cluster
import people
import rest
import support
from kafka_cluster import OnKafka, OnOwnKafka, shared

BUILDER, AGENTS, RUNS = "/api/agent-builder", "/api/agents", "/api/agent-runs"
ENDED = ("completed", "failed", "rejected", "cancelled")
SEED = 20261128
RUN_COUNT, STEPS = 20, 10
KILLS = 4  # of a cluster's workers
ROUNDS = 20 if support.LONG else 4
RUN_SECONDS = 180
TRIGGER = """
CREATE FUNCTION log.refuse_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.body LIKE '%"agent_run.step_finished"%' THEN RAISE EXCEPTION 'a test refuses this event'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse_step BEFORE INSERT ON log.event FOR EACH ROW EXECUTE FUNCTION log.refuse_step();
"""


class RunCase(rest.RestCase):
    """What suites of runs do; `service` and `admin`, a client of somebody who builds agents, are the suite's."""

    service = admin = None

    def posting(self, name, *reads):
        """An agent each of whose runs posts ten shifts, but for the steps that these calls are put in the place of."""
        steps = [{"id": f"post{number}", "tool": "shifts_create", "arguments": {
            "facilityId": self.facility, "title": f"{{{{input.run}}}} {number}", "date": "2031-06-01", "startTime": "08:00",
            "endTime": "16:00"}} for number in range(STEPS)]
        steps[1:1 + len(reads)] = [{"tool": tool} for tool in reads]
        return self.check(self.admin.post(BUILDER, {"name": name, "allowedTools": ["*"], "plan": steps,
                                                    "limits": {"timeoutSeconds": 900}}), 201)

    def start(self, built):
        """A run, and what its shifts are called."""
        name = f"Run {secrets.token_hex(6)}"
        key = {"Idempotency-Key": name}

        def ask():
            try:
                answer = self.admin.post(f"{AGENTS}/{built['id']}/runs", {"input": {"run": name}, "wait": 0}, key)
            except OSError:
                return None
            return answer.body if answer.status in (200, 202) else None
        return support.wait_until(ask, RUN_SECONDS, "a run starts")["id"], name

    def status_of(self, run):
        try:
            answer = self.admin.get(f"{RUNS}/{run}")
        except OSError:
            return None
        return answer.body["status"] if answer.status == 200 else None

    def wait_ended(self, run):
        support.wait_until(lambda: self.status_of(run) in ENDED, RUN_SECONDS, f"run {run} ends")

    def check_done_once(self, run, name):
        found = self.check(self.admin.get(f"{RUNS}/{run}"), 200)
        self.assertEqual(found["status"], "completed", found["error"])
        self.assertEqual([step["status"] for step in found["steps"]], ["ok"] * STEPS)
        posts = [number for number, step in enumerate(found["steps"]) if step["tool"] == "shifts_create"]
        titles = [shift["title"] for page in rest.pages(self.admin, "/api/shifts", q=name, limit=200) for shift in page]
        self.assertEqual(collections.Counter(titles), collections.Counter(f"{name} {number}" for number in posts))
        self.assertEqual(found["usage"]["toolCalls"], STEPS)
        events = [json.loads(body) for _, _, body in self.service.log_records()]
        mine = [event for event in events if event["subject"] == f"agent_run/{run}"]
        finished = [event["data"]["step"] for event in mine if event["type"] == "agent_run.step_finished"]
        self.assertEqual(finished, [step["id"] for step in found["steps"]], "each step is over once")
        self.assertEqual([event["type"] for event in mine if event["type"] == "agent_run.completed"], ["agent_run.completed"])


class KillCase(support.ServiceCase, RunCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.facility = cls.service.demo["facilityIds"][0]
        cls.admin = people.take_token(cls.service, people.make_user(cls.service, role="admin")["email"])

    def kill(self):
        self.service.kill9()
        self.admin.close()

    def go_on(self):
        """What the killed process had claimed is due, as if its time had passed."""
        self.service.postgres.psql("UPDATE reactor.agent_run_work SET due_at = now()")
        self.service.start()

    def posted(self, name):
        """How many shifts the log has of that run, whoever can be asked."""
        events = [json.loads(body) for _, _, body in self.service.log_records()]
        return sum(event["type"] == "shift.posted" and name in event["data"]["title"] for event in events)

    def await_lock(self, table):
        support.wait_until(lambda: int(self.service.postgres.value(
            f"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{table}'::regclass")), RUN_SECONDS, f"somebody waits for {table}")


class KillTest(KillCase):

    def test_at_random(self):
        chance = random.Random(SEED)
        agents = [self.posting(f"Random {number}") for number in range(RUN_COUNT // 5)]
        runs = [self.start(agents[number % len(agents)]) for number in range(RUN_COUNT)]
        kills = 0
        left = list(runs)
        while left and kills < 40:
            time.sleep(chance.uniform(0.05, 1))
            self.kill()
            kills += 1
            self.service.start()
            left = [(run, name) for run, name in left if self.status_of(run) not in ENDED]
        for run, name in runs:
            self.wait_ended(run)
            self.check_done_once(run, name)
        print(f"summary: {self.id()}: {kills} kills through {len(runs)} runs of {STEPS} steps")
        self.assertGreater(kills, 0)

    def test_between_call_and_event(self):
        """The log takes what the step's call did, and not that the step is over: the next process is told by the call's key."""
        run_name = None
        built = self.posting("Between call and event")
        self.service.postgres.psql(TRIGGER)
        try:
            run, run_name = self.start(built)
            support.wait_until(lambda: self.posted(run_name), RUN_SECONDS, "the first call took effect")
            self.kill()
        finally:
            self.service.postgres.psql("DROP FUNCTION log.refuse_step() CASCADE")
        self.go_on()
        self.wait_ended(run)
        self.check_done_once(run, run_name)

    def test_between_claim_and_call(self):
        """The log takes nothing, so that a turn that was claimed makes no call."""
        built = self.posting("Between claim and call")
        self.service.command("reactors", "pause", "agent_runs", "--reason", "a test")
        run, name = self.start(built)
        session = support.Session(self.service.postgres)
        try:
            session.execute("BEGIN; LOCK TABLE log.partition IN ACCESS EXCLUSIVE MODE")
            self.service.command("reactors", "resume", "agent_runs")
            self.await_lock("log.partition")
            self.kill()
        finally:
            session.close()
        self.assertEqual(self.posted(name), 0)
        self.go_on()
        self.wait_ended(run)
        self.check_done_once(run, name)

    def test_while_a_call_is_under_way(self):
        """What the second step reads does not come, so that its call has no answer: the next process makes it again."""
        built = self.posting("While a call is under way", "leads_list")
        session = support.Session(self.service.postgres)
        try:
            session.execute("BEGIN; LOCK TABLE read.lead IN ACCESS EXCLUSIVE MODE")
            run, name = self.start(built)
            self.await_lock("read.lead")
            self.kill()
        finally:
            session.close()
        self.assertEqual(self.posted(name), 1)
        self.go_on()
        self.wait_ended(run)
        self.check_done_once(run, name)

    def test_between_event_and_fold(self):
        """The log has all of the run, and no read model."""
        built = self.posting("Between event and fold")
        session = support.Session(self.service.postgres)
        try:
            session.execute("BEGIN; LOCK TABLE read.agent_run IN SHARE MODE")
            run, name = self.start(built)
            support.wait_until(lambda: self.posted(name) == STEPS, RUN_SECONDS, "the log has all calls of the run")
            self.kill()
        finally:
            session.close()
        self.assertEqual(self.service.postgres.value(f"SELECT count(*) FROM read.agent_run WHERE id = {run}"), "0")
        self.go_on()
        self.wait_ended(run)
        self.check_done_once(run, name)


class KillOnKafkaTest(OnKafka, KillTest):
    """The same with the log in Kafka, of which nothing can be locked or refused: see StalledKafkaTest."""

    test_between_call_and_event = test_between_claim_and_call = None


class StalledKafkaTest(OnOwnKafka, KillCase):
    """A broker that stands still when the process dies: of calls and of steps that are over nobody knows whether they are in the log."""

    def test_appends_of_which_nobody_knows(self):
        chance = random.Random(SEED + 2)
        built = self.posting("Stalled")
        for number in range(ROUNDS):
            runs = [self.start(built) for _ in range(3)]
            time.sleep(chance.uniform(0, 0.3))
            self.kafka.pause(1)
            time.sleep(chance.uniform(0, 0.2))
            self.kill()
            self.kafka.go_on(1)
            self.go_on()
            for run, name in runs:
                self.wait_ended(run)
                self.check_done_once(run, name)
            print(f"round {number}: {sum(self.posted(name) for _, name in runs)} shifts")


class ClusterTest(RunCase):
    """Two processes that take requests, and two that work: one of these is killed once a second."""

    @classmethod
    def kafka(cls):
        return None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        postgres = cls.enterClassContext(support.Postgres())
        cls.service = cls.cluster = cls.enterClassContext(cluster.Cluster(postgres, cls.kafka()))
        started = cls.cluster.start("api", "api", "workers", "workers")
        cls.apis, cls.workers = started[:2], started[2:]
        cls.facility = cls.cluster.demo["facilityIds"][0]
        cls.admin = people.take_token(cls.apis[0], people.make_user(cls.apis[0], cls.apis[0].client(), role="admin")["email"])

    def test_workers_that_die(self):
        agents = [self.posting(f"Cluster {number}") for number in range(RUN_COUNT // 5)]
        stop = threading.Event()
        kills = []

        def kill():
            for number in range(1000):
                if stop.wait(1):
                    return
                worker = self.workers[number % 2]
                worker.kill9()
                kills.append(worker)
                worker.start()
        killer = threading.Thread(target=kill)
        killer.start()
        try:
            runs = []
            while len(runs) < RUN_COUNT or len(kills) < KILLS:  # so that kills come between runs, however fast these are
                runs.append(self.start(agents[len(runs) % len(agents)]))
                if len(runs) >= RUN_COUNT:
                    stop.wait(0.2)
            for run, _ in runs:
                self.wait_ended(run)
        finally:
            stop.set()
            killer.join()
        for run, name in runs:
            self.check_done_once(run, name)

    def test_processes_that_are_replaced_in_order(self):
        """A new release: each process ends in order and is started again while runs go on; none fails, and each effect is there once."""
        built = [self.posting(f"Replaced {number}") for number in range(4)]
        runs = []
        for number, member in enumerate((*self.workers, *self.apis)):
            runs += [self.start(agent) for agent in built]
            member.stop()
            member.start()
            self.admin.close()
        for run, _ in runs:
            self.wait_ended(run)
        for run, name in runs:
            self.check_done_once(run, name)


class ClusterOnKafkaTest(ClusterTest):

    @classmethod
    def kafka(cls):
        return cls.enterClassContext(shared())


if __name__ == "__main__":
    unittest.main()
