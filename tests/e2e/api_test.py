"""The functions of include/heapledger.h: without us nothing changes, with us the figures are exact.

Expected figures are arithmetic on what the programs below do.
"""

import json
import os
import unittest

import api_program
import harness

# Calls everything once; without the runtime all of it is 0.
EVERYTHING = """
int main(void) {
  struct heapledger_scope scope;
  struct heapledger_scope_figures figures;
  struct heapledger_figures statistics;
  int sum = heapledger_loaded() + heapledger_enabled() + heapledger_start() + heapledger_stop() +
            heapledger_start_thread() + heapledger_stop_thread() + heapledger_mode("trace") +
            heapledger_stacks_for(0, SIZE_MAX) + heapledger_marker("m") + heapledger_snapshot("s") +
            heapledger_clear() + heapledger_scope_begin(&scope, "scope") +
            heapledger_scope_end(&scope, &figures) +
            heapledger_statistics(&statistics, HEAPLEDGER_ALL_THREADS) +
            heapledger_report(1, "") + heapledger_report_to("report", NULL);
  uint32_t pool = heapledger_pool("pool");
  heapledger_pool_alloc(pool, &sum, 4);
  heapledger_pool_resize(pool, &sum, &pool, 4);
  heapledger_pool_free(pool, &pool);
  void* block = malloc(100);
  printf("%d %u %d\\n", sum, pool, block != NULL);
  free(block);
  return 7;
}
"""

GAP = """
int main(void) {
  void* old[10];
  for (int i = 0; i < 10; i++) old[i] = malloc(1000);
  int told = heapledger_marker("ten") + heapledger_stop();
  int during = heapledger_enabled();
  for (int i = 0; i < 5; i++) free(old[i]);
  void* unseen = malloc(77);
  told += heapledger_start();
  void* fresh[5];
  for (int i = 0; i < 5; i++) fresh[i] = malloc(1000);  /* the addresses of the first five */
  for (int i = 0; i < 5; i++) free(fresh[i]);
  free(unseen);
  fprintf(stderr, "%d %d %d", told, during, heapledger_enabled());
  return 0;
}
"""

THREADS = """
#include <pthread.h>
static void work(int n) { for (int i = 0; i < n; i++) free(malloc(100)); }
static void* quiet(void* unused) {
  (void)unused;
  work(10);
  heapledger_stop_thread();
  int during = heapledger_enabled();
  work(1000);
  heapledger_marker("from a muted thread");
  heapledger_start_thread();
  work(5);
  return during ? quiet : NULL;
}
int main(void) {
  pthread_t thread;
  void* result;
  pthread_create(&thread, NULL, quiet, NULL);
  work(300);
  pthread_join(thread, &result);
  return result != NULL;
}
"""

POOLS = """
__attribute__((noinline)) void frames(uint32_t pool, char* at) {
  for (int i = 0; i < 10; i++) heapledger_pool_alloc(pool, at + i, 50);
}
int main(void) {
  char* arena = (char*)malloc(1000);
  uint32_t pool = heapledger_pool("frames"), other = heapledger_pool("names");
  if (heapledger_pool("frames") != pool || pool == 0 || pool == other) return 1;
  frames(pool, arena);
  heapledger_pool_resize(pool, arena, arena + 20, 150);
  heapledger_pool_free(pool, arena + 1);
  heapledger_pool_alloc(other, arena + 1, 7);
  heapledger_stop();
  heapledger_pool_alloc(other, arena + 2, 7);
  heapledger_start();
  if (fork() == 0) {
    heapledger_pool_alloc(other, arena + 3, 11);
    _exit(0);
  }
  wait(NULL);
  return 0;
}
"""

SCOPE = """
#include <vector>
int main() {
  std::vector<char*> kept;
  kept.reserve(10);
  {
    heapledger::Scope outer("outer");
    bool known = false;
    heapledger_scope_figures inner;
    {
      heapledger::Scope scope("inner");
      for (int i = 0; i < 10; i++) kept.push_back(static_cast<char*>(malloc(48)));
      for (int i = 0; i < 4; i++) free(kept[static_cast<size_t>(i)]);
      inner = scope.end(&known);
    }
    {
      heapledger::Pause quiet;
      free(malloc(12345));
    }
    fprintf(stderr, "%d %d %d %d %d", known, static_cast<int>(inner.calls),
            static_cast<int>(inner.bytes), static_cast<int>(inner.frees),
            static_cast<int>(inner.live_blocks));
  }
  return 0;
}
"""

STATISTICS = """
int main(void) {
  struct heapledger_figures before, now, thread;
  void* block[10];
  heapledger_statistics(&before, HEAPLEDGER_ALL_THREADS);
  for (int i = 0; i < 10; i++) block[i] = malloc(100);
  for (int i = 0; i < 3; i++) free(block[i]);
  block[5] = realloc(block[5], 5000);
  int kept = heapledger_statistics(&now, HEAPLEDGER_ALL_THREADS);
  heapledger_statistics(&thread, HEAPLEDGER_THIS_THREAD);
  fprintf(stderr, "%d %d %d %d %d %d %d %d\\n", kept, (int)(now.calls - before.calls),
          (int)(now.bytes - before.bytes), (int)(now.frees - before.frees),
          (int)(now.resizes - before.resizes), (int)(now.live_blocks - before.live_blocks),
          (int)(now.sizes[7] - before.sizes[7]), thread.calls == now.calls);
  heapledger_clear();
  free(malloc(10));
  heapledger_statistics(&now, HEAPLEDGER_ALL_THREADS);
  heapledger_statistics(&thread, HEAPLEDGER_THIS_THREAD);
  fprintf(stderr, "%d %d %d\\n", (int)now.calls, (int)now.bytes, (int)now.frees);
  fprintf(stderr, "%d %d %d", (int)thread.calls, (int)thread.bytes, (int)thread.frees);
  return 0;
}
"""

# A clear counts for the process that asked for it: the child has done nothing before its own calls.
CLEARED_FORK = """
int main(void) {
  struct heapledger_figures now;
  for (int i = 0; i < 50; i++) free(malloc(100));
  heapledger_clear();
  pid_t child = fork();
  if (child == 0) {
    free(malloc(10));
    free(malloc(20));
    int known = heapledger_statistics(&now, HEAPLEDGER_ALL_THREADS);
    fprintf(stderr, "%d %d %d", known, (int)now.calls, (int)now.bytes);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  return 0;
}
"""

REPORT = """
static int children;
static void child_ended(int number) { (void)number; children++; }
__attribute__((noinline)) void* made_here(size_t size) { return malloc(size); }
int main(void) {
  signal(SIGCHLD, child_ended);
  void* first = made_here(1000);
  heapledger_marker("first");
  void* second = made_here(500);
  int told = heapledger_report(1, "--json --at first") +
             heapledger_report_to("report.json", "--json --at end --by site --sort calls") +
             heapledger_report_to("stacks", "--to collapsed --metric calls") +
             !heapledger_report(1, "--no-such-option");
  int nobody = waitpid(-1, NULL, WNOHANG) == -1;
  free(first);
  free(second);
  fprintf(stderr, "told %d, children seen %d, nobody to wait for %d\\n", told, children, nobody);
  return 0;
}
"""

HANDLER = """
#include <sys/time.h>
static volatile sig_atomic_t count;
static void tick(int number) {
  (void)number;
  count = count + 1;
  if (count % 4 == 1) heapledger_stop();
  if (count % 4 == 2) heapledger_stop_thread();
  if (count % 4 == 3) heapledger_start_thread();
  if (count % 4 == 0) heapledger_start();
}
int main(void) {
  struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
  signal(SIGALRM, tick);
  setitimer(ITIMER_REAL, &often, NULL);
  unsigned long sum = 0, calls = 0;
  while (count < 400) {
    char* block = (char*)malloc(64);
    memset(block, 7, 64);
    sum += (unsigned char)block[calls++ % 64];
    free(block);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  heapledger_start_thread();
  heapledger_start();
  for (int i = 0; i < 100; i++) free(malloc(4321));
  return sum != 7 * calls;
}
"""

CONSTRUCTOR = """
__attribute__((constructor(101))) static void early(void) {
  heapledger_marker("constructor");
  heapledger_pool_alloc(heapledger_pool("early"), &early, 3);
}
"""


class Without(unittest.TestCase):
    """Not loaded: nothing is there, nothing is linked, nothing changes."""

    def expect_unchanged(self, *flags, **how):
        run = harness.native([api_program.build(EVERYTHING, *flags, **how)])
        self.assertEqual((run.status, run.stdout, run.stderr, run.files), (7, b"0 0 1\n", b"", {}))

    def test_c(self):
        self.expect_unchanged()
        self.expect_unchanged("-std=c99", "-Wpedantic", "-D_POSIX_C_SOURCE=200809L", "-no-pie")

    def test_static(self):
        self.expect_unchanged("-static")
        self.expect_unchanged("-static", "-no-pie", "-O2")

    def test_cpp(self):
        self.expect_unchanged("-std=c++11", "-Wshadow", "-Wconversion", language="cpp")

    def test_clang(self):
        self.expect_unchanged(compiler="clang")
        self.expect_unchanged("-no-pie", "-fno-plt", compiler="clang")


class With(unittest.TestCase):
    def run_program(self, path, words="", **options):
        run = harness.recorded([path], words=words, **options)
        self.assertEqual(run.status, 0, run.stderr)
        return run, harness.report(run)

    def test_every_function_is_there(self):
        for flags in ((), ("-no-pie",)):
            tool = harness.escaped(harness.TOOL)
            run = harness.recorded([api_program.build(EVERYTHING, *flags)], words=f"tool={tool}")
            self.assertEqual(run.status, 7, run.stderr)
            self.assertEqual(run.stdout.splitlines()[-1], b"16 1 1", run.stderr)
            self.assertIn("report", run.files)

    def test_a_gap_is_told_and_counts_nothing_twice(self):
        run, answer = self.run_program(api_program.build(GAP))
        self.assertEqual(run.stderr, b"3 0 1")
        ledger = answer["ledgers"][0]
        self.assertEqual((ledger["gaps"], ledger["complete"]), (1, False))
        self.assertGreater(ledger["gap_ns"], 0)
        own = harness.own_sums(answer, "program")
        # Ten before and five after; the five that were freed unseen are live until their addresses
        # are used again, and then no longer.
        harness.expect_figures(own, {"calls": 15, "bytes": 15000, "end_blocks": 5,
                                     "end_bytes": 5000, "frees": 5}, "around a gap")
        self.assertEqual(answer["totals"]["lost_frees"], 5)
        at = [marker["text"] for marker in answer["moments"]["markers"]]
        self.assertEqual(at, ["ten"])

    def test_a_thread_can_be_left_out(self):
        _, answer = self.run_program(api_program.build(THREADS, "-pthread"))
        own = harness.own_sums(answer, "program")
        harness.expect_figures(own, {"calls": 315, "frees": 315, "end_blocks": 0}, "without it")
        self.assertEqual(answer["ledgers"][0]["missed"], 0)
        self.assertEqual(answer["ledgers"][0]["gaps"], 1)
        self.assertEqual(answer["moments"]["markers"][0]["text"], "from a muted thread")

    def test_pools_stand_beside_the_heap(self):
        run, answer = self.run_program(api_program.build(POOLS))
        self.assertEqual(len(run.ledgers), 2)
        frames = harness.heap(answer, "frames")
        harness.expect_figures(frames, {
            "calls": 11, "frees": 1, "resizes": 1, "bytes": 650, "peak_bytes": 600,
            "peak_blocks": 10, "live_bytes": 550, "live_blocks": 9, "moved_bytes": 50}, "frames")
        self.assertEqual(frames["sites"][0]["name"], "frames")
        self.assertTrue(frames["inside_another"])
        self.assertEqual(harness.heap(answer, "names")["bytes"], 18)
        by_process = sorted(harness.heap(harness.report([path]), "names")["bytes"]
                            for path in run.ledgers)
        self.assertEqual(by_process, [7, 11])  # the second is the forked process's
        self.assertEqual(harness.own_sums(answer, "program")["bytes"], 1000)

    def test_scopes_tell_what_was_allocated_in_them(self):
        run, answer = self.run_program(api_program.build(SCOPE, language="cpp"))
        self.assertEqual(run.stderr, b"1 10 480 4 6")
        names = [marker["text"] for marker in answer["moments"]["markers"]]
        self.assertEqual(names, ["outer", "inner", "inner:end", "outer:end"])
        self.assertNotIn(12345, [group["bytes"] for group in answer["groups"]])

    def test_statistics(self):
        program = api_program.build(STATISTICS)
        run, _ = self.run_program(program, words="statistics=on")
        # 100 bytes are from 2^6 to 2^7-1.
        self.assertEqual(run.stderr, b"1 11 6000 3 1 7 10 1\n1 10 1\n1 10 1")

    def test_a_clear_is_not_inherited(self):
        program = api_program.build(CLEARED_FORK)
        run = harness.recorded([program], words="statistics=on")
        self.assertEqual(run.stderr, b"1 2 30")

    def test_a_report_on_itself(self):
        for options in ((), ("--no-seal",)):
            run = harness.recorded_by_tool([api_program.build(REPORT)], options=options)
            self.assertEqual(run.status, 0, run.stderr)
            self.assertIn(b"told 4, children seen 0, nobody to wait for 1\n", run.stderr)
            at_first = json.loads(run.stdout)
            self.assertEqual(at_first["figures"]["live_bytes"], 1000)
            whole = json.loads(run.files["report.json"])
            self.assertEqual(whole["figures"]["live_bytes"], 1500)
            self.assertEqual(whole["groups"][0]["name"], "made_here")
            stacks = run.files["stacks"].decode().splitlines()
            self.assertTrue(any(line.endswith(";main;made_here 2") for line in stacks), stacks)

    def test_switching_in_a_signal_handler(self):
        _, answer = self.run_program(api_program.build(HANDLER))
        own = [group for group in answer["groups"] if group["bytes"] == 432100]
        self.assertEqual([(group["calls"], group["frees"]) for group in own], [(100, 100)])
        self.assertGreater(answer["ledgers"][0]["gaps"], 50)

    def test_from_a_constructor_of_a_preloaded_library(self):
        library = api_program.build(CONSTRUCTOR, "-shared", "-fPIC", name="early.so")
        program = api_program.build("int main(void) { free(malloc(5)); return 0; }")
        for order in (f"{harness.LIB} {library}", f"{library} {harness.LIB}"):
            run, answer = self.run_program(program, env={"LD_PRELOAD": order})
            self.assertEqual(run.stderr, b"")
            self.assertEqual(answer["moments"]["markers"][0]["text"], "constructor")
            self.assertEqual(harness.heap(answer, "early")["bytes"], 3)


if __name__ == "__main__":
    unittest.main()
