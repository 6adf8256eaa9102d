# The master key is replaced beside running processes and traffic: `workforce keys rotate-master`.

import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import support
from backups import NOTHING_ENDED
from test_cluster import STAFF, ClusterCase, Writer, person


class RotateMasterTest(ClusterCase):

    def setUp(self):
        super().setUp()
        self.directory = Path(tempfile.mkdtemp(prefix="workforce-master-"))
        self.addCleanup(shutil.rmtree, self.directory)
        self.new_key = self.directory / "new.key"
        self.new_key.touch(0o600)
        self.new_key.write_text(secrets.token_hex(32) + "\n", encoding="ascii")

    def command(self, *arguments, check=True, **env):
        """Runs a subcommand with the environment of the first process and these variables."""
        done = subprocess.run([str(support.binary()), *map(str, arguments)], env=self.env | env, text=True,
                              capture_output=True, timeout=support.COMMAND_SECONDS, check=False)
        if check:
            self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}{done.stderr}")
        return done

    def rotate(self, **options):
        return self.command("keys", "rotate-master", "--new-master-key-file", self.new_key, **options)

    def restart_each(self, **env):
        """Restarts one process after the other with these variables, None for those that are to go."""
        for member in self.members:
            member.stop()
            for name, value in env.items():
                member.env.pop(name, None)
                if value is not None:
                    member.env[name] = str(value)
            member.launch()
            support.wait_until(member.ready, support.READY_SECONDS, f"{member.name} is ready again")
            self.writer.wait_more()

    def check_refuses_to_start(self, says, **env):
        member = self.cluster.launch("api", **env)
        self.assertEqual(member.ended(), 1)
        self.assertIn(says, member.tail())

    def sealed_by(self):
        """How many keys of persons each master key seals."""
        return {name: int(count) for name, count in self.cluster.postgres.psql(
            "SELECT coalesce(master_key, ''), count(*) FROM vault.person_key WHERE sealed_key IS NOT NULL GROUP BY 1")}

    def standing(self):
        return dict(self.cluster.postgres.psql("SELECT standing, id FROM vault.master_key"))

    def rotate_and_crash(self):
        """Kills the command after it has put the new key into use and sealed the keys of persons, and before the rest."""
        held = support.Session(self.cluster.postgres)
        held.execute("BEGIN")
        held.execute("SELECT FROM auth.signing_key FOR UPDATE")
        with subprocess.Popen([str(support.binary()), "keys", "rotate-master", "--new-master-key-file", str(self.new_key)],
                              env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            support.wait_until(lambda: "former" in self.standing() and self.standing()["in use"] in self.sealed_by(),
                               support.READY_SECONDS, "some are sealed anew")
            self.assertIsNone(process.poll())
            process.kill()
        held.close()

    def test_beside_traffic(self):
        self.members = self.cluster.start("api", "api", "workers")
        self.env = self.members[0].env
        old_key = self.env["WORKFORCE_MASTER_KEY_FILE"]
        client = self.members[0].client()
        first, key = person(), {"Idempotency-Key": secrets.token_hex(8)}
        made = self.check(client.post(STAFF, first, headers=key), 201)
        shift = {"facilityId": self.cluster.demo["facilityIds"][0], "title": "Kept", "date": "2031-05-06",
                 "startTime": "08:00", "endTime": "16:00"}
        shift_key = {"Idempotency-Key": secrets.token_hex(8)}
        shift_made = self.check(client.post("/api/shifts", shift, headers=shift_key), 201)
        cursor = self.check(client.get(STAFF, limit=1), 200)["pagination"]["nextCursor"]
        email = self.cluster.postgres.value("SELECT min(email) FROM read.user_account WHERE email <> ''")
        old_token = self.command("token", email).stdout.strip()
        heads, backup = self.directory / "heads.ndjson", self.directory / "backup"
        self.command("heads", "--out", heads)
        self.command("backup", backup)

        refused = self.rotate(check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("do not know the new master key", refused.stderr)
        self.assertNotIn("former", self.standing())

        self.writer = Writer(*self.members[:2])
        self.addCleanup(self.writer.stop)
        self.restart_each(WORKFORCE_OTHER_MASTER_KEY_FILE=self.new_key)
        old_id = self.standing()["in use"]
        self.rotate_and_crash()
        self.writer.wait_more()
        self.assertEqual(self.standing()["former"], old_id)
        self.check_refuses_to_start("still seals something", WORKFORCE_MASTER_KEY_FILE=str(self.new_key),
                                    WORKFORCE_OTHER_MASTER_KEY_FILE="")
        self.assertIn("no longer needed", self.rotate().stdout)
        new_id = self.standing()["in use"]
        self.assertEqual((self.standing(), set(self.sealed_by())), ({"in use": new_id}, {new_id}))
        self.writer.wait_more()
        self.check_refuses_to_start("is not the one in use", WORKFORCE_OTHER_MASTER_KEY_FILE="")
        self.restart_each(WORKFORCE_MASTER_KEY_FILE=self.new_key, WORKFORCE_OTHER_MASTER_KEY_FILE=None)
        self.writer.stop()
        self.assertEqual(self.writer.faults, [])
        self.assertEqual(set(self.sealed_by()), {new_id})

        client = self.members[0].client()
        self.check_all_there(client, [made["id"], *self.writer.made])
        self.assertEqual(self.check(client.get(f"{STAFF}/{made['id']}"), 200)["email"], first["email"])
        self.assertEqual(self.check(client.post(STAFF, first, headers=key), 201), made, "a retry gets the first answer")
        self.assertEqual(self.check(client.post("/api/shifts", shift, headers=shift_key), 201), shift_made)
        self.check_refused(client.post("/api/shifts", shift | {"title": "Other"}, headers=shift_key), 409, "IDEMPOTENCY_KEY_CONFLICT")
        self.check(client.get(STAFF, limit=1, cursor=cursor), 200)
        for token in (old_token, self.command("token", email).stdout.strip()):
            self.check(self.members[1].client(token).get("/api/auth/me"), 200)
        self.assertEqual(self.command("erase", f"staff/{made['id']}", "--reason", "asked").returncode, 0)
        self.check_refused(client.post(STAFF, first, headers=key), 404, "NOT_FOUND")

        self.command("replay", "--verify")
        self.command("heads", "--out", heads)
        self.command("replay", "--verify", "--against", heads)
        self.assertIn("no former one is needed", self.rotate().stdout, "called once more it has nothing to do")
        self.command("backup", self.directory / "later")
        self.cluster.postgres.psql("CREATE DATABASE migrated")  # those to restore into are copies of it
        self.command("migrate", **self.at("migrated"))
        self.restores(backup, old_key, self.new_key)
        self.restores(self.directory / "later", self.new_key, old_key)

    def at(self, name):
        """Variables with which a command has that database of the cluster, and the log in it."""
        url = urlunsplit(urlsplit(self.cluster.postgres.url)._replace(path=f"/{name}"))
        return {"WORKFORCE_DATABASE_URL": url, "WORKFORCE_LOG": "postgres"}

    def restores(self, backup, key, other):
        """A backup is restored by the key that it was made under, also as the other one, and not without it."""
        alone, beside = {"MASTER_KEY_FILE": key, "OTHER_MASTER_KEY_FILE": ""}, {"MASTER_KEY_FILE": other, "OTHER_MASTER_KEY_FILE": key}
        for files in (alone, beside):
            name = "restored_" + secrets.token_hex(4)
            self.cluster.postgres.psql(f"CREATE DATABASE {name} TEMPLATE migrated STRATEGY FILE_COPY")
            env = {f"WORKFORCE_{setting}": str(file) for setting, file in files.items()} | self.at(name)
            refused = self.command("restore", backup, *NOTHING_ENDED, check=False,
                                   **(env | {"WORKFORCE_MASTER_KEY_FILE": str(other), "WORKFORCE_OTHER_MASTER_KEY_FILE": ""}))
            self.assertEqual(refused.returncode, 1)
            self.assertIn("master key", refused.stderr)
            self.command("restore", backup, *NOTHING_ENDED, **env)
            self.command("replay", "--verify", **env)
            self.command("rebuild", "--all", **env)
            people = subprocess.run(["psql", "-XAtqc", "SELECT count(*) FROM read.staff WHERE doc::text LIKE '%@example.test%'",
                                     env["WORKFORCE_DATABASE_URL"]],
                                    text=True, capture_output=True, check=True)
            self.assertGreater(int(people.stdout), 0, "personal fields open")
