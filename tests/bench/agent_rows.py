"""Rows of agents: how long a step of a run takes, how many runs and steps a second there are, and what memory runs take that wait
for people.

Some agents are kept busy, each by one caller who asks for the next run when the one before has ended. Each run does STEPS reads. A step
takes as long as until the next one begins, with all that is kept of it."""

import concurrent.futures
import datetime
import json
import time

import installation
import report

STEPS = 10
BUSY = (1, 8, 32)  # agents that are kept busy
WAITERS = 16  # callers who have runs wait at a time
MOST_OF_USER, MOST_OF_CUSTOMER = 200, 2000  # that wait at a time
COLUMNS = ("", "agents", "runs/s", "steps/s", "step p50 ms", "step p99 ms", "run p50 ms")
WAITING_COLUMNS = ("waiting runs", "before MB", "after MB", "started anew MB")


def callers(place, customer, count):
    """So many askers with tokens of a person who may have agents run, each with an agent of its own."""
    user, _ = customer.make_user("admin")
    place.settle([customer])
    askers = []
    for token in place.sessions(customer, user, "jwt", count):
        asker = installation.Customer({"organizationId": customer.organization, "keys": [token]})
        asker.facility, asker.shifts = customer.facility, customer.shifts
        asker.connect(place.port)
        askers.append(asker)
    return askers


def build(asker, name, **more):
    return asker.ask("POST", "/api/agent-builder", {"name": name, "allowedTools": ["*"], **more})[1]["id"]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def milliseconds(run):
    """Of a step of the run, on the average: moments have whole milliseconds."""
    first, last = (datetime.datetime.fromisoformat(run["steps"][place]["startedAt"]) for place in (0, -1))
    return (last - first).total_seconds() * 1000 / (STEPS - 1)


def busy(place, customer, agents, seconds):
    """Runs one after another of so many agents at a time, as a row."""
    plan = [{"tool": "shifts_get", "arguments": {"shiftId": customer.shifts[0]}}] * STEPS

    def work(asker):
        agent, steps, runs = build(asker, f"Busy {agents} {id(asker)}", plan=plan), [], []
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.monotonic()
            run = asker.ask("POST", f"/api/agents/{agent}/runs", {"wait": 55})[1]
            if run["status"] != "completed":
                raise SystemExit(f"a run ended otherwise: {json.dumps(run)}")
            runs.append((time.monotonic() - began) * 1000)
            steps.append(milliseconds(run))
        return steps, runs
    with concurrent.futures.ThreadPoolExecutor(agents) as threads:
        done = list(threads.map(work, callers(place, customer, agents)))
    steps, runs = ([value for part in done for value in part[which]] for which in (0, 1))
    return {"agents": agents, "runs_per_s": len(runs) / seconds, "steps_per_s": STEPS * len(runs) / seconds,
            "step_p50_ms": percentile(steps, 0.5), "step_p99_ms": percentile(steps, 0.99), "run_p50_ms": percentile(runs, 0.5)}


def waiting(place, count, layout):
    """MB of each process before and after so many runs began to wait, and of one that starts then: what was used lately is kept in memory,
    within its budget, whatever it is."""
    customers = place.customers[1:2 + (count - 1) // MOST_OF_CUSTOMER]
    askers = []
    for customer in customers:
        customer.connect(place.port)
        customer.make_people(0)
        for _ in range(-(-count // len(customers) // MOST_OF_USER)):
            askers += callers(place, customer, 1)
    each = -(-count // len(askers))
    before = place.memory()

    def work(asker):
        agent = build(asker, f"Waits {id(asker)}", approvalMode="always",
                      plan=[{"tool": "leads_create", "arguments": {"name": "Waits"}}])
        for _ in range(each):
            run = asker.ask("POST", f"/api/agents/{agent}/runs", {"wait": 55})[1]
            if run["status"] != "pending_approval":
                raise SystemExit(f"a run does not wait: {json.dumps(run)}")
    with concurrent.futures.ThreadPoolExecutor(WAITERS) as threads:
        list(threads.map(work, askers))
    time.sleep(installation.SETTLE_SECONDS)
    after = place.memory()
    place.settle_reactors()
    place.stop()
    place.start(layout)
    time.sleep(installation.SETTLE_SECONDS)
    anew = place.memory()
    return {role: {"before": before[role][0], "after": after[role][0], "anew": anew[role][0]} for role in after}


def row(measured):
    return ("runs", str(measured["agents"]), f"{measured['runs_per_s']:.0f}", f"{measured['steps_per_s']:,.0f}",
            *(f"{measured[name]:.1f}" for name in ("step_p50_ms", "step_p99_ms", "run_p50_ms")))


def waiting_rows(memory, count):
    return [(f"{role}, {count:,}", *(f"{mb[when]:.0f}" for when in ("before", "after", "anew"))) for role, mb in memory.items()]


def cells(place, options):
    """All rows, on a started installation, each printed as it comes."""
    customer = place.customers[0]
    customer.connect(place.port)
    print(f"\nAgents\n{report.line(COLUMNS, COLUMNS)}", flush=True)
    rows = []
    for agents in BUSY:
        rows.append(busy(place, customer, agents, options.duration))
        print(report.line(row(rows[-1]), COLUMNS), flush=True)
    memory = waiting(place, options.waiting, options.layout[0])
    print("\n".join(report.line(each, WAITING_COLUMNS) for each in (WAITING_COLUMNS, *waiting_rows(memory, options.waiting))), flush=True)
    return rows, memory
