"""The page of `heapledger view` in a browser, for the tests of it: recordings to look at, and what a
test's script has at hand.

    with viewing.View("--no-browser", view_page.shop()) as view:
        view_page.look(view, "await open(); return await total();")
"""

import functools
import os
import re
import subprocess

import clients
import harness

HERE = os.path.dirname(os.path.abspath(__file__))
SHOP = os.path.join(HERE, "questions", "shop.cpp")
INCLUDE = os.path.join(HERE, os.pardir, os.pardir, "include")


def bytes_text(value):
    units = ("B", "KiB", "MiB", "GiB")
    unit = 0
    while value >= 1024:
        value /= 1024
        unit += 1
    return f"{value:.1f} {units[unit]}" if unit else f"{value} B"


def live_text(figures):
    """What stands at the head of a view whose metric is what is live."""
    blocks = figures["live_blocks"]
    return f"{bytes_text(figures['live_bytes'])} live in {blocks:,} block{'' if blocks == 1 else 's'}"


# `open(query)` goes there, with the token; `settled()` waits until no view waits for an answer.
SCRIPT = """
  await page.emulateMedia({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(120000);
  const settled = async () => {
    for (const _ of ['an answer', 'what is asked for because of it']) {
      await page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
      await page.waitForFunction(
          () => document.querySelector('#view') && !document.querySelector('.waiting, [aria-busy=true]'));
    }
  };
  const open = async (query = '') => {
    await page.goto('about:blank');
    await page.goto(args.url.replace('/#', '/' + query + '#'));
    await settled();
  };
  const text = async (selector) => (await page.locator(selector).first().textContent()).trim();
  const total = () => text('.head .total');
  const query = () => page.evaluate(() => location.search);
  let clicks = 0;
  const click = async (selector) => {
    await page.locator(selector).first().click();
    ++clicks;
    await settled();
  };
  // The line that the source view has marked.
  const marked = async () => {
    const row = page.locator('.source tr.picked');
    await row.waitFor();
    return { line: Number(await row.getAttribute('data-line')),
             text: (await row.locator('td.text').textContent()).trim(), clicks };
  };
"""


def look(view, script, given=None, **how):
    """Runs a script with the page at hand; what it returns."""
    return clients.in_browser(SCRIPT + script, {"url": view.url, **(given or {})}, **how)


def access_faults(view, queries, scheme):
    """What axe-core finds fault with in these states of the page, with a block and a cohort chosen."""
    axe = os.path.join(clients.node_module("axe-core"), "axe.min.js")
    return look(view, """
        const axe = require('fs').readFileSync(args.axe, 'utf8');
        const found = [];
        for (const query of args.queries) {
          await open(query);
          if (query.includes('view=blocks')) await click('.rows tbody tr:not(.gap)');
          if (query.includes('view=rss')) await click('text=The same over time');
          if (query.includes('view=cohorts')) await page.locator('.plane').press('ArrowRight');
          await settled();
          const { violations, passes } = await page.evaluate(axe + '; axe.run()');
          if (passes.length < 20) found.push('too little was looked at: ' + query);
          for (const { id, nodes } of violations) found.push([query, id, nodes[0].html]);
        }
        return found;""", {"axe": axe, "queries": queries}, scheme=scheme)


def recorded(name, *command, options=()):
    folder = harness.fresh_folder()
    ledger = os.path.join(folder, name + ".ledger")
    subprocess.run([harness.TOOL, "run", "-o", ledger, *options, "--", *command], cwd=folder, check=True,
                   capture_output=True, env=harness.plain_environment(),
                   timeout=harness.HANG_SECONDS)
    return ledger


def compiled(name, source, *words):
    """The path of a program; `source` is the path of its source, or the text of it."""
    folder = harness.fresh_folder()
    if "\n" in source:
        path = os.path.join(folder, name + ".cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        source = path
    binary = os.path.join(folder, name)
    subprocess.run(["g++", "-g", "-O1", "-fno-optimize-sibling-calls", "-I", INCLUDE, *words, "-o",
                    binary, source, "-pthread"], check=True)
    return binary


@functools.cache
def shop():
    """The ledger of questions/shop.cpp."""
    return recorded("shop", compiled("shop", SHOP))


def line_of(pattern, path=SHOP):
    """The number of the only line of a source file in which a pattern is found."""
    with open(path, encoding="utf-8") as file:
        found = [number for number, line in enumerate(file, 1) if re.search(pattern, line)]
    harness.expect_equal(len(found), 1, f"lines with {pattern}")
    return found[0]
