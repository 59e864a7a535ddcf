"""With the index and without it: the same bytes, whatever is asked of whatever recording."""

import json
import os
import random
import re
import subprocess
import sys
import unittest

import harness

THREADS = r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
enum { kRing = 211, kRounds = 9000, kThreads = 3 };
static void* ring[kRing];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* small(unsigned i) { return malloc(16 + i % 50); }
static void* large(unsigned i) { return malloc(1000 + i % 3000); }
static void* grow(void* block, unsigned i) { return realloc(block, 64 + i % 700); }
static void* work(void* number) {
  unsigned seed = (unsigned)(size_t)number * 77;
  for (unsigned i = 0; i < kRounds; ++i) {
    seed = seed * 1103515245u + 12345u;
    void* block = i % 7 == 0 ? large(seed >> 8) : small(seed >> 8);
    if (i % 11 == 0) block = grow(block, seed >> 9);
    if (i % 200 == 0) usleep(500);
    pthread_mutex_lock(&lock);
    void* old = ring[(seed >> 16) % kRing];
    ring[(seed >> 16) % kRing] = block;
    pthread_mutex_unlock(&lock);
    free(old);
  }
  return NULL;
}
int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1 && fork() == 0) work((void*)9);
  pthread_t threads[kThreads];
  for (size_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)(i + 1));
  for (size_t i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}
"""

COMPILED = r"""
struct pair { int first, second; };
static int sum(const struct pair* p) { return p->first + p->second; }
int work(int n) {
  struct pair all[40];
  int total = 0;
  for (int i = 0; i < 40; ++i) all[i] = (struct pair){i * n, i + n};
  for (int i = 0; i < 40; ++i) total += sum(&all[i]);
  return total;
}
"""

# Questions that stand in the manual, and others of the kinds that the index may answer.
ALWAYS = [
    ["report", "--json"],
    ["report", "--at", "50%"],
    ["report", "--at", "50%", "--tree", "--json"],
    ["report", "--at", "end", "--by", "owner"],
    ["report", "--between", "25%", "75%", "--json"],
    ["report", "--by", "lifetime", "--at", "30%"],
    ["diff", "--moments", "20%", "80%", "--json"],
    ["plot"],
    ["flamegraph", "--at", "60%"],
    ["graph", "--at", "40%"],
]
SOME = ALWAYS[1:3] + ALWAYS[7:9]
GROUPS = ["site", "owner", "function", "file", "line", "module", "part", "thread", "size",
          "size-class", "lifetime", "process", "rank", "host", "job"]
FILTERS = ["function=*al*", "function=!*a*", "module=libc*", "size>=100", "thread=*1*", "host=*", "rank=1"]


def without_numbers_of_sites(text):
    """They come in the order in which sites were met: in a pass, or in the notes of the ledgers."""
    return re.sub(rb'"site":\d+', b'"site":', text)


def without_last_digits(text):
    """Errors of estimates are made of sums of fractions, added up in whatever order they came."""
    text = without_numbers_of_sites(text)
    return re.sub(rb"\d+\.\d{6,}", lambda number: b"%.6g" % float(number[0]), text)


class IndexEqual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.fresh_folder()
        cls.threads = os.path.join(cls.folder, "threads")
        cls.write("threads.c", THREADS)
        subprocess.run(["cc", "-g", "-O1", "-fno-inline", "-pthread", cls.threads + ".c", "-o",
                        cls.threads], check=True)

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def record(self, name, command, *options):
        path = os.path.join(self.folder, name)
        subprocess.run([harness.TOOL, "run", "-q", "--no-cache", *options, "-o", path, "--",
                        *command], check=True, stdout=subprocess.DEVNULL)
        return path

    @staticmethod
    def ask(words, path, environment):
        command = [harness.TOOL, words[0], path, *words[1:]]
        return subprocess.run(command, env={**os.environ, **environment}, capture_output=True,
                              check=False)

    @staticmethod
    def random_questions(path, count):
        """At edges of the index, which are where the buckets of the chart end, and between them."""
        whole = subprocess.run([harness.TOOL, "report", "--no-cache", "--json", path],
                               capture_output=True, check=False)
        series = json.loads(whole.stdout)["series"]
        width, buckets = series["width_ns"], len(series["calls"])
        chosen = random.Random(count)

        def moment():
            kind = chosen.randrange(6)
            if kind == 0:
                return f"{chosen.randrange(buckets * width)}ns"
            if kind == 1:
                return chosen.choice(["start", "peak", "rss-peak", "end"])
            return f"{chosen.randrange(1, buckets) * width - 1}ns"

        for _ in range(count):
            question = ["report", "--json", "--at", moment()]
            if chosen.randrange(4) == 0:
                question += ["--tree"]
            else:
                question += ["--by", chosen.choice(GROUPS)]
            if chosen.randrange(3) == 0:
                question += ["--filter", chosen.choice(FILTERS)]
            yield question

    def same(self, path, always, count, of=without_numbers_of_sites):
        cache = harness.fresh_folder()
        using = {"HEAPLEDGER_INDEX": "always", "XDG_CACHE_HOME": cache}
        without = {"HEAPLEDGER_INDEX": "off", "XDG_CACHE_HOME": harness.fresh_folder()}
        self.ask(["report"], path, using)  # leaves what can be left
        for words in [*always, *self.random_questions(path, count)]:
            with self.subTest(ledger=os.path.basename(path), words=words):
                one, other = self.ask(words, path, using), self.ask(words, path, without)
                self.assertEqual((one.returncode, of(one.stdout)),
                                 (other.returncode, of(other.stdout)))
                self.assertNotIn(one.returncode, (1, 2), one.stderr)
        return [name for name in self.kept(cache) if name.endswith("-index")]

    @staticmethod
    def kept(cache):
        folder = os.path.join(cache, "heapledger", "passes")
        return os.listdir(folder) if os.path.isdir(folder) else []

    def test_threads(self):
        self.assertTrue(self.same(self.record("threads.ledger", [self.threads]), ALWAYS, 12))

    def test_python(self):
        program = "import json; [json.dumps(list(range(n))) for n in range(200)]"
        path = self.record("python.ledger", [sys.executable, "-S", "-c", program])
        self.assertTrue(self.same(path, SOME, 5))

    def test_compiler_and_its_children(self):
        source = self.write("compiled.c", COMPILED)
        path = self.record("cc.ledger", ["cc", "-O2", "-c", source, "-o",
                                         os.path.join(self.folder, "o.o")])
        self.assertTrue(self.same(path, SOME, 5))

    def test_forks(self):
        self.same(self.record("forks.ledger", [self.threads, "fork"]), ALWAYS, 5)

    def test_sampled(self):
        path = self.record("sampled.ledger", [self.threads], "--mode", "sample", "--sample", "4K")
        self.same(path, SOME, 4, without_last_digits)

    def test_cut_off_and_damaged(self):
        raw = os.path.join(self.folder, "raw.ledger")
        subprocess.run([harness.TOOL, "run", "-q", "--no-cache", "--no-seal", "-o", raw, "--",
                        self.threads], check=True)
        whole = self.record("whole.ledger", [self.threads])
        for path, name in ((raw, "cut.ledger"), (whole, "damaged.ledger")):
            with open(path, "rb") as file:
                content = bytearray(file.read())
            if path == raw:
                del content[len(content) * 2 // 3:]
            else:
                content[len(content) // 2:len(content) // 2 + 64] = bytes(64)
            copy = os.path.join(self.folder, name)
            with open(copy, "wb") as file:
                file.write(content)
            self.same(copy, SOME, 4)


if __name__ == "__main__":
    unittest.main()
