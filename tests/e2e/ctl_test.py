"""`heapledger ctl`: orders to a running program, without a signal and without its help."""

import os
import re
import signal
import subprocess
import unittest

import api_program
import harness

# Does what the lines on its standard input say: a number of allocations of 100 bytes, each freed
# (or, with a minus, not); for a 0, one call of another function, which makes it notice orders.
# After each line it tells how many signals it has got.
WORKER = """
static volatile sig_atomic_t signals;
static void count(int number) { (void)number; signals = signals + 1; }
__attribute__((noinline)) void notice(void) {
  free(malloc(1));
}
__attribute__((noinline)) void serve(void) {
  long calls;
  while (scanf("%ld", &calls) == 1) {
    if (calls == 0) notice();
    for (long i = 0; i < labs(calls); i++) {
      void* block = malloc(100);
      if (calls > 0) free(block);
    }
    printf("%d\\n", (int)signals);
    fflush(stdout);
  }
}
int main(int argc, char** argv) {
  static char in[4096], out[4096];
  (void)argv;
  setvbuf(stdin, in, _IOFBF, sizeof in);
  setvbuf(stdout, out, _IOFBF, sizeof out);
  for (int i = 1; i < 32; i++) {
    if (i != SIGKILL && i != SIGSTOP && i != SIGCHLD) signal(i, count);
  }
  if (argc > 1) {
    pid_t child = fork();
    if (child == 0) {
      printf("%d\\n", (int)getpid());
      fflush(stdout);
      serve();
      _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0) continue;
    return 0;
  }
  serve();
  return 0;
}
"""


FOR_EVER = 10 ** 15


class Worker:
    """The program above, recorded, and the orders that a test gives it."""

    def __init__(self, program, words, *arguments):
        self.ledgers = harness.fresh_folder()
        environment = harness.recording_environment(self.ledgers, words=words)
        self.process = subprocess.Popen([program, *arguments], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def begin(self, calls):
        self.process.stdin.write(f"{calls}\n".encode())
        self.process.stdin.flush()

    def work(self, calls):
        """So many allocations; the number of signals it has got so far."""
        self.begin(calls)
        return int(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        return self.process.wait(harness.HANG_SECONDS)

    def paths(self):
        return sorted(os.path.join(self.ledgers, name) for name in os.listdir(self.ledgers))

    def report(self):
        return harness.report(self.paths())


def ctl(pid, *words, wait=None):
    options = [] if wait is None else ["--wait", str(wait)]
    return subprocess.run([harness.TOOL, "ctl", *options, str(pid), *words], capture_output=True,
                          env=harness.plain_environment(), text=True,
                          timeout=harness.HANG_SECONDS, check=False)


def served(answer):
    """What serve() asked for, without what made the program notice orders."""
    return harness.sums([group for group in answer["groups"] if group["name"] == "serve"])


class Ctl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = api_program.build(WORKER)

    def order(self, worker, *words, pid=None):
        """Gives an order, and has the program make calls until it is carried out."""
        command = [harness.TOOL, "ctl", "--wait", str(harness.HANG_SECONDS),
                   str(pid or worker.process.pid), *words]
        with subprocess.Popen(command, env=harness.plain_environment(),
                              stderr=subprocess.PIPE) as giving:
            while giving.poll() is None:
                worker.work(0)
            self.assertEqual((giving.returncode, giving.stderr.read()), (0, b""))

    def test_nothing_until_told(self):
        with Worker(self.program, "mode=off") as worker:
            self.assertEqual(worker.work(50), 0)
            self.order(worker, "start")
            worker.work(30)
            self.order(worker, "marker", "in", "the", "middle")
            worker.work(-4)
            self.order(worker, "stop")
            self.assertEqual(worker.work(500), 0)  # no signal was ever sent
            self.assertEqual(worker.end(), 0)
            answer = worker.report()
        harness.expect_figures(served(answer), {"calls": 34, "frees": 30, "end_blocks": 4},
                               "served")
        self.assertEqual(answer["ledgers"][0]["gaps"], 1)
        self.assertEqual([m["text"] for m in answer["moments"]["markers"]], ["in the middle"])

    def test_modes_by_words(self):
        with Worker(self.program, "mode=off") as worker:
            worker.work(1)
            self.order(worker, "mode", "trace")
            worker.work(20)
            status = ctl(worker.process.pid, "status")
            self.assertEqual(status.returncode, 0, status.stderr)
            self.assertRegex(status.stdout, r"mode +trace\nrecording +on\n")
            self.assertIn(worker.paths()[0], status.stdout)
            self.order(worker, "mode", "off")
            status = ctl(worker.process.pid, "status")
            self.assertRegex(status.stdout, r"mode +off\nrecording +off\n")
            worker.end()
            self.assertEqual(served(worker.report())["calls"], 20)

    def test_a_busy_program_answers(self):
        """It notices by itself, in every mode."""
        for words in ("mode=off", "mode=trace", "mode=count", "mode=sample"):
            with self.subTest(words), Worker(self.program, words) as worker:
                worker.work(1)
                worker.begin(FOR_EVER)
                for order in (("snapshot", "one"), ("mode", "trace"), ("stop",), ("start",)):
                    done = ctl(worker.process.pid, *order, wait=30)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                os.kill(worker.process.pid, signal.SIGKILL)
                worker.process.wait()
                answer = harness.report(worker.paths())
                self.assertEqual(answer["moments"]["markers"][0]["text"], "one")
                self.assertGreater(answer["totals"]["calls"], 0)

    def test_a_forked_process_is_told_by_its_parents_ledger(self):
        with Worker(self.program, "mode=off", "forks") as worker:
            child = int(worker.process.stdout.readline())
            self.assertIn("forked from", ctl(child, "status").stdout)
            worker.work(10)
            self.order(worker, "start", pid=child)
            worker.work(25)
            worker.end()
            self.assertEqual(len(worker.paths()), 2)
            own = [path for path in worker.paths() if f".{child}." in path]
            answer = harness.report(own)
        self.assertEqual(served(answer)["calls"], 25)
        self.assertEqual(answer["ledgers"][0]["origin"], "forked")

    def test_a_program_that_sleeps_is_told_later(self):
        with Worker(self.program, "mode=off") as worker:
            worker.work(1)
            given = ctl(worker.process.pid, "start", wait=0.01)
            self.assertEqual(given.returncode, 1)
            self.assertIn("the order stays", given.stderr)
            worker.work(0)
            worker.work(7)
            worker.end()
            self.assertEqual(served(worker.report())["calls"], 7)

    def test_what_cannot_be(self):
        with Worker(self.program, "mode=off") as worker:
            worker.work(1)
            pid = worker.process.pid
            wrong = [(("mode", "sampel"), 2, "mode=sample"), (("marker",), 2, "needs a name"),
                     (("start", "now"), 2, "no further words"), (("jump",), 2, "jump")]
            for words, status, text in wrong:
                done = ctl(pid, *words)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn(text, done.stderr)
            os.unlink(worker.paths()[0])
            gone = ctl(pid, "start")
            self.assertEqual((gone.returncode, "deleted" in gone.stderr), (1, True), gone.stderr)
        self.assertIn("not recorded", ctl(os.getpid(), "start").stderr)
        self.assertIn("no process", ctl(2 ** 22 + 1, "start").stderr)

    def test_live_mode_stays(self):
        with Worker(self.program, "mode=live") as worker:
            worker.work(1)
            pid = worker.process.pid
            for words in (["trace"], ["sample", "sample=64K"], ["live", "sample=64K"]):
                done = ctl(pid, "mode", *words)
                self.assertEqual(done.returncode, 2)
                self.assertIn("runs in live mode, and stays in it", done.stderr)
            self.order(worker, "mode", "off")
            self.order(worker, "mode", "live")
        with Worker(self.program, "mode=trace") as worker:
            worker.work(1)
            done = ctl(worker.process.pid, "mode", "live")
            self.assertEqual(done.returncode, 2)
            self.assertIn("has to start in it", done.stderr)

    def test_words_that_must_stay(self):
        with Worker(self.program, "mode=off") as worker:
            worker.work(1)
            worker.begin(FOR_EVER)
            done = ctl(worker.process.pid, "mode", "trace", "out=elsewhere", wait=30)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(re.search("cannot be changed", done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
