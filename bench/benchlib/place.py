"""Where things are: the build under test, its programs, and the room for recordings."""

import glob
import os
import shutil
from dataclasses import dataclass

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORKLOADS = os.path.join(SOURCE, "workloads")


class BenchError(Exception):
    """Something the user can do something about; the text says what."""


@dataclass(frozen=True)
class Place:
    build: str  # the CMake build folder
    scratch: str  # recordings are written, measured and deleted here

    @property
    def runtime(self):
        return os.path.join(self.build, "lib", "libheapledger.so")

    @property
    def heapledger(self):
        return os.path.join(self.build, "bin", "heapledger")

    def program(self, name):
        """A program of bench/, as CMake built it."""
        return os.path.join(self.build, "bench", name)


def default_build():
    return os.path.join(os.path.dirname(SOURCE), "build", "release")


def require_programs(place, names):
    missing = [name for name in names if not os.path.exists(place.program(name))]
    if missing:
        raise BenchError(
            f"{place.build}/bench has no {', '.join(missing)}. Build the benchmarks first:\n"
            f"  cmake -S {os.path.dirname(SOURCE)} -B {place.build} -DHEAPLEDGER_BENCH=ON\n"
            f"  cmake --build {place.build}"
        )


def find_program(name):
    return shutil.which(name)


def find_library(name):
    """A shared library by file name, in the folders where Debian puts them."""
    for pattern in ("/usr/local/lib", "/usr/lib/*-linux-gnu", "/usr/lib", "/usr/lib/heaptrack"):
        for folder in sorted(glob.glob(pattern)):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return path
    return None
