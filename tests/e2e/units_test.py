"""Sizes and durations on the command line: every option, filter, setting and limit takes them in the
same dialect, and refuses what is none in the same words."""

import subprocess
import unittest

import harness

SIZES = ("512KiB", "512k", "524288", "0.5M")
DURATIONS = ("1500ms", "1.5s", "0.025min")
AS_SIZE = "cannot read '12q' as a size: write 512k, 1.5M or 2GiB"
AS_DURATION = "cannot read '12q' as a duration: write 250ms, 2min or 1h"


def tool(*words, env=None):
    return subprocess.run([harness.TOOL, *words], capture_output=True, cwd=harness.fresh_folder(),
                          env=harness.plain_environment(env), timeout=harness.HANG_SECONDS,
                          check=False)


class Units(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ledger = harness.recorded(["/bin/true"]).ledgers[0]

    def with_sizes(self, size):
        """One command for each place that takes a size."""
        ledger = self.ledger
        return (("run", "--sample", size, "--", "true"),
                ("run", "--stacks-for", f">={size}", "--", "true"),
                ("report", ledger, "--filter", f"size>={size}"),
                ("report", ledger, "--filter", f"size=1..{size}"),
                ("diff", ledger, ledger, "--filter", f"size<{size}"),
                ("check", ledger, "--max-peak", size),
                ("check", ledger, "--max-rss", size),
                ("check", ledger, "--max-never-freed", size))

    def with_durations(self, duration):
        ledger = self.ledger
        return (("run", "--every", duration, "--", "true"),
                ("report", ledger, "--filter", f"lifetime<{duration}"),
                ("report", ledger, "--filter", f"time<{duration}"))

    def with_waiting(self, duration):
        """Those that take the time they are given."""
        return (("top", "1", "--once", "--interval", duration),
                ("ctl", "1", "status", "--wait", duration),
                ("replay", self.ledger, "--timeout", duration),
                ("replay", self.ledger, "--tune", "--limit", duration))

    def expect_refused(self, commands, told):
        for words in commands:
            done = tool(*words)
            self.assertIn(done.returncode, (2, 125), (words, done.stderr))
            self.assertIn(told, done.stderr.decode(), words)

    def test_nonsense_is_refused_in_the_same_words(self):
        self.expect_refused(self.with_sizes("12q"), AS_SIZE)
        self.expect_refused(self.with_durations("12q"), AS_DURATION)
        self.expect_refused(self.with_waiting("12q"), AS_DURATION)

    def test_what_is_meant_is_taken(self):
        for commands in (*map(self.with_sizes, SIZES), *map(self.with_durations, DURATIONS)):
            for words in commands:
                done = tool(*words)
                self.assertNotIn("cannot read", done.stderr.decode(), words)
                self.assertIn(done.returncode, (0, 1), (words, done.stderr))

    def test_settings_by_hand(self):
        done = tool("run", "--", "true", env={"HEAPLEDGER": "sample=12q"})
        self.assertEqual(done.returncode, 125)
        self.assertIn(AS_SIZE, done.stderr.decode())

    def test_limits_from_a_file(self):
        path = f"{harness.fresh_folder()}/heap.limits"
        for text, status in (("max-peak = 1.5GiB\nmax-rss = 2g\n", 0), ("max-peak = 12q\n", 2)):
            with open(path, "w") as file:
                file.write(text)
            done = tool("check", self.ledger, "--limits", path)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(AS_SIZE in done.stderr.decode(), status == 2)

    def test_a_number_alone_is_seconds_where_it_always_was(self):
        for value in ("2", "2s", "0.5"):
            done = tool("ctl", "1", "status", "--wait", value)
            self.assertNotIn("cannot read", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
