"""All runs of a comparison. The rounds are interleaved: in each, every tool runs once on every
workload, in an order shuffled by a seed, so that a change in the machine's mood falls on all tools
alike and not on one."""

import random

from benchlib.figures import bytes_per_entry, compare_tools
from benchlib.runner import RunFailed, count_calls, read_ledgers, run_tool
from benchlib.tools import REFERENCE


def schedule(tools, rounds, slow_rounds, seed):
    """Yields, per round, the tools of that round in their order."""
    dice = random.Random(seed)
    for number in range(max(rounds, slow_rounds)):
        order = [tool for tool in tools if number < (slow_rounds if tool.slow else rounds)]
        dice.shuffle(order)
        yield order


class Bench:
    """Collects the samples of all tools on one workload."""

    def __init__(self, place, workload, scale, timeout):
        self.place, self.workload, self.timeout = place, workload, timeout
        self.command = workload.command(place, workload.amounts[scale])
        self.samples = {}
        self.ledgers = {}
        self.failures = {}
        # Also warms the caches of the file system.
        self.expected, self.counts = count_calls(place, workload, self.command, timeout)

    def run(self, tool):
        if tool.name in self.failures:
            return
        wanted = tool.ledger and tool.name not in self.ledgers
        inspect = (lambda files: read_ledgers(self.place, files)) if wanted else None
        try:
            sample, facts = run_tool(
                self.place, tool, self.workload, self.command, self.expected, self.timeout, inspect
            )
        except RunFailed as failure:
            self.failures[tool.name] = str(failure)
            return
        self.samples.setdefault(tool.name, []).append(sample)
        if facts:
            self.ledgers[tool.name] = facts

    def result(self, tools, how):
        """Everything known about this workload, as it goes into the JSON."""
        good = {
            tool.name: self.samples[tool.name]
            for tool in tools
            if tool.name in self.samples and tool.name not in self.failures
        }
        figures = compare_tools(good, how, {tool.name: tool.baseline for tool in tools}, REFERENCE)
        for tool in tools:
            if tool.name not in figures:
                continue
            row, ledger = figures[tool.name], self.ledgers.get(tool.name)
            row["samples"] = good[tool.name]
            row["ledger"] = ledger
            row["bytes_per_entry"] = (
                bytes_per_entry(row["file"], ledger, self.counts) if tool.every_event else None
            )
        native = figures.get("native", {}).get("wall")
        return {
            "name": self.workload.name,
            "about": self.workload.about,
            "counted": self.counts,
            "allocations_per_second": self.counts["allocations"] / native if native else None,
            "tools": figures,
            "failures": self.failures,
        }


def takes_part(tool, workload, scale):
    """Whether the pair runs at all: a smoke run is to be short."""
    return scale != "smoke" or workload.light or not tool.slow


def run_all(place, workloads, tools, settings, progress):
    """Runs everything; returns a result per workload. `progress` gets round, workload, tool."""
    benches, plans = [], []
    for workload in workloads:
        progress(0, workload.name, "counting its calls")
        benches.append(Bench(place, workload, settings.scale, settings.timeout))
        # A plan for each workload, so that the order differs from one to the next.
        plans.append(
            list(
                schedule(
                    [t for t in tools if takes_part(t, workload, settings.scale)],
                    settings.rounds,
                    settings.slow_rounds,
                    f"{settings.seed} {workload.name}",
                )
            )
        )
    for number in range(max(settings.rounds, settings.slow_rounds)):
        for bench, plan in zip(benches, plans):
            for tool in plan[number]:
                progress(number + 1, bench.workload.name, tool.name)
                bench.run(tool)
    return [bench.result(tools, settings.pick) for bench in benches]
