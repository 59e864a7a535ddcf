#!/usr/bin/env python3
"""Small rules for all files of the repository, so that nobody has to remember them in review.

    check_text.py [ROOT]

Every text file: no path of somebody's machine, no trailing space, ends with one newline, open
work is noted with what and why. Every C++ file: under 500 lines. Every header: opens with a comment, has #pragma once.
"""

import re
import sys
from pathlib import Path

import repo

MAX_LINES = 500
# Put together here, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.${}*/-])/(" + "|".join(["wo" + "rk", "ro" + "ot"]) + r")/\w")
OPEN_WORK = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b(?!: \w+ \w+ \w+)")
EXAMPLE = "TO" + "DO: what is to be done and why not now"
# Standard text or data of others, kept as it came.
AS_THEY_ARE = {"LICENSE"}


def problems_of_lines(path, lines):
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield f"{path}:{number}: a path of one machine"
        if OPEN_WORK.search(line):
            yield f"{path}:{number}: open work without a reason (write `{EXAMPLE}`)"
        if line != line.rstrip():
            yield f"{path}:{number}: space at the end of the line"


def problems_of_cpp(path, lines):
    if len(lines) >= MAX_LINES:
        yield f"{path}: {len(lines)} lines; a file is one idea, split it (under {MAX_LINES})"
    if path.suffix in repo.HEADER_SUFFIXES:
        if not lines or not lines[0].startswith(("//", "/*")):
            yield f"{path}: a header opens with what it is, promises and must never do"
        if "#pragma once" not in lines:
            yield f"{path}: no #pragma once"


def problems(root):
    for path in repo.files(root):
        data = (root / path).read_bytes()
        if path.name in AS_THEY_ARE or b"\0" in data or not data:
            continue
        try:
            text = data.decode()
        except UnicodeDecodeError:
            if path.suffix in repo.CPP_SUFFIXES | {".md", ".py", ".txt", ".sh"}:
                yield f"{path}: not UTF-8"
            continue
        if "golden" in path.parts or "corpus" in path.parts:
            continue
        lines = text.splitlines()
        if not text.endswith("\n") or text.endswith("\n\n"):
            yield f"{path}: must end with exactly one newline"
        yield from problems_of_lines(path, lines)
        if path.suffix in repo.CPP_SUFFIXES:
            yield from problems_of_cpp(path, lines)


if __name__ == "__main__":
    where = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else repo.ROOT
    repo.finish("text", list(problems(where)))
