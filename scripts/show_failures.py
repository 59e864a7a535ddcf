#!/usr/bin/env python3
"""After a run of ctest: the end of what each failed test printed, together at the end.

    show_failures.py BUILD_FOLDER

In a long run what a failed test printed is far above the closing lines, and lost where only those
are kept. Prints nothing when all was well."""

import re
import sys
from pathlib import Path

LINES = 25
RULE = "-" * 58


def failed_names(folder):
    """The tests that failed in the last run: lines of the form `12:name`."""
    path = folder / "LastTestsFailed.log"
    if not path.exists():
        return []
    return [line.split(":", 1)[1] for line in path.read_text().splitlines() if ":" in line]


def outputs(folder):
    """What each test of the last run printed, by name."""
    log = (folder / "LastTest.log").read_text(errors="replace")
    found = {}
    for part in re.split(r"(?m)^\d+/\d+ Testing: ", log)[1:]:
        name, rest = part.split("\n", 1)
        printed = rest.split("Output:\n" + RULE + "\n", 1)[-1]
        found[name] = printed.split("<end of output>\n", 1)[0].rstrip("\n")
    return found


def main():
    folder = Path(sys.argv[1]) / "Testing" / "Temporary"
    names = failed_names(folder)
    if not names:
        return
    printed = outputs(folder)
    for name in names:
        lines = printed.get(name, "(nothing is known of it)").splitlines()
        print(f"\n=== {name} failed; the end of what it printed:")
        for line in lines[-LINES:]:
            print(f"  {line}"[:400])
    print(f"\n{len(names)} failed: {' '.join(names)}")


if __name__ == "__main__":
    main()
