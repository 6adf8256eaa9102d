# kill -9 between the approval of a payroll run and its settlement, at each point that there is, answers that get lost, and backups
# taken in between and restored: each run is submitted under one key and paid once. And processes of a cluster that share the work.

import contextlib
import json
import os
import random
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import backups
import cluster
import payroll
import rest
import support
from kafka_cluster import OnKafka
from payroll import RUNS, Provider, call_back
from receiver import Reply

SEED = 20261128
POLL = {"WORKFORCE_PAYROLL_POLL_SECONDS": "1"}  # the provider never calls back unless a test does
KILLS = 12 if support.LONG else 3  # of the suite that kills at random


def provider_of(case):
    """A provider of the suite's own, and the settings of a service that has its runs paid there."""
    directory = Path(case.enterClassContext(tempfile.TemporaryDirectory()))
    provider = case.enterClassContext(Provider())
    return provider, provider.settings(directory) | POLL


class CrashCase(payroll.PayrollCase):
    service = provider = None

    def hurry(self):
        """What waits is due, as if its time had passed: pauses between attempts and questions, and what a process that died had claimed."""
        for due in ("payroll_work SET due_at", "payroll_attempt SET poll_at", "payroll_callback SET due_at"):
            self.service.postgres.psql(f"UPDATE reactor.{due} = now() WHERE {due.split()[-1]} IS NOT NULL")

    def until(self, run, status, client=None):
        """As of others, without pauses between questions to the provider."""
        def stands():
            # Rows that the service changes at this moment are due anyway; to wait for them might be to wait for each other.
            self.service.postgres.psql("UPDATE reactor.payroll_attempt SET poll_at = now() WHERE ctid = ANY (ARRAY("
                                       "SELECT ctid FROM reactor.payroll_attempt WHERE poll_at IS NOT NULL FOR UPDATE SKIP LOCKED))")
            return (found := self.run_of(run, client))["status"] == status and found
        return support.wait_until(stands, payroll.WAIT_SECONDS, f"run {run['id']} is {status}")

    def settle(self, run, **how):
        """From now on the provider says that all of the run is paid."""
        self.provider.reports[self.provider.external(run)] = self.provider.report_of(run, **how)

    def check_paid_once(self, run):
        key = f"pr_{run['id']}_1"
        bodies = [body for sent, body in self.provider.submitted(run) if sent == key]
        self.assertTrue(all(body == bodies[0] for body in bodies))
        self.assertEqual(self.provider.paid_keys(run), [key])
        self.assertEqual(self.provider.unsigned, [])
        types = self.types_of(self.service, run)
        for once in ("approved", "submitted", "paid"):
            self.assertEqual(types.count(once), 1, types)
        self.assertEqual({each["status"] for each in self.payments(run)}, {"paid"})
        self.check_logs(run, ["paid"] * len(run["logs"]))


class KillTest(support.ServiceCase, CrashCase):

    @classmethod
    def setUpClass(cls):
        cls.provider, cls.ENVIRONMENT = provider_of(cls)
        super().setUpClass()
        cls.owner, cls.facility = rest.client_of(cls.service), cls.service.demo["facilityIds"][0]

    def setUp(self):
        self.provider.misbehave.clear()

    @contextlib.contextmanager
    def locked(self, table):
        """Nobody gets at the table until the end, when the service is killed: once somebody waits."""
        session = support.Session(self.service.postgres)
        try:
            session.execute(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield
            support.wait_until(lambda: int(self.service.postgres.value(
                f"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{table}'::regclass")), payroll.WAIT_SECONDS,
                f"somebody waits for {table}")
            self.kill()
        finally:
            session.close()

    def kill(self):
        self.service.kill9()
        self.owner.close()

    def go_on(self):
        """Starts the service again, for which all that waits is due."""
        self.hurry()
        self.service.start_at_once()

    def begin_approval(self, run, key):
        """The thread that approves the run."""
        client = rest.client_of(self.service)

        def ask():
            with contextlib.suppress(Exception):
                client.post(f"{RUNS}/{run['id']}/approve", headers={"Idempotency-Key": key})
        thread = threading.Thread(target=ask)
        thread.start()
        return thread

    def approve_and_die(self, run, key, do):
        """Approves, for an answer that is lost with the process that `do()` kills."""
        thread = self.begin_approval(run, key)
        do()
        thread.join()

    def check_goes_on(self, run, key):
        """After the restart a retry of the request is told what became of it, and the run is paid once."""
        self.go_on()
        again = self.check(self.owner.post(f"{RUNS}/{run['id']}/approve", headers={"Idempotency-Key": key}), 200)
        self.assertIn(again["externalPayrollId"], (None, self.run_of(run)["externalPayrollId"]))
        support.wait_until(lambda: self.run_of(run)["externalPayrollId"], payroll.WAIT_SECONDS, "it is submitted")
        self.settle(run)
        self.until(run, "paid")
        self.check_paid_once(run)

    def test_between_claim_and_call(self):
        run = self.draft()
        support.wait_until(lambda: self.service.postgres.value(f"SELECT count(*) FROM reactor.payroll_run WHERE id = {run['id']}") == "1",
                           payroll.WAIT_SECONDS, "the draft is folded: only who submits it looks there")
        with self.locked("reactor.payroll_run"):
            thread = self.begin_approval(run, "claim")
        thread.join()
        self.assertEqual(self.provider.submitted(run), [])
        self.check_goes_on(run, "claim")

    def test_between_call_and_answer(self):
        run, called = self.draft(), threading.Event()

        def hang(*_):
            called.set()
            return Reply(200, b"{}", wait=3600)
        self.provider.misbehave.append(hang)

        def die():
            self.assertTrue(called.wait(payroll.WAIT_SECONDS))
            self.kill()
        self.approve_and_die(run, "call", die)
        self.check_goes_on(run, "call")
        self.assertEqual(len(self.provider.submitted(run)), 2, "it was asked again, under the same key")

    def test_between_answer_and_event(self):
        """The log takes nothing while the provider answers, and the process dies then."""
        run, locked = self.draft(), threading.Event()
        going = threading.Event()

        def answer(*_):
            going.set()
            locked.wait(payroll.WAIT_SECONDS)
        self.provider.misbehave.append(answer)

        def die():
            self.assertTrue(going.wait(payroll.WAIT_SECONDS))
            with self.locked("log.partition"):
                locked.set()
        self.approve_and_die(run, "answer", die)
        self.assertEqual(len(self.provider.submitted(run)), 1)
        self.check_goes_on(run, "answer")

    def test_between_event_and_fold(self):
        run, going, locked = self.draft(), threading.Event(), threading.Event()

        def answer(*_):
            going.set()
            locked.wait(payroll.WAIT_SECONDS)
        self.provider.misbehave.append(answer)

        def die():
            self.assertTrue(going.wait(payroll.WAIT_SECONDS))
            session = support.Session(self.service.postgres)
            try:
                session.execute("BEGIN; LOCK TABLE reactor.payroll_attempt IN ACCESS EXCLUSIVE MODE")
                locked.set()
                support.wait_until(lambda: "submitted" in self.types_of(self.service, run), payroll.WAIT_SECONDS, "the log has it")
                self.kill()
            finally:
                session.close()
        self.approve_and_die(run, "event", die)
        self.check_goes_on(run, "event")

    def test_between_report_and_settlement(self):
        run = self.draft(people=3)
        self.approve(run)
        with self.locked("log.partition"):
            status, text = call_back(self.service.demo["adminUrl"], self.provider.secret, self.provider.report_of(run))
            self.assertEqual(status, 200, text)
        self.go_on()
        self.until(run, "paid")
        self.check_paid_once(run)

    def test_at_random(self):
        chance = random.Random(SEED)
        runs = [self.draft(people=1) for _ in range(3 * KILLS)]
        left = list(runs)
        for number in range(KILLS):
            some, left = left[:3], left[3:]
            threads = [self.begin_approval(run, f"random {run['id']}") for run in some]
            time.sleep(chance.uniform(0, 0.6))
            self.kill()
            for thread in threads:
                thread.join()
            self.go_on()
            for run in some:
                self.approve_again(run, f"random {run['id']}")
            print(f"summary: {self.id()}: kill {number + 1} of {KILLS}")
        for run in runs:
            support.wait_until(lambda one=run: self.run_of(one)["externalPayrollId"], payroll.WAIT_SECONDS, "it is submitted")
            self.settle(run)
        for run in runs:
            self.until(run, "paid")
            self.check_paid_once(run)

    def approve_again(self, run, key):
        """As a client that retries does."""
        def approved():
            try:
                return self.owner.post(f"{RUNS}/{run['id']}/approve", headers={"Idempotency-Key": key}).status == 200
            except OSError:
                return False
        support.wait_until(approved, payroll.WAIT_SECONDS, f"run {run['id']} is approved")


class KillOnKafkaTest(OnKafka, KillTest):
    """The same with the log in Kafka, of which nothing can be locked."""

    test_between_answer_and_event = test_between_report_and_settlement = None


class QuestionTest(support.ServiceCase, CrashCase):
    """A provider that does not call back is asked how a run stands until it says so."""

    @classmethod
    def setUpClass(cls):
        cls.provider, cls.ENVIRONMENT = provider_of(cls)
        super().setUpClass()
        cls.owner, cls.facility = rest.client_of(cls.service), cls.service.demo["facilityIds"][0]

    def test_answers_that_say_nothing(self):
        run, other = self.draft(), self.draft()
        for each in (run, other):
            self.approve(each)
        wrong = [Reply(500), Reply(200, b"<html>paid</html>"), Reply(200, json.dumps(self.provider.report_of(other)).encode()),
                 Reply(200, json.dumps(self.provider.report_of(run)).encode() + b" " * 1000, cut=True)]
        self.provider.polls[self.provider.external(run)] = wrong
        self.settle(run)
        support.wait_until(lambda: (self.hurry(), not wrong)[1], payroll.WAIT_SECONDS, "it is asked again")
        self.until(run, "paid")
        self.check_paid_once(run)
        self.assertEqual(self.run_of(other)["status"], "processing")

    def test_a_cancellation_whose_answer_is_lost(self):
        run = self.draft()
        self.approve(run)
        self.provider.cancels[self.provider.external(run)] = Reply(500)
        self.check_refused(self.owner.post(f"{RUNS}/{run['id']}/cancel"), 502, "UPSTREAM_ERROR")
        self.until(run, "cancelled")
        self.check_logs(run, ["approved"] * len(run["logs"]))


class BackupTest(backups.BackupCase, CrashCase):
    """A backup is taken while runs are on their way, and restored beside the installation, which goes on."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.provider, settings = provider_of(cls)
        cls.service, _ = backups.start(settings)
        cls.owner, cls.facility = rest.client_of(cls.service), cls.service.demo["facilityIds"][0]

    def test_nothing_is_paid_twice(self):
        waits, half, ends = self.draft(people=2), self.draft(people=2), self.draft(people=2)
        self.approve(half)
        self.approve(ends)
        whole = self.provider.report_of(half)
        status, text = call_back(self.service.demo["adminUrl"], self.provider.secret,
                                 whole | {"status": "processing", "payments": whole["payments"][:1]})
        self.assertEqual(status, 200, text)
        self.until_paid(half, 1)
        self.service.command("reactors", "pause", "payroll", "--reason", "a backup with runs on their way")
        self.assertIsNone(self.approve(waits)["externalPayrollId"])
        path = self.backup()
        self.service.command("reactors", "resume")
        support.wait_until(lambda: self.provider.submitted(waits), payroll.WAIT_SECONDS, "the original goes on")
        for run in (waits, half, ends):
            self.settle(run)
            self.until(run, "paid")
            self.check_paid_once(run)

        before = len(self.provider.submissions), dict(self.provider.keys)
        clone = self.restored(path)
        served = self.served(clone)
        restored = rest.client_of(served)
        fresh = self.draft(client=restored)
        self.assertIsNone(self.approve(fresh, client=restored)["externalPayrollId"], "the clone submits nothing until it is told")
        served.wait_projected()
        self.assertEqual((len(self.provider.submissions), self.provider.keys), before)
        listed = json.loads(clone.run("reactors", "--json", check=True).stdout)["reactors"]
        self.assertTrue(all(each["paused"] for each in listed if each["name"] == "payroll"))

        clone.run("reactors", "resume", check=True)
        for run in (waits, half, ends):
            self.until(run, "paid", client=restored)
            self.assertEqual(self.provider.paid_keys(run), [f"pr_{run['id']}_1"], "the provider pays a key once")
            self.assertEqual(self.payments(run, restored)[0]["status"], "paid")
            original = {each["id"]: each["externalPaymentId"] for each in self.payments(run)}
            self.assertEqual({each["id"]: each["externalPaymentId"] for each in self.payments(run, restored)}, original)
        support.wait_until(lambda: self.run_of(fresh, restored)["externalPayrollId"], payroll.WAIT_SECONDS, "what is new is submitted")
        after = dict(self.provider.keys)
        self.assertEqual({key: external for key, external in after.items() if key in before[1]}, before[1])
        self.assertEqual(set(after) - set(before[1]), {f"pr_{fresh['id']}_1"})


class ClusterTest(CrashCase):
    """Two processes that take requests, and two that do the work."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.provider, settings = provider_of(cls)
        postgres = cls.enterClassContext(support.Postgres())
        cls.service = cls.cluster = cls.enterClassContext(cluster.Cluster(postgres, None))
        started = cls.cluster.start("api", "api", "workers", "workers", **settings)
        cls.apis, cls.workers = started[:2], started[2:]
        cls.owner, cls.facility = cls.apis[0].client(), cls.cluster.demo["facilityIds"][0]

    def test_two_at_once_and_a_report_to_any_process(self):
        for member in (*self.apis, *self.workers):
            with self.subTest(told=member.name):
                run = self.draft()
                clients = [api.client() for api in self.apis]
                with ThreadPoolExecutor(2) as pool:
                    answers = list(pool.map(lambda client: client.post(f"{RUNS}/{run['id']}/approve"), clients))
                self.assertEqual(sorted(answer.status for answer in answers), [200, 409])
                approved = min(answers, key=lambda answer: answer.status).body
                self.assertEqual(approved["externalPayrollId"], self.provider.external(run))
                status, text = call_back(member.admin_url, self.provider.secret, self.provider.report_of(run))
                self.assertEqual(status, 200, text)
                self.until(run, "paid")
                self.check_paid_once(run)

    @contextlib.contextmanager
    def submission(self, answer=None):
        """A run that is approved, while its provider is asked and answers nothing, or what `answer()` gives; after it the answer to the
        approval is a list's only item."""
        run, called, answers = self.draft(), threading.Event(), []

        def take(*_):
            called.set()
            return answer() if answer else Reply(200, b"{}", wait=3600)
        self.provider.misbehave.append(take)
        thread = threading.Thread(target=lambda: answers.append(self.apis[1].client().post(f"{RUNS}/{run['id']}/approve")))
        thread.start()
        self.assertTrue(called.wait(payroll.WAIT_SECONDS))
        yield run, answers
        thread.join()

    def check_goes_on(self, run):
        """Once the workers live again the run is submitted, if it was not before, and paid once."""
        self.hurry()
        for member in self.workers:
            member.start()
        support.wait_until(lambda: self.run_of(run)["externalPayrollId"], payroll.WAIT_SECONDS, "another process submits it")
        self.settle(run)
        self.until(run, "paid")
        self.check_paid_once(run)

    def test_whoever_submits_dies(self):
        """Its work is another process's once the lease is over."""
        with self.submission() as (run, answers):
            for member in self.workers:
                member.kill9()
        self.assertEqual((answers[0].status, answers[0].body["externalPayrollId"]), (200, None), str(answers[0]))
        claimed = "SELECT extract(epoch FROM due_at - now()) FROM reactor.payroll_work"
        self.assertGreater(float(self.service.postgres.value(claimed)), 0, "it is nobody else's for now")
        self.check_goes_on(run)

    def test_whoever_submits_stops(self):
        """The provider does not answer by then: the process ends in order all the same, and others go on."""
        with self.submission() as (run, answers):
            for member in self.workers:
                member.stop()
        self.assertEqual((answers[0].status, answers[0].body["externalPayrollId"]), (200, None), str(answers[0]))
        self.check_goes_on(run)

    def test_an_answer_while_whoever_submits_stops(self):
        stopping = threading.Event()
        with self.submission(lambda: stopping.wait(payroll.WAIT_SECONDS) and None) as (run, answers):
            for member in self.workers:
                member.terminate()
            for member in self.workers:
                support.wait_until(member.stops, payroll.WAIT_SECONDS, "it is about to end")
            stopping.set()
            for member in self.workers:
                self.assertEqual(member.ended(), 0, member.tail())
        self.assertEqual(answers[0].status, 200, str(answers[0]))
        self.check_goes_on(run)


if __name__ == "__main__":
    unittest.main()
