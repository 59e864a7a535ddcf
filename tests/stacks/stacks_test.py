"""Every stack compared with libgcc's unwinder: no difference, whatever the code looks like.

    stacks_test.py shapes PROGRAM   all shapes of shapes.cpp, by one build of it
    stacks_test.py real             programs that nobody here wrote
    stacks_test.py depth PROGRAM    what the depth limit keeps
"""

import os
import shutil
import sys

import harness

SHAPES = ("plain", "realigned", "exceptions", "longjumps", "contexts", "callbacks", "handlers",
          "handlers-alternate", "threads", "recursion")
SOURCE = b"#include <map>\n#include <string>\nint main() { std::map<int, std::string> m; m[1] = \"x\"; }\n"


def checked(command, every=1, **options):
    """Records `command` in cross-check mode; the number of stacks compared, none of them different."""
    native = harness.native(command, **options)
    run = harness.recorded(command, words=f"crosscheck={every}", **options)
    harness.expect_equal((run.status, run.signal, run.stdout),
                         (native.status, native.signal, native.stdout), f"{command[0]}: the end")
    count = 0
    for ledger in harness.tool_json("info", run.ledgers)["ledgers"]:
        harness.expect_equal(ledger["stacks_differing"], 0,
                             f"stacks of {ledger['executable']} seen differently")
        count += ledger["stacks_checked"]
    return count


def shapes(name):
    for shape in SHAPES:
        count = checked([harness.program(name), shape])
        harness.expect(count >= 50, f"{shape}: only {count} stacks were compared")


def real():
    folder = harness.fresh_folder()
    source = os.path.join(folder, "small.cpp")
    with open(source, "wb") as file:
        file.write(SOURCE)
    commands = [
        (1, ["/usr/bin/python3", "-c", "import json; print(len(json.dumps(list(range(5000)))))"]),
        (20, ["g++", "-O2", "-S", source, "-o", "/dev/null"]),
        (20, ["clang++", "-O2", "-S", source, "-o", "/dev/null"]),
        (1, ["sqlite3", ":memory:", "create table t(a); insert into t values(1),(2); select * from t;"]),
        (1, ["perl", "-e", "my %h; $h{$_} = $_ for 1..500; print scalar keys %h"]),
        (1, ["git", "--version"]),
        (20, ["node", "-e", "console.log([1, 2, 3].map(x => x * 2).join())"]),
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
    whole = harness.recorded([harness.program(name), "plain"])
    for group in harness.report(whole)["groups"]:
        if harness.module_name(group) != name:
            continue  # the loader's own start has no unwind information
        harness.expect(group["frames"][-1]["pc"] > 15, f"a stack is not whole: {group['frames']}")


if __name__ == "__main__":
    {"shapes": shapes, "real": real, "depth": depth}[sys.argv[1]](*sys.argv[2:])
