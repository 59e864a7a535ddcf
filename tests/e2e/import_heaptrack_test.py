"""Imports of heaptrack's recordings: made by the real heaptrack, compared with what heaptrack_print
says about them; our own exports there and back; and files that are damaged in every way."""

import gzip
import os
import random
import re
import subprocess
import unittest

import clients
import export_program
import harness
from export_program import export, report

INTERPRET = "/usr/lib/heaptrack/libexec/heaptrack_interpret"
BAD_DATA = 3


def import_(path, status=0):
    """The ledger that `heapledger import` makes of it, and what it said."""
    ledger = os.path.join(harness.fresh_folder(), "out.ledger")
    done = subprocess.run([harness.TOOL, "import", path, "-o", ledger], capture_output=True,
                          text=True, timeout=300)
    harness.expect_equal(done.returncode, status, f"status of the import: {done.stderr}")
    return ledger, done.stderr


def recorded(*options):
    """The recording of the C++ program, by heaptrack."""
    folder = harness.fresh_folder()
    clients.run([clients.command("heaptrack", "heaptrack"), *options, "-o",
                 os.path.join(folder, "shop"), export_program.cpp_binary()])
    (name,) = os.listdir(folder)
    return os.path.join(folder, name)


def decompressed(path):
    tool = ["zstd", "-dc"] if path.endswith(".zst") else ["gzip", "-dc"]
    return clients.run([*tool, path], text=False)


def interpreted(path):
    """What heaptrack's own interpreter makes of a raw recording."""
    out = os.path.join(harness.fresh_folder(), "interpreted")
    with open(out, "wb") as file:
        subprocess.run([clients.first_file(INTERPRET, "heaptrack")], input=decompressed(path),
                       stdout=file, stderr=subprocess.DEVNULL, check=True, timeout=300)
    return out


def cost(path, kind):
    """The sum of a cost over all stacks, as heaptrack_print has it."""
    out = os.path.join(harness.fresh_folder(), "stacks")
    clients.run([clients.command("heaptrack_print", "heaptrack"), "-f", path,
                 "--disable-builtin-suppressions", "-a0", "-p0", "-T0",
                 "--flamegraph-cost-type", kind, "-F", out])
    with open(out, encoding="utf-8", errors="replace") as file:
        return sum(int(line.rpartition(" ")[2]) for line in file)


class ImportHeaptrack(unittest.TestCase):
    def expect_figures_of(self, ledger, path):
        """`path` is what heaptrack_print can read."""
        totals = report(ledger)["totals"]
        for kind, name in (("allocations", "calls"), ("leaked", "end_bytes"),
                           ("peak", "peak_bytes")):
            self.assertEqual(totals[name], cost(path, kind), kind)
        text = clients.run([clients.command("heaptrack_print", "heaptrack"), "-f", path])
        rss = re.search(r"peak RSS \(including heaptrack overhead\): ([\d.]+)M", text).group(1)
        self.assertAlmostEqual(totals["rss_peak_bytes"] / 1e6, float(rss), places=2)

    def test_interpreted_recordings(self):
        path = recorded()
        ledger, said = import_(path)
        self.assertIn("heaptrack", said)
        self.expect_figures_of(ledger, path)

    def test_raw_recordings(self):
        path = recorded("-r")
        ledger, _ = import_(path)
        self.expect_figures_of(ledger, interpreted(path))

    def test_names_need_no_binaries(self):
        ledger, _ = import_(recorded())
        binary = export_program.cpp_binary()
        os.rename(binary, binary + ".away")
        try:
            text = export(ledger, "collapsed", "--metric", "never-freed", "--raw-names")
        finally:
            os.rename(binary + ".away", binary)
        (nested,) = [line for line in text.splitlines() if "nested" in line]
        stack, _, value = nested.rpartition(" ")
        self.assertEqual(int(value), 4321)
        self.assertEqual(stack.count("shop::nested(int)"), 6)
        self.assertIn("main", stack)
        calls = export(ledger, "collapsed", "--metric", "calls", "--raw-names")
        self.assertTrue(any("make_item" in line and "stock" in line for line in calls.splitlines()),
                        "inlined functions are frames")

    def test_raw_recordings_get_the_names_of_this_machine(self):
        ledger, _ = import_(recorded("-r"))
        text = export(ledger, "collapsed", "--metric", "never-freed", "--raw-names")
        self.assertTrue(any("shop::nested(int)" in line and line.endswith(" 4321")
                            for line in text.splitlines()), text)

    def test_there_and_back(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            path = os.path.join(harness.fresh_folder(), "out.heaptrack")
            export(ledger, "heaptrack", "-o", path)
            there, back = report(ledger)["totals"], report(import_(path)[0])["totals"]
            for name in ("calls", "bytes", "peak_bytes", "end_bytes", "end_blocks"):
                self.assertEqual(there[name], back[name], name)

    def test_hostile_names_there_and_back(self):
        path = os.path.join(harness.fresh_folder(), "out.heaptrack")
        export(export_program.hostile(), "heaptrack", "-o", path, "--raw-names")
        ledger, _ = import_(path)
        text = export(ledger, "collapsed", "--metric", "never-freed", "--raw-names")
        values = {int(line.rpartition(" ")[2]) for line in text.splitlines()}
        self.assertEqual(values, set(export_program.HOSTILE_NAMES.values()))

    def test_other_commands_read_it(self):
        ledger, _ = import_(recorded())
        info = subprocess.run([harness.TOOL, "info", ledger], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(info.returncode, 0, info.stderr)
        self.assertIn("shop", info.stdout)
        other, _ = import_(recorded())
        diff = subprocess.run([harness.TOOL, "diff", ledger, other], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(diff.returncode, 0, diff.stderr)


# By hand, after heaptrack's own: one block of 16 bytes that stays, one of 32 that is freed at once.
SMALL = b"""v 10400 3
X ./small one two
I 1000 10
s 6 /small
s 4 main
s 7 small.c
i 401000 1 2 3 7
t 1 0
a 10 1
a 20 1
c 5
+ 0
+ 1
- 1
R 3
c a
"""


class Damaged(unittest.TestCase):
    def write(self, content, name="small"):
        path = os.path.join(harness.fresh_folder(), name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_a_small_file_to_the_byte(self):
        for path in (self.write(SMALL), self.write(gzip.compress(SMALL), "small.gz")):
            ledger, _ = import_(path)
            answer = report(ledger)
            expected = {"calls": 2, "frees": 1, "bytes": 48, "peak_bytes": 48, "peak_blocks": 2,
                        "end_bytes": 16, "end_blocks": 1, "temporary_calls": 1,
                        "rss_peak_bytes": 3 * 4096}
            self.assertEqual({name: answer["totals"][name] for name in expected}, expected)
            self.assertEqual(answer["ledgers"][0]["command"], ["./small", "one", "two"])
            frame = answer["groups"][0]["frames"][0]
            self.assertEqual((frame["function"], frame["file"], frame["line"], frame["module"]),
                             ("main", "small.c", 7, "/small"))

    def test_files_that_are_something_else(self):
        for content in (b"", b"hello\n", b"\x1f\x8b\x08 no gzip", b"v\n", b"\x28\xb5\x2f\xfd....",
                        b"HPLEDGER" + bytes(5000), b"v x y\n"):
            path = self.write(content)
            _, said = import_(path, BAD_DATA)
            self.assertIn(path, said)
        _, said = import_(self.write(b"v 10400 4\n"), BAD_DATA)
        self.assertIn("version 4", said)
        _, said = import_(os.path.join(harness.fresh_folder(), "nothing"), 2)
        self.assertIn("nothing", said)

    def test_lines_that_make_no_sense(self):
        for line in (b"+ 2", b"- 7", b"+", b"+ xyz", b"t 2 0", b"t 1 9", b"a 10 2", b"i 1 99",
                     b"s ffff x", b"a ffffffffffffffff 1", b"m 1 x 1000", b"?",
                     b"+ 11111111111111111"):
            _, said = import_(self.write(SMALL + line + b"\n"), BAD_DATA)
            self.assertIn("line 17", said, line)

    def test_a_file_that_ends_in_the_middle(self):
        whole = gzip.compress(SMALL * 1 + b"+ 0\n- 0\n" * 20000)
        for content in (SMALL[:-1], whole[: len(whole) // 2]):
            _, said = import_(self.write(content))
            self.assertIn("ends in the middle", said)

    def test_nothing_crashes_it(self):
        dice = random.Random(42)
        raw = (b"v 10400 3\nx 6 /small\nX ./small\nI 1000 10\nm 1 -\nm 1 x 1000 0 100 200 50\n"
               b"t 1010 0\nt 1220 1\n+ 10 2 5000\n+ 20 1 6000\n- 6000\nc 5\nR 3\n- 1234\nm 1 -\n"
               b"t 1010 0\n+ 5 3 7000\n")
        for number in range(150):
            content = bytearray(raw if number % 2 else SMALL)
            for _ in range(dice.randrange(1, 6)):
                at = dice.randrange(10, len(content))
                if dice.random() < 0.5:
                    content[at] = dice.choice(b"0123456789abcdef \n+-tiasmcRX\x00\xff")
                else:
                    del content[at : at + dice.randrange(1, 8)]
            ledger = os.path.join(harness.fresh_folder(), "out.ledger")
            done = subprocess.run([harness.TOOL, "import", "-q", self.write(bytes(content)), "-o",
                                   ledger], capture_output=True, timeout=300)
            self.assertIn(done.returncode, (0, BAD_DATA), (bytes(content), done.stderr))
            if done.returncode == 0:
                report(ledger)

    def test_nothing_is_written_over(self):
        path = self.write(SMALL)
        done = subprocess.run([harness.TOOL, "import", path, "-o", path], capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there already", done.stderr)
        self.assertEqual(os.listdir(os.path.dirname(path)), ["small"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
