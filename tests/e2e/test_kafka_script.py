# scripts/kafka: what it starts and ends, what it finds again, and what it leaves alone.

import socket
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import support
from kafka_cluster import ANSWER_SECONDS, admin_of, create_topic, leader_of

SCRIPT = support.PROJECT_ROOT / "scripts" / "kafka"


def free(port):
    """Whether nobody listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


class KafkaScriptTest(unittest.TestCase):
    def setUp(self):
        self.scratch = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.cluster = self.scratch / "a cluster"

    def kafka(self, command, *words, status=0):
        """Runs the script on the cluster; returns what it printed, complaints included where it has to fail."""
        done = subprocess.run([SCRIPT, command, self.cluster, *map(str, words)], capture_output=True, text=True,
                              timeout=support.COMMAND_SECONDS, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return (done.stdout + (done.stderr if status else "")).strip()

    def start(self, *words):
        self.addCleanup(self.kafka, "remove")
        return self.kafka("start", *words, "--throwaway")

    def test_one_broker(self):
        self.assertEqual(self.kafka("status", status=3), "stopped")
        brokers = self.start()
        pid = self.kafka("pid", 1)
        self.assertEqual(self.kafka("start"), brokers)
        self.assertEqual(self.kafka("pid", 1), pid, "it was started anew")
        create_topic(brokers, "kept")
        for end in ("kill9", "stop"):
            self.kafka(end)
            self.assertEqual(self.kafka("status", status=3), "stopped")
            self.assertEqual(self.kafka("brokers"), brokers)
            self.assertEqual(self.kafka("start"), brokers, "it has other ports")
            self.assertIn("kept", admin_of(brokers).list_topics(timeout=ANSWER_SECONDS).topics)
        self.kafka("remove")
        self.assertFalse(self.cluster.exists())
        self.assertEqual(self.kafka("brokers", status=1), f"kafka: there is no cluster in {self.cluster}")

    def test_three_brokers_and_starts_at_once(self):
        with ThreadPoolExecutor() as pool:
            first, second = pool.map(lambda _: self.start("--nodes", 3), range(2))
        self.assertEqual(first, second)
        self.assertEqual(self.kafka("status"), f"running, {first}")
        create_topic(first, "replicated")
        victim = leader_of(first, "replicated", 0)
        others = [self.kafka("pid", node) for node in range(1, 4) if node != victim]
        self.kafka("kill9", victim)
        self.assertEqual(self.kafka("status", status=3), f"2 of 3 nodes run, down: {victim}, {first}")
        self.assertEqual(self.kafka("pid", victim, status=3), "")
        support.wait_until(lambda: leader_of(first, "replicated", 0) not in (None, victim), support.READY_SECONDS, "a new leader")
        self.kafka("start-node", victim)
        self.assertEqual(self.kafka("status"), f"running, {first}")
        self.assertEqual([self.kafka("pid", node) for node in range(1, 4) if node != victim], others)
        self.assertIn("has 3 nodes, not 1", self.kafka("start", "--nodes", 1, status=1))

    def test_ports_that_are_asked_for(self):
        port = next(port for port in iter(support.free_port, 0) if free(port + 1))
        self.assertEqual(self.start("--port", port), f"127.0.0.1:{port}")
        self.cluster = self.scratch / "another"
        self.assertIn("in use", self.kafka("start", "--port", port, status=1))

    def test_doors(self):
        nodes = 3 if support.LONG else 1
        brokers = self.start("--nodes", nodes, "--doors", 2)
        ways = {door: [line.split() for line in self.kafka("door", door).splitlines()] for door in (1, 2)}
        places = [*brokers.split(","), *(place for way in ways.values() for pair in way for place in pair)]
        self.assertEqual([len(way) for way in ways.values()], [nodes, nodes])
        self.assertEqual(len(set(places)), 5 * nodes, f"{places} are not all different")
        self.kafka("kill9")
        self.assertEqual(self.kafka("start"), brokers)
        for door, way in ways.items():
            for _, listener in way:
                told = admin_of(listener).list_topics(timeout=ANSWER_SECONDS).brokers
                self.assertEqual({node: f"{broker.host}:{broker.port}" for node, broker in told.items()},
                                 {node: advertised for node, (advertised, _) in enumerate(way, 1)}, f"at door {door}")
        self.assertIn("no door '3'", self.kafka("door", 3, status=1))
        self.assertIn("has 2 doors, not 1", self.kafka("start", "--doors", 1, status=1))

    def test_what_is_no_cluster_is_not_deleted(self):
        self.cluster.mkdir()
        (self.cluster / "thesis.txt").touch()
        self.kafka("remove", status=1)
        self.assertTrue((self.cluster / "thesis.txt").exists())

    def test_bad_words(self):
        self.assertIn("1 or 3 nodes", self.kafka("start", "--nodes", 2, status=1))
        self.assertIn("is no port", self.kafka("start", "--port", "http", status=1))
        self.assertIn("0 to 4 doors", self.kafka("start", "--doors", 5, status=1))
        self.assertIn("Usage", self.kafka("begin", status=2))
        self.assertIn("Usage", self.kafka("start-node", status=2))
        self.assertFalse(self.cluster.exists())


if __name__ == "__main__":
    unittest.main()
