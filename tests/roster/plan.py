# Turns a roster into the bodies of API requests: nurses become staff, demand above zero becomes shifts.

import hashlib
from dataclasses import dataclass
from datetime import date, timedelta

from .parse import ANY_SHIFT, DAYS

EMPLOYMENT_TYPES = {"FullTime": "full_time", "PartTime": "part_time", "HalfTime": "part_time"}
OTHER_EMPLOYMENT_TYPE = "per_diem"
WEEKLY_HOURS = {"FullTime": 40, "PartTime": 24, "HalfTime": 20}
OTHER_WEEKLY_HOURS = 24
HOURLY_RATES = {"HeadNurse": 42.5, "Nurse": 36, "Caretaker": 27.25, "Trainee": 19}
# Wall clock of each shift type; an end before the start is on the next day.
SHIFT_TIMES = {
    "Early": ("06:00", "14:00"),
    "Day": ("08:00", "16:00"),
    "Late": ("14:00", "22:00"),
    "Night": ("22:00", "06:00"),
}
SHIFT_HOURS = 8


@dataclass(frozen=True)
class StaffItem:
    """`item` names the entry within its run and is the same in every run of the same roster."""
    item: str
    body: dict
    skills: tuple[str, ...]


@dataclass(frozen=True)
class ShiftItem:
    """`unwanted` holds the staff items that asked to be off then."""
    item: str
    body: dict
    skill: str
    unwanted: frozenset


@dataclass(frozen=True)
class Plan:
    """Everything that one roster asks for, shifts in the order of their starts."""
    name: str
    staff: tuple[StaffItem, ...]
    shifts: tuple[ShiftItem, ...]


def digest(run_id, item):
    """Idempotency key and external id of an item: says nothing about whom or what it belongs to."""
    return hashlib.sha256(f"{run_id}\n{item}".encode()).hexdigest()[:40]


def last_name(nurse, scenario):
    """Long enough to be no accident where it turns up in random text, and different in every roster."""
    return f"{nurse.name}-{scenario.name}"


def email(nurse, scenario):
    """An address under a domain that never resolves (RFC 2606)."""
    return f"{nurse.name}.{scenario.name}@example.test".lower()


def _phone(scenario, index, line):
    block = int(hashlib.sha256(scenario.name.encode()).hexdigest(), 16) % 900 + 100
    return f"+1 ({block}) 555-{line}{index:03d}"


def _staff(run_id, scenario, index, nurse):
    item = f"{scenario.name}/staff/{index}"
    name = last_name(nurse, scenario)
    body = {
        "firstName": "Nurse",
        "lastName": name,
        "email": email(nurse, scenario),
        "phone": _phone(scenario, index, 0),
        "specialty": nurse.skills[0] if nurse.skills else "",
        "skills": list(nurse.skills),
        "employmentType": EMPLOYMENT_TYPES.get(nurse.contract, OTHER_EMPLOYMENT_TYPE),
        "maxWeeklyHours": WEEKLY_HOURS.get(nurse.contract, OTHER_WEEKLY_HOURS),
        "hourlyRate": HOURLY_RATES.get(nurse.skills[0] if nurse.skills else "", 25),
        "emergencyContact": {"name": f"Kin of {name}", "phone": _phone(scenario, index, 9), "relationship": "partner"},
        "externalId": digest(run_id, item),
    }
    return StaffItem(item, body, nurse.skills)


def _unwanted(scenario, week, demand, day, items):
    return frozenset(
        items[wish.nurse]
        for wish in week.shifts_off
        if wish.day == day and wish.shift_type in (demand.shift_type, ANY_SHIFT)
    )


def _shift(run_id, scenario, demand, when, required, unwanted):
    item = f"{scenario.name}/shift/{when}/{demand.shift_type}/{demand.skill}"
    start, end = SHIFT_TIMES[demand.shift_type]
    body = {
        "title": f"{demand.shift_type} {demand.skill} {when}",
        "date": when.isoformat(),
        "startTime": start,
        "endTime": end,
        "department": scenario.name,
        "specialty": demand.skill,
        "requiredWorkers": required,
        "externalId": digest(run_id, item),
    }
    return ShiftItem(item, body, demand.skill, unwanted)


def make_plan(roster, run_id, start):
    """The requests for `roster` when its first week begins on the Monday `start`. Raises ValueError for another
    weekday and for a shift type that has no times."""
    if start.weekday() != 0:
        raise ValueError(f"{start} is no Monday")
    scenario = roster.scenario
    unknown = [name for name in scenario.shift_types if name not in SHIFT_TIMES]
    if unknown:
        raise ValueError(f"no times are known for shift type {unknown[0]!r}")
    staff = tuple(_staff(run_id, scenario, index, nurse) for index, nurse in enumerate(scenario.nurses))
    items = {nurse.name: entry.item for nurse, entry in zip(scenario.nurses, staff)}
    shifts = []
    for number, week in enumerate(roster.weeks):
        for demand in week.demands:
            for day in range(DAYS):
                if demand.minimum[day] > 0:
                    when: date = start + timedelta(days=7 * number + day)
                    unwanted = _unwanted(scenario, week, demand, day, items)
                    shifts.append(_shift(run_id, scenario, demand, when, demand.minimum[day], unwanted))
    shifts.sort(key=lambda shift: (shift.body["date"], shift.body["startTime"], shift.item))
    return Plan(scenario.name, staff, tuple(shifts))
