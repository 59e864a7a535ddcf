#!/usr/bin/env python3
"""./heapledger for real: a fresh copy of the repository, at a path with a space, built by its first
call, used at once by the next, and still good after the whole folder was moved."""

import json
import os
import shutil
import subprocess
import unittest

from scratch import ROOT, ScratchTest
import repo


class LauncherBuildTest(ScratchTest):
    def setUp(self):
        super().setUp()
        self.clone = self.folder / "fresh clone"
        for path in repo.all_files(ROOT):
            (self.clone / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, self.clone / path)

    def launch(self, *arguments, **options):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith("CMAKE_") or name == "CMAKE_BUILD_PARALLEL_LEVEL"}
        return subprocess.run([self.clone / "heapledger", *arguments], cwd=self.folder, env=clean,
                              text=True, capture_output=True, **options)

    def assert_good(self, result, stdout):
        self.assertEqual((result.returncode, result.stdout), (0, stdout), result.stderr[-4000:])

    def test_first_call_second_call_moved(self):
        first = self.launch("run", "-o", "cat.ledger", "--", "cat", input="kept\n")
        self.assert_good(first, "kept\n")
        self.assertIn("first use", first.stderr)

        report = self.launch("report", "--json", "cat.ledger")
        self.assertEqual(report.returncode, 0, report.stderr)
        # Used at once: nothing is said but what there is to say about the ledger.
        for line in report.stderr.splitlines():
            self.assertRegex(line, r"^note: ")
        self.assertGreater(json.loads(report.stdout)["totals"]["calls"], 0)

        self.assertEqual(self.launch("run", "-q", "--", "sh", "-c", "exit 42").returncode, 42)

        self.clone = self.clone.rename(self.folder / "moved clone")
        quick = self.launch("run", "-q", "--", "echo", "moved")
        self.assert_good(quick, "moved\n")
        self.assertEqual(quick.stderr, "")


if __name__ == "__main__":
    unittest.main()
