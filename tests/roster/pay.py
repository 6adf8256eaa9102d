# What work is worth, computed apart from the service: the model that its answers are compared with.
"""From the design's words alone (domain 1.6, 15 and 16, "Time and pay"), in exact arithmetic, with the calendar of Python's zoneinfo.
Whoever changes a rule of pay in the service changes it here as well, by hand."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Rules:
    """Of an organization: minutes of an ISO week that are no overtime, and what overtime is paid as."""
    weekly_minutes: int = 2400
    multiplier: Fraction = Fraction(3, 2)

    @classmethod
    def of(cls, settings):
        """Those of an organization's settings as the API tells them."""
        return cls(settings["overtimeWeeklyMinutes"], Fraction(str(settings["overtimeMultiplier"])))


@dataclass(frozen=True)
class Log:
    """Work that was done. Moments know their zone; `breaks` are (start, end, paid); `zone` is the facility's."""
    key: object
    person: object
    begins: datetime
    ends: datetime
    rate: Decimal
    zone: str
    breaks: tuple = ()

    @property
    def day(self):
        """The day of the calendar that the whole log belongs to."""
        return self.begins.astimezone(ZoneInfo(self.zone)).date()

    @property
    def week(self):
        return self.day.isocalendar()[:2]

    @property
    def minutes(self):
        """Whole minutes that passed between the moments, without unpaid breaks."""
        unpaid = sum(_seconds(start, end) for start, end, paid in self.breaks if not paid)
        return int((_seconds(self.begins, self.ends) - unpaid) // 60)


@dataclass(frozen=True)
class Worth:
    day: object
    minutes: int
    overtime: int
    gross: Decimal


@dataclass(frozen=True)
class Payment:
    regular: int
    overtime: int
    gross: Decimal
    adjustment: Decimal = Decimal(0)

    @property
    def net(self):
        return self.gross + self.adjustment


def _seconds(start, end):
    """Exact, and of time that passed: an aware difference within one zone would ignore a change of clocks."""
    passed = end.astimezone(timezone.utc) - start.astimezone(timezone.utc)
    return Fraction(passed.days * 86_400_000_000 + passed.seconds * 1_000_000 + passed.microseconds, 1_000_000)


def gross(rate, minutes, overtime, multiplier):
    """Half up to the cent."""
    exact = Fraction(rate) * (minutes - overtime + overtime * multiplier) / 60
    cents = int(exact * 100 + Fraction(1, 2))  # amounts have no sign
    return Decimal(cents) * CENT


def worth(logs, rules=Rules()):
    """What each log is worth, by its key, where all were submitted before any was approved: what a person works in a week past its
    limit, in the order of beginnings, is overtime."""
    weeks = defaultdict(list)
    for log in logs:
        weeks[log.person, log.week].append(log)
    worths = {}
    for week in weeks.values():
        before = 0
        for log in sorted(week, key=lambda each: each.begins):
            over = max(0, before + log.minutes - rules.weekly_minutes) - max(0, before - rules.weekly_minutes)
            worths[log.key] = Worth(log.day, log.minutes, over, gross(log.rate, log.minutes, over, rules.multiplier))
            before += log.minutes
    return worths


def payments(logs, rules=Rules(), adjustments=()):
    """What each person is paid for these logs. `adjustments`: (person, kind, amount)."""
    worths, sums = worth(logs, rules), defaultdict(lambda: [0, 0, Decimal(0), Decimal(0)])
    for log in logs:
        each, total = worths[log.key], sums[log.person]
        total[0] += each.minutes - each.overtime
        total[1] += each.overtime
        total[2] += each.gross
    for person, kind, amount in adjustments:
        sums[person][3] += -amount if kind == "deduction" else amount
    return {person: Payment(*total) for person, total in sums.items()}


def cents(number):
    """A JSON number of money as exact as it was meant."""
    return Decimal(repr(number)).quantize(CENT, ROUND_HALF_UP)
