"""A heap beside malloc's in every command that shows figures, with sums made on paper: what
programs/maps.c maps (`split`, `breaks`), in pages. test_another_heap of export_agree_test.py has the formats."""

import json
import os
import sqlite3
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import api_program
import harness

PAGE = 4096
SVG = "{http://www.w3.org/2000/svg}"
MANY_IN_A_POOL = """
int main(void) {
  uint32_t pool = heapledger_pool("arena");
  char* block = malloc(1000);
  for (int i = 0; i < 1000000; i++) {
    heapledger_pool_alloc(pool, block, 50);
    heapledger_pool_free(pool, block);
  }
  return block == NULL;
}
"""


def record(how, words="maps=on"):
    run = harness.recorded([harness.program("maps"), how], words=words)
    harness.expect_equal((run.status, run.stderr), (0, b""), "how the program ended")
    return run.ledgers[0]


def ask(*words, status=0):
    """What the tool prints."""
    done = subprocess.run([harness.TOOL, *words], capture_output=True, stdin=subprocess.DEVNULL,
                          env=harness.plain_environment(), check=False, timeout=300)
    harness.expect_equal(done.returncode, status, f"status of {words}: {done.stderr}")
    return (done.stderr if status == 2 else done.stdout).decode()


def group(svg, name):
    return next(each for each in ElementTree.fromstring(svg).iter(SVG + "g")
                if each.get("data-kind") == name)


class Heaps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.split, cls.breaks = record("split"), record("breaks")

    def test_check(self):
        for limit, peak, status in ((115, 115, 0), (114, 115, 1)):
            (one,) = json.loads(ask("check", self.split, "--json", "--heap", "mmap", "--max-peak",
                                    str(limit * PAGE), status=status))["limits"]
            self.assertEqual((one["value"], one["held"]), (peak * PAGE, status == 0))

    def test_check_against(self):
        # From 5 to 115 pages at the peak, to 95 at the end; from 2 calls to 3, from 6 pages to 170.
        limits = json.loads(ask("check", self.split, "--json", "--heap", "mmap", "--against",
                                self.breaks, "--max-growth", "2200%", status=1))["limits"]
        self.assertEqual({one["measure"]: (round(one["percent"]), one["held"]) for one in limits},
                         {"peak": (2200, True), "never-freed": (1800, True), "calls": (50, True),
                          "bytes": (2733, False)})

    def test_diff(self):
        words = ("diff", self.split, self.breaks, "--json", "--at", "end")
        answer = json.loads(ask(*words, "--filter", "heap=mmap"))
        harness.expect_figures(answer["change"], {
            "live_bytes": (5 - 95) * PAGE, "peak_bytes": (5 - 115) * PAGE, "calls": 2 - 3,
            "bytes": (6 - 170) * PAGE}, "change")
        rows = {row["name"]: row for row in json.loads(ask(*words, "--by", "heap"))["groups"]}
        self.assertEqual(set(rows), {"malloc", "mmap"})
        self.assertEqual(rows["mmap"]["change"]["live_bytes"], (5 - 95) * PAGE)
        self.assertEqual(rows["malloc"]["change"]["live_bytes"], 0)

    def test_pictures_of_stacks(self):
        path = os.path.join(harness.fresh_folder(), "heap.svg")
        for moment, pages in (("peak", 115), ("end", 95)):
            ask("flamegraph", self.split, "-o", path, "--filter", "heap=mmap", "--at", moment)
            frames = [each for each in ElementTree.parse(path).getroot().iter(SVG + "g")
                      if "frame" in each.get("class", "").split()]
            self.assertEqual(int(frames[0].get("data-value")), pages * PAGE)

    def test_plot(self):
        page = ask("plot", self.split, "--heap", "mmap")
        self.assertIn("heap mmap; process", page)
        self.assertIn("3 calls, 680.0 KiB in all; peak 460.0 KiB, never freed 380.0 KiB", page)
        self.assertEqual(group(page, "sites").get("data-peak-bytes"), str(115 * PAGE))
        self.assertEqual(group(page, "lifetimes").get("data-calls"), "3")
        self.assertNotIn("680.0 KiB in all", ask("plot", self.split))
        self.assertIn("no heap fits 'arena'", ask("plot", self.split, "--heap", "arena", status=2))

    def test_calls_in_tables_and_databases(self):
        rows = [line.split("\t") for line in
                ask("export", self.split, "--to", "tsv", "--entries", "--filter",
                    "heap=mmap").splitlines()]
        heap = rows[0].index("heap")
        self.assertEqual({row[heap] for row in rows[1:]}, {"mmap"})
        path = os.path.join(harness.fresh_folder(), "heap.sqlite")
        ask("export", self.split, "--to", "sqlite", "--entries", "-o", path, "--filter", "heap=m*")
        with sqlite3.connect(path) as base:
            found = dict(base.execute("select heap, sum(bytes) from entries"
                                      " where what <> 'free' group by heap"))
        self.assertEqual(set(found), {"malloc", "mmap"})
        self.assertEqual(found["mmap"], 170 * PAGE)

    def test_live_mode_keeps_malloc_alone(self):
        # Its ledger does not grow: as many entries of two bytes would be more than that.
        run = harness.recorded([api_program.build(MANY_IN_A_POOL)], words="mode=live maps=on")
        self.assertEqual((run.status, run.stderr), (0, b""))
        (path,) = run.ledgers
        self.assertLess(os.path.getsize(path), 1 << 20)
        said = ask("report", "--filter", "heap=mmap", path, status=2)
        self.assertIn("no heap fits 'mmap'; there are: malloc", said)


if __name__ == "__main__":
    unittest.main()
