"""The built programs themselves: the same work every time, however the threads are scheduled, and a
stopwatch and a counter that tell the truth about commands whose cost is known.

    test_workloads.py BUILD_FOLDER
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchlib.place import Place
from benchlib.runner import RunFailed, count_calls, parse_stopwatch, run_once, scratch_folder
from benchlib.workloads import Workload

SCRATCH = tempfile.TemporaryDirectory(prefix="bench-test.")
PLACE = Place(os.path.abspath(sys.argv.pop()), SCRATCH.name)
PLAIN = Workload("test", "", None, {})


def counted(*command):
    return count_calls(PLACE, PLAIN, list(command), 60)


class Churn(unittest.TestCase):
    def test_four_threads_print_and_allocate_the_same_each_time(self):
        results = [counted(PLACE.program("churn"), "60", "4") for _ in range(3)]
        self.assertEqual(results, results[:1] * 3)

    def test_the_output_depends_on_the_amount(self):
        self.assertNotEqual(
            counted(PLACE.program("churn"), "10")[0], counted(PLACE.program("churn"), "11")[0]
        )

    def test_the_output_depends_on_the_threads(self):
        self.assertNotEqual(
            counted(PLACE.program("churn"), "10", "1")[0],
            counted(PLACE.program("churn"), "10", "2")[0],
        )

    def test_a_wrong_argument_is_refused(self):
        self.assertEqual(
            subprocess.run([PLACE.program("churn"), "0"], capture_output=True).returncode, 2
        )


class CountCalls(unittest.TestCase):
    def difference(self, kind):
        """What 1000 more turns of a loop add to the counts: start-up falls out."""
        few, many = (
            counted(PLACE.program("hook_loop"), kind, turns)[1] for turns in ("500", "1500")
        )
        return many["allocations"] - few["allocations"], many["frees"] - few["frees"]

    def test_blocks_that_are_kept(self):
        self.assertEqual(self.difference("keep"), (1000, 0))

    def test_pairs(self):
        self.assertEqual(self.difference("pair"), (1000, 1000))

    def test_calloc(self):
        self.assertEqual(self.difference("zeroed"), (1000, 1000))

    def test_posix_memalign(self):
        self.assertEqual(self.difference("aligned"), (1000, 1000))

    def test_resizes_hand_out_and_give_nothing_back(self):
        self.assertEqual(self.difference("resize"), (1000, 0))


class Stopwatch(unittest.TestCase):
    def run_stopwatch(self, *arguments):
        with scratch_folder(PLACE) as folder:
            result = os.path.join(folder, "result")
            subprocess.run(
                [PLACE.program("stopwatch"), result, *arguments],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            with open(result) as file:
                return parse_stopwatch(file.read())

    def test_a_sleeping_command_takes_at_least_its_time(self):
        self.assertGreaterEqual(self.run_stopwatch("--", "sleep", "0.2")[0]["wall"], 0.2)

    def test_the_status_is_that_of_the_command(self):
        status = self.run_stopwatch("--", "sh", "-c", "exit 7")[1]
        self.assertEqual(os.waitstatus_to_exitcode(status), 7)

    def test_the_environment_is_for_the_command(self):
        status = self.run_stopwatch("A=5", "B=2", "--", "sh", "-c", "exit $A$B")[1]
        self.assertEqual(os.waitstatus_to_exitcode(status), 52)

    def test_the_peak_holds_what_the_command_touched(self):
        touch = "b = bytearray(64 << 20)"
        self.assertGreaterEqual(
            self.run_stopwatch("--", sys.executable, "-c", touch)[0]["rss"], 64 << 20
        )

    def test_the_peak_does_not_hold_what_the_caller_has(self):
        ballast = bytearray(b"x") * (200 << 20)
        peak = self.run_stopwatch("--", "true")[0]["rss"]
        self.assertLess(peak, len(ballast) // 4)


class RunOnce(unittest.TestCase):
    def test_a_failing_command_is_a_failed_run(self):
        with scratch_folder(PLACE) as folder, self.assertRaisesRegex(
            RunFailed, "exit status 3: why"
        ):
            run_once(PLACE, folder, {}, ["sh", "-c", "echo why >&2; exit 3"], 60)

    def test_a_command_that_does_not_end_is_ended(self):
        with scratch_folder(PLACE) as folder, self.assertRaisesRegex(RunFailed, "not done"):
            run_once(PLACE, folder, {}, ["sleep", "600"], 0.2)


if __name__ == "__main__":
    unittest.main()
