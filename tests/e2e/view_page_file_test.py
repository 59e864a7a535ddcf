"""The page of `heapledger view --html` in a browser: it asks nobody, shows at each of its moments what the
server answers for that moment, and has nothing of the sources in it."""

import base64
import gzip
import os
import re
import subprocess
import unittest

import harness
import view_page
import viewing

MOST_BYTES = 5 << 20
HELD = re.compile(r'id="recording">([A-Za-z0-9+/=]+)<')


class OneFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = os.path.join(harness.fresh_folder(), "shop.html")
        subprocess.run([harness.TOOL, "view", view_page.shop(), "--html", cls.path], check=True,
                       capture_output=True, env=harness.plain_environment(), timeout=harness.HANG_SECONDS)
        cls.view = viewing.View("--no-browser", view_page.shop())
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def test_it_asks_nobody_and_shows_what_the_server_answers(self):
        shown, asked, tabs = view_page.look(self.view, """
            const asked = [];
            page.on('request', (request) => asked.push(request.url()));
            const moments = async () => page.evaluate(() => new URLSearchParams(location.search).get('at'));
            await page.goto('file://' + args.path + '?view=table&by=function&at=start');
            await settled();
            const shown = [];
            for (let i = 0; i < 40; ++i) {
              const rows = page.locator('.rows tbody tr:not(.gap)');
              const top = await rows.count() ? await rows.first().locator('.value').textContent() : '';
              shown.push([await moments(), await total(), top]);
              const before = await query();
              await page.keyboard.press('ArrowRight');
              await settled();
              if (await query() === before) break;
            }
            for (const view of ['flame', 'overview', 'compare', 'recorded']) await click('#tab-' + view);
            return [shown, asked, await page.locator('[role=tab]').allTextContents()];""", {"path": self.path})
        self.assertEqual(len(asked), 1, asked)
        self.assertTrue(asked[0].startswith("file://"))
        self.assertNotIn("Source", tabs)
        moments = [at for at, _, _ in shown]
        self.assertGreater(len(moments), 10)
        self.assertEqual(len(set(moments)), len(moments))
        self.assertIn("end", moments)
        for at, total, top in shown:
            answer = self.view.ask("/api/ask", {"question": {"by": "function", "at": at or "peak"}})["answer"]
            totals = answer["totals"]
            self.assertEqual(total, view_page.live_text(totals), at)
            self.assertEqual(top, view_page.bytes_text(answer["rows"]["all"]["live_bytes"][0]), at)

    def test_it_has_no_source_in_it(self):
        with open(self.path, encoding="utf-8") as file:
            page = file.read()
        self.assertLessEqual(len(page), MOST_BYTES)
        everything = page + gzip.decompress(base64.b64decode(HELD.search(page).group(1))).decode()
        self.assertIn("draw_tiles", everything)
        with open(view_page.SHOP, encoding="utf-8") as file:
            lines = [line.strip() for line in file if len(line.strip()) > 25]
        self.assertGreater(len(lines), 10)
        self.assertEqual([line for line in lines if line in everything], [])


if __name__ == "__main__":
    unittest.main()
