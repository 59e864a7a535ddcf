"""`heapledger completion`: bash completes as a person would expect; the scripts of the other shells
are at least accepted by them, where they are installed."""

import os
import re
import shutil
import subprocess
import unittest

import harness

# Sources the script, sets what bash would set, and prints what it would offer.
ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_heapledger heapledger "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell):
    done = subprocess.run([harness.TOOL, "completion", shell], capture_output=True, check=True,
                          env=harness.plain_environment())
    return done.stdout.decode()


def help_of(*command):
    return subprocess.run([harness.TOOL, *command, "--help"], capture_output=True, check=True,
                          env=harness.plain_environment()).stdout.decode()


def commands():
    listed = help_of().split("Subcommands:")[1]
    return re.findall(r"^  ([a-z]+) ", listed, flags=re.MULTILINE)


class Bash(unittest.TestCase):
    def setUp(self):
        self.folder = harness.fresh_folder()
        self.script = os.path.join(harness.fresh_folder(), "script")
        with open(self.script, "w") as file:
            file.write(script("bash"))

    def offered(self, *words):
        done = subprocess.run(["bash", "--norc", "-c", ASK, "bash", self.script, "heapledger",
                               *words], cwd=self.folder, capture_output=True, check=True,
                              env=harness.plain_environment())
        self.assertEqual(done.stderr, b"")
        return {line for line in done.stdout.decode().split("\n") if line}

    def test_every_subcommand(self):
        self.assertGreaterEqual(len(commands()), 6)
        self.assertLessEqual(set(commands()), self.offered(""))
        self.assertEqual(self.offered("sea"), {"seal"})
        self.assertLessEqual({"start", "status"}, self.offered("ctl", "4711", "sta"))

    def test_every_option_of_every_subcommand(self):
        for command in commands():
            with self.subTest(command=command):
                options = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", help_of(command), flags=re.MULTILINE))
                self.assertTrue(options)
                offered = {word for word in self.offered(command, "--")}
                self.assertEqual(offered, options)

    def test_ledgers_and_folders_for_commands_that_read_them(self):
        for name in ("one.ledger", "with space.ledger", "other.txt"):
            open(os.path.join(self.folder, name), "w").close()
        os.mkdir(os.path.join(self.folder, "sub"))
        for command in ("report", "info", "seal"):
            self.assertEqual(self.offered(command, ""),
                             {"one.ledger", "with space.ledger", "sub"})
        self.assertEqual(self.offered("report", "--top", ""), set())

    def test_programs_and_their_arguments(self):
        open(os.path.join(self.folder, "argument"), "w").close()
        self.assertIn("bash", self.offered("run", "bas"))
        self.assertIn("bash", self.offered("run", "-q", "--", "bas"))
        self.assertEqual(self.offered("run", "-o", "arg"), {"argument"})
        self.assertEqual(self.offered("run", "-o", "x", "--", "cat", "arg"), {"argument"})
        self.assertNotIn("--no-seal", self.offered("run", "cat", "--no"))

    def test_choices(self):
        self.assertEqual(self.offered("completion", ""), {"bash", "zsh", "fish"})
        self.assertEqual(self.offered("completion", "z"), {"zsh"})


class Others(unittest.TestCase):
    def accepted_by(self, shell, check):
        if shutil.which(shell) is None:
            self.skipTest(f"needs the package {shell}")
        path = os.path.join(harness.fresh_folder(), "script")
        with open(path, "w") as file:
            file.write(script(shell))
        done = subprocess.run([shell, check, path], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_zsh_accepts_it(self):
        self.accepted_by("zsh", "-n")

    def test_fish_accepts_it(self):
        self.accepted_by("fish", "--no-execute")

    def test_they_know_every_subcommand_and_option(self):
        for shell, long_form in (("zsh", "--{}"), ("fish", "-l {}")):
            text = script(shell)
            for command in commands():
                self.assertIn(command, text)
                for name in re.findall(r"^ +(?:-\w,)?--([a-z-]+)", help_of(command),
                                       flags=re.MULTILINE):
                    self.assertIn(long_form.format(name), text, f"{shell}, {command}")

    def test_an_unknown_shell_is_refused(self):
        done = subprocess.run([harness.TOOL, "completion", "csh"], capture_output=True,
                              env=harness.plain_environment(), check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))


if __name__ == "__main__":
    unittest.main()
