"""maps=on: what the program maps itself, with sums made on paper (programs/maps.c)."""

import json
import subprocess
import unittest

import harness

PAGE = 4096


def pages(**figures):
    return {name: value * PAGE for name, value in figures.items()}


class Maps(unittest.TestCase):
    def run_maps(self, how, words="maps=on"):
        run = harness.recorded([harness.program("maps"), how], words=words)
        self.assertEqual((run.status, run.stderr), (0, b""))
        return run

    def mapped(self, how, words="maps=on"):
        answer = harness.report(self.run_maps(how, words))
        harness.expect_complete(answer)
        return answer, harness.heap(answer, "mmap")

    def test_parts_and_overlaps(self):
        answer, heap = self.mapped("split")
        harness.expect_figures(answer["by_function"], {"mmap": 2, "munmap": 3, "mremap": 1}, "calls")
        harness.expect_figures(heap, {"calls": 3, "resizes": 1, "moved_bytes": 0, **pages(
            bytes=170, ended_bytes=75, peak_bytes=115, live_bytes=95)}, "heap")
        # Of the first mapping are left: pages 30 to 40, 65 to 80; of the second all 20.
        by_name = {site["frames"][0]["name"]: site for site in heap["sites"]}
        harness.expect_figures(by_name["remap_pages"], {"calls": 1, **pages(
            bytes=50, live_bytes=50, peak_bytes=50)}, "mremap")
        mapped = sorted(site["live_bytes"] // PAGE for site in heap["sites"])
        self.assertEqual(mapped, [20, 25, 50])

    def test_entries_name_their_heap(self):
        ledgers = self.run_maps("split").ledgers
        calls = {}
        for words in ((), ("--filter", "heap=mmap")):
            done = subprocess.run([harness.TOOL, "export", *ledgers, "--to", "json", "--entries",
                                   *words], capture_output=True, check=True, timeout=300)
            rows = json.loads(done.stdout)["rows"]
            (name,) = {row["heap"] for row in rows}
            calls[name] = sum(row["what"] != "free" for row in rows)
        self.assertEqual(calls, {"malloc": harness.report(ledgers)["totals"]["calls"], "mmap": 3})

    def test_the_break(self):
        answer, heap = self.mapped("breaks")
        self.assertEqual((answer["by_function"]["brk"], "mmap" in answer["by_function"]), (3, False))
        harness.expect_figures(heap, pages(bytes=6, ended_bytes=1, peak_bytes=5, live_bytes=5), "bytes")

    def test_threads_that_get_the_same_addresses(self):
        answer, heap = self.mapped("threads")
        harness.expect_figures(answer["by_function"], {"mmap": 800, "munmap": 800}, "calls")
        harness.expect_figures(heap, pages(bytes=1600, ended_bytes=1600, live_bytes=0), "threads")
        self.assertLessEqual(heap["peak_bytes"], 8 * PAGE)

    def test_a_forked_child_has_its_own(self):
        run = self.run_maps("forks")
        self.assertEqual(len(run.ledgers), 2)
        ends = sorted(harness.heap(harness.report([path]), "mmap")["live_bytes"] // PAGE
                      for path in run.ledgers)
        self.assertEqual(ends, [5, 7])
        both = harness.heap(harness.report(run), "mmap")
        self.assertEqual((both["live_bytes"], both["peak_bytes"]), (12 * PAGE, 12 * PAGE))

    def test_beside_other_modes(self):
        for mode in ("count", "sample", "log"):
            _, heap = self.mapped("split", f"maps=on mode={mode}"
                                  + (" file=/dev/null" if mode == "log" else ""))
            harness.expect_figures(heap, pages(peak_bytes=115, live_bytes=95), mode)

    def test_nothing_unless_asked(self):
        self.assertEqual(harness.report(self.run_maps("split", ""))["heaps"], [])

    def test_every_question_can_be_about_it(self):
        run = self.run_maps("split")

        def ask(*words):
            done = subprocess.run([harness.TOOL, "report", "--json", *run.ledgers, *words],
                                  capture_output=True, env=harness.plain_environment(), check=True)
            return json.loads(done.stdout)

        found = ask("--filter", "heap=mmap", "--by", "size", "--at", "end")
        harness.expect_figures(found["figures"], {"calls": 3, **pages(bytes=170, live_bytes=95)}, "end")
        # What is left of the first mapping counts with the sizes that it has now.
        sizes = {row["from"] // PAGE: row["live_bytes"] // PAGE for row in found["groups"]}
        self.assertEqual({size: live for size, live in sizes.items() if live},
                         {10: 10, 15: 15, 20: 20, 50: 50})
        by_heap = ask("--by", "heap", "--at", "end")
        self.assertEqual({row["name"] for row in by_heap["groups"]}, {"malloc", "mmap"})
        self.assertEqual(by_heap["figures"]["calls"], ask()["totals"]["calls"])
        both = ask("--filter", "heap=m*", "--by", "process", "--at", "end")
        self.assertEqual(both["figures"]["calls"],
                         sum(row["calls"] for row in by_heap["groups"]))

    def test_the_page_for_people(self):
        run = self.run_maps("split")
        text = subprocess.run([harness.TOOL, "report", *run.ledgers], capture_output=True,
                              env=harness.plain_environment(), check=True).stdout.decode()
        self.assertIn("460.0 KiB 3 680.0 KiB 380.0 KiB mmap", " ".join(text.split()))

    def test_a_heap_that_is_not_there(self):
        run = self.run_maps("split")
        done = subprocess.run([harness.TOOL, "report", *run.ledgers, "--filter", "heap=arena"],
                              capture_output=True, env=harness.plain_environment(), check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"no heap fits 'arena'; there are: malloc, mmap", done.stderr)


if __name__ == "__main__":
    unittest.main()
