# The service on three brokers, whose leader is killed under load: served again soon, nothing lost, nothing twice.

import time

import support
import test_roster
from kafka_cluster import OnKafka, in_sync, leader_of

# Between the kill and the next write that was acknowledged. Some 3 s on a quiet machine; a busy one needs longer.
MOST_SECONDS = 15


class LeaderKillTest(OnKafka, test_roster.KillTest):
    """A roster is played, all of it into one partition, and the broker that leads this partition is killed."""

    NODES = 3
    ROSTER = "n030w4"
    KILLS = ((0.25, "leader"), (0.6, "leader"))
    FELT = False  # what is in flight may wait until there is another leader

    def kill(self, victim, marks):
        brokers, topic = self.kafka.brokers, self.service.topic
        partition = self.partition()
        leader = leader_of(brokers, topic, partition)
        killed = time.monotonic()
        self.kafka.kill9(leader)
        # As many answers as there are clients may still be on their way; the next one was written after the kill.
        marks.reach(marks.now() + test_roster.CONCURRENCY + 1)
        seconds = time.monotonic() - killed
        print(f"node {leader}, leader of partition {partition}, was killed; served again after {seconds:.1f} s")
        self.assertLess(seconds, MOST_SECONDS)
        self.assertNotEqual(leader_of(brokers, topic, partition), leader)
        with marks.gate:
            self.kafka.start_node(leader)
            support.wait_until(lambda: in_sync(brokers, topic, self.NODES), support.READY_SECONDS, "all are in step")

    def partition(self):
        """Where the customer's events go."""
        return int(self.postgres.value("SELECT partition FROM ops.organization_home WHERE organization_id = "
                                       f"{self.service.demo['organizationId']}"))
