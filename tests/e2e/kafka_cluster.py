# Kafka for a suite: the broker that ./test runs for all, or a cluster of its own, and what suites ask the brokers.

import atexit
import os
import shutil
import signal
import tempfile
from contextlib import nullcontext
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

import kafka_reader
import support

_SCRIPT = support.PROJECT_ROOT / "scripts" / "kafka"
ANSWER_SECONDS = 30


class Brokers:
    """A cluster as its clients see it. `brokers`: where it is, as host:port, separated by commas."""

    def __init__(self, brokers=""):
        self.brokers = brokers

    def records(self, topic):
        """The events of a topic that count, as support.verify_chain takes them."""
        return kafka_reader.log_records(self.brokers, topic)

    def text_hits(self, topic, needles):
        """Which of `needles` stand in any record of the topic, counting or void, in any case."""
        everything = b"\n".join(b"%s %s" % (record.value() or b"", repr(record.headers()).encode())
                                for record in raw_records(self.brokers, topic)).decode(errors="replace").lower()
        return [needle for needle in needles if needle.lower() in everything]


class Kafka(Brokers):
    """A cluster in a directory of its own, removed at the end. Use it as a context manager. Nodes are numbered from 1,
    and each is the broker of that id. Doors, too, are numbered from 1: ways to all nodes through a proxy alone."""

    def __init__(self, nodes=1, doors=0):
        super().__init__()  # until it is started
        self._directory = Path(tempfile.mkdtemp(prefix="workforce-kafka-"))
        self._cluster = self._directory / "cluster"
        self.nodes, self._doors = nodes, doors

    def __enter__(self):
        atexit.register(self.close)  # also when the suite is interrupted
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the cluster and removes all of it."""
        atexit.unregister(self.close)
        try:
            support.run([_SCRIPT, "remove", self._cluster])
        finally:
            shutil.rmtree(self._directory, ignore_errors=True)

    def start(self):
        """Starts all nodes that do not run, on the data that is there; returns when they serve."""
        command = [_SCRIPT, "start", self._cluster, "--nodes", self.nodes, "--doors", self._doors, "--throwaway"]
        self.brokers = support.run(command).strip()

    def stop(self):
        """Ends all nodes in good order."""
        support.run([_SCRIPT, "stop", self._cluster])

    def kill9(self, node=None):
        """Ends a node, or all of them, as a crash would."""
        support.run([_SCRIPT, "kill9", self._cluster, *([] if node is None else [node])])

    def start_node(self, node):
        """Starts a node that was killed; returns when it serves."""
        support.run([_SCRIPT, "start-node", self._cluster, node])

    def door(self, number):
        """For each node where its clients by that door look for it, and the listener to which a proxy has to lead."""
        return [line.split() for line in support.run([_SCRIPT, "door", self._cluster, number]).splitlines()]

    def segment(self, topic, partition, node=1):
        """The file in which a node keeps the first records of a partition."""
        return self._cluster / f"node{node}" / "data" / f"{topic}-{partition}" / f"{0:020}.log"

    def pause(self, node):
        """Stops a node where it is (SIGSTOP)."""
        os.kill(self._pid(node), signal.SIGSTOP)

    def go_on(self, node):
        """Lets a paused node go on (SIGCONT)."""
        os.kill(self._pid(node), signal.SIGCONT)

    def _pid(self, node):
        return int(support.run([_SCRIPT, "pid", self._cluster, node]))


def shared():
    """A context manager that gives a Kafka to suites which do it no harm and have topics of their own: that of ./test, of one broker,
    where there is one; else a cluster of its own."""
    brokers = os.environ.get("WORKFORCE_TEST_KAFKA_BROKERS")
    return nullcontext(Brokers(brokers)) if brokers else Kafka()


def by_default(*tests):
    """Decorates a suite that does on another log what one on PostgreSQL does: by default it runs these of the tests that it
    inherits, those that the log has a part in; with --long all of them."""
    def narrowed(suite):
        inherited = {name for name in dir(suite) if name.startswith("test_")}
        assert inherited.issuperset(tests), f"{set(tests) - inherited} are no tests of {suite.__name__}"
        for name in () if support.LONG else inherited.difference(tests):
            setattr(suite, name, None)  # which is no test
        return suite
    return narrowed


class OnKafka:
    """Mixed into a support.ServiceCase, ahead of it: the log is in Kafka, `cls.kafka`, as shared() gives it."""

    @classmethod
    def start_kafka(cls):
        return cls.enterClassContext(shared())


class OnOwnKafka:
    """As OnKafka, for suites that harm it: a cluster of their own of `NODES` brokers."""

    NODES = 1

    @classmethod
    def start_kafka(cls):
        return cls.enterClassContext(Kafka(cls.NODES))


def admin_of(brokers):
    """A client that asks and changes topics."""
    return AdminClient({"bootstrap.servers": brokers, "log_level": 2, "socket.timeout.ms": ANSWER_SECONDS * 1000})


def create_topic(brokers, name, partitions=1):
    """Makes a topic with as many replicas as the cluster has by default; returns when the brokers know it."""
    admin = admin_of(brokers)
    admin.create_topics([NewTopic(name, partitions)], operation_timeout=ANSWER_SECONDS)[name].result(ANSWER_SECONDS)
    support.wait_until(lambda: leader_of(brokers, name, partitions - 1) is not None, ANSWER_SECONDS, f"{name} is there")


def leader_of(brokers, topic, partition):
    """The node that leads a partition now; None when there is none."""
    found = admin_of(brokers).list_topics(topic, timeout=ANSWER_SECONDS).topics[topic].partitions
    leader = found[partition].leader if partition in found else -1
    return leader if leader >= 0 else None


def ends_of(brokers, topic):
    """Where each partition's next record will stand, by partition."""
    admin = admin_of(brokers)
    partitions = admin.list_topics(topic, timeout=ANSWER_SECONDS).topics[topic].partitions
    asked = admin.list_offsets({TopicPartition(topic, partition): OffsetSpec.latest() for partition in partitions})
    return {place.partition: answer.result(ANSWER_SECONDS).offset for place, answer in asked.items()}


def in_sync(brokers, topic, replicas):
    """Whether every partition of the topic has so many replicas in step."""
    partitions = admin_of(brokers).list_topics(topic, timeout=ANSWER_SECONDS).topics[topic].partitions
    return bool(partitions) and all(len(partition.isrs) >= replicas for partition in partitions.values())


def raw_records(brokers, topic):
    """Every record that the topic has now, void or not, as the client gives them; each partition's in order."""
    ends = {partition: end for partition, end in ends_of(brokers, topic).items() if end > 0}
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": "tests", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in ends])
    try:
        while ends:
            record = consumer.poll(ANSWER_SECONDS)
            if record is None:
                raise AssertionError(f"{topic} gives no records for {ANSWER_SECONDS} s, {ends} were awaited")
            if record.error() is not None:
                raise KafkaException(record.error())
            yield record
            if record.offset() + 1 >= ends.get(record.partition(), 0):
                ends.pop(record.partition(), None)
    finally:
        consumer.close()
