"""Ledgers of real programs, with one thread and with many, played with four allocators."""

import json
import shutil
import unittest

import harness
import real_programs_test
import replaying

JQ = "[range(20000) | {n: ., t: tostring}] | map(select(.n % 3 == 0)) | length"


class Real(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        replaying.needs_all_four()

    def played(self, command, least_calls, threads=1, **options):
        """Records, checks with all four, and compares them; the largest process of several."""
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is not installed")
        run = harness.recorded_by_tool(command, **options)
        self.assertEqual(run.status, 0, run.stderr)
        chosen = (run.ledger_folder, "--worst", "calls", "--allocators", ",".join(replaying.FOUR))
        checked = json.loads(replaying.replay(*chosen, "--check", "--json").stdout)
        self.assertEqual({one["name"]: one["failure"] for one in checked["candidates"]},
                         dict.fromkeys(replaying.FOUR))
        answer, found = replaying.compared(*chosen, "--rounds", "2")
        self.assertEqual(tuple(found), replaying.FOUR)
        totals = harness.report([answer["ledger"]["path"]])["totals"]
        self.assertGreater(answer["played"]["calls"], least_calls)
        self.assertGreaterEqual(answer["played"]["threads"], threads)
        for name, one in found.items():
            self.assertFalse(one["failed"], f"{name}: {one['failure']}")
            self.assertGreater(one["time_ns"]["median"], 0, name)
            self.assertGreater(one["peak_rss_bytes"]["median"], 0, name)
            self.assertEqual(one["rss"][-1]["live_bytes"], totals["end_bytes"])
            peak = max(point["live_bytes"] for point in one["rss"])
            self.assertEqual(peak, answer["ledger"]["peak_bytes"])
            # With several threads, calls that overlap come one after the other.
            self.assertAlmostEqual(peak, totals["peak_bytes"],
                                   delta=0 if threads == 1 else totals["peak_bytes"] / 10)
        return run, answer

    def test_sqlite(self):
        self.played(["sqlite3", ":memory:"], 10_000, stdin=real_programs_test.SQL.encode())

    def test_python(self):
        self.played(["/usr/bin/python3", "-c", real_programs_test.PYTHON], 100_000,
                    env={"PYTHONMALLOC": "malloc"})

    def test_python_with_threads(self):
        self.played(["/usr/bin/python3", "-c", real_programs_test.PYTHON_THREADS], 100_000,
                    threads=6, env={"PYTHONMALLOC": "malloc"})

    def test_jq(self):
        self.played(["jq", "-n", JQ], 100_000)

    def test_git(self):
        self.played(["git", "--git-dir=/nonexistent", "diff", "--no-index", "--stat", "/etc",
                     "/etc"], 500)

    def test_the_allocator_of_the_recording_is_the_baseline(self):
        for name in replaying.PACKAGES:
            run = harness.recorded_by_tool([harness.program("small_blocks"), "5"],
                                           options=("--allocator", name))
            _, found = replaying.compared(run.ledgers[0], "--rounds", "1", "--no-latency")
            self.assertEqual(set(found), set(replaying.FOUR))
            self.assertEqual([one["name"] for one in found.values() if one["baseline"]], [name])

    def test_round_trip(self):
        run = harness.recorded_by_tool(["/usr/bin/python3", "-c", real_programs_test.PYTHON],
                                       env={"PYTHONMALLOC": "malloc"})
        again = replaying.played_again(run.ledgers[0])
        self.assertEqual(replaying.shown_facts(again), replaying.shown_facts(run.ledgers[0]))


if __name__ == "__main__":
    unittest.main()
