#!/usr/bin/env python3
"""A project of somebody else's that uses what was installed, moved to a path with a space: the example
examples/memory-test with find_package and ctest, and a program by pkg-config.

    consumer_test.py CMAKE BUILD_FOLDER
"""

import json
import re
import shutil
import subprocess
import sys
import unittest
from xml.etree import ElementTree

from scratch import ROOT, ScratchTest

BUILD, CMAKE = sys.argv.pop(), sys.argv.pop()

PARSER = """
#include <stdlib.h>
int main(int count, char** words) {
  int rounds = count > 1 ? atoi(words[1]) : 0;
  char* volatile block = malloc(1000 * (size_t)rounds);
  char* volatile other = malloc(1);
  free(block);
  free(other);
  return rounds == 7 ? 7 : 0;
}
"""


def ran(*command, status=0, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **options)
    if (done.returncode == 0) != (status == 0):
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}")
    return done.stdout


class ConsumerTest(ScratchTest):
    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "some place"
        ran(CMAKE, "--install", BUILD, "--prefix", self.folder / "first")
        (self.folder / "first").rename(self.prefix)
        self.project = self.folder / "project"
        shutil.copytree(ROOT / "examples/memory-test", self.project)

    def report(self, *words):
        done = subprocess.run([self.prefix / "bin/heapledger", "report", "--json", *words], check=True, capture_output=True)
        return json.loads(done.stdout)

    def build_project(self, more=""):
        with open(self.project / "CMakeLists.txt", "a", encoding="utf-8") as file:
            file.write(more)
        build = self.folder / "build"
        told = ran(CMAKE, "-S", self.project, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        ran(CMAKE, "--build", build)
        return build, told

    def test_within_its_limits(self):
        build, _ = self.build_project()
        self.assertIn("100% tests passed", ran("ctest", "--test-dir", build, "--output-on-failure"))
        (ledger,) = (build / "heapledger/inventory_memory").glob("*.ledger")
        report = self.report("--at", "filled", ledger)
        # A thousand parts, and the list of them; names fit into the parts.
        self.assertGreaterEqual(report["figures"]["live_blocks"], 1001)

    def test_a_leak_and_a_failing_program(self):
        build, _ = self.build_project(
            "heapledger_add_memory_test(NAME leaks COMMAND inventory 10 leak MAX_LEAKED 0)\n"
            "heapledger_add_memory_test(NAME leaks_a_little COMMAND inventory 10 leak MAX_LEAKED 1k)\n"
            "heapledger_add_memory_test(NAME too_large COMMAND inventory 1000 MAX_PEAK 10KiB SETTINGS depth=1)\n"
            "heapledger_add_memory_test(NAME fails COMMAND sh -c \"exit 7\" MAX_LEAKED 1M)\n")
        told = ran("ctest", "--test-dir", build, "--output-on-failure", status=1)
        for name, passed in (("inventory.memory", True), ("leaks", False), ("leaks_a_little", True),
                             ("too_large", False), ("fails", False)):
            self.assertRegex(told, rf"{name} \.+ *(\*\*\*)?{'Passed' if passed else 'Failed'}")
        self.assertIn("never freed", told)
        self.assertIn("the program has failed: 7", told)

    def test_mistakes_are_told(self):
        for more, words in (("heapledger_add_memory_test(NAME one COMMAND inventory)\n", "could never fail"),
                            ("heapledger_add_memory_test(NAME one COMMAND inventory MAX_LEAKED 0 MAX_PEEK 1)\n", "not understood: 'MAX_PEEK;1'"),
                            ("heapledger_add_memory_test(NAME one COMMAND inventory MAX_PEEK 1 MAX_LEAKED 0)\n", "no limit MAX_PEEK")):
            shutil.rmtree(self.folder / "build", ignore_errors=True)
            shutil.copy(ROOT / "examples/memory-test/CMakeLists.txt", self.project)
            with open(self.project / "CMakeLists.txt", "a", encoding="utf-8") as file:
                file.write(more)
            told = ran(CMAKE, "-S", self.project, "-B", self.folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                       status=1)
            self.assertIn(words, " ".join(told.split()))

    def test_linked_with_the_recorder(self):
        build, _ = self.build_project("add_executable(linked inventory.cpp)\n"
                                      "target_link_libraries(linked PRIVATE heapledger::recorder)\n")
        ran(build / "linked", "50", cwd=self.folder, env={"HEAPLEDGER": "out=linked.ledger"})
        report = self.report(self.folder / "linked.ledger")
        self.assertGreater(report["totals"]["calls"], 50)

    def test_the_recipe_as_it_stands(self):
        (parser, _) = re.findall(r"(?ms)^```cmake\n(.*?)^```", (ROOT / "docs/recipes.md").read_text(encoding="utf-8"))
        self.assertIn("COMMAND parser 1000", parser)
        (self.project / "parser.c").write_text(PARSER)
        project = (self.project / "CMakeLists.txt").read_text(encoding="utf-8").replace("CXX", "C CXX")
        project += "add_compile_options(-g -fno-builtin)\nadd_executable(parser parser.c)\n"

        def tested(size):
            (self.project / "CMakeLists.txt").write_text(project + parser.replace("parser 1000", f"parser {size}"))
            build, _ = self.build_project()
            done = subprocess.run(["ctest", "--test-dir", build, "-R", "parser", "--output-on-failure"], text=True,
                                  capture_output=True, check=False)
            return done.returncode, done.stdout, build / "heapledger/parser_heap"

        for _ in range(2):  # the second time there is a ledger already, which must not be judged
            status, told, folder = tested(1000)
            self.assertEqual(status, 0, told)
            self.assertEqual(len(list(folder.glob("*.ledger"))), 1)
        status, told, folder = tested(2000)
        self.assertNotEqual(status, 0)
        self.assertRegex(told, r"exceeded +max-peak +limit +1\.0 MiB +value +1\.9 MiB")
        self.assertRegex(told, r"main +\S*parser\.c:5")
        self.assertEqual(ElementTree.parse(folder / "heap.xml").getroot()[0].get("failures"), "1")

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_pkg_config(self):
        # Paths with spaces are more than many who use pkg-config can take.
        plain = self.prefix.rename(self.folder / "plain")
        (path,) = plain.glob("lib*/**/pkgconfig")
        for package, recorded in (("heapledger", False), ("heapledger-recorder", True)):
            flags = ran("pkg-config", "--cflags", "--libs", package, env={"PKG_CONFIG_PATH": str(path), "PATH": "/usr/bin"})
            program = self.folder / package
            ran("c++", "-std=c++17", self.project / "inventory.cpp", "-o", program, *flags.split())
            ran(program, "50", cwd=self.folder, env={"HEAPLEDGER": f"out={package}.ledger"})
            self.assertEqual((self.folder / f"{package}.ledger").exists(), recorded)


if __name__ == "__main__":
    unittest.main()
