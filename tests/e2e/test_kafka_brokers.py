# The service on three brokers, whose leader is killed under load: served again, nothing lost, nothing twice.

import log_lines
import support
import test_roster
from kafka_cluster import OnOwnKafka, in_sync, leader_of


class LeaderKillTest(OnOwnKafka, test_roster.KillTest):
    """A roster is played, all of it into one partition, and the broker that leads this partition is killed."""

    NODES = 3
    # A smaller roster may be over before the leader is killed again.
    ROSTER, KILLS = ("n030w4", ((0.25, "leader"), (0.6, "leader"))) if support.LONG else ("n010w2", ((0.25, "leader"),))
    FELT = False  # what is in flight may wait until there is another leader

    def setUp(self):
        super().setUp()
        self.told = {}  # how often each line was waited for
        self.partition = self.home()  # asked before the work begins, which goes on while somebody asks
        self.began = len(log_lines.lines(self.service))  # brokers that had just started may have been warned of before

    def kill(self, victim, marks):
        brokers, topic, partition = self.kafka.brokers, self.service.topic, self.partition
        with marks.gate:  # or else a slow machine may have played all of it by then
            leader = leader_of(brokers, topic, partition)
            self.kafka.kill9(leader)
        # As many answers as there are clients may still be on their way; the next one was written after the kill, while
        # the leader that was killed is still away.
        marks.reach(marks.now() + test_roster.CONCURRENCY + 1)
        # The broker that is asked may learn of the new leader later than the service did.
        support.wait_until(lambda: leader_of(brokers, topic, partition) not in (None, leader), support.READY_SECONDS,
                           "another broker leads")
        self.wait_told("1 of 3 Kafka brokers are away")  # the service asks now and then
        with marks.gate:
            self.kafka.start_node(leader)
            support.wait_until(lambda: in_sync(brokers, topic, self.NODES), support.READY_SECONDS, "all are in step")
        self.wait_told("all 3 Kafka brokers are back")

    def wait_told(self, line):
        """Waits until the service has said so of this kill, too."""
        self.told[line] = self.told.get(line, 0) + 1
        support.wait_until(lambda: log_lines.messages(self.service).count(line) >= self.told[line], support.READY_SECONDS, line)

    def check(self, plan, ledger):
        super().check(plan, ledger)
        said = log_lines.messages(self.service)
        for line in ("1 of 3 Kafka brokers are away", "all 3 Kafka brokers are back"):
            self.assertEqual(said.count(line), len(self.KILLS), line)
        self.assertTrue(all(line["means"] == "writes go on" for line in log_lines.lines(self.service)
                            if line["msg"] == "1 of 3 Kafka brokers are away"))
        self.assertNotIn("no Kafka broker can be reached", said)
        self.assertEqual([line for line in log_lines.lines(self.service)[self.began:]
                          if line["msg"] == "kafka client" and line["level"] in ("warn", "error")], [])

    def home(self):
        """Where the customer's events go."""
        return int(self.postgres.value("SELECT partition FROM ops.organization_home WHERE organization_id = "
                                       f"{self.service.demo['organizationId']}"))
