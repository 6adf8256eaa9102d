# Processes whose wall clock jumps: they write nothing until it is back, and what they wrote before stays as it was.

import datetime
import json
import re
import secrets
import unittest
import urllib.request

import cluster
import rest
import support
from kafka_cluster import OnKafka, by_default

STAFF = "/api/staff"
AHEAD, BEHIND = 25 * 3600, -7200  # an answer under an idempotency key is kept for 24 hours
TOLERANCE = datetime.timedelta(seconds=60)


def person():
    return {"firstName": "C", "lastName": "Li", "email": f"{secrets.token_hex(8)}@example.test"}


@unittest.skipUnless(support.Clock.LIBRARY, "libfaketime is not installed")
class ClockTest(rest.RestCase):

    @classmethod
    def start_kafka(cls):
        """As support.ServiceCase has it."""

    @classmethod
    def setUpClass(cls):
        cls.kafka = cls.start_kafka()

    def setUp(self):
        self.postgres = self.enterContext(support.Postgres())
        self.cluster = self.enterContext(cluster.Cluster(self.postgres, self.kafka))
        self.clocks = {}
        self.addCleanup(lambda: self._outcome.success or self.cluster.print_tails())

    def start(self, *roles):
        """Processes of these roles, each with a clock of its own."""
        members = []
        for number, role in enumerate(roles):
            clock = support.Clock(self.postgres.directory / f"clock-{number}")
            members.append(self.cluster.launch(role, **clock.env))
            self.clocks[members[-1].name] = clock
        for member in members:
            support.wait_until(member.ready, support.READY_SECONDS, f"{member.name} is ready")
        self.cluster.wait_projected()  # before that the demo's keys open nothing
        return members

    def clock_of(self, member):
        """What /readyz says of it."""
        return member.readiness()[1]["clock"]

    def set_clock(self, member, seconds):
        """Sets it and returns once the process knows. What is asked meanwhile is refused, or done in the true time."""
        self.clocks[member.name].set(seconds)
        client, fine = member.client(), abs(seconds) < 60

        def known():
            answer = client.post(STAFF, person(), {"Idempotency-Key": secrets.token_hex(8)})
            self.assertIn(answer.status, (201, 503), str(answer))
            return self.clock_of(member)["ok"] == fine
        support.wait_until(known, support.READY_SECONDS, f"the clock of {member.name} is known to be {seconds} s off")

    def skew(self, member):
        with urllib.request.urlopen(f"{member.admin_url}/metrics", timeout=30) as answer:
            return float(re.search(r"^workforce_clock_skew_seconds (\S+)$", answer.read().decode(), re.M).group(1))

    def check_log(self):
        """Every event's time is a true one, and each idempotency key was answered once."""
        records = self.cluster.log_records()
        support.verify_chain(records)
        events = [json.loads(body) for _, _, body in records]
        now = datetime.datetime.now(datetime.timezone.utc)
        for event in events:
            age = now - datetime.datetime.fromisoformat(event["time"])
            self.assertTrue(-TOLERANCE < age < TOLERANCE + datetime.timedelta(minutes=15), event)
        answered = [(event["orgid"], event["idemkey"]) for event in events if event["type"] == "command.answered"]
        self.assertEqual(len(answered), len(set(answered)))

    def check_replayed(self, member, request, first):
        again = member.client().post(*request)
        self.assertEqual((again.status, again.body, again.headers.get("Idempotency-Replayed")), (201, first, "true"), str(again))

    def test_one_process_writes_nothing_until_its_clock_is_back(self):
        member, = self.start("serve")
        request = (STAFF, person(), {"Idempotency-Key": "before"})
        first = self.check(member.client().post(*request), 201)
        for off, says in ((AHEAD, "ahead of the database's"), (BEHIND, "behind the database's")):
            self.set_clock(member, off)
            self.assertEqual(member.readiness()[0], 503)
            self.assertIn(says, self.clock_of(member)["detail"])
            self.assertAlmostEqual(self.skew(member), off, delta=30)
            self.check_refused(member.client().post(*request), 503, "SERVICE_UNAVAILABLE")
            self.check_refused(member.client().post(STAFF, person(), {"Idempotency-Key": f"at {off}"}), 503, "SERVICE_UNAVAILABLE")
            self.assertEqual(self.check(member.client().get(f"{STAFF}/{first['id']}"), 200), first, "reads go on")
            self.set_clock(member, 0)
            support.wait_until(member.ready, support.READY_SECONDS, "it is ready again")
            self.check_replayed(member, request, first)
            self.check(member.client().post(STAFF, person(), {"Idempotency-Key": f"at {off}"}), 201)
        told = [line for line in member.tail(10_000).splitlines() if "the clock is " in line]
        self.assertEqual(["info" in line for line in told], [False, True] * 2, told)
        self.check_log()

    def test_a_start_with_a_wrong_clock(self):
        clock = support.Clock(self.postgres.directory / "clock")
        clock.set(AHEAD)
        member = self.cluster.launch("serve", **clock.env)

        def refused():
            try:
                return member.client().post(STAFF, person()).status == 503
            except OSError:
                return False  # it does not listen yet
        support.wait_until(refused, support.READY_SECONDS, "it refuses writes")
        self.assertFalse(self.clock_of(member)["ok"])
        clock.set(0)
        support.wait_until(member.ready, support.READY_SECONDS, "it is ready")
        self.cluster.wait_projected()
        self.check(member.client().post(STAFF, person()), 201)
        self.check_log()

    def test_of_several_the_others_go_on(self):
        one, other, _ = self.start("api", "api", "workers")
        request = (STAFF, person(), {"Idempotency-Key": "before"})
        first = self.check(one.client().post(*request), 201)
        self.set_clock(one, AHEAD)
        self.cluster.wait_status(lambda now: {(each["adminUrl"], each["trouble"]) for each in now["processes"] if not each["mayWrite"]} ==
                                 {(one.admin_url, "clock")}, "the status shows whose clock is wrong")
        support.wait_until(lambda: len(self.cluster.owned(other)) == 4, support.READY_SECONDS, "the other writes all partitions")
        support.wait_until(other.ready, support.READY_SECONDS, "the other is ready")
        self.check_replayed(other, request, first)
        self.check(other.client().post(STAFF, person()), 201)
        self.check(one.client().get(STAFF), 200)
        self.set_clock(other, AHEAD)
        for member in (one, other):
            support.wait_until(lambda member=member: member.client().post(*request).status == 503, support.READY_SECONDS,
                               "nobody writes")
            self.check(member.client().get(STAFF), 200)
        for member in (one, other):
            self.set_clock(member, 0)
        for member in (one, other):
            support.wait_until(member.ready, support.READY_SECONDS, "they are ready again")
            self.check_replayed(member, request, first)
        support.wait_until(lambda: len(self.cluster.owned(one)) == 2, support.READY_SECONDS, "they share again")
        self.check_log()


@by_default("test_one_process_writes_nothing_until_its_clock_is_back", "test_of_several_the_others_go_on")
class ClockOnKafkaTest(OnKafka, ClockTest):
    """The log is in Kafka, whose client counts its waits from the clock as well."""
