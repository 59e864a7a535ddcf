"""`heapledger completion`: bash, zsh and fish complete as a person would expect. Each is asked itself; zsh
and fish where they are installed."""

import os
import pty
import re
import select
import subprocess
import unittest

import clients
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
    listed = help_of().split("Record:")[1].split("Begin with")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, flags=re.MULTILINE)


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

    def test_values_of_options(self):
        modes = {"trace", "sample", "live", "count", "log", "off"}
        self.assertEqual(self.offered("run", "--mode", ""), modes)
        self.assertLessEqual({"function", "size-class", "heap"}, self.offered("report", "--by", ""))
        self.assertLessEqual({"live", "temporary"}, self.offered("report", "--sort", ""))
        self.assertNotIn("rss", self.offered("report", "--sort", ""))
        self.assertIn("rss", self.offered("report", "--worst", ""))
        self.assertIn("never-freed", self.offered("diff", "--sort", ""))
        self.assertLessEqual({"pprof", "dhat"}, self.offered("export", "--to", ""))
        self.assertEqual(self.offered("report", "--at", ""), {"start", "peak", "rss-peak", "end"})
        self.assertEqual(self.offered("run", "--stacks-for", ""), {"all", "none"})
        self.assertEqual(self.offered("ctl", "--wait", "=", "3s", "1", "mode", "tr"), {"trace"})

    def test_processes_that_are_recorded(self):
        environment = harness.recording_environment(harness.fresh_folder())
        sleeper = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env=environment)
        try:
            sleeper.stdin.write(b"x")
            sleeper.stdin.flush()
            sleeper.stdout.read(1)  # it runs, and not only as a fork of ours
            for command in ("ctl", "snapshot", "top"):
                offered = self.offered(command, "")
                self.assertIn(str(sleeper.pid), offered)
                self.assertNotIn(str(os.getpid()), offered)
        finally:
            sleeper.communicate()

    def test_choices(self):
        self.assertEqual(self.offered("completion", ""), {"bash", "zsh", "fish"})
        self.assertIn("report", self.offered("help", ""))
        self.assertEqual(self.offered("completion", "z"), {"zsh"})


class RealShell:
    """What both of the other shells are asked, as a person would who presses Tab."""

    SHELL = ""

    @classmethod
    def setUpClass(cls):
        cls.shell = clients.command(cls.SHELL, cls.SHELL)
        cls.folder = harness.fresh_folder()
        for name in ("one.ledger", "with space.ledger", "other.txt"):
            open(os.path.join(cls.folder, name), "w").close()
        for name in ("sub", "two.ledgers"):
            os.mkdir(os.path.join(cls.folder, name))
        cls.script = os.path.join(harness.fresh_folder(), "script")
        with open(cls.script, "w") as file:
            file.write(script(cls.SHELL))

    def environment(self, **more):
        return harness.plain_environment({"HOME": harness.fresh_folder(), **more})

    def test_subcommands(self):
        self.assertLessEqual(set(commands()), self.offered("heapledger "))
        self.assertEqual(self.offered("heapledger sea"), {"seal"})
        self.assertEqual(self.offered("heapledger help repo"), {"report"})

    def test_options(self):
        for command in ("run", "report", "diff", "export"):
            options = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", help_of(command), flags=re.MULTILINE))
            self.assertEqual({word for word in self.offered(f"heapledger {command} --")
                              if word.startswith("--")}, options)
        self.assertIn("--filter", self.offered("heapledger report --filter size=1 --fil"))

    def test_values(self):
        self.assertEqual(self.offered("heapledger run --mode "),
                         {"trace", "sample", "live", "count", "log", "off"})
        self.assertLessEqual({"function", "size-class", "heap"},
                             self.offered("heapledger report --by "))
        self.assertIn("pprof", self.offered("heapledger export one.ledger --to pp"))
        self.assertEqual(self.offered("heapledger diff one.ledger --moments pe"), {"peak"})
        self.assertEqual(self.offered("heapledger report --top "), set())
        self.assertEqual(self.offered("heapledger completion z"), {"zsh"})

    def test_orders_after_a_process(self):
        for before in ("4711", "--wait 3s 4711"):
            self.assertEqual(self.offered(f"heapledger ctl {before} sta"), {"start", "status"})
        self.assertEqual(self.offered("heapledger ctl 4711 mode tr"), {"trace"})

    def test_files(self):
        for line in ("report ", "report one.ledger ", "diff one.ledger "):
            offered = self.offered(f"heapledger {line}")
            self.assertLessEqual({"one.ledger", "with space.ledger", "sub", "two.ledgers"}, offered)
        self.assertEqual(self.offered("heapledger import oth"), {"other.txt"})
        self.assertEqual(self.offered("heapledger run -o oth"), {"other.txt"})

    def test_programs_and_their_arguments(self):
        for line in ("run bas", "run -- bas", "run -q -- bas", "run -o x bas"):
            self.assertIn("bash", self.offered(f"heapledger {line}"), line)
        for line in ("run cat oth", "run -q -- cat oth", "run -- cat oth"):
            self.assertEqual(self.offered(f"heapledger {line}"), {"other.txt"}, line)
        self.assertNotIn("--no-seal", self.offered("heapledger run cat --no"))
        # The name of one of ours as an argument is none of ours.
        self.assertNotIn("--where-rss", self.offered("heapledger run cat report --wh"))

    def test_processes_that_are_recorded(self):
        sleeper = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env=harness.recording_environment(harness.fresh_folder()))
        try:
            sleeper.stdin.write(b"x")
            sleeper.stdin.flush()
            sleeper.stdout.read(1)  # it runs, and not only as a fork of ours
            for command in ("ctl", "snapshot", "top"):
                offered = self.offered(f"heapledger {command} ")
                self.assertIn(str(sleeper.pid), offered)
                self.assertNotIn(str(os.getpid()), offered)
        finally:
            sleeper.communicate()


class Fish(RealShell, unittest.TestCase):
    SHELL = "fish"

    def offered(self, line):
        done = subprocess.run([self.shell, "--no-config", "-c",
                               "source $argv[1]; complete -C $argv[2]", self.script, line],
                              cwd=self.folder, capture_output=True, env=self.environment(), check=True,
                              timeout=harness.HANG_SECONDS)
        self.assertEqual(done.stderr, b"")
        return {word.split("\t")[0].rstrip("/") for word in done.stdout.decode().split("\n") if word}

    def test_a_value_after_the_equals_sign(self):
        self.assertEqual(self.offered("heapledger report --by=si"),
                         {"--by=site", "--by=size", "--by=size-class"})


# An interactive zsh that prints what it would offer for the first Tab, and ends.
ZSHRC = r"""
PROMPT= RPROMPT= HISTFILE=
unsetopt zle_bracketed_paste beep
autoload -Uz compinit && compinit -u -D
source "$HEAPLEDGER_SCRIPT"
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a hits
  builtin compadd -A hits "$@"
  print -rl -- "<"${(Q)^hits}">"
  builtin compadd "$@"
}
begin() { print -r -- "((begin))" }
finish() { print -r -- "((end))"; exit }
compprefuncs=(begin) comppostfuncs=(finish)
print -r -- "((ready))"
"""


class Zsh(RealShell, unittest.TestCase):
    SHELL = "zsh"

    def offered(self, line):
        folder = harness.fresh_folder()
        with open(os.path.join(folder, ".zshrc"), "w") as file:
            file.write(ZSHRC)
        ours, theirs = pty.openpty()
        shell = subprocess.Popen([self.shell, "-d", "-i"], cwd=self.folder, stdin=theirs, stdout=theirs,
                                 stderr=theirs, start_new_session=True,
                                 env=self.environment(ZDOTDIR=folder, TERM="dumb",
                                                      HEAPLEDGER_SCRIPT=self.script))
        os.close(theirs)
        seen = ""
        try:
            typed = False
            while "((end))" not in seen:
                if not select.select([ours], [], [], harness.HANG_SECONDS)[0]:
                    self.fail(f"zsh hangs: {seen}")
                seen += os.read(ours, 65536).decode().replace("\r", "")
                if not typed and "((ready))" in seen:
                    os.write(ours, f"{line}\t".encode())
                    typed = True
        finally:
            shell.kill()
            shell.wait()
            os.close(ours)
        part = seen[seen.index("((begin))"):seen.index("((end))")]
        # Options are offered with what follows them.
        return {word.rstrip("=") for word in re.findall(r"^<(.*)>$", part, re.MULTILINE) if word}

    def test_a_value_after_the_equals_sign(self):
        self.assertEqual(self.offered("heapledger report --by=si"), {"site", "size", "size-class"})

    def test_the_second_of_two_values(self):
        self.assertEqual(self.offered("heapledger diff one.ledger --moments start pe"), {"peak"})


class Scripts(unittest.TestCase):
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
