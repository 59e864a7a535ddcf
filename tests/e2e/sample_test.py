"""Sample mode against the truth: the oracle's figures within the error that the report states, and
to the last byte where chance has no part in it."""

import json
import os
import signal
import subprocess
import unittest

import harness
import oracle_test

BLOCKS, SIZE = 100, 100_000
SIGMAS = 4  # seeds are fixed, so a run that is within them once always is …
MORE_SIGMAS = 6  # … but for threads, which come to their first call in any order
# All blocks of the program `sampled` are far larger than this: each is sampled, and stands for one.
ALL_LARGE = "mode=sample sample=500 seed=1"


def expect_near(seen, wanted, error, what, sigmas=SIGMAS):
    harness.expect(abs(seen - wanted) <= sigmas * error + 1,
                   f"{what}: estimated {seen} ±{error:.0f}, the truth is {wanted}")


def own(answer):
    return harness.own_sums(answer, "sampled")


class Estimates(unittest.TestCase):
    def trial(self, words, threads, operations, seed):
        truth, ledgers = oracle_test.consult(
            seed, threads, operations, words=f"{oracle_test.ONE_FRAME} mode=sample seed=7 {words}")
        answer = harness.report(ledgers)
        harness.expect_complete(answer)
        totals, errors, mine = answer["totals"], answer["sampled"], truth["totals"]
        sigmas = SIGMAS if truth["alone"] else MORE_SIGMAS
        # A few blocks of libc's own are in the totals: less than a hundredth of the error. By calls
        # too few of those that are left are sampled to tell anything.
        for name, error in (("calls", "calls_error"), ("bytes", "bytes_error"),
                            ("end_bytes", "end_error"))[:2 if "calls" in words else 3]:
            self.assertGreater(errors[error], 0)
            expect_near(totals[name], mine[name], errors[error], f"{words}: {name}", sigmas)
        self.assertLess(errors["bytes_error"], mine["bytes"] / 5, "an error that says nothing")
        self.assertLess(abs(totals["frees"] - mine["frees"]), 6 * errors["calls_error"])
        self.assertLess(abs(totals["resizes"] - mine["resizes"]), 6 * errors["calls_error"])
        if truth["alone"] and "calls" not in words:
            expect_near(totals["peak_bytes"], mine["peak_bytes"], errors["peak_error"], "peak")
        self.sites(answer, truth, "calls" in words)
        return ledgers

    def sites(self, answer, truth, by_calls):
        groups = oracle_test.groups_by_site(answer, truth)
        for site in truth["sites"]:
            group = groups.get(site["start"])
            if group is None:
                continue  # never sampled; the totals would tell
            # The sizes of a site vary much: by bytes only the bytes, by calls only the calls are near.
            for name in ("calls",) if by_calls else ("bytes",):
                expect_near(group[name], site[name], group.get(f"{name}_error", 0),
                            f"site at {site['start']:#x}: {name}", MORE_SIGMAS)

    def test_by_bytes(self):
        self.trial("sample=2K", 1, 200_000, 800)

    def test_by_calls(self):
        self.trial("sample-calls=37", 1, 200_000, 801)

    def test_eight_threads(self):
        self.trial("sample=2K", 8, 30_000, 802)

    def test_a_seed_chooses_the_same_calls_again(self):
        chosen = []
        for _ in range(2):
            info = harness.tool_json("info", self.trial("sample=2K", 1, 50_000, 803))
            kinds = info["ledgers"][0]["entries_by_kind"]
            chosen.append([kinds.get(name) for name in ("malloc", "calloc", "free")])
        self.assertEqual(chosen[0], chosen[1])
        self.assertNotIn(None, chosen[0])

    def test_every_call_sampled_is_the_trace(self):
        for seed, threads in ((810, 1), (811, 8)):
            truth, ledgers = oracle_test.consult(
                seed, threads, 20_000,
                words=f"{oracle_test.ONE_FRAME} mode=sample sample-calls=1")
            oracle_test.compare(truth, ledgers)


class Exactly(unittest.TestCase):
    def recorded(self, what, words=ALL_LARGE):
        run = harness.recorded([harness.program("sampled"), what], words=words)
        self.assertEqual((run.status, run.stderr), (0, b""))
        return run

    def expect_given_back(self, answer):
        harness.expect_figures(own(answer), {
            "calls": BLOCKS + 40, "frees": 50, "resizes": 40,
            "bytes": BLOCKS * SIZE + 20 * 50_000 + 20 * 2 * SIZE,
            "end_blocks": 50, "end_bytes": 10 * SIZE + 20 * 50_000 + 20 * 2 * SIZE}, "figures")
        harness.expect_figures(answer["totals"], {"unmatched_frees": 0, "lost_frees": 0}, "totals")

    def test_freed_and_resized_by_another_thread(self):
        answer = harness.report(self.recorded("threads"))
        harness.expect_complete(answer)
        self.expect_given_back(answer)

    def test_killed(self):
        ledgers = harness.fresh_folder()
        process = subprocess.Popen([harness.program("sampled"), "kill"], stdout=subprocess.PIPE,
                                   env=harness.recording_environment(ledgers, words=ALL_LARGE))
        with process.stdout as pipe:
            self.assertEqual(pipe.read(1), b"!")
            process.send_signal(signal.SIGKILL)
        self.assertEqual(process.wait(harness.HANG_SECONDS), -signal.SIGKILL)
        answer = harness.report([os.path.join(ledgers, name) for name in os.listdir(ledgers)])
        harness.expect_complete(answer)
        self.expect_given_back(answer)

    def test_fork(self):
        run = self.recorded("fork")
        answer = harness.report(run)
        harness.expect_complete(answer)
        self.assertEqual(len(answer["ledgers"]), 2)
        harness.expect_figures(own(answer), {
            "calls": 2 * BLOCKS, "bytes": 2 * BLOCKS * SIZE, "end_blocks": 2 * BLOCKS}, "figures")
        self.assertEqual(answer["totals"]["inherited_frees"], BLOCKS // 2)
        child = next(one for one in answer["ledgers"] if one["origin"] == "forked")
        # What is inherited is a sample, too: these blocks, and what libc has of its own.
        self.assertGreaterEqual(child["inherited_blocks"], BLOCKS)
        self.assertGreaterEqual(child["inherited_bytes"], BLOCKS * SIZE)

    def test_sealed_and_asked_for_a_moment(self):
        run = harness.recorded_by_tool([harness.program("sampled"), "threads"],
                                       options=("--mode", "sample", "--sample", "500"))
        self.assertEqual(run.status, 0, run.stderr)
        self.expect_given_back(harness.report(run))
        live = subprocess.run([harness.TOOL, "report", "--json", "--live", "--at", "end",
                               *run.ledgers], capture_output=True, check=True,
                              env=harness.plain_environment())
        self.assertGreaterEqual(json.loads(live.stdout)["figures"]["live_bytes"], 6_000_000)


class Shown(unittest.TestCase):
    def text(self, run, *options):
        done = subprocess.run([harness.TOOL, "report", *options, *run.ledgers], check=True,
                              capture_output=True, env=harness.plain_environment(
                                  {"LC_ALL": "C.UTF-8", "COLUMNS": "120"}))
        return done.stdout.decode()

    def test_the_report_says_that_it_estimates(self):
        run = harness.recorded([harness.program("oracle"), "5", "1", "50000"],
                               words="mode=sample sample=2K seed=1 depth=1")
        text = self.text(run)
        self.assertIn("estimated from samples, one in 2.0 KiB on average", text)
        self.assertRegex(text, r"Peak [0-9.]+ [KM]iB ±[0-9.]+% at ")
        self.assertRegex(text, r"[0-9.]+ [KMG]iB ±[0-9.]+% allocated")
        self.assertRegex(self.text(run, "--by", "site", "--sort", "bytes"), r"iB ±[0-9.]+%")

    def test_an_exact_one_does_not(self):
        run = harness.recorded([harness.program("oracle"), "5", "1", "5000"], words="depth=1")
        self.assertNotIn("±", self.text(run))
        self.assertNotIn("sampled", harness.report(run))

    def test_where_rss_needs_all_blocks(self):
        run = harness.recorded([harness.program("sampled"), "time"], words=ALL_LARGE)
        done = subprocess.run([harness.TOOL, "report", "--where-rss", *run.ledgers],
                              capture_output=True, env=harness.plain_environment(), check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot be told from samples", done.stderr)


class Time(unittest.TestCase):
    def test_sleep_before_a_sample_is_its_time(self):
        run = harness.recorded([harness.program("sampled"), "time"],
                               words=ALL_LARGE + " weigh=time")
        self.assertEqual(run.status, 0)
        answer = harness.report(run)
        groups = [group for group in answer["groups"] if harness.module_name(group) == "sampled"]
        self.assertEqual([group["calls"] for group in groups], [3, 3])
        times = sorted(group["time_ns"] for group in groups)
        self.assertGreaterEqual(times[1], 3 * 60_000_000)
        everything = sum(group["time_ns"] for group in answer["groups"])
        self.assertEqual(answer["sampled"]["time_ns"], everything)
        self.assertLessEqual(everything, answer["moments"]["end"]["time_ns"])


if __name__ == "__main__":
    unittest.main()
