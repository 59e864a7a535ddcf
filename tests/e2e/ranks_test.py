"""Ranks, hosts and jobs: what batch systems and launchers say in the environment is in ledgers, those
of forked children too; and a real MPI program, of which one rank is odd."""

import json
import os
import platform
import subprocess
import unittest

import clients
import export_program
import harness

PROGRAM = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  void* volatile kept = malloc(1000);
  if (fork() == 0) {
    kept = malloc(20);
    _exit(0);
  }
  wait(NULL);
  return kept == NULL;
}
"""

MPI = """
#include <mpi.h>
#include <stdlib.h>
__attribute__((noinline)) void* take_field(size_t cells) { return malloc(cells); }
int main(int count, char** words) {
  int rank;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* volatile kept = take_field(rank == 2 ? 7000000 : 1000000);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return kept == NULL;
}
"""


def record(command, extra):
    """The folder with the ledgers of a command."""
    folder = os.path.join(harness.fresh_folder(), "run.ledgers")
    done = subprocess.run([harness.TOOL, "run", "-o", folder, "--", *command],
                          env=harness.plain_environment(extra), capture_output=True, timeout=300)
    harness.expect_equal(done.returncode, 0, f"status of {command}: {done.stderr}")
    return folder


def tool(*words, check=True):
    done = subprocess.run([harness.TOOL, *words], capture_output=True, check=check, timeout=300)
    return json.loads(done.stdout)


def rows_by(by, *words):
    """Name and bytes of each group."""
    answer = tool("report", *words, "--by", by, "--json")
    return {row["name"]: row["bytes"] for row in answer["groups"]}


class Variables(unittest.TestCase):
    def facts(self, extra):
        program = export_program.compile_program("ranked", PROGRAM, compiler="gcc", flags=())
        folder = record([program], extra)
        infos = tool("info", "--json", folder)["ledgers"]
        self.assertEqual(sorted(info["origin"] for info in infos), ["forked", "started"])
        self.assertEqual({info["host"] for info in infos}, {platform.node()})
        return {(info["rank"], info["job"]) for info in infos}

    def test_those_of_launchers(self):
        for name in ("PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
                     "SLURM_PROCID"):
            with self.subTest(variable=name):
                self.assertEqual(self.facts({name: "12"}), {(12, None)})

    def test_those_of_batch_systems(self):
        for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "PMIX_NAMESPACE"):
            with self.subTest(variable=name):
                self.assertEqual(self.facts({name: "4711.head"}), {(None, "4711.head")})

    def test_neither(self):
        self.assertEqual(self.facts({}), {(None, None)})
        self.assertEqual(self.facts({"PMI_RANK": "", "JOB_ID": ""}), {(None, None)})
        self.assertEqual(self.facts({"PMI_RANK": "-1"}), {(None, None)})

    def test_a_child_belongs_to_the_rank_that_forked_it(self):
        program = export_program.compile_program("ranked", PROGRAM, compiler="gcc", flags=())
        folders = [record([program], {"PMI_RANK": rank, "JOB_ID": "7"}) for rank in ("0", "1")]
        self.assertEqual(rows_by("rank", *folders), {"rank 0": 1020, "rank 1": 1020})
        self.assertEqual(rows_by("job", *folders), {"7": 2040})
        self.assertEqual(rows_by("host", *folders), {platform.node(): 2040})
        self.assertEqual(rows_by("job", *folders, "--filter", "rank=1"), {"7": 1020})
        self.assertEqual(rows_by("function", *folders, "--filter", "rank=2"), {})

    def test_a_sealed_ledger_answers_the_same(self):
        program = export_program.compile_program("ranked", PROGRAM, compiler="gcc", flags=())
        folder = record([program], {"PMI_RANK": "5"})
        questions = [("--by", "rank"), ("--by", "rank", "--live", "--at", "end"),
                     ("--filter", "rank=5,9", "--at", "50%", "--by", "host")]
        before = [rows_of_live(folder, *words) for words in questions]
        subprocess.run([harness.TOOL, "seal", folder], check=True, capture_output=True)
        self.assertEqual([rows_of_live(folder, *words) for words in questions], before)
        self.assertEqual(before[0], {"rank 5": 1020})


def rows_of_live(folder, *words):
    return {row["name"]: row["live_bytes"]
            for row in tool("report", folder, *words, "--json")["groups"]}


class Mpi(unittest.TestCase):
    def test_the_rank_that_has_more_is_named(self):
        mpirun = clients.command("mpirun", "openmpi-bin")
        program = export_program.compile_program("mpi", MPI,
                                                 clients.command("mpicc", "libopenmpi-dev"), ("-g",))
        extra = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        folder = record([mpirun, "--oversubscribe", "-n", "4", program], extra)
        rows = rows_by("rank", folder, "--filter", "function=take_field")
        self.assertEqual(rows, {"rank 2": 7000000, "rank 0": 1000000, "rank 1": 1000000,
                                "rank 3": 1000000})
        jobs = {info["job"] for info in tool("info", "--json", folder)["ledgers"]
                if info["rank"] is not None}
        self.assertEqual(len(jobs), 1)
        self.assertNotIn(None, jobs)


if __name__ == "__main__":
    unittest.main(verbosity=2)
