# Reads rosters in the INRC-II text format (Ceschia et al., 2015): one scenario file and one demand file a week.
"""Files may lack a final newline, lines may carry trailing spaces and blank lines separate sections. Anything else that
does not fit is a ParseError that names file and line."""

import re
from dataclasses import dataclass
from pathlib import Path

DAYS = 7
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ANY_SHIFT = "Any"
_CELL = re.compile(r"\((\d+),(\d+)\)")


class ParseError(ValueError):
    """A roster file that does not follow the format."""

    def __init__(self, path, number, message):
        super().__init__(f"{path}:{number}: {message}")


@dataclass(frozen=True)
class Nurse:
    """`skills` keep the file's order; the first one is the main skill."""
    name: str
    contract: str
    skills: tuple[str, ...]


@dataclass(frozen=True)
class Scenario:
    """`weeks` is the length of the planning horizon, not the number of week files that exist."""
    name: str
    weeks: int
    skills: tuple[str, ...]
    shift_types: tuple[str, ...]
    contracts: tuple[str, ...]
    nurses: tuple[Nurse, ...]


@dataclass(frozen=True)
class Demand:
    """Nurses wanted for one shift type and skill, Monday to Sunday."""
    shift_type: str
    skill: str
    minimum: tuple[int, ...]
    optimal: tuple[int, ...]


@dataclass(frozen=True)
class ShiftOff:
    """A nurse's wish to be off; `shift_type` may be ANY_SHIFT, `day` counts from Monday = 0."""
    nurse: str
    shift_type: str
    day: int


@dataclass(frozen=True)
class Week:
    """One week's demand, in the file's order."""
    scenario: str
    demands: tuple[Demand, ...]
    shifts_off: tuple[ShiftOff, ...]


@dataclass(frozen=True)
class Roster:
    """A scenario and the demand of the weeks that were asked for, by their place in time."""
    scenario: Scenario
    weeks: tuple[Week, ...]


class _Lines:
    """The lines of a file that hold something, with their numbers."""

    def __init__(self, path):
        self.path = Path(path)
        text = self.path.read_text(encoding="utf-8")
        self._lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        self._next = 0
        self.number = 0

    def fail(self, message):
        raise ParseError(self.path, self.number, message)

    def more(self):
        return self._next < len(self._lines)

    def take(self, what):
        if not self.more():
            self.number += 1
            self.fail(f"the file ends where {what} should stand")
        self.number, line = self._lines[self._next]
        self._next += 1
        return line

    def fields(self, what, least):
        fields = self.take(what).split()
        if len(fields) < least:
            self.fail(f"{what} needs at least {least} fields, found {len(fields)}")
        return fields

    def heading(self, word):
        line = self.take(word)
        if line != word:
            self.fail(f"expected {word}, found {line!r}")

    def assignment(self, word):
        key, sign, value = (part.strip() for part in self.take(word).partition("="))
        if key != word or not sign or not value:
            self.fail(f"expected '{word} = …'")
        return value

    def count(self, word):
        return self.integer(self.assignment(word), word)

    def integer(self, text, what):
        if not text.isascii() or not text.isdigit():
            self.fail(f"{what} should be a number, found {text!r}")
        return int(text)

    def known(self, value, allowed, what):
        if value not in allowed:
            self.fail(f"{what} {value!r} is not one of the scenario's ({', '.join(allowed)})")
        return value


def _names(lines, word, what):
    names = []
    for _ in range(lines.count(word)):
        name = lines.fields(what, 1)[0]
        if name in names:
            lines.fail(f"{what} {name!r} stands here a second time")
        names.append(name)
    return tuple(names)


def _nurses(lines, contracts, skills):
    nurses = {}
    for _ in range(lines.count("NURSES")):
        name, contract, count, *own = lines.fields("a nurse", 4)
        lines.known(contract, contracts, "contract")
        if lines.integer(count, "the number of skills") != len(own):
            lines.fail(f"{count} skills announced, {len(own)} found")
        for skill in own:
            lines.known(skill, skills, "skill")
        if name in nurses:
            lines.fail(f"nurse {name!r} stands here a second time")
        nurses[name] = Nurse(name, contract, tuple(own))
    return tuple(nurses.values())


def read_scenario(path):
    """Reads a `Sc-….txt` file. Raises ParseError or OSError."""
    lines = _Lines(path)
    name = lines.assignment("SCENARIO")
    weeks = lines.count("WEEKS")
    skills = _names(lines, "SKILLS", "a skill")
    shift_types = _names(lines, "SHIFT_TYPES", "a shift type")
    lines.heading("FORBIDDEN_SHIFT_TYPES_SUCCESSIONS")
    for _ in shift_types:
        before, count, *after = lines.fields("a forbidden succession", 2)
        if lines.integer(count, "the number of successions") != len(after):
            lines.fail(f"{count} successions announced, {len(after)} found")
        for shift_type in (before, *after):
            lines.known(shift_type, shift_types, "shift type")
    contracts = _names(lines, "CONTRACTS", "a contract")
    nurses = _nurses(lines, contracts, skills)
    if lines.more():
        lines.fail(f"unexpected {lines.take('the end')!r} after the nurses")
    return Scenario(name, weeks, skills, shift_types, contracts, nurses)


def _demand(lines, first, scenario):
    shift_type, skill, *cells = first
    lines.known(shift_type, scenario.shift_types, "shift type")
    lines.known(skill, scenario.skills, "skill")
    pairs = [_CELL.fullmatch(cell) for cell in cells]
    if len(pairs) != DAYS or not all(pairs):
        lines.fail(f"expected {DAYS} cells of the form (minimum,optimal)")
    minimum, optimal = (tuple(int(pair[group]) for pair in pairs) for group in (1, 2))
    if any(low > high for low, high in zip(minimum, optimal)):
        lines.fail("a minimum is above its optimum")
    return Demand(shift_type, skill, minimum, optimal)


def _shift_off(lines, scenario, names):
    nurse, shift_type, day, *_ = lines.fields("a shift-off request", 3)
    if nurse not in names:
        lines.fail(f"nurse {nurse!r} is not in the scenario")
    lines.known(shift_type, (*scenario.shift_types, ANY_SHIFT), "shift type")
    return ShiftOff(nurse, shift_type, WEEKDAYS.index(lines.known(day, WEEKDAYS, "weekday")))


def read_week(path, scenario):
    """Reads a `WD-….txt` file that belongs to `scenario`. Raises ParseError or OSError."""
    lines = _Lines(path)
    lines.heading("WEEK_DATA")
    name = lines.take("the scenario's name")
    if name != scenario.name:
        lines.fail(f"demand of scenario {name!r}, not of {scenario.name!r}")
    lines.heading("REQUIREMENTS")
    demands = []
    while True:
        line = lines.take("a requirement or SHIFT_OFF_REQUESTS")
        if line.startswith("SHIFT_OFF_REQUESTS"):
            break
        fields = line.split()
        if len(fields) < 2:
            lines.fail("a requirement needs a shift type and a skill")
        demands.append(_demand(lines, fields, scenario))
    count = lines.integer(line.partition("=")[2].strip(), "the number of requests")
    names = {nurse.name for nurse in scenario.nurses}
    wishes = tuple(_shift_off(lines, scenario, names) for _ in range(count))
    if lines.more():
        lines.fail(f"unexpected {lines.take('the end')!r} after the requests")
    return Week(name, tuple(demands), wishes)


def read_roster(directory, weeks=None):
    """Reads one directory that holds a single scenario. `weeks` are the numbers of the week files in the order in which
    they follow each other; None means 0 … horizon-1. Raises ParseError, and OSError for files that are
    not there."""
    directory = Path(directory)
    found = sorted(directory.glob("Sc-*.txt"))
    if len(found) != 1:
        raise FileNotFoundError(f"{directory}: expected one Sc-*.txt file, found {len(found)}")
    scenario = read_scenario(found[0])
    numbers = range(scenario.weeks) if weeks is None else weeks
    files = [directory / f"WD-{scenario.name}-{number}.txt" for number in numbers]
    return Roster(scenario, tuple(read_week(file, scenario) for file in files))
