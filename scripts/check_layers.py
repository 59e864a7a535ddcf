#!/usr/bin/env python3
"""Fails when an include goes the wrong way. The allowed ways are the tables in docs/layers.md: of
layers, and of the rooms that some of them have.

    check_layers.py [ROOT]
"""

import re
import sys
from pathlib import Path

import repo

ROW = re.compile(r"^\| *(\w+) *\| *`([\w/]+)` *\| *([^|]*?) *\|")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
C_HEADER = re.compile(
    r"\w+(/[\w-]+)*\.h|c(assert|ctype|errno|float|inttypes|limits|math|setjmp|signal|stdarg|stddef"
    r"|stdint|stdio|stdlib|string|time)$"
)
LISTED_HEADER = re.compile(r"`<(\w+)>`")


class Layers:
    """The tables: which folder is which layer, and which layers each may include. A row whose folder
    is inside that of a layer is a room of it, LAYER/ROOM: it may include what the layer may, the files
    of the layer outside of all rooms, and the rooms that it names. These files may include all rooms."""

    GUESTS = ("src/runtime", "src/base", "src/format", "src/settings")

    def __init__(self, page):
        self.folders = {}
        self.allowed = {}
        self.parents = {}  # of rooms: the layer they are in
        for line in page.splitlines():
            row = ROW.match(line)
            if row:
                self.add_row(*row.groups())
        self.free_standing = set(LISTED_HEADER.findall(page))

    def add_row(self, name, folder, below):
        names = re.findall(r"\w+", below)
        parent = self.layer_of(Path(folder))
        if parent is not None:
            names = [f"{parent}/{room}" for room in names]
            name = f"{parent}/{name}"
            self.parents[name] = parent
        self.folders[Path(folder)] = name
        self.allowed[name] = set(names)

    def problems_of_table(self):
        """Layers must be listed from the bottom up, so that no cycle can be written down."""
        seen = set()
        for layer, below in self.allowed.items():
            for name in sorted(below - seen):
                yield f"docs/layers.md: {layer} may include {name}, which is not further up the page"
            seen.add(layer)
        if not seen:
            yield "docs/layers.md: no table of layers found"

    def layer_of(self, path):
        """The layer of a file, by the nearest folder in the table; None outside of it."""
        for folder in path.parents:
            if folder in self.folders:
                return self.folders[folder]
        return None

    def may_include(self, layer, other):
        parent = self.parents.get(layer)
        if parent is None:
            return other in self.allowed[layer] or self.parents.get(other) == layer
        return other == parent or other in self.allowed[layer] | self.allowed[parent]

    def is_guest(self, path):
        """Whether the file ends up inside other people's programs."""
        return any(path.is_relative_to(folder) for folder in self.GUESTS)


def target_of(root, path, name):
    """The file an #include "name" in path means, relative to root; None when there is none."""
    for folder in (path.parent, Path("src"), Path("include")):
        if (root / folder / name).is_file():
            return (root / folder / name).resolve().relative_to(root)
    return None


def problems_of_file(root, layers, path):
    layer = layers.layer_of(path)
    for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        quote, name = include.groups()
        where = f"{path}:{number}"
        if quote == "<":
            free = C_HEADER.match(name) or name in layers.free_standing
            if layers.is_guest(path) and not free:
                yield f"{where}: <{name}> is not for code that runs inside other programs"
            continue
        target = target_of(root, path, name)
        if target is None:
            if path.parts[0] == "src":
                yield f'{where}: "{name}" is no file of ours; other headers go in <>'
            continue
        other = layers.layer_of(target)
        if other is None and target.parts[0] == "src" and target.parent != path.parent:
            yield f'{where}: "{name}" is in no layer of docs/layers.md'
        elif other not in (None, layer) and not layers.may_include(layer, other):
            yield f'{where}: "{name}" goes the wrong way: {layer} may not include {other}'


def problems(root):
    layers = Layers((root / "docs/layers.md").read_text())
    yield from layers.problems_of_table()
    for path in repo.cpp_files(root):
        if layers.layer_of(path) is not None:
            yield from problems_of_file(root, layers, path)
        elif path.parts[0] == "src":
            yield f"{path}: its folder is no layer of docs/layers.md"


if __name__ == "__main__":
    where = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else repo.ROOT
    repo.finish("layers", list(problems(where)))
