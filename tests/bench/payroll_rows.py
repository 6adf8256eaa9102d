"""Rows of time and pay: clock-ins a second, and a payroll run of many logs: how long its steps take, how much memory the processes
have at most meanwhile, and what creates of another organization wait for.

The second organization creates shifts over a few connections, first while nothing else goes on, then from before the run is drawn
up until it is paid. Both have keys enough."""

import concurrent.futures
import datetime
import json
import threading
import time

import installation
import load
import machine
import report

MOST_CLOCK_INS = 5_000  # a second, each by somebody who has not clocked in yet
LOGS, PEOPLE = 10_000, 2_000
DAYS = LOGS // PEOPLE
FIRST_DAY = datetime.date(2026, 1, 5)
APPROVED_AT_ONCE = 100
CONNECTIONS = 8  # of the other organization
THREADS = 8
SETTINGS = {"WORKFORCE_PAYROLL_SIMULATED_DELAY_MS": "0"}
COLUMNS = ("", "logs", "payments", "draft s", "approve s", "paid s", "p99 ms alone", "p99 ms meanwhile")
PAID_SECONDS = 600


def hire(place, customer, count):
    """So many people more, made by several connections at a time; their ids."""
    token = iter(customer.keyed([None] * THREADS, THREADS))
    askers = []
    for _ in range(THREADS):
        asker = installation.Customer({"organizationId": customer.organization, "keys": [next(token)[1]]})
        asker.facility = customer.facility
        askers.append(asker)

    def some(asker, numbers):
        asker.connect(place.port)
        return [asker.ask("POST", "/api/staff", {"firstName": "Bench", "lastName": f"Clock {number}", "hourlyRate": 20,
                                                 "facilityIds": [customer.facility], "email": f"c{number}@example.test"})[1]["id"]
                for number in numbers]
    begin = len(customer.staff)
    with concurrent.futures.ThreadPoolExecutor(THREADS) as threads:
        made = threads.map(some, askers, [range(begin + at, begin + count, THREADS) for at in range(THREADS)])
        ids = [person for part in made for person in part]
    customer.staff += ids
    return ids, askers


class ClockIns:
    """Lines of people who have not clocked in yet."""

    once = True

    def __init__(self, place, customer):
        self._place, self._customer = place, customer

    def __call__(self, seconds, connections):
        people, _ = hire(self._place, self._customer, seconds * min(MOST_CLOCK_INS, load.MOST_ON_ONE * connections))
        return [f"POST\t/api/timesheets/clock-in\t{token}\t" + json.dumps({"staffId": person, "facilityId": self._customer.facility})
                for person, token in self._customer.keyed(people)]


def work(place, customer):
    """Approved logs, LOGS of them, of PEOPLE people."""
    people, askers = hire(place, customer, PEOPLE)

    def some(asker, mine):
        ids = []
        for person in mine:
            for day in range(DAYS):
                begins = datetime.datetime.combine(FIRST_DAY + datetime.timedelta(days=day), datetime.time(8))
                ids.append(asker.ask("POST", "/api/timesheets", {
                    "staffId": person, "facilityId": customer.facility, "clockIn": f"{begins.isoformat()}Z",
                    "clockOut": f"{(begins + datetime.timedelta(hours=9)).isoformat()}Z"})[1]["id"])
        for at in range(0, len(ids), APPROVED_AT_ONCE):
            asker.ask("POST", "/api/timesheets/approve", {"ids": ids[at:at + APPROVED_AT_ONCE]})
    with concurrent.futures.ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(some, askers, [people[at::THREADS] for at in range(THREADS)]))
    place.settle([customer])


class Creates(threading.Thread):
    """Creates of another organization until it is joined; `p99_ms` then."""

    def __init__(self, place, customer, seconds):
        super().__init__()
        self._place, self._seconds = place, seconds
        self._lines = [f"POST\t/api/shifts\t{token}\t{body}" for body, token in customer.keyed([json.dumps(customer.shift(0))])]
        self.p99_ms, self.failed = 0.0, 0

    def run(self):
        measured = load.wrk(self._place.port, self._lines, self._place.directory, CONNECTIONS, self._seconds)
        self.p99_ms, self.failed = measured["p99_ms"], measured["failed"]


def pay(place, customer):
    """Draws up, approves, and has paid: seconds of each, and how many payments."""
    period = {"periodStart": str(FIRST_DAY), "periodEnd": str(FIRST_DAY + datetime.timedelta(days=DAYS - 1))}
    began = time.monotonic()
    run = customer.ask("POST", "/api/payroll/runs", period)[1]
    drawn = time.monotonic()
    customer.ask("POST", f"/api/payroll/runs/{run['id']}/approve")
    approved = time.monotonic()
    path = f"/api/timesheets?payrollRunId={run['id']}&status=approved&limit=1"
    machine.wait_for(lambda: customer.ask("GET", f"/api/payroll/runs/{run['id']}")[1]["status"] == "paid" or time.sleep(0.1),
                     PAID_SECONDS, "the run is paid")
    machine.wait_for(lambda: not customer.ask("GET", path)[1]["data"] or time.sleep(0.2), PAID_SECONDS, "its logs are")
    if run["timesheetCount"] != LOGS:
        raise SystemExit(f"the run pays {run['timesheetCount']} logs")
    return drawn - began, approved - drawn, time.monotonic() - approved, run["totals"]["staffCount"]


def cells(place, options, report_cell):
    """Clock-ins, on a started installation; `report_cell` is given each cell."""
    customer = place.customers[0]
    for connections in options.connections:
        report_cell(load.measure("clock in", place.pids, place.port, ClockIns(place, customer), place.directory, connections, options,
                                 keyed=True))


def run_row(place):
    """The payroll run, as a row of COLUMNS and with the memory of each process before and at its highest."""
    payer, other = place.customers[0], place.customers[1]
    work(place, payer)
    other.connect(place.port)
    alone = Creates(place, other, 5)
    alone.start()
    alone.join()
    before = place.memory()
    meanwhile = Creates(place, other, 20)
    meanwhile.start()
    payer.connect(place.port)
    draft, approve, paid, payments = pay(place, payer)
    meanwhile.join()
    if alone.failed or meanwhile.failed:
        raise SystemExit(f"{alone.failed + meanwhile.failed} creates failed")
    return {"logs": LOGS, "payments": payments, "draft_s": draft, "approve_s": approve, "paid_s": paid, "p99_alone_ms": alone.p99_ms,
            "p99_meanwhile_ms": meanwhile.p99_ms,
            "memory_mb": {role: {"before": before[role][0], "highest": now[1]} for role, now in place.memory().items()}}


def row(measured):
    times = [f"{measured[name]:.2f}" for name in ("draft_s", "approve_s", "paid_s")]
    return ("payroll run", f"{measured['logs']:,}", f"{measured['payments']:,}", *times, f"{measured['p99_alone_ms']:.2f}",
            f"{measured['p99_meanwhile_ms']:.2f}")


def memory_rows(measured):
    return [(role, f"{mb['before']:.0f}", f"{mb['highest']:.0f}") for role, mb in measured["memory_mb"].items()]


MEMORY_COLUMNS = ("process", "before MB", "highest MB")


def show(measured):
    print(f"\n{report.line(COLUMNS, COLUMNS)}\n{report.line(row(measured), COLUMNS)}")
    print("\n".join(report.line(each, MEMORY_COLUMNS) for each in (MEMORY_COLUMNS, *memory_rows(measured))), flush=True)
