"""The page of `heapledger view` while the program goes on: it follows, a marker set from it appears, and
at the end it shows what the report says; a heap in live mode can be gone back to."""

import os
import time
import unittest

import harness
import view_page
import viewing
from view_live_test import Told

# Waits until an element says something, however long a busy machine takes.
SAYS = """
  const says = (selector, wanted) => page.waitForFunction(
      ([selector, wanted]) => [...document.querySelectorAll(selector)]
          .some((one) => one.textContent.includes(wanted)), [selector, wanted]);
"""


def wait_until(is_so):
    end = time.monotonic() + harness.HANG_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise harness.Failure("it never was so")
        time.sleep(0.05)


class LivePage(unittest.TestCase):
    def test_a_trace_that_grows(self):
        with Told("") as told:
            told.tell("grow 100 1024")
            with viewing.View("--no-browser", told.ledger()) as view:
                seen_path = os.path.join(told.folder, "seen")

                def look():
                    return view_page.look(view, SAYS + """
                      await open('?view=table&by=function');
                      await says('.live .state', 'recording');
                      await says('.head .total', '100.0 KiB');
                      require('fs').writeFileSync(args.seen, '');
                      const follows = await page.locator('.live input[type=checkbox]').isChecked();
                      await says('.head .total', '300.0 KiB');
                      await page.fill('.live .mark input', 'from the page');
                      await page.click('.live .mark button');
                      await says('.live .mark [role=status]', 'is set');
                      // The end of the recording: the bar goes, what is shown stays.
                      await page.waitForFunction(() => !document.querySelector('.live'));
                      await settled();
                      return { follows, query: await query(), total: await total() };
                    """, {"seen": seen_path})

                def work():
                    wait_until(lambda: os.path.exists(seen_path))
                    harness.expect_equal(told.tell("grow 200 1024"), 300 * 1024, "what the program holds")
                    # An order is carried out with the next call.
                    wait_until(lambda: told.tell("churn 1 8") and view.recording()["markers"])
                    told.tell("steady 4 25600")
                    told.end()

                seen, _ = viewing.at_once(look, work)
                self.assertIsNotNone(seen)
                self.assertTrue(seen["follows"])
                self.assertIn("at=end", seen["query"])
                self.assertIn("400.0 KiB", seen["total"])
                self.assertEqual([marker["text"] for marker in view.recording()["markers"]], ["from the page"])
                self.assertEqual(view.stop(), 0)

    def test_a_process_in_live_mode(self):
        with Told("mode=live") as told:
            first = told.tell("grow 10 1024")
            with viewing.View("--no-browser", str(told.process.pid)) as view:
                seen_path = os.path.join(told.folder, "seen")

                def look():
                    return view_page.look(view, SAYS + """
                      const shown = [];
                      const here = async () => shown.push(await text('.head .total'));
                      await open('?view=table&by=function&filter=function%3Dgrow_here');
                      await says('.live .state', 'recording');
                      await says('.head .total', '10.0 KiB');
                      await here();
                      require('fs').writeFileSync(args.seen, '');
                      await says('.head .total', '40.0 KiB');
                      await here();
                      // Back through what was read, and to the newest again.
                      await page.locator('.live .looks input').focus();
                      await page.keyboard.press('Home');
                      await says('.head .total', '10.0 KiB');
                      await here();
                      await page.keyboard.press('End');
                      await says('.head .total', '40.0 KiB');
                      await says('.live .state', 'has ended');
                      await settled();
                      await here();
                      return [shown, await page.locator('[role=tab]').allTextContents()];
                    """, {"seen": seen_path})

                def work():
                    wait_until(lambda: os.path.exists(seen_path))
                    harness.expect_equal((first, told.tell("grow 30 1024")), (10240, 40960), "what it holds")
                    wait_until(lambda: view.recording()["readings"][-1]["live_bytes"] >= 40960)
                    told.end()

                (shown, tabs), _ = viewing.at_once(look, work)
                few, many = "10.0 KiB live in 10 blocks", "40.0 KiB live in 40 blocks"
                self.assertEqual(shown, [few, many, few, many])
                # What only a whole run has is not offered.
                self.assertNotIn("Cohorts", tabs)
                self.assertIn("Blocks", tabs)
                self.assertEqual(view.stop(), 0)


if __name__ == "__main__":
    unittest.main()
