"""What a browser holds the page of `heapledger view` to: its own policy, which nothing in it ever breaks
whatever names are shown, and that no page of another place gets an answer."""

import http.server
import threading
import unittest

import export_program
import view_page
import viewing

REPORTS = """
  await page.addInitScript(() => {
    window.refused = [];
    document.addEventListener('securitypolicyviolation',
                              (event) => window.refused.push(event.violatedDirective));
  });
"""


class Blank(http.server.BaseHTTPRequestHandler):
    """A page of another place."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    def log_message(self, *_):
        pass


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = viewing.View("--no-browser", export_program.hostile())
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def test_no_view_breaks_the_policy(self):
        views, refused, control = view_page.look(self.view, REPORTS + """
            await open('?at=end');
            const tabs = page.locator('[role=tab]');
            const views = await tabs.count();
            for (let i = 0; i < views; ++i) {
              await tabs.nth(i).click();
              await settled();
            }
            const refused = await page.evaluate(() => window.refused);
            // What does break it is reported.
            await page.evaluate(() => {
              const script = document.createElement('script');
              script.textContent = 'window.obeyed = true';
              document.body.append(script);
            });
            await page.waitForFunction(() => window.refused.length > 0);
            return [views, refused, await page.evaluate(() => [window.obeyed ?? false, window.refused.length > 0])];""")
        self.assertGreater(views, 8)
        self.assertEqual(refused, [])
        self.assertEqual(control, [False, True])

    def test_another_place_gets_no_answer(self):
        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Blank)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        try:
            # Even one that knows the token.
            asked = view_page.look(self.view, """
                const ask = () => page.evaluate(async ([place, token]) => {
                  try {
                    const headers = { authorization: 'Bearer ' + token };
                    return (await fetch(place + 'api/recording', { method: 'POST', headers, body: '{}' })).status;
                  } catch (error) {
                    return error.name;
                  }
                }, args.url.split('#'));
                await page.goto(args.other);
                const elsewhere = await ask();
                await open();
                return [elsewhere, await ask()];""", {"other": f"http://127.0.0.1:{other.server_port}/"})
        finally:
            other.shutdown()
            other.server_close()
        self.assertEqual(asked, ["TypeError", 200])

    def test_a_forged_ledger_gets_no_text_of_other_files(self):
        """Its debug information says that a function is in /etc/passwd."""
        text = ('#include <stdlib.h>\nvoid* volatile kept;\n# 1 "/etc/passwd"\n'
                "__attribute__((noinline)) void forged(void) { kept = malloc(4096); }\n"
                '# 1 "main.c"\nint main(void) { forged(); return 0; }\n')
        ledger = export_program.record([export_program.compile_program("forged", text, "gcc", ("-O1", "-g"))],
                                       "forged")
        with viewing.View("--no-browser", ledger) as view:
            view.wait_for_event("index")
            said, source, page = view_page.look(view, """
                await open('?view=table&by=owner&at=end');
                await page.locator('.rows tr:has-text("forged")').first().click();
                await settled();
                await click('#tab-source');
                await page.locator('.source .note').waitFor();
                return [await text('.source .note'), await page.locator('.source tr.picked .text').textContent(),
                        await page.content()];""")
        self.assertIn("not that of a source", said)
        self.assertEqual(source, "forged")
        with open("/etc/passwd", encoding="utf-8") as file:
            first = file.readline().strip()
        self.assertNotIn(first, page)


if __name__ == "__main__":
    unittest.main()
