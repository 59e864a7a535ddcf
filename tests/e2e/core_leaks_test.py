"""Leaks in a core and in a running program: the classes of every block of programs that know them,
as LeakSanitizer and Valgrind have them too; and where those two see it in another way, they say so.
"""

import collections
import json
import os
import platform
import re
import shutil
import subprocess
import unittest

import harness

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leak_programs")
FLAGS = ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-fno-builtin"]

LOST, UNDER, MAYBE, KEPT = "definitely lost", "indirectly lost", "possibly lost", "reachable"

# For each function of the programs: class -> blocks and bytes, from their sources. Where another
# tool sees it differently, and why, stands beside it.
STRUCTURES = {
    "list_head": {LOST: (1, 32)},
    "list_node": {UNDER: (9, 216)},
    "ring_node": {LOST: (1, 40), UNDER: (2, 80)},
    "table_lost": {LOST: (1, 80)},
    "table_item_lost": {UNDER: (10, 160)},
    "behind_freed": {LOST: (1, 48)},
    "hidden": {LOST: (1, 56)},
    "past_the_end": {LOST: (1, 64)},
    "never_stored": {LOST: (1, 72)},
    "by_itself": {LOST: (1, 88)},
    "large_lost": {LOST: (1, 300000)},
    "in_large_lost": {UNDER: (1, 20)},
    "held_ring_node": {UNDER: (2, 192)},
    "ring_holder": {LOST: (1, 104)},
    "lost_in_main": {LOST: (1, 33)},
    "dead_stack": {LOST: (1, 200)},
    "full_chunk": {LOST: (1, 1032)},
    "table_kept": {KEPT: (1, 80)},
    "table_item_kept": {KEPT: (10, 160)},
    "middle_block": {MAYBE: (1, 100)},
    "under_middle": {MAYBE: (1, 50)},
    "middle_of_kept": {MAYBE: (1, 120)},
    "kept_for_middle": {KEPT: (1, 16)},
    "in_register": {KEPT: (1, 144)},
    "on_main_stack": {KEPT: (1, 152)},
    "on_thread_stack": {KEPT: (1, 160)},
    "in_main_local": {KEPT: (1, 168)},
    "in_thread_local": {KEPT: (1, 176)},
    "in_specific": {KEPT: (1, 184)},
    "in_plugin_local": {KEPT: (1, 192)},
    "in_mapping": {KEPT: (1, 208)},
    "large_kept": {KEPT: (1, 400000)},
    "in_large_kept": {KEPT: (1, 28)},
    "no_bytes": {KEPT: (1, 0)},
}
STRUCTURES_VALGRIND = {
    # It goes by address alone: a ring that a later block holds has been judged before.
    "held_ring_node": {LOST: (1, 96), UNDER: (1, 96)},
    # The loader keeps the address of the second element of a thread's list of storage.
    "in_plugin_local": {MAYBE: (1, 192)},
}
# It does not look into what a program maps itself.
STRUCTURES_SANITIZER = {"in_mapping": {LOST: (1, 208)}}

# Of libstdc++: nodes of a map have 48 bytes, of a list of int and of this table 24, and 50 buckets
# become 53.
CONTAINERS = {
    "item_of_vector": {KEPT: (10, 410)},
    "item_of_map": {KEPT: (20, 840)},
    "item_of_table": {KEPT: (20, 860)},
    "item_of_lost_map": {UNDER: (15, 660)},
    "item_of_base": {KEPT: (1, 45)},
    "item_of_array": {KEPT: (1, 46)},
    "item_of_local": {KEPT: (1, 47)},
    "room_of_vector": {KEPT: (1, 800)},
    "fill_map": {KEPT: (20, 20 * 48)},
    "fill_table": {KEPT: (21, 53 * 8 + 20 * 24)},
    "fill_list": {KEPT: (6, 6 * 24)},
    "fill_text": {KEPT: (1, 501)},
    "room_of_local": {KEPT: (2, 240 + 32)},  # and the C library's note to destroy it
    "object_by_base": {KEPT: (1, 72)},
    "array_behind_count": {KEPT: (1, 8 + 7 * 16)},
    "object_by_pointer": {KEPT: (1, 72)},
    "lost_map": {LOST: (1, 48)},
    "fill_lost_map": {UNDER: (15, 15 * 48)},
    "lost_vector": {LOST: (1, 24)},
    "fill_lost_vector": {UNDER: (11, 10 * 32 + 10 * 101)},
    "partner": {LOST: (1, 80), UNDER: (1, 80)},
    "lost_object": {LOST: (1, 72)},
    "lost_array": {LOST: (1, 8 + 3 * 16)},
}


def need(command, package):
    if shutil.which(command) is None:
        raise unittest.SkipTest(f"{command} is not installed (Debian: {package})")


def build(name, *flags):
    """A program of SOURCES, and the arguments it is run with."""
    folder = harness.fresh_folder()
    path = os.path.join(folder, name)
    plus = name == "containers"
    compiler = ["c++", "-std=c++17"] if plus else ["cc"]
    source = os.path.join(SOURCES, name + (".cpp" if plus else ".c"))
    subprocess.run([*compiler, *FLAGS, *flags, source, "-o", path, "-lpthread", "-ldl"], check=True,
                   timeout=300)
    if plus:
        return [path]
    plugin = os.path.join(folder, "plugin.so")
    subprocess.run(["cc", *FLAGS, "-shared", "-fPIC", os.path.join(SOURCES, "plugin.c"), "-o",
                    plugin], check=True, timeout=300)
    return [path, plugin]


class Waiting:
    """A program that has reached its checkpoint."""

    def __init__(self, command, environment):
        self.folder = harness.fresh_folder()
        self.command = command
        self.process = subprocess.Popen(command, env=environment, cwd=self.folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        harness.expect_equal(self.process.stdout.read(1), b"!", "sign of the program")

    def core(self):
        path = os.path.join(self.folder, "core")
        done = subprocess.run(["gcore", "-o", path, str(self.process.pid)], capture_output=True,
                              timeout=300, check=False)
        path += f".{self.process.pid}"
        harness.expect(os.path.exists(path), f"gcore made no core: {harness.shown(done.stderr)}")
        return path

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=300)


def live(command):
    folder = harness.fresh_folder()
    return Waiting(command, harness.recording_environment(folder, words="mode=live"))


def tool(*arguments, status=0):
    done = subprocess.run([harness.TOOL, *arguments], capture_output=True, timeout=300, check=False,
                          env=harness.plain_environment())
    harness.expect_equal(done.returncode, status,
                         f"status of {arguments}: {harness.shown(done.stderr)}")
    return done.stdout.decode()


class Sums:
    """Blocks and bytes by function of `names` and class; of other functions by class."""

    def __init__(self, names):
        self.word = re.compile(r"(?<!\w)(" + "|".join(names) + r")(?!\w)")
        self.own = collections.defaultdict(dict)
        self.others = collections.Counter()

    def add(self, functions, reach, blocks, size):
        """`functions`: names on the stack, innermost first."""
        for function in functions:
            found = self.word.search(function)
            if found:
                before = self.own[found.group(1)].get(reach, (0, 0))
                self.own[found.group(1)][reach] = (before[0] + blocks, before[1] + size)
                return
        self.others[reach] += blocks


def function_names(frames):
    """Of the tool's JSON, innermost first."""
    for frame in frames:
        for inlined in frame["inlined"]:
            yield inlined["name"]
        yield frame["name"]


def of_tool(answer, names):
    harness.expect_equal(answer["schema"], "heapledger.leaks/1", "schema")
    sums = Sums(names)
    for one in answer["classes"]:
        for site in one["sites"]:
            sums.add(function_names(site["frames"]), one["class"], site["live_blocks"],
                     site["live_bytes"])
        harness.expect_equal(sum(site["live_bytes"] for site in one["sites"]), one["live_bytes"],
                             f"bytes of sites that are {one['class']}")
    return sums


def of_valgrind(command, names):
    log = os.path.join(harness.fresh_folder(), "log")
    subprocess.run(["valgrind", "--leak-check=no", "--show-leak-kinds=all",
                    "--leak-resolution=high", "--num-callers=30", "--undef-value-errors=no",
                    f"--log-file={log}", *command],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=200, check=True,
                   env=harness.plain_environment())
    with open(log, encoding="utf-8") as file:
        text = re.sub(r"^==\d+== ?", "", file.read(), flags=re.M)
    sums = Sums(names)
    record = re.compile(r"^([\d,]+) (?:\(([\d,]+) direct, [\d,]+ indirect\) )?bytes in ([\d,]+) "
                        r"blocks are (definitely lost|indirectly lost|possibly lost|"
                        r"still reachable) in loss record.*\n((?: +(?:at|by) 0x.*\n)+)", re.M)
    for whole, direct, blocks, reach, stack in record.findall(text):
        functions = [re.sub(r" \([^()]*\)$", "", line.split(": ", 1)[1])
                     for line in stack.splitlines()]
        sums.add(functions, reach.replace("still ", ""), int(blocks.replace(",", "")),
                 int((direct or whole).replace(",", "")))
    return sums


def of_sanitizer(command, names):
    # Stacks by call frame information: libraries have no frame pointers.
    options = "max_leaks=0:exitcode=0:fast_unwind_on_malloc=0"
    environment = harness.plain_environment({"LSAN_OPTIONS": options})
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                          check=False, env=environment)
    text = done.stderr.decode()
    if "LeakSanitizer has encountered a fatal error" in text:
        raise unittest.SkipTest("LeakSanitizer may not look at a program here (ptrace)")
    sums = Sums(names)
    record = re.compile(r"^(Direct|Indirect) leak of (\d+) byte\(s\) in (\d+) object\(s\).*\n"
                        r"((?: +#\d+ .*\n)+)", re.M)
    for reach, size, blocks, stack in record.findall(text):
        functions = [re.sub(r" [/(<].*", "", line.split(" in ", 1)[1])
                     for line in stack.splitlines() if " in " in line]
        sums.add(functions, LOST if reach == "Direct" else UNDER, int(blocks), int(size))
    return sums


def lost_together(table):
    """Definitely and indirectly lost ones as one, others left out."""
    answer = {}
    for name, classes in table.items():
        lost = [classes[reach] for reach in (LOST, UNDER) if reach in classes]
        if lost:
            answer[name] = tuple(map(sum, zip(*lost)))
    return answer


class CoreLeaks(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if platform.machine() != "x86_64":
            raise unittest.SkipTest("the programs are for x86_64")
        need("gcore", "gdb")
        need("valgrind", "valgrind")
        cls.structures = build("structures")
        cls.containers = build("containers")

    def expect_classes(self, sums, wanted):
        self.assertEqual(dict(sums.own), wanted)
        self.assertEqual((sums.others[LOST], sums.others[UNDER]), (0, 0), "lost by libraries")

    def check_program(self, command, wanted):
        with live(command) as waiting:
            running = json.loads(tool("snapshot", str(waiting.process.pid), "--leaks", "--json"))
            core = waiting.core()
        answer = json.loads(tool("core", command[0], core, "--leaks", "--json"))
        self.expect_classes(of_tool(answer, wanted), wanted)
        self.expect_classes(of_tool(running, wanted), wanted)
        self.assertFalse(answer["approximate"])

    def test_structures_of_c(self):
        self.check_program(self.structures, STRUCTURES)

    def test_containers_and_objects(self):
        self.check_program(self.containers, CONTAINERS)

    def test_valgrind_agrees(self):
        for command, wanted, other in ((self.structures, STRUCTURES, STRUCTURES_VALGRIND),
                                       (self.containers, CONTAINERS, {})):
            self.expect_classes(of_valgrind(command, wanted), {**wanted, **other})

    def test_leak_sanitizer_agrees(self):
        try:
            structures = build("structures", "-fsanitize=leak")
        except subprocess.CalledProcessError:
            raise unittest.SkipTest("no LeakSanitizer (Debian: libgcc-12-dev)") from None
        containers = build("containers", "-fsanitize=leak")
        for command, wanted, other in ((structures, STRUCTURES, STRUCTURES_SANITIZER),
                                       (containers, CONTAINERS, {})):
            seen = of_sanitizer(command, wanted)
            self.assertEqual(lost_together(seen.own), lost_together({**wanted, **other}))

    def test_without_our_library_the_chunks_are_told_apart(self):
        with Waiting(self.structures, harness.plain_environment()) as waiting:
            core = waiting.core()
        answer = json.loads(tool("core", self.structures[0], core, "--leaks", "--json"))
        self.assertFalse(answer["has_stacks"])
        blocks = {one["class"]: one["live_blocks"] for one in answer["classes"]}
        wanted = {reach: sum(classes[reach][0] for classes in STRUCTURES.values()
                             if reach in classes) for reach in (LOST, UNDER)}
        # How much of a chunk was asked for is not known, and the pointer behind a block of 64 bytes
        # is still in its chunk.
        wanted[LOST] -= 1
        self.assertEqual({reach: blocks[reach] for reach in wanted}, wanted)

    def test_text_and_suppressions(self):
        with live(self.structures) as waiting:
            core = waiting.core()
        rules = os.path.join(harness.fresh_folder(), "accepted")
        with open(rules, "w", encoding="utf-8") as file:
            file.write("leak:large_lost\nleak:list_*\nleak:table_kept\n")
        command = ["core", self.structures[0], core, "--leaks", "--suppressions", rules]
        text = tool(*command)
        accepted = ("large_lost", "in_large_lost", "list_head", "list_node")
        for reach in (LOST, UNDER, MAYBE):
            rows = [classes[reach] for name, classes in STRUCTURES.items()
                    if reach in classes and name not in accepted]
            blocks = sum(count for count, _ in rows)
            if reach != MAYBE:  # where the loader's are, too
                self.assertRegex(text, rf"(?m)^  {reach} .* {blocks} blocks")
        self.assertRegex(text, r"(?m)^  suppressed .* 12 blocks")  # 1 + 1 + 1 + 9
        self.assertIn("large_kept", text)
        answer = json.loads(tool(*command, "--json"))
        seen = of_tool(answer, STRUCTURES).own
        wanted = {name: classes for name, classes in STRUCTURES.items() if name not in accepted}
        self.assertEqual(dict(seen), wanted)


if __name__ == "__main__":
    unittest.main()
