# The programs of docs/analysts.md against topics that hold everything a reader has to skip.

import hashlib
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from confluent_kafka import Producer

import kafka_reader
import rest
import support
from kafka_cluster import OnKafka, create_topic, ends_of, raw_records, shared

SECONDS = 60


def control(kind, epoch):
    """A claim or a confirmation."""
    return f'{{"specversion":"1.0","type":"log.{kind}","epoch":"{epoch}","id":"n","source":"urn:workforce:t"}}'.encode()


def event(epoch, position, previous, index, count, data):
    """An event that says it stands there; `previous` is the value before it, or None."""
    digest = support.ZERO_HASH if previous is None else hashlib.sha256(previous).hexdigest()
    return (f'{{"specversion":"1.0","id":"{position}","source":"urn:workforce:t","type":"test.event","epoch":"{epoch}",'
            f'"position":"{position}","prevhash":"{digest}","cmdindex":{index},"cmdcount":{count},'
            f'"data":{json.dumps(data)}}}').encode()


def command(epoch, position, previous, *data):
    """The events of one command."""
    values = []
    for index, one in enumerate(data):
        values.append(event(epoch, position + index, previous, index + 1, len(data), one))
        previous = values[-1]
    return values


def troubled():
    """(records of a partition in order, those of them that count)."""
    first = command(1, 0, None, "first")
    second = command(1, 1, first[-1], "two", "events")
    half = command(1, 3, second[-1], "never", "quite", "done")
    third = command(2, 3, second[-1], "after", "the", "take-over")
    fourth = command(5, 6, third[-1], {"text": ',"data":{"epoch":"5"'})
    open_end = command(5, 7, fourth[-1], "still", "open")
    owner = b'{"specversion":"1.0","type":"log.owned","id":"n","source":"urn:workforce:t","incarnation":"i","partition":0}'
    records = [
        owner, *command(1, 0, None, "before any claim"),
        control("claimed", 1), control("claimed", 999_999_999_999_999_999), control("claimed", 1_000_002), *first,
        b"hello", b"", None, b"{}", b'{"type":"log.claimed","epoch":"9"}', b'\xff\xfe"data":',
        second[0], control("confirmed", 1), owner, first[0], b"foreign", second[1],
        *second,  # once more
        event(1, 4, second[-1], 1, 1, "a position left out"),
        event(1, 3, first[-1], 1, 1, "another chain"),
        event(1, 3, second[-1], 2, 2, "no first of two"),
        event(1, 3, second[-1], 1, 0, "one of none"),
        event(1, 3, second[-1], 1, 1, "no data").partition(b',"data":')[0],
        control("confirmed", 1)[:-1] + b"," + event(1, 3, second[-1], 1, 1, "not an event")[1:],
        event(2, 3, second[-1], 1, 1, "an epoch that nobody claimed"),
        *half[:2], control("claimed", 1), control("claimed", 2), half[2],
        event(1, 3, second[-1], 1, 1, "a zombie"),
        third[0], half[1], third[1].replace(b'"cmdcount":3', b'"cmdcount":4'), third[1].replace(b"position", b"postion"),
        third[1], control("claimed", 2), third[2],
        control("claimed", 5), control("claimed", 4), event(2, 6, third[-1], 1, 1, "another zombie"), *fourth,
        open_end[0],
    ]
    return records, [*first, *second, *third, *fourth]


def produce(brokers, topic, partition, values):
    """Appends the values in their order; returns when the brokers have all."""
    failed = []
    producer = Producer({"bootstrap.servers": brokers, "enable.idempotence": True})
    for value in values:
        producer.produce(topic, value, partition=partition,
                         on_delivery=lambda error, _: failed.append(error) if error else None)
    if producer.flush(SECONDS) or failed:
        raise AssertionError(f"not all was appended: {failed}")


def read(brokers, topic, rules=None):
    """Values that count, by partition."""
    found = {}
    for partition, value in kafka_reader.events(brokers, topic, rules):
        found.setdefault(partition, []).append(value)
    return found


class PageTest(unittest.TestCase):
    """The rule on raw records."""

    @classmethod
    def setUpClass(cls):
        cls.kafka = cls.enterClassContext(shared())

    def topic(self, partitions=1):
        create_topic(self.kafka.brokers, self.id(), partitions)
        return self.id()

    def test_exactly_what_counts_is_read(self):
        topic, (records, counting) = self.topic(3), troubled()
        produce(self.kafka.brokers, topic, 0, records)
        produce(self.kafka.brokers, topic, 1, [b"only", b"foreign"])
        self.assertEqual(read(self.kafka.brokers, topic), {0: counting})
        support.verify_chain(kafka_reader.log_records(self.kafka.brokers, topic))

    def test_goes_on_where_it_stood(self):
        """Stopped again and again, its state kept, and gone on with what was written since."""
        topic, (records, counting) = self.topic(), troubled()
        rules, found = {}, []
        for start in range(0, len(records), 4):
            produce(self.kafka.brokers, topic, 0, records[start:start + 4])
            found += read(self.kafka.brokers, topic, rules).get(0, [])
            rule = rules[0]
            rules = {0: kafka_reader.Rule(rule.epoch, rule.position, rule.digest, rule.offset)}
        self.assertEqual(found, counting)

    def test_a_topic_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(Exception, "UNKNOWN_TOPIC"):
            read(self.kafka.brokers, "nothing")

    def test_java_reads_the_same(self):
        if not shutil.which("javac"):
            self.skipTest("there is no javac")
        topic, (records, counting) = self.topic(2), troubled()
        produce(self.kafka.brokers, topic, 1, records)
        scratch = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (scratch / "Reader.java").write_text(kafka_reader.blocks("java")[0], encoding="utf-8")
        jars = support.run([support.PROJECT_ROOT / "scripts/kafka", "fetch"]).strip()
        support.run(["javac", "-Xlint:all", "-Werror", "-proc:none", "-cp", f"{jars}/*", "-d", scratch,
                     scratch / "Reader.java"])
        done = subprocess.run(["java", "-cp", f"{scratch}:{jars}/*", "Reader", self.kafka.brokers, topic],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(done.stdout.splitlines(), [b"1\t" + value for value in counting])

    def test_every_record_was_there(self):
        """That nothing is skipped because it was never written."""
        topic, (records, _) = self.topic(), troubled()
        produce(self.kafka.brokers, topic, 0, records)
        self.assertEqual(ends_of(self.kafka.brokers, topic), {0: len(records)})


class ServiceTopicTest(OnKafka, support.ServiceCase):
    """The topic of a service that was killed, and with records in it that others put there."""

    def post_staff(self, numbers):
        client = rest.client_of(self.service)
        for number in numbers:
            answer = client.post("/api/staff", {"firstName": "A", "lastName": "Nurse", "specialty": "Nurse",
                                                "email": f"nurse{number}@example.test"})
            self.assertEqual(answer.status, 201, answer)

    def meddle(self):
        """Appends to every partition what must not count; the second of these as a writer that lost the partition."""
        for partition, rule in self.rules().items():
            last = self.values()[partition][-1]
            position = rule.position + 1
            produce(self.kafka.brokers, self.service.topic, partition, [
                b"foreign", control("claimed", 999_999_999_999_999_999), event(rule.epoch - 1, position, last, 1, 1, "a zombie"), last, None,
                event(rule.epoch, position, last, 1, 2, "half of a command")])

    def rules(self):
        rules = {}
        read(self.kafka.brokers, self.service.topic, rules)
        return {partition: rule for partition, rule in rules.items() if rule.position >= 0}

    def values(self):
        return read(self.kafka.brokers, self.service.topic)

    def exported(self):
        """Values by partition as the program itself exports them."""
        found = {}
        for partition in self.values():
            file = self.service.directory / f"{partition}.ndjson"
            self.service.command("replay", "--export", file, "--partition", partition)
            found[partition] = file.read_bytes().splitlines()
        return found

    def test_the_page_and_the_program_read_the_same(self):
        self.post_staff(range(20))
        self.service.kill9()
        self.meddle()
        self.service.start()
        self.post_staff(range(20, 40))
        values = self.values()
        self.assertEqual(values, self.exported())
        counting = [json.loads(value) for of_partition in values.values() for value in of_partition]
        self.service.wait_projected()
        onboarded = sum(one["type"] == "staff.onboarded" for one in counting)
        self.assertEqual(str(onboarded), self.postgres.value(f"SELECT count(*) FROM {support.STAFF_TABLE}"))
        self.check_headers()

    def check_headers(self):
        """Each attribute of an event, and none of its data, is in its headers; the key is its subject."""
        for record in raw_records(self.kafka.brokers, self.service.topic):
            if not (record.value() or b"").startswith(b'{"specversion":"1.0","id"') or not record.headers():
                continue
            attributes = json.loads(record.value())
            attributes.pop("data")
            headers = {name: value.decode() for name, value in record.headers()}
            self.assertEqual(headers.pop("content-type"), "application/cloudevents+json; charset=UTF-8")
            self.assertEqual(headers, {f"ce_{name}": value if isinstance(value, str) else json.dumps(value)
                                       for name, value in attributes.items()})
            self.assertEqual(record.key().decode(), attributes["subject"])


if __name__ == "__main__":
    unittest.main()
