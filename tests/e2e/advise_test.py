"""heapledger advise: programs that do what each rule is about, with figures counted from their
sources; one that does nothing of it; and real programs."""

import json
import os
import re
import shutil
import subprocess
import unittest

import harness

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "advise_programs")


def build(folder, name):
    """Compiles one of the programs; the path of the executable."""
    program = os.path.join(folder, name)
    subprocess.run(["c++", "-std=c++17", "-O1", "-g", "-fno-builtin", "-o", program,
                    os.path.join(SOURCES, name + ".cpp"), "-pthread"], check=True)
    return program


def place_of(mark):
    """File and line of a comment `// at MARK`."""
    for name in sorted(os.listdir(SOURCES)):
        with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.rstrip().endswith(f"// at {mark}"):
                    return name, number
    raise harness.Failure(f"no line is marked with {mark}")


def tool(*arguments, timeout=4 * harness.HANG_SECONDS):
    done = subprocess.run([harness.TOOL, *arguments], env=harness.plain_environment(),
                          capture_output=True, text=True, check=False, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def record(command, ledger, *options):
    subprocess.run([harness.TOOL, "run", "-q", *options, "-o", ledger, "--", *command], check=True,
                   env=harness.plain_environment(), timeout=harness.HANG_SECONDS,
                   stdout=subprocess.DEVNULL)
    return ledger


class Advise(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.fresh_folder()
        cls.programs, cls.ledgers, cls.answers = {}, {}, {}
        for name in ("wasteful", "kept", "careful"):
            cls.programs[name] = build(cls.folder, name)
            cls.ledgers[name] = record([cls.programs[name]],
                                       os.path.join(cls.folder, name + ".ledger"))

    def answer(self, ledger, *options, replay=False):
        status, stdout, stderr = tool("advise", "--json", ledger, *options,
                                      *([] if replay else ["--no-replay"]))
        self.assertEqual(status, 0, stderr)
        answer = json.loads(stdout)
        self.assertEqual(answer["schema"], "heapledger.advise/1")
        return answer

    def finding(self, name, rule, mark):
        """The one finding of that rule in the program, which is at the mark."""
        if name not in self.answers:
            self.answers[name] = self.answer(self.ledgers[name])
        found = [one for one in self.answers[name]["findings"] if one["rule"] == rule]
        self.assertEqual(len(found), 1, (rule, found))
        self.assertEqual((os.path.basename(found[0]["file"]), found[0]["line"]), place_of(mark))
        return found[0]

    def expect_saved(self, finding, calls=0, bytes_=0, peak=0):
        self.assertEqual(finding["saved"],
                         {"calls": calls, "bytes": bytes_, "peak_bytes": peak}, finding)

    def test_a_vector_without_reserve(self):
        finding = self.finding("wasteful", "grown-by-steps", "grow")
        # 200 times 8 bytes × (1 + 2 + … + 512), in ten steps.
        self.expect_saved(finding, calls=200 * 10, bytes_=200 * 8 * 1023)
        self.assertIn("200 blocks", finding["what"])

    def test_texts_for_a_moment(self):
        finding = self.finding("wasteful", "temporary", "churn")
        self.expect_saved(finding, calls=3000, bytes_=3000 * 101)
        self.assertEqual(finding["replay"], "without-them")

    def test_nodes_that_end_together(self):
        finding = self.finding("wasteful", "many-equal", "nodes")
        # 96,000 bytes take two arenas of 64 KiB; each node 8 bytes more than it needs, and all of
        # them are live at the peak.
        self.expect_saved(finding, calls=4000 - 2, peak=4000 * 8)
        self.assertEqual(finding["replay"], "in-arenas")

    def test_pages_for_small_blocks(self):
        finding = self.finding("wasteful", "over-aligned", "align")
        self.assertEqual(finding["saved"]["bytes"], 100 * (4096 - 24))

    def test_from_one_thread_to_another(self):
        finding = self.finding("wasteful", "freed-elsewhere", "make")
        self.assertIn("2,000 of 2,000 blocks", finding["what"])
        # One in the slot, one in the hand of each thread, at the most.
        self.assertIn(finding["saved"]["calls"], (1997, 1998, 1999))

    def test_a_leak_that_grows(self):
        finding = self.finding("kept", "never-freed-growth", "leak")
        self.assertIn("320.0 KiB in 40 blocks", finding["what"])
        self.assertAlmostEqual(finding["worth"],
                               40 * 8192 / self.answers["kept"]["peak_bytes"], places=9)

    def test_a_cache_that_is_filled_much_later(self):
        finding = self.finding("kept", "early", "cache")
        self.expect_saved(finding, peak=1 << 20)
        self.assertEqual(finding["function"], "Cache::Cache()")

    def test_large_blocks_again_and_again(self):
        finding = self.finding("kept", "over-sized", "draw")
        self.expect_saved(finding, calls=60 - 1)

    def test_nothing_else_is_said_of_them(self):
        for name, rules in (("wasteful", {"grown-by-steps", "temporary", "many-equal",
                                          "over-aligned", "freed-elsewhere"}),
                            ("kept", {"never-freed-growth", "early", "over-sized"})):
            answer = self.answer(self.ledgers[name])
            self.assertEqual(sorted(one["rule"] for one in answer["findings"]), sorted(rules))

    def test_totals_are_those_of_the_report(self):
        for ledger in self.ledgers.values():
            totals = harness.report([ledger])["totals"]
            answer = self.answer(ledger)
            for name in ("calls", "bytes", "peak_bytes"):
                self.assertEqual(answer[name], totals[name], name)

    def test_a_careful_program(self):
        self.assertEqual(self.answer(self.ledgers["careful"])["findings"], [])
        status, stdout, _ = tool("advise", self.ledgers["careful"])
        self.assertEqual(status, 0)
        self.assertIn("Nothing to advise", stdout)

    def test_text_says_the_same(self):
        answer = self.answer(self.ledgers["wasteful"])
        status, stdout, _ = tool("advise", self.ledgers["wasteful"], "--no-replay")
        self.assertEqual(status, 0)
        titles = re.findall(r"^(\d+)\. \S*?([\w.]+):(\d+) (.*): [\w ,-]+$", stdout, re.MULTILINE)
        self.assertEqual(titles, [(str(i), os.path.basename(one["file"]), str(one["line"]),
                                   one["name"]) for i, one in enumerate(answer["findings"], 1)])
        for one in answer["findings"]:
            for field in ("what", "evidence", "advice"):
                self.assertIn(one[field], stdout)
            if one["saved"]["calls"] > 0:
                self.assertIn(f"Saves up to {one['saved']['calls']:,} calls", stdout)

    def test_the_most_worth_first(self):
        answer = self.answer(self.ledgers["wasteful"])
        worths = [one["worth"] for one in answer["findings"]]
        self.assertEqual(worths, sorted(worths, reverse=True))
        for one in answer["findings"]:
            self.assertAlmostEqual(one["worth"], max(
                one["saved"][name] / answer[name] for name in ("calls", "bytes", "peak_bytes")))

    def test_top_and_only(self):
        answer = self.answer(self.ledgers["wasteful"], "--top", "2")
        self.assertEqual((len(answer["findings"]), answer["findings_in_all"]), (2, 5))
        answer = self.answer(self.ledgers["wasteful"], "--only", "temporary,over-aligned")
        self.assertEqual({one["rule"] for one in answer["findings"]}, {"temporary", "over-aligned"})
        _, stdout, _ = tool("advise", self.ledgers["wasteful"], "--no-replay", "--top", "2")
        self.assertIn("and 3 more", stdout)

    def test_raw_and_sealed(self):
        raw = harness.recorded([self.programs["wasteful"]]).ledgers[0]
        sealed = os.path.join(self.folder, "sealed.ledger")
        status, _, stderr = tool("seal", "-o", sealed, raw)
        self.assertEqual(status, 0, stderr)
        findings = [self.answer(path)["findings"] for path in (raw, sealed)]
        self.assertEqual(len(findings[0]), 5)
        self.assertEqual(findings[0], findings[1])

    def test_effects(self):
        answer = self.answer(self.ledgers["wasteful"], "--rounds", "3", replay=True)
        self.assertEqual((answer["why_no_effect"], answer["rounds"]), (None, 3))
        self.assertEqual(answer["allocator"], "libc")
        tried = [one for one in answer["findings"] if one["replay"]]
        self.assertEqual({one["rule"] for one in tried}, {"many-equal", "temporary"})
        for one in answer["findings"]:
            self.assertEqual(one["effect"] is not None, one in tried)
        for one in tried:
            effect = one["effect"]
            self.assertLessEqual(effect["ratio_low"], effect["ratio"])
            self.assertLessEqual(effect["ratio"], effect["ratio_high"])
            self.assertAlmostEqual(effect["less_share"], 1 - effect["ratio"])
            outside = effect["ratio_high"] < 1 or effect["ratio_low"] > 1
            self.assertEqual(effect["differs"], outside)
        status, stdout, _ = tool("advise", self.ledgers["wasteful"], "--rounds", "3")
        self.assertEqual(status, 0)
        self.assertEqual(len(re.findall(r"Replayed with(?:out)? them", stdout)), 2)
        self.assertIn("in 3 rounds", stdout)

    def test_an_effect_has_the_right_size(self):
        library = os.path.join(self.folder, "costly.so")
        slow = os.path.join(SOURCES, os.pardir, "replay_allocators", "slow.c")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-fno-builtin", "-DCOST_NS=5000",
                        "-o", library, slow], check=True)
        ledger = record([self.programs["wasteful"]], os.path.join(self.folder, "costly.ledger"),
                        "--allocator", library)
        totals = harness.report([ledger])["totals"]
        whole = totals["calls"] + totals["frees"]
        # Every call costs the same. Texts: all calls and frees; nodes: but for two arenas.
        expected = {"temporary": 2 * 3000 / whole, "many-equal": 2 * (4000 - 2) / whole}
        # A machine that is busy may spoil one measurement, but not one after the other.
        for _ in range(4):
            answer = self.answer(ledger, "--rounds", "5", replay=True)
            self.assertEqual(answer["allocator"], "costly.so")
            effects = {one["rule"]: one["effect"] for one in answer["findings"] if one["effect"]}
            if all(abs(effects[rule]["less_share"] - share) < 0.05 and effects[rule]["differs"]
                   for rule, share in expected.items()):
                return
        self.fail(f"effects {effects}, expected shares {expected}")

    def test_of_one_round_nobody_knows(self):
        answer = self.answer(self.ledgers["wasteful"], "--rounds", "1", "--only", "temporary",
                             replay=True)
        effect = answer["findings"][0]["effect"]
        self.assertEqual((effect["ratio_low"], effect["differs"]), (None, False))

    def test_ledgers_without_single_calls_are_refused(self):
        for mode in ("count", "sample", "log"):
            ledger = record([self.programs["careful"]],
                            os.path.join(self.folder, mode + ".ledger"), "--mode", mode)
            status, stdout, stderr = tool("advise", ledger)
            self.assertEqual((status, stdout), (3, ""), mode)
            self.assertIn(mode, stderr)
            self.assertIn("heapledger run", stderr)

    def test_wrong_words(self):
        for arguments, said in (([self.ledgers["kept"] + ".not"], "not"),
                                ([self.ledgers["kept"], "--only", "temporery"], "Is it temporary?"),
                                ([self.ledgers["kept"], "--rounds", "0"], "--rounds"),
                                ([harness.fresh_folder()], "no ledgers in")):
            status, stdout, stderr = tool("advise", *arguments)
            self.assertEqual((status, stdout), (2, ""), arguments)
            self.assertIn(said, stderr)

    def test_several_processes(self):
        folder = os.path.join(self.folder, "family")
        os.mkdir(folder)
        record(["/bin/sh", "-c", f"{self.programs['careful']}; {self.programs['wasteful']}"],
               os.path.join(folder, "%e.%p.ledger"))
        status, stdout, stderr = tool("advise", folder, "--no-replay", "--json")
        self.assertEqual(status, 0, stderr)
        self.assertRegex(os.path.basename(json.loads(stdout)["ledger"]), r"^wasteful\.\d+\.ledger$")
        self.assertIn("of 3 processes", stderr)

    def test_real_programs(self):
        script = "import json; print(len(json.dumps([{'a': str(i)} for i in range(20000)])))"
        query = ("create table t(a); with recursive c(x) as (select 1 union all select x+1 from c "
                 "where x < 20000) insert into t select x from c; select sum(a) from t;")
        commands = {"python3": [shutil.which("python3"), "-c", script],
                    "sqlite3": [shutil.which("sqlite3"), ":memory:", query]}
        for name, command in commands.items():
            if command[0] is None:
                continue
            ledger = record(command, os.path.join(self.folder, name + ".ledger"))
            answer = self.answer(ledger, "--rounds", "1", replay=True)
            self.assertIsNone(answer["why_no_effect"], name)
            for one in answer["findings"]:
                self.assertGreaterEqual(one["worth"], 0.01)
                for field in ("calls", "bytes", "peak_bytes"):
                    self.assertLessEqual(one["saved"][field], answer[field], one)


if __name__ == "__main__":
    unittest.main()
