"""The least that could do the same work: a bare Beast handler, the same with one prepared SELECT, pgbench on that."""

import re

import load
import machine

SELECT = "\\set id random(1, 1000)\nSELECT body FROM bench_item WHERE id = :id;\n"


def http(options, work, url, postmaster, report):
    """Cells of the two handlers at each number of connections."""
    for what, servers, more in (("bare handler", {}, []),
                                ("bare handler with one SELECT", {"PostgreSQL": postmaster},
                                 ["--mode", "select", "--database-url", url])):
        port = machine.free_port()
        with machine.server(machine.bench(options, "bare", "--port", port, *more), port, work / "bare.log") as pid:
            for connections in options.connections:
                report(load.measure(what, {"handler": pid} | servers, port, load.Again(["GET\t/\t-"]), work, connections,
                                    options))


def pgbench(options, work, url, postmaster, report):
    """Cells of the SELECT alone, on the table that the handler made."""
    script = work / "select.sql"
    script.write_text(SELECT)
    for clients in options.connections:
        if clients > 90:
            continue  # the server's limit
        log = work / f"pgbench{clients}"
        command = ["pgbench", "-n", "-M", "prepared", "-f", script, "-c", clients, "-j", min(clients, 2)]
        machine.run(*command, "-T", options.warm_up, url)
        before = machine.tree_cpu(postmaster)
        out = machine.run(*command, "-T", options.duration, "-l", "--log-prefix", log, "--sampling-rate", "0.1", url,
                          timeout=options.duration + 60)
        cpu = machine.tree_cpu(postmaster) - before
        # A log line: client, transaction, microseconds, ...
        times = sorted(int(line.split()[2]) for file in work.glob(log.name + ".*") for line in file.read_text().splitlines())
        requests = int(re.search(r"actually processed: (\d+)", out)[1])
        report(load.Cell("pgbench, the same SELECT", 1, clients, requests, float(re.search(r"tps = ([\d.]+)", out)[1]),
                         times[len(times) // 2] / 1000, times[len(times) * 99 // 100] / 1000,
                         int(re.search(r"failed transactions: (\d+)", out)[1]), {"PostgreSQL": 1000 * cpu / requests}))
