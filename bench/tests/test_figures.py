"""The arithmetic of the comparison, with made-up samples whose figures were worked out by hand."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchlib import figures


def sample(wall, cpu=0.0, rss=0, file=None):
    return {"wall": wall, "cpu": cpu, "rss": rss, "file": file}


# native 2 s; ours 2.5 s; heaptrack 8 s: ours adds 0.5 of 6 seconds, a twelfth.
SAMPLES = {
    "native": [sample(2.4, 2.0, 100), sample(2.0, 2.2, 100), sample(1.9, 1.8, 100)],
    "trace": [sample(2.5, 3.0, 120, 600), sample(2.9, 3.0, 120, 600), sample(2.4, 3.0, 120, 600)],
    "heaptrack": [
        sample(8.0, 10.0, 150, 9000),
        sample(7.0, 10.0, 150, 9000),
        sample(9.0, 10.0, 150, 9000),
    ],
    "jemalloc": [sample(1.6, 1.5, 300)],
    "jemalloc all": [sample(4.0, 6.0, 330, 70)],
}
BASELINES = {
    "native": None,
    "trace": None,
    "heaptrack": None,
    "jemalloc": None,
    "jemalloc all": "jemalloc",
}


def compare(how="median", samples=None):
    return figures.compare_tools(samples or SAMPLES, how, BASELINES, "heaptrack")


class Pick(unittest.TestCase):
    def test_median_of_an_odd_number_is_the_middle_one(self):
        self.assertEqual(figures.pick([9, 1, 4], "median"), 4)

    def test_median_of_an_even_number_is_half_way_between_the_two_in_the_middle(self):
        self.assertEqual(figures.pick([9, 1, 4, 2], "median"), 3)

    def test_best_is_the_smallest(self):
        self.assertEqual(figures.pick([9, 1, 4], "best"), 1)

    def test_nothing_gives_nothing(self):
        self.assertIsNone(figures.pick([], "best"))


class Spread(unittest.TestCase):
    def test_is_relative_to_the_smallest(self):
        self.assertAlmostEqual(figures.spread([2.0, 3.0, 2.5]), 0.5)

    def test_of_one_sample_is_zero(self):
        self.assertEqual(figures.spread([2.0]), 0)

    def test_cannot_be_had_from_zero(self):
        self.assertIsNone(figures.spread([0.0, 1.0]))


class RelativeAdded(unittest.TestCase):
    def test_is_the_share_of_what_the_reference_adds(self):
        self.assertAlmostEqual(figures.relative_added(2.5, 8.0, 2.0), 1 / 12)

    def test_of_the_reference_itself_is_one(self):
        self.assertEqual(figures.relative_added(8.0, 8.0, 2.0), 1)

    def test_is_negative_where_the_tool_is_faster_than_native(self):
        self.assertAlmostEqual(figures.relative_added(1.4, 8.0, 2.0), -0.1)

    def test_cannot_be_had_where_the_reference_adds_nothing(self):
        self.assertIsNone(figures.relative_added(2.5, 2.0, 2.0))

    def test_cannot_be_had_without_a_reference(self):
        self.assertIsNone(figures.relative_added(2.5, None, 2.0))


class BytesPerEntry(unittest.TestCase):
    COUNTED = {"allocations": 60, "frees": 40}

    def test_uses_the_entries_of_the_ledger(self):
        self.assertEqual(figures.bytes_per_entry(1000, {"entries": 250}, self.COUNTED), 4)

    def test_without_a_reader_uses_the_independent_count(self):
        self.assertEqual(figures.bytes_per_entry(1000, None, self.COUNTED), 10)

    def test_cannot_be_had_without_a_file(self):
        self.assertIsNone(figures.bytes_per_entry(None, None, self.COUNTED))


class Disagreement(unittest.TestCase):
    def test_is_relative_to_the_count_in_both_directions(self):
        counted = {"allocations": 200, "frees": 0}
        self.assertEqual(
            [figures.disagreement({"calls": calls}, counted) for calls in (199, 202)], [0.005, 0.01]
        )


class CompareTools(unittest.TestCase):
    def test_native_is_one(self):
        self.assertEqual(compare()["native"]["wall_ratio"], 1)

    def test_wall_ratio_is_of_the_medians(self):
        self.assertAlmostEqual(compare()["trace"]["wall_ratio"], 2.5 / 2.0)

    def test_wall_ratio_is_of_the_best(self):
        self.assertAlmostEqual(compare("best")["trace"]["wall_ratio"], 2.4 / 1.9)

    def test_cpu_ratio(self):
        self.assertAlmostEqual(compare()["heaptrack"]["cpu_ratio"], 5.0)

    def test_memory_ratio(self):
        self.assertAlmostEqual(compare()["trace"]["rss_ratio"], 1.2)

    def test_added_time_against_the_reference(self):
        self.assertAlmostEqual(compare()["trace"]["wall_added_vs_reference"], 1 / 12)

    def test_added_cpu_time_against_the_reference(self):
        self.assertAlmostEqual(compare()["trace"]["cpu_added_vs_reference"], 1 / 8)

    def test_native_adds_nothing_to_itself(self):
        self.assertIsNone(compare()["native"]["wall_added_vs_reference"])

    def test_a_profiler_with_its_own_allocator_is_set_against_that_too(self):
        self.assertAlmostEqual(compare()["jemalloc all"]["wall_ratio_own_allocator"], 2.5)

    def test_a_profiler_with_its_own_allocator_is_still_set_against_native(self):
        self.assertAlmostEqual(compare()["jemalloc all"]["wall_ratio"], 2.0)

    def test_others_have_no_allocator_of_their_own(self):
        self.assertIsNone(compare()["trace"]["wall_ratio_own_allocator"])

    def test_the_number_of_rounds_is_that_of_the_tool(self):
        self.assertEqual([compare()[tool]["rounds"] for tool in ("native", "jemalloc")], [3, 1])

    def test_file_size_is_picked_and_none_without_files(self):
        self.assertEqual([compare()[tool]["file"] for tool in ("trace", "native")], [600, None])

    def test_a_tool_without_samples_has_no_row(self):
        self.assertNotIn("trace", compare(samples={**SAMPLES, "trace": []}))

    def test_without_the_reference_the_ratios_to_native_remain(self):
        some = {tool: SAMPLES[tool] for tool in ("native", "trace")}
        found = compare(samples=some)["trace"]
        self.assertEqual((found["wall_ratio"], found["wall_added_vs_reference"]), (1.25, None))


if __name__ == "__main__":
    unittest.main()
