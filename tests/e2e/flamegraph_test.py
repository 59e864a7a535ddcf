"""Flame graphs, in a browser as a person uses them: figures as the report has them, a click, a
search, light and dark; and without scripts."""

import os
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import clients
import export_program
import harness
from export_program import report, totals_of

SVG = "{http://www.w3.org/2000/svg}"
OPEN = """
  const dialogs = [];
  page.on('dialog', async (dialog) => { dialogs.push(dialog.message()); await dialog.dismiss(); });
  await page.goto('file://' + args.path);
  const frame = (name) => page.locator('.frame').filter(
      { has: page.locator('title', { hasText: name }) });
  const shown = () => page.evaluate(() => [...document.querySelectorAll('.frame')]
      .filter((each) => each.style.display !== 'none').map((each) => ({
        name: each.querySelector('title').textContent.split('\\n')[0],
        label: each.querySelector('text').textContent,
        depth: Number(each.dataset.depth),
        x: Number(each.querySelector('rect').getAttribute('x')),
        width: Number(each.querySelector('rect').getAttribute('width')) })));
  const detail = () => page.locator('.detail').textContent();
  // The stacks in the file are unpacked.
  const ready = () => page.locator('.controls select').waitFor();
"""


def draw(ledger, name, *options, status=0):
    """The path of a flame graph."""
    path = os.path.join(harness.fresh_folder(), name)
    done = subprocess.run([harness.TOOL, "flamegraph", ledger, "-o", path, *options],
                          capture_output=True, text=True, timeout=300)
    harness.expect_equal(done.returncode, status, f"status of flamegraph: {done.stderr}")
    return path


def look(path, script, **how):
    return clients.in_browser(OPEN + script, {"path": path}, **how)


def functions(ledger, *options):
    """Inclusive live bytes by function, as the report has them."""
    rows = report(ledger, "--by", "function", "--top", "100000", *options)["groups"]
    return {row["name"]: row for row in rows}


def frames_of(path):
    """Each frame in the file: name, first value, value, depth."""
    root = ElementTree.parse(path).getroot()
    found = []
    for group in root.iter(SVG + "g"):
        if "frame" in group.get("class", "").split():
            name = group.find(SVG + "title").text.split("\n")[0]
            found.append((name, int(group.get("data-begin")), int(group.get("data-value")),
                          int(group.get("data-depth"))))
    return found


class Flamegraph(unittest.TestCase):
    def test_total_is_the_peak(self):
        for ledger in (export_program.cpp(), export_program.sampled()):
            peak = report(ledger)["totals"]["peak_bytes"]
            for name in ("total.svg", "total.html"):
                path = draw(ledger, name)
                text = look(path, "return await detail();")
                self.assertIn(f"({peak:,} bytes), 100.0% of all", text)

    def test_every_metric_has_its_total(self):
        ledger = export_program.cpp()
        totals = totals_of(ledger)
        for metric, total in (("calls", "calls"), ("bytes", "bytes"), ("temporary", "temporary_calls"),
                              ("never-freed", "never_freed_bytes")):
            frames = frames_of(draw(ledger, "metric.svg", "--metric", metric))
            self.assertEqual(frames[0], ("all", 0, totals[total], 0))

    def test_frames_lie_inside_their_callers(self):
        for ledger, metric in ((export_program.python(), "live"), (export_program.cpp(), "calls"),
                               (export_program.sampled(), "bytes")):
            frames = frames_of(draw(ledger, "nested.svg", "--metric", metric))
            self.assertGreater(len(frames), 50)
            path = []
            for name, begin, value, depth in frames:
                del path[depth:]
                self.assertEqual(len(path), depth, name)
                if path:
                    self.assertLessEqual(path[-1][0], begin)
                    self.assertLessEqual(begin + value, path[-1][1])
                path.append((begin, begin + value))

    def test_narrow_frames_are_left_out(self):
        ledger = export_program.cpp()
        total = report(ledger)["totals"]["peak_bytes"]
        whole = frames_of(draw(ledger, "whole.svg", "--min-share", "0"))
        path = draw(ledger, "wide.svg", "--min-share", "5%")
        self.assertEqual(frames_of(path), [frame for frame in whole if frame[2] >= total * 0.05])
        with open(path, encoding="utf-8") as file:
            self.assertIn("frames under 5% left out", file.read())

    def test_a_click_zooms_and_goes_back(self):
        answer = look(draw(export_program.cpp(), "zoom.svg"), """
            const before = await shown();
            await frame('shop::make_item').first().click();
            const zoomed = await shown();
            const text = await detail();
            await page.locator('button', { hasText: 'Reset' }).click();
            const after = await shown();
            await frame('shop::stock').first().click();
            await frame('shop::make_item').first().click();
            await page.locator('button', { hasText: 'Back' }).click();
            return { before, zoomed, text, after, back: await shown() };""")
        full = answer["before"][0]["width"]
        self.assertEqual(full, 1200 - 2 * 12 - 1)
        inside = [each for each in answer["zoomed"] if each["name"].startswith("shop::make_item")]
        self.assertEqual([each["width"] for each in inside], [full])
        self.assertIn("shop::make_item", answer["text"])
        for each in answer["zoomed"]:
            if each["depth"] <= inside[0]["depth"]:
                self.assertEqual(each["width"], full, "what it is called by is as wide")
        self.assertLess(len(answer["zoomed"]), len(answer["before"]), "the others are hidden")
        self.assertEqual(answer["after"], answer["before"])
        stock = [each for each in answer["back"] if each["name"].startswith("shop::stock")]
        self.assertEqual(stock[0]["width"], full)

    def test_search_gives_the_share_of_the_report(self):
        ledger = export_program.cpp()
        totals = report(ledger)["totals"]
        names = ("shop::stock(int)", "shop::make_item(int)", "shop::nested(int)")
        patterns = ["/^" + name.replace("(", r"\(").replace(")", r"\)") + "$/" for name in names]
        for moment, whole in (("peak", totals["peak_bytes"]), ("end", totals["end_bytes"])):
            rows = functions(ledger, "--at", moment)
            for way in ([], ["--inverted"]):
                path = draw(ledger, "search.html", "--at", moment, "--min-share", "0", *way)
                answers = clients.in_browser(OPEN + """
                    const answers = [];
                    await ready();
                    for (const pattern of args.patterns) {
                      await page.keyboard.press('Control+f');
                      await page.keyboard.type(pattern);
                      answers.push({ text: await page.locator('.matched').textContent(),
                                     sum: await page.getAttribute('svg', 'data-matched'),
                                     hits: await page.locator('.hit').count() });
                      await page.keyboard.press('Escape');
                    }
                    return answers;""", {"path": path, "patterns": patterns})
                for name, answer in zip(names, answers):
                    wanted = rows[name]["live_bytes"]
                    self.assertEqual(int(answer["sum"]), wanted, (name, moment, way))
                    self.assertIn(f"{100 * wanted / whole:.1f}%", answer["text"])
                if moment == "end":
                    self.assertEqual(int(answers[2]["sum"]), 4321)
                    self.assertGreater(answers[2]["hits"], 1, "recursion has several frames")

    def test_search_counts_what_is_too_narrow_to_be_drawn(self):
        ledger = export_program.cpp()
        wanted = functions(ledger)["shop::nested(int)"]["bytes"]
        for way in ([], ["--inverted"]):
            path = draw(ledger, "narrow.svg", "--metric", "bytes", "--min-share", "20%", *way)
            self.assertNotIn("shop::nested(int)", [frame[0] for frame in frames_of(path)])
            matched = look(path, """
                await ready();
                await page.keyboard.press('/');
                await page.keyboard.type('shop::nested(');
                return await page.getAttribute('svg', 'data-matched');""")
            self.assertEqual((int(matched), wanted), (4321, 4321))

    def test_the_room_of_narrow_frames_is_shown(self):
        ledger = export_program.python()
        least = report(ledger)["totals"]["peak_bytes"] * 0.02
        root = ElementTree.parse(draw(ledger, "room.svg", "--min-share", "2%")).getroot()
        path, rooms = [], 0
        for group in root.iter(SVG + "g"):
            kinds = group.get("class", "").split()
            if not {"frame", "rest"} & set(kinds):
                continue
            begin, value, depth = (int(group.get("data-" + name))
                                   for name in ("begin", "value", "depth"))
            del path[depth:]
            if "rest" in kinds:
                rooms += 1
                self.assertGreaterEqual(value, least)
                self.assertEqual(begin, path[-1]["filled"], "beside what is drawn")
                self.assertLessEqual(begin + value, path[-1]["end"])
                self.assertRegex(group.find(SVG + "title").text, r"^… [\d,]+ smaller\n")
                continue
            if path:
                path[-1]["filled"] = begin + value
            path.append({"filled": begin, "end": begin + value})
        self.assertGreater(rooms, 0)

    def test_other_metrics_and_callers_in_one_picture(self):
        # What the script draws of the stacks is what the tool draws when it is asked for that.
        ledger = export_program.cpp()
        choices = {"bytes live at the peak": "peak", "bytes allocated": "bytes", "calls": "calls",
                   "temporary calls": "temporary", "bytes never freed": "never-freed"}
        seen = look(draw(ledger, "views.svg", "--min-share", "1%"), """
            await ready();
            const seen = {};
            for (let turn = 0; turn < 2; ++turn) {
              await page.locator('button', { hasText: 'Callers' }).click();
              for (const name of await page.locator('option').allTextContents()) {
                await page.locator('select').selectOption({ label: name });
                seen[name + turn] = await page.evaluate(() =>
                    [...document.querySelectorAll('.frame, .rest')].map((each) => [
                      each.querySelector('title').textContent.split('\\n')[0],
                      Number(each.dataset.value), Number(each.dataset.depth)]));
              }
            }
            return seen;""")
        self.assertEqual(len(seen), 2 * len(choices))
        for name, metric in choices.items():
            for turn, way in enumerate((["--inverted"], [])):
                root = ElementTree.parse(draw(ledger, "one.svg", "--metric", metric, "--min-share",
                                              "1%", *way)).getroot()
                wanted = [[group.find(SVG + "title").text.split("\n")[0],
                           int(group.get("data-value")), int(group.get("data-depth"))]
                          for group in root.iter(SVG + "g")
                          if group.get("class", "").split()[:1] in (["frame"], ["rest"])]
                self.assertGreater(len(wanted), 3)
                self.assertEqual(sorted(seen[name + str(turn)]), sorted(wanted), (metric, way))

    def test_functions_of_one_module_have_shades(self):
        root = ElementTree.parse(draw(export_program.cpp(), "shades.svg")).getroot()
        shades = {}
        for group in root.iter(SVG + "g"):
            kinds = group.get("class", "").split()
            if kinds[:2] == ["frame", "m0"]:
                name = group.find(SVG + "title").text.split("\n")[0]
                shades.setdefault(kinds[2], set()).add(name)
        self.assertGreaterEqual(len(shades), 3)
        self.assertEqual(len(set.union(*shades.values())), sum(map(len, shades.values())),
                         "a function has one shade")

    def test_search_for_text_and_the_end_of_it(self):
        answer = look(draw(export_program.cpp(), "text.svg"), """
            await page.keyboard.press('/');
            await page.keyboard.type('MAKE_item');
            const hits = await page.locator('.hit').count();
            await page.keyboard.press('Escape');
            const after = await page.locator('.hit').count();
            await page.keyboard.press('/');
            await page.keyboard.type('/(unfinished');
            return { hits, after, odd: await page.locator('.hit').count() };""")
        self.assertGreater(answer["hits"], 0)
        self.assertEqual((answer["after"], answer["odd"]), (0, 0))

    def test_keys_alone(self):
        text = look(draw(export_program.cpp(), "keys.svg"), """
            for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter'])
              await page.keyboard.press(key);
            return [await detail(), (await shown()).filter((each) => each.depth === 1)];""")
        self.assertEqual(len(text[1]), 1)
        self.assertTrue(text[0].startswith(text[1][0]["name"]), text)

    def test_inverted_begins_with_those_that_allocate(self):
        ledger = export_program.cpp()
        rows = functions(ledger)
        frames = frames_of(draw(ledger, "inverted.svg", "--inverted", "--min-share", "0"))
        first = {name: value for name, _, value, depth in frames if depth == 1}
        self.assertEqual(first, {name: row["self"]["live_bytes"] for name, row in rows.items()
                                 if row["self"]["live_bytes"] > 0})

    def test_the_picture_is_as_wide_as_the_window(self):
        path = draw(export_program.cpp(), "wide.html")
        for width in (700, 1500):
            seen = look(path, "return [await page.getAttribute('svg', 'width'), await page.evaluate("
                              "() => document.documentElement.scrollWidth)];", width=width)
            self.assertEqual([int(seen[0]), seen[1]], [width, width])
        fixed = draw(export_program.cpp(), "fixed.svg", "--width", "900")
        self.assertEqual(look(fixed, "return await page.getAttribute('svg', 'width');"), "900")

    def test_light_and_dark(self):
        colours = """return await page.evaluate(() => [
            getComputedStyle(document.querySelector('.paper')).fill,
            getComputedStyle(document.querySelector('.frame.m0 rect')).fill,
            getComputedStyle(document.querySelector('.frame.m0 text')).fill]);"""
        path = draw(export_program.cpp(), "colours.svg")
        light = [brightness(each) for each in look(path, colours, scheme="light")]
        dark = [brightness(each) for each in look(path, colours, scheme="dark")]
        self.assertGreater(light[0], 0.9)
        self.assertLess(dark[0], 0.1)
        for _, frame, text in (light, dark):
            high, low = max(frame, text) + 0.05, min(frame, text) + 0.05
            self.assertGreaterEqual(high / low, 4.5, "the contrast that people need to read")

    def test_hostile_names_do_nothing(self):
        ledger = export_program.hostile()
        for name in ("hostile.svg", "hostile.html"):
            path = draw(ledger, name, "--raw-names", "--at", "end", "--title", "]]></script>'\"<b>")
            answer = look(path, "await frame('script').first().click();"
                                "return { dialogs, frames: await shown(), bold: await "
                                "page.locator('b').count(), "
                                "heading: await page.locator('.heading').textContent() };")
            self.assertEqual((answer["dialogs"], answer["bold"]), ([], 0))
            self.assertEqual(answer["heading"], "]]></script>'\"<b>")
            self.assertIn("</script><script>alert(1)</script>",
                          [each["name"] for each in answer["frames"]])
        values = {value for _, _, value, _ in frames_of(
            draw(ledger, "all.svg", "--raw-names", "--at", "end"))}
        self.assertLessEqual(set(export_program.HOSTILE_NAMES.values()), values)

    def test_without_scripts(self):
        path = draw(export_program.cpp(), "still.svg")
        root = ElementTree.parse(path).getroot()
        texts = [each.text or "" for each in root.iter(SVG + "text")]
        self.assertIn("shop::stock(int)", texts)
        self.assertFalse(list(root.iter("{http://www.w3.org/1999/xhtml}button")))
        for group in root.iter(SVG + "g"):
            if "frame" in group.get("class", "").split():
                label = group.find(SVG + "text").text or ""
                room = float(group.find(SVG + "rect").get("width"))
                self.assertLessEqual(7.2 * len(label), room, "a label ends inside its frame")
        rsvg = clients.command("rsvg-convert", "librsvg2-bin")
        picture = clients.run([rsvg, path], text=False)
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(picture), 5000)

    def test_nothing_to_draw(self):
        path = draw(export_program.cpp(), "nothing.svg", "--filter", "function=no_such_function")
        self.assertEqual(frames_of(path), [])
        look(path, "return 0;")

    def test_refusals(self):
        for words, text in ((["-o", "out.png"], ".svg, .html"), (["--metric", "cals"], "calls"),
                            (["-o", "x.svg", "--min-share", "much"], "1%"),
                            (["-o", "/nowhere/out.svg"], "/nowhere/out.svg"),
                            (["--metric", "peak", "--at", "end"], "live")):
            done = subprocess.run([harness.TOOL, "flamegraph", export_program.cpp(), *words],
                                  capture_output=True, text=True, timeout=300,
                                  cwd=harness.fresh_folder())
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")


def brightness(colour):
    """The relative luminance of "rgb(1, 2, 3)", from 0 to 1."""
    parts = [int(each) / 255 for each in colour[4:-1].split(",")]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4
              for each in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


if __name__ == "__main__":
    unittest.main(verbosity=2)
