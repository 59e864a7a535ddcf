"""Exports for heaptrack: heaptrack_print reads them, and its figures are those of the report."""

import os
import re
import subprocess
import unittest

import clients
import export_program
import harness
from export_program import export, report

# What heaptrack_print calls the figures that flame graphs can be weighed by, and we.
COSTS = {"allocations": "calls", "temporary": "temporary_calls", "leaked": "end_bytes",
         "peak": "peak_bytes"}

# One thread, so that what comes next in the thread comes next in the process: three kept blocks of
# one size from one place, freed right after others like them, and blocks that are freed at once.
ORDERLY = """
#include <stdlib.h>
__attribute__((noinline)) char* get(size_t size) { char* volatile block = malloc(size); return block; }
int main(void) {
  char* kept[4];
  for (int i = 0; i < 4; ++i) kept[i] = get(100);
  free(kept[0]);
  for (int i = 0; i < 7; ++i) free(get(100));
  char* grown = get(10);
  for (size_t size = 20; size < 3000; size *= 2) grown = realloc(grown, size);
  for (int i = 1; i < 4; ++i) free(kept[i]);
  free(get(0));
  return grown == NULL;
}
"""


def exported(ledger, *options):
    path = os.path.join(harness.fresh_folder(), "out.heaptrack")
    export(ledger, "heaptrack", "-o", path, *options)
    return path


def printed(path, *options):
    """What heaptrack_print says; it complains about lines on standard error."""
    done = subprocess.run([clients.command("heaptrack_print", "heaptrack"), "-f", path,
                           "--disable-builtin-suppressions", *options],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    harness.expect_equal((done.returncode, done.stderr), (0, b""), "status and complaints")
    return done.stdout.decode("utf-8")


def stacks(path, cost):
    """Pairs of a stack and its cost, as heaptrack_print writes them for flame graphs."""
    out = path + ".stacks"
    printed(path, "--flamegraph-cost-type", cost, "-F", out, "-a0", "-p0", "-T0", "-t0")
    with open(out, encoding="utf-8") as file:
        pairs = [line.rpartition(" ") for line in file.read().split("\n") if line]
    return [(stack, int(value)) for stack, _, value in pairs]


def figure(text, name):
    return re.search(rf"^{re.escape(name)}: ([^ \n]+)", text, re.M).group(1)


class Heaptrack(unittest.TestCase):
    def test_figures_are_those_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            totals = report(ledger)["totals"]
            path = exported(ledger)
            text = printed(path)
            self.assertEqual(int(figure(text, "calls to allocation functions")), totals["calls"])
            for cost, name in COSTS.items():
                if cost == "temporary":
                    continue  # of the whole process there, of a thread here: see below
                with self.subTest(ledger=ledger, cost=cost):
                    self.assertEqual(sum(value for _, value in stacks(path, cost)), totals[name])

    def test_temporary_calls_of_one_thread(self):
        program = export_program.compile_program("orderly", ORDERLY, "gcc", ("-O1", "-g"))
        for ledger in (export_program.record([program], "orderly"), export_program.python()):
            totals = report(ledger)["totals"]
            path = exported(ledger)
            for cost, name in COSTS.items():
                with self.subTest(ledger=ledger, cost=cost):
                    self.assertEqual(sum(value for _, value in stacks(path, cost)), totals[name])
            self.assertEqual(int(figure(printed(path), "temporary memory allocations")),
                             totals["temporary_calls"])

    def test_temporary_calls_of_threads_are_never_more(self):
        ledger = export_program.cpp()
        self.assertLessEqual(sum(value for _, value in stacks(exported(ledger), "temporary")),
                             report(ledger)["totals"]["temporary_calls"])

    def test_resident_memory(self):
        ledger = export_program.python()
        text = printed(exported(ledger))
        megabytes = float(figure(text, "peak RSS (including heaptrack overhead)").rstrip("M"))
        self.assertAlmostEqual(megabytes, report(ledger)["totals"]["rss_peak_bytes"] / 1e6, places=2)

    def test_functions_files_and_inlined_frames(self):
        path = exported(export_program.cpp())
        nested = [(stack, value) for stack, value in stacks(path, "leaked") if "nested" in stack]
        self.assertEqual(sum(value for _, value in nested), 4321)
        self.assertEqual({stack.count("shop::nested") for stack, _ in nested}, {6})
        text = printed(path, "-n1000", "-s1000")
        self.assertIn("make_item", text)
        self.assertRegex(text, r"shop::stock\(int\)\n +at \S*shop.cpp:\d+")

    def test_hostile_names(self):
        path = exported(export_program.hostile(), "--raw-names")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(all(c >= " " or c == "\n" for c in text))
        leaked = dict((value, stack) for stack, value in stacks(path, "leaked"))
        self.assertEqual(set(leaked), set(export_program.HOSTILE_NAMES.values()))
        self.assertIn("line\\nbreak", leaked[202])
        self.assertIn("x" * 10000, leaked[606])
        self.assertIn("drop table", leaked[909])

    def test_filters(self):
        ledger = export_program.cpp()
        path = exported(ledger, "--filter", "size>=1k")
        figures = report(ledger, "--filter", "size>=1k", "--at", "end")["figures"]
        self.assertEqual(sum(value for _, value in stacks(path, "leaked")), figures["live_bytes"])
        self.assertEqual(sum(value for _, value in stacks(path, "allocations")), figures["calls"])

    def test_refusals(self):
        for words, text in ((["--at", "end"], "whole recording"), (["--metric", "calls"], "metric"),
                            ([export_program.python()], "one process")):
            done = subprocess.run([harness.TOOL, "export", export_program.cpp(), "--to",
                                   "heaptrack", *words], capture_output=True, text=True, timeout=300)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
