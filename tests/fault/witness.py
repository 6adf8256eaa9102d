# The log as a witness: it is one order of all that took effect, and what clients were told has to fit it. Where the
# checker of histories may choose what became of an outcome that nobody knows, the log tells.

import json
from collections import Counter, defaultdict

from linearizability import OK
from shift_model import ASSIGNED, CANCELLED, OPEN, REQUIRED, SLOT, STAFF, STATUS


class _Shift:
    """A shift as its events make it. `states[v - 1]` is (position, value) at version v, values as the shift's model has them."""

    def __init__(self, data):
        self.date, self.states = data["date"], []
        self.value = (OPEN, (), data["requiredWorkers"], data["title"], (data["startTime"], data["endTime"]))

    def fold(self, kind, data):
        status, staff, required, title, slot = self.value
        if kind == "staff_assigned":
            staff += (data["staffId"],)
        elif kind == "unassigned":
            staff = tuple(one for one in staff if one != data["staffId"])
        elif kind == "updated":
            self.date, required, title = data.get("date", self.date), data.get("requiredWorkers", required), data.get("title", title)
            slot = (data.get("startTime", slot[0]), data.get("endTime", slot[1]))
        elif kind == "filled":
            status = ASSIGNED if status == OPEN else status
        elif kind == "vacancy_opened":
            status = OPEN if status == ASSIGNED else status
        elif kind == "cancelled":
            status = CANCELLED
        elif kind == "reopened":
            status, staff = OPEN, ()
        elif kind != "deleted":
            status = {"started": "in_progress"}.get(kind, kind)
        self.value = (status, staff, required, title, slot)


class Witness:
    """What a whole log says. `records` are (partition, position, body); `overlap(slot, slot)` tells which times of a day exclude
    each other."""

    def __init__(self, records, overlap):
        self._overlap = overlap
        self.wrong = []           # what the domain's rules forbid and the log has
        self.posted = Counter()   # titles of shifts that were made
        self.named = Counter()    # titles that shifts were given
        self.answered = Counter()  # commands by organization and idempotency key
        self.ids = {}             # of shifts by the title under which they were made
        self._shifts = {}
        self._requests = defaultdict(list)  # where each request was answered
        self._booked = defaultdict(set)     # shifts that each person has ever been assigned to
        for partition, position, body in records:
            event = json.loads(body)
            if event["type"] == "command.answered":
                self.answered[event["orgid"], event["idemkey"]] += 1
                self._requests[event["requestid"]].append((partition, position))
            elif event["type"].startswith("shift."):
                self._fold(position, event)

    def _fold(self, position, event):
        kind, data, number = event["type"].removeprefix("shift."), event["data"], int(event["subject"].removeprefix("shift/"))
        if kind == "posted":
            self._shifts[number] = _Shift(data)
            self.posted[data["title"]] += 1
            self.ids[data["title"]] = number
        else:
            self._shifts[number].fold(kind, data)
        if kind == "updated" and "title" in data:
            self.named[data["title"]] += 1
        if kind == "staff_assigned":
            self._booked[data["staffId"]].add(number)
        shift = self._shifts[number]
        shift.states.append((position, shift.value))
        if broken := list(self._broken(kind, number, shift, int(event["seq"]))):
            self.wrong.append(f"position {position}, {event['type']} of shift {number}: {', '.join(broken)}")

    def _broken(self, kind, number, shift, version):
        """The rules that the shift breaks now."""
        value = shift.value
        if version != len(shift.states):
            yield f"version {version} is its event number {len(shift.states)}"
        if kind not in ("staff_assigned", "updated"):
            return
        if value[STATUS] == CANCELLED:
            yield "it is cancelled"
        if len(value[STAFF]) > value[REQUIRED]:
            yield "it has more people than it needs"
        if len(set(value[STAFF])) < len(value[STAFF]):
            yield "it has somebody twice"
        for person in value[STAFF]:
            for other in self._booked[person] - {number}:
                held = self._shifts[other]
                if held.value[STATUS] != CANCELLED and person in held.value[STAFF] and held.date == shift.date and \
                        self._overlap(held.value[SLOT], value[SLOT]):
                    yield f"{person} is at shift {other} then"

    def misfits(self, operations):
        """What clients were told of shifts that the log does not bear out, in words: a state that the shift did not have at
        that version, a read older than an own write before it, or an order that is not that of real time."""
        return [*self._states(operations), *self._reads(operations), *self._order(operations)]

    def unheard(self, answers):
        """The ids of requests that were answered as done or refused, and stand in the log as such not just once. `answers`
        are those that are no repetition of an earlier one."""
        asked = (answer.headers["X-Request-Id"] for answer in answers)
        return {request: len(self._requests[request]) for request in asked if len(self._requests[request]) != 1}

    def _states(self, operations):
        for op in operations:
            if op.outcome != OK or op.value is None:
                continue
            states = self._shifts[op.arguments["shift"]].states
            if not 1 <= op.version <= len(states) or states[op.version - 1][1] != op.value:
                yield f"{op}: not its version {op.version}"
            elif op.arguments.get("last") and op.version != len(states):
                yield f"{op}: version {op.version}, and it has {len(states)}"

    @staticmethod
    def _reads(operations):
        own = defaultdict(list)
        for op in operations:
            if op.name != "read" and op.outcome == OK:
                own[op.credential, op.arguments["shift"]].append(op)
        for op in operations:
            if op.name == "read" and op.value is not None:
                for write in own[op.credential, op.arguments["shift"]]:
                    if write.ended < op.begun and write.version > op.version:
                        yield f"{op}: version {op.version}, after {write}: version {write.version}"

    def _order(self, operations):
        places = sorted(((self._requests[op.request][0], op) for op in operations if self._requests.get(op.request)),
                        key=lambda placed: placed[0])
        latest = {}
        for (partition, _), op in places:
            before = latest.get(partition)
            if before and op.ended < before.begun:
                yield f"{op} ended before {before} began, and comes after it"
            if not before or op.begun > before.begun:
                latest[partition] = op
