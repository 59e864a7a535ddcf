"""Every stack compared with libgcc's unwinder: no difference, whatever the code looks like.

    stacks_test.py shapes PROGRAM   all shapes of shapes.cpp, by one build of it
    stacks_test.py real             programs that nobody here wrote
    stacks_test.py depth PROGRAM    what the depth limit keeps
    stacks_test.py loading WORDS    plugins that take each other's addresses
    stacks_test.py reloaded         a remembered stack through code that is replaced
    stacks_test.py unloaded_by_libc   the same, unloaded without a dlclose
    stacks_test.py without_index WORDS   a module without .eh_frame_hdr
    stacks_test.py jit PROGRAM      generated code

WORDS are further ones for HEAPLEDGER.
"""

import collections
import os
import shutil
import sys

import harness

SHAPES = ("plain", "realigned", "exceptions", "longjumps", "contexts", "callbacks", "handlers",
          "handlers-alternate", "threads", "recursion", "bottomless")
SOURCE = b"#include <map>\n#include <string>\nint main() { std::map<int, std::string> m; m[1] = \"x\"; }\n"


def recorded_checked(command, words="crosscheck=1", **options):
    """Records `command` in cross-check mode; demands that it ends as it does natively."""
    native = harness.native(command, **options)
    run = harness.recorded(command, words=words, **options)
    harness.expect_equal((run.status, run.signal, run.stdout),
                         (native.status, native.signal, native.stdout), f"{command[0]}: the end")
    return run


def compared(run):
    """The number of stacks that were compared in `run`, none of them different."""
    count = 0
    for ledger in harness.tool_json("info", run.ledgers)["ledgers"]:
        harness.expect_equal(ledger["stacks_differing"], 0,
                             f"stacks of {ledger['executable']} seen differently")
        count += ledger["stacks_checked"]
    return count


def checked(command, every=1, **options):
    return compared(recorded_checked(command, f"crosscheck={every}", **options))


def shapes(name, words=""):
    for shape in SHAPES:
        count = compared(recorded_checked([harness.program(name), shape], f"crosscheck=1 {words}"))
        harness.expect(count >= 50, f"{shape}: only {count} stacks were compared")
    # As deep as can be asked for: whole stacks of most shapes, thousands of frames of the last.
    run = recorded_checked([harness.program(name), "bottomless"], "crosscheck=1 depth=4096")
    harness.expect(compared(run) >= 50, "bottomless: too few stacks were compared")
    deepest = max(len(group["frames"]) for group in harness.report(run)["groups"])
    harness.expect(4096 - 1024 < deepest - 1 <= 4096, f"frames of the deepest stack: {deepest - 1}")


def loading(words):
    """Every allocation is the plugin's that made it, although the other was at the same place."""
    loading_in_turn(["plugin_narrow.so", "plugin_wide.so"], words)


def reloaded():
    """A remembered stack does not outlive the code that it goes through."""
    run = recorded_checked([harness.program("reloaded")])
    harness.expect_equal(run.stdout, b"the same place\n", "where the plugins were")
    harness.expect(compared(run) > 10, "too few stacks were compared")
    callers = set()
    for group in harness.report(run)["groups"]:
        frames = group["frames"]
        if len(frames) > 2 and "plugin_" in frames[1]["module"] and group["bytes"] == 100:
            callers.add((os.path.basename(frames[1]["module"]), frames[2]["offset"]))
    harness.expect_equal(len(callers), 2, f"plugins and their callers {callers}")
    harness.expect_equal(len({offset for _, offset in callers}), 2, f"callers {callers}")


def unloaded_by_libc():
    """The same when a plugin goes without our being told."""
    loading_in_turn(["plugin_narrow.so", "plugin_shifted.so", "unseen"], "")


def loading_in_turn(arguments, words):
    run = recorded_checked([harness.program("loading")] + arguments, f"crosscheck=1 {words}")
    harness.expect_equal(run.stdout, b"10 times at one address\n", "where the plugins were")
    harness.expect(compared(run) > 1000, "too few stacks were compared")
    answer = harness.report(run)
    # Each of ten visits: `own` 20 times, thrice each, 4 by the constructor, 3 by the destructor.
    for name, size in zip(arguments, (201, 302)):
        own = harness.own_sums(answer, name)
        harness.expect_figures(own, {"calls": 670, "bytes": 670 * size}, f"what {name} asked for")
    through = dict.fromkeys(arguments[:2], 0)
    for group in answer["groups"]:
        names = [os.path.basename(frame["module"]) for frame in group["frames"]]
        if names[0] != "loading":
            continue
        for name in through:
            if name in names:
                harness.expect_equal(names[:3], ["loading", name, "loading"], "a way through")
                through[name] += group["calls"]
    harness.expect_equal(through, dict.fromkeys(arguments[:2], 200), "calls through the plugins")


def without_index(words):
    """A module without .eh_frame_hdr has the stacks of its twin that has one."""
    seen = []
    for name in ("plugin_narrow.so", "plugin_unindexed.so"):
        run = recorded_checked([harness.program("loading"), name, name], f"crosscheck=1 {words}")
        harness.expect(compared(run) > 1000, "too few stacks were compared")
        stacks = collections.Counter()
        for group in harness.report(run)["groups"]:
            frames = [(os.path.basename(frame["module"]), frame["offset"])
                      for frame in group["frames"]]
            if any(module == name for module, _ in frames):
                stacks[tuple(("plugin" if module == name else module, offset)
                             for module, offset in frames)] += group["calls"]
        seen.append(stacks)
    harness.expect(sum(seen[0].values()) >= 2 * 10 * 80, f"too few calls: {seen[0]}")
    harness.expect_equal(sorted(seen[1].items()), sorted(seen[0].items()), "stacks without index")


def jit(name):
    """Generated code: followed over its frame pointers, or else the stack is cut there."""
    start = [name, name, "libc.so.6", "libc.so.6", name]  # enter, main, what called it
    for depth in (1, 3, 60):
        inside = [""] * depth
        expect_ways(name, ["keeps", str(depth)], {
            tuple([name] + inside + start): 50,
            tuple([name, "", "", name, name] + inside + start): 50,
        })
    expect_ways(name, ["keeps", "70"], {  # more than is followed
        (name, "", CUT): 50,
        (name, "", "", name, name, "", CUT): 50,
    })
    for kind in ("omits", "abuses"):
        for depth in ("1", "3"):
            expect_ways(name, [kind, depth], {(name, "", CUT): 100})


CUT = 1  # what a stack that is cut hangs from


def expect_ways(name, arguments, wanted):
    """Demands the stacks of the allocations in `name`, as modules from the inside to the outside."""
    run = recorded_checked([harness.program(name)] + arguments)
    harness.expect(compared(run) >= 100, f"{arguments}: too few stacks were compared")
    seen = collections.Counter()
    for group in harness.report(run)["groups"]:
        if harness.module_name(group) == name:
            seen[tuple(frame["pc"] if frame["pc"] < 16 else os.path.basename(frame["module"])
                       for frame in group["frames"])] += group["calls"]
    harness.expect_equal(dict(seen), wanted, f"stacks through generated code, {arguments}")


def real():
    folder = harness.fresh_folder()
    source = os.path.join(folder, "small.cpp")
    with open(source, "wb") as file:
        file.write(SOURCE)
    commands = [
        (1, ["/usr/bin/python3", "-c", "import json; print(len(json.dumps(list(range(5000)))))"]),
        (5, ["g++", "-O2", "-S", source, "-o", "/dev/null"]),
        (5, ["clang++", "-O2", "-S", source, "-o", "/dev/null"]),
        (1, ["sqlite3", ":memory:", "create table t(a); insert into t values(1),(2); select * from t;"]),
        (1, ["perl", "-e", "my %h; $h{$_} = $_ for 1..500; print scalar keys %h"]),
        (1, ["git", "--version"]),
        (1, ["node", "-e", "console.log([1, 2, 3].map(x => x * 2).join())"]),
    ]
    tried = 0
    for every, command in commands:
        if shutil.which(command[0]) is None:
            print(f"{command[0]} is not here: left out")
            continue
        count = checked(command, every, timeout=120)
        print(f"{command[0]}: {count} stacks compared")
        harness.expect(count > 20, f"{command[0]}: only {count} stacks were compared")
        tried += 1
    harness.expect(tried >= 3, "too few programs are here")


def depth(name):
    """The innermost frames are kept, and the stack says that there are more."""
    run = harness.recorded([harness.program(name), "recursion"], words="depth=8")
    groups = [group for group in harness.report(run)["groups"]
              if harness.module_name(group) == name]
    deepest = max(groups, key=lambda group: group["calls"])
    harness.expect_equal(len(deepest["frames"]), 9, "frames and mark")
    harness.expect_equal((deepest["frames"][-1]["pc"], deepest["frames"][-1]["module"]), (2, ""),
                         "the mark of the depth limit")
    # From 32 frames on, where a stack is cut moves in steps: one that grows and shrinks by 20,000
    # frames of the same function keeps at least half of the limit, and has few different stacks.
    run = recorded_checked([harness.program(name), "recursion"], "crosscheck=1 depth=64")
    harness.expect(compared(run) > 5000, "too few stacks were compared")
    groups = [group["frames"] for group in harness.report(run)["groups"]]
    lengths = [len(frames) - 1 for frames in groups if frames[-1]["pc"] == 2]
    harness.expect(lengths and 32 <= min(lengths) and 48 < max(lengths) <= 64,
                   f"frames of stacks that are cut: {sorted(set(lengths))}")
    harness.expect(len(lengths) < 500, f"{len(lengths)} different stacks are cut")
    whole = harness.recorded([harness.program(name), "plain"])
    for group in harness.report(whole)["groups"]:
        if harness.module_name(group) != name:
            continue  # the loader's own start has no unwind information
        harness.expect(group["frames"][-1]["pc"] > 15, f"a stack is not whole: {group['frames']}")


if __name__ == "__main__":
    {"shapes": shapes, "real": real, "depth": depth, "loading": loading,
     "without_index": without_index, "jit": jit, "unloaded_by_libc": unloaded_by_libc,
     "reloaded": reloaded}[sys.argv[1]](*sys.argv[2:])
