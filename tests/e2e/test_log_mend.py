# Forged records that count and that nobody can read: what stops, what says so, and how an operator passes over them.

import hashlib
import json
import re
import secrets
import subprocess
import unittest
import urllib.request

from confluent_kafka import Producer

import kafka_cluster
import rest
import support

SECONDS = 120
WHY = "an intruder's record, ticket 4711"


class MendCase:
    """What both engines have in common; `forge_all` puts records into a partition as one who may write there, and tells whether
    they stand where they are to: another record may have come first."""

    def run_command(self, *arguments, **settings):
        env = self.service.env | {f"WORKFORCE_{name.upper()}": str(value) for name, value in settings.items()}
        return subprocess.run([support.binary(), *map(str, arguments)], env=env, text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS, check=False)

    def post_person(self):
        client = rest.client_of(self.service)
        try:
            return client.post("/api/staff", {"firstName": "M", "lastName": "End", "email": f"{secrets.token_hex(6)}@example.test"})
        finally:
            client.close()

    def write(self):
        answer = self.post_person()
        self.assertEqual(answer.status, 201, answer)
        return answer

    def statusz(self):
        with urllib.request.urlopen(self.service.demo["adminUrl"] + "/statusz", timeout=30) as answer:
            return answer.read().decode()

    def records(self, partition):
        return [(position, body) for where, position, body in self.service.log_records() if int(where) == partition]

    def forge(self, count=1, record_type="shift.teleported", data="{}"):
        """Records of a type that nobody knows, each chained to the one before. Returns partition and first position."""
        before = self.service.heads()
        self.write()
        # Jobs of the clock may append elsewhere meanwhile.
        partition = next(int(each) for each, position, body in self.service.log_records()
                         if int(position) > int(before.get(str(each), -1)) and json.loads(body)["type"] == "staff.onboarded")
        return partition, support.wait_until(lambda: self.forge_next(partition, count, record_type, data), SECONDS, "they are the next ones")

    def forge_next(self, partition, count, record_type, data):
        """Forges after the last record that there is. Returns the first position, or None where a job of the clock was faster."""
        position, last = self.records(partition)[-1]
        epoch = json.loads(last)["epoch"]
        bodies = []
        for i in range(1, count + 1):
            opening = f'{{"specversion":"1.0","id":"x{i}","source":"urn:workforce:x","type":"{record_type}","subject":"shift/9","time":"soon"'
            bodies.append((f'{opening},"epoch":"{epoch}","position":"{position + i}","prevhash":"{hashlib.sha256(last).hexdigest()}",'
                           f'"cmdindex":1,"cmdcount":1,"data":{data}}}').encode())
            last = bodies[-1]
        return position + 1 if self.forge_all(partition, position + 1, bodies) else None

    def stopped(self, partition, position):
        """Waits until everything has stopped at the forged record, and looks at what says so."""
        support.wait_until(lambda: self.post_person().status == 503, support.READY_SECONDS, "writes are refused")
        where = rf"partition {partition} position {position}"
        support.wait_until(lambda: re.search(where, self.statusz()), support.READY_SECONDS, "the status names it")
        text = self.statusz()
        self.assertEqual(json.loads(text)["status"], "degraded")
        self.assertIn("workforce log mend", text)
        self.assertTrue(self.service.is_ready(), "it answers reads, and writes to other partitions")
        support.wait_until(lambda: "workforce log mend" in self.run_command("status").stdout, support.READY_SECONDS,
                           "the status says so")

    def find(self, partition):
        """What the command shows; its arguments that pass over it."""
        shown = self.run_command("log", "mend", "--partition", partition)
        self.assertEqual(shown.returncode, 1, shown.stderr)
        return shown.stdout, re.search(r"--skip (\d+:\d+:[0-9a-f]{64})", shown.stdout)[1]

    def goes_on(self):
        def accepted():
            return self.post_person().status == 201
        support.wait_until(accepted, support.READY_SECONDS, "writes are taken")
        self.service.wait_projected()
        support.wait_until(self.service.ready, support.READY_SECONDS, "the service is ready")
        before, after = support.checksums_around_rebuild(self.service)
        self.assertEqual(before, after)

    def test_forged_records_are_passed_over(self):
        nothing = self.run_command("log", "mend", "--from-start")
        self.assertEqual((nothing.returncode, nothing.stdout), (0, "nothing stands in the way\n"), nothing.stderr)
        self.service.expected_faults = {support.STOPPED}
        partition, position = self.forge(3)
        self.stopped(partition, position)
        shown, place = self.find(partition)
        self.assertIn(f"partition {partition}, positions {position} to {position + 2} can't be read", shown)
        self.assertIn("shift.teleported", shown)

        wrong = f"{place[:-8]}{'0' * 8}"
        for arguments, says in ((["--skip", wrong, "--why", WHY], "ends with the hash"),
                                (["--skip", f"{partition}:0:{place.split(':')[2]}", "--why", WHY], "is not in the way"),
                                (["--skip", place], "--why"),
                                (["--skip", "all of it", "--why", WHY], "PARTITION:POSITION:HASH"),
                                (["--skip", place, "--why", "two\nlines"], "one line")):
            refused = self.run_command("log", "mend", *arguments)
            self.assertGreater(refused.returncode, 0, arguments)
            self.assertIn(says, refused.stderr)
        self.assertEqual(len(self.records(partition)), position + 3, "nothing was written")

        done = self.run_command("log", "mend", "--skip", place, "--why", WHY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("passed over", done.stdout)
        self.goes_on()
        again = self.run_command("log", "mend", "--skip", place, "--why", WHY)
        self.assertIn("is not in the way", again.stderr)

        line = f"mended: partition {partition}, positions {position} to {position + 2}, signed at position {position + 3}: {WHY}\n"
        verified = self.run_command("replay", "--verify")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        self.assertIn(line, verified.stdout)
        keyless = self.run_command("replay", "--verify", master_key_file="/nowhere")
        self.assertEqual(keyless.returncode, 0, "the database knows the key: " + keyless.stderr)
        other = self.run_command("replay", "--verify", "--public-key", "00" * 32)
        self.assertEqual(other.returncode, 1, other.stdout)
        self.assertRegex(other.stdout, rf"broken: partition {partition}, position \d+ says that nothing is to be read")
        told = json.loads(self.run_command("replay", "--verify", "--json").stdout)
        self.assertEqual(told["partitions"][partition]["mends"][-1],
                         {"position": position + 3, "first": position, "last": position + 2, "why": WHY, "counts": True})

        self.service.stop()
        self.service.start()
        self.write()
        tapped = self.run_command("tap", "--from", "start", "--until-idle")
        self.assertIn('"type":"log.mended"', tapped.stdout)
        personal = self.run_command("tap", "--from", "start", "--until-idle", "--personal", personal_readers="root,nobody")
        self.assertEqual(personal.returncode, 0, personal.stderr)
        self.assertEqual(len(personal.stdout.splitlines()), len(tapped.stdout.splitlines()))
        self.restores()

    def test_a_mend_that_nobody_signed(self):
        data = f'{{"first":0,"last":0,"hash":"{"0" * 64}","why":"mine","signature":"{"0" * 128}"}}'
        partition, position = self.forge(record_type="log.mended", data=data)
        self.stopped(partition, position)
        broken = self.run_command("replay", "--verify")
        self.assertEqual(broken.returncode, 1, broken.stdout + broken.stderr)
        self.assertIn(f"broken: partition {partition}, position {position} says that nothing is to be read", broken.stdout)
        shown, place = self.find(partition)
        self.assertIn("a mend that was not signed", shown)
        done = self.run_command("log", "mend", "--skip", place, "--why", WHY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.goes_on()
        whole = self.run_command("replay", "--verify")
        self.assertEqual(whole.returncode, 0, whole.stdout + whole.stderr)


class PostgresTest(MendCase, support.ServiceCase):

    def forge_all(self, partition, first, bodies):
        rows = ", ".join(f"({partition}, {position}, '{body.decode()}')" for position, body in enumerate(bodies, first))
        forged = (f"INSERT INTO log.event (partition, position, body) VALUES {rows}; UPDATE log.partition SET "
                  f"head = {first + len(bodies) - 1}, head_hash = '{hashlib.sha256(bodies[-1]).hexdigest()}' WHERE partition = {partition}")
        try:
            self.postgres.psql(forged)
        except AssertionError:
            if self.records(partition)[-1][0] < first:
                raise
            return False
        return True

    def restores(self):
        """A backup of the mended log makes an installation that goes on."""
        self.service.wait_projected()
        path = self.service.directory / "backup"
        self.service.command("backup", path)
        self.postgres.psql("CREATE DATABASE restored")
        url = re.sub(r"/\w+(?=\?|$)", "/restored", self.postgres.url)
        self.assertIn("restored", url)
        for command in (["migrate"], ["restore", path, "--no-later-erasures"], ["rebuild", "--all"], ["replay", "--verify"]):
            done = self.run_command(*command, database_url=url)
            self.assertEqual(done.returncode, 0, f"{command} {done.stdout}{done.stderr}")
        self.assertIn("mended: ", done.stdout)


class KafkaTest(kafka_cluster.OnKafka, MendCase, support.ServiceCase):

    def forge_all(self, partition, first, bodies):
        producer = Producer({"bootstrap.servers": self.kafka.brokers, "linger.ms": 0})
        for body in bodies:
            producer.produce(self.service.topic, value=body, partition=partition)
        self.assertEqual(producer.flush(SECONDS), 0)
        return (first, bodies[0]) in self.records(partition)

    def restores(self):
        """As on Postgres: what a restore does is the same."""


if __name__ == "__main__":
    unittest.main()
