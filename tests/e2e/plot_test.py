"""Pictures: well-formed, with the figures of the report in them; PNG, PDF and films as other programs
see them."""

import functools
import os
import shutil
import re
import struct
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

import api_program
import clients
import export_program
import harness
from export_program import report

SVG = "{http://www.w3.org/2000/svg}"


def plot(ledgers, *options, status=0):
    ledgers = [ledgers] if isinstance(ledgers, str) else ledgers
    done = subprocess.run([harness.TOOL, "plot", *ledgers, *options], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=240)
    harness.expect_equal(done.returncode, status, f"status of the plot: {done.stderr}")
    return done.stderr.decode() if status else done.stdout.decode("utf-8")


def panels(svg):
    """The panels of a page by their kind."""
    root = ElementTree.fromstring(svg)
    return {group.get("data-kind"): group for group in root.iter(SVG + "g")
            if group.get("class") == "plot"}


def bars(panel, fill):
    """The bars of one histogram: where each begins, and its exact value."""
    found = {}
    for rect in panel.iter(SVG + "rect"):
        if rect.get("class") == f"bar {fill}":
            found[rect.get("data-from")] = int(rect.get("data-calls") or rect.get("data-bytes"))
    return found


def texts(element):
    return [text.text or "" for text in element.iter(SVG + "text")]


def groups_by(ledgers, by):
    return report(ledgers, "--by", by)["groups"]


def rendered(ledger, name, *options):
    """The path of a picture with that name."""
    path = os.path.join(harness.fresh_folder(), name)
    plot(ledger, "-o", path, *options)
    harness.expect_equal(os.listdir(os.path.dirname(path)), [name], "what is in the folder")
    return path


def wide():
    """The ledger of a program whose name is of the widest letters."""
    program = os.path.join(harness.fresh_folder(), "mWwM" * 20)
    shutil.copy("/bin/true", program)
    return harness.recorded([program]).ledgers[0]


def png_pixels(path):
    """Width, height and rows of bytes of a PNG with eight bits a channel."""
    with open(path, "rb") as file:
        content = file.read()
    harness.expect_equal(content[:8], b"\x89PNG\r\n\x1a\n", "how a PNG begins")
    at, data, header = 8, b"", None
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        body = content[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            data += body
        at += length + 12
    width, height, depth, colour = header[:4]
    harness.expect_equal(depth, 8, "bits of a channel")
    channels = {2: 3, 6: 4}[colour]
    return width, height, unfiltered(zlib.decompress(data), width * channels, height, channels)


def unfiltered(raw, stride, height, channels):
    """The rows of a PNG, each in full."""
    rows, above = [], bytearray(stride)
    for number in range(height):
        begin = number * (stride + 1)
        kind, row = raw[begin], bytearray(raw[begin + 1:begin + 1 + stride])
        for i in range(stride if kind else 0):
            left = row[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            row[i] = (row[i] + predicted(kind, left, above[i], corner)) & 255
        rows.append(bytes(row))
        above = row
    return rows


def predicted(kind, left, up, corner):
    if kind == 4:
        guess = left + up - corner
        return min((left, up, corner), key=lambda near: abs(guess - near))
    return {1: left, 2: up, 3: (left + up) // 2}[kind]


def probe(path):
    """What ffprobe says of a film: codec, width, height, frames, seconds."""
    tool = clients.command("ffprobe", "ffmpeg")
    text = clients.run([tool, "-v", "error", "-count_frames", "-select_streams", "v:0",
                        "-show_entries", "stream=codec_name,width,height,pix_fmt,nb_read_frames:"
                        "format=duration", "-of", "default=nokey=0:noprint_wrappers=1", path])
    return dict(line.split("=", 1) for line in text.splitlines())


def near(pixels, colour):
    """How many pixels have nearly this colour."""
    wanted = bytes.fromhex(colour)
    return sum(all(abs(pixels[i + j] - wanted[j]) < 24 for j in range(3))
               for i in range(0, len(pixels), 3))


@functools.cache
def marked():
    """The ledger of a program with three markers, two of them close together."""
    binary = api_program.build('''
        int main(void) {
          free(malloc(1000));
          heapledger_marker("half <way>");
          usleep(20000);
          free(malloc(2000));
          heapledger_marker("nearly done, but for a few words more");
          heapledger_marker("done");
          return 0;
        }''')
    return export_program.record([binary], "marked")


class Figures(unittest.TestCase):
    def test_time_has_the_peak_and_every_call(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            with self.subTest(ledger=ledger):
                answer = report(ledger)
                totals = answer["totals"]
                panel = panels(plot(ledger, "--kind", "time"))["time"]
                self.assertEqual(int(panel.get("data-calls")), totals["calls"])
                self.assertEqual(int(panel.get("data-bytes")), totals["bytes"])
                peak = next(c for c in panel.iter(SVG + "circle") if "peak" in c.get("class"))
                self.assertEqual(int(peak.get("data-bytes")), totals["peak_bytes"])
                self.assertEqual(int(peak.get("data-blocks")), totals["peak_blocks"])
                self.assertEqual(int(peak.get("data-time-ns")), totals["peak_time_ns"])
                self.assertEqual(int(panel.get("data-rss-peak-bytes")), totals["rss_peak_bytes"])

    def test_sites_are_the_first_of_the_report(self):
        ledger = export_program.cpp()
        wanted = [group["live_bytes"] for group in report(ledger, "--by", "owner")["groups"][:5]]
        panel = panels(plot(ledger, "--kind", "sites", "--top", "5"))["sites"]
        keys = [int(key.get("data-bytes")) for key in panel.iter(SVG + "g")
                if key.get("class") == "key"]
        self.assertEqual(keys[:-1], wanted)
        self.assertEqual(sum(keys), report(ledger)["totals"]["peak_bytes"])

    def test_bars_are_the_groups_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            with self.subTest(ledger=ledger):
                totals = report(ledger)["totals"]
                sizes = panels(plot(ledger, "--kind", "sizes"))["sizes"]
                for fill, field, total in (("calls-fill", "calls", "calls"),
                                           ("bytes-fill", "bytes", "bytes"),
                                           ("live-fill", "live_bytes", "peak_bytes")):
                    wanted = {str(group["from"]): group[field]
                              for group in groups_by(ledger, "size-class") if group[field] > 0}
                    self.assertEqual(bars(sizes, fill), wanted, fill)
                    self.assertEqual(sum(wanted.values()), totals[total])
                lifetimes = panels(plot(ledger, "--kind", "lifetimes"))["lifetimes"]
                self.assertEqual(sum(bars(lifetimes, "calls-fill").values()), totals["calls"])
                wanted = {("never" if group["from"] is None else str(group["from"])): group["calls"]
                          for group in groups_by(ledger, "lifetime")}
                self.assertEqual(bars(lifetimes, "calls-fill"), wanted)

    def test_map_covers_the_live_blocks(self):
        ledger = export_program.cpp()
        panel = panels(plot(ledger, "--kind", "map"))["map"]
        regions = [(int(g.get("data-begin"), 16), int(g.get("data-end"), 16))
                   for g in panel.iter(SVG + "g") if g.get("class") == "region"]
        self.assertEqual(len(regions), int(panel.get("data-regions")))
        self.assertEqual(regions, sorted(regions))
        blocks = report(ledger, "--blocks", "--top", "100000")["blocks"]
        self.assertGreater(len(blocks), 10)
        for block in blocks:
            self.assertTrue(any(begin <= block["address"]
                                and block["address"] + block["size"] <= end
                                for begin, end in regions), (block, regions))

    def test_markers_are_there(self):
        ledger = marked()
        marker, *others = report(ledger)["moments"]["markers"]
        self.assertEqual(len(others), 2)
        self.assertEqual(marker["text"], "half <way>")
        panel = panels(plot(ledger, "--kind", "time"))["time"]
        lines = [line for line in panel.iter(SVG + "line") if "marker" in line.get("class")]
        self.assertGreater(len(lines), 1)
        self.assertEqual({(line.get("data-text"), int(line.get("data-time-ns"))) for line in lines},
                         {(one["text"], one["time_ns"]) for one in [marker, *others]})
        self.assertIn("half <way>", texts(panel))

    def test_several_ledgers_together(self):
        ledgers = [export_program.cpp(), export_program.python()]
        totals = report(ledgers)["totals"]
        found = panels(plot(ledgers))
        self.assertEqual(set(found), {"time", "sites", "sizes", "lifetimes", "map"})
        self.assertEqual(int(found["time"].get("data-calls")), totals["calls"])
        self.assertEqual(int(found["time"].get("data-peak-bytes")), totals["peak_bytes"])
        self.assertEqual(sum(bars(found["sizes"], "calls-fill").values()), totals["calls"])
        pids = {g.get("data-process") for g in found["map"].iter(SVG + "g")
                if g.get("class") == "region"}
        self.assertEqual(pids, {str(one["pid"]) for one in report(ledgers)["ledgers"]})


# Pairs of texts that are drawn over one another, and texts that are not wholly on the page.
COLLISIONS = """
  const found = [];
  for (const path of args.paths) {
    await page.goto('file://' + path);
    found.push(...await page.evaluate((path) => {
      const wrong = [];
      const size = document.documentElement.getBoundingClientRect();
      const texts = [...document.querySelectorAll('text:not(.halo)')].map((text) => {
        const box = text.getBoundingClientRect();
        // The line is higher than its letters.
        return { text: text.textContent, left: box.left, right: box.right,
                 top: box.top + 2, bottom: box.bottom - 3 };
      });
      texts.forEach((a, i) => {
        if (a.left < 0 || a.top < 0 || a.right > size.width || a.bottom > size.height)
          wrong.push([path, a.text, 'beyond the page']);
        for (const b of texts.slice(i + 1))
          if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
            wrong.push([path, a.text, b.text]);
      });
      return wrong;
    }, path));
  }
  return found;
"""


class Drawing(unittest.TestCase):
    maxDiff = None

    def test_no_text_is_over_another(self):
        folder, paths = harness.fresh_folder(), []
        cases = [()] + [("--kind", kind, "--width", "480", "--height", "480")
                        for kind in ("time", "sites", "sizes", "lifetimes", "map")]
        for ledgers in (export_program.cpp(), export_program.python(), export_program.hostile(),
                        marked(), [export_program.cpp(), export_program.python()], wide()):
            for options in cases:
                paths.append(os.path.join(folder, f"{len(paths)}.svg"))
                plot(ledgers, "-o", paths[-1], *options)
        self.assertEqual(clients.in_browser(COLLISIONS, {"paths": paths}, height=2400), [])

    def test_nothing_sticks_out(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.hostile()):
            for options in ((), ("--width", "960", "--height", "1500"), ("--kind", "map"),
                            ("--kind", "sites", "--width", "480", "--height", "420")):
                with self.subTest(ledger=ledger, options=options):
                    root = ElementTree.fromstring(plot(ledger, *options))
                    width, height = float(root.get("width")), float(root.get("height"))
                    for rect in root.iter(SVG + "rect"):
                        x, y = float(rect.get("x")), float(rect.get("y"))
                        self.assertGreaterEqual(x, 0)
                        self.assertGreaterEqual(y, 0)
                        self.assertLessEqual(x + float(rect.get("width")), width + 0.1)
                        self.assertLessEqual(y + float(rect.get("height")), height + 0.1)
                    for text in root.iter(SVG + "text"):
                        self.assertTrue(0 <= float(text.get("x")) <= width, text.text)
                        self.assertTrue(0 <= float(text.get("y")) <= height, text.text)

    def test_hostile_names_are_harmless(self):
        svg = plot(export_program.hostile(), "--kind", "sites", "--top", "12", "--raw-names")
        root = ElementTree.fromstring(svg)
        self.assertEqual({element.tag for element in root.iter()},
                         {SVG + name for name in ("svg", "style", "rect", "g", "text", "line",
                                                  "path", "title")})
        self.assertNotIn("script", {element.tag.rpartition("}")[2] for element in root.iter()})
        self.assertIn("</script><script>alert(1)</script>", texts(root))
        self.assertTrue(any(text.startswith("long xxx") for text in texts(root)))
        for text in texts(root):
            self.assertLess(len(text), 200)
            self.assertTrue(all(c >= " " and not "\x7f" <= c < "\xa0" and c != "\u202e"
                                for c in text), text)

    def test_light_and_dark(self):
        auto = plot(export_program.cpp(), "--kind", "time")
        dark = plot(export_program.cpp(), "--kind", "time", "--scheme", "dark")
        self.assertIn("prefers-color-scheme:dark", auto)
        self.assertNotIn("prefers-color-scheme", dark)

    def test_a_program_that_allocates_nothing(self):
        source = "int main(void) { return 0; }"
        binary = export_program.compile_program("nothing", source, "gcc", ("-O1",))
        ledger = export_program.record([binary], "nothing")
        self.assertEqual(report(ledger)["totals"]["calls"], 0)
        self.assertIn("Nothing was allocated.", plot(ledger))

    def test_refusals(self):
        ledger = export_program.cpp()
        for words, text in ((("--kind", "tim"), "did you mean"),
                            (("-o", "heap.bmp"), ".png"),
                            (("--width", "100"), "the width"),
                            (("--top", "50"), "--top"),
                            (("--scheme", "pink"), "dark"),
                            (("--frames", "10"), "films"),
                            (("-o", "heap.png", "--scheme", "auto"), "light"),
                            (("-o", "heap.mp4", "--kind", "map"), "--kind"),
                            (("-o", "heap.mp4", "--frames", "1"), "frames")):
            self.assertIn(text, plot(ledger, *words, status=2), words)
        self.assertIn("/nowhere/", plot(ledger, "-o", "/nowhere/heap.svg", status=1))

    def test_a_missing_program_is_named(self):
        folder = harness.fresh_folder()
        for name, package in (("a.png", "librsvg2-bin"), ("a.mp4", "ffmpeg")):
            done = subprocess.run([harness.TOOL, "plot", export_program.cpp(), "-o",
                                   os.path.join(folder, name)], capture_output=True, text=True,
                                  env={"PATH": folder}, timeout=300)
            self.assertEqual(done.returncode, 1)
            self.assertIn(package, done.stderr)
        self.assertEqual(os.listdir(folder), [])


class Rendered(unittest.TestCase):
    def test_png_has_its_size_and_something_on_it(self):
        clients.command("rsvg-convert", "librsvg2-bin")
        for scheme, page in (("light", b"\xff\xff\xff"), ("dark", b"\x16\x19\x1d")):
            path = rendered(export_program.cpp(), "a.png", "--kind", "time", "--width", "640",
                            "--height", "460", "--scheme", scheme)
            width, height, rows = png_pixels(path)
            self.assertEqual((width, height), (640, 460))
            channels = len(rows[0]) // width
            colours = {row[i:i + 3] for row in rows for i in range(0, len(row), channels)}
            self.assertIn(page, colours)
            self.assertGreater(len(colours), 20)

    def test_resident_memory_has_the_live_bytes_on_its_scale(self):
        # A program with far less in the heap than resident.
        ledger = export_program.record(["/bin/sleep", "0.05"], "small")
        totals = report(ledger)["totals"]
        self.assertGreater(totals["rss_peak_bytes"], 4 * totals["peak_bytes"])
        panel = panels(plot(ledger, "--kind", "time"))["time"]
        titles = {path.get("class"): path.find(SVG + "title").text for path in panel.iter(SVG + "path")
                  if path.find(SVG + "title") is not None}
        self.assertRegex(titles["live-fill half"], "^live bytes, up to ")
        self.assertRegex(titles["rss-line strong"], "^resident memory, up to ")

    def test_pdf_has_its_texts(self):
        clients.command("rsvg-convert", "librsvg2-bin")
        path = rendered(export_program.cpp(), "a.pdf", "--kind", "time")
        words = clients.run([clients.command("pdftotext", "poppler-utils"), path, "-"])
        self.assertIn("Live bytes over time", words)
        self.assertIn("peak ", words)

    def test_films(self):
        clients.command("rsvg-convert", "librsvg2-bin")
        clients.command("ffmpeg", "ffmpeg")
        for name, codec in (("a.mp4", "h264"), ("a.gif", "gif")):
            path = rendered(export_program.cpp(), name, "--frames", "10", "--width", "801",
                            "--height", "540")
            seen = probe(path)
            self.assertEqual((seen["codec_name"], seen["width"], seen["height"]),
                             (codec, "800", "540"))
            self.assertEqual(seen["nb_read_frames"], "10")
            self.assertAlmostEqual(float(seen["duration"]), 10 / 12.5, delta=0.02)
            if codec == "h264":
                self.assertEqual(seen["pix_fmt"], "yuv420p")

    def test_films_show_blocks_in_the_colours_of_their_owners(self):
        clients.command("rsvg-convert", "librsvg2-bin")
        ffmpeg = clients.command("ffmpeg", "ffmpeg")
        # Four, then two megabytes of two functions beside eight of a third, for a while each.
        binary = export_program.compile_program("holders", """
            #include <stdlib.h>
            #include <unistd.h>
            void* volatile kept;
            __attribute__((noinline)) void first(void) { kept = malloc(8 << 20); }
            __attribute__((noinline)) void second(void) { kept = malloc(4 << 20); }
            __attribute__((noinline)) void third(void) { kept = malloc(2 << 20); }
            int main(void) {
              first();
              usleep(100000);
              second();
              third();
              usleep(300000);
              return 0;
            }""", "gcc", ("-O1", "-g"))
        path = rendered(export_program.record([binary], "holders"), "a.mp4", "--frames", "8",
                        "--width", "800", "--height", "540")
        pixels = clients.run([ffmpeg, "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt",
                              "rgb24", "-"], text=False)
        size = 800 * 540 * 3
        self.assertEqual(len(pixels), 8 * size)
        orange, green = (near(pixels[-size:], colour) for colour in ("e69f00", "009e73"))
        self.assertGreater(green, 1000, "the third owner's colour")
        self.assertAlmostEqual(orange / green, 2, delta=0.5)
        self.assertLess(near(pixels[:size], "e69f00"), 200, "not there yet")

    def test_film_as_webp(self):
        clients.command("rsvg-convert", "librsvg2-bin")
        clients.command("ffmpeg", "ffmpeg")
        path = rendered(export_program.python(), "a.webp", "--frames", "5", "--width", "800",
                        "--height", "540")
        words = clients.run([clients.command("webpmux", "webp"), "-info", path])
        self.assertRegex(words, r"Canvas size: 800 x 540")
        self.assertEqual(int(re.search(r"Number of frames: (\d+)", words).group(1)), 5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
