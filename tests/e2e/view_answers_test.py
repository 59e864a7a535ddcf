"""What the server of `heapledger view` answers is what the commands print, in columns."""

import json
import time
import unittest

import export_program
import harness
import viewing


def report(*options):
    return export_program.report(export_program.cpp(), *options)


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = viewing.View("--no-browser", export_program.cpp())
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def ask(self, **question):
        return self.view.ask("/api/ask", {"question": question})["answer"]

    def check_rows(self, by, words=("name",), at="peak"):
        answer = self.ask(by=by, at=at)
        rows = viewing.rows_of(answer["rows"], answer, words)
        wanted = report("--by", by, "--at", at, "--top", "0")
        self.assertEqual(answer["groups"], len(wanted["groups"]))
        self.assertGreater(len(rows), 0)
        for row, group in zip(rows, wanted["groups"], strict=True):
            for word in words:
                self.assertEqual(row[word], group[word] or type(row[word])(), (by, word))
            for key, value in row["all"].items():
                self.assertEqual(value, group[key], (by, row["name"], key))
            for key, value in row.get("self", {}).items():
                self.assertEqual(value, group["self"][key], (by, row["name"], key))
        for key, value in answer["totals"].items():
            if key in wanted["figures"]:
                self.assertEqual(value, wanted["figures"][key], key)

    def test_groups(self):
        for by in ("function", "file", "line", "owner"):
            self.check_rows(by, ("name", "file", "line", "module"))
        for by in ("module", "thread", "size", "size-class", "lifetime", "process", "heap"):
            self.check_rows(by)
        self.check_rows("function", at="end")

    def test_overlapping_groups_have_their_own(self):
        rows = self.ask(by="function")["rows"]
        self.assertIn("self", rows)
        self.assertNotIn("self", self.ask(by="owner")["rows"])
        # Whatever overlaps, what each allocates itself adds up.
        self.assertEqual(sum(rows["self"]["calls"]), self.view.recording()["totals"]["calls"])

    def test_figures_left_out_are_zero(self):
        # Every figure of the catalogue, of every function.
        keys = [figure["key"] for figure in self.view.recording()["figures"] if figure["key"]]
        self.assertGreater(len(keys), 12)
        answer = self.ask(by="function")
        groups = report("--by", "function", "--top", "0")["groups"]
        for key in keys:
            column = answer["rows"]["all"].get(key, [0] * len(groups))
            self.assertEqual([value or 0 for value in column], [group.get(key, 0) for group in groups], key)

    def test_tree(self):
        for shape, option in (("top-down", "--tree"), ("bottom-up", "--bottom-up")):
            answer = self.ask(tree=shape)
            nodes = viewing.rows_of(answer["tree"], answer, ("name", "file", "line", "parent"))
            wanted = report(option)["tree"]
            self.assertGreater(len(nodes), 10)
            for node, other in zip(nodes, wanted, strict=True):
                for word in ("name", "file", "line", "parent"):
                    self.assertEqual(node[word], other[word] or type(node[word])(), (shape, word))
                self.assertEqual({key: other[key] for key in node["all"]}, node["all"])
                self.assertEqual({key: other["self"][key] for key in node["self"]}, node["self"])

    def test_ranges_and_filters(self):
        half = self.view.recording()["duration_ns"] // 2
        answer = self.ask(by="function", between=["start", f"{half}ns"], filter="size>=40")
        wanted = report("--by", "function", "--between", "start", f"{half}ns", "--filter", "size>=40",
                        "--top", "0")
        harness.expect_figures(answer["totals"], {key: wanted["figures"][key] for key in
                                                  ("calls", "bytes", "live_bytes", "ended_bytes")}, "totals")

    def test_frames(self):
        answer = self.ask(by="site", top=5)
        sites = answer["rows"]["site"]
        frames = self.view.ask("/api/frames", {"sites": sites})
        for stack, group in zip(frames["stacks"], report("--by", "site", "--top", "5")["groups"], strict=True):
            names = [row["name"] for row in viewing.rows_of(stack, frames)]
            wanted = []
            for call in group["frames"]:
                wanted += [one["name"] for one in call["inlined"]] + [call["name"]]
            self.assertEqual(names, wanted)

    def test_blocks(self):
        answer = self.view.ask("/api/blocks", {"question": {"top": 7}})
        wanted = report("--blocks", "--top", "7")
        self.assertEqual(answer["live_bytes"], wanted["figures"]["live_bytes"])
        threads = self.view.recording()["threads"]
        self.assertEqual(answer["blocks"]["count"], 7)
        for i, block in enumerate(wanted["blocks"]):
            for key in ("address", "size", "birth_ns", "age_ns", "site"):
                self.assertEqual(answer["blocks"][key][i], block[key], key)
            place = answer["blocks"].get("thread", [0] * 7)[i]
            self.assertEqual(threads[place]["tid"], block["tid"])

    def test_where_rss(self):
        self.assertEqual(self.view.ask("/api/where_rss", {"at": "rss-peak"}),
                         report("--where-rss", "--at", "rss-peak")["where_rss"])

    def test_compare(self):
        answer = self.view.ask("/api/compare", {"before": "50%", "after": "peak", "by": "function"})
        wanted = harness.tool_json("diff", [export_program.cpp(), "--by", "function", "--top", "0",
                                            "--moments", "50%", "peak"])
        for name in ("change", "counts", "blame"):
            self.assertEqual(answer[name], wanted[name])
        groups = answer["groups"]
        names = [row["name"] for row in viewing.rows_of(groups, answer)]
        self.assertEqual(names, [group["name"] for group in wanted["groups"]])
        for part in ("before", "after", "change"):
            for key, values in groups[part].items():
                for value, group in zip(values, wanted["groups"], strict=True):
                    self.assertEqual(value, group[part] and group[part][key], (part, key, group["name"]))

    def test_timeline_is_what_is_live_at_its_edges(self):
        edges = self.view.recording()["edges"]
        timeline = self.view.ask("/api/timeline", {"question": {"filter": "function=stock"}})["timeline"]
        self.assertEqual((timeline["width_ns"], timeline["count"]), (edges["width_ns"], edges["count"]))
        self.assertEqual(len(timeline["live_bytes"]), edges["count"])
        for edge in range(0, edges["count"] - 1, max(1, edges["count"] // 5)):
            at = f"{(edge + 1) * edges['width_ns'] - 1}ns"
            figures = report("--at", at, "--filter", "function=stock", "--by", "function")["figures"]
            self.assertEqual(timeline["live_bytes"][edge], figures["live_bytes"], at)
            self.assertEqual(timeline["live_blocks"][edge], figures["live_blocks"], at)
        whole = report("--filter", "function=stock", "--by", "function")["figures"]
        self.assertEqual(sum(timeline["calls"]), whole["calls"])
        self.assertEqual(sum(timeline["bytes"]), whole["bytes"])

    def test_recording(self):
        recording = self.view.recording()
        whole = report()
        harness.expect_figures(recording["totals"], {key: whole["totals"][key] for key in
                                                     ("calls", "bytes", "peak_bytes", "temporary_calls")}, "totals")
        self.assertEqual(recording["moments"]["peak"], whole["moments"]["peak"]["time_ns"])
        self.assertEqual(recording["never_freed"]["bytes"],
                         sum(site["live_bytes"] for site in whole["never_freed"]))
        self.assertEqual(recording["never_freed"]["suppressed_bytes"], whole["suppressions"]["live_bytes"])
        self.assertEqual(max(recording["series"]["max_bytes"]), whole["totals"]["peak_bytes"])
        self.assertEqual(recording["sizes"], whole["sizes"]["requested"])
        self.assertEqual([figure["kind"] for figure in recording["findings"]],
                         ["peak", "never_freed", "temporary", "rss"])
        leak = recording["findings"][1]
        self.assertEqual((leak["function"], leak["line"] > 0), ("shop::nested(int)", True), leak)

    def test_advice(self):
        cards = self.view.ask("/api/advice", {})["cards"]
        wanted = harness.tool_json("advise", [export_program.cpp(), "--no-replay"])["findings"]
        self.assertEqual([(card["rule"], card["what"], card["saved"]) for card in cards],
                         [(finding["rule"], finding["what"], finding["saved"]) for finding in wanted])

    def test_source(self):
        answer = self.ask(by="owner")
        files = {path: int(number) for number, path in answer["files"].items()}
        path = next(path for path in files if path.endswith("/shop.cpp"))
        with open(path, encoding="utf-8") as file:
            source = file.read()
        self.assertEqual(self.view.ask("/api/source", {"file": files[path]}), {"text": source, "changed": False})

    def test_wrong_questions(self):
        for path, body, word in (("/api/ask", {}, "question"),
                                 ("/api/ask", {"question": {"by": "colour"}}, "colour"),
                                 ("/api/ask", {"question": {"at": "never"}}, "never"),
                                 ("/api/ask", {"question": {}, "lane": 7}, "lane"),
                                 ("/api/frames", {"sites": [1 << 40]}, "site"),
                                 ("/api/source", {"file": 99999}, "file"),
                                 ("/api/compare", {"before": "start"}, "after"),
                                 ("/api/where_rss", {"at": 5}, "at")):
            error = self.view.ask(path, body, status=400)["error"]
            self.assertEqual(error["kind"], "question")
            self.assertIn(word, error["text"])
        self.assertEqual(self.view.send("/api/ask", b"[1,")[0], 400)
        self.assertEqual(self.view.send("/api/ask", b"[]")[0], 400)
        self.assertEqual(self.view.ask("/api/nothing", {}, status=404)["error"]["kind"], "question")


class Askers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = viewing.View("--no-browser", export_program.python())
        cls.view.wait_for_event("index")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def test_several_at_once(self):
        # Some need a pass, some the index, some neither.
        questions = [{"by": "function"}, {"by": "owner", "at": "50%"}, {"tree": "top-down", "at": "end"},
                     {"by": "thread", "filter": "size>=64"}, {"by": "size-class"}, {"by": "site", "at": "30%"}]
        calls = [lambda question=question: self.view.ask("/api/ask", {"question": question})["answer"]
                 for question in questions]
        alone = [call() for call in calls]
        for answer, again in zip(alone, viewing.at_once(*calls), strict=True):
            # Texts are numbered anew in every answer, in the same order.
            self.assertEqual(answer, again)

    def test_requests_of_one_lane(self):
        slow = {"question": {"by": "lifetime", "filter": "size>=2", "wanted": ["lifetimes"]}, "lane": "tab flame"}
        quick = {"question": {"by": "owner", "top": 3}, "lane": "tab flame"}
        # Whenever the newer one comes: before the older one, while it runs, or when it is done. That a
        # running one is given up is shown where it can be held (server_threads_test).
        for attempt in range(20):
            older, newer = viewing.at_once(lambda: self.view.send("/api/ask", slow),
                                           lambda: self.later(attempt / 200, quick))
            self.assertIn((older[0], newer[0]), ((200, 200), (409, 200), (200, 409)))
            for status, _, content in (older, newer):
                answer = json.loads(content)
                self.assertEqual(answer["error"]["kind"] if status == 409 else "answer" in answer,
                                 "cancelled" if status == 409 else True)

    def later(self, seconds, question):
        time.sleep(seconds)
        return self.view.send("/api/ask", question)

    def test_other_lanes_are_left_alone(self):
        calls = [lambda lane=lane: self.view.send("/api/ask", {"question": {"by": "lifetime"}, "lane": lane})[0]
                 for lane in ("one", "two", "three")]
        self.assertEqual(viewing.at_once(*calls), [200, 200, 200])


if __name__ == "__main__":
    unittest.main()
