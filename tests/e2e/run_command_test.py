"""`heapledger run` as a stand-in for the program: statuses, signals, streams, environment.

Every expectation comes from the same program run natively, from the system's own tools, or from
what env does; the ledgers themselves are the subject of other tests.
"""

import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

PATIENCE = 60  # seconds until something that must happen counts as never happening


def run_tool(arguments, folder=None, env=None, **options):
    """`heapledger run ARGUMENTS` in a fresh folder; a harness.Run."""
    folder = folder or harness.fresh_folder()
    return harness.execute([harness.TOOL, "run"] + arguments, harness.plain_environment(env),
                           folder, folder, **options)


def quietly(command, **options):
    """Recorded without a summary, the ledgers out of the way."""
    return harness.recorded_by_tool(command, **options)


class Background:
    """A run of the tool, in a process group of its own, that the test signals while it goes on.

    The group stays in the test's session: one that nobody could continue is not stopped by SIGTSTP.
    """

    def __init__(self, command, before=None, arguments=("-q",)):
        def start():
            os.setpgid(0, 0)
            if before:
                before()

        self.folder = harness.fresh_folder()
        pattern = os.path.join(harness.fresh_folder(), "%e.%p.ledger")
        self.process = subprocess.Popen(
            [harness.TOOL, "run", *arguments, "-o", pattern, "--"] + command, cwd=self.folder,
            env=harness.plain_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=start)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    @property
    def group(self):
        return self.process.pid

    def line(self):
        return self.process.stdout.readline()

    def end(self):
        """Exit status, the rest of stdout, and stderr."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


def shell(script):
    return ["/bin/sh", "-c", script]


def wait_for_state(pid, wanted):
    """Waits until the process is in that state, as /proc tells it."""
    end = time.monotonic() + PATIENCE
    state = ""
    while time.monotonic() < end:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            state = file.read().rsplit(")", 1)[1].split()[0]
        if state == wanted:
            return
        time.sleep(0.005)
    raise harness.Failure(f"process {pid} is in state {state}, not {wanted}")


# Says ready, and on each of the signals its name; ends with 7 on the first.
TRAPS = shell("for s in TERM HUP INT QUIT USR1 USR2; do trap \"echo got $s; exit 7\" $s; done; "
              "echo ready; while :; do sleep 0.05; done")


class ExitStatus(unittest.TestCase):
    def test_a_status_is_passed_through(self):
        for status in (0, 1, 3, 125, 126, 127, 255):
            with self.subTest(status=status):
                self.assertEqual(quietly(shell(f"exit {status}")).status, status)

    def test_a_signal_becomes_128_and_its_number(self):
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV,
                       signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number):
                self.assertEqual(quietly(shell(f"kill -{int(number)} $$")).status, 128 + number)

    def test_the_status_arrives_where_sigchld_is_ignored(self):
        def ignore():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self.assertEqual(quietly(shell("exit 5"), before_exec=ignore).status, 5)

    def test_what_cannot_be_run_ends_as_with_env(self):
        folder = harness.fresh_folder()
        plain = os.path.join(folder, "plain")
        with open(plain, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n")
        orphan = os.path.join(folder, "orphan")
        with open(orphan, "w", encoding="utf-8") as file:
            file.write("#!/no/such/interpreter\n")
        os.chmod(orphan, 0o755)
        for command in ("heapledger-no-such-program", "/no/such/path", plain, folder, orphan, ""):
            with self.subTest(command=command):
                wanted = harness.native(["env", "--", command]) if command else None
                run = run_tool(["--", command])
                self.assertEqual(run.status, wanted.status if wanted else 127)
                self.assertIn(run.status, (126, 127))
                self.assertTrue(run.stderr.startswith(b"heapledger: "), run.stderr)
                self.assertEqual(run.files, {})

    def test_misuse_ends_with_125(self):
        for arguments in ([], ["--"], ["--no-such-option", "--", "true"], ["-Z", "true"], ["-o"]):
            with self.subTest(arguments=arguments):
                run = run_tool(arguments)
                self.assertEqual(run.status, 125)
                self.assertEqual(run.stdout, b"")
                self.assertNotEqual(run.stderr, b"")

    def test_help_is_help(self):
        run = run_tool(["--help"])
        self.assertEqual(run.status, 0)
        self.assertIn(b"heapledger run [OPTIONS] -- CMD", run.stdout)
        self.assertIn(b"--output", run.stdout)


class Words(unittest.TestCase):
    WORDS = ["[a,b]", "-q", "--", "--help", "-o", "", "a b", "[c]", "report", "info", "++", "%p",
             "--output=x", "\\", "*"]

    def check(self, start):
        run = run_tool(start + ["printf", "<%s>"] + self.WORDS)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(run.stdout.decode(), "".join(f"<{word}>" for word in self.WORDS))

    def test_the_words_of_the_program_are_not_touched(self):
        self.check(["-q", "--"])

    def test_the_first_word_that_is_no_option_begins_the_command(self):
        self.check(["-q"])
        self.check(["--output", "here.ledger"])

    def test_argument_zero_is_as_it_was_typed(self):
        folder = harness.fresh_folder()
        os.symlink("/bin/sh", os.path.join(folder, "my shell"))
        run = run_tool(["-q", "--", "./my shell", "-c", "echo $0"], folder)
        self.assertEqual(run.stdout, b"./my shell\n")


class Signals(unittest.TestCase):
    def test_what_is_sent_to_us_is_passed_on(self):
        for number, name in ((signal.SIGTERM, b"TERM"), (signal.SIGHUP, b"HUP"),
                             (signal.SIGUSR1, b"USR1"), (signal.SIGUSR2, b"USR2")):
            with self.subTest(signal=name), Background(TRAPS) as run:
                self.assertEqual(run.line(), b"ready\n")
                os.kill(run.process.pid, number)
                self.assertEqual(run.end()[:2], (7, b"got " + name + b"\n"))

    def test_a_program_that_is_told_to_end_ends_and_we_say_so(self):
        with Background(["sh", "-c", "echo ready; exec sleep 1000"]) as run:
            self.assertEqual(run.line(), b"ready\n")
            os.kill(run.process.pid, signal.SIGTERM)
            self.assertEqual(run.end()[0], 128 + signal.SIGTERM)

    def test_an_interrupt_of_the_group_is_the_programs_affair(self):
        for number, name in ((signal.SIGINT, b"INT"), (signal.SIGQUIT, b"QUIT")):
            with self.subTest(signal=name), Background(TRAPS) as run:
                self.assertEqual(run.line(), b"ready\n")
                os.killpg(run.group, number)
                self.assertEqual(run.end()[:2], (7, b"got " + name + b"\n"))

    def test_an_interrupt_that_ends_the_program_leaves_the_summary(self):
        with Background(["sh", "-c", "echo ready; exec sleep 1000"], arguments=()) as run:
            self.assertEqual(run.line(), b"ready\n")
            os.killpg(run.group, signal.SIGINT)
            status, _, err = run.end()
            self.assertEqual(status, 128 + signal.SIGINT)
            self.assertIn(b".ledger", err)

    def test_a_hangup_that_was_ignored_stays_ignored(self):
        def nohup():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        script = shell("echo ready; read word; echo $word")
        with Background(script, before=nohup) as run:
            self.assertEqual(run.line(), b"ready\n")
            os.killpg(run.group, signal.SIGHUP)
            run.process.stdin.write(b"alive\n")
            self.assertEqual(run.end()[:2], (0, b"alive\n"))

    def test_mask_and_dispositions_are_the_native_ones(self):
        def plain():
            pass

        def unusual():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGUSR1, signal.SIGQUIT})
        command = ["grep", "^Sig[BIC]", "/proc/self/status"]
        for before in (plain, unusual):
            with self.subTest(before=before.__name__):
                native = harness.native(command, before_exec=before)
                self.assertEqual(native.status, 0)
                self.assertEqual(quietly(command, before_exec=before).stdout, native.stdout)

    def test_stopping_and_continuing_the_job(self):
        script = shell("echo $$; read word; echo $word")
        for stop in (signal.SIGTSTP, signal.SIGSTOP):
            with self.subTest(signal=stop), Background(script) as run:
                program = int(run.line())
                os.killpg(run.group, stop)
                wait_for_state(run.process.pid, "T")
                wait_for_state(program, "T")
                os.killpg(run.group, signal.SIGCONT)
                run.process.stdin.write(b"on\n")
                self.assertEqual(run.end()[:2], (0, b"on\n"))


class Streams(unittest.TestCase):
    def test_stdin_reaches_the_program_whole(self):
        data = bytes(range(256)) * 5000
        run = quietly(["cat"], stdin=data)
        self.assertEqual(run.stdout, data)

    def test_a_quiet_run_cannot_be_told_from_a_native_one(self):
        for command in (shell("echo out; echo err >&2; exit 3"), ["ls", "-l", "/usr"],
                        ["ls", "/no/such/path"],
                        [sys.executable, "-c", "import sys; print('x' * 100000); sys.exit('end')"]):
            with self.subTest(command=command):
                harness.expect_same(harness.native(command), quietly(command))

    def test_the_summary_goes_to_stderr_after_the_program_is_done(self):
        run = run_tool(["--", "sh", "-c", "echo out; echo err >&2"])
        self.assertEqual(run.stdout, b"out\n")
        self.assertTrue(run.stderr.startswith(b"err\n"), run.stderr)
        self.assertIn(b".ledger", run.stderr)

    def test_the_summary_has_no_empty_lines_of_figures(self):
        done = run_tool(["true"], harness.fresh_folder())
        self.assertIn(b"heapledger: 0 calls, 0 B allocated\n  recorded ", done.stderr)

    def test_descriptors_are_the_native_ones(self):
        def none():
            pass

        def no_stdin():
            os.close(0)

        def no_streams_but_stdout():
            os.close(0)
            os.close(2)

        def some_more():
            os.set_inheritable(os.open("/dev/null", os.O_RDONLY), True)
            os.dup2(1, 17)
        command = shell("for f in /proc/self/fd/*; do echo ${f##*/}; done; ls -l /proc/self/fd/17 "
                        "2>&1 | wc -l")
        for before in (none, no_stdin, no_streams_but_stdout, some_more):
            with self.subTest(before=before.__name__):
                native = harness.native(command, before_exec=before)
                self.assertNotEqual(native.stdout, b"")
                self.assertEqual(quietly(command, before_exec=before).stdout, native.stdout)


class Environment(unittest.TestCase):
    USER = {"PLAIN": "1", "EMPTY": "", "LINES": "a\nb=c", "HEAPLEDGERX": "kept"}

    def seen(self, arguments=(), **extra):
        """The environment of a recorded program: a list of (name, value)."""
        folder = harness.fresh_folder()
        run = run_tool([*arguments, "--", "env", "-0"], folder, env={**self.USER, **extra})
        self.assertEqual(run.status, 0, run.stderr)
        return folder, pairs(run.stdout)

    def test_only_two_variables_are_added_and_the_order_stays(self):
        _, seen = self.seen(["-q"])
        native = pairs(harness.native(["env", "-0"], env=self.USER).stdout)
        ours = ("LD_PRELOAD", "HEAPLEDGER")
        the_rest = [pair for pair in seen if pair[0] not in ours]
        self.assertEqual(the_rest, native)
        self.assertEqual(sorted(name for name, _ in seen if name in ours), sorted(ours))

    def test_the_request_names_an_absolute_place_and_a_run(self):
        folder, seen = self.seen(["-q"])
        words = dict(seen)["HEAPLEDGER"].split(" ")
        # The number is the program's, as the ledger that is left tells.
        (left,) = os.listdir(folder)
        self.assertRegex(left, r"^env\.\d+\.ledger$")
        self.assertEqual(words[0], f"out={folder}/{left}s/%e.%p.ledger")
        self.assertRegex(words[1], "^run=[0-9a-f]{1,16}$")
        self.assertEqual(words[2:], [f"tool={os.path.realpath(harness.TOOL)}"])
        _, again = self.seen(["-q"])
        self.assertNotEqual(dict(again)["HEAPLEDGER"].split(" ")[1], words[1])

    def test_preloads_of_the_user_come_after_ours(self):
        # (A tool built with AddressSanitizer minds being preloaded itself.)
        _, seen = self.seen(["-q"], LD_PRELOAD="libm.so.6 libdl.so.2",
                            ASAN_OPTIONS="verify_asan_link_order=0")
        ours, rest = dict(seen)["LD_PRELOAD"].split(":", 1)
        self.assertEqual(os.path.basename(ours), "libheapledger.so")
        self.assertTrue(os.path.isabs(ours))
        self.assertEqual(rest, "libm.so.6 libdl.so.2")

    def test_other_words_of_the_user_are_kept(self):
        place = harness.fresh_folder()
        _, seen = self.seen(["-q", "-o", place + "/a b.ledger"],
                            HEAPLEDGER="depth=7 out=/nowhere/%p run=77  file=two\\ words")
        value = dict(seen)["HEAPLEDGER"]
        self.assertTrue(value.startswith(f"out={place}/a\\ b.ledgers/%e.%p.ledger run="), value)
        self.assertIn(" depth=7 file=two\\ words tool=", value)
        self.assertNotIn("run=77 ", value)
        self.assertNotIn("/nowhere", value)

    def test_a_place_given_by_hand_holds_unless_another_is_asked_for(self):
        place = harness.fresh_folder()
        self.seen(["-q"], HEAPLEDGER=f"out={place}/hand.ledger")
        self.assertEqual(os.listdir(place), ["hand.ledger"])


def pairs(output):
    return [tuple(item.split("=", 1)) for item in output.decode().split("\0") if item]


if __name__ == "__main__":
    unittest.main()
