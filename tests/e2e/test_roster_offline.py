# What the roster suites stand on, tried without the service: parser, synthesizer, plan, client, and the log's verifier.

import hashlib
import json
import subprocess
import tempfile
import threading
import time
import unittest
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import support
from roster.client import Client, GaveUp, Unexpected
from roster.load import week_numbers
from roster.parse import ParseError, read_roster, read_week
from roster.plan import make_plan
from roster.synthesize import synthesize

MONDAY = date(2027, 1, 4)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))


class CommandTest(unittest.TestCase):
    def test_where_nobody_is_nothing_is_waited_for(self):
        url = f"http://127.0.0.1:{support.free_port()}"
        done = subprocess.run([support.PROJECT_ROOT / "tests" / "roster" / "load", "--url", url, "--key", "k", "n005w4"],
                              text=True, capture_output=True, timeout=support.COMMAND_SECONDS, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, rf"\Aload: {url} can't be reached: [^\n]+\n\Z")


class ParseTest(Scratch):
    def setUp(self):
        super().setUp()
        self.roster = read_roster(synthesize(self.directory, "n030w4"))
        self.week = self.directory / "n030w4" / "WD-n030w4-0.txt"

    def edited(self, line, text):
        lines = self.week.read_text(encoding="utf-8").splitlines()
        lines[line - 1] = text
        self.week.write_text("\n".join(lines), encoding="utf-8")
        return read_week(self.week, self.roster.scenario)

    def test_size_is_what_the_name_says(self):
        self.assertEqual((len(self.roster.scenario.nurses), len(self.roster.weeks)), (30, 4))

    def test_same_seed_same_text(self):
        with tempfile.TemporaryDirectory() as other:
            for seed, same in ((1, True), (2, False)):
                again = synthesize(other, "n030w4", seed) / self.week.name
                self.assertEqual(again.read_bytes() == self.week.read_bytes(), same)

    def test_spaces_at_line_ends_and_final_newline_do_not_matter(self):
        before = read_week(self.week, self.roster.scenario)
        self.week.write_text("".join(line + "  \n" for line in self.week.read_text().splitlines()), encoding="utf-8")
        self.assertEqual(read_week(self.week, self.roster.scenario), before)

    def test_errors_name_file_and_line(self):
        cells = " ".join(["(1,1)"] * 7)
        for line, text, reason in (
            (1, "WEEK", "expected WEEK_DATA"),
            (2, "n999", "not of 'n030w4'"),
            (5, "Early Nurse (1,1)", "expected 7 cells"),
            (5, f"Early Cook {cells}", "skill 'Cook'"),
            (5, f"Noon Nurse {cells}", "shift type 'Noon'"),
            (5, f"Early Nurse {cells} (0,0)", "expected 7 cells"),
            (5, "Early Nurse " + cells.replace("(1,1)", "(2,1)"), "above its optimum"),
        ):
            with self.subTest(text=text):
                synthesize(self.directory, "n030w4")
                with self.assertRaises(ParseError) as caught:
                    self.edited(line, text)
                self.assertIn(f"{self.week}:{line}: ", str(caught.exception))
                self.assertIn(reason, str(caught.exception))

    def test_short_file_is_an_error(self):
        self.week.write_text("WEEK_DATA\nn030w4\n", encoding="utf-8")
        with self.assertRaisesRegex(ParseError, "the file ends"):
            read_week(self.week, self.roster.scenario)

    def test_week_numbers(self):
        self.assertEqual(week_numbers("0-2,5"), (0, 1, 2, 5))


class PlanTest(Scratch):
    def test_keys_and_external_ids_name_nobody(self):
        roster = read_roster(synthesize(self.directory, "n030w4"))
        plan = make_plan(roster, "run", MONDAY)
        for staff in plan.staff:
            self.assertRegex(staff.body["externalId"], r"^[0-9a-f]{40}$")
        emails = {staff.body["email"] for staff in plan.staff}
        titles = {shift.body["title"] for shift in plan.shifts}
        self.assertEqual((len(emails), len(titles)), (30, len(plan.shifts)))

    def test_every_demand_above_zero_is_a_shift(self):
        roster = read_roster(synthesize(self.directory, "n030w4"))
        plan = make_plan(roster, "run", MONDAY)
        places = sum(sum(demand.minimum) for week in roster.weeks for demand in week.demands)
        self.assertEqual(sum(shift.body["requiredWorkers"] for shift in plan.shifts), places)
        with self.assertRaisesRegex(ValueError, "no Monday"):
            make_plan(roster, "run", date(2027, 1, 5))


class Scripted(BaseHTTPRequestHandler):
    """Answers requests one after another from the server's script: (status, headers, body), or None to hang up."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.keys.append(self.headers["Idempotency-Key"])
        step = self.server.script.pop(0)
        if step is None:
            self.close_connection = True
            return
        status, headers, body = step
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def refusal(code):
    return json.dumps({"error": {"code": code, "message": "", "details": {}}})


class ClientTest(unittest.TestCase):
    def serve(self, *script, seconds=30):
        server = self.enterContext(ThreadingHTTPServer(("127.0.0.1", 0), Scripted))
        server.script, server.keys, server.daemon_threads = list(script), [], True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        client = Client(f"http://127.0.0.1:{server.server_port}", "key", time.monotonic() + seconds)
        self.addCleanup(client.close)
        return server, client

    def test_retries_keep_the_key_and_are_counted(self):
        server, client = self.serve(
            (503, {"Retry-After": "0"}, refusal("LOG_UNAVAILABLE")), None, (500, {}, "no JSON"),
            (409, {"Retry-After": "0"}, refusal("IDEMPOTENCY_IN_PROGRESS")),
            (201, {"Idempotency-Replayed": "true"}, '{"id": 7}'))
        self.assertEqual(client.expect("POST", "/api/staff", {}, "same")["id"], 7)
        self.assertEqual(server.keys, ["same"] * 5)
        self.assertEqual(client.statistics.replays, 1)
        self.assertEqual(set(client.statistics.retries), {
            "LOG_UNAVAILABLE", "RemoteDisconnected", "500", "IDEMPOTENCY_IN_PROGRESS"})

    def test_a_refusal_is_final(self):
        _, client = self.serve((409, {}, refusal("SHIFT_FULL")), (422, {}, "why not"))
        self.assertEqual(client.send("POST", "/x", {}, "a").code, "SHIFT_FULL")
        with self.assertRaisesRegex(Unexpected, "422 why not"):
            client.expect("POST", "/x", {}, "b")

    def test_gives_up_when_the_pause_would_pass_the_deadline(self):
        _, client = self.serve((503, {"Retry-After": "60"}, refusal("SERVICE_UNAVAILABLE")))
        with self.assertRaisesRegex(GaveUp, "SERVICE_UNAVAILABLE"):
            client.send("POST", "/x", {}, "a")

    def test_a_write_needs_a_key(self):
        with self.assertRaises(ValueError):
            Client("http://127.0.0.1:1", "key", time.monotonic()).send("POST", "/x", {})


def chain(*events):
    """One partition's records, rightly chained, from pairs (index, count) of events in their commands."""
    records, previous = [], support.ZERO_HASH
    for position, (index, count) in enumerate(events):
        body = json.dumps({"position": str(position), "prevhash": previous, "cmdindex": str(index),
                           "cmdcount": str(count)}).encode()
        records.append((0, position, body))
        previous = hashlib.sha256(body).hexdigest()
    return records


class ChainTest(unittest.TestCase):
    def test_whole_partitions_pass(self):
        other = [(1, position, body) for _, position, body in chain((1, 2), (2, 2))]
        self.assertEqual(support.verify_chain(chain((1, 1), (1, 2), (2, 2)) + other), {0: 3, 1: 2})

    def test_damage_is_found(self):
        whole = chain((1, 1), (1, 2), (2, 2), (1, 1))
        altered = [(0, 1, whole[1][2].replace(b'"cmdcount"', b' "cmdcount"'))]
        for name, records in {
            "altered": whole[:1] + altered + whole[2:],
            "dropped": whole[:1] + whole[2:],
            "first dropped": whole[1:],
            "reordered": [whole[0], whole[2], whole[1], whole[3]],
            "command cut at the end": whole[:2],
            "command cut in the middle": chain((1, 2), (1, 1)),
            "command cut at the partition's end": chain((1, 2)) + [(1, 0, whole[0][2])],
            "command begun in the middle": chain((2, 2)),
            "renumbered": [(0, 0, whole[1][2])],
            "interleaved": whole + [(1, 0, whole[0][2])] + whole,
        }.items():
            with self.subTest(name), self.assertRaises(support.ChainBroken):
                support.verify_chain(records)


if __name__ == "__main__":
    unittest.main()
