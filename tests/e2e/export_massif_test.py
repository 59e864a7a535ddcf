"""Massif's format: ms_print reads it, and its figures are those of the report."""

import os
import re
import subprocess
import unittest

import clients
import export_program
import harness
from export_program import export, report

NODE = re.compile(r"^( *)n(\d+): (\d+) (.*)$")
FIELDS = ["snapshot", "time", "mem_heap_B", "mem_heap_extra_B", "mem_stacks_B", "heap_tree"]

# Long enough for many snapshots, with a rise that lasts but a moment.
SLOW = """
#include <stdlib.h>
#include <string.h>
#include <time.h>
static void pause_ms(long ms) { struct timespec t = {0, ms * 1000000}; nanosleep(&t, NULL); }
__attribute__((noinline)) void* keep(size_t size) { return malloc(size); }
__attribute__((noinline)) void spike(void) {
  void* volatile block = malloc(5000000);
  free(block);
}
void* volatile kept[100];
int main(void) {
  for (int i = 0; i < 100; ++i) {
    kept[i] = keep(1000 + (size_t)i);
    pause_ms(3);
    if (i == 30 || i == 70) spike();
  }
  return 0;
}
"""


class Snapshot:
    def __init__(self, fields, tree):
        self.number, self.time, self.heap = (int(fields[name]) for name in FIELDS[:3])
        self.kind = fields["heap_tree"]
        self.tree = tree  # (depth, children, bytes, label)


def snapshots_of(text):
    """What massif's manual says of the format: comments, six fields in order, then tree lines."""
    found, lines = [], [line for line in text.split("\n") if line and not line.startswith("#")]
    place = 3
    while place < len(lines):
        fields = dict(line.split("=", 1) for line in lines[place:place + len(FIELDS)])
        assert list(fields) == FIELDS, lines[place:place + len(FIELDS)]
        place += len(FIELDS)
        tree = []
        while place < len(lines) and NODE.match(lines[place]):
            indent, children, size, label = NODE.match(lines[place]).groups()
            tree.append((len(indent), int(children), int(size), label))
            place += 1
        found.append(Snapshot(fields, tree))
    return found


def ms_print(text, *options):
    path = os.path.join(harness.fresh_folder(), "massif.out")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([clients.command("ms_print", "valgrind"), *options, path],
                          capture_output=True, timeout=300)
    harness.expect_equal((done.returncode, done.stderr), (0, b""), "status of ms_print")
    return done.stdout.decode("utf-8")


def peak_of(printed):
    """The bytes of the snapshot that ms_print calls the peak, from its table."""
    number = re.search(r"\[.*?(\d+) \(peak\).*?\]", printed, re.DOTALL).group(1)
    row = re.search(rf"^ *{number} +[\d,]+ +([\d,]+) +([\d,]+) +0 +0$", printed, re.MULTILINE)
    return int(row.group(1).replace(",", ""))


class Massif(unittest.TestCase):
    def check_tree(self, snapshot):
        """Children are one deeper than their parents, as many as it says, and add up to it."""
        self.assertEqual(snapshot.tree[0][2], snapshot.heap)
        self.assertIn("(heap allocation functions)", snapshot.tree[0][3])
        for place, (depth, count, size, label) in enumerate(snapshot.tree):
            below = []
            for line in snapshot.tree[place + 1:]:
                if line[0] <= depth:
                    break
                if line[0] == depth + 1:
                    below.append(line[2])
            self.assertEqual(len(below), count, label)
            if count > 0:
                self.assertEqual(sum(below), size, label)

    def test_ms_print_shows_the_peak_of_the_report(self):
        several = [export_program.cpp(), export_program.python()]
        for ledgers in (export_program.cpp(), export_program.python(), export_program.sampled(),
                        export_program.hostile(), several):
            with self.subTest(ledgers=ledgers):
                printed = ms_print(export(ledgers, "massif"))
                self.assertEqual(peak_of(printed), report(ledgers)["totals"]["peak_bytes"])
                self.assertIn("(heap allocation functions)", printed)

    def test_trees_add_up(self):
        several = [export_program.cpp(), export_program.sampled()]
        for ledgers in (export_program.cpp(), export_program.python(), export_program.sampled(),
                        several):
            totals = report(ledgers)["totals"]
            found = snapshots_of(export(ledgers, "massif"))
            with self.subTest(ledgers=ledgers):
                trees = [one for one in found if one.kind != "empty"]
                for one in trees:
                    self.check_tree(one)
                self.assertEqual([one.heap for one in found if one.kind == "peak"],
                                 [totals["peak_bytes"]])
                self.assertEqual(found[-1].kind, "detailed")
                self.assertEqual(found[-1].heap, totals["end_bytes"])
                self.assertEqual(max(one.heap for one in found), totals["peak_bytes"])

    def test_a_line_of_the_tree_is_what_the_report_has_for_it(self):
        ledger = export_program.cpp()
        peak = next(one for one in snapshots_of(export(ledger, "massif")) if one.kind == "peak")
        at_first = {}
        for group in report(ledger, "--top", "1000000")["groups"]:
            frames = group["frames"]
            names = [inner["name"] for frame in frames for inner in frame["inlined"] + [frame]]
            first = next(name for name in names if not name.startswith("operator new"))
            at_first[first] = at_first.get(first, 0) + group["at_peak_bytes"]
        shown = {}
        for depth, _, size, label in peak.tree:
            match = re.match(r"0x[0-9A-F]+: (.*) \((?:in )?[^()]*\)$", label)
            if depth == 1 and match:
                shown[match.group(1)] = shown.get(match.group(1), 0) + size
        self.assertGreater(len(shown), 1)
        whole = sum(at_first.values())
        for name, size in shown.items():
            self.assertLessEqual(size, at_first[name], name)
            self.assertGreaterEqual(size, at_first[name] - whole // 20, name)
        hidden = sum(size for depth, _, size, label in peak.tree
                     if depth == 1 and not label.startswith("0x"))
        self.assertEqual(sum(shown.values()) + hidden, whole)

    def test_snapshots_over_time(self):
        binary = export_program.compile_program("slow", SLOW, "gcc", ("-O1", "-g"))
        ledger = export_program.record([binary], "slow")
        found = snapshots_of(export(ledger, "massif"))
        times = [one.time for one in found]
        self.assertEqual([one.number for one in found], list(range(len(found))))
        self.assertEqual((found[0].time, found[0].heap), (0, 0))
        self.assertTrue(all(a < b for a, b in zip(times[:-1], times[1:-1])), times)
        self.assertLessEqual(times[-2], times[-1])
        self.assertGreaterEqual(len(found), 40)
        self.assertLessEqual(len(found), 115)
        trees = [one for one in found if one.kind == "detailed"]
        self.assertGreaterEqual(len(trees), 7)
        # A tree has what was live at its very moment.
        for one in trees[:-1]:
            seen = report(ledger, "--at", f"{one.time}ms")
            self.assertEqual(one.heap, seen["figures"]["live_bytes"], one.time)
        # Both rises are there, though none lasted longer than a moment.
        self.assertGreaterEqual(sum(1 for one in found if one.heap >= 5000000), 2)
        ms_print(export(ledger, "massif"))

    def test_filters_are_those_of_the_report(self):
        ledger = export_program.cpp()
        words = ["--filter", "function=stock"]
        found = snapshots_of(export(ledger, "massif", *words))
        seen = report(ledger, "--at", "peak", *words)["figures"]["live_bytes"]
        self.assertGreater(seen, 0)
        self.assertEqual([one.heap for one in found if one.kind == "peak"], [seen])
        for one in found:
            if one.kind != "empty":
                self.check_tree(one)

    def test_hostile_names(self):
        text = export(export_program.hostile(), "massif", "--raw-names")
        for line in text.split("\n"):
            self.assertTrue(all(c >= " " and not "\x7f" <= c < "\xa0" for c in line), line)
        end = snapshots_of(text)[-1]
        sizes = sorted(size for depth, _, size, _ in end.tree if depth == 1)
        self.assertLessEqual(set(export_program.HOSTILE_NAMES.values()) - {101}, set(sizes))
        self.assertIn("drop table", ms_print(text, "--threshold=0"))

    def test_lambdas_are_no_comments(self):
        text = export(export_program.cpp(), "massif", "--raw-names")
        nodes = [line for line in text.split("\n") if NODE.match(line)]
        self.assertTrue(any("lambda" in line for line in nodes))
        self.assertFalse(any("#" in line for line in nodes))


if __name__ == "__main__":
    unittest.main(verbosity=2)
