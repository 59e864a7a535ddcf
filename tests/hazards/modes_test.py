"""The programs of this folder once more, in another mode: `modes_test.py WORDS`, where WORDS are
settings such as "mode=sample sample-calls=3".

Whatever the mode, a program must be the same with us as without. What else a hazard demands is of
trace mode's ledgers; so each goes on until it first asks for one, and is cut there. A hazard that
got no further than its first word has shown nothing and counts as such.
"""

import os
import re
import sys
import time

import harness
import run_hazard

sys.modules["run_hazard"] = run_hazard
HERE = os.path.dirname(os.path.abspath(__file__))

# What cannot be the same as without us, by the word that changes it: the hazard, and why.
NOT_JUDGED = {
    "guard=report": {
        "loader.deep_binding",  # a library's own malloc and free go past us: half of each is guarded
        "loader.another_preloaded_library_behind_us",  # prints the sizes that reach it
        "results.relatives_passed_through",  # prints what is in use: guard bytes are, too
    },
    "mode=log": {
        "processes.exec_in_place",  # lists its descriptors: the log's is among them
        "processes.exec_from_a_thread",
    },
}


SLOW_SECONDS = 5  # what is told of, for whoever wonders where the time goes


class Enough(Exception):
    """The hazard asked for figures of trace mode."""


class InMode:
    """Makes all recordings of the harness use the words, and counts comparisons with native."""

    def __init__(self, words):
        self.words = words
        if "mode=log" in words:  # beside the ledgers, it would be taken for one
            self.words += f" file={harness.fresh_folder()}/%p.log"
        self.same = 0
        self._environment = harness.recording_environment
        self._expect_same = harness.expect_same
        harness.recording_environment = self.environment
        harness.expect_same = self.expect_same
        harness.tool_json = self.enough
        harness.report = self.enough
        harness.expect_complete = self.enough
        run_hazard.expect_stop = self.enough
        for name in ("stop_reason", "header", "blocks"):
            if hasattr(run_hazard.ledger_file, name):
                setattr(run_hazard.ledger_file, name, self.enough)

    def environment(self, ledger_folder, extra=None, words=""):
        return self._environment(ledger_folder, extra, f"{words} {self.words}")

    def expect_same(self, *arguments, **options):
        self._expect_same(*arguments, **options)
        self.same += 1

    def enough(self, *_, **__):
        raise Enough


def hazards():
    for folder in sorted(os.listdir(HERE)):
        path = os.path.join(HERE, folder, "expect.py")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r"^def ([a-z0-9_]+)\(hazard\):$", file.read(), re.MULTILINE):
                yield folder, name


def run_one(folder, name, words):
    """What is wrong with one hazard, or None."""
    try:
        getattr(run_hazard.load(folder), name)(run_hazard.Hazard(folder))
    except (Enough, harness.Skip):
        return None
    except harness.Failure as failure:
        excused = any(f"{folder}.{name}" in NOT_JUDGED.get(word, ()) for word in words.split())
        return None if excused else str(failure)
    return None


def main():
    mode = InMode(sys.argv[1])
    wrong = shown = total = 0
    for folder, name in hazards():
        before = mode.same
        start = time.monotonic()
        problem = run_one(folder, name, sys.argv[1])
        took = time.monotonic() - start
        if took > SLOW_SECONDS:
            print(f"{folder}.{name}: {took:.1f} s", flush=True)
        total += 1
        shown += mode.same > before
        if problem is not None:
            wrong += 1
            print(f"{folder}.{name}: {problem}", flush=True)
    print(f"{sys.argv[1]}: {total} hazards, {shown} compared with native, {wrong} wrong")
    return 0 if wrong == 0 and shown > total // 2 else 1


if __name__ == "__main__":
    sys.exit(main())
