"""SQLite databases: the queries of docs/exports.md, run by the sqlite3 program, give the figures of
the report."""

import json
import os
import re
import subprocess
import unittest

import clients
import export_program
import harness
from export_program import export, report

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "exports.md")
KEYS = {"calls": "calls", "bytes": "bytes", "frees": "frees", "resizes": "resizes",
        "temporary_calls": "temporary_calls", "peak_bytes": "peak_bytes",
        "peak_blocks": "peak_blocks", "peak_time_ns": "peak_time_ns",
        "never_freed_bytes": "end_bytes", "never_freed_blocks": "end_blocks"}
DATABASES = {}


def database(ledgers, *options):
    """The path of the database of ledgers, made once."""
    key = (str(ledgers), options)
    if key not in DATABASES:
        DATABASES[key] = os.path.join(harness.fresh_folder(), "heap.sqlite")
        export(ledgers, "sqlite", "-o", DATABASES[key], *options)
    return DATABASES[key]


def ask(path, query):
    """The rows that sqlite3 gives for a query."""
    shell = [clients.command("sqlite3", "sqlite3"), "-readonly", "-json", path]
    text = clients.run(shell + [query])
    return json.loads(text) if text.strip() else []


def documented():
    """The queries of the page, by the question above them."""
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    part = page[page.index("\n## sqlite\n"):]
    found = re.findall(r"\*\*([^*]+\?)\*\*(?:(?!```).)*```sql\n(.*?)```", part, re.DOTALL)
    return {" ".join(question.split()): query for question, query in found}


def answer(word, ledger=None):
    """The rows for the one documented question with this word in it."""
    found = [query for question, query in documented().items() if word in question]
    harness.expect_equal(len(found), 1, f"documented questions with '{word}'")
    return ask(database(ledger or export_program.cpp()), found[0])


def total(rows, column):
    return sum(row[column] for row in rows)


class Documented(unittest.TestCase):
    """On the C++ program, whose figures the report has to the byte."""

    def setUp(self):
        self.ledger = export_program.cpp()
        self.totals = report(self.ledger)["totals"]

    def groups(self, *options):
        return report(self.ledger, *options)["groups"]

    def test_every_query_works_on_every_ledger(self):
        questions = documented()
        self.assertGreaterEqual(len(questions), 10, questions.keys())
        for ledger in (self.ledger, export_program.python(), export_program.sampled(),
                       export_program.hostile()):
            for question, query in questions.items():
                with self.subTest(ledger=ledger, question=question):
                    ask(database(ledger), query)

    def test_who_allocates_most(self):
        rows = answer("allocates most")
        self.assertEqual(total(rows, "calls"), self.totals["calls"])
        self.assertEqual(total(rows, "bytes"), self.totals["bytes"])
        groups = self.groups("--by", "site", "--sort", "bytes")
        self.assertEqual([row["bytes"] for row in rows], [group["bytes"] for group in groups])
        self.assertEqual(rows[0]["function"], groups[0]["name"])
        self.assertEqual(rows[0]["line"], groups[0]["line"])

    def test_what_is_live_at_a_time(self):
        path = database(self.ledger)
        half = ask(path, "SELECT value / 2 AS t FROM meta WHERE key = 'duration_ns'")[0]["t"]
        groups = self.groups("--by", "site", "--at", f"{half}ns")
        wanted = sorted(group["live_bytes"] for group in groups if group["live_blocks"] > 0)
        rows = answer("live at a time")
        self.assertGreater(len(wanted), 0)
        self.assertEqual(sorted(row["bytes"] for row in rows), wanted)

    def test_what_is_never_freed(self):
        rows = answer("never freed")
        self.assertEqual(total(rows, "bytes"), self.totals["end_bytes"])
        self.assertEqual(total(rows, "blocks"), self.totals["end_blocks"])
        nested = [row for row in rows if "nested" in row["function"]]
        self.assertEqual([(row["bytes"], row["blocks"]) for row in nested], [(4321, 1)])
        self.assertEqual(nested[0]["stack"].split(" < ").count("shop::nested(int)"), 6)

    def test_which_blocks_are_freed_at_once(self):
        self.assertEqual(total(answer("freed at once"), "temporary_calls"),
                         self.totals["temporary_calls"])

    def test_the_largest_blocks(self):
        rows = answer("largest blocks")
        figures = report(self.ledger, "--by", "site")["figures"]
        self.assertEqual(rows[0]["size"], figures["largest"])
        self.assertTrue(all(re.fullmatch("0x[0-9a-f]+", row["address"]) for row in rows))
        # The program's own: a block that is resized ten times, up to 10240 bytes.
        resized = ask(database(self.ledger),
                      "SELECT count(*) AS n, max(size) AS most FROM blocks WHERE ending = 'resized'")
        self.assertEqual(resized, [{"n": 10, "most": 5120}])

    def test_sizes(self):
        rows = answer("sizes are asked for")
        wanted = report(self.ledger)["sizes"]["requested"]["by_power_of_two"]
        found = [0] * len(wanted)
        for row in rows:
            found[row["low"].bit_length()] = row["calls"]
        self.assertEqual(found, wanted)
        self.assertEqual(total(rows, "bytes"), self.totals["bytes"])

    def test_lifetimes(self):
        rows = answer("blocks live")
        self.assertEqual(total(rows, "blocks"), self.totals["calls"] - self.totals["end_blocks"])
        self.assertEqual(total(rows, "bytes"), self.totals["bytes"] - self.totals["end_bytes"])
        # Made from two times that are each rounded to a nanosecond, a lifetime can be on the other
        # side of a bound than in the report; so no class is compared by itself.
        bounds = {(group["from"], group["below"]) for group in self.groups("--by", "lifetime")}
        found = [(row["low_ns"], row["high_ns"] + 1) for row in rows]
        self.assertEqual(found, sorted(found))
        self.assertTrue(set(found) & bounds, (found, bounds))

    def test_threads(self):
        rows = answer("each thread")
        groups = self.groups("--by", "thread")
        self.assertEqual({(row["pid"], row["tid"]): (row["calls"], row["bytes"]) for row in rows},
                         {(group["pid"], group["tid"]): (group["calls"], group["bytes"])
                          for group in groups})
        self.assertEqual(total(rows, "never_freed_bytes"), self.totals["end_bytes"])

    def test_blocks_that_are_handed_over(self):
        # Each of the three threads has a state that the main thread allocates and it frees.
        rows = answer("another thread")
        self.assertEqual(total(rows, "blocks"),
                         ask(database(self.ledger), "SELECT count(*) AS n FROM blocks "
                             "WHERE ending = 'freed' AND thread <> ended_by")[0]["n"])
        self.assertGreaterEqual(total(rows, "blocks"), 3, rows)

    def test_what_grows(self):
        path = database(self.ledger)
        times = ask(path, "SELECT value / 4 AS a, value / 4 * 3 AS b FROM meta "
                          "WHERE key = 'duration_ns'")[0]
        live = [report(self.ledger, "--by", "site", "--at", f"{times[name]}ns")["figures"]
                for name in ("a", "b")]
        self.assertEqual(total(answer("grows"), "growth"),
                         live[1]["live_bytes"] - live[0]["live_bytes"])

    def test_functions_with_all_that_they_call(self):
        rows = {row["function"]: row for row in answer("functions allocate")}
        groups = {group["name"]: group["all"] if "all" in group else group
                  for group in self.groups("--by", "function", "--top", "100000")}
        for name in ("main", "shop::stock(int)", "shop::nested(int)"):
            with self.subTest(function=name):
                self.assertEqual([rows[name][column] for column in ("calls", "bytes")],
                                 [groups[name][column] for column in ("calls", "bytes")])
                self.assertEqual(rows[name]["at_peak_bytes"], groups[name]["live_bytes"])
        self.assertEqual(rows["shop::nested(int)"]["bytes"], 4321)


class Database(unittest.TestCase):
    def test_sums_are_the_totals_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled()):
            totals = report(ledger)["totals"]
            path = database(ledger, "--entries")
            with self.subTest(ledger=ledger):
                meta = {row["key"]: row["value"] for row in ask(path, "SELECT * FROM meta")}
                self.assertEqual({key: meta[key] for key in KEYS},
                                 {key: totals[name] for key, name in KEYS.items()})
                self.assertEqual(meta["schema"], "heapledger.export.sqlite/3")
                accounts = ask(path, "SELECT sum(calls) AS calls, sum(bytes) AS bytes, "
                                     "sum(live_bytes) AS peak, sum(never_freed_bytes) AS rest "
                                     "FROM accounts")[0]
                self.assertEqual(accounts, {"calls": totals["calls"], "bytes": totals["bytes"],
                                            "peak": totals["peak_bytes"],
                                            "rest": totals["end_bytes"]})
                blocks = ask(path, "SELECT sum(calls) AS calls, sum(bytes) AS bytes, "
                                   "sum(bytes * (ending = 'never freed')) AS rest, "
                                   "sum(calls * (ending = 'freed')) AS frees, "
                                   "sum(calls * temporary) AS temporary FROM blocks")[0]
                self.assertEqual(blocks, {"calls": totals["calls"], "bytes": totals["bytes"],
                                          "rest": totals["end_bytes"], "frees": totals["frees"],
                                          "temporary": totals["temporary_calls"]})
                entries = ask(path, "SELECT sum(calls) AS calls, sum(bytes) AS bytes FROM entries "
                                    "WHERE what <> 'free'")[0]
                self.assertEqual(entries, {"calls": totals["calls"], "bytes": totals["bytes"]})

    def test_it_fits_together(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.hostile()):
            path = database(ledger, "--entries")
            with self.subTest(ledger=ledger):
                self.assertEqual(ask(path, "PRAGMA integrity_check"), [{"integrity_check": "ok"}])
                self.assertEqual(ask(path, "PRAGMA foreign_key_check"), [])
                self.assertEqual(ask(path, "SELECT count(*) AS n FROM sites JOIN places USING(site) "
                                           "JOIN stacks USING(site)"),
                                 ask(path, "SELECT count(*) AS n FROM accounts"))

    def test_entries_only_on_request(self):
        tables = "SELECT name FROM sqlite_master WHERE name = 'entries'"
        self.assertEqual(ask(database(export_program.cpp()), tables), [])
        self.assertEqual(len(ask(database(export_program.cpp(), "--entries"), tables)), 1)

    def test_several_processes(self):
        script = ("import os, sys\n"
                  "kept = [bytearray(n) for n in range(1000, 1100)]\n"
                  "if os.fork() == 0:\n"
                  "    more = [bytearray(5000) for _ in range(50)]\n"
                  "    sys.exit(0)\n"
                  "os.wait()\n")
        folder = harness.fresh_folder()
        done = subprocess.run(
            [harness.TOOL, "run", "-o", os.path.join(folder, "%e.%p.ledger"), "--", "python3", "-c",
             script], capture_output=True, timeout=300, env=harness.plain_environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        whole = report(paths)
        path = database(paths)
        rows = ask(path, "SELECT pid, ledgers.bytes AS own, sum(blocks.bytes) AS bytes, "
                         "sum(blocks.bytes * (ending = 'never freed')) AS rest "
                         "FROM ledgers JOIN blocks USING(ledger) GROUP BY ledger")
        self.assertEqual({row["pid"] for row in rows}, {one["pid"] for one in whole["ledgers"]})
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertEqual(row["own"], row["bytes"])
        self.assertEqual(total(rows, "bytes"), whole["totals"]["bytes"])
        self.assertEqual(total(rows, "rest"), whole["totals"]["end_bytes"])

    def test_a_filter(self):
        ledger = export_program.cpp()
        words = ("--filter", "size>=64,function=stock")
        figures = report(ledger, "--by", "site", *words)["figures"]
        path = database(ledger, *words)
        for table in ("accounts", "blocks"):
            self.assertEqual(ask(path, f"SELECT sum(calls) AS calls, sum(bytes) AS bytes "
                                       f"FROM {table}"),
                             [{"calls": figures["calls"], "bytes": figures["bytes"]}])

    def test_hostile_names(self):
        path = database(export_program.hostile(), "--raw-names")
        rows = ask(path, "SELECT function, sum(bytes) AS bytes FROM allocations GROUP BY function")
        found = {row["bytes"]: row["function"] for row in rows}
        for name, size in export_program.HOSTILE_NAMES.items():
            self.assertEqual(found[size], name.decode("utf-8", "backslashreplace"))

    def test_a_file_appears_whole_or_not_at_all(self):
        path = database(export_program.cpp())
        self.assertEqual(os.listdir(os.path.dirname(path)), ["heap.sqlite"])
        done = subprocess.run([harness.TOOL, "export", export_program.cpp(), "--to", "sqlite"],
                              capture_output=True, text=True, timeout=300)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("-o FILE", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
