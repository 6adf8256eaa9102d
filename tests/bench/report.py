"""Tables of what was measured, on the terminal and in Markdown."""

COLUMNS = ("", "organizations", "connections", "requests/s", "p50 ms", "p99 ms")
LOGS = {"postgres": "log in PostgreSQL", "kafka": "log in Kafka"}
MEMORY = ("", "ready after s", "idle MB", "after load MB", "highest MB")


def number(value, digits):
    return "–" if value is None else f"{value:,.{digits}f}"


def brief(milliseconds):
    return f"{milliseconds:.{2 if milliseconds < 1 else 1 if milliseconds < 10 else 0}f}"


def cell_columns(processes):
    return (*COLUMNS, *(f"CPU s/1,000: {name}" for name in processes), "visible after s", "errors")


def cell_row(cell, processes):
    """The texts of a cell; `processes` names whose CPU seconds are shown."""
    return (cell.what, str(cell.organizations), str(cell.connections), number(cell.rate, 0), number(cell.p50_ms, 2),
            number(cell.p99_ms, 2), *(number(cell.cpu_s_per_1000.get(name), 3) for name in processes),
            number(cell.visible_s, 2), str(cell.failed))


def memory_row(role, figures):
    return (role, number(figures["ready_s"], 2), *(number(figures[name], 0) for name in ("idle_mb", "loaded_mb", "peak_mb")))


def line(row, columns):
    """A row for the terminal."""
    return row[0].ljust(36) + "".join(text.rjust(len(name) + 2) for text, name in zip(row[1:], columns[1:]))


def markdown(columns, rows):
    """A table; columns in which no row has anything are left out."""
    shown = [i for i in range(len(columns)) if i == 0 or any(row[i] not in ("–", "0") for row in rows)]
    lines = [[columns[i] for i in shown], ["---"] + ["---:"] * (len(shown) - 1), *([row[i] for i in shown] for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def ratios(small, large):
    """Cells as shares of the same cells measured otherwise, at little history for example: rows of RATIOS."""
    first = {(cell.what, cell.organizations, cell.connections): cell for cell in small}
    for cell in large:
        if before := first.get((cell.what, cell.organizations, cell.connections)):
            yield (cell.what, str(cell.organizations), str(cell.connections), f"{cell.rate / before.rate:.2f}",
                   f"{cell.p50_ms / before.p50_ms:.2f}", f"{cell.p99_ms / before.p99_ms:.2f}",
                   f"{sum(cell.cpu_s_per_1000.values()) / sum(before.cpu_s_per_1000.values()):.2f}")


RATIOS = ("", "organizations", "connections", "requests/s", "p50", "p99", "CPU")


def summary(sections):
    """One table of the cells without history, each log's beside the other's, as (columns, rows). `sections` are as
    results.json has them, of one layout. Of many connections, as for the plot, 1, 32 and 256 are shown."""
    logs = {section["log"]: {(cell["what"], cell["organizations"], cell["connections"]): cell for cell in section["cells"]}
            for section in sections if section["kind"] == "service" and section["shifts"] == 0}
    keys = list(dict.fromkeys(key for cells in logs.values() for key in cells))
    named = [connections for connections in (1, 32, 256) if any(key[2] == connections for key in keys)]
    columns = ["", "organizations", "connections"]
    for log, cells in logs.items():
        processes = [name for name in next(iter(cells.values()))["cpu_s_per_1000"] if name != "wrk"]
        columns += [f"{LOGS[log]}: requests/s", "p50 / p99 ms", "CPU s / 1,000: " + " + ".join(processes)]
    rows = []
    for what, organizations, connections in keys:
        if named and connections not in named:
            continue
        row = [what, str(organizations), str(connections)]
        for cells in logs.values():
            cell = cells[what, organizations, connections]
            cpu = [f"{seconds:.3f}" for name, seconds in cell["cpu_s_per_1000"].items() if name != "wrk"]
            row += [number(cell["rate"], 0), f"{brief(cell['p50_ms'])} / {brief(cell['p99_ms'])}", " + ".join(cpu)]
        rows.append(row)
    return columns, rows
