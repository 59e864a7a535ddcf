"""Count mode: figures to the byte against programs that know the truth about themselves, with
threads, signals and forks, and after SIGKILL."""

import json
import os
import re
import struct
import subprocess
import unittest

import harness

SIZES = (0, 1, 2, 3, 4, 7, 8, 255, 256, 4095, 4096, 100000)  # as in programs/counted.c
CALL_FIGURES = ("calls", "bytes", "frees", "resizes")


def counted(*arguments, words="mode=count"):
    run = harness.recorded([harness.program("counted"), *arguments], words=words)
    harness.expect_equal((run.status, run.signal, run.stderr), (0, None, b""), "the program's end")
    return run


def counts_of(run_or_paths):
    answer = harness.report(run_or_paths)
    harness.expect_complete(answer)
    return answer


def added(threads, name):
    return sum(thread[name] for thread in threads)


def by_function(threads):
    return {name: added((thread["functions"][name] for thread in threads), "calls")
                  + added((thread["functions"][name] for thread in threads), "frees")
            for name in harness.FUNCTIONS}


class Oracle(unittest.TestCase):
    """programs/oracle.cpp: with several threads its main thread does nothing but start them, so
    that the tables of the others hold its calls and nothing else."""

    def trial(self, seed, threads):
        run = harness.recorded([harness.program("oracle"), str(seed), str(threads), "20000"],
                               words="mode=count")
        self.assertEqual((run.status, run.stderr), (0, b""))
        truth, answer = json.loads(run.stdout), counts_of(run)
        tables = answer["counts"]["threads"]
        if threads > 1:
            main = answer["ledgers"][0]["pid"]
            tables = [table for table in tables if table["tid"] != main]
        self.assertEqual(len(tables), threads)
        seen = {name: added(tables, name) for name in CALL_FIGURES}
        self.assertEqual(seen, {name: truth["totals"][name] for name in CALL_FIGURES})
        self.assertEqual(by_function(tables), dict(zip(harness.FUNCTIONS, truth["by_function"])))
        for name in CALL_FIGURES:
            self.assertEqual(answer["totals"][name], answer["counts"][name])
            self.assertEqual(added(answer["counts"]["threads"], name), answer["counts"][name])
        for table in tables + [answer["counts"]]:
            self.assertEqual(added(table["sizes"], "calls"), table["calls"])
            self.assertEqual(added(table["sizes"], "bytes"), table["bytes"])
            for size in table["sizes"]:
                self.assertTrue(size["from"] * size["calls"] <= size["bytes"]
                                <= size["to"] * size["calls"], size)

    def test_one_to_eight_threads(self):
        for threads in (1, 1, 2, 3, 5, 8):
            with self.subTest(threads=threads):
                self.trial(400 + threads, threads)


class Counts(unittest.TestCase):
    def test_size_classes(self):
        counts = counts_of(counted("sizes"))["counts"]
        wanted = {}
        for number, size in enumerate(SIZES):
            calls, total = wanted.get(size.bit_length(), (0, 0))
            wanted[size.bit_length()] = (calls + number + 1, total + (number + 1) * size)
        seen = {size["to"].bit_length(): (size["calls"], size["bytes"]) for size in counts["sizes"]}
        self.assertEqual(seen, wanted)
        self.assertEqual(counts["functions"]["free"]["frees"], sum(range(len(SIZES) + 1)))

    def test_two_thousand_short_threads_are_folded_without_loss(self):
        answer = counts_of(counted("threads", "2000"))
        main = answer["ledgers"][0]["pid"]
        others = [table for table in answer["counts"]["threads"] if table["tid"] != main]
        self.assertEqual(added(others, "threads"), 2000)
        self.assertEqual((answer["ledgers"][0]["threads"], answer["counts"]["recorded_threads"]),
                         (2001, 2001))
        self.assertLess(len(others), 256)
        self.assertEqual([added(others, name) for name in CALL_FIGURES], [20_000, 2_000_000, 20_000,
                                                                          0])

    def test_more_live_threads_than_tables(self):
        answer = counts_of(counted("crowd", "300"))
        main = answer["ledgers"][0]["pid"]
        others = [table for table in answer["counts"]["threads"] if table["tid"] != main]
        self.assertTrue(any(table["shared"] for table in others), "nobody had to share")
        self.assertEqual(answer["ledgers"][0]["threads"], 301)
        self.assertEqual(added((table["functions"]["malloc"] for table in others), "calls"), 1500)
        self.assertEqual(added((table["functions"]["malloc"] for table in others), "bytes"), 75_000)
        self.assertEqual(added((table["functions"]["free"] for table in others), "frees"), 1500)

    def test_heading_and_table_agree_on_threads(self):
        run = counted("threads", "2000")
        for question in ("report", "info"):
            done = subprocess.run([harness.TOOL, question, run.ledgers[0]], capture_output=True,
                                  text=True, env=harness.plain_environment(), check=True)
            said = set(re.findall(r"([\d,]+) threads?\b", done.stdout))
            self.assertEqual(said, {"2,001"}, done.stdout)

    def test_threads_that_were_entered_before(self):
        """Mode trace for the first eight of forty threads, and the one that starts them."""
        run = counted("switched", words="mode=trace")
        self.assertEqual(harness.report(run)["ledgers"][0]["threads"], 41)

    def test_under_what_forbids_system_calls_and_clocks(self):
        """Counting needs neither: nothing is missing, and nothing else is said."""
        for name, arguments in (("killing", ("prctl", "300000")), ("killing", ("syscall", "2000")),
                                ("strict", ("2000",)), ("ticks", ()), ("probes", ("libseccomp",))):
            with self.subTest(name=name):
                program = [harness.program(f"filters_{name}"), *arguments]
                plain, run = harness.native(program), harness.recorded(program, words="mode=count")
                harness.expect_same(plain, run)
                answer = counts_of(run)
                account = re.search(rb"account calls=(\d+) bytes=(\d+) frees=(\d+)", run.stdout)
                self.assertEqual([str(answer["totals"][name]).encode()
                                  for name in ("calls", "bytes", "frees")], list(account.groups()))
                self.assertIsNone(answer["ledgers"][0]["stopped"])

    def test_handlers_in_the_middle_of_it(self):
        run = counted("signals")
        main_calls, main_bytes, calls, total, frees = (int(word) for word in run.stdout.split())
        functions = counts_of(run)["counts"]["functions"]
        self.assertEqual((functions["malloc"]["calls"], functions["malloc"]["bytes"],
                          functions["free"]["frees"]),
                         (main_calls + calls, main_bytes + total, frees))

    def test_a_forked_child_counts_for_itself(self):
        run = counted("fork")
        self.assertEqual(len(run.ledgers), 2)
        answers = [harness.report([path]) for path in run.ledgers]
        seen = {answer["ledgers"][0]["origin"]:
                tuple(answer["counts"][name] for name in ("calls", "bytes", "frees"))
                for answer in answers}
        self.assertEqual(seen, {"started": (5, 50, 0), "forked": (7, 2100, 3)})
        self.assertEqual([answer["ledgers"][0]["command"][1:] for answer in answers],
                         [["fork"], ["fork"]])

    def test_nothing_but_counting(self):
        run = counted("sizes")
        done = subprocess.run([harness.TOOL, "report", run.ledgers[0]], capture_output=True,
                              text=True, env=harness.plain_environment(), check=True)
        self.assertIn("Counted: 78 calls", done.stdout)
        for status, question in ((2, ["report", "--by", "function"]), (2, ["diff", run.ledgers[0]]),
                                 (3, ["check", "--max-peak", "1G"]),
                                 (0, ["check", "--max-calls", "78"]),
                                 (1, ["check", "--max-calls", "77"])):
            asked = subprocess.run([harness.TOOL, *question, run.ledgers[0]], capture_output=True,
                                   text=True, env=harness.plain_environment(), check=False)
            self.assertEqual(asked.returncode, status, question)
            self.assertEqual("mode=count" in asked.stderr, status > 1, asked.stderr)
        facts = harness.tool_json("info", run.ledgers)["ledgers"][0]
        self.assertEqual((facts["mode"], facts["complete"], facts["holes"]), ("count", True, 0))

    def test_sealed_it_says_the_same(self):
        run = counted("threads", "16")
        before = counts_of(run)["counts"]
        subprocess.run([harness.TOOL, "seal", "-q", run.ledgers[0]], check=True,
                       env=harness.plain_environment())
        self.assertTrue(harness.tool_json("info", run.ledgers)["ledgers"][0]["sealed"])
        self.assertEqual(counts_of(run)["counts"], before)

    def test_run_prints_a_summary(self):
        folder = harness.fresh_folder()
        done = subprocess.run([harness.TOOL, "run", "--mode", "count", "--",
                               harness.program("counted"), "sizes"], cwd=folder, text=True,
                              capture_output=True, env=harness.plain_environment(), check=True)
        self.assertIn("heapledger: 78 calls", done.stderr)
        self.assertIn("78 frees", done.stderr)
        self.assertNotIn("peak", done.stderr)
        self.assertNotIn("not sealed", done.stderr)


class Killed(unittest.TestCase):
    """programs/killed.c tells a pipe how far it is: at any instant the counts of a running program
    are between what was told before and what is told after, and after SIGKILL they stay."""

    def test_counts_never_fall_and_never_run_ahead(self):
        ledgers = harness.fresh_folder()
        reader, writer = os.pipe()
        process = subprocess.Popen([harness.program("killed"), "2", str(writer)],
                                   env=harness.recording_environment(ledgers, words="mode=count"),
                                   pass_fds=(writer,))
        os.close(writer)
        told, seen = {}, [0, 0]
        with os.fdopen(reader, "rb") as pipe:
            for looks in range(5):
                for _ in range(20_000):
                    thread, done = struct.unpack("<QQ", pipe.read(16))
                    told[thread] = done
                if looks == 4:
                    process.kill()
                answer = harness.report([os.path.join(ledgers, os.listdir(ledgers)[0])])
                counts = answer["counts"]["functions"]
                now = [counts["malloc"]["calls"], counts["free"]["frees"]]
                self.assertTrue(all(a <= b for a, b in zip(seen, now)), (seen, now))
                self.assertGreaterEqual(sum(now), sum(told.values()))
                seen = now
            process.wait()
            for thread, done in struct.iter_unpack("<QQ", pipe.read()):
                told[thread] = done
        last = harness.report([os.path.join(ledgers, os.listdir(ledgers)[0])])
        harness.expect_complete(last)
        counts = last["counts"]["functions"]
        total = counts["malloc"]["calls"] + counts["free"]["frees"]
        # Each thread may have gone up to eight further without having told.
        self.assertTrue(sum(told.values()) <= total <= sum(told.values()) + 2 * 8, (told, total))


if __name__ == "__main__":
    unittest.main()
