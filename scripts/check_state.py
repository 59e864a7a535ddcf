#!/usr/bin/env python3
"""Fails when the runtime keeps something of which nobody has said what becomes of it in a forked
child.

    check_state.py LIBHEAPLEDGER_SO

Every variable of the library that can change is in the table of src/runtime/state.md, and nothing
else is; each file named there exists, and each function that resets something is called in
src/runtime/bootstrap/forked_state.cpp.
"""

import collections
import re
import subprocess
import sys

import repo

TABLE = repo.ROOT / "src/runtime/state.md"
RESETS = repo.ROOT / "src/runtime/bootstrap/forked_state.cpp"
FATES = {"kept", "anew", "by process", "scratch"}
CHANGEABLE = re.compile(r"\s(\.data|\.bss|\.tdata|\.tbss|heapledger_state|heapledger_next)\s+[0-9a-f]+\s+(.*)$")
# The linker's and the compiler's own; a coverage build has counters.
NOT_OURS = re.compile(r"^(__\w+|_\w+|completed\.\d+|\.hidden .*|\.data|\.bss|\.tdata|\.tbss|)$")
MANY = "heapledger_next"  # a section: one variable for each hook that looks for what comes after it


def variables(library):
    """The names of the variables in the library that can change, as often as they occur."""
    text = subprocess.run(["objdump", "--syms", "--demangle", library], capture_output=True,
                          text=True, check=True).stdout
    names = collections.Counter()
    for line in text.splitlines():
        match = CHANGEABLE.search(line)
        name = match.group(2).replace(".hidden ", "").strip() if match else ""
        if match and match.group(1) == MANY and name not in ("", MANY):
            names[MANY] += 1
        elif not NOT_OURS.match(name):
            names[re.sub(r"\.\d+$", "", name.split("::")[-1])] += 1
    return names


def rows(text):
    """(place, variables, fate) of each row of the second table."""
    for line in text.splitlines():
        columns = [column.strip() for column in line.strip("|").split("|")]
        if line.startswith("|") and len(columns) == 3 and set(columns[0]) != {"-"}:
            if columns[0] != "where":
                yield columns[0], [name.strip() for name in columns[1].split(",")], columns[2]


def problems(library, text, resets, root):
    named = collections.Counter()
    for place, names, fate in rows(text):
        named.update(names)
        path = re.fullmatch(r"`(.*)`", place)
        if path and not (root / path.group(1)).is_file():
            yield f"{path.group(1)} is named, and is no file"
        function = re.fullmatch(r"`(\w+)`", fate)
        if function and not re.search(rf"\b{function.group(1)}\b[(,]", resets):
            yield f"{', '.join(names)}: {function.group(1)} is not called after a fork"
        if not function and fate not in FATES:
            yield f"{', '.join(names)}: '{fate}' is no fate"
    kept = variables(library)
    for name in sorted(kept.keys() | named.keys()):
        times = min(kept[name], 1) if name == MANY else kept[name]
        if times > named[name]:
            yield f"{name}: what becomes of it in a forked child? (src/runtime/state.md)"
        elif times < named[name]:
            yield f"{name}: the table names it, and the library has it {times} times"


if __name__ == "__main__":
    repo.finish("state", list(problems(sys.argv[1], TABLE.read_text(encoding="utf-8"),
                                       RESETS.read_text(encoding="utf-8"), TABLE.parent)))
