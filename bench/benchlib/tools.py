"""The tools that are compared: native, our modes, and the peers. One row each; a new mode of ours
is one more row in MODES.

A tool says whether it can run here, and how a command is started under it. `baseline` names the row
it is to be compared with besides native: a profiler that brings its own allocator is also shown
against that allocator alone, so that its price and the allocator's merits are not mixed up.
"""

import os
from dataclasses import dataclass
from typing import Callable, Optional

from benchlib.place import find_library, find_program


@dataclass(frozen=True)
class Launch:
    environment: dict
    prefix: list  # goes before the command


@dataclass(frozen=True)
class Tool:
    name: str
    about: str
    missing: Callable  # (place) -> why it cannot run here, or None
    launch: Callable  # (place, folder for its files) -> Launch
    packages: tuple = ()
    baseline: Optional[str] = None
    records: bool = True  # leaves files
    every_event: bool = False  # its files hold every call: bytes per entry makes sense
    ledger: bool = False  # its files are ledgers
    slow: bool = False  # many times slower: gets --slow-rounds, and in a smoke run light work only


# Name, what it does, the words that HEAPLEDGER gets besides out=, and whether every call is in it.
MODES = [
    ("trace", "every call, with its whole stack, in a ledger", "", True),
    ("trace depth=1", "every call, with its caller alone", "depth=1", True),
    ("live", "what is alive, with its stack, and sums of each stack", "mode=live", False),
    ("sample", "one call in 512 KiB, with its stack and its weight", "mode=sample", False),
    ("count", "calls and bytes per function, thread and size class", "mode=count", False),
    ("off", "the hooks alone", "mode=off", False),
]

REFERENCE = "heaptrack"  # whose added time ours is compared with


def escape_word(text):
    """A value inside HEAPLEDGER: spaces and backslashes escaped, percent signs doubled."""
    return text.replace("%", "%%").replace("\\", "\\\\").replace(" ", "\\ ")


def our_mode(name, about, words, every_event):
    def missing(place):
        return None if os.path.exists(place.runtime) else f"{place.runtime} is not built"

    def launch(place, folder):
        out = "out=" + escape_word(folder) + "/%e.%p.ledger"
        return Launch({"LD_PRELOAD": place.runtime, "HEAPLEDGER": f"{out} {words}".strip()}, [])

    return Tool(name, about, missing, launch, every_event=every_event, ledger=True)


def preloaded(name, about, library, packages, environment, **more):
    """A tool that is a library to preload; `environment` makes the variables from its folder."""

    def missing(place):
        return None if find_library(library) else f"{library} is not installed"

    def launch(place, folder):
        return Launch({"LD_PRELOAD": find_library(library), **environment(folder)}, [])

    return Tool(name, about, missing, launch, packages, **more)


def wrapper(name, about, program, packages, prefix, **more):
    """A tool that is a command to put in front."""

    def missing(place):
        return None if find_program(program) else f"{program} is not installed"

    def launch(place, folder):
        return Launch({}, [find_program(program)] + prefix(folder))

    return Tool(name, about, missing, launch, packages, **more)


def native():
    return Tool(
        "native",
        "the program alone",
        lambda place: None,
        lambda place, folder: Launch({}, []),
        records=False,
    )


def peers():
    perftools = ("libgoogle-perftools-dev",)  # its name is the same in every release
    tcmalloc, jemalloc = "libtcmalloc.so.4", "libjemalloc.so.2"

    def jemalloc_profile(sample):
        return lambda folder: {
            "MALLOC_CONF": f"prof:true,prof_final:true,lg_prof_sample:{sample},"
            f"prof_prefix:{folder}/jeprof"
        }

    def valgrind(tool, option):
        return lambda folder: ["--quiet", f"--tool={tool}", f"--{option}={folder}/{tool}.%p"]

    return [
        preloaded(
            "heaptrack",
            "recording only, straight to a file",
            "libheaptrack_preload.so",
            ("heaptrack",),
            lambda folder: {"DUMP_HEAPTRACK_OUTPUT": f"{folder}/heaptrack.raw"},
            every_event=True,
        ),
        wrapper(
            "heaptrack --raw",
            "recording only, as its script does: through a compressor",
            "heaptrack",
            ("heaptrack", "zstd"),
            lambda folder: ["--raw", "-o", f"{folder}/heaptrack"],
            every_event=True,
        ),
        wrapper(
            "massif",
            "Valgrind: snapshots",
            "valgrind",
            ("valgrind",),
            valgrind("massif", "massif-out-file"),
            slow=True,
        ),
        wrapper(
            "dhat",
            "Valgrind: every block and its accesses",
            "valgrind",
            ("valgrind",),
            valgrind("dhat", "dhat-out-file"),
            slow=True,
        ),
        preloaded(
            "tcmalloc",
            "the allocator of gperftools, no profile",
            tcmalloc,
            perftools,
            lambda folder: {},
            records=False,
        ),
        preloaded(
            "gperftools",
            "its heap profiler",
            tcmalloc,
            perftools,
            lambda folder: {"HEAPPROFILE": f"{folder}/gperftools"},
            baseline="tcmalloc",
            slow=True,
        ),
        preloaded(
            "jemalloc",
            "the allocator, no profile",
            jemalloc,
            ("libjemalloc2",),
            lambda folder: {},
            records=False,
        ),
        preloaded(
            "jemalloc sample",
            "its profiler, one sample in 512 KiB",
            jemalloc,
            ("libjemalloc2",),
            jemalloc_profile(19),
            baseline="jemalloc",
        ),
        preloaded(
            "jemalloc all",
            "its profiler, every allocation",
            jemalloc,
            ("libjemalloc2",),
            jemalloc_profile(0),
            baseline="jemalloc",
            slow=True,
        ),
    ]


def all_tools():
    return [native()] + [our_mode(*mode) for mode in MODES] + peers()
