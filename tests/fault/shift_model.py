# What shifts and persons promise, as models for the checker: the rules of domain 2.1 that concurrent clients can break.

import linearizability
from linearizability import OK, REFUSED, UNKNOWN, TooHard, Verdict

FULL, OVERSTAFFED, BOOKED = "SHIFT_FULL", "SHIFT_OVERSTAFFED", "STAFF_DOUBLE_BOOKED"
MOVE, ABSENT = "INVALID_STATE_TRANSITION", "NOT_FOUND"

# A shift as answers show it: status, assigned staff in order, head count, title, slot (what slots are is the caller's).
OPEN, ASSIGNED, CANCELLED = "open", "assigned", "cancelled"
STATUS, STAFF, REQUIRED, TITLE, SLOT = range(5)


def _assign(shift, person):
    status, staff, required, title, slot = shift
    if status == CANCELLED:
        return MOVE, shift
    if person in staff:
        return OK, shift
    if len(staff) >= required:
        return FULL, shift
    staff += (person,)
    return OK, (ASSIGNED if len(staff) >= required else status, staff, required, title, slot)


def _unassign(shift, person):
    status, staff, required, title, slot = shift
    if status == CANCELLED:
        return MOVE, shift
    if person not in staff:
        return ABSENT, shift
    return OK, (OPEN, tuple(one for one in staff if one != person), required, title, slot)


def _update(shift, **changes):
    status, staff, required, title, slot = shift
    required, title, slot = changes.get("required", required), changes.get("title", title), changes.get("slot", slot)
    after = (ASSIGNED if len(staff) >= required else OPEN, staff, required, title, slot)
    if (required, title, slot) == shift[REQUIRED:]:
        return OK, shift
    if status == CANCELLED:
        return MOVE, shift
    return (OVERSTAFFED, shift) if required < len(staff) else (OK, after)


def _cancel(shift):
    return OK, (CANCELLED, (), *shift[REQUIRED:])


def _reopen(shift):
    if shift[STATUS] == ASSIGNED:
        return MOVE, shift
    return OK, (shift if shift[STATUS] == OPEN else (OPEN, (), *shift[REQUIRED:]))


# By name: from a shift and what is asked for to (OK or a refusal, the shift then).
_COMMANDS = {"assign": _assign, "unassign": _unassign, "update": _update, "cancel": _cancel, "reopen": _reopen}


def _books(before, after, because):
    """Whether the change books that person anew, whose other shifts may forbid it. `because` is (person, other shift)."""
    person = because[0] if because else None
    return person in after[STAFF] and (person not in before[STAFF] or before[SLOT] != after[SLOT])


def decide(op, before):
    """The shift after a write as it would be done, or None when it can't have been answered as it was. A refusal as booked
    is taken where a person is booked anew: whether they are elsewhere, one shift does not know."""
    arguments = {name: value for name, value in op.arguments.items() if name != "shift"}
    code, after = _COMMANDS[op.name](before, **arguments)
    if op.outcome == REFUSED:
        fits = op.code == code or (op.code == BOOKED and code == OK and _books(before, after, op.because))
    else:
        fits = code == OK and (op.outcome == UNKNOWN or op.value == after)
    return after if fits else None


class _Past:
    """The values that a shift has had, newest first. Equal when the same operations made them in the same order."""
    __slots__ = ("value", "by", "before", "_hash")

    def __init__(self, value, by=None, before=None):
        self.value, self.by, self.before = value, by, before
        self._hash = hash((id(by), before))

    def __hash__(self):
        return self._hash

    def __eq__(self, other):
        while self is not other:
            if self is None or other is None or self._hash != other._hash or self.by is not other.by:
                return False
            self, other = self.before, other.before
        return True


class ShiftModel:
    """One shift. Writes are linearizable. Reads come from a read model: they show any value that the shift has had, but none
    older than the last write that the reader's own credential had acknowledged before, unless that changed nothing. `last`
    reads (made when everything stood still) show the value itself. Operations' argument `shift` is not looked at."""

    def __init__(self, value):
        self._value = value

    def initial(self):
        return _Past(self._value, before=_Past(None))  # for a while readers may not find it

    def step(self, past, op):
        if op.name == "read":
            return past if self._readable(past, op) else None
        after = decide(op, past.value)
        if after is None:
            return None
        return past if op.outcome == REFUSED or after == past.value else _Past(after, op, past)

    def free(self, past, op):
        return (op.name == "read" or op.outcome == REFUSED) and self.step(past, op) is not None

    @staticmethod
    def _readable(past, op):
        while past is not None:
            if op.value == past.value:
                return True
            own = past.by is not None and past.by.credential == op.credential and past.by.ended < op.begun
            if own or op.arguments.get("last"):
                return False
            past = past.before
        return False


class PersonModel:
    """One person, who can't work at two places at once: what of the operations on a group of shifts touches their bookings.
    The state is the shifts where they are booked and the slot of every shift. `overlap(slot, slot)` tells which exclude
    each other. A refusal's `because` is (person, other shift) as the answer named them."""

    def __init__(self, person, slots, overlap):
        self._person, self._slots, self._overlap = person, slots, overlap

    def initial(self):
        return frozenset(), tuple(sorted(self._slots.items()))

    def free(self, state, op):
        return (op.outcome == REFUSED or not self._concerns(op)) and self.step(state, op) is not None

    def _concerns(self, op):
        if op.name in ("assign", "unassign"):
            return op.arguments["person"] == self._person
        return op.name == "cancel" or "slot" in op.arguments

    def step(self, state, op):
        if not self._concerns(op):
            return state
        booked, slots = state[0], dict(state[1])
        shift, refused = op.arguments["shift"], op.outcome == REFUSED
        clash = {other for other in booked if other != shift and self._overlap(slots[other], slots[shift])}
        if op.name == "assign":
            if refused:
                fits = shift not in booked and (op.code != BOOKED or op.because in
                                                {(self._person, other) for other in clash})
                return state if fits else None
            return None if clash and shift not in booked else (booked | {shift}, state[1])
        if op.name == "unassign":
            if (shift in booked) is (refused and op.code in (ABSENT, MOVE)):
                return None
            return state if refused else (booked - {shift}, state[1])
        if op.name == "cancel":
            return state if refused else (booked - {shift}, state[1])
        return self._move(state, op, refused)

    def _move(self, state, op, refused):
        booked, slots = state[0], dict(state[1])
        shift, slot = op.arguments["shift"], op.arguments["slot"]
        clash = {other for other in booked if other != shift and self._overlap(slots[other], slot)}
        if refused:
            person, other = op.because or (None, None)
            mine = op.code == BOOKED and person == self._person
            return None if mine and (shift not in booked or other not in clash) else state
        if shift in booked and clash:
            return None
        slots[shift] = slot
        return booked, tuple(sorted(slots.items()))


def check_group(operations, shifts, persons, overlap, most_steps=linearizability.MOST_STEPS):
    """Checks the history of a group of shifts, by shift and by person. `shifts` has the values at the beginning by id.
    Returns the verdicts that are not fine, by what they are about; one that could not be reached is none that is fine. A
    shift and a person are free to think differently of what an operation of unknown outcome did: see witness.py."""
    verdicts = {}

    def judge(about, history, model):
        try:
            verdicts[about] = linearizability.check(history, model, most_steps)
        except TooHard as error:
            verdicts[about] = Verdict(False, undecided=str(error))
    for shift, value in shifts.items():
        judge(f"shift {shift}", [op for op in operations if op.arguments["shift"] == shift], ShiftModel(value))
    slots = {shift: value[SLOT] for shift, value in shifts.items()}
    writes = [op for op in operations if op.name != "read"]
    for person in persons:
        judge(f"person {person}", writes, PersonModel(person, slots, overlap))
    return {about: verdict for about, verdict in verdicts.items() if not verdict.fine}
