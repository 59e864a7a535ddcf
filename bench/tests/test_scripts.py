"""The scripts as a user starts them, on the built programs: what they notice, and what they print.

    test_scripts.py BUILD_FOLDER
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))

from benchlib.place import Place
from benchlib.runner import RunFailed, read_ledgers

BUILD = os.path.abspath(sys.argv.pop())


def write_program(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="bench-test.")
        self.addCleanup(shutil.rmtree, self.folder)

    def script(self, name, *arguments, path=""):
        environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}
        return subprocess.run(
            [sys.executable, str(BENCH / name), "--build", BUILD, *arguments],
            capture_output=True,
            text=True,
            env=environment,
        )

    def compare_with(self, heaptrack):
        """A smoke run in which the script in place of heaptrack's starts the command as `heaptrack`
        says; its arguments are --raw -o FILE COMMAND…"""
        write_program(f"{self.folder}/bin/heaptrack", heaptrack)
        return self.script(
            "compare",
            "--smoke",
            "--tools",
            "heaptrack --raw",
            "--workloads",
            "churn-1",
            "--scratch",
            self.folder,
            "--json",
            f"{self.folder}/out.json",
            path=f"{self.folder}/bin",
        )


class Compare(WithFolder):
    def test_a_tool_that_runs_and_records_passes(self):
        run = self.compare_with('shift 2; echo data >"$1.raw"; shift; echo hello; exec "$@"\n')
        self.assertEqual(
            (run.returncode, run.stdout),
            (0, "1 workloads, 2 tools: 2 pairs ran and left their files, 0 failed\n"),
        )

    def test_a_tool_that_fails_is_named_with_its_last_words(self):
        run = self.compare_with("echo out of luck >&2; exit 9\n")
        self.assertEqual(run.returncode, 1)
        self.assertIn("heaptrack --raw FAILED: exit status 9: out of luck", run.stderr)

    def test_a_tool_that_records_nothing_has_failed(self):
        run = self.compare_with('shift 3; exec "$@"\n')
        self.assertEqual(run.returncode, 1)
        self.assertIn("heaptrack --raw FAILED: it left no recording", run.stderr)

    def test_a_tool_that_changes_the_output_has_failed(self):
        run = self.compare_with('echo data >"$3.raw"; shift 3; "$@" >/dev/null; echo 0\n')
        self.assertEqual(run.returncode, 1)
        self.assertIn("heaptrack --raw FAILED: its output is not the native one", run.stderr)

    def test_the_json_has_a_sample_for_every_round(self):
        self.compare_with('shift 2; printf 12345 >"$1.raw"; shift; exec "$@"\n')
        with open(f"{self.folder}/out.json") as file:
            tools = json.load(file)["workloads"][0]["tools"]
        self.assertEqual([sample["file"] for sample in tools["heaptrack --raw"]["samples"]], [5])

    def test_recordings_are_deleted(self):
        self.compare_with('shift 2; echo data >"$1.raw"; shift; exec "$@"\n')
        self.assertEqual(sorted(os.listdir(self.folder)), ["bin", "out.json"])

    def test_an_unknown_name_is_refused_with_the_known_ones(self):
        run = self.script("compare", "--tools", "nosuch")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no tool is called nosuch. There are: native, trace,", run.stderr)

    def test_a_folder_without_a_build_is_refused_with_the_next_step(self):
        run = self.script("compare", "--build", self.folder)
        self.assertEqual(run.returncode, 2)
        self.assertIn(f"cmake --build {self.folder}", run.stderr)


class ReadLedgers(WithFolder):
    LEDGER = {"entries": 70, "complete": True, "missed": 0}

    def read(self, text, status=0):
        write_program(f"{self.folder}/bin/heapledger", f"cat <<'END'\n{text}\nEND\nexit {status}\n")
        return read_ledgers(Place(self.folder, self.folder), ["a.ledger", "b.ledger"])

    def test_several_ledgers_are_added_up(self):
        report = {
            "totals": {"calls": 60, "frees": 50},
            "ledgers": [self.LEDGER, {"entries": 30, "complete": False, "missed": 4}],
        }
        self.assertEqual(
            self.read(json.dumps(report)),
            {"entries": 100, "complete": False, "missed": 4, "calls": 60, "frees": 50},
        )

    def test_a_report_that_cannot_be_read_is_a_failed_run(self):
        with self.assertRaisesRegex(RunFailed, "cannot read the recording"):
            self.read("no ledger", 3)

    def test_without_the_tool_nothing_is_known(self):
        self.assertIsNone(read_ledgers(Place(self.folder, self.folder), []))


def cells(text, first):
    """The figures of the table row that begins with `first`."""
    for line in text.splitlines():
        row = [cell.strip() for cell in line.strip("|").split("|")]
        if row[0] == first:
            return row[1:]
    raise AssertionError(f"no row {first} in:\n{text}")


class CallgrindCount(WithFolder):
    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_a_pair_takes_more_than_a_handful_and_less_than_a_thousand_instructions(self):
        run = self.script("callgrind_count", "--turns", "2000")
        self.assertEqual(run.returncode, 0, run.stderr)
        native = float(cells(run.stdout, "malloc, free")[0])
        self.assertTrue(20 < native < 1000, native)


class Forks(WithFolder):
    def test_every_mode_has_a_row(self):
        run = self.script("forks", "--children", "2", "--rounds", "1", "--scratch", self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        native = cells(run.stdout, "native")
        self.assertEqual(native[1:], ["0", "1.00×"])
        for mode in ("trace", "live", "sample", "count", "off"):
            self.assertGreater(float(cells(run.stdout, mode)[0]), 0)


class Micro(WithFolder):
    @unittest.skipUnless(
        os.path.exists(f"{BUILD}/bench/hooks_micro"), "Google Benchmark is missing"
    )
    def test_every_selected_benchmark_has_a_row(self):
        run = self.script("micro", "--rounds", "1", "--min-time", "0.001", "--filter", "mixed")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [line.split()[1] for line in run.stdout.splitlines()[2:]]
        self.assertEqual(rows, ["mixed/threads:1", "mixed/threads:2", "mixed/threads:4"])


if __name__ == "__main__":
    unittest.main()
