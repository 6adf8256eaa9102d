# What ties a log to its installation: restored and copied databases, mistyped topics, and topics that grew.

import json
import re
import secrets
import subprocess
from urllib.parse import urlsplit, urlunsplit

from confluent_kafka import KafkaException
from confluent_kafka.admin import NewPartitions

import kafka_cluster
import rest
import support

SECONDS = 120


def run(service, *arguments, **settings):
    """Runs a subcommand on ports of its own; settings are variables of the environment."""
    free = {f"WORKFORCE_{name}": str(support.free_port()) for name in ("PORT", "MCP_PORT", "ADMIN_PORT")}
    env = service.env | free | {f"WORKFORCE_{name.upper()}": str(value) for name, value in settings.items()}
    return subprocess.run([support.binary(), *map(str, arguments)], env=env, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=SECONDS, check=False)


class OwnerCase(support.ServiceCase):

    def succeed(self, *arguments, **settings):
        done = run(self.service, *arguments, **settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def refuse(self, *arguments, says, **settings):
        """The command fails, and its last line says why."""
        done = run(self.service, *arguments, **settings)
        self.assertGreater(done.returncode, 0, f"{arguments}\n{done.stdout}{done.stderr}")
        self.assertRegex(done.stderr, rf"(?m)^workforce: [^\n]*{says}[^\n]*\n\Z", arguments)

    def write(self, status=201):
        client = rest.client_of(self.service)
        try:
            answer = client.post("/api/staff", {"firstName": "O", "lastName": "Wner", "email": f"{secrets.token_hex(6)}@example.test"})
            self.assertEqual(answer.status, status, answer)
            return answer
        finally:
            client.close()

    def database(self, name, template=""):
        """The address of a new database on the same server."""
        self.postgres.psql(f"CREATE DATABASE {name} {template}")
        return urlunsplit(urlsplit(self.postgres.url)._replace(path=f"/{name}"))


class TopicTest(kafka_cluster.OnKafka, OwnerCase):

    def ends(self):
        return kafka_cluster.ends_of(self.kafka.brokers, self.service.topic)

    def test_a_restored_database_writes_to_a_topic_of_its_own_alone(self):
        self.write()
        self.service.wait_projected()
        path = self.service.directory / "backup"
        self.service.command("backup", path)
        settings = {"database_url": self.database("restored"), "kafka_topic": f"{self.service.topic}.restored"}
        self.succeed("migrate", **settings)
        self.succeed("restore", path, "--no-later-erasures", **settings)
        self.service.stop()
        self.addCleanup(self.service.start)
        ends = self.ends()
        settings.pop("kafka_topic")
        for command in (["serve"], ["api"], ["workers"], ["status"], ["replay", "--verify"], ["migrate"],
                        ["keys", "create", "--organization", "1", "--name", "x", "--scopes", "shifts.view"]):
            self.refuse(*command, says=rf"keeps its log in topic {self.service.topic}\.restored", **settings)
        settings["database_url"] = self.database("stranger")
        self.refuse("migrate", says="belongs to another database", **settings)
        self.assertEqual(self.ends(), ends, "something was written")

    def test_a_mistyped_topic_is_not_made(self):
        self.service.stop()
        self.addCleanup(self.service.start)
        mistyped = f"{self.service.topic}x"
        for command in (["migrate"], ["serve"], ["status"], ["replay", "--verify"]):
            self.refuse(*command, says="keeps its log in topic", kafka_topic=mistyped)
        self.assertNotIn(mistyped, kafka_cluster.admin_of(self.kafka.brokers).list_topics(timeout=30).topics)

    def has_six(self):
        """Whether all of six partitions tell their ends, which takes a leader each."""
        try:
            return len(self.ends()) == 6
        except KafkaException:
            return False

    def test_a_topic_that_got_more_partitions(self):
        admin = kafka_cluster.admin_of(self.kafka.brokers)
        admin.create_partitions([NewPartitions(self.service.topic, 6)])[self.service.topic].result(SECONDS)
        support.wait_until(self.has_six, SECONDS, "there are six")
        self.write()
        says = rf"topic {self.service.topic} has 6 partitions, this installation's log 4: .*partitions = 6"
        for command in (["status"], ["replay", "--verify"], ["migrate"], ["tap", "--until-idle"]):
            self.refuse(*command, says=says)
        self.service.stop()
        self.refuse("serve", says=says)
        self.service.env["WORKFORCE_PARTITIONS"] = "6"
        self.service.command("migrate")
        self.service.start()
        self.write()
        self.service.wait_projected()
        verified = json.loads(self.succeed("replay", "--verify", "--json"))
        self.assertEqual((len(verified["partitions"]), verified["whole"]), (6, True))
        self.succeed("status")

    def test_z_a_copy_takes_the_place_of_the_database(self):
        """Which then cannot write any more."""
        self.service.wait_projected()
        self.service.stop()
        name = urlsplit(self.postgres.url).path.removeprefix("/")
        left = self.service.env["WORKFORCE_DATABASE_URL"]
        self.postgres.psql(f"CREATE DATABASE moved TEMPLATE {name}")
        settings = {"database_url": urlunsplit(urlsplit(self.postgres.url)._replace(path="/moved"))}
        for command in (["serve"], ["migrate"], ["status"]):
            self.refuse(*command, says="this database is a copy", **settings)
        named = run(self.service, "log", "adopt", **settings)
        former = re.search(r"--from (\w+)\)", named.stderr)
        self.assertTrue(former, named.stderr)
        self.assertIn("is this database's now", self.succeed("log", "adopt", "--from", former[1], **settings))
        self.service.env["WORKFORCE_DATABASE_URL"] = settings["database_url"]
        self.service.start()
        self.write()
        self.refuse("serve", says="belongs to another database now", database_url=left)
        self.refuse("log", "adopt", "--from", former[1], says="belongs to incarnation", database_url=left)
        self.write()


class PostgresTest(OwnerCase):

    def test_a_home_that_the_process_does_not_know(self):
        """As a process meets it that started before the log grew."""
        self.service.stop()
        home = self.postgres.value("SELECT max(partition) FROM ops.organization_home")
        self.postgres.psql("UPDATE ops.organization_home SET partition = partition + 9")
        self.service.start()
        self.write(status=503)
        client = rest.client_of(self.service)
        answer = client.send("GET", "/api/staff")
        self.assertEqual((answer.status, answer.headers.get("Service-Stale")), (200, "true"), answer)
        client.close()
        self.service.stop()
        self.postgres.psql("UPDATE ops.organization_home SET partition = partition - 9")
        self.service.start()
        self.write()
        self.assertEqual(self.postgres.value("SELECT max(partition) FROM ops.organization_home"), home)

    def test_z_a_log_that_ends_before_what_was_folded(self):
        self.write()
        self.service.wait_projected()
        partition, head = max(self.service.heads().items(), key=lambda each: each[1])
        self.postgres.psql(f"DELETE FROM log.event WHERE partition = {partition}; DELETE FROM log.claim WHERE partition = {partition}")
        self.postgres.psql(f"UPDATE log.partition SET head = DEFAULT, head_hash = DEFAULT WHERE partition = {partition}")
        done = run(self.service, "replay", "--verify")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(f"broken: partition {partition}, position 0 is missing: read models of this database have folded "
                      f"position {head}\n", done.stdout)
        done = run(self.service, "status", "--json")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(json.loads(done.stdout)["ahead"], [{"partition": int(partition), "head": -1, "position": head}])
        done = run(self.service, "status")
        self.assertIn(f"the log ends at partition {partition} position -1, read models have folded position {head}", done.stdout)
