"""The ledgers of `heapledger run`: where they are, that all are found, and what is said of them."""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness


def run_tool(arguments, folder, tool=None, env=None, **options):
    return harness.execute([tool or harness.TOOL, "run"] + arguments,
                           harness.plain_environment(env), folder, folder, **options)


def programs_in(run):
    """Of the ledgers in the folder x.ledgers, which is all there is."""
    found = [re.fullmatch(r"x\.ledgers/(\w+)\.\d+\.ledger", name) for name in sorted(run.files)]
    return [one and one.group(1) for one in found]


def magic(path):
    with open(path, "rb") as file:
        return file.read(8)


class Names(unittest.TestCase):
    def setUp(self):
        self.folder = harness.fresh_folder()

    def left(self, *arguments):
        run = run_tool(list(arguments), self.folder)
        self.assertEqual(run.status, 0, run.stderr)
        names = sorted(run.files)
        for name in names:
            self.assertEqual(magic(os.path.join(self.folder, name)), b"HPSEALED")
        return names, run.stderr.decode()

    def test_the_default_is_program_and_process_in_the_current_folder(self):
        run = run_tool(["-q", "--", "sh", "-c", "echo $$"], self.folder)
        program = os.path.basename(os.path.realpath("/bin/sh"))
        names = sorted(run.files)
        self.assertEqual(len(names), 1)
        self.assertIn(names[0], (f"{program}.{run.stdout.decode().strip()}.ledger",
                                 f"sh.{run.stdout.decode().strip()}.ledger"))

    def test_any_name_is_kept_to_the_letter(self):
        for name in ("plain.ledger", "no ending", "back\\slash", "50%% of it.ledger",
                     "[a]*?.ledger", "new\nline.ledger", "-dash", "ü.ledger", ".ledger"):
            with self.subTest(name=name):
                names, said = self.left("-o" + name if name[0] != "-" else f"--output={name}",
                                        "--", "true")
                self.assertEqual(names, [name.replace("%%", "%")])
                self.assertNotIn("Nothing was recorded", said)
                os.remove(os.path.join(self.folder, names[0]))

    def test_folders_of_any_name(self):
        for name in ("sub", "with space", "100%", "back\\slash", "a:b"):
            with self.subTest(name=name):
                os.mkdir(os.path.join(self.folder, name))
                names, said = self.left("-o", name.replace("%", "%%") + "/x.ledger", "--", "true")
                self.assertEqual(names, [name + "/x.ledger"])
                self.assertIn("x.ledger", said)
                shutil.rmtree(os.path.join(self.folder, name))

    def test_a_current_folder_of_any_name(self):
        for name in ("with space", "100%p", "back\\slash"):
            with self.subTest(name=name):
                folder = os.path.join(harness.fresh_folder(), name)
                os.mkdir(folder)
                run = run_tool(["-o", "x.ledger", "--", "true"], folder)
                self.assertEqual(sorted(run.files), ["x.ledger"])

    def test_the_same_name_for_several_processes_is_numbered_and_all_are_found(self):
        names, said = self.left("-o", "%h.ledger", "--", "sh", "-c", "/bin/true; /bin/true; :")
        host = os.uname().nodename
        self.assertEqual(names, [f"{host}.2.ledger", f"{host}.3.ledger", f"{host}.ledger"])
        self.assertRegex(said, r"\b3 processes\b")

    def test_older_ledgers_in_the_folder_are_not_taken_for_ours(self):
        self.left("-q", "--", "true")
        self.left("-q", "--", "true")
        names, said = self.left("--", "true")
        self.assertEqual(len(names), 3)
        self.assertNotRegex(said, r"\b[23] processes\b")

    def test_the_summary_names_the_ledger_as_the_user_would(self):
        _, said = self.left("-o", "mine.ledger", "--", "true")
        self.assertIn("mine.ledger", said)
        self.assertNotIn(self.folder, said)
        self.assertIn("heapledger report", said)


class Places(unittest.TestCase):
    def test_a_tool_at_a_path_that_preloading_cannot_express(self):
        for name in ("with space", "with:colon", "with$LIB"):
            with self.subTest(name=name):
                home = os.path.join(harness.fresh_folder(), name)
                os.makedirs(os.path.join(home, "bin"))
                os.makedirs(os.path.join(home, "lib"))
                tool = shutil.copy(harness.TOOL, os.path.join(home, "bin"))
                shutil.copy(harness.LIB, os.path.join(home, "lib"))
                folder, temporary = harness.fresh_folder(), harness.fresh_folder()
                run = run_tool(["-q", "-o", "x.ledger", "--", "sh", "-c", "/bin/true; exit 6"],
                               folder, tool=tool, env={"TMPDIR": temporary})
                self.assertEqual((run.status, run.stderr), (6, b""))
                self.assertEqual(programs_in(run), ["sh", "true"])
                self.assertEqual(os.listdir(temporary), [])

    def test_a_program_that_changes_its_folder(self):
        folder = harness.fresh_folder()
        run = run_tool(["-q", "-o", "x.ledger", "--", "sh", "-c", "cd / && /bin/true"], folder)
        self.assertEqual(run.status, 0)
        self.assertEqual(programs_in(run), ["sh", "true"])


def let_go(fifo):
    """Ends the process that waits to read from `fifo`; False when there is none."""
    end = time.monotonic() + harness.HANG_SECONDS
    while time.monotonic() < end:
        try:
            os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
            return True
        except OSError:
            time.sleep(0.01)
    return False


class Stories(unittest.TestCase):
    def test_processes_that_go_on_are_mentioned(self):
        folder = harness.fresh_folder()
        os.mkfifo(os.path.join(folder, "end"))
        done = subprocess.run(
            [harness.TOOL, "run", "-o", "x.ledger", "--", sys.executable, "-c", harness.LEAVES_A_CHILD],
            cwd=folder, env=harness.plain_environment(), check=False, capture_output=True,
            timeout=harness.HANG_SECONDS)
        self.assertTrue(let_go(os.path.join(folder, "end")), "no child was left")
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertIn("so far", done.stderr.decode())

    def test_processes_that_have_ended_are_not(self):
        run = run_tool(["--", "sh", "-c", "/bin/true; exit 9"], harness.fresh_folder())
        self.assertEqual(run.status, 9)
        self.assertNotIn("so far", run.stderr.decode())

    def test_a_run_that_leaves_no_ledger_is_explained(self):
        def small_files_only():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        run = run_tool(["-q", "--", "sh", "-c", "exit 9"], harness.fresh_folder(),
                       before_exec=small_files_only)
        self.assertEqual(run.status, 9)
        self.assertIn(b"Nothing was recorded", run.stderr)
        self.assertIn(b"ulimit -f", run.stderr)


if __name__ == "__main__":
    unittest.main()
