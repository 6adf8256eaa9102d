# PostgreSQL stands still with all its connections, as when it hangs on its disk: everybody gets an answer in bounded time,
# and when it goes on all is as before.

import concurrent.futures

import cluster
import log_lines
import rest
import support
from test_cluster import STAFF, person

CLIENTS = 12
# A client gives up then, which fails the test. The bound is the statement timeout, two seconds, and twice the time that a new
# connection may take: 22 s, and what a busy machine adds. Waiting for one session after another would take longer.
ANSWER_SECONDS = 60


class SilentDatabaseTest(rest.RestCase):
    def setUp(self):
        self.postgres = self.enterContext(support.Postgres())
        self.cluster = self.enterContext(cluster.Cluster(self.postgres))

    def check_answered(self, member):
        """Reads by id, lists and writes by many clients at once, while nothing answers behind the service."""
        client = member.client()
        made = client.post(STAFF, person())
        self.check(made, 201)
        self.check(client.get(f"{STAFF}/{made.body['id']}"), 200)

        def ask(number):
            mine = rest.Client(member.url, self.cluster.demo["keys"]["live"], timeout=ANSWER_SECONDS)
            kinds = (lambda: mine.get(f"{STAFF}/{made.body['id']}"), lambda: mine.get(STAFF, limit=5),
                     lambda: mine.post(STAFF, person()))
            answer = kinds[number % len(kinds)]()
            mine.close()
            return answer
        before = {each: len(log_lines.lines(each)) for each in self.cluster.members}
        self.postgres.pause()
        try:
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
                answers = list(pool.map(ask, range(CLIENTS)))
        finally:
            self.postgres.go_on()
        for answer in answers:
            self.assertEqual((answer.status, answer.body["error"]["retryable"]), (503, True), str(answer))
            self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
        # Leases ran out meanwhile, so that partitions may still be on their way.
        support.wait_until(lambda: client.post(STAFF, person()).status == 201, support.READY_SECONDS, "writes are taken again")
        support.wait_until(member.ready, support.READY_SECONDS, "it is ready again")
        self.check(client.get(f"{STAFF}/{made.body['id']}"), 200)
        self.check(client.get(STAFF, limit=5), 200)
        for each, line in before.items():
            self.check_told(each, line)

    def check_told(self, member, before):
        """The outage is one line at its beginning and one at its end, and pools, projections and jobs say nothing of their own."""
        support.wait_until(lambda: "PostgreSQL is reached again" in log_lines.messages(member, before), support.READY_SECONDS,
                           f"{member.name} tells of the end")
        said = log_lines.troubles(member, before)
        self.assertEqual(said.count("PostgreSQL can't be reached"), 1, said)
        self.assertEqual(log_lines.messages(member, before).count("PostgreSQL is reached again"), 1)
        # A process that waits for another one, which waits for the database, tells of that one.
        others = set(said) - {"PostgreSQL can't be reached", "a request could not be forwarded to the owner of its partition"}
        self.assertEqual(others, set())

    def test_one_process(self):
        member, = self.cluster.start("serve")
        self.check_answered(member)

    def test_several_processes(self):
        member = self.cluster.start("api", "api", "workers")[0]
        self.check_answered(member)

