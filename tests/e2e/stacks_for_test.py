"""stacks-for=: sizes without a stack are entered all the same, and share one site."""

import json
import unittest

import harness

FIGURES = ("calls", "bytes", "frees", "resizes", "end_blocks", "end_bytes", "temporary_calls",
           "peak_bytes", "peak_blocks")
SMALL = {"calls": 10, "bytes": 160, "end_bytes": 16, "frees": 9}
MEDIUM = {"calls": 20, "bytes": 20_000, "end_bytes": 1000, "frees": 19}
LARGE = {"calls": 30, "bytes": 3_000_000, "end_bytes": 100_000, "frees": 29}


def name(group):
    return group["frames"][0]["name"]


class StacksFor(unittest.TestCase):
    def sites(self, words):
        """The program's own sites by their function, and the one without a stack."""
        run = harness.recorded([harness.program("stack_sizes")], words=words)
        self.assertEqual((run.status, run.stderr), (0, b""))
        answer = harness.report(run)
        harness.expect_complete(answer)
        harness.expect_figures(answer["totals"], {
            "calls": 60, "bytes": 3_020_160, "frees": 57, "end_bytes": 101_016}, words)
        found = {}
        for group in answer["groups"]:
            self.assertNotIn(name(group), found)
            if harness.module_name(group) == "stack_sizes":
                self.assertGreater(len(group["frames"]), 1)
            else:
                self.assertEqual(len(group["frames"]), 1)
            found[name(group)] = group
        return found

    def check(self, words, wanted):
        found = self.sites(words)
        self.assertEqual(set(found), set(wanted), words)
        for site, figures in wanted.items():
            harness.expect_figures(found[site], figures, f"{site} with {words}")

    def test_all(self):
        self.check("stacks-for=all", {"small": SMALL, "medium": MEDIUM, "large": LARGE})

    def test_none(self):
        self.check("stacks-for=none", {"[no stack asked for]": {
            "calls": 60, "bytes": 3_020_160, "frees": 57, "end_bytes": 101_016}})

    def test_large_ones(self):
        self.check("stacks-for=>=1000", {"medium": MEDIUM, "large": LARGE,
                                         "[no stack asked for]": SMALL})
        self.check("stacks-for=>=1001", {"large": LARGE, "[no stack asked for]": {
            "calls": 30, "bytes": 20_160, "frees": 28}})

    def test_small_ones(self):
        self.check("stacks-for=<=1000", {"small": SMALL, "medium": MEDIUM,
                                         "[no stack asked for]": LARGE})

    def test_both_ends(self):
        self.check("stacks-for=>=17 stacks-for=<=99999", {"medium": MEDIUM,
                                                          "[no stack asked for]": {"calls": 40}})

    def test_of_the_caller_alone(self):
        self.check("stacks-for=all depth=1", {"small": SMALL, "medium": MEDIUM, "large": LARGE})
        self.check("stacks-for=>=1000 depth=1", {"medium": MEDIUM, "large": LARGE,
                                                 "[no stack asked for]": SMALL})

    def test_totals_are_the_oracles_in_every_way(self):
        for words in ("stacks-for=none", "stacks-for=>=200", "stacks-for=<=200",
                      "stacks-for=<=200 depth=1"):
            run = harness.recorded([harness.program("oracle"), "11", "1", "20000"], words=words)
            truth, answer = json.loads(run.stdout), harness.report(run)
            harness.expect_complete(answer)
            harness.expect_figures(answer["totals"],
                                   {figure: truth["totals"][figure] for figure in FIGURES}, words)


if __name__ == "__main__":
    unittest.main()
