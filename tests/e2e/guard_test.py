"""guard=: bytes around each block are looked at; damage is told with both stacks."""

import signal
import subprocess
import unittest

import harness

MODES = ("trace", "count", "sample", "log", "off")


def words_of(mode):
    return f"mode={mode}" + (" file=/dev/null" if mode == "log" else "")


def names(frames):
    return [frame["name"] for frame in frames]


class Guard(unittest.TestCase):
    def damage(self, how, words="guard=report"):
        run = harness.recorded([harness.program("damage"), how], words=words)
        self.assertEqual((run.status, run.stdout), (0, b"went on\n"), run.stderr)
        return run

    def only(self, how):
        run = self.damage(how)
        answer = harness.report(run)
        self.assertEqual(len(answer["damages"]), 1, answer["damages"])
        return run, answer["damages"][0]

    def check_stacks(self, damage, ending=("end_block", "main")):
        self.assertEqual(names(damage["allocated"])[:2], ["make_block", "main"])
        self.assertEqual(tuple(names(damage["noticed"])[:len(ending)]), ending)

    def test_one_byte_too_far(self):
        run, damage = self.only("after")
        harness.expect_figures(damage, {"what": "after", "size": 40, "offset": 40}, "after")
        self.check_stacks(damage)
        self.assertRegex(run.stderr.decode(), r"^heapledger: block 0x[0-9a-f]+ of 40 bytes was "
                                              r"written to past its end, at offset 40\n$")

    def test_one_byte_too_early(self):
        run, damage = self.only("before")
        harness.expect_figures(damage, {"what": "before", "size": 40, "offset": -1}, "before")
        self.check_stacks(damage)
        self.assertIn(b"written to before its start, 1 byte ahead", run.stderr)

    def test_freed_twice(self):
        run, damage = self.only("twice")
        harness.expect_figures(damage, {"what": "freed-already", "size": 40}, "twice")
        self.check_stacks(damage)
        self.assertIn(b"of 40 bytes is freed again\n", run.stderr)

    def test_noticed_by_realloc(self):
        _, damage = self.only("resize")
        harness.expect_figures(damage, {"what": "after", "size": 40, "offset": 40}, "resize")
        self.check_stacks(damage, ("main",))

    def test_the_usable_size_is_the_one_asked_for(self):
        self.assertEqual(self.damage("usable").stderr, b"")

    def test_a_clean_program_is_left_alone(self):
        plain = harness.recorded([harness.program("damage"), "clean"])
        self.assertEqual((plain.status, plain.stdout), (0, b"went on\n"))
        guarded = self.damage("clean")
        self.assertEqual(guarded.stderr, b"")
        wanted, found = harness.report(plain), harness.report(guarded)
        self.assertEqual(found["damages"], [])
        self.assertEqual(found["by_function"], wanted["by_function"])
        for figure in ("calls", "bytes", "frees", "resizes", "peak_bytes", "end_bytes",
                       "unmatched_frees", "missed"):
            self.assertEqual(found["totals"][figure], wanted["totals"][figure], figure)

    def test_it_stops_when_told(self):
        for how in ("after", "before", "twice"):
            run = harness.recorded([harness.program("damage"), how], words="guard=stop")
            self.assertEqual((run.signal, run.stdout), (signal.SIGABRT, b""))
            self.assertEqual(len(harness.report(run)["damages"]), 1)

    def test_in_every_mode(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                clean = self.damage("clean", f"guard=report {words_of(mode)}")
                self.assertEqual(clean.stderr, b"")
                run = self.damage("after", f"guard=report {words_of(mode)}")
                self.assertIn(b"past its end, at offset 40", run.stderr)
                damage, = harness.report(run)["damages"]
                self.assertEqual(names(damage["noticed"])[:2], ["end_block", "main"])

    def test_the_oracle_of_eight_threads(self):
        for words in ("guard=stop", "guard=stop mode=count"):
            run = harness.recorded([harness.program("oracle"), "3", "8", "5000"], words=words)
            self.assertEqual((run.status, run.stderr), (0, b""))

    def test_the_page_for_people_and_the_summary(self):
        run = self.damage("after")
        text = subprocess.run([harness.TOOL, "report", *run.ledgers], capture_output=True,
                              env=harness.plain_environment(), check=True).stdout.decode()
        self.assertIn("damaged blocks: 1\n", text)
        self.assertIn("written to past its end, at offset 40\n", text)
        self.assertRegex(text, r"allocated in +make_block")
        self.assertRegex(text, r"noticed by +end_block")
        folder = harness.fresh_folder()
        done = subprocess.run([harness.TOOL, "run", "--guard", "report", "-o",
                               f"{folder}/%e.ledger", "--", harness.program("damage"), "after"],
                              capture_output=True, env=harness.plain_environment(), cwd=folder,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr.decode(), r"damaged +1 block")


if __name__ == "__main__":
    unittest.main()
