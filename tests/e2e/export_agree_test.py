"""Every format there is, of one ledger: they all tell the same, of malloc's heap and of another. A
format that is not in the table below fails the test, so a new one cannot be forgotten."""

import csv
import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import unittest

import clients
import export_parquet_test
import export_program
import harness
from export_program import export, totals_of


def collapsed(asked):
    def total(metric):
        lines = asked("collapsed", "--metric", metric).splitlines()
        return sum(int(line.rpartition(" ")[2]) for line in lines)
    return {"calls": total("calls"), "bytes": total("bytes"), "peak": total("live"),
            "never freed": total("never-freed"), "temporary": total("temporary")}


def fields_of(message):
    """The fields of a protocol buffer: pairs of a number and a whole number or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            length = varint()
            yield key >> 3, message[at:at + length]
            at += length


def pprof(asked):
    sums = [0, 0, 0, 0]
    for number, sample in fields_of(gzip.decompress(asked("pprof", text=False))):
        if number != 2:
            continue
        packed = next(value for field, value in fields_of(sample) if field == 2)
        # Numbers one after the other, as in a message of fields without keys.
        values, value, shift = [], 0, 0
        for byte in packed:
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                values.append(value)
                value = shift = 0
        sums = [a + b for a, b in zip(sums, values, strict=True)]
    return {"calls": sums[0], "bytes": sums[1], "peak": sums[3]}


def speedscope(asked):
    totals = {}
    for profile in json.loads(asked("speedscope"))["profiles"]:
        totals[profile["name"]] = sum(profile["weights"])
    return {"calls": totals["calls"], "bytes": totals["bytes allocated"],
            "peak": totals["bytes live at the peak"], "never freed": totals["bytes never freed"],
            "temporary": totals["temporary calls"]}


def rows_of(rows):
    def total(column):
        return sum(int(row[column]) for row in rows)
    return {"calls": total("calls"), "bytes": total("bytes"), "peak": total("live_bytes"),
            "never freed": total("never_freed_bytes"), "temporary": total("temporary_calls")}


def tsv(asked):
    lines = [line.split("\t") for line in asked("tsv").splitlines()]
    return rows_of([dict(zip(lines[0], line, strict=True)) for line in lines[1:]])


def comma_separated(asked):
    return rows_of(list(csv.DictReader(io.StringIO(asked("csv"), newline=""))))


def json_rows(asked):
    return rows_of(json.loads(asked("json"))["rows"])


def sqlite(asked):
    path = os.path.join(harness.fresh_folder(), "heap.sqlite")
    asked("sqlite", "-o", path)
    with sqlite3.connect(path) as base:
        row = base.execute("select sum(calls), sum(bytes), sum(live_bytes),"
                           " sum(never_freed_bytes), sum(temporary_calls) from accounts")
        return dict(zip(("calls", "bytes", "peak", "never freed", "temporary"), row.fetchone(),
                        strict=True))


def parquet(asked):
    folder = harness.fresh_folder()
    asked("parquet", "-o", folder)
    query = (
        "SELECT sum(calls) AS calls, sum(bytes) AS bytes, sum(live_bytes) AS peak,"
        ' sum(never_freed_bytes) AS "never freed", sum(temporary_calls) AS temporary'
        f" FROM '{folder}/accounts.parquet'")
    [[row]] = json.loads(clients.run_node(export_parquet_test.DUCKDB, json.dumps([query])))
    return {name: int(value) for name, value in row.items()}


def heaptrack(asked):
    infos, live, peak, calls, size = [], 0, 0, 0, 0
    for line in asked("heaptrack").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "a":
            infos.append(int(rest.split()[0], 16))
        elif kind == "+":
            calls += 1
            size += infos[int(rest, 16)]
            live += infos[int(rest, 16)]
            peak = max(peak, live)
        elif kind == "-":
            live -= infos[int(rest, 16)]
    return {"calls": calls, "bytes": size, "peak": peak, "never freed": live}


def firefox(asked):
    weights = []
    for thread in json.loads(asked("firefox"))["threads"]:
        weights += thread.get("nativeAllocations", {}).get("weight", [])
    return {"calls": sum(1 for weight in weights if weight > 0),
            "bytes": sum(weight for weight in weights if weight > 0),
            "never freed": sum(weights)}


def massif(asked):
    text = asked("massif")
    sizes = [int(size) for size in re.findall(r"^mem_heap_B=(\d+)$", text, re.M)]
    return {"peak": max(sizes), "never freed": sizes[-1]}


def callgrind(asked):
    text = asked("callgrind")
    names = re.search(r"^events: (.*)$", text, re.M)[1].split()
    costs = map(int, re.search(r"^totals: (.*)$", text, re.M)[1].split())
    totals = dict(zip(names, costs, strict=True))
    return {"calls": totals["Calls"], "bytes": totals["Bytes"], "peak": totals["Live"],
            "never freed": totals["NeverFreed"], "temporary": totals["Temporary"]}


def dhat(asked):
    points = json.loads(asked("dhat"))["pps"]
    return {"calls": sum(point["tbk"] for point in points),
            "bytes": sum(point["tb"] for point in points),
            "peak": sum(point["gb"] for point in points),
            "never freed": sum(point["eb"] for point in points)}


def total_of_graph(text):
    return {"peak": int(re.search(r"\(([\d,]+) bytes\)", text)[1].replace(",", ""))}


def dot(asked):
    return total_of_graph(asked("dot"))


# Those that graphviz draws are the same graph; graph_test.py reads them.
READERS = {"collapsed": collapsed, "pprof": pprof, "speedscope": speedscope, "tsv": tsv,
           "csv": comma_separated, "json": json_rows, "sqlite": sqlite, "parquet": parquet,
           "heaptrack": heaptrack, "firefox": firefox, "massif": massif, "callgrind": callgrind,
           "dhat": dhat, "dot": dot, "svg": None, "pdf": None, "ps": None}


def formats():
    done = subprocess.run([harness.TOOL, "export", "--help"], capture_output=True, text=True,
                          timeout=300, check=True)
    listed = done.stdout.partition("Formats:\n")[2].partition("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


class Agreement(unittest.TestCase):
    def test_all_formats_are_compared(self):
        self.assertEqual(sorted(formats()), sorted(READERS))

    def check(self, ledger, leave_out=(), words=(), totals=None):
        totals = totals or totals_of(ledger)
        expected = {"calls": totals["calls"], "bytes": totals["bytes"],
                    "peak": totals["peak_bytes"], "temporary": totals["temporary_calls"]}

        def asked(*arguments, **how):
            return export(ledger, *arguments, *words, **how)

        for name, reader in READERS.items():
            if reader is None:
                continue
            with self.subTest(ledger=os.path.basename(ledger), format=name):
                suppressed = name in ("collapsed", "speedscope", "callgrind")
                expected["never freed"] = totals["never_freed_bytes" if suppressed else "end_bytes"]
                for figure, value in reader(asked).items():
                    if (name, figure) not in leave_out:
                        self.assertEqual(value, expected[figure], figure)

    def test_a_program_with_threads(self):
        self.check(export_program.cpp())

    def test_an_interpreter(self):
        self.check(export_program.python())

    def test_samples(self):
        # Firefox's format has one entry for a block, however many calls it stands for.
        self.check(export_program.sampled(), leave_out=[("firefox", "calls")])

    def test_another_heap(self):
        """Sums on paper: programs/maps.c, `split`, in pages."""
        run = harness.recorded([harness.program("maps"), "split"], words="maps=on")
        totals = {"calls": 3, "bytes": 170 * 4096, "peak_bytes": 115 * 4096, "temporary_calls": 0,
                  "end_bytes": 95 * 4096, "never_freed_bytes": 95 * 4096}
        # heaptrack's format knows no end of a part.
        self.check(run.ledgers[0], words=("--filter", "heap=mmap"), totals=totals,
                   leave_out=[("heaptrack", "peak"), ("heaptrack", "never freed")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
