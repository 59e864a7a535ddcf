#!/usr/bin/env python3
"""Builds small libraries with one fault each and demands that check_exports.py finds it.

    check_exports_test.py C_COMPILER
"""

import subprocess
import sys
import unittest

from scratch import ScratchTest
import check_exports

MAP = "HEAPLEDGER { global: malloc; /* the hook */ free; # and its twin\n local: *; };\n"
CODE = "void* malloc(unsigned long n) { return (void*)n; } void free(void* p) { (void)p; }\n"
COMPILER = sys.argv.pop(1)


class ExportsTest(ScratchTest):
    def problems_of(self, code, export_map=MAP, flags=(), linked_with=MAP):
        source = self.plant("lib.c", code)
        script = self.plant("lib.map", linked_with)
        library = str(self.folder / "lib.so")
        command = [COMPILER, "-shared", "-fPIC", "-fno-builtin", str(source), "-o", library,
                   f"-Wl,--version-script={script}", *flags]
        subprocess.run(command, check=True)
        return list(check_exports.problems(library, export_map))

    def assert_one(self, found, words):
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_modest_library_is_good(self):
        self.assertEqual(self.problems_of(CODE), [])

    def test_another_library(self):
        flags = ("-Wl,--no-as-needed", "-lm")
        self.assert_one(self.problems_of(CODE, flags=flags), "libm.so.6")

    def test_a_libc_younger_than_promised(self):
        code = CODE + "int arc4random(void); int look(void) { return arc4random(); }\n"
        more = MAP.replace("free;", "free; look;")
        self.assert_one(self.problems_of(code, more, linked_with=more), "asks for GLIBC_2.36")

    def test_without_a_map_any_export_will_do(self):
        self.assertEqual(self.problems_of(CODE, export_map=None), [])

    def test_an_export_too_many(self):
        found = self.problems_of(CODE, export_map="{ global: malloc; local: *; };")
        self.assert_one(found, "exports free")

    def test_an_export_too_few(self):
        self.assert_one(self.problems_of(CODE, MAP.replace("free;", "free; valloc;")), "names valloc")

    def test_dynamic_tls(self):
        code = CODE + "__thread int seen; int* look(void) { return &seen; }\n"
        more = MAP.replace("free;", "free; look;")
        self.assert_one(self.problems_of(code, more, linked_with=more), "dynamic TLS")
        flags = ("-ftls-model=initial-exec",)
        self.assertEqual(self.problems_of(code, more, flags, more), [])


if __name__ == "__main__":
    unittest.main()
