"""Runs one hazard: `run_hazard.py FOLDER HAZARD`.

FOLDER/expect.py holds one function for each hazard, named after it. It gets a Hazard, runs its
program natively and recorded, and says what must be the same and what the ledger must hold.
Exit status 77 is ctest's for a test that this machine does not permit.
"""

import importlib.util
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

import harness  # noqa: E402
import ledger_file  # noqa: E402

SKIPPED = 77


class Hazard:
    """One program of the hazards, and the usual ways to look at it."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return harness.program(f"{self.folder}_{name}")

    def both(self, name, *arguments, stderr=True, **options):
        """Runs a program natively and recorded, and demands that they cannot be told apart."""
        command = [self.path(name)] + list(arguments)
        plain = harness.native(command, **options)
        with_us = harness.recorded(command, **options)
        harness.expect_same(plain, with_us, stderr)
        return plain, with_us

    def exact(self, name, *arguments, status=0, **options):
        """As both(); the ledger must be complete and agree with the program's own account."""
        _, with_us = self.both(name, *arguments, **options)
        harness.expect_equal(with_us.status, status, "exit status")
        answer = harness.report(with_us)
        harness.expect_complete(answer)
        self.expect_account(with_us, answer, name)
        return with_us, answer

    def own(self, answer, name):
        return harness.own_sums(answer, f"{self.folder}_{name}")

    def expect_account(self, run, answer, name):
        """Demands that the ledger agrees with every `account` line that the program printed."""
        wanted = accounts(run.stdout)
        wanted["end_blocks"] = wanted["calls"] - wanted["resizes"] - wanted["frees"]
        harness.expect_figures(self.own(answer, name), wanted, "the program's own calls")


def accounts(stdout):
    """The sum of the account lines in `stdout`."""
    total = dict.fromkeys(("calls", "bytes", "frees", "resizes"), 0)
    lines = re.findall(rb"^account (.*)$", stdout, re.MULTILINE)
    harness.expect(lines, f"the program printed no account: {harness.shown(stdout)}")
    for line in lines:
        for word in line.decode().split():
            name, value = word.split("=")
            total[name] += int(value)
    return total


def expect_stop(path, *reasons):
    """Demands that the ledger says it stopped, for one of `reasons`, and that its report says so."""
    seen = ledger_file.stop_reason(path)
    harness.expect(seen in reasons, f"{path} stopped for {seen}, wanted one of {reasons}")
    answer = harness.report([path])
    ledger = answer["ledgers"][0]
    harness.expect(ledger["stopped"], f"the report does not say that {path} stopped")
    harness.expect_equal(ledger["complete"], False, f"complete of the stopped {path}")
    return answer


def load(folder):
    spec = importlib.util.spec_from_file_location("expect", os.path.join(HERE, folder, "expect.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    folder, name = sys.argv[1:3]
    sys.modules["run_hazard"] = sys.modules["__main__"]  # what the expect.py files import
    try:
        getattr(load(folder), name)(Hazard(folder))
    except harness.Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except harness.Failure as failure:
        print(f"{folder}/{name} failed: {failure}")
        return 1
    print(f"{folder}/{name}: as it must be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
