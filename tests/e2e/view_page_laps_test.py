"""What the page of `heapledger view` shows of a program with known figures: at its markers, in ranges,
under filters that were brushed, between flags; and of the same recording raw, sealed, sampled and cut."""

import csv
import io
import json
import os
import subprocess
import unittest

import harness
import view_page
import viewing

LAPS = 3
LEAKS, LEAK = 10, 3000  # each lap
CACHE = 50000  # once, in the first
BORROWS, BORROW = 10, 7000  # each lap, freed at once
PROGRAM = f"""
#include <cstdlib>
#include "heapledger.h"
#define APART __attribute__((noinline))
char* volatile kept[{LAPS * LEAKS}];
char* volatile cache;
APART void leak(int i) {{ kept[i] = static_cast<char*>(malloc({LEAK})); }}
APART void fill_cache() {{ if (!cache) cache = static_cast<char*>(malloc({CACHE})); }}
APART void borrow() {{ void* volatile block = malloc({BORROW}); free(block); }}
int main() {{
  const char* names[] = {{"lap0", "lap1", "lap2", "lap3"}};
  for (int lap = 0; lap < {LAPS}; ++lap) {{
    heapledger_marker(names[lap]);
    fill_cache();
    for (int i = 0; i < {LEAKS}; ++i) leak(lap * {LEAKS} + i);
    for (int i = 0; i < {BORROWS}; ++i) borrow();
  }}
  heapledger_marker(names[{LAPS}]);
  return 0;
}}
"""


def kib(value):
    return f"{value / 1024:.1f} KiB"


def report(ledger, *words):
    # It is 3 for one that is cut, which is reported on none the less.
    done = subprocess.run([harness.TOOL, "report", ledger, "--json", *words], capture_output=True,
                          text=True, check=False, timeout=harness.HANG_SECONDS)
    return json.loads(done.stdout)


class Laps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.binary = view_page.compiled("laps", PROGRAM)
        cls.ledger = view_page.recorded("laps", cls.binary)
        cls.view = viewing.View("--no-browser", cls.ledger)
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def look(self, script, **given):
        return view_page.look(self.view, script, given)

    def test_marker_to_the_byte(self):
        text, boxes, answered = self.look("""
            await page.addInitScript(() => {
              Object.defineProperty(navigator, 'clipboard', { value: {
                writeText: async (text) => { window.copied = text; } } });
            });
            await open('?view=table&by=function');
            await page.locator('.moments button:has-text("lap2")').click();
            await settled();
            await click('text=Copy CSV');
            const copied = await page.evaluate(() => window.copied);
            const answers = [];
            page.on('response', async (response) => {
              if (response.url().endsWith('/api/ask')) answers.push(await response.json());
            });
            await click('#tab-flame');
            await page.locator('.flame').focus();
            for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowDown');
            const box = await page.locator('[role=treeitem][aria-selected=true]').textContent();
            const { answer } = answers.find(({ answer }) => answer.tree);
            const { tree, texts } = answer;
            return [copied, box, tree.name.map((name, i) => [texts[name], tree.all.live_bytes[i]])];""")
        rows = {row["function"]: int(row["live bytes"]) for row in csv.DictReader(io.StringIO(text))}
        leaked = 2 * LEAKS * LEAK
        self.assertEqual({name: value for name, value in rows.items() if name.split("(")[0] in
                          ("leak", "fill_cache", "borrow")}, {"leak(int)": leaked, "fill_cache()": CACHE, "borrow()": 0})
        nodes = {name.split("(")[0]: value for name, value in answered}
        self.assertEqual((nodes["leak"], nodes["fill_cache"]), (leaked, CACHE))
        self.assertIn(kib(leaked), boxes)

    def test_alive_and_freed_are_what_was_allocated(self):
        between = "&between=marker:lap0+marker:lap3"
        shown = self.look("""
            const shown = {};
            for (const metric of ['grown', 'freed', 'bytes']) {
              await open('?view=table&metric=' + metric + args.between);
              shown[metric] = await total();
            }
            return shown;""", between=between)
        alive, freed = CACHE + LAPS * LEAKS * LEAK, LAPS * BORROWS * BORROW
        self.assertEqual(shown, {"grown": f"{kib(alive)} grown in {1 + LAPS * LEAKS} blocks",
                                 "freed": f"{kib(freed)} freed", "bytes": f"{kib(alive + freed)} allocated"})

    def test_a_brush_is_a_filter(self):
        total, chips = self.look("""
            await open('?view=shapes&metric=bytes');
            const from = await page.locator('.bars button:has-text("2 KiB to <4 KiB")').boundingBox();
            const to = await page.locator('.bars button:has-text("4 KiB to <8 KiB")').boundingBox();
            await page.mouse.move(from.x + 30, from.y + 8);
            await page.mouse.down();
            await page.mouse.move(to.x + 30, to.y + 8, { steps: 4 });
            await page.mouse.up();
            await settled();
            return [await total(), await page.locator('.chip span').allTextContents()];""")
        self.assertEqual(total, f"{kib(LAPS * (LEAKS * LEAK + BORROWS * BORROW))} allocated")
        figures = report(self.ledger, "--filter", ",".join(chips), "--by", "module")["figures"]
        self.assertEqual(figures["bytes"], LAPS * (LEAKS * LEAK + BORROWS * BORROW))

    def test_source_has_each_line_s_own(self):
        """What a line has stands beside it and nowhere else."""
        rows = self.look("""
            await open('?view=source&at=marker:lap2&pick=owner:leak(int)&file=' + args.source);
            await page.locator('.source tr[data-line] .value').first().waitFor();
            return page.locator('.source tr[data-line]').evaluateAll((rows) => rows.map(
                (row) => [row.querySelector('.text').textContent, row.querySelector('.value')?.textContent ?? '',
                          row.children[1].textContent]).filter(([_, all]) => all));""",
                         source=self.binary + ".cpp")
        found = {text.split("(")[0].split()[-1]: figures for text, *figures in rows if "APART" in text}
        leaked = kib(2 * LEAKS * LEAK)
        self.assertEqual(found, {"leak": [leaked, leaked], "fill_cache": [kib(CACHE), kib(CACHE)]})

    def test_callers_of_a_function(self):
        head, above, below = self.look("""
            await open('?view=callers&at=marker:lap2&pick=function:leak(int)');
            const trees = page.locator('.sandwich .flame');
            const named = async (at, key) => {
              await trees.nth(at).focus();
              const names = [];
              for (let i = 0; i < 3; ++i) {
                await page.keyboard.press(key);
                names.push(await page.locator('.sandwich section').nth(at)
                    .locator('[role=treeitem][aria-selected=true]').textContent());
              }
              return names;
            };
            return [await text('.head > span:not(.spring)'), await named(0, 'ArrowUp'), await named(1, 'ArrowDown')];""")
        leaked = kib(2 * LEAKS * LEAK)
        self.assertTrue(head.startswith(leaked + ", "), head)
        self.assertTrue(any(text.startswith(f"main, {leaked},") for text in above), above)
        self.assertTrue(any(text.startswith(f"leak(int), {leaked},") for text in below), below)

    def test_only_the_leak_grew_between_all_flags(self):
        said, rows = self.look("""
            await open('?view=growth&flags=' + args.flags.join('-'));
            return [await total(), await page.locator('.rows tbody tr:not(.gap)').evaluateAll(
                (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))];""",
                               flags=[marker["time_ns"] for marker in self.view.recording()["markers"]])
        self.assertEqual(said, "1 grew in every interval")
        self.assertIn("leak", rows[0][0])
        self.assertEqual(rows[0][1:], ["3 of 3", kib(LAPS * LEAKS * LEAK), *[kib(LEAKS * LEAK)] * 3])
        self.assertIn("fill_cache", rows[1][0])
        self.assertEqual(rows[1][1:], ["1 of 3", kib(CACHE), kib(CACHE), "·", "·"])
        self.assertEqual(len(rows), 2)

    def test_compare_is_diff(self):
        rows = self.look("""
            await open('?view=compare&between=marker:lap1+marker:lap3');
            return page.locator('.rows tbody tr:not(.gap)').evaluateAll(
                (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));""")
        diff = harness.tool_json("diff", [self.ledger, "--by", "owner", "--moments", "marker:lap1",
                                          "marker:lap3"])
        changed = [group for group in diff["groups"] if group["change"]["live_bytes"] != 0]
        self.assertEqual(len(changed), 1)
        self.assertEqual(changed[0]["change"]["live_bytes"], 2 * LEAKS * LEAK)
        self.assertEqual([row[1:3] for row in rows], [["+" + kib(2 * LEAKS * LEAK), f"+{2 * LEAKS}"]])

    def test_raw_cut_and_sampled(self):
        raw = view_page.recorded("raw", self.binary, options=("--no-seal",))
        cut = os.path.join(harness.fresh_folder(), "cut.ledger")
        with open(raw, "rb") as source, open(cut, "wb") as to:
            to.write(source.read()[:-100])
        sampled = view_page.recorded("sampled", self.binary,
                                     options=("--mode", "sample", "--sample", "1k", "--seed", "7"))
        views = [viewing.View("--no-browser", path) for path in (raw, cut, sampled)]
        try:
            shown = view_page.look(self.view, """
                const shown = [];
                for (const url of args.urls) {
                  await page.goto('about:blank');
                  await page.goto(url.replace('/#', '/?view=table&by=function&at=end#'));
                  await settled();
                  const row = page.locator('.rows tr:has-text("leak(int)")');
                  shown.push([await total(), await row.locator('.value').first().textContent()]);
                }
                return shown;""", {"urls": [view.url for view in views]})
        finally:
            for view in views:
                view.stop()
        leaked = kib(LAPS * LEAKS * LEAK)
        self.assertEqual(shown[0][1], leaked)
        # The end of a file that is cut is where it was cut.
        groups = report(cut, "--at", "end", "--by", "function")["groups"]
        leak = next(group for group in groups if group["name"] == "leak(int)")
        self.assertEqual(shown[1][1], kib(leak["live_bytes"]))
        self.assertIn("±", shown[2][0])
        groups = report(sampled, "--at", "end", "--by", "function")["groups"]
        leak = next(group for group in groups if group["name"] == "leak(int)")
        self.assertEqual(shown[2][1], kib(leak["live_bytes"]))


class Sources(unittest.TestCase):
    def test_changed_and_missing(self):
        binary = view_page.compiled("laps", PROGRAM)
        source = os.path.join(os.path.dirname(binary), "laps.cpp")
        ledger = view_page.recorded("laps", binary)
        with viewing.View("--no-browser", ledger) as view:
            view.wait_for_event("index")
            script = """
                await open('?view=source&at=end&pick=owner:leak(int)&file=' + args.source + '&line=8');
                return text('.note');"""
            with open(source, "a", encoding="utf-8") as file:
                file.write("// and more\n")
            os.utime(source, (2e9, 2e9))
            changed = view_page.look(view, script, {"source": source})
            os.remove(source)
            missing = view_page.look(view, script, {"source": source})
        self.assertIn("changed since the recording", changed)
        self.assertIn("laps.cpp", missing)


if __name__ == "__main__":
    unittest.main()
