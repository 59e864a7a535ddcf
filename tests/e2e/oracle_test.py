"""The oracle's word against the ledger's: no difference to the last byte, over many seeds.

The oracle (programs/oracle.cpp) says what each of its call sites took, gave back and has left; with
one thread also the peaks. Foreign allocations (libc's, for threads) are told apart by their module.
"""

import concurrent.futures
import json
import random
import unittest

import harness
import ledger_file

SITE_FIGURES = ("calls", "bytes", "frees", "resizes", "temporary_calls", "end_blocks", "end_bytes")
PEAK_FIGURES = ("peak_blocks", "peak_bytes", "at_peak_blocks", "at_peak_bytes")
SITES = 17


# The oracle tells its sites apart by the function that allocates: stacks of one frame.
ONE_FRAME = "depth=1"


def consult(seed, threads, operations, words=ONE_FRAME):
    """Records the oracle once; gives back what it says and the ledger's path."""
    run = harness.recorded([harness.program("oracle"), str(seed), str(threads), str(operations)],
                           words=words, timeout=300)
    harness.expect_equal((run.status, run.signal, run.stderr), (0, None, b""), "the oracle's end")
    harness.expect_equal(len(run.ledgers), 1, "ledgers")
    return json.loads(run.stdout), run.ledgers


def groups_by_site(answer, truth):
    """The oracle's own groups, by the start of the function they are in."""
    starts = sorted(site["start"] for site in truth["sites"])
    found = {}
    for group in answer["groups"]:
        if harness.module_name(group) != "oracle":
            continue
        inside = [start for start in starts if start < group["frames"][0]["offset"]]
        harness.expect(inside, f"a group outside all sites: {group['frames']}")
        harness.expect(inside[-1] not in found, f"two groups of one site: {group['frames']}")
        found[inside[-1]] = group
    return found


def compare_sites(answer, truth):
    names = SITE_FIGURES + (PEAK_FIGURES if truth["alone"] else ())
    groups = groups_by_site(answer, truth)
    harness.expect_equal(len(groups), SITES, "sites in the report")
    for site in truth["sites"]:
        harness.expect_figures(groups[site["start"]], {name: site[name] for name in names},
                               f"site at {site['start']:#x}")


def compare_functions(answer, truth, foreign):
    """Only malloc, calloc and free may differ, by what is foreign."""
    wanted = dict(zip(harness.FUNCTIONS, truth["by_function"]))
    extra = {name: answer["by_function"][name] - wanted[name] for name in harness.FUNCTIONS}
    frees = extra.pop("free")
    harness.expect_equal(frees, foreign["frees"], "foreign frees")
    harness.expect_equal(sum(extra.values()), foreign["calls"], "foreign calls")
    others = {name: value for name, value in extra.items() if name not in ("malloc", "calloc")}
    harness.expect_equal(others, dict.fromkeys(others, 0), "differences by function")


def compare(truth, ledgers, sites=True):
    answer = harness.report(ledgers)
    harness.expect_complete(answer)
    foreign = harness.foreign_sums(answer, "oracle")
    totals, mine = answer["totals"], truth["totals"]
    harness.expect_figures(totals, {name: mine[name] + foreign[name] for name in SITE_FIGURES},
                           "totals")
    harness.expect_figures(totals, {"unmatched_frees": 0, "inherited_frees": 0, "missed": 0},
                           "totals")
    if truth["alone"]:
        # What libraries take at their start (libstdc++ a pool, where it is linked) stays.
        harness.expect_equal(foreign["frees"] + foreign["resizes"], 0, "foreign changes")
        harness.expect_figures(totals, {"peak_bytes": mine["peak_bytes"] + foreign["end_bytes"],
                                        "peak_blocks": mine["peak_blocks"] + foreign["end_blocks"]},
                               "peaks")
    compare_functions(answer, truth, foreign)
    if sites:
        compare_sites(answer, truth)


class Oracle(unittest.TestCase):
    def trial(self, seed, threads, operations):
        truth, ledgers = consult(seed, threads, operations)
        try:
            compare(truth, ledgers)
        except harness.Failure as failure:
            raise harness.Failure(f"oracle {seed} {threads} {operations}: {failure}") from None

    def trials(self, cases):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = [pool.submit(self.trial, *case) for case in cases]
        for result in results:
            with self.subTest():
                result.result()

    def test_one_thread(self):
        self.trials([(seed, 1, 10_000) for seed in range(30)]
                    + [(seed, 1, 100_000) for seed in range(100, 108)]
                    + [(seed, 1, 1_000_000) for seed in (200, 201)])

    def test_two_to_eight_threads(self):
        self.trials([(seed, 2 + seed % 7, 10_000) for seed in range(300, 328)]
                    + [(seed, 2 + seed % 7, 50_000) for seed in range(400, 410)]
                    + [(500, 2, 400_000), (501, 8, 100_000)])

    def test_with_whole_stacks(self):
        for seed, threads in ((600, 1), (601, 3), (602, 8)):
            truth, ledgers = consult(seed, threads, 50_000, words="")
            compare(truth, ledgers, sites=False)

    def test_seeds_never_tried_before(self):
        seeds = random.sample(range(10**6, 10**9), 6)
        self.trials([(seed, 1 + seed % 8, 20_000) for seed in seeds])

    def test_a_reader_written_from_the_format_page_agrees(self):
        """Two readers that share no code give the same figures."""
        for seed, threads in ((1, 1), (2, 4)):
            truth, ledgers = consult(seed, threads, 20_000)
            answer, second = harness.report(ledgers), ledger_file.Ledger(ledgers[0])
            self.assertEqual({name: second.by_function[name] for name in harness.FUNCTIONS},
                             answer["by_function"])
            self.assertEqual((second.calls, second.bytes, second.frees, second.resizes),
                             tuple(answer["totals"][name]
                                   for name in ("calls", "bytes", "frees", "resizes")))
            by_pc = {group["frames"][0]["pc"]: [group["calls"], group["bytes"]]
                     for group in answer["groups"]}
            self.assertEqual({second.site_pcs[site]: tally
                              for site, tally in second.site_calls.items()}, by_pc)
            self.assertGreater(truth["totals"]["calls"], 10_000)


if __name__ == "__main__":
    unittest.main()
