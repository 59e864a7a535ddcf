#!/usr/bin/env python3
"""Fails when two headers define different types of the same name in the same namespace. The compiler
sees only one of them at a time, and the linker takes the code made for either: memory is then
corrupted, in some builds and not in others.

    check_names.py [ROOT]
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

import repo

NAMESPACE = re.compile(r"^namespace ([\w:]+) \{")
END = re.compile(r"^\}  // namespace")
TYPE = re.compile(r"^(?:struct|class|union|enum(?: class)?) (?:alignas\(\d+\) )?([A-Z]\w*)"
                  r"(?: final)?(?: :[^;{]*)? \{")


def types_in(lines):
    """The full names of the types that are defined at the level of a namespace."""
    spaces = []
    for line in lines:
        if opened := NAMESPACE.match(line):
            spaces.append(opened[1])
        elif END.match(line) and spaces:
            spaces.pop()
        elif defined := TYPE.match(line):
            yield "::".join([*spaces, defined[1]])


def problems_in(root):
    places = defaultdict(list)
    for path in repo.files(root):
        if path.suffix in repo.HEADER_SUFFIXES and path.parts[0] in ("src", "include"):
            text = (root / path).read_text(encoding="utf-8", errors="replace")
            for name in types_in(text.splitlines()):
                places[name].append(str(path))
    return [f"{name} is defined in {' and in '.join(paths)}"
            for name, paths in sorted(places.items()) if len(paths) > 1]


if __name__ == "__main__":
    repo.finish("names", problems_in(Path(sys.argv[1]) if len(sys.argv) > 1 else repo.ROOT))
