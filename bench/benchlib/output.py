"""What a comparison says: tables and remarks for people, JSON with every sample for programs."""

import json
import os
import platform
import subprocess
import sys

from benchlib import tables
from benchlib.figures import disagreement
from benchlib.tools import MODES, REFERENCE

NOISY = 0.10  # a wider spread of the native runs than this is worth a word
# Modes that do not count every call, so that their ledgers need not agree with anybody.
ESTIMATES = {name for name, _, words, _ in MODES if words in ("mode=sample", "mode=off")}
DISAGREEMENT = 0.001  # so is a ledger whose calls are further than this from the independent count


def say(text):
    print(text, file=sys.stderr, flush=True)


class Progress:
    """On a terminal one line that changes; elsewhere a line per round and workload."""

    def __init__(self):
        self.last = None

    def __call__(self, number, workload, tool):
        stage = f"round {number}" if number else "preparing"
        if sys.stderr.isatty():
            print(f"\r\033[K{stage}: {workload}, {tool}", end="", file=sys.stderr, flush=True)
        elif (stage, workload) != self.last:
            say(f"{stage}: {workload}")
        self.last = (stage, workload)

    def done(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def remarks(result):
    """What a reader of the figures of one workload should know."""
    lines = [f"{tool} FAILED: {why}" for tool, why in result["failures"].items()]
    spread = result["tools"].get("native", {}).get("wall_spread")
    if spread is not None and spread > NOISY:
        lines.append(f"noisy: the native runs differ by {spread:.0%}; small ratios mean little")
    for tool, figures in result["tools"].items():
        ledger = figures.get("ledger")
        if ledger and (ledger["missed"] or not ledger["complete"]):
            lines.append(f"{tool}: the ledger is not complete ({ledger['missed']} entries missed)")
        exact = ledger and tool not in ESTIMATES
        if exact and disagreement(ledger, result["counted"]) > DISAGREEMENT:
            lines.append(
                f"{tool}: the ledger has {ledger['calls']} calls, an independent count "
                f"{result['counted']['allocations']}"
            )
    return lines


def print_tables(results, tools, how):
    print(
        f"Ratios to the native run ({how} of the rounds). "
        f'"time added vs {REFERENCE}": what a tool adds, as a share of what {REFERENCE} adds.'
    )
    for result in results:
        calls = tables.millions(result["counted"]["allocations"])
        rate = tables.millions(result["allocations_per_second"])
        print(f"\n{result['name']}: {result['about']}; {calls} allocations, {rate} a second\n")
        print(tables.workload_table(result["tools"], REFERENCE))
        for line in remarks(result):
            print(f"! {line}")
    if len(results) > 1:
        ran = {name for result in results for name in result["tools"]}
        print("\n" + tables.overview(results, [t.name for t in tools if t.name in ran]))


def versions():
    """What the peers call themselves, for whoever reads the JSON later."""
    found = {}
    for program in ("heaptrack", "valgrind", "clang++", "g++", "sqlite3", "/usr/bin/python3"):
        try:
            text = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            found[os.path.basename(program)] = text.splitlines()[0] if text else None
        except OSError:
            pass
    return found


def write_json(path, arguments, notes, results):
    document = {
        "schema": "heapledger.bench/1",
        "settings": {
            name: getattr(arguments, name)
            for name in ("scale", "rounds", "slow_rounds", "pick", "seed")
        },
        "machine": {
            "cpus": os.cpu_count(),
            "architecture": platform.machine(),
            "kernel": platform.release(),
        },
        "versions": versions(),
        "reference": REFERENCE,
        "units": {"wall": "seconds", "cpu": "seconds", "rss": "bytes", "file": "bytes"},
        "notes": notes,
        "workloads": results,
    }
    with open(path, "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
