"""Live mode against the truth: what the program itself says that it holds, to the last byte, after its
end, in a snapshot while it runs, and after a kill at any instant."""

import os
import random
import signal
import subprocess
import time
import unittest

import harness
import live_truth
import oracle_test


def ledger_in(folder, pid):
    (name,) = [name for name in os.listdir(folder) if f".{pid}." in name]
    return os.path.join(folder, name)


class Holding:
    """The program at rest, with all it holds."""

    def __init__(self, threads, operations, seed, words="mode=live", end="hold"):
        self.folder, self.ledgers = harness.fresh_folder(), harness.fresh_folder()
        self.threads = threads
        self.process, self.path = live_truth.start(self.folder, self.ledgers, threads, operations,
                                                   seed, end, words)

    def __enter__(self):
        line = self.process.stdout.readline()
        harness.expect_equal(line, b"ready\n", "what the program says")
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def truth(self):
        return live_truth.Truth(self.path, self.threads)

    def ledger(self):
        return ledger_in(self.ledgers, self.process.pid)


class AfterTheEnd(unittest.TestCase):
    def consult(self, seed, threads, operations, words):
        truth, ledgers = oracle_test.consult(seed, threads, operations,
                                             words=f"{oracle_test.ONE_FRAME} mode=live {words}")
        answer = harness.report(ledgers)
        harness.expect_complete(answer)
        self.assertEqual(answer["ledgers"][0]["mode"], "live")
        return truth, answer

    def compare(self, seed, threads, operations, words=""):
        truth, answer = self.consult(seed, threads, operations, words)
        groups = oracle_test.groups_by_site(answer, truth)
        for site in truth["sites"]:
            names = ["calls", "bytes", "end_blocks", "end_bytes"]
            names += ["peak_bytes"] if truth["alone"] else []
            wanted = {name: site[name] for name in names}
            if not any(wanted.values()):
                continue
            harness.expect_figures(groups[site["start"]], wanted, f"site at {site['start']:#x}")

    def test_every_site_of_the_oracle(self):
        for seed in range(6):
            self.compare(seed, 1, 20_000)
        for seed in range(10, 16):
            self.compare(seed, 2 + seed % 7, 20_000)

    def test_with_the_tables_in_the_file(self):
        self.compare(30, 1, 20_000, "tables=file")
        self.compare(31, 4, 20_000, "tables=file")

    def test_whole_stacks_and_each_block(self):
        for end in ("exit", "hold"):
            with self.subTest(end=end):
                folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
                process, path = live_truth.start(folder, ledgers, 4, 30_000, 5, end,
                                                 "mode=live tables=file")
                if end == "hold":
                    process.stdout.readline()
                    process.send_signal(signal.SIGKILL)
                process.wait()
                process.stdout.close()
                truth = live_truth.Truth(path, 4)
                live_truth.compare(truth, live_truth.tool("report", ledger_in(ledgers, process.pid),
                                                          *live_truth.BLOCKS))
                self.assertGreater(len(truth.blocks), 1000)


class WhileItRuns(unittest.TestCase):
    def test_a_snapshot_at_rest_is_exact(self):
        with Holding(4, 30_000, 6) as held:
            answer = live_truth.tool("snapshot", str(held.process.pid), *live_truth.BLOCKS)
            live_truth.compare(held.truth(), answer)
            whole = live_truth.tool("snapshot", str(held.process.pid), "--top", "0")
            mine = [group for group in whole["groups"]
                    if group["frames"] and group["frames"][0]["function"] in live_truth.FUNCTIONS]
            truth = held.truth()
            self.assertEqual(sum(group["calls"] for group in mine), truth.calls)
            self.assertEqual(sum(group["bytes"] for group in mine), truth.bytes)
            self.assertEqual(sum(group["end_bytes"] for group in mine), sum(truth.blocks.values()))

    def test_a_snapshot_has_no_past(self):
        with Holding(1, 1_000, 6) as held:
            for words in (["--at", "peak"], ["--at", "1s"], ["--between", "start", "end"]):
                done = subprocess.run([harness.TOOL, "snapshot", str(held.process.pid), *words],
                                      env=harness.plain_environment(), capture_output=True,
                                      check=False)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(b"has no past", done.stderr)

    def test_snapshots_become_ledgers_that_can_be_compared(self):
        with Holding(2, 10_000, 7) as held:
            out = os.path.join(harness.fresh_folder(), "held.ledger")
            subprocess.run([harness.TOOL, "snapshot", str(held.process.pid), "-q", "-o", out],
                           check=True, env=harness.plain_environment())
            live_truth.compare(held.truth(), live_truth.tool("report", out, *live_truth.BLOCKS))
            difference = live_truth.tool("diff", out, out, "--raw")
            changes = [group["change"] for group in difference["groups"]]
            self.assertGreater(len(changes), 3)
            self.assertEqual({value for change in changes for value in change.values()
                              if value is not None}, {0})

    def test_in_motion_each_block_is_whole(self):
        """While the program goes on, what is read of a block is of one block: its size is one that the
        program asks for, and no address is there twice."""
        folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
        process, path = live_truth.start(folder, ledgers, 4, 0, 8, "hold", "mode=live")
        try:
            time.sleep(0.5)
            for _ in range(5):
                found = live_truth.own_blocks(
                    live_truth.tool("snapshot", str(process.pid), *live_truth.BLOCKS))
                self.assertGreater(len(found), 500)
                self.assertLessEqual(max(found.values()), 300_000)
                after = live_truth.Truth(path, 4)
                # Most blocks live on while the tool looks.
                same = sum(1 for address in found if address in after.blocks)
                self.assertGreater(same, 0)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def test_other_modes_are_refused_with_the_way_out(self):
        with Holding(1, 100, 9, words="mode=trace") as held:
            done = subprocess.run([harness.TOOL, "snapshot", str(held.process.pid)],
                                  env=harness.plain_environment(), capture_output=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"mode trace", done.stderr)
            self.assertIn(b"--mode live", done.stderr)
        done = subprocess.run([harness.TOOL, "snapshot", str(os.getpid())],
                              env=harness.plain_environment(), capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"is not recorded", done.stderr)


class Killed(unittest.TestCase):
    def test_at_random_instants(self):
        """The tables read back within one operation of the truth, for each thread."""
        chance = random.Random(11)
        for round_number in range(25):
            threads = chance.choice((1, 2, 4))
            folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
            process, path = live_truth.start(folder, ledgers, threads, 0, round_number, "hold",
                                             "mode=live tables=file")
            time.sleep(0.02 + chance.random() * 0.2)
            process.kill()
            process.wait()
            process.stdout.close()
            if not os.path.exists(path) or os.path.getsize(path) == 0:
                continue
            answer = live_truth.tool("report", ledger_in(ledgers, process.pid), *live_truth.BLOCKS)
            with self.subTest(round=round_number, threads=threads):
                live_truth.compare(live_truth.Truth(path, threads), answer)

    def test_tables_in_memory_are_gone_and_that_is_said(self):
        with Holding(1, 1000, 12) as held:
            ledger = held.ledger()
        done = subprocess.run([harness.TOOL, "report", ledger], env=harness.plain_environment(),
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 3)
        for words in (b"live mode", b"heapledger core", b"--tables file"):
            self.assertIn(words, done.stderr)


class Forked(unittest.TestCase):
    def test_a_child_has_what_it_inherited(self):
        folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
        process, path = live_truth.start(folder, ledgers, 1, 20_000, 13, "fork", "mode=live")
        try:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            children = subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid="],
                                      capture_output=True, check=True).stdout.split()
            answer = live_truth.tool("snapshot", children[0].decode(), *live_truth.BLOCKS)
            live_truth.compare(live_truth.Truth(path, 1), answer)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()


class Bounds(unittest.TestCase):
    def test_the_file_does_not_grow_with_the_run(self):
        sizes = []
        for operations in (20_000, 2_000_000):
            folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
            process, _ = live_truth.start(folder, ledgers, 2, operations, 14, "exit",
                                          "mode=live tables=file")
            process.wait()
            process.stdout.close()
            sizes.append(os.path.getsize(ledger_in(ledgers, process.pid)))
        self.assertEqual(sizes[0], sizes[1])

    def test_no_more_than_32_bytes_a_block(self):
        """Resident memory with us and without, with a million blocks alive."""
        resident = {}
        for name, words in (("without", "mode=off"), ("with", "mode=live depth=1")):
            run = harness.recorded([harness.program("live_many"), "1000000"], words=words)
            resident[name] = int(run.stdout)
        a_block = (resident["with"] - resident["without"]) / 1_000_000
        # Beside the blocks there is what any recording has: windows, stacks, a first index.
        self.assertLess(a_block, 32 + 2, f"{resident}")
        self.assertGreater(a_block, 20)


class Chosen(unittest.TestCase):
    def test_samples_stand_for_all(self):
        """With every call sampled the figures are exact; with distances they are near."""
        with Holding(2, 20_000, 15, words="mode=live live=sampled sample-calls=1") as held:
            answer = live_truth.tool("snapshot", str(held.process.pid), *live_truth.BLOCKS)
            live_truth.compare(held.truth(), answer)
        with Holding(2, 20_000, 15, words="mode=live live=sampled sample=4K seed=3") as held:
            totals = live_truth.tool("snapshot", str(held.process.pid))["totals"]
            truth = sum(held.truth().blocks.values())
            self.assertLess(abs(totals["end_bytes"] - truth), truth / 5)
            self.assertGreater(truth, 1_000_000)

    def test_paused_nothing_new_is_kept_and_ends_are_seen(self):
        program = harness.program("live_pause")
        run = harness.recorded([program], words="mode=live")
        answer = harness.report(run.ledgers)
        sizes = sorted(group["end_bytes"] for group in answer["groups"]
                       if harness.module_name(group) == "live_pause" and group["end_bytes"])
        self.assertEqual(sizes, [1003, 1004])


if __name__ == "__main__":
    unittest.main()
