"""The ways through the page of `heapledger view`: from each of five questions to the line of code with at
most three clicks; by the keyboard alone; and what listens hears the same figures."""

import json
import subprocess
import unittest

import harness
import view_page
import viewing


class Ways(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = viewing.View("--no-browser", view_page.shop())
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def check_way(self, script, pattern):
        found = view_page.look(self.view, "await open();" + script + "return await marked();")
        self.assertEqual(found["line"], view_page.line_of(pattern))
        self.assertLessEqual(found["clicks"], 3)

    def test_who_owns_the_peak(self):
        self.check_way("await click('[data-kind=peak]'); await click('.inspector header .link');",
                       "100000")

    def test_what_leaks(self):
        self.check_way(
            "await click('[data-kind=never_freed]'); await click('.inspector header .link');",
            "push_back.new")

    def test_what_churns(self):
        self.check_way(
            "await click('[data-kind=temporary]'); await click('.inspector header .link');",
            "string.200")

    def test_what_grew_between_markers(self):
        self.check_way("""
            await click('#tab-growth');
            await click('.rows tr:has-text("take_orders")');
            await click('.inspector header .link');""", "2000")

    def test_why_rss_is_larger(self):
        # Which line has most of it depends on when the system was asked.
        done = subprocess.run([harness.TOOL, "report", view_page.shop(), "--where-rss", "--json"],
                              capture_output=True, text=True, check=True,
                              timeout=harness.HANG_SECONDS)
        live = json.loads(done.stdout)["where_rss"]["parts"][0]
        found = view_page.look(self.view, """
            await open();
            await click('[data-kind=rss]');
            await click('.parts li:first-child .link');
            await click('.inspector header .link');
            return await marked();""")
        self.assertEqual(live["part"], "live")
        self.assertEqual(found["line"], live["owner"]["line"])
        self.assertLessEqual(found["clicks"], 3)

    def test_keyboard_alone(self):
        found = view_page.look(self.view, """
            await open();
            const until = async (is) => {
              for (let i = 0; i < 60; ++i) {
                await page.keyboard.press('Tab');
                if (await page.evaluate(is)) return;
              }
              throw new Error('not reached by Tab: ' + is);
            };
            await until(() => document.activeElement.dataset.kind === 'never_freed');
            await page.keyboard.press('Enter');
            await settled();
            await until(() => document.activeElement.textContent === 'Source');
            const outline = await page.evaluate(
                () => getComputedStyle(document.activeElement).outlineStyle);
            await page.keyboard.press('Enter');
            await settled();
            return { ...await marked(), outline };""")
        self.assertEqual(found["line"], view_page.line_of("push_back.new"))
        self.assertEqual(found["outline"], "solid")

    def test_keys(self):
        found = view_page.look(self.view, """
            await open();
            const states = [];
            const press = async (...keys) => {
              for (const key of keys) await page.keyboard.press(key);
              await settled();
              states.push(await query());
            };
            await press('2');
            await press('g', 'e');
            await press('i');
            await press('g', 's');
            await press('ArrowRight');
            await press('f');
            await press('/');
            await page.keyboard.type('main');
            await page.keyboard.press('Escape');
            await press('Escape');
            await press('?');
            return [states, await page.locator('dialog').isVisible()];""")
        states, has_card = found
        self.assertIn("view=flame", states[0])
        self.assertIn("at=end", states[1])
        self.assertIn("inverted=1", states[2])
        self.assertIn("at=start", states[3])
        self.assertRegex(states[4], r"at=\d+ns")
        self.assertRegex(states[5], r"flags=\d+")
        self.assertNotIn("search", states[7])
        self.assertTrue(has_card)

    def test_there_and_back(self):
        """Whoever changes their mind before the answer is there gets the last one."""
        peak, after, end = view_page.look(self.view, """
            await open('?view=flame');
            const peak = await total();
            for (let i = 0; i < 6; ++i) await page.keyboard.press('g').then(
                () => page.keyboard.press(i % 2 ? 'p' : 'e'));
            await settled();
            const after = await total();
            await page.keyboard.press('g');
            await page.keyboard.press('e');
            await settled();
            return [peak, after, await total()];""")
        self.assertEqual(after, peak)
        self.assertNotEqual(end, peak)

    def test_timeline(self):
        """A drag selects a range, a click a moment; a screen reader hears both."""
        range_query, spoken, moment = view_page.look(self.view, """
            await open();
            const plot = await page.locator('#timeline').boundingBox();
            const y = plot.y + 60;
            await page.mouse.move(plot.x + 300, y);
            await page.mouse.down();
            await page.mouse.move(plot.x + 500, y, { steps: 4 });
            await page.mouse.up();
            await settled();
            const range = await query();
            const spoken = await page.locator('#timeline').getAttribute('aria-valuetext');
            await page.mouse.click(plot.x + 400, y);
            await settled();
            return [range, spoken, await query()];""")
        self.assertRegex(range_query, r"between=\S+(\+|%20)\S+")
        self.assertRegex(spoken, "^range from .* to .*, up to .* live$")
        self.assertNotIn("between", moment)

    def test_flame_graph_by_keyboard(self):
        names, zoomed, out, back = view_page.look(self.view, """
            await open('?view=flame');
            await page.locator('.flame').focus();
            const names = [];
            for (let i = 0; i < 5; ++i) {
              await page.keyboard.press('ArrowDown');
              names.push(await page.locator('[role=treeitem][aria-selected=true]').textContent());
            }
            await page.keyboard.press('Enter');
            await page.keyboard.press('Enter');
            await settled();
            const zoomed = await query();
            await page.locator('.flame').focus();
            await page.keyboard.press('Backspace');
            await settled();
            const out = await query();
            await page.keyboard.press('Escape');
            await settled();
            return [names, zoomed, out, await query()];""")
        self.assertIn("main, ", names[3])
        self.assertRegex(names[4], "draw_tiles, 4.8 MiB, .* of all")
        self.assertRegex(zoomed, "zoom=[^&]*draw_tiles")
        self.assertEqual(out.count("zoom="), zoomed.count("zoom=") - 1)
        self.assertRegex(out, "zoom=main&")
        self.assertNotIn("zoom=", back)

    def check_access(self, scheme):
        views = ("overview", "flame", "table", "callers", "source", "compare", "growth", "shapes", "cohorts", "rss",
                 "blocks", "map", "advice", "recorded")
        self.assertEqual(view_page.access_faults(self.view, [f"?view={view}&pick=function:main&search=a"
                                                             for view in views], scheme), [])

    def test_access_in_the_dark(self):
        self.check_access("dark")

    def test_access_in_the_light(self):
        self.check_access("light")


if __name__ == "__main__":
    unittest.main()
