"""Rows of webhooks: deliveries a second to a subscriber on this machine, and how long after its event each arrives.

One organization posts shifts, in bulk, to one, ten or a thousand subscriptions, all of whose deliveries go to one sink. The rate
counts from the first request until all attempts are recorded, with everything else that the events lead to on the same cores.
The latency is that of events that come evenly, at half that rate or at what --webhook-load says: from the time that the
event carries, which is a little before its commit, until the sink has the request.
"""

import json
import time
import urllib.request

import machine
import report

SUBSCRIPTIONS = (1, 10, 1000)
BULK = 100  # shifts of one request
BURST_SECONDS = 0.02  # of even load, at most so many requests a second
DONE_SECONDS = 600
COLUMNS = ("", "subscriptions", "deliveries/s", "arrivals/s", "at load/s", "p50 ms", "p99 ms", "longest ms")
SETTINGS = {"WORKFORCE_WEBHOOKS_ALLOW_INSECURE_TARGETS": "true", "WORKFORCE_WEBHOOK_SUBSCRIPTIONS": "10000",
            "WORKFORCE_CREATOR_WEBHOOK_SUBSCRIPTIONS": "10000"}


class Sink:
    """The subscriber."""

    def __init__(self, port):
        self._port = port

    def url(self, number):
        return f"http://127.0.0.1:{self._port}/{number}"

    def take(self):
        """What came since the last time."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/take", timeout=10) as answer:
            return json.load(answer)

    def await_all(self, count):
        """Waits for so many; when the last of them was there."""
        came = 0

        def enough():
            nonlocal came
            came += self.take()["count"]
            return came >= count or time.sleep(0.02)
        machine.wait_for(enough, DONE_SECONDS, f"{count} deliveries arrive")
        if came > count:
            raise SystemExit(f"{came} deliveries came, {came - count} too many")
        return time.monotonic()


def subscribe(customer, sink, count):
    """Makes subscriptions; their ids."""
    return [customer.ask("POST", "/api/webhooks", {"name": "Bench", "url": sink.url(number), "events": ["shift_posted"]})[1]["id"]
            for number in range(count)]


def post(customer, count):
    for first in range(0, count, BULK):
        customer.ask("POST", "/api/shifts", {"shifts": [customer.shift(0)] * min(BULK, count - first)})


def settle(place):
    """Returns once all is sent and recorded."""
    place.settle_reactors()
    machine.wait_for(lambda: place.psql("SELECT count(*) FROM reactor.webhook_delivery").strip() == "0" or time.sleep(0.05), DONE_SECONDS,
                     "attempts are recorded")


def sustained(place, customer, sink, subscriptions, deliveries):
    """Deliveries/s from the first request until all is recorded, and until all has arrived."""
    events = max(1, deliveries // subscriptions)
    sink.take()
    began = time.monotonic()
    post(customer, events)
    arrived = sink.await_all(events * subscriptions) - began
    settle(place)
    return events * subscriptions / (time.monotonic() - began), events * subscriptions / arrived


def even(place, customer, sink, subscriptions, load, seconds):
    """What the sink tells of events at an even rate that makes so many deliveries a second."""
    a_second = load / subscriptions
    step = max(BURST_SECONDS, 1 / a_second)
    sink.take()
    events, began = 0, time.monotonic()
    while (passed := time.monotonic() - began) < seconds:
        due = int(passed * a_second) + 1 - events
        if due > 0:
            post(customer, due)
            events += due
        time.sleep(max(0.0, step - (time.monotonic() - began - passed)))
    settle(place)
    told = sink.take()
    if told["count"] != events * subscriptions:
        raise SystemExit(f"{told['count']} of {events * subscriptions} deliveries came")
    return events * subscriptions / seconds, told


def cells(place, options, log):
    """The rows, on a started installation with webhooks to this machine allowed."""
    port = machine.free_port()
    customer, rows = place.customers[0], []
    customer.connect(place.port)
    with machine.server(machine.bench(options, "sink", "--port", port), port, place.directory / "sink.log") as pid:
        sink = Sink(port)
        for subscriptions in options.subscriptions:
            ids = subscribe(customer, sink, subscriptions)
            sustained(place, customer, sink, subscriptions, options.deliveries // 10)  # a warm-up
            pids = place.pids | {"sink": pid}
            before = {name: machine.tree_cpu(each) for name, each in pids.items()}
            rate, arrivals = sustained(place, customer, sink, subscriptions, options.deliveries)
            cpu = {name: 1000 * (machine.tree_cpu(each) - before[name]) / options.deliveries for name, each in pids.items()}
            load, told = even(place, customer, sink, subscriptions, options.webhook_load or rate / 2, options.duration)
            rows.append({"log": log, "subscriptions": subscriptions, "rate": rate, "arrivals": arrivals, "load": load, **told,
                         "cpu_s_per_1000": cpu})
            print(report.line(row(rows[-1]), columns(pids)), flush=True)
            for webhook in ids:
                customer.ask("DELETE", f"/api/webhooks/{webhook}")
    return rows


def columns(processes):
    return (*COLUMNS, *(f"CPU s/1,000: {name}" for name in processes))


def row(figures):
    return (f"{figures['log']} log", str(figures["subscriptions"]), report.number(figures["rate"], 0), report.number(figures["arrivals"], 0),
            report.number(figures["load"], 0), str(figures["p50_ms"]), str(figures["p99_ms"]), str(figures["max_ms"]),
            *(report.number(seconds, 3) for seconds in figures["cpu_s_per_1000"].values()))
