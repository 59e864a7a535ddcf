"""`heapledger replay`: ledgers of all forms, texts, JSON, pictures, refusals."""

import json
import os
import re
import unittest
import xml.etree.ElementTree as xml

import harness
import replaying

# The child frees what the parent has allocated.
FORKS = """
import os
blocks = [bytearray(1000) for _ in range(50)]
if os.fork() == 0:
    blocks.clear()
    os._exit(0)
os.wait()
"""

SVG = "{http://www.w3.org/2000/svg}"


def cut(path, share):
    """A copy of the file without its end."""
    left = os.path.join(harness.fresh_folder(), os.path.basename(path))
    with open(path, "rb") as file:
        content = file.read()
    with open(left, "wb") as file:
        file.write(content[:int(len(content) * share)])
    return left


class Forms(unittest.TestCase):
    def test_a_program_without_calls(self):
        run = harness.recorded_by_tool([harness.program("turns"), "0", "0", "0", "0"])
        self.assertEqual(run.status, 0, run.stderr)
        text = replaying.replay(run.ledgers[0], status=3).stderr.decode()
        self.assertIn("no calls of malloc that succeeded", text)
        self.assertNotIn("heapledger run", text)

    def test_a_folder_for_the_schedule_that_is_not_there(self):
        done = replaying.replay(replaying.record("steady"), "--check", status=1,
                                variables={"TMPDIR": "/nowhere/at/all"})
        text = done.stderr.decode()
        self.assertIn("'/nowhere/at/all': No such file or directory", text)
        self.assertNotIn("more room", text)

    def test_raw_and_sealed_ledgers(self):
        raw = harness.recorded([harness.program("steady")]).ledgers[0]
        sealed = replaying.record("steady")
        self.assertGreater(os.path.getsize(raw), 2 * os.path.getsize(sealed))
        for path in (raw, sealed):
            replaying.replay(path, "--check", "--allocators", "glibc")
            answer, _ = replaying.compared(path, "--allocators", "glibc", "--rounds", "1")
            self.assertEqual(answer["played"]["calls"], 40_000)  # of steady.c: 40 times 1000

    def test_cut_ledgers_are_played_as_far_as_they_go(self):
        raw = harness.recorded([harness.program("oracle"), "3", "1", "30000"]).ledgers[0]
        for path in (cut(raw, 0.5), cut(replaying.record("small_blocks", 200), 0.6)):
            done = replaying.replay(path, "--check", "--json", "--allocators", "glibc", status=3)
            self.assertIn(b"The figures cover what could be read.", done.stderr)
            played = json.loads(done.stdout)["played"]
            totals = harness.report([path], status=3)["totals"]
            self.assertGreater(played["operations"], 1000)
            self.assertEqual(played["unknown_frees"] + played["unknown_resizes"],
                             totals["unmatched_frees"])
            self.assertEqual(played["lost_frees"], totals["lost_frees"])
            self.assertEqual(played["calls"], played["operations"] - played["unknown_frees"]
                             + played["lost_frees"])

    def test_forked_processes_have_blocks_of_their_parents(self):
        run = harness.recorded(["/usr/bin/python3", "-I", "-c", FORKS])
        self.assertEqual((run.status, len(run.ledgers)), (0, 2))
        unknown = 0
        for path in run.ledgers:
            answer = json.loads(replaying.replay(path, "--check", "--json", "--allocators",
                                                 "glibc").stdout)
            totals = harness.report([path])["totals"]
            unknown += answer["played"]["unknown_frees"]
            self.assertEqual(answer["played"]["unknown_frees"], totals["inherited_frees"]
                             + totals["unmatched_frees"])
            self.assertEqual(answer["played"]["calls"], totals["calls"] + totals["frees"])
        self.assertGreaterEqual(unknown, 50)

    def test_other_modes_are_refused_with_the_command_that_helps(self):
        for mode in ("count", "sample", "live", "log"):
            run = harness.recorded([harness.program("steady")], words="mode=" + mode)
            done = replaying.replay(run.ledgers[0], status=3)
            self.assertEqual(done.stdout, b"")
            text = done.stderr.decode()
            self.assertIn(f"heapledger run -- {harness.program('steady')}", text, mode)

    def test_one_of_several_is_chosen(self):
        run = harness.recorded(["sh", "-c", "sort /dev/null; seq 1 3 | sort -r"])
        self.assertGreater(len(run.ledgers), 2)
        text = replaying.replay(run.ledger_folder, status=2).stderr.decode()
        pids = re.findall(r"process (\d+) +peak +[\d.]+ [KM]?i?B  .*\.\1\.ledger", text)
        self.assertEqual(len(pids), len(run.ledgers))
        few = ("--allocators", "glibc", "--rounds", "1")
        most = max(harness.report([path])["totals"]["peak_bytes"] for path in run.ledgers)
        answer, _ = replaying.compared(run.ledger_folder, "--worst", "peak", *few)
        self.assertEqual(answer["ledger"]["peak_bytes"], most)
        # A process that ran two programs has two ledgers; the shell itself has one.
        chosen = next(pid for pid in map(int, pids) if pids.count(str(pid)) == 1)
        answer, _ = replaying.compared(run.ledger_folder, "--process", str(chosen), *few)
        self.assertEqual(answer["ledger"]["pid"], chosen)
        replaying.replay(run.ledger_folder, "--process", "1", status=2)

    def test_wrong_words(self):
        path = replaying.record("steady")
        for words, told in ((("--touch", "some"), "none, first, all"),
                            (("--speed", "fast"), "max, real"),
                            (("--threads", "2"), "as-recorded, 1"),
                            (("--order", "strickt"), "did you mean 'strict'"),
                            (("--rounds", "0"), "from 1 to"),
                            (("--allocators", "jemaloc"), "did you mean 'jemalloc'"),
                            (("--check", "--tune"), "one at a time"),
                            (("--limit", "5"), "--timeout"),
                            (("--check", "--rounds", "3"), "without --rounds"),
                            (("--record-to", "x.ledger", "--rounds", "3"), "without --rounds"),
                            (("-o", "x.gif"), ".svg, .png, .pdf"),
                            (("--tune=/x/y.so",), "by their names")):
            done = replaying.replay(path, *words, status=2)
            self.assertIn(told, done.stderr.decode(), words)


class Shown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = replaying.record("small_blocks", 100)

    def test_json_has_every_round_and_the_ledgers_figures(self):
        answer, found = replaying.compared(self.path, "--allocators", "glibc," +
                                           replaying.allocator("slow"), "--rounds", "3")
        self.assertEqual(answer["schema"], "heapledger.replay/1")
        self.assertEqual(list(found), ["glibc", "slow.so"])
        self.assertEqual((answer["rounds"], answer["options"]["rounds"]), (3, 3))
        self.assertGreater(answer["clock_step_ns"], 0)
        totals = harness.report([self.path])["totals"]
        # small_blocks: 100 times 1000 blocks, all but the last 500 freed.
        self.assertEqual(answer["played"]["calls"], 199_500)
        for one in found.values():
            self.assertFalse(one["failed"])
            rounds = one["time_ns"]["rounds"]
            self.assertEqual(len(rounds), 3)
            self.assertEqual(sorted(rounds)[1], one["time_ns"]["median"])
            self.assertAlmostEqual(one["ns_per_call"]["median"],
                                   one["time_ns"]["median"] / 199_500, places=6)
            points = one["rss"]
            self.assertEqual(points[-1]["calls"], 199_500)
            self.assertEqual(points[-1]["live_bytes"], totals["end_bytes"])
            self.assertEqual(max(point["live_bytes"] for point in points), totals["peak_bytes"])
            self.assertLessEqual(max(point["rss_bytes"] or 0 for point in points),
                                 one["peak_rss_bytes"]["most"])
            latency = one["latency_ns"]
            self.assertLessEqual(latency["p50"], latency["p99"])
            self.assertLessEqual(latency["p999"], latency["worst"])
        self.assertTrue(found["glibc"]["baseline"])
        self.assertEqual(found["glibc"]["library"], "libc")

    def test_rounds_that_nobody_asked_for(self):
        few = ("--allocators", "glibc", "--no-latency")
        answer, found = replaying.compared(self.path, *few)
        self.assertIsNone(answer["options"]["rounds"])
        self.assertIn(answer["rounds"], range(5, 16))
        self.assertEqual(len(found["glibc"]["time_ns"]["rounds"]), answer["rounds"])
        text = replaying.replay(self.path, *few).stdout.decode()
        self.assertIn(int(re.search(r"; (\d+) rounds", text).group(1)), range(5, 16))

    def test_threads_that_take_turns(self):
        # One after the other has 2000 blocks of 20,000 bytes: at no time two of them, not in the
        # replay either.
        path = replaying.record("turns", 4, 1, 2000, 20_000)
        _, found = replaying.compared(path, "--allocators", "glibc", "--rounds", "3")
        glibc = found["glibc"]
        self.assertLess(glibc["fragmentation_at_peak"], 1.5)
        peak = max(glibc["rss"], key=lambda point: point["live_bytes"])
        self.assertGreater(peak["live_bytes"], 40_000_000)
        self.assertLess(peak["live_bytes"], 41_000_000)
        self.assertGreater(peak["rss_bytes"], 0.9 * peak["live_bytes"])
        self.assertLess(peak["rss_bytes"], 1.5 * peak["live_bytes"])

    def drawn(self, picture):
        """The figures of the bars of a picture, by kind and allocator."""
        bars = {}
        for group in xml.parse(picture).getroot().iter(SVG + "g"):
            for bar in group.iter(SVG + "rect"):
                if "data-median" in bar.attrib:
                    bars[group.get("data-kind"), bar.get("data-name")] = float(
                        bar.get("data-median"))
        return bars

    def test_text_json_and_picture_have_the_same_figures(self):
        # One and the same comparison cannot be had twice, so each is compared with its picture.
        picture = os.path.join(harness.fresh_folder(), "who.svg")
        few = ("--allocators", "glibc," + replaying.allocator("slow"), "--rounds", "2", "-o",
               picture)
        text = replaying.replay(self.path, *few).stdout.decode()
        self.assertNotIn("\x1b", text)
        self.assertIn("199,500 calls by 1 thread", text)
        bars = self.drawn(picture)
        self.assertEqual(len(bars), 4)
        for name in ("glibc", "slow.so"):
            row = re.search(rf"^  {re.escape(name)} +[\d.]+ \w+ +([\d.]+) ns", text, re.MULTILINE)
            self.assertAlmostEqual(float(row.group(1)), bars["time-per-call", name], delta=0.51)
        _, found = replaying.compared(self.path, *few)
        self.assertEqual(self.drawn(picture), {
            (kind, name): one[field]["median"] for name, one in found.items()
            for kind, field in (("time-per-call", "ns_per_call"),
                                ("peak-memory", "peak_rss_bytes"))})
        lines = [path.get("data-name") for path in xml.parse(picture).getroot().iter(SVG + "path")
                 if "data-name" in path.attrib]
        self.assertEqual(lines, ["glibc", "slow.so"])

    def test_other_formats(self):
        folder = harness.fresh_folder()
        for ending, begins in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
            picture = os.path.join(folder, "who" + ending)
            replaying.replay(self.path, "--allocators", "glibc", "--rounds", "1", "-o", picture)
            with open(picture, "rb") as file:
                self.assertEqual(file.read(4), begins)

    def test_touching_costs_page_faults_and_memory(self):
        run = harness.recorded(["/usr/bin/python3", "-I", "-c", "a = bytes(30_000_000)"])
        faults, peaks = {}, {}
        for touch in ("none", "first", "all"):
            _, found = replaying.compared(run.ledgers[0], "--touch", touch, "--rounds", "1",
                                          "--allocators", "glibc")
            faults[touch] = found["glibc"]["page_faults"]["median"]
            peaks[touch] = found["glibc"]["peak_rss_bytes"]["median"]
        self.assertGreater(faults["all"] - faults["first"], 30_000_000 / 4096 / 2)
        self.assertGreater(peaks["all"], 30_000_000)
        self.assertLess(peaks["first"], 15_000_000)
        # The kernel counts resident pages for each processor apart, and adds them up now and then.
        self.assertLessEqual(peaks["none"], peaks["first"] + 64 * 4096 * os.cpu_count())


if __name__ == "__main__":
    unittest.main()
