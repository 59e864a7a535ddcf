"""heapledger view --html: one file, which has in it what the server answers, and asks nobody."""

import base64
import gzip
import json
import os
import re
import subprocess
import unittest

import export_program
import harness
import viewing

BLOCK = re.compile(r'<script type="application/json" id="recording">([A-Za-z0-9+/=]+)</script>')


def make(ledger, name, *options, status=0):
    path = os.path.join(harness.fresh_folder(), name)
    done = subprocess.run([harness.TOOL, "view", ledger, "--html", path, *options], capture_output=True, text=True,
                          env=harness.plain_environment(), stdin=subprocess.DEVNULL,
                          timeout=harness.HANG_SECONDS)
    harness.expect_equal(done.returncode, status, f"status of view --html: {done.stderr}")
    return path, done.stderr


def content_of(path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    blocks = BLOCK.findall(page)
    harness.expect_equal(len(blocks), 1, "blocks of data")
    return page, json.loads(gzip.decompress(base64.b64decode(blocks[0])))


class OneFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path, cls.said = make(export_program.cpp(), "shop.html")
        cls.page, cls.data = content_of(cls.path)
        cls.view = viewing.View("--no-browser", export_program.cpp())
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def test_it_is_the_recording(self):
        self.assertEqual(self.data["recording"], self.view.recording())

    def rows(self, answer, key):
        return [(row["name"], row["file"], row["line"], row["all"].get(key, 0), row.get("self", {}).get(key, 0))
                for row in viewing.rows_of(answer["rows"], answer, ("name", "file", "line"))]

    def nodes(self, answer, key):
        return [(row["name"], row["parent"], row["all"].get(key, 0))
                for row in viewing.rows_of(answer["tree"], answer, ("name", "parent"))]

    def check(self, inside, at, sort, key):
        for name, answer in inside.items():
            is_tree = name in ("tree", "bottom-up")
            shape = {"tree": {"tree": "top-down"}, "bottom-up": {"tree": "bottom-up"}}.get(name, {"by": name})
            question = {**shape, "at": at, "sort": sort, "top": 400}
            asked = self.view.ask("/api/ask", {"question": question})["answer"]
            self.assertEqual(answer["totals"], asked["totals"], (at, name))
            look = self.nodes if is_tree else self.rows
            self.assertEqual(look(answer, key), look(asked, key), (at, name))
            self.assertGreater(len(look(answer, key)), 0 if at != "end" else -1, (at, name))

    def test_its_answers_are_those_of_the_server(self):
        moments = self.data["moments"]
        self.assertEqual([moment["at"] for moment in moments[:3]], ["peak", "rss-peak", "end"])
        self.assertGreater(len(moments), 10)
        named = self.data["recording"]["moments"]
        self.assertEqual([moment["ns"] for moment in moments[:3]], [named["peak"], named["rss_peak"], named["end"]])
        for moment in moments[:3] + moments[4::7]:
            self.check(moment["answers"], moment["at"], "live", "live_bytes")
        self.check(self.data["whole"], "end", "bytes", "bytes")
        self.assertIn("thread", moments[0]["answers"])
        self.assertIn("tree", moments[-1]["answers"])

    def test_it_asks_nobody(self):
        self.assertNotRegex(self.page, r'(src|href)="/')
        self.assertIn("<style>", self.page)
        self.assertEqual(self.page.count("</script>"), 2)

    def test_it_says_what_is_in_it(self):
        self.assertIn(f"with {len(self.data['moments'])} moments", self.said)

    def test_large_recordings_fit(self):
        path, said = make(export_program.python(), "python.html")
        self.assertLessEqual(os.path.getsize(path), 5 << 20, said)

    def test_hostile_names(self):
        path, _ = make(export_program.hostile(), "hostile.html")
        page, data = content_of(path)
        self.assertEqual(page.count("</script>"), 2)
        texts = data["whole"]["function"]["texts"]
        self.assertIn("</script><script>alert(1)</script>", texts)

    def test_wrong_words(self):
        done = subprocess.run([harness.TOOL, "view", export_program.cpp(), "--html", "/nowhere/x.html"],
                              capture_output=True, text=True, env=harness.plain_environment(), check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/nowhere/x.html", done.stderr)
        done = subprocess.run([harness.TOOL, "view", "--html", "x.html", "--port", "80"], capture_output=True,
                              text=True, env=harness.plain_environment(), check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
