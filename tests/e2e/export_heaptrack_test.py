"""Exports for heaptrack: heaptrack_print reads them, and its figures are those of the report."""

import json
import os
import re
import shutil
import subprocess
import time
import unittest

import clients
import export_program
import harness
from export_program import export, report

# What heaptrack_print calls the figures that flame graphs can be weighed by, and we.
COSTS = {"allocations": "calls", "leaked": "end_bytes", "peak": "peak_bytes"}

# Four kept blocks of one size from one place, one of them freed right after another one was born;
# eight that are freed at once, and eight that are resized at once: 16 temporary ones for heaptrack.
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


def exported(ledger, *options, name="out.heaptrack"):
    path = os.path.join(harness.fresh_folder(), name)
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


def temporary_in_the_process(ledger):
    """Blocks whose end, by whatever thread and for whatever reason, is the next thing that happens to
    any block."""
    count, last = 0, None
    rows = json.loads(export(ledger, "json", "--entries"))["rows"]
    for row in rows:
        ends = {"free": row["address"], "resize": row["old_address"]}.get(row["what"])
        if row["calls"] == 0:
            continue  # of nothing, or of a block that nobody saw
        count += ends is not None and ends == last
        last = row["address"] if row["what"] != "free" else None
    return count


def show_in_gui(path):
    """Lets heaptrack_gui read a file until it has nothing left to do; it must not have crashed."""
    folder = harness.fresh_folder()
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", HOME=folder, XDG_RUNTIME_DIR=folder)
    with subprocess.Popen([clients.command("heaptrack_gui", "heaptrack-gui"), path], cwd=folder,
                          env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as gui:
        try:
            before, quiet = (0, 0), 0
            while quiet < 5 and gui.poll() is None:
                time.sleep(0.2)
                with open(f"/proc/{gui.pid}/stat", encoding="utf-8") as file:
                    words = file.read().rpartition(")")[2].split()
                with open(f"/proc/{gui.pid}/io", encoding="utf-8") as file:
                    has_read = int(file.readline().split()[1])
                now = (int(words[11]) + int(words[12]), has_read)
                busy = now != before or has_read < os.path.getsize(path)
                before, quiet = now, 0 if busy else quiet + 1
            harness.expect_equal(gui.poll(), None, "heaptrack_gui ended by itself with")
        finally:
            gui.kill()


class Heaptrack(unittest.TestCase):
    def test_figures_are_those_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            totals = report(ledger)["totals"]
            path = exported(ledger)
            text = printed(path)
            self.assertEqual(int(figure(text, "calls to allocation functions")), totals["calls"])
            for cost, name in COSTS.items():
                with self.subTest(ledger=ledger, cost=cost):
                    self.assertEqual(sum(value for _, value in stacks(path, cost)), totals[name])

    def test_temporary_calls_made_on_paper(self):
        program = export_program.compile_program("orderly", ORDERLY, "gcc", ("-O1", "-g"))
        path = exported(export_program.record([program], "orderly"))
        self.assertEqual(int(figure(printed(path), "temporary memory allocations")), 16)
        self.assertEqual(sum(value for _, value in stacks(path, "temporary")), 16)

    def test_temporary_are_blocks_whose_end_comes_next(self):
        for ledger in (export_program.cpp(), export_program.python()):
            seen = sum(value for _, value in stacks(exported(ledger), "temporary"))
            # The very first block can be taken for one.
            self.assertIn(seen - temporary_in_the_process(ledger), (0, 1))

    def test_numbers_are_given_at_births_and_none_is_left_out(self):
        # The graphical program has a list of as many sizes as births have shown it, and no more.
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            told = born = 0
            with open(exported(ledger), encoding="utf-8") as file:
                for line in file:
                    number = int(line.split()[1], 16) if line[0] in "+-" else 0
                    if line[0] == "a":
                        told += 1
                    elif line[0] == "+":
                        self.assertLess(number, told)
                        self.assertLessEqual(number, born)
                        born = max(born, number + 1)
                    elif line[0] == "-":
                        self.assertLess(number, born)
            self.assertGreater(born, 10)
            self.assertEqual(born, told)

    def test_time_goes_on_where_nothing_happens(self):
        ledger = export_program.record(["/bin/sleep", "0.3"], "sleeping")
        with open(exported(ledger), encoding="utf-8") as file:
            times = [int(line.split()[1], 16) for line in file if line.startswith("c ")]
        self.assertGreaterEqual(times[-1], 300)
        steps = [after - before for before, after in zip([0] + times, times)]
        self.assertEqual(min(steps), 1)
        self.assertLessEqual(max(steps), max(times[-1] // 1000, 1))

    def test_compressed_by_the_ending_of_the_name(self):
        ledger = export_program.python()
        plain = exported(ledger)
        with open(plain, "rb") as file:
            content = file.read()
        for ending, undo in ((".gz", ["gzip", "-dc"]), (".zst", ["zstd", "-dc"])):
            path = exported(ledger, name="out.heaptrack" + ending)
            self.assertLess(os.path.getsize(path), len(content) / 2)
            self.assertEqual(printed(path), printed(plain).replace(plain, path))
            if shutil.which(undo[0]):
                self.assertEqual(clients.run([*undo, path], text=False), content)

    def test_the_graphical_program_opens_it(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            show_in_gui(exported(ledger))

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
