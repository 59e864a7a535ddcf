#!/usr/bin/env python3
"""Installs the build, moves the tree to another place, and records a program from there.

    install_test.py CMAKE BUILD_FOLDER
"""

import json
import os
import re
import subprocess
import sys
import unittest

from scratch import ScratchTest

BUILD, CMAKE = sys.argv.pop(), sys.argv.pop()


class InstallTest(ScratchTest):
    def install(self):
        """Installs under one prefix, moves to another whose name has a space; returns that."""
        prefix = self.folder / "first"
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", str(prefix)], check=True,
                       stdout=subprocess.DEVNULL)
        moved = self.folder / "another place"
        prefix.rename(moved)
        return moved

    def run_tool(self, prefix, *arguments):
        clean = {name: value for name, value in os.environ.items()
                 if name not in ("LD_PRELOAD", "LD_LIBRARY_PATH", "HEAPLEDGER")}
        return subprocess.run([prefix / "bin/heapledger", *arguments], cwd=self.folder, env=clean,
                              capture_output=True, text=True)

    def test_what_is_there(self):
        prefix = self.install()
        for name in ("bin/heapledger", "include/heapledger.h", "share/man/man1/heapledger.1", "share/man/man1/heapledger-report.1",
                     "share/heapledger/embed/heapledger_embed.c",
                     "share/heapledger/embed/heapledger_embed.h",
                     "share/doc/heapledger/manual.md", "share/doc/heapledger/copyright",
                     "share/doc/heapledger/preact.LICENSE",
                     "share/bash-completion/completions/heapledger",
                     "share/zsh/site-functions/_heapledger",
                     "share/fish/vendor_completions.d/heapledger.fish"):
            self.assertTrue((prefix / name).is_file(), name)
        self.assertEqual(len(list(prefix.glob("lib*/**/libheapledger.so"))), 1)

    def test_a_page_of_each_command(self):
        prefix = self.install()
        listed = re.findall(r"^  ([a-z][a-z-]+)  ", self.run_tool(prefix, "help").stdout, re.MULTILINE)
        self.assertGreater(len(listed), 20)
        for name in listed:
            page = prefix / f"share/man/man1/heapledger-{name}.1"
            done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True, check=False,
                                  env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "200"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            shown = " ".join(done.stdout.split())
            helped = self.run_tool(prefix, "help", name).stdout
            for option in re.findall(r"--[a-z][a-z-]+", helped.split("\n\n")[1]):
                self.assertIn(option, shown, name)

    def test_the_moved_tool_records(self):
        prefix = self.install()
        recorded = self.run_tool(prefix, "run", "-o", "ls.ledger", "--", "/bin/ls", "/bin/ls")
        self.assertEqual((recorded.returncode, recorded.stdout), (0, "/bin/ls\n"), recorded.stderr)
        report = self.run_tool(prefix, "report", "ls.ledger", "--json")
        self.assertEqual(report.returncode, 0, report.stderr)
        ledger = json.loads(report.stdout)
        self.assertGreater(ledger["totals"]["calls"], 0)
        self.assertTrue(ledger["ledgers"][0]["complete"])


if __name__ == "__main__":
    unittest.main()
