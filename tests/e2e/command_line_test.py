"""The command line as somebody meets it who does not know it yet: wrong words, help, places that
cannot be written to, pages on a terminal."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

import harness
from harness import TOOL


def tool(*words, status=0, **options):
    done = subprocess.run([TOOL, *words], env=harness.plain_environment(), capture_output=True,
                          timeout=300, check=False, **options)
    harness.expect_equal(done.returncode, status, f"status of {words}: {done.stderr}")
    return done


def recorded():
    """The ledger of a small program, once for all tests."""
    if not hasattr(recorded, "path"):
        run = harness.recorded_by_tool(["/bin/ls", "/"])
        recorded.path = run.ledgers[0]
    return recorded.path


def on_a_terminal(*words, rows=24, columns=80, environment=None):
    """What a terminal of that size shows of the tool, and its exit status."""
    child, terminal = pty.fork()
    if child == 0:
        variables = harness.plain_environment({"TERM": "xterm", "LC_ALL": "C.UTF-8"})
        variables.pop("COLUMNS", None)
        variables.update(environment or {})
        input()  # until the size is set
        os.execve(TOOL, [TOOL, *words], variables)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.write(terminal, b"\n")
    text = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(terminal)
    return text.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class WrongWords(unittest.TestCase):
    def expect(self, words, text, status=2):
        self.assertIn(text, tool(*words, status=status).stderr.decode())

    def test_a_command_gets_the_nearest(self):
        self.expect(["repotr", "x"], "unknown command 'repotr'; did you mean 'report'?")
        self.expect(["help", "repotr"], "unknown command 'repotr'; did you mean 'report'?")

    def test_an_option_gets_the_nearest(self):
        self.expect(["report", "x", "--framse", "3"], "did you mean '--frames'?")
        self.expect(["report", "--framse=3"], "did you mean '--frames'?")
        self.expect(["--verison"], "did you mean '--version'?")
        self.expect(["run", "--depht", "3", "--", "true"], "did you mean '--depth'?", 125)
        self.expect(["doctor", "--jsn"], "did you mean '--json'?")

    def test_a_value_is_answered_with_those_it_may_be(self):
        self.expect(["top", "1", "--sort", "lvie"],
                    "'lvie' is not one of live, growth, rate, blocks, name; did you mean 'live'?")
        self.expect(["report", "x", "--top", "many"], "--top takes a number, not 'many'")
        self.expect(["check", recorded(), "--max-peak", "foo"], "cannot read 'foo' as a size")

    def test_what_sort_offers_it_takes(self):
        refusal = tool("report", recorded(), "--sort", "foo", status=2).stderr.decode()
        words = re.findall(r"[a-z-]+", refusal.split("take ")[1].replace(" or ", " "))
        self.assertNotIn("rss", words)
        self.assertGreater(len(words), 10)
        for word in words:
            tool("report", recorded(), "--by", "function", "--sort", word)
        self.expect(["report", recorded(), "--blocks", "--sort", "calls"], "takes no --sort")


class Help(unittest.TestCase):
    def test_without_words_it_is_by_task(self):
        done = tool(status=2)
        self.assertEqual(done.stdout, b"")
        text = done.stderr.decode()
        self.assertEqual(text, tool("help").stdout.decode())
        places = [text.index(word) for word in ("Record:", "\n  run ", "Compare:", "\n  diff ")]
        self.assertEqual(places, sorted(places))

    def test_of_a_command(self):
        self.assertEqual(tool("help", "report").stdout, tool("report", "--help").stdout)


class Places(unittest.TestCase):
    def test_a_folder_without_files_is_no_full_disk(self):
        done = subprocess.run([TOOL, "run", "-o", "/proc/x.ledger", "--", "true"], check=False,
                              env=harness.plain_environment(), capture_output=True)
        self.assertIn(b"No files can be made in '/proc'", done.stderr)
        self.assertNotIn(b"full", done.stderr)

    def test_reports_name_the_true_reason(self):
        done = tool("check", recorded(), "--max-peak", "1G", "--junit", "/nonexistent/x", status=2)
        self.assertIn(b"No such file or directory", done.stderr)

    def test_a_result_that_cannot_be_written_is_a_failure(self):
        for words in (["report", recorded()], ["report", recorded(), "--json"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([TOOL, *words], stdout=full, stderr=subprocess.PIPE,
                                      env=harness.plain_environment(), check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"cannot write all of the result", done.stderr)


class Moments(unittest.TestCase):
    def test_after_the_end_is_refused_with_the_range(self):
        for words in (["--at", "1000s"], ["--between", "start", "1000s"]):
            done = tool("report", recorded(), *words, status=2)
            self.assertRegex(done.stderr.decode(),
                             r"after the end of the recording, which is from 0s to [0-9.]+ ")
        # The end as it is shown is a moment.
        end = re.search(r"ran ([0-9.]+) ([a-z]+)", tool("report", recorded()).stdout.decode())
        tool("report", recorded(), "--at", end[1] + end[2])


class Json(unittest.TestCase):
    def test_frames_are_in_one_table_and_lists_are_limited(self):
        whole = json.loads(tool("report", recorded(), "--json", "--top", "0").stdout)
        self.assertEqual(whole["left_out"], {"groups": 0, "never_freed": 0})
        self.assertIsNone(whole["question"]["top"])
        few = json.loads(tool("report", recorded(), "--json", "--top", "2").stdout)
        self.assertEqual(len(few["groups"]), 2)
        self.assertEqual(few["left_out"]["groups"], len(whole["groups"]) - 2)
        used = {place for group in whole["groups"] for place in group["stack"]}
        self.assertEqual(used, set(range(len(whole["frames"]))))
        places = [(frame["module"], frame["pc"]) for frame in whole["frames"]]
        self.assertEqual(len(places), len(set(places)))


class Terminal(unittest.TestCase):
    def test_a_long_result_goes_through_the_pager(self):
        paged = {"PAGER": "sed s/^/paged:/"}
        text, status = on_a_terminal("report", recorded(), rows=10, environment=paged)
        self.assertIn("\npaged:", text)
        self.assertEqual(status, 0)

    def test_no_pager_where_none_is_wanted(self):
        paged = {"PAGER": "sed s/^/paged:/"}
        self.assertNotIn("paged:", on_a_terminal("report", recorded(), "--no-pager", rows=10,
                                                 environment=paged)[0])
        self.assertNotIn("paged:", on_a_terminal("report", recorded(), rows=500,
                                                 environment=paged)[0])
        done = subprocess.run([TOOL, "report", recorded()], capture_output=True, check=True,
                              env=harness.plain_environment(paged))
        self.assertNotIn(b"paged:", done.stdout)

    def test_a_pager_that_fails_changes_nothing(self):
        for pager in ("/nonexistent/pager", "true", "false"):
            text, status = on_a_terminal("report", recorded(), rows=10,
                                         environment={"PAGER": pager})
            self.assertEqual(status, 0)
            if pager.startswith("/"):
                self.assertIn("/bin/ls", text)

    def test_settings_fit_on_the_screen(self):
        plain = {"NO_COLOR": "1", "PAGER": ""}
        text, _ = on_a_terminal("settings", columns=70, environment=plain)
        lines = text.split("\n")
        self.assertLessEqual(max(len(line) for line in lines), 70)
        self.assertNotIn("|---|", text)
        self.assertNotIn("\x1b", text)
        places = [lines.index(line) for line in ("Any mode", "Sample mode", "Live mode")]
        self.assertEqual(places, sorted(places))


class Beside(unittest.TestCase):
    def test_log_and_summary_are_named_alike_and_told(self):
        folder = harness.fresh_folder()
        for words, name in ((["--mode", "log"], "log"), (["--every", "1ms"], "summary")):
            with self.subTest(name=name):
                out = os.path.join(folder, name + "ged.ledger")
                done = subprocess.run([TOOL, "run", *words, "-o", out, "--", "/bin/ls"], cwd=folder,
                                      env=harness.plain_environment(), capture_output=True,
                                      check=True)
                beside = os.path.join(folder, f"{name}ged.{name}")
                self.assertTrue(os.path.exists(beside), os.listdir(folder))
                self.assertRegex(done.stderr.decode(), rf"\n  {name} +\S*{name}ged\.{name}\n")


if __name__ == "__main__":
    unittest.main()
