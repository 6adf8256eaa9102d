# How processes end: in good order at either signal, and not before balancers could notice where they are told to wait.

import json
import signal
import urllib.error
import urllib.request

import support
from test_cluster import STAFF, ClusterCase, person

LONG = "300"  # seconds that no test waits for


def health(member):
    """Status and text of /readyz."""
    try:
        with urllib.request.urlopen(f"{member.admin_url}/readyz", timeout=30) as answer:
            return answer.status, json.load(answer)["status"]
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)["status"]


class StopTest(ClusterCase):

    def send(self, member, number):
        member._process.send_signal(number)  # pylint: disable=protected-access

    def check_ends(self, member):
        """It ends by itself, in order."""
        self.assertEqual(member.ended(), 0, member.tail())
        self.assertIn('"msg":"stopped"', member.tail(5))

    def test_every_role_ends_at_either_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            members = self.cluster.start("api", "workers")
            for member in members:
                self.send(member, number)
                self.check_ends(member)
            serve, = self.cluster.start("serve")
            self.send(serve, number)
            self.check_ends(serve)
        self.assertEqual(self.cluster.status()[1]["processes"], [])

    def test_a_process_that_drains_is_not_ready_and_serves_all_the_same(self):
        api, workers = self.cluster.start("api", "workers", WORKFORCE_DRAIN_SECONDS=LONG)
        client = api.client()
        self.check(client.get(STAFF), 200)
        self.send(api, signal.SIGTERM)
        support.wait_until(lambda: health(api) == (503, "stopping"), support.READY_SECONDS, "it says that it is about to stop")
        for each in (client, api.client()):  # on a connection that there was, and on a new one
            made = self.check(each.post(STAFF, person()), 201)["id"]
            self.check(each.get(f"{STAFF}/{made}"), 200)
        support.wait_until(lambda: self.cluster.owned(api), support.READY_SECONDS, "its partitions are still its own")
        self.send(workers, signal.SIGTERM)  # which nobody sends clients to
        self.check_ends(workers)
        self.send(api, signal.SIGTERM)
        self.check_ends(api)
        self.assertIn('"msg":"draining ends early"', api.tail())

    def test_draining_ends_by_itself(self):
        serve, = self.cluster.start("serve", WORKFORCE_DRAIN_SECONDS="1")
        self.send(serve, signal.SIGINT)
        self.check_ends(serve)
        self.assertNotIn("ends early", serve.tail())
        self.assertIn('"msg":"draining"', serve.tail())
