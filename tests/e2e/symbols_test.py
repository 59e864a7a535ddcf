"""Each hooked function on its own: exact calls, bytes and frees, by hand and under the tool."""

import unittest

import harness

FREES = ("free", "free_sized", "free_aligned_sized")


class Symbols(unittest.TestCase):
    def look(self, run, function):
        answer = harness.report(run)
        harness.expect_complete(answer)
        taken_by = "malloc" if function in FREES else function
        freed_by = function if function in FREES else "free"
        foreign = harness.foreign_sums(answer, "symbol")
        self.assertEqual(foreign["calls"], 0, "libc allocates nothing in this program")
        wanted = dict.fromkeys(harness.FUNCTIONS, 0)
        wanted.update({taken_by: 50, freed_by: 20})
        self.assertEqual(answer["by_function"], wanted)
        sizes = range(100, 150)
        harness.expect_figures(answer["totals"], {
            "calls": 50, "bytes": sum(sizes), "frees": 20, "resizes": 0, "end_blocks": 30,
            "end_bytes": sum(sizes[20:]), "peak_blocks": 50, "peak_bytes": sum(sizes),
            "temporary_calls": 0, "missed": 0, "unmatched_frees": 0, "inherited_frees": 0}, "totals")

    def test_every_function_by_hand(self):
        for function in harness.FUNCTIONS:
            with self.subTest(function):
                command = [harness.program("symbol"), function]
                run = harness.recorded(command)
                harness.expect_same(harness.native(command), run)
                self.look(run, function)

    def test_every_function_by_the_tool(self):
        for function in harness.FUNCTIONS:
            with self.subTest(function):
                run = harness.recorded_by_tool([harness.program("symbol"), function])
                self.assertEqual((run.status, run.stdout, run.stderr), (0, b"done\n", b""))
                self.look(run, function)

    def test_roles_of_realloc(self):
        for function in ("realloc", "reallocarray"):
            with self.subTest(function):
                run = harness.recorded([harness.program("resizes"), function])
                self.assertEqual(run.status, 0)
                answer = harness.report(run)
                harness.expect_complete(answer)
                wanted = dict.fromkeys(harness.FUNCTIONS, 0)
                wanted[function] = 10 + 20 + 5
                self.assertEqual(answer["by_function"], wanted)
                harness.expect_figures(answer["totals"], {
                    "calls": 30, "resizes": 20, "frees": 5, "bytes": 10 * (100 + 500 + 1000),
                    "end_blocks": 5, "end_bytes": 5000, "peak_blocks": 6,
                    "peak_bytes": 4 * 1000 + 1000 + 1000}, "totals")


if __name__ == "__main__":
    unittest.main()
