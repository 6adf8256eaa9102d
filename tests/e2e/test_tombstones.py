# What ended after a backup stays ended in what is restored from it: by the file that services keep, or because all API keys
# end.

import json
import re
import secrets
import threading
import unittest
from pathlib import Path

import backups
import rest
import support

service = None
directory = None


def setUpModule():
    global service, directory
    service, directory = backups.start()


class TombstonesTest(backups.BackupCase):
    def revocations(self, database):
        """Reason by API key, of all that the log tells."""
        bodies = (json.loads(body) for _, _, body in support.log_records(database))
        return {body["subject"]: body["data"]["reason"] for body in bodies if body["type"] == "api_key.revoked"}

    def exported(self, *names):
        """The services' file once it names all these."""
        file = directory / "tombstones"

        def all_there():
            lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
            named = {name for line in lines for name in line["persons"] + line["keys"]}
            return set(names) <= named
        support.wait_until(all_there, support.READY_SECONDS, f"{names} stand in the file")
        return file

    def check_keys(self, served, refused, taken=()):
        client = rest.client_of(served)
        for token in refused:
            answer = client.with_key(token).get("/api/staff")
            self.check_refused(answer, 401, "UNAUTHENTICATED")
        for token in taken:
            self.check(client.with_key(token).get("/api/staff"), 200)

    def test_what_ended_after_the_backup(self):
        keys = [rest.make_key(service, ["staff:read"]) for _ in range(3)]
        (before, _), (after, _), _ = keys
        tokens = [token for _, token in keys]
        person = self.person("Leberecht")
        rest.revoke_key(service, before)
        path = self.backup()
        rest.revoke_key(service, after)
        young, _ = rest.make_key(service, ["staff:read"])  # which the backup does not know
        rest.revoke_key(service, young)
        service.command("erase", f"staff/{person['id']}", "--reason", "asked for")
        file = self.exported(before, after, young, f"staff/{person['id']}")

        database = self.database()
        done = database.run("restore", path, "--tombstones", file, check=True)
        self.assertNotIn("is it the latest", done.stderr)
        self.assertIn("1 API keys were revoked", done.stdout)
        revoked = self.revocations(database)
        self.assertNotIn(f"api_key/{young}", revoked)
        self.assertIsNone(revoked[f"api_key/{before}"])
        self.assertRegex(revoked[f"api_key/{after}"], r"^revoked before; restored from the backup of \d{4}-")
        support.verify_chain(support.log_records(database))
        # Also before anything is folded.
        self.assertEqual(database.value("SELECT count(*) FROM auth.api_key_secret WHERE revoked_at IS NOT NULL AND key_id IN "
                                        f"({before}, {after})"), "2")
        with backups.Restored(database) as served:
            self.check_keys(served, tokens[:2], [tokens[2], service.demo["keys"]["live"]])
            self.assertGreater(rest.make_key(served, ["staff:read"])[0], young, "no key gets the number of one that ended")
            served.wait_projected()
            left = rest.client_of(served).get(f"/api/staff/{person['id']}")
            self.assertEqual(self.check(left, 200)["firstName"], "")
            before_rebuild, after_rebuild = support.checksums_around_rebuild(served)
            self.assertEqual(before_rebuild, after_rebuild)

    def test_without_tombstones_all_keys_end(self):
        key, token = rest.make_key(service, ["staff:read"])
        path = self.backup("--read-models")
        rest.revoke_key(service, key)
        database = self.database()
        done = database.run("restore", path, "--no-later-erasures", check=True)
        self.assertRegex(done.stdout, r"\d+ API keys were revoked, all there were: make new ones")
        self.assertEqual(database.value("SELECT count(*) FROM auth.api_key_secret WHERE revoked_at IS NULL"), "0")
        reasons = {reason for reason in self.revocations(database).values() if reason}
        self.assertEqual(len(reasons), 1)
        self.assertRegex(reasons.pop(), r"^may have been revoked after the backup of \d{4}-")
        with backups.Restored(database) as served:
            self.check_keys(served, [token, *service.demo["keys"].values()])
            _, fresh = rest.make_key(served, ["staff:read"])
            self.check_keys(served, [], [fresh])
            support.verify_chain(support.log_records(database))
        # Who says that none was revoked gets them all.
        with backups.Restored(self.restored(path, *backups.NOTHING_ENDED)) as served:
            self.check_keys(served, [], [token])

    def test_a_revocation_that_the_backup_has_in_its_rows_alone(self):
        """Rows are read after the log: what was revoked in between has ended, too."""
        key, token = rest.make_key(service, ["staff:read"])
        service.wait_projected()
        held = support.Session(service.postgres)
        self.addCleanup(held.close)
        held.execute("BEGIN; LOCK TABLE vault.person_key IN ACCESS EXCLUSIVE MODE")
        made = threading.Thread(target=self.backup)
        made.start()
        support.wait_until(lambda: service.postgres.value(
            "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND application_name LIKE "
            "'workforce backup%'") == "1", 60, "the backup has read the log and waits for the keys")
        service.postgres.psql(f"UPDATE auth.api_key_secret SET revoked_at = now() WHERE key_id = {key}")
        held.close()
        made.join()
        database = self.restored(self.path)
        self.assertRegex(self.revocations(database)[f"api_key/{key}"], "^revoked before")
        with backups.Restored(database) as served:
            self.check_keys(served, [token])
        rest.revoke_key(service, key)

    def test_refusals(self):
        path = self.backup()
        for _ in range(2):
            key, _ = rest.make_key(service, ["staff:read"])
            rest.revoke_key(service, key)
            file = self.exported(key)
        text = file.read_text(encoding="utf-8")
        database = self.database()

        def refused(content, *words):
            given = directory / secrets.token_hex(4)
            given.write_text(content, encoding="utf-8")
            self.check_fails(database.run("restore", path, "--tombstones", given), given.name, *words)
        lines = text.splitlines(keepends=True)
        refused("", "holds no tombstones")
        refused(re.sub(r'"installation":"', '"installation":"not-', text), "line 1 is of installation 'not-")
        refused("".join(lines[:-1]) + lines[-1].replace(f"{key}", f"{key + 1}", 1), f"line {len(lines)} was not signed")
        refused(lines[0] + lines[-1], "lines are missing")
        for options in ((), ("--tombstones", file, "--no-later-erasures"), ("--no-later-revocations",)):
            self.check_fails(database.run("restore", path, *options), "--tombstones", "--no-later-erasures", "would come back")
        self.check_fails(database.run("restore", path, "--tombstones", file, "--no-later-revocations"), "leave --no-later-revocations out")
        self.check_fails(database.run("restore", path, "--tombstones", "/absent/file"), "/absent/file: can't be read: No such file")
        self.assertEqual(database.value("SELECT count(*) FROM log.event"), "0", "a refusal leaves nothing behind")
        # One of before the backup is taken, with a word on it.
        old = Path(f"{path}-keys") / "tombstones.ndjson"
        self.person("Walburga")
        self.path = directory / secrets.token_hex(4)
        done = database.run("restore", self.backup(), "--tombstones", old, check=True)
        self.assertIn("before this backup: is it the latest?", done.stderr)


if __name__ == "__main__":
    unittest.main()
