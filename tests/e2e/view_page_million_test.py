"""The page of `heapledger view` and a recording of a million stacks, each with a block that stays: it holds
what can be seen, and the rest comes when it is wanted. What is expected is arithmetic on the program."""

import unittest

import view_page
import viewing

LEVELS = 20
STACKS = 1 << LEVELS
BLOCK = 16
ONE = 300000  # a block of its own, the largest
MOST_BYTES = 512 << 10
MOST_BOXES = 5000
MOST_ROWS = 200
ZOOMED = 12  # levels below the outermost call

# Every way through the tree of calls asks for a block: 2^20 ways, each with `left` in it once at least.
PROGRAM = f"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include "heapledger.h"
#define APART __attribute__((noinline))
static void* volatile kept[{STACKS}];
static int many;
static void* one;
APART void right(int level);
APART void left(int level) {{
  if (level == 0) {{ kept[many++] = malloc({BLOCK}); return; }}
  left(level - 1);
  right(level - 1);
}}
APART void right(int level) {{
  if (level == 0) {{ kept[many++] = malloc({BLOCK}); return; }}
  left(level - 1);
  right(level - 1);
}}
APART static void single(void) {{ one = malloc({ONE}); }}
static void* end_it(void* unused) {{
  pthread_setname_np(pthread_self(), "ender");
  free(one);
  return unused;
}}
int main(void) {{
  pthread_t thread;
  single();
  left({LEVELS});
  heapledger_marker("full");
  pthread_create(&thread, NULL, end_it, NULL);
  pthread_join(thread, NULL);
  return 0;
}}
"""


class Million(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ledger = view_page.recorded("million", view_page.compiled("million", PROGRAM, "-x", "c"))
        cls.view = viewing.View("--no-browser", ledger)
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def path_to(self, level):
        """The names from the outermost call to the one so many levels below `left`'s first call."""
        answer = self.view.ask("/api/ask", {"question": {"at": "end", "tree": "top-down", "least_share": 0.1}})
        tree, texts = answer["answer"]["tree"], answer["answer"]["texts"]
        names = [texts[place] for place in tree["name"]]
        node = names.index("left")
        path = ["left"] * (level + 1)
        while (node := tree["parent"][node]) > 0:
            path.insert(0, names[node])
        return path

    def test_the_flame_graph(self):
        found, boxes, spoken, zoomed, sizes = view_page.look(self.view, """
            const sizes = [];
            page.on('response', (response) => {
              if (response.url().includes('/api/') && !response.url().endsWith('/events')) {
                sizes.push(Number(response.headers()['content-length']));
              }
            });
            const boxes = async () => Number(await page.locator('.flame').getAttribute('data-boxes'));
            await open('?view=flame&at=end&filter=size%3D16&search=left');
            const found = await text('.found');
            const before = await boxes();
            await open('?view=flame&at=end&filter=size%3D16' +
                       args.path.map((name) => '&zoom=' + encodeURIComponent(name)).join(''));
            await page.locator('.flame').focus();
            const spoken = [];
            for (let i = 0; i < args.below + 1; ++i) {
              spoken.push(await page.locator('[role=treeitem][aria-selected=true]').textContent());
              await page.keyboard.press('ArrowDown');
            }
            return [found, before, spoken, await boxes(), sizes];""",
            {"path": self.path_to(ZOOMED), "below": LEVELS - ZOOMED})
        # As `left` calls itself, its boxes are inside of one another: each stack counts once.
        self.assertEqual(found, f"100.0% matches, {STACKS * BLOCK / 2**20:.1f} MiB")
        for shown in (boxes, zoomed):
            self.assertGreater(shown, 100)
            self.assertLessEqual(shown, MOST_BOXES)
        # What was less than a box before is there down to the last call.
        below = [BLOCK << (LEVELS - ZOOMED - i) for i in range(LEVELS - ZOOMED + 1)]
        for text, value in zip(spoken, below, strict=True):
            amount = f"{value / 1024:.1f} KiB" if value >= 1024 else f"{value} B"
            self.assertTrue(text.startswith(f"left, {amount},"), (text, amount))
        self.assertGreater(len(sizes), 3)
        self.assertEqual([size for size in sizes if not 0 < size <= MOST_BYTES], [])

    def test_the_table(self):
        rows, said, sizes = view_page.look(self.view, """
            const sizes = [];
            page.on('response', (response) => {
              if (response.url().endsWith('/api/ask')) sizes.push(Number(response.headers()['content-length']));
            });
            await open('?view=table&by=site&at=end');
            return [await page.locator('.rows tbody tr:not(.gap)').count(), await text('.foot'), sizes];""")
        self.assertGreater(rows, 10)
        self.assertLessEqual(rows, MOST_ROWS)
        groups = self.view.ask("/api/ask", {"question": {"by": "site", "at": "end", "top": 1}})["answer"]["groups"]
        self.assertGreater(groups, STACKS)
        self.assertIn(f"of {groups:,} rows", said)
        self.assertEqual([size for size in sizes if not 0 < size <= MOST_BYTES], [])

    def test_a_block_of_a_million_and_its_place_on_the_map(self):
        rows, said, life, row, back = view_page.look(self.view, """
            await open('?view=blocks&at=marker:full');
            const rows = '.view > .rows tbody tr:not(.gap)';
            const most = await page.locator(rows).count();
            const said = await text('.foot');
            await page.locator(rows).first().click();
            await settled();
            const life = await text('.life h3');
            await click('.life button:has-text("On the map")');
            const row = Number(await page.locator('.map').getAttribute('data-marked'));
            return [most, said, life, row, await text('.life h3')];""")
        self.assertGreater(rows, 10)
        self.assertLessEqual(rows, MOST_ROWS)
        self.assertRegex(said, r"the largest 1,000 of 1,0\d\d,\d\d\d")
        self.assertRegex(life, rf"^{ONE / 1024:.1f} KiB at 0x[0-9a-f]+ allocated at .* by million, "
                               "freed at .* by ender, after ")
        self.assertGreaterEqual(row, 0)
        self.assertEqual(back, life)


if __name__ == "__main__":
    unittest.main()
