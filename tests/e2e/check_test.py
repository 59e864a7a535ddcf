"""heapledger check: a gate on a program whose heap is known, and its files."""

import json
import os
import shutil
import subprocess
import unittest
from xml.etree import ElementTree

import diff_program
import harness
from diff_program import tool

HOSTILE = "a<b>&\"'\x1b[31m\x01\u202e]]>\ufffe"


class Check(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.fresh_folder()
        cls.ledgers = {}
        for name, new in (("old", False), ("new", True)):
            app = diff_program.build(os.path.join(cls.folder, name), new)
            cls.ledgers[name] = diff_program.record(app,
                                                    os.path.join(cls.folder, name + ".ledger"))
        cls.old, cls.new = cls.ledgers["old"], cls.ledgers["new"]

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def limits(self, *arguments, status=0):
        seen, stdout, stderr = tool("check", "--json", *arguments)
        self.assertEqual(seen, status, stderr)
        answer = json.loads(stdout)
        self.assertEqual(answer["schema"], "heapledger.check/1")
        return answer["limits"]

    def refused(self, said, *arguments, status=2):
        seen, stdout, stderr = tool("check", *arguments)
        self.assertEqual((seen, stdout), (status, ""), stderr)
        self.assertIn(said, stderr)

    def test_held_up_to_the_very_byte(self):
        """20,000 bytes at the peak, 5,000 never freed, and what libc has on its own account."""
        report = harness.report([self.new])
        peak = report["totals"]["peak_bytes"]
        own = harness.own_sums(report, "app")
        self.assertEqual((own["calls"], own["bytes"], own["end_bytes"]), (11, 20_000, 5000))
        self.assertGreaterEqual(peak, 20_000)
        held = self.limits(self.new, "--max-peak", str(peak), "--max-rss", "1G",
                           "--max-temporary", "50%")
        self.assertEqual([one["limit"] for one in held], ["max-peak", "max-rss", "max-temporary"])
        self.assertTrue(all(one["held"] for one in held))
        (over,) = self.limits(self.new, "--max-peak", str(peak - 1), status=1)
        self.assertEqual((over["held"], over["value"], over["max"]), (False, peak, peak - 1))

    def test_blame_has_file_line_and_share(self):
        (never,) = self.limits(self.new, "--max-never-freed", "4k", status=1)
        culprit = never["culprits"][0]
        self.assertEqual((culprit["function"], culprit["value"]), ("save", 5000))
        self.assertEqual(culprit["line"], diff_program.line_of("save", True))
        self.assertAlmostEqual(culprit["share_percent"], 100 * 5000 / never["value"])
        status, stdout, _ = tool("check", self.new, "--max-never-freed", "4KiB", "--max-calls", "1M")
        self.assertEqual(status, 1)
        self.assertRegex(stdout, r"(?m)^exceeded +max-never-freed +limit +4\.0 KiB +value +4\.9 KiB")
        self.assertRegex(stdout, rf"save +\S*app\.c:{culprit['line']}\n")
        self.assertRegex(stdout, r"(?m)^held +max-calls")
        self.assertIn("1 of 2 limits exceeded", stdout)

    def test_suppressions(self):
        status, stdout, stderr = tool("check", self.new, "--max-never-freed", "0",
                                      "--suppressions", self.path("known.supp", "leak:^save$\n"))
        self.assertEqual(status, 0, stdout + stderr)
        self.assertIn("4.9 KiB in 1 block by leak:^save$", stdout)

    def test_growth(self):
        growth = self.limits(self.new, "--against", self.old, "--max-growth", "5%", status=1)
        seen = {one["measure"]: one for one in growth}
        self.assertEqual(set(seen), {"peak", "never-freed", "calls", "bytes"})
        self.assertTrue(seen["calls"]["held"])
        self.assertEqual(seen["bytes"]["value"] - seen["bytes"]["before"], 20_000 - 10_300)
        self.assertEqual(seen["peak"]["value"] - seen["peak"]["before"], 10_000)
        self.assertEqual({one["function"]: one["value"] for one in seen["peak"]["culprits"]},
                         {"parse": 5000, "save": 5000})
        held = self.limits(self.old, "--against", self.new, "--max-growth", "0%")
        self.assertTrue(all(one["held"] for one in held))

    def test_limits_file_and_command_line(self):
        path = self.path("heap.limits", "# ours\nmax-peak = 1k  # far too little\nmax-calls=1M\n")
        limits = self.limits(self.new, "--limits", path, status=1)
        self.assertEqual([one["source"] for one in limits], [path + ":2", path + ":3"])
        limits = self.limits(self.new, "--limits", path, "--max-peak", "1G")
        self.assertEqual([one["source"] for one in limits], ["command line", path + ":3"])

    def test_usage(self):
        self.refused("no limit", self.new)
        self.refused("--against", self.new, "--max-growth", "5%")
        self.refused("--max-growth", self.new, "--against", self.old)
        self.refused("'lots'", self.new, "--max-peak", "lots")
        self.refused("max-peak", self.new, "--limits", self.path("bad", "max-peek = 1\n"))
        self.refused("bad:1", self.new, "--limits", self.path("bad", "max-peek = 1\n"))
        self.refused("gone.limits", self.new, "--limits", self.path("gone.limits"))
        self.refused("no/such", self.new, "--max-peak", "1", "--junit", self.path("no/such.xml"))
        self.refused("--max-peek", self.new, "--max-peek", "1G")

    def test_damaged_or_no_ledger(self):
        broken = self.path("broken.ledger")
        shutil.copy(self.new, broken)
        diff_program.damage(broken)
        xml = self.path("broken.xml")
        status, stdout, stderr = tool("check", broken, "--max-peak", "1G", "--junit", xml)
        self.assertEqual(status, 3)
        self.assertIn("--allow-incomplete", stderr)
        self.assertIn("held", stdout)
        self.assertEqual(ElementTree.parse(xml).getroot()[0].get("errors"), "1")
        self.assertEqual(tool("check", broken, "--max-peak", "1G", "--allow-incomplete")[0], 0)
        self.assertEqual(tool("check", broken, "--max-peak", "1", "--allow-incomplete")[0], 1)
        self.assertEqual(tool("check", self.new, "--against", broken, "--max-growth", "900%")[0], 3)
        text = self.path("text.ledger", "no ledger at all" * 1000)
        self.refused("text.ledger", text, "--max-peak", "1G", "--junit", xml, status=3)
        (case,) = ElementTree.parse(xml).getroot().iter("testcase")
        self.assertIn("text.ledger", case[0].get("message"))

    def test_junit_of_hostile_names(self):
        app = self.path(HOSTILE)
        shutil.copy(self.path("new/app"), app)
        subprocess.run(["strip", app], check=True)
        ledger = diff_program.record(app, self.path(HOSTILE + ".ledger"))
        xml = self.path("hostile.xml")
        status, stdout, _ = tool("check", ledger, "--max-peak", "1k", "--max-calls", "1M",
                                 "--junit", xml)
        self.assertEqual(status, 1)
        self.assertNotIn("\x1b", stdout)
        suite = ElementTree.parse(xml).getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")),
                         ("3", "1", "0"))
        cases = {case.get("name"): case for case in suite}
        self.assertEqual(set(cases), {"complete", "max-peak", "max-calls"})
        self.assertIn("a<b>&\"'\\x1b[31m\\x01\\u202e]]>\\ufffe", cases["max-peak"].get("classname"))
        failure = cases["max-peak"].find("failure")
        self.assertIn("a<b>&\"'\\x1b", failure.text)
        self.assertRegex(failure.get("message"), r"^peak .* KiB, limit 1\.0 KiB$")
        self.assertIsNone(cases["max-calls"].find("failure"))


if __name__ == "__main__":
    unittest.main()
