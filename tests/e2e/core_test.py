"""Cores of programs in live mode: made by gcore, by a crash, of C, C++ and python3; their blocks are those
that the program itself says it holds. Plain dumps, cut ones and damaged ones of the same memory."""

import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import unittest

import harness
import live_truth


def need(command, package):
    if shutil.which(command) is not None:
        return
    if "HEAPLEDGER_REQUIRE_CLIENTS" in os.environ:
        raise harness.Failure(f"{command} is missing (Debian: {package})")
    raise unittest.SkipTest(f"{command} is missing (Debian: {package})")


def tool(*words, status=0):
    """stdout and stderr of the tool."""
    done = subprocess.run([harness.TOOL, *words], env=harness.plain_environment(),
                          capture_output=True, timeout=2 * harness.HANG_SECONDS, check=False)
    if done.returncode != status:
        raise harness.Failure(f"{words} ended with {done.returncode}, not {status}:\n"
                              f"{harness.shown(done.stderr)}")
    return done.stdout, done.stderr


def gcore(pid, folder):
    done = subprocess.run(["gcore", "-o", os.path.join(folder, "core"), str(pid)],
                          capture_output=True, timeout=300, check=False)
    path = os.path.join(folder, f"core.{pid}")
    harness.expect(os.path.exists(path), f"gcore: {harness.shown(done.stderr)}")
    return path


class Program:
    """Something that runs in live mode and has said that it is ready."""

    def __init__(self, command, words="mode=live", env=None):
        self.ledgers = harness.fresh_folder()
        environment = harness.recording_environment(self.ledgers, words=words, extra=env)
        self.process = subprocess.Popen(command, env=environment, cwd=harness.fresh_folder(),
                                        stdout=subprocess.PIPE, start_new_session=True)
        self.lines = []
        while True:
            line = self.process.stdout.readline()
            harness.expect(line, f"{command} ended early")
            if line == b"ready\n":
                break
            self.lines.append(line.decode())

    def core(self):
        return gcore(self.process.pid, harness.fresh_folder())

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


CPP = r"""
#include <cstdio>
#include <map>
#include <string>
#include <vector>
#include <unistd.h>
struct Record { char name[120]; };
static std::vector<Record*> records;
static std::map<int, std::string> texts;
__attribute__((noinline)) void add_records(int count) {
  for (int i = 0; i < count; ++i) records.push_back(new Record);
}
__attribute__((noinline)) void add_texts(int count) {
  for (int i = 0; i < count; ++i) texts[i] = std::string(1000, 'x');
}
int main() {
  records.reserve(700);
  add_records(700);
  add_texts(50);
  for (int i = 0; i < 200; ++i) { delete records.back(); records.pop_back(); }
  std::puts("ready");
  std::fflush(stdout);
  for (;;) pause();
}
"""

PYTHON = """
import ctypes, sys, time
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
held = [libc.malloc(77777) for _ in range(40)]
for address in held[30:]:
    libc.free(address)
print("held", *held[:30])
big = bytearray(50_000_000)
print("ready", flush=True)
time.sleep(600)
"""


class Cores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need("gcore", "gdb")

    def start_truth(self, threads=4, operations=30_000, seed=3, end="hold"):
        folder = harness.fresh_folder()
        path = os.path.join(folder, "truth")
        program = Program([harness.program("live_truth"), path, str(threads), str(operations),
                           str(seed), end])
        self.addCleanup(program.end)
        return program, path

    def test_every_block_of_a_c_program(self):
        program, path = self.start_truth()
        core = program.core()
        truth = live_truth.Truth(path, 4)
        executable = harness.program("live_truth")
        answer = live_truth.tool("core", executable, core, *live_truth.BLOCKS)
        live_truth.compare(truth, answer)
        self.assertGreater(len(truth.blocks), 1000)
        whole = live_truth.tool("core", executable, core)
        mine = [group for group in whole["groups"]
                if group["frames"] and group["frames"][0]["function"] in live_truth.FUNCTIONS]
        self.assertEqual(sum(group["calls"] for group in mine), truth.calls)
        self.assertEqual(sum(group["end_bytes"] for group in mine), sum(truth.blocks.values()))
        threads = live_truth.tool("core", executable, core, "--by", "thread")
        self.assertEqual(len([row for row in threads["groups"] if row["live_blocks"]]), 4)
        text, _ = tool("core", executable, core)
        self.assertIn(b"take_small", text)

    def test_the_tables_are_what_a_snapshot_says(self):
        program, _ = self.start_truth(threads=2)
        snapshot = live_truth.tool("snapshot", str(program.process.pid), *live_truth.BLOCKS)
        core = live_truth.tool("core", harness.program("live_truth"), program.core(),
                               *live_truth.BLOCKS)
        self.assertEqual(live_truth.own_blocks(snapshot), live_truth.own_blocks(core))

    def test_a_core_of_a_crash(self):
        need("gdb", "gdb")
        folder = harness.fresh_folder()
        path, core = os.path.join(folder, "truth"), os.path.join(folder, "core")
        ledgers = harness.fresh_folder()
        executable = harness.program("live_truth")
        subprocess.run(["gdb", "--batch", "-iex", "set auto-load off", "-ex", "set startup-with-shell off",
                        "-ex", f"set environment LD_PRELOAD {harness.LIB}", "-ex",
                        f"set environment HEAPLEDGER mode=live out={ledgers}/%e.%p.ledger", "-ex",
                        "run", "-ex", f"generate-core-file {core}", "--args", executable, path, "2",
                        "20000", "9", "abort"],
                       capture_output=True, timeout=300, check=False, env=harness.plain_environment())
        harness.expect(os.path.exists(core), "gdb made no core")
        live_truth.compare(live_truth.Truth(path, 2),
                           live_truth.tool("core", executable, core, *live_truth.BLOCKS))

    def test_a_core_of_the_kernel(self):
        with open("/proc/sys/kernel/core_pattern", encoding="utf-8") as file:
            pattern = file.read().strip()
        if pattern.startswith("|") or "/" in pattern:
            raise unittest.SkipTest(f"cores go elsewhere here: {pattern}")
        folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
        path = os.path.join(folder, "truth")
        executable = harness.program("live_truth")
        environment = harness.recording_environment(ledgers, words="mode=live")
        subprocess.run(["sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh", executable, path, "3",
                        "20000", "10", "abort"], cwd=folder, env=environment, check=False,
                       capture_output=True, timeout=300)
        cores = [name for name in os.listdir(folder) if name.startswith("core")]
        if not cores:
            raise unittest.SkipTest("the kernel wrote no core")
        live_truth.compare(live_truth.Truth(path, 3),
                           live_truth.tool("core", executable, os.path.join(folder, cores[0]),
                                           *live_truth.BLOCKS))

    def test_cpp(self):
        folder = harness.fresh_folder()
        source, executable = os.path.join(folder, "p.cpp"), os.path.join(folder, "p")
        with open(source, "w", encoding="utf-8") as file:
            file.write(CPP)
        subprocess.run(["g++", "-O1", "-g", source, "-o", executable], check=True)
        program = Program([executable])
        self.addCleanup(program.end)
        core = program.core()
        answer = live_truth.tool("core", executable, core, "--by", "function")
        rows = {row["name"].split("(")[0]: row for row in answer["groups"]}
        self.assertEqual((rows["add_records"]["live_blocks"], rows["add_records"]["live_bytes"]),
                         (500, 500 * 120))
        self.assertEqual(rows["add_records"]["calls"], 700)
        # Each text is a node of the map and a string of 1,001 bytes.
        self.assertEqual(rows["add_texts"]["live_blocks"], 100)
        self.two_cores(program, executable, core)

    def test_names_from_files_that_are_elsewhere(self):
        """The program is not where the core says; under a sysroot it is, and only if it is the same."""
        folder, sysroot = harness.fresh_folder(), harness.fresh_folder()
        executable = os.path.join(folder, "server")
        shutil.copy(harness.program("live_truth"), executable)
        program = Program([executable, os.path.join(folder, "truth"), "1", "2000", "1", "hold"])
        core = program.core()
        program.end()
        os.makedirs(sysroot + folder)
        there = sysroot + executable
        os.rename(executable, there)
        named, _ = tool("core", there, core, "--sysroot", sysroot, "--by", "function")
        self.assertIn(b"take_small", named)
        unnamed, _ = tool("core", there, core, "--by", "function")
        self.assertNotIn(b"take_small", unnamed)
        self.assertIn(b"server+0x", unnamed)
        shutil.copy(harness.program("oracle"), there)
        wrong, complaint = tool("core", there, core, "--sysroot", sysroot, "--by", "function")
        self.assertNotIn(b"oracle::", wrong)
        self.assertIn(b"build id", complaint)

    def two_cores(self, program, executable, core):
        """Every other command works on it, too."""
        folder = harness.fresh_folder()
        first, second = os.path.join(folder, "one.ledger"), os.path.join(folder, "two.ledger")
        tool("core", executable, core, "-q", "-o", first)
        tool("core", executable, program.core(), "-q", "-o", second)
        difference = live_truth.tool("diff", first, second, "--raw")
        self.assertEqual({value for group in difference["groups"]
                          for value in group["change"].values() if value is not None}, {0})
        stacks, _ = tool("export", first, "--to", "collapsed", "--metric", "live")
        total = sum(int(line.rsplit(b" ", 1)[1]) for line in stacks.splitlines())
        report = live_truth.tool("report", first)
        self.assertEqual(total, report["totals"]["end_bytes"])
        self.assertIn(b"add_records", stacks)
        picture = os.path.join(folder, "heap.svg")
        tool("flamegraph", first, "-o", picture)
        with open(picture, encoding="utf-8") as file:
            self.assertIn("add_texts", file.read())

    def test_python(self):
        script = os.path.join(harness.fresh_folder(), "script.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PYTHON)
        python = os.path.realpath("/usr/bin/python3")
        program = Program([python, script], env={"PYTHONMALLOC": "malloc"})
        self.addCleanup(program.end)
        held = {int(word) for word in program.lines[0].split()[1:]}
        answer = live_truth.tool("core", python, program.core(), *live_truth.BLOCKS)
        sizes = {block["address"]: block["size"] for block in answer["blocks"]}
        self.assertEqual({sizes.get(address) for address in held}, {77777})
        self.assertEqual(sum(1 for size in sizes.values() if size == 77777), 30)
        self.assertGreaterEqual(max(sizes.values()), 50_000_000)


class Plain(unittest.TestCase):
    """The same memory without an ELF file around it, whole, cut and damaged."""

    @classmethod
    def setUpClass(cls):
        need("gcore", "gdb")
        folder = harness.fresh_folder()
        cls.path = os.path.join(folder, "truth")
        program = Program([harness.program("live_truth"), cls.path, "2", "20000", "4", "hold"])
        try:
            cls.core = program.core()
        finally:
            program.end()
        cls.truth = live_truth.Truth(cls.path, 2)
        cls.memory, cls.base = cls.one_stretch(cls.core)

    @staticmethod
    def one_stretch(core):
        """The anonymous memory around the tables, as a plain file; and its first address."""
        text = subprocess.run(["readelf", "-lW", core], capture_output=True, check=True).stdout
        loads = [(int(a, 16), int(b, 16), int(c, 16)) for a, b, c in re.findall(
            rb"LOAD\s+(0x[0-9a-f]+) (0x[0-9a-f]+) 0x[0-9a-f]+ (0x[0-9a-f]+)", text)]
        with open(core, "rb") as file:
            data = file.read()
        magic = b"\x7fHPLEDGER:live\n\x1a"
        (place,) = [at.start() for at in re.finditer(re.escape(magic), data)]
        inside = [load for load in loads if load[0] <= place < load[0] + load[2]]
        # The tables' parts are in mappings of their own: all of them, with nothing in the holes.
        first = min(load[1] for load in loads if load[1] > inside[0][1] - (64 << 20))
        last = max(load[1] + load[2] for load in loads if load[1] < inside[0][1] + (64 << 20))
        path = os.path.join(harness.fresh_folder(), "memory.bin")
        with open(path, "wb") as file:
            for offset, address, size in loads:
                if first <= address < last:
                    file.seek(address - first)
                    file.write(data[offset:offset + size])
        return path, first

    def test_whole(self):
        executable = harness.program("live_truth")
        for words in ((), ("--base", hex(self.base))):
            answer = live_truth.tool("core", "--raw", self.memory, executable, *words,
                                     *live_truth.BLOCKS)
            live_truth.compare(self.truth, answer)

    def test_a_wrong_command_is_told(self):
        executable = harness.program("live_truth")
        for words in (("core",), ("core", "--raw", self.memory, executable, "b"),
                      ("core", executable, self.core, "--base", "0x10"),
                      ("core", "--raw", self.memory, "--base", "here"),
                      ("core", "--raw", self.core), ("core", "/does/not/exist", self.core),
                      ("core", executable, "/does/not/exist"),
                      ("core", executable, self.core, "--at", "1s"),
                      ("core", executable, self.core, "--between", "start", "end")):
            _, complaint = tool(*words, status=2)
            self.assertTrue(complaint.startswith(b"heapledger: "), complaint)

    def test_a_core_names_its_program(self):
        live_truth.compare(self.truth, live_truth.tool("core", self.core, *live_truth.BLOCKS))

    def test_a_cut_core_is_told_by_the_exit_status(self):
        """The last mappings are missing: of the stack and the kernel's own page."""
        folder = harness.fresh_folder()
        path, out = os.path.join(folder, "core"), os.path.join(folder, "out.ledger")
        with open(self.core, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data[:-100_000])
        executable = harness.program("live_truth")
        live_truth.compare(self.truth, live_truth.tool("core", executable, path,
                                                       *live_truth.BLOCKS, status=3))
        for more in ((), ("-o", out), ("--leaks",)):
            _, complaint = tool("core", executable, path, *more, status=3)
            self.assertIn(b"the core is cut", complaint)

    def test_plots_need_time(self):
        out = os.path.join(harness.fresh_folder(), "out.ledger")
        tool("core", self.core, "-q", "-o", out)
        _, complaint = tool("plot", out, "-o", out + ".svg", status=2)
        self.assertIn(b"live heap", complaint)
        self.assertEqual([name for name in os.listdir(os.path.dirname(out))], ["out.ledger"])

    def test_cut_anywhere_shows_what_is_there(self):
        """Never a crash, never a hang; what is shown is a part of the truth."""
        executable = harness.program("live_truth")
        size = os.path.getsize(self.core)
        with open(self.core, "rb") as file:
            data = file.read()
        for part in range(1, 12):
            path = os.path.join(harness.fresh_folder(), "core")
            with open(path, "wb") as file:
                file.write(data[:size * part // 12])
            done = subprocess.run([harness.TOOL, "core", executable, path, "--json",
                                   *live_truth.BLOCKS], env=harness.plain_environment(),
                                  capture_output=True, timeout=300, check=False)
            self.assertIn(done.returncode, (0, 3), harness.shown(done.stderr))
            self.assertTrue(done.returncode == 0 or done.stderr, "no word about what is wrong")
            if done.stdout.startswith(b"{") and b'"blocks"' in done.stdout:
                found = live_truth.own_blocks(harness.with_frames(json.loads(done.stdout)))
                wrong = {at: size for at, size in found.items() if self.truth.blocks.get(at) != size}
                self.assertLessEqual(len(wrong), self.truth.unsure_sizes)

    def test_damaged_bytes_do_no_harm(self):
        executable = harness.program("live_truth")
        with open(self.core, "rb") as file:
            data = file.read()
        magic = data.index(b"\x7fHPLEDGER:live\n\x1a")
        chance = random.Random(5)
        for _ in range(40):
            damaged = bytearray(data)
            for _ in range(chance.choice((1, 10, 300))):
                at = magic + 16 + chance.randrange(chance.choice((300, 5000, 80_000)))
                damaged[at] = chance.randrange(256)
            path = os.path.join(harness.fresh_folder(), "core")
            with open(path, "wb") as file:
                file.write(damaged)
            done = subprocess.run([harness.TOOL, "core", executable, path, "--top", "3"],
                                  env=harness.plain_environment(), capture_output=True, timeout=300,
                                  check=False)
            self.assertIn(done.returncode, (0, 3), harness.shown(done.stderr))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.assertLess(most, 4 * len(data) + (1 << 30), "memory that the dump does not explain")


if __name__ == "__main__":
    unittest.main()
