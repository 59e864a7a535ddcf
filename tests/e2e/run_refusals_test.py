"""What `heapledger run` notices before it starts a program: it explains, and runs nothing."""

import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

PLAIN = "#include <stdio.h>\nint main(void) { puts(\"it ran\"); return 4; }\n"
OWN_MALLOC = """
#include <stddef.h>
#include <stdio.h>
static char arena[1 << 20];
static size_t used;
void* malloc(size_t n) { void* p = arena + used; used += (n + 15) & ~(size_t)15; return p; }
void free(void* p) { (void)p; }
int main(void) { puts("it ran"); return 4; }
"""
ADDRESS_OF_MALLOC = """
#include <stdlib.h>
int main(int count, char** arguments) {
  void* (*function)(size_t) = malloc;
  if ((void*)function == (void*)arguments || count == 0) return 1;
  free(function(10));
  return 0;
}
"""


def run_tool(arguments, folder=None, **options):
    folder = folder or harness.fresh_folder()
    return harness.execute([harness.TOOL, "run"] + arguments, harness.plain_environment(), folder,
                           folder, **options)


def compiled(source, *flags):
    """Path of the program, or a skipped test where the compiler cannot make it."""
    folder = harness.fresh_folder()
    program = os.path.join(folder, "program")
    with open(program + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    done = subprocess.run(["cc", "-o", program, program + ".c", *flags], capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise unittest.SkipTest("the compiler here cannot make it: " + done.stderr.decode())
    return program


def as_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


class Refusal(unittest.TestCase):
    def refused(self, arguments, words, status=125, folder=None, **options):
        """Demands that nothing ran, nothing was left behind, and the message has these words."""
        folder = folder or harness.fresh_folder()
        before = harness.files_in(folder)
        run = run_tool(arguments, folder, **options)
        self.assertEqual((run.status, run.stdout), (status, b""), run.stderr)
        self.assertTrue(run.stderr.startswith(b"heapledger: "), run.stderr)
        for word in words:
            self.assertIn(word.encode(), run.stderr)
        self.assertEqual(run.files, before)


class Programs(Refusal):
    def ran_anyway(self, program):
        run = run_tool(["--anyway", "--", program])
        self.assertEqual((run.status, run.stdout), (4, b"it ran\n"))
        self.assertIn(b"heapledger: ", run.stderr)

    def test_a_static_executable(self):
        program = compiled(PLAIN, "-static")
        self.refused(["--", program], ["statically linked", "-static", "--anyway"])
        self.ran_anyway(program)

    def test_a_static_pie(self):
        self.refused(["--", compiled(PLAIN, "-static-pie")], ["statically linked"])

    def test_an_allocator_inside(self):
        program = compiled(OWN_MALLOC)
        self.refused(["--", program], ["allocator", "shared library", "--anyway"])
        self.ran_anyway(program)

    def test_an_allocator_inside_a_child(self):
        """Nobody looked at it before: the summary says what became of it."""
        run = run_tool(["--", "sh", "-c", f"{compiled(OWN_MALLOC)}; exit 5"])
        self.assertEqual((run.status, run.stdout), (5, b"it ran\n"))
        self.assertIn(b"no call could be seen: malloc", run.stderr)
        self.assertIn(b"as a shared library", run.stderr)

    def test_the_address_of_malloc_is_no_allocator(self):
        """An executable at a fixed address has a symbol for it, which leads to the recorder."""
        run = harness.recorded([compiled(ADDRESS_OF_MALLOC, "-no-pie", "-fno-pie", "-fno-builtin")])
        self.assertEqual(run.status, 0)
        answer = harness.report(run)
        harness.expect_complete(answer)
        self.assertIsNone(answer["ledgers"][0]["unseen"])

    def test_a_script_whose_interpreter_is_static(self):
        program = compiled(PLAIN, "-static")
        script = os.path.join(os.path.dirname(program), "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!{program}\n")
        os.chmod(script, 0o755)
        self.refused(["--", script], ["interpreter", script, "statically linked"])

    def test_a_setuid_executable(self):
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root can give a file away")
        program = compiled(PLAIN)
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            raise unittest.SkipTest("mounted nosuid")
        self.refused(["--", program], ["setuid", "--anyway"])
        self.ran_anyway(program)

    def test_an_executable_with_capabilities(self):
        if os.geteuid() != 0 or not shutil.which("setcap"):
            raise unittest.SkipTest("needs root and setcap")
        program = compiled(PLAIN)
        done = subprocess.run(["setcap", "cap_net_raw=ep", program], check=False,
                              capture_output=True)
        if done.returncode != 0:
            raise unittest.SkipTest("no capabilities on files here")
        self.refused(["--", program], ["capabilities"], before_exec=as_nobody)

    def test_a_program_cut_short(self):
        program = compiled(PLAIN)
        os.truncate(program, 100)
        self.refused(["--", program], ["damaged"], status=126)

    def test_what_cannot_be_shown_is_not_shown(self):
        self.refused(["--", "/no/\x1b[31mred"], ["is not there"], status=127)
        run = run_tool(["--", "/no/\x1b[31mred"])
        self.assertNotIn(b"\x1b", run.stderr)


class Places(Refusal):
    def test_a_folder_that_cannot_be_made(self):
        self.refused(["-o", "/proc/no/such/%p.ledger", "--", "true"], ["/proc/no", "cannot be made"])

    def test_a_folder_that_is_a_file(self):
        folder = harness.fresh_folder()
        open(os.path.join(folder, "file"), "wb").close()
        self.refused(["-o", "file/%p.ledger", "--", "true"], ["file"], folder=folder)

    def test_a_folder_that_may_not_be_written_to(self):
        folder = harness.fresh_folder()
        os.chmod(folder, 0o555)
        before = as_nobody if os.geteuid() == 0 else None
        self.refused(["--", "true"], ["cannot be written", "-o"], folder=folder,
                     before_exec=before)

    def test_a_pattern_that_names_a_folder(self):
        folder = harness.fresh_folder()
        os.mkdir(os.path.join(folder, "results"))
        for pattern in ("results", "results/", "results/.", "."):
            with self.subTest(pattern=pattern):
                self.refused(["-o", pattern, "--", "true"], ["%e.%p.ledger"], folder=folder)

    def test_a_folder_that_would_vary(self):
        self.refused(["-o", "%e/%p.ledger", "--", "true"], ["folder", "%e"])

    def test_letters_that_mean_nothing(self):
        for pattern in ("%x.ledger", "a%", "%%%q", "%E.%p"):
            with self.subTest(pattern=pattern):
                self.refused(["-o", pattern, "--", "true"], ["%e", "%p", "%h", "%t"])

    def test_a_file_that_is_in_the_way(self):
        folder = harness.fresh_folder()
        for name in ("taken.ledger", "50%"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("precious")
        self.refused(["-o", "taken.ledger", "--", "true"], ["taken.ledger", "%e.%p"],
                     folder=folder)
        self.refused(["-o", "50%%", "--", "true"], ["50%", "already"], folder=folder)

    def test_a_link_that_leads_nowhere_is_in_the_way_too(self):
        folder = harness.fresh_folder()
        os.symlink("/no/such/file", os.path.join(folder, "link.ledger"))
        self.refused(["-o", "link.ledger", "--", "true"], ["already"], folder=folder)


class Library(Refusal):
    def test_a_tool_without_its_library(self):
        folder = harness.fresh_folder()
        os.mkdir(os.path.join(folder, "bin"))
        tool = shutil.copy(harness.TOOL, os.path.join(folder, "bin"))
        run = harness.execute([tool, "run", "--", "true"], harness.plain_environment(),
                              harness.fresh_folder(), "")
        self.assertEqual((run.status, run.stdout, run.files), (125, b"", {}))
        self.assertIn(b"libheapledger.so", run.stderr)


if __name__ == "__main__":
    unittest.main()
