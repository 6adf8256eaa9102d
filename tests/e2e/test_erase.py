# A person is erased: nothing that anyone can read tells of them any more, and nothing else has changed.

import getpass
import json
import subprocess
import unittest

import rest
import support

service = None
REASON = "asked for by letter"
WORDS = ["Wilhelmina", "Quasthoff", "wilhelmina.quasthoff@mail.example", "555 0147", "Hortensia", "Sanatorium Falkenried",
         "Klinikschule Ahornberg", "photos.example/w.jpg", "HR-77120"]
PERSON = {"firstName": "Wilhelmina", "lastName": "Quasthoff", "email": "wilhelmina.quasthoff@mail.example",
          "phone": "+1 555 0147", "specialty": "Nurse", "skills": ["Triage"], "hourlyRate": 31.5, "externalId": "HR-77120",
          "profilePhoto": "https://photos.example/w.jpg",
          "emergencyContact": {"name": "Hortensia", "phone": "+1 555 01470", "relationship": "aunt"},
          "workHistory": [{"facility": "Sanatorium Falkenried", "position": "Nurse", "startDate": "2019-01-01"}],
          "education": [{"institution": "Klinikschule Ahornberg", "degree": "Diploma"}]}
CREATE_KEY = {"Idempotency-Key": "create-wilhelmina"}


def setUpModule():
    global service
    service = rest.start_service()
    service.env["WORKFORCE_PERSONAL_READERS"] = getpass.getuser()


def run(*arguments):
    done = subprocess.run([str(support.binary()), *map(str, arguments)], env=service.env, capture_output=True, text=True,
                          timeout=support.COMMAND_SECONDS, check=False)
    done.stderr = support.said(done.stderr)
    return done


def erase(person):
    return json.loads(service.command("erase", person, "--reason", REASON))


def key_is_destroyed(person):
    return service.postgres.value("SELECT count(*) FROM vault.person_key WHERE sealed_key IS NULL AND destroyed_at IS NOT "
                                  f"NULL AND person = '{person}'") == "1"


class EraseCase(rest.RestCase):
    def assert_nothing_left(self, words):
        for schema in ("read", "log", "projection", "ops", "auth", "vault"):
            for table in support.tables_of(service.postgres, schema):
                self.assertEqual(support.clear_text_hits(service.postgres, table, words), [], table)
        streams = service.command("tap", "--from", "start", "--until-idle"), \
            service.command("tap", "--from", "start", "--until-idle", "--personal")
        for stream in streams:
            self.assertIn("staff.erased", stream)
            for word in words:
                self.assertNotIn(word.lower(), stream.lower())


class EraseStaffTest(EraseCase):
    def test_nothing_is_left(self):
        client = rest.client_of(service)
        made = self.check(client.post("/api/staff", PERSON, headers=CREATE_KEY), 201)
        person = f"staff/{made['id']}"
        self.check(client.patch(f"/api/{person}", {"phone": "+1 555 01471"}, headers={"Idempotency-Key": "patch-w"}), 200)
        shift = {"facilityId": service.demo["facilityIds"][0], "title": "Erased", "date": "2031-05-05", "startTime": "08:00",
                 "endTime": "16:00", "assignedStaffIds": [made["id"]]}
        shift = self.check(client.post("/api/shifts", shift), 201)
        others = self.check(client.get("/api/staff", limit=100), 200)["data"]
        service.wait_projected()

        done = erase(person)
        self.assertEqual((done["person"], done["recorded"]), (person, True))
        self.assertTrue(key_is_destroyed(person))
        left = self.check(client.get(f"/api/{person}"), 200)
        self.assertEqual([left[k] for k in ("firstName", "lastName", "email", "phone", "externalId")], [""] * 5)
        self.assertEqual((left["workHistory"], left["education"], left["profilePhoto"], left["isActive"]), ([], [], None, False))
        self.assertEqual((left["hourlyRate"], left["specialty"]), (31.5, "Nurse"), "what is not personal stays")
        freed = self.check(client.get(f"/api/shifts/{shift['id']}"), 200)
        self.assertEqual((freed["assignedStaffIds"], freed["status"]), ([], "open"))
        now = {one["id"]: one for one in self.check(client.get("/api/staff", limit=100), 200)["data"]}
        self.assertEqual([now[one["id"]] for one in others if one["id"] != made["id"]],
                         [one for one in others if one["id"] != made["id"]], "nobody else has changed")

        # Retries of what told of the person, commands on them, and their address.
        self.check_refused(client.post("/api/staff", PERSON, headers=CREATE_KEY), 404, "NOT_FOUND")
        self.check_refused(client.patch(f"/api/{person}", {"phone": "+1 555 01471"}, headers={"Idempotency-Key": "patch-w"}),
                           404, "NOT_FOUND")
        self.check_refused(client.patch(f"/api/{person}", {"firstName": "Mina"}), 409, "INVALID_STATE_TRANSITION")
        self.check_refused(client.post(f"/api/{person}/reactivate"), 409, "INVALID_STATE_TRANSITION")
        self.assert_nothing_left(WORDS)
        self.assertEqual(erase(person), done | {"recorded": False, "position": -1})

        event = json.loads(service.postgres.value(
            "SELECT body FROM log.event WHERE body LIKE '%\"type\":\"staff.erased\"%' AND body LIKE '%\"subject\":\"" + person + "\"%'"))
        self.assertEqual(event["data"]["reason"], REASON)
        self.assertTrue(event["data"]["requestedBy"])
        support.verify_chain(support.log_records(service.postgres))
        service.stop()
        service.start()
        client.close()
        self.assertEqual(self.check(client.get(f"/api/{person}"), 200), left)
        self.check_refused(client.post("/api/staff", PERSON, headers=CREATE_KEY), 404, "NOT_FOUND")
        self.assert_nothing_left(WORDS)
        again = self.check(client.post("/api/staff", PERSON), 201)
        self.assertNotEqual(again["id"], made["id"], "the address is free")
        erase(f"staff/{again['id']}")

    def test_a_process_that_dies_before_the_key_is_destroyed(self):
        client = rest.client_of(service)
        made = self.check(client.post("/api/staff", PERSON | {"email": "late.quasthoff@mail.example"}), 201)
        person = f"staff/{made['id']}"
        service.postgres.psql("REVOKE UPDATE ON vault.person_key FROM workforce_writer")
        try:
            failed = run("erase", person, "--reason", REASON)
            self.assertEqual(failed.returncode, 1, failed.stdout)
            self.assertIn("is recorded", failed.stderr)
            self.assertEqual(failed.stderr.count("\n"), 1, failed.stderr)
            self.assertFalse(key_is_destroyed(person))
            support.wait_until(lambda: client.get(f"/api/{person}").body["firstName"] == "", 30, "reads are empty at once")
            service.kill9()
        finally:
            service.postgres.psql("GRANT UPDATE ON vault.person_key TO workforce_writer")
        service.start()
        client.close()
        support.wait_until(lambda: key_is_destroyed(person), 30, "who takes over destroys the key")
        self.assertEqual(self.check(client.get(f"/api/{person}"), 200)["firstName"], "")

    def test_sandbox_and_while_nothing_serves(self):
        _, key = rest.make_key(service, ["staff:read", "staff:write"], kind="test", facility=service.demo["facilityIds"][0])
        sandbox = rest.client_of(service, key)
        made = self.check(sandbox.post("/api/staff", PERSON | {"email": "sand@mail.example", "lastName": "Sandkorn"}), 201)
        service.wait_projected()
        service.stop()
        person = f"staff/{made['id']}"
        for recorded in (True, False):
            done = run("erase", person, "--reason", REASON)
            self.assertEqual(done.returncode, 1, "the read models still show them")
            self.assertEqual(json.loads(done.stdout)["recorded"], recorded)
            self.assertRegex(done.stderr, rf"\Aworkforce: {person} is erased, but read models may still show them[^\n]+\n\Z")
        self.assertTrue(key_is_destroyed(person))
        service.start()
        self.assertFalse(erase(person)["recorded"], "and now it says that nothing does")
        sandbox.close()
        service.wait_projected()
        self.assertEqual(self.check(sandbox.get(f"/api/staff/{made['id']}"), 200)["lastName"], "")
        self.assert_nothing_left(["Sandkorn", "sand@mail.example"])

    def test_who_is_known_to_the_log_alone(self):
        client = rest.client_of(service)
        made = self.check(client.post("/api/staff", PERSON | {"email": "alone@mail.example"}), 201)
        service.wait_projected()
        service.stop()
        # As read models are that have not folded the person yet.
        service.postgres.psql("TRUNCATE read.staff; UPDATE projection.checkpoint SET position = -1 WHERE projection = 'staff'")
        done = run("erase", f"staff/{made['id']}", "--reason", REASON)
        self.assertTrue(json.loads(done.stdout)["recorded"], done.stderr)
        self.assertTrue(key_is_destroyed(f"staff/{made['id']}"))
        service.command("rebuild", "--all")
        service.start()
        client.close()
        self.assertEqual(self.check(client.get(f"/api/staff/{made['id']}"), 200)["firstName"], "")

    def test_the_old_row_of_a_key_goes_soon(self):
        """Autovacuum removes it, whose rounds are shortened here."""
        self.addCleanup(service.postgres.psql, "SELECT pg_reload_conf()")
        self.addCleanup(service.postgres.psql, "ALTER SYSTEM RESET autovacuum_naptime")
        service.postgres.psql("ALTER SYSTEM SET autovacuum_naptime = '1s'")
        service.postgres.psql("SELECT pg_reload_conf()")
        made = self.check(rest.client_of(service).post("/api/staff", PERSON | {"email": "vacuum@mail.example"}), 201)
        erase(f"staff/{made['id']}")
        support.wait_until(lambda: service.postgres.value(
            "SELECT last_autovacuum > (SELECT max(destroyed_at) FROM vault.person_key) AND n_dead_tup = 0 "
            "FROM pg_stat_user_tables WHERE relid = 'vault.person_key'::regclass") == "t", 60, "the table is vacuumed")

    def test_refusals(self):
        for code, arguments, words in ((1, ("staff/999999",), ("there is no staff/999999",)), (2, ("shift/1",), ("shift/1", "no person")),
                                       (2, ("staff/x",), ("staff/x",)), (2, ("staff/1", "--reason", ""), ("--reason",)),
                                       (2, ("staff/1", "--reason", "x" * 501), ("500",))):
            reason = () if "--reason" in arguments else ("--reason", REASON)
            done = run("erase", *arguments, *reason)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)


class EraseUserTest(EraseCase):
    def test_keys_end_and_the_address_is_free(self):
        user = service.postgres.value("SELECT id FROM read.user_account WHERE email = 'admin@demo.example.com'")
        reserved = int(service.postgres.value("SELECT count(*) FROM ops.reservation"))
        client = rest.client_of(service)
        self.check(client.get("/api/staff"), 200)
        _, other = rest.make_key(service, ["staff:read"])
        self.assertTrue(erase(f"user/{user}")["recorded"])
        self.assertTrue(key_is_destroyed(f"user/{user}"))
        support.wait_until(lambda: client.get("/api/staff").status == 401, support.READY_SECONDS, "the user's key is refused")
        self.check(rest.client_of(service, other).get("/api/staff"), 200)
        self.assertEqual(int(service.postgres.value("SELECT count(*) FROM ops.reservation")), reserved - 1)
        # The first name as values of JSON and whole names have it: four letters alone stand in a digest now and then.
        self.assert_nothing_left(['"Dana', "Dana Whitcombe", "Whitcombe", "admin@demo.example.com"])
        support.verify_chain(support.log_records(service.postgres))


if __name__ == "__main__":
    unittest.main()
