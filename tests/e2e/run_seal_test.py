"""What `heapledger run` and `heapledger seal` leave behind: sealed ledgers with the names stored,
which show the same wherever they are opened."""

import os
import pty
import resource
import signal
import subprocess
import sys
import time
import unittest

import harness

# 100 blocks of 1000 bytes by one function, at a line that is known: what the report must name.
SOURCE = """#include <stdlib.h>
static void* kept[100];
__attribute__((noinline)) void fill_the_table(void) {
  for (int i = 0; i < 100; ++i) kept[i] = malloc(1000);
}
int main(void) {
  fill_the_table();
  return kept[99] != 0 ? 7 : 1;
}
"""


# As many pairs of calls as it is told.
MANY = """#include <stdlib.h>
int main(int count, char** words) {
  for (long i = count > 1 ? atol(words[1]) : 0; i > 0; --i) {
    void* volatile block = malloc(100);
    free(block);
  }
  return 0;
}
"""


def tool(*words, folder=None, env=None, before_exec=None):
    return subprocess.run([harness.TOOL, *words], cwd=folder, capture_output=True,
                          env=harness.plain_environment(env), preexec_fn=before_exec,
                          timeout=harness.HANG_SECONDS, check=False)


def is_sealed(path):
    with open(path, "rb") as file:
        return file.read(8) == b"HPSEALED"


def compile_into(folder, source=SOURCE):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "table.c")
    with open(path, "w") as file:
        file.write(source)
    program = os.path.join(folder, "table")
    subprocess.run(["cc", "-g", "-O1", "-Wl,--build-id=sha1", "-o", program, path], check=True)
    return program


class RunSeals(unittest.TestCase):
    def setUp(self):
        self.folder = harness.fresh_folder()
        self.ledger = os.path.join(self.folder, "x.ledger")

    def run_program(self, *options, **how):
        program = compile_into(os.path.join(self.folder, "home"))
        done = tool("run", *options, "-o", "x.ledger", "--", program, folder=self.folder, **how)
        self.assertEqual((done.returncode, done.stdout), (7, b""), done.stderr)
        return done.stderr.decode()

    def text_report(self):
        done = tool("report", self.ledger)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def test_the_ledger_is_sealed_and_the_summary_names_the_owners(self):
        said = self.run_program()
        self.assertTrue(is_sealed(self.ledger))
        self.assertEqual(os.listdir(self.folder).count("x.ledger"), 1)
        self.assertRegex(said, r"peak .* [0-9.]+% from fill_the_table table\.c:4\n")
        self.assertRegex(said, r"never freed .* [0-9.]+% from fill_the_table table\.c:4\n")

    def test_a_stripped_program_is_named_by_where_its_functions_begin(self):
        program = compile_into(os.path.join(self.folder, "home"))
        symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
        start = next(line.split()[0] for line in symbols.splitlines()
                     if line.endswith(" fill_the_table"))
        subprocess.run(["strip", program], check=True)
        done = tool("run", "-o", "x.ledger", "--", program, folder=self.folder)
        self.assertIn(f"from table+0x{int(start, 16):x}\n", done.stderr.decode())

    def test_quiet_says_nothing_and_seals(self):
        self.assertEqual(self.run_program("-q"), "")
        self.assertTrue(is_sealed(self.ledger))

    def wait_for(self, condition, what):
        for _ in range(600):
            if condition():
                return
            time.sleep(0.1)
        self.fail(what)

    def test_later_it_is_sealed_in_the_background(self):
        said = self.run_program("--seal", "later")
        self.assertIn("fill_the_table", said)
        self.assertIn("sealing goes on in the background", said)
        self.wait_for(lambda: is_sealed(self.ledger), "it was not sealed")
        self.assertIn("fill_the_table", self.text_report()[0])
        self.assertEqual(sorted(os.listdir(self.folder)), ["home", "x.ledger"])

    def test_later_on_a_terminal_only_what_takes_long(self):
        self.assertNotIn("background", self.run_on_terminal(1))
        self.assertTrue(is_sealed(self.ledger))
        os.unlink(self.ledger)
        self.assertIn("background", self.run_on_terminal(6000000))
        self.wait_for(lambda: is_sealed(self.ledger), "it was not sealed")
        os.unlink(self.ledger)
        self.assertNotIn("background", self.run_on_terminal(6000000, "--seal", "now"))
        self.assertTrue(is_sealed(self.ledger))

    def run_on_terminal(self, pairs, *options):
        program = compile_into(os.path.join(self.folder, "home"), MANY)
        command = [harness.TOOL, "run", *options, "-o", "x.ledger", "--", program, str(pairs)]
        near, far = pty.openpty()
        with subprocess.Popen(command, cwd=self.folder, stdin=far, stdout=far, stderr=far,
                              env=harness.plain_environment()) as process:
            os.close(far)
            said = b""
            try:
                while piece := os.read(near, 4096):
                    said += piece
            except OSError:  # nobody holds the terminal any more, the background included
                pass
            self.assertEqual(process.wait(harness.HANG_SECONDS), 0, said)
        os.close(near)
        return said.decode()

    def test_a_ledger_that_is_removed_at_once_stays_removed(self):
        self.run_program("--seal", "later")
        os.unlink(self.ledger)
        time.sleep(1)
        self.assertEqual(os.listdir(self.folder), ["home"])

    def test_no_seal_leaves_it_raw(self):
        said = self.run_program("--no-seal")
        self.assertIn("fill_the_table", said)
        self.assertFalse(is_sealed(self.ledger))

    def test_raw_and_sealed_give_the_same_figures(self):
        self.run_program("-q", "--no-seal")
        raw = harness.report([self.ledger])
        self.assertEqual(tool("seal", "-q", self.ledger).returncode, 0)
        self.assertEqual(harness.report([self.ledger])["totals"], raw["totals"])

    def test_names_stay_when_the_program_is_gone(self):
        self.run_program("-q")
        before = self.text_report()
        self.assertIn("fill_the_table", before[0])
        os.rename(os.path.join(self.folder, "home"), os.path.join(self.folder, "elsewhere"))
        self.assertEqual(self.text_report(), before)
        # Looked up anew, there is nothing better: the stored names stay.
        self.assertEqual(tool("seal", "--symbols", self.ledger).returncode, 0)
        self.assertIn("fill_the_table", self.text_report()[0])

    def test_without_stored_names_they_are_lost_with_the_program(self):
        self.run_program("-q", "--no-seal")
        self.assertEqual(tool("seal", "-q", "--no-symbols", self.ledger).returncode, 0)
        os.rename(os.path.join(self.folder, "home"), os.path.join(self.folder, "elsewhere"))
        self.assertNotIn("fill_the_table", self.text_report()[0])
        os.rename(os.path.join(self.folder, "elsewhere"), os.path.join(self.folder, "home"))
        done = tool("seal", "--symbols", self.ledger)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"anew", done.stderr)
        os.rename(os.path.join(self.folder, "home"), os.path.join(self.folder, "elsewhere"))
        self.assertIn("fill_the_table", self.text_report()[0])

    def test_a_program_built_anew_is_said_and_not_used(self):
        self.run_program("-q", "--no-seal")
        other = SOURCE.replace("fill_the_table", "another_name").replace("1000", "1001")
        compile_into(os.path.join(self.folder, "home"), other)
        done = tool("seal", self.ledger)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"table", done.stderr)
        self.assertIn(b"note:", done.stderr)
        text, _ = self.text_report()
        self.assertNotIn("another_name", text)
        self.assertIn("table+0x", text)

    def test_a_limit_on_file_sizes_changes_neither_status_nor_ledger(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (5 << 20, 5 << 20))
        program = compile_into(os.path.join(self.folder, "home"))
        done = tool("run", "-o", "x.ledger", "--", program, folder=self.folder, before_exec=limit)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertGreaterEqual(harness.report([self.ledger])["totals"]["calls"], 100)

    def test_a_folder_that_became_read_only_leaves_it_raw(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        place = os.path.join(self.folder, "x.ledgers")
        script = (f"import os; b = bytearray(10**5); os.chmod({place!r}, 0o500); "
                  f"os.chmod({self.folder!r}, 0o500); os._exit(7)")
        done = tool("run", "-o", "x.ledger", "--", sys.executable, "-c", script,
                    folder=self.folder)
        os.chmod(self.folder, 0o700)
        os.chmod(place, 0o700)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn(b"not sealed", done.stderr)
        (left,) = os.listdir(place)
        self.assertFalse(is_sealed(os.path.join(place, left)))


class StillWritten(unittest.TestCase):
    def test_a_ledger_that_is_still_written_is_left_raw(self):
        folder = harness.fresh_folder()
        fifo = os.path.join(folder, "end")
        os.mkfifo(fifo)
        done = tool("run", "-o", "x.ledger", "--", sys.executable, "-c", harness.LEAVES_A_CHILD,
                    folder=folder)
        place = os.path.join(folder, "x.ledgers")
        states = sorted(is_sealed(os.path.join(place, name)) for name in os.listdir(place))
        end = time.monotonic() + harness.HANG_SECONDS
        while time.monotonic() < end:
            try:
                os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
                break
            except OSError:
                time.sleep(0.01)
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertFalse(states[0], "the child's ledger was sealed under its hands")
        self.assertIn(b"still being written", done.stderr)


class Interrupted(unittest.TestCase):
    """^C while the tool reads, names and seals, at moments all over that time."""

    def test_the_ledger_is_whole_and_the_status_the_programs(self):
        program = [harness.program("oracle"), "1", "4", "200000"]
        for delay in (0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8):
            folder = harness.fresh_folder()
            marker = os.path.join(folder, "ended")
            script = f'trap "" INT; "$@" >/dev/null; touch "{marker}"; exit 5'
            process = subprocess.Popen(
                [harness.TOOL, "run", "-o", "%p.ledger", "--", "sh", "-c", script, "sh", *program],
                cwd=folder, env=harness.plain_environment(), stderr=subprocess.PIPE,
                start_new_session=True)
            end = time.monotonic() + harness.HANG_SECONDS
            while not os.path.exists(marker) and time.monotonic() < end:
                time.sleep(0.002)
            # By now nothing but exit is left of the program, which does not mind the signal.
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=harness.HANG_SECONDS)
            self.assertEqual(process.returncode, 5, said)
            ledgers = [os.path.join(folder, name) for name in os.listdir(folder)
                       if name != "ended"]
            self.assertTrue(all(path.endswith(".ledger") for path in ledgers), ledgers)
            harness.expect_complete(harness.report(ledgers))


class NoPools(unittest.TestCase):
    SHOW = ("import os; print(*(f'{k}={os.environ.get(k)}' for k in "
            "('PYTHONMALLOC', 'G_SLICE', 'GLIBCXX_FORCE_NEW', 'USE_ZEND_ALLOC')))")

    def test_the_variables_are_set_only_on_request(self):
        folder = harness.fresh_folder()
        plain = tool("run", "-q", "--no-seal", "--", sys.executable, "-c", self.SHOW,
                     folder=folder, env={"G_SLICE": "mine"})
        self.assertEqual(plain.stdout.split()[1:], [b"G_SLICE=mine", b"GLIBCXX_FORCE_NEW=None",
                                                    b"USE_ZEND_ALLOC=None"])
        without = tool("run", "-q", "--no-seal", "--no-pools", "--", sys.executable, "-c",
                       self.SHOW, folder=folder, env={"G_SLICE": "mine"})
        self.assertEqual(without.stdout.split(), [b"PYTHONMALLOC=malloc", b"G_SLICE=always-malloc",
                                                  b"GLIBCXX_FORCE_NEW=1", b"USE_ZEND_ALLOC=0"])

    def test_pythons_small_objects_are_seen(self):
        # 50,000 objects of a size that Python's own allocator serves; each is a block without it.
        work = "kept = [object() for _ in range(50000)]"
        calls = {}
        for options in ((), ("--no-pools",)):
            folder = harness.fresh_folder()
            done = tool("run", "-q", *options, "-o", "x.ledger", "--", sys.executable, "-S", "-c",
                        work, folder=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            path = os.path.join(folder, "x.ledger")
            calls[options] = harness.report([path])["totals"]["calls"]
        self.assertGreaterEqual(calls[("--no-pools",)] - calls[()], 50000)


if __name__ == "__main__":
    unittest.main()
