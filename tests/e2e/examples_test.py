"""The examples build as their README says, and run with the recorder and without."""

import json
import os
import subprocess
import unittest

import harness

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Examples(unittest.TestCase):
    def build(self, name):
        folder = harness.fresh_folder()
        for command in (["cmake", "-S", os.path.join(ROOT, "examples", name), "-B", folder,
                         "-DHEAPLEDGER_INCLUDE=" + os.path.join(ROOT, "include")],
                        ["cmake", "--build", folder]):
            done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False,
                                  env=harness.plain_environment())
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return os.path.join(folder, name)

    def test_markers(self):
        program = self.build("markers")
        plain = harness.native([program])
        self.assertEqual((plain.status, plain.stdout, plain.stderr),
                         (0, b"97 different words\n", b"not recorded\n"))
        run = harness.recorded([program])
        self.assertEqual((run.status, run.stdout, run.stderr), (0, plain.stdout, b"recorded\n"))
        live = {}
        for moment in ("words read", "words counted", "words dropped"):
            done = subprocess.run([harness.TOOL, "report", "--json", "--at", moment, *run.ledgers],
                                  capture_output=True, text=True, timeout=300, check=False,
                                  env=harness.plain_environment())
            self.assertEqual(done.returncode, 0, done.stderr)
            live[moment] = json.loads(done.stdout)["figures"]["live_blocks"]
        # 97 nodes with a word each; then 10,000 words and the array that holds them go.
        self.assertEqual(live["words counted"] - live["words read"], 2 * 97)
        self.assertEqual(live["words counted"] - live["words dropped"], 10_000 + 1)


if __name__ == "__main__":
    unittest.main()
