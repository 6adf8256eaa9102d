# A revocation holds on every process as soon as it is answered, whatever read models do.

import json
import secrets
import subprocess
import unittest

import cluster
import rest
import support

STAFF = "/api/staff"


class RevocationTest(rest.RestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(cluster.Cluster(cls.enterClassContext(support.Postgres())))
        cls.api = cls.cluster.start("api", "api", "workers")[:2]

    def setUp(self):
        self.addCleanup(lambda: self._outcome.success or self.cluster.print_tails())

    def hold(self):
        """Another session keeps the read model of keys from moving. Returns it."""
        session = support.Session(self.cluster.postgres)
        self.addCleanup(session.close)
        session.execute("BEGIN; SELECT FROM projection.checkpoint WHERE projection = 'api_key' FOR UPDATE")
        return session

    def key(self):
        made = json.loads(self.cluster.command("keys", "create", "--name", "suite", "--scopes", "staff:read", "--organization",
                                               self.cluster.demo["organizationId"]))
        return made["id"], made["key"]

    def keyed(self, key):
        return [member.client(key) for member in self.api]

    def check_ended(self, clients):
        for client in clients:
            self.check_refused(client.get(STAFF), 401, "UNAUTHENTICATED")

    def status_of(self, key):
        return self.cluster.postgres.value(f"SELECT doc::json ->> 'status' FROM read.api_key WHERE id = {key}")

    def test_while_the_read_model_of_keys_stands_still(self):
        key, token = self.key()
        rest.wait_for_key(self.cluster, key)
        clients = self.keyed(token)
        for client in clients:
            self.check(client.get(STAFF), 200)
        session = self.hold()
        for _ in range(2):
            self.assertEqual(json.loads(self.cluster.command(
                "keys", "revoke", "--organization", self.cluster.demo["organizationId"], key))["status"], "revoked")
            self.check_ended(clients)
        self.assertEqual(self.status_of(key), "active", "the read model did not move")
        session.close()
        support.wait_until(lambda: self.status_of(key) == "revoked", support.READY_SECONDS, "it is folded")
        self.check_ended(clients)

    def test_keys_of_an_erased_user(self):
        clients = self.keyed("live")
        for client in clients:
            self.check(client.get(STAFF), 200)
        user = self.cluster.postgres.value("SELECT id FROM read.user_account WHERE email = 'admin@demo.example.com'")
        self.hold()
        erasing = subprocess.Popen([str(support.binary()), "erase", f"user/{user}", "--reason", "asked for"],
                                   env=self.api[0].env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (erasing.kill(), erasing.wait(), erasing.stdout.close()))
        self.assertTrue(json.loads(erasing.stdout.readline())["recorded"])
        self.check_ended(clients)

    def test_who_dies_before_it_is_marked(self):
        key, token = self.key()
        writer = rest.make_key(self.cluster, ["staff:write"])[1]
        clients = self.keyed(token)
        session = self.hold()
        grant = "UPDATE (revoked_at) ON auth.api_key_secret"
        self.cluster.postgres.psql(f"REVOKE {grant} FROM workforce_projector")
        done = subprocess.run([str(support.binary()), "keys", "revoke", "--organization",
                               str(self.cluster.demo["organizationId"]), str(key)], env=self.api[0].env, capture_output=True,
                              text=True, timeout=support.COMMAND_SECONDS, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("outcome is unknown", done.stderr)
        for member in self.api:
            member.kill9()
        self.cluster.postgres.psql(f"GRANT {grant} TO workforce_projector")
        for member in self.api:
            member.start()
        self.api[0].client(writer).post(STAFF, {"firstName": "C", "lastName": "Li", "email": f"{secrets.token_hex(4)}@example.test"})
        clients[0].close()
        support.wait_until(lambda: clients[0].get(STAFF).status == 401, support.READY_SECONDS, "who takes over marks it")
        session.close()

    def test_a_key_that_is_made_meanwhile(self):
        """It need not work before the read model has it, and works then."""
        session = self.hold()
        _, token = self.key()
        clients = self.keyed(token)
        for client in clients:
            self.check_refused(client.get(STAFF), 503, "READ_MODEL_BEHIND")
        session.close()
        for client in clients:
            support.wait_until(lambda of=client: of.get(STAFF).status == 200, support.READY_SECONDS, "the key works")


if __name__ == "__main__":
    unittest.main()
