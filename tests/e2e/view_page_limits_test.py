"""The page of `heapledger view` and what does not fit it: thousands of rows and functions, names that are no
names, and recursion."""

import re
import unittest

import export_program
import view_page
import viewing

MOST_ROWS = 200
MOST_BOXES = 5000
MOST_BYTES = 512 << 10
FUNCTIONS = 6000
SIZES = 3000
PARTS = 50

# A function for each of many calls, one of which has most; and a block of each of many sizes.
WIDE = ("#include <cstdlib>\nvoid* volatile kept;\n" +
        "".join(f"__attribute__((noinline)) void call{i}() {{ kept = malloc({16 + i % 7}); }}\n"
                for i in range(FUNCTIONS)) +
        "__attribute__((noinline)) void sizes() "
        f"{{ for (int i = 1; i <= {SIZES}; ++i) kept = malloc(i); }}\n" +
        "".join(f"__attribute__((noinline)) void part{i}() {{ kept = malloc(8); }}\n"
                for i in range(PARTS)) +
        "__attribute__((noinline)) void all_of_them() {" +
        " ".join(f"part{i}();" for i in range(PARTS)) + "}\n"
        "int main() {\n  all_of_them();\n" + "".join(f"  call{i}();\n" for i in range(FUNCTIONS)) +
        "  sizes();\n  return 0;\n}\n")


def ask(view, **question):
    return view.ask("/api/ask", {"question": question})["answer"]


class Many(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ledger = view_page.recorded("wide", view_page.compiled("wide", WIDE, "-O0"))
        cls.view = viewing.View("--no-browser", ledger)
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def test_rows(self):
        first, last, most, said = view_page.look(self.view, """
            await open('?view=table&by=function&at=end');
            const rows = page.locator('.rows tbody tr:not(.gap)');
            let most = await rows.count();
            const first = await rows.first().textContent();
            for (const share of [0.3, 0.6, 1]) {
              await page.locator('.rows').evaluate(
                  (box, share) => { box.scrollTop = share * box.scrollHeight; }, share);
              await settled();
              most = Math.max(most, await rows.count());
            }
            return [first, await rows.last().getAttribute('aria-rowindex'), most, await text('.foot')];""")
        self.assertNotEqual(first, "")
        self.assertGreater(int(last), 1500)
        self.assertGreater(most, 10)
        self.assertLessEqual(most, MOST_ROWS)
        groups = ask(self.view, by="function", at="end", top=1)["groups"]
        self.assertGreater(groups, FUNCTIONS)
        self.assertIn(f"of {groups:,} rows", said)

    def test_boxes(self):
        boxes, asked = view_page.look(self.view, """
            let asked = 0;
            page.on('response', async (response) => {
              if (!response.url().endsWith('/api/ask')) return;
              const { answer } = await response.json();
              asked = Math.max(asked, answer.tree.count);
            });
            await open('?view=flame&at=end');
            return [Number(await page.locator('.flame').getAttribute('data-boxes')), asked];""",
            width=6000)
        self.assertGreater(boxes, 2)
        self.assertLessEqual(boxes, MOST_BOXES)
        self.assertLessEqual(asked, MOST_BOXES)

    def test_answers_are_small(self):
        """Whatever is looked at, half a megabyte is enough; and nothing was against the page's policy."""
        sizes, said = view_page.look(self.view, """
            const sizes = [], said = [];
            page.on('console', (message) => said.push(message.text()));
            page.on('response', (response) => {  // its body may be gone when the page goes on
              if (response.url().includes('/api/') && !response.url().endsWith('/events')) {
                sizes.push([response.url().replace(/.*api/, ''), Number(response.headers()['content-length'])]);
              }
            });
            for (const view of ['overview', 'flame', 'table', 'growth', 'shapes', 'cohorts', 'blocks', 'map']) {
              await open(`?view=${view}&at=end&by=function`);
            }
            return [sizes, said.filter((text) => /policy/i.test(text))];""")
        self.assertGreater(len(sizes), 15)
        self.assertEqual([(path, size) for path, size in sizes if not 0 < size <= MOST_BYTES], [])
        self.assertEqual(said, [])

    def test_what_was_left_out_comes_when_zoomed(self):
        answer = ask(self.view, at="end", tree="top-down", sort="calls", least_share=0.0004)
        tree = answer["tree"]
        names = [answer["texts"][place] for place in tree["name"]]
        self.assertFalse([name for name in names if name.startswith("part")])
        node = next(i for i, name in enumerate(names) if name.startswith("all_of_them"))
        path = []
        while node > 0:
            path.insert(0, names[node])
            node = tree["parent"][node]
        boxes = view_page.look(self.view, """
            const zoom = args.path.map((name) => '&zoom=' + encodeURIComponent(name)).join('');
            await open('?view=flame&at=end&metric=calls' + zoom);
            return Number(await page.locator('.flame').getAttribute('data-boxes'));""",
            {"path": path})
        # What is zoomed, and each part.
        self.assertEqual(boxes, 1 + PARTS)


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = viewing.View("--no-browser", export_program.hostile())
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def test_names_are_text(self):
        """Each is shown as text, and the filter that a click makes selects it and nothing else."""
        found = view_page.look(self.view, """
            page.on('dialog', () => { throw new Error('a name was obeyed'); });
            await open('?view=table&by=function&at=end');
            const rows = page.locator('.rows tbody tr:not(.gap)');
            const found = [];
            for (let i = 0; i < await rows.count(); ++i) {
              await rows.nth(i).click();
              await settled();
              const name = await text('.inspector h3');
              await page.locator('.inspector .actions button:has-text("Only")').click();
              await settled();
              found.push([name, await total(), await page.locator('.chip').count()]);
              await page.goBack();
              await settled();
            }
            const strange = await page.locator('tag, img, #page script').count();
            return [found, strange];""")
        rows, strange = found
        self.assertEqual(strange, 0)
        shown = {name: total for name, total, _ in rows}
        for name, size in export_program.HOSTILE_NAMES.items():
            if name.decode("utf-8", "replace") != name.decode("utf-8", "ignore"):
                continue  # shown with escapes, which no pattern can say
            start = re.split(r"[\n\x1b\u202e]", name.decode())[0].strip()[:40]
            total = next((total for key, total in shown.items() if key.startswith(start)), None)
            self.assertIsNotNone(total, start)
            if start == name.decode().strip()[:40]:
                self.assertEqual(total, f"{size} B live in 1 block" if size < 1024
                                 else f"{size / 1024:.1f} KiB live in 1 block", start)


class Recursion(unittest.TestCase):
    def test_search_counts_a_stack_once(self):
        with viewing.View("--no-browser", export_program.cpp()) as view:
            view.wait_for_event("index")
            said, inverted = view_page.look(view, """
                await open('?view=flame&at=end&search=nested');
                const said = await text('.found');
                await page.keyboard.press('i');
                await settled();
                return [said, await text('.found')];""")
        # nested() calls itself five times before it asks for 4,321 bytes.
        self.assertIn("matches, 4.2 KiB", said)
        self.assertEqual(inverted, said)


if __name__ == "__main__":
    unittest.main()
