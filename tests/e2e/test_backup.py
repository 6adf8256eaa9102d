# Backups taken while clients write, restored into other databases: the same history, answers, secrets, and what was
# erased stays erased. A log behind its read models is refused.

import json
import secrets
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import rest
import support

service = None
directory = None


def setUpModule():
    global service, directory
    service = rest.start_service()
    directory = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))


class Database:
    """Another database of the same cluster, for support's queries and for the binary."""

    def __init__(self):
        self.name = "restored_" + secrets.token_hex(4)
        service.postgres.psql(f"CREATE DATABASE {self.name}")
        self.url = urlunsplit(urlsplit(service.postgres.url)._replace(path=f"/{self.name}"))
        ports = {f"WORKFORCE_{name}": str(support.free_port()) for name in ("PORT", "MCP_PORT", "ADMIN_PORT")}
        self.env = service.env | ports | {"WORKFORCE_DATABASE_URL": self.url}
        self.run("migrate", check=True)

    psql = support.Postgres.psql
    value = support.Postgres.value

    def run(self, *arguments, check=False, **env):
        done = subprocess.run([str(support.binary()), *map(str, arguments)], env=self.env | env, capture_output=True,
                              text=True, timeout=support.COMMAND_SECONDS, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"{arguments} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def drop(self):
        service.postgres.psql(f"DROP DATABASE {self.name} WITH (FORCE)")


class Restored(support.Service):
    """The service on a restored database."""

    def __init__(self, database):
        super().__init__(service.postgres)
        self.postgres = database
        self.env = database.env
        self._admin_port = int(database.env["WORKFORCE_ADMIN_PORT"])
        self.demo = service.demo | {"baseUrl": f"http://127.0.0.1:{database.env['WORKFORCE_PORT']}"}

    def __enter__(self):
        self.start()
        return self


class BackupCase(rest.RestCase):
    def setUp(self):
        self.path = directory / secrets.token_hex(4)

    def backup(self, *options):
        service.command("backup", self.path, *options)
        return self.path

    def database(self):
        database = Database()
        self.addCleanup(database.drop)
        return database

    def restored(self, path, *options):
        database = self.database()
        database.run("restore", path, *options, check=True)
        return database

    def served(self, database):
        return self.enterContext(Restored(database))

    def check_fails(self, done, *words):
        self.assertEqual((done.returncode, done.stderr.count("workforce: ")), (1, 1), done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def person(self, name, client=None):
        body = {"firstName": name, "lastName": "Backup", "email": f"{name.lower()}@backup.example"}
        return self.check((client or rest.client_of(service)).post("/api/staff", body, headers={"Idempotency-Key": name}), 201)


class RestoreTest(BackupCase):
    def test_taken_while_clients_write(self):
        client = rest.client_of(service)
        first = self.person("Adalbert")
        ended = threading.Event()
        made = []

        def write():
            while not ended.is_set():
                made.append(self.person(f"Writer{len(made)}"))

        writer = threading.Thread(target=write)
        writer.start()
        try:
            support.wait_until(lambda: len(made) > 5, 60, "the writer writes")
            path = self.backup()
            after = len(made)
            support.wait_until(lambda: len(made) > after + 5, 60, "the writer goes on")
        finally:
            ended.set()
            writer.join()
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(path.stat().st_mode & 0o077, 0)
        database = self.restored(path)
        for head in manifest["partitions"]:
            self.assertEqual(database.value("SELECT head || ' ' || head_hash FROM log.partition "
                                            f"WHERE partition = {head['partition']}"), f"{head['position']} {head['hash']}")
            events = ("SELECT md5(string_agg(body, E'\\n' ORDER BY position)) FROM log.event "
                      f"WHERE partition = {head['partition']} AND position <= {head['position']}")
            self.assertEqual(database.value(events), service.postgres.value(events))
            claims = ("SELECT string_agg(epoch || ' ' || position || ' ' || owner, ',' ORDER BY epoch) FROM log.claim "
                      f"WHERE partition = {head['partition']}")
            self.assertEqual(database.value(claims), service.postgres.value(claims))
        support.verify_chain(support.log_records(database))

        served = self.served(database)
        served.wait_projected()
        restored = rest.client_of(served)
        for page in rest.pages(restored, "/api/staff", limit=100):
            for one in page:
                if one["id"] == first["id"] or one["firstName"].startswith("Writer"):
                    self.assertEqual(one, self.check(client.get(f"/api/staff/{one['id']}"), 200))
        known = [one for one in made if restored.get(f"/api/staff/{one['id']}").status == 200]
        self.assertGreater(len(known), 5)
        # A retry gets the first answer, and what is new gets ids that nothing had.
        body = {"firstName": "Adalbert", "lastName": "Backup", "email": "adalbert@backup.example"}
        again = restored.post("/api/staff", body, headers={"Idempotency-Key": "Adalbert"})
        self.assertEqual((self.check(again, 201), again.headers["Idempotency-Replayed"]), (first, "true"))
        before, after = support.checksums_around_rebuild(served)
        self.assertEqual(before, after)
        fresh = self.person("Fresh", restored)
        self.assertGreater(fresh["id"], max(one["id"] for one in known))
        key, token = rest.make_key(served, ["staff:read"])
        self.check(restored.with_key(token).get("/api/staff"), 200)
        self.assertGreater(key, int(database.value("SELECT max(key_id) FROM auth.api_key_secret WHERE key_id <> " + str(key))))
        support.verify_chain(support.log_records(database))

    def test_read_models_fold_on_and_a_log_behind_them_is_refused(self):
        self.person("Berthold")
        service.wait_projected()
        path = self.backup("--read-models")
        database = self.restored(path)
        self.assertGreater(int(database.value("SELECT count(*) FROM read.staff")), 0)
        database.psql("UPDATE projection.checkpoint SET position = greatest(position - 3, -1) WHERE projection = 'activity'; "
                      "DELETE FROM read.activity WHERE (id / 1024) > (SELECT position FROM projection.checkpoint "
                      "WHERE projection = 'activity' AND partition = id % 1024)")
        served = self.served(database)
        served.wait_projected()
        before, after = support.checksums_around_rebuild(served)
        self.assertEqual(before, after)
        served.stop()
        database.psql("UPDATE projection.checkpoint SET position = position + 7 WHERE projection = 'staff' AND partition = 0")
        for role in ("serve", "api", "workers"):
            self.check_fails(database.run(role), "behind its read models", "partition 0", "staff stands at", "rebuild --all")
        database.run("rebuild", "--all", check=True)
        served.start()
        self.assertEqual(support.read_model_checksums(database), before)

    def test_erased_stays_erased_whatever_keys_come_back(self):
        cordula = self.person("Cordula")
        old_keys = Path(f"{self.backup()}-keys")
        old_path = self.path
        service.command("erase", f"staff/{cordula['id']}", "--reason", "asked for")
        self.path = directory / secrets.token_hex(4)
        path = self.backup("--keys", directory / "elsewhere")
        later = directory / "elsewhere" / "keys.json"
        person = f"staff/{cordula['id']}"
        self.assertIn(person, json.loads(later.read_text(encoding="utf-8"))["destroyed"])
        for restored in (self.restored(path, "--keys", old_keys), self.restored(old_path, "--destroyed", later)):
            self.assertEqual(restored.value(f"SELECT sealed_key IS NULL FROM vault.person_key WHERE person = '{person}'"), "t")
            served = self.served(restored)
            served.wait_projected()
            left = self.check(rest.client_of(served).get(f"/api/{person}"), 200)
            self.assertEqual((left["firstName"], left["isActive"]), ("", False))
            served.stop()
        alive = self.restored(old_path)
        self.assertEqual(alive.value(f"SELECT sealed_key IS NULL FROM vault.person_key WHERE person = '{person}'"), "f")

    def test_refusals(self):
        self.person("Dietlinde")
        path = self.backup()
        self.check_fails(subprocess.run([str(support.binary()), "backup", str(path)], env=service.env, capture_output=True,
                                        text=True, check=False), "not empty")
        database = self.database()
        key = directory / "other.key"
        key.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
        key.chmod(0o600)
        self.check_fails(database.run("restore", path, WORKFORCE_MASTER_KEY_FILE=str(key)), "master key")
        self.check_fails(database.run("restore", directory), "manifest.json")
        self.check_fails(database.run("restore", path, "--keys", directory), "keys.json")
        self.assertEqual(database.value("SELECT count(*) FROM log.event"), "0", "a refusal leaves nothing behind")
        database.run("restore", path, check=True)
        self.check_fails(database.run("restore", path), "not empty")
        # Keys of before the last person was made, a damaged table, a damaged log: nothing serves what came of them.
        older = directory / "older"
        service.command("backup", directory / "before", "--keys", older)
        self.person("Eberhard")
        self.path = directory / secrets.token_hex(4)
        newer = self.backup()
        database = self.database()
        self.check_fails(database.run("restore", newer, "--keys", older), "older than the log")
        self.check_fails(database.run("serve"), "has not ended")
        table = newer / "ops.user_email.ndjson.zst"
        table.write_bytes((path / "auth.api_key_secret.ndjson.zst").read_bytes())
        self.check_fails(self.database().run("restore", newer), "ops.user_email")
        log = next(file for file in sorted(path.glob("log-*.zst")) if file.stat().st_size > 1000)
        log.write_bytes(log.read_bytes()[:-40])
        self.check_fails(self.database().run("restore", path), log.name)


if __name__ == "__main__":
    unittest.main()
