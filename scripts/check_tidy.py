#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) over the parts that are ordinary C++; any warning fails.

    check_tidy.py BUILD_FOLDER [JOBS]

BUILD_FOLDER holds the compile_commands.json of a configured build. The runtime is left out: code
inside malloc does on purpose much of what the checks warn of.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import repo

NOISE = ("clang-tidy", "Enabled checks")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FOLDERS = ("src/symbols", "src/analyzer", "src/exporters", "src/replay", "src/cli")


def sources(build):
    """The compiled files in our folders. The headers of src/format come along with them."""
    for command in json.loads((build / "compile_commands.json").read_text()):
        path = Path(command["directory"], command["file"]).resolve()
        if any(path.is_relative_to(repo.ROOT / folder) for folder in FOLDERS):
            yield path


def main():
    build = Path(sys.argv[1]).resolve()
    jobs = sys.argv[2] if len(sys.argv) > 2 else "2"
    names = sorted({str(path) for path in sources(build)})
    if not names:
        sys.exit(f"tidy: no file of {', '.join(FOLDERS)} in {build}/compile_commands.json")
    if not shutil.which("run-clang-tidy"):
        sys.exit("tidy: run-clang-tidy is not installed (package clang-tidy)")
    # The build may be GCC's, with warning options that Clang does not know.
    command = ["run-clang-tidy", "-p", str(build), "-quiet", "-j", jobs,
               "-extra-arg=-Wno-unknown-warning-option"]
    result = subprocess.run([*command, *(f"^{name}$" for name in names)], capture_output=True, text=True)
    for line in COLOUR.sub("", result.stdout).splitlines():
        if line and not line.startswith(NOISE):
            print(line)
    if result.returncode != 0:
        sys.exit(f"tidy: see above\n{result.stderr}")
    print(f"tidy: {len(names)} files are good")


if __name__ == "__main__":
    main()
