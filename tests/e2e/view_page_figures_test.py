"""What the page of `heapledger view` shows are the program's own figures, and those of `report`; every view
has the same total for the same selection; and the address has all of the selection, but not the token."""

import csv
import io
import json
import shlex
import subprocess
import unittest

import harness
import view_page
import viewing

VIEWS = ("overview", "flame", "table", "source", "shapes")
# What shop.cpp asks for, by its own words: 300 orders of 2,000 bytes, each in a node of a map, and so on.
ORDERS = 300 * 2000
SESSIONS = 600 * 1000
TILES = 50 * 100000


def report(*words):
    done = subprocess.run([harness.TOOL, "report", view_page.shop(), "--json", *words],
                          capture_output=True, text=True, check=True,
                          timeout=harness.HANG_SECONDS)
    return json.loads(done.stdout)


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = viewing.View("--no-browser", view_page.shop())
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def look(self, script, **given):
        return view_page.look(self.view, script, given)

    def test_sentence(self):
        said = self.look("await open(); return await text('.sentence');")
        totals = report()["totals"]
        self.assertIn(view_page.bytes_text(totals["peak_bytes"]), said)
        self.assertIn(f"shop.cpp:{view_page.line_of('100000')}", said)
        self.assertIn(f"shop.cpp:{view_page.line_of('push_back.new')}", said)
        self.assertIn(f"of {totals['calls']:,} calls were temporary", said)
        self.assertIn(view_page.bytes_text(totals["rss_peak_bytes"]), said)

    def test_owners_are_the_programs_constants(self):
        rows = self.look("""
            await open('?view=table&by=owner');
            return page.locator('.rows tbody tr:not(.gap)').evaluateAll((rows) => rows.map((row) =>
                [...row.children].map((cell) => cell.textContent)));""")
        shown = {row[0]: row[1] for row in rows}
        for name, least in (("draw_tiles", TILES), ("take_orders", ORDERS)):
            amount = next(value for key, value in shown.items() if name in key)
            owner = next(group for group in report("--by", "owner")["groups"]
                         if name in group["function"])
            self.assertIn(view_page.bytes_text(owner["live_bytes"]), amount)
            self.assertLess(abs(owner["live_bytes"] - least), least / 40)

    def test_one_total_in_every_view(self):
        between = ("marker:before", "marker:after")
        figures = report("--between", *between)["figures"]
        self.assertGreaterEqual(figures["live_bytes"], ORDERS)
        wanted = {
            "grown": f"{view_page.bytes_text(figures['live_bytes'])} grown in {figures['live_blocks']:,} blocks",
            "calls": f"{figures['calls']:,} calls",
            "bytes": f"{view_page.bytes_text(figures['bytes'])} allocated",
            "freed": f"{view_page.bytes_text(figures['ended_bytes'])} freed",
        }
        shown = self.look("""
            const found = [];
            for (const metric of args.metrics) {
              for (const view of args.views) {
                await open(`?view=${view}&metric=${metric}&between=${args.between.join('+')}`);
                found.push([view, metric, await total()]);
              }
            }
            return found;""", metrics=list(wanted), views=VIEWS, between=between)
        for view, metric, total in shown:
            self.assertEqual(total, wanted[metric], (view, metric))

    def test_filter(self):
        found = self.look("""
            await open('?view=flame');
            await page.locator('#filter').fill('take_orders');
            await page.keyboard.press('Enter');
            await settled();
            const only = await total();
            await page.locator('.chip').click();
            await settled();
            return [only, await total(), await page.locator('.chip').count()];""")
        some = report("--filter", "function=take_orders", "--by", "module")["figures"]
        every = report("--by", "module")["figures"]
        for shown, figures in zip(found, (some, every)):
            self.assertEqual(shown, view_page.live_text(figures))
        self.assertEqual(found[2], 0)

    def test_rss_over_time(self):
        """Each column is the question of its own moment, and a click goes there."""
        columns = self.look("""
            await open('?view=rss&at=rss-peak');
            await click('text=The same over time');
            const columns = page.locator('.rss-times button');
            await columns.nth(7).waitFor();
            await settled();
            const found = [];
            for (const i of [0, 7]) {
              await columns.nth(i).click();
              await settled();
              const moment = await page.evaluate(() => new URLSearchParams(location.search).get('at'));
              found.push([moment, await columns.nth(i).getAttribute('title')]);
            }
            return found;""")
        for moment, said in columns:
            parts = report("--where-rss", "--at", moment)["where_rss"]["parts"]
            self.assertEqual(parts[0]["part"], "live")
            self.assertTrue(said.startswith(view_page.bytes_text(parts[0]["bytes"]) + " live blocks"), (moment, said))
        self.assertNotEqual(columns[0], columns[1])

    def test_wrong_filter_is_refused_in_words(self):
        said = self.look("await open('?filter=size%3E%3Dabc'); return await text('[role=alert]');")
        self.assertIn("cannot read 'abc' as a size", said)

    def test_address_restores_the_selection(self):
        before, after, back, forward, hash_now = self.look("""
            await open();
            await click('[data-kind=never_freed]');
            await click('#tab-table');
            const state = async () => [await query(), await total(),
                                       await text('.inspector h3')];
            const before = await state();
            const address = page.url();
            await page.reload();
            await settled();
            const after = await state();
            await page.goBack();
            await settled();
            const back = await page.locator('[role=tab][aria-selected=true]').textContent();
            await page.goForward();
            await settled();
            const forward = await state();
            return [before, after, back, forward, address.split('#').length];""")
        self.assertIn("open_sessions", before[2])
        self.assertEqual(after, before)
        self.assertEqual(back, "Overview")
        self.assertEqual(forward, before)
        self.assertEqual(hash_now, 1, "the token is in the address")

    def test_second_tab(self):
        shown = self.look("""
            await open('?view=table');
            // Without anything of the first tab's own: neither its storage nor a way back to it.
            const [other] = await Promise.all([
              page.context().waitForEvent('page'),
              page.evaluate(() => void window.open(location.href, '_blank', 'noopener'))]);
            await other.locator('.head .total').waitFor();
            return await other.locator('#view').count();""")
        self.assertEqual(shown, 1)

    def test_command_is_the_same_question(self):
        command, total = self.look("""
            await open('?view=table&by=function&metric=bytes&between=marker:before+end' +
                       '&filter=function%3Dmain');
            await page.locator('.command summary').click();
            return [await text('.command code'), await total()];""")
        words = shlex.split(command)
        self.assertEqual(words[:2], ["heapledger", "report"])
        answer = subprocess.run([harness.TOOL, *words[1:], "--json"], capture_output=True, text=True,
                                check=True, timeout=harness.HANG_SECONDS).stdout
        self.assertEqual(total, f"{view_page.bytes_text(json.loads(answer)['figures']['bytes'])} allocated")

    def test_copied_table_is_exact(self):
        text = self.look("""
            await page.addInitScript(() => {
              Object.defineProperty(navigator, 'clipboard', { value: {
                writeText: async (text) => { window.copied = text; } } });
            });
            await open('?view=table&by=function');
            await click('text=Copy CSV');
            return page.evaluate(() => window.copied);""")
        rows = list(csv.DictReader(io.StringIO(text)))
        groups = {group["name"]: group for group in report("--by", "function", "--top", "0")["groups"]}
        self.assertEqual(len(rows), len(groups))
        for row in rows:
            self.assertEqual(int(row["live bytes"]), groups[row["function"]]["live_bytes"])
            self.assertEqual(int(row["itself"]), groups[row["function"]]["self"]["live_bytes"])

    def test_compare(self):
        total, rows = self.look("""
            await open('?view=compare&between=marker:before+marker:after');
            return [await total(), await page.locator('.rows tbody tr:not(.gap)').allTextContents()];""")
        between = report("--between", "marker:before", "marker:after")["figures"]
        # Nothing of before was freed in between.
        self.assertEqual(total, "+" + view_page.bytes_text(between["live_bytes"]))
        self.assertEqual(len(rows), 1)
        self.assertIn("take_orders", rows[0])


if __name__ == "__main__":
    unittest.main()
