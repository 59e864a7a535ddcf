#!/usr/bin/env python3
"""Plants files that must not be compiled together and demands that join_sources.py keeps them
apart, and some that may."""

import unittest

from scratch import ScratchTest
import join_sources


def unnamed(code):
    return "namespace heapledger {\nnamespace {\n" + code + "}  // namespace\n}  // namespace heapledger\n"


class JoinTest(ScratchTest):
    planted = 0

    def group_count(self, *texts):
        self.planted += 1  # a file is read once
        paths = [str(self.plant(f"src/{self.planted}/file_{i}.cpp", text))
                 for i, text in enumerate(texts)]
        groups = join_sources.groups_of(paths, self.folder / "src", 12)
        self.assertEqual(sorted(path for group in groups for path in group), sorted(paths))
        return len(groups)

    def test_strangers_go_together(self):
        self.assertEqual(self.group_count(unnamed("int one() { return 1; }\n"),
                                          unnamed("int two() { return 2; }\n"), "int three = 3;\n"), 1)

    def test_the_same_function_twice(self):
        self.assertEqual(self.group_count(unnamed("int one() { return 1; }\n"),
                                          unnamed("std::string one(int n) {\n  return {};\n}\n")), 2)

    def test_a_constant_a_type_an_alias_a_macro(self):
        for code in ("constexpr int kOne = 1;\n", "const char* const kOne[] = {nullptr};\n",
                     "struct kOne {\n  int a;\n};\n", "class kOne final : public Base {\n};\n",
                     "enum class kOne { a };\n", "using kOne = int;\n"):
            self.assertEqual(self.group_count(unnamed(code), "int f() { return kOne; }\n"), 2, code)
        self.assertEqual(self.group_count("#define kOne 1\n", "int kOne();\n"), 2)
        self.assertEqual(self.group_count("static int kOne(int) { return 1; }\n", "int kOne();\n"), 2)
        self.assertEqual(self.group_count("constexpr int kOne = 1;\n", "int kOne();\n"), 2)

    def test_a_name_in_a_header_of_the_other(self):
        self.plant("src/part/matches.h", "#pragma once\nbool matches(int);\n")
        self.plant("src/part/more.h", '#pragma once\n#include "part/matches.h"\n')
        own = unnamed("bool matches(int) { return true; }\n")
        self.assertEqual(self.group_count(own, '#include "part/more.h"\n'), 2)
        self.assertEqual(self.group_count(own, "#include <vector>\n"), 1)

    def test_words_in_comments_and_texts_do_not_count(self):
        own = unnamed("int one() { return 1; }\n")
        self.assertEqual(self.group_count(own, '// one\nconst char* text() { return "one"; }\n'), 1)

    def test_no_group_is_too_large(self):
        paths = [str(self.plant(f"src/f{i}.cpp", f"int f{i};\n")) for i in range(7)]
        self.assertEqual(len(join_sources.groups_of(paths, self.folder / "src", 3)), 3)


if __name__ == "__main__":
    unittest.main()
