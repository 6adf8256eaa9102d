# Makes a roster of the published form where the published data is absent.
"""The result is written in the same text format, so that the same parser reads it, and depends on name and seed
alone."""

import random
import re
from pathlib import Path

from .parse import DAYS, WEEKDAYS

_NAME = re.compile(r"n(\d{3})w(\d{1,2})")
_SKILLS = ("HeadNurse", "Nurse", "Caretaker", "Trainee")
_SHIFTS = ("Early", "Day", "Late", "Night")
_CONTRACTS = ("FullTime", "PartTime", "HalfTime")
# Share of the staff and skills for each kind of nurse, in the published proportions.
_KINDS = (
    ("HN", 0.13, ("HeadNurse", "Nurse")),
    ("NU", 0.43, ("Nurse", "Caretaker")),
    ("CT", 0.27, ("Caretaker",)),
    ("TR", 0.17, ("Trainee",)),
)
# Mean minimum for a shift and skill, for each nurse of the scenario.
_NEED = {"HeadNurse": 0.011, "Nurse": 0.033, "Caretaker": 0.058, "Trainee": 0.02}


def is_roster_name(name):
    """Whether `name` says how large a roster to make, as n030w4 does: 30 nurses, 4 weeks."""
    return _NAME.fullmatch(name) is not None


def _nurses(total, draw):
    lines = []
    for index in range(total):
        reached = 0.0
        for kind, share, skills in _KINDS:
            reached += share
            if index < round(reached * total) or kind == _KINDS[-1][0]:
                break
        contract = draw.choices(_CONTRACTS, weights=(5, 3, 3))[0]
        lines.append(f"{kind}_{index} {contract} {len(skills)} {' '.join(skills)}")
    return lines


def _scenario(name, nurses, weeks):
    return "\n".join([
        f"SCENARIO = {name}", "", f"WEEKS = {weeks}", "",
        f"SKILLS = {len(_SKILLS)}", *_SKILLS, "",
        f"SHIFT_TYPES = {len(_SHIFTS)}", *(f"{shift} (2,5)" for shift in _SHIFTS), "",
        "FORBIDDEN_SHIFT_TYPES_SUCCESSIONS", "Early 0", "Day 1 Early", "Late 2 Early Day", "Night 3 Early Day Late", "",
        f"CONTRACTS = {len(_CONTRACTS)}", "FullTime (15,22) (3,5) (2,3) 2 1", "PartTime (7,15) (3,5) (2,4) 2 1",
        "HalfTime (5,11) (2,4) (2,5) 1 1", "",
        f"NURSES = {len(nurses)}", *nurses,
    ])


def _cell(mean, draw):
    low = int(mean + draw.random() + draw.choice((-0.4, 0.0, 0.4)))
    return f"({max(low, 0)},{max(low, 0) + draw.choice((0, 0, 1))})"


def _week(name, nurses, draw):
    lines = ["WEEK_DATA", name, "", "REQUIREMENTS"]
    for shift in _SHIFTS:
        for skill in _SKILLS:
            mean = _NEED[skill] * len(nurses)
            lines.append(" ".join([shift, skill, *(_cell(mean, draw) for _ in range(DAYS))]))
    off = draw.sample([line.split()[0] for line in nurses], max(1, len(nurses) // 4))
    lines += ["", f"SHIFT_OFF_REQUESTS = {len(off)}"]
    lines += [f"{nurse} {draw.choice((*_SHIFTS, 'Any'))} {draw.choice(WEEKDAYS)} " for nurse in off]
    return "\n".join(lines)


def synthesize(parent, name, seed=1):
    """Writes the roster `name` (see is_roster_name) into `parent`/`name` and returns that directory. Raises
    ValueError for a name that says no size."""
    size = _NAME.fullmatch(name)
    if size is None:
        raise ValueError(f"{name!r} does not have the form n030w4")
    draw = random.Random(f"{seed}/{name}")
    weeks = int(size[2])
    nurses = _nurses(int(size[1]), draw)
    directory = Path(parent) / name
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"Sc-{name}.txt").write_text(_scenario(name, nurses, weeks), encoding="utf-8")
    for number in range(weeks):
        (directory / f"WD-{name}-{number}.txt").write_text(_week(name, nurses, draw), encoding="utf-8")
    return directory
