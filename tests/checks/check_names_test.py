#!/usr/bin/env python3
"""Plants types of one name in two headers and demands that check_names.py finds those that clash."""

import unittest

from scratch import ScratchTest
import check_names


def header(namespace, definition):
    return f"#pragma once\nnamespace {namespace} {{\n\n{definition}\n\n}}  // namespace {namespace}\n"


class NamesTest(ScratchTest):
    def problems_with(self, first, second):
        self.plant("src/symbols/a.h", first)
        self.plant("src/analyzer/query/b.h", second)
        return check_names.problems_in(self.folder)

    def test_the_same_name_twice(self):
        for one in ("struct Range {\n  int begin;\n};", "class Range final : public Base {\n};",
                    "struct alignas(64) Range {\n};", "enum class Range : uint8_t {\n  kA,\n};"):
            self.assertEqual(
                self.problems_with(header("heapledger", "struct Range {\n  long end;\n};"),
                                   header("heapledger", one)),
                ["heapledger::Range is defined in src/analyzer/query/b.h and in src/symbols/a.h"])

    def test_other_namespaces_are_good(self):
        self.assertEqual(self.problems_with(header("heapledger", "struct Range {\n};"),
                                            header("heapledger::runtime", "struct Range {\n};")), [])

    def test_declarations_and_types_inside_others_are_good(self):
        self.assertEqual(self.problems_with(header("heapledger", "struct Range {\n};"),
                                            header("heapledger", "struct Range;\nstruct Map {\n"
                                                   "  struct Range {\n  };\n};")), [])


if __name__ == "__main__":
    unittest.main()
