# The auditors' commands, while the service serves: the chain, signed heads, past states, exports, and which engine it is.

import itertools
import json
import subprocess
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import rest
import support
import zstd

service = live = None
numbers = itertools.count()
SECONDS = 120


def setUpModule():
    global service, live
    service = rest.start_service()
    live = rest.client_of(service)


class ReplayCase(rest.RestCase):

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def run_command(self, *arguments, **settings):
        env = service.env | {f"WORKFORCE_{name.upper()}": str(value) for name, value in settings.items()}
        done = subprocess.run([support.binary(), *map(str, arguments)], env=env, cwd=self.scratch, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
        done.stderr = support.said(done.stderr)
        return done

    def json_of(self, *arguments, **settings):
        done = self.run_command(*arguments, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def person(self):
        body = {"firstName": "Wilhelmina", "lastName": "Quasthoff", "email": f"replay{next(numbers)}@example.test"}
        return self.check(live.post("/api/staff", body), 201)

    def shift(self):
        return self.check(live.post("/api/shifts", {
            "facilityId": service.demo["facilityIds"][1], "title": "Replayed", "date": "2031-05-06", "startTime": "08:00",
            "endTime": "16:00"}), 201)

    def tampered(self, change, undo):
        """Changes the log by hand for the length of this test."""
        service.postgres.psql(change)
        self.addCleanup(service.postgres.psql, undo)


class VerifyTest(ReplayCase):

    def test_a_log_that_grows_meanwhile_is_whole(self):
        stop = threading.Event()

        def write():
            client = rest.client_of(service)
            while not stop.wait(0.01):
                self.check(client.post("/api/staff", {"firstName": "A", "lastName": "B",
                                                      "email": f"busy{next(numbers)}@example.test"}), 201)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(5):
                found = self.json_of("replay", "--verify", "--json")
                self.assertTrue(found["whole"], found)
        finally:
            stop.set()
            writer.join()
        self.assertEqual(found["events"], sum(each["events"] for each in found["partitions"]))
        self.assertEqual([each["partition"] for each in found["partitions"]], [0, 1, 2, 3])
        support.verify_chain(support.log_records(service.postgres))  # the suite's own verifier agrees
        counted = self.json_of("replay", "--verify", "--json")
        self.assertEqual(str(counted["events"]), service.postgres.value("SELECT count(*) FROM log.event"))
        self.assertEqual(str(sum(each["claims"] for each in counted["partitions"])),
                         service.postgres.value("SELECT count(*) FROM log.claim"))
        told = self.run_command("replay", "--verify", "--partition", "1")
        self.assertEqual(told.returncode, 0)
        self.assertRegex(told.stdout, r"(?m)^whole: \d+ events in [\d.]+ s, \d+ events/s$")
        self.assertNotRegex(told.stdout, r"(?m)^ +0 ")

    def test_a_changed_byte(self):
        self.tampered("UPDATE log.event SET body = replace(body, 'Europe/', 'Eur0pe/') WHERE (partition, position) = "
                      "(SELECT partition, position FROM log.event WHERE body LIKE '%Europe/%' ORDER BY 1, 2 LIMIT 1)",
                      "UPDATE log.event SET body = replace(body, 'Eur0pe/', 'Europe/')")
        where = service.postgres.psql("SELECT partition, position FROM log.event WHERE body LIKE '%Eur0pe/%'")[0]
        done = self.run_command("replay", "--verify")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, rf"(?m)^broken: partition {where[0]}, position {where[1]} was changed: .*$")
        self.assertIn("\nbroken: ", done.stdout)
        found = json.loads(self.run_command("replay", "--verify", "--json").stdout)
        self.assertFalse(found["whole"])
        self.assertEqual([each["brokenAt"] for each in found["partitions"] if each["brokenAt"] is not None], [int(where[1])])

    def test_an_unreachable_log_is_no_verdict(self):
        for arguments in (["replay", "--verify"], ["replay", "--verify", "--json"]):
            done = self.run_command(*arguments, database_url=f"postgresql://w@127.0.0.1:{support.free_port()}/w")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Aworkforce: [^\n]+\n\Z")
        self.assertEqual(self.run_command("replay", "--verify", "--partition", "9").returncode, 2)

    def test_ways_exclude_each_other(self):
        for arguments in ([], ["--verify", "--export", "x"], ["--json"], ["--as-of", "2026-01-01T00:00:00Z"], ["--public-key", "x"]):
            self.assertNotEqual(self.run_command("replay", *arguments).returncode, 0, arguments)


class HeadsTest(ReplayCase):

    def test_a_cut_tail_and_a_rewrite_show(self):
        self.shift()
        file, key = self.scratch / "heads.ndjson", self.run_command("heads", "--public-key").stdout.strip()
        self.assertRegex(key, r"\A[0-9a-f]{64}\Z")
        for _ in range(2):  # it appends
            self.assertEqual(self.run_command("heads", "--out", file).returncode, 0)
        heads = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual([head["partition"] for head in heads], [0, 1, 2, 3] * 2)
        self.assertEqual({head["publicKey"] for head in heads}, {key})
        self.shift()
        told = self.run_command("replay", "--verify", "--against", file)
        self.assertEqual(told.returncode, 0)
        for head in heads[4:]:
            self.assertIn(f"signed: partition {head['partition']} up to position {head['position']}, at {head['time']}\n", told.stdout)
        # Who died amid a line spoils nothing, neither for who reads nor for who writes next.
        lines = file.read_text()
        file.write_text(lines + lines[:100])
        self.assertEqual(self.json_of("replay", "--verify", "--json", "--against", file)["lastSigned"],
                         [{name: head[name] for name in ("partition", "position", "time")} for head in heads[4:]])
        self.assertEqual(self.run_command("heads", "--out", file).returncode, 0)
        self.assertTrue(file.read_text().startswith(lines))
        self.assertEqual([json.loads(line)["partition"] for line in file.read_text().splitlines()], [0, 1, 2, 3] * 3)
        file.write_text(lines)
        # A partition of which no head was signed may have been cut anywhere.
        some = file.with_name("some")
        some.write_text("".join(json.dumps(head, separators=(",", ":")) + "\n" for head in heads if head["partition"] != 2))
        unsigned = self.run_command("replay", "--verify", "--against", some)
        self.assertEqual(unsigned.returncode, 2)
        self.assertIn("unsigned: partition 2 has no signed head\n", unsigned.stdout)
        self.assertEqual(self.run_command("replay", "--verify", "--against", some, "--partition", "1").returncode, 0)
        # Without the master key, by the public one alone.
        given = ("replay", "--verify", "--against", file, "--public-key", key)
        self.assertEqual(self.run_command(*given, master_key_file="/nonexistent").returncode, 0)
        self.assertEqual(self.run_command(*given[:-1], "0" * 64).returncode, 2)
        for change in (lambda head: head | {"position": head["position"] - 1}, lambda head: head | {"hash": "0" * 64},
                       lambda head: head | {"installation": "other"}):
            file.with_name("forged").write_text(json.dumps(change(heads[0])) + "\n")
            done = self.run_command("replay", "--verify", "--against", file.with_name("forged"))
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"\Aworkforce: .*forged: line 1 [^\n]+\n\Z")

        # The log as it was before those heads were signed, on a database of its own.
        service.stop()
        live.close()  # its connection ends with the service
        self.addCleanup(service.start)
        other = urlunsplit(urlsplit(service.postgres.url)._replace(path="/cut"))
        name = service.postgres.value("SELECT current_database()")
        service.postgres.psql(f"CREATE DATABASE cut TEMPLATE {name}")
        target = max(heads, key=lambda head: head["position"])
        partition, position = target["partition"], target["position"]
        for sql in (f"DELETE FROM log.event WHERE partition = {partition} AND position >= {position}",
                    f"DELETE FROM log.claim WHERE partition = {partition} AND position >= {position - 1}",
                    f"UPDATE log.partition SET head = {position - 1}, head_hash = (SELECT encode(sha256(convert_to(body, 'UTF8')), "
                    f"'hex') FROM log.event WHERE partition = {partition} AND position = {position - 1}) "
                    f"WHERE partition = {partition}"):
            subprocess.run(["psql", "-XAtqc", sql, other], check=True)
        cut = self.run_command("replay", "--verify", "--against", file, database_url=other)
        self.assertEqual(cut.returncode, 1, cut.stderr)
        self.assertIn(f"broken: partition {partition}, position {position} is missing", cut.stdout)
        self.assertIn(f"the head signed at {target['time']}", cut.stdout)

    def test_other_programs_can_check_a_signature(self):
        head = json.loads(self.run_command("heads").stdout.splitlines()[0])
        key, text, signature = (self.scratch / name for name in ("key.der", "text", "signature"))
        key.write_bytes(bytes.fromhex("302a300506032b6570032100" + head["publicKey"]))  # RFC 8410
        signature.write_bytes(bytes.fromhex(head["signature"]))
        fields = [str(head[name]) for name in ("installation", "partition", "position", "hash", "time")]

        def verdict(lines):
            text.write_text("".join(line + "\n" for line in ["workforce log head 1", *lines]), encoding="utf-8")
            return subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", key, "-rawin",
                                   "-in", text, "-sigfile", signature], capture_output=True, timeout=SECONDS, check=False).returncode

        self.assertEqual(verdict(fields), 0)
        self.assertNotEqual(verdict([fields[0], fields[1], "77", *fields[3:]]), 0)

    def test_the_service_exports_them(self):
        file = service.directory / "heads.ndjson"
        service.stop()
        live.close()
        service.env |= {"WORKFORCE_HEADS_FILE": str(file)}
        service.start()
        support.wait_until(lambda: file.exists() and file.read_text().count("\n") >= 4, 60, "heads are exported")
        self.assertEqual(self.run_command("replay", "--verify", "--against", file).returncode, 0)


class AsOfTest(ReplayCase):

    def test_a_shift_at_each_of_its_times(self):
        made = self.shift()
        path = f"/api/shifts/{made['id']}"
        self.check(live.patch(path, {"title": "Renamed"}), 200)
        self.check(live.post(f"{path}/cancel", {"reason": "rain"}), 200)
        now = self.json_of("replay", "--aggregate", f"shift/{made['id']}")
        self.assertEqual(now["state"], live.get(path).body)
        self.assertEqual((now["version"], len(now["events"])), (3, 3))
        self.assertGreaterEqual(now["recordsRead"], 3)
        self.assertEqual([event["type"] for event in now["events"]], ["shift.posted", "shift.updated", "shift.cancelled"])
        times = [event["time"] for event in now["events"]]
        posted = self.json_of("replay", "--aggregate", f"shift/{made['id']}", "--as-of", times[0])
        if times[0] < times[1]:
            self.assertEqual(posted["state"], made)
        before = self.json_of("replay", "--aggregate", f"shift/{made['id']}", "--as-of", "2020-01-01T00:00:00Z")
        self.assertEqual((before["state"], before["version"], before["events"]), (None, 0, []))
        self.check(live.delete(path), 200)
        self.assertIsNone(self.json_of("replay", "--aggregate", f"shift/{made['id']}")["state"])

    def test_what_never_was(self):
        made = self.shift()["id"]
        for arguments in (("--aggregate", "shift/999999999"), ("--aggregate", f"shift/{made}", "--sandbox")):
            done = self.run_command("replay", *arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "there never was")
        for wrong in ("shift", "shift/x", "command", "horse/1"):
            self.assertRegex(self.run_command("replay", "--aggregate", wrong).stderr, "is no aggregate")
        self.assertRegex(self.run_command("replay", "--aggregate", "shift/1", "--as-of", "noon").stderr, "--as-of")

    def test_personal_data_are_for_those_who_are_named(self):
        made = self.person()
        asked = ("replay", "--aggregate", f"staff/{made['id']}")
        done = self.run_command(*asked)
        self.assertNotIn("Quasthoff", done.stdout)
        state = json.loads(done.stdout)["state"]
        self.assertEqual((state["lastName"], state["isActive"]), ({"sealed": "***"}, True))
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        for settings in ({}, {"personal_readers": "someone-else"}):
            done = self.run_command(*asked, "--personal", **settings)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("personal_readers", done.stderr)
        done = self.run_command(*asked, "--personal", f"--personal-readers={user}")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        done = self.run_command(*asked, "--personal", personal_readers=f"someone-else,{user}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["state"], live.get(f"/api/staff/{made['id']}").body)
        self.assertEqual(json.loads(done.stdout)["events"][0]["data"]["lastName"], "Quasthoff")
        line = next(json.loads(line) for line in done.stderr.splitlines() if "personal data is opened" in line)
        self.assertEqual((line["user"], line["command"]), (user, f"replay --aggregate staff/{made['id']}"))


class ExportTest(ReplayCase):

    def stored(self, where=""):
        return [body for (body,) in service.postgres.psql(f"SELECT body FROM log.event {where} ORDER BY partition, position")]

    def test_the_file_is_the_log(self):
        self.shift()
        for name in ("log.ndjson.zst", "log.ndjson", "log"):
            file = self.scratch / name
            done = self.run_command("replay", "--export", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (file.read_bytes() if name == "log.ndjson" else zstd.decompress(file.read_bytes())).decode()
            self.assertEqual(text.split("\n")[:-1], self.stored())
            self.assertEqual([path.name for path in self.scratch.iterdir()], [name])
            file.unlink()
        self.assertRegex(done.stderr, r"exported \d+ events, \d+ bytes, in [\d.]+ s")
        piped = subprocess.run([support.binary(), "replay", "--export", "-", "--partition", "2"], env=service.env,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, check=True)
        self.assertEqual(zstd.decompress(piped.stdout).decode().split("\n")[:-1], self.stored("WHERE partition = 2"))

    def test_between_two_times(self):
        first, second = self.shift()["id"], self.shift()["id"]
        times = [self.json_of("replay", "--aggregate", f"shift/{each}")["events"][0]["time"] for each in (first, second)]
        file = self.scratch / "some.ndjson"
        self.assertEqual(self.run_command("replay", "--export", file, "--from", times[0], "--to", times[1]).returncode, 0)
        expected = self.stored(f"WHERE body::json ->> 'time' >= '{times[0]}' AND body::json ->> 'time' < '{times[1]}'")
        self.assertEqual(file.read_text().split("\n")[:-1], expected)
        self.assertEqual(self.run_command("replay", "--export", file, "--from", "2999-01-01T00:00:00Z").returncode, 0)
        self.assertEqual(file.read_text(), "")
        self.assertIn("--to", self.run_command("replay", "--export", file, "--to", "later").stderr)
        self.assertRegex(self.run_command("replay", "--export", "/nonexistent/x").stderr, r"\Aworkforce: /nonexistent/x: [^\n]+\n\Z")


class EngineTest(ReplayCase):

    def test_no_other_engine_than_the_installation_uses(self):
        for command in (["replay", "--verify"], ["tap", "--until-idle"], ["serve"], ["migrate"], ["rebuild", "--all"]):
            done = self.run_command(*command, log="kafka")
            self.assertGreater(done.returncode, 0)
            self.assertRegex(done.stderr, r"\Aworkforce: this installation keeps its log in postgres, not in kafka: [^\n]+\n\Z")

    def test_no_copy_while_somebody_writes(self):
        done = self.run_command("log", "copy", "--from", "postgres", "--to", "kafka")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("stop it to copy the log", done.stderr)
        self.assertIn("same engine", self.run_command("log", "copy", "--from", "postgres", "--to", "postgres").stderr)
        done = self.run_command("log", "copy", "--from", "kafka", "--to", "postgres")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\Athe log is in postgres already, nothing needs doing[^\n]*\n\Z")
        self.assertNotEqual(self.run_command("log", "copy", "--from", "paper", "--to", "kafka").returncode, 0)
