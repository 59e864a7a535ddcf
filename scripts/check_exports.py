#!/usr/bin/env python3
"""Fails when the runtime is not the modest guest it has to be.

    check_exports.py LIBHEAPLEDGER_SO EXPORT_MAP
    check_exports.py LIBRARY

It needs libc (with the parts of it that older ones have apart, and the loader) alone, and of no glibc
younger than the oldest that we promise; exports exactly what the export map names, asks for no
dynamic TLS (whose allocation would call malloc) and carries nothing of a sanitizer. Without a map
it may export what it likes, and use the C++ library of the program it is loaded into.
"""

import re
import subprocess
import sys

import repo

ALLOWED_NEEDED = re.compile(r"libc\.so\.6|libdl\.so\.2|ld-linux-[\w-]+\.so\.\d+")
NEEDED = re.compile(r"\(NEEDED\).*\[(.*)\]")
OLDEST_GLIBC = (2, 17)
DYNAMIC_TLS = re.compile(r"R_X86_64_(DTPMOD64|DTPOFF64|TLSDESC)|R_AARCH64_(TLS_DTPMOD|TLSDESC)")


def readelf(*arguments):
    command = ["readelf", "--wide", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def names_of_map(text):
    """The names under `global:` in a GNU ld version script."""
    text = re.sub(r"/\*.*?\*/|#[^\n]*", " ", text, flags=re.DOTALL)
    names = set()
    for part in re.findall(r"global:(.*?)(?:local:|\})", text, flags=re.DOTALL):
        names |= {name.strip() for name in part.split(";") if name.strip()}
    return names


def dynamic_symbols(library):
    """Exported and wanted names, without the version behind the @."""
    exported, wanted = set(), set()
    for line in readelf("--dyn-syms", library).splitlines():
        columns = line.split()
        if len(columns) < 8 or not columns[0].rstrip(":").isdigit():
            continue
        name = columns[7].split("@")[0]
        if columns[6] == "UND":
            wanted.add(name)
        elif columns[6] != "ABS":  # version nodes are absolute symbols
            exported.add(name)
    return exported, wanted


def younger_than_promised(library):
    """The versions of glibc that the library asks for and an old one does not have."""
    asked = set(re.findall(r"Name: GLIBC_(\S+)", readelf("--version-info", library)))
    for version in sorted(asked):
        numbers = re.fullmatch(r"(\d+)\.(\d+)(\.\d+)?", version)
        if not numbers or (int(numbers[1]), int(numbers[2])) > OLDEST_GLIBC:
            yield version


def problems(library, export_map=None):
    dynamic = readelf("--dynamic", library)
    for name in NEEDED.findall(dynamic):
        if not ALLOWED_NEEDED.fullmatch(name):
            yield f"it needs {name}; only libc and the loader are allowed"
    if "TEXTREL" in dynamic:
        yield "it has relocations in its code"
    for version in younger_than_promised(library):
        yield f"it asks for GLIBC_{version}; the oldest glibc it has to start on is " + ".".join(map(str, OLDEST_GLIBC))
    exported, wanted = dynamic_symbols(library)
    if export_map is not None:
        named = names_of_map(export_map)
        if not named:
            yield "the export map names nothing"
        for name in sorted(exported - named):
            yield f"it exports {name}, which the map does not name"
        for name in sorted(named - exported):
            yield f"the map names {name}, which it does not export"
        for name in sorted(wanted):
            if name.startswith(("_ZSt", "_ZNSt", "__cxa_throw", "__gxx", "__asan", "__tsan", "__ubsan")):
                yield f"it wants {name}, which libc does not have"
    if "__tls_get_addr" in wanted or DYNAMIC_TLS.search(readelf("--relocs", library)):
        yield "it uses dynamic TLS; the model must be initial-exec"


def map_text(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


if __name__ == "__main__":
    repo.finish("exports", list(problems(sys.argv[1], map_text(sys.argv[2]) if len(sys.argv) > 2 else None)))
