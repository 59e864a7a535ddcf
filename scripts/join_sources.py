#!/usr/bin/env python3
"""Says which source files can be compiled together, as one file that includes them all.

    join_sources.py SRC MOST FILE...

Prints one group per line, at most MOST files with semicolons between them; a file that fits nowhere
is a group of its own. Includes are looked up next to the file and in SRC.

Files of one group must not get into each other's way: no file, and no header of ours that it
includes, may mention a name that another one keeps to itself (in an unnamed namespace, as a static,
an alias or a macro). The reading is coarse and errs towards apart. Where it errs the other way,
compiling fails; the option HEAPLEDGER_JOIN=OFF of the build compiles every file on its own.
"""

import functools
import re
import sys
from pathlib import Path

NOISE = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|(?<!include )"(?:\\.|[^"\\\n])*"|"""
                   r"""(?<!\w)'(?:\\.|[^'\\\n])+'""", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")
INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.MULTILINE)
MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)
UNNAMED = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
# Namespaces are not indented: what begins a line declares something. Its name is the one before
# the first bracket, brace or equals sign.
DECLARED = re.compile(r"^(?!namespace|using [\w:]+;|[A-Z_]+\()[A-Za-z].*?(\w+)(?:\[\w*\])?(?: final)?\s*[({=;:](?!:)",
                      re.MULTILINE)
OUTSIDE = re.compile(r"^(?:static|const|constexpr|inline|using|namespace|struct|class|enum)\b[^;({=]*?(\w+)(?:\[\w*\])?"
                     r"(?: final)?(?:\s*[({=:](?!:))(?!\s*$)", re.MULTILINE)
# Functions of ours that std has too, found there for a std argument where the header is included.
ALSO_IN_STD = re.compile(r"(?<![:\w])quoted\(")
WITH_STD_TWIN = {"iomanip", "filesystem", "CLI/CLI.hpp", "nlohmann/json.hpp", "gtest/gtest.h"}


@functools.cache
def text_of(path):
    """The file without comments and texts; the comments that end namespaces stay."""
    return NOISE.sub(lambda hit: hit[0] if hit[0].startswith("// namespace") else '""',
                     path.read_text())


@functools.cache
def headers_of(path, src):
    """Our headers that it includes, those they include too; and the names of all others."""
    ours, others = set(), set()
    for name in INCLUDE.findall(text_of(path)):
        found = next((place for place in (path.parent / name, src / name) if place.is_file()), None)
        if found is None:
            others.add(name)
            continue
        more_ours, more_others = headers_of(found.resolve(), src)
        ours |= {found.resolve()} | more_ours
        others |= more_others
    return ours, others


def own_names(text):
    names = set(MACRO.findall(text)) | set(OUTSIDE.findall(text))
    for inside in UNNAMED.findall(text):
        names.update(DECLARED.findall(inside))
    return names


class Source:
    def __init__(self, path, src):
        self.path = path
        text = text_of(Path(path).resolve())
        self.headers, others = headers_of(Path(path).resolve(), src)
        self.own = own_names(text)
        self.words = set(WORD.findall(text))
        self.wants_ours = bool(ALSO_IN_STD.search(text))
        self.brings_twin = bool(others & WITH_STD_TWIN)

    def disturbs(self, other):
        if self.own & other.words or (self.wants_ours and other.brings_twin and not self.brings_twin):
            return True
        unseen = other.headers - self.headers
        return any(self.own & words_of(header) for header in unseen)

    def fits(self, other):
        return not self.disturbs(other) and not other.disturbs(self)


@functools.cache
def words_of(path):
    return set(WORD.findall(text_of(path)))


def groups_of(paths, src, most):
    groups = []
    sources = [Source(path, src) for path in paths]
    for source in sorted(sources, key=lambda source: (-len(source.own), source.path)):
        fitting = [group for group in groups
                   if len(group) < most and all(map(source.fits, group))]
        if fitting:
            max(fitting, key=len).append(source)
        else:
            groups.append([source])
    return [sorted(source.path for source in group) for group in groups]


def main():
    src, most = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    for group in groups_of(sys.argv[3:], src, most):
        print(";".join(group))


if __name__ == "__main__":
    main()
