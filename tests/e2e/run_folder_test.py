"""One run, one thing: a file, or the folder of all its processes; and which run a folder means."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

WRAPPER = 'echo $$; i=0; while [ $i -lt 80 ]; do /bin/true; i=$((i + 1)); done'
# A program that nothing can be preloaded into, and that hands the variables on.
WAITER = """
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  char byte;
  int fd = open("started", O_WRONLY | O_CREAT, 0666);
  close(fd);
  fd = open("end", O_RDONLY);
  if (fd < 0 || read(fd, &byte, 1) < 0) return 1;
  execl("/bin/true", "true", (char*)0);
  return 1;
}
"""
START_WAITER = """
import os
streams = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
os.posix_spawn("./waiter", ["waiter"], os.environ, file_actions=streams)
while not os.path.exists("started"):
    pass
"""


def tool(*words, folder, **how):
    return subprocess.run([harness.TOOL, *words], cwd=folder, env=harness.plain_environment(),
                          capture_output=True, check=False, timeout=harness.HANG_SECONDS, **how)


def wait_for(condition, what):
    end = time.monotonic() + harness.HANG_SECONDS
    while not condition():
        harness.expect(time.monotonic() < end, what)
        time.sleep(0.01)


def let_go(fifo):
    """Ends the wait of the process that reads from `fifo`."""
    def opened():
        try:
            os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
            return True
        except OSError:
            return False
    wait_for(opened, f"nobody reads from {fifo}")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = harness.fresh_folder()

    def entries(self, inside=""):
        return sorted(os.listdir(os.path.join(self.folder, inside)))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_tool(self, *words, status=0, **how):
        done = tool("run", *words, folder=self.folder, **how)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def report(self, *words, status=0):
        done = tool("report", "--json", *words, folder=self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout), done.stderr.decode()

    def programs(self, *words):
        """Names of the programs whose ledgers a report is about."""
        answer, said = self.report(*words)
        names = [os.path.basename(one["path"]).split(".")[0] for one in answer["ledgers"]]
        return sorted(names), said


class OneThing(Case):
    def test_a_wrapper_that_starts_80_processes_leaves_one_entry(self):
        open(self.path("mine"), "wb").close()
        before = self.entries()
        done = self.run_tool("--", "sh", "-c", WRAPPER)
        name = f"sh.{done.stdout.decode().strip()}.ledgers"
        self.assertEqual(set(self.entries()) - set(before), {name})
        self.assertEqual(set(before) - set(self.entries()), set())
        said = done.stderr.decode()
        self.assertRegex(said, rf"\n  ledgers +81 in {name}\n")
        self.assertRegex(said, rf"\n  next +heapledger report {name}\n")
        names, said = self.programs(name)
        self.assertEqual(names, ["sh"] + 80 * ["true"])
        self.assertNotIn("newest", said)

    def test_one_process_leaves_one_file(self):
        done = self.run_tool("--", "sh", "-c", "echo $$")
        name = f"sh.{done.stdout.decode().strip()}.ledger"
        self.assertEqual(self.entries(), [name])
        self.assertIn(f"heapledger report {name}\n", done.stderr.decode())
        # Neither a summary nor sealing is needed for that.
        done = self.run_tool("-q", "--no-seal", "-o", "raw.ledger", "--", "true")
        self.assertEqual(self.entries(), ["raw.ledger", name])

    def test_what_goes_along_with_a_ledger_goes_up_with_it(self):
        self.run_tool("-q", "--mode", "log", "-o", "x.ledger", "--", "true")
        self.assertEqual(self.entries(), ["x.ledger", "x.log"])

    def test_only_one_process_is_large_enough(self):
        loop = "for i in 1 2 3; do /bin/true; done; exec ls /"
        self.run_tool("-q", "--skip-smaller-than", "50", "-o", "x.ledger", "--", "sh", "-c", loop)
        self.assertEqual(self.entries(), ["x.ledger"])
        self.run_tool("-q", "--skip-smaller-than", "1000000", "-o", "y.ledger", "--", "true")
        self.assertEqual(self.entries(), ["x.ledger"])

    def test_steps_of_a_process_are_named_after_what_they_execute(self):
        done = self.run_tool("-q", "-o", "x.ledger", "--", "sh", "-c", "echo $$; exec /bin/true")
        pid = done.stdout.decode().strip()
        self.assertEqual(self.entries("x.ledgers"), [f"sh.{pid}.ledger", f"true.{pid}.ledger"])
        done = self.run_tool("-q", "-o", "y.ledger", "--", "sh", "-c", "echo $$; exec sh -c :")
        pid = done.stdout.decode().strip()
        self.assertEqual(self.entries("y.ledgers"), [f"sh.{pid}.2.ledger", f"sh.{pid}.ledger"])

    def test_the_program_takes_the_name(self):
        self.run_tool("-q", "-o", "x.ledger", "--", sys.executable, "-S", "-c",
                      "open('x.ledger', 'w').write('precious')")
        self.assertEqual(self.entries(), ["x.2.ledger", "x.ledger"])
        self.assertEqual(harness.content_of(self.path("x.ledger")), b"precious")

    def test_a_program_that_cannot_be_recorded_leaves_no_folder(self):
        self.run_tool("-q", "-o", "new/x.ledger", "--", "/no/such/program", status=127)
        self.run_tool("-q", "--", "env", "-i", "/bin/true")
        self.assertEqual([name for name in self.entries() if not name.startswith("env.")], [])

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_processes_that_give_up_root_have_their_ledgers(self):
        os.chmod(self.folder, 0o1777)
        script = "import os; os.setgid(65534); os.setuid(65534); os.execv('/bin/true', ['true'])"
        self.run_tool("-q", "-o", "x.ledger", "--", sys.executable, "-S", "-c", script)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("x.ledgers")).st_mode), 0o1777)
        self.assertIn("true", self.programs("x.ledgers")[0])


class Patterns(Case):
    KIDS = ("--", "sh", "-c", "/bin/true; /bin/true; :")

    def test_folders_are_made(self):
        self.run_tool("-q", "-o", "new/er/x.ledger", "--", "true")
        self.assertEqual(self.entries("new/er"), ["x.ledger"])
        self.run_tool("-q", "-o", "flat/%e.%p.ledger", *self.KIDS)
        self.assertEqual([name.split(".")[0] for name in self.entries("flat")],
                         ["sh", "true", "true"])

    def test_a_name_without_anything_that_varies_is_the_recordings(self):
        self.run_tool("-q", "-o", "x.ledger", *self.KIDS)
        self.assertEqual(self.entries(), ["x.ledgers"])
        # Either name leads to it, whatever there was.
        for name in ("x.ledger", "x.ledgers", "x.ledgers/"):
            self.assertEqual(self.programs(name)[0], ["sh", "true", "true"])
        self.run_tool("-q", "-o", "y.ledger", "--", "true")
        self.assertEqual(self.programs("y.ledgers")[0], ["y"])

    def test_a_folder_can_be_asked_for(self):
        self.run_tool("-q", "-o", "x.ledgers", "--", "true")
        self.assertEqual(self.programs("x.ledgers")[0], ["true"])
        self.assertEqual(self.entries(), ["x.ledgers"])

    def test_a_folder_that_is_in_the_way(self):
        os.mkdir(self.path("x.ledgers"))
        for name in ("x.ledger", "x.ledgers"):
            done = self.run_tool("-o", name, "--", "true", status=125)
            self.assertIn(b"x.ledgers", done.stderr)
        self.assertEqual(self.entries("x.ledgers"), [])


class Ends(Case):
    def start(self, *words):
        return subprocess.Popen([harness.TOOL, "run", *words], cwd=self.folder,
                                env=harness.plain_environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                start_new_session=True)

    def test_run_is_killed_in_the_middle(self):
        os.mkfifo(self.path("end"))
        process = self.start("--", "sh", "-c",
                             "/bin/true; echo > ready; read x < end; /bin/true; echo > done")
        wait_for(lambda: os.path.exists(self.path("ready")), "the program did not begin")
        process.kill()
        process.wait(timeout=harness.HANG_SECONDS)
        process.stderr.close()
        found = [name for name in self.entries() if name.endswith(".ledgers")]
        self.assertEqual(self.entries(), sorted(["end", "ready"] + found))
        self.assertEqual(len(found), 1)
        self.assertEqual(self.programs(found[0])[0], ["sh", "true"])
        let_go(self.path("end"))
        wait_for(lambda: os.path.exists(self.path("done")), "the program did not go on")
        # What it started after our death is there as well.
        self.assertEqual(self.programs(found[0])[0], ["sh", "true", "true"])
        self.assertEqual(self.programs()[0], ["sh", "true", "true"])

    def test_a_daemon_that_outlives_run(self):
        os.mkfifo(self.path("end"))
        done = self.run_tool("-o", "x.ledger", "--", sys.executable, "-S", "-c",
                             harness.LEAVES_A_CHILD, status=9)
        self.assertIn(b"so far", done.stderr)
        self.assertEqual(self.entries(), ["end", "x.ledgers"])
        let_go(self.path("end"))
        wait_for(lambda: not any(one["still_running"] for one in
                                 harness.tool_json("info", [self.path("x.ledgers")])["ledgers"]),
                 "the child did not end")
        answer, _ = self.report("x.ledgers")
        self.assertEqual(len(answer["ledgers"]), 2)
        harness.expect_complete(answer)

    def test_a_process_that_begins_when_run_has_ended(self):
        waiter = self.path("waiter")
        with open(waiter + ".c", "w", encoding="utf-8") as file:
            file.write(WAITER)
        made = subprocess.run(["cc", "-static", "-o", waiter, waiter + ".c"], check=False,
                              capture_output=True)
        if made.returncode != 0:
            self.skipTest("no static programs can be made here")
        os.mkfifo(self.path("end"))
        self.run_tool("-q", "-o", "x.ledger", "--", sys.executable, "-S", "-c", START_WAITER)
        self.assertEqual(self.entries(), ["end", "started", "waiter", "waiter.c", "x.ledger"])
        let_go(self.path("end"))
        wait_for(lambda: os.path.isdir(self.path("x.ledgers")) and
                 any(name.startswith("true.") for name in self.entries("x.ledgers")),
                 "the ledger of the last process is lost")
        names, said = self.programs()
        self.assertEqual(names, ["true", "x"])
        self.assertNotIn("newest", said)  # it is one run still

    def test_interrupted_at_the_terminal(self):
        process = self.start("--", "sh", "-c", 'trap "exit 7" INT; /bin/true; echo > ready; '
                             "while :; do sleep 0.05; done")
        wait_for(lambda: os.path.exists(self.path("ready")), "the program did not begin")
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=harness.HANG_SECONDS)
        self.assertEqual(process.returncode, 7, said)
        found = [name for name in self.entries() if name != "ready"]
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], r"^sh\.\d+\.ledgers$")
        self.assertIn(f"heapledger report {found[0]}\n".encode(), said)
        names, _ = self.programs(found[0])
        self.assertLessEqual({"sh", "true"}, set(names))


class SeveralRuns(Case):
    def setUp(self):
        super().setUp()
        self.run_tool("-q", "--", "ls", "/")
        self.run_tool("-q", "-o", "flat.%e.%p.ledger", "--", "sh", "-c", "/bin/true; :")
        self.run_tool("-q", "-o", "new.ledger", "--", "sh", "-c", "/bin/echo; /bin/echo; :")

    def test_the_newest_is_taken_and_said(self):
        for words in ((), (".",)):
            names, said = self.programs(*words)
            self.assertEqual(names, ["echo", "echo", "sh"])
            self.assertIn("taking the newest of 3 runs here: new.ledgers (--all-runs", said)
        answer = tool("report", "--json", self.folder, folder=harness.fresh_folder())
        self.assertEqual(len(json.loads(answer.stdout)["ledgers"]), 3)
        self.assertIn(f"runs in {self.folder}: {self.folder}/new.ledgers".encode(), answer.stderr)

    def test_one_run_alone_needs_no_words(self):
        self.assertNotIn("newest", self.programs("new.ledgers")[1])

    def test_a_run_without_a_folder_is_one_too(self):
        shutil.rmtree(self.path("new.ledgers"))
        names, said = self.programs()
        self.assertEqual(names, ["flat", "flat"])
        self.assertRegex(said, r"newest of 2 runs here: flat\.sh\.\d+\.ledger and 1 more ledger ")

    def test_all_of_them_on_request_only(self):
        everything = ["echo", "echo", "flat", "flat", "ls", "sh"]
        files = [path for path in self.entries() if path.endswith((".ledger", ".ledgers"))]
        for words in (("--all-runs",), files):
            names, said = self.programs(*words)
            self.assertEqual(names, everything)
            self.assertNotIn("newest", said)

    def test_the_age_of_files_does_not_matter(self):
        os.utime(self.path("new.ledgers"), (1, 1))
        for name in self.entries("new.ledgers"):
            os.utime(self.path("new.ledgers", name), (1, 1))
        self.assertEqual(self.programs()[0], ["echo", "echo", "sh"])

    def test_a_file_that_cannot_be_read_is_not_passed_over(self):
        with open(self.path("text.ledger"), "w", encoding="utf-8") as file:
            file.write("no ledger" * 1000)
        answer, said = self.report(".", status=3)
        self.assertEqual(len(answer["ledgers"]), 3)
        self.assertIn("text.ledger", said)

    def test_every_command_takes_a_folder(self):
        for words in (("info",), ("check", "--max-peak", "1G"), ("advise", "--no-replay"),
                      ("replay", "--worst", "calls", "--rounds", "1", "--allocators", "glibc"),
                      ("export", "--to", "collapsed"), ("flamegraph", "-o", "f.svg"),
                      ("plot", "-o", "p.svg")):
            for place in (".", "new.ledgers"):
                done = tool(words[0], place, *words[1:], folder=self.folder)
                self.assertEqual(done.returncode, 0, (words, done.stderr))
                self.assertEqual(b"newest of 3 runs here: new.ledgers" in done.stderr,
                                 place == ".", done.stderr)
        done = tool("diff", ".", "new.ledgers", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout.decode(), re.compile("no difference|same|equal", re.IGNORECASE))

    def test_sealing_takes_each_on_its_own(self):
        self.run_tool("-q", "--no-seal", "-o", "raw.ledger", "--", "sh", "-c", "/bin/true; :")
        self.run_tool("-q", "--no-seal", "-o", "too.ledger", "--", "true")
        self.assertEqual(tool("seal", "-q", ".", folder=self.folder).returncode, 0)
        info = harness.tool_json("info", ["--all-runs", self.folder])["ledgers"]
        self.assertEqual([one["sealed"] for one in info], 9 * [True])

    def test_nothing_there(self):
        done = tool("report", folder=harness.fresh_folder())
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"no ledgers here", done.stderr)


if __name__ == "__main__":
    unittest.main()
