"""Children that our library cannot be loaded into: each behaves as it natively does, its parent's
ledger tells of it, and so does the summary of `heapledger run`."""

import functools
import os
import re
import shutil
import stat
import subprocess
import unittest

import harness

# Each ends with a status that only the real run of it has: an error that a sanitizer finds, or a
# word for word environment.
OVERFLOW = """
#include <stdlib.h>
int main(void) { char* volatile block = malloc(10); block[10] = 1; return 3; }
"""
LEAK = """
#include <stdlib.h>
int main(void) { void* volatile block = malloc(1000); block = NULL; (void)block; return 0; }
"""
RACE = """
#include <pthread.h>
#include <sched.h>
int shared, written;
static void* other(void* unused) {
  shared = 1;
  __atomic_store_n(&written, 1, __ATOMIC_RELAXED);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  while (!__atomic_load_n(&written, __ATOMIC_RELAXED)) sched_yield();  // orders nothing
  shared = 2;
  pthread_join(thread, NULL);
  return 3;
}
"""
UNINITIALIZED = """
#include <stdlib.h>
int main(void) { int* volatile block = malloc(40); return *block ? 3 : 4; }
"""
TELLS = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** arguments) {
  void* block = malloc(10);
  free(block);
  printf("%s %d LD_PRELOAD=%s HEAPLEDGER=%s PYTHONMALLOC=%s\\n", arguments[0], count,
         getenv("LD_PRELOAD"), getenv("HEAPLEDGER"), getenv("PYTHONMALLOC"));
  return 5;
}
"""
# Of static programs the environment is left as it is: what they start may be recordable.
QUIET = """
#include <stdlib.h>
int main(void) { free(malloc(10)); return 6; }
"""

# name: (compiler and flags, source, native status, reason in JSON)
KINDS = {
    "gcc_asan": (["gcc", "-g", "-fsanitize=address"], OVERFLOW, 1, "AddressSanitizer"),
    "gcc_asan_inside": (["gcc", "-g", "-fsanitize=address", "-static-libasan"], OVERFLOW, 1,
                        "AddressSanitizer"),
    "clang_asan": (["clang", "-g", "-fsanitize=address"], OVERFLOW, 1, "AddressSanitizer"),
    "gcc_tsan": (["gcc", "-g", "-fsanitize=thread"], RACE, 66, "ThreadSanitizer"),
    "clang_tsan": (["clang", "-g", "-fsanitize=thread"], RACE, 66, "ThreadSanitizer"),
    "gcc_lsan": (["gcc", "-g", "-fsanitize=leak"], LEAK, 23, "LeakSanitizer"),
    "clang_lsan": (["clang", "-g", "-fsanitize=leak"], LEAK, 23, "LeakSanitizer"),
    "clang_msan": (["clang", "-g", "-fsanitize=memory"], UNINITIALIZED, 1, "MemorySanitizer"),
    "musl": (["musl-gcc"], TELLS, 5, "other C library"),
    "narrow": (["i686-linux-gnu-gcc"], TELLS, 5, "32 bits"),
    "static": (["gcc", "-static"], QUIET, 6, "static"),
}


@functools.cache
def program(kind):
    """The path of a program of that kind; a skipped test where it cannot be made or run."""
    compiler, source, status, _ = KINDS[kind]
    folder = harness.fresh_folder()
    path = os.path.join(folder, kind)
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    if shutil.which(compiler[0]) is None:
        raise unittest.SkipTest(f"no {compiler[0]}")
    done = subprocess.run([*compiler, "-O0", "-o", path, path + ".c"], capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise unittest.SkipTest(f"{compiler[0]} cannot make it: {done.stderr.decode()}")
    run = harness.native([*prefix(kind), path])
    if kind == "clang_msan" and run.status == 77:  # of later versions
        KINDS[kind] = (compiler, source, 77, KINDS[kind][3])
        return path
    if run.status != status:
        raise unittest.SkipTest(f"natively ends with {run.status}: {run.stderr.decode()}")
    return path


def prefix(kind):
    """The thread sanitizer cannot start where the system moves things about too much."""
    if "tsan" not in kind or shutil.which("setarch") is None:
        return []
    allowed = subprocess.run(["setarch", "-R", "true"], capture_output=True, check=False)
    return ["setarch", "-R"] if allowed.returncode == 0 else []


def masked(text):
    """Without numbers of processes, addresses and folders, which differ from run to run."""
    return re.sub(rb"==\d+==|(?<=pid=)\d+|(?<=tid=)\d+, (running|finished)|0x[0-9a-f]+|"
                  rb"heapledger-test-\w+|BuildId: [0-9a-f]+", b"N", text)


def seen(run):
    return run.status, run.signal, masked(run.stdout), masked(run.stderr), sorted(run.files)


def notes(paths):
    """{reason: (count, names)} over these ledgers."""
    found = {}
    for ledger in harness.tool_json("info", paths)["ledgers"]:
        for group in ledger["unrecorded"]:
            count, names = found.get(group["reason"], (0, []))
            names = names + [one["name"] for one in group["programs"]]
            found[group["reason"]] = (count + group["count"], names)
    return found


class Case(unittest.TestCase):
    maxDiff = None

    def as_natively(self, command, **options):
        """Runs natively and recorded by hand, demands the same, and returns the recorded run."""
        plain = harness.native(command, **options)
        with_us = harness.recorded(command, **options)
        self.assertEqual(seen(with_us), seen(plain))
        return with_us


class Kinds(Case):
    def check(self, kind):
        """As the child of a shell, as what a shell becomes, and through env and a nested shell."""
        path = program(kind)
        _, _, status, reason = KINDS[kind]
        run = self.as_natively([*prefix(kind), "sh", "-c",
                                f"{path} a; echo $?; sh -c 'env {path}; exit $?'; echo $?; "
                                f"exec {path}"])
        self.assertEqual(run.status, status)
        self.assertEqual(re.findall(rb"^\d+$", run.stdout, re.MULTILINE), [b"%d" % status] * 2)
        self.assertEqual(notes(run.ledgers), {reason: (3, [kind] * 3)})

    def test_undefined_behaviour_is_recorded(self):
        folder = harness.fresh_folder()
        path = os.path.join(folder, "ubsan")
        with open(path + ".c", "w", encoding="utf-8") as file:
            file.write(QUIET)
        subprocess.run(["gcc", "-fsanitize=undefined", "-o", path, path + ".c"], check=True)
        run = self.as_natively(["sh", "-c", f"{path}; exit $?"])
        self.assertEqual((run.status, notes(run.ledgers)), (6, {}))
        self.assertTrue(run.ledger_of("ubsan"))


for name in KINDS:
    setattr(Kinds, f"test_{name}", functools.partialmethod(Kinds.check, name))


class Scripts(Case):
    def script(self, first_line, text=""):
        path = os.path.join(harness.fresh_folder(), "script")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{first_line}\n{text}")
        os.chmod(path, 0o755)
        return path

    def test_an_interpreter_that_cannot_be_recorded(self):
        script = self.script(f"#! {program('musl')} -x")
        run = self.as_natively(["sh", "-c", f"{script}; exit $?"])
        self.assertEqual((run.status, notes(run.ledgers)),
                         (5, {"other C library": (1, ["script"])}))

    def test_a_script_run_by_a_script(self):
        script = self.script("#!" + self.script("#!" + program("musl")))
        run = self.as_natively(["sh", "-c", f"{script}; exit $?"])
        self.assertEqual((run.status, notes(run.ledgers)),
                         (5, {"other C library": (1, ["script"])}))

    def test_env_in_the_first_line(self):
        musl = program("musl")
        script = self.script("#!/usr/bin/env musl")
        run = self.as_natively(["sh", "-c", f"{script}; exit $?"],
                               env={"PATH": f"{os.path.dirname(musl)}:{os.environ['PATH']}"})
        self.assertEqual((run.status, notes(run.ledgers)), (5, {"other C library": (1, ["musl"])}))

    def test_a_shell_script_and_what_it_starts(self):
        script = self.script("#!/bin/sh", f"true\n{program('gcc_lsan')}\nexit $?\n")
        run = self.as_natively(["sh", "-c", f"{script}; exit $?"])
        self.assertEqual((run.status, notes(run.ledgers)), (23, {"LeakSanitizer": (1, ["gcc_lsan"])}))

    def test_text_that_libc_has_run_by_a_shell(self):
        text = self.script("true", f"{program('gcc_asan')}\nexit $?\n")
        run = self.as_natively(["env", text])
        self.assertEqual((run.status, notes(run.ledgers)),
                         (1, {"AddressSanitizer": (1, ["gcc_asan"])}))


class Environment(Case):
    def test_what_the_user_preloads_stays(self):
        library = os.path.join(harness.fresh_folder(), "own.so")
        with open(library + ".c", "w", encoding="utf-8") as file:
            file.write("int own;\n")
        subprocess.run(["musl-gcc", "-shared", "-fPIC", "-nostdlib", "-o", library, library + ".c"],
                       check=True)
        command = f"LD_PRELOAD=$LD_PRELOAD:{library} {program('musl')}; exit $?"
        plain = harness.native(["sh", "-c", command.replace("$LD_PRELOAD:", "")])
        with_us = harness.recorded(["sh", "-c", command])
        self.assertEqual(seen(with_us), seen(plain))
        self.assertIn(b"own.so", plain.stdout)

    def test_what_run_has_added_goes_too(self):
        command = ["sh", "-c", f"{program('musl')}; exit $?"]
        plain = harness.native(command)
        with_us = harness.recorded_by_tool(command, options=("--no-pools", "--allocator",
                                                             "jemalloc"))
        self.assertEqual(seen(with_us), seen(plain))
        self.assertIn(b"PYTHONMALLOC=(null)", with_us.stdout)

    def test_a_sanitizer_that_is_preloaded(self):
        library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True,
                                 check=True, text=True).stdout.strip()
        command = "LD_PRELOAD={}" + library + " ASAN_OPTIONS=detect_leaks=0 ls -d /; exit $?"
        plain = harness.native(["sh", "-c", command.format("")])
        with_us = harness.recorded(["sh", "-c", command.format("$LD_PRELOAD:")])
        self.assertEqual(seen(with_us), seen(plain))
        self.assertEqual(notes(with_us.ledgers), {"AddressSanitizer": (1, ["ls"])})

    def test_a_cleared_environment_is_told(self):
        run = self.as_natively(["sh", "-c", "env -i /bin/true; exit $?"])
        self.assertEqual(notes(run.ledgers), {"cleared environment": (1, ["true"])})

    def test_a_root_without_our_library(self):
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root may chroot")
        root = harness.fresh_folder()
        # The loader itself, as a program: all that is needed in there.
        shutil.copy(os.path.realpath("/lib64/ld-linux-x86-64.so.2"), os.path.join(root, "ld.so"))
        for part in ("lib64", "bin"):
            os.mkdir(os.path.join(root, part))
        shutil.copy(os.path.realpath("/lib64/ld-linux-x86-64.so.2"),
                    os.path.join(root, "lib64", "ld-linux-x86-64.so.2"))
        source = os.path.join(root, "bare.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write('void _start(void) { __asm__("mov $60, %eax; mov $9, %edi; syscall"); }\n')
        subprocess.run(["gcc", "-nostdlib", "-pie", "-o", os.path.join(root, "bin", "bare"), source],
                       check=True)
        run = self.as_natively(["chroot", root, "/bin/bare"])
        self.assertEqual((run.status, run.stderr), (9, b""))
        self.assertEqual(notes(run.ledgers), {"out of reach": (1, ["bare"])})


class Rights(Case):
    def test_a_setuid_child(self):
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root can give a file away")
        path = os.path.join(harness.fresh_folder(), "given")
        with open(path + ".c", "w", encoding="utf-8") as file:
            file.write(QUIET)
        subprocess.run(["gcc", "-o", path, path + ".c"], check=True)
        os.chown(path, 65534, 65534)
        os.chmod(path, 0o755 | stat.S_ISUID)
        if os.statvfs(path).f_flag & os.ST_NOSUID:
            raise unittest.SkipTest("mounted nosuid")
        run = self.as_natively(["sh", "-c", f"{path}; exit $?"])
        self.assertEqual((run.status, notes(run.ledgers)), (6, {"other rights": (1, ["given"])}))


class Run(Case):
    def run_tool(self, command, *options, folder=None):
        folder = folder or harness.fresh_folder()
        ledgers = harness.fresh_folder()
        return harness.execute([harness.TOOL, "run", *options, "-o", f"{ledgers}/%e.%p.ledger", "--",
                                *command], harness.plain_environment(), folder, ledgers)

    def test_leak_sanitizer_is_refused_with_what_to_do(self):
        run = self.run_tool([program("gcc_lsan")])
        self.assertEqual((run.status, run.stdout), (125, b""))
        for word in (b"LeakSanitizer", b"-fsanitize", b"--anyway"):
            self.assertIn(word, run.stderr)

    def test_the_summary_names_them(self):
        asan, static = program("gcc_asan"), program("static")
        run = self.run_tool(["sh", "-c", f"{asan}; {asan}; {static}; exit 0"])
        self.assertEqual(run.status, 0)
        self.assertRegex(run.stderr.decode(),
                         r"recorded +1 process, 3 could not be: 2 with AddressSanitizer, 1 static "
                         r"\(gcc_asan, static\)\n")
        # Sealed by now, the ledger still tells.
        info = harness.tool_json("info", run.ledgers)["ledgers"][0]
        self.assertTrue(info["sealed"])
        self.assertEqual([(group["reason"], group["count"]) for group in info["unrecorded"]],
                         [("AddressSanitizer", 2), ("static", 1)])
        report = subprocess.run([harness.TOOL, "report", *run.ledgers], capture_output=True,
                                check=True, text=True).stdout
        self.assertIn("2 with AddressSanitizer, 1 static (gcc_asan, static)",
                      " ".join(report.split()))

    def test_ledgers_that_are_not_kept_still_tell(self):
        run = self.run_tool(["sh", "-c", f"{program('static')}; exit 0"], "--skip-smaller-than",
                            "100000")
        self.assertIn(b"1 static (static)", run.stderr)
        self.assertEqual(run.ledgers, [])

    def test_children_off_says_nothing_and_hurts_nobody(self):
        command = ["sh", "-c", f"{program('gcc_lsan')}; exit $?"]
        run = self.run_tool(command, "--children", "off")
        self.assertEqual(run.status, 23)
        self.assertNotIn(b"could not be", run.stderr)

    def test_a_build_with_sanitized_tests(self):
        """make compiles and runs tests of every kind: native results for every process."""
        kinds = [kind for kind in KINDS if self.can_be_made(kind)]
        self.assertGreaterEqual(len(kinds), 6)
        folders = [harness.fresh_folder(), harness.fresh_folder()]
        for folder in folders:
            self.write_build(folder, kinds)
        plain = harness.execute(["make", "-k", "-s"], harness.plain_environment(), folders[0], "")
        with_us = self.run_tool(["make", "-k", "-s"], "-q", folder=folders[1])
        self.assertEqual(with_us.status, plain.status)
        self.assertEqual(masked(with_us.stdout), masked(plain.stdout))
        self.assertEqual(masked(with_us.stderr), masked(plain.stderr))
        for kind in [*kinds, "plain"]:
            for ending in ("out", "err", "status"):
                file = f"{kind}.{ending}"
                self.assertEqual(masked(with_us.files[file]), masked(plain.files[file]), file)
        for kind in kinds:
            self.assertEqual(plain.files[f"{kind}.status"], b"%d\n" % KINDS[kind][2])
        told = notes(with_us.ledgers)
        wanted = {}
        for kind in kinds:
            wanted.setdefault(KINDS[kind][3], set()).add(kind)
        self.assertEqual({reason: set(names) for reason, (_, names) in told.items()}, wanted)
        self.assertTrue(with_us.ledger_of("plain"))

    @staticmethod
    def can_be_made(kind):
        try:
            return bool(program(kind))
        except unittest.SkipTest:
            return False

    @staticmethod
    def write_build(folder, kinds):
        lines = [f"all: {' '.join(kind + '.status' for kind in [*kinds, 'plain'])}"]
        for kind in [*kinds, "plain"]:
            compiler, source, *_ = KINDS.get(kind, (["gcc"], QUIET, 6, ""))
            with open(os.path.join(folder, kind + ".c"), "w", encoding="utf-8") as file:
                file.write(source)
            run = " ".join([*prefix(kind), f"./{kind}"])
            lines += [f"{kind}: {kind}.c", f"\t{' '.join(compiler)} -O0 -o $@ $<",
                      f"{kind}.status: {kind}",
                      f"\t{run} > {kind}.out 2> {kind}.err; echo $$? > $@"]
        # One is started by make itself, without a shell.
        lines += ["all: direct", "direct: gcc_lsan", "\t./gcc_lsan"]
        with open(os.path.join(folder, "Makefile"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    unittest.main()
