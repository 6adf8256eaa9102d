# What earlier programs wrote: this one migrates it, verifies it, folds it again, and answers as they did.

import re
import subprocess
import unittest
from urllib.parse import urlsplit, urlunsplit

import installations
import kafka_cluster
import rest
import support


class UpgradeTest(unittest.TestCase):
    """Every installation that is kept."""

    @classmethod
    def setUpClass(cls):
        cls.postgres = cls.enterClassContext(support.Postgres())
        cls.kafka = None

    def put_up(self, installation, number):
        """A service on what was kept, started."""
        name = f"kept{number}"
        self.postgres.psql(f"CREATE DATABASE {name}")
        kafka = None
        if installation.kafka:
            type(self).kafka = kafka = self.kafka or type(self).enterClassContext(kafka_cluster.shared())
        service = support.Service(self.postgres, kafka)
        self.addCleanup(service.close)
        url = urlunsplit(urlsplit(self.postgres.url)._replace(path=f"/{name}"))
        service.postgres = OtherDatabase(self.postgres, url)
        service.topic = installation.answers["topic"]
        service.env["WORKFORCE_DATABASE_URL"] = url
        with open(service.env["WORKFORCE_MASTER_KEY_FILE"], "w", encoding="ascii") as key:
            key.write(installation.master_key)
        if kafka:
            service.env["WORKFORCE_KAFKA_TOPIC"] = service.topic
            installation.restore_topic(kafka)
        installation.restore_database(url)
        if kafka:  # the topic is that of the database that this one is a copy of, which is noticed past the tables
            refused = subprocess.run([support.binary(), "migrate"], env=service.env, text=True, capture_output=True,
                                     timeout=support.COMMAND_SECONDS, check=False)
            self.assertIn("is a copy", refused.stderr)
            named = subprocess.run([support.binary(), "log", "adopt"], env=service.env, text=True, capture_output=True,
                                   timeout=support.COMMAND_SECONDS, check=False)
            service.command("log", "adopt", "--from", re.search(r"--from (\w+)\)", named.stderr)[1])
        service.command("migrate")
        service.command("rebuild", "--outdated")
        return service

    def check_answers(self, service, installation):
        client = rest.Client(f"http://127.0.0.1:{service.env['WORKFORCE_PORT']}", installation.answers["key"])
        self.addCleanup(client.close)
        now = installations.read_all(client)
        for path, before in installation.answers["answers"].items():
            found = now[installations.ASKED_AS.get(path, path)]
            if isinstance(before, list):  # what the clock might still move was left out then, and may have moved since
                kept = {each["id"] for each in before}
                found = [each for each in found if each["id"] in kept]
            self.assertEqual(before_of(found, before), before, path)
        return client

    def test_each_is_read_as_it_is(self):
        self.assertTrue(installations.names())
        with support.Service(self.postgres):  # makes the roles of the cluster
            pass
        for number, name in enumerate(installations.names()):
            with self.subTest(name):
                installation = installations.Installation(name)
                service = self.put_up(installation, number)
                service.command("replay", "--verify")
                service.start()
                self.check_answers(service, installation)
                service.command("rebuild", "--all")
                client = self.check_answers(service, installation)
                made = client.post("/api/staff", {"firstName": "New", "lastName": "Person", "email": "new@example.test"})
                self.assertEqual(made.status, 201, made)
                service.wait_projected()
                service.command("replay", "--verify")
                service.stop()


class OtherDatabase:
    """Another database of a cluster, as a Service uses it."""

    def __init__(self, cluster, url):
        self.url = url
        self._cluster = cluster

    def psql(self, sql):
        own, self._cluster.url = self._cluster.url, self.url
        try:
            return self._cluster.psql(sql)
        finally:
            self._cluster.url = own

    def value(self, sql):
        ((value,),) = self.psql(sql)
        return value


def before_of(now, before):
    """`now` without members that there were not then, at any depth: later programs may tell more."""
    if isinstance(before, dict) and isinstance(now, dict):
        return {name: before_of(now[name], value) for name, value in before.items() if name in now}
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [before_of(*pair) for pair in zip(now, before)]
    return now


if __name__ == "__main__":
    unittest.main()
