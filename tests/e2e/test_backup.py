# Backups taken while clients write, restored into other databases: the same history, answers, secrets, and what was
# erased stays erased. A log behind its read models is refused.

import concurrent.futures
import json
import secrets
import shutil
import subprocess
import threading
import unittest
from pathlib import Path

import approvals
import backups
import oauth
import people
import rest
import support
import zstd
from backups import rows_of, write_rows

service = None
directory = None


def setUpModule():
    global service, directory
    service, directory = backups.start()


class RestoreTest(backups.BackupCase):
    def test_taken_while_clients_write(self):
        client = rest.client_of(service)
        first = self.person("Adalbert")
        ended = threading.Event()
        made = []

        def write():
            while not ended.wait(0.01):
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

    def test_oauth_begins_anew(self):
        """Codes, tokens and grants end, with what they opened; clients need not register again."""
        who = people.make_user(service)
        client = oauth.Client(service, asks={"scope": "staff:read"})
        self.assertEqual(client.register(token_endpoint_auth_method="client_secret_post").status, 201)
        tokens = self.check(client.exchange(oauth.Browser(service).allow(client.url(), who["email"]), client_secret=client.secret), 200)
        unused = oauth.Browser(service).allow(client.url(), who["email"])
        served = self.served(self.restored(self.backup()))
        there = oauth.Client(served, client.id, client.secret, client.verifier, client.asks)
        for answer in (there.refresh(tokens["refresh_token"], client_secret=client.secret), there.exchange(unused, client_secret=client.secret)):
            self.assertEqual((answer.status, answer.body["error"]), (400, "invalid_grant"))
        self.check_refused(people.client_of(served, tokens["access_token"]).get(people.ME), 401, "UNAUTHENTICATED")
        self.assertEqual(self.check(people.sign_in(served, who["email"]).get(oauth.GRANTS), 200)["data"], [])
        again = self.check(there.exchange(oauth.Browser(served).allow(there.url(), who["email"]), client_secret=client.secret), 200)
        self.check(people.client_of(served, again["access_token"]).get(people.ME), 200)
        # A restore ends what still stands by events of its own, which other tests don't count.
        person = people.sign_in(service, who["email"])
        grant, = self.check(person.get(oauth.GRANTS), 200)["data"]
        self.assertEqual((grant["client_id"], grant["scopes"]), (client.id, ["staff:read"]))
        self.check(person.delete(f"{oauth.GRANTS}/{grant['id']}"), 204)

    def test_calls_that_wait_are_decided_in_either(self):
        """By whom the clone's people let; what is asked outside waits until the clone is told that it may send."""
        client, here = rest.client_of(service), service.demo["facilityIds"][0]
        admin = people.make_user(service, role="admin")
        agent = approvals.Agent(service, ["staff:write", "payroll:run"], admin["id"])
        rest.wait_for_key(service, agent.id)
        staff, run = approvals.onboard(client, facilityIds=[here]), approvals.draft_run(client, here)
        waits, outside = agent.defer(staffId=staff), agent.defer("payroll_runs_approve", runId=run)
        clone = self.restored(self.backup())
        served = self.served(clone)
        session = people.sign_in(served, admin["email"])

        def is_active(where):
            where.wait_projected()
            return self.check(rest.client_of(where).get(f"/api/staff/{staff}"), 200)["isActive"]
        self.assertEqual(self.check(session.get(f"{approvals.LIST}/{waits}"), 200)["arguments"], {"staffId": staff})
        self.assertTrue(self.check(session.post(f"{approvals.IN_APP}/{waits}/approve"), 200)["success"])
        self.assertEqual((is_active(served), is_active(service)), (False, True))

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            deciding = pool.submit(people.sign_in(served, admin["email"]).post, f"{approvals.IN_APP}/{outside}/approve")
            support.wait_until(lambda: self.check(session.get(f"{approvals.LIST}/{outside}"), 200)["status"] == "approved", 60,
                               "it is approved")
            self.assertEqual(self.check(rest.client_of(served).get(f"/api/payroll/runs/{run}"), 200)["status"], "draft")
            clone.run("reactors", "resume", check=True)
            deciding.result()
        done = support.wait_until(lambda: self.check(session.get(f"{approvals.LIST}/{outside}"), 200)["executionResult"], 60,
                                  "it is carried out")
        self.assertTrue(done["success"], done)
        self.assertEqual(support.logged_types(served, f"payroll_run/{run}").count("payroll_run.approved"), 1)
        origin = people.sign_in(service, admin["email"])
        for approval in (waits, outside):
            self.check(origin.post(f"{approvals.IN_APP}/{approval}/reject"), 200)
        self.assertTrue(is_active(service))

    def test_a_clone_sends_nothing_until_told(self):
        client, facility = rest.client_of(service), service.demo["facilityIds"][0]
        body = {"facilityId": facility, "title": "Night watch", "date": "2030-01-01", "startTime": "20:00", "endTime": "23:00"}

        def assign(person, **shift):
            made = self.check(client.post("/api/shifts", body | shift), 201)
            self.check(client.post(f"/api/shifts/{made['id']}/assign", {"staffIds": [person["id"]]}), 200)

        def persons(of):
            return [row for (row,) in of.psql("SELECT person FROM ops.outbox ORDER BY created_at, id")]

        sent, waiting, later = [self.person(name) for name in ("Ottilie", "Paula", "Quirin")]
        assign(sent)
        support.wait_until(lambda: f"staff/{sent['id']}" in persons(service.postgres), 60, "a mail is sent")
        service.command("reactors", "pause", "shift_mail", "--reason", "a backup with work")
        assign(waiting, date="2030-01-02")
        path = self.backup()
        service.command("reactors", "resume")
        support.wait_until(lambda: f"staff/{waiting['id']}" in persons(service.postgres), 60, "the other mail is sent")
        clone = self.restored(path)
        served = self.served(clone)
        client = rest.client_of(served)
        assign(later, date="2030-01-03")
        served.wait_projected()
        listed = json.loads(clone.run("reactors", "--json", check=True).stdout)
        self.assertTrue(all(each["paused"] for rows in listed.values() for each in rows), listed)
        self.assertIn("mail", [each["name"] for each in listed["deliveries"]])
        self.assertGreater(sum(each["lag"] for each in listed["reactors"]), 0)
        self.assertEqual(persons(clone), persons(service.postgres)[:-1])
        clone.run("reactors", "resume", check=True)
        expected = sorted([*persons(service.postgres), f"staff/{later['id']}"])
        support.wait_until(lambda: sorted(persons(clone)) == expected, 60, "the clone sends what waited, once")

    def test_a_backup_without_reactors_begins_them_at_its_end(self):
        path = self.backup()
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        kept = [table for table in manifest["tables"] if not table["name"].startswith("reactor.")]
        self.assertLess(len(kept), len(manifest["tables"]))
        (path / "manifest.json").write_text(json.dumps(manifest | {"tables": kept}), encoding="utf-8")
        clone = self.restored(path)
        for head in manifest["partitions"]:
            self.assertEqual(clone.value("SELECT DISTINCT position || ' ' || acts_after FROM reactor.checkpoint WHERE partition = "
                                         f"{head['partition']}"), f"-1 {head['position']}")

    def test_read_models_fold_on_and_a_log_behind_them_is_refused(self):
        self.person("Berthold")
        service.wait_projected()
        path = self.backup("--read-models")
        self.assertEqual([file.name for file in path.iterdir() if file.name.startswith(("read.", "projection."))], [],
                         "in clear they are kept with the keys only")
        keys = Path(f"{path}-keys")
        self.assertTrue((keys / "read.staff.ndjson.zst").exists())
        self.assertEqual([path.stat().st_mode & 0o077, keys.stat().st_mode & 0o077], [0, 0])
        self.assertEqual([file for file in [*path.iterdir(), *keys.iterdir()] if file.name.endswith(".part")], [])
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
        later = directory / "elsewhere" / "tombstones.ndjson"
        person = f"staff/{cordula['id']}"
        self.assertIn(person, json.loads(later.read_text(encoding="utf-8"))["persons"])
        for restored in (self.restored(path, "--keys", old_keys), self.restored(old_path, "--tombstones", later)):
            self.assertEqual(restored.value("SELECT count(*) FROM log.event WHERE body LIKE '%\"type\":\"staff.erased\"%' "
                                            f"AND body LIKE '%\"subject\":\"{person}\"%'"), "1", "the log tells it")
            support.verify_chain(support.log_records(restored))
            self.assertEqual(restored.value(f"SELECT sealed_key IS NULL FROM vault.person_key WHERE person = '{person}'"), "t")
            served = self.served(restored)
            served.wait_projected()
            left = self.check(rest.client_of(served).get(f"/api/{person}"), 200)
            self.assertEqual((left["firstName"], left["isActive"]), ("", False))
            served.stop()
        alive = self.restored(old_path)
        self.assertEqual(alive.value(f"SELECT sealed_key IS NULL FROM vault.person_key WHERE person = '{person}'"), "f")

    def test_read_models_that_know_more_than_they_may(self):
        """Of a backup with read models: nobody who was erased comes back with them, nor with a race of the two."""
        gone, later, kept = (self.person(name) for name in ("Isolde", "Jorinde", "Kunigunde"))
        service.command("erase", f"staff/{gone['id']}", "--reason", "asked for")  # and folded, when it returns
        path = self.backup("--read-models")
        self.path = directory / secrets.token_hex(4)
        service.command("erase", f"staff/{later['id']}", "--reason", "asked for")
        newer = Path(f"{self.backup()}-keys") / "tombstones.ndjson"
        query = f"SELECT count(*) FROM read.staff WHERE id = {kept['id']}"

        database = self.database()
        done = database.run("restore", path, *backups.NOTHING_ENDED, check=True)
        self.assertNotIn("left out", done.stderr)
        self.assertEqual(database.value(query), "1", "whoever was erased was so in them")

        database = self.database()
        done = database.run("restore", path, "--tombstones", newer, check=True)
        self.assertRegex(done.stderr, rf"read models are left out.*staff/{later['id']} was erased after the backup")
        for table in support.tables_of(database, "read"):
            self.assertEqual(database.value(f"SELECT count(*) FROM {table}"), "0")
        served = self.served(database)
        served.wait_projected()
        client = rest.client_of(served)
        for person, name in ((gone, ""), (later, ""), (kept, "Kunigunde")):
            self.assertEqual(self.check(client.get(f"/api/staff/{person['id']}"), 200)["firstName"], name)
        served.stop()

        # Erased in the log, but not yet in one of the read models: as when it was behind.
        keys = Path(f"{path}-keys")
        write_rows(keys, "projection.checkpoint", [row | {"position": 0 if row["projection"] == "shift" else row["position"]}
                                                   for row in rows_of(keys, "projection.checkpoint")])
        done = self.database().run("restore", path, *backups.NOTHING_ENDED, check=True)
        self.assertRegex(done.stderr, r"read models are left out.*staff/\d+ was erased after they were taken")

    def test_a_user_who_was_erased_later(self):
        key, token = rest.make_key(service, ["staff:read"])
        owner = service.postgres.value("SELECT id FROM read.user_account WHERE email = 'admin@demo.example.com'")
        keys = [int(one) for (one,) in service.postgres.psql(
            f"SELECT id FROM read.api_key WHERE doc::json ->> 'userId' = '{owner}' AND doc::json ->> 'status' = 'active'")]
        self.assertTrue(keys and key not in keys)
        service.wait_projected()
        path = self.backup("--read-models")
        # As a later backup names them: the user, and somebody whom this one's log never knew.
        erased = self.restored(path)
        erased.psql(f"UPDATE vault.person_key SET sealed_key = NULL, destroyed_at = now() WHERE person = 'user/{owner}'; "
                    "INSERT INTO vault.person_key (person, destroyed_at) VALUES ('staff/777777', now()), ('user/888888', now())")
        later = directory / secrets.token_hex(4)
        erased.run("backup", later, check=True)
        database = self.restored(path, "--tombstones", f"{later}-keys/tombstones.ndjson")
        self.assertEqual(database.value(f"SELECT count(*) FROM ops.reservation WHERE kind = 'user' AND subject_id = {owner}"), "0")
        self.assertEqual(database.value("SELECT count(*) FROM ops.reservation"),
                         str(int(service.postgres.value("SELECT count(*) FROM ops.reservation")) - 1))
        served = self.served(database)
        served.wait_projected()
        client = rest.client_of(served)
        support.wait_until(lambda: client.get("/api/staff").status == 401, support.READY_SECONDS, "the erased user's key is refused")
        self.check(client.with_key(token).get("/api/staff"), 200)
        for one in keys:
            self.assertEqual(database.value(f"SELECT doc::json ->> 'status' FROM read.api_key WHERE id = {one}"), "revoked")
        for table in support.tables_of(database, "read"):
            self.assertEqual(support.clear_text_hits(database, table, ["Dana", "admin@demo.example.com"]), [], table)
        for kind, least in (("staff", 777777), ("user", 888888)):
            self.assertGreaterEqual(int(database.value(f"SELECT nextval('ops.{kind}_id')")), least)
        before, after = support.checksums_around_rebuild(served)
        self.assertEqual(before, after)
        support.verify_chain(support.log_records(database))

    def test_who_was_deactivated_stays_out_before_read_models_say_so(self):
        user = service.postgres.value("SELECT id FROM read.user_account WHERE email = 'admin@demo.example.com'")
        who = ("--organization", str(service.demo["organizationId"]), user)
        standing = f"SELECT string_agg(user_id || ' ' || active, ', ') FROM auth.account_standing WHERE user_id = {user}"
        for verb, active in (("deactivate", "false"), ("reactivate", "true")):
            service.command("users", verb, *who)
            self.path = directory / secrets.token_hex(4)
            self.assertEqual(self.restored(self.backup()).value(standing), f"{user} {active}")
        service.wait_projected()
        support.wait_until(lambda: rest.client_of(service).get("/api/staff").status == 200, support.READY_SECONDS, "the key opens")

    def test_what_users_may_do_holds_before_read_models_say_so(self):
        user = service.postgres.value("SELECT id FROM read.user_account WHERE email = 'admin@demo.example.com'")
        operator = rest.client_of(service).with_key(service.command("token", "super.admin@platform.example.com").strip())
        facilities = [service.demo["facilityIds"][0]]
        staff = rest.client_of(service).get("/api/staff", limit=1).body["data"][0]["id"]
        self.check(operator.patch(f"/api/users/{user}", {"role": "manager", "facilityIds": facilities, "staffId": staff}), 200)
        self.path = directory / secrets.token_hex(4)
        rights = self.restored(self.backup()).psql("SELECT name, value FROM auth.account_right ORDER BY name")
        self.assertEqual([tuple(row) for row in rights], [("facilityIds", f"{{{facilities[0]}}}"), ("role", "manager"),
                                                          ("staffId", str(staff))])
        self.check(operator.patch(f"/api/users/{user}", {"role": "admin", "facilityIds": [], "staffId": None}), 200)
        service.wait_projected()

    def test_sessions_end_and_passwords_stay(self):
        ada = people.make_user(service)
        here = people.sign_in(service, ada["email"])
        path = self.backup()
        database = self.database()
        done = database.run("restore", path, *backups.NOTHING_ENDED, check=True)
        accounts = database.value("SELECT count(*) FROM auth.password")
        self.assertGreater(int(accounts), 0)
        self.assertIn(f"{accounts} accounts sign in by the passwords of ", done.stdout)
        self.assertIn("workforce users deactivate", done.stdout)
        served = self.served(database)
        served.wait_projected()
        self.check_refused(people.Browser(served, here.cookie).get(people.ME), 401, "UNAUTHENTICATED")
        self.check(people.sign_in(served, ada["email"]).get(people.ME), 200)
        self.check(here.get(people.ME), 200)

    def test_hashes_of_passwords_lie_with_the_keys(self):
        ada = people.make_user(service)
        path = self.backup()
        for file in path.iterdir():
            data = file.read_bytes()
            self.assertNotIn(b"$argon2", zstd.decompress(data) if file.suffix == ".zst" else data, file.name)
        self.assertFalse((path / "ops.webhook_attempt.ndjson.zst").exists(), "what receivers answered may name somebody")
        keys = Path(f"{path}-keys")
        self.assertTrue(any(row["hash"].startswith("$argon2") for row in rows_of(keys, "auth.password")))
        # A backup of before has them beside the log.
        older = directory / secrets.token_hex(4)
        shutil.copytree(path, older)
        shutil.copytree(keys, f"{older}-keys")
        keys = Path(f"{older}-keys")
        manifests = [older / "manifest.json", keys / "keys.json"]
        public, secret = (json.loads(manifest.read_text(encoding="utf-8")) for manifest in manifests)
        for table in secret.pop("tables"):
            (keys / f"{table['name']}.ndjson.zst").rename(older / f"{table['name']}.ndjson.zst")
            public["tables"].append(table)
        for manifest, content in zip(manifests, (public, secret)):
            manifest.write_text(json.dumps(content), encoding="utf-8")
        served = self.served(self.restored(older))
        served.wait_projected()
        self.check(people.sign_in(served, ada["email"]).get(people.ME), 200)

    def test_passwords_that_end(self):
        ada = people.make_user(service)
        path = self.backup()
        database = self.database()
        done = database.run("restore", path, "--end-passwords", *backups.NOTHING_ENDED, check=True)
        self.assertRegex(done.stdout, r"\d+ accounts have no password any more: POST /api/auth/forgot")
        self.assertEqual(database.value("SELECT count(*) FROM auth.password"), "0")
        served = self.served(database)
        served.wait_projected()
        self.check_refused(people.login(people.client_of(served), ada["email"]), 401, "INVALID_CREDENTIALS")
        database.run("reactors", "resume", check=True)
        token = people.forget(served, ada["email"])
        changed = {"token": token, "password": "another correct horse battery"}
        self.check(people.client_of(served).post(people.RESET, changed), 204)
        self.check(people.sign_in(served, ada["email"], changed["password"]).get(people.ME), 200)

    def test_read_models_beside_the_swap_of_a_rebuild(self):
        """A snapshot that is older than the swap would find the new tables empty."""
        self.person("Leopold")
        service.wait_projected()
        rows = service.postgres.value("SELECT count(*) FROM read.staff")
        columns = service.postgres.value("SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute WHERE attrelid = "
                                         "'read.staff'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''")
        swap = support.Session(service.postgres)
        self.addCleanup(swap.close)
        swap.execute("BEGIN; LOCK TABLE read.staff IN ACCESS EXCLUSIVE MODE")
        made = threading.Thread(target=self.backup, args=("--read-models",))
        made.start()
        try:
            support.wait_until(lambda: service.postgres.value(
                "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND relation = "
                "'read.staff'::regclass AND application_name LIKE 'workforce backup%'") == "1",
                60, "the backup waits for the table")
        finally:
            # The same rows, but younger than any snapshot of before, as those of another table under that name.
            swap.execute(f"CREATE TEMPORARY TABLE kept AS SELECT {columns} FROM read.staff; TRUNCATE read.staff; "
                         f"INSERT INTO read.staff ({columns}) SELECT {columns} FROM kept; COMMIT")
            made.join()
        manifest = json.loads((Path(f"{self.path}-keys") / "keys.json").read_text(encoding="utf-8"))
        self.assertEqual({table["name"]: str(table["rows"]) for table in manifest["readModels"]}["read.staff"], rows)

    def test_no_restore_beside_a_process(self):
        self.person("Manfred")
        path = self.backup()
        database = self.database()
        for sql in ("INSERT INTO ops.process (owner, role, admin_url, expires_at) VALUES ('host:1', 'workers', '', "
                    "now() + interval '1 hour')",
                    "INSERT INTO ops.lease (kind, partition, owner, admin_url, expires_at) VALUES ('projector', 0, 'host:1', "
                    "'', now() + interval '1 hour')"):
            database.psql(sql)
            self.check_fails(database.run("restore", path, *backups.NOTHING_ENDED), "host:1 serves this database")
            database.psql("DELETE FROM ops.process; DELETE FROM ops.lease")
        # Who comes while it runs is sent away.
        held = support.Session(database)
        self.addCleanup(held.close)
        held.execute("SELECT pg_advisory_lock(hashtext('workforce log'))")
        for arguments in (("serve",), ("keys", "create", "--organization", "1", "--name", "x", "--scopes", "staff:read")):
            self.check_fails(database.run(*arguments), "being copied to another engine, or restored")
        self.check_fails(database.run("restore", path, *backups.NOTHING_ENDED), "another copy or restore")
        self.assertEqual(database.value("SELECT count(*) FROM log.event"), "0")

    def without_key(self, path, name):
        """The directory of keys of a backup, without one of them."""
        keys = directory / secrets.token_hex(4)
        shutil.copytree(f"{path}-keys", keys)
        write_rows(keys, "vault.person_key", [row for row in rows_of(keys, "vault.person_key") if row["person"] != name])
        return keys

    def test_refusals(self):
        self.person("Dietlinde")
        path = self.backup()
        self.check_fails(subprocess.run([str(support.binary()), "backup", str(path)], env=service.env, capture_output=True,
                                        text=True, check=False), "not empty")
        database = self.database()
        key = directory / "other.key"
        key.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
        key.chmod(0o600)
        sure = backups.NOTHING_ENDED
        self.check_fails(database.run("restore", path, *sure, WORKFORCE_MASTER_KEY_FILE=str(key)), "master key")
        self.check_fails(database.run("restore", directory, *sure), "manifest.json")
        self.check_fails(database.run("restore", path, *sure, "--keys", directory), "keys.json")
        self.assertEqual(database.value("SELECT count(*) FROM log.event"), "0", "a refusal leaves nothing behind")
        database.run("restore", path, *sure, check=True)
        self.check_fails(database.run("restore", path, *sure), "not empty")
        # Keys of before the last person was made, a damaged table, a damaged log: nothing serves what came of them.
        older = directory / "older"
        service.command("backup", directory / "before", "--keys", older)
        self.person("Eberhard")
        self.check(rest.client_of(service).post("/api/shifts", {
            "facilityId": service.demo["facilityIds"][0], "title": "Sealed for all", "date": "2031-05-06", "startTime": "08:00",
            "endTime": "16:00"}, headers={"Idempotency-Key": "sealed-for-all"}), 201)
        self.path = directory / secrets.token_hex(4)
        newer = self.backup()
        database = self.database()
        self.check_fails(database.run("restore", newer, *sure, "--keys", older), "older than the log")
        self.assertEqual(database.value("SELECT count(*) FROM log.event"), "0", "a refusal leaves nothing behind")
        organization = f"organization/{service.demo['organizationId']}/"
        key = next(row["person"] for row in rows_of(Path(f"{newer}-keys"), "vault.person_key")
                   if row["person"].startswith(organization))
        self.check_fails(database.run("restore", newer, *sure, "--keys", self.without_key(newer, key)), "older than the log", key)
        database.run("restore", newer, *sure, check=True)
        database = self.database()
        table = newer / "ops.reservation.ndjson.zst"
        table.write_bytes((path / "auth.api_key_secret.ndjson.zst").read_bytes())
        self.check_fails(database.run("restore", newer, *sure), "ops.reservation")
        self.check_fails(database.run("serve"), "has not ended")
        log = next(file for file in sorted(path.glob("log-*.zst")) if file.stat().st_size > 1000)
        log.write_bytes(log.read_bytes()[:-40])
        self.check_fails(self.database().run("restore", path, *sure), log.name)


if __name__ == "__main__":
    unittest.main()
