"""Over other allocators, by the link chain and loaded from a path: the same exact figures."""

import glob
import json
import os
import unittest

import harness
import linking
import oracle_test

PACKAGES = {"jemalloc": ("libjemalloc.so.2", "libjemalloc2"),
            "tcmalloc": ("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"),
            "mimalloc": ("libmimalloc.so.2", "libmimalloc2.0")}
EACH = tuple(PACKAGES)


def library_of(name):
    file, package = PACKAGES[name]
    found = glob.glob("/usr/lib/*/" + file) + glob.glob("/usr/lib*/" + file)
    if not found:
        raise unittest.SkipTest(f"{file} is not installed (Debian: {package})")
    return found[0]


def modules_of(run):
    info = harness.tool_json("info", run.ledgers)
    return {os.path.basename(module["path"]) for ledger in info["ledgers"]
            for module in ledger["modules"]}


# jemalloc has more thread-local data than the loader keeps free for libraries that come late.
ROOM = {"GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=8192"}


class Allocators(unittest.TestCase):
    def expect_oracle(self, run, name):
        self.assertEqual((run.status, run.stderr, len(run.ledgers)), (0, b"", 1))
        truth = json.loads(run.stdout)
        if name == "tcmalloc":
            # It uses the heap on its own account at its start, which moves totals and peaks.
            truth["alone"] = False
            answer = harness.report(run)
            harness.expect_complete(answer)
            oracle_test.compare_sites(answer, truth)
        else:
            oracle_test.compare(truth, run.ledgers)
        self.assertTrue(any(module.startswith("lib" + name) for module in modules_of(run)))
        used = harness.tool_json("info", run.ledgers)["ledgers"][0]["allocator"]
        self.assertTrue(os.path.basename(used).startswith("lib" + name), used)

    def oracles(self, name):
        # mimalloc's realloc(block, 0) gives out a block, and the oracle relies on libc's, which
        # does not: it fails there without us, too.
        if name == "mimalloc":
            return []
        return [[harness.program("oracle"), "11", threads, "4000"] for threads in ("1", "4")]

    def expect_account(self, run, language, name):
        self.assertEqual(run.status, 7, run.stderr)
        answer = harness.report(run)
        harness.expect_complete(answer)
        linking.expect_account(run, answer, language)
        self.assertTrue(any(module.startswith("lib" + name) for module in modules_of(run)))

    def test_by_the_link_chain(self):
        program = linking.build("gcc", "c")
        for name in EACH:
            with self.subTest(name):
                library_of(name)
                options = ("--allocator", name)
                self.expect_account(harness.recorded_by_tool([program], options=options), "c", name)
                for command in self.oracles(name):
                    run = harness.recorded_by_tool(command, options=(*options, "--depth", "1"))
                    self.expect_oracle(run, name)

    def test_loaded_from_a_path(self):
        program = linking.build("gcc", "c")
        for name in EACH:
            with self.subTest(name):
                words = "allocator=" + library_of(name)
                run = harness.recorded([program], words=words, env=ROOM)
                self.expect_account(run, "c", name)
                for command in self.oracles(name):
                    run = harness.recorded(command, words=words + " depth=1", env=ROOM)
                    self.expect_oracle(run, name)

    def test_operator_new_when_loaded_from_a_path(self):
        program = linking.build("g++", "cpp")
        for name in EACH:
            with self.subTest(name):
                run = harness.recorded([program], words="allocator=" + library_of(name), env=ROOM)
                self.expect_account(run, "cpp", name)

    def test_operator_new_is_seen_in_the_chain(self):
        program = linking.build("g++", "cpp")
        for name in EACH:
            with self.subTest(name):
                library_of(name)
                run = harness.recorded_by_tool([program], options=("--allocator", name))
                self.expect_account(run, "cpp", name)

    def test_operator_new_of_a_program_linked_with_an_allocator(self):
        for name in EACH:
            with self.subTest(name):
                program = linking.build("g++", "cpp", "-Wl,--no-as-needed", library_of(name))
                run = harness.recorded_by_tool([program])
                self.expect_account(run, "cpp", name)

    def test_memory_that_is_not_there(self):
        program = linking.build("g++", "cpp", "-w", text=linking.EXHAUSTED_PROGRAM)
        for name in EACH:
            with self.subTest(name):
                library_of(name)
                run = harness.recorded_by_tool([program], options=("--allocator", name))
                self.assertEqual((run.status, run.stdout), (0, b"7 3\n"), run.stderr)

    def test_forked_children(self):
        for name in EACH:
            with self.subTest(name):
                library_of(name)
                run = harness.recorded_by_tool([harness.program("families"), "together"],
                                               options=("--allocator", name))
                self.assertEqual((run.status, len(run.ledgers)), (0, 2), run.stderr)
                answer = harness.report(run)
                harness.expect_complete(answer)
                own = harness.own_sums(answer, "families")
                self.assertEqual((own["calls"], own["frees"], own["bytes"]), (3, 2, 3_500_000))

    def test_preloads_of_the_program_are_kept(self):
        name = "jemalloc"
        run = harness.recorded_by_tool(["sh", "-c", "echo $LD_PRELOAD"],
                                       env={"LD_PRELOAD": "libm.so.6"},
                                       options=("--allocator", name))
        parts = run.stdout.decode().strip().split(":")
        self.assertTrue(parts[0].endswith("/libheapledger.so"), parts)
        self.assertEqual([os.path.basename(part) for part in parts[-2:]],
                         ["libm.so.6", os.path.basename(library_of(name))])

    def refused(self, allocator, words):
        run = harness.recorded_by_tool(["true"], options=("--allocator", allocator))
        self.assertEqual((run.status, run.stdout), (125, b""))
        for word in words:
            self.assertIn(word, run.stderr.decode())

    def test_unknown_names_and_paths_are_refused(self):
        self.refused("hoard", ["hoard", "jemalloc, tcmalloc and mimalloc"])
        self.refused("./missing.so", ["./missing.so"])

    def test_what_works_is_said_where_threads_variables_have_no_room(self):
        path = library_of("jemalloc")
        run = harness.recorded(["echo", "hello"], words=f"allocator={path}")
        self.assertEqual((run.status, run.stdout, run.ledgers), (0, b"hello\n", []))
        for part in (f"heapledger run --allocator {path}", "LD_PRELOAD='libheapledger.so "):
            self.assertIn(part, run.stderr.decode())

    def test_a_library_without_malloc_is_told_and_does_no_harm(self):
        run = harness.recorded(["echo", "hello"], words="allocator=libm.so.6")
        self.assertEqual((run.status, run.stdout, run.ledgers), (0, b"hello\n", []))
        self.assertIn(b"it has no malloc", run.stderr)
        run = harness.recorded(["echo", "hello"], words="allocator=/nowhere/x.so")
        self.assertEqual((run.status, run.stdout, run.ledgers), (0, b"hello\n", []))
        self.assertIn(b"/nowhere/x.so", run.stderr)


if __name__ == "__main__":
    unittest.main()
