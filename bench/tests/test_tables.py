"""Figures as a reader sees them."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchlib import tables


class Cells(unittest.TestCase):
    def test_ratios_lose_their_decimals_when_large(self):
        self.assertEqual([tables.times(v) for v in (1.254, 9.994, 38.2)], ["1.25×", "9.99×", "38×"])

    def test_shares_read_as_fractions_below_one(self):
        self.assertEqual(
            [tables.share(v) for v in (1 / 7, 0.4, 1 / 33)], ["1/7.0", "1/2.5", "1/33"]
        )

    def test_shares_read_as_multiples_from_one_on(self):
        self.assertEqual([tables.share(v) for v in (1.0, 2.34)], ["1.0×", "2.3×"])

    def test_a_share_of_nothing_or_less_is_zero(self):
        self.assertEqual([tables.share(v) for v in (0, -0.2)], ["0", "0"])

    def test_sizes(self):
        self.assertEqual(
            [tables.size(v) for v in (900, 1536, 200 * 1024, 3 * 1024**3)],
            ["900 B", "1.5 KiB", "200 KiB", "3.0 GiB"],
        )

    def test_what_is_not_known_is_a_dash(self):
        self.assertEqual(
            {
                f(None)
                for f in (tables.times, tables.share, tables.size, tables.plain, tables.millions)
            },
            {"–"},
        )


class Markdown(unittest.TestCase):
    def test_columns_are_padded_first_left_others_right(self):
        self.assertEqual(
            tables.markdown(["tool", "time"], [["a", "1"], ["longer", "10.25"]]),
            "| tool   |  time |\n"
            "| ------ | ----: |\n"
            "| a      |     1 |\n"
            "| longer | 10.25 |",
        )


def row(**figures):
    empty = dict.fromkeys(
        (
            "wall_ratio",
            "cpu_ratio",
            "rss_ratio",
            "file",
            "bytes_per_entry",
            "wall_added_vs_reference",
            "wall_ratio_own_allocator",
        )
    )
    return {**empty, **figures}


class WorkloadTable(unittest.TestCase):
    def test_a_row_holds_the_figures_in_the_order_of_the_header(self):
        text = tables.workload_table(
            {
                "trace": row(
                    wall_ratio=1.25,
                    cpu_ratio=1.5,
                    rss_ratio=1.1,
                    file=2048,
                    bytes_per_entry=4.4,
                    wall_added_vs_reference=0.1,
                    wall_ratio_own_allocator=3.0,
                )
            },
            "heaptrack",
        )
        cells = [cell.strip() for cell in text.splitlines()[2].strip("|").split("|")]
        self.assertEqual(
            cells, ["trace", "1.25×", "1.50×", "1.10×", "2.0 KiB", "4.40", "1/10.0", "3.00×"]
        )


class Overview(unittest.TestCase):
    def test_a_tool_that_did_not_run_on_a_workload_has_a_dash_there(self):
        results = [
            {"name": "a", "tools": {"trace": row(wall_ratio=1.25)}},
            {"name": "b", "tools": {}},
        ]
        cells = [
            cell.strip()
            for cell in tables.overview(results, ["trace"]).splitlines()[2].strip("|").split("|")
        ]
        self.assertEqual(cells, ["trace", "1.25×", "–"])


if __name__ == "__main__":
    unittest.main()
