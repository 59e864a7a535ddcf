"""Several ledgers in one report: totals add up, the peak is that of the sum over common time."""

import os
import unittest

import harness
import ledger_file


class Families(unittest.TestCase):
    def family(self, how):
        run = harness.recorded([harness.program("families"), how])
        self.assertEqual((run.status, run.stderr), (0, b""))
        answer = harness.report(run)
        harness.expect_complete(answer)
        self.assertEqual(harness.foreign_sums(answer, "families")["calls"], 0)
        harness.expect_figures(answer["totals"], {
            "calls": 3, "frees": 2, "bytes": 3_500_000, "end_blocks": 1, "end_bytes": 500_000},
            "totals")
        return answer

    def test_peak_of_processes_at_the_same_time(self):
        totals = self.family("together")["totals"]
        self.assertEqual((totals["peak_bytes"], totals["peak_blocks"]), (3_000_000, 2))

    def test_peak_of_processes_one_after_the_other(self):
        totals = self.family("apart")["totals"]
        self.assertEqual((totals["peak_bytes"], totals["peak_blocks"]), (2_000_000, 1))

    def test_processes_are_told_apart(self):
        ledgers = self.family("together")["ledgers"]
        commands = {ledger["command"][1]: ledger for ledger in ledgers}
        self.assertEqual(set(commands), {"together", "second"})
        self.assertEqual(commands["second"]["parent_pid"], commands["together"]["pid"])
        for ledger in ledgers:
            self.assertEqual(os.path.realpath(ledger["executable"]),
                             os.path.realpath(harness.program("families")))
            self.assertEqual((ledger["origin"], ledger["threads"]), ("started", 1))

    def test_a_run_under_the_tool_has_one_run_id(self):
        run = harness.recorded_by_tool([harness.program("families"), "together"],
                                       options=("--no-seal",))
        self.assertEqual((run.status, len(run.ledgers)), (0, 2))
        ids = {ledger_file.read_header(path).run_id for path in run.ledgers}
        self.assertEqual(len(ids), 1, ids)
        self.assertNotIn(0, ids)


if __name__ == "__main__":
    unittest.main()
