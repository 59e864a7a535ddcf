"""Call graphs: graphviz draws them, nodes are the functions of the report, edges add up, hostile
names stay in their boxes, and what is left out is told."""

import functools
import html
import json
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import clients
import export_program
import harness
from export_program import export, report

# Calls without recursion, with sizes that add up to 1000: main has 300 of its own, and calls left
# (100 of its own, 150 + 50 through deep and leaf) and right (50 of its own, 300 + 50 likewise).
CALLS = """
#include <stdlib.h>
void* volatile kept;
__attribute__((noinline)) void leaf(int size) { kept = malloc(size); }
__attribute__((noinline)) void deep(int size) { leaf(size); leaf(50); kept = kept; }
__attribute__((noinline)) void left(void) { kept = malloc(100); deep(150); kept = kept; }
__attribute__((noinline)) void right(void) { kept = malloc(50); deep(300); kept = kept; }
int main(void) { left(); right(); kept = malloc(300); return 0; }
"""


def graph(ledger, name, *options, status=0):
    """The path of a graph."""
    path = os.path.join(harness.fresh_folder(), name)
    done = subprocess.run([harness.TOOL, "graph", ledger, "-o", path, *options],
                          capture_output=True, text=True, timeout=300)
    harness.expect_equal(done.returncode, status, f"status of graph: {done.stderr}")
    return path


def name_of(tooltip):
    return re.match(r"(.*): [^:]+ in all, ", html.unescape(tooltip)).group(1)


class Parsed:
    """A graph as graphviz reads it."""

    def __init__(self, path):
        dot = clients.command("dot", "graphviz")
        self.whole = json.loads(clients.run([dot, "-Tjson", path]))
        nodes = self.whole.get("objects", [])
        self.names = {node["_gvid"]: name_of(node["tooltip"]) for node in nodes}
        self.nodes = {self.names[node["_gvid"]]: (int(node["all"]), int(node["self"]))
                      for node in nodes}
        self.edges = {(self.names[edge["tail"]], self.names[edge["head"]]): int(edge["value"])
                      for edge in self.whole.get("edges", [])}
        self.labels = {self.names[node["_gvid"]]: node["label"] for node in nodes}

    def number(self, name):
        return int(self.whole[name])


def functions(ledger, *options):
    """(all, self) live bytes by function, of those that have some, as the report has them."""
    rows = report(ledger, "--by", "function", "--top", "100000", *options)["groups"]
    return {row["name"]: (row["live_bytes"], row["self"]["live_bytes"]) for row in rows
            if row["live_bytes"] > 0}


@functools.cache
def calls():
    binary = export_program.compile_program("calls", CALLS, "gcc", ("-O1", "-g"))
    return export_program.record([binary], "calls")


class Graph(unittest.TestCase):
    def test_sums_made_on_paper(self):
        seen = Parsed(graph(calls(), "calls.dot", "--at", "end"))
        self.assertEqual({name: seen.nodes[name] for name in
                          ("main", "left", "right", "deep", "leaf")},
                         {"main": (1000, 300), "left": (300, 100), "right": (400, 50),
                          "deep": (550, 0), "leaf": (550, 550)})
        self.assertEqual({edge: value for edge, value in seen.edges.items()
                          if edge[0] in ("main", "left", "right", "deep")},
                         {("main", "left"): 300, ("main", "right"): 400, ("left", "deep"): 200,
                          ("right", "deep"): 350, ("deep", "leaf"): 550})
        self.assertEqual(seen.number("total"), 1000)

    def test_nodes_are_the_functions_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.sampled(), export_program.python()):
            rows = functions(ledger)
            seen = Parsed(graph(ledger, "all.dot", "--prune", "0", "--wrappers", "--boxes", "200"))
            self.assertEqual({name: rows[name] for name in seen.nodes}, seen.nodes)
            self.assertEqual(len(seen.nodes) + seen.number("pruned_functions"), len(rows))
            self.assertEqual(sum(own for _, own in seen.nodes.values()) +
                             seen.number("pruned_self"), report(ledger)["totals"]["peak_bytes"])

    def test_what_enters_a_function_is_what_it_has(self):
        ledger = export_program.cpp()
        seen = Parsed(graph(ledger, "enter.dot", "--prune", "0", "--wrappers", "--boxes",
                            "500"))
        self.assertEqual(seen.number("pruned_functions"), 0)
        entered = {}
        for (caller, callee), value in seen.edges.items():
            if caller != callee:
                entered[callee] = entered.get(callee, 0) + value
        roots = {name for name in seen.nodes if name not in entered}
        self.assertLessEqual({"_start", "__clone3"}, roots)
        self.assertEqual(sum(seen.nodes[name][0] for name in roots), seen.number("total"))
        for name, value in entered.items():
            self.assertEqual(value, seen.nodes[name][0], name)

    def test_recursion_counts_once(self):
        seen = Parsed(graph(export_program.cpp(), "nested.dot", "--at", "end"))
        self.assertEqual(seen.nodes["shop::nested(int)"], (4321, 4321))
        self.assertEqual(seen.edges[("shop::nested(int)", "shop::nested(int)")], 4321)
        self.assertEqual(seen.edges[("main", "shop::nested(int)")], 4321)

    def test_stacks_end_with_the_owner(self):
        ledger = export_program.cpp()
        short = Parsed(graph(ledger, "short.dot"))
        long = Parsed(graph(ledger, "long.dot", "--wrappers"))
        self.assertNotIn("operator new(unsigned long)", short.nodes)
        self.assertIn("operator new(unsigned long)", long.nodes)
        self.assertLess(len(short.nodes), len(long.nodes))
        self.assertEqual(short.nodes, {name: long.nodes[name] for name in short.nodes})
        self.assertEqual(sum(own for _, own in short.nodes.values()) +
                         short.number("pruned_self"), short.number("total"))

    def test_small_ones_are_left_out(self):
        ledger = export_program.python()
        rows = functions(ledger)
        total = report(ledger)["totals"]["peak_bytes"]
        seen = Parsed(graph(ledger, "pruned.dot", "--prune", "10%", "--wrappers", "--boxes",
                            "200"))
        self.assertEqual(seen.nodes, {name: row for name, row in rows.items()
                                      if row[0] >= total / 10})
        left_out = [row for row in rows.values() if row[0] < total / 10]
        self.assertEqual(seen.number("pruned_functions"), len(left_out))
        self.assertEqual(seen.number("pruned_self"), sum(own for _, own in left_out))
        self.assertIn(f"{len(seen.nodes)} of {len(rows)} functions", seen.whole["label"])
        self.assertIn("less than 10%", seen.whole["label"])

    def test_forty_boxes_are_enough(self):
        # Sixty functions that allocate the same, behind a long way that allocates nothing.
        source = "#include <stdlib.h>\nvoid* volatile kept;\n"
        source += "".join(f"__attribute__((noinline)) void leaf{i}(void) {{ kept = malloc(1000); }}\n"
                          for i in range(60))
        source += "__attribute__((noinline)) void work(void) {\n"
        source += "".join(f"  leaf{i}(); kept = kept;\n" for i in range(60)) + "}\n"
        source += "__attribute__((noinline)) void way0(void) { work(); kept = kept; }\n"
        source += "".join(f"__attribute__((noinline)) void way{i}(void) "
                          f"{{ way{i - 1}(); kept = kept; }}\n" for i in range(1, 20))
        source += "int main(void) { way19(); return 0; }\n"
        binary = export_program.compile_program("ways", source, "gcc", ("-O1", "-g"))
        ledger = export_program.record([binary], "ways")
        seen = Parsed(graph(ledger, "ways.dot", "--at", "end"))
        self.assertEqual(len(seen.nodes), 40)
        self.assertEqual(seen.nodes["work"], (60000, 0))
        self.assertEqual({name[:4] for name in seen.nodes}, {"work", "leaf"})
        self.assertEqual({edge[0] for edge in seen.edges}, {"work"})
        self.assertEqual(seen.number("pruned_self"), 21 * 1000)
        self.assertIn("40 of ", seen.whole["label"])
        more = Parsed(graph(ledger, "more.dot", "--at", "end", "--boxes", "70"))
        self.assertTrue({f"leaf{i}" for i in range(60)} | {"work"} <= set(more.nodes))

    def test_calls_through_what_is_left_out_are_dashed(self):
        # Of calls(), main, left and leaf have 300, 100 and 550 of their own, and deep nothing.
        seen = Parsed(graph(calls(), "through.dot", "--at", "end", "--boxes", "4"))
        self.assertEqual(set(seen.nodes), {"main", "left", "right", "leaf"})
        self.assertEqual(seen.edges[("left", "leaf")], 200)
        self.assertEqual(seen.edges[("right", "leaf")], 350)
        styles = {(seen.names[edge["tail"]], seen.names[edge["head"]]): edge["style"]
                  for edge in seen.whole["edges"]}
        self.assertEqual(styles[("left", "leaf")], "dashed")
        self.assertEqual(styles[("main", "left")], "solid")

    def test_the_picture_is_moved_and_zoomed(self):
        clients.command("dot", "graphviz")
        seen = clients.in_browser("""
            await page.goto('file://' + args);
            const part = async () => (await page.getAttribute('svg', 'viewBox')).split(' ').map(Number);
            const before = await part();
            await page.mouse.move(600, 400);
            await page.mouse.wheel(0, -500);
            const near = await part();
            await page.mouse.down();
            await page.mouse.move(500, 400);
            await page.mouse.up();
            const moved = await part();
            await page.keyboard.press('0');
            return [before, near, moved, await part()];""", graph(export_program.cpp(), "move.svg"))
        before, near, moved, after = seen
        self.assertLess(near[2], before[2] / 2)
        self.assertAlmostEqual(near[0] + near[2] / 2, before[0] + before[2] / 2, places=3)
        self.assertAlmostEqual(moved[0] - near[0], near[2] * 100 / 1200, places=3)
        self.assertEqual(after, before)

    def test_more_goes_with_larger_text_and_wider_arrows(self):
        seen = Parsed(graph(calls(), "sizes.dot", "--at", "end"))
        size = {seen.names[node["_gvid"]]: float(node["fontsize"])
                for node in seen.whole["objects"]}
        self.assertGreater(size["leaf"], size["main"])
        self.assertGreater(size["main"], size["left"])
        self.assertGreater(size["left"], size["deep"])
        width = {(seen.names[edge["tail"]], seen.names[edge["head"]]): float(edge["penwidth"])
                 for edge in seen.whole["edges"]}
        self.assertGreater(width[("deep", "leaf")], width[("right", "deep")])
        self.assertGreater(width[("right", "deep")], width[("left", "deep")])

    def test_graphviz_draws_all_formats(self):
        clients.command("dot", "graphviz")
        ledger = export_program.cpp()
        for form, begins in (("svg", b"<?xml"), ("pdf", b"%PDF-"), ("ps", b"%!PS-Adobe")):
            with open(graph(ledger, "drawn." + form), "rb") as file:
                drawn = file.read()
            self.assertTrue(drawn.startswith(begins), drawn[:20])
            exported = export(ledger, form, text=False)
            self.assertTrue(exported.startswith(begins), exported[:20])
        with open(graph(ledger, "same.dot"), encoding="utf-8") as file:
            self.assertEqual(file.read(), export(ledger, "dot"))

    def test_long_names_are_parted_between_words(self):
        source = """
            #include <cstdlib>
            struct FirstArgument {};
            void* volatile kept;
            namespace storehouse {
            __attribute__((noinline)) void ordereverything(FirstArgument*, FirstArgument*, int size) {
              kept = std::malloc(size);
            }
            }
            int main() { storehouse::ordereverything(nullptr, nullptr, 100000); }
            """
        binary = export_program.compile_program("parted", source, "g++", ("-O1", "-g"))
        seen = Parsed(graph(export_program.record([binary], "parted"), "parted.dot", "--at", "end"))
        [label] = [label for name, label in seen.labels.items() if "ordereverything" in name]
        self.assertEqual([line.strip() for line in label.split("\\n")][:2],
                         ["storehouse::ordereverything(", "FirstArgument*, FirstArgument*,"])

    def test_pdf_is_a_picture(self):
        clients.command("dot", "graphviz")
        pdftoppm = clients.command("pdftoppm", "poppler-utils")
        path = graph(export_program.cpp(), "peak.pdf")
        picture = clients.run([pdftoppm, "-r", "50", "-gray", path], text=False)
        kind, size, _, pixels = picture.split(b"\n", 3)
        self.assertEqual(kind, b"P5")
        wide, high = map(int, size.split())
        self.assertEqual(len(pixels), wide * high)
        self.assertGreater(min(wide, high), 200)
        self.assertGreater(len(set(pixels)), 20, "there is something on the page")
        texts = clients.run([clients.command("pdftotext", "poppler-utils"), path, "-"])
        self.assertIn("shop::stock(int)", texts)

    def test_hostile_names_stay_in_their_boxes(self):
        ledger = export_program.hostile()
        path = graph(ledger, "hostile.dot", "--raw-names", "--at", "end", "--title", 'a"b\\N<&lt;')
        seen = Parsed(path)
        self.assertTrue(seen.whole["label"].startswith('a"b\\\\N<&amp;lt;\\l'), seen.whole["label"])
        sizes = {own for _, own in seen.nodes.values()}
        self.assertLessEqual(set(export_program.HOSTILE_NAMES.values()), sizes)
        self.assertEqual({callee for caller, callee in seen.edges if caller == "main"},
                         {name for name, (_, own) in seen.nodes.items() if own > 0})
        root = ElementTree.parse(graph(ledger, "hostile.svg", "--raw-names", "--at", "end"))
        texts = " ".join(each.text or "" for each in
                         root.iter("{http://www.w3.org/2000/svg}text"))
        for part in ('"quoted" <tag>', r"line\nbreak\ttab\rreturn".replace(r"\r", r"\x0d"),
                     r"escape\x1b[31mred\x07", "<script>alert(1)", "/* here */"):
            self.assertIn(part, texts)
        scripts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}script")]
        self.assertEqual([text.count("alert(1)") for text in scripts], [0], "ours alone")

    def test_other_moments_and_metrics(self):
        ledger = export_program.cpp()
        totals = report(ledger)["totals"]
        for words, total in ((["--at", "end"], totals["end_bytes"]),
                             (["--metric", "calls"], totals["calls"]),
                             (["--at", "rss-peak"],
                              report(ledger)["moments"]["rss_peak"]["live_bytes"])):
            self.assertEqual(Parsed(graph(ledger, "other.dot", *words)).number("total"), total)

    def test_without_graphviz(self):
        folder = harness.fresh_folder()
        done = subprocess.run([harness.TOOL, "graph", export_program.cpp(), "-o", "out.pdf"],
                              capture_output=True, text=True, timeout=300, env={"PATH": "/nowhere"},
                              cwd=folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("install the package graphviz", done.stderr)
        self.assertEqual(os.listdir(folder), [], "nothing is left behind")

    def test_refusals(self):
        for words, text in ((["-o", "out.png"], ".pdf"), (["-o", "x.svg", "--prune", "1.5"], "1%"),
                            (["-o", "x.svg", "--metric", "cals"], "calls")):
            folder = harness.fresh_folder()
            done = subprocess.run([harness.TOOL, "graph", export_program.cpp(), *words],
                                  capture_output=True, text=True, timeout=300, cwd=folder)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(text, done.stderr)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
