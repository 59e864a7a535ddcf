"""Exports for the Firefox Profiler: its command line client loads them, and finds the figures of
the report in them, by its own strategies."""

import json
import os
import subprocess
import time
import unittest

import clients
import export_program
import harness
from export_program import export, report

HANG_SECONDS = 300
INCLUDE = os.path.join(os.path.dirname(__file__), "..", "..", "include")
MARKED = """
#include <stdlib.h>
#include "heapledger.h"
int main(void) {
  void* volatile block = malloc(10);
  heapledger_marker("half \\"way\\"");
  free(block);
  return 0;
}
"""

TRIES = 5


class Client:
    """A session of profiler-cli with one profile. It runs a process of its own in the background,
    which may take longer to start than the client waits for it; so it is asked until it answers."""

    def __init__(self, path):
        self.script = os.path.join(clients.node_module("@firefox-devtools/profiler-cli"),
                                   "dist", "profiler-cli.js")
        self.environment = dict(os.environ, PROFILER_CLI_SESSION_DIR=harness.fresh_folder())
        loaded = self.run("load", path, "--session", "test")
        end = time.monotonic() + HANG_SECONDS
        while self.run("status", "--session", "test").returncode != 0:
            if time.monotonic() > end:
                raise harness.Failure(f"the profile was not loaded: {loaded.stderr}")
            time.sleep(0.2)

    def run(self, *arguments):
        return subprocess.run([clients.command("node", "nodejs"), self.script, *arguments],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=HANG_SECONDS, env=self.environment)

    def tell(self, *arguments):
        """Its output. On a busy machine the client may give up on its own process: asked again,
        that answers."""
        for _ in range(TRIES):
            done = self.run(*arguments, "--session", "test")
            if done.returncode == 0:
                return done.stdout
            time.sleep(1)
        raise harness.Failure(f"{arguments}: status {done.returncode}: {done.stderr}")

    def ask(self, *arguments):
        return json.loads(self.tell(*arguments, "--json"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("stop", "--all")

    def threads(self):
        return [thread["threadHandle"] for thread in self.ask("thread", "list")["threads"]]

    def sums(self, strategy, threads):
        """The bytes that the profiler adds up for each thread."""
        self.tell("strategy", strategy)
        sums = []
        for thread in threads:
            answer = self.ask("thread", "samples", "--thread", thread)
            harness.expect_equal(answer["callTreeSummaryStrategy"], strategy, "strategy")
            sums.append(answer["categoryBreakdown"]["totalSamples"])
        return sums


def exported(ledgers, *options):
    path = os.path.join(harness.fresh_folder(), "out.json")
    export(ledgers, "firefox", "-o", path, *options)
    return path


class Firefox(unittest.TestCase):
    def test_figures_are_those_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            totals = report(ledger)["totals"]
            with self.subTest(ledger=ledger), Client(exported(ledger)) as client:
                threads = client.threads()
                self.assertEqual(sum(client.sums("native-allocations", threads)), totals["bytes"])
                self.assertEqual(sum(client.sums("native-retained-allocations", threads)),
                                 totals["end_bytes"])

    def test_each_thread_has_its_own_allocations(self):
        ledger = export_program.cpp()
        rows = report(ledger, "--by", "thread")["groups"]
        with Client(exported(ledger)) as client:
            sums = client.sums("native-allocations", client.threads())
        self.assertEqual(sorted(sums), sorted(row["bytes"] for row in rows))
        self.assertEqual(len(sums), 4)

    def test_functions(self):
        with Client(exported(export_program.cpp())) as client:
            client.run("strategy", "native-retained-allocations", "--session", "test")
            answer = client.ask("thread", "samples", "--thread", "t-0")
            by_name = {row["name"]: row for row in answer["topFunctionsByTotal"]}
            nested = by_name["shop!shop::nested(int)"]
            self.assertEqual(nested["totalSamples"], 4321, "recursion counts once")

    def test_the_live_heap_is_a_counter(self):
        ledger = export_program.cpp()
        with Client(exported(ledger)) as client:
            counters = client.ask("counter", "list")["counters"]
        self.assertEqual(len(counters), 1)
        with open(exported(ledger), encoding="utf-8") as file:
            profile = json.load(file)
        level, highest = 0, 0
        for difference in profile["counters"][0]["samples"]["count"]:
            level += difference
            highest = max(highest, level)
        self.assertEqual(highest, report(ledger)["totals"]["peak_bytes"])
        self.assertEqual(level, report(ledger)["totals"]["end_bytes"])

    def test_markers(self):
        program = export_program.compile_program("marked", MARKED, "gcc", ("-g", "-I", INCLUDE))
        with Client(exported(export_program.record([program], "marked"))) as client:
            answer = client.ask("profile", "markers", "--limit", "10")
        self.assertEqual([marker["name"] for marker in answer["markers"]], ['half "way"'])

    def test_hostile_names(self):
        path = exported(export_program.hostile(), "--raw-names")
        with Client(path) as client:
            self.assertEqual(client.sums("native-retained-allocations", ["t-0"]),
                             [sum(export_program.HOSTILE_NAMES.values())])
            answer = client.ask("thread", "samples", "--thread", "t-0")
        sizes = {row["selfSamples"]: row["name"] for row in answer["topFunctionsBySelf"]}
        self.assertIn("line\nbreak\ttab", sizes[202])
        self.assertIn("</script>", sizes[707])
        with open(path, encoding="ascii") as file:
            texts = json.load(file)["shared"]["stringArray"]
        self.assertTrue(any("no utf-8 \\xff" in text for text in texts))

    def test_ranges_and_filters(self):
        ledger = export_program.python()
        for words in (["--between", "start", "peak"], ["--filter", "size>=4k"]):
            figures = report(ledger, *words)["figures"]
            with self.subTest(words=words), Client(exported(ledger, *words)) as client:
                self.assertEqual(sum(client.sums("native-allocations", client.threads())),
                                 figures["bytes"])

    def test_several_processes(self):
        ledgers = [export_program.cpp(), export_program.python()]
        with Client(exported(ledgers)) as client:
            self.assertEqual(sum(client.sums("native-retained-allocations", client.threads())),
                             sum(report(ledger)["totals"]["end_bytes"] for ledger in ledgers))

    def test_files_are_bounded(self):
        # 2.2 million births and ends of small blocks, and 1,000 kilobytes that stay.
        binary = export_program.compile_program("busy", """
            #include <stdlib.h>
            void* volatile kept;
            int main(void) {
              for (int i = 0; i < 1100000; ++i) { kept = malloc(16); free(kept); }
              for (int i = 0; i < 1000; ++i) kept = malloc(1024);
              return 0;
            }""", "gcc", ("-O1", "-g"))
        ledger = export_program.record([binary], "busy")
        path = os.path.join(harness.fresh_folder(), "busy.json")
        done = subprocess.run([harness.TOOL, "export", ledger, "--to", "firefox", "-o", path],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, encoding="utf-8") as file:
            weights = [weight for thread in json.load(file)["threads"]
                       for weight in thread["nativeAllocations"]["weight"]]
        self.assertEqual(weights.count(1024), 1000)
        self.assertEqual(weights.count(16), 0)
        self.assertIn("blocks of less than 32 B are left out", done.stderr)
        self.assertIn("99.9% of the blocks, 94.5% of the bytes", done.stderr)

    def test_refusals(self):
        done = subprocess.run([harness.TOOL, "export", export_program.cpp(), "--to", "firefox",
                               "--at", "end"], capture_output=True, text=True, timeout=300)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--at", done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
