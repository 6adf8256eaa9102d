# The log as a witness: it is one order of all that took effect, and what clients were told has to fit it. Where the
# checker of histories may choose what became of an outcome that nobody knows, the log tells.

import json
from bisect import bisect_left
from collections import Counter, defaultdict

from linearizability import OK, UNKNOWN
from shift_model import ASSIGNED, BOOKED, CANCELLED, OPEN, REQUIRED, SLOT, STAFF, STATUS, TITLE, decide


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
            status, staff = CANCELLED, ()
        elif kind == "reopened":
            status = OPEN
        elif kind != "deleted":
            status = {"started": "in_progress"}.get(kind, kind)
        self.value = (status, staff, required, title, slot)

    def before(self, position):
        """Its value ahead of that position."""
        place = bisect_left(self.states, position, key=lambda state: state[0])
        return self.states[place - 1][1] if place else None


def _effects(kind, number, data, value):
    """What an event may have been asked for as: (operation, shift, what of it)."""
    if kind in ("staff_assigned", "unassigned"):
        yield "assign" if kind == "staff_assigned" else "unassign", number, data["staffId"]
    elif kind in ("cancelled", "reopened"):
        yield "cancel" if kind == "cancelled" else "reopen", number, None
    elif kind == "updated":
        yield "update", number, value[TITLE]
        yield "update", number, value[REQUIRED]
        yield "update", number, value[SLOT]


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
        self._changes = defaultdict(list)   # of each request: positions of its events
        self._done = defaultdict(list)      # where what was asked for took effect, and by which request
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
        self._changes[event["requestid"]].append(position)
        for effect in _effects(kind, number, data, shift.value):
            self._done[effect].append((position, event["requestid"]))
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
                if person in held.value[STAFF] and held.date == shift.date and self._overlap(held.value[SLOT], value[SLOT]):
                    yield f"{person} is at shift {other} then"

    def misfits(self, operations):
        """What clients were told of shifts that the log does not bear out, in words: a state that the shift did not have at
        that version, an answer that is none to what stood there before, a read older than an own write before it, or an
        order that is not that of real time."""
        return [*self._states(operations), *self._answers(operations), *self._reads(operations), *self._order(operations)]

    def place(self, operations):
        """Tells each write where it stands in the log, as far as that can be known or guessed, to guide the checker."""
        claimed = {op.request for op in operations}
        for op in sorted(operations, key=lambda op: op.begun):
            shift = op.arguments["shift"]
            if op.name == "read":
                continue
            if self._requests.get(op.request):
                op.place = self._requests[op.request][0][1]
            elif op.outcome == OK:
                op.place = self._shifts[shift].states[op.version - 1][0]
            elif op.outcome == UNKNOWN:
                what = next((value for name, value in op.arguments.items() if name != "shift"), None)
                found = next(((position, by) for position, by in self._done[op.name, shift, what] if by not in claimed), None)
                if found:
                    op.place = found[0]
                    claimed.add(found[1])

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

    def _answers(self, operations):
        """Each answer is what the command gives on the state that it met."""
        for op in operations:
            if not self._requests.get(op.request):
                continue
            answered = self._requests[op.request][0][1]
            shift = self._shifts[op.arguments["shift"]]
            before = shift.before(min([answered, *self._changes[op.request]]))
            after = decide(op, before)
            fits = after is not None
            if op.outcome == OK:
                fits = fits and after == shift.before(answered)
            elif op.code == BOOKED:
                fits = fits and self._clashes(op.arguments["shift"], after, op.because, answered)
            if not fits:
                yield f"{op}: at position {answered} it met {before}"

    def _clashes(self, shift, value, because, position):
        """Whether that person was at that other shift then."""
        person, other = because
        held = self._shifts[other].before(position) if other in self._shifts and other != shift else None
        return held is not None and person in held[STAFF] and self._overlap(held[SLOT], value[SLOT])

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
