"""`heapledger replay --tune`: settings are tried, in the time there is, and told as to be exported."""

import json
import re
import unittest

import harness
import replaying

# 40 MB that come and go: glibc gives them back to the kernel each time, unless a setting says that
# it should keep so much.
LARGE = """
for i in range(5):
    blocks = [bytearray(10_000_000) for _ in range(4)]
    del blocks
"""


class Tune(unittest.TestCase):
    def test_settings_of_glibc(self):
        path = replaying.record("oracle", 4, 3, 5000)
        answer = json.loads(replaying.replay(path, "--tune", "--limit", "200", "--json").stdout)
        self.assertEqual(answer["schema"], "heapledger.replay.tune/1")
        tuned = answer["tuned"][0]
        self.assertEqual((len(answer["tuned"]), tuned["allocator"]), (1, "glibc"))
        self.assertEqual(tuned["tried"][0]["settings"], [])
        names = {one["name"] for tried in tuned["tried"] for one in tried["settings"]}
        for part in ("arena_max", "tcache", "mmap_threshold", "trim_threshold"):
            self.assertTrue(any(part in name for name in names), f"{part} is not in {names}")
        for tried in tuned["tried"]:
            self.assertFalse(tried["failed"], tried["failure"])
            for one in tried["settings"]:
                self.assertIn(f"{one['name']}={one['value']}", tried["environment"][one["variable"]])

    def test_each_of_the_others_has_settings(self):
        replaying.needs_all_four()
        path = replaying.record("oracle", 4, 3, 2000)
        done = replaying.replay(path, "--tune=jemalloc,tcmalloc,mimalloc", "--limit", "200",
                                "--json")
        answer = json.loads(done.stdout)
        self.assertEqual([one["allocator"] for one in answer["tuned"]],
                         ["jemalloc", "tcmalloc", "mimalloc"])
        for tuned in answer["tuned"]:
            self.assertGreater(len(tuned["tried"]), 2, tuned["allocator"])

    @replaying.up_to_four_times
    def test_a_setting_that_helps_is_found_and_can_be_exported(self):
        run = harness.recorded_by_tool(["/usr/bin/python3", "-I", "-c", LARGE])
        done = replaying.replay(run.ledgers[0], "--tune=glibc", "--limit", "60", "--json")
        tuned = json.loads(done.stdout)["tuned"][0]
        fastest = tuned["tried"][tuned["fastest"]]
        # Blocks that are kept cost no system call and no page fault: far less than mapping anew.
        self.assertLess(fastest["time_ratio"]["high"], 1, tuned["verdict"])
        faults = [one["page_faults"]["median"] for one in (tuned["tried"][0], fastest)]
        self.assertLess(faults[1], faults[0] / 2)
        self.assertIn("GLIBC_TUNABLES=", tuned["verdict"])

    def test_it_ends_in_time_and_says_so(self):
        path = replaying.record("oracle", 4, 3, 20000)
        done = replaying.replay(path, "--tune", "--limit", "1")
        self.assertRegex(done.stdout.decode(), r"(?m)^glibc +per call +ratio +peak RSS")
        self.assertTrue(re.search("no time|Not all settings", done.stdout.decode()))

    def test_unknown_ones_are_refused(self):
        path = replaying.record("steady")
        run = harness.recorded_by_tool([harness.program("steady")],
                                       options=("--allocator", replaying.allocator("slow")))
        self.assertIn(b"no settings of slow.so are known",
                      replaying.replay(run.ledgers[0], "--tune", status=2).stderr)
        replaying.replay(path, "--tune=hoard", status=2)


if __name__ == "__main__":
    unittest.main()
