"""`heapledger view --against OLD NEW`: two versions of a program compared, by the server and on the page. What
is expected are the programs' own constants, and what `heapledger diff` says."""

import json
import shlex
import subprocess
import unittest

import harness
import view_page
import viewing

GROWS = (10, 25)  # blocks of a function that grows, before and after
SIZE = 1000
GONE, GONE_SIZE = 4, 3000
FRESH, FRESH_SIZE = 5, 2000


def program(version):
    fresh = f"APART void fresh() {{ for (int i = 0; i < {FRESH}; ++i) kept = malloc({FRESH_SIZE}); }}"
    gone = f"APART void gone() {{ for (int i = 0; i < {GONE}; ++i) kept = malloc({GONE_SIZE}); }}"
    return f"""
#include <cstdlib>
#include "heapledger.h"
#define APART __attribute__((noinline))
void* volatile kept;
{"// a line more" if version else ""}
{fresh if version else gone}
APART void grows() {{ for (int i = 0; i < {GROWS[version]}; ++i) kept = malloc({SIZE}); }}
int main() {{ grows(); heapledger_marker("grown"); {"fresh" if version else "gone"}(); return 0; }}
"""


def kib(value):
    return f"{value / 1024:.1f} KiB"


class Against(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.old, cls.new = (view_page.recorded(name, view_page.compiled("versions", program(i)))
                            for i, name in enumerate(("old", "new")))
        cls.view = viewing.View("--no-browser", "--against", cls.old, cls.new)
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def diff(self, *words):
        return harness.tool_json("diff", [self.old, self.new, *words])

    def test_answers_are_those_of_diff(self):
        for by, sort, at in (("owner", "live", "end"), ("function", "calls", "peak"),
                             ("size-class", "bytes", "end"), ("owner", "never-freed", "end"),
                             ("owner", "live", "marker:grown")):
            answer = self.view.ask("/api/compare", {"at": at, "by": by, "sort": sort})
            wanted = self.diff("--by", by, "--sort", sort, "--at", at)
            for name in ("change", "counts", "blame"):
                self.assertEqual(answer[name], wanted[name], (by, name))
            rows = viewing.rows_of(answer["groups"], answer, ("name", "kind", "file", "line"))
            self.assertEqual([(row["name"], row["kind"], row["line"]) for row in rows],
                             [(group["name"], group["kind"], group["line"]) for group in wanted["groups"]])
            for side in ("before", "after"):
                live = answer["groups"][side].get("live_bytes", [0] * len(rows))
                self.assertEqual(live, [group[side] and group[side]["live_bytes"]
                                        for group in wanted["groups"]], (by, side))

    def test_what_is_asked_of_the_earlier_one(self):
        question = {"question": {"by": "function", "at": "end"}}
        for path, of in ((self.old, {"of": "earlier"}), (self.new, {})):
            answer = self.view.ask("/api/ask", {**question, **of})["answer"]
            wanted = harness.tool_json("report", [path, "--by", "function", "--at", "end"])
            self.assertEqual([(row["name"], row["all"]["live_bytes"])
                              for row in viewing.rows_of(answer["rows"], answer)],
                             [(group["name"], group["live_bytes"]) for group in wanted["groups"]])
        refused = self.view.ask("/api/ask", {**question, "of": "later"}, 400)
        self.assertIn("earlier", refused["error"]["text"])
        refused = self.view.ask("/api/compare", {"at": "marker:nowhere"}, 400)
        self.assertIn("nowhere", refused["error"]["text"])

    def test_on_the_page(self):
        said, total, rows, command = view_page.look(self.view, """
            await open();
            const said = await text('.sentence');
            await click('[data-kind=compare]');
            await open('?view=compare&at=end');
            const rows = await page.locator('.rows tbody tr:not(.gap)').evaluateAll(
                (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
            await page.locator('.command summary').click();
            return [said, await total(), rows, await text('.command code')];""")
        grown = (GROWS[1] - GROWS[0]) * SIZE
        change = grown + FRESH * FRESH_SIZE - GONE * GONE_SIZE
        self.assertRegex(said, rf"Compared with old, the peak is {kib(change)} higher\.$")
        self.assertEqual(total, "+" + kib(change))
        wanted = [("grows", "+" + kib(grown), f"+{GROWS[1] - GROWS[0]}", kib(GROWS[0] * SIZE), kib(GROWS[1] * SIZE)),
                  ("fresh", "+" + kib(FRESH * FRESH_SIZE), f"+{FRESH}", "–", kib(FRESH * FRESH_SIZE)),
                  ("gone", "−" + kib(GONE * GONE_SIZE), f"−{GONE}", kib(GONE * GONE_SIZE), "–")]
        self.assertEqual(len(rows), len(wanted), rows)
        for row, (name, *figures) in zip(rows, wanted):
            self.assertIn(name, row[0])
            self.assertEqual(row[1:], figures)
        words = shlex.split(command)
        self.assertEqual(words[:2], ["heapledger", "diff"])
        answer = subprocess.run([harness.TOOL, *words[1:], "--json"], capture_output=True, text=True, check=True,
                                timeout=harness.HANG_SECONDS).stdout
        self.assertEqual(json.loads(answer)["change"]["live_bytes"], change)

    def test_as_a_picture_and_two_moments_instead(self):
        spoken, moments, back = view_page.look(self.view, """
            await open('?view=compare&at=end');
            await click('.head button:has-text("Flame graph")');
            await page.locator('.flame').focus();
            const spoken = [];
            for (let i = 0; i < 6; ++i) {
              await page.keyboard.press('ArrowDown');
              spoken.push(await page.locator('[role=treeitem][aria-selected=true]').textContent());
            }
            await open('?view=compare&between=marker:grown+end&compare=moments');
            const moments = await total();
            await click('.head button:has-text("With old")');
            return [spoken, moments, await total()];""")
        largest = (GROWS[1] - GROWS[0]) * SIZE
        self.assertTrue(any(f"+{kib(largest)}: from {kib(GROWS[0] * SIZE)} to {kib(GROWS[1] * SIZE)}" in one
                            for one in spoken), spoken)
        self.assertEqual(moments, "+" + kib(FRESH * FRESH_SIZE))
        self.assertRegex(back, r"^\+")

    def test_access(self):
        for scheme in ("dark", "light"):
            self.assertEqual(view_page.access_faults(self.view, ["?view=compare&at=end"], scheme), [])

    def test_wrong_words(self):
        for words, said in ((("--against", "/nowhere.ledger", self.new, "--no-browser"), "/nowhere.ledger"),
                            (("--against", self.old, self.new, "--html", "x.html"), "--html")):
            done = subprocess.run([harness.TOOL, "view", *words], capture_output=True, text=True,
                                  env=harness.plain_environment(), stdin=subprocess.DEVNULL, check=False,
                                  timeout=harness.HANG_SECONDS)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)

    def test_counts_cannot_be_compared_with(self):
        counted = view_page.recorded("counted", view_page.compiled("versions", program(0)), options=("--mode", "count"))
        with viewing.View("--no-browser", "--against", counted, self.new, wait=False) as view:
            self.assertNotEqual(view.end(), 0)
        self.assertIn("counted: calls were counted only", view.said)

    def test_nothing_to_compare_with(self):
        with viewing.View("--no-browser", self.new) as view:
            refused = view.ask("/api/compare", {"at": "end"}, 400)
            self.assertIn("no other recording", refused["error"]["text"])
            self.assertEqual(view.stop(), 0)


if __name__ == "__main__":
    unittest.main()
