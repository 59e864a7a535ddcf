"""Replays with allocators that are known: one that is slow, one that leaks, and some that fail.

The two costs are known from outside: 100 ns for each call, by the clock, and a page for each
allocation.
"""

import json
import unittest

import harness
import replaying

PAGE = 4096


class Ranking(unittest.TestCase):
    def test_one_that_takes_100_ns_more_for_each_call(self):
        path = replaying.record("small_blocks", 300)
        answer, found = replaying.compared(path, "--no-latency", "--allocators",
                                           replaying.allocator("slow"))
        slow, glibc = found["slow.so"], found["glibc"]
        more = slow["ns_per_call"]["median"] - glibc["ns_per_call"]["median"]
        # It waits until the clock says so: at least 100 ns, and reading the clock comes on top.
        self.assertGreater(more, 90)
        self.assertLess(more, 200)
        self.assertGreater(slow["time_ratio"]["ratio"], 1)
        self.assertFalse(answer["verdict"].startswith("slow.so"), answer["verdict"])
        # The memory is glibc's.
        self.assertAlmostEqual(slow["peak_rss_bytes"]["median"], glibc["peak_rss_bytes"]["median"],
                               delta=0.1 * glibc["peak_rss_bytes"]["median"] + 16 * PAGE)

    def test_one_that_leaks_a_page_for_each_allocation(self):
        path = replaying.record("small_blocks", 20)
        _, found = replaying.compared(path, "--no-latency", "--rounds", "3", "--allocators",
                                      replaying.allocator("leaky"))
        leaky, glibc = found["leaky.so"], found["glibc"]
        leaked = 20 * 1000 * PAGE
        more = leaky["peak_rss_bytes"]["median"] - glibc["peak_rss_bytes"]["median"]
        self.assertAlmostEqual(more, leaked, delta=leaked / 10)
        self.assertGreater(leaky["peak_ratio"]["low"], 1)
        self.assertEqual(leaky["verdict"].count("times the peak memory"), 1)
        # And over time: half of it after half of the calls.
        half = [point for point in leaky["rss"] if point["calls"] <= 20_000]
        self.assertAlmostEqual(half[-1]["rss_bytes"], half[-1]["calls"] / 2 * PAGE,
                               delta=leaked / 10)
        # Each page is a page fault and a system call.
        faults = leaky["page_faults"]["median"] - glibc["page_faults"]["median"]
        self.assertAlmostEqual(faults, 20_000, delta=2000)
        if leaky["system_calls"] is not None:
            self.assertAlmostEqual(leaky["system_calls"]["by_name"]["mmap"], 20_000, delta=100)


class Failing(unittest.TestCase):
    """What fails is told, and the others are compared all the same."""

    @classmethod
    def setUpClass(cls):
        cls.path = replaying.record("small_blocks", 20)
        cls.all = [replaying.allocator(name) for name in
                   ("crashing", "hanging", "exhausted", "not_one", "slow")]

    def test_in_a_comparison(self):
        wanted = ",".join(self.all + ["/nowhere/at_all.so"])
        _, found = replaying.compared(self.path, "--allocators", wanted, "--rounds", "2",
                                      "--timeout", "3")
        for name, told in (("crashing.so", "crashed"), ("hanging.so", "3.00 s"),
                           ("exhausted.so", "memory"), ("not_one.so", "could not be loaded"),
                           ("at_all.so", "no such file")):
            self.assertTrue(found[name]["failed"], name)
            self.assertIn(told, found[name]["failure"])
            self.assertNotIn("time_ns", found[name])
        for name in ("glibc", "slow.so"):
            self.assertFalse(found[name]["failed"], name)
            self.assertEqual(len(found[name]["time_ns"]["rounds"]), 2)

    def test_as_text(self):
        text = replaying.replay(self.path, "--allocators", self.all[0], "--rounds", "1",
                                "--no-latency").stdout.decode()
        self.assertRegex(text, r"(?m)^  crashing\.so +crashed \(SIG")
        self.assertRegex(text, r"(?m)^  glibc +[\d.]+ [um]s +[\d.]+ ns")

    def test_one_that_is_broken_is_caught(self):
        broken = replaying.allocator("broken")
        done = replaying.replay(self.path, "--check", "--json", "--allocators",
                                broken + "," + self.all[-1], status=1)
        found = {one["name"]: one for one in json.loads(done.stdout)["candidates"]}
        self.assertEqual({name: one["failed"] for name, one in found.items()},
                         {"glibc": False, "broken.so": True, "slow.so": False})
        self.assertIn("overwritten", found["broken.so"]["failure"])
        text = replaying.replay(self.path, "--check", "--allocators", broken,
                                status=1).stdout.decode()
        self.assertTrue(text.startswith("1 of 2 allocators did not pass: broken.so."), text)

    def test_one_that_works_passes(self):
        text = replaying.replay(self.path, "--check", "--allocators", self.all[-1]).stdout.decode()
        self.assertTrue(text.startswith("All 2 allocators keep their promises."), text)

    def test_recorded_with_an_allocator_that_is_not_there_any_more(self):
        run = harness.recorded_by_tool([harness.program("small_blocks"), "5"],
                                       options=("--allocator", self.all[-1]))
        self.assertEqual(run.status, 0, run.stderr)
        _, found = replaying.compared(run.ledgers[0], "--allocators", "glibc", "--rounds", "1")
        self.assertEqual([name for name, one in found.items() if one["baseline"]], ["slow.so"])
        self.assertEqual(found["slow.so"]["library"], self.all[-1])


if __name__ == "__main__":
    unittest.main()
