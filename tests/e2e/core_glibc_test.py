"""`heapledger core` on programs that never loaded our library: glibc's own heap, compared with what
the programs themselves count, with malloc_info and with mallinfo2; and damaged dumps of it."""

import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

import harness

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "chunks.c")
SMALL_STACKS = 1 << 20  # of threads: less to dump

CPP_PROGRAM = r"""
#include <malloc.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <vector>
static void* blocks[100000];
static size_t count;
static bool on;
void* operator new(size_t size) {
  void* block = malloc(size);
  if (on) blocks[count++] = block;
  return block;
}
void operator delete(void* block) noexcept {
  for (size_t i = 0; i < count; ++i) if (blocks[i] == block) blocks[i] = nullptr;
  free(block);
}
void operator delete(void* block, size_t) noexcept { operator delete(block); }
static char buffer[65536];
int main() {
  setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
  on = true;
  auto* names = new std::map<int, std::string>;
  for (int i = 0; i < 3000; ++i) (*names)[i * 7 % 3001] = std::string(i % 90, 'x');
  for (int i = 0; i < 3000; i += 3) names->erase(i);
  auto* numbers = new std::vector<std::vector<int>>;
  for (int i = 0; i < 300; ++i) numbers->emplace_back(i * 10);
  on = false;
  for (size_t i = 0; i < count; ++i)
    if (blocks[i]) printf("H %lu %zu\n", (unsigned long)blocks[i], malloc_usable_size(blocks[i]));
  printf("READY\n");
  fflush(stdout);
  for (;;) pause();
}
"""

PYTHON_PROGRAM = """
import ctypes, signal, sys
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc_usable_size.argtypes = libc.free.argtypes = [ctypes.c_void_p]
names = {i: str(i) * 5 for i in range(20000)}
blocks = [libc.malloc(10 + i * 37 % 5000) for i in range(1000)] + [libc.malloc(1 << 20)]
for block in blocks[::3]:
    libc.free(block)
del blocks[::3]
for block in blocks:
    print("H", block, libc.malloc_usable_size(block))
print("READY", flush=True)
signal.pause()
"""


def small_stacks():
    resource.setrlimit(resource.RLIMIT_STACK, (SMALL_STACKS, resource.RLIM_INFINITY))


def with_core():
    small_stacks()
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class Dumped:
    """A program that has told its account, and its core: of gcore, or of the emulator that runs it
    and that it aborts in."""

    def __init__(self, command, env=None, emulator=None):
        self.executable = command[0]
        self.folder = harness.fresh_folder()
        told = os.path.join(self.folder, "told")
        if emulator is None:
            self.dump(command, env, told)
        else:
            self.dump_emulated(command, emulator, told)
        self.held = {int(block): int(room)
                     for block, room in re.findall(r"^H (\d+) (\d+)$", self.text, re.M)}
        self.freed = {int(block) for block in re.findall(r"^F (\d+)$", self.text, re.M)}
        self.freed -= set(self.held)

    def dump_emulated(self, command, emulator, told):
        with open(told, "wb") as out:
            subprocess.run([emulator, *command], stdout=out, stdin=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=harness.plain_environment(),
                           cwd=self.folder, preexec_fn=with_core, check=False,
                           timeout=2 * harness.HANG_SECONDS)
        with open(told, encoding="ascii") as file:
            self.text = file.read()
        cores = [name for name in os.listdir(self.folder) if name.startswith("qemu_")]
        if not cores:
            raise unittest.SkipTest(f"{emulator} wrote no core")
        self.core = os.path.join(self.folder, cores[0])

    def dump(self, command, env, told):
        with open(told, "wb") as out:
            process = subprocess.Popen(command, stdout=out, stdin=subprocess.DEVNULL,
                                       env=harness.plain_environment(env), cwd=self.folder,
                                       preexec_fn=small_stacks)
        try:
            self.text = self.wait_for_text(process, told)
            made = subprocess.run(["gcore", "-o", os.path.join(self.folder, "core"),
                                   str(process.pid)], capture_output=True, check=False, timeout=300)
        finally:
            process.kill()
            process.wait()
        self.core = os.path.join(self.folder, f"core.{process.pid}")
        harness.expect(os.path.exists(self.core), f"gcore made no core: {harness.shown(made.stderr)}")

    @staticmethod
    def wait_for_text(process, path):
        end = time.monotonic() + harness.HANG_SECONDS
        while time.monotonic() < end and process.poll() is None:
            with open(path, encoding="ascii") as file:
                text = file.read()
            if text.endswith("READY\n"):
                return text
            time.sleep(0.02)
        raise harness.Failure(f"the program was not ready, it ended with {process.poll()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)  # cores are large

    def ask(self, *options, core=None):
        done = subprocess.run([harness.TOOL, "core", self.executable, core or self.core, "-q",
                               *options], env=harness.plain_environment(), capture_output=True,
                              check=False, timeout=harness.HANG_SECONDS)
        harness.expect(done.returncode in (0, 3),
                       f"core ended with {done.returncode}: {harness.shown(done.stderr)}")
        return done

    def chunks(self, core=None):
        done = self.ask("--json", core=core)
        answer = json.loads(done.stdout)
        harness.expect_equal(answer["schema"], "heapledger.chunks/1", "schema")
        harness.expect_equal(done.returncode, 3 if answer["problems"] else 0, "exit status")
        return answer

    def blocks(self, core=None):
        answer = json.loads(self.ask("--blocks", "--json", "--top", "0", core=core).stdout)
        return {block["address"]: block["size"] for block in answer["blocks"]}


def built(*flags, compiler="gcc", source=SOURCE):
    """The program, or None when such a one cannot be built here."""
    path = os.path.join(harness.fresh_folder(), "chunks")
    done = subprocess.run([compiler, "-O1", "-g", "-pthread", "-fno-builtin", "-D_GNU_SOURCE",
                           *flags, source, "-o", path], capture_output=True, check=False)
    return path if done.returncode == 0 else None


def sums(*parts):
    return [sum(part["chunks"] for part in parts), sum(part["bytes"] for part in parts)]


class Glibc(unittest.TestCase):
    maxDiff = 2000

    def expect_blocks(self, dumped, others):
        """Every block that is held is there with its room, none that was freed, and only `others`
        that libc asked for itself."""
        blocks = dumped.blocks()
        self.assertGreater(len(dumped.held), 500)
        self.assertEqual({block: blocks.get(block) for block in dumped.held}, dumped.held)
        self.assertEqual(dumped.freed & set(blocks), set())
        self.assertEqual(len(blocks), len(dumped.held) + others)

    def expect_books(self, dumped, answer):
        """The sums are those of malloc_info and mallinfo2."""
        (system, ordinary, fast, mapped, mapped_bytes, fast_bytes, used_bytes, free_bytes,
         top) = map(int, re.search(r"^I (.*)$", dumped.text, re.M)[1].split())
        totals = answer["totals"]
        free = totals["free"]
        self.assertEqual(totals["system_bytes"], system)
        self.assertEqual(sums(free["fastbins"]), [fast, fast_bytes])
        self.assertEqual(sums(totals["mapped"]), [mapped, mapped_bytes])
        self.assertEqual(totals["mapped_counted"], totals["mapped"])
        self.assertEqual(sums(free["bins"], free["fastbins"])[1] + totals["top_bytes"], free_bytes)
        self.assertEqual(free["bins"]["chunks"] + len(answer["arenas"]), ordinary)
        self.assertEqual(answer["arenas"][0]["top"]["bytes"], top)
        self.assertEqual(free["unlisted"]["chunks"], 0)
        # What malloc takes for used is in use, its own, in a cache, or a header of a heap.
        heaps = sum(len(arena["heaps"]) for arena in answer["arenas"])
        known = sums(free["tcache"], totals["own"], totals["in_use"])[1] - totals["mapped"]["bytes"]
        self.assertLessEqual(known, used_bytes)
        return used_bytes - known, heaps

    def expect_arenas(self, dumped, answer):
        info = xml.etree.ElementTree.fromstring(
            re.search(r"<malloc .*</malloc>", dumped.text, re.S)[0])
        heaps = info.findall("heap")
        self.assertEqual(len(answer["arenas"]), len(heaps))
        self.assertEqual([arena["main"] for arena in answer["arenas"]],
                         [True] + [False] * (len(heaps) - 1))
        for arena, heap in zip(answer["arenas"], heaps):
            def told(kind, path, heap=heap):
                return int(heap.find(path).get(kind))
            free = arena["free"]
            self.assertEqual(arena["system_bytes"], told("size", "system[@type='current']"))
            self.assertEqual(arena["most_system_bytes"], told("size", "system[@type='max']"))
            self.assertEqual(sums(free["fastbins"]), [told("count", "total[@type='fast']"),
                                                      told("size", "total[@type='fast']")])
            count, size = sums(free["unsorted"], free["small"], free["large"])
            self.assertEqual(count + 1, told("count", "total[@type='rest']"))
            # malloc_info adds the mark in each binned chunk's size to it.
            self.assertEqual(size + arena["top"]["bytes"] + count,
                             told("size", "total[@type='rest']"))

    def try_chunks(self, program, how=(), others=3, env=None, arenas=4, emulator=None):
        with Dumped([program, *how], env, emulator) as dumped:
            answer = dumped.chunks()
            self.assertEqual(answer["problems"], [])
            self.assertFalse(answer["stacks"])
            self.assertEqual(answer["totals"]["tcaches"], 4)
            self.assertEqual(len(answer["arenas"]), arenas)
            if not how:
                self.assertGreater(max(len(arena["heaps"]) for arena in answer["arenas"]), 1)
            for kind in ("fastbins", "unsorted", "small", "large", "tcache"):
                self.assertGreater(sums(*[arena["free"][kind] for arena in answer["arenas"]])[0], 0,
                                   kind)
            left, heaps = self.expect_books(dumped, answer)
            if not how:
                self.assertLess(left, heaps * 2500)  # headers of arenas and heaps, posts
            self.expect_arenas(dumped, answer)
            self.expect_blocks(dumped, others)  # libc's own: a table for each thread

    def test_threads(self):
        self.try_chunks(harness.program("chunks"))

    def test_threads_in_one_arena(self):
        # Their caches lie anywhere in it, one of them empty.
        self.try_chunks(harness.program("chunks"), ["small"], env={"MALLOC_ARENA_MAX": "1"},
                        arenas=1)

    def test_break_moved_by_others(self):
        self.try_chunks(harness.program("chunks"), ["moved"])

    def test_break_that_cannot_grow(self):
        self.try_chunks(harness.program("chunks"), ["stopped"])

    def test_static(self):
        program = built("-static")
        self.assertIsNotNone(program)
        self.try_chunks(program, others=3 + 5)  # and what its start asks for

    def test_stripped_static(self):
        self.try_chunks(built("-static", "-s"), ["small"], others=3 + 5)

    def test_i386(self):
        program = built("-m32")
        if program is None:
            self.skipTest("gcc -m32 cannot link (Debian: gcc-multilib)")
        self.try_chunks(program)

    def test_other_machines(self):
        # 32 and 64 bit, of both byte orders.
        for triplet, machine in (("powerpc-linux-gnu", "ppc"), ("s390x-linux-gnu", "s390x"),
                                 ("arm-linux-gnueabihf", "arm"), ("aarch64-linux-gnu", "aarch64"),
                                 ("i686-linux-gnu", "i386")):
            with self.subTest(machine):
                compiler, emulator = triplet + "-gcc", "qemu-" + machine
                if shutil.which(compiler) is None or shutil.which(emulator) is None:
                    self.skipTest(f"no {compiler} or {emulator} (Debian: gcc-*, qemu-user)")
                self.try_chunks(built("-static", compiler=compiler), ["abort"], others=3 + 4,
                                emulator=emulator)

    def test_cpp(self):
        source = os.path.join(harness.fresh_folder(), "held.cpp")
        with open(source, "w", encoding="ascii") as file:
            file.write(CPP_PROGRAM)
        with Dumped([built(compiler="g++", source=source)]) as dumped:
            self.assertEqual(dumped.chunks()["problems"], [])
            self.expect_blocks(dumped, 1)  # libstdc++ keeps some room for exceptions

    def test_python(self):
        script = os.path.join(harness.fresh_folder(), "held.py")
        with open(script, "w", encoding="ascii") as file:
            file.write(PYTHON_PROGRAM)
        with Dumped([os.path.realpath(sys.executable), script]) as dumped:
            self.assertEqual(dumped.chunks()["problems"], [])
            blocks = dumped.blocks()
            self.assertEqual({block: blocks.get(block) for block in dumped.held}, dumped.held)

    def test_text_says_that_there_are_no_stacks(self):
        with Dumped([harness.program("chunks"), "small"]) as dumped:
            text = dumped.ask().stdout.decode()
            self.assertIn("Heapledger's library was not in this program", text)
            self.assertIn("heapledger run --mode live", text)
            answer = dumped.chunks()
            for arena in answer["arenas"]:
                self.assertIn(f"{arena['address']:#014x}", text)
            self.assertIn(f"{answer['totals']['in_use']['chunks']:,} blocks in use", text)


def heap_segments(path, addresses):
    """(offset in the file, first address, bytes) of what a 64-bit core has of those addresses."""
    with open(path, "rb") as file:
        head = file.read(64)
        table, = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        file.seek(table)
        headers = file.read(size * count)
    found = []
    for at in range(0, size * count, size):
        kind, _, offset, start, _, bytes_there = struct.unpack_from("<IIQQQQ", headers, at)
        if kind == 1 and any(start <= one < start + bytes_there for one in addresses):
            found.append((offset, start, bytes_there))
    return found


class Damaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dumped = Dumped([harness.program("chunks"), "small"], {"MALLOC_ARENA_MAX": "2"})
        cls.segments = heap_segments(cls.dumped.core, list(cls.dumped.held)[::50])

    def write(self, core, address, value):
        for offset, start, size in self.segments:
            if start <= address < start + size - 8:
                with open(core, "r+b") as file:
                    file.seek(offset + address - start)
                    before = file.read(8)
                    file.seek(offset + address - start)
                    file.write(struct.pack("<Q", value))
                return struct.unpack("<Q", before)[0]
        raise harness.Failure(f"{address:#x} is not in the core")

    def test_a_wrong_size_is_told_with_its_address(self):
        block = list(self.dumped.held)[1000]
        before = self.write(self.dumped.core, block - 8, 0x4141414141414141)
        try:
            problems = self.dumped.chunks()["problems"]
            self.assertTrue(any(f"{block - 16:#x}" in problem for problem in problems), problems)
            blocks = self.dumped.blocks()
            missing = [one for one in self.dumped.held if one not in blocks]
            self.assertIn(block, missing)
            self.assertLess(len(missing), 5)
        finally:
            self.write(self.dumped.core, block - 8, before)

    def test_a_cut_core_is_told(self):
        size = os.path.getsize(self.dumped.core)
        cut = os.path.join(harness.fresh_folder(), "core")
        offset, _, bytes_there = self.segments[0]
        for length in (offset + bytes_there // 2, size // 2, size - 1000000):
            with open(self.dumped.core, "rb") as source, open(cut, "wb") as target:
                target.write(source.read(length))
            done = self.dumped.ask("--json", core=cut)
            self.assertEqual((done.returncode, done.stderr.count(b"Traceback")), (3, 0))

    def test_random_damage_is_survived(self):
        told = 0
        for seed in range(40):
            choose = random.Random(seed)
            written = []
            for _ in range(choose.randint(1, 40)):
                _, start, size = choose.choice(self.segments)
                # Half of them where sizes are.
                address = (choose.choice(list(self.dumped.held)) - 8 if choose.random() < 0.5
                           else start + choose.randrange(size - 8) // 8 * 8)
                value = choose.choice([choose.getrandbits(64), choose.getrandbits(12), 0,
                                       2 ** 64 - 16, choose.choice(list(self.dumped.held)),
                                       start + choose.randrange(size)])
                try:
                    written.append((address, self.write(self.dumped.core, address, value)))
                except harness.Failure:
                    continue  # a mapping that was not looked for
            done = self.dumped.ask("--json")
            answer = json.loads(done.stdout)
            told += 1 if answer["problems"] else 0
            self.assertLessEqual(len(answer["problems"]), 51)
            for address, before in reversed(written):
                self.write(self.dumped.core, address, before)
        self.assertGreater(told, 25)
        self.assertEqual(self.dumped.chunks()["problems"], [])  # all put back


if __name__ == "__main__":
    if shutil.which("gcore") is None:
        print("skipped: there is no gcore (Debian: gdb)")
        sys.exit(77)
    unittest.main()
