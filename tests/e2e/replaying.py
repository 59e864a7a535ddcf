"""What tests of `heapledger replay` have in common."""

import functools
import glob
import json
import os
import subprocess
import unittest

import harness

PACKAGES = {"jemalloc": ("libjemalloc.so.2", "libjemalloc2"),
            "tcmalloc": ("libtcmalloc*.so.4", "libtcmalloc-minimal4"),
            "mimalloc": ("libmimalloc.so.2", "libmimalloc2.0")}
FOUR = ("glibc",) + tuple(PACKAGES)


def needs_all_four():
    for file, package in PACKAGES.values():
        if not glob.glob("/usr/lib/*/" + file) + glob.glob("/usr/lib*/" + file):
            raise unittest.SkipTest(f"{file} is not installed (Debian: {package})")


def allocator(name):
    """The path of one that was made for these tests."""
    return harness.program(name + ".so")


def up_to_four_times(test):
    """For tests that measure: another program may spoil one measurement, but hardly four."""
    @functools.wraps(test)
    def tried(self):
        for _ in range(3):
            try:
                return test(self)
            except harness.Failure:
                raise  # that was no measurement
            except AssertionError as failure:
                print(f"{test.__name__} is tried again: {failure}")
        return test(self)
    return tried


def replay(*arguments, status=0, variables=None, **options):
    """Runs `heapledger replay` to its end, with further `variables` of its environment."""
    done = subprocess.run([harness.TOOL, "replay", *arguments],
                          env=harness.plain_environment(variables),
                          capture_output=True, timeout=240, check=False, **options)
    if done.returncode != status:
        raise harness.Failure(f"heapledger replay {arguments} ended with {done.returncode}, not "
                              f"{status}\n{harness.shown(done.stdout)}\n"
                              f"{harness.shown(done.stderr)}")
    return done


def compared(*arguments, **options):
    """The parsed answer of `heapledger replay --json`, and its candidates by name."""
    answer = json.loads(replay(*arguments, "--json", **options).stdout)
    return answer, {one["name"]: one for one in answer["candidates"]}


def record(name, *arguments):
    """The ledger of a test program, sealed."""
    run = harness.recorded_by_tool([harness.program(name), *map(str, arguments)])
    harness.expect_equal(run.status, 0, "status of " + name)
    return run.ledger_of(name)


def shown_facts(path):
    """What a ledger says that a replay of it must say as well: totals, by function, by size."""
    answer = harness.report([path])
    sizes = harness.tool_json("report", ["--by", "size", path])["groups"]
    totals = {name: answer["totals"][name]
              for name in ("calls", "frees", "resizes", "bytes", "peak_bytes", "peak_blocks",
                           "end_bytes", "end_blocks")}
    return {"totals": totals, "by_function": answer["by_function"],
            "sizes": {one["name"]: (one["calls"], one["bytes"], one["frees"]) for one in sizes}}


def played_again(path, *options):
    """The ledger of a replay of the ledger."""
    again = os.path.join(harness.fresh_folder(), "again.ledger")
    replay(path, "--record-to", again, *options)
    return again
