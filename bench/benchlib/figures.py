"""The arithmetic of the comparison: samples in, figures out. No input or output, so that it can be
tested with made-up samples. A figure that cannot be had is None, never a guess."""

import statistics


def pick(values, how):
    """One number for several samples: the best (smallest) or the median."""
    if not values:
        return None
    return min(values) if how == "best" else statistics.median(values)


def spread(values):
    """How far apart the samples are: (largest - smallest) / smallest."""
    if not values or min(values) <= 0:
        return None
    return (max(values) - min(values)) / min(values)


def ratio(value, base):
    if value is None or base is None or base <= 0:
        return None
    return value / base


def added(value, base):
    if value is None or base is None:
        return None
    return value - base


def relative_added(value, reference, base):
    """What `value` adds to `base`, as a share of what `reference` adds: 0.1 is a tenth."""
    ours, theirs = added(value, base), added(reference, base)
    if ours is None or theirs is None or theirs <= 0:
        return None
    return ours / theirs


def bytes_per_entry(file_bytes, ledger, counted):
    """File size by number of entries: as our own reader counts them, or else the independent count
    (each block handed out or given back is one entry)."""
    entries = ledger["entries"] if ledger else counted["allocations"] + counted["frees"]
    return ratio(file_bytes, entries)


def disagreement(ledger, counted):
    """How far a ledger's calls are from the independent count: 0.01 is one in a hundred."""
    return ratio(abs(ledger["calls"] - counted["allocations"]), counted["allocations"])


MEASURES = ("wall", "cpu", "rss", "file")


def condense(samples, how):
    """Samples (dicts with the MEASURES) of one tool on one workload as one dict."""
    return {
        measure: pick([sample[measure] for sample in samples if sample[measure] is not None], how)
        for measure in MEASURES
    }


def compare_tools(samples, how, baselines, reference):
    """Figures per tool, for one workload.

    samples: tool -> list of samples; baselines: tool -> the row it is also compared with;
    reference: the tool whose added time is the yardstick.
    """
    condensed = {tool: condense(rows, how) for tool, rows in samples.items() if rows}
    native = condensed.get("native", dict.fromkeys(MEASURES))
    yardstick = condensed.get(reference, dict.fromkeys(MEASURES))
    figures = {}
    for tool, values in condensed.items():
        own = condensed.get(baselines.get(tool) or "", dict.fromkeys(MEASURES))
        figures[tool] = {
            "rounds": len(samples[tool]),
            **values,
            "wall_spread": spread([sample["wall"] for sample in samples[tool]]),
            "wall_ratio": ratio(values["wall"], native["wall"]),
            "cpu_ratio": ratio(values["cpu"], native["cpu"]),
            "rss_ratio": ratio(values["rss"], native["rss"]),
            "wall_ratio_own_allocator": ratio(values["wall"], own["wall"]),
            "cpu_ratio_own_allocator": ratio(values["cpu"], own["cpu"]),
            "wall_added_vs_reference": None
            if tool == "native"
            else relative_added(values["wall"], yardstick["wall"], native["wall"]),
            "cpu_added_vs_reference": None
            if tool == "native"
            else relative_added(values["cpu"], yardstick["cpu"], native["cpu"]),
        }
    return figures
