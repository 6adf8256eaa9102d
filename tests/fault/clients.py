# Clients that work through faults: they retry with the same idempotency key, on any process, and keep what they were told.

import http.client
import random
import secrets
import threading
import time
from collections import Counter

import rest
import shift_model
from linearizability import OK, REFUSED, Operation

DATE = "2031-03-03"
# Times of a shift that clients choose from: the first overlaps the second, the second the third.
SLOTS = (("08:00", "12:00"), ("10:00", "14:00"), ("13:00", "17:00"))
STEPS = {"assign": 34, "unassign": 18, "read": 22, "title": 8, "required": 5, "slot": 5, "cancel": 3, "reopen": 5}
ATTEMPT_SECONDS = 8
# Whoever has no answer that long after all is well again is stuck.
PATIENCE_SECONDS = 60
ABANDONS = 0.15  # share of requests that a client does not ask again when an attempt fails
REFUSALS = {shift_model.FULL, shift_model.OVERSTAFFED, shift_model.BOOKED, shift_model.MOVE, shift_model.ABSENT}


def overlap(one, other):
    """Whether two slots exclude each other."""
    return one[0] < other[1] and other[0] < one[1]


def value_of(body):
    """A shift's document as the model knows it."""
    return (body["status"], tuple(body["assignedStaffIds"]), body["requiredWorkers"], body["title"],
            (body["startTime"], body["endTime"]))


def version_of(answer):
    return int(answer.headers["ETag"].strip('"'))


def is_repeated(answer):
    """Whether it is what an earlier attempt was answered, whose id is not known."""
    return answer.headers.get("Idempotency-Replayed") == "true"


class Record:
    """All that the clients of one round did. Safe to use from many threads."""

    def __init__(self):
        self.operations = []   # of all groups
        self.acknowledged = {}  # title of a shift -> the id under which it was acknowledged
        self.titles = set()    # of updates that were acknowledged
        self.answers = []      # (method, path, body, key, credential, answer) of acknowledged writes
        self.attempts, self.failures, self.stale = 0, Counter(), 0
        self.faults = []
        self._lock = threading.Lock()

    def add(self, operation):
        with self._lock:
            self.operations.append(operation)

    def answered(self, request, answer):
        with self._lock:
            self.answers.append((*request, answer))

    def attempt(self, why=None):
        with self._lock:
            self.attempts += 1
            if why:
                self.failures[why] += 1


class Caller:
    """One thread's way to the service: each attempt goes to any of the processes."""

    def __init__(self, addresses, token, record, dice):
        self._clients = [rest.Client(address, token, ATTEMPT_SECONDS) for address in addresses]
        self.token, self._record, self._dice = token, record, dice
        self.deadline = None  # once it is set: when to give up what has no answer

    def send(self, method, path, body=None, abandon=False):
        """The final answer; None when the request was abandoned, or there was none in time, which is a fault."""
        key = secrets.token_hex(8) if body is not None else None
        headers = {"Idempotency-Key": key} if key else {}
        while True:
            why = "ok"
            try:
                answer = self._dice.choice(self._clients).send(method, path, body, headers)
                if answer.code not in rest.RETRYABLE:
                    self._record.attempt()
                    if key:
                        self._record.answered((method, path, body, key, self.token), answer)
                    return answer
                why = answer.code
                if why == "INTERNAL_ERROR":  # no harm excuses it
                    self._record.faults.append(str(answer))
            except (OSError, http.client.HTTPException) as error:
                why = type(error).__name__
            self._record.attempt(why)
            if abandon:
                return None
            if self.deadline is not None and time.monotonic() > self.deadline:
                self._record.faults.append(f"{method} {path} with key {key} has no answer in the end: {why}")
                return None
            time.sleep(self._dice.uniform(0.01, 0.1))


class Worker(threading.Thread):
    """Does a step again and again until it is told to end."""

    def __init__(self, addresses, token, credential, record, seed):
        super().__init__(daemon=True)
        self.dice = random.Random(seed)
        self.caller = Caller(addresses, token, record, self.dice)
        self.record, self.credential, self.steps = record, credential, 0
        self._end = threading.Event()

    def run(self):
        try:
            while not self._end.is_set():
                self.step()
                self.steps += 1
                time.sleep(self.dice.uniform(0.0, 0.02))
        except Exception as fault:  # shown by the suite
            self.record.faults.append(f"a client ended with {fault!r}")

    def end(self):
        """Lets it finish what it is at. Join it then."""
        self.caller.deadline = time.monotonic() + PATIENCE_SECONDS
        self._end.set()


class Maker(Worker):
    """Makes shifts at a facility under titles that nobody else uses."""

    facility = 0

    def step(self):
        title = f"made {secrets.token_hex(8)}"
        answer = self.caller.send("POST", "/api/shifts", shift_body(self.facility, title), self.dice.random() < ABANDONS)
        if answer is None:
            return
        if answer.status != 201:
            self.record.faults.append(str(answer))
        else:
            self.record.acknowledged[title] = answer.body["id"]


class Player(Worker):
    """Works on a group of few shifts and few persons, together with others, and keeps the history."""

    shifts, persons = (), ()

    def step(self):
        kind, = self.dice.choices(list(STEPS), STEPS.values())
        shift = self.dice.choice(self.shifts)
        path = f"/api/shifts/{shift}"
        operation = Operation(kind, time.monotonic(), arguments={"shift": shift}, credential=self.credential)
        if kind == "read":
            return self._read(operation, path)
        if kind in ("assign", "unassign"):
            operation.arguments["person"] = person = self.dice.choice(self.persons)
            request = "POST", f"{path}/{kind}", {"staffId": person}
        elif kind in ("cancel", "reopen"):
            request = "POST", f"{path}/{kind}", {}
        else:
            operation.name = "update"
            change, body = self._change(kind)
            operation.arguments |= change
            request = "PATCH", path, body
        answer = self.caller.send(*request, abandon=self.dice.random() < ABANDONS)
        if answer is not None:
            self._tell(operation, answer)
        self.record.add(operation)

    def _change(self, kind):
        """What the model calls it, and what the body says."""
        if kind == "title":
            title = f"named {secrets.token_hex(8)}"
            return {"title": title}, {"title": title}
        if kind == "required":
            number = self.dice.randint(1, 3)
            return {"required": number}, {"requiredWorkers": number}
        start, end = slot = self.dice.choice(SLOTS)
        return {"slot": slot}, {"startTime": start, "endTime": end}

    def _read(self, operation, path):
        answer = self.caller.send("GET", path)
        if answer is None:
            return
        if "Service-Stale" in answer.headers:
            self.record.stale += 1
            return
        if answer.status not in (200, 404):
            self.record.faults.append(str(answer))
            return
        operation.ended, operation.outcome = time.monotonic(), OK
        if answer.status == 200:
            operation.value, operation.version = value_of(answer.body), version_of(answer)
        self.record.add(operation)

    def _tell(self, operation, answer):
        operation.ended = time.monotonic()
        operation.request = "" if is_repeated(answer) else answer.headers["X-Request-Id"]
        if answer.status == 200:
            operation.outcome, operation.value, operation.version = OK, value_of(answer.body), version_of(answer)
            if "title" in operation.arguments:
                self.record.titles.add(operation.arguments["title"])
        else:
            operation.outcome, operation.code = REFUSED, answer.code
            if answer.code == shift_model.BOOKED:
                violation = answer.details["violations"][0]
                operation.because = violation["staffId"], violation["shiftId"]
            if answer.code not in REFUSALS:
                self.record.faults.append(str(answer))


def shift_body(facility, title, slot=SLOTS[0], required=1):
    return {"facilityId": facility, "title": title, "date": DATE, "startTime": slot[0], "endTime": slot[1],
            "requiredWorkers": required}
