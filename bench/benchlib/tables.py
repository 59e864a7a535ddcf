"""Figures as text: aligned Markdown, readable in a terminal and ready to be pasted into a page."""


def times(value):
    return "–" if value is None else f"{value:.2f}×" if value < 10 else f"{value:.0f}×"


def share(value):
    """A share of the yardstick's added time: 1/7.5 below one, 2.3× above, 0 for nothing added."""
    if value is None:
        return "–"
    if value <= 0:
        return "0"
    if value >= 0.995:
        return f"{value:.1f}×"
    parts = 1 / value
    return f"1/{parts:.1f}" if parts < 20 else f"1/{parts:.0f}"


def size(count):
    if count is None:
        return "–"
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def plain(value):
    return "–" if value is None else f"{value:.2f}"


def millions(value):
    return "–" if value is None else f"{value / 1e6:.1f} M"


def markdown(header, rows):
    """First column to the left, figures to the right, all columns padded."""
    cells = [header] + rows
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]

    def line(row):
        padded = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * width if i == 0 else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    return "\n".join([line(header), line(rule)] + [line(row) for row in rows])


def workload_table(figures, reference):
    """One workload: a row per tool, in the order of `figures`."""
    header = [
        "tool",
        "time",
        "CPU time",
        "peak RSS",
        "file",
        "bytes/entry",
        f"time added vs {reference}",
        "time vs own allocator",
    ]
    rows = [
        [
            tool,
            times(f["wall_ratio"]),
            times(f["cpu_ratio"]),
            times(f["rss_ratio"]),
            size(f["file"]) if f["file"] else "–",
            plain(f.get("bytes_per_entry")),
            share(f["wall_added_vs_reference"]),
            times(f["wall_ratio_own_allocator"]),
        ]
        for tool, f in figures.items()
    ]
    return markdown(header, rows)


def overview(results, tools):
    """All workloads: a column per workload, the slowdown of each tool in it."""
    header = ["slowdown"] + [result["name"] for result in results]
    rows = [
        [tool] + [times(result["tools"].get(tool, {}).get("wall_ratio")) for result in results]
        for tool in tools
    ]
    return markdown(header, rows)
