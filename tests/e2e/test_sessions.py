# How many sessions of PostgreSQL each process has: at rest, under load and after it; and how many it opens at rest.

import concurrent.futures
import secrets
import time
import unittest
import urllib.request

import cluster
import rest
import support
from kafka_cluster import OnKafka

AT_REST = 10
UNDER_LOAD = 24
OPENED_AT_REST = 3  # in the time below: none, but where the machine is so busy that jobs of the same moment overlap
REST_SECONDS = 15
CLIENTS = 16
ROUNDS = 25
QUIET_SECONDS = 120  # for idle sessions to end, which they do within seconds
BY_PROCESS = ("SELECT split_part(application_name, ':', 1), count(*) FROM pg_stat_activity WHERE datname = current_database() "
              "AND application_name LIKE 'workforce %' GROUP BY 1")
OPENED = "SELECT sessions FROM pg_stat_database WHERE datname = current_database()"


def use(client):
    """What a client asks: writes, short reads and lists."""
    for _ in range(ROUNDS):
        made = client.post("/api/staff", {"firstName": "S", "lastName": "L", "email": f"{secrets.token_hex(8)}@example.test"})
        assert made.status == 201, made
        for path in (f"/api/staff/{made.body['id']}", "/api/staff?limit=50", "/api/shifts", "/api/facilities"):
            answer = client.get(path)
            assert answer.status == 200, answer
    client.close()


class SessionsCase(unittest.TestCase):
    """Of processes that are named in pg_stat_activity by their roles, one each."""

    postgres = None
    roles = ()

    def counts(self):
        """Sessions by process."""
        return {name: int(count) for name, count in self.postgres.psql(BY_PROCESS)}

    def wait_for_rest(self, what):
        """Returns once no process has more sessions than at rest."""
        def rests():
            counts = self.counts()
            return counts if len(counts) == len(self.roles) and max(counts.values()) <= AT_REST else None
        counts = support.wait_until(rests, QUIET_SECONDS, f"{what} no process has more than {AT_REST} sessions")
        print(f"summary: {type(self).__name__}: sessions {what}: {counts}")

    def check_sessions(self, clients):
        self.wait_for_rest("at rest")
        opened = int(self.postgres.value(OPENED))
        time.sleep(REST_SECONDS)
        opened = int(self.postgres.value(OPENED)) - opened
        print(f"summary: {type(self).__name__}: backends opened in {REST_SECONDS} s at rest: {opened}")
        self.assertLessEqual(opened, OPENED_AT_REST)
        most, opened = dict.fromkeys(self.counts(), 0), int(self.postgres.value(OPENED))
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as threads:
            work = [threads.submit(use, client) for client in clients]
            while not all(each.done() for each in work):
                most = {name: max(most.get(name, 0), count) for name, count in self.counts().items()}
                time.sleep(0.02)
            for each in work:
                each.result()
        opened = int(self.postgres.value(OPENED)) - opened
        print(f"summary: {type(self).__name__}: most sessions under load: {most}; backends opened meanwhile: {opened}")
        self.assertLessEqual(max(most.values()), UNDER_LOAD)
        self.wait_for_rest("after use")


class ServeSessionsTest(support.ServiceCase, SessionsCase):
    """`serve`, with the log in PostgreSQL."""

    roles = ("serve",)

    def test_sessions(self):
        self.check_sessions([rest.client_of(self.service) for _ in range(CLIENTS)])
        # What the process says of itself, by role.
        client = rest.client_of(self.service)
        client.get("/api/staff")
        client.close()
        with urllib.request.urlopen(self.service.demo["adminUrl"] + "/metrics", timeout=30) as answer:
            text = answer.read().decode()
        for state in ("", "_idle", "_used"):
            self.assertIn(f'workforce_database_sessions{state}{{pool="writes",role="workforce_writer"}} ', text)


class KafkaServeSessionsTest(OnKafka, ServeSessionsTest):
    """`serve`, with the log in Kafka."""


class ClusterSessionsTest(SessionsCase):
    """`api` and `workers`, with the log in PostgreSQL."""

    roles = ("api", "workers")

    @classmethod
    def start_kafka(cls):
        """A kafka_cluster.Kafka for the log, or None."""

    @classmethod
    def setUpClass(cls):
        cls.kafka = cls.start_kafka()

    def test_sessions(self):
        self.postgres = self.enterContext(support.Postgres())
        installation = self.enterContext(cluster.Cluster(self.postgres, self.kafka))
        api, _ = installation.start(*self.roles)
        self.check_sessions([api.client() for _ in range(CLIENTS)])


class KafkaClusterSessionsTest(OnKafka, ClusterSessionsTest):
    """`api` and `workers`, with the log in Kafka."""


if __name__ == "__main__":
    unittest.main()
