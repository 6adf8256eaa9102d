# Worked time over changes of clocks, midnights, leap days, and the borders of weeks, months and years: what the service says of each
# log, and of a week's overtime, is what an independent model computes (tests/roster/pay.py).

import random
import secrets
from collections import defaultdict
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import rest
from roster import pay

TIMESHEETS, RUNS = "/api/timesheets", "/api/payroll/runs"
# Zones with the days on which their clocks change: an hour in spring and autumn, and half an hour on Lord Howe Island.
CHANGES = {
    "Europe/Rome": (date(2026, 3, 29), date(2026, 10, 25)),
    "America/New_York": (date(2026, 3, 8), date(2025, 11, 2)),
    "Australia/Lord_Howe": (date(2026, 4, 5), date(2025, 10, 5)),
}
# Other days at whose midnights something begins: a leap day and the day after it, a month, an ISO week 53, a year, and a leap day that
# is none.
BORDERS = (date(2024, 2, 29), date(2024, 3, 1), date(2026, 5, 1), date(2020, 12, 28), date(2021, 1, 1), date(2023, 3, 1))
RATES = (Decimal("17.33"), Decimal("20"), Decimal("33.35"), Decimal("0.01"))

service = owner = None
rules = None
facilities = {}


def setUpModule():
    global service, owner, rules
    service = rest.start_service()
    owner = rest.client_of(service)
    settings = owner.get(f"/api/organizations/{service.demo['organizationId']}").body["settings"]
    rules = pay.Rules.of(settings)
    for zone in CHANGES:
        made = owner.post("/api/facilities", {"name": f"Ward of {zone}", "timezone": zone})
        assert made.status == 201, str(made)
        facilities[zone] = made.body["id"]


def hire(zone, rate):
    made = owner.post("/api/staff", {"firstName": "Ada", "lastName": "Byron", "facilityIds": [facilities[zone]],
                                     "hourlyRate": float(rate), "email": f"{secrets.token_hex(6)}@example.test"})
    assert made.status == 201, str(made)
    return made.body["id"]


def written(moment):
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def local(zone, day, clock, fold=0):
    """That time by the wall clocks of the zone; of one that comes twice the first, or with `fold` the second."""
    hours, minutes = map(int, clock.split(":"))
    return datetime(day.year, day.month, day.day, hours, minutes, tzinfo=ZoneInfo(zone), fold=fold)


class TimeCase(rest.RestCase):

    def record(self, log):
        """The log, as POST has it; returns its path."""
        made = self.check(owner.post(TIMESHEETS, {
            "staffId": log.person, "facilityId": facilities[log.zone], "clockIn": written(log.begins), "clockOut": written(log.ends),
            "breaks": [{"start": written(start), "end": written(end), "paid": paid} for start, end, paid in log.breaks],
        }), 201)
        return made["id"]

    def check_worth(self, logs):
        """Recorded in any order, the logs are worth what the model says, before and after their approval."""
        shuffled = list(logs)
        random.Random(len(logs)).shuffle(shuffled)
        ids = {log.key: self.record(log) for log in shuffled}
        expected = pay.worth(logs, rules)
        for approves in (True, False):
            for log in logs:
                found = self.check(owner.get(f"{TIMESHEETS}/{ids[log.key]}"), 200)
                told = pay.Worth(date.fromisoformat(found["date"]), found["workedMinutes"], found["overtimeMinutes"],
                                 pay.cents(found["grossAmount"]))
                self.assertEqual(told, expected[log.key], f"{log} became {found}")
            if approves:
                wanted = list(ids.values())
                for begin in range(0, len(wanted), 100):
                    answer = self.check(owner.post(f"{TIMESHEETS}/approve", {"ids": wanted[begin:begin + 100]}), 200)
                    self.assertEqual({each["status"] for each in answer["results"]}, {"approved"}, answer)
        return expected


    def check_paid(self, logs):
        """A run of each week, of the zone's facility, pays people what the model says of that week's logs."""
        weeks = defaultdict(list)
        for log in logs:
            weeks[log.day - timedelta(days=log.day.weekday())].append(log)
        for monday, of_week in weeks.items():
            run = self.check(owner.post(RUNS, {"facilityId": facilities[of_week[0].zone], "periodStart": str(monday),
                                               "periodEnd": str(monday + timedelta(days=6)), "type": "off_cycle"}), 201)
            told = {each["staffId"]: (each["regularMinutes"], each["overtimeMinutes"], pay.cents(each["grossAmount"]))
                    for each in self.check(owner.get(f"{RUNS}/{run['id']}/preview"), 200)["payments"]}
            for person, wanted in pay.payments(of_week, rules).items():
                self.assertEqual(told[person], (wanted.regular, wanted.overtime, wanted.gross), f"the week of {monday}: {of_week}")


class NamedDaysTest(TimeCase):
    """Nights that people can check by hand."""

    def check_night(self, zone, day, begins, ends, minutes):
        """From a time of the day to one of the next morning so much time passes, and the log is the day's."""
        log = pay.Log("night", hire(zone, RATES[1]), local(zone, day, begins), local(zone, day + timedelta(days=1), ends), RATES[1], zone)
        worth = self.check_worth([log])["night"]
        self.assertEqual((worth.day, worth.minutes), (day, minutes))

    def test_nights_in_which_clocks_change(self):
        for zone, day, minutes in (
                ("Europe/Rome", date(2026, 3, 28), 7 * 60), ("Europe/Rome", date(2026, 10, 24), 9 * 60),
                ("America/New_York", date(2026, 3, 7), 7 * 60), ("America/New_York", date(2025, 11, 1), 9 * 60),
                ("Australia/Lord_Howe", date(2026, 4, 4), 8 * 60 + 30), ("Australia/Lord_Howe", date(2025, 10, 4), 7 * 60 + 30)):
            with self.subTest(zone=zone, day=day):
                self.check_night(zone, day, "22:00", "06:00", minutes)

    def test_nights_over_borders(self):
        for zone in CHANGES:
            for day in BORDERS:
                with self.subTest(zone=zone, day=day):
                    self.check_night(zone, day - timedelta(days=1), "22:00", "06:00", 8 * 60)

    def test_the_hour_that_comes_twice(self):
        """Work from the first half past two to the second one is an hour's, and work within each of them is no overlap."""
        zone, day = "Europe/Rome", date(2026, 10, 25)
        person = hire(zone, RATES[1])
        logs = [pay.Log("first", person, local(zone, day, "02:15"), local(zone, day, "02:45"), RATES[1], zone),
                pay.Log("second", person, local(zone, day, "02:15", fold=1), local(zone, day, "02:45", fold=1), RATES[1], zone),
                pay.Log("between", hire(zone, RATES[1]), local(zone, day, "02:30"), local(zone, day, "02:30", fold=1), RATES[1], zone)]
        self.assertEqual([each.minutes for each in self.check_worth(logs).values()], [30, 30, 60])

    def test_a_sunday_night_is_the_old_weeks(self):
        """Six nights from Tuesday on: what is past forty hours begins in the night to Monday, which is still the week's."""
        zone = "America/New_York"
        person = hire(zone, RATES[2])
        days = [date(2026, 5, 26) + timedelta(days=number) for number in range(7)]
        logs = [pay.Log(day, person, local(zone, day, "22:00"), local(zone, day + timedelta(days=1), "06:00"), RATES[2], zone)
                for day in days]
        worths = self.check_worth(logs)
        self.assertEqual([worths[day].overtime for day in days], [0, 0, 0, 0, 0, 480, 0])
        self.check_paid(logs)

    def test_the_day_is_the_facilitys(self):
        """One moment is of three days, for the zones lie so far apart; of New York's it is the week before."""
        moment = datetime(2026, 6, 1, 2, 0, tzinfo=timezone.utc)
        days = {}
        for zone in CHANGES:
            log = pay.Log(zone, hire(zone, RATES[1]), moment, moment + timedelta(hours=4), RATES[1], zone)
            days[zone] = self.check_worth([log])[zone].day
        self.assertEqual(days, {"Europe/Rome": date(2026, 6, 1), "America/New_York": date(2026, 5, 31),
                                "Australia/Lord_Howe": date(2026, 6, 1)})


class MadeUpWeeksTest(TimeCase):
    """Weeks of people who come and go as chance has it, around each of these days: seconds that make no minute, breaks paid and not,
    and more hours than a week has."""

    def weeks(self, zone, around, draw):
        """Logs of one person from a week before that day to a week after it."""
        rate = draw.choice(RATES)
        person = hire(zone, rate)
        at = local(zone, around - timedelta(days=7), "00:00").astimezone(timezone.utc)
        until = at + timedelta(days=15)
        number = 0
        while at < until:
            begins = at + timedelta(milliseconds=draw.randrange(0, 20 * 3_600_000))
            span = draw.choice((draw.randrange(1, 120_000), draw.randrange(3_600_000, 20 * 3_600_000), 24 * 3_600_000))
            ends = begins + timedelta(milliseconds=span)
            yield pay.Log((person, number), person, begins, ends, rate, zone, tuple(self.breaks(begins, span, draw)))
            # At once, or after some hours of rest.
            at, number = ends + draw.choice((timedelta(0), timedelta(milliseconds=draw.randrange(0, 12 * 3_600_000)))), number + 1

    @staticmethod
    def breaks(begins, span, draw):
        places = sorted(draw.sample(range(span + 1), 2 * draw.choice((0, 0, 1, 3)))) if span > 6 else []
        for start, end in zip(places[::2], places[1::2]):
            yield begins + timedelta(milliseconds=start), begins + timedelta(milliseconds=end), draw.random() < 0.3

    def test_what_the_model_says(self):
        draw = random.Random(39)
        overtime = 0
        for zone, days in CHANGES.items():
            for day in (*days, *draw.sample(BORDERS, 2)):
                with self.subTest(zone=zone, day=day):
                    logs = list(self.weeks(zone, day, draw))
                    overtime += sum(each.overtime for each in self.check_worth(logs).values())
                    self.check_paid(logs)
        self.assertGreater(overtime, 0, "no week had any overtime")
