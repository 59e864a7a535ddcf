"""Who is blamed: programs with allocators of their own, planted, with names and without, and what
the summary of a run, the report and its groups say about them."""

import json
import os
import re
import subprocess
import unittest

import harness

# Four functions keep blocks of their own sizes, all through two layers that pass them on; one
# allocates for itself; one frees at once. Sums are worked out by hand below.
SOURCE = """#include <stdlib.h>
#define APART __attribute__((noinline))
static void* kept[1000];
static int count;
APART void* os_alloc(size_t size) { void* block = malloc(size); __asm__ volatile(""); return block; }
APART void* zalloc(size_t size) { void* block = os_alloc(size); __asm__ volatile(""); return block; }
APART void keep(void* block) { kept[count++] = block; }
APART void load(void) { for (int i = 0; i < 100; ++i) keep(zalloc(5000)); }
APART void index_it(void) { for (int i = 0; i < 50; ++i) keep(zalloc(3000)); }
APART void cache(void) { for (int i = 0; i < 20; ++i) keep(zalloc(2000)); }
APART void notes(void) { for (int i = 0; i < 10; ++i) keep(zalloc(1000)); }
APART void own(void) { for (int i = 0; i < 30; ++i) keep(malloc(100)); }
APART void churn(void) { for (int i = 0; i < 5000; ++i) free(zalloc(64)); }
int main(void) {
  load();
  load();
  index_it();
  cache();
  notes();
  own();
  churn();
  return 0;
}
"""

LOADED = 2 * 100 * 5000
KEPT = {"load": LOADED, "index_it": 50 * 3000, "cache": 20 * 2000, "notes": 10 * 1000,
        "own": 30 * 100}


def tool(*words, folder):
    done = subprocess.run([harness.TOOL, *words], cwd=folder, capture_output=True, text=True,
                          env=harness.plain_environment(), timeout=harness.HANG_SECONDS,
                          check=False)
    return done


class Owners(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.fresh_folder()
        with open(os.path.join(cls.folder, "planted.c"), "w") as file:
            file.write(SOURCE)
        subprocess.run(["cc", "-g", "-O1", "-fno-optimize-sibling-calls", "-Wl,--build-id=sha1",
                        "-o", "planted", "planted.c"], cwd=cls.folder, check=True)
        subprocess.run(["strip", "-o", "stripped", "planted"], cwd=cls.folder, check=True)
        symbols = subprocess.run(["nm", "planted"], cwd=cls.folder, capture_output=True, text=True,
                                 check=True).stdout
        cls.starts = {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines()
                      if len(line.split()) == 3}
        cls.said = {}
        for name in ("planted", "stripped"):
            done = tool("run", "-o", name + ".ledger", "--", "./" + name, folder=cls.folder)
            assert done.returncode == 0, done.stderr
            cls.said[name] = done.stderr

    def owners(self, ledger, *words):
        done = tool("report", ledger, "--by", "owner", "--json", *words, folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        rows = next(value for value in answer.values()
                    if isinstance(value, list) and value and "stacks" in value[0])
        return {row["function"] or row["name"]: row for row in rows}

    def line_of(self, text):
        return next(i for i, line in enumerate(SOURCE.splitlines(), 1) if text in line)

    def test_the_summary_names_the_callers_of_the_wrappers(self):
        said = self.said["planted"]
        line = self.line_of("void load(")
        whole = sum(KEPT.values())
        share = f"{100 * LOADED / whole:.1f}%"
        self.assertRegex(said, rf"peak .*, [0-9.]+% from load planted\.c:{line}\n")
        self.assertRegex(said, rf"never freed .*, {re.escape(share)} from load planted\.c:{line}\n")
        self.assertRegex(said, r"temporary .*, 100\.0% from churn planted\.c:")

    def test_bytes_are_those_that_were_planted(self):
        found = self.owners("planted.ledger", "--at", "end")
        for name, size in KEPT.items():
            self.assertEqual(found[name]["live_bytes"], size, name)
        self.assertEqual(found["load"]["stacks"], 2)
        self.assertEqual(found["own"]["stacks"], 1)
        self.assertNotIn("zalloc", found)
        self.assertNotIn("os_alloc", found)

    def test_the_report_lists_lines_and_raw_lists_stacks(self):
        report = tool("report", "planted.ledger", folder=self.folder).stdout
        peak = report[report.index("at the peak"):report.index("never freed:")]
        self.assertEqual(peak.count("  load  "), 1, peak)
        self.assertIn("2 stacks, the largest by", peak)
        raw = tool("report", "planted.ledger", "--raw", folder=self.folder).stdout
        peak = raw[raw.index("at the peak"):raw.index("never freed:")]
        self.assertEqual(peak.count("  load  "), 2, peak)
        self.assertNotIn("stacks", peak)
        refused = tool("report", "planted.ledger", "--raw", "--tree", folder=self.folder)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--by site", refused.stderr)

    def test_without_names_functions_are_known_by_where_they_begin(self):
        found = self.owners("stripped.ledger", "--at", "end")
        own = f"stripped+0x{self.starts['own']:x}"
        self.assertEqual(found[own]["live_bytes"], KEPT["own"])
        # Five callers are too few to say that a nameless function passes on what it gets.
        inner = f"stripped+0x{self.starts['os_alloc']:x}"
        self.assertEqual(found[inner]["live_bytes"], sum(KEPT.values()) - KEPT["own"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
