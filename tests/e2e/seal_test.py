"""`heapledger seal`: a sealed ledger gives the answers of the raw one, and takes its place in one
step or not at all."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import harness

ABOUT_THE_FILE = {"file_bytes", "bytes_per_entry", "sealed"}
BLOCK_BYTES = 65536
HEADER_BYTES = 4096

FORKS = """
import os
kept = [bytearray(1000 + i) for i in range(3000)]
for i in range(3):
    child = os.fork()
    if child == 0:
        del kept[: 500 * (i + 1)]
        more = [bytearray(5000) for _ in range(400)]
        os._exit(0)
    os.waitpid(child, 0)
"""
FORKS_ENVIRONMENT = {"PYTHONMALLOC": "malloc"}


def answers_of(value):
    """A parsed answer without what is about the file rather than the program."""
    if isinstance(value, dict):
        return {key: answers_of(part) for key, part in value.items() if key not in ABOUT_THE_FILE}
    return [answers_of(part) for part in value] if isinstance(value, list) else value


def asked(verb, paths):
    """The answer, the exit status and the warnings of a verb."""
    done = subprocess.run([harness.TOOL, verb, "--json"] + paths, capture_output=True,
                          env=harness.plain_environment(), timeout=harness.HANG_SECONDS,
                          check=False)
    return answers_of(json.loads(done.stdout)), done.returncode, done.stderr


def seal(*words, before_exec=None):
    return subprocess.run([harness.TOOL, "seal"] + list(words), capture_output=True,
                          env=harness.plain_environment(), timeout=harness.HANG_SECONDS,
                          preexec_fn=before_exec, check=False)


def is_sealed(path):
    with open(path, "rb") as file:
        return file.read(8) == b"HPSEALED"


def steady_ledger():
    """A raw ledger of a few blocks."""
    run = harness.recorded([harness.program("steady")])
    harness.expect_equal(run.status, 0, "status")
    return run.ledgers[0]


class Seal(unittest.TestCase):
    def expect_same_answers(self, paths):
        """Seals the ledgers in their place and compares all answers, one by one and together."""
        before = [asked(verb, paths) for verb in ("report", "info")]
        sizes = sum(map(os.path.getsize, paths))
        done = seal("-q", *paths)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        self.assertTrue(all(map(is_sealed, paths)))
        self.assertLess(sum(map(os.path.getsize, paths)), sizes)
        after = [asked(verb, paths) for verb in ("report", "info")]
        for raw, sealed in zip(before, after):
            self.assertEqual(raw, sealed)
        return before

    def test_programs_with_threads_and_every_function(self):
        for words in (["oracle", "1", "4", "20000"], ["resizes"], ["families", "together"]):
            run = harness.recorded([harness.program(words[0])] + words[1:])
            self.expect_same_answers(run.ledgers)

    def test_forked_families(self):
        run = harness.recorded([sys.executable, "-S", "-c", FORKS], env=FORKS_ENVIRONMENT)
        self.assertEqual((run.status, len(run.ledgers)), (0, 4))
        (report, _, _), _ = self.expect_same_answers(run.ledgers)
        inherited = [ledger["inherited_blocks"] for ledger in report["ledgers"]]
        self.assertEqual(sum(1 for blocks in inherited if blocks > 3000), 3)

    def test_a_sealed_parent_of_a_raw_child(self):
        run = harness.recorded([sys.executable, "-S", "-c", FORKS], env=FORKS_ENVIRONMENT)
        before = asked("report", run.ledgers)
        parent = next(ledger["path"] for ledger in before[0]["ledgers"]
                      if ledger["origin"] == "started")
        self.assertEqual(seal("-q", parent).returncode, 0)
        self.assertEqual(before, asked("report", run.ledgers))

    def test_damage_stays_known(self):
        path = steady_ledger()
        with open(path, "r+b") as file:
            for block in (1, 3):
                file.seek(HEADER_BYTES + block * BLOCK_BYTES + 1000)
                file.write(b"damage")
            file.truncate(os.path.getsize(path) - 300)
        (report, status, warnings), _ = self.expect_same_answers([path])
        self.assertEqual(status, 3)
        self.assertIn(b"damaged", warnings)
        self.assertTrue(report["ledgers"][0]["problems"])

    def test_a_killed_program_and_one_that_still_runs(self):
        ledgers = harness.fresh_folder()
        reader, writer = os.pipe()
        process = subprocess.Popen([harness.program("killed"), "2", str(writer)],
                                   env=harness.recording_environment(ledgers),
                                   pass_fds=[writer], stdout=subprocess.DEVNULL)
        os.close(writer)
        try:
            os.read(reader, 4096)
            path = os.path.join(ledgers, os.listdir(ledgers)[0])
            refused = seal(path)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(b"still being written", refused.stderr)
            self.assertFalse(is_sealed(path))
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            os.close(reader)
        self.expect_same_answers([path])

    def test_says_what_it_did(self):
        path = steady_ledger()
        os.utime(path, (1_000_000, 2_000_000))
        os.chmod(path, 0o640)
        done = seal(path)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertIn(b"bytes an entry", done.stderr)
        status = os.stat(path)
        self.assertEqual((status.st_mtime, status.st_mode & 0o777), (2_000_000, 0o640))
        again = seal(path)
        self.assertEqual(again.returncode, 0)
        self.assertIn(b"sealed already", again.stderr)
        self.assertEqual(len(os.listdir(os.path.dirname(path))), 1)

    def test_to_another_file(self):
        path = steady_ledger()
        out = os.path.join(harness.fresh_folder(), "kept.ledger")
        before = harness.content_of(path)
        self.assertEqual(seal("-q", "--level", "9", "-o", out, path).returncode, 0)
        self.assertEqual(harness.content_of(path), before)
        self.assertTrue(is_sealed(out))
        again = seal("-o", out, path)
        self.assertEqual(again.returncode, 2)
        self.assertIn(b"there already", again.stderr)

    def test_a_folder_and_one_that_is_no_ledger(self):
        path = steady_ledger()
        folder = os.path.dirname(path)
        wrong = os.path.join(folder, "wrong.ledger")
        with open(wrong, "wb") as file:
            file.write(b"not a ledger at all")
        done = seal("-q", folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"wrong.ledger", done.stderr)
        self.assertTrue(is_sealed(path))
        self.assertEqual(harness.content_of(wrong), b"not a ledger at all")

    def test_a_limit_on_file_sizes_leaves_the_raw_ledger(self):
        path = steady_ledger()
        before = harness.content_of(path)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

        self.assertNotEqual(seal(path, before_exec=limit).returncode, 0)
        self.assertEqual(harness.content_of(path), before)
        self.assertEqual(len(os.listdir(os.path.dirname(path))), 1)

    def test_killed_at_any_moment_there_is_a_whole_ledger(self):
        raw = steady_ledger()
        wanted = asked("report", [raw])
        random.seed(1)
        for _ in range(25):
            folder = harness.fresh_folder()
            path = os.path.join(folder, "a.ledger")
            shutil.copy(raw, path)
            process = subprocess.Popen([harness.TOOL, "seal", "-q", path],
                                       env=harness.plain_environment())
            time.sleep(random.uniform(0, 0.04))
            process.kill()
            process.wait()
            answer = asked("report", [path])
            answer[0]["ledgers"][0]["path"] = raw
            self.assertEqual(answer, wanted)


if __name__ == "__main__":
    unittest.main()
