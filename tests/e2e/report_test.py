"""Every view of `report`, on a program whose figures are known from its source."""

import json
import os
import shutil
import subprocess
import unittest

import harness

# Built here with debug information. `keep` holds 100 blocks of 1,000 bytes, of which `drop` frees
# 60; `churn` takes and gives back 500 blocks of 64 bytes; a thread adds 10 of 5,000 bytes.
SOURCE = """
#include <pthread.h>
#include <stdlib.h>
static void *kept[100];
static void *of_thread[10];
__attribute__((noinline)) void *take(size_t size) { void *p = malloc(size); __asm__(""); return p; }
__attribute__((noinline)) void keep(void) {
  for (int i = 0; i < 100; ++i) kept[i] = take(1000);
  __asm__("");
}
__attribute__((noinline)) void drop(void) {
  for (int i = 0; i < 60; ++i) free(kept[i]);
  __asm__("");
}
__attribute__((noinline)) void churn(void) {
  for (int i = 0; i < 500; ++i) { void *volatile p = malloc(64); free(p); }
  __asm__("");
}
void *worker(void *arg) {
  for (int i = 0; i < 10; ++i) of_thread[i] = take(5000);
  return arg;
}
int main(void) {
  pthread_t thread;
  keep();
  pthread_create(&thread, 0, worker, 0);
  pthread_join(thread, 0);
  churn();
  drop();
  return 0;
}
"""


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = harness.fresh_folder()
        source, program = os.path.join(folder, "books.c"), os.path.join(folder, "books")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        subprocess.run(["cc", "-g", "-O1", "-pthread", "-o", program, source], check=True)
        run = harness.recorded([program])
        harness.expect_equal((run.status, run.stderr), (0, b""), "the recorded run")
        cls.ledger = run.ledger_of("books")

    def ask(self, *options, status=0, **environment):
        done = subprocess.run([harness.TOOL, "report", self.ledger, *options], timeout=300,
                              env=harness.plain_environment(environment), capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode() if status == 0 else done.stderr.decode()

    def groups(self, *options):
        answer = json.loads(self.ask("--json", *options))
        return {group["name"]: group for group in answer["groups"]}, answer

    def test_functions_at_the_end(self):
        groups, answer = self.groups("--by", "function", "--at", "end", "--filter", "module=books")
        for name, blocks, size in (("keep", 40, 1000), ("worker", 10, 5000), ("churn", 0, 64)):
            harness.expect_figures(groups[name], {"live_blocks": blocks,
                                                  "live_bytes": blocks * size}, name)
        harness.expect_figures(groups["take"]["self"], {"calls": 110, "live_blocks": 50}, "take")
        harness.expect_figures(groups["churn"], {"calls": 500, "temporary_calls": 500,
                                                 "bytes": 500 * 64}, "churn")
        self.assertEqual(answer["question"]["at"], "end")
        self.assertEqual(groups["keep"]["file"].rsplit("/", 1)[-1], "books.c")

    def test_filters_and_sizes(self):
        groups, answer = self.groups("--by", "size", "--filter", "size=1000", "--sort", "calls")
        self.assertEqual(list(groups), ["1000"])
        harness.expect_figures(answer["figures"], {"calls": 100, "bytes": 100_000, "frees": 60},
                               "blocks of 1,000 bytes")
        _, answer = self.groups("--by", "thread", "--filter", "function=take")
        self.assertEqual(sorted(group["calls"] for group in answer["groups"]), [10, 100])

    def test_blocks(self):
        answer = json.loads(self.ask("--json", "--blocks", "--at", "end", "--filter",
                                     "function=take"))
        self.assertEqual([block["size"] for block in answer["blocks"]], [5000] * 10 + [1000] * 40)
        ages = [block["age_ns"] for block in answer["blocks"][10:]]
        self.assertEqual(ages, sorted(ages, reverse=True))

    def test_trees(self):
        def edges(*options, root=110):
            nodes = json.loads(self.ask("--json", "--sort", "calls", "--filter", "function=take",
                                        *options))["tree"]
            self.assertEqual(nodes[0]["calls"], root, options)
            return {(nodes[node["parent"]]["name"], node["name"]): node["calls"]
                    for node in nodes[1:]}

        inwards = edges("--tree")
        self.assertEqual((inwards["keep", "take"], inwards["worker", "take"]), (100, 10))
        self.assertEqual(inwards["main", "keep"], 100)
        for options in (["--bottom-up"], ["--callers-of", "take"]):
            outwards = edges(*options)
            self.assertEqual((outwards["take", "keep"], outwards["take", "worker"]), (100, 10))
        self.assertEqual(edges("--callees-of", "keep", root=100)["keep", "take"], 100)

    def test_never_freed_and_suppressions(self):
        folder = harness.fresh_folder()
        path = os.path.join(folder, "accepted")
        with open(path, "w", encoding="utf-8") as file:
            file.write("# the thread's\nleak:worker\n")
        answer = json.loads(self.ask("--json", "--suppressions", path))
        used = {use["pattern"]: use for use in answer["suppressions"]["used"]}
        harness.expect_figures(used["worker"], {"live_blocks": 10, "live_bytes": 50_000,
                                                "built_in": False}, "the suppression")
        left = {site["name"]: site["live_blocks"] for site in answer["never_freed"]}
        self.assertEqual(left["take"], 40)
        self.assertIn("leak:worker", self.ask("--suppressions", path))
        self.assertIn("cannot read", self.ask("--suppressions", path + "x", status=2))

    def test_the_text_is_an_answer(self):
        text = self.ask(COLUMNS="80")
        self.assertTrue(text.isascii(), "the locale is C")
        self.assertLess(len(text.splitlines()), 100)
        self.assertRegex(text, r"(?m)^Peak .* from .*never freed; .*temporary\.?$|^Peak ")
        self.assertIn("books.c:", text)
        self.assertIn("█", self.ask(LC_ALL="C.UTF-8"))
        self.assertNotIn("\x1b", text)

    def test_the_text_ends_with_what_to_act_on(self):
        text = self.ask(COLUMNS="80")
        places = [text.index(f"\n{title}: ") for title in
                  ("sizes", "at the peak", "never freed", "churn", "more")]
        self.assertEqual(places, sorted(places))
        self.assertTrue(text.split("\n\n")[-1].startswith("more: "), text)

    def test_classes_are_in_their_natural_order(self):
        for by in ("size-class", "lifetime"):
            for order in ("live", "calls", "bytes"):
                answer = json.loads(self.ask("--json", "--by", by, "--sort", order, "--at", "end"))
                keys = [(group["from"] is None, group["from"]) for group in answer["groups"]]
                self.assertGreater(len(keys), 2)
                self.assertEqual(keys, sorted(keys))
                for group in answer["groups"]:
                    if group["from"] is not None:
                        self.assertGreater(group["below"], group["from"])
                table = self.ask("--by", by, "--sort", order, "--at", "end").rsplit("\n\n", 1)[-1]
                shown = [group["name"] for group in answer["groups"] if f"  {group['name']}\n" in table]
                lines = [line.rsplit("  ", 1)[-1] for line in table.splitlines()]
                self.assertEqual([line for line in lines if line in shown], shown)

    def test_a_lifetime_can_be_never(self):
        _, answer = self.groups("--by", "lifetime")
        by_name = {group["name"]: group for group in answer["groups"]}
        for condition, names in (("lifetime=never", ["never freed"]),
                                 ("lifetime<never", [name for name in by_name if name != "never freed"])):
            _, chosen = self.groups("--by", "site", "--filter", condition)
            self.assertEqual(chosen["figures"]["calls"],
                             sum(by_name[name]["calls"] for name in names), condition)

    def test_each_and_worst(self):
        each = json.loads(self.ask("--each", "--json"))
        self.assertEqual(each["reports"][0]["totals"], json.loads(self.ask("--json"))["totals"])
        self.assertIn("books", self.ask("--worst", "peak"))

    def test_live_blocks_alone_of_a_sealed_ledger(self):
        sealed = os.path.join(harness.fresh_folder(), "books.ledger")
        harness.expect_equal(subprocess.run([harness.TOOL, "seal", "-o", sealed, self.ledger],
                                            capture_output=True, check=False).returncode, 0, "seal")
        for options in (["--by", "function"], ["--tree"], ["--by", "thread"], []):
            text = {}
            for path in (self.ledger, sealed):
                done = subprocess.run([harness.TOOL, "report", path, "--live", "--at", "end",
                                       *options], env=harness.plain_environment({}),
                                      capture_output=True, check=False)
                text[path] = (done.returncode, done.stdout, done.stderr)
            self.assertEqual(text[sealed], text[self.ledger])
            self.assertEqual(text[sealed][0], 0, text[sealed])
        groups, answer = self.groups("--live", "--by", "function", "--at", "end")
        self.assertEqual((groups["keep"]["live_blocks"], groups["keep"]["live_bytes"]), (40, 40000))
        self.assertNotIn("churn", groups)
        self.assertNotIn("totals", answer)

    def test_a_range_may_come_before_the_ledger(self):
        words = ["--json", "--between", "10%", "60%"]
        answers = [subprocess.run([harness.TOOL, "report", *order], capture_output=True,
                                  check=True).stdout
                   for order in ([self.ledger, *words], [*words, self.ledger])]
        self.assertEqual(answers[0], answers[1])

    def test_json_is_whole_or_not_there(self):
        reversed_range = ["--json", "--between", "end", "start"]
        done = subprocess.run([harness.TOOL, "report", self.ledger, *reversed_range],
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"earlier moment first", done.stderr)
        other = os.path.join(harness.fresh_folder(), "other.ledger")
        with open(other, "wb") as file:
            file.write(b"no ledger at all")
        again = shutil.copy(self.ledger, other + ".again.ledger")
        for files, reports in (([self.ledger, other, again], 2), ([other, self.ledger], 1)):
            done = subprocess.run([harness.TOOL, "report", "--each", "--json", *files],
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 3)
            self.assertEqual(len(json.loads(done.stdout)["reports"]), reports)
            self.assertIn(b"other.ledger", done.stderr)
        done = subprocess.run([harness.TOOL, "report", "--each", "--json", other, other],
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (3, b""))

    def test_a_narrow_terminal(self):
        for options in ([], ["--by", "site"], ["--tree"], ["--blocks"], ["--where-rss"]):
            for line in self.ask(*options, COLUMNS="60").splitlines():
                self.assertLessEqual(len(line), 60, line)

    def test_wrong_words(self):
        self.assertIn("--filter", self.ask("--where-rss", "--filter", "size>=1k", status=2))
        self.assertIn("'function'", self.ask("--by", "functoin", status=2))
        self.assertIn("'peak'", self.ask("--at", "paek", status=2))
        self.assertIn("'calls'", self.ask("--sort", "call", status=2))
        self.assertIn("'thread'", self.ask("--filter", "thraed=x", status=2))
        self.assertIn("--by", self.ask("--by", "site", "--tree", status=2))


if __name__ == "__main__":
    unittest.main()
