"""Real programs, recorded: same status and output as natively, and facts that one can check."""

import os
import re
import shutil
import subprocess
import unittest

import harness

CPP = """#include <map>
#include <string>
#include <vector>
int main(int count, char**) {
  std::map<std::string, std::vector<int>> all;
  for (int i = 0; i < count; ++i) all[std::to_string(i)].push_back(i);
  return static_cast<int>(all.size()) - count;
}
"""

PYTHON = """
import json, collections
words = [str(i * 7919 % 1000) for i in range(20000)]
counts = collections.Counter(words)
text = json.dumps(sorted(counts.items()))
print(len(text), sum(len(word) for word in words))
"""

PYTHON_THREADS = """
import threading
texts = [None] * 5
def work(number):
    texts[number] = ",".join(str(i * number) for i in range(50000))
threads = [threading.Thread(target=work, args=(i,)) for i in range(5)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print([len(text) for text in texts])
"""

SQL = """create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
insert into t select i, 'row ' || i from n;
create index ib on t(b);
select count(*), max(b), sum(a) from t;
"""

SHELL = """set -e
for i in 1 2 3 4 5; do
  (echo "sub $i"; n=$(echo $i | tr 1-5 a-e); echo "letter $n")
done
seq 1 2000 | sort -r | head -3
cat <<END | wc -c
$(seq 1 100)
END
false || exit 9
"""

PERL = "my %h; $h{$_ % 997} .= \"x$_\" for 1..50000; print join(\",\", map { length $h{$_} } 1..5), \"\\n\""


def needs(name):
    path = shutil.which(name)
    if path is None:
        raise unittest.SkipTest(f"{name} is not installed")
    return path


# 10 numbers of one digit, 90 of two, 900 of three, 9000 of four, 2000 of five: 48,890 digits, and
# the four of "last". JavaScript's have 30,000 more: "abc" in each of the first 10,000.
NODE = """
let text = [];
for (let i = 0; i < 12000; ++i) text.push(i < 10000 ? "abc" + i : "" + i);
console.log((text.join("") + "last").length);
process.exitCode = 3;
"""

JAVA = """
public class Words {
  public static void main(String[] unused) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 12000; ++i) text.append(i);
    System.out.println(text.append("last").length());
    System.exit(3);
  }
}
"""

RUST = """
fn main() {
    let words: Vec<String> = (0..12000).map(|i| i.to_string()).collect();
    println!("{}", words.concat().len() + "last".len());
    std::process::exit(3);
}
"""


class RealPrograms(unittest.TestCase):
    def both(self, command, **options):
        """Records `command` by hand, compares with the native run, and gives back the report."""
        plain, with_us = harness.native(command, **options), harness.recorded(command, **options)
        harness.expect_same(plain, with_us)
        answer = harness.report(with_us)
        harness.expect_complete(answer)
        return plain, with_us, answer

    def test_python(self):
        plain, _, answer = self.both(["/usr/bin/python3", "-I", "-c", PYTHON],
                                     env={"PYTHONHASHSEED": "0"})
        self.assertEqual((plain.status, len(answer["ledgers"])), (0, 1))
        self.assertEqual(answer["ledgers"][0]["command"][-1], PYTHON)
        self.assertEqual(answer["totals"]["unmatched_frees"], 0)
        self.assertGreater(answer["totals"]["calls"], 1000)
        self.assertGreater(answer["totals"]["rss_peak_bytes"], answer["totals"]["peak_bytes"] // 2)

    def test_python_that_asks_malloc_for_everything(self):
        _, _, few = self.both(["/usr/bin/python3", "-I", "-c", PYTHON])
        _, _, many = self.both(["/usr/bin/python3", "-c", PYTHON],
                               env={"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0"})
        self.assertGreater(many["totals"]["calls"], 5 * few["totals"]["calls"])
        self.assertEqual(many["totals"]["unmatched_frees"], 0)

    def test_compiler_with_its_children(self):
        """One ledger for each process of a compilation: the driver and all that it starts."""
        compiler = needs("g++")
        source = os.path.join(harness.fresh_folder(), "source.cpp")
        with open(source, "w", encoding="ascii") as file:
            file.write(CPP)
        _, with_us, answer = self.both([compiler, "-O1", source, "-o", "result"])
        self.assertEqual(with_us.status, 0)
        names = {os.path.basename(ledger["executable"]) for ledger in answer["ledgers"]
                 if ledger["origin"] == "started"}
        for part in ("g++", "cc1plus", "as", "collect2", "ld"):
            self.assertTrue(any(part in name for name in names), f"{part} is not among {names}")
        largest = max(answer["ledgers"], key=lambda ledger: ledger["entries"])
        self.assertIn("cc1plus", largest["executable"])
        self.assertGreater(answer["totals"]["calls"], 100_000)
        self.assertEqual(answer["totals"]["unmatched_frees"], 0)
        self.assertEqual(subprocess.run([os.path.join(with_us.folder, "result")],
                                        check=False).returncode, 0)

    def test_compiler_under_the_tool(self):
        """The same through `heapledger run`: status, output and the files it makes."""
        compiler = needs("g++")
        command = [compiler, "-x", "c++", "-c", "-", "-o", "result.o"]
        for text in (CPP, "int main() { return nothing; }\n"):
            plain = harness.native(command, stdin=text.encode())
            with_us = harness.recorded_by_tool(command, stdin=text.encode())
            harness.expect_same(plain, with_us)
            answer = harness.report(with_us)
            harness.expect_complete(answer)
            self.assertGreaterEqual(len(answer["ledgers"]), 2)

    def test_perl(self):
        _, _, answer = self.both([needs("perl"), "-e", PERL], env={"PERL_HASH_SEED": "0"})
        self.assertEqual(answer["totals"]["unmatched_frees"], 0)

    def runtime(self, command, package, ledgers=1, **options):
        """A language runtime, recorded without harm; it has threads, and an end of its own."""
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is not installed (Debian: {package})")
        plain, with_us = harness.native(command, **options), harness.recorded(command, **options)
        harness.expect_same(plain, with_us)
        answer = harness.report(with_us)
        harness.expect_complete(answer)
        self.assertEqual(len(answer["ledgers"]), ledgers)
        self.assertGreater(answer["totals"]["calls"], 100)
        return plain

    def test_node(self):
        plain = self.runtime(["node", "-e", NODE], "nodejs")
        self.assertEqual((plain.status, plain.stdout), (3, b"78894\n"))

    def test_java(self):
        folder = harness.fresh_folder()
        source = os.path.join(folder, "Words.java")
        with open(source, "w", encoding="utf-8") as file:
            file.write(JAVA)
        if shutil.which("javac") is None:
            plain = self.runtime(["java", "-version"], "default-jre-headless")
            self.assertEqual(plain.status, 0)
            return
        plain = self.runtime(["java", "-Xshare:auto", source], "default-jdk-headless")
        self.assertEqual((plain.status, plain.stdout), (3, b"48894\n"))

    def test_rust(self):
        if shutil.which("rustc") is None:
            self.skipTest("rustc is not installed (Debian: rustc)")
        folder = harness.fresh_folder()
        source, program = os.path.join(folder, "words.rs"), os.path.join(folder, "words")
        with open(source, "w", encoding="utf-8") as file:
            file.write(RUST)
        done = subprocess.run(["rustc", "-g", "-o", program, source], capture_output=True,
                              text=True, timeout=300, check=False)
        if done.returncode != 0:
            self.skipTest("rustc cannot build here: " + done.stderr[:200])
        plain = self.runtime([program], "rustc")
        self.assertEqual((plain.status, plain.stdout), (3, b"48894\n"))

    def test_sqlite(self):
        _, _, answer = self.both([needs("sqlite3"), ":memory:"], stdin=SQL.encode())
        self.assertEqual(answer["totals"]["unmatched_frees"], 0)

    def test_git(self):
        script = ("git init -q . && git config user.name n && git config user.email e@localhost &&"
                  "seq 1 5000 > file && git add file && git commit -qm first &&"
                  "git log --format=%H && rm -rf .git")
        needs("git")
        date = "2020-01-01T00:00:00+0000"
        plain, _, answer = self.both(["sh", "-c", script], env={
            "HOME": "/nonexistent", "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date})
        self.assertEqual(plain.status, 0)
        self.assertGreaterEqual(sum("git" in one["executable"] for one in answer["ledgers"]), 5)

    def test_sort_with_threads(self):
        lines = "".join(f"{i * 7919 % 1000003}\n" for i in range(300_000)).encode()
        _, _, answer = self.both([needs("sort"), "--parallel=4", "-n", "-S", "20M"], stdin=lines)
        self.assertEqual(answer["totals"]["unmatched_frees"], 0)

    def test_python_with_threads(self):
        _, _, answer = self.both(["/usr/bin/python3", "-I", "-c", PYTHON_THREADS])
        self.assertEqual(answer["ledgers"][0]["threads"], 1 + 5)
        self.assertEqual(answer["totals"]["unmatched_frees"], 0)

    def test_shell_script_with_forks(self):
        plain, _, answer = self.both([needs("bash"), "-c", SHELL])
        self.assertEqual(plain.status, 9)
        forked = [one for one in answer["ledgers"] if one["origin"] == "forked"]
        self.assertGreaterEqual(len(forked), 5)
        self.assertEqual(answer["totals"]["unmatched_frees"], 0)

    def test_man_with_its_sandbox(self):
        """libseccomp asks for filters that cannot be before man installs real ones in children."""
        page = os.path.join(harness.fresh_folder(), "page.1")
        with open(page, "w", encoding="utf-8") as file:
            file.write(".TH PAGE 1\n.SH NAME\npage \\- a page\n" + ".PP\nSome words.\n" * 500)
        command = [needs("man"), "-P", "cat", "-l", page]
        plain, with_us = harness.native(command), harness.recorded(command)
        self.assertEqual((with_us.status, with_us.stdout), (plain.status, plain.stdout))
        answer = harness.report(with_us)
        harness.expect_complete(answer)
        first = [one for one in answer["ledgers"] if one["command"] == command
                 and one["origin"] == "started"]
        self.assertEqual(len(first), 1)
        self.assertGreater(harness.report([first[0]["path"]])["totals"]["calls"], 1000)

    def test_valgrind_counts_the_same(self):
        """An independent count: valgrind's allocations, frees and bytes of a fixed program.

        It counts a realloc as an allocation of the new size and a free, and what is freed at
        exit by libc itself is left out on both sides."""
        valgrind = needs("valgrind")
        program = harness.program("steady")
        counted = harness.native([valgrind, "--run-libc-freeres=no", program])
        found = re.search(rb"total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes",
                          counted.stderr)
        self.assertTrue(found, harness.shown(counted.stderr))
        allocs, frees, size = (int(text.replace(b",", b"")) for text in found.groups())
        _, _, answer = self.both([program])
        totals = answer["totals"]
        self.assertEqual((totals["calls"], totals["frees"] + totals["resizes"], totals["bytes"]),
                         (allocs, frees, size))


if __name__ == "__main__":
    unittest.main()
