# A log in Kafka that is damaged in the broker's own files, emptied or out of reach: what the audit and the service say.

import json
import re
import struct
import subprocess
import urllib.request

from confluent_kafka import Producer

import support
from kafka_cluster import Kafka, ends_of

BEFORE, AFTER = b"Europe/", b"Eur0pe/"  # of a facility's timezone
_CRC_AT, _COVERED_FROM = 17, 21  # in a record batch


def crc32c(data):
    """As record batches carry it."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def change(segment, fix_crc):
    """Changes the first record that holds BEFORE, in the file itself."""
    data = bytearray(segment.read_bytes())
    hit = data.index(BEFORE)
    start = 0
    while start + (size := 12 + struct.unpack_from(">i", data, start + 8)[0]) <= hit:
        start += size
    batch = slice(start + _COVERED_FROM, start + size)
    assert struct.unpack_from(">I", data, start + _CRC_AT)[0] == crc32c(data[batch]), "the file is not understood"
    data[hit:hit + len(BEFORE)] = AFTER
    if fix_crc:
        struct.pack_into(">I", data, start + _CRC_AT, crc32c(data[batch]))
    segment.write_bytes(data)


class DamageTest(support.ServiceCase):

    @classmethod
    def setUpClass(cls):
        cls.postgres = cls.enterClassContext(support.Postgres())
        cls.kafka = cls.enterClassContext(Kafka())
        cls.service = support.Service(cls.postgres, cls.kafka)
        cls.service.env["WORKFORCE_KAFKA_COMPRESSION"] = "none"  # so that bytes can be found
        cls.enterClassContext(cls.service)
        cls.place = next((partition, position) for partition, position, body in cls.service.log_records()
                         if BEFORE in (body if isinstance(body, bytes) else body.encode()))

    def damaged(self, fix_crc):
        """Until the end of the test the log's file is another one."""
        self.service.stop()
        self.kafka.stop()
        segment = self.kafka.segment(self.service.topic, self.place[0])
        whole = segment.read_bytes()
        change(segment, fix_crc)
        self.kafka.start()

        def undo():
            self.kafka.stop()
            segment.write_bytes(whole)
            self.kafka.start()
            self.service.start()

        self.addCleanup(undo)

    def run_command(self, *arguments):
        return subprocess.run([support.binary(), *arguments], env=self.service.env, text=True, capture_output=True,
                              timeout=support.COMMAND_SECONDS, check=False)

    def check_not_served(self, says):
        """The service does not start on such a log, above all it does not go on behind the damage; its last line says
        why."""
        heads = ends_of(self.kafka.brokers, self.service.topic)
        done = self.run_command("serve")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"(?m)^workforce: {says}[^\n]*\n\Z")
        self.assertEqual(ends_of(self.kafka.brokers, self.service.topic), heads, "something was written")

    def test_changed_bytes_with_a_right_checksum(self):
        partition, position = self.place
        self.damaged(fix_crc=True)
        done = self.run_command("replay", "--verify")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, rf"(?m)^broken: partition {partition}, position {position} was changed: [^\n]*$")
        # Unharmed by itself, the record is the last one that counts: what is chained to it as it was does not.
        self.check_not_served(f"the log is behind its read models: at partition {partition} it ends at position {position}")

    def test_changed_bytes_alone(self):
        partition, _ = self.place
        self.damaged(fix_crc=False)
        says = rf"topic {self.service.topic}: partition {partition} (is damaged|can't be read) at offset \d+: .*CRC32C"
        done = self.run_command("replay", "--verify")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"(?m)^workforce: {says}[^\n]*\n\Z")
        self.check_not_served(says)

    def test_an_emptied_topic(self):
        self.service.stop()
        self.addCleanup(self.service.start)
        before = self.service.topic
        other = f"{before}.new"
        env = self.service.env | {"WORKFORCE_KAFKA_TOPIC": other}
        for arguments, code, says in (
                (["serve"], 1, rf"this installation keeps its log in topic {before}, not in {other}: configure kafka_topic = "),
                (["migrate"], 1, rf"this installation keeps its log in topic {before}, not in {other}: configure kafka_topic = ")):
            done = subprocess.run([support.binary(), *arguments], env=env, text=True, capture_output=True,
                                  timeout=support.COMMAND_SECONDS, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            if says:
                self.assertRegex(support.said(done.stderr), rf"\Aworkforce: {says}[^\n]*\n\Z")

    def test_an_unreachable_broker_and_a_wrong_key(self):
        self.service.stop()
        self.addCleanup(self.service.start)
        key = self.service.directory / "other.key"
        key.touch(0o600)
        key.write_text("ab" * 32 + "\n", encoding="ascii")
        for name, value, says in (("KAFKA_BROKERS", "127.0.0.1:1", r"Kafka: 127\.0\.0\.1:1 can't be reached: "),
                                  ("MASTER_KEY_FILE", str(key), r"the master key \(master_key_file\) is not the one in use, ")):
            done = subprocess.run([support.binary(), "serve"], env=self.service.env | {f"WORKFORCE_{name}": value},
                                  text=True, capture_output=True, timeout=support.COMMAND_SECONDS, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"(?m)^workforce: {says}[^\n]*\n\Z")
        done = subprocess.run([support.binary(), "tap", "--until-idle"], env=self.service.env | {"WORKFORCE_KAFKA_BROKERS": "127.0.0.1:1"},
                              text=True, capture_output=True, timeout=support.COMMAND_SECONDS, check=False)
        said = support.said(done.stderr)
        self.assertEqual((done.returncode, done.stdout, said.count("\n")), (1, "", 1), "what the client says is in the one line")

    def test_status_without_the_log_tells_what_the_database_knows(self):
        self.kafka.stop()
        self.addCleanup(lambda: support.wait_until(self.service.ready, support.READY_SECONDS, "ready again"))
        self.addCleanup(self.kafka.start)
        done = self.run_command("status", "--json")
        self.assertEqual((done.returncode, support.said(done.stderr)), (1, ""))
        status = json.loads(done.stdout)
        self.assertRegex(status["logError"], r"^Kafka: ")
        self.assertEqual(([each["role"] for each in status["processes"]], len(status["partitions"])), (["serve"], 4))
        for each in status["partitions"]:
            self.assertEqual((each["head"], each["lagEvents"], each["writer"]), (None, None, status["processes"][0]["owner"]))
            self.assertGreaterEqual(each["position"], -1)
        done = self.run_command("status")
        self.assertEqual((done.returncode, support.said(done.stderr)), (1, ""))
        self.assertRegex(done.stdout, r"(?m)^the log can't be reached: Kafka: ")
        self.assertRegex(done.stdout, rf"(?m)^0 +{re.escape(status['processes'][0]['owner'])} +\d+ +- +")

    def test_foreign_records_are_counted(self):
        partition, _ = self.place
        producer = Producer({"bootstrap.servers": self.kafka.brokers})
        producer.produce(self.service.topic, b"hello", partition=partition)
        self.assertEqual(producer.flush(support.STOP_SECONDS), 0)

        def counted():
            address = f"http://127.0.0.1:{self.service.env['WORKFORCE_ADMIN_PORT']}/metrics"
            with urllib.request.urlopen(address, timeout=30) as answer:
                text = answer.read().decode()
            return dict(re.findall(r'^workforce_log_void_records_total\{partition="(\d+)",why="foreign"\} (\d+)$', text, re.M))

        support.wait_until(lambda: int(counted()[str(partition)]) == 1, support.READY_SECONDS, "the record is counted")
        self.assertEqual({each: int(count) for each, count in counted().items() if int(count) > 0}, {str(partition): 1})
