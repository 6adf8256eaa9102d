# kill -9 around the append that carries out what was approved, on both logs, and at each point of what is asked outside; and many who
# decide at once through two processes. Whatever happens, one decision counts, and what was approved is done once.

import concurrent.futures
import contextlib
import json
import random
import threading
import time

import approvals
import cluster
import people
import rest
import support
from approvals import IN_APP, LIST
from kafka_cluster import OnKafka

SEED = 20261128
WAIT_SECONDS = 60
KILLS = 20 if support.LONG else 4
TRIGGER = """
CREATE FUNCTION log.refuse_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.body LIKE '%"approval.executed"%' THEN RAISE EXCEPTION 'a test refuses this event'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER refuse_result BEFORE INSERT ON log.event FOR EACH ROW EXECUTE FUNCTION log.refuse_result();
"""


class ApprovalCase(rest.RestCase):
    service = owner = agent = approver = None

    def is_active(self, staff):
        return self.check(self.owner.get(f"/api/staff/{staff}"), 200)["isActive"]

    def check_done_once(self, approval, staff):
        self.assertEqual(support.logged_types(self.service, f"approval/{approval}"),
                         ["approval.requested", "approval.approved", "approval.executed"])
        self.assertEqual(support.logged_types(self.service, f"staff/{staff}").count("staff.deactivated"), 1)
        self.service.wait_projected()  # it is others who read
        self.assertFalse(self.is_active(staff))


class KillTest(support.ServiceCase, ApprovalCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.owner = rest.client_of(cls.service)
        cls.here = cls.service.demo["facilityIds"][0]
        admin = people.make_user(cls.service, role="admin")
        cls.token = people.login(people.client_of(cls.service), admin["email"], path=people.TOKEN).body["token"]
        cls.approver = rest.client_of(cls.service, cls.token)
        cls.agent = approvals.Agent(cls.service, ["staff:write", "payroll:run"], admin["id"])
        rest.wait_for_key(cls.service, cls.agent.id)

    def defer(self):
        staff = approvals.onboard(self.owner, facilityIds=[self.here])
        return self.agent.defer(staffId=staff), staff

    @contextlib.contextmanager
    def locked(self, table, waiting=1):
        """Nobody gets at the table until the end, when the service is killed: once somebody waits."""
        session = support.Session(self.service.postgres)
        try:
            session.execute(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield
            support.wait_until(lambda: int(self.service.postgres.value(
                f"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{table}'::regclass")) >= waiting, WAIT_SECONDS,
                f"somebody waits for {table}")
            self.kill()
        finally:
            session.close()

    def kill(self):
        self.service.kill9()
        for client in (self.owner, self.approver, self.agent.rest):
            client.close()

    def go_on(self):
        """Starts the service again; what the killed process had claimed is due, as if its time had passed."""
        self.service.postgres.psql("UPDATE reactor.approval_work SET due_at = now(); UPDATE reactor.payroll_work SET due_at = now()")
        self.service.start_at_once()

    def begin(self, approval):
        """The thread that approves, whose answer may be lost."""
        client = rest.client_of(self.service, self.token)

        def ask():
            with contextlib.suppress(Exception):
                client.post(f"{IN_APP}/{approval}/approve", headers={"Idempotency-Key": f"approve {approval}"})
        thread = threading.Thread(target=ask)
        thread.start()
        return thread

    def again(self, approval):
        """As a client that retries does: the answer."""
        def answer():
            try:
                given = self.approver.post(f"{IN_APP}/{approval}/approve", headers={"Idempotency-Key": f"approve {approval}"})
            except OSError:
                return None
            return given if given.status == 200 else None
        return support.wait_until(answer, WAIT_SECONDS, f"approval {approval} is approved").body

    def test_before_the_append(self):
        approval, staff = self.defer()
        with self.locked("log.partition"):
            thread = self.begin(approval)
        thread.join()
        self.go_on()
        self.assertEqual(support.logged_types(self.service, f"approval/{approval}"), ["approval.requested"])
        self.assertTrue(self.is_active(staff))
        self.assertTrue(self.again(approval)["success"])
        self.check_done_once(approval, staff)

    def test_after_the_append(self):
        approval, staff = self.defer()
        self.service.wait_projected()
        with self.locked("read.staff"):
            thread = self.begin(approval)
        thread.join()
        self.go_on()
        self.service.wait_projected()
        self.check_done_once(approval, staff)
        again = self.again(approval)
        self.assertTrue(again["success"])
        self.assertEqual(again["result"]["id"], staff)

    def test_at_random(self):
        chance = random.Random(SEED)
        for number in range(KILLS):
            waiting = [self.defer() for _ in range(4)]
            self.service.wait_projected()
            threads = [self.begin(approval) for approval, _ in waiting]
            time.sleep(chance.uniform(0, 0.2))
            self.kill()
            for thread in threads:
                thread.join()
            self.go_on()
            for approval, staff in waiting:
                self.assertTrue(self.again(approval)["success"])
                self.check_done_once(approval, staff)
            print(f"summary: {self.id()}: kill {number + 1} of {KILLS}")

    def check_paid_once(self, approval, run):
        def done():
            return "approval.executed" in support.logged_types(self.service, f"approval/{approval}")
        support.wait_until(done, WAIT_SECONDS, f"approval {approval} is carried out")
        self.assertEqual(support.logged_types(self.service, f"approval/{approval}"),
                         ["approval.requested", "approval.approved", "approval.executed"])
        self.assertEqual(support.logged_types(self.service, f"payroll_run/{run}").count("payroll_run.approved"), 1)
        result = self.check(self.approver.get(f"{LIST}/{approval}"), 200)["executionResult"]
        self.assertTrue(result["success"], result)

    def kill_outside(self, table):
        """Kills the service while what was approved waits for a table."""
        run = approvals.draft_run(self.owner, self.here)
        approval = self.agent.defer("payroll_runs_approve", runId=run)
        self.service.wait_projected()
        with self.locked(table):
            thread = self.begin(approval)
        thread.join()
        self.go_on()
        self.again(approval)
        self.check_paid_once(approval, run)

    def test_outside_between_claim_and_call(self):
        self.kill_outside("reactor.approval_work")

    def has_event(self, subject, kind):
        """Whether the log has it, whoever can be asked."""
        events = [json.loads(body) for _, _, body in self.service.log_records()]
        return any(event["subject"] == subject and event["type"] == kind for event in events)

    def test_outside_between_call_and_result(self):
        """The log has what the call did, and does not take its result: the next process is told by the call's key."""
        run = approvals.draft_run(self.owner, self.here)
        approval = self.agent.defer("payroll_runs_approve", runId=run)
        self.service.wait_projected()
        self.service.postgres.psql(TRIGGER)
        try:
            thread = self.begin(approval)
            support.wait_until(lambda: self.has_event(f"payroll_run/{run}", "payroll_run.submitted"), WAIT_SECONDS, "the call took effect")
            self.assertFalse(self.has_event(f"approval/{approval}", "approval.executed"))
            self.kill()
        finally:
            self.service.postgres.psql("DROP FUNCTION log.refuse_result() CASCADE")
        thread.join()
        self.go_on()
        self.again(approval)
        self.check_paid_once(approval, run)

    def test_outside_at_random(self):
        chance = random.Random(SEED)
        for number in range(KILLS):
            run = approvals.draft_run(self.owner, self.here)
            approval = self.agent.defer("payroll_runs_approve", runId=run)
            thread = self.begin(approval)
            time.sleep(chance.uniform(0, 0.6))
            self.kill()
            thread.join()
            self.go_on()
            self.again(approval)
            self.check_paid_once(approval, run)
            print(f"summary: {self.id()}: kill {number + 1} of {KILLS}")


class KillOnKafkaTest(OnKafka, KillTest):
    """The same with the log in Kafka, of which nothing can be locked or refused."""

    test_before_the_append = test_outside_between_call_and_result = None


class ClusterTest(ApprovalCase):
    """Two processes that take requests."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        postgres = cls.enterClassContext(support.Postgres())
        cls.service = cls.enterClassContext(cluster.Cluster(postgres, None))
        *cls.apis, cls.workers = cls.service.start("api", "api", "workers")
        cls.owner = cls.apis[0].client()
        cls.here = cls.service.demo["facilityIds"][0]
        cls.agent = approvals.Agent(cls.service, ["staff:write", "staff:read", "agents:approve", "ai:approve_actions"],
                                    url=cls.apis[0].url, mcp_url=cls.apis[0].mcp_url)
        rest.wait_for_key(cls.service, cls.agent.id)

    def test_one_of_many_wins(self):
        staff = approvals.onboard(self.owner, facilityIds=[self.here])
        approval = self.agent.defer(staffId=staff)
        self.service.wait_projected()
        clients = [rest.Client(member.url, self.agent.key) for member in self.apis]

        def decide(n):
            return clients[n % 2].post(f"{LIST}/{approval}/{'approve' if n % 4 < 2 else 'reject'}")
        with concurrent.futures.ThreadPoolExecutor(25) as pool:
            answers = list(pool.map(decide, range(100)))
        won = [answer for answer in answers if answer.status == 200]
        self.assertEqual(len(won), 1, [str(answer) for answer in won])
        self.assertEqual({(answer.status, answer.code) for answer in answers if answer.status != 200}, {(409, "ALREADY_RESOLVED")})
        approved = "success" in won[0].body
        self.service.wait_projected()
        types = support.logged_types(self.service, f"staff/{staff}")
        self.assertEqual((types.count("staff.deactivated"), self.is_active(staff)), (1 if approved else 0, not approved))

    def test_a_release_is_rolled_out_while_calls_wait(self):
        """Each process is replaced, workers first; what an older one would not read is not written, and nothing half done."""
        first, second = (approvals.onboard(self.owner, facilityIds=[self.here]) for _ in range(2))
        waits, other = self.agent.defer(staffId=first), self.agent.defer(staffId=second)
        sql = self.service.postgres.psql
        sql("INSERT INTO ops.process (owner, role, admin_url, expires_at, may_write, trouble) VALUES ('of the release before', "
            "'api', 'http://127.0.0.1:1', now() + interval '1 hour', false, 'clock'); "
            "DELETE FROM ops.event_activation WHERE type = 'approval.executed'")
        for member in (self.workers, *self.apis):
            member.stop()
            member.start()
        self.owner.close()
        clients = [rest.Client(member.url, self.agent.key) for member in self.apis]

        def approve(client):
            return client.post(f"{LIST}/{waits}/approve", headers={"Idempotency-Key": "approve it"})
        self.check_refused(approve(clients[0]), 503, "SERVICE_UNAVAILABLE")
        self.assertEqual(support.logged_types(self.service, f"approval/{waits}"), ["approval.requested"])
        self.assertTrue(self.is_active(first))
        sql("DELETE FROM ops.process WHERE owner = 'of the release before'")
        done = support.wait_until(lambda: (answer := approve(clients[1])).status == 200 and answer, WAIT_SECONDS, "it is approved")
        self.assertTrue(done.body["success"])
        self.service.wait_projected()
        self.check_done_once(waits, first)
        self.check(clients[0].post(f"{LIST}/{other}/reject"), 200)
        self.assertEqual(support.logged_types(self.service, f"approval/{other}"), ["approval.requested", "approval.rejected"])
