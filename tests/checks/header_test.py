#!/usr/bin/env python3
"""Compiles a program with the public header in several ways and runs it with and without the
runtime: heapledger_loaded() must tell the truth in each.

    header_test.py C_COMPILER CXX_COMPILER LIBHEAPLEDGER_SO
"""

import os
import re
import subprocess
import sys
import unittest

from scratch import ROOT, ScratchTest

LIBRARY, CXX, CC = sys.argv.pop(), sys.argv.pop(), sys.argv.pop()
INCLUDE = ROOT / "include"
PROGRAM = """
#include <heapledger.h>
#include <stdio.h>
int main(void) {
  puts(heapledger_loaded() ? heapledger_version() : "not loaded");
  return 0;
}
"""
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", str(INCLUDE)]


class HeaderTest(ScratchTest):
    def build(self, compiler, *flags):
        suffix = "cpp" if compiler == CXX else "c"
        source = self.plant(f"program.{suffix}", PROGRAM)
        program = self.folder / "program"
        subprocess.run([compiler, *flags, *STRICT, str(source), "-o", str(program)], check=True)
        return program

    def output(self, program, **environment):
        clean = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        result = subprocess.run([program], env=clean | environment, cwd=self.folder, check=True,
                                capture_output=True, text=True)
        return result.stdout.strip()

    def assert_tells_the_truth(self, *command):
        program = self.build(*command)
        self.assertEqual(self.output(program), "not loaded")
        version = re.search(r'VERSION "(.*)"', (INCLUDE / "heapledger.h").read_text()).group(1)
        self.assertEqual(self.output(program, LD_PRELOAD=LIBRARY), version)

    def test_c99(self):
        self.assert_tells_the_truth(CC, "-std=c99")

    def test_cxx11(self):
        self.assert_tells_the_truth(CXX, "-std=c++11")

    def test_optimised(self):
        self.assert_tells_the_truth(CC, "-O2")

    def test_fixed_address(self):
        self.assert_tells_the_truth(CC, "-O2", "-fno-pie", "-no-pie")

    def test_static_program_runs_unchanged(self):
        self.assertEqual(self.output(self.build(CC, "-static")), "not loaded")


if __name__ == "__main__":
    unittest.main()
