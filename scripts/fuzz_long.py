#!/usr/bin/env python3
"""Runs every fuzzer for its share of some minutes of processor time, and says what they found.

    fuzz_long.py BUILD_FOLDER [--minutes 10] [--only NAME]

The fuzzers are the tests with the label `fuzz` in that folder. What leads them on is kept there, in
NAME_found, and where they go on the next time; it is made small again at the end. An input that
breaks something is kept, too, with how to try it again; the exit status is 1 then."""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

MOST_FOUND = 500  # files: beyond that, those that add nothing are dropped
LEAST_SLICE = 5  # seconds


def fuzzers(folder):
    """Name, command and environment of each."""
    listing = subprocess.run(["ctest", "--test-dir", folder, "-L", "^fuzz$", "--show-only=json-v1"],
                             check=True, capture_output=True, text=True).stdout
    for test in json.loads(listing)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        variables = dict(word.split("=", 1) for word in properties.get("ENVIRONMENT", []))
        yield test["name"].split(".", 1)[-1], test["command"], variables


def used_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def found_by(name, command):
    """Where this fuzzer keeps what leads it on: beside what breaks something."""
    (prefix,) = [word for word in command if word.startswith("-artifact_prefix=")]
    folder = os.path.join(os.path.dirname(prefix.split("=", 1)[1]), name + "_found")
    os.makedirs(folder, exist_ok=True)
    return folder


def folders_of(name, command):
    """New inputs go to the first of them."""
    known = [word for word in command[1:] if not word.startswith("-")]
    return [found_by(name, command), *known]


def fuzz(name, command, environment, seconds):
    """Until so much processor time has gone, however busy the machine is. False: it found a fault."""
    options = [word for word in command[1:]
               if word.startswith("-") and not word.startswith("-runs=")]
    start = used_seconds()
    while (left := seconds - (used_seconds() - start)) > 0:
        time = f"-max_total_time={max(int(left), min(LEAST_SLICE, seconds))}"
        done = subprocess.run([command[0], *options, time, *folders_of(name, command)], env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        if done.returncode != 0:
            print(f"--- {name} ---")
            print("\n".join(done.stdout.splitlines()[-60:]))
            print(f"To try it again: {command[0]} FILE, with the file named above")
            return False
    return True


def shrink(name, command, environment):
    """Drops what adds nothing from what was found."""
    found = found_by(name, command)
    if len(os.listdir(found)) <= MOST_FOUND:
        return
    with tempfile.TemporaryDirectory(dir=os.path.dirname(found)) as fresh:
        merge = [command[0], "-merge=1", fresh, *folders_of(name, command)]
        done = subprocess.run(merge, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
        if done.returncode != 0:
            return
        shutil.rmtree(found)
        shutil.copytree(fresh, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--minutes", type=float, default=10, help="of processor time, all together")
    parser.add_argument("--only", help="one fuzzer")
    wanted = parser.parse_args()
    chosen = [entry for entry in fuzzers(wanted.folder) if wanted.only in (None, entry[0])]
    if not chosen:
        sys.exit(f"there is no such fuzzer in {wanted.folder}; build the preset fuzz")
    share = wanted.minutes * 60 / len(chosen)
    broken = []
    for name, command, variables in chosen:
        environment = os.environ | variables
        print(f"{name}: {share:.0f} s", flush=True)
        if not fuzz(name, command, environment, share):
            broken.append(name)
        shrink(name, command, environment)
    if broken:
        sys.exit("fuzzing found faults, see above: " + ", ".join(broken))
    print(f"{len(chosen)} fuzzers found nothing in {wanted.minutes:g} minutes of processor time")


if __name__ == "__main__":
    main()
