"""Rows of the log and the read models: appends and commands without HTTP on both engines, beside bare parts; catch-up,
rebuild and verification in events a second."""

import json
import os
import re

import machine

PARTITIONS = (1, 8, 16)
MODES = (("bare", "bare part"), ("events", "append"), ("commands", "commands"))


def bench(options, subcommand, *arguments, url, brokers=None):
    """Output of one of the C++ benchmarks, on a database made for it."""
    env = os.environ | {"WORKFORCE_TEST_DATABASE_URL": url}
    if brokers:
        env["WORKFORCE_TEST_KAFKA_BROKERS"] = brokers
    return machine.run(*machine.bench(options, subcommand, *arguments), timeout=900, env=env)


def figures(output):
    return [json.loads(line) for line in re.findall(r"^BENCH (.*)$", output, re.M)]


def appends(options, url, brokers):
    """Appends and commands of both engines at each number of partitions."""
    head = f"{'engine':10}{'what':12}{'partitions':>11}{'under way':>11}{'events/s':>12}{'a second':>12}"
    print(head + f"{'p50 ms':>10}{'p99 ms':>10}", flush=True)
    rows = []
    for engine in ("postgres", "kafka"):
        for partitions in PARTITIONS:
            for mode, what in MODES:
                for in_flight in (64,) if partitions > 1 or mode == "bare" else (1, 64):
                    output = bench(options, "log", "--engine", engine, "--mode", mode, "--partitions", partitions,
                                   "--in-flight", in_flight, "--seconds", options.duration, url=url, brokers=brokers)
                    (row,) = figures(output)
                    rows.append(row)
                    print(f"{engine:10}{what:12}{partitions:>11}{in_flight:>11}{row['events_per_s']:>12,}"
                          f"{row['operations_per_s']:>12,}{row['p50_ms']:>10.2f}{row['p99_ms']:>10.2f}", flush=True)
    return rows


def read_models(options, url, brokers):
    """Rebuild of each read model and catch-up of all, and the verification of the chain, on both engines."""
    rows = []
    for engine in ("postgres", "kafka"):
        output = bench(options, "projections", "--engine", engine, "--events", options.events, url=url, brokers=brokers)
        rows += figures(output)
        for row in figures(output):
            print(f"{engine:10}{row['what']:40}{row['events_per_s']:>12,} events/s", flush=True)
    return rows
