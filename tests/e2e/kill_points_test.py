"""Killed at every single system call: the ledger opens, and holds exactly what was done.

Random instants (sigkill_test.py) hardly ever hit the few moments when a file is being made or grown.
Here the program runs under ptrace and is killed at its first system call, then, in another run, at
its second, and so on: on the way in and on the way out of each.
"""

import ctypes
import mmap
import os
import signal
import struct
import unittest

import harness
from sigkill_test import figures_after

TRACE_ME, TRACE_SYSCALL = 0, 24
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class Traced:
    """One run of programs/progress.c, stepped from system call to system call."""

    def __init__(self):
        self.ledger_folder = harness.fresh_folder()
        self.counter = os.path.join(harness.fresh_folder(), "counter")
        with open(self.counter, "wb") as file:
            file.truncate(mmap.PAGESIZE)
        environment = harness.recording_environment(self.ledger_folder)
        command = [harness.program("progress"), self.counter]
        self.pid = os.fork()
        if self.pid == 0:
            if libc.ptrace(TRACE_ME, 0, None, None) == 0:
                os.execve(command[0], command, environment)
            os._exit(126)
        _, status = os.waitpid(self.pid, 0)
        if not os.WIFSTOPPED(status):
            raise unittest.SkipTest("ptrace is not permitted here")

    def step(self):
        """To the next edge of a system call; False when the program has ended."""
        harness.expect_equal(libc.ptrace(TRACE_SYSCALL, self.pid, None, None), 0, "ptrace")
        _, status = os.waitpid(self.pid, 0)
        return os.WIFSTOPPED(status)

    def kill_at(self, point):
        """Goes to that edge and kills there. A run may have a few edges fewer than another (memory
        is sampled by time), and then ends by itself."""
        for _ in range(point):
            if not self.step():
                return
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def done(self):
        with open(self.counter, "rb") as file:
            return struct.unpack("<Q", file.read(8))[0]

    def ledgers(self):
        return [os.path.join(self.ledger_folder, name) for name in os.listdir(self.ledger_folder)]


def check(run):
    """What must hold after a kill anywhere."""
    done, ledgers = run.done(), run.ledgers()
    if not ledgers:
        harness.expect_equal(done, 0, "operations done by a program that left no ledger")
        return
    answer = harness.report(ledgers)
    harness.expect_complete(answer)
    groups = [group for group in answer["groups"] if harness.module_name(group) == "progress"]
    entered = sum(group["calls"] + group["frees"] for group in groups)
    harness.expect(entered in (done, done + 1), f"{entered} operations entered, {done} done")
    seen = {name: sum(group[name] for group in groups) for name in ("calls", "frees", "bytes")}
    harness.expect_figures(seen, figures_after(entered), f"after {entered} operations")


class KillPoints(unittest.TestCase):
    def test_every_system_call(self):
        steps, whole = 0, Traced()
        while whole.step():
            steps += 1
        check(whole)
        self.assertEqual(whole.done(), 40_000)
        self.assertGreater(steps, 20)
        failures = []
        for point in range(steps):
            run = Traced()
            run.kill_at(point)
            try:
                check(run)
            except harness.Failure as failure:
                failures.append(f"killed at edge {point} of {steps}: {failure}")
        self.assertEqual(failures, [], "\n".join(failures))


if __name__ == "__main__":
    unittest.main()
