"""Files that go wrong while they are read: cut by somebody else, on a disk that fails, with holes in a
tmpfs that has no room for them. The tool says so and what to do; it never dies of it, and never
shows what is not so."""

import json
import os
import re
import shutil
import signal
import subprocess
import unittest

import api_program
import harness
import live_truth
import symbols_build
import symbols_peers

BAD_DATA = 3
NOT_REACHED = 1
TIMES = (1, 2, 3, 4, 6, 9)


def environment(path, how, at=1):
    return harness.plain_environment({"LD_PRELOAD": harness.program("failing_file.so"),
                                      "FAILING_FILE": path, "FAILING_HOW": how,
                                      "FAILING_AT": str(at)})


def run(*command, env=None, text=None):
    return subprocess.run([str(word) for word in command], env=env or harness.plain_environment(),
                          input=text, capture_output=True, text=True, errors="replace",
                          timeout=2 * harness.HANG_SECONDS, check=False)


class Ledgers(unittest.TestCase):
    """Of live mode with the tables in the file, and of trace mode."""

    @classmethod
    def setUpClass(cls):
        cls.live = cls.record("live", "mode=live tables=file")
        cls.trace = cls.record("trace", "mode=trace")

    @staticmethod
    def record(name, words):
        folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
        process, _ = live_truth.start(folder, ledgers, 2, 20_000, 5, "exit", words)
        process.wait()
        process.stdout.close()
        (path,) = [os.path.join(ledgers, entry) for entry in os.listdir(ledgers)]
        renamed = os.path.join(ledgers, name + ".ledger")
        os.rename(path, renamed)
        return renamed

    def copy(self, path):
        to = os.path.join(harness.fresh_folder(), os.path.basename(path))
        subprocess.run(["cp", "--sparse=always", path, to], check=True)
        return to

    def test_no_ledger_is_ever_mapped(self):
        for path in (self.live, self.trace):
            plain = run(harness.TOOL, "report", "--json", path)
            watched = run(harness.TOOL, "report", "--json", path, env=environment(path, "mapped"))
            self.assertEqual((watched.returncode, watched.stdout), (0, plain.stdout))

    def test_a_disk_that_fails_is_told(self):
        for path in (self.live, self.trace):
            for at in TIMES:
                for words in (("report",), ("info",), ("export", "--to", "collapsed")):
                    done = run(harness.TOOL, *words, path, env=environment(path, "error", at))
                    what = f"{words} {path} {at}: {done.stderr}"
                    self.assertEqual(done.returncode, BAD_DATA, what)
                    self.assertIn(path, done.stderr, what)
                    self.assertIn("Input/output error", done.stderr, what)
                    self.assertIn("try again", done.stderr, what)

    def test_a_cut_is_told(self):
        for path in (self.live, self.trace):
            for at in TIMES:
                victim = self.copy(path)
                done = run(harness.TOOL, "report", victim, env=environment(victim, "cut", at))
                what = f"{path} {at}: {done.stdout}{done.stderr}"
                self.assertEqual(os.path.getsize(victim), 4096, what)
                self.assertEqual(done.returncode, BAD_DATA, what)
                self.assertRegex(done.stderr, "cut|damaged|missing|no tables", what)

    def test_a_live_ledger_that_was_cut_before(self):
        whole = json.loads(run(harness.TOOL, "report", "--json", self.live).stdout)
        victim = self.copy(self.live)
        size = os.path.getsize(victim)
        seen, parts = set(), set()
        for left in [size - size * share // 16 for share in range(1, 16)] + [4096]:
            os.truncate(victim, left)
            done = run(harness.TOOL, "report", "--json", victim)
            self.assertIn(done.returncode, (0, BAD_DATA), done.stderr)
            if done.returncode == 0:
                continue
            seen.update(re.findall("cut short|has no tables", done.stderr))
            if done.stdout:
                parts.add(json.loads(done.stdout)["totals"]["end_blocks"])
        self.assertEqual(seen, {"cut short", "has no tables"})
        self.assertLessEqual(max(parts), whole["totals"]["end_blocks"])
        self.assertLess(min(parts), whole["totals"]["end_blocks"])

    def test_holes_in_a_small_tmpfs(self):
        """Where a mapping would have to put pages for which there is no room."""
        folder = harness.fresh_folder()
        with open(self.live, "rb") as file:
            pages = iter(lambda: file.read(4096), b"")
            kept = sum(4096 for page in pages if page.strip(b"\0"))
        room = kept + (256 << 10)
        self.assertGreater(os.path.getsize(self.live), room, "the ledger has no holes to speak of")
        script = ('mount -t tmpfs -o size=$3 tmpfs "$1" 2>/dev/null || exit 99\n'
                  'cp --sparse=always "$2" "$1/live.ledger" || exit 98\n'
                  'free() { stat -f -c %f "$1"; }\n'
                  'before=$(free "$1")\n'
                  '"$4" report --json "$1/live.ledger"\n'
                  'status=$?\n'
                  '[ $status != 0 ] || [ "$(free "$1")" = "$before" ] || exit 97\n'
                  'exit $status\n')
        for spaces in (["unshare", "-m"], ["unshare", "-rm"]):
            if not shutil.which("unshare"):
                self.skipTest("no unshare here")
            done = run(*spaces, "sh", "-c", script, "sh", folder, self.live, room, harness.TOOL)
            if done.returncode not in (1, 99):
                break
        else:
            self.skipTest("this machine lets nobody mount a tmpfs")
        self.assertEqual(done.returncode, 0, done.stderr)
        wanted = json.loads(run(harness.TOOL, "report", "--json", self.live).stdout)
        self.assertEqual(json.loads(done.stdout)["totals"], wanted["totals"])


class DebugInformation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.demo = symbols_build.Demo()
        cls.addresses = sorted(symbols_build.calls_of(cls.demo.binary, "escape").values())

    @classmethod
    def tearDownClass(cls):
        cls.demo.remove()

    def ask(self, path, env=None):
        text = "".join(f"0x{address:x}\n" for address in self.addresses)
        done = run(symbols_peers.symbolizer(), path, env=env, text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return symbols_peers.parse(done.stdout), done.stderr

    def test_a_program_that_is_cut_while_names_are_read(self):
        victim = self.demo.path("demo")
        truth, _ = self.ask(self.demo.binary)
        whole = victim + ".whole"
        shutil.copy(self.demo.binary, whole)
        told = 0
        for at in range(1, 40):
            shutil.copy(whole, victim)
            answers, words = self.ask(victim, environment(victim, "cut", at))
            if os.path.getsize(victim) != 4096:
                break
            for address, frames in answers.items():
                floor = [(f"demo+0x{address:x}", "", 0)]
                symbol = [(truth[address][-1][0], "", 0)]
                self.assertIn(frames, (truth[address], floor, symbol), f"cut at {at}: {words}")
            told += "could not be read to the end" in words
        self.assertGreater(at, 3, "the file was hardly looked at")
        self.assertGreater(told, 1)


class Orders(unittest.TestCase):
    PROGRAM = """
    int main(void) {
      static char out[64];
      setvbuf(stdout, out, _IOFBF, sizeof out);
      void* volatile block = malloc(9);
      (void)block;
      printf("ready\\n");
      fflush(stdout);
      while (1) pause();
    }
    """

    def test_a_ledger_that_is_cut_while_an_order_is_given(self):
        program = api_program.build(self.PROGRAM)
        for words in (("status",), ("marker", "here")):
            ledgers = harness.fresh_folder()
            with subprocess.Popen([program], env=harness.recording_environment(ledgers),
                                  stdout=subprocess.PIPE, start_new_session=True) as process:
                try:
                    self.assertEqual(process.stdout.readline(), b"ready\n")
                    (name,) = os.listdir(ledgers)
                    path = os.path.join(ledgers, name)
                    done = run(harness.TOOL, "ctl", process.pid, *words,
                               env=environment(path, "empty", 2))
                finally:
                    os.killpg(process.pid, signal.SIGKILL)
            self.assertEqual(os.path.getsize(path), 0)
            self.assertEqual(done.returncode, NOT_REACHED, done.stderr)
            self.assertIn("has been cut", done.stderr)


if __name__ == "__main__":
    unittest.main()
