"""Replays with allocators that are known: one that is slow, one that leaks, and some that fail.

The two costs are known from outside: 100 ns for each call, by the clock, and a page for each
allocation.
"""

import json
import os
import shutil
import time
import unittest

import harness
import replaying

PAGE = 4096


class Ranking(unittest.TestCase):
    @replaying.up_to_four_times
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

    @replaying.up_to_four_times
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
        # Each page is a page fault.
        faults = leaky["page_faults"]["median"] - glibc["page_faults"]["median"]
        self.assertAlmostEqual(faults, 20_000, delta=2000)

    def test_each_page_that_leaks_is_a_system_call(self):
        path = replaying.record("small_blocks", 20)
        _, found = replaying.compared(path, "--no-latency", "--rounds", "1", "--allocators",
                                      replaying.allocator("leaky"))
        leaky = found["leaky.so"]
        if leaky["system_calls"] is None:
            self.assertTrue(leaky["why_not_counted"])
            self.skipTest("system calls cannot be counted here: " + leaky["why_not_counted"])
        self.assertIsNone(leaky["why_not_counted"])
        self.assertAlmostEqual(leaky["system_calls"]["by_name"]["mmap"], 20_000, delta=100)


def is_player(pid):
    """Whether there is such a process, and it is one of the player's."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"heapledger-player" in file.read()
    except OSError:
        return False


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
                                      "--timeout", "8")
        for name, told in (("crashing.so", "crashed"), ("hanging.so", "8.00 s"),
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
        self.assertRegex(text, r"(?m)^  glibc +[\d.]+ [num]s +[\d.]+ ns")

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

    def test_one_that_runs_out_of_memory_or_time_is_not_called_broken(self):
        for name, told in (("exhausted", "ran out of memory"), ("hanging", "was not done within")):
            words = (self.path, "--check", "--timeout", "8", "--allocators",
                     replaying.allocator(name))
            done = replaying.replay(*words, "--json", status=1)
            found = {one["name"]: one for one in json.loads(done.stdout)["candidates"]}[name + ".so"]
            self.assertEqual((found["failed"], found["undecided"]), (True, True))
            self.assertTrue(found["failure"].startswith(told), found["failure"])
            self.assertEqual(found["failure"].count(" calls"), 1, found["failure"])
            self.assertNotIn("broken", found["failure"])
            self.assertRegex(done.stderr.decode(), rf"{name}\.so {told}.* is not known")

    def test_one_that_asks_for_its_own_usable_size_passes(self):
        path = replaying.record("resizes", "realloc")
        done = replaying.replay(path, "--check", "--json", "--allocators",
                                replaying.allocator("measuring"))
        found = {one["name"]: one for one in json.loads(done.stdout)["candidates"]}
        self.assertEqual([one["failure"] for one in found.values()], [None, None])
        self.assertEqual(found["measuring.so"]["emulated"], 0)

    def test_what_an_allocator_starts_ends_with_the_play(self):
        pids = os.path.join(harness.fresh_folder(), "pids")
        _, found = replaying.compared(self.path, "--rounds", "2", "--allocators",
                                      replaying.allocator("forking"),
                                      variables={"FORKING_ALLOCATOR": pids})
        self.assertFalse(found["forking.so"]["failed"], found["forking.so"]["failure"])
        with open(pids, encoding="ascii") as file:
            started = file.read().split()
        self.assertGreaterEqual(len(started), 4)  # each round is played twice
        # They are ended, which may take a moment; of themselves they go on for ever.
        for _ in range(100):
            left = [pid for pid in started if is_player(pid)]
            if not left:
                break
            time.sleep(0.1)
        self.assertEqual(left, [])

    def test_paths_that_cannot_be_preloaded(self):
        folder = harness.fresh_folder()
        spaced, text = os.path.join(folder, "a b.so"), os.path.join(folder, "text.so")
        shutil.copy(self.all[-1], spaced)
        with open(text, "w", encoding="ascii") as file:
            file.write("not a library\n")
        _, found = replaying.compared(self.path, "--rounds", "1", "--allocators",
                                      f"glibc,{spaced},{text}")
        self.assertFalse(found["glibc"]["failed"])
        for name, told in (("a b.so", "without spaces"), ("text.so", "not a library")):
            self.assertTrue(found[name]["failed"])
            self.assertIn(told, found[name]["failure"])

    def test_recorded_with_an_allocator_that_is_not_there_any_more(self):
        gone = os.path.join(harness.fresh_folder(), "gone.so")
        shutil.copy(self.all[-1], gone)
        run = harness.recorded_by_tool([harness.program("small_blocks"), "5"],
                                       options=("--allocator", gone))
        self.assertEqual(run.status, 0, run.stderr)
        os.remove(gone)
        done = replaying.replay(run.ledgers[0], "--allocators", self.all[-1], "--rounds", "1",
                                "--json")
        self.assertRegex(done.stderr.decode(), r"gone\.so.* is not there any more.*glibc instead")
        found = json.loads(done.stdout)["candidates"]
        self.assertEqual([(one["name"], one["baseline"]) for one in found],
                         [("glibc", True), ("slow.so", False)])

    def test_the_allocator_of_the_recording_is_always_compared(self):
        run = harness.recorded_by_tool([harness.program("small_blocks"), "5"],
                                       options=("--allocator", self.all[-1]))
        self.assertEqual(run.status, 0, run.stderr)
        _, found = replaying.compared(run.ledgers[0], "--allocators", "glibc", "--rounds", "1")
        self.assertEqual([name for name, one in found.items() if one["baseline"]], ["slow.so"])
        self.assertEqual(found["slow.so"]["library"], self.all[-1])


if __name__ == "__main__":
    unittest.main()
