"""bench/stacks: its arithmetic on made-up samples, and one short run of every way that is here.

    test_stacks.py BUILD_FOLDER
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))

from benchlib.stacks import SHAPES, WAYS, slopes, turns_for

BUILD = os.path.abspath(sys.argv.pop())


class Arithmetic(unittest.TestCase):
    def test_a_frame_costs_the_difference_by_depth_without_the_loop(self):
        best = {("none", "hot", 8, 1): 2, ("none", "hot", 108, 1): 12,
                ("ours", "hot", 8, 1): 20, ("ours", "hot", 108, 1): 130,
                ("none", "shifted", 8, 1): 10, ("none", "shifted", 108, 1): 210,
                ("ours", "shifted", 8, 1): 50, ("ours", "shifted", 108, 1): 650}
        rows = slopes(best, ["ours"], [8, 108], 1)
        self.assertEqual([values for _, values in rows], [[1.0], [4.0]])

    def test_turns_are_even_and_never_none(self):
        for way in WAYS:
            for shape in SHAPES:
                turns = turns_for(way, shape, 4096, 1e-9)
                self.assertGreaterEqual(turns, 2)
                self.assertEqual(turns_for(way, shape, 20, 0.01) % 2, 0)


class Program(unittest.TestCase):
    def run_program(self, *words):
        command = [os.path.join(BUILD, "bench", "stacks_micro"), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def test_every_way_sees_the_same_frames(self):
        """Ours begins with the caller; the others also see the function that asks them."""
        ours = int(self.run_program("heapledger", "hot", "20", "1", "10").stdout.split()[2])
        self.assertGreaterEqual(ours, 20)
        for way in ("libgcc", "libunwind", "glibc"):
            done = self.run_program(way, "hot", "20", "1", "10")
            if done.returncode != 3:
                self.assertEqual(int(done.stdout.split()[2]), ours + 1, way)

    def test_stacks_are_counted(self):
        taken = {shape: int(self.run_program("none", shape, "8", "1", "10").stdout.split()[0])
                 for shape in SHAPES}
        self.assertEqual(taken, {"hot": 10, "alternating": 10, "recursion": 160, "shifted": 10})

    def test_nonsense_is_refused(self):
        self.assertEqual(self.run_program("none", "sideways", "8", "1", "10").returncode, 2)
        self.assertEqual(self.run_program("none", "hot", "8", "1").returncode, 2)

    def test_a_way_that_nobody_knows_is_not_there(self):
        self.assertEqual(self.run_program("magic", "hot", "8", "1", "10").returncode, 3)


class Script(unittest.TestCase):
    def run_script(self, *words):
        command = [sys.executable, str(BENCH / "stacks"), "--build", BUILD, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    def test_a_short_run_prints_both_tables(self):
        done = self.run_script("--rounds", "1", "--seconds", "0.0001", "--depths", "8,32",
                               "--threads", "1,2")
        self.assertEqual(done.returncode, 0, done.stderr)
        for shape in SHAPES:
            self.assertEqual(len(re.findall(rf"^\| {shape}, ", done.stdout, re.M)), 4, done.stdout)
        self.assertIn("(verified)", done.stdout)
        self.assertIn("(walked)", done.stdout)

    def test_an_unknown_way_is_named(self):
        done = self.run_script("--ways", "heapledger,magic")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no way magic", done.stderr)


if __name__ == "__main__":
    unittest.main()
