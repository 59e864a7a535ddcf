#!/usr/bin/env python3
"""scripts/fuzz_long.py with fuzzers that are scripts: each gets its share of processor time, what one
finds is told and does not keep the others from their turn, and what they collect stays small."""

import json
import os
import subprocess
import sys
import unittest

from scratch import SCRIPTS, ScratchTest

# Notes how it was called, works for about the time it is given, and then does as its kind says.
FUZZER = """#!{python}
import os, sys, time
with open({log!r}, "a") as log:
    log.write(" ".join(sys.argv) + "\\n")
words = dict(word[1:].split("=") for word in sys.argv[1:] if word.startswith("-"))
folders = [word for word in sys.argv[1:] if not word.startswith("-")]
if "merge" in words:
    with open(os.path.join(folders[0], "essence"), "w"):
        sys.exit(0)
if os.environ["KIND"] != "fast":
    sys.exit(9)
if {kind!r} == "broken":
    print("SUMMARY: something broke")
    sys.exit(1)
for number in range({files}):
    open(os.path.join(folders[0], str(number)), "w").close()
while time.process_time() < {burn}:
    pass
"""


class FuzzLong(ScratchTest):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "log"
        self.tests = []
        (self.folder / "bin").mkdir()

    def fuzzer(self, name, kind="fine", files=1, burn=0.05):
        text = FUZZER.format(python=sys.executable, log=str(self.log), kind=kind, files=files,
                             burn=burn)
        path = self.plant(f"{name}_fuzzer", text)
        path.chmod(0o755)
        corpus = self.folder / f"{name}_corpus"
        corpus.mkdir()
        command = [str(path), "-runs=0", "-timeout=5", f"-artifact_prefix={self.folder}/{name}-",
                   str(corpus)]
        self.tests.append({"name": f"fuzz.{name}", "command": command,
                           "properties": [{"name": "ENVIRONMENT", "value": ["KIND=fast"]}]})
        return self.folder / f"{name}_found"

    def run_all(self, *options, seconds=0.3):
        self.plant("tests.json", json.dumps({"tests": self.tests}))
        self.plant("bin/ctest", f"#!/bin/sh\ncat {self.folder}/tests.json\n").chmod(0o755)
        environment = os.environ | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        done = subprocess.run([sys.executable, "-B", SCRIPTS / "fuzz_long.py", self.folder,
                               "--minutes", str(seconds / 60), *options], env=environment,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def calls(self, name):
        return [line for line in self.log.read_text().splitlines() if f"/{name}_fuzzer " in line]

    def test_each_has_its_share_of_the_processor(self):
        self.fuzzer("one")
        self.fuzzer("two", burn=0.4)
        status, said = self.run_all()
        self.assertEqual(status, 0, said)
        # 0.15 seconds each: a call takes 0.05 (and what its start takes), or 0.4.
        self.assertIn(len(self.calls("one")), (1, 2, 3))
        self.assertEqual(len(self.calls("two")), 1)
        self.assertIn("found nothing", said)

    def test_time_takes_the_place_of_the_fixed_runs(self):
        self.fuzzer("one")
        self.run_all()
        call = self.calls("one")[0]
        self.assertIn("-timeout=5", call)
        self.assertIn("-max_total_time=", call)
        self.assertNotIn("-runs", call)
        self.assertTrue(call.endswith(f" {self.folder}/one_found {self.folder}/one_corpus"), call)
        self.assertEqual(os.listdir(self.folder / "one_corpus"), [])

    def test_a_finding_is_told_and_the_others_have_their_turn(self):
        self.fuzzer("bad", kind="broken")
        self.fuzzer("good")
        status, said = self.run_all()
        self.assertEqual(status, 1)
        self.assertIn("SUMMARY: something broke", said)
        self.assertIn("see above: bad\n", said)
        self.assertEqual(len(self.calls("bad")), 1)
        self.assertGreater(len(self.calls("good")), 0)

    def test_what_is_found_is_made_small(self):
        found = self.fuzzer("many", files=501)
        few = self.fuzzer("few", files=500)
        self.run_all()
        self.assertEqual(os.listdir(found), ["essence"])
        self.assertEqual(len(os.listdir(few)), 500)

    def test_one_alone(self):
        self.fuzzer("one")
        self.fuzzer("two")
        self.run_all("--only", "two")
        self.assertEqual(self.calls("one"), [])
        self.assertNotEqual(self.calls("two"), [])

    def test_a_folder_without_fuzzers(self):
        status, said = self.run_all()
        self.assertEqual(status, 1)
        self.assertIn("preset fuzz", said)


if __name__ == "__main__":
    unittest.main()
