#!/usr/bin/env python3
"""Fails when a C++ file is not as clang-format would write it.  With --fix it rewrites them.

    check_format.py [--fix]

Versions of clang-format differ in details, so one version is the measure. With another one only
--fix works, and the check is skipped (exit status 77).
"""

import re
import shutil
import subprocess
import sys

import repo

MEASURE = 14


def find_clang_format():
    """The command, and the major version it has."""
    for name in (f"clang-format-{MEASURE}", "clang-format"):
        if shutil.which(name):
            text = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            return name, int(re.search(r"version (\d+)", text).group(1))
    sys.exit("format: clang-format is not installed (package clang-format)")


def main():
    command, version = find_clang_format()
    names = [str(path) for path in repo.cpp_files()]
    if sys.argv[1:] == ["--fix"]:
        sys.exit(subprocess.run([command, "-i", *names], cwd=repo.ROOT).returncode)
    if version != MEASURE:
        print(f"format: skipped, clang-format is {version} and the measure is {MEASURE}")
        sys.exit(77)
    check = [command, "--dry-run", "-Werror", "-ferror-limit=1", *names]
    if subprocess.run(check, cwd=repo.ROOT).returncode != 0:
        sys.exit("format: run scripts/check_format.py --fix")
    print(f"format: {len(names)} files are good")


if __name__ == "__main__":
    main()
