"""SIGKILL at 200 random instants: the ledger always opens, and what the program had told a pipe
as done is always in it, exactly.

The program (programs/killed.c) works by a fixed rule, so the number of entries of a thread tells
what all its figures must be.
"""

import concurrent.futures
import os
import random
import struct
import subprocess
import threading
import unittest

import harness

KILLS = 200
MOST_SECONDS = 0.05
TOLD_EVERY = 8


def bytes_after(operations):
    """Bytes taken by a thread's first operations, by the rule of killed.c."""
    whole, rest = divmod(operations, 3000)
    once = sum(16 + n % 1000 for n in range(3000) if n % 3 != 2)
    return whole * once + sum(16 + n % 1000 for n in range(rest) if n % 3 != 2)


def figures_after(operations):
    frees = operations // 3
    return {"calls": operations - frees, "frees": frees, "bytes": bytes_after(operations)}


def killed_run(threads, seconds):
    """Starts the program, kills it after `seconds`, and gives back what it had told by thread."""
    ledgers = harness.fresh_folder()
    reader, writer = os.pipe()
    process = subprocess.Popen([harness.program("killed"), str(threads), str(writer)],
                               env=harness.recording_environment(ledgers),
                               stdin=subprocess.DEVNULL, pass_fds=(writer,))
    os.close(writer)
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    with os.fdopen(reader, "rb") as pipe:
        data = pipe.read()  # until the kill
    status = process.wait(timeout=harness.HANG_SECONDS)
    harness.expect_equal(status, -9, "the program's end")
    told = dict(struct.iter_unpack("<QQ", data))
    return told, [os.path.join(ledgers, name) for name in os.listdir(ledgers)]


class Sigkill(unittest.TestCase):
    def trial(self, threads, seconds):
        told, ledgers = killed_run(threads, seconds)
        if not told and not ledgers:
            return 0  # killed before the program began
        answer = harness.report(ledgers)
        harness.expect_complete(answer)
        harness.expect_equal(answer["totals"]["unmatched_frees"], 0, "unmatched frees")
        groups = [group for group in answer["groups"] if harness.module_name(group) == "killed"]
        # Which group is which thread's does not matter: in order of size they must match.
        entered = sorted(group["calls"] + group["frees"] for group in groups)
        harness.expect(len(groups) >= len(told), f"{len(groups)} threads entered, {told} told")
        for operations, done in zip(entered[len(entered) - len(told):], sorted(told.values())):
            harness.expect(done <= operations <= done + TOLD_EVERY,
                           f"{operations} operations entered, {done} told")
        for group in groups:
            operations = group["calls"] + group["frees"]
            harness.expect_figures(group, figures_after(operations),
                                   f"after {operations} operations")
        return sum(told.values())

    def kills(self, threads, number):
        rng = random.Random()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = [pool.submit(self.trial, threads, rng.uniform(0, MOST_SECONDS))
                       for _ in range(number)]
        done = 0
        for result in results:
            with self.subTest():
                done += result.result()
        self.assertGreater(done, 1000 * number, "the program hardly got going")

    def test_one_thread(self):
        self.kills(1, KILLS // 2)

    def test_three_threads(self):
        self.kills(3, KILLS // 2)


if __name__ == "__main__":
    unittest.main()
