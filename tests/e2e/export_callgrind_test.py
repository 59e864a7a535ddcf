"""Callgrind's format: callgrind_annotate reads it without a complaint, and its totals, what each
function allocates itself, and what is allocated inside of each are those of the report."""

import os
import re
import subprocess
import unittest

import clients
import export_program
import harness
from export_program import export, report, totals_of

EVENTS = ["Calls", "Bytes", "Live", "Temporary", "NeverFreed"]

# Functions that call themselves and one another, with sums that are made on paper.
RECURSION = """
#include <stdlib.h>
#define APART __attribute__((noinline, noclone))
void* volatile kept;
APART void leaf(void) { kept = malloc(100); }
APART void even(int depth);
APART void odd(int depth) {
  if (depth > 0) even(depth - 1); else leaf();
  __asm__ volatile("");
}
APART void even(int depth) {
  if (depth > 0) odd(depth - 1); else leaf();
  __asm__ volatile("");
}
APART void alone(int depth) {
  if (depth > 0) alone(depth - 1); else leaf();
  __asm__ volatile("");
}
int main(void) {
  even(4);
  odd(2);
  alone(7);
  return 0;
}
"""


def annotate(text, *options, folder=None):
    path = os.path.join(folder or harness.fresh_folder(), "callgrind.out")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(
        [clients.command("callgrind_annotate", "valgrind"), "--show-percs=no", "--auto=no",
         "--threshold=100", *options, path], capture_output=True, timeout=300, cwd="/")
    harness.expect_equal((done.returncode, done.stderr), (0, b""), "status of callgrind_annotate")
    return done.stdout.decode("utf-8")


def figures_in(line, events):
    """The numbers at the beginning of a line, and what follows."""
    found = re.match(r"\s*((?:[\d,.]+\s+){%d})(.*)$" % events, line)
    if not found:
        return None, line
    numbers = [0 if word == "." else int(word.replace(",", "")) for word in found.group(1).split()]
    return numbers, found.group(2)


def totals_in(printed, events=len(EVENTS)):
    line = next(line for line in printed.split("\n") if "PROGRAM TOTALS" in line)
    return figures_in(line, events)[0]


def functions_in(printed, events=len(EVENTS)):
    """Name of a function -> list of figures, one for each file that has one of that name."""
    found = {}
    table = printed.split("file:function")[1].split("\n")[2:]
    for line in table:
        numbers, place = figures_in(line, events)
        if numbers is None:
            continue
        place = re.sub(r" \[[^\[\]]*\]$", "", place)
        # Files have no colon in their names here; the artificial one is ???.
        found.setdefault(place.split(":", 1)[1], []).append(numbers)
    return found


def expected_totals(ledgers):
    totals = totals_of(ledgers)
    return [totals[name] for name in
            ("calls", "bytes", "peak_bytes", "temporary_calls", "never_freed_bytes")]


def frame_names(group):
    return [inner["name"] for frame in group["frames"] for inner in frame["inlined"] + [frame]]


def expected_by_function(ledgers, only_innermost):
    """From the stacks of the report: the figures of all stacks that a function is on."""
    found = {}
    answer = report(ledgers, "--top", "1000000")
    left = {site["site"]: site["live_bytes"] for site in answer["never_freed"]}
    for group in answer["groups"]:
        group["never_freed_bytes"] = left.get(group["site"], 0)
        names = frame_names(group) or ["[no stack]"]
        for name in set(names[:1] if only_innermost else names):
            figures = found.setdefault(name, [0] * len(EVENTS))
            for place, measure in enumerate(("calls", "bytes", "at_peak_bytes", "temporary_calls",
                                             "never_freed_bytes")):
                figures[place] += group[measure]
    return found


def all_ledgers():
    return (export_program.cpp(), export_program.python(), export_program.sampled(),
            [export_program.cpp(), export_program.python()])


class Callgrind(unittest.TestCase):
    def test_totals_are_those_of_the_report(self):
        for ledgers in all_ledgers() + (export_program.hostile(),):
            with self.subTest(ledgers=ledgers):
                text = export(ledgers, "callgrind")
                wanted = expected_totals(ledgers)
                self.assertEqual(totals_in(annotate(text)), wanted)
                # Without these lines the client adds up what it finds itself.
                bare = re.sub(r"^(summary|totals):.*\n", "", text, flags=re.MULTILINE)
                printed = annotate(bare)
                self.assertIn("(calculated)", printed)
                self.assertEqual(totals_in(printed), wanted)

    def test_what_a_function_allocates_itself(self):
        for ledgers in all_ledgers():
            with self.subTest(ledgers=ledgers):
                seen = {name: [sum(column) for column in zip(*rows)] for name, rows
                        in functions_in(annotate(export(ledgers, "callgrind"))).items()}
                seen = {name: row for name, row in seen.items() if any(row)}
                wanted = {name: row for name, row in
                          expected_by_function(ledgers, True).items() if any(row)}
                self.assertEqual(seen, wanted)

    def test_what_is_allocated_inside_of_a_function(self):
        for ledgers in all_ledgers():
            with self.subTest(ledgers=ledgers):
                printed = annotate(export(ledgers, "callgrind"), "--inclusive=yes", "--tree=both")
                rows = "\n".join(line.replace(" *  ", " ") for line in printed.split("\n")
                                 if " < " not in line[:80] and " >   " not in line)
                seen = functions_in(rows)
                self.assertEqual(seen.pop("[all stacks]"), [expected_totals(ledgers)])
                wanted = {}
                for group in report(ledgers, "--by", "function", "--top", "1000000")["groups"]:
                    wanted[group["name"]] = [group["calls"], group["bytes"], group["live_bytes"],
                                             group["temporary_calls"]]
                self.assertEqual(set(seen), set(wanted))
                single = [name for name, found in seen.items() if len(found) == 1]
                # Functions with one name in several files are one in the report.
                self.assertGreater(len(single), 0.9 * len(seen))
                whole = expected_by_function(ledgers, False)
                for name in single:
                    self.assertEqual(seen[name][0][:4], wanted[name], name)
                    self.assertEqual(seen[name][0], whole[name], name)

    def test_recursion_counts_once(self):
        binary = export_program.compile_program("recursion", RECURSION, "gcc",
                                                ("-O1", "-g", "-fno-optimize-sibling-calls"))
        ledger = export_program.record([binary], "recursion")
        text = export(ledger, "callgrind", "--filter", "function=leaf")
        inside = functions_in(annotate(text, "--inclusive=yes"))
        for name, calls in (("main", 3), ("leaf", 3), ("even", 2), ("odd", 2), ("alone", 1)):
            self.assertEqual([row[:2] for row in inside[name]], [[calls, 100 * calls]], name)
        itself = functions_in(annotate(text))
        self.assertEqual(itself["leaf"][0][:2], [3, 300])
        self.assertEqual([row for row in itself["alone"] if any(row)], [])

    def test_moments_and_ranges(self):
        ledger = export_program.cpp()
        printed = annotate(export(ledger, "callgrind", "--at", "50%"))
        self.assertEqual(totals_in(printed)[2],
                         report(ledger, "--at", "50%")["figures"]["live_bytes"])
        printed = annotate(export(ledger, "callgrind", "--between", "20%", "80%"))
        self.assertIn("Events shown:     Calls Bytes Live Temporary\n", printed)
        seen = report(ledger, "--between", "20%", "80%")["figures"]
        self.assertEqual(totals_in(printed, 4), [seen[name] for name in (
            "calls", "bytes", "live_bytes", "temporary_calls")])

    def test_lines_of_the_source(self):
        text = export(export_program.cpp(), "callgrind")
        path = os.path.join(harness.fresh_folder(), "callgrind.out")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        source = export_program.cpp_binary() + ".cpp"
        printed = clients.run([clients.command("callgrind_annotate", "valgrind"), "--auto=no",
                               "--show-percs=no", path, source], cwd="/")
        line = next(line for line in printed.split("\n") if "malloc(4321)" in line)
        self.assertEqual(figures_in(line, len(EVENTS))[0], [1, 4321, 0, 0, 4321], line)
        # malloc(10) and ten times realloc: 10 in all, on these lines of main itself.
        grown = next(line for line in printed.split("\n") if "grown = malloc(10)" in line)
        self.assertEqual(figures_in(grown, len(EVENTS))[0][:2], [1, 10], grown)

    def test_hostile_names(self):
        text = export(export_program.hostile(), "callgrind", "--raw-names")
        for line in text.split("\n"):
            self.assertTrue(all(c >= " " and not "\x7f" <= c < "\xa0" for c in line), line)
        seen = functions_in(annotate(text))
        for raw, size in export_program.HOSTILE_NAMES.items():
            # Every one is a function of its own, with its own bytes, under a name of its own.
            word = max(re.findall(rb"[a-z ]{4,}", raw), key=len).decode()
            found = [rows for name, rows in seen.items() if word in name]
            self.assertEqual([row[:2] for rows in found for row in rows], [[1, size]], raw)


if __name__ == "__main__":
    unittest.main(verbosity=2)
