"""The workloads. Each is one process that does the same work every time and prints something that
proves it. A scale says how much work: full, quick or smoke."""

import os
import shlex
import subprocess
from dataclasses import dataclass, field
from typing import Callable

from benchlib.place import WORKLOADS, BenchError, find_program

SCALES = ("full", "quick", "smoke")


@dataclass(frozen=True)
class Workload:
    name: str
    about: str
    command: Callable  # (place, amount) -> argument list
    amounts: dict  # scale -> amount
    needs: str = ""  # a program that must be installed
    packages: tuple = ()
    environment: dict = field(default_factory=dict)
    light: bool = False  # starts at once: a smoke run gives it to the slow tools too

    def missing(self):
        if self.needs and not find_program(self.needs) and not os.path.exists(self.needs):
            return f"{self.needs} is not installed"
        return None


def amounts(full, quick, smoke):
    return dict(zip(SCALES, (full, quick, smoke)))


def churn(threads):
    return Workload(
        f"churn-{threads}",
        f"allocation-bound C++ program, {threads} thread{'s' if threads > 1 else ''}",
        lambda place, amount: [place.program("churn"), str(amount), str(threads)],
        amounts(30000, 6000, 100),
        light=True,
    )


def small(name, about, words, *scale):
    return Workload(
        name,
        about,
        lambda place, amount: [place.program(words[0]), str(amount), *words[1:]],
        amounts(*scale),
        light=True,
    )


def script(name, about, interpreter, file, needs, packages, *scale):
    return Workload(
        name,
        about,
        lambda place, amount: [interpreter, os.path.join(WORKLOADS, file), str(amount)],
        amounts(*scale),
        needs,
        packages,
        {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"},
    )


def interpreter(name, about, environment):
    script = os.path.join(WORKLOADS, "interp.py")
    # The system's own interpreter, whatever the path has first: it is the one that peers know.
    python = "/usr/bin/python3"
    return Workload(
        name,
        about,
        lambda place, amount: [python, script, str(amount)],
        amounts(160, 25, 1),
        python,
        ("python3",),
        {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", **environment},
    )


def compiler_arguments(amount):
    return [
        "-std=c++20",
        "-O2",
        "-w",
        "-S",
        "-o",
        "-",
        f"-DWORK={amount}",
        os.path.join(WORKLOADS, "compile_me.cpp"),
    ]


def cc1plus(place, amount):
    """The compiler proper that g++ would start: peers do not follow a child."""
    dry_run = subprocess.run(
        ["g++", "-###"] + compiler_arguments(amount), text=True, capture_output=True, check=True
    )
    for line in dry_run.stderr.splitlines():
        words = shlex.split(line) if line.startswith(" ") else []
        if words and os.path.basename(words[0]) == "cc1plus":
            return words
    raise BenchError(
        "g++ -### does not show a cc1plus command: leave compiler-gcc out " "(--workloads)"
    )


def sqlite(place, amount):
    return [
        "sqlite3",
        "-batch",
        ":memory:",
        ".parameter init",
        f".parameter set :rows {amount}",
        f".read '{os.path.join(WORKLOADS, 'database.sql')}'",
    ]


def all_workloads():
    return [
        churn(1),
        churn(2),
        churn(4),
        small("few-sites", "allocation-bound C program, few sites", ("few_sites",), 20, 4, 1),
        small("recursive", "recursive tree builder", ("recursive",), 6000, 1500, 5),
        small("deep-fits", "200 frames: fewer than the limit", ("deep", "200"), 20000, 5000, 10),
        small("deep", "2,560 frames: ten times the limit", ("deep", "2560"), 20000, 5000, 10),
        interpreter("interpreter", "python3, as it comes", {}),
        interpreter(
            "interpreter-malloc",
            "python3, every object by malloc (PYTHONMALLOC=malloc)",
            {"PYTHONMALLOC": "malloc"},
        ),
        script(
            "import",
            "python3 importing scipy and pandas",
            "/usr/bin/python3",
            "import.py",
            "/usr/lib/python3/dist-packages/scipy/__init__.py",
            ("python3", "python3-scipy", "python3-pandas"),
            *(60, 10, 1),
        ),
        script(
            "generated",
            "node: generated code on the stack",
            "node",
            "generated.js",
            "node",
            ("nodejs",),
            *(6000, 1500, 10),
        ),
        Workload("compiler-gcc", "cc1plus -O2", cc1plus, amounts(3, 1, 0), "g++", ("g++",)),
        Workload(
            "compiler-clang",
            "clang++ -O2",
            lambda place, amount: ["clang++"] + compiler_arguments(amount),
            amounts(3, 1, 0),
            "clang++",
            ("clang",),
        ),
        Workload(
            "database",
            "sqlite3 in memory",
            sqlite,
            amounts(400000, 70000, 500),
            "sqlite3",
            ("sqlite3",),
            light=True,
        ),
    ]
