#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) over the parts that are ordinary C++; any warning fails.

    check_tidy.py BUILD_FOLDER [JOBS]

BUILD_FOLDER holds the compile_commands.json of a configured build that compiles every file on its
own. The runtime is left out: code inside malloc does on purpose much of what the checks warn of.

Most of the time goes into the headers of libraries, so files are looked at in groups, as builds
compile them in batches (cmake/unity.cmake). A group that is not clean is looked at once more, file by
file, and only what is found then counts. The two checks for unused aliases see nothing in a group,
so what they look for is looked for here.
"""

import concurrent.futures
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import repo

COUNT = re.compile(r"^\d+ warnings?( and \d+ errors?)? generated\.$|^Suppressed \d+ |^Use -header-filter")
FOLDERS = ("src/symbols", "src/analyzer", "src/exporters", "src/importers", "src/cores", "src/replay", "src/advice",
           "src/server", "src/cli")
ALIAS = re.compile(r"^\s*(?:using [\w:]+::(?=\w+;)|namespace (?=\w+ =))(\w+)", re.MULTILINE)
NOISE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*\"""", re.DOTALL)
MOST = 24


def sources(build):
    """Path and compile command of the files in our folders, by folder. The headers of src/format
    come along with them."""
    found = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        path = Path(command["directory"], command["file"]).resolve()
        for folder in FOLDERS:
            if path.is_relative_to(repo.ROOT / folder):
                found.setdefault(folder, {})[str(path)] = command
    return found


def groups_of(paths):
    return [paths[first:first + MOST] for first in range(0, len(paths), MOST)]


def flags_of(command):
    """What clang-tidy needs of a compile command. The build may be GCC's, with options that Clang
    does not know and a precompiled header that it cannot read."""
    words = shlex.split(command["command"])
    flags = [word for word in words if re.match(r"-(D|I|std=|W(?!invalid-pch)|f(?!sanitize))", word)]
    for word, following in zip(words, words[1:]):
        flags += [word, following] if word == "-isystem" else []
    return [*flags, "-Wno-unknown-warning-option"]


def tidy(path, flags, *options):
    """What clang-tidy says of one file, nothing where all is good."""
    config = str(repo.ROOT / ".clang-tidy")
    result = subprocess.run(["clang-tidy", "--quiet", f"--config-file={config}", *options, path, "--", *flags],
                            capture_output=True, text=True)
    if result.returncode == 0:
        return ""
    lines = (result.stdout + result.stderr).splitlines()
    return "\n".join(line for line in lines if line and not COUNT.match(line))


def unused_aliases(path):
    text = NOISE.sub("", Path(path).read_text())
    for name in ALIAS.findall(text):
        if len(re.findall(rf"\b{name}\b", text)) == 1:
            yield f"{path}: {name} is an alias that nothing uses"


def tidy_group(number, group, commands, folder):
    unused = [line for path in group for line in unused_aliases(path)]
    flags = flags_of(commands[group[0]])
    if len(group) > 1:
        joined = folder / f"group_{number}.cpp"
        joined.write_text("".join(f'#include "{path}"\n' for path in group))
        if not tidy(str(joined), flags, "--checks=-bugprone-suspicious-include"):
            return unused
    said = (tidy(path, flags_of(commands[path])) for path in group)
    return unused + [text for text in said if text]


def main():
    build = Path(sys.argv[1]).resolve()
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    by_folder = sources(build)
    if not by_folder:
        sys.exit(f"tidy: no file of {', '.join(FOLDERS)} in {build}/compile_commands.json")
    if not shutil.which("clang-tidy"):
        sys.exit("tidy: clang-tidy is not installed (package clang-tidy)")
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    groups = [(group, commands) for commands in by_folder.values() for group in groups_of(sorted(commands))]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(tidy_group, number, group, commands, folder)
                for number, (group, commands) in enumerate(groups)]
        found = [text for run in runs for text in run.result()]
    if found:
        print("\n".join(found))
        sys.exit("tidy: see above")
    print(f"tidy: {sum(len(group) for group, _ in groups)} files are good")


if __name__ == "__main__":
    main()
