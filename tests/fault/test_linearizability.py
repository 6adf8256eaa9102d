# The history checker itself: histories that must pass, and planted bad ones that must not.

import random
import unittest
from dataclasses import replace

import linearizability
import shift_model
from linearizability import OK, REFUSED, UNKNOWN, Operation
from shift_model import ABSENT, ASSIGNED, BOOKED, CANCELLED, FULL, MOVE, OPEN, OVERSTAFFED

NEW = (OPEN, (), 2, "t", 0)


def overlap(one, other):
    return one == other


def ok(name, begun, ended, value, shift=1, by="a", **arguments):
    return Operation(name, begun, ended, OK, {"shift": shift, **arguments}, value, credential=by)


def no(name, begun, ended, code, shift=1, because=None, **arguments):
    return Operation(name, begun, ended, REFUSED, {"shift": shift, **arguments}, code=code, because=because)


def unknown(name, begun, shift=1, **arguments):
    return Operation(name, begun, arguments={"shift": shift, **arguments})


def faults(*history, shifts=(1,), persons=(7, 8, 9)):
    return sorted(shift_model.check_group(history, {shift: NEW for shift in shifts}, persons, overlap))


ONE = (OPEN, (7,), 2, "t", 0)
BOTH = (ASSIGNED, (7, 8), 2, "t", 0)


class GoodHistories(unittest.TestCase):
    def check(self, *history, **group):
        self.assertEqual(faults(*history, **group), [])

    def test_nothing_happened(self):
        self.check()

    def test_one_after_the_other(self):
        self.check(ok("assign", 1, 2, ONE, person=7), ok("assign", 3, 4, BOTH, person=8), no("assign", 5, 6, FULL, person=9),
                   no("update", 7, 8, OVERSTAFFED, required=1), ok("unassign", 9, 10, (OPEN, (8,), 2, "t", 0), person=7),
                   no("unassign", 11, 12, ABSENT, person=7), ok("update", 13, 14, (ASSIGNED, (8,), 1, "t", 0), required=1),
                   no("reopen", 15, 16, MOVE), ok("cancel", 17, 18, (CANCELLED, (), 1, "t", 0)),
                   no("assign", 19, 20, MOVE, person=7), ok("reopen", 21, 22, (OPEN, (), 1, "t", 0)))

    def test_concurrent_ones_take_the_order_that_their_answers_tell(self):
        self.check(ok("assign", 1, 9, BOTH, person=8), ok("assign", 2, 8, ONE, person=7), no("assign", 3, 7, FULL, person=9))

    def test_an_unknown_outcome_may_be_applied_late_or_never(self):
        lost = unknown("assign", 1, person=7)
        self.check(lost, ok("read", 2, 3, NEW))
        self.check(lost, ok("read", 2, 3, NEW, last=True), ok("read", 4, 5, ONE, last=True))
        self.check(lost, no("unassign", 2, 3, ABSENT, person=7), ok("unassign", 4, 5, NEW, person=7))

    def test_reads_of_others_may_lag_and_see_what_is_not_answered_yet(self):
        self.check(ok("assign", 1, 2, ONE, person=7), ok("assign", 3, 4, BOTH, person=8),
                   ok("read", 5, 6, ONE, by="b"), ok("read", 7, 8, NEW, by="b"), ok("read", 9, 10, BOTH, by="a"))
        self.check(ok("assign", 1, 9, ONE, person=7), ok("read", 2, 3, ONE, by="b"))

    def test_double_booking_is_refused(self):
        self.check(ok("assign", 1, 2, ONE, person=7), no("assign", 3, 4, BOOKED, shift=2, person=7, because=(7, 1)),
                   ok("cancel", 5, 6, (CANCELLED, (), 2, "t", 0)), ok("assign", 7, 8, ONE, shift=2, person=7), shifts=(1, 2))
        self.check(ok("assign", 1, 2, ONE, person=7), ok("update", 3, 4, (OPEN, (), 2, "t", 1), shift=2, slot=1),
                   ok("assign", 5, 6, (OPEN, (7,), 2, "t", 1), shift=2, person=7),
                   no("update", 7, 8, BOOKED, shift=2, slot=0, because=(7, 1)), shifts=(1, 2))


class BadHistories(unittest.TestCase):
    def check(self, about, *history, **group):
        self.assertIn(about, faults(*history, **group))

    def test_lost_update(self):
        self.check("shift 1", ok("assign", 1, 2, ONE, person=7), ok("assign", 3, 4, (OPEN, (8,), 2, "t", 0), person=8))
        self.check("shift 1", ok("assign", 1, 2, ONE, person=7), ok("read", 3, 4, NEW, last=True))

    def test_stale_read_of_an_own_write(self):
        self.check("shift 1", ok("assign", 1, 2, ONE, person=7), ok("read", 3, 4, NEW, by="a"))

    def test_read_of_the_future(self):
        self.check("shift 1", ok("read", 1, 2, ONE, by="b"), ok("assign", 3, 4, ONE, person=7))

    def test_somebody_on_a_cancelled_shift(self):
        self.check("shift 1", ok("assign", 1, 2, ONE, person=7), ok("cancel", 3, 4, (CANCELLED, (7,), 2, "t", 0)))

    def test_read_of_a_value_never_written(self):
        self.check("shift 1", ok("assign", 1, 2, ONE, person=7), ok("read", 3, 4, (OPEN, (9,), 2, "t", 0), by="b"))

    def test_applied_twice(self):
        reopened = (OPEN, (), 2, "t", 0)
        self.check("shift 1", ok("assign", 1, 2, ONE, person=7), ok("cancel", 3, 4, (CANCELLED, (), 2, "t", 0)),
                   ok("reopen", 5, 6, reopened), ok("read", 7, 8, ONE, last=True))
        # What was acknowledged as applied at its own time can't be applied once more by a late copy of the request.
        self.check("shift 1", ok("update", 1, 2, (OPEN, (), 2, "u", 0), title="u"),
                   ok("update", 3, 4, (OPEN, (), 2, "v", 0), title="v"),
                   ok("read", 5, 6, (OPEN, (), 2, "u", 0), last=True))

    def test_a_refusal_that_never_had_a_ground(self):
        self.check("shift 1", ok("assign", 1, 2, ONE, person=7), no("assign", 3, 4, FULL, person=8))
        self.check("shift 1", no("unassign", 3, 4, ABSENT, person=7), ok("assign", 1, 2, ONE, person=7))

    def test_real_time_is_kept(self):
        self.check("shift 1", ok("assign", 3, 4, ONE, person=7), ok("assign", 1, 2, BOTH, person=8))

    def test_two_places_at_once(self):
        self.check("person 7", ok("assign", 1, 2, ONE, person=7), ok("assign", 1, 2, ONE, shift=2, person=7), shifts=(1, 2))
        self.check("person 7", ok("update", 1, 2, (OPEN, (), 2, "t", 1), shift=2, slot=1), ok("assign", 3, 4, ONE, person=7),
                   ok("assign", 3, 4, (OPEN, (7,), 2, "t", 1), shift=2, person=7),
                   ok("update", 5, 6, ONE, shift=2, slot=0), shifts=(1, 2))

    def test_refused_as_booked_by_one_who_is_free(self):
        self.check("person 7", no("assign", 1, 2, BOOKED, person=7, because=(7, 2)), shifts=(1, 2))
        self.check("person 7", ok("assign", 1, 2, ONE, person=7), ok("cancel", 3, 4, (CANCELLED, (), 2, "t", 0)),
                   no("assign", 5, 6, BOOKED, shift=2, person=7, because=(7, 1)), shifts=(1, 2))

    def test_refused_as_booked_without_anybody_who_is_to_be_booked(self):
        self.check("shift 1", no("update", 1, 2, BOOKED, title="u", because=(7, 2)), shifts=(1, 2))
        self.check("shift 1", no("update", 1, 2, BOOKED, slot=1, because=(999, 2)), shifts=(1, 2))
        self.check("shift 1", no("assign", 1, 2, BOOKED, person=7), shifts=(1, 2))
        self.check("shift 1", no("assign", 1, 2, BOOKED, person=7, because=(8, 2)), shifts=(1, 2))
        self.check("shift 1", ok("assign", 1, 2, ONE, person=7), no("update", 3, 4, BOOKED, required=1, because=(7, 2)),
                   shifts=(1, 2))

    def test_an_unknown_outcome_is_no_excuse_for_anything_else(self):
        self.check("shift 1", unknown("assign", 1, person=7), ok("read", 2, 3, (OPEN, (8,), 2, "t", 0), by="b"))
        self.check("shift 1", ok("read", 1, 2, ONE, by="b"), unknown("assign", 3, person=7))


class GivenUp(unittest.TestCase):
    def test_what_takes_too_long_is_neither_proven_nor_passed_over(self):
        history = [ok("assign", 1, 2, ONE, person=7), ok("assign", 3, 4, BOTH, person=8)]
        with self.assertRaises(linearizability.TooHard):
            linearizability.check(history, shift_model.ShiftModel(NEW), most_steps=1)
        verdicts = shift_model.check_group(history, {1: NEW}, (7,), overlap, most_steps=1)
        self.assertIn("undecided", str(verdicts["shift 1"]))


class RandomHistories(unittest.TestCase):
    """Histories of many clients on a service that is right by its making."""

    SHIFTS, PERSONS = (1, 2, 3), (7, 8, 9)

    def play(self, dice, steps, clients=8):
        """Each operation takes place at a moment between its beginning and its end."""
        values, moments = {shift: NEW for shift in self.SHIFTS}, []
        for client in range(clients):
            time = dice.random()
            for _ in range(steps // clients):
                begun, moment = time, time + dice.random()
                time = moment + dice.random()
                moments.append((moment, begun, time, client))
        history, past = [], {shift: [(NEW, "", 0.0)] for shift in self.SHIFTS}
        for number, (moment, begun, ended, client) in enumerate(sorted(moments)):
            op = self.act(dice, values, past, Operation("", begun, ended, credential=f"c{client}"), number)
            history.append(op)
        return history

    def act(self, dice, values, past, op, number):
        shift = dice.choice(self.SHIFTS)
        op.name = dice.choice(["assign", "assign", "unassign", "update", "cancel", "reopen", "read", "read", "read"])
        op.arguments["shift"] = shift
        if op.name == "read":
            own = max(i for i, (_, by, ended) in enumerate(past[shift]) if not i or by == op.credential and ended < op.begun)
            op.outcome, op.value = OK, dice.choice(past[shift][own:])[0]
            return op
        if op.name in ("assign", "unassign"):
            op.arguments["person"] = dice.choice(self.PERSONS)
        if op.name == "update":
            op.arguments |= dice.choice([{"title": f"t{number}"}, {"required": dice.randint(1, 3)},
                                         {"slot": dice.randint(0, 1)}])
        because = self.booked(values, op)
        model = shift_model.ShiftModel(values[shift])
        for outcome, code in ((OK, ""), (REFUSED, FULL), (REFUSED, OVERSTAFFED), (REFUSED, MOVE), (REFUSED, ABSENT)):
            trial = replace(op, outcome=UNKNOWN if outcome == OK else outcome, code=code)
            after = model.step(model.initial(), trial)
            if after is None:
                continue
            if outcome == OK and because and after.value != values[shift]:
                op.outcome, op.code, op.because = REFUSED, BOOKED, because
                return op
            op.outcome, op.code, op.value = outcome, code, after.value if outcome == OK else None
            if outcome == OK and dice.random() < 0.02:
                op.outcome, op.value = UNKNOWN, None
            if after.value != values[shift]:
                past[shift].append((after.value, op.credential, op.ended))
            values[shift] = after.value
            if op.outcome == UNKNOWN:
                op.ended = float("inf")
            return op
        raise AssertionError(f"no outcome for {op}")

    @staticmethod
    def booked(values, op):
        """Who forbids it, and by which other shift."""
        shift = op.arguments["shift"]
        slot = op.arguments.get("slot", values[shift][shift_model.SLOT])
        staff = values[shift][shift_model.STAFF] if "slot" in op.arguments else ()
        if op.name == "assign" and op.arguments["person"] not in values[shift][shift_model.STAFF]:
            staff = [op.arguments["person"]]
        for person in staff:
            for other, (_, people, *_, taken) in values.items():
                if other != shift and person in people and overlap(slot, taken):
                    return person, other
        return None

    def verdicts(self, history):
        return shift_model.check_group(history, {shift: NEW for shift in self.SHIFTS}, self.PERSONS, overlap)

    def test_right_ones_pass(self):
        for seed in range(8):
            history = self.play(random.Random(seed), 800)
            self.assertEqual({about: str(verdict) for about, verdict in self.verdicts(history).items()}, {}, f"seed {seed}")

    def test_thousands_of_operations_are_checked(self):
        self.assertEqual(self.verdicts(self.play(random.Random(1), 6000, clients=12)), {})

    def test_a_wrong_answer_among_many_is_found(self):
        for seed in range(8):
            dice = random.Random(seed)
            history = self.play(dice, 400)
            changes = [i for i, op in enumerate(history) if op.name == "update" and op.outcome == OK]
            spoilt = dice.choice(changes)
            value = history[spoilt].value
            forged = replace(history[spoilt], value=(*value[:shift_model.TITLE], "never", value[shift_model.SLOT]))
            self.assertTrue(self.verdicts([*history[:spoilt], forged, *history[spoilt + 1:]]), f"seed {seed}")

    def test_an_acknowledged_write_that_is_lost_among_many_is_found(self):
        for seed in range(8):
            history = self.play(random.Random(seed), 400)
            last = {}
            for op in history:  # in the order in which they took place
                if op.outcome == OK and op.name != "read":
                    last[op.arguments["shift"]], before = op.value, last.get(op.arguments["shift"])
            shift = op.arguments["shift"]
            late = [Operation("read", 1e9, 2e9, OK, {"shift": shift, "last": True}, value) for value in (last[shift], ONE)]
            self.assertEqual(self.verdicts([*history, late[0]]), {}, f"seed {seed}")
            self.assertTrue(self.verdicts([*history, late[1]]), f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
