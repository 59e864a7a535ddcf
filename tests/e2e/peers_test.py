"""DHAT and massif on the same program: totals, the peak and what was never freed agree with ours to
the byte, and all of them with what the program's source adds up to (programs/rooms.c)."""

import json
import os
import re
import shutil
import unittest

import harness

ROOMS, CHAIRS, GUESTS = 100, 7, 1000
ROOM_BYTES = sum(100 * (room + 1) for room in range(ROOMS))
CHAIR_BYTES = ROOMS * CHAIRS * 40
CALLS = ROOMS + ROOMS * CHAIRS + GUESTS
BYTES = ROOM_BYTES + CHAIR_BYTES + GUESTS * 24
PEAK = ROOM_BYTES + CHAIR_BYTES + 24
PEAK_BLOCKS = ROOMS + ROOMS * CHAIRS + 1
FORGOTTEN = sum(100 * (room + 1) for room in range(0, ROOMS, 10))
FORGOTTEN_BLOCKS = ROOMS // 10


def our_totals():
    run = harness.recorded([harness.program("rooms")])
    return harness.report([run.ledger_of("rooms")])["totals"]


def valgrind(tool, out, *options):
    command = [shutil.which("valgrind"), f"--tool={tool}", f"--{tool}-out-file={out}",
               "--run-libc-freeres=no", *options, harness.program("rooms")]
    run = harness.native(command)
    harness.expect_equal(run.status, 0, f"status of {tool}")
    return run.stderr.decode()


def number(text):
    return int(text.replace(",", ""))


class Peers(unittest.TestCase):
    def setUp(self):
        if shutil.which("valgrind") is None:
            self.skipTest("valgrind is not installed (Debian: valgrind)")
        self.folder = harness.fresh_folder()

    def test_the_sum_on_paper(self):
        totals = our_totals()
        expected = {"calls": CALLS, "bytes": BYTES, "peak_bytes": PEAK, "peak_blocks": PEAK_BLOCKS,
                    "end_bytes": FORGOTTEN, "end_blocks": FORGOTTEN_BLOCKS,
                    "temporary_calls": GUESTS}
        self.assertEqual({name: totals[name] for name in expected}, expected)

    def test_dhat(self):
        text = valgrind("dhat", os.path.join(self.folder, "dhat.json"))
        figures = {}
        for name in ("Total", "At t-gmax", "At t-end"):
            found = re.search(name + r": +([\d,]+) bytes in ([\d,]+) blocks", text)
            self.assertIsNotNone(found, text)
            figures[name] = (number(found[1]), number(found[2]))
        totals = our_totals()
        self.assertEqual(figures["Total"], (totals["bytes"], totals["calls"]))
        self.assertEqual(figures["At t-gmax"], (totals["peak_bytes"], totals["peak_blocks"]))
        self.assertEqual(figures["At t-end"], (totals["end_bytes"], totals["end_blocks"]))

    def test_dhat_site_by_site(self):
        path = os.path.join(self.folder, "dhat.json")
        valgrind("dhat", path)
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        theirs = sorted((point["tb"], point["tbk"], point["gb"], point["eb"])
                        for point in data["pps"])
        run = harness.recorded([harness.program("rooms")])
        groups = harness.report([run.ledger_of("rooms")])["groups"]
        ours = sorted((group["bytes"], group["calls"], group["at_peak_bytes"], group["end_bytes"])
                      for group in groups)
        self.assertEqual(ours, theirs)

    def test_massif(self):
        path = os.path.join(self.folder, "massif.out")
        valgrind("massif", path, "--peak-inaccuracy=0.0", "--heap-admin=0", "--time-unit=B")
        with open(path, encoding="utf-8") as file:
            peak = max(int(size) for size in re.findall(r"mem_heap_B=(\d+)", file.read()))
        self.assertEqual(peak, our_totals()["peak_bytes"])


if __name__ == "__main__":
    unittest.main()
