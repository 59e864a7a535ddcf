"""speedscope's format: its schema holds, its page shows the figures of the report, and it opens the
other exports that it reads."""

import json
import os
import subprocess
import unittest

import clients
import export_program
import harness
from export_program import export, report, totals_of

VALIDATE = """
const fs = require('fs');
const Ajv = require('ajv');
const read = (path) => JSON.parse(fs.readFileSync(path, 'utf8'));
const validate = new Ajv({ strict: false, allErrors: true }).compile(read(process.argv[2]));
console.log(JSON.stringify(validate(read(process.argv[3])) ? [] : validate.errors));
"""

# Opens a file and looks at the table of functions. Gives the title above it and its rows.
LOOK = """
page.on('dialog', (dialog) => { throw new Error('the page says: ' + dialog.message()); });
await page.goto(args.page);
await page.locator('input[type=file]').first().setInputFiles(args.file);
await page.getByText('Sandwich').click();
await page.locator('td', { hasText: '%)' }).first().waitFor();
return await page.evaluate(() => ({
  text: document.body.innerText,
  rows: [...document.querySelectorAll('tr')].map(
      (row) => [...row.children].map((cell) => cell.textContent)) }));
"""

BUSHY = """
#include <stdlib.h>
void* volatile kept;
__attribute__((noinline)) void right(int depth);
__attribute__((noinline)) void left(int depth) {
  if (depth == 0) { kept = malloc(10); return; }
  left(depth - 1);
  right(depth - 1);
  kept = kept;
}
__attribute__((noinline)) void right(int depth) {
  if (depth == 0) { kept = malloc(11); return; }
  left(depth - 1);
  right(depth - 1);
  kept = kept;
}
__attribute__((noinline)) void deep(int depth) {
  if (depth == 0) left(15); else deep(depth - 1);
  kept = kept;
}
int main(void) { kept = malloc(100000); deep(100); return 0; }
"""

# The profiles of a file without --metric: the name, the unit, and the same figure in a report.
PROFILES = (("bytes live at the peak", "bytes", "peak_bytes"), ("bytes allocated", "bytes", "bytes"),
            ("calls", "none", "calls"), ("temporary calls", "none", "temporary_calls"),
            ("bytes never freed", "bytes", "never_freed_bytes"))


def exported(ledger, *options):
    return json.loads(export(ledger, "speedscope", *options))


def by_function(content, profile):
    """What every function has with all that it calls, from a profile of a file."""
    sums = {}
    for sample, weight in zip(profile["samples"], profile["weights"]):
        for name in {content["shared"]["frames"][frame]["name"] for frame in sample}:
            sums[name] = sums.get(name, 0) + weight
    return sums


def look(name, text):
    """What speedscope's page shows of a file: its text, and the total of every function."""
    path = os.path.join(harness.fresh_folder(), name)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    page = os.path.join(clients.node_module("speedscope"), "dist", "release", "index.html")
    # High enough for the whole table: the page makes only those rows that can be seen.
    seen = clients.in_browser(LOOK, {"page": "file://" + page, "file": path}, height=6000)
    # The list of profiles is a table, too.
    cells = [row for row in seen["rows"] if len(row) == 3 and row[0].endswith("%)")]
    return seen["text"], {name: total.rpartition(" (")[0] for total, _, name in cells}


def functions(ledger, figure):
    groups = report(ledger, "--by", "function", "--top", "1000000")["groups"]
    return {group["name"]: group[figure] for group in groups if group[figure]}


class Speedscope(unittest.TestCase):
    def test_the_schema_holds(self):
        schema = os.path.join(clients.node_module("speedscope"), "dist", "release",
                              "file-format-schema.json")
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled(),
                       export_program.hostile()):
            path = os.path.join(harness.fresh_folder(), "heap.speedscope.json")
            export(ledger, "speedscope", "-o", path)
            self.assertEqual(json.loads(clients.run_node(VALIDATE, schema, path)), [])

    def test_sums_are_the_totals_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            totals = totals_of(ledger)
            content = exported(ledger)
            self.assertEqual(len(content["profiles"]), len(PROFILES))
            for profile, (name, unit, figure) in zip(content["profiles"], PROFILES):
                with self.subTest(ledger=ledger, profile=name):
                    self.assertEqual((profile["type"], profile["name"], profile["unit"]),
                                     ("sampled", name, unit))
                    self.assertEqual(len(profile["samples"]), len(profile["weights"]))
                    self.assertEqual(sum(profile["weights"]), totals[figure])
                    self.assertEqual(profile["endValue"], totals[figure])

    def test_functions_are_those_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            content = exported(ledger)
            for number, figure in ((0, "live_bytes"), (1, "bytes"), (2, "calls")):
                self.assertEqual(by_function(content, content["profiles"][number]),
                                 functions(ledger, figure))

    def test_the_outermost_function_comes_first(self):
        content = exported(export_program.cpp(), "--metric", "never-freed")
        self.assertEqual(len(content["profiles"]), 1)
        profile = content["profiles"][0]
        frames = content["shared"]["frames"]
        stacks = [[frames[frame]["name"] for frame in sample] for sample in profile["samples"]]
        stack = next(names for names in stacks if "shop::nested(int)" in names)
        self.assertEqual(profile["weights"][stacks.index(stack)], 4321)
        self.assertEqual(stack[0], "_start")
        self.assertEqual(stack[-7:], ["main"] + ["shop::nested(int)"] * 6)
        main = next(frame for frame in frames if frame["name"] == "main")
        self.assertTrue(main["file"].endswith("/shop.cpp"))
        source = export_program.CPP.splitlines()
        self.assertIn("shop::nested(5)", source[main["line"] - 1])

    def test_moments_and_ranges(self):
        at_end = exported(export_program.cpp(), "--at", "end")
        self.assertEqual([profile["name"] for profile in at_end["profiles"]],
                         ["bytes live at the end", "bytes allocated", "calls", "temporary calls"])
        self.assertEqual(at_end["profiles"][0]["endValue"],
                         report(export_program.cpp())["totals"]["end_bytes"])
        between = ["--between", "start", "peak"]
        figures = report(export_program.cpp(), *between)["figures"]
        profiles = exported(export_program.cpp(), *between)["profiles"]
        self.assertEqual([profile["endValue"] for profile in profiles],
                         [figures[name] for name in ("live_bytes", "bytes", "calls",
                                                     "temporary_calls")])

    def test_files_are_bounded(self):
        # 2^15 stacks of more than 115 functions each, half of them with 10 bytes and half with 11, and
        # one with 100,000.
        ledger = export_program.record([export_program.compile_program(
            "bushy", BUSHY, "gcc", ("-O1", "-g"))], "bushy", "--depth", "255")
        path = os.path.join(harness.fresh_folder(), "bushy.json")
        done = subprocess.run([harness.TOOL, "export", ledger, "--to", "speedscope", "-o", path],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0)
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        live = content["profiles"][0]
        total = (1 << 14) * (10 + 11) + 100000
        self.assertEqual([sum(profile["weights"]) for profile in content["profiles"]],
                         [total, total, (1 << 15) + 1, 0, total])
        for profile in content["profiles"]:
            self.assertLessEqual(sum(len(sample) for sample in profile["samples"]), 3000001)
        self.assertEqual(max(live["weights"]), 100000)
        last = content["shared"]["frames"][live["samples"][-1][0]]["name"]
        self.assertEqual(last, "[light stacks, left out]")
        share = 100 * live["weights"][-1] / total
        self.assertIn(f"with {share:.1f}% of it, left out", done.stderr)

    def test_time_of_ledgers_that_have_it(self):
        ledger = export_program.record([export_program.cpp_binary()], "timed", "--mode", "sample",
                                       "--sample", "2048", "--weigh", "time")
        groups = report(ledger, "--by", "process")["groups"]
        profile = next(one for one in exported(ledger)["profiles"] if one["name"] == "time")
        self.assertEqual(profile["unit"], "nanoseconds")
        self.assertEqual(sum(profile["weights"]), sum(group["time_ns"] for group in groups))
        self.assertGreater(profile["endValue"], 0)

    def test_the_page_shows_the_figures_of_the_report(self):
        text, seen = look("shop.speedscope.json",
                          export(export_program.cpp(), "speedscope", "--metric", "calls"))
        self.assertIn("\ncalls\n", text)
        self.assertEqual({name: int(total.replace(",", "")) for name, total in seen.items()},
                         functions(export_program.cpp(), "calls"))

    def test_the_page_has_all_profiles(self):
        text, seen = look("shop.speedscope.json", export(export_program.cpp(), "speedscope"))
        self.assertIn("bytes live at the peak (1/5)", text)
        live = functions(export_program.cpp(), "live_bytes")
        self.assertEqual(set(seen), set(live))
        self.assertEqual(seen["main"], f"{live['main'] / 1024:.2f} KB")

    def test_the_page_shows_hostile_names(self):
        _, seen = look("hostile.speedscope.json",
                       export(export_program.hostile(), "speedscope", "--raw-names"))
        by_size = {size: name for name, size in seen.items()}
        for size in export_program.HOSTILE_NAMES.values():
            self.assertIn(f"{size} B", by_size)
        for size, name in ((101, 'semi;colon "quoted" <tag> & more'),
                           (202, r"line\nbreak\ttab\x0dreturn"),
                           (303, r"escape\x1b[31mred\x07"),
                           (404, r"no utf-8 \xff\xfe\xc3 here"),
                           (606, "long " + "x" * 10000),
                           (707, "</script><script>alert(1)</script>"),
                           (808, r"direction \u202e mark \u2028 separator")):
            self.assertEqual(by_size[f"{size} B"], name)

    def test_the_page_opens_collapsed_stacks(self):
        _, seen = look("shop.collapsed", export(export_program.cpp(), "collapsed"))
        self.assertEqual({name: int(total.replace(",", "")) for name, total in seen.items()},
                         functions(export_program.cpp(), "live_bytes"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
