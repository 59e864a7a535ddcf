"""DHAT's format: its own page shows it in a browser, with the figures of the report."""

import json
import os
import re
import shutil
import unittest

import clients
import export_program
import harness
from export_program import export, report

PAGE = "/usr/lib*/valgrind/dh_view.html"

LOAD = """
await page.goto('file://' + args.page);
await page.setInputFiles('input[type=file]', args.file);
await page.waitForFunction(() => document.querySelector('pre, .error'));
if (args.sort) {
  await page.selectOption('select', { label: args.sort });
}
if (args.picture) await page.screenshot({ path: args.picture });
return await page.evaluate(() => document.body.innerText);
"""


def in_dh_view(text, sort=None):
    """What the page shows after it has loaded the file."""
    # A folder of its own: the browser may not be allowed to read the system's.
    folder = harness.fresh_folder()
    installed = os.path.dirname(clients.first_file(PAGE, "valgrind"))
    for name in ("dh_view.html", "dh_view.js", "dh_view.css"):
        shutil.copy(os.path.join(installed, name), folder)
    path = os.path.join(folder, "dhat.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    given = {"page": os.path.join(folder, "dh_view.html"), "file": path, "sort": sort,
             "picture": os.environ.get("HEAPLEDGER_PICTURE", "")}
    return clients.in_browser(LOAD, given)


def root_of(shown):
    """Figures of the first point that is shown, which stands for all."""
    head = shown[shown.index("PP 1/1"):]

    def line(title):
        found = re.search(title + r":\s+([\d,]+) bytes.*? in ([\d,]+) blocks", head)
        return [int(word.replace(",", "")) for word in found.groups()]
    return {"total": line("Total"), "peak": line("At t-gmax"), "end": line("At t-end")}


def expected_root(ledgers):
    totals = report(ledgers)["totals"]
    return {"total": [totals["bytes"], totals["calls"]],
            "peak": [totals["peak_bytes"], totals["peak_blocks"]],
            "end": [totals["end_bytes"], totals["end_blocks"]]}


class Dhat(unittest.TestCase):
    def test_the_page_shows_the_totals_of_the_report(self):
        several = [export_program.cpp(), export_program.python()]
        for ledgers in (export_program.cpp(), export_program.python(), export_program.sampled(),
                        several):
            with self.subTest(ledgers=ledgers):
                self.assertEqual(root_of(in_dh_view(export(ledgers, "dhat"))),
                                 expected_root(ledgers))

    def test_a_point_is_a_site_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            with self.subTest(ledger=ledger):
                data = json.loads(export(ledger, "dhat"))
                self.assertEqual(data["ftbl"][0], "[root]")
                seen = []
                for point in data["pps"]:
                    frames = [data["ftbl"][number].split(": ", 1)[1] for number in point["fs"]]
                    self.assertNotIn(0, point["fs"])
                    seen.append(([re.sub(r" \([^()]*\)$", "", frame) for frame in frames],
                                 [point[name] for name in ("tb", "tbk", "mb", "mbk", "gb", "gbk",
                                                           "eb", "ebk")]))
                wanted = []
                for group in report(ledger, "--top", "1000000")["groups"]:
                    names = [inner["name"] for frame in group["frames"]
                             for inner in frame["inlined"] + [frame]]
                    if group["calls"] == 0:
                        continue  # nothing was sampled there
                    wanted.append((names or ["[no stack]"], [group[name] for name in (
                        "bytes", "calls", "peak_bytes", "peak_blocks", "at_peak_bytes",
                        "at_peak_blocks", "end_bytes", "end_blocks")]))
                self.assertEqual(sorted(seen), sorted(wanted))

    def test_lifetimes(self):
        """Where all blocks are freed, the sum is the report's mean times their number."""
        for ledger in (export_program.cpp(), export_program.sampled()):
            data = json.loads(export(ledger, "dhat"))
            asked = report(ledger, "--by", "site", "--sort", "mean-lifetime", "--top", "1000000")
            seen = sorted((point["tb"], point["tbk"], point["mb"], point["tl"] * 1000)
                          for point in data["pps"] if point["ebk"] == 0)
            wanted = sorted((group["bytes"], group["calls"], group["peak_bytes"],
                             group["lifetimes_ns"]["mean"] * group["calls"])
                            for group in asked["groups"]
                            if group["ended_blocks"] == group["calls"])
            self.assertGreater(len(seen), 3)
            self.assertEqual([one[:3] for one in seen], [one[:3] for one in wanted])
            for mine, theirs in zip(seen, wanted):
                # A mean is a whole number, and so are both ends of a block, in nanoseconds.
                self.assertLess(abs(mine[3] - theirs[3]), 1000 + 2 * mine[1], (mine, theirs))

    def test_times(self):
        data = json.loads(export(export_program.cpp(), "dhat"))
        moments = report(export_program.cpp())["moments"]
        self.assertEqual(data["te"], moments["end"]["time_ns"] // 1000)
        self.assertEqual(data["tg"], moments["peak"]["time_ns"] // 1000)

    def test_lifetimes_made_on_paper(self):
        """A block that is there before a pause and after it lives about as long at least."""
        source = """
#include <stdlib.h>
#include <time.h>
void* volatile kept[3];
int main(void) {
  struct timespec pause = {0, 50000000};
  kept[0] = malloc(1001);
  kept[1] = malloc(1002);
  nanosleep(&pause, NULL);
  free(kept[0]);
  kept[2] = malloc(1003);
  free(kept[2]);
  nanosleep(&pause, NULL);
  return 0;
}
"""
        binary = export_program.compile_program("pauses", source, "gcc", ("-O0", "-g"))
        data = json.loads(export(export_program.record([binary], "pauses"), "dhat"))
        lived = {point["tb"]: point["tl"] for point in data["pps"]}
        self.assertGreaterEqual(lived[1001], 45000)
        self.assertGreaterEqual(lived[1002], lived[1001] + 45000)
        self.assertLessEqual(lived[1003], data["te"] - 90000)

    def test_another_order_of_the_page(self):
        shown = in_dh_view(export(export_program.cpp(), "dhat"), sort="At t-gmax (bytes)")
        self.assertEqual(root_of(shown), expected_root(export_program.cpp()))
        self.assertIn("shop::stock", shown)
        self.assertIn("Allocated at {", shown)
        self.assertRegex(shown, r"#\d+: 0x[0-9A-F]+: .*stock.* \(shop\.cpp:\d+\)")

    def test_filters_are_those_of_the_report(self):
        ledger = export_program.cpp()
        for words in (["--filter", "function=stock"], ["--filter", "size<64"]):
            data = json.loads(export(ledger, "dhat", *words))
            for name, moment in (("gb", "peak"), ("eb", "end")):
                seen = report(ledger, "--at", moment, *words)["figures"]
                self.assertEqual(sum(point[name] for point in data["pps"]), seen["live_bytes"])
                self.assertEqual(sum(point["tb"] for point in data["pps"]), seen["bytes"])

    def test_hostile_names(self):
        text = export(export_program.hostile(), "dhat", "--raw-names")
        data = json.loads(text)
        for frame in data["ftbl"]:
            self.assertTrue(all(c >= " " and not "\x7f" <= c < "\xa0" for c in frame), frame)
        sizes = {point["tb"] for point in data["pps"]}
        self.assertLessEqual(set(export_program.HOSTILE_NAMES.values()), sizes)
        shown = in_dh_view(text)
        self.assertEqual(root_of(shown), expected_root(export_program.hostile()))
        self.assertIn("</script><script>alert(1)</script>", shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
