"""The runtime in programs of an older C library: `older_libc_test.py hazards FOLDER`, or `stacks WORDS…`.

The hazards and the stacks tests as they are, with the programs that prepare.py has built.
"""

import os
import re
import subprocess
import sys

import prepare

# What is different there, and why.
NOT_JUDGED = {
    "loader.copied_plugin_at_the_place_of_one_being_unloaded":
        "such a libc has no way to ask for a module that takes no lock, and the kernel's list of mappings does "
        "not tell two copies of a file apart",
    "limits.address_space_limit_from_the_start":
        "with libpthread and libdl apart, the smallest of its limits has no room for our library",
}


def hazards_of(folder):
    source = prepare.TESTS / "hazards" / folder
    text = (source / "expect.py").read_text(encoding="utf-8")
    return re.findall(r"^def ([a-z0-9_]+)\(hazard\):$", text, re.MULTILINE)


def run_one(folder, name):
    """Whether it is as it must be."""
    if f"{folder}.{name}" in NOT_JUDGED:
        print(f"{folder}.{name}: not judged: {NOT_JUDGED[f'{folder}.{name}']}")
        return True
    command = [sys.executable, "-B", prepare.TESTS / "hazards/run_hazard.py", folder, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    missing = re.search(r"test program \S*?(\w+) is not built", done.stdout)
    if missing and missing[1] in prepare.NOT_THERE:
        print(f"{folder}.{name}: this libc has no {prepare.NOT_THERE[missing[1]]}")
        return True
    print(f"{folder}.{name}: status {done.returncode}\n{done.stdout if done.returncode else ''}")
    return done.returncode in (0, prepare.SKIPPED)


def main():
    if not os.path.isdir(os.environ["HEAPLEDGER_PROGRAMS"]):
        print("the older libc is not there")
        return prepare.SKIPPED
    kind, *words = sys.argv[1:]
    if kind == "stacks":
        return subprocess.run([sys.executable, "-B", prepare.TESTS / "stacks/stacks_test.py", *words],
                              check=False).returncode
    good = [run_one(words[0], name) for name in hazards_of(words[0])]
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
