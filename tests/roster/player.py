# Plays one plan against the service: facility, staff, shifts, then a greedy assignment, many requests at once; and where it is to go
# on, the work that was done, its approval, and a payroll run a week.

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

from .client import Unexpected
from .plan import SHIFT_HOURS, digest
from .work import log_of, written

# Refusals of an assignment that speak about the person: somebody else may do.
PERSON_REFUSALS = frozenset({
    "STAFF_INACTIVE", "STAFF_DOUBLE_BOOKED", "STAFF_ON_TIME_OFF", "CREDENTIAL_INVALID", "SPECIALTY_MISMATCH",
    "REST_PERIOD_VIOLATION", "OVERTIME_EXCEEDED", "STAFF_UNAVAILABLE",
})
# Refusals that speak about the shift: nobody will do.
SHIFT_REFUSALS = frozenset({"SHIFT_FULL", "INVALID_STATE_TRANSITION"})
DUPLICATE = "DUPLICATE_RESOURCE"
APPROVED_AT_ONCE = 100
SETTLED_SECONDS = 120  # for a run that was approved
NEW = "new"


@dataclass
class Ledger:
    """What the service acknowledged. Ids by item; assignments as (shift id, staff id); `status` by shift id, as the
    last answer about it said. `facility_name` is empty for a facility that was there before, and `reused` counts such
    staff."""
    facility: int = 0
    facility_name: str = ""
    staff: dict = field(default_factory=dict)
    shifts: dict = field(default_factory=dict)
    assignments: list = field(default_factory=list)
    status: dict = field(default_factory=dict)
    assigned: Counter = field(default_factory=Counter)
    refusals: Counter = field(default_factory=Counter)
    warnings: int = 0
    reused: int = 0
    timesheets: dict = field(default_factory=dict)  # ids by log
    approved: int = 0
    runs: dict = field(default_factory=dict)  # as they were settled, by their first day

    def counts(self):
        """The figures of the report. Filled: every place taken; partly: some, but candidates ran out."""
        filled = sum(status == "assigned" for status in self.status.values())
        started = sum(self.assigned[shift] > 0 for shift in self.status)
        return {
            "staff": len(self.staff), "staffReused": self.reused, "shifts": len(self.shifts), "filled": filled,
            "partlyFilled": started - filled, "empty": len(self.shifts) - started,
            "assignments": len(self.assignments), "warnings": self.warnings, "timesheets": len(self.timesheets),
            "payrollRuns": len(self.runs), "paid": sum(run["totals"]["netAmount"] for run in self.runs.values()),
        }


class Player:
    """Plays one plan. `on_step(ledger)` is called after every acknowledged write, one call at a time, from the worker
    threads; it must not block for long, for the others wait meanwhile."""

    def __init__(self, client, plan, run_id, concurrency, on_step=lambda ledger: None):
        self.ledger = Ledger()
        self._client = client
        self._plan = plan
        self._run_id = run_id
        self._suffix = digest(run_id, "suffix")[:6]
        self._concurrency = concurrency
        self._on_step = on_step
        self._lock = threading.Lock()
        self._hours = Counter()
        self._stop = threading.Event()

    def play(self, facility, timezone):
        """Runs the whole plan in `facility`, an id or NEW. Raises Unexpected or GaveUp; the ledger then holds what
        had been acknowledged until that moment."""
        self.ledger.facility = self._new_facility(timezone) if facility == NEW else int(facility)
        with ThreadPoolExecutor(self._concurrency) as pool:
            for work, items in (
                (self._create_staff, self._plan.staff),
                (self._create_shift, self._plan.shifts),
                (self._fill_shift, self._plan.shifts),
            ):
                self._each(pool, work, items)

    def _each(self, pool, work, items):
        """Does all of it, or stops at the first error and raises that."""
        def guarded(item):
            if self._stop.is_set():
                return
            try:
                work(item)
            except BaseException:
                self._stop.set()
                self._client.stop()
                raise
        failures = [failure for job in [pool.submit(guarded, item) for item in items] if (failure := job.exception())]
        if failures:
            # An answer that was not expected says more than the requests which were given up because of it.
            raise next((failure for failure in failures if isinstance(failure, Unexpected)), failures[0])

    def _write(self, path, item, body):
        return self._client.send("POST", path, body, digest(self._run_id, item))

    def _new_facility(self, timezone):
        """A name that is taken (an earlier run) gets a suffix, so that this run stands alone."""
        for name in (self._plan.name, f"{self._plan.name} {self._suffix}"):
            answer = self._write("/api/facilities", f"facility/{name}", {"name": name, "timezone": timezone})
            if answer.ok:
                self.ledger.facility_name = name
                return answer.body["id"]
            if answer.code != DUPLICATE:
                break
        raise Unexpected(answer)

    def _create_staff(self, staff):
        """In a facility that was there before, somebody known is taken as is; in a new one an earlier run's people
        are booked elsewhere, hence this run's get addresses of their own."""
        body = staff.body | {"facilityIds": [self.ledger.facility]}
        answer = self._write("/api/staff", staff.item, body)
        if answer.code == DUPLICATE and self.ledger.facility_name:
            name, _, domain = body["email"].partition("@")
            body["email"] = f"{name}-{self._suffix}@{domain}"
            answer = self._write("/api/staff", f"{staff.item}/{self._suffix}", body)
        existing = answer.details.get("existingId") if answer.code == DUPLICATE else None
        if not answer.ok and existing is None:
            raise Unexpected(answer)
        with self._lock:
            self.ledger.staff[staff.item] = answer.body["id"] if answer.ok else existing
            self.ledger.reused += existing is not None
            self._on_step(self.ledger)

    def _create_shift(self, shift):
        answer = self._write("/api/shifts", shift.item, shift.body | {"facilityId": self.ledger.facility})
        if not answer.ok:
            raise Unexpected(answer)
        with self._lock:
            self.ledger.shifts[shift.item] = answer.body["id"]
            self.ledger.status[answer.body["id"]] = answer.body["status"]
            self._on_step(self.ledger)

    def _pick(self, shift, tried):
        """Who has the skill, was not tried yet, and comes first: no wish to be off, then the fewest hours. Hours
        count from here on, so that threads spread over the staff; _fill_shift gives them back after a refusal."""
        with self._lock:
            candidates = [
                (staff.item in shift.unwanted, self._hours[staff.item], index)
                for index, staff in enumerate(self._plan.staff)
                if shift.skill in staff.skills and staff.item not in tried
            ]
            if not candidates:
                return None
            chosen = self._plan.staff[min(candidates)[2]]
            self._hours[chosen.item] += SHIFT_HOURS
            return chosen

    def _fill_shift(self, shift):
        """Ends when the shift is full or everybody with the skill was tried, hence after a bounded number of
        requests."""
        shift_id = self.ledger.shifts[shift.item]
        tried = set()
        while not self._stop.is_set() and (staff := self._pick(shift, tried)):
            tried.add(staff.item)
            staff_id = self.ledger.staff[staff.item]
            answer = self._write(f"/api/shifts/{shift_id}/assign", f"{shift.item}/{staff.item}", {"staffId": staff_id})
            if answer.ok:
                self._assigned(shift_id, staff_id, answer.body)
                if self.ledger.status[shift_id] == "assigned":
                    return
                continue
            if answer.status != 409 or answer.code not in PERSON_REFUSALS | SHIFT_REFUSALS:
                raise Unexpected(answer)
            with self._lock:
                self._hours[staff.item] -= SHIFT_HOURS
                self.ledger.refusals[answer.code] += 1
            if answer.code in SHIFT_REFUSALS:
                return

    def _assigned(self, shift_id, staff_id, body):
        with self._lock:
            self.ledger.assignments.append((shift_id, staff_id))
            self.ledger.assigned[shift_id] += 1
            self.ledger.status[shift_id] = "assigned" if body.get("filled") else body["status"]
            self.ledger.warnings += len(body.get("warnings", ()))
            self._on_step(self.ledger)

    def work(self, timezone):
        """The logs of what was assigned, as people worked; once play() has ended. The order is always the same."""
        plan = {staff.item: staff for staff in self._plan.staff}
        staff = {number: plan[item] for item, number in self.ledger.staff.items()}
        shifts = {number: item for item, number in self.ledger.shifts.items()}
        bodies = {shift.item: shift.body for shift in self._plan.shifts}
        pairs = sorted((shifts[shift], staff[person].item, person) for shift, person in self.ledger.assignments)
        return [log_of(self._run_id, bodies[shift], shift, staff[person], timezone) for shift, _, person in pairs]

    def pay(self, timezone):
        """Records all work, has it approved, and pays each week of it; returns once every run is settled. Raises Unexpected, GaveUp,
        and TimeoutError for a run that does not settle."""
        logs = self.work(timezone)
        with ThreadPoolExecutor(self._concurrency) as pool:
            self._each(pool, self._record, logs)
            ids = sorted(self.ledger.timesheets.values())
            self._each(pool, self._approve, [ids[at:at + APPROVED_AT_ONCE] for at in range(0, len(ids), APPROVED_AT_ONCE)])
        for monday in sorted({log.day - timedelta(days=log.day.weekday()) for log in logs}):
            self._pay_week(monday)

    def _record(self, log):
        shift, person = log.key
        body = {"staffId": self.ledger.staff[person], "shiftId": self.ledger.shifts[shift], "clockIn": written(log.begins),
                "clockOut": written(log.ends),
                "breaks": [{"start": written(start), "end": written(end), "paid": paid} for start, end, paid in log.breaks]}
        answer = self._write("/api/timesheets", f"timesheet/{shift}/{person}", body)
        if not answer.ok:
            raise Unexpected(answer)
        with self._lock:
            self.ledger.timesheets[log.key] = answer.body["id"]
            self._on_step(self.ledger)

    def _approve(self, ids):
        answer = self._write("/api/timesheets/approve", f"approve/{ids[0]}", {"ids": ids})
        if not answer.ok or any(each["status"] != "approved" for each in answer.body["results"]):
            raise Unexpected(answer)
        with self._lock:
            self.ledger.approved += len(ids)
            self._on_step(self.ledger)

    def _pay_week(self, monday):
        body = {"facilityId": self.ledger.facility, "periodStart": str(monday), "periodEnd": str(monday + timedelta(days=6))}
        item = f"payroll/{self._plan.name}/{monday}"
        draft = self._write("/api/payroll/runs", item, body)
        if not draft.ok:
            raise Unexpected(draft)
        self._on_step(self.ledger)
        path = f"/api/payroll/runs/{draft.body['id']}"
        approved = self._write(f"{path}/approve", f"{item}/approve", None)
        if not approved.ok:
            raise Unexpected(approved)
        self._on_step(self.ledger)
        deadline = time.monotonic() + SETTLED_SECONDS
        while (run := self._client.expect("GET", path))["status"] == "processing":
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} is still processing")
            time.sleep(0.2)
        with self._lock:
            self.ledger.runs[str(monday)] = run
            self._on_step(self.ledger)
