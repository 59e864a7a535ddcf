#!/usr/bin/env python3
"""Builds a small library and demands that check_state.py finds each fault in the table of its state.

    check_state_test.py C_COMPILER
"""

import subprocess
import sys
import unittest

from scratch import ScratchTest
import check_state

CODE = """
static int table = 1;
static const int fixed = 3;
int count(void) { static int calls; return ++calls + ++table + fixed; }
"""
TABLE = """
| where | variable | in a forked child |
|---|---|---|
| `lib.c` | table | `forget_table` |
| `lib.c` | calls | kept |
"""
RESETS = "void reset_after_fork() { forget_table(); }"
COMPILER = sys.argv.pop(1)


class StateTest(ScratchTest):
    def problems_of(self, code=CODE, table=TABLE, resets=RESETS):
        source = self.plant("lib.c", code)
        library = str(self.folder / "lib.so")
        subprocess.run([COMPILER, "-shared", "-fPIC", str(source), "-o", library], check=True)
        return list(check_state.problems(library, table, resets, self.folder))

    def assert_one(self, found, words):
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_all_is_said(self):
        self.assertEqual(self.problems_of(), [])

    def test_a_new_variable(self):
        self.assert_one(self.problems_of(CODE + "int* place(void) { static int more; return &more; }"),
                        "more: what becomes of it")

    def test_a_second_one_of_a_known_name(self):
        self.assert_one(self.problems_of(CODE + "int* place(void) { static int calls; return &calls; }"),
                        "calls: what becomes of it")

    def test_one_that_is_gone(self):
        self.assert_one(self.problems_of(table=TABLE + "| `lib.c` | old | kept |\n"), "old")

    def test_a_reset_that_nobody_calls(self):
        self.assert_one(self.problems_of(resets="void reset_after_fork() {}"), "forget_table")

    def test_no_fate(self):
        self.assert_one(self.problems_of(table=TABLE.replace("kept", "perhaps")), "perhaps")

    def test_no_file(self):
        self.assert_one(self.problems_of(table=TABLE.replace("`lib.c` | calls", "`b.c` | calls")),
                        "b.c")


if __name__ == "__main__":
    unittest.main()
