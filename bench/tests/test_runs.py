"""How runs are ordered, started and read, as far as that needs no program."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchlib.counting import best_of, instructions_per_turn, per_call
from benchlib.place import Place
from benchlib.rounds import schedule
from benchlib.runner import parse_stopwatch
from benchlib.tools import Launch, Tool, all_tools, escape_word, our_mode


def tool(name, slow=False):
    return Tool(name, "", lambda place: None, lambda place, folder: Launch({}, []), slow=slow)


FAST = [tool(name) for name in "abcdef"]


class Schedule(unittest.TestCase):
    def names(self, *arguments):
        return [[t.name for t in order] for order in schedule(*arguments)]

    def test_every_round_has_every_tool_once(self):
        self.assertEqual(
            [sorted(order) for order in self.names(FAST, 3, 0, 1)], [list("abcdef")] * 3
        )

    def test_slow_tools_take_part_in_the_first_rounds_only(self):
        orders = self.names([tool("a"), tool("slow", slow=True)], 3, 1, 1)
        self.assertEqual([sorted(order) for order in orders], [["a", "slow"], ["a"], ["a"]])

    def test_the_seed_gives_the_same_order_again(self):
        self.assertEqual(self.names(FAST, 4, 0, 5), self.names(FAST, 4, 0, 5))

    def test_the_order_differs_between_rounds(self):
        orders = self.names(FAST, 4, 0, 5)
        self.assertGreater(len({tuple(order) for order in orders}), 1)


class Stopwatch(unittest.TestCase):
    def test_the_line_is_read_as_seconds_bytes_and_status(self):
        self.assertEqual(
            parse_stopwatch("2500000000 2000000000 250000000 4096 256\n"),
            ({"wall": 2.5, "cpu": 2.25, "rss": 4096}, 256),
        )


class OurMode(unittest.TestCase):
    def launch(self, words):
        mode = our_mode("x", "", words, True)
        return mode.launch(Place("/b", "/s"), "/a folder/50%").environment

    def test_the_folder_is_escaped_in_the_pattern(self):
        self.assertEqual(self.launch("")["HEAPLEDGER"], "out=/a\\ folder/50%%/%e.%p.ledger")

    def test_further_words_follow(self):
        self.assertTrue(self.launch("mode=sample")["HEAPLEDGER"].endswith(".ledger mode=sample"))

    def test_the_runtime_of_the_build_is_preloaded(self):
        self.assertEqual(self.launch("")["LD_PRELOAD"], "/b/lib/libheapledger.so")

    def test_backslashes_are_escaped(self):
        self.assertEqual(escape_word("a\\b"), "a\\\\b")


class Tools(unittest.TestCase):
    def test_names_are_unique(self):
        names = [t.name for t in all_tools()]
        self.assertEqual(len(names), len(set(names)))

    def test_every_baseline_is_a_tool_that_records_nothing(self):
        tools = {t.name: t for t in all_tools()}
        self.assertEqual(
            [tools[t.baseline].records for t in all_tools() if t.baseline],
            [False] * sum(1 for t in all_tools() if t.baseline),
        )


class Counting(unittest.TestCase):
    def test_instructions_of_start_up_fall_out(self):
        # 5000 to start and exit, 37 a turn.
        self.assertEqual(instructions_per_turn(5000 + 37 * 10, 10, 5000 + 37 * 100, 100), 37)

    def test_time_is_divided_by_the_calls_of_a_turn(self):
        rows = {"benchmarks": [{"name": "pair/16", "cpu_time": 30.0, "calls": 2.0}]}
        self.assertEqual(per_call(rows), {"pair/16": 15.0})

    def test_best_is_per_benchmark(self):
        self.assertEqual(best_of([{"a": 3, "b": 1}, {"a": 2, "b": 5}]), {"a": 2, "b": 1})


if __name__ == "__main__":
    unittest.main()
