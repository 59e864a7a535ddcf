"""Log mode: a line for every call, none torn, none lost, none in the program's own files."""

import collections
import fnmatch
import json
import os
import re
import signal
import subprocess
import unittest

import harness
import ledger_file

ALLOCATED = {"malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc",
             "memalign", "valloc", "pvalloc"}


def run(command, words, **options):
    """Runs a program with log mode; gives back the run and the path of the log, in a folder apart."""
    folder = harness.fresh_folder()
    words = f"mode=log {words}".replace("LOG", harness.escaped(folder))
    return harness.recorded(command, words=words, **options), folder


def calls(how, words, **options):
    return run([harness.program("log_calls"), how], words, **options)


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return split(file.read())


def split(text):
    """The columns of the lines of a log, and its headings."""
    harness.expect(text.endswith("\n"), "the log ends in the middle of a line")
    lines = text[:-1].split("\n")
    return ([line.split("\t") for line in lines if not line.startswith("#")],
            [line for line in lines if line.startswith("#")])


def of_size(lines, size):
    return [line for line in lines if line[:2] == ["malloc", str(size)]]


def missed(run_of_program):
    answer = harness.report(run_of_program.ledgers[:1])
    return answer["totals"]["missed"]


class Log(unittest.TestCase):
    def test_every_call_of_eight_threads(self):
        done, folder = run([harness.program("oracle"), "7", "8", "3000"],
                           "file=LOG/log log=time,thread,stack")
        self.assertEqual((done.status, done.stderr), (0, b""))
        truth = json.loads(done.stdout)
        lines, headings = read(folder, "log")
        self.assertEqual(headings, [f"# heapledger log of process "
                                    f"{ledger_file.read_header(done.ledgers[0]).pid}: time\tthread"
                                    "\tfunction\targuments\tresult\tstack"])
        modules = ledger_file.Ledger(done.ledgers[0]).modules
        start, end = next(place for path, place in modules.items()
                          if os.path.basename(path) == "oracle")
        made, bytes_taken, threads = collections.Counter(), 0, set()
        for time, thread, function, arguments, result, stack in lines:
            self.assertRegex(time, r"^\d+\.\d{9}$")
            self.assertRegex(stack, r"^0x[0-9a-f]+( 0x[0-9a-f]+| …)*$")
            if not start <= int(stack.split()[0], 16) < end:
                continue  # libc's, for threads
            if result.startswith("E") or (function == "free" and arguments == "0x0"):
                continue
            made[function] += 1
            threads.add(thread)
            if function in ALLOCATED and result != "0x0":
                numbers = [int(word) for word in arguments.split() if not word.startswith("0x")]
                array = function in ("calloc", "reallocarray")
                bytes_taken += numbers[0] * numbers[1] if array else numbers[-1]
        self.assertEqual([made[name] for name in harness.FUNCTIONS], truth["by_function"])
        self.assertEqual((bytes_taken, len(threads)), (truth["totals"]["bytes"], 8))
        self.assertEqual(missed(done), 0)

    def test_how_each_function_looks(self):
        done, folder = calls("formats", "file=LOG/log")
        self.assertEqual((done.status, done.stderr), (0, b""))
        lines, headings = read(folder, "log")
        self.assertTrue(headings[0].endswith(": function\targuments\tresult"), headings)
        wanted = done.stdout.decode().splitlines()
        self.assertEqual(len(lines), len(wanted), lines)
        for line, pattern in zip(lines, wanted):
            self.assertTrue(fnmatch.fnmatchcase("\t".join(line), pattern), (line, pattern))

    def test_the_log_is_beside_the_ledger_unless_told(self):
        done, _ = calls("takes", "")
        ledger, log = done.ledgers
        self.assertEqual(log, ledger[:-len(".ledger")] + ".log")
        lines, _ = read(os.path.dirname(log), os.path.basename(log))
        self.assertEqual(len(of_size(lines, 666)), 100)

    def test_stderr_shared_with_the_program(self):
        done, _ = calls("mix", "fd=2")
        self.assertEqual(done.status, 0)
        own, ours = collections.Counter(), collections.Counter()
        for line in done.stderr.decode().splitlines():
            if line.startswith("own"):
                own[line] += 1
            elif not line.startswith("#"):
                self.assertRegex(line, r"^(malloc\t\d+\t0x[0-9a-f]+|calloc\t\d+ \d+\t0x[0-9a-f]+|"
                                       r"free\t0x[0-9a-f]+\t-)$")
                ours["\t".join(line.split("\t")[:2])] += 1
        self.assertEqual(own, {f"own line {i} of {n}\n"[:-1]: 1
                               for i in range(300) for n in range(4)})
        self.assertEqual(ours["malloc\t111"], 1200)
        self.assertEqual(missed(done), 0)

    def test_the_descriptor_becomes_the_programs(self):
        done, _ = calls("reuse", "fd=2")
        self.assertEqual((done.status, done.files["own.txt"]), (0, b"first\nsecond\n"))
        lines, _ = split(done.stderr.decode())
        self.assertEqual(len(of_size(lines, 222)), 10)
        self.assertEqual(missed(done), 20)

    def test_the_program_closes_everything(self):
        done, folder = calls("closes", "file=LOG/log")
        self.assertEqual((done.status, done.files, done.stderr), (0, {"own.txt": b""}, b""))
        self.assertEqual(len(of_size(read(folder, "log")[0], 888)), 50)
        self.assertEqual(missed(done), 0)

    def test_a_pipe_that_nobody_reads(self):
        reader, writer = os.pipe()
        os.close(reader)
        folder = harness.fresh_folder()
        environment = harness.recording_environment(folder, words=f"mode=log fd={writer}")
        done = subprocess.run([harness.program("log_calls"), "takes"], env=environment,
                              pass_fds=[writer], capture_output=True, timeout=300, check=False)
        os.close(writer)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.decode(), f"heapledger: cannot write the log to descriptor "
                                               f"{writer}; calls of this process are not logged\n")

    def test_a_descriptor_that_is_not_open(self):
        done, _ = calls("takes", "fd=77")
        self.assertEqual(done.status, 0)
        self.assertIn(b"cannot write the log to descriptor 77", done.stderr)

    def test_a_forked_child_has_its_own_file(self):
        done, folder = calls("forks", "file=LOG/%p")
        parent, child = done.stdout.decode().split()
        self.assertEqual(len(of_size(read(folder, parent)[0], 333)), 10)
        self.assertEqual(len(of_size(read(folder, child)[0], 444)), 7)
        self.assertEqual(sorted(os.listdir(folder)), sorted([parent, child]))

    def test_a_forked_child_shares_the_descriptor(self):
        done, _ = calls("forks", "fd=2")
        lines, headings = split(done.stderr.decode())
        self.assertEqual([len(of_size(lines, size)) for size in (333, 444)], [10, 7])
        self.assertEqual([re.search(r"\d+", line).group() for line in headings],
                         done.stdout.decode().split())

    def test_all_lines_are_there_after_sigkill(self):
        done, folder = calls("killed", "file=LOG/log")
        self.assertEqual(done.signal, signal.SIGKILL)
        self.assertEqual(len(of_size(read(folder, "log")[0], 777)), 100)

    def test_a_deep_stack_is_cut_to_the_line(self):
        done, folder = calls("deep", "file=LOG/log log=stack depth=2000")
        self.assertEqual(done.status, 0)
        with open(os.path.join(folder, "log"), "rb") as file:
            line = next(line for line in file if line.startswith(b"malloc\t555\t"))
        self.assertTrue(line.endswith(" …\n".encode()), line[-50:])
        self.assertTrue(3900 < len(line) <= 4096, len(line))


if __name__ == "__main__":
    unittest.main()
