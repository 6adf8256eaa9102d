# Credentials of a deactivated user or organization open nothing on any process, whatever read models do, until an operator
# takes it back. Another role, and other facilities, hold as soon.

import json
import subprocess
import time
import unittest

import cluster
import rest
import support

STAFF = "/api/staff"


class DeactivationTest(rest.RestCase):
    def setUp(self):
        self.cluster = self.enterContext(cluster.Cluster(self.enterContext(support.Postgres())))
        self.api = self.cluster.start("api", "api", "workers")[:2]
        self.addCleanup(lambda: self._outcome.success or self.cluster.print_tails())
        self.organization = self.cluster.demo["organizationId"]
        self.user = self.cluster.postgres.value("SELECT id FROM read.user_account WHERE email = 'admin@demo.example.com'")

    def change(self, what, verb, *arguments):
        return json.loads(self.cluster.command(what, verb, *arguments))

    def key(self, *more):
        made = json.loads(self.cluster.command("keys", "create", "--name", "suite", "--scopes", "staff:read,staff:write",
                                               "--organization", self.organization, *more))
        rest.wait_for_key(self.cluster, made["id"])
        return made["key"]

    def on_all(self, *tokens):
        return [member.client(token) for member in self.api for token in tokens]

    def hold(self):
        """Another session keeps the read models of organizations and users from moving. Returns it."""
        session = support.Session(self.cluster.postgres)
        self.addCleanup(session.close)
        session.execute("BEGIN; SELECT FROM projection.checkpoint WHERE projection IN ('organization', 'user') FOR UPDATE")
        return session

    def check_all(self, clients, status):
        for client in clients:
            answer = client.get(STAFF)
            if status == 401:
                self.check_refused(answer, 401, "UNAUTHENTICATED")
            else:
                self.check(answer, status)

    def wait_open(self, clients):
        support.wait_until(lambda: all(client.get(STAFF).status == 200 for client in clients), support.READY_SECONDS,
                           "the credentials open again")

    def test_a_user(self):
        unbound = self.on_all(self.key())
        keys = self.on_all(self.key("--user", self.user), self.key("--user", self.user, "--type", "pat"))
        session_of_theirs = self.on_all(self.cluster.command("token", "admin@demo.example.com").strip())
        theirs = keys + session_of_theirs
        self.check_all(theirs + unbound, 200)
        session = self.hold()
        for _ in range(2):
            told = self.change("users", "deactivate", "--organization", self.organization, self.user)
            self.assertEqual((told["id"], told["status"]), (int(self.user), "deactivated"))
            self.check_all(theirs, 401)
        self.check_all(unbound, 200)
        session.close()
        self.cluster.wait_projected()
        self.check_all(theirs, 401)
        told = self.change("users", "reactivate", "--organization", self.organization, self.user)
        self.assertEqual(told["status"], "active")
        self.wait_open(keys)
        self.check_all(session_of_theirs, 401)  # whoever is reactivated signs in anew

    def test_an_organization(self):
        keys = self.on_all(self.key(), self.key("--user", self.user))
        session_of_theirs = self.on_all(self.cluster.command("token", "admin@demo.example.com").strip())
        theirs = keys + session_of_theirs
        self.check_all(theirs, 200)
        session = self.hold()
        told = self.change("organizations", "deactivate", self.organization)
        self.assertEqual((told["id"], told["isActive"]), (self.organization, False))
        self.check_all(theirs, 401)
        session.close()
        self.cluster.wait_projected()
        self.check_all(theirs, 401)
        self.assertTrue(self.change("organizations", "reactivate", self.organization)["isActive"])
        self.wait_open(keys)
        self.check_all(session_of_theirs, 401)

    def test_another_role_and_other_facilities(self):
        operator = self.api[0].client(self.cluster.command("token", "super.admin@platform.example.com").strip())
        theirs = self.on_all(self.cluster.command("token", "admin@demo.example.com").strip())
        facility = self.cluster.demo["facilityIds"][0]
        self.check_all(theirs, 200)
        session = self.hold()
        self.check(operator.patch(f"/api/users/{self.user}", {"role": "viewer", "facilityIds": [facility]}), 200)
        time.sleep(1)  # what a look-up is trusted for
        for _ in range(2):
            for client in theirs:
                me = self.check(client.get("/api/auth/me"), 200)
                self.assertEqual((me["user"]["role"], me["facilityIds"]), ("viewer", [facility]))
                self.check_refused(client.post(STAFF, {"firstName": "A", "lastName": "B", "email": "ab@example.test"}), 403,
                                   "FORBIDDEN")
            session.close()
            self.cluster.wait_projected()
        self.check(operator.patch(f"/api/users/{self.user}", {"role": "admin", "facilityIds": []}), 200)
        time.sleep(1)
        for client in theirs:
            self.assertEqual(self.check(client.get("/api/auth/me"), 200)["facilityIds"], [])

    def test_what_is_refused(self):
        internal = self.cluster.postgres.value("SELECT id FROM read.organization WHERE doc::json ->> 'type' = 'internal'")
        admin = self.cluster.postgres.value("SELECT id FROM read.user_account WHERE doc::json ->> 'role' = 'super_admin'")
        for arguments, told in ((["organizations", "deactivate", internal], "can't be deactivated"),
                                (["users", "deactivate", "--organization", internal, admin], "last active super admin"),
                                (["users", "deactivate", "--organization", str(self.organization), "999999"], "no user 999999"),
                                (["organizations", "deactivate", "999999"], "no organization 999999")):
            done = subprocess.run([str(support.binary()), *arguments], env=self.api[0].env, capture_output=True, text=True,
                                  timeout=support.COMMAND_SECONDS, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn(told, done.stderr)


if __name__ == "__main__":
    unittest.main()
