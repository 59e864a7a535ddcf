"""every=TIME, statistics and their summary file, against programs that know the truth."""

import json
import os
import unittest

import harness

COLUMNS = ["seconds", "calls", "bytes", "frees", "live_blocks", "live_bytes", "peak_bytes",
           "rss_bytes"]
MODES = ("trace", "count", "off")


def summary_lines(path):
    with open(path, encoding="ascii") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    harness.expect_equal(rows[0], COLUMNS, "the first line")
    return [dict(zip(COLUMNS, map(float, row))) for row in rows[1:]]


def recorded(program, *arguments, words):
    run = harness.recorded([harness.program(program), *arguments], words=words)
    harness.expect_equal((run.status, run.stderr), (0, b""), "the program's end")
    return run


def summary_of(run):
    paths = [path for path in run.ledgers if path.endswith(".summary")]
    harness.expect_equal(len(paths), 1, f"summaries in {run.ledgers}")
    return summary_lines(paths[0])


def ledgers_of(run):
    return [path for path in run.ledgers if path.endswith(".ledger")]


class Statistics(unittest.TestCase):
    def test_the_last_line_is_the_truth_in_every_mode(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                run = recorded("counted", "live", words=f"mode={mode} every=1h")
                last = summary_of(run)[-1]
                truth = [int(word) for word in run.stdout.split()]
                self.assertEqual([last[name] for name in COLUMNS[1:7]], truth)

    def test_the_oracle(self):
        for threads in (1, 4):
            with self.subTest(threads=threads):
                run = recorded("oracle", "77", str(threads), "20000", words="mode=off every=1h")
                last, mine = summary_of(run)[-1], json.loads(run.stdout)["totals"]
                if threads == 1:
                    self.assertEqual([last[name] for name in ("calls", "bytes", "frees")],
                                     [mine[name] for name in ("calls", "bytes", "frees")])
                    self.assertEqual(last["live_blocks"], mine["end_blocks"])
                    self.assertGreaterEqual(last["peak_bytes"], mine["peak_bytes"])
                # What libc takes for threads comes on top, and usable sizes are the larger ones.
                for name in ("calls", "bytes", "frees"):
                    self.assertGreaterEqual(last[name], mine[name])
                self.assertGreaterEqual(last["live_bytes"], mine["end_bytes"])

    def test_threads_come_and_go(self):
        run = recorded("counted", "threads", "1000", words="mode=count every=1h")
        last, counts = summary_of(run)[-1], harness.report(ledgers_of(run))["counts"]
        # The rest is libc's own, for the threads; both kinds of books must have the same.
        self.assertGreaterEqual(counts["calls"], 10_000)
        for name in ("calls", "bytes", "frees"):
            self.assertEqual(last[name], counts[name])

    def test_a_forked_child_begins_anew(self):
        run = recorded("counted", "fork", words="mode=off every=1h")
        ends = [summary_lines(path)[-1] for path in run.ledgers if path.endswith(".summary")]
        seen = sorted((end["calls"], end["frees"], end["live_blocks"]) for end in ends)
        # The child has its parent's five blocks, too.
        self.assertEqual(seen, [(5, 0, 5), (7, 3, 9)])


class Every(unittest.TestCase):
    def test_a_line_and_a_marker_so_often(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                run = recorded("counted", "slowly", "40", words=f"mode={mode} every=30ms")
                lines = summary_of(run)
                answer = harness.report(ledgers_of(run))
                markers = [marker["text"] for marker in answer["moments"]["markers"]]
                self.assertGreaterEqual(len(lines), 2)
                self.assertEqual(markers, [f"every {i + 1}" for i in range(len(lines) - 1)])
                for before, after in zip(lines, lines[1:]):
                    for name in ("seconds", "calls", "bytes", "frees", "peak_bytes"):
                        self.assertLessEqual(before[name], after[name])
                self.assertEqual((lines[-1]["calls"], lines[-1]["bytes"]), (40, 40_000))
                self.assertGreater(lines[-1]["rss_bytes"], 100_000)

    def test_a_file_of_ones_own(self):
        place = os.path.join(harness.fresh_folder(), "here %e")
        words = f"every=1h summary={harness.escaped(place)}"
        run = recorded("counted", "sizes", words=words)
        self.assertEqual(len(run.ledgers), 1)
        self.assertEqual(summary_lines(place.replace("%e", "counted"))[-1]["calls"], 78)


class Small(unittest.TestCase):
    def test_by_hand_a_small_process_leaves_no_ledger(self):
        self.assertEqual(len(recorded("counted", "sizes",
                                      words="skip-smaller-than=78").ledgers), 1)
        for mode in MODES:
            run = recorded("counted", "sizes", words=f"mode={mode} skip-smaller-than=79")
            self.assertEqual(run.ledgers, [], mode)

    def test_under_run(self):
        for kept, limit in ((1, "78"), (0, "79")):
            run = harness.recorded_by_tool([harness.program("counted"), "sizes"],
                                           options=("--skip-smaller-than", limit))
            self.assertEqual((run.status, len(run.ledgers)), (0, kept))

    def test_one_that_was_killed_is_removed_by_run(self):
        killed = ["sh", "-c", f"{harness.program('counted')} sizes; kill -9 $$"]
        run = harness.recorded_by_tool(killed, options=("--skip-smaller-than", "1000000"))
        self.assertEqual((run.status, run.ledgers), (128 + 9, []))


if __name__ == "__main__":
    unittest.main()
