"""Ledgers of every version of the format are still read, and say what they said when they were made.

tests/corpus/FORMAT has ledgers, raw and sealed, and answers.gz: as JSON, what the last code that wrote them
answered. HEAPLEDGER_UPDATE_GOLDEN=1 writes answers for formats that have none yet; those that are
there are never written again.
"""

import glob
import gzip
import json
import os
import subprocess
import unittest

import harness

CORPUS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "corpus")

# A question, and of its answer what stays the same whatever the names of sites are.
QUESTIONS = {
    "whole": [],
    "end": ["--at", "end", "--by", "size-class"],
    "half": ["--at", "50%", "--by", "thread"],
    "modules": ["--by", "module"],
    "functions": ["--by", "function"],
    "lifetimes": ["--by", "lifetime"],
    "range": ["--between", "functions", "thread", "--by", "size-class"],
    "filtered": ["--filter", "size>=100,size<1000", "--by", "process"],
}
FIGURES = ("live_bytes", "live_blocks", "calls", "bytes", "frees", "ended_blocks", "ended_bytes",
           "temporary_calls", "resizes", "moved_blocks", "moved_bytes", "smallest", "largest",
           "peak_bytes", "peak_blocks", "peak_time_ns")
# Figures of a heap, by the names that the first answers had for them.
MAPPINGS = {"mapped_bytes": "bytes", "unmapped_bytes": "ended_bytes", "peak_bytes": "peak_bytes",
            "peak_time_ns": "peak_time_ns", "end_bytes": "live_bytes"}
MAPPED_BY = {"calls": "calls", "bytes": "bytes", "peak_bytes": "peak_bytes",
             "end_bytes": "live_bytes"}
POOL = {"name": "name", "calls": "calls", "frees": "frees", "resizes": "resizes", "bytes": "bytes",
        "peak_bytes": "peak_bytes", "peak_blocks": "peak_blocks", "end_bytes": "live_bytes",
        "end_blocks": "live_blocks"}
PROCESS = ("pid", "mode", "origin", "complete", "missed", "gaps", "threads", "entries", "problems")


def pick(record, names):
    return {name: record[name] for name in names if name in record}


def renamed(record, names):
    return {old: record[new] for old, new in names.items()}


def rows(groups):
    """Of each group its figures; in an order that does not depend on names."""
    return sorted((pick(group, FIGURES) for group in groups), key=json.dumps)


def figures_of(answer):
    """What is compared of a report, as plain values."""
    found = {"totals": answer["totals"], "functions": answer["by_function"],
             "processes": [pick(process, PROCESS) for process in answer["ledgers"]],
             "groups": rows(answer["groups"])}
    for part in ("moments", "figures"):
        if part in answer:
            found[part] = answer[part]
    for heap in answer.get("heaps", []):
        if heap["kind"] == "mappings":
            calls = answer["by_function"]
            found["mappings"] = renamed(heap, MAPPINGS)
            found["mappings"].update({f"{name}_calls": calls.get(name, 0)
                                      for name in ("mmap", "munmap", "mremap", "brk")})
            found["mapped by"] = sorted((renamed(site, MAPPED_BY) for site in heap["sites"]),
                                        key=json.dumps)
        if heap["kind"] == "pool":
            found.setdefault("pools", []).append(renamed(heap, POOL))
    return found


def without_unused(answer):
    """The first answers listed heaps and sites that nothing had happened in."""
    answer = dict(answer)
    if "groups" in answer:
        answer["groups"] = [group for group in answer["groups"]
                            if any(isinstance(value, int) and value > 0
                                   for value in group.values())]
    used = [pool for pool in answer.pop("pools", []) if pool["calls"] > 0]
    if used:
        answer["pools"] = used
    if not any(answer.get("mappings", {}).values()):
        answer.pop("mappings", None)
        answer.pop("mapped by", None)
    return answer


def sums(groups):
    return {name: sum(group[name] for group in groups) for name in FIGURES
            if name not in ("smallest", "largest", "peak_bytes", "peak_blocks", "peak_time_ns")
            and all(isinstance(group.get(name), int) for group in groups)}


def without_bounds(answer):
    """The first answers had other classes of lifetimes: what all of them have together is the same."""
    if "groups" not in answer:
        return answer
    figures = {name: value for name, value in answer["figures"].items() if name != "groups"}
    return {**answer, "figures": figures, "groups": [sums(answer["groups"])]}


def ask(path, words):
    done = subprocess.run([harness.TOOL, "report", "--json", "--top", "0", path, *words], capture_output=True,
                          check=False)
    if done.returncode not in (0, 3):
        return {"refused": done.returncode}
    return figures_of(harness.with_frames(json.loads(done.stdout)))


# Of a live heap as a whole, which is one moment, these were figures that nobody knew.
UNKNOWN_TO_LIVE_HEAPS = {"peak", "rss_peak", "peak_bytes", "peak_blocks", "peak_time_ns",
                         "temporary_calls"}


def expected_subset(test, old, new, where):
    """All that was there is there, with the same value; there may be more."""
    if isinstance(old, dict) and isinstance(new, dict):
        of_live_heap = where.startswith("live") and where.endswith((": totals", ": moments"))
        for key, value in old.items():
            test.assertIn(key, new, where)
            if of_live_heap and key in UNKNOWN_TO_LIVE_HEAPS and new[key] is None:
                continue
            expected_subset(test, value, new[key], f"{where}: {key}")
    elif isinstance(old, list) and isinstance(new, list):
        test.assertEqual(len(old), len(new), where)
        for number, (one, other) in enumerate(zip(old, new)):
            expected_subset(test, one, other, f"{where}[{number}]")
    elif isinstance(old, float):  # an error: its last digits depend on the order of the sums
        test.assertAlmostEqual(old, new, delta=abs(old) * 1e-9, msg=where)
    else:
        test.assertEqual(old, new, where)


class Corpus(unittest.TestCase):
    maxDiff = None

    def check(self, folder):
        kept = os.path.join(folder, "answers.gz")
        known = {}
        if os.path.exists(kept):
            with gzip.open(kept) as file:
                known = json.load(file)
        updating = not known and os.environ.get("HEAPLEDGER_UPDATE_GOLDEN") == "1"
        ledgers = sorted(glob.glob(os.path.join(folder, "*.*.gz")))
        self.assertGreater(len(ledgers), 10)
        for packed in ledgers:
            name, form, _ = os.path.basename(packed).rsplit(".", 2)
            path = os.path.join(harness.fresh_folder(), "one.ledger")
            with gzip.open(packed) as source, open(path, "wb") as target:
                target.write(source.read())
            for title, words in QUESTIONS.items():
                if title == "functions" and form == "raw":
                    continue  # only the sealed ones have the names of functions
                with self.subTest(ledger=name, form=form, question=title):
                    answer = ask(path, words)
                    if updating:
                        known.setdefault(name, {}).setdefault(title, answer)
                    wanted = without_unused(known[name][title])
                    if title == "lifetimes":
                        wanted, answer = without_bounds(wanted), without_bounds(answer)
                    expected_subset(self, wanted, answer, f"{name}.{form} {title}")
        if updating:
            with open(kept, "wb") as file:
                text = json.dumps(known, separators=(",", ":"), sort_keys=True)
                file.write(gzip.compress(text.encode(), mtime=0))

    def test_each_format(self):
        formats = sorted(glob.glob(os.path.join(CORPUS, "format*")))
        self.assertGreaterEqual(len(formats), 1)
        for folder in formats:
            with self.subTest(format=os.path.basename(folder)):
                self.check(folder)


if __name__ == "__main__":
    unittest.main()
