"""What a first reading of a large ledger has found is kept for the next command, and changes no
answer: `run` leaves it, commands use it, another file under the same name does without."""

import os
import shutil
import subprocess
import unittest

import harness

PROGRAM = r"""
#include <stdlib.h>
static void* ring[997];
static void* small(unsigned i) { return malloc(16 + i % 50); }
static void* large(unsigned i) { return malloc(1000 + i % 3000); }
int main(void) {
  for (unsigned i = 0; i < 700000; ++i) {
    void** place = &ring[i * 7919u % 997];
    free(*place);
    *place = i % 5 == 0 ? large(i) : small(i);
  }
  return 0;
}
"""

QUESTIONS = [
    [],
    ["--at", "50%"],
    ["--at", "12.5%", "--by", "function"],
    ["--at", "rss-peak", "--by", "line"],
    ["--at", "71%", "--tree"],
    ["--at", "30%", "--filter", "size>=1k", "--by", "size-class"],
    ["--live", "--at", "end"],
]


class KeptPass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.fresh_folder()
        cls.cache = harness.fresh_folder()
        source = os.path.join(cls.folder, "churn.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        program = os.path.join(cls.folder, "churn")
        subprocess.run(["cc", "-g", "-O1", "-fno-inline", source, "-o", program], check=True)
        cls.ledger = os.path.join(cls.folder, "churn.ledger")
        subprocess.run([harness.TOOL, "run", "-q", "--seal", "now", "-o", cls.ledger, "--",
                        program], env=cls.environment(), check=True)
        cls.left_by_run = len(cls.passes())

    @classmethod
    def environment(cls):
        return dict(os.environ, XDG_CACHE_HOME=cls.cache)

    @classmethod
    def passes(cls):
        folder = os.path.join(cls.cache, "heapledger", "passes")
        return os.listdir(folder) if os.path.isdir(folder) else []

    def report(self, *arguments):
        done = subprocess.run([harness.TOOL, "report", "--json", *arguments],
                              env=self.environment(), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_run_leaves_it_and_answers_are_the_same(self):
        self.assertEqual(self.left_by_run, 2)  # and the index
        for question in QUESTIONS:
            with self.subTest(question=question):
                self.assertEqual(self.report(*question, self.ledger),
                                 self.report("--no-cache", *question, self.ledger))

    def test_it_is_used(self):
        """Where reading the entries would fail, and nobody can know that the file has changed."""
        copy = os.path.join(self.folder, "copy.ledger")
        shutil.copy(self.ledger, copy)
        whole = self.report(copy)  # leaves one
        status = os.stat(copy)
        with open(copy, "r+b") as file:
            file.seek(status.st_size // 3)
            file.write(bytes(64))
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
        self.assertEqual(self.report(copy), whole)

    def test_without_cache_nothing_is_kept(self):
        copy = os.path.join(self.folder, "other.ledger")
        shutil.copy(self.ledger, copy)
        before = self.passes()
        self.report("--no-cache", copy)
        self.assertEqual(self.passes(), before)


if __name__ == "__main__":
    unittest.main()
