# Command line of the roster loader: finds rosters, plays them, shows progress and reports what happened.

import argparse
import json
import os
import sys
import tempfile
import time
import uuid
from datetime import date
from pathlib import Path

from .client import Client, GaveUp, Unexpected
from .parse import ParseError, read_roster
from .plan import make_plan
from .player import NEW, Player
from .synthesize import is_roster_name, synthesize

PROJECT_ROOT = Path(__file__).resolve().parents[2]
DATA_VARIABLE = "WORKFORCE_ROSTER_DATA"
DEFAULT_ROSTERS = ("n030w4", "n060w8")
DEFAULT_START = date(2027, 1, 4)


class Progress:
    """A bar on a terminal, else a plain line for every tenth of the work."""

    def __init__(self, plan, stream=None):
        self._stream = stream or sys.stderr
        self._name = plan.name
        places = sum(shift.body["requiredWorkers"] for shift in plan.shifts)
        self._total = len(plan.staff) + len(plan.shifts) + places
        self._terminal = self._stream.isatty()
        self._shown = -1

    def __call__(self, ledger):
        done = len(ledger.staff) + len(ledger.shifts) + len(ledger.assignments)
        share = done * 100 // max(1, self._total)
        step = share if self._terminal else share // 10
        if step == self._shown:
            return
        self._shown = step
        text = (f"{self._name} {share:3d}% staff {len(ledger.staff)} shifts {len(ledger.shifts)} "
                f"assignments {len(ledger.assignments)}")
        bar = f"\r[{'#' * (share // 4):<25}] {text}" if self._terminal else text + "\n"
        self._stream.write(bar)
        self._stream.flush()

    def close(self):
        if self._terminal:
            self._stream.write("\n")


def data_directory():
    """Where published rosters are: $WORKFORCE_ROSTER_DATA, else the directory beside the checkout; None when absent."""
    named = os.environ.get(DATA_VARIABLE)
    directory = Path(named) if named else PROJECT_ROOT.parent / "shared" / "data" / "inrc2"
    return directory if directory.is_dir() else None


def find_roster(name, scratch):
    """The directory of a roster given by path or by name; one that is nowhere is made below `scratch` when its name
    says how large it is. Raises FileNotFoundError."""
    if Path(name).is_dir():
        return Path(name)
    published = data_directory()
    if published and (published / name).is_dir():
        return published / name
    if is_roster_name(name):
        return synthesize(scratch, name)
    raise FileNotFoundError(f"no roster {name!r}: neither a directory nor a name of the form n030w4")


def week_numbers(text):
    """0-3, 5 or 0,2,4: the numbers of week files in the order of time."""
    numbers = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    if not numbers:
        raise ValueError("no weeks")
    return tuple(numbers)


def make_report(run_id, seconds, statistics, ledgers, errors):
    """The figures of a whole run; `ledgers` by the roster's name."""
    counts = [ledger.counts() for ledger in ledgers.values()]
    totals = {key: sum(part[key] for part in counts) for key in (counts[0] if counts else ())}
    refusals = sum((ledger.refusals for ledger in ledgers.values()), start=type(statistics.retries)())
    return {
        "runId": run_id,
        "rosters": {
            name: {"facilityId": ledger.facility, "facilityName": ledger.facility_name} | ledger.counts()
            for name, ledger in ledgers.items()
        },
        **totals,
        "refusals": dict(refusals.most_common()),
        "retries": sum(statistics.retries.values()),
        "retriesByCause": dict(statistics.retries.most_common()),
        "replays": statistics.replays,
        "requests": statistics.requests,
        "requestsPerSecond": round(statistics.requests / max(seconds, 1e-9), 1),
        "p50Ms": round(statistics.percentile(0.50), 2),
        "p99Ms": round(statistics.percentile(0.99), 2),
        "seconds": round(seconds, 2),
        "errors": errors,
    }


def make_ledger(ledgers):
    """What was acknowledged, by roster: ids of staff and shifts by item, assignments as pairs of shift and staff id, timesheets as
    items of shift and staff with an id, and payroll runs as they were settled."""
    return {
        name: {"facilityId": ledger.facility, "staff": ledger.staff, "shifts": ledger.shifts, "assignments": ledger.assignments,
               "timesheets": [[*log, number] for log, number in ledger.timesheets.items()], "payrollRuns": ledger.runs}
        for name, ledger in ledgers.items()
    }


def show(report, stream):
    """The report for people: one figure a line, a line for each roster, errors as their number."""
    for key, value in report.items():
        if key == "rosters":
            lines = [f"  {name}: " + ", ".join(f"{part} {figure}" for part, figure in figures.items())
                     for name, figures in value.items()]
            stream.write("\n".join([key, *lines]) + "\n")
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{name} {count}" for name, count in value.items()) or "none"
        elif isinstance(value, list):
            value = len(value)
        stream.write(f"{key:18} {value}\n")


def _arguments(argv):
    parser = argparse.ArgumentParser(prog="load", description="Plays nurse rosters against the service's REST API.")
    parser.add_argument("rosters", nargs="*", metavar="ROSTER_DIR",
                        help=f"directory, or name such as n030w4 (default: {' '.join(DEFAULT_ROSTERS)})")
    parser.add_argument("--url", required=True, help="base URL of the service")
    parser.add_argument("--key", default=os.environ.get("WORKFORCE_API_KEY"),
                        help="API key, or several of one organization, separated by commas: each has a limit of its own "
                             "(default: $WORKFORCE_API_KEY, which keeps them out of the process list)")
    parser.add_argument("--facility", default=NEW, help="facility id, or 'new' for one named after each scenario")
    parser.add_argument("--timezone", default="Europe/Rome", help="IANA zone of a new facility")
    parser.add_argument("--weeks", type=week_numbers, help="week files to play, e.g. 0-3 (default: the whole horizon)")
    parser.add_argument("--start-date", type=date.fromisoformat, default=DEFAULT_START, help="Monday of the first week")
    parser.add_argument("--pay", action="store_true", help="go on to record the work, approve it, and pay it week by week")
    parser.add_argument("--concurrency", type=int, default=16, help="requests at once")
    parser.add_argument("--max-seconds", type=float, default=600, help="time for everything, retries included")
    parser.add_argument("--run-id", default=None, help="the same id plays the same requests, so a run can be resumed")
    parser.add_argument("--report", type=Path, help="write the report as JSON to this file")
    parser.add_argument("--ledger", type=Path, help="write the ids of all that was acknowledged as JSON to this file")
    arguments = parser.parse_args(argv)
    if not arguments.key:
        parser.error("--key or $WORKFORCE_API_KEY is needed")
    if arguments.facility != NEW and not arguments.facility.isdigit():
        parser.error("--facility takes an id or 'new'")
    if arguments.concurrency < 1:
        parser.error("--concurrency is at least 1")
    arguments.rosters = arguments.rosters or list(DEFAULT_ROSTERS)
    arguments.run_id = arguments.run_id or uuid.uuid4().hex
    return arguments


def _plans(arguments):
    """Every roster is read before the first request, so that a bad file changes nothing."""
    with tempfile.TemporaryDirectory(prefix="roster-") as scratch:
        rosters = [read_roster(find_roster(name, scratch), arguments.weeks) for name in arguments.rosters]
    return [make_plan(roster, arguments.run_id, arguments.start_date) for roster in rosters]


def _play(arguments, plans, client, errors):
    ledgers = {}
    for plan in plans:
        progress = Progress(plan)
        player = Player(client, plan, arguments.run_id, arguments.concurrency, progress)
        ledgers[plan.name] = player.ledger
        try:
            player.play(arguments.facility, arguments.timezone)
            if arguments.pay:
                player.pay(arguments.timezone)
        except (Unexpected, GaveUp, TimeoutError) as error:
            errors.append(f"{plan.name}: {error}")
            break
        finally:
            progress.close()
    return ledgers


def main(argv=None):
    """Returns the exit code: 0 all played, 1 an unexpected answer, nobody there or out of time, 2 bad arguments or files."""
    arguments = _arguments(argv)
    try:
        plans = _plans(arguments)
        started = time.monotonic()
        client = Client(arguments.url, arguments.key, started + arguments.max_seconds)
    except (ParseError, OSError, ValueError) as error:
        print(f"load: {error}", file=sys.stderr)
        return 2
    try:
        client.reach()
    except OSError as error:
        print(f"load: {arguments.url} can't be reached: {error.strerror or error}", file=sys.stderr)
        return 1
    errors = []
    ledgers = _play(arguments, plans, client, errors)
    client.close()
    report = make_report(arguments.run_id, time.monotonic() - started, client.statistics, ledgers, errors)
    show(report, sys.stdout)
    if arguments.report:
        arguments.report.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    if arguments.ledger:
        arguments.ledger.write_text(json.dumps(make_ledger(ledgers)) + "\n", encoding="utf-8")
    for line in errors:
        print(f"load: {line}", file=sys.stderr)
    return 1 if errors else 0
