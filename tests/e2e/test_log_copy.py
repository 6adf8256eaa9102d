# An installation's log moves from PostgreSQL to Kafka and back: the same events, heads and read models.

import itertools
import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import kafka_cluster
import rest
import support

service = live = None
numbers = itertools.count()
SECONDS = 180


def setUpModule():
    global service, live
    service = rest.start_service()
    live = rest.client_of(service)
    kafka = unittest.enterModuleContext(kafka_cluster.shared())
    service.env |= {"WORKFORCE_KAFKA_BROKERS": kafka.brokers, "WORKFORCE_KAFKA_TOPIC": service.topic}


class CopyTest(rest.RestCase):

    def run_command(self, *arguments, **env):
        done = subprocess.run([support.binary(), *map(str, arguments)], env=service.env | env, text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS, check=False)
        done.stderr = support.said(done.stderr)
        return done

    def write(self):
        """Something of each kind, with answers and refusals kept."""
        for _ in range(20):
            number = next(numbers)
            person = self.check(live.post("/api/staff", {"firstName": "C", "lastName": "Opy", "email": f"copy{number}@example.test"},
                                          headers={"Idempotency-Key": f"copy-{number}"}), 201)
            for status in (200, 409):  # nobody works two shifts at a time
                shift = self.check(live.post("/api/shifts", {
                    "facilityId": service.demo["facilityIds"][1], "title": "Moved", "date": f"2032-{number % 12 + 1:02}-06",
                    "startTime": "08:00", "endTime": "16:00"}), 201)
                self.check(live.post(f"/api/shifts/{shift['id']}/assign", {"staffId": person["id"]},
                                     headers={"Idempotency-Key": f"assign-{status}-{number}"}), status)

    def play_roster(self):
        """A ward's weeks as many clients plan them: shifts and assignments."""
        report = service.directory / "report.json"
        done = subprocess.run([support.PROJECT_ROOT / "tests" / "roster" / "load", "--url", service.demo["baseUrl"],
                               "--facility", "new", "--run-id", "copy", "--report", report, "n030w4"],
                              env=os.environ | {"WORKFORCE_API_KEY": service.demo["keys"]["live"]}, text=True,
                              capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        played = json.loads(report.read_text(encoding="utf-8"))
        self.assertGreater(min(played["shifts"], played["assignments"]), 100, played)

    def check_rebuild(self):
        """Read models made anew from the log that it is now are those that were there."""
        rows = support.read_model_checksums(service.postgres)
        service.command("rebuild", "--all")
        self.assertEqual(support.read_model_checksums(service.postgres), rows)

    def stop(self):
        service.wait_projected()
        service.stop()
        live.close()

    def start_on(self, engine, kafka=None):
        service.env["WORKFORCE_LOG"] = engine
        service.kafka = kafka
        service.start()

    def verify(self, *arguments):
        done = self.run_command("replay", "--verify", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return {each["partition"]: (each["position"], each["hash"], each["claims"]) for each in json.loads(done.stdout)["partitions"]}

    def with_claim(self, verified):
        """Once it was copied: the copy has claimed each partition, which fences whoever wrote before."""
        return {partition: (position, head, claims + 1) for partition, (position, head, claims) in verified.items()}

    def copy(self, source, target, *arguments):
        done = self.run_command("log", "copy", "--from", source, "--to", target, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = re.findall(r"verify: (\d+) of (\d+) events, (\d+) %", done.stderr)
        total = steps[-1][1] if steps else "0"
        self.assertEqual([step for step in steps if int(step[0]) > int(step[1]) or step[1] != total], [])
        self.assertEqual(steps[-1:], [] if "--no-verify" in arguments else [(total, total, "100")], done.stderr)
        self.assertRegex(done.stdout, rf"\Acopied \d+ events and \d+ claims in [\d.]+ s, \d+ events/s; [^\n]*the log is in {target} now[^\n]*\n\Z")
        service.env["WORKFORCE_LOG"] = target

    def check_refused_to_start(self, engine, kept):
        done = self.run_command("serve", WORKFORCE_LOG=engine)
        self.assertGreater(done.returncode, 0)
        self.assertRegex(done.stderr, rf"\Aworkforce: this installation keeps its log in {kept}, not in {engine}: [^\n]+\n\Z")

    def test_a_process_that_stood_still_meanwhile(self):
        self.write()
        service.wait_projected()
        process = service._process
        process.send_signal(signal.SIGSTOP)
        try:
            support.wait_until(lambda: service.postgres.value(
                "SELECT count(*) FROM (SELECT expires_at FROM ops.lease UNION ALL SELECT expires_at FROM ops.process) AS held "
                "WHERE expires_at > now()") == "0", 30, "its leases run out")
            self.copy("postgres", "kafka")
            log = "SELECT (SELECT count(*) FROM log.event) || ' ' || (SELECT count(*) FROM log.claim)"
            left = service.postgres.value(log)
        finally:
            process.send_signal(signal.SIGCONT)

        def refused():
            answer = live.post("/api/staff", {"firstName": "C", "lastName": "Opy", "email": f"copy{next(numbers)}@example.test"})
            self.assertEqual(answer.status, 503, answer)
            return "keeps its log in kafka" in service.tail()

        support.wait_until(refused, 60, "it sees that the log has moved")
        self.assertEqual(service.postgres.value(log), left, "nothing more is written to the log that was left")
        service.kill9()
        live.close()
        support.wait_until(lambda: service.postgres.value("SELECT count(*) FROM ops.process WHERE expires_at > now()") == "0",
                           30, "it is gone")
        self.copy("kafka", "postgres")
        self.start_on("postgres")

    def test_a_backup_comes_back_in_the_other_engine(self):
        self.write()
        made = self.check(live.post("/api/staff", {"firstName": "Later", "lastName": "Erased", "email": "later@example.test"}), 201)
        person = f"staff/{made['id']}"
        key, _ = rest.make_key(service, ["staff:read"])
        service.wait_projected()
        path = service.directory / "backup"
        service.command("backup", path)
        service.command("erase", person, "--reason", "asked for")
        rest.revoke_key(service, key)
        service.command("backup", service.directory / "later")
        service.postgres.psql("CREATE DATABASE in_kafka")
        self.addCleanup(service.postgres.psql, "DROP DATABASE in_kafka WITH (FORCE)")
        url = urlunsplit(urlsplit(service.postgres.url)._replace(path="/in_kafka"))
        env = service.env | {"WORKFORCE_DATABASE_URL": url, "WORKFORCE_LOG": "kafka", "WORKFORCE_KAFKA_TOPIC": f"{service.topic}.restored"}

        def run(*arguments):
            return support.run([support.binary(), *arguments], env=env, seconds=SECONDS)

        run("migrate")
        self.assertRegex(run("restore", path, "--tombstones", service.directory / "later-keys" / "tombstones.ndjson"),
                         r"1 persons erased, 1 of them after the backup\n1 API keys were revoked")
        heads = {head["partition"]: (head["position"], head["hash"])
                 for head in json.loads((path / "manifest.json").read_text(encoding="utf-8"))["partitions"]}
        found = {each["partition"]: (each["position"], each["hash"])
                 for each in json.loads(run("replay", "--verify", "--json"))["partitions"]}
        grown = [partition for partition in heads if found[partition] != heads[partition]]
        self.assertEqual([found[partition][0] - heads[partition][0] for partition in grown], [2], "both are told")
        run("rebuild", "--all")
        state = json.loads(run("replay", "--aggregate", person))
        self.assertEqual((state["events"][-1]["type"], state["state"]["isActive"]), ("staff.erased", False))

    def test_there_and_back(self):
        with tempfile.TemporaryDirectory() as scratch:
            heads = Path(scratch) / "heads.ndjson"
            self.play_roster()
            service.stop()
            live.close()
            service.start()  # one more claim a partition
            self.write()
            self.stop()
            before = self.with_claim(self.verify())
            self.assertEqual(self.run_command("heads", "--out", heads).returncode, 0)

            self.copy("postgres", "kafka")
            self.assertEqual(self.verify("--against", heads), before, "heads that were signed on the other engine hold")
            self.check_refused_to_start("postgres", "kafka")
            again = self.run_command("log", "copy", "--from", "postgres", "--to", "kafka")
            self.assertEqual((again.returncode, again.stderr), (0, ""))
            self.assertIn("the log is in kafka already", again.stdout)
            self.check_rebuild()

            self.start_on("kafka")
            self.write()
            tapped = self.run_command("tap", "--from", "start", "--until-idle").stdout.splitlines()
            exported = Path(scratch) / "log.ndjson"
            self.assertEqual(self.run_command("replay", "--export", exported).returncode, 0)
            written = exported.read_text(encoding="utf-8").splitlines()
            self.assertEqual(sorted(tapped), sorted(written))
            self.assertEqual(len(written), sum(position + 1 for position, _, _ in self.verify("--against", heads).values()))
            service.stop()
            live.close()

            # Back to tables that still hold the beginning.
            after = self.with_claim(self.verify())
            self.copy("kafka", "postgres", "--no-verify")
            self.assertEqual(self.verify("--against", heads), after)
            support.verify_chain(support.log_records(service.postgres))
            self.check_refused_to_start("kafka", "postgres")
            self.check_rebuild()
            self.start_on("postgres")
            self.write()
