"""`heapledger replay --record-to`: what is played is what was recorded; where the ledger goes."""

import os
import unittest

import harness
import replaying


class RoundTrip(unittest.TestCase):
    """A replay under our own recorder: the ledger of it has the figures of the first one."""

    maxDiff = 4000

    def expect_the_same(self, path, *options):
        again = replaying.played_again(path, *options)
        self.assertEqual(replaying.shown_facts(again), replaying.shown_facts(path))

    def test_a_plain_program(self):
        self.expect_the_same(replaying.record("steady"))

    def test_all_functions_in_one_thread(self):
        for seed in (1, 2, 3):
            self.expect_the_same(replaying.record("oracle", seed, 1, 5000))

    def expect_all_but_the_peak(self, path, again):
        """Gives back the two peaks."""
        seen, wanted = replaying.shown_facts(again), replaying.shown_facts(path)
        peaks = seen["totals"].pop("peak_bytes"), wanted["totals"].pop("peak_bytes")
        del seen["totals"]["peak_blocks"], wanted["totals"]["peak_blocks"]
        self.assertEqual(seen, wanted)
        return peaks

    def test_many_threads_played_in_one(self):
        # A resize frees when it begins and allocates when it ends. Others may allocate in between,
        # but not when one call comes after the other: the peak may be higher by such blocks.
        for seed in (5, 6):
            path = replaying.record("oracle", seed, 6, 5000)
            again = replaying.played_again(path, "--threads", "1")
            seen, recorded = self.expect_all_but_the_peak(path, again)
            answer, _ = replaying.compared(path, "--threads", "1", "--rounds", "1",
                                           "--allocators", "glibc")
            self.assertEqual(seen, answer["ledger"]["peak_bytes"])
            self.assertAlmostEqual(seen, recorded, delta=recorded / 10)

    def test_many_threads_that_free_one_anothers_blocks(self):
        # Which threads were first is another matter, and with it the peak.
        path = replaying.record("oracle", 6, 6, 5000)
        for order in ("dependencies", "strict"):
            again = replaying.played_again(path, "--order", order)
            self.expect_all_but_the_peak(path, again)
            info = harness.tool_json("info", [again])["ledgers"][0]
            self.assertGreaterEqual(len(info["threads"]), 6)

    def test_in_strict_order_what_was_freed_before_is_freed_before(self):
        # Two threads that take turns, and pass no block to one another: only the order keeps one
        # from having its blocks while the other has.
        path = replaying.record("turns", 2, 3000, 4, 10_000)
        again = replaying.played_again(path, "--order", "strict")
        seen, recorded = self.expect_all_but_the_peak(path, again)
        self.assertEqual(seen, recorded)

    def test_real_time_takes_as_long(self):
        run = harness.recorded(["/usr/bin/python3", "-I", "-c",
                                "import time; a = bytearray(5000000); time.sleep(1)"])
        path = run.ledgers[0]
        again = replaying.played_again(path, "--speed", "real")
        info = harness.tool_json("info", [again])["ledgers"][0]
        self.assertGreaterEqual(info["duration_ns"], 1e9)
        self.assertEqual(replaying.shown_facts(again), replaying.shown_facts(path))


class RecordTo(unittest.TestCase):
    def refused(self, path, out, told):
        done = replaying.replay(path, "--record-to", out, status=2)
        self.assertEqual(done.stdout, b"")
        self.assertIn(told, done.stderr.decode())

    def test_what_is_there_stays_as_it_is(self):
        path = replaying.record("steady")
        folder = harness.fresh_folder()
        there = os.path.join(folder, "old.ledger")
        with open(there, "wb") as file:
            file.write(b"precious")
        self.refused(path, there, "is there already")
        self.assertEqual(os.listdir(folder), ["old.ledger"])
        with open(there, "rb") as file:
            self.assertEqual(file.read(), b"precious")
        before = sorted(os.listdir(os.path.dirname(path)))
        self.refused(path, path, "is there already")
        self.assertEqual(sorted(os.listdir(os.path.dirname(path))), before)

    def test_impossible_places(self):
        path = replaying.record("steady")
        nowhere = os.path.join(harness.fresh_folder(), "nowhere")
        self.refused(path, os.path.join(nowhere, "x.ledger"), "there is no folder")
        self.assertFalse(os.path.exists(nowhere))
        self.refused(path, "/proc/x.ledger", "no file can be made")

    def test_one_that_hangs_is_ended(self):
        out = os.path.join(harness.fresh_folder(), "x.ledger")
        done = replaying.replay(replaying.record("steady"), "--record-to", out, "--timeout", "2",
                                "--allocators", replaying.allocator("hanging"), status=1)
        self.assertEqual(done.stdout, b"")
        self.assertIn("2.00 s", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
