"""Collapsed stacks: sums as the report has them, names made harmless, and the programs that draw
them."""

import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import clients
import export_program
import harness
from export_program import export, report, totals_of


def lines_of(text):
    """Pairs of a stack (a list of names) and its value."""
    pairs = [line.rpartition(" ") for line in text.splitlines()]
    return [(stack.split(";"), int(value)) for stack, _, value in pairs]


def total(text):
    return sum(value for _, value in lines_of(text))


class Collapsed(unittest.TestCase):
    def test_sums_are_the_totals_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            totals = totals_of(ledger)
            for metric, name in (("calls", "calls"), ("bytes", "bytes"), ("live", "peak_bytes"),
                                 ("peak", "peak_bytes"), ("never-freed", "never_freed_bytes"),
                                 ("temporary", "temporary_calls")):
                with self.subTest(ledger=ledger, metric=metric):
                    self.assertEqual(total(export(ledger, "collapsed", "--metric", metric)),
                                     totals[name])

    def test_inlined_and_recursive_functions_are_frames(self):
        text = export(export_program.cpp(), "collapsed", "--metric", "never-freed")
        found = [(stack, value) for stack, value in lines_of(text)
                 if any("nested" in name for name in stack)]
        self.assertEqual(sum(value for _, value in found), 4321)
        stocked = export(export_program.cpp(), "collapsed", "--metric", "calls")
        self.assertTrue(any("make_item" in line and "stock" in line
                            for line in stocked.splitlines()), stocked[:2000])

    def test_other_separators(self):
        usual = export(export_program.cpp(), "collapsed")
        other = export(export_program.cpp(), "collapsed", "--separator", "|")
        self.assertEqual(len(usual.splitlines()), len(other.splitlines()))
        self.assertIn("|", other)

    def test_hostile_names(self):
        text = export(export_program.hostile(), "collapsed", "--metric", "never-freed",
                      "--raw-names")
        values = {value for stack, value in lines_of(text)}
        self.assertLessEqual(set(export_program.HOSTILE_NAMES.values()), values)
        for line in text.split("\n"):
            self.assertTrue(all(c >= " " and not "\x7f" <= c < "\xa0" for c in line), line)
        depths = {len(stack) for stack, value in lines_of(text)
                  if value in export_program.HOSTILE_NAMES.values()}
        self.assertEqual(len(depths), 1, "no name has become two frames")

    def test_flamegraph_draws_them(self):
        ledger = export_program.cpp()
        path = os.path.join(harness.fresh_folder(), "shop.collapsed")
        export(ledger, "collapsed", "-o", path)
        clients.node_module("flamegraph")
        svg = clients.run_node("""
            const lines = require('fs').readFileSync(process.argv[2], 'utf8').split('\\n');
            process.stdout.write(require('flamegraph').svg(lines, { countname: 'bytes' }));""", path)
        drawn = {}
        for title in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title"):
            name, value = re.fullmatch(r"(.*) \(([\d,]+) bytes\), [\d.]+%\)", title.text).groups()
            drawn[name] = drawn.get(name, 0) + int(value.replace(",", ""))
        rows = {row["name"]: row["live_bytes"]
                for row in report(ledger, "--by", "function", "--top", "100000")["groups"]}
        for name in ("shop::stock(int)", "shop::make_item(int)", "main", "start_thread"):
            self.assertEqual(drawn[name], rows[name], name)

    def test_refusals(self):
        for words, text in ((["--metric", "calls", "--to", "colapsed"], "collapsed"),
                            (["--to", "collapsed", "--metric", "cals"], "calls"),
                            (["--to", "collapsed", "--metric", "peak", "--at", "end"], "live"),
                            (["--to", "collapsed", "--metric", "time"], "--weigh time"),
                            (["--to", "collapsed", "--entries"], "tsv"),
                            (["--to", "collapsed", "-o", "/nowhere/out"], "/nowhere/out")):
            done = subprocess.run([harness.TOOL, "export", export_program.cpp(), *words],
                                  capture_output=True, text=True, timeout=300)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_file_appears_whole_or_not_at_all(self):
        folder = harness.fresh_folder()
        path = os.path.join(folder, "out.collapsed")
        export(export_program.cpp(), "collapsed", "-o", path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), export(export_program.cpp(), "collapsed"))
        self.assertEqual(os.listdir(folder), ["out.collapsed"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
