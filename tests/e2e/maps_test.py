"""maps=on: what the program maps itself, with sums made on paper (programs/maps.c)."""

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

    def mappings(self, how, words="maps=on"):
        answer = harness.report(self.run_maps(how, words))
        harness.expect_complete(answer)
        return answer["mappings"]

    def test_parts_and_overlaps(self):
        found = self.mappings("split")
        harness.expect_figures(found, {"mmap_calls": 2, "munmap_calls": 3, "mremap_calls": 1,
                                       "brk_calls": 0}, "calls")
        harness.expect_figures(found, pages(mapped_bytes=170, unmapped_bytes=75, peak_bytes=115,
                                            end_bytes=95), "bytes")
        # Of the first mapping are left: pages 30 to 40, 65 to 80; of the second all 20.
        by_name = {site["frames"][0]["name"]: site for site in found["sites"]}
        harness.expect_figures(by_name["remap_pages"], {"calls": 1, **pages(
            bytes=50, end_bytes=50, peak_bytes=50)}, "mremap")
        mapped = sorted(site["end_bytes"] // PAGE for site in found["sites"])
        self.assertEqual(mapped, [20, 25, 50])

    def test_the_break(self):
        found = self.mappings("breaks")
        harness.expect_figures(found, {"brk_calls": 3, "mmap_calls": 0}, "calls")
        harness.expect_figures(found, pages(mapped_bytes=6, unmapped_bytes=1, peak_bytes=5,
                                            end_bytes=5), "bytes")

    def test_threads_that_get_the_same_addresses(self):
        found = self.mappings("threads")
        harness.expect_figures(found, {"mmap_calls": 800, "munmap_calls": 800,
                                       **pages(mapped_bytes=1600, unmapped_bytes=1600,
                                               end_bytes=0)}, "threads")
        self.assertLessEqual(found["peak_bytes"], 8 * PAGE)

    def test_a_forked_child_has_its_own(self):
        run = self.run_maps("forks")
        self.assertEqual(len(run.ledgers), 2)
        ends = sorted(harness.report([path])["mappings"]["end_bytes"] // PAGE
                      for path in run.ledgers)
        self.assertEqual(ends, [5, 7])
        both = harness.report(run)["mappings"]
        self.assertEqual((both["end_bytes"], both["peak_bytes"]), (12 * PAGE, 7 * PAGE))

    def test_beside_other_modes(self):
        for mode in ("count", "sample", "log"):
            found = self.mappings("split", f"maps=on mode={mode}"
                                           + (" file=/dev/null" if mode == "log" else ""))
            harness.expect_figures(found, pages(peak_bytes=115, end_bytes=95), mode)

    def test_nothing_unless_asked(self):
        self.assertNotIn("mappings", harness.report(self.run_maps("split", "")))

    def test_the_page_for_people(self):
        run = self.run_maps("split")
        text = subprocess.run([harness.TOOL, "report", *run.ledgers], capture_output=True,
                              env=harness.plain_environment(), check=True).stdout.decode()
        self.assertIn("mapped by the program: 460.0 KiB at the most, 380.0 KiB at the end",
                      " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
