"""Where ledgers go: patterns, numbering, and a library that needs nothing but libc."""

import os
import re
import socket
import subprocess
import sys
import time
import unittest

import harness


class Naming(unittest.TestCase):
    def record(self, pattern, folder=None):
        """Records a program by hand in `folder` with HEAPLEDGER as given; lists the folder."""
        folder = folder or harness.fresh_folder()
        environment = harness.recording_environment(folder)
        environment.pop("HEAPLEDGER")
        if pattern is not None:
            environment["HEAPLEDGER"] = pattern
        run = harness.execute([harness.program("steady")], environment, folder, folder)
        self.assertEqual((run.status, run.stdout), (0, b"steady\n"))
        self.stderr = run.stderr
        return sorted(os.listdir(folder)), folder

    def tearDown(self):
        self.assertEqual(self.stderr, b"")

    def test_default_name(self):
        for pattern in (None, "", "run=12ab"):
            names, folder = self.record(pattern)
            self.assertEqual(len(names), 1, names)
            self.assertRegex(names[0], r"^steady\.\d+\.ledger$")
            answer = harness.report([os.path.join(folder, names[0])])
            pid = int(names[0].split(".")[1])
            self.assertEqual(answer["ledgers"][0]["pid"], pid)

    def test_every_letter(self):
        before = int(time.time())
        names, _ = self.record("out=%e-%p-%h-%t-%%.x")
        pieces = re.fullmatch(r"steady-(\d+)-(.*)-(\d+)-%\.x", names[0])
        self.assertTrue(pieces, names)
        self.assertEqual(pieces.group(2), socket.gethostname())
        self.assertTrue(before <= int(pieces.group(3)) <= int(time.time()), names)

    def test_existing_file_is_numbered(self):
        folder = harness.fresh_folder()
        path = os.path.join(folder, "x.ledger")
        with open(path, "wb") as file:
            file.write(b"precious")
        self.record("out=x.ledger", folder)
        names, _ = self.record("out=x.ledger", folder)
        self.assertEqual(names, ["x.2.ledger", "x.3.ledger", "x.ledger"])
        self.assertEqual(harness.content_of(path), b"precious")

    def test_number_goes_to_the_end_of_other_names(self):
        folder = harness.fresh_folder()
        self.record("out=record", folder)
        names, _ = self.record("out=record", folder)
        self.assertEqual(len(names), 2, names)
        self.assertTrue(all(name.startswith("record") for name in names), names)

    def test_spaces_and_backslashes(self):
        names, _ = self.record("out=a\\ b\\\\c.ledger run=1")
        self.assertEqual(names, ["a b\\c.ledger"])

    def test_relative_pattern_after_chdir(self):
        """A relative pattern means the folder at the start, for later children too."""
        folder = harness.fresh_folder()
        environment = harness.recording_environment(folder, {"HEAPLEDGER": "out=%e.%p.ledger"})
        run = harness.execute([harness.program("processes_fork_later")], environment, folder, folder)
        self.assertEqual(run.status, 0)
        self.stderr = run.stderr
        answer = harness.report(run)
        harness.expect_complete(answer)
        self.assertEqual(sorted(one["origin"] for one in answer["ledgers"]), ["forked", "started"])
        self.assertEqual(answer["totals"]["calls"], 100 + 30_000 + 30_000)

    def run_as(self, command, folder, **options):
        """Runs a command by hand with the default pattern; the names of the ledgers, without pid."""
        environment = harness.recording_environment(folder, {"HEAPLEDGER": ""})
        run = harness.execute(command, environment, folder, folder, **options)
        self.stderr = run.stderr
        self.assertEqual(run.status, 0)
        return [re.sub(r"\.\d+\.ledger$", "", name) for name in os.listdir(folder)
                if name.endswith(".ledger")]

    def test_a_link_gives_its_own_name(self):
        folder = harness.fresh_folder()
        link = os.path.join(folder, "other-name")
        os.symlink(harness.program("steady"), link)
        self.assertEqual(self.run_as([link], folder), ["other-name"])

    def test_a_script_gives_its_own_name(self):
        folder = harness.fresh_folder()
        script = os.path.join(folder, "tool.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n:\n")
        os.chmod(script, 0o755)
        self.assertEqual(self.run_as([script], folder), ["tool.sh"])

    def test_a_descriptor_is_no_name(self):
        """Executed as /dev/fd/N (fexecve) or /proc/self/exe: the name of the file."""
        steady = harness.program("steady")
        by_descriptor = ("import os, sys; file = os.open(sys.argv[1], os.O_RDONLY); "
                         "os.environ.update(LD_PRELOAD=sys.argv[2]); os.execve(file, ['x'], os.environ)")
        by_link = ("import os, sys; file = os.open(sys.argv[1], os.O_RDONLY); "
                   "os.environ.update(LD_PRELOAD=sys.argv[2]); "
                   "os.execve(f'/proc/self/fd/{file}', ['x'], os.environ)")
        for program in (by_descriptor, by_link):
            folder = harness.fresh_folder()
            environment = harness.plain_environment()
            run = harness.execute([sys.executable, "-c", program, steady, harness.LIB], environment,
                                  folder, folder)
            self.stderr = run.stderr
            self.assertEqual(run.status, 0)
            names = os.listdir(folder)
            self.assertEqual([re.sub(r"\.\d+\.ledger$", "", name) for name in names], ["steady"])

    def test_absolute_path(self):
        target = harness.fresh_folder()
        names, _ = self.record(f"out={harness.escaped(target)}/there.ledger")
        self.assertEqual((names, os.listdir(target)), ([], ["there.ledger"]))

    def test_a_word_that_is_not_understood(self):
        """Said once, on stderr; the program runs all the same."""
        names, _ = self.record("nonsense out=good.ledger")
        self.assertEqual(names, [])
        self.assertRegex(self.stderr, rb"^heapledger: .*nonsense.*\n$")
        self.stderr = b""


class Library(unittest.TestCase):
    def test_needs_libc_alone(self):
        shown = subprocess.run(["readelf", "-dW", harness.LIB], capture_output=True, text=True,
                               check=True).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", shown))
        # libdl is a part of libc that old ones have apart.
        self.assertLessEqual(needed, {"libc.so.6", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
        self.assertIn("libc.so.6", needed)

    def test_exports_every_function_of_the_family(self):
        shown = subprocess.run(["readelf", "--dyn-syms", "-W", harness.LIB], capture_output=True,
                               text=True, check=True).stdout
        exported = {line.split()[7].split("@")[0] for line in shown.splitlines()
                    if re.search(r"(FUNC|OBJECT).*(GLOBAL|WEAK)\s+DEFAULT\s+\d+ ", line)}
        self.assertLessEqual(set(harness.FUNCTIONS), exported)
        stray = {name for name in exported if name.startswith("_Z")}
        self.assertEqual(stray, set(), "C++ names are visible from outside")


if __name__ == "__main__":
    unittest.main()
