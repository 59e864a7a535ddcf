"""The screens of `heapledger view` that show single blocks, when they came and went and where they lay,
and the processes of a run. What is expected are the program's own constants."""

import unittest

import view_page
import viewing

MANY = 20000
MOST_ROWS = 200
FIRST, LAST = 100000, 123456  # of a block that is resized
PHASE = 64  # blocks that come and go together
LENT, OWNED = 70000, 60000  # a block that is given back, and one that is not

PROGRAM = f"""
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "heapledger.h"
#define APART __attribute__((noinline))
static void* volatile kept[{MANY}];
static void* volatile phase[{PHASE}];
static char* grown;
static void pause_for(long milliseconds) {{
  struct timespec time = {{0, milliseconds * 1000000}};
  nanosleep(&time, NULL);
}}
APART static void keep(void) {{ for (int i = 0; i < {MANY}; ++i) kept[i] = malloc(32); }}
APART static void begin_phase(void) {{ for (int i = 0; i < {PHASE}; ++i) phase[i] = malloc(5000); }}
APART static void end_phase(void) {{ for (int i = 0; i < {PHASE}; ++i) free(phase[i]); }}
static void* volatile lent;
static void* volatile owned;
APART static void lend(void) {{ lent = malloc({LENT}); }}
APART static void own(void) {{ owned = malloc({OWNED}); }}
static void* end_it(void* unused) {{
  pthread_setname_np(pthread_self(), "helper");
  free(grown);
  return unused;
}}
int main(void) {{
  keep();
  lend();
  own();
  pause_for(30);
  free(lent);
  begin_phase();
  pause_for(30);
  end_phase();
  grown = malloc({FIRST});
  pause_for(20);
  grown = realloc(grown, {LAST});
  heapledger_marker("last");
  pause_for(20);
  pthread_t thread;
  pthread_create(&thread, NULL, end_it, NULL);
  pthread_join(thread, NULL);
  return 0;
}}
"""


# Not recorded for a time.
GAP = """
#include <stdlib.h>
#include <time.h>
#include "heapledger.h"
static void* volatile kept;
static void pause_for(long milliseconds) {
  struct timespec time = {0, milliseconds * 1000000};
  nanosleep(&time, NULL);
}
int main(void) {
  kept = malloc(1000);
  pause_for(30);
  heapledger_marker("before");
  heapledger_stop();
  pause_for(40);
  heapledger_start();
  heapledger_marker("after");
  kept = malloc(2000);
  pause_for(30);
  return 0;
}
"""


def kib(value):
    return f"{value / 1024:.1f} KiB"


class Blocks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ledger = view_page.recorded("blocks", view_page.compiled("blocks", PROGRAM, "-x", "c",
                                                                     "-D_GNU_SOURCE"))
        cls.view = viewing.View("--no-browser", cls.ledger)
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def look(self, script):
        return view_page.look(self.view, script)

    def test_life_of_a_block_and_its_place_on_the_map(self):
        most, said, life, roles, row, back = self.look("""
            await open('?view=blocks&at=marker:last');
            const rows = '.view > .rows tbody tr:not(.gap)';
            const most = await page.locator(rows).count();
            const said = await text('.foot');
            await page.locator(rows).first().click();
            await settled();
            const life = await text('.life h3');
            const roles = await page.locator('.life tbody tr:not(.gap)').evaluateAll(
                (rows) => rows.map((row) => row.textContent));
            await click('.life button:has-text("On the map")');
            const row = Number(await page.locator('.map').getAttribute('data-marked'));
            await page.reload();
            await settled();
            return [most, said, life, roles, row, await text('.life h3')];""")
        self.assertLessEqual(most, MOST_ROWS)
        self.assertGreater(most, 10)
        self.assertRegex(said, r"the largest 1,000 of 20,0\d\d")
        self.assertRegex(life, rf"^{kib(LAST)} at 0x[0-9a-f]+ allocated at .* by blocks, freed at .* by helper, "
                               "after .*; resized 1 time before")
        self.assertIn(kib(FIRST), next(text for text in roles if text.startswith("was, until a resize")))
        self.assertGreaterEqual(row, 0)
        self.assertEqual(back, life)

    def test_what_was_allocated_when(self):
        """Under the pointer, of the bar that is below it: how much, and what of it is still there."""
        lent, owned = self.look("""
            const said = async (name) => {
              await open('?at=end&filter=function%3D' + name);
              const box = await page.locator('#timeline').boundingBox();
              const texts = new Set();
              for (let x = 77; x < box.width - 77; x += 6) {
                await page.mouse.move(box.x + x, box.y + 60);
                texts.add((await page.locator('.readout span').allTextContents()).slice(-2).join(': '));
              }
              return [...texts].filter((text) => !text.startsWith('0 B'));
            };
            return [await said('lend'), await said('own')];""")
        for texts, size, alive in ((lent, LENT, 0), (owned, OWNED, OWNED)):
            self.assertEqual(len(texts), 1, texts)
            amount = kib(alive) if alive else "0 B"
            self.assertRegex(texts[0], rf"^{kib(size)} allocated in .*: ≈ {amount} of it alive at the cursor$")

    def test_cohort_that_is_brushed(self):
        all_of_it, filtered, brushed, rows, narrowed = self.look("""
            await open('?view=cohorts');
            const all = await total();
            await open('?view=cohorts&filter=function%3Dbegin_phase');
            const filtered = await total();
            // Nothing else is in the plane: the whole of it is brushed, but for what was never freed.
            const plane = await page.locator('.plane').boundingBox();
            await page.mouse.move(plane.x + 90, plane.y + plane.height - 30);
            await page.mouse.down();
            await page.mouse.move(plane.x + plane.width - 20, plane.y + 40, { steps: 4 });
            await page.mouse.up();
            await settled();
            const brushed = await total();
            const rows = await page.locator('.beside .rows tbody tr:not(.gap)').allTextContents();
            await click('.head button:has-text("All")');
            await page.locator('.plane').focus();
            await page.keyboard.press('ArrowRight');
            await settled();
            return [all, filtered, brushed, rows, await total()];""")
        self.assertRegex(all_of_it, r"MiB allocated in 20,\d\d\d blocks")
        phase = f"{kib(PHASE * 5000)} allocated in {PHASE} blocks"
        self.assertEqual((filtered, brushed), (phase, phase))
        self.assertEqual(len(rows), 1)
        self.assertIn("begin_phase", rows[0])
        self.assertIn(kib(PHASE * 5000), rows[0])
        # The keyboard begins at what was allocated first and never freed: none of these.
        self.assertEqual(narrowed, "0 B allocated in 0 blocks")

    def test_who_frees_whose_blocks(self):
        rows = self.look("""
            await open('?view=shapes');
            await click('button:has-text("Which threads free")');
            return page.locator('.hands tbody tr').evaluateAll((rows) => rows.map(
                (row) => [...row.children].map((cell) => cell.textContent)));""")
        # The block that was resized is freed by another thread than the one that has allocated all.
        self.assertIn(["blocks", "itself, helper"], rows)

    def test_what_the_map_has_is_what_was_live(self):
        shown, rows = self.look("""
            await open('?view=map&at=marker:last&filter=function%3Dkeep');
            return [await total(), await page.locator('.regions tbody tr:not(.gap)').allTextContents()];""")
        self.assertEqual(shown, f"{kib(MANY * 32)} live")
        self.assertGreaterEqual(len(rows), 1)


FAMILY = """
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void* volatile kept[10];
__attribute__((noinline)) static void keep(int blocks) { for (int i = 0; i < blocks; ++i) kept[i] = malloc(1000); }
int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "leaf") == 0) { keep(10); return 0; }
  keep(2);
  if (fork() == 0) { keep(5); _exit(0); }
  wait(NULL);
  if (fork() == 0) { execl(words[0], words[0], "leaf", (char*)NULL); _exit(1); }
  wait(NULL);
  return 0;
}
"""


class Processes(unittest.TestCase):
    def test_who_started_whom(self):
        ledger = view_page.recorded("family", view_page.compiled("family", FAMILY, "-x", "c"))
        with viewing.View("--no-browser", ledger) as view:
            view.wait_for_event("index")
            processes = view.recording()["processes"]
            rows, total, chip, every = view_page.look(view, """
                await open('?view=processes');
                const rows = await page.locator('.rows tbody tr:not(.gap)').evaluateAll(
                    (rows) => rows.map((row) => [row.querySelector('.own').textContent,
                                                 parseInt(row.querySelector('.name').style.paddingLeft) || 0,
                                                 row.lastChild.textContent]));
                await page.locator('.rows tr:has-text("leaf")').click();
                await settled();
                await open(await query() + '&at=end&filter=function%3Dkeep');
                await click('#tab-table');
                const only = await total();
                const chip = await text('.chip');
                await page.locator('.chip:has-text("process")').click();
                await settled();
                return [rows, only, chip, await total()];""")
            self.assertEqual(view_page.access_faults(view, ["?view=processes&process=1"], "dark"), [])
        first = next(process for process in processes if not process["forked"] and
                     "leaf" not in process["command"])
        self.assertEqual(rows[0][:2], [f"family {first['pid']}", 0])
        calls = {process["pid"]: process["calls"] for process in processes}
        for name, indent, shown in rows[1:]:
            self.assertEqual(indent, 16, name)
            self.assertEqual(int(shown.replace(",", "")), calls[int(name.split()[-1])])
        self.assertGreaterEqual(len(rows), 3)
        self.assertEqual(total, f"{kib(10000)} live in 10 blocks")
        self.assertIn("process family", chip)
        self.assertNotEqual(every, total)


class Gaps(unittest.TestCase):
    def test_a_time_that_was_not_recorded(self):
        ledger = view_page.recorded("gap", view_page.compiled("gap", GAP, "-x", "c", "-D_GNU_SOURCE"))
        with viewing.View("--no-browser", ledger) as view:
            view.wait_for_event("index")
            recording = view.recording()
            [(begin, end)] = recording["processes"][0]["gaps"]
            marks = {marker["text"]: marker["time_ns"] for marker in recording["markers"]}
            self.assertTrue(marks["before"] <= begin < end <= marks["after"], (begin, end, marks))
            self.assertGreaterEqual(end - begin, 40e6)
            self.assertAlmostEqual(end - begin, recording["processes"][0]["gap_ns"], delta=2)
            told, spoken = view_page.look(view, """
                await open('?at=end');
                const box = await page.locator('#timeline').boundingBox();
                const width = box.width - 2 * 76;
                const told = [];
                for (const share of args.shares) {
                  await page.mouse.move(box.x + 76 + share * width, box.y + 60);
                  await page.locator('.readout').waitFor();
                  told.push(await page.locator('.readout').textContent());
                }
                await page.mouse.click(box.x + 76 + args.shares[1] * width, box.y + 60);
                await settled();
                return [told, await page.locator('#timeline').getAttribute('aria-valuetext')];""",
                {"shares": [share / recording["duration_ns"]
                            for share in (begin / 2, (begin + end) / 2, (end + recording["duration_ns"]) / 2)]})
        self.assertEqual(["not recorded here" in text for text in told], [False, True, False], told)
        self.assertTrue(spoken.endswith("live, not recorded here"), spoken)


if __name__ == "__main__":
    unittest.main()
