# The work that people do of a roster: who comes late, leaves early, and rests.
"""Nobody stays past the end of a shift, for the next one may begin then."""

import random
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

from . import pay
from .plan import digest

_LATE, _EARLY = (0, 0, 0, 4, 11, 23), (0, 0, 0, 2, 9, 17)  # minutes
_RESTS = ((), ((30, False),), ((30, False),), ((15, True), (20, False)))  # minutes, and whether they are paid


def written(moment):
    """As the API takes it."""
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def log_of(run_id, shift, item, staff, zone):
    """What a person worked of a shift, `item`: the same in every run of the same roster under the same id."""
    draw = random.Random(digest(run_id, f"work/{item}/{staff.item}"))
    begins, ends = _moments(shift, zone)
    begins += timedelta(minutes=draw.choice(_LATE), seconds=draw.choice((0, 0, 17, 59)))
    ends -= timedelta(minutes=draw.choice(_EARLY), seconds=draw.choice((0, 0, 1, 42)))
    breaks, at = [], begins + timedelta(minutes=draw.randrange(60, 120))
    for minutes, paid in draw.choice(_RESTS):
        breaks.append((at, at + timedelta(minutes=minutes, seconds=draw.choice((0, 5))), paid))
        at += timedelta(minutes=minutes + draw.randrange(30, 90))
    return pay.Log((item, staff.item), staff.item, begins, ends, Decimal(str(staff.body["hourlyRate"])), zone, tuple(breaks))


def _moments(shift, zone):
    """When it begins and ends, in UTC."""
    day = date.fromisoformat(shift["date"])
    starts, ends = (datetime.strptime(shift[name], "%H:%M").time() for name in ("startTime", "endTime"))
    until = day + timedelta(days=1) if ends <= starts else day
    return tuple(datetime.combine(when, clock, ZoneInfo(zone)).astimezone(timezone.utc)
                 for when, clock in ((day, starts), (until, ends)))
