"""heapledger diff between two versions of a program: what is the same place is never told as one that
came and one that went, and what really came, went, grew and shrank is told to the byte.

The programs are in diff_programs; what they allocate is written here by hand.
"""

import json
import os
import shutil
import subprocess
import unittest

import diff_program
import harness

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "diff_programs")
CHANGED = ("came", "went", "grew", "shrank")


def build(folder, sources, level, compiler="cc"):
    """Compiles `sources` in a folder of their own, so that every build has another path."""
    os.makedirs(folder)
    copies = [shutil.copy(source, folder) for source in sources]
    app = os.path.join(folder, "app")
    compiled = [copy for copy in copies if not copy.endswith(".h")]
    subprocess.run([compiler, level, "-g", "-o", app, *compiled], check=True)
    return diff_program.record(app, os.path.join(folder, "ledgers", "app.ledger"))


def sources_of(name):
    folder = os.path.join(PROGRAMS, name)
    return [os.path.join(folder, file) for file in sorted(os.listdir(folder))]


def line_of(name, mark):
    """Where `at MARK` stands in one of the programs: file and line."""
    for path in sources_of(name):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.rstrip().removesuffix("*/").rstrip().endswith(f" at {mark}"):
                    return os.path.basename(path), number
    raise KeyError(mark)


class Versions(unittest.TestCase):
    def setUp(self):
        self.folder = harness.fresh_folder()

    def build(self, name, level, compiler="cc"):
        return build(os.path.join(self.folder, name + level), sources_of(name), level, compiler)

    def answer(self, *arguments):
        status, stdout, stderr = diff_program.tool("diff", "--json", *arguments)
        self.assertEqual(status, 0, stderr)
        answer = json.loads(stdout)
        self.expect_sums(answer)
        return answer

    def expect_sums(self, answer):
        """All groups together are both sides, whatever was matched with what."""
        for side in ("before", "after"):
            for figure in ("live_bytes", "live_blocks", "calls", "bytes", "never_freed_bytes",
                           "never_freed_blocks", "temporary_calls"):
                groups = [group[side] for group in answer["groups"] if group[side] is not None]
                self.assertEqual(sum(group[figure] for group in groups), answer[side][figure],
                                 (answer["by"], side, figure))

    def expect_rows(self, answer, name, wanted):
        """All that changed, and nothing else: by place, kind and live bytes of both sides."""
        seen = {}
        for group in answer["groups"]:
            if group["kind"] in CHANGED:
                place = (os.path.basename(group["file"]), group["line"])
                self.assertNotIn(place, seen)
                seen[place] = (group["kind"], (group["before"] or {}).get("live_bytes"),
                               (group["after"] or {}).get("live_bytes"))
        rows = {line_of(version, mark): row for (version, mark), row in wanted.items()}
        self.assertEqual(seen, rows, name)

    def expect_no_pairs(self, *arguments):
        for group in self.answer(*arguments)["groups"]:
            self.assertNotIn(group["kind"], ("came", "went"), (arguments, group["name"]))

    def test_code_above_and_a_line_more_and_less(self):
        """The header grew by 600, the rows by 15 times 100; 7,000 are new, and 40 are no more."""
        old, new = "cache_old", "cache_new"
        rows = {(new, "header"): ("grew", 1000, 1600), (new, "row"): ("grew", 1000, 2500),
                (new, "new_only"): ("came", None, 7000), (old, "old_only"): ("went", 40, None)}
        builds = {}
        for name in (old, new):
            for level in ("-O0", "-O2"):
                builds[name, level] = self.build(name, level, "c++")
        for before, after in (("-O0", "-O0"), ("-O2", "-O2"), ("-O0", "-O2"), ("-O2", "-O0")):
            with self.subTest(before=before, after=after):
                answer = self.answer(builds[old, before], builds[new, after])
                self.assertEqual(answer["change"]["live_bytes"], 600 + 1500 + 7000 - 40)
                self.assertEqual(answer["change"]["never_freed_bytes"], 600 + 1500 + 7000 - 40)
                self.assertEqual(answer["change"]["calls"], 15 + 1 - 1)
                self.expect_rows(answer, (before, after), rows)
                moved = {group["line"]: group["line_before"] for group in answer["groups"]
                         if group["name"].startswith("Cache::load") and group["kind"] == "same"}
                self.assertEqual(moved, {line_of(new, mark)[1]: line_of(old, mark)[1]
                                         for mark in ("page", "buffer", "trailer")})

    def test_another_optimisation_changes_nothing(self):
        source = [os.path.join(PROGRAMS, "tails.c")]
        builds = [build(os.path.join(self.folder, level), source, level)
                  for level in ("-O0", "-O2", "-O3")]
        for other in builds[1:]:
            for before, after in ((builds[0], other), (other, builds[0])):
                for grouping in ((), ("--raw",)):
                    with self.subTest(before=before, after=after, grouping=grouping):
                        answer = self.answer(before, after, *grouping)
                        # Line by line of the source; 15 nodes of two pointers.
                        self.assertEqual(answer["after"]["never_freed_bytes"],
                                         1000 + 50 + 2000 + 600 + 4 * 70 + 11 + 12 + 21 + 22 + 31 +
                                         41 + 15 * 16 + 4000)
                        for group in answer["groups"]:
                            for figure in ("live_bytes", "live_blocks", "calls", "bytes",
                                           "never_freed_bytes", "temporary_calls"):
                                self.assertEqual(
                                    (group["before"] or {}).get(figure),
                                    (group["after"] or {}).get(figure), (group["name"], figure))
                        self.assertEqual(answer["counts"]["same"], answer["counts"]["groups"])

    def test_a_renamed_file_and_a_function_in_another_one(self):
        """The log has 3,000 bytes less; all else is where it was."""
        old, new = "depot_old", "depot_new"
        for before, after in (("-O0", "-O0"), ("-O0", "-O2"), ("-O2", "-O2")):
            with self.subTest(before=before, after=after):
                pair = [build(os.path.join(self.folder, f"{name}{before}{after}"), sources_of(name),
                              level) for name, level in ((old, before), (new, after))]
                answer = self.answer(*pair)
                self.expect_rows(answer, (before, after), {(new, "log"): ("shrank", 5000, 2000)})
                same = {(os.path.basename(group["file"]), group["line"]):
                        (os.path.basename(group["file_before"]), group["line_before"],
                         group["after"]["live_bytes"])
                        for group in answer["groups"] if group["kind"] == "same"}
                self.assertEqual(same, {line_of(new, mark): (*line_of(old, mark), size)
                                        for mark, size in (("index", 128), ("entry", 20 * 24),
                                                           ("table", 640))})
                self.expect_no_pairs(*pair, "--raw")
                self.expect_no_pairs(*pair, "--by", "function")
                if before == after:  # otherwise a line that ends a function is on no stack
                    self.expect_no_pairs(*pair, "--by", "line")

    def test_of_one_build_lines_are_what_they_are(self):
        """Runs of one executable: nothing has moved, so two places never become one."""
        folder = os.path.join(self.folder, "one")
        os.makedirs(folder)
        path = os.path.join(folder, "one.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#include <stdlib.h>\nvoid* volatile kept;\nint main(int argc, char** argv) {\n"
                       "  (void)argv;\n  if (argc == 1)\n    kept = malloc(100);\n  else\n"
                       "    kept = malloc(100);\n  return 0;\n}\n")
        app = os.path.join(folder, "one")
        subprocess.run(["cc", "-O0", "-g", "-Wl,--build-id", "-o", app, path], check=True)
        ledgers = []
        for words in ((), ("more",)):
            ledgers.append(os.path.join(folder, f"{len(words)}.ledger"))
            subprocess.run([harness.TOOL, "run", "-q", "-o", ledgers[-1].replace("%", "%%"), "--",
                            app, *words], env=harness.plain_environment(), check=True,
                           timeout=harness.HANG_SECONDS)
        rows = [(group["kind"], group["line"]) for group in self.answer(*ledgers)["groups"]]
        self.assertEqual(sorted(rows), [("came", 8), ("went", 6)])


if __name__ == "__main__":
    unittest.main()
