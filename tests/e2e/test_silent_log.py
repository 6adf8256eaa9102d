# Processes that lose Kafka while they reach PostgreSQL: those that still hear the log do their work, and where nobody hears
# it nothing moves.

import secrets
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fault"))

import log_lines  # noqa: E402
import proxy  # noqa: E402
import support  # noqa: E402
import test_cluster  # noqa: E402
from kafka_cluster import Kafka  # noqa: E402
from test_cluster import STAFF, person  # noqa: E402

ROLES = ("api", "api", "workers", "workers")


class SilentLogTest(test_cluster.ClusterCase):
    """Each process reaches Kafka through a door of its own."""

    @classmethod
    def start_kafka(cls):
        return cls.enterClassContext(Kafka(1, len(ROLES)))

    def setUp(self):
        super().setUp()
        self.links = {}
        for number, role in enumerate(ROLES, 1):
            door = self.kafka.door(number)
            link = self.enterContext(proxy.Proxy(*door))
            brokers = ",".join(advertised for advertised, _ in door)
            self.links[self.cluster.launch(role, WORKFORCE_KAFKA_BROKERS=brokers)] = link
        self.wait_ready()
        self.cluster.wait_projected()

    def wait_ready(self):
        for member in self.links:
            support.wait_until(member.ready, support.READY_SECONDS, f"{member.name} is ready")

    def holders(self):
        """Who holds which lease, and who has given which partition up."""
        return self.cluster.postgres.psql("SELECT kind, partition, owner, given_up_by FROM ops.lease ORDER BY kind, partition")

    def deaf(self):
        """The names of the processes that say that they do not hear the log."""
        return {owner for owner, in self.cluster.postgres.psql("SELECT owner FROM ops.process WHERE NOT may_write")}

    def hears(self, member):
        """Whether the log answers the process, by its metrics and by its status; None while these differ."""
        told = {member.metrics()["workforce_log_reachable"] == 1, member.checks()["log"]["ok"]}
        return told.pop() if len(told) == 1 else None

    def served(self, client):
        """What a write and the read after it get; None unless both are as ever."""
        made = client.post(STAFF, person(), headers={"Idempotency-Key": secrets.token_hex(8)})
        if made.status != 201:
            return None
        read = client.send("GET", f"{STAFF}/{made.body['id']}")
        return made.body["id"] if read.status == 200 and "Service-Stale" not in read.headers else None

    def test_who_hears_the_log_serves_for_who_does_not(self):
        api, workers = list(self.links)[:2], list(self.links)[2:]
        self.shared_out(api)
        self.shared_out(workers, "projector")
        owner, other = self.owner_of_home()
        folding = support.wait_until(
            lambda: next((each for each in workers if self.home() in self.cluster.owned(each, "projector")), None),
            support.READY_SECONDS, "one of them folds the partition")
        made = [support.wait_until(lambda: self.served(other.client()), support.READY_SECONDS, "served")]
        victims = {owner: proxy.STALL, folding: proxy.CUT}
        for victim, mode in victims.items():
            self.links[victim].set(mode)
        made.append(support.wait_until(lambda: self.served(other.client()), support.READY_SECONDS, "served by the others"))
        # The fault lasts.
        support.wait_until(lambda: not self.cluster.owned(owner) and not self.cluster.owned(folding, "projector"),
                           support.READY_SECONDS, "the others have all partitions")
        self.assertEqual([each for *_, each in self.holders() if each], [], "nobody has given a partition up")
        made.append(self.made_by_way_of(owner))  # it forwards what it can't do itself
        for member in self.links:
            support.wait_until(lambda of=member: self.hears(of) is (of not in victims), support.READY_SECONDS,
                               f"{member.name} says whether it hears the log")
        support.wait_until(lambda: "yes, but the log does not answer it" in self.cluster.command("status"), support.READY_SECONDS,
                           "the status says so")

        for victim in victims:
            self.links[victim].set(proxy.PASS)
        self.shared_out(api)
        self.shared_out(workers, "projector")
        self.wait_ready()
        self.nobody_hears_it(made)
        for member in self.links:
            times = 2 if member in victims else 1
            for line in ("the log does not answer: ", "the log answers again: "):
                support.wait_until(lambda of=member, said=line, least=times: of.tail(1000).count(said) >= least,
                                   support.READY_SECONDS, f"{member.name} says {times} times: {line}")
                self.assertEqual(member.tail(1000).count(line), times, f"{member.name}: {line}")
            said = log_lines.messages(member)
            # The second outage may be over before it is far enough from the first one's end to be told of.
            self.assertIn(said.count("no Kafka broker can be reached"), range(1, times + 1), member.name)
            self.assertEqual(said.count("Kafka is reached again"), said.count("no Kafka broker can be reached"), member.name)
            self.assertNotIn("kafka client", log_lines.troubles(member), "Kafka's client tells nothing that the outage's line does not")
        self.check_all_there(other.client(), made)

    def nobody_hears_it(self, made):
        before = self.holders()
        for link in self.links.values():
            link.set(proxy.CUT)
        support.wait_until(lambda: len(self.deaf()) == len(self.links), support.READY_SECONDS, "all say so")
        self.assertEqual(self.holders(), before)
        self.assertTrue(all(member.is_ready() for member in self.links), "they read and forward without the log")
        self.assertFalse(any(member.ready() for member in self.links))
        for link in self.links.values():
            link.set(proxy.PASS)
        client = next(iter(self.links)).client()
        made.append(support.wait_until(lambda: self.served(client), support.READY_SECONDS, "served again"))
        support.wait_until(lambda: not self.deaf(), support.READY_SECONDS, "all hear it")
        self.wait_ready()
        self.assertEqual(self.holders(), before, "nothing has moved")
