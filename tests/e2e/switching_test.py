"""Modes changed under load: nothing crashes, the program's own result is right, the ledger can be
read; and what one thread does alone between two changes is entered exactly."""

import unittest

import api_program
import harness

# Eight threads fill blocks with a pattern, hand them to one another and check them; one more goes
# through the modes. The sum over all blocks is known beforehand.
LOAD = """
#include <pthread.h>
#include <stdatomic.h>
enum { kThreads = 8, kRounds = 60000, kSlots = 512 };
static _Atomic(unsigned char*) slots[kSlots];
static atomic_ulong sum;
static atomic_int running = kThreads;
static void check(unsigned char* block) {
  if (block == NULL) return;
  size_t size = 16 + block[0] % 200u;
  for (size_t i = 1; i < size; i++) if (block[i] != block[0]) abort();
  atomic_fetch_add(&sum, block[0]);
  free(block);
}
static void* load(void* number) {
  unsigned state = (unsigned)(size_t)number * 2654435761u + 1;
  for (int i = 0; i < kRounds; i++) {
    state = state * 1664525u + 1013904223u;
    unsigned char mark = (unsigned char)(i % 251);
    size_t size = 16 + mark % 200u;
    unsigned char* block = (unsigned char*)(i % 3 == 0 ? calloc(1, size) : malloc(size));
    if (i % 5 == 0) block = (unsigned char*)realloc(block, size + 300);
    memset(block, mark, size);
    check(atomic_exchange(&slots[state >> 16 & (kSlots - 1)], block));
  }
  atomic_fetch_sub(&running, 1);
  return NULL;
}
int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  unsigned long switches = 0, wanted = 0;
  for (size_t i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, load, (void*)i);
  while (atomic_load(&running) > 0) {
    const char* mode = argv[1 + switches++ % (unsigned long)(argc - 1)];
    if (heapledger_loaded() && !heapledger_mode(mode)) return 2;
    usleep(200);
  }
  for (size_t i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < kSlots; i++) check(atomic_load(&slots[i]));
  for (int i = 0; i < kRounds; i++) wanted += (unsigned long)(i % 251) * kThreads;
  fprintf(stderr, "%lu", switches);
  return atomic_load(&sum) == wanted ? 0 : 1;
}
"""

ALONE = """
__attribute__((noinline)) void traced(int n) { for (int i = 0; i < n; i++) free(malloc(100)); }
__attribute__((noinline)) void hidden(int n) { for (int i = 0; i < n; i++) free(malloc(100)); }
int main(void) {
  static const char* const kOthers[] = {"off", "count", "sample sample=1K", "off"};
  int total = 0;
  for (int round = 0; round < 2000; round++) {
    if (!heapledger_mode(kOthers[round % 4])) return 1;
    hidden(3);
    if (!heapledger_mode("trace")) return 1;
    traced(round % 7);
    total += round % 7;
  }
  fprintf(stderr, "%d", total);
  return 0;
}
"""


class Switching(unittest.TestCase):
    def under_load(self, modes, words=""):
        program = api_program.build(LOAD, "-pthread")
        self.assertEqual(harness.native([program, *modes]).status, 0)
        run = harness.recorded([program, *modes], words=words)
        self.assertEqual((run.status, run.signal), (0, None), run.stderr)
        self.assertGreater(int(run.stderr), 20)
        answer = harness.report(run)
        ledger = answer["ledgers"][0]
        self.assertEqual((ledger["problems"], ledger["stopped"], ledger["missed"]), ([], None, 0))
        self.assertGreater(ledger["gaps"], 5)
        self.assertGreater(answer["totals"]["calls"], 0)

    def test_trace_and_off(self):
        self.under_load(["off", "trace"])

    def test_all_modes(self):
        self.under_load(["off", "trace", "count", "sample sample=4K", "trace stacks-for=>=200",
                         "log", "sample sample-calls=10"], words="file=/dev/null")

    def test_with_statistics(self):
        self.under_load(["off", "trace", "count"], words="statistics=on")

    def test_of_the_caller_alone(self):
        self.under_load(["off", "trace", "trace stacks-for=>=200", "count", "trace stacks-for=all"],
                        words="depth=1")

    def test_one_thread_alone(self):
        run = harness.recorded([api_program.build(ALONE)])
        self.assertEqual(run.status, 0, run.stderr)
        answer = harness.report(run)
        traced = [group for group in answer["groups"] if group["name"] == "traced"]
        calls = int(run.stderr)
        harness.expect_figures(harness.sums(traced), {"calls": calls, "frees": calls,
                                                      "bytes": 100 * calls}, "traced")
        self.assertEqual(answer["ledgers"][0]["gaps"], 2000)


if __name__ == "__main__":
    unittest.main()
