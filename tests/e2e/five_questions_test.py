"""The five questions that people come with, asked of six programs as a user asks them: who owns the
peak, what leaks, what churns, what grew from one moment to another, why RSS is larger than the heap.
What the programs do is written in their sources, and the figures here are worked out from that."""

import functools
import json
import os
import re
import subprocess
import unittest

import harness

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "questions")
INCLUDE = os.path.join(HERE, os.pardir, os.pardir, os.pardir, "include")

PYTHON = """import ctypes, gc
def mark(name): ctypes.CDLL(None).heapledger_api_marker(name)
def load_table(): return [bytearray(70000) for _ in range(60)]
def grow(): return [bytearray(9000) for _ in range(100)]
table = load_table()
mark(b"before")
more = grow()
mark(b"after")
"""


def tool(folder, *words, status=0):
    done = subprocess.run([harness.TOOL, *words], cwd=folder, capture_output=True, text=True,
                          env=harness.plain_environment(), timeout=harness.HANG_SECONDS,
                          check=False)
    if done.returncode != status:
        raise AssertionError(f"{words}: {done.returncode}: {done.stderr}")
    return done


@functools.cache
def starts_in(module):
    """Where functions begin in a file, by its unwind tables."""
    text = subprocess.run(["readelf", "--debug-dump=frames", module], capture_output=True,
                          text=True, check=True).stdout
    return {int(start, 16) for start in re.findall(r" pc=([0-9a-f]+)\.\.", text)}


def compiled(folder, name, *words):
    compiler = "g++" if name.endswith(".cpp") else "gcc"
    binary = os.path.join(folder, name.split(".")[0])
    subprocess.run([compiler, "-g", "-O1", "-fno-optimize-sibling-calls", "-I", INCLUDE, *words,
                    "-o", binary, os.path.join(HERE, name), "-pthread"], check=True)
    return binary


class Asked:
    """A recording, and what a user is told about it."""

    def __init__(self, command):
        self.folder = harness.fresh_folder()
        self.summary = tool(self.folder, "run", "-o", "x.ledger", "--", *command).stderr
        # With children it is a folder, which goes by the same name.
        self.ledger = os.path.join(self.folder, "x.ledger")

    def owners(self, *words):
        text = tool(self.folder, "report", self.ledger, "--by", "owner", "--json", *words).stdout
        return {row["function"] or row["name"]: row for row in json.loads(text)["groups"]}

    def said(self, line):
        return re.search(rf"^  {line} .*$", self.summary, re.M).group(0)

    def grown(self):
        text = tool(self.folder, "diff", self.ledger, "--moments", "before", "after",
                    "--json").stdout
        return {group["function"] or group["name"]: group["change"]["live_bytes"]
                for group in json.loads(text)["groups"] if group["change"]["live_bytes"] != 0}

    def resident(self):
        text = tool(self.folder, "report", self.ledger, "--where-rss", "--json").stdout
        where = json.loads(text)["where_rss"]
        return where, {part["part"]: part["bytes"] for part in where["parts"]}


class FiveQuestions(unittest.TestCase):
    def explained(self, asked):
        where, parts = asked.resident()
        self.assertEqual(sum(parts.values()), where["rss_bytes"])
        self.assertLessEqual(abs(parts.get("unexplained", 0)), where["rss_bytes"] * 0.05, parts)

    def planted(self, asked, peak, leak, churn, grew):
        name, amount = peak
        self.assertEqual(asked.owners("--at", "peak")[name]["live_bytes"], amount)
        self.assertRegex(asked.said("peak"), rf"% from .*{name}\b.* \w+\.\w+:\d+$")
        name, amount = leak
        self.assertEqual(asked.owners("--at", "end")[name]["live_bytes"], amount)
        self.assertRegex(asked.said("never freed"), rf"% from .*{name}\b.* \w+\.\w+:\d+$")
        name, calls = churn
        self.assertEqual(asked.owners("--at", "end")[name]["temporary_calls"], calls)
        self.assertRegex(asked.said("temporary"), rf"% from .*{name}\b.* \w+\.\w+:\d+$")
        name, amount = grew
        self.assertEqual(asked.grown()[name], amount)
        self.explained(asked)

    def test_cpp(self):
        asked = Asked([compiled(harness.fresh_folder(), "shop.cpp")])
        space = "(anonymous namespace)::"
        owners = {name.replace(space, "").split("(")[0]: row
                  for name, row in asked.owners("--at", "peak").items()}
        # And the vector, which has room for 64 of them by then.
        self.assertEqual(owners["draw_tiles"]["live_bytes"], 50 * 100000 + 64 * 8)
        self.assertRegex(asked.said("peak"), r"% from .*draw_tiles.* shop\.cpp:\d+$")
        self.assertRegex(asked.said("never freed"), r"% from .*open_sessions.* shop\.cpp:\d+$")
        self.assertRegex(asked.said("temporary"), r"% from .*parse_lines.* shop\.cpp:\d+$")
        grown = {name.replace(space, "").split("(")[0]: by for name, by in asked.grown().items()}
        self.assertGreaterEqual(grown["take_orders"], 300 * 2000)
        self.explained(asked)

    def test_c_with_an_allocator_of_its_own(self):
        asked = Asked([compiled(harness.fresh_folder(), "depot.c")])
        self.planted(asked, ("build_index", 40 * 100000), ("lose_entries", 500 * 800),
                     ("make_keys", 30000), ("add_records", 200 * 3000))

    def test_a_server(self):
        asked = Asked([compiled(harness.fresh_folder(), "server.cpp")])
        owners = {re.sub(r"^.*::|\(.*$", "", name.replace("(anonymous namespace)::", "")): row
                  for name, row in asked.owners("--at", "end").items()}
        self.assertEqual(owners["leave_request"]["live_bytes"], 200 * 700)
        self.assertEqual(owners["reply"]["temporary_calls"], 2000)
        self.assertRegex(asked.said("peak"), r"% from .*accept_connection.* server\.cpp:\d+$")
        self.assertRegex(asked.said("never freed"), r"% from .*leave_request.* server\.cpp:\d+$")
        self.assertRegex(asked.said("temporary"), r"% from .*reply.* server\.cpp:\d+$")
        grown = {name: by for name, by in asked.grown().items() if "fill_cache" in name}
        self.assertGreaterEqual(sum(grown.values()), 100 * 5000)
        self.explained(asked)

    def test_python_under_a_wrapper(self):
        folder = harness.fresh_folder()
        script = os.path.join(folder, "table.py")
        with open(script, "w") as file:
            file.write(PYTHON)
        asked = Asked(["sh", "-c", f"true; python3 {script}; exit 0"])
        # The blocks of bytearrays are malloc's; each has one byte more than it holds.
        self.assertGreaterEqual(sum(asked.grown().values()), 100 * 9001)
        owners = asked.owners("--at", "after")
        self.assertIn(60 * 70001, {row["live_bytes"] for row in owners.values()} |
                      {row["live_bytes"] - 100 * 9001 for row in owners.values()}, owners)
        self.assertIn("Python's own pools: --no-pools", asked.said("not seen"))

    def test_a_compiler(self):
        folder = harness.fresh_folder()
        with open(os.path.join(folder, "x.cpp"), "w") as file:
            file.write("#include <map>\n#include <string>\n#include <vector>\n"
                       "int main() { std::map<std::string, std::vector<int>> m; m[\"a\"]; }\n")
        asked = Asked(["clang++", "-c", os.path.join(folder, "x.cpp"), "-o", "x.o"])
        rows = json.loads(tool(asked.folder, "report", asked.ledger, "--by", "part", "--top", "10",
                               "--json").stdout)["groups"]
        totals = json.loads(tool(asked.folder, "report", asked.ledger, "--json").stdout)["totals"]
        self.assertEqual(sum(row["live_bytes"] for row in rows), totals["peak_bytes"])
        # Ten rows explain four fifths of the peak; what none of them has is the last one.
        rest = rows[-1]["live_bytes"] if "owner" not in rows[-1] else 0
        self.assertLessEqual(len(rows), 11)
        self.assertLessEqual(rest, totals["peak_bytes"] / 5)
        self.assertRegex(asked.said("peak"), r"[0-9.]+% under \S+")

    def test_a_stripped_binary(self):
        database = "create table t(a, b); " + \
            "insert into t select value, hex(randomblob(50)) from generate_series(1, 3000); " + \
            "create index i on t(b); select count(*) from t;"
        asked = Asked(["sqlite3", ":memory:", database])
        rows = asked.owners("--at", "peak").values()
        nameless = [row for row in rows if "+0x" in row["name"]]
        self.assertTrue(nameless)
        # Named by where the function begins, as the unwind tables have it, and not by a call in it.
        for row in nameless:
            self.assertIn(int(row["name"].split("+")[1], 16), starts_in(row["module"]), row)
        self.assertRegex(asked.said("peak"), r"% (from|under) \S+")
        self.explained(asked)


if __name__ == "__main__":
    unittest.main()
