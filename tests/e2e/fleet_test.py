"""heapledger fleet: figures of many processes are those that the reports of each have, worked out by
Python; the odd rank, the killed one, the missing one and the damaged ledger are named."""

import csv
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import unittest

import clients
import export_program
import harness
import ranks_test

PROGRAM = """
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#define KEPT(name) __attribute__((noinline)) void* name(size_t bytes) { return malloc(bytes); }
KEPT(take_field)
KEPT(take_halo)
KEPT(take_log)
int main(void) {
  const size_t rank = strtoul(getenv("PMIX_RANK"), NULL, 10);
  void* volatile kept[3] = {take_field(rank == 5 ? 90000 : 10000), take_halo(100 + rank), NULL};
  if (rank % 2 == 0) kept[2] = take_log(64);
  if (rank == 6) raise(SIGKILL);
  free(kept[0]);
  return kept[1] == NULL;
}
"""
RANKS = [0, 1, 2, 3, 5, 6, 7]  # there is no fourth


def fleet(*words, status=0):
    done = subprocess.run([harness.TOOL, "fleet", *words], capture_output=True, timeout=300)
    harness.expect_equal(done.returncode, status, f"status of fleet {words}: {done.stderr}")
    return done.stdout.decode()


def as_json(*words, **more):
    return json.loads(fleet(*words, "--json", **more))


def job():
    """The folder of a job of seven ranks, each recorded by itself."""
    if not hasattr(job, "folder"):
        job.folder = harness.fresh_folder()
        program = export_program.compile_program("solver", PROGRAM, compiler="gcc",
                                                 flags=("-O0", "-g"))
        for rank in RANKS:
            environment = harness.plain_environment({"PMIX_RANK": str(rank), "JOB_ID": "12"})
            subprocess.run([harness.TOOL, "run", "-q", "-o", os.path.join(job.folder, f"{rank}.ledger"),
                            "--", program], env=environment, capture_output=True, timeout=300)
    return job.folder


def report(rank, *words):
    path = os.path.join(job(), f"{rank}.ledger")
    done = subprocess.run([harness.TOOL, "report", path, "--json", "--top", "0", *words],
                          capture_output=True, check=True, timeout=300)
    return json.loads(done.stdout)


class Figures(unittest.TestCase):
    def test_they_are_those_of_the_reports(self):
        for measure, field in (("bytes", "bytes"), ("live", "live_bytes"), ("calls", "calls")):
            for by in ("owner", "function"):
                with self.subTest(measure=measure, by=by):
                    values = {}
                    for rank in RANKS:
                        for row in report(rank, "--by", by, "--sort", measure)["groups"]:
                            key = (row["name"], row["file"], row["line"])
                            values.setdefault(key, {})[rank] = row[field]
                    answer = as_json(job(), "--by", by, "--sort", measure)
                    self.check_groups(answer, {key: ranks for key, ranks in values.items()
                                               if sum(ranks.values()) > 0})

    def check_groups(self, answer, expected):
        found = {(row["name"], row["file"], row["line"]): row for row in answer["groups"]}
        self.assertEqual(set(found), set(expected))
        for key, ranks in expected.items():
            row = found[key]
            values = [ranks.get(rank, 0) for rank in RANKS]
            self.assertEqual(row["total"], sum(values), key)
            self.assertEqual((row["least"], row["most"]), (min(values), max(values)), key)
            self.assertEqual(row["processes"], sum(value > 0 for value in values), key)
            self.assertAlmostEqual(row["mean"], statistics.fmean(values), msg=key)
            self.assertAlmostEqual(row["deviation"], statistics.pstdev(values), places=3, msg=key)
            most = answer["processes"][row["with_most"][0]["process"]]["rank"]
            self.assertEqual(ranks[most], max(values), key)

    def test_sums_are_those_of_a_report_of_all(self):
        paths = [os.path.join(job(), f"{rank}.ledger") for rank in RANKS]
        done = subprocess.run([harness.TOOL, "report", *paths, "--json"], capture_output=True,
                              check=True)
        totals = json.loads(done.stdout)["totals"]
        for measure, field in (("bytes", "bytes"), ("calls", "calls")):
            self.assertEqual(as_json(job(), "--sort", measure)["all"]["total"], totals[field])
        self.assertEqual(as_json(job(), "--at", "end")["all"]["total"], totals["end_bytes"])

    def test_one_worker_and_several_find_the_same(self):
        self.assertEqual(fleet(job(), "--json", "--jobs", "1"), fleet(job(), "--json", "--jobs", "4"))

    def test_csv_has_the_same_figures(self):
        rows = list(csv.DictReader(io.StringIO(fleet(job(), "--csv"), newline="")))
        groups = as_json(job())["groups"]
        self.assertEqual([(row["name"], int(row["total"]), int(row["most"])) for row in rows],
                         [(row["name"], row["total"], row["most"]) for row in groups])
        self.assertEqual(rows[0]["process_with_most"], "rank 5")

    def test_stacks_are_the_same_in_all_ranks(self):
        rows = as_json(job(), "--by", "site", "--sort", "bytes")["groups"]
        by_function = {row["function"]: row for row in rows if row["function"].startswith("take_")}
        self.assertEqual({name: row["processes"] for name, row in by_function.items()},
                         {"take_field": 7, "take_halo": 7, "take_log": 3})
        self.assertTrue(all(re.fullmatch("[0-9a-f]{32}", row["id"]) for row in rows))


class Reduced(unittest.TestCase):
    """Files in place of ledgers: whatever was put together first, the answer is the same."""

    def reduce(self, inputs, *words):
        path = os.path.join(harness.fresh_folder(), "node.json")
        fleet(*inputs, "--reduce", path, *words)
        return path

    def paths(self, *ranks):
        return [os.path.join(job(), f"{rank}.ledger") for rank in ranks]

    def check_tree(self, *words):
        whole = fleet(*self.paths(*RANKS), "--json", *words)
        leaves = [self.reduce(self.paths(*ranks), *words)
                  for ranks in ((0, 1), (2,), (3, 5), (6, 7))]
        inner = [self.reduce(leaves[:2], *words), self.reduce(leaves[2:], *words)]
        self.assertEqual(fleet(*leaves, "--json", *words), whole)
        self.assertEqual(fleet(*inner, "--json", *words), whole)
        self.assertEqual(fleet(leaves[0], *self.paths(2), inner[1], "--json", *words), whole)
        return json.loads(whole)

    def test_a_tree_of_reductions_gives_the_same_answer(self):
        self.check_tree()
        self.check_tree("--by", "site", "--sort", "bytes")

    def test_so_it_does_when_only_the_largest_rows_are_kept(self):
        answer = self.check_tree("--keep", "0.9", "--sort", "bytes")
        names = {row["name"] for row in answer["groups"]}
        self.assertIn("[the rest]", names)
        self.assertEqual(sum(row["total"] for row in answer["groups"]), answer["all"]["total"])
        self.assertLess(len(names), len(as_json(job(), "--sort", "bytes")["groups"]))

    def test_another_question_is_refused(self):
        path = self.reduce(self.paths(0, 1))
        for words in (["--by", "site"], ["--sort", "bytes"], ["--keep", "0.5"], ["--at", "end"]):
            done = subprocess.run([harness.TOOL, "fleet", path, *words], capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words)

    def test_a_broken_file_is_refused(self):
        path = self.reduce(self.paths(0, 1))
        with open(path, encoding="utf-8") as file:
            content = file.read()
        for broken in (content[:-100], content.replace('"groups"', '"group"'),
                       content.replace('"pid":', '"pid":-')):
            with open(path, "w", encoding="utf-8") as file:
                file.write(broken)
            done = subprocess.run([harness.TOOL, "fleet", path], capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (3, b""), broken[-50:])


class Told(unittest.TestCase):
    def test_who_is_odd_killed_and_missing(self):
        text = fleet(job())
        self.assertIn("7 ranks of solver on 1 host, job 12", text)
        self.assertIn("no ledger of: rank 4", text)
        self.assertIn("rank 6: killed", text)
        self.assertIn("far from the others: rank 5 (8", text)
        answer = as_json(job())
        self.assertEqual(answer["missing"], ["rank 4"])
        self.assertEqual([one["rank"] for one in answer["processes"] if not one["exited"]], [6])
        self.assertEqual(answer["all"]["outliers"], 1)

    def test_a_filter_chooses_ranks(self):
        answer = as_json(job(), "--filter", "rank=0-3")
        ranks = [answer["processes"][number]["rank"] for number in answer["counted"]]
        self.assertEqual(ranks, [0, 1, 2, 3])
        self.assertEqual(answer["all"]["outliers"], 0)

    def test_a_ledger_that_cannot_be_read_is_named_and_the_others_counted(self):
        folder = shutil.copytree(job(), os.path.join(harness.fresh_folder(), "job"))
        with open(os.path.join(folder, "2.ledger"), "wb") as file:
            file.write(b"no ledger")
        answer = as_json(folder, status=3)
        self.assertEqual([os.path.basename(one["path"]) for one in answer["processes"]
                          if not one["read"]], ["2.ledger"])
        self.assertEqual(len(answer["counted"]), 6)
        self.assertEqual(answer["missing"], ["rank 2", "rank 4"])
        self.assertIn("2.ledger", fleet(folder, status=3))

    def test_a_ledger_that_is_cut_counts_with_what_it_has(self):
        folder = shutil.copytree(job(), os.path.join(harness.fresh_folder(), "job"))
        path = os.path.join(folder, "3.ledger")
        os.truncate(path, os.path.getsize(path) - 1000)
        answer = as_json(folder)
        cut = [one for one in answer["processes"] if one["path"].endswith("3.ledger")][0]
        self.assertIn("cut short", cut["trouble"])

    def test_wrong_words_are_refused(self):
        for words in (["--by", "colour"], ["--sort", "peak"], ["--program", "nothing"],
                      ["--filter", "rank=99"]):
            done = subprocess.run([harness.TOOL, "fleet", job(), *words], capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words)


class Mpi(unittest.TestCase):
    def test_a_real_job(self):
        mpirun = clients.command("mpirun", "openmpi-bin")
        program = export_program.compile_program("mpi", ranks_test.MPI,
                                                 clients.command("mpicc", "libopenmpi-dev"), ("-g",))
        extra = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        folder = ranks_test.record([mpirun, "--oversubscribe", "-n", "6", program], extra)
        answer = as_json(folder)
        self.assertEqual((answer["program"], len(answer["counted"])), ("mpi", 6))
        fields = [row for row in answer["groups"] if row["function"] == "take_field"]
        self.assertEqual([(row["total"], row["least"], row["most"], row["outliers"])
                          for row in fields], [(12000000, 1000000, 7000000, 1)])
        most = fields[0]["with_most"][0]["process"]
        self.assertEqual(answer["processes"][most]["rank"], 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
