# Real ward rosters against the real service: all arrives, people are paid for what they worked, nothing personal is in the log, crashes
# lose nothing and pay nobody twice.

import json
import os
import subprocess
import tempfile
import threading
import time
import unittest
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta

import support
from kafka_cluster import OnKafka, OnOwnKafka
from roster import pay
from roster.client import Client
from roster.load import DEFAULT_ROSTERS, DEFAULT_START, find_roster
from roster.parse import read_roster
from roster.plan import make_plan
from roster.player import NEW, Player

LOAD = support.PROJECT_ROOT / "tests" / "roster" / "load"
RUN_ID = "e2e"
LOAD_SECONDS = 300
CONCURRENCY = 16
TIMEZONE = "Europe/Rome"


def plan_of(name):
    """The plan that the loader makes for the roster of this name."""
    with tempfile.TemporaryDirectory() as scratch:
        return make_plan(read_roster(find_roster(name, scratch)), RUN_ID, DEFAULT_START)


def client_of(case):
    """A client of the case's service, closed after the case's last test."""
    client = Client(case.service.demo["baseUrl"], case.service.demo["keys"]["live"], time.monotonic() + LOAD_SECONDS)
    case.addClassCleanup(client.close)
    return client


def demo_people(postgres):
    """The people that the demo made, as far as their records say anything personal: users and staff."""
    staff = [json.loads(doc) for (doc,) in postgres.psql(f"SELECT doc FROM {support.STAFF_TABLE}")]
    users = [{"fullName": name, "email": email}
             for name, email in postgres.psql(f"SELECT name, email FROM {support.USER_TABLE}")]
    return staff, users


def personal_strings(body):
    """What of a person's record must not stand in the log. What is short could turn up in sealed text by accident, so
    it is looked for as a JSON string."""
    contact = body.get("emergencyContact") or {}
    full_name = body.get("fullName") or f"{body['firstName']} {body['lastName']}"
    texts = [full_name, body.get("lastName"), body["email"], body.get("phone"),
             contact.get("name"), contact.get("phone")]
    return {text if len(text) >= 8 else f'"{text}"' for text in texts if text}


def paid_runs(client, facility):
    """All runs of the facility with their payments, as they stand."""
    runs = [run for run in client.items("/api/payroll/runs") if run["facilityId"] == facility]
    payments = [each for run in runs for each in client.items("/api/payroll/payments", {"payrollRunId": run["id"]})]
    return sorted((run["id"], run["status"], run["totals"]["netAmount"]) for run in runs), sorted(
        (each["id"], each["payrollRunId"], each["staffId"], each["status"], each["netAmount"]) for each in payments)


def check_paid(case, client, logs, ledger, runs):
    """Each week has one run, and its payments are what the model computes of the logs: one for each person who worked. `runs`: as
    they were acknowledged, by their Monday. Returns the minutes of overtime."""
    settings = client.expect("GET", "/api/auth/me")["organization"]["id"]
    rules = pay.Rules.of(client.expect("GET", f"/api/organizations/{settings}")["settings"])
    weeks = defaultdict(list)
    for log in logs:
        weeks[log.day - timedelta(days=log.day.weekday())].append(log)
    case.assertEqual({date.fromisoformat(monday) for monday in runs}, set(weeks))
    found = [run for run in client.items("/api/payroll/runs") if run["facilityId"] == ledger.facility]
    case.assertEqual(sorted(run["id"] for run in found), sorted(run["id"] for run in runs.values()), "a run is there that nobody made")
    overtime = 0
    for monday, of_week in weeks.items():
        run, expected = runs[str(monday)], pay.payments(of_week, rules)
        paid = {each["staffId"]: each for each in client.items("/api/payroll/payments", {"payrollRunId": run["id"]})}
        case.assertEqual(set(paid), {ledger.staff[person] for person in expected})
        for person, wanted in expected.items():
            told = paid[ledger.staff[person]]
            case.assertEqual((told["status"], told["regularMinutes"], told["overtimeMinutes"], pay.cents(told["grossAmount"]),
                              pay.cents(told["netAmount"])), ("paid", wanted.regular, wanted.overtime, wanted.gross, wanted.net))
        totals = run["totals"]
        case.assertEqual((run["status"], run["timesheetCount"], totals["staffCount"], pay.cents(totals["netAmount"])),
                         ("paid", len(of_week), len(expected), sum(each.net for each in expected.values())))
        overtime += totals["overtimeMinutes"]
    statuses = Counter(sheet["status"] for sheet in client.items("/api/timesheets", {"facilityId": ledger.facility}))
    case.assertEqual(statuses, Counter({"paid": len(logs)}))
    return overtime


class RosterTest(support.ServiceCase):
    """Whole rosters, played once by the executable; the tests look at what is there afterwards."""

    ROSTERS = DEFAULT_ROSTERS if support.LONG else ("n030w4", "n010w2")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client = client_of(cls)
        cls.demo_staff, cls.demo_users = demo_people(cls.postgres)
        cls.plans = {name: plan_of(name) for name in cls.ROSTERS}
        report, ledger = cls.service.directory / "report.json", cls.service.directory / "ledger.json"
        done = subprocess.run(
            [LOAD, "--url", cls.service.demo["baseUrl"], "--facility", NEW, "--timezone", TIMEZONE, "--run-id", RUN_ID,
             "--max-seconds", str(LOAD_SECONDS), "--report", report, "--ledger", ledger, "--pay", *cls.ROSTERS],
            env=os.environ | {"WORKFORCE_API_KEY": cls.service.demo["keys"]["live"]},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LOAD_SECONDS + 60, check=False)
        if done.returncode != 0:
            cls.service.print_tail()
            raise AssertionError(f"the loader ended with {done.returncode}\n{done.stdout}")
        cls.service.wait_projected()
        cls.report = json.loads(report.read_text(encoding="utf-8"))
        cls.ledgers = json.loads(ledger.read_text(encoding="utf-8"))
        cls.facilities = [ledger["facilityId"] for ledger in cls.ledgers.values()]

    def ids_in(self, table):
        """Ids of the production rows of a read model."""
        return {int(row[0]) for row in self.postgres.psql(f"SELECT id FROM {table} WHERE NOT is_sandbox")}

    def test_every_nurse_is_listed(self):
        listed = {person["id"]: person for person in self.client.items("/api/staff", limit=17)}
        rows = self.ids_in(support.STAFF_TABLE)
        for name, plan in self.plans.items():
            known = self.ledgers[name]["staff"]
            self.assertEqual(set(known), {staff.item for staff in plan.staff})
            self.assertEqual(len(set(known.values())), len(plan.staff))
            for staff in plan.staff:
                person = listed[known[staff.item]]
                self.assertIn(person["id"], rows)
                self.assertEqual({key: person[key] for key in staff.body}, staff.body)

    def test_every_shift_is_listed(self):
        rows = self.ids_in(support.SHIFT_TABLE)
        for name, plan in self.plans.items():
            ledger = self.ledgers[name]
            query = {"facilityId": ledger["facilityId"]}
            listed = {shift["id"]: shift for shift in self.client.items("/api/shifts", query, limit=83)}
            self.assertEqual(len(listed), len(plan.shifts))
            places = defaultdict(set)
            for shift, staff in ledger["assignments"]:
                places[shift].add(staff)
            for shift in plan.shifts:
                found = listed[ledger["shifts"][shift.item]]
                self.assertIn(found["id"], rows)
                self.assertEqual({key: found[key] for key in shift.body}, shift.body)
                self.assertEqual(set(found["assignedStaffIds"]), places[found["id"]])

    def test_filled_counts_agree(self):
        places = ", ".join(map(str, self.facilities))
        rows = self.postgres.value(f"SELECT count(*) FROM {support.SHIFT_TABLE} "
                                   f"WHERE status = 'assigned' AND NOT is_sandbox AND facility_id IN ({places})")
        listed = sum(1 for facility in self.facilities
                     for _ in self.client.items("/api/shifts", {"facilityId": facility, "status": "assigned"}))
        self.assertGreater(self.report["filled"], 0)
        self.assertEqual(self.report["filled"], int(rows))
        self.assertEqual(self.report["filled"], listed)

    def player(self, name):
        """A player to whom the ledger of the roster of this name is known: what it sends again has the same keys."""
        player, told = Player(self.client, self.plans[name], RUN_ID, CONCURRENCY), self.ledgers[name]
        player.ledger.facility, player.ledger.facility_name = told["facilityId"], name
        player.ledger.staff, player.ledger.shifts = told["staff"], told["shifts"]
        player.ledger.assignments = told["assignments"]
        return player

    def test_everybody_is_paid_what_they_worked(self):
        for name in self.ROSTERS:
            player = self.player(name)
            check_paid(self, self.client, player.work(TIMEZONE), player.ledger, self.ledgers[name]["payrollRuns"])

    def test_the_same_keys_pay_once(self):
        name = self.ROSTERS[0]
        player, before = self.player(name), paid_runs(self.client, self.ledgers[name]["facilityId"])
        player.pay(TIMEZONE)
        self.assertEqual(player.ledger.runs, self.ledgers[name]["payrollRuns"])
        self.assertEqual([[*log, number] for log, number in sorted(player.ledger.timesheets.items())],
                         sorted(self.ledgers[name]["timesheets"]))
        self.assertEqual(paid_runs(self.client, self.ledgers[name]["facilityId"]), before)

    def test_rebuilt_read_models_are_the_same(self):
        before, after = support.checksums_around_rebuild(self.service)
        self.assertEqual(before, after)
        self.assertFalse(before[support.SHIFT_TABLE].startswith("0 "), "there was nothing to compare")

    def test_log_holds_no_person(self):
        nurses = [staff.body for plan in self.plans.values() for staff in plan.staff]
        self.assertTrue(self.demo_staff and self.demo_users, "the demo has nobody")
        needles = sorted(set().union(*map(personal_strings, nurses + self.demo_staff + self.demo_users)))
        for place, hits in self.service.log_text_hits(needles).items():
            with self.subTest(place=place):
                self.assertEqual(hits, [])

    def test_the_search_for_persons_can_find(self):
        """What is not personal stands in the log in clear, so a search that finds nothing would be broken."""
        title = self.plans[self.ROSTERS[0]].shifts[0].body["title"]
        place = self.service.topic if self.kafka else support.LOG_TABLE
        self.assertEqual(self.service.log_text_hits([title, "no such text"])[place], [title])

    def test_log_is_whole(self):
        counts = support.verify_chain(self.service.log_records())
        self.assertGreater(sum(counts.values()), self.report["staff"] + self.report["shifts"])


class Marks:
    """Lets one thread wait until another has made a number of steps. The other stands still while `gate` is held, and
    at the step that the one wants to see next."""

    def __init__(self):
        self.gate = threading.Lock()
        self._limit = None
        self._changed = threading.Condition()
        self._steps = 0
        self._ended = False
        self._error = None

    def step(self, _ledger):
        with self.gate, self._changed:
            self._steps += 1
            self._changed.notify_all()
        with self._changed:
            self._changed.wait_for(lambda: self._limit is None or self._steps < self._limit, LOAD_SECONDS)

    def end(self, error):
        with self._changed:
            self._ended, self._error = True, error
            self._changed.notify_all()

    def free(self):
        """Holds nothing back any more."""
        with self._changed:
            self._limit = None
            self._changed.notify_all()

    def now(self):
        """The number of steps made."""
        with self._changed:
            return self._steps

    def reach(self, steps, then=None):
        """Returns once so many steps are made, and lets the work go on up to step `then` (None: to its end);
        AssertionError when the work ended before."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._steps >= steps, LOAD_SECONDS)
            if self._ended or self._steps < steps:
                raise AssertionError(f"the work stands at step {self._steps}, not at {steps}") from self._error
            self._limit = then
            self._changed.notify_all()


class RosterOnKafkaTest(OnKafka, RosterTest):
    """The same with the log in Kafka."""

    ROSTERS = DEFAULT_ROSTERS[:1]


class KillTest(support.ServiceCase):
    """The service and its servers are killed while a roster is being played, and the player goes on."""

    ROSTER = "n060w8" if support.LONG else "n030w4"
    FELT = True  # whether a kill is one that clients must have felt
    # Share of the roster at which a process is killed.
    KILLS = ((0.01, "service"), (0.02, "postgres"), (0.1, "service"), (0.2, "postgres"), (0.3, "service"),
             (0.45, "service"), (0.6, "postgres"), (0.75, "service"), (0.9, "service"))

    def client(self):
        """Whoever plays, and whoever looks afterwards."""
        return client_of(type(self))

    def kill(self, victim, _marks):
        server = {"service": self.service, "postgres": self.postgres, "kafka": self.kafka}[victim]
        server.kill9()
        server.start()

    def play(self, player, marks, failures):
        try:
            player.play(NEW, TIMEZONE)
        except BaseException as error:  # shown by the test's own thread
            failures.append(error)
        marks.end(failures[0] if failures else None)

    def test_kills_lose_and_repeat_nothing(self):
        plan, client, marks, failures = plan_of(self.ROSTER), self.client(), Marks(), []
        player = Player(client, plan, RUN_ID, CONCURRENCY, marks.step)
        places = sum(shift.body["requiredWorkers"] for shift in plan.shifts)
        steps = len(plan.staff) + len(plan.shifts) + places
        thread = threading.Thread(target=self.play, args=(player, marks, failures))
        thread.start()
        try:
            at = [int(share * steps) for share, _ in self.KILLS]
            for (_, victim), here, then in zip(self.KILLS, at, [*at[1:], None]):
                marks.reach(here, then)
                self.kill(victim, marks)
            thread.join(LOAD_SECONDS)
        finally:
            marks.free()
            client.stop()
            thread.join()
        self.assertEqual(failures, [])
        if self.FELT:
            self.assertGreaterEqual(sum(client.statistics.retries.values()), len(self.KILLS), "no kill was felt")
        self.check(plan, player.ledger)

    def check(self, plan, ledger):
        self.service.wait_projected()
        client = self.client()
        people = list(client.items("/api/staff", {"facilityId": ledger.facility}))
        shifts = list(client.items("/api/shifts", {"facilityId": ledger.facility}))
        self.assert_once(plan.staff, people, "email", ledger.staff)
        self.assert_once(plan.shifts, shifts, "title", ledger.shifts)
        found = Counter((shift["id"], staff) for shift in shifts for staff in shift["assignedStaffIds"])
        acknowledged = Counter(ledger.assignments)
        self.assertEqual(acknowledged - found, Counter(), "assignments were lost")
        self.assertEqual(found - acknowledged, Counter(), "assignments are there that nobody acknowledged, or twice")
        self.assert_no_overlap(shifts)
        self.check_log()

    def check_log(self):
        """The log is whole, and gives the read models that are there."""
        support.verify_chain(self.service.log_records())
        before, after = support.checksums_around_rebuild(self.service)
        self.assertEqual(before, after)

    def assert_once(self, items, listed, key, acknowledged):
        """Each item of the plan is there exactly once, under the id that was acknowledged."""
        wanted = {item.body[key]: acknowledged[item.item] for item in items}
        mine = [entry for entry in listed if entry[key] in wanted]
        self.assertEqual(len(mine), len(items))
        self.assertEqual({entry[key]: entry["id"] for entry in mine}, wanted)

    def assert_no_overlap(self, shifts):
        booked = defaultdict(list)
        for shift in shifts:
            times = tuple(datetime.fromisoformat(shift[key]) for key in ("startsAt", "endsAt"))
            for staff in shift["assignedStaffIds"]:
                booked[staff].append((*times, shift["id"]))
        for staff, times in booked.items():
            times.sort()
            for (_, end, first), (start, _, second) in zip(times, times[1:]):
                self.assertLessEqual(end, start, f"staff {staff} is booked twice, by shifts {first} and {second}")


class PaidKillTest(support.ServiceCase):
    """The service and its database are killed while a roster's weeks are clocked, approved and paid."""

    ROSTER, WEEKS = ("n030w4", None) if support.LONG else ("n010w2", None)
    # Shares of the work at which a process is killed: the last ones while runs are drawn up, approved and settled.
    KILLS = ((0.2, "service"), (0.6, "postgres"), (0.9, "service"))
    LATE_KILLS = 3 if not support.LONG else 12

    def kill(self, victim):
        server = {"service": self.service, "postgres": self.postgres, "kafka": self.kafka}[victim]
        server.kill9()
        server.start()

    def test_kills_pay_everybody_once(self):
        plan, client, marks, failures = plan_of(self.ROSTER), client_of(type(self)), Marks(), []
        player = Player(client, plan, RUN_ID, CONCURRENCY)
        player.play(NEW, TIMEZONE)
        player._on_step = marks.step  # pylint: disable=protected-access
        logs = player.work(TIMEZONE)

        def work():
            try:
                player.pay(TIMEZONE)
            except BaseException as error:  # shown by the test's own thread
                failures.append(error)
            marks.end(failures[0] if failures else None)
        thread = threading.Thread(target=work)
        weeks = len({log.week for log in logs})
        approvals = -(-len(logs) // 100)
        at = [(int(share * len(logs)), victim) for share, victim in self.KILLS]
        # Of each week's run: drawn up, approved, settled.
        late = [len(logs) + approvals + number for number in range(1, 3 * weeks)]
        at += [(late[len(late) * number // self.LATE_KILLS], ("service", "postgres")[number % 2]) for number in range(self.LATE_KILLS)]
        thread.start()
        try:
            for (here, victim), then in zip(at, [*(here for here, _ in at[1:]), None]):
                marks.reach(here, then)
                self.kill(victim)
            thread.join(LOAD_SECONDS)
        finally:
            marks.free()
            client.stop()
            thread.join()
        self.assertEqual(failures, [])
        self.service.wait_projected()
        overtime = check_paid(self, client_of(type(self)), logs, player.ledger, player.ledger.runs)
        self.assertGreater(overtime, 0, "nobody worked overtime, which proves less")
        support.verify_chain(self.service.log_records())
        before, after = support.checksums_around_rebuild(self.service)
        self.assertEqual(before, after)


class KillOnKafkaTest(OnOwnKafka, KillTest):
    """The same with the log in Kafka, whose only broker is killed as well."""

    ROSTER = "n030w4" if support.LONG else "n010w2"
    KILLS = ((0.01, "service"), (0.02, "kafka"), (0.1, "postgres"), (0.25, "kafka"), (0.4, "service"), (0.55, "kafka"),
             (0.75, "postgres"), (0.9, "service"))


if __name__ == "__main__":
    unittest.main()
