# How many sessions of PostgreSQL each process has: at rest, under load and after it; and how many it opens at rest.

import concurrent.futures
import secrets
import time
import unittest
import urllib.request

import cluster
import rest
import support
from kafka_cluster import shared

AT_REST = 10
UNDER_LOAD = 24
BY_A_START = 26  # until it rests: about ten, twenty on a busy machine; thirty where nobody waits for another's session
OPENED_AT_REST = 5  # in the time below: none, but where the machine is so busy that jobs of the same moment overlap
REST_SECONDS = 15
CLIENTS = 16
ROUNDS = 25 if support.LONG else 6
LOOK_SECONDS = 1  # between looks at processes that come to rest
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


class Place:
    """An installation whose processes pg_stat_activity names by their roles, one each."""

    def __init__(self, name, postgres):
        self.name, self.postgres, self.processes, self.clients = name, postgres, [], []
        self._before = self.opened()

    def runs(self, processes, client):
        """Notes what has been started in it, and of whom clients ask."""
        self.processes, self.clients = processes, [client() for _ in range(CLIENTS)]
        return self

    def check_start(self):
        """That the processes opened few sessions since the place was made."""
        opened = self.opened() - self._before
        print(f"summary: {self.name}: sessions opened by a start: {opened}")
        assert opened <= BY_A_START * len(self.processes), f"{self.name}: {opened} sessions"

    def end(self):
        for process in self.processes:
            process.kill9()

    def counts(self):
        """Sessions by process."""
        return {name: int(count) for name, count in self.postgres.psql(BY_PROCESS)}

    def opened(self):
        """How many sessions were opened so far."""
        return int(self.postgres.value(OPENED))

    def wait_for_rest(self, what):
        """Returns once no process has more sessions than at rest."""
        def rests():
            time.sleep(LOOK_SECONDS)
            counts = self.counts()
            return counts if len(counts) == len(self.processes) and max(counts.values()) <= AT_REST else None
        counts = support.wait_until(rests, QUIET_SECONDS, f"{self.name}: {what} no process has more than {AT_REST} sessions")
        print(f"summary: {self.name}: sessions {what}: {counts}")

    def most_under_load(self):
        """The most sessions that each process has while its clients ask, all at once."""
        most, opened = dict.fromkeys(self.counts(), 0), self.opened()
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as threads:
            work = [threads.submit(use, client) for client in self.clients]
            while not all(each.done() for each in work):
                most = {name: max(most.get(name, 0), count) for name, count in self.counts().items()}
                time.sleep(0.02)
            for each in work:
                each.result()
        print(f"summary: {self.name}: most sessions under load: {most}; backends opened meanwhile: {self.opened() - opened}")
        return most


class SessionsTest(unittest.TestCase):
    """`serve`, and `api` with `workers`, on either log. They rest at the same time, which takes most of it."""

    def serve(self, kafka=None):
        postgres = self.enterContext(support.Postgres())
        service = support.Service(postgres, kafka)
        self.addCleanup(service.close)
        service.install()
        place = Place("serve" + (" on Kafka" if kafka else ""), postgres)
        service.start()
        return place.runs([service], lambda: rest.client_of(service))

    def cluster(self, kafka=None):
        postgres = self.enterContext(support.Postgres())
        installation = self.enterContext(cluster.Cluster(postgres, kafka))
        place = Place("cluster" + (" on Kafka" if kafka else ""), postgres)
        api, workers = installation.start("api", "workers")
        return place.runs([api, workers], api.client)

    def check_metrics(self, service):
        """What the process says of itself, by role."""
        client = rest.client_of(service)
        client.get("/api/staff")
        client.close()
        with urllib.request.urlopen(service.demo["adminUrl"] + "/metrics", timeout=30) as answer:
            text = answer.read().decode()
        for state in ("", "_idle", "_used"):
            self.assertIn(f'workforce_database_sessions{state}{{pool="writes",role="workforce_writer"}} ', text)

    def test_sessions(self):
        kafka = self.enterContext(shared())
        places = [self.serve(), self.cluster(), self.serve(kafka), self.cluster(kafka)]
        for place in places:
            place.wait_for_rest("at rest")
            place.check_start()
        self.check_metrics(places[0].processes[0])
        before = [place.opened() for place in places]
        time.sleep(REST_SECONDS)
        for place, then in zip(places, before, strict=True):
            opened = place.opened() - then
            print(f"summary: {place.name}: backends opened in {REST_SECONDS} s at rest: {opened}")
            self.assertLessEqual(opened, OPENED_AT_REST, place.name)
        for place in places:
            self.assertLessEqual(max(place.most_under_load().values()), UNDER_LOAD, place.name)
        if not support.LONG:  # what ends idle sessions knows of no log, and takes a minute and a half
            for place in places[2:]:
                place.end()
            del places[2:]
        for place in places:
            place.wait_for_rest("after use")


if __name__ == "__main__":
    unittest.main()
