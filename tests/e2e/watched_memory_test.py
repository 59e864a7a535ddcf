"""Memory samples from outside: what `heapledger run` sees of a program that fills its memory without a
call of the heap (programs/filling.c). Samples are read by the second reader, ledger_file.py."""

import os
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import ledger_file

MIB = 1 << 20
STEP, STEPS = 4 * MIB, 16
OUTSIDE = 0xFFFFFFFF
# Pages that each processor counts for itself, and what the look itself takes.
NEAR = MIB


def run(*options, command='exec "$0" $PPID'):
    """Under the tool, as its own child or as one of that child's."""
    return harness.recorded_by_tool(["sh", "-c", command, harness.program("filling")],
                                    options=options)


def outside(path):
    return [one for one in ledger_file.Ledger(path).samples if one.window == OUTSIDE]


def answer(verb, *words):
    return harness.json.loads(subprocess.run([harness.TOOL, verb, "--json", *words], check=True,
                                             capture_output=True).stdout)


class Watched(unittest.TestCase):
    def expect_steps(self, samples, before):
        """Each step is seen, in its order, and then none of it."""
        values = [one.rss - before for one in samples]
        self.assertEqual([one.time for one in samples], sorted({one.time for one in samples}))
        top = next(i for i, value in enumerate(values) if value > STEPS * STEP - NEAR)
        for step in range(1, STEPS + 1):
            found = [i for i, value in enumerate(values) if abs(value - step * STEP) < NEAR]
            self.assertTrue(found, f"step {step}: {values}")
        rise = values[:top + 1]
        self.assertEqual(rise, sorted(rise))
        self.assertLess(values[-1], NEAR)
        for one in samples:
            self.assertGreaterEqual(one.highest, one.rss - NEAR)
            self.assertEqual(one.ticks, 0)
            self.assertLess(one.files, before)
            self.assertLess(one.rss - before, STEPS * STEP + NEAR)

    def test_what_is_filled_between_two_calls_is_seen_while_it_happens(self):
        done = run("--no-seal")
        path = done.ledger_of("filling")
        samples = outside(path)
        self.expect_steps(samples, int(done.stdout))

        # The peak is at one of the samples at the top, by the clock pairs of the header.
        with open(path, "rb") as file:
            head = file.read(124)
        start, first, second = (ledger_file.struct.unpack_from("<QQ", head, at)
                                for at in (48, 72, 96))
        latest = max(first, second)
        shift = ledger_file.read_header(path).time_shift
        unit = (latest[1] - start[1]) / (latest[0] - start[0]) * 2**shift
        at_top = [(one.time - (start[0] >> shift)) * unit for one in samples
                  if one.rss - int(done.stdout) > STEPS * STEP - NEAR]
        report = harness.report([path])
        peak = report["moments"]["rss_peak"]
        self.assertGreater(peak["time_ns"], min(at_top) - 1e6)
        self.assertLess(peak["time_ns"], max(at_top) + 1e6)
        self.assertGreaterEqual(peak["live_bytes"], STEPS * STEP)
        where = answer("report", "--where-rss", path)["where_rss"]
        self.assertLess(abs(where["rss_bytes"] - int(done.stdout) - STEPS * STEP), NEAR)
        parts = {part["part"]: part["bytes"] for part in where["parts"]}
        self.assertEqual(sum(parts.values()), where["rss_bytes"])
        self.assertLess(abs(parts.get("not-resident", 0)), NEAR)

        # It is the same heap as without us, and the same answers once it is sealed.
        alone = harness.report(harness.recorded([harness.program("filling")]))
        for name in ("calls", "bytes", "frees", "resizes", "peak_bytes", "peak_blocks"):
            self.assertEqual(report["totals"][name], alone["totals"][name], name)
        self.assertEqual(len(answer("info", path)["ledgers"][0]["threads"]), 1)
        harness.expect_complete(report)
        sealed = os.path.join(harness.fresh_folder(), "x.ledger")
        shutil.copy(path, sealed)
        subprocess.run([harness.TOOL, "seal", "--quiet", sealed], check=True)
        again = harness.report([sealed])
        for name in ("moments", "totals", "series"):
            self.assertEqual(again.get(name), report.get(name), name)

    def test_a_run_that_is_sealed_has_them(self):
        path = run().ledger_of("filling")
        with open(path, "rb") as file:
            self.assertEqual(file.read(8), b"HPSEALED")
        where = answer("report", "--where-rss", path)["where_rss"]
        self.assertGreater(where["rss_bytes"], STEPS * STEP)
        self.assertGreaterEqual(where["live_bytes"], STEPS * STEP)

    def test_several_processes_at_once(self):
        done = run("--no-seal", command='"$0" $PPID & "$0" $PPID & wait')
        paths = [path for path in done.ledgers if os.path.basename(path).startswith("filling.")]
        self.assertEqual(len(paths), 2)
        for path in paths:
            self.expect_steps(outside(path), int(done.stdout.split()[0]))

    def test_what_a_process_becomes_is_not_told_of_what_it_was(self):
        # The shell has a ledger, too, and the same number.
        done = run("--no-seal")
        shell = [path for path in done.ledgers if path != done.ledger_of("filling")]
        self.assertEqual(len(shell), 1)
        self.assertEqual(ledger_file.read_header(shell[0]).pid,
                         ledger_file.read_header(done.ledger_of("filling")).pid)
        for sample in outside(shell[0]):
            self.assertLess(sample.rss, 2 * STEP)

    def test_a_ledger_that_somebody_holds_is_left_alone(self):
        done = run("--no-seal", command='exec "$0" $PPID leave')
        before, left = map(int, done.stdout.split())
        try:
            self.assertEqual(outside(done.ledger_of("filling")), [])
            self.assertGreater(harness.report([done.ledger_of("filling")])["totals"]["calls"], 0)
        finally:
            os.kill(left, signal.SIGKILL)

    def test_run_that_is_killed_leaves_the_ledger_as_the_program_wrote_it(self):
        folder = harness.fresh_folder()
        command = 'exec "$0" $PPID'
        tool = subprocess.Popen([harness.TOOL, "run", "-q", "--no-seal", "-o", "x.ledgers", "--", "sh",
                                 "-c", command, harness.program("filling")], cwd=folder,
                                stdout=subprocess.PIPE, env=harness.plain_environment())
        tool.stdout.readline()  # it has begun
        tool.kill()
        tool.wait()
        tool.stdout.read()  # the program has ended
        tool.stdout.close()
        paths = [path for path in os.listdir(os.path.join(folder, "x.ledgers"))
                 if path.startswith("filling.")]
        path = os.path.join(folder, "x.ledgers", paths[0])
        self.assertEqual(outside(path), [])
        harness.expect_complete(harness.report([path]))


if __name__ == "__main__":
    unittest.main()
