"""Draws latency against load, an operation a panel: a point for each number of connections."""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)
from matplotlib.lines import Line2D  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
INK = "#123456"  # replaced by the colour of the page's text
COLOURS = {"postgres": "#3b8bd0", "kafka": "#e07b39"}  # to be told apart on white and on black
NAMES = {"postgres": "log in PostgreSQL", "kafka": "log in Kafka"}
STYLE = "<style>svg { color: #1f2328 } @media (prefers-color-scheme: dark) { svg { color: #e6edf3 } }</style>"


def panel(axes, what, curves):
    """`curves`: the cells of each log, by connections."""
    for log, cells in curves.items():
        rates = [cell["rate"] for cell in cells]
        for key, style in (("p50_ms", "-"), ("p99_ms", "--")):
            axes.plot(rates, [cell[key] for cell in cells], style, color=COLOURS[log], marker="o", markersize=3, linewidth=1.4)
        for cell in cells[::2]:
            axes.annotate(str(cell["connections"]), (cell["rate"], cell["p99_ms"]), textcoords="offset points",
                          xytext=(0, 5), ha="center", fontsize=7, color=INK)
    axes.set_title(what, fontsize=10, color=INK)
    axes.set_yscale("log")
    axes.set_xlim(left=0)
    axes.grid(True, which="major", color=INK, alpha=0.15)
    axes.set_facecolor("none")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.tick_params(colors=INK, which="both", labelsize=8)
    for spine in axes.spines.values():
        spine.set_color(INK)


def draw(results, out):
    sections = {section["log"]: section["cells"] for section in results["sections"]
                if section["kind"] == "service" and section["shifts"] == 0}
    many = max(cell["organizations"] for cells in sections.values() for cell in cells)
    operations = list(dict.fromkeys(cell["what"] for cells in sections.values() for cell in cells))
    plt.rcParams["svg.fonttype"] = "none"  # text stays text
    plt.rcParams["svg.hashsalt"] = "workforce"  # the same figures give the same file
    plt.rcParams["font.family"] = "sans-serif"
    figure, panels = plt.subplots(-(-len(operations) // 2), 2, figsize=(9, 6.4), squeeze=False)
    for axes, what in zip(panels.flat, operations):
        panel(axes, what, {log: sorted((cell for cell in cells if cell["what"] == what and cell["organizations"] == many),
                                       key=lambda cell: cell["connections"]) for log, cells in sections.items()})
    for axes in panels[-1]:
        axes.set_xlabel("requests/s", fontsize=9, color=INK)
    for axes in panels[:, 0]:
        axes.set_ylabel("latency, ms", fontsize=9, color=INK)
    handles = [Line2D([], [], color=COLOURS[log], label=NAMES[log]) for log in sections]
    handles += [Line2D([], [], color=INK, linestyle=style, label=name) for name, style in (("p50", "-"), ("p99", "--"))]
    figure.legend(handles=handles, loc="lower center", ncol=4, frameon=False, fontsize=9, labelcolor=INK)
    figure.suptitle(f"Latency over load: {many} organizations, 1 to 256 connections (the small numbers)", fontsize=11, color=INK)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(out, transparent=True, metadata={"Date": None})
    text = out.read_text().replace(INK, "currentColor")
    head = text.index(">", text.index("<svg")) + 1
    out.write_text(text[:head] + "\n " + STYLE + text[head:])


def main():
    given = [pathlib.Path(argument) for argument in sys.argv[1:]]
    results, out = given + [ROOT / "var" / "bench" / "results.json", ROOT / "docs" / "latency.svg"][len(given):]
    draw(json.loads(results.read_text()), out)
    print(out)


if __name__ == "__main__":
    main()
