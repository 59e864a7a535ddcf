"""The programs of tests/hazards once more, in cross-check mode: `hazards_test.py FOLDER`.

Each is run and judged as tests/hazards/FOLDER/expect.py says; besides, wherever a ledger is left,
no stack in it may have been seen differently by libgcc's unwinder.
"""

import os
import re
import sys

import harness
import run_hazard

sys.modules["run_hazard"] = run_hazard

# Hazards whose own demands are about time or memory, which the reference takes plenty of. Their
# stacks are compared like all others.
NOT_JUDGED = {
    "signals.handler_allocates",  # demands that few signals fall into a hook
    "processes.fork_in_signal_handler",  # demands that some do not
    "threads.born_and_dying",  # bounds the mapped memory: malloc maps more when threads overlap more
    "signals.first_allocation_on_alternate_stack",  # bounds our stack: the reference takes some too
    "results.relatives_passed_through",  # prints what is in use: loading libgcc takes some
}


class CrossChecked:
    """Makes all recordings of the harness cross-check, and remembers where their ledgers went."""

    def __init__(self):
        self.folders = []
        self._environment = harness.recording_environment
        harness.recording_environment = self.environment

    def environment(self, ledger_folder, extra=None, words=""):
        self.folders.append(ledger_folder)
        return self._environment(ledger_folder, extra, f"{words} crosscheck=1")

    def compared(self):
        """How many stacks were compared since the last time, none of them different."""
        count = 0
        for folder in self.folders:
            for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                if not name.endswith(".ledger"):
                    continue
                ledger = harness.tool_json("info", [os.path.join(folder, name)])["ledgers"][0]
                harness.expect_equal(ledger["stacks_differing"], 0, f"stacks differing in {name}")
                count += ledger["stacks_checked"]
        self.folders = []
        return count


def names_in(folder):
    with open(os.path.join(run_hazard.HERE, folder, "expect.py"), encoding="utf-8") as file:
        return re.findall(r"^def ([a-z0-9_]+)\(hazard\):$", file.read(), re.MULTILINE)


def run_one(checks, folder, name):
    """A line about one hazard, and whether it is as it must be."""
    judged = f"{folder}.{name}" not in NOT_JUDGED
    try:
        getattr(run_hazard.load(folder), name)(run_hazard.Hazard(folder))
    except harness.Skip as reason:
        return f"skipped, {reason}", True
    except harness.Failure as failure:
        if judged:
            return f"failed: {failure}", False
    try:
        return f"{checks.compared()} stacks compared" + ("" if judged else ", not judged"), True
    except harness.Failure as failure:
        return f"failed: {failure}", False


def main():
    folder = sys.argv[1]
    checks = CrossChecked()
    total = wrong = 0
    for name in names_in(folder):
        line, good = run_one(checks, folder, name)
        checks.folders = []
        print(f"{folder}.{name}: {line}", flush=True)
        total += 1
        wrong += not good
    if total == 0:
        print(f"{folder} has no hazards: nothing was shown")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
