"""What is never freed is the same figure wherever it is asked for: without what libstdc++ keeps on
purpose, which every C++ program has."""

import base64
import csv
import gzip
import json
import os
import re
import subprocess
import unittest

import harness
from diff_program import tool

SOURCE = """
#include <cstdlib>
#include <string>
void* volatile kept[4];
int main(int argc, char**) {
  for (void* volatile& one : kept) one = std::malloc(1024);
  return std::to_string(argc).size() == 1 ? 0 : 1;
}
"""
BYTES = 4 * 1024


class Suppressed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.fresh_folder()
        app = cls.app = os.path.join(cls.folder, "app")
        with open(app + ".cpp", "w", encoding="utf-8") as file:
            file.write(SOURCE)
        subprocess.run(["c++", "-O1", "-g", "-o", app, app + ".cpp"], check=True)
        cls.ledger = os.path.join(cls.folder, "app.ledger")
        cls.ran = subprocess.run([harness.TOOL, "run", "-o", cls.ledger.replace("%", "%%"), "--", app],
                                 env=harness.plain_environment(), check=True, capture_output=True,
                                 text=True, timeout=harness.HANG_SECONDS)
        cls.report = json.loads(cls.asked("report", "--json", cls.ledger))
        cls.suppressed = cls.report["suppressions"]["live_bytes"]

    @staticmethod
    def asked(*arguments, status=0):
        seen, stdout, stderr = tool(*arguments)
        harness.expect_equal(seen, status, stderr)
        return stdout

    def test_there_is_something_to_suppress(self):
        self.assertGreater(self.suppressed, 0)
        self.assertEqual(self.report["totals"]["end_bytes"], BYTES + self.suppressed)

    def test_run(self):
        self.assertRegex(self.ran.stderr, r"never freed +4\.0 KiB in 4 blocks")

    def test_report(self):
        self.assertEqual(sum(site["live_bytes"] for site in self.report["never_freed"]), BYTES)
        text = self.asked("report", self.ledger)
        self.assertIn("4.0 KiB never freed", text)
        self.assertIn("never freed: 4.0 KiB in 4 blocks", text)

    def test_check(self):
        answer = json.loads(self.asked("check", "--json", "--max-never-freed", "1", self.ledger,
                                       status=1))
        self.assertEqual([limit["value"] for limit in answer["limits"]], [BYTES])

    def test_diff(self):
        for grouping in ("owner", "site", "function", "line", "module", "thread", "size",
                         "size-class"):
            with self.subTest(by=grouping):
                answer = json.loads(self.asked("diff", "--json", "--by", grouping, self.ledger,
                                               self.ledger))
                for side in ("before", "after"):
                    self.assertEqual(answer[side]["never_freed_bytes"], BYTES)
                    self.assertEqual(answer[side]["suppressed_bytes"], self.suppressed)
                    self.assertEqual(sum(group[side]["never_freed_bytes"]
                                         for group in answer["groups"]), BYTES)
        self.assertRegex(self.asked("diff", self.ledger, self.ledger),
                         r"never freed +4\.0 KiB +4\.0 KiB +0\n")

    def test_diff_with_suppressions_of_ones_own(self):
        path = os.path.join(self.folder, "accepted")
        with open(path, "w", encoding="utf-8") as file:
            file.write("leak:^main$\n")
        answer = json.loads(self.asked("diff", "--json", "--suppressions", path, self.ledger,
                                       self.ledger))
        self.assertEqual(answer["after"]["never_freed_bytes"], 0)
        self.assertEqual(answer["after"]["suppressed_bytes"], BYTES + self.suppressed)

    def exported(self, *options):
        path = os.path.join(harness.fresh_folder(), "out")
        self.asked("export", self.ledger, *options, "-o", path)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_collapsed(self):
        lines = self.exported("--to", "collapsed", "--metric", "never-freed").splitlines()
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in lines), BYTES)
        # What is live at the end is another question.
        lines = self.exported("--to", "collapsed", "--at", "end").splitlines()
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in lines),
                         BYTES + self.suppressed)

    def test_speedscope(self):
        for options in ((), ("--metric", "never-freed")):
            profiles = json.loads(self.exported("--to", "speedscope", *options))["profiles"]
            found = [sum(profile["weights"]) for profile in profiles
                     if "never freed" in profile["name"]]
            self.assertEqual(found, [BYTES], options)

    def test_callgrind(self):
        text = self.exported("--to", "callgrind")
        events = re.search(r"^events: (.*)$", text, re.MULTILINE).group(1).split()
        totals = re.search(r"^totals: (.*)$", text, re.MULTILINE).group(1).split()
        self.assertEqual(int(dict(zip(events, totals))["NeverFreed"]), BYTES)

    def test_flamegraph_and_graph(self):
        for command in ("flamegraph", "graph"):
            path = os.path.join(harness.fresh_folder(), "picture.svg")
            self.asked(command, self.ledger, "--metric", "never-freed", "-o", path)
            with open(path, encoding="utf-8") as file:
                self.assertIn("bytes never freed: 4.0 KiB (4,096 bytes)", file.read(), command)

    def test_flamegraph_with_another_metric_has_it_to_switch_to(self):
        path = os.path.join(harness.fresh_folder(), "picture.svg")
        for metric in ("live", "never-freed"):
            self.asked("flamegraph", self.ledger, "--metric", metric, "-o", path)
            with open(path, encoding="utf-8") as file:
                packed = re.search(r'class="stacks"[^>]*>([^<]*)<', file.read()).group(1)
            data = json.loads(gzip.decompress(base64.b64decode(packed)))
            totals = {one["name"]: total for one, total in zip(data["metrics"], data["totals"])}
            self.assertEqual(totals["bytes never freed"], BYTES)
            # The other metrics are of all stacks, whichever is shown first.
            self.assertEqual(totals["bytes allocated"], self.report["totals"]["bytes"])

    def test_exports_with_suppressions_of_ones_own(self):
        path = os.path.join(self.folder, "all")
        with open(path, "w", encoding="utf-8") as file:
            file.write("leak:^main$\n")
        self.assertEqual(self.exported("--to", "collapsed", "--metric", "never-freed",
                                       "--suppressions", path), "")
        self.assertIn("nothing is suppressed",
                      tool("export", self.ledger, "--to", "tsv", "--suppressions", path)[2])

    def test_tables_have_all(self):
        rows = list(csv.DictReader(self.exported("--to", "csv").splitlines()))
        self.assertEqual(sum(int(row["never_freed_bytes"]) for row in rows),
                         BYTES + self.suppressed)

    def test_processes_of_one_run(self):
        folder = os.path.join(harness.fresh_folder(), "two.ledgers")
        subprocess.run([harness.TOOL, "run", "-o", folder, "--", "sh", "-c", f"{self.app}; {self.app}; :"],
                       env=harness.plain_environment(), check=True, capture_output=True,
                       timeout=harness.HANG_SECONDS)
        text = self.asked("report", folder)
        rows = re.findall(r"^ +[0-9.]+ [KM]?i?B +([0-9.]+ [KM]?i?B) .* \S*/app$", text, re.MULTILINE)
        self.assertEqual(rows, ["4.0 KiB", "4.0 KiB"], text)

    def test_plot(self):
        self.assertIn("never freed 4.0 KiB", self.asked("plot", self.ledger))


if __name__ == "__main__":
    unittest.main()
