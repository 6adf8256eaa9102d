"""Tables of what was measured, on the terminal and in Markdown."""

COLUMNS = ("", "organizations", "connections", "requests/s", "p50 ms", "p99 ms")
MEMORY = ("", "ready after s", "idle MB", "after load MB", "highest MB")


def number(value, digits):
    return "–" if value is None else f"{value:,.{digits}f}"


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
    return row[0].ljust(30) + "".join(text.rjust(len(name) + 2) for text, name in zip(row[1:], columns[1:]))


def markdown(columns, rows):
    """A table; columns in which no row has anything are left out."""
    shown = [i for i in range(len(columns)) if i == 0 or any(row[i] not in ("–", "0") for row in rows)]
    lines = [[columns[i] for i in shown], ["---"] + ["---:"] * (len(shown) - 1), *([row[i] for i in shown] for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def ratios(small, large):
    """Requests/s and p50 of cells at much history as shares of the same cells at little: rows for compared()."""
    first = {(cell.what, cell.organizations, cell.connections): cell for cell in small}
    for cell in large:
        if before := first.get((cell.what, cell.organizations, cell.connections)):
            yield (cell.what, str(cell.organizations), str(cell.connections), f"{cell.rate / before.rate:.2f}",
                   f"{cell.p50_ms / before.p50_ms:.2f}",
                   f"{sum(cell.cpu_s_per_1000.values()) / sum(before.cpu_s_per_1000.values()):.2f}")


RATIOS = ("", "organizations", "connections", "requests/s", "p50", "CPU")
