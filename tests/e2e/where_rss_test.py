"""report --where-rss: programs whose resident memory is known by what they do (programs/rss.c), and
what the kernel says of them."""

import glob
import json
import os
import subprocess
import unittest

import harness

PAGE = 4096
MIB = 1 << 20


class WhereRss(unittest.TestCase):
    def where(self, how, *words, settings="maps=on", at="end"):
        """The parts of the resident memory, and all of it."""
        run = harness.recorded([harness.program("rss"), how], words=settings)
        self.assertEqual((run.status, run.stderr), (0, b""))
        done = subprocess.run([harness.TOOL, "report", "--where-rss", "--json", *words, *run.ledgers]
                              + (["--at", at] if at else []), capture_output=True, check=True,
                              timeout=harness.HANG_SECONDS)
        where = json.loads(done.stdout)["where_rss"]
        self.highest = where["highest_rss_bytes"]
        parts = {part["part"]: part["bytes"] for part in where["parts"]}
        self.owners = {part["part"]: part["owner"] for part in where["parts"]}
        rss = where["rss_bytes"]
        self.assertEqual(sum(parts.values()), rss, parts)
        self.assertLessEqual(abs(parts["unexplained"]), rss * 0.05, parts)
        # The program's own look was before it ended, which takes code: 16 pages for each fault.
        self.near(rss, int(run.stdout), 8 * 16 * PAGE)
        return parts

    def near(self, bytes, planted, tolerance):
        self.assertLessEqual(abs(bytes - planted), tolerance, f"{bytes} is not {planted}")

    def test_live_blocks(self):
        parts = self.where("live")
        self.near(parts["live"], 80000 * 500, 4096)
        self.near(parts["rounding"], 80000 * 12, 4096)  # chunks of 512 bytes
        # What is free is in the last pages: malloc extends its heap by 132 KiB, and touches none.
        self.assertLess(parts.get("pinned", 0) + parts.get("free", 0), 33 * PAGE)
        self.assertEqual(self.owners["live"]["name"], "live")

    def test_holes(self):
        for at in ("end", None):  # by default the peak of RSS, which is about then
            parts = self.where("holes", at=at)
            self.near(parts["live"], 40000 * 1000 + 8 * MIB, 4096)
            self.near(parts["pinned"] + parts.get("free", 0), 40000 * 1008, 33 * PAGE)
            self.assertEqual(self.owners["pinned"]["name"], "fill")

    def test_at_the_peak_of_rss_by_default(self):
        parts = self.where("live", at=None)
        self.near(parts["live"], 80000 * 500, 0.02 * 80000 * 500)

    def test_advice_names_who_keeps_the_pages(self):
        for how, names in (("holes", ["fill"]), ("live", [])):
            run = harness.recorded([harness.program("rss"), how])
            done = subprocess.run([harness.TOOL, "advise", "--json", "--no-replay", "--only",
                                   "fragmentation", *run.ledgers], capture_output=True, check=True,
                                  timeout=harness.HANG_SECONDS)
            findings = json.loads(done.stdout)["findings"]
            self.assertEqual([finding["name"] for finding in findings], names)
            for finding in findings:
                self.near(finding["saved"]["peak_bytes"], 40000 * 1008, 0.02 * 40000 * 1008)

    def test_heaps_of_threads(self):
        parts = self.where("arenas")
        self.near(parts["live"], 4 * 4000 * 1000, 8192)
        # Each has 33 pages that malloc may have touched, and some for itself.
        self.near(parts["pinned"] + parts.get("free", 0), 4 * 4000 * 1008, 4 * 33 * PAGE)

    def test_stacks_of_threads(self):
        parts = self.where("stacks")
        # Frames, thread-local variables and what the C library keeps with them: a few pages each.
        self.near(parts["thread-stacks"], 4 * 3 * MIB, 4 * 16 * PAGE)

    def test_the_first_stack(self):
        self.near(self.where("main-stack")["main-stack"], 64 * 65536, 64 * PAGE)

    def test_a_file(self):
        for settings in ("maps=on", ""):
            parts = self.where("file", settings=settings)
            # Pages are mapped sixteen at a time when they are there.
            self.near(parts["files"], 40 * MIB, 64 * PAGE)
            owner = self.owners["files"]
            self.assertEqual(owner and owner["name"], "map" if settings else None)

    def test_mappings(self):
        self.near(self.where("maps")["mappings"], 40 * MIB, 16 * PAGE)
        self.assertEqual(self.owners["mappings"]["name"], "map")

    def test_blocks_never_written_to(self):
        parts = self.where("untouched")
        self.near(parts["live"], 64 * MIB, 4096)
        self.near(parts["not-resident"], -64 * MIB, 16 * PAGE)

    def test_a_peak_that_nobody_looked_at_is_told(self):
        # Mapped, touched and given back between two calls of the heap: only its height is known.
        parts = self.where("silent", settings="", at=None)
        self.assertLess(sum(parts.values()), 64 * MIB)
        self.assertGreaterEqual(self.highest, 64 * MIB)

    def test_the_recorder_tells_what_it_takes_itself(self):
        parts = self.where("live")
        # Its library and the window of one thread at the least; a few MiB at the most.
        self.assertGreater(parts["recorder"], 65536)
        self.assertLess(parts["recorder"], 4 * MIB)


class OfARunningProgram(unittest.TestCase):
    """The same of a snapshot: of a program that nobody records, and of one in live mode."""

    near = WhereRss.near

    def start(self, how, env=None):
        folder = harness.fresh_folder()
        self.process = subprocess.Popen([harness.program("rss"), how, "wait"], cwd=folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=env or harness.plain_environment())
        self.addCleanup(self.end, self.process)
        return int(self.process.stdout.readline())

    def end(self, process):
        process.stdin.close()
        self.assertEqual(process.wait(harness.HANG_SECONDS), 0)  # it has gone on
        process.stdout.close()

    def snapshot(self, *words):
        return subprocess.run([harness.TOOL, "snapshot", str(self.process.pid), "--where-rss",
                               *words], capture_output=True, check=True,
                              timeout=harness.HANG_SECONDS)

    def where(self, how, env=None):
        resident = self.start(how, env)
        done = self.snapshot("--json")
        self.said = done.stderr.decode()
        where = json.loads(done.stdout)["where_rss"]
        parts = {part["part"]: part["bytes"] for part in where["parts"]}
        self.assertEqual(sum(parts.values()), where["rss_bytes"], parts)
        self.near(where["rss_bytes"], resident, 8 * 16 * PAGE)
        return parts

    def live(self, how):
        ledgers = harness.fresh_folder()
        return self.where(how, harness.recording_environment(ledgers, words="mode=live"))

    def test_without_a_recording(self):
        parts = self.where("live")
        self.assertIn("is not recorded", self.said)
        self.near(parts["live"], 80000 * 504, 4096)  # what chunks of 512 bytes have room for
        self.near(parts["rounding"], 80000 * 8, 4096)
        self.assertLess(parts.get("pinned", 0) + parts.get("free", 0), 33 * PAGE)
        self.assertLess(parts["unexplained"], 16 * PAGE)
        self.assertNotIn("recorder", parts)

    def test_holes_without_a_recording(self):
        parts = self.where("holes")
        self.near(parts["live"] + parts["rounding"], 40000 * 1008 + 8 * MIB, 2 * PAGE)
        self.near(parts["pinned"] + parts.get("free", 0), 40000 * 1008, 33 * PAGE)

    def test_heaps_of_threads_without_a_recording(self):
        parts = self.where("arenas")
        self.near(parts["live"], 4 * 4000 * 1000, 8192)
        self.near(parts["pinned"] + parts.get("free", 0), 4 * 4000 * 1008, 4 * 33 * PAGE)

    def test_other_memory_without_a_recording(self):
        for how, part, bytes, tolerance in (
                ("stacks", "thread-stacks", 4 * 3 * MIB, 4 * 16 * PAGE),
                ("main-stack", "main-stack", 64 * 65536, 64 * PAGE),
                ("file", "files", 40 * MIB, 64 * PAGE),
                ("maps", "unexplained", 40 * MIB, 16 * PAGE),
                ("untouched", "not-resident", -64 * MIB, 16 * PAGE)):
            with self.subTest(how=how):
                self.near(self.where(how)[part], bytes, tolerance)

    def test_an_allocator_that_is_not_known(self):
        found = glob.glob("/usr/lib/*/libjemalloc.so.2")
        if not found:
            self.skipTest("needs jemalloc")
        parts = self.where("live", harness.plain_environment({"LD_PRELOAD": found[0]}))
        self.assertIn("its blocks are not known", self.said)
        self.assertEqual(parts["live"], 0)
        self.assertNotIn("free", parts)
        self.assertGreater(parts["unexplained"], 80000 * 500)

    def test_in_live_mode(self):
        parts = self.live("live")
        self.near(parts["live"], 80000 * 500, 4096)
        self.near(parts["rounding"], 80000 * 12, 4096)
        # Of each block there are 20 bytes in a table.
        self.assertGreater(parts["recorder"], 80000 * 20)
        self.assertLess(parts["unexplained"], 0.02 * 80000 * 500)
        self.near(self.live("stacks")["thread-stacks"], 4 * 3 * MIB, 4 * 16 * PAGE)

    def test_as_text_and_as_a_ledger(self):
        self.start("holes")
        text = self.snapshot("--quiet").stdout.decode()
        for line in ("live: requested, in 40,004 blocks", "100.0%  resident memory (RSS)\n",
                     "stack of the first thread", "program and libraries: code and data"):
            self.assertIn(line, text)
        path = os.path.join(harness.fresh_folder(), "x.ledger")
        self.snapshot("-o", path)
        done = subprocess.run([harness.TOOL, "report", "--where-rss", "--json", path],
                              capture_output=True, check=True)
        where = json.loads(done.stdout)["where_rss"]
        parts = {part["part"]: part["bytes"] for part in where["parts"]}
        self.near(parts["pinned"] + parts.get("free", 0), 40000 * 1008, 33 * PAGE)
        self.assertEqual(sum(parts.values()), where["rss_bytes"])


if __name__ == "__main__":
    unittest.main()
