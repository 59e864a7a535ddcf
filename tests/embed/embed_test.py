"""Header mode: what a program with embed/ leaves in its memory is what the reader finds there.

    embed_test.py series MACHINE | moved | compiles | functions | wrapped | example

The truth is what the programs print of themselves; names of functions come from binutils.
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import clients
import harness
from machines import EMBED, HERE, MACHINES, ROOT, STRICT

READ_DUMP = os.environ.get("HEAPLEDGER_READ_DUMP", "")
LIBRARY = os.path.join(EMBED, "heapledger_embed.c")
HEAP = os.path.join(HERE, "array_heap.c")
SERIES = [os.path.join(HERE, "series.c"), HEAP, LIBRARY]
FUNCTIONS = [os.path.join(HERE, "functions.c"), HEAP, LIBRARY]
FRAMES = ["-O2", "-g", "-fno-omit-frame-pointer", "-DHL_FRAME_POINTERS=1", "-I", EMBED]


class Answer:
    """What read_dump printed."""

    def __init__(self, *arguments):
        self.facts, self.blocks, self.problems = {}, {}, []
        for line in clients.run([READ_DUMP, *arguments]).splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "block":
                address, size, time, thread, *frames = rest.split()
                self.blocks[int(address, 16)] = (int(size), int(time), int(thread),
                                                 [int(frame, 16) for frame in frames])
            elif kind == "problem":
                self.problems.append(rest)
            else:
                self.facts[kind] = rest


class Truth:
    """What the program printed."""

    def __init__(self, text):
        self.blocks, self.facts = {}, {}
        for line in text.splitlines():
            kind, *words = line.split()
            if kind == "block":
                self.blocks[int(words[0], 16)] = (*map(int, words[1:4]), words[4:])
            else:
                self.facts[kind] = words[0]


def names_of(machine, program, addresses):
    """The functions that these return addresses are in, by address."""
    asked = sorted(addresses)
    text = clients.run([machine.tool("addr2line"), "-f", "-e", program,
                        *(hex(address - 1) for address in asked)])
    return dict(zip(asked, text.splitlines()[::2]))


class Series(unittest.TestCase):
    machine = None

    def check_stacks(self, program, answer, truth, bias=0):
        frames = {frame for *_, stack in answer.blocks.values() for frame in stack if frame >= 16}
        names = names_of(self.machine, program, {frame - bias for frame in frames})
        depth = 4 if self.machine.walks_frames else 1
        for address, (*_, stack) in answer.blocks.items():
            found = [names.get(frame - bias, f"mark {frame}") for frame in stack]
            self.assertEqual(found[:depth], truth.blocks[address][3][:depth])
            if not self.machine.walks_frames:
                self.assertEqual(found[1:], ["mark 1"])

    def check_dump(self, program, dump, truth):
        answer = Answer(dump, program)
        shape = f"{self.machine.word_bytes} {self.machine.order} {self.machine.elf_machine}"
        self.assertEqual(answer.facts["shape"], shape)
        self.assertEqual((answer.facts["base"], answer.facts["tag"], answer.facts["bias"]),
                         (truth.facts["data"], "series", "0"))
        self.assertEqual({address: block[:3] for address, block in answer.blocks.items()},
                         {address: block[:3] for address, block in truth.blocks.items()})
        self.assertEqual(answer.problems, [])
        self.check_stacks(program, answer, truth)

    def check_tool(self, program, dump, truth):
        """The command that users have: bytes and blocks by stack."""
        report = harness.with_frames(json.loads(
            clients.run([harness.TOOL, "core", "--raw", dump, program, "--json"])))
        depth = 4 if self.machine.walks_frames else 1
        found, expected = collections.Counter(), collections.Counter()
        for group in report["groups"]:
            # The compiler may have made a copy of a function for its only caller.
            names = [frame["function"].partition(".")[0] for frame in group["frames"][:depth]]
            found[" ".join(names), "bytes"] += group["end_bytes"]
            found[" ".join(names), "blocks"] += group["end_blocks"]
        for size, _, _, names in truth.blocks.values():
            expected[" ".join(names[:depth]), "bytes"] += size
            expected[" ".join(names[:depth]), "blocks"] += 1
        self.assertEqual(found, expected)

    def check_heap_alone(self, dump, truth):
        answer = Answer(dump + ".heap")
        self.assertEqual(answer.facts["shape"],
                         f"{self.machine.word_bytes} {self.machine.order} 0")
        self.assertEqual((answer.facts["base"], answer.facts["times"][0]),
                         (truth.facts["heap"], "0"))
        self.assertEqual({address: block[0] for address, block in answer.blocks.items()},
                         {address: block[0] for address, block in truth.blocks.items()})

    def check_wrong_base(self, dump, truth):
        answer = Answer("--base", "123000", dump + ".heap")
        self.assertEqual(set(answer.blocks), set(truth.blocks))
        self.assertIn(f"begins at 0x{truth.facts['heap']}, not at 0x123000", answer.problems[0])

    def test_series(self):
        folder = harness.fresh_folder()
        program = self.machine.build(folder, "series", SERIES, *FRAMES)
        for seed, shift in (("1", "0"), ("2", "5"), ("3", "8")):
            with self.subTest(seed=seed, shift=shift):
                dump = os.path.join(folder, f"dump.{seed}")
                truth = Truth(self.machine.run(program, dump, seed, shift))
                self.assertGreater(len(truth.blocks), 50)
                self.assertEqual(int(truth.facts["walked"]), len(truth.blocks))
                self.check_dump(program, dump, truth)
                self.check_tool(program, dump, truth)
                self.check_heap_alone(dump, truth)
                self.check_wrong_base(dump, truth)

    def test_functions(self):
        program = self.machine.build(harness.fresh_folder(), "functions", FUNCTIONS, "-O2", "-I",
                                     EMBED)
        self.assertRegex(self.machine.run(program), r"^\d+ checks$")


class Moved(Series):
    """A program that is loaded somewhere else each time."""

    def test_series(self):
        self.machine = MACHINES["x86_64"]
        folder = harness.fresh_folder()
        program = self.machine.build(folder, "series", SERIES, *FRAMES, "-fPIE",
                                     link="-static-pie")
        dump = os.path.join(folder, "dump")
        truth = Truth(self.machine.run(program, dump, "1", "0"))
        answer = Answer(dump, program)
        symbols = clients.run([self.machine.tool("nm"), program])
        anchor = int(re.search(r"^(\w+) T hl_init$", symbols, re.MULTILINE).group(1), 16)
        bias = int(answer.facts["anchor"], 16) - anchor
        self.assertNotEqual(bias, 0)
        self.assertEqual(int(answer.facts["bias"], 16), bias)
        self.assertEqual(answer.facts["base"], truth.facts["data"])
        self.assertEqual(set(answer.blocks), set(truth.blocks))
        self.check_stacks(program, answer, truth, bias)

    def test_functions(self):
        """Another program than the one that was dumped is told."""
        folder = harness.fresh_folder()
        self.machine = MACHINES["x86_64"]
        program = self.machine.build(folder, "series", SERIES, *FRAMES)
        stripped = os.path.join(folder, "stripped")
        clients.run([self.machine.tool("strip"), "-o", stripped, program])
        self.machine.run(program, os.path.join(folder, "dump"), "1", "0")
        answer = Answer(os.path.join(folder, "dump"), stripped)
        self.assertIn("has no symbol hl_init", answer.facts["odd"])


class Compiles(unittest.TestCase):
    """No warnings, as C and as C++, with what can be chosen."""

    def compile(self, *command):
        done = subprocess.run([*command, *STRICT, "-c", LIBRARY, "-o", "/dev/null"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)

    def test_all(self):
        for options in ([], ["-O2", "-DHL_FRAME_POINTERS=1"], ["-O2", "-ffreestanding"],
                        ["-DHL_ALIGNMENT=64", "-DHL_MOST_FRAMES=255"]):
            for c, cxx in (("gcc", "g++"), ("clang", "clang++")):
                for standard in ("c99", "c11", "c17"):
                    self.compile(clients.command(c, c), "-std=" + standard, *options)
                for standard in ("c++11", "c++20"):
                    self.compile(clients.command(cxx, cxx), "-xc++", "-std=" + standard, *options)

    def test_nothing_of_a_library_but_memcpy_and_memset(self):
        built = os.path.join(harness.fresh_folder(), "embed.o")
        clients.run([clients.command("gcc", "gcc"), "-O2", "-ffreestanding", "-fno-stack-protector",
                     "-c", LIBRARY, "-o", built])
        undefined = re.findall(r" U (\w+)", clients.run([clients.command("nm", "binutils"), built]))
        self.assertLessEqual(set(undefined), {"memcpy", "memset"})

    def test_senseless_choices_do_not_compile(self):
        for choice in ("-DHL_ALIGNMENT=24", "-DHL_ALIGNMENT=2", "-DHL_MOST_FRAMES=256"):
            done = subprocess.run(["gcc", choice, "-c", LIBRARY, "-o", "/dev/null"],
                                  capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0, choice)


class Functions(unittest.TestCase):
    """The functions one by one, watched by the sanitizers."""

    def check(self, compiler, *flags):
        program = os.path.join(harness.fresh_folder(), "functions")
        clients.run([compiler, *flags, "-O1", "-g", "-fsanitize=address,undefined",
                     "-fno-sanitize-recover=all", "-I", EMBED, *FUNCTIONS, "-o", program])
        self.assertRegex(clients.run([program]), r"^\d+ checks$")

    def test_c(self):
        self.check(clients.command("gcc", "gcc"), "-std=c99")

    def test_clang(self):
        self.check(clients.command("clang", "clang"), "-std=c99", "-DHL_FRAME_POINTERS=1",
                   "-fno-omit-frame-pointer")

    def test_cxx(self):
        self.check(clients.command("g++", "g++"), "-xc++", "-std=c++11")


class Wrapped(unittest.TestCase):
    """The linker puts the functions in place of malloc's, as docs/porting.md says."""

    def test_callers(self):
        machine = MACHINES["x86_64"]
        wraps = [f"-Wl,--wrap={name},--defsym=__wrap_{name}=hl_{name}"
                 for name in ("malloc", "calloc", "realloc", "free")]
        program = machine.build(harness.fresh_folder(), "wrapped",
                                [os.path.join(HERE, "wrapped.c"), LIBRARY], "-O2", "-g", "-I", EMBED,
                                *wraps, link="-no-pie")
        blocks, size, caller = machine.run(program).split()
        self.assertEqual((blocks, size), ("1", "123"))
        caller = int(caller, 16)
        self.assertEqual(names_of(machine, program, {caller})[caller], "ask_for_memory")


class Example(unittest.TestCase):
    """embed/example.c does what docs/porting.md says of it."""

    def test_example(self):
        folder = harness.fresh_folder()
        page = open(os.path.join(ROOT, "docs/porting.md"), encoding="utf-8").read()
        command = re.search(r"^    (cc .*example\.c.*)$", page, re.MULTILINE).group(1)
        for name in ("heapledger_embed.c", "heapledger_embed.h", "example.c"):
            shutil.copy(os.path.join(EMBED, name), folder)
        clients.run(command.split() + ["-Wall", "-Wextra", "-Werror"], cwd=folder)
        said = clients.run([os.path.join(folder, "example"), "memory.bin"], cwd=folder)
        blocks = re.search(r"(\d+) blocks with (\d+) bytes", said)
        answer = Answer(os.path.join(folder, "memory.bin"), os.path.join(folder, "example"))
        self.assertEqual((len(answer.blocks), sum(size for size, *_ in answer.blocks.values())),
                         (int(blocks.group(1)), int(blocks.group(2))))
        self.assertEqual(answer.facts["tag"], "example")
        self.assertEqual(answer.problems, [])
        machine = MACHINES["x86_64"]
        bias = int(answer.facts["bias"], 16)
        first = {stack[0] - bias for *_, stack in answer.blocks.values()}
        names = set(names_of(machine, os.path.join(folder, "example"), first).values())
        self.assertEqual(names, {"read_sensor", "start_network"})


def main():
    what = sys.argv[1]
    chosen = {"series": Series, "moved": Moved, "compiles": Compiles, "functions": Functions,
              "wrapped": Wrapped, "example": Example}[what]
    if what == "series":
        Series.machine = MACHINES[sys.argv[2]]
    result = unittest.TextTestRunner(verbosity=2).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(chosen))
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if result.skipped else 0)


if __name__ == "__main__":
    main()
