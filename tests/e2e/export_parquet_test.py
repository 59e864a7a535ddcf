"""Parquet tables, read by DuckDB and by hyparquet, two readers that have nothing in common with what
writes them: every value is that of the table as CSV, and sums are those of the report, to the byte."""

import csv
import functools
import io
import json
import os
import re
import shutil
import subprocess
import unittest

import clients
import export_program
import export_tables_test
import harness
from export_program import export, report

TABLES = ("processes", "accounts", "stacks", "series")
# Columns of accounts that add up over processes, and what the report calls the sum of all.
SUMS = {"calls": "calls", "bytes": "bytes", "frees": "frees", "resizes": "resizes",
        "temporary_calls": "temporary_calls", "live_bytes": "peak_bytes",
        "live_blocks": "peak_blocks", "never_freed_bytes": "end_bytes",
        "never_freed_blocks": "end_blocks", "ended_blocks": None, "ended_bytes": None,
        "moved_blocks": None, "moved_bytes": None}
PLACE = ("function", "file", "line", "module", "stack")

DUCKDB = """
const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const answers = [];
  for (const query of JSON.parse(process.argv[2])) {
    answers.push((await connection.runAndReadAll(query)).getRowObjectsJson());
  }
  console.log(JSON.stringify(answers));
})().catch((error) => { console.error(error); process.exit(1); });
"""

HYPARQUET = """
(async () => {
  const { asyncBufferFromFile, parquetReadObjects } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const file = await asyncBufferFromFile(process.argv[2]);
  const rows = await parquetReadObjects({ file, compressors });
  console.log(JSON.stringify(rows, (name, value) =>
    typeof value === 'bigint' ? String(value)
    : value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value));
})().catch((error) => { console.error(error); process.exit(1); });
"""


def folder_of(ledgers, *options):
    folder = os.path.join(harness.fresh_folder(), "tables", "one")
    export(ledgers, "parquet", "-o", folder, *options, status=status_of(ledgers))
    return folder


def status_of(ledgers):
    """What the tool ends with: 3 where something is missing."""
    return 3 if ledgers == cut() else 0


def duckdb(*queries):
    return json.loads(clients.run_node(DUCKDB, json.dumps(queries)))


def by_duckdb(folder, names=TABLES):
    """All rows of the tables, by name."""
    what = {"stacks": "* REPLACE (lower(hex(id)) AS id)"}
    return dict(zip(names, duckdb(*(f"SELECT {what.get(name, '*')} FROM '{folder}/{name}.parquet'"
                                    for name in names))))


def by_hyparquet(folder, names=TABLES):
    return {name: json.loads(clients.run_node(HYPARQUET, f"{folder}/{name}.parquet"))
            for name in names}


def as_csv(ledgers, *options):
    text = export(ledgers, "csv", *options, status=status_of(ledgers))
    return list(csv.DictReader(io.StringIO(text, newline="")))


def as_text(value):
    """As CSV has it, where nothing is an empty cell."""
    return "" if value is None else str(value)


def accounts_with_places(tables):
    """Rows of accounts, with what the stacks say about their sites."""
    places = {row["site"]: row for row in tables["stacks"]}
    return [{**row, **{name: places[row["site"]][name] for name in PLACE}}
            for row in tables["accounts"]]


def ledgers():
    return {"one": export_program.cpp(), "python": export_program.python(),
            "sampled": export_program.sampled(), "hostile": export_program.hostile(), "cut": cut()}


@functools.cache
def cut():
    """A ledger whose end is missing."""
    path = os.path.join(harness.fresh_folder(), "cut.ledger")
    raw = export_program.record([export_program.cpp_binary()], "raw", "--no-seal")
    shutil.copyfile(raw, path)
    os.truncate(path, os.path.getsize(path) * 2 // 3)
    return path


def totals_of(ledgers):
    if status_of(ledgers) == 0:
        return report(ledgers)["totals"]
    done = subprocess.run([harness.TOOL, "report", "--json", ledgers], capture_output=True)
    harness.expect_equal(done.returncode, 3, "status of the report")
    return json.loads(done.stdout)["totals"]


class Values(unittest.TestCase):
    def test_every_value_is_that_of_the_table_as_csv(self):
        for name, ledger in ledgers().items():
            folder = folder_of(ledger)
            expected = {row["site"]: row for row in as_csv(ledger)}
            for read in (by_duckdb, by_hyparquet):
                with self.subTest(ledger=name, reader=read.__name__):
                    rows = accounts_with_places(read(folder))
                    self.assertEqual(len(rows), len(expected))
                    for row in rows:
                        self.check_row(row, expected[as_text(row["site"])])

    def check_row(self, row, expected):
        self.assertEqual(set(row) - {"process"}, set(expected))
        for column, value in expected.items():
            if column.endswith("_error"):
                self.assertAlmostEqual(float(row[column]), float(value),
                                       delta=abs(float(value)) * 1e-6 + 1e-6)
            else:
                self.assertEqual(as_text(row[column]), value, column)

    def test_sums_are_those_of_the_report(self):
        for name, paths in {**ledgers(), "family": export_tables_test.family(),
                            "two": [export_program.cpp(), export_program.python()]}.items():
            with self.subTest(ledgers=name):
                totals = totals_of(paths)
                rows = by_duckdb(folder_of(paths), ("accounts",))["accounts"]
                for column, total in SUMS.items():
                    if total is None:
                        continue
                    self.assertEqual(sum(int(row[column]) for row in rows), totals[total], column)

    def test_sites_of_processes_add_up_to_the_table_of_all(self):
        for paths in (export_tables_test.family(),
                      [export_program.cpp(), export_program.python(), export_program.sampled()]):
            expected = {row["site"]: row for row in as_csv(paths)}
            tables = by_duckdb(folder_of(paths))
            found = {}
            for row in tables["accounts"]:
                found.setdefault(row["site"], []).append(row)
            self.assertEqual(set(found), set(expected))
            for site, rows in found.items():
                for column in SUMS:
                    self.assertEqual(sum(int(row[column]) for row in rows),
                                     int(expected[site][column]), (site, column))
                self.assertEqual(max(int(row["largest"]) for row in rows),
                                 int(expected[site]["largest"]))
            self.assertEqual(len({row["process"] for row in tables["processes"]}), len(paths))
            self.assertLessEqual({row["process"] for row in tables["accounts"]},
                                 {row["process"] for row in tables["processes"]})

    def test_processes_are_those_of_info(self):
        paths = export_tables_test.family()
        done = subprocess.run([harness.TOOL, "info", "--json", *paths], capture_output=True,
                              check=True)
        infos = {info["path"]: info for info in json.loads(done.stdout)["ledgers"]}
        rows = by_duckdb(folder_of(paths))["processes"]
        self.assertEqual({row["path"] for row in rows}, set(infos))
        for row in rows:
            info = infos[row["path"]]
            for column in ("run", "host", "executable", "folder"):
                self.assertEqual(row[column], info[column])
            self.assertEqual(int(row["pid"]), info["pid"])
            own = [module for module in info["modules"] if module["path"] == info["executable"]]
            self.assertEqual(row["build_id"], own[0]["build_id"])
            self.assertEqual((row["rank"], row["job"]), (None, None))

    def test_calls_one_by_one(self):
        ledger = export_program.cpp()
        folder = folder_of(ledger, "--entries")
        expected = as_csv(ledger, "--entries")
        addresses = "".join(f", format('0x{{:x}}', {name}) AS {name}"
                            for name in ("address", "old_address"))
        rows = duckdb(f"SELECT * EXCLUDE (process, address, old_address){addresses} "
                      f"FROM '{folder}/entries.parquet'")[0]
        self.assertEqual(len(rows), len(expected))
        for row, wanted in zip(rows, expected):
            wanted.pop("pid")
            self.assertEqual({name: as_text(value) for name, value in row.items()}, wanted)


class Files(unittest.TestCase):
    def test_what_is_chosen_is_there_and_nothing_else(self):
        ledger = export_program.cpp()
        options = ("--filter", "size>=1k", "--at", "end")
        rows = by_duckdb(folder_of(ledger, *options))["accounts"]
        expected = as_csv(ledger, *options)
        self.assertEqual({row["site"]: row["live_bytes"] for row in rows},
                         {row["site"]: row["live_bytes"] for row in expected})
        self.assertGreater(len(rows), 0)

    def test_no_rows(self):
        folder = folder_of(export_program.cpp(), "--filter", "size>=1000G")
        for read in (by_duckdb, by_hyparquet):
            tables = read(folder)
            self.assertEqual((tables["accounts"], tables["stacks"]), ([], []))
            self.assertEqual(len(tables["processes"]), 1)

    def test_bounds_of_a_row_group_are_those_of_its_values(self):
        folder = folder_of(export_program.cpp())
        for table in TABLES:
            path = f"{folder}/{table}.parquet"
            columns = duckdb("SELECT path_in_schema AS name, stats_min_value AS least, "
                             "stats_max_value AS most, stats_null_count AS nulls, num_values AS rows "
                             f"FROM parquet_metadata('{path}')")[0]
            for column in columns:
                name = column["name"]
                known = column["least"] is not None or column["most"] is not None
                if name == "id" or name.endswith("_error") or not known:
                    continue
                values = duckdb(f"SELECT min({name}) AS least, max({name}) AS most, "
                                f"count(*) - count({name}) AS nulls, count(*) AS rows "
                                f"FROM '{path}'")[0][0]
                for key in ("least", "most"):
                    if column[key] is not None:
                        self.assertEqual(column[key], as_text(values[key]), (name, key))
                self.assertEqual((column["nulls"], column["rows"]),
                                 (values["nulls"], values["rows"]), name)

    def test_many_rows_are_several_groups(self):
        program = export_program.compile_program(
            "many", "#include <stdlib.h>\nint main(void) { for (int i = 0; i < 150000; ++i) "
            "{ void* volatile block = malloc((size_t)(i % 1000) + 1); free(block); } return 0; }", compiler="gcc")
        ledger = export_program.record([program], "many")
        folder = folder_of(ledger, "--entries")
        path = f"{folder}/entries.parquet"
        groups, sums, late = duckdb(
            f"SELECT count(DISTINCT row_group_id) AS n FROM parquet_metadata('{path}')",
            f"SELECT count(*) AS rows, sum(bytes) FILTER (what = 'allocate') AS bytes FROM '{path}'",
            f"SELECT count(*) AS rows FROM '{path}' WHERE what = 'free' AND size = 1000")
        self.assertGreaterEqual(int(groups[0]["n"]), 2)
        totals = report(ledger)["totals"]
        self.assertEqual(int(sums[0]["rows"]), totals["calls"] + totals["frees"])
        self.assertEqual(int(sums[0]["bytes"]), totals["bytes"])
        self.assertEqual(int(late[0]["rows"]), 150)
        rows = by_hyparquet(folder, ("entries",))["entries"]
        self.assertEqual(sum(int(row["bytes"]) for row in rows if row["what"] == "allocate"),
                         totals["bytes"])

    def test_an_export_without_calls_leaves_none_of_the_one_before(self):
        folder = folder_of(export_program.cpp(), "--entries")
        self.assertTrue(os.path.exists(f"{folder}/entries.parquet"))
        export(export_program.cpp(), "parquet", "-o", folder)
        self.assertEqual(sorted(os.listdir(folder)), sorted(f"{name}.parquet" for name in TABLES))

    def test_it_needs_a_folder(self):
        done = subprocess.run([harness.TOOL, "export", export_program.cpp(), "--to", "parquet"],
                              capture_output=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"-o DIR", done.stderr)


def mixed(number):
    """splitmix64's finalizer, which docs/exports.md gives."""
    mask = (1 << 64) - 1
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & mask
    number = (number ^ number >> 27) * 0x94D049BB133111EB & mask
    return number ^ number >> 31


class Hash:
    def __init__(self):
        self.a = self.b = 0

    def word(self, word):
        mask = (1 << 64) - 1
        self.a = mixed(self.a + word + 0x9E3779B97F4A7C15 & mask)
        self.b = mixed((self.b ^ word) * 0xD6E8FEB86659FD93 + self.a & mask)

    def text(self, text):
        self.word(len(text))
        for at in range(0, len(text), 8):
            self.word(int.from_bytes(text[at:at + 8], "little"))

    def hex(self):
        return (self.a.to_bytes(8, "little") + self.b.to_bytes(8, "little")).hex()


JOB = """
#include <stdlib.h>
__attribute__((noinline)) void* grid(size_t cells) { return malloc(cells); }
__attribute__((noinline)) void* halo(size_t cells) { return malloc(cells); }
int main(void) {
  const size_t rank = strtoul(getenv("PMIX_RANK"), NULL, 10);
  void* volatile kept[2] = {grid(rank == 3 ? 90000 : 1000), halo(100 + rank)};
  return kept[0] == NULL;
}
"""


class Jobs(unittest.TestCase):
    """Four processes with the variables of ranks, each exported by itself."""

    def test_the_documented_queries_find_the_rank_that_is_odd(self):
        program = export_program.compile_program("job", JOB, compiler="gcc", flags=("-O1", "-g"))
        folder = harness.fresh_folder()
        for rank in range(4):
            ledger = os.path.join(folder, f"{rank}.ledger")
            environment = {**harness.plain_environment(), "PMIX_RANK": str(rank),
                           "SLURM_JOB_ID": "4711"}
            subprocess.run([harness.TOOL, "run", "-q", "-o", ledger, "--", program], check=True,
                           env=environment, capture_output=True)
            export(ledger, "parquet", "-o", os.path.join(folder, "tables", str(rank)))
        by_rank, by_stack = (query.replace("tables/", folder + "/tables/")
                             for query in documented())
        ranks, stacks, jobs = duckdb(by_rank, by_stack,
                                     f"SELECT DISTINCT job FROM '{folder}/tables/*/processes.parquet'")
        self.assertEqual({row["rank"]: row["bytes"] for row in ranks},
                         {"0": "1100", "1": "1101", "2": "1102", "3": "90103"})
        self.assertEqual([{**row, "id": None} for row in stacks],
                         [{"id": None, "function": "grid", "ranks": "4", "least": "1000",
                           "most": "90000"},
                          {"id": None, "function": "halo", "ranks": "4", "least": "100",
                           "most": "103"}])
        self.assertEqual(jobs, [{"job": "4711"}])


def documented():
    """The two queries of the page: in a command, and by itself."""
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "exports.md"),
              encoding="utf-8") as file:
        page = file.read()
    part = page[page.index("\n## parquet\n"):]
    command = re.search(r'duckdb -c "(.*)"', part).group(1)
    return command, re.search(r"```sql\n(.*?)```", part, re.DOTALL).group(1)


class Ids(unittest.TestCase):
    def test_they_are_made_as_the_manual_says(self):
        ledger = export_program.cpp()
        done = subprocess.run([harness.TOOL, "info", "--json", ledger], capture_output=True,
                              check=True)
        build_ids = {module["path"]: bytes.fromhex(module["build_id"])
                     for module in json.loads(done.stdout)["ledgers"][0]["modules"]}
        expected = {}
        for group in report(ledger, "--by", "site", "--top", "0")["groups"]:
            stack = Hash()
            for frame in reversed(group["frames"]):
                module = Hash()
                if frame["module"]:
                    module.text(build_ids[frame["module"]])
                address = frame["offset"] if frame["module"] else frame["pc"]
                for word in (1, module.a, address):
                    stack.word(word)
            expected[str(group["site"])] = stack.hex()
        rows = by_duckdb(folder_of(ledger))["stacks"]
        self.assertEqual({row["site"]: row["id"] for row in rows}, expected)

    def test_they_are_the_same_in_another_process(self):
        again = export_program.record([export_program.cpp_binary()], "again")
        one, other = (
            {(row["stack"], row["id"]) for row in by_duckdb(folder_of(ledger))["stacks"]}
            for ledger in (export_program.cpp(), again))
        self.assertGreater(len(one), 10)
        self.assertGreaterEqual(len(one & other), 0.9 * len(one))


if __name__ == "__main__":
    unittest.main(verbosity=2)
