# The log's word against what clients were told: logs and answers that must fit, and planted ones that must not.

import json
import math
import unittest
from types import SimpleNamespace

import shift_model
from linearizability import OK, REFUSED, Operation
from shift_model import ASSIGNED, BOOKED, FULL, MOVE, OPEN
from witness import Witness

NEW = (OPEN, (), 2, "t", (8, 12))


def overlap(one, other):
    return one[0] < other[1] and other[0] < one[1]


class WitnessCase(unittest.TestCase):
    """A log of one partition that a test writes, beginning with two shifts at the same time."""

    def setUp(self):
        self.records, self.versions, self.request = [], {}, "somebody's"
        for shift in (1, 2):
            self.write("posted", shift, title="t" if shift == 1 else "u", date="2031-03-03", requiredWorkers=2, startTime=8, endTime=12)

    def write(self, kind, shift, **data):
        self.versions[shift] = self.versions.get(shift, 0) + 1
        self.append({"type": f"shift.{kind}", "subject": f"shift/{shift}", "seq": str(self.versions[shift]),
                     "requestid": self.request, "data": data})

    def answer(self, request, key="k"):
        self.append({"type": "command.answered", "orgid": "7", "idemkey": key, "requestid": request})

    def append(self, event):
        self.records.append((0, len(self.records), json.dumps(event).encode()))

    def witness(self):
        return Witness(self.records, overlap)

    def assertWrong(self, what):
        self.assertEqual([what in each for each in self.witness().wrong], [True], self.witness().wrong)


class RulesTest(WitnessCase):

    def test_what_the_rules_allow(self):
        self.write("staff_assigned", 1, staffId=7)
        self.write("staff_assigned", 1, staffId=8)
        self.write("filled", 1, assignedStaffIds=[7, 8])
        self.write("unassigned", 1, staffId=7)
        self.write("vacancy_opened", 1, openSpots=1)
        self.write("staff_assigned", 2, staffId=7)
        self.write("cancelled", 2)
        self.write("staff_assigned", 1, staffId=7)
        self.write("reopened", 2)
        self.write("updated", 2, startTime=12, endTime=16)
        self.write("staff_assigned", 2, staffId=7)
        self.assertEqual(self.witness().wrong, [])

    def test_two_places_at_once(self):
        self.write("staff_assigned", 1, staffId=7)
        self.write("staff_assigned", 2, staffId=7)
        self.assertWrong("7 is at shift 1 then")

    def test_two_places_at_once_by_a_new_time(self):
        self.write("updated", 2, startTime=12, endTime=16)
        self.write("staff_assigned", 1, staffId=7)
        self.write("staff_assigned", 2, staffId=7)
        self.write("updated", 2, startTime=11)
        self.assertWrong("7 is at shift 1 then")

    def test_more_than_are_needed(self):
        for person in (7, 8, 9):
            self.write("staff_assigned", 1, staffId=person)
        self.assertWrong("more people than it needs")

    def test_somebody_twice(self):
        self.write("staff_assigned", 1, staffId=7)
        self.write("staff_assigned", 1, staffId=7)
        self.assertWrong("somebody twice")

    def test_assigned_after_the_end(self):
        self.write("cancelled", 1)
        self.write("staff_assigned", 1, staffId=7)
        self.assertWrong("it is cancelled")

    def test_version_that_was_given_twice(self):
        self.versions[1] = 0
        self.write("updated", 1, title="v")
        self.assertWrong("version 1 is its event number 2")


class AnswersTest(WitnessCase):

    def setUp(self):
        super().setUp()
        self.request = "first"
        self.write("staff_assigned", 1, staffId=7)
        self.answer("first")
        self.request = "second"
        self.write("staff_assigned", 1, staffId=8)
        self.write("filled", 1, assignedStaffIds=[7, 8])
        self.answer("second")
        self.answer("third")
        self.one, self.both = (OPEN, (7,), *NEW[2:]), (ASSIGNED, (7, 8), *NEW[2:])
        self.first = Operation("assign", 1, 2, OK, {"shift": 1, "person": 7}, self.one, credential="a", version=2, request="first")
        self.second = Operation("assign", 3, 4, OK, {"shift": 1, "person": 8}, self.both, credential="b", version=4, request="second")

    def read(self, value, version, by="a", **arguments):
        return Operation("read", 5, 6, OK, {"shift": 1, **arguments}, value, credential=by, version=version)

    def misfits(self, *operations):
        return len(self.witness().misfits(operations))

    def test_what_fits(self):
        self.assertEqual(self.misfits(self.first, self.second, self.read(self.one, 2), self.read(NEW, 1, by="c"),
                                      self.read(self.both, 4, last=True), self.read(None, 0)), 0)

    def test_state_that_was_not(self):
        self.assertEqual(self.misfits(self.read(self.one, 3)), 1)
        self.assertEqual(self.misfits(self.read(self.both, 5)), 1)
        self.assertEqual(self.misfits(self.read(NEW, 0)), 1)
        self.first.request, self.first.value = "", self.both
        self.assertEqual(self.misfits(self.first), 1)

    def test_answers_that_are_none_to_what_stood_there(self):
        def refused(code, name="assign", because=None, request="third", **arguments):
            return Operation(name, 5, 6, REFUSED, {"shift": 1, **arguments}, code=code, because=because, request=request)
        self.assertEqual(self.misfits(refused(FULL, person=9)), 0)
        self.assertEqual(self.misfits(refused(MOVE, person=9)), 1)
        self.assertEqual(self.misfits(refused(FULL, person=8, request="second")), 1)
        self.assertEqual(self.misfits(refused(BOOKED, "update", (7, 2), slot=(9, 13))), 1)
        done = Operation("assign", 7, 8, OK, {"shift": 1, "person": 9}, self.both, version=4, request="third")
        self.assertEqual(self.misfits(done), 1)

    def test_refused_for_another_shift(self):
        self.write("unassigned", 1, staffId=8)
        self.write("staff_assigned", 2, staffId=8)
        self.answer("fourth")
        def refused(because):
            return Operation("assign", 7, 8, REFUSED, {"shift": 1, "person": 8}, code=BOOKED, because=because, request="fourth")
        self.assertEqual(self.misfits(refused((8, 2))), 0)
        self.assertEqual(self.misfits(refused((8, 3))), 1)
        self.assertEqual(self.misfits(refused((7, 2))), 1)

    def test_places_guide_the_checker(self):
        self.request = "nobody heard"
        self.write("cancelled", 1)
        self.answer("nobody heard")
        lost = Operation("cancel", 4, arguments={"shift": 1})
        again = Operation("cancel", 5, arguments={"shift": 1})
        operations = [self.first, self.second, lost, again, self.read(self.one, 2)]
        self.witness().place(operations)
        self.assertEqual([op.place for op in operations], [3, 6, 8, math.inf, math.inf])

    def test_the_last_read_is_of_the_end(self):
        self.assertEqual(self.misfits(self.read(self.one, 2, by="c", last=True)), 1)

    def test_read_older_than_an_own_write(self):
        self.assertEqual(self.misfits(self.first, self.read(NEW, 1)), 1)
        # One that changed nothing binds as well.
        again = Operation("assign", 3, 4, OK, {"shift": 1, "person": 7}, self.both, credential="c", version=4)
        self.assertEqual(self.misfits(again, self.read(self.one, 2, by="c")), 1)

    def test_order_of_real_time(self):
        self.second.begun, self.second.ended = 0.1, 0.2
        self.assertEqual(self.misfits(self.first, self.second), 1)
        refused = Operation("assign", 9, 10, REFUSED, {"shift": 1, "person": 9}, code=FULL, request="third")
        self.assertEqual(self.misfits(refused, self.second), 0)
        refused.begun, refused.ended = 0.01, 0.02
        self.assertEqual(self.misfits(refused, self.second), 1)

    def test_answers_are_there_once(self):
        def told(*requests):
            return self.witness().unheard([SimpleNamespace(headers={"X-Request-Id": request}) for request in requests])
        self.assertEqual(told("first", "second"), {})
        self.answer("second", "other")
        self.assertEqual(told("first", "second", "never"), {"second": 2, "never": 0})


# Each suits the shift and suits the person, who think differently of what nobody knows; the log decides.
class UnknownOutcomesTest(WitnessCase):
    ONE, UNTOUCHED = (OPEN, (7,), *NEW[2:]), {1: NEW, 2: NEW}

    def assertSuits(self, *history):
        self.assertEqual(shift_model.check_group(history, self.UNTOUCHED, (7,), overlap), {})

    def known(self, name, begun, value, shift, **arguments):
        return Operation(name, begun, begun + 1, OK, {"shift": shift, **arguments}, value, credential="b")

    def unknown(self, name, shift, **arguments):
        return Operation(name, 1, arguments={"shift": shift, **arguments}, credential="a")

    def test_double_booking_behind_an_unknown_assignment(self):
        self.assertSuits(self.unknown("assign", 1, person=7), self.known("read", 2, self.ONE, 1, last=True),
                         self.known("assign", 4, self.ONE, 2, person=7))
        self.write("staff_assigned", 1, staffId=7)
        self.write("staff_assigned", 2, staffId=7)
        self.assertWrong("7 is at shift 1 then")

    def test_double_booking_behind_an_unknown_change_of_time(self):
        later, at_noon = (OPEN, (), 2, "t", (12, 16)), (12, 16)
        longer = (OPEN, (7,), 2, "t", (8, 13))
        self.assertSuits(self.known("assign", 0, self.ONE, 1, person=7), self.known("update", 1, later, 2, slot=at_noon),
                         self.known("assign", 3, (OPEN, (7,), 2, "t", at_noon), 2, person=7),
                         self.unknown("update", 1, slot=(8, 13)), self.known("read", 5, longer, 1, last=True))
        self.write("staff_assigned", 1, staffId=7)
        self.write("updated", 2, startTime=12, endTime=16)
        self.write("staff_assigned", 2, staffId=7)
        self.write("updated", 1, endTime=13)
        self.assertWrong("7 is at shift 2 then")

    def test_double_booking_behind_an_unknown_cancellation(self):
        self.assertSuits(self.known("assign", 0, self.ONE, 1, person=7), self.unknown("cancel", 1),
                         self.known("assign", 3, self.ONE, 2, person=7), self.known("read", 5, self.ONE, 1, last=True))
        self.write("staff_assigned", 1, staffId=7)
        self.write("cancelled", 1)
        self.write("deleted", 1)
        self.write("staff_assigned", 2, staffId=7)
        self.assertEqual(self.witness().wrong, [])
        del self.records[3:5]  # it never happened
        self.assertWrong("7 is at shift 1 then")


if __name__ == "__main__":
    unittest.main()
