"""Tables as TSV, CSV and JSON: read by sqlite3's .import, by jq and by Python's csv module, with the
sums of the report."""

import csv
import io
import json
import os
import subprocess
import unittest

import clients
import export_program
import harness
from export_program import export, report

# Columns of accounts, and what the report calls their sums.
SUMS = {"calls": "calls", "bytes": "bytes", "frees": "frees", "resizes": "resizes",
        "temporary_calls": "temporary_calls", "live_bytes": "peak_bytes",
        "live_blocks": "peak_blocks", "never_freed_bytes": "end_bytes",
        "never_freed_blocks": "end_blocks"}
ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def ledgers():
    return (export_program.cpp(), export_program.python(), export_program.sampled(), family())


def family():
    """A process, a child that goes on as the same program, and one that runs another."""
    if not hasattr(family, "paths"):
        script = ("import os, subprocess, sys\n"
                  "kept = [bytearray(n) for n in range(1000, 1100)]\n"
                  "child = os.fork()\n"
                  "if child == 0:\n"
                  "    more = [bytearray(5000) for _ in range(50)]\n"
                  "    del kept\n"
                  "    sys.exit(0)\n"
                  "os.waitpid(child, 0)\n"
                  "subprocess.run(['/bin/echo', 'done'])\n")
        folder = harness.fresh_folder()
        done = subprocess.run(
            [harness.TOOL, "run", "-o", os.path.join(folder, "%e.%p.ledger"), "--", "python3", "-c",
             script], capture_output=True, timeout=300, env=harness.plain_environment())
        harness.expect_equal(done.returncode, 0, f"status of the recording: {done.stderr}")
        family.paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    return family.paths


def imported(form, ledger, query, *options):
    """The rows that sqlite3 gives for a query on an exported table, called t."""
    path = os.path.join(harness.fresh_folder(), "t." + form)
    export(ledger, form, "-o", path, *options)
    mode = "csv" if form == "csv" else "tabs"
    text = clients.run([clients.command("sqlite3", "sqlite3"), ":memory:", f".mode {mode}",
                        f".import '{path}' t", ".mode json", query])
    return json.loads(text) if text.strip() else []


def jq(ledger, program, *options):
    """What jq makes of an export to JSON."""
    path = os.path.join(harness.fresh_folder(), "t.json")
    export(ledger, "json", "-o", path, *options)
    return json.loads(clients.run([clients.command("jq", "jq"), "-c", program, path]))


def unescaped(cell):
    """The bytes behind a cell of TSV."""
    out, at = b"", 0
    while at < len(cell):
        if cell[at] != "\\":
            out += cell[at].encode()
            at += 1
        elif cell[at + 1] == "x":
            out += bytes([int(cell[at + 2:at + 4], 16)])
            at += 4
        else:
            out += ESCAPES[cell[at + 1]].encode()
            at += 2
    return out


class Accounts(unittest.TestCase):
    def test_sums_are_the_totals_of_the_report(self):
        sums = ", ".join(f"sum({column}) AS {column}" for column in SUMS)
        fields = ", ".join(f"{column}: (map(.{column}) | add)" for column in SUMS)
        for ledger in ledgers():
            totals = report(ledger)["totals"]
            wanted = {column: totals[name] for column, name in SUMS.items()}
            with self.subTest(ledger=ledger):
                for form in ("tsv", "csv"):
                    self.assertEqual(imported(form, ledger, f"SELECT {sums} FROM t"), [wanted])
                self.assertEqual(jq(ledger, f".rows | {{{fields}}}"), wanted)

    def test_rows_are_those_of_the_report(self):
        groups = report(export_program.cpp(), "--by", "site")["groups"]
        names = ("site", "calls", "bytes", "live_bytes", "live_blocks", "peak_bytes",
                 "peak_blocks", "peak_time_ns", "frees", "ended_blocks", "ended_bytes",
                 "temporary_calls", "resizes", "moved_blocks", "moved_bytes", "smallest",
                 "largest", "line")
        rows = jq(export_program.cpp(), ".rows")
        wanted = {group["site"]: [group[name] for name in names] for group in groups}
        self.assertEqual({row["site"]: [row[name] for name in names] for row in rows}, wanted)
        self.assertEqual({row["site"]: row["function"] for row in rows},
                         {group["site"]: group["name"] for group in groups})

    def test_a_moment_and_a_range(self):
        ledger = export_program.cpp()
        for words in (["--at", "50%"], ["--at", "end"], ["--between", "start", "peak"],
                      ["--filter", "size>=64,function=stock"]):
            figures = report(ledger, "--by", "site", *words)["figures"]
            sums = jq(ledger, ".rows | {live: (map(.live_bytes) | add), "
                              "calls: (map(.calls) | add)}", *words)
            with self.subTest(words=words):
                self.assertEqual(sums, {"live": figures["live_bytes"], "calls": figures["calls"]})
        self.assertEqual(jq(ledger, ".rows | map(.never_freed_bytes) | unique",
                            "--between", "start", "peak"), [None])

    def test_stacks(self):
        ledger = export_program.cpp()
        rows = imported("csv", ledger, "SELECT stack, never_freed_bytes AS bytes FROM t "
                                       "WHERE stack LIKE '%nested%'")
        self.assertEqual([row["bytes"] for row in rows], ["4321"])
        names = rows[0]["stack"].split(";")
        self.assertEqual(names.count("shop::nested(int)"), 6, names)
        self.assertLess(names.index("main"), names.index("shop::nested(int)"))
        frames = jq(ledger, '.rows[] | select(.never_freed_bytes == 4321) | .stack')
        self.assertEqual([frame["name"] for frame in reversed(frames)], names)

    def test_hostile_names(self):
        ledger = export_program.hostile()
        wanted = {size: name for name, size in export_program.HOSTILE_NAMES.items()}
        text = export(ledger, "tsv", "--raw-names")
        table = [line.split("\t") for line in text.split("\n")[:-1]]
        self.assertEqual({len(row) for row in table}, {len(table[0])})
        place = {name: number for number, name in enumerate(table[0])}
        found = {int(row[place["bytes"]]): unescaped(row[place["function"]]) for row in table[1:]}
        self.assertEqual({size: found.get(size) for size in wanted}, wanted)
        rows = list(csv.DictReader(io.StringIO(export(ledger, "csv", "--raw-names"), newline="")))
        shown = {int(row["bytes"]): row["function"] for row in rows}
        asked = jq(ledger, "[.rows[] | {b: .bytes, f: .function}]", "--raw-names")
        for size, name in wanted.items():
            plain = name.decode("utf-8", "backslashreplace")
            self.assertEqual(shown[size], plain)
            self.assertIn({"b": size, "f": plain}, asked)
        for form in ("tsv", "csv"):
            count = imported(form, ledger, "SELECT count(*) AS n, sum(bytes) AS b FROM t",
                             "--raw-names")
            self.assertEqual(count, [{"n": len(rows), "b": report(ledger)["totals"]["bytes"]}])

    def test_csv_lines_end_as_the_standard_says(self):
        data = export(export_program.cpp(), "csv", text=False)
        self.assertEqual(data.count(b"\n"), data.count(b"\r\n"))
        self.assertTrue(data.endswith(b"\r\n"))


class Entries(unittest.TestCase):
    QUERY = ("SELECT what, sum(calls) AS calls, sum(bytes) AS bytes, count(*) AS n FROM t "
             "GROUP BY what ORDER BY what")

    def check(self, ledger, rows):
        totals = report(ledger)["totals"]
        by_what = {row["what"]: row for row in rows}
        allocating = [by_what[what] for what in ("allocate", "resize") if what in by_what]
        self.assertEqual(sum(row["calls"] for row in allocating), totals["calls"])
        self.assertEqual(sum(row["bytes"] for row in allocating), totals["bytes"])
        self.assertEqual(by_what["free"]["calls"], totals["frees"])
        if ledger != export_program.sampled():
            self.assertEqual(by_what.get("resize", {"calls": 0})["calls"], totals["resizes"])

    def test_sums_are_the_totals_of_the_report(self):
        for ledger in ledgers():
            with self.subTest(ledger=ledger):
                for form in ("tsv", "csv"):
                    self.check(ledger, imported(form, ledger, self.QUERY, "--entries"))
                self.check(ledger, jq(ledger, ".rows | group_by(.what) | map({what: .[0].what, "
                                              "calls: (map(.calls) | add), "
                                              "bytes: (map(.bytes) | add)})", "--entries"))

    def test_every_call_is_a_row(self):
        ledger = export_program.cpp()
        counts = {name: count for name, count in report(ledger)["by_function"].items() if count}
        rows = imported("tsv", ledger, "SELECT function, count(*) AS n FROM t GROUP BY function",
                        "--entries")
        self.assertEqual({row["function"]: row["n"] for row in rows}, counts)
        about = jq(ledger, "{schema, count, n: (.rows | length)}", "--entries")
        self.assertEqual(about, {"schema": "heapledger.export.entries/1",
                                 "count": sum(counts.values()), "n": sum(counts.values())})

    def test_rows_are_in_the_order_of_time_and_tell_threads(self):
        ledger = export_program.cpp()
        rows = jq(ledger, ".rows", "--entries")
        times = [row["time_ns"] for row in rows]
        self.assertEqual(times, sorted(times))
        calls = {}
        for row in rows:
            if row["what"] != "free":
                calls[row["tid"]] = calls.get(row["tid"], 0) + row["calls"]
        groups = report(ledger, "--by", "thread")["groups"]
        self.assertEqual(calls, {group["tid"]: group["calls"] for group in groups})
        self.assertEqual({row["pid"] for row in rows}, {groups[0]["pid"]})

    def test_replayed_by_hand_they_give_the_peak_and_the_rest(self):
        ledger = export_program.python()  # one thread: the order of time is that of calls
        live, now, peak = {}, 0, 0
        for row in jq(ledger, ".rows", "--entries"):
            if row["what"] == "resize":
                now -= live.pop(row["old_address"])
            if row["what"] == "free":
                now -= live.pop(row["address"], 0)
            else:
                live[row["address"]] = row["size"]
                now += row["size"]
            peak = max(peak, now)
        totals = report(ledger)["totals"]
        self.assertEqual((peak, now, len(live)),
                         (totals["peak_bytes"], totals["end_bytes"], totals["end_blocks"]))

    def test_a_range(self):
        ledger = export_program.cpp()
        words = ("--between", "start", "peak")
        figures = report(ledger, "--by", "site", *words)["figures"]
        rows = imported("csv", ledger, self.QUERY, "--entries", *words)
        self.assertEqual(sum(row["calls"] for row in rows if row["what"] != "free"),
                         figures["calls"])

    def test_refusals(self):
        for words, text in ((["--entries", "--at", "end"], "--between"),
                            (["--entries", "--separator", "|"], "--separator"),
                            (["--metric", "calls"], "--metric"),
                            (["--entries", "--filter", "lifetime<1ms"], "lifetime")):
            done = subprocess.run([harness.TOOL, "export", export_program.cpp(), "--to", "tsv",
                                   *words], capture_output=True, text=True, timeout=300)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")


class Memory(unittest.TestCase):
    SOURCE = """
#include <stdlib.h>
int main(int argc, char** argv) {
  (void)argc;
  for (long i = 0, count = atol(argv[1]); i < count; ++i) {
    void* volatile block = malloc((size_t)(i % 100));
    free(block);
  }
  return 0;
}
"""

    def peak_kib(self, count):
        binary = export_program.compile_program("calls", self.SOURCE, "gcc", ("-O1", "-g"))
        ledger = export_program.record([binary, str(count)], f"calls{count}")
        measure = ("import resource, subprocess, sys; "
                   "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        # Otherwise the address sanitizer keeps what was freed, up to 256 MB.
        options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
        return int(clients.run(["python3", "-c", measure, harness.TOOL, "export", ledger, "--to",
                                "tsv", "--entries"],
                               env={**os.environ, "ASAN_OPTIONS": options}))

    def test_does_not_grow_with_the_rows(self):
        # A row takes about 80 bytes: kept, 760,000 more of them would be 60 MB.
        few, many = self.peak_kib(20_000), self.peak_kib(400_000)
        self.assertLess(many - few, 20_000, f"KiB for 40,000 and for 800,000 rows: {few}, {many}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
