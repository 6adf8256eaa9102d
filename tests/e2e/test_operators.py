# What operators meet at the command line besides the service itself: the file of a checkout, versions, addresses, errors.

import json
import subprocess

import rest
import test_cli
from test_cli import CommandCase, database_url


def setUpModule():
    test_cli.setUpModule()


class OperatorsTest(CommandCase):

    def test_the_file_of_a_checkout(self):
        (self.scratch / "var").mkdir()
        self.write("var/workforce.toml", "port = 4711\n")
        found = {"config": None, "port": None, "database_url": None}
        self.assertRegex(self.run_command("config", **found).stdout, r"(?m)^port = 4711  # var/workforce\.toml:1$")
        for other in ({"config": ""}, {"config": self.write("w.toml", "port = 4712\n")}, {"database_url": "postgresql:///other"}):
            self.assertNotIn("4711", self.run_command("config", **(found | other)).stdout, other)
        self.assertIn("4712", self.run_command("config", "--config", self.write("w.toml", "port = 4712\n"), **found).stdout)
        self.assertIn("var/workforce.toml", self.run_command("--help").stdout)

    def test_version(self):
        last = test_cli.service.postgres.value("SELECT max(version) FROM public.schema_migration")
        done = self.run_command("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"^workforce \d+\.\d+\.\d+ \(API {rest.VERSION}, schema {last}\)\n$")

    def test_seed_writes_no_address_that_it_was_not_told(self):
        out = self.scratch / "dev.json"
        unknown = {"port": None, "mcp_port": None, "admin_port": None}
        done = self.run_command("seed", "--demo", "--out", str(out), **unknown)
        self.check_fails(done, "--base-url")
        self.assertEqual((done.returncode, out.exists()), (2, False))
        written = self.write("dev.json", json.dumps(test_cli.service.demo))
        done = self.run_command("seed", "--demo", "--out", written, "--base-url", "https://api.example.test", **unknown)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(out.read_text(encoding="utf-8"))
        self.assertEqual((told["baseUrl"], told["mcpUrl"], told["adminUrl"]), ("https://api.example.test", "", ""))

    def test_seed_makes_the_keys_that_the_file_lacks(self):
        demo = test_cli.service.demo
        known = {"port": demo["baseUrl"].rsplit(":", 1)[1]}
        lacking = demo | {"keys": {name: demo["keys"][name] for name in ("live", "readOnly")}}
        written = self.write("dev.json", json.dumps(lacking))
        done = self.run_command("seed", "--demo", "--out", written, **known)
        self.assertEqual(done.returncode, 0, done.stderr)
        keys = json.loads((self.scratch / "dev.json").read_text(encoding="utf-8"))["keys"]
        self.assertEqual({name: keys[name] for name in lacking["keys"]}, lacking["keys"], "these stay")
        self.assertEqual(set(keys), {"live", "readOnly", "test", "pat"})
        test_cli.service.wait_projected()  # before that a key opens nothing
        for name, kind in (("test", "test"), ("pat", "pat")):
            self.assertNotEqual(keys[name], demo["keys"][name])
            for token in (keys[name], demo["keys"][name]):
                self.assertRegex(token, f"^svc_{kind}_[A-Za-z0-9]{{49}}$")
                answer = rest.Client(demo["baseUrl"], token).get("/api/auth/me")
                self.assertEqual(answer.status, 200, str(answer))
        personal = rest.Client(demo["baseUrl"], keys["pat"]).get("/api/auth/me").body["user"]
        self.assertEqual(personal["id"], demo["users"]["customerAdmin"]["id"], "the administrator's")
        limits = test_cli.service.postgres.psql("SELECT DISTINCT doc::json ->> 'rateLimitPerMin' FROM read.api_key WHERE "
                                                "doc::json ->> 'name' LIKE 'Demo, %'")
        self.assertEqual([tuple(row) for row in limits], [("6000",)])
        again = self.run_command("seed", "--demo", "--out", written, **known)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads((self.scratch / "dev.json").read_text(encoding="utf-8"))["keys"], keys, "once")

    def test_seed_gives_the_personal_token_to_whom_the_file_names(self):
        """Earlier versions gave the people of the demo other addresses, which their files still name."""
        demo = test_cli.service.demo
        known = {"port": demo["baseUrl"].rsplit(":", 1)[1]}
        administrator = rest.Client(demo["baseUrl"], demo["keys"]["pat"])
        earlier = administrator.post("/api/users", {"firstName": "Dana", "lastName": "Whitcombe", "role": "admin",
                                                    "email": "admin@demo.example.test", "password": "correct horse battery staple"})
        self.assertEqual(earlier.status, 201, str(earlier))
        test_cli.service.wait_projected()
        named = {name: earlier.body[name] for name in ("id", "organizationId", "email")} | {"password": "correct horse battery staple"}
        users = demo["users"] | {"customerAdmin": named}
        keys = {name: key for name, key in demo["keys"].items() if name != "pat"}
        written = self.write("dev.json", json.dumps(demo | {"keys": keys, "users": users}))
        people = "SELECT count(*) FROM read.user_account"
        count = test_cli.service.postgres.value(people)
        for _ in range(2):
            done = self.run_command("seed", "--demo", "--out", written, **known)
            self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads((self.scratch / "dev.json").read_text(encoding="utf-8"))
        self.assertEqual(told["users"], users, "nobody is made anew")
        test_cli.service.wait_projected()
        self.assertEqual(test_cli.service.postgres.value(people), count)
        whose = rest.Client(demo["baseUrl"], told["keys"]["pat"]).get("/api/auth/me").body["user"]
        self.assertEqual(whose["id"], earlier.body["id"])

    def test_seed_keeps_what_it_made_before_it_failed(self):
        demo = test_cli.service.demo
        known = {"port": demo["baseUrl"].rsplit(":", 1)[1]}
        # The sandbox key is the third, and of a facility.
        written = self.write("dev.json", json.dumps(demo | {"facilityIds": [9_000_000_000], "keys": {"live": demo["keys"]["live"]}}))
        self.assertNotEqual(self.run_command("seed", "--demo", "--out", written, **known).returncode, 0)
        keys = json.loads((self.scratch / "dev.json").read_text(encoding="utf-8"))["keys"]
        self.assertEqual([name for name, key in keys.items() if key], ["live", "readOnly"])
        test_cli.service.wait_projected()
        answer = rest.Client(demo["baseUrl"], keys["readOnly"]).get("/api/auth/me")
        self.assertEqual(answer.status, 200, str(answer))

    def test_a_statement_that_fails_is_one_line(self):
        test_cli.service.postgres.psql("CREATE DATABASE torn")
        url = database_url("torn")
        self.assertEqual(self.run_command("migrate", database_url=url).returncode, 0)
        subprocess.run(["psql", "-XAtqc", "DROP TABLE ops.organization_home", url], check=True)
        self.check_fails(self.run_command("seed", database_url=url), "organization_home")
