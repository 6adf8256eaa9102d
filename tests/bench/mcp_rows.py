"""Rows of MCP: calls of tools in both eras, beside the official servers of Rust and TypeScript with a tool that echoes.

All of them answer in JSON and keep no sessions. The service checks keys, limits, tiers and scopes, and meters each call; the
others know nothing of the kind.
"""

import contextlib
import json
import math

import installation
import load
import machine

HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"}}
ID = "0123456789ab"  # what requests.lua counts
RUST, TYPESCRIPT = "Rust", "TypeScript"
BESIDE = ("", "connections", "calls/s", "CPU of servers")
MOST_SECONDS_OF_CARGO = 900
MOST_CALLS = 40_000  # a second; as many keys as their limits ask for make them


def line(tool, arguments, era, token, host):
    """A call, as requests.lua wants it."""
    params = {"name": tool, "arguments": arguments}
    fields = [f"Host: {host}", "Accept: application/json, text/event-stream", f"MCP-Protocol-Version: {era}"]
    if era == STATELESS:
        params["_meta"] = META
        fields += ["Mcp-Method: tools/call", f"Mcp-Name: {tool}"]
    body = json.dumps({"jsonrpc": "2.0", "id": ID, "method": "tools/call", "params": params})
    return f"POST\t/mcp\t{token}\t{body}\t{'|'.join(fields)}"


def check(port, request):
    """Ends the program unless the call is answered with a result: wrk sees no more than the status."""
    body, fields = request.split("\t")[3:]
    token = request.split("\t")[2]
    command = ["curl", "-sS", "--max-time", "10", "-d", body, "-H", "Content-Type: application/json"]
    for field in (*fields.split("|"), *([f"Authorization: Bearer {token}"] if token != "-" else [])):
        command += ["-H", field]
    answer = machine.run(*command, f"http://127.0.0.1:{port}/mcp")
    result = json.loads(answer).get("result")
    if not result or result.get("isError"):
        raise SystemExit(f"a call was answered {answer[:400]}")


@contextlib.contextmanager
def others(options, work):
    """The other servers, started: (name, its eras, port, pid) of each."""
    rust = installation.ROOT / "tests" / "bench" / "rust_mcp"
    target = installation.ROOT / "var" / "rust_mcp"
    machine.run("cargo", "build", "--quiet", "--release", "--locked", "--manifest-path", rust / "Cargo.toml", "--target-dir", target,
                timeout=MOST_SECONDS_OF_CARGO)
    commands = {RUST: ((HANDSHAKE, STATELESS), [target / "release" / "rust_mcp"]),
                TYPESCRIPT: ((HANDSHAKE,), [installation.ROOT / "scripts" / "node", installation.ROOT / "tests" / "bench" / "mcp_echo.cjs"])}
    with contextlib.ExitStack() as stack:
        started = []
        for name, (eras, command) in commands.items():
            port = machine.free_port()
            pid = stack.enter_context(machine.server([*command, port], port, work / f"{name}.log"))
            started.append((name, eras, port, pid))
        yield started


def cells(place, options, report_cell):
    """The rows, on a started installation whose first customer has data; `report_cell` is given each cell. All of one number
    of connections follow each other, so that a change of the machine's speed meets them alike."""
    customer, keys = place.customers[0], math.ceil(MOST_CALLS / installation.KEY_LIMIT)
    service = {"whoami": [{}], "shifts_get": [{"shiftId": shift} for shift in customer.shifts]}
    rows = [(f"{tool}, {era}", place.mcp_port, place.pids,
             [line(tool, arguments, era, token, f"127.0.0.1:{place.mcp_port}") for arguments, token in customer.keyed(calls, keys)])
            for tool, calls in service.items() for era in (HANDSHAKE, STATELESS)]
    with others(options, place.directory) as started:
        for name, eras, port, pid in started:
            rows += [(f"{name}: echo, {era}", port, {name: pid},
                      [line("echo", {"text": "x" * 100}, era, "-", f"127.0.0.1:{port}")]) for era in eras]
        rows = [row for row in rows if not options.operation or options.operation in row[0]]
        for _, port, _, lines in rows:
            check(port, lines[0])
        for connections in options.connections:
            for what, port, pids, lines in rows:
                report_cell(load.measure(what, pids, port, load.Again(lines), place.directory, connections, options))


def beside_rust(measured):
    """The service's calls as shares of the Rust server's of the same era: rows of BESIDE."""
    def cpu(cell):
        return sum(seconds for name, seconds in cell.cpu_s_per_1000.items() if name != "wrk")
    rust = {(cell.what.split(", ")[1], cell.connections): cell for cell in measured if cell.what.startswith(RUST)}
    for cell in measured:
        if not cell.what.startswith((RUST, TYPESCRIPT)):
            beside = rust.get((cell.what.split(", ")[1], cell.connections))
            if not beside:  # not asked for
                continue
            yield cell.what, str(cell.connections), f"{cell.rate / beside.rate:.2f}", f"{cpu(cell) / cpu(beside):.2f}"
