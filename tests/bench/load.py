"""Load by wrk, a cell at a time: an operation over some connections and organizations, with what it cost each process."""

import dataclasses
import itertools
import json
import pathlib
import random
import re
import resource
import sys
import uuid

import machine

HERE = pathlib.Path(__file__).resolve().parent
# Assignments that a second may make, on all connections and on one.
MOST_ASSIGNMENTS, MOST_ON_ONE = 15_000, 3_000
MOST_FIRST_USES = 12_000  # likewise of keys, each of which is made for it
MOST_FIRST_SESSIONS = 30_000  # likewise of sessions


@dataclasses.dataclass
class Cell:
    """One measurement. Times in ms but for visible_s: how long after the last answer all reads showed what was written."""

    what: str
    organizations: int
    connections: int
    requests: int
    rate: float
    p50_ms: float
    p99_ms: float
    failed: int
    cpu_s_per_1000: dict  # by process
    visible_s: float | None = None


def wrk(port, requests, work, connections, seconds, keyed=False, once=False):
    """What wrk measured, and its own CPU seconds. `requests`: lines of requests.lua."""
    file = work / "requests"
    file.write_text("\n".join(requests) + "\n")
    return run_wrk(port, connections, seconds, "requests.lua", file, f"bench-{uuid.uuid4().hex}-" if keyed else "-",
                   "once" if once else "again")


def run_wrk(port, connections, seconds, script, *arguments):
    """What wrk measured by one of the scripts here, and its own CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = machine.run("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", HERE / script,
                      f"http://127.0.0.1:{port}/", "--", *arguments, timeout=seconds + 120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    measured = json.loads(re.search(r"^BENCH (.*)$", out, re.M)[1])
    measured["failed"] = measured["bad_status"] + measured["socket_errors"]
    measured["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return measured


def measure(what, pids, port, requests, work, connections, options, organizations=1, keyed=False, after=None):
    """A cell: warm-up, load, and what `after()` waits for, whose cost counts too. `requests` gives the lines for some
    seconds."""
    lines = requests(options.warm_up, connections)
    wrk(port, lines, work, connections, options.warm_up, keyed, once=requests.once)
    if after:
        after()
    lines = requests(options.duration, connections)
    if after:  # what was written for them is no part of the cell
        after()
    before = cpu_of(pids)
    measured = wrk(port, lines, work, connections, options.duration, keyed, once=requests.once)
    visible = after() if after else None
    used = cpu_since(before, pids, measured)
    if measured["requests"] == 0 or (requests.once and measured["requests"] + connections >= len(lines)):
        sys.exit(f"{what}: {measured['requests']} of {len(lines)} requests were answered, so that they took no measurable time")
    return cell_of(what, connections, measured, used, organizations, visible)


def cpu_of(pids):
    """CPU seconds of the processes so far, by their names."""
    return {name: machine.tree_cpu(pid) for name, pid in pids.items()}


def cpu_since(before, pids, measured):
    """What they took since, and wrk."""
    return {name: seconds - before[name] for name, seconds in cpu_of(pids).items()} | {"wrk": measured["cpu"]}


def cell_of(what, connections, measured, used, organizations=1, visible=None):
    """The cell of what wrk measured, with the CPU seconds that it took."""
    return Cell(what, organizations, connections, measured["requests"], measured["requests"] / measured["seconds"],
                measured["p50_ms"], measured["p99_ms"], measured["failed"],
                {name: 1000 * seconds / measured["requests"] for name, seconds in used.items()}, visible)


class Again:
    """The same lines for every load, in an order that is random and always the same."""

    once = False

    def __init__(self, lines):
        self._lines = list(lines)
        random.Random(1).shuffle(self._lines)

    def __call__(self, _seconds, _connections):
        return self._lines


class Assignments:
    """Lines that have not been sent yet."""

    once = True

    def __init__(self, place, customers):
        self._place, self._customers = place, customers

    def __call__(self, seconds, connections):
        count = seconds * min(MOST_ASSIGNMENTS, MOST_ON_ONE * connections)
        tokens = {customer: itertools.cycle(token for _, token in customer.keyed([None])) for customer in self._customers}
        pairs = self._place.assignments(self._customers, count)
        return [f"POST\t/api/shifts/{shift}/assign\t{next(tokens[customer])}\t" + json.dumps({"staffId": person})
                for customer, shift, person in pairs]


class FirstUses:
    """Reads by keys that no request had before, and so no cache has."""

    once = True

    def __init__(self, place, customer):
        self._place, self._customer = place, customer

    def __call__(self, seconds, connections):
        tokens = self._place.cold_keys(self._customer, seconds * min(MOST_FIRST_USES, MOST_ON_ONE * connections))
        return [f"GET\t/api/shifts/{self._customer.shifts[number % len(self._customer.shifts)]}\t{token}"
                for number, token in enumerate(tokens)]


def gets(customers, paths):
    return Again(f"GET\t{path}\t{token}" for customer in customers for path, token in customer.keyed(paths(customer)))


def filtered(customer):
    first, last = customer.days
    return f"/api/shifts?limit=50&status=open,assigned&facilityId={customer.facility}&from={first}&to={last}"


READ_BY_ID = "read a shift by id"
FIRST_USE = f"{READ_BY_ID}, a new key each"
NOT_COUNTED = f"{READ_BY_ID}, not counted"
# Operations by the name of their row: the requests, and whether they write.
OPERATIONS = {
    READ_BY_ID: (False, lambda place, customers: gets(
        customers, lambda customer: [f"/api/shifts/{shift}" for shift in customer.shifts])),
    "list of 50 shifts": (False, lambda place, customers: gets(customers, lambda _: ["/api/shifts?limit=50"])),
    "list of 50 shifts, filtered": (False, lambda place, customers: gets(customers, lambda customer: [filtered(customer)])),
    "create a shift": (True, lambda place, customers: Again(
        f"POST\t/api/shifts\t{token}\t{body}" for customer in customers
        for body, token in customer.keyed([json.dumps(customer.shift(0))]))),
    "assign to a shift": (True, Assignments),
}


def uncounted(place, options, report):
    """A read by id where a key's requests are not counted: what the limits cost. The installation does so already."""
    customers = place.customers[:1]
    for connections in options.connections:
        report(measure(NOT_COUNTED, place.pids, place.port, OPERATIONS[READ_BY_ID][1](place, customers),
                       place.directory, connections, options))


def counted(cells):
    """Of the reads by id of one organization: those that are not counted, under the name of the others, and those that are."""
    without = [dataclasses.replace(cell, what=READ_BY_ID) for cell in cells if cell.what == NOT_COUNTED]
    return without, [cell for cell in cells if cell.what == READ_BY_ID and cell.organizations == 1]


def cells(place, options, report):
    """Every operation at each number of connections and organizations, on a started installation; `report` is given
    each cell."""
    groups = [place.customers[:1], place.customers[1:1 + options.many]]
    for what, (writes, make) in OPERATIONS.items():
        if options.operation and options.operation not in what:
            continue
        for customers in groups:
            requests = make(place, customers)
            for connections in options.connections:
                report(measure(what, place.pids, place.port, requests, place.directory, connections, options,
                               len(customers), keyed=writes,
                               after=(lambda who=customers: place.settle_all(who)) if writes else None))
    # Last: so many keys are more than the process keeps in memory of an organization, whose writes read them again each time.
    if not options.operation or options.operation in FIRST_USE:
        connections = options.connections[len(options.connections) // 2]
        report(measure(FIRST_USE, place.pids, place.port, FirstUses(place, place.customers[0]), place.directory, connections, options))
