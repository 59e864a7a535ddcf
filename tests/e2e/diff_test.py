"""heapledger diff: two builds of a program whose heap is known from its source."""

import json
import os
import unittest

import diff_program
import harness
from diff_program import tool


class Diff(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.fresh_folder()
        paths = {}
        for name, new in (("old", False), ("new", True)):
            app = diff_program.build(os.path.join(cls.folder, name), new)
            paths[name] = diff_program.record(
                app, os.path.join(cls.folder, name + ".ledgers", "app.ledger"))
        cls.old, cls.new = paths["old"], paths["new"]

    def answer(self, *arguments):
        status, stdout, stderr = tool("diff", "--json", *arguments)
        self.assertEqual(status, 0, stderr)
        answer = json.loads(stdout)
        self.assertEqual(answer["schema"], "heapledger.diff/1")
        return answer

    def group(self, answer, name):
        found = [group for group in answer["groups"] if group["name"] == name]
        self.assertEqual(len(found), 1, (name, [group["name"] for group in answer["groups"]]))
        return found[0]

    def test_totals(self):
        answer = self.answer(self.old, self.new)
        harness.expect_figures(answer["change"], {
            "live_bytes": 10 * 500 + 5000, "peak_bytes": 10 * 500 + 5000,
            "calls": 11 - 11, "bytes": 15_000 + 5000 - 10_000 - 300,
            "never_freed_bytes": 5000, "temporary_calls": -1}, "change")
        self.assertEqual(answer["blame"], {"name": "parse", "live_bytes": 5000})

    def test_sites_are_matched_though_every_line_moved(self):
        answer = self.answer(self.old, self.new)
        parse = self.group(answer, "parse")
        self.assertEqual(parse["kind"], "grew")
        self.assertEqual((parse["before"]["live_bytes"], parse["after"]["live_bytes"]),
                         (10_000, 15_000))
        self.assertEqual(parse["line"], diff_program.line_of("parse", True))
        self.assertEqual(parse["change"]["calls"], 0)
        save = self.group(answer, "save")
        self.assertEqual((save["kind"], save["before"]), ("came", None))
        self.assertEqual(save["change"]["never_freed_bytes"], 5000)
        draw = self.group(answer, "draw")
        self.assertEqual((draw["kind"], draw["after"]), ("went", None))
        self.assertEqual(draw["change"]["bytes"], -300)
        names = [frame["function"] for frame in save["frames"]]
        self.assertEqual(names[names.index("save") + 1], "main")

    def test_by_function_and_file(self):
        answer = self.answer(self.old, self.new, "--by", "function")
        main = self.group(answer, "main")
        self.assertEqual(main["change"]["live_bytes"], 0)
        self.assertEqual(main["with_callees"]["change"]["live_bytes"], 10_000)
        files = self.answer(self.old, self.new, "--by", "file")
        grown = [group for group in files["groups"] if group["change"]["live_bytes"] != 0]
        self.assertEqual([group["change"]["live_bytes"] for group in grown], [10_000])

    def test_filter(self):
        answer = self.answer(self.old, self.new, "--filter", "size>=2k", "--at", "end")
        self.assertEqual(answer["change"]["live_bytes"], 5000)
        self.assertEqual([group["name"] for group in answer["groups"]], ["save"])
        answer = self.answer("--filter", "size>=1k", "--filter", "function=parse", self.old, self.new)
        self.assertEqual(answer["change"]["bytes"], 15_000 - 0)  # 1,000 is less than 1k

    def test_a_ledger_does_not_differ_from_itself(self):
        answer = self.answer(self.new, self.new)
        self.assertEqual(answer["counts"]["same"], answer["counts"]["groups"])
        self.assertEqual(set(answer["change"].values()), {0})

    def test_folders(self):
        folders = [os.path.dirname(self.old), os.path.dirname(self.new)]
        self.assertEqual(self.answer(*folders)["change"], self.answer(self.old, self.new)["change"])

    def test_moments(self):
        answer = self.answer(self.new, "--moments", "peak", "end")
        self.assertEqual(answer["change"]["live_bytes"], -15_000)
        self.assertEqual(self.group(answer, "parse")["after"]["live_bytes"], 0)
        self.assertEqual(self.group(answer, "save")["change"]["live_bytes"], 0)
        start = self.answer(self.new, "--moments", "start", "end")
        self.assertEqual(self.group(start, "parse")["change"]["calls"], 10)

    def test_text_reads_like_an_answer(self):
        status, stdout, stderr = tool("diff", self.old, self.new)
        self.assertEqual((status, stderr), (0, ""))
        self.assertIn("B peaks 9.8 KiB higher", stdout)
        self.assertRegex(stdout, r"grew +\+4\.9 KiB +9\.8 KiB +14\.6 KiB +parse +\S*app\.c:\d+")
        self.assertRegex(stdout, r"came +\+4\.9 KiB +- +4\.9 KiB +save")
        self.assertRegex(stdout, r"temporary calls +\d+ +\d+ +-1")

    def test_wrong_words(self):
        for arguments, said in (
                ([self.old], "between two"), ([self.old, self.new, "--moments", "start", "end"], "one"),
                ([self.old, self.old + ".not"], "not"), ([self.old, self.new, "--by", "color"], "color"),
                ([self.old, self.new, "--sort", "never-fred"], "never-freed"),
                ([self.old, self.new, "--at", "teatime"], "teatime"),
                ([self.old, self.new, "--by", "process"], "process"),
                ([self.old, "--moments", "peak"], "--moments")):
            status, stdout, stderr = tool("diff", *arguments)
            self.assertEqual((status, stdout), (2, ""), arguments)
            self.assertIn(said, stderr)

    def test_a_moment_after_the_end_is_refused_with_the_range(self):
        for words in ([self.new, "--moments", "start", "2h"], [self.new, "--moments", "2h", "end"],
                      [self.old, self.new, "--at", "2h"]):
            status, stdout, stderr = tool("diff", *words)
            self.assertEqual((status, stdout), (2, ""), words)
            self.assertRegex(stderr, r"2 h 0 min is after the end of the recording, "
                                     r"which is from 0s to [0-9.]+ [mu]?s")

    def test_a_damaged_ledger_is_said(self):
        broken = os.path.join(self.folder, "broken.ledger")
        with open(broken, "wb") as file:
            file.write(harness.content_of(self.new))
        diff_program.damage(broken)
        status, _, stderr = tool("diff", self.old, broken)
        self.assertEqual(status, 3)
        self.assertIn("broken.ledger", stderr)


if __name__ == "__main__":
    unittest.main()
