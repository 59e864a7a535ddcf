"""Imports of Valgrind's recordings, massif's and DHAT's: made by the real tools, compared with the
numbers in their files, which are read here a second time; our own exports there and back; histories
made up here, of which all is known; and files that are damaged in every way."""

import collections
import copy
import functools
import gzip
import json
import os
import random
import re
import subprocess
import unittest

import clients
import export_program
import harness
from export_program import export, report

BAD_DATA = 3

C = """
#include <stdlib.h>
#define OWN __attribute__((noinline))
OWN void* keep(size_t size) { void* volatile block = malloc(size); return block; }
OWN void churn(int count) {
  for (int i = 0; i < count; ++i) { void* volatile block = malloc(10 + (size_t)i); free(block); }
}
OWN void* grow(void) {
  char* volatile block = calloc(3, 7);
  for (size_t size = 100; size < 40000; size *= 2) block = realloc(block, size);
  return block;
}
int main(void) {
  void* volatile first = keep(1000);
  churn(300);
  void* volatile many[50];
  for (int i = 0; i < 50; ++i) many[i] = keep(2000 + 10 * (size_t)i);
  void* volatile grown = grow();
  for (int i = 0; i < 45; ++i) free(many[i]);
  void* volatile last = keep(77);
  return first == grown || last == first;
}
"""


@functools.cache
def recorded(tool, binary, *options):
    """What Valgrind's tool writes about a program."""
    path = os.path.join(harness.fresh_folder(), tool + ".out")
    clients.run([clients.command("valgrind", "valgrind"), "-q", "--tool=" + tool,
                 f"--{tool}-out-file={path}", *options, binary], env=harness.plain_environment())
    return path


@functools.cache
def c_binary():
    return export_program.compile_program("small", C, "gcc", ("-O1", "-g"))


def import_(path, status=0):
    """The ledger that `heapledger import` makes of it, and what it said."""
    ledger = os.path.join(harness.fresh_folder(), "out.ledger")
    done = subprocess.run([harness.TOOL, "import", path, "-o", ledger], capture_output=True,
                          text=True, timeout=300)
    harness.expect_equal(done.returncode, status, f"status of the import: {done.stderr}")
    return ledger, done.stderr


def written(content, name="file"):
    path = os.path.join(harness.fresh_folder(), name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def exported(ledger, form):
    path = os.path.join(harness.fresh_folder(), "out." + form)
    export(ledger, form, "-o", path)
    return path


def name_in(frame):
    """The function, of "0x1234: function (file.c:12)"."""
    name = re.sub(r" \((in [^()]*|[^() ]+:\d+)\)$", "", re.sub("^0x[0-9A-F]+: ", "", frame))
    return None if name == "???" else name


def added(rows):
    """The sums of rows (stack, figures) with the same stack."""
    sums = collections.defaultdict(collections.Counter)
    for stack, figures in rows:
        sums[tuple(stack)].update(figures)
    return {stack: {name: value for name, value in sum_.items() if value}
            for stack, sum_ in sums.items() if any(sum_.values())}


DHAT_FIGURES = {"tbk": "calls", "tb": "bytes", "gb": "at_peak_bytes", "gbk": "at_peak_blocks",
                "eb": "end_bytes", "ebk": "end_blocks"}


def stacks_of_dhat(data):
    return added(([name_in(data["ftbl"][number]) for number in point["fs"]],
                  {ours: point[theirs] for theirs, ours in DHAT_FIGURES.items()})
                 for point in data["pps"])


def stacks_of_report(answer, names=tuple(DHAT_FIGURES.values())):
    return added(([frame["function"] for frame in group["frames"]],
                  {name: group[name] for name in names}) for group in answer["groups"])


class Dhat(unittest.TestCase):
    def expect_figures_of(self, ledger, data, unit_ns=1000):
        answer = report(ledger, "--raw-names")
        totals = answer["totals"]
        for theirs, ours in DHAT_FIGURES.items():
            self.assertEqual(totals[ours.replace("at_", "")],
                             sum(point[theirs] for point in data["pps"]), theirs)
        self.assertEqual(totals["frees"], totals["calls"] - totals["end_blocks"])
        self.assertEqual(totals["temporary_calls"], 0)
        self.assertEqual(totals["peak_time_ns"], data["tg"] * unit_ns)
        self.assertEqual(answer["moments"]["end"]["time_ns"], data["te"] * unit_ns)
        self.assertEqual(stacks_of_report(answer), stacks_of_dhat(data))

    def test_what_dhat_has_recorded(self):
        for binary in (c_binary(), export_program.cpp_binary()):
            path = recorded("dhat", binary)
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
            self.assertGreater(len(data["pps"]), 4)
            ledger, said = import_(path)
            self.assertIn("DHAT has sums of stacks", said)
            self.expect_figures_of(ledger, data)
            self.assertEqual(report(ledger)["ledgers"][0]["command"], [binary])

    def test_there_and_back(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            path = exported(ledger, "dhat")
            there, back = report(ledger)["totals"], report(import_(path)[0])["totals"]
            for name in ("calls", "bytes", "peak_bytes", "peak_blocks", "end_bytes", "end_blocks"):
                self.assertEqual(there[name], back[name], name)
            self.assertEqual(there["peak_time_ns"] // 1000, back["peak_time_ns"] // 1000)

    def test_hostile_names_there_and_back(self):
        ledger, _ = import_(exported(export_program.hostile(), "dhat"))
        values = {group["end_bytes"] for group in report(ledger)["groups"]}
        self.assertEqual(values & set(export_program.HOSTILE_NAMES.values()),
                         set(export_program.HOSTILE_NAMES.values()))

    def test_histories_made_up(self):
        """Whatever blocks there were, their sums come out again."""
        for seed in range(60):
            data = made_up_history(random.Random(seed))
            if sum(point["gb"] for point in data["pps"]) == 0:
                continue  # there is no peak
            with self.subTest(seed=seed):
                ledger, said = import_(written(json.dumps(data).encode()))
                self.assertNotIn("contradict", said)
                self.expect_figures_of(ledger, data)


def made_up_history(dice):
    """Blocks that come and go at random, and what DHAT would write about them."""
    live, stacks, now = [], dice.randrange(1, 6), 0
    sums = [collections.Counter() for _ in range(stacks)]
    sizes = [dice.choice(((0,), (1,), (100,), (0, 1), (0, 7, 1000), (8, 16, 24))) for _ in sums]
    best, peak, time = -1, [], 0
    for _ in range(dice.randrange(1, 60)):
        now += dice.randrange(100, 200)
        if live and dice.random() < dice.choice((0.3, 0.5)):
            live.pop(dice.randrange(len(live)))
        else:
            stack = dice.randrange(stacks)
            size = dice.choice(sizes[stack])
            sums[stack].update({"tbk": 1, "tb": size})
            live.append((stack, size))
        total = sum(size for _, size in live)
        if total > best:
            best, peak, time = total, list(live), now
    for moment, what in (("g", peak), ("e", live)):
        for stack, size in what:
            sums[stack].update({moment + "bk": 1, moment + "b": size})
    points = [{**{name: sums[i][name] for name in DHAT_FIGURES}, "fs": [i + 1, stacks + 1]}
              for i in range(stacks)]
    texts = ["[root]"] + [f"0x{i + 100:X}: f{i} (f.c:{i + 1})" for i in range(stacks + 1)]
    return {**HEADING, "tg": time, "te": now + 100, "pps": points, "ftbl": texts}


HEADING = {"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": True, "bkacc": False,
           "tu": "instrs", "Mtu": "Minstr", "tuth": 500, "cmd": "./small one", "pid": 1}
POINT = {"tb": 100, "tbk": 10, "gb": 30, "gbk": 3, "eb": 20, "ebk": 2, "fs": [1, 2]}
SMALL_DHAT = {**HEADING, "te": 900, "tg": 500, "pps": [POINT],
              "ftbl": ["[root]", "0x10: malloc (in /lib/x.so)", "0x20: main (small.c:7)"]}


class DamagedDhat(unittest.TestCase):
    def refused(self, data, *words):
        content = data if isinstance(data, bytes) else json.dumps(data).encode()
        path = written(content)
        _, said = import_(path, BAD_DATA)
        self.assertIn(path, said)
        for word in words:
            self.assertIn(word, said)

    def changed(self, **point):
        data = copy.deepcopy(SMALL_DHAT)
        data["pps"][0].update(point)
        return data

    def test_a_small_file_to_the_byte(self):
        text = json.dumps(SMALL_DHAT).encode()
        for path in (written(text), written(gzip.compress(text + b"\n"), "small.gz")):
            answer = report(import_(path)[0])
            expected = {"calls": 10, "bytes": 100, "peak_bytes": 30, "peak_blocks": 3,
                        "end_bytes": 20, "end_blocks": 2, "temporary_calls": 0,
                        "peak_time_ns": 500000}
            self.assertEqual({name: answer["totals"][name] for name in expected}, expected)
            self.assertEqual(answer["ledgers"][0]["command"], ["./small", "one"])
            frames = answer["groups"][0]["frames"]
            self.assertEqual([frame["function"] for frame in frames], ["malloc", "main"])
            self.assertEqual((frames[1]["file"], frames[1]["line"]), ("small.c", 7))
            self.assertEqual(frames[0]["module"], "/lib/x.so")

    def test_what_is_no_count(self):
        for value in (-1, 1.5, "7", None, [1], 1 << 60, 1 << 70, True):
            self.refused(self.changed(gb=value), '"gb"' if value != 1 << 70 else "DHAT")
        for value in ([3], [1 << 40], [-1], ["main"], 1, None):
            self.refused(self.changed(fs=value), "point 1")
        data = copy.deepcopy(SMALL_DHAT)
        del data["pps"][0]["ebk"]
        self.refused(data, '"ebk" is missing')

    def test_what_is_missing(self):
        for name in ("pps", "ftbl"):
            self.refused({key: value for key, value in SMALL_DHAT.items() if key != name})
        self.refused({**SMALL_DHAT, "dhatFileVersion": 1}, "version is 1")
        self.refused({**SMALL_DHAT, "bklt": False, "mode": "copy"}, "lifetimes")
        self.refused({**SMALL_DHAT, "ftbl": [1, 2, 3]})
        self.refused({**SMALL_DHAT, "pps": [7]}, "point 1")
        self.refused({**SMALL_DHAT, "tg": "noon"}, '"tg"')

    def test_too_much(self):
        self.refused(self.changed(tbk=500000001), "500,000,000")
        self.refused(self.changed(tbk=1 << 56, gbk=1 << 56, ebk=1 << 56), "500,000,000")
        self.refused(self.changed(tb=1 << 56, gb=1 << 56), "memory")
        self.refused(b'{"dhatFileVersion":2,"x":' + b"[" * 100000, "deep")

    def test_files_that_end_in_the_middle(self):
        text = json.dumps(SMALL_DHAT).encode()
        for end in range(30, len(text)):
            if end % 7 == 0:
                self.refused(text[:end], "middle")
        self.refused(gzip.compress(text)[:-30])
        self.refused(text + b"}", "byte")

    def test_figures_that_contradict_one_another(self):
        for point in ({"tb": 10}, {"tbk": 1}, {"gbk": 0}, {"tb": 0, "tbk": 0}):
            ledger, said = import_(written(json.dumps(self.changed(**point)).encode()))
            self.assertIn("contradict one another in 1 program point", said)
            totals = report(ledger)["totals"]
            self.assertEqual((totals["peak_bytes"], totals["end_bytes"]), (30, 20))
        ledger, said = import_(written(json.dumps(self.changed(eb=40)).encode()))
        self.assertIn("its peak is too low", said)
        self.assertEqual(report(ledger)["totals"]["end_bytes"], 40)

    def test_bytes_that_are_no_text(self):
        text = json.dumps(SMALL_DHAT).encode().replace(b"main", b"m\xff\xc3in")
        frames = report(import_(written(text))[0])["groups"][0]["frames"]
        self.assertEqual(frames[1]["function"], "m??in")


def read_massif(path):
    """Snapshots with time, bytes, kind, and (for those that have some) bytes of stacks."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    snapshots, stack = [], []
    for line in lines[3:]:
        tree = re.match(r"( *)n(\d+): (\d+) (.*)", line)
        if tree:
            depth, below, size, label = len(tree[1]), int(tree[2]), int(tree[3]), tree[4]
            if "below massif's threshold" in label:
                label = "[below massif's threshold]"
            stack[depth:] = [label]
            if below == 0:
                names = tuple(name_in(frame) for frame in stack[1:]
                              if "[the stack ends here]" not in frame)
                snapshots[-1]["stacks"][names] += size
            continue
        key, _, value = line.partition("=")
        if key == "snapshot":
            snapshots.append({"stacks": collections.Counter()})
        snapshots[-1][key] = value if key == "heap_tree" else int(value)
    return snapshots


class Massif(unittest.TestCase):
    def expect_figures_of(self, ledger, path, unit_ns):
        snapshots = read_massif(path)
        peak = max(snapshot["mem_heap_B"] for snapshot in snapshots)
        answer = report(ledger, "--raw-names")
        totals = answer["totals"]
        self.assertEqual(totals["peak_bytes"], peak)
        (at_peak,) = [one for one in snapshots if one["heap_tree"] == "peak"]
        self.assertEqual(at_peak["mem_heap_B"], peak)
        self.assertEqual(stacks_of_report(answer, ("at_peak_bytes",)),
                         {stack: {"at_peak_bytes": size}
                          for stack, size in at_peak["stacks"].items() if size})
        self.assertEqual(totals["end_bytes"], snapshots[-1]["mem_heap_B"])
        self.assertEqual(totals["temporary_calls"], 0)
        end_ns = answer["moments"]["end"]["time_ns"]
        self.assertEqual(end_ns // 1000, snapshots[-1]["time"] * unit_ns // 1000)
        last_at = {snapshot["time"]: snapshot for snapshot in snapshots}
        detailed = [one for one in last_at.values() if one["heap_tree"] != "empty"]
        self.assertTrue(detailed or unit_ns > 1000)  # all may be in one millisecond
        few = list(last_at.values())[:: max(1, len(last_at) // 12)]
        for snapshot in few + detailed:
            # Several of one time come after one another, in less than half of any unit.
            moment_ns = snapshot["time"] * unit_ns + (unit_ns // 2 if unit_ns > 1000 else 0)
            answer = report(ledger, "--raw-names", "--at", f"{min(moment_ns, end_ns)}ns")
            live = stacks_of_report(answer, ("live_bytes",))
            self.assertEqual(sum(one["live_bytes"] for one in live.values()),
                             snapshot["mem_heap_B"], snapshot)
            if snapshot["heap_tree"] != "empty":
                self.assertEqual(live, {stack: {"live_bytes": size}
                                        for stack, size in snapshot["stacks"].items() if size})

    def test_what_massif_has_recorded(self):
        for binary, unit, unit_ns in ((c_binary(), "i", 1000), (c_binary(), "B", 1000),
                                      (c_binary(), "ms", 1000000),
                                      (export_program.cpp_binary(), "i", 1000)):
            path = recorded("massif", binary, "--time-unit=" + unit, "--peak-inaccuracy=0.0")
            ledger, said = import_(path)
            self.assertIn("massif has snapshots, not calls", said)
            self.expect_figures_of(ledger, path, unit_ns)

    def test_the_peak_that_ms_print_shows(self):
        path = recorded("massif", c_binary(), "--time-unit=i", "--peak-inaccuracy=0.0")
        text = clients.run([clients.command("ms_print", "valgrind"), path])
        number = re.search(r"(\d+) \(peak\)", text)[1]
        row = re.search(rf"^ +{number} +([\d,]+) +[\d,]+ +([\d,]+) ", text, re.MULTILINE)
        time, heap = (int(word.replace(",", "")) for word in row.groups())
        totals = report(import_(path)[0])["totals"]
        self.assertEqual((totals["peak_time_ns"], totals["peak_bytes"]), (time * 1000, heap))

    def test_there_and_back(self):
        for ledger in (export_program.cpp(), export_program.python()):
            path = exported(ledger, "massif")
            there, back = report(ledger)["totals"], report(import_(path)[0])["totals"]
            for name in ("peak_bytes", "end_bytes"):
                self.assertEqual(there[name], back[name], name)

    def test_what_snapshots_without_stacks_have(self):
        answer = report(import_(written(SMALL_MASSIF))[0], "--by", "site", "--at", "20us")
        self.assertEqual(stacks_of_report(answer, ("live_bytes",)),
                         {("f", "main"): {"live_bytes": 60},
                          ("[between detailed snapshots]",): {"live_bytes": 30}})


def snapshot_text(number, time, size, tree="heap_tree=empty"):
    return (f"#-----------\nsnapshot={number}\n#-----------\ntime={time}\nmem_heap_B={size}\n"
            f"mem_heap_extra_B=8\nmem_stacks_B=0\n{tree}\n")


ROOT = "(heap allocation functions) malloc/new/new[], --alloc-fns, etc."
SMALL_MASSIF = ("desc: (none)\ncmd: ./small one\ntime_unit: i\n" + snapshot_text(0, 0, 0)
                + snapshot_text(1, 10, 100, f"heap_tree=peak\nn3: 100 {ROOT}\n"
                                " n1: 60 0x10: f (a.c:1)\n  n0: 60 0x20: main (a.c:7)\n"
                                " n0: 30 0x30: g(int (*)(int)) (in /lib/x.so)\n"
                                " n0: 10 in 3 places, all below massif's threshold (1.00%)")
                + snapshot_text(2, 20, 90)
                + snapshot_text(3, 30, 70, f"heap_tree=detailed\nn1: 70 {ROOT}\n"
                                " n1: 70 0x10: f (a.c:1)\n  n0: 70 0x20: main (a.c:7)")).encode()


class DamagedMassif(unittest.TestCase):
    def refused(self, content, *words):
        path = written(content)
        _, said = import_(path, BAD_DATA)
        for word in (path, *words):
            self.assertIn(word, said)

    def test_a_small_file_to_the_byte(self):
        for path in (written(SMALL_MASSIF), written(gzip.compress(SMALL_MASSIF), "small.gz")):
            answer = report(import_(path)[0])
            self.assertEqual(answer["ledgers"][0]["command"], ["./small", "one"])
            self.assertEqual((answer["totals"]["peak_bytes"], answer["totals"]["end_bytes"],
                              answer["totals"]["peak_time_ns"]), (100, 70, 10000))
            self.assertEqual(
                stacks_of_report(answer, ("at_peak_bytes",)),
                {("f", "main"): {"at_peak_bytes": 60},
                 ("g(int (*)(int))",): {"at_peak_bytes": 30},
                 ("[below massif's threshold]",): {"at_peak_bytes": 10}})

    def test_lines_that_make_no_sense(self):
        for old, new, words in (
                (b" n0: 30", b" n0: 50", "more bytes than line 20"),
                (b"  n0: 60", b"  n0: 61", "more bytes than line 21"),
                (b"n3: 100", b"n3: 101", "more bytes"), (b"n3: 100", b"n2: 100", "line 24"),
                (b"n3: 100", b"n4: 100", "line 26"), (b"n3: 100", b"n3: x", "line 20"),
                (b"time=20", b"time=5", "earlier"), (b"time=20", b"time=-5", "number"),
                (b"time_unit: i", b"time_unit: h", "unit"), (b"=peak", b"=tall", "kind of tree"),
                (b"mem_heap_B=90", b"mem_heap_B=999999999999999999", "memory"),
                (b"snapshot=2", b"hello", "snapshot"), (b"mem_stacks_B=0\n", b"", "mem_stacks_B"),
                (b"cmd: ./small one\n", b"", "cmd")):
            self.assertIn(old, SMALL_MASSIF)
            self.refused(SMALL_MASSIF.replace(old, new), "line ", words)

    def test_files_that_end_in_the_middle(self):
        begins = [match.start() for match in re.finditer(b"#-----------\nsnap", SMALL_MASSIF)]
        for end in range(10, len(SMALL_MASSIF)):
            before = SMALL_MASSIF[:end]
            whole = any(before == SMALL_MASSIF[:begin] + b"#-----------\n" * lines
                        for begin in begins[1:] for lines in (0, 1))
            if not whole and end % 5 == 0:
                self.refused(before)

    def test_nothing_crashes_it(self):
        dice = random.Random(7)
        text = json.dumps(SMALL_DHAT).encode()
        for number in range(100):
            content = bytearray(text if number % 2 else SMALL_MASSIF)
            for _ in range(dice.randrange(1, 4)):
                at = dice.randrange(20, len(content) - 8)
                if dice.random() < 0.6:
                    content[at] = dice.choice(b'0123456789 \n:=n#-"{}[],\x00\xff')
                else:
                    del content[at : at + dice.randrange(1, 8)]
            ledger = os.path.join(harness.fresh_folder(), "out.ledger")
            done = subprocess.run([harness.TOOL, "import", "-q", written(bytes(content)), "-o",
                                   ledger], capture_output=True, timeout=300)
            self.assertIn(done.returncode, (0, BAD_DATA), (bytes(content), done.stderr))
            if done.returncode == 0:
                report(ledger)


if __name__ == "__main__":
    unittest.main(verbosity=2)
