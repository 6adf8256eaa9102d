# Who reaches the admin listener, and what it tells them.

import json
import secrets
import socket
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import support
from test_cluster import STAFF, ClusterCase, person

ELSEWHERE = "127.0.0.2"  # an address of this machine that a listener on 127.0.0.1 does not have
EVERYWHERE = "0.0.0.0"


class AdminHostTest(ClusterCase):

    def test_it_is_on_loopback_unless_it_is_told_otherwise(self):
        """Also where clients come in from everywhere; processes of one machine reach each other all the same."""
        self.cluster.start("api", "api", "workers", WORKFORCE_HOST=EVERYWHERE)
        owner, other = self.owner_of_home()
        self.check(other.client().post(STAFF, person()), 201)
        for member in (owner, other):
            # Not before the two have shared the partitions out.
            support.wait_until(member.ready, support.READY_SECONDS, "the process is ready")
            socket.create_connection((ELSEWHERE, int(member.env["WORKFORCE_PORT"])), timeout=5).close()
            with self.assertRaises(ConnectionRefusedError):
                socket.create_connection((ELSEWHERE, int(member.env["WORKFORCE_ADMIN_PORT"])), timeout=5)

    @staticmethod
    def told(member, path, token=None):
        """Status and JSON of a path of its admin listener."""
        request = urllib.request.Request(member.admin_url + path, headers={"Authorization": token} if token else {})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def test_strangers_learn_whether_it_is_ready_and_no_more(self):
        token = secrets.token_hex(16)
        file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "token"
        file.touch(0o600)
        file.write_text(token + "\n", encoding="ascii")
        serve, = self.cluster.start("serve", WORKFORCE_ADMIN_HOST=EVERYWHERE, WORKFORCE_ADMIN_TOKEN_FILE=str(file))
        for wrong in (None, "Bearer " + token[:-1], "Bearer ", token, "Basic " + token):
            self.assertEqual(self.told(serve, "/readyz", wrong), (200, {"status": "ok"}), wrong)
            status, refused = self.told(serve, "/statusz", wrong)
            self.assertEqual((status, refused["error"]["code"], set(refused)), (401, "UNAUTHENTICATED", {"error", "requestId"}), wrong)
        self.assertIn("database", self.told(serve, "/readyz", "Bearer " + token)[1]["checks"])
        self.assertEqual(self.told(serve, "/statusz", "Bearer " + token)[1]["checks"]["log"], {"ok": True})
        self.assertNotIn(token, serve.tail(1000))
