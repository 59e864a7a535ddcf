#!/usr/bin/env python3
"""Plants one fault after the other and demands that check_text.py finds it."""

import unittest

from scratch import ScratchTest
import check_text

GOOD_HEADER = "// What it is.\n#pragma once\n"


class TextTest(ScratchTest):
    def assert_found(self, name, text, words):
        self.plant(name, text)
        found = list(check_text.problems(self.folder))
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def assert_good(self, name, text):
        self.plant(name, text)
        self.assertEqual(list(check_text.problems(self.folder)), [])

    def test_good_files(self):
        self.assert_good("a.h", GOOD_HEADER)
        self.assert_good("a.cpp", "int a;\n" * 499)
        self.assert_good("a.md", "See homework/notes and $HOME/root/x.\n")

    def test_path_of_a_machine(self):
        self.assert_found("a.md", "look in /wo" "rk/main\n", "path of one machine")
        self.assert_found("a.md", "`/ro" "ot/x`\n", "path of one machine")

    def test_open_work(self):
        self.assert_found("a.cpp", "// TO" "DO later\n", "without a reason")
        self.assert_good("a.cpp", "// TO" "DO: needs the stack walker first\n")

    def test_space_at_the_end(self):
        self.assert_found("a.sh", "true \n", "space at the end")

    def test_last_newline(self):
        self.assert_found("a.py", "pass", "newline")
        self.assert_found("a.py", "pass\n\n", "newline")

    def test_long_file(self):
        self.assert_found("a.cpp", "int a;\n" * 500, "500 lines")

    def test_header_without_guard(self):
        self.assert_found("a.h", "// What it is.\nint a();\n", "pragma once")

    def test_header_without_opening(self):
        self.assert_found("a.h", "#pragma once\n", "opens with")

    def test_what_was_built_is_not_looked_at(self):
        self.assert_good("build/x/a.h", "int a();")


if __name__ == "__main__":
    unittest.main()
