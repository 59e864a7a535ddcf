"""Every form in which debug information comes: the frames of a program whose inlining is known from
its source, and the same answers as addr2line and eu-addr2line give."""

import os
import shutil
import unittest

import symbols_build as build
import symbols_peers as peers


def need(tool):
    if shutil.which(tool) is None:
        raise unittest.SkipTest(f"{tool} is not there")


class Forms(unittest.TestCase):
    def demo(self, *arguments, **more):
        demo = build.Demo(*arguments, **more)
        self.addCleanup(demo.remove)
        return demo

    def expect_truth(self, demo, binary=None, options=(), calls=None):
        """Whatever holds the debug information, the frames are those of the source."""
        calls = calls or build.calls_of(demo.binary, "escape")
        truth = demo.truth()
        self.assertEqual(set(calls), set(truth), "the program was not compiled as it should be")
        answers = peers.ours(binary or demo.binary, calls.values(), *options)
        for function, address in calls.items():
            self.assertEqual(answers[address], truth[function], function)

    def expect_peers_agree(self, binary):
        addresses = peers.call_addresses(binary)
        mine = peers.ours(binary, addresses)
        theirs = peers.addr2line(binary, addresses)
        others = peers.eu_addr2line(binary, addresses)
        self.assertGreater(len(addresses), 5)
        for address in addresses:
            kinds = {peers.difference(mine[address], theirs[address]),
                     peers.difference(mine[address], others[address])}
            self.assertFalse(kinds <= set(peers.UNEXPLAINED),
                             (hex(address), mine[address], theirs[address], others[address]))

    def test_gcc(self):
        demo = self.demo()
        self.expect_truth(demo)
        self.expect_peers_agree(demo.binary)

    def test_clang(self):
        need("clang++")
        demo = self.demo("clang++")
        self.expect_truth(demo)
        self.expect_peers_agree(demo.binary)

    def test_old_versions(self):
        for version in (2, 3, 4):
            for compiler in ("g++", "clang++"):
                if shutil.which(compiler) is None:
                    continue
                with self.subTest(version=version, compiler=compiler):
                    demo = self.demo(compiler, ("-O2", "-g", f"-gdwarf-{version}"))
                    self.expect_truth(demo)

    def test_offsets_of_64_bits(self):
        self.expect_truth(self.demo(flags=("-O2", "-g", "-gdwarf64")))

    def test_link_time_optimisation(self):
        demo = self.demo(flags=("-O2", "-g", "-flto", "-fno-partial-inlining"))
        calls = build.calls_of(demo.binary, "escape")
        answers = peers.ours(demo.binary, calls.values())
        chains = {tuple(answers[address]) for address in calls.values()}
        self.assertIn(tuple(demo.truth()["outer(int)"]), chains)
        self.expect_peers_agree(demo.binary)

    def test_compressed_sections(self):
        for kind in ("zlib", "zlib-gnu", "zlib-gabi"):
            with self.subTest(kind):
                demo = self.demo()
                build.run("objcopy", f"--compress-debug-sections={kind}", demo.binary)
                self.expect_truth(demo)

    def test_functions_in_sections_that_the_linker_drops(self):
        demo = self.demo(flags=("-O2", "-g", "-ffunction-sections", "-Wl,--gc-sections"))
        self.expect_truth(demo)

    def test_fixed_addresses(self):
        self.expect_truth(self.demo(flags=("-O2", "-g", "-no-pie")))

    def test_debug_link(self):
        for place in (".", ".debug"):
            with self.subTest(place):
                demo = self.demo()
                calls = build.calls_of(demo.binary, "escape")
                os.makedirs(os.path.join(demo.build, place), exist_ok=True)
                debug = os.path.join(demo.build, place, "demo.debug")
                build.run("objcopy", "--only-keep-debug", demo.binary, debug)
                build.run("strip", "-g", "-s", "--remove-section=.note.gnu.build-id", demo.binary)
                build.run("objcopy", f"--add-gnu-debuglink={debug}", demo.binary)
                self.expect_truth(demo, calls=calls)
                # One byte more, and the checksum is another.
                with open(debug, "ab") as out:
                    out.write(b"x")
                answers = peers.ours(demo.binary, calls.values())
                self.assertEqual({frames[0][1:] for frames in answers.values()}, {("", 0)})

    def test_debug_folder_by_build_id(self):
        demo = self.demo()
        calls = build.calls_of(demo.binary, "escape")
        identity = build.build_id(demo.binary)
        folder = demo.path("debug")
        os.makedirs(f"{folder}/.build-id/{identity[:2]}")
        debug = f"{folder}/.build-id/{identity[:2]}/{identity[2:]}.debug"
        build.run("objcopy", "--only-keep-debug", demo.binary, debug)
        build.run("strip", demo.binary)
        options = ("--debug-folder", folder)
        self.expect_truth(demo, options=options, calls=calls)
        # The debug file knows enough when the program itself is gone, given what ran.
        os.unlink(demo.binary)
        self.expect_truth(demo, options=(*options, "--build-id", identity), calls=calls)
        # Under that name, but of another build.
        other = self.demo(flags=("-O1", "-g"))
        build.run("objcopy", "--only-keep-debug", other.binary, debug)
        answers = peers.ours(demo.binary, calls.values(), *options, "--build-id", identity)
        self.assertEqual({frames[0][1:] for frames in answers.values()}, {("", 0)})

    def test_dwz(self):
        need("dwz")
        demo = self.demo()
        build.run("dwz", demo.binary)
        self.expect_truth(demo)

    def test_dwz_with_a_common_file(self):
        need("dwz")
        demo = self.demo(flags=("-O2", "-g", "-gdwarf-4"))
        twin = os.path.join(demo.build, "twin")
        shutil.copy(demo.binary, twin)
        common = os.path.join(demo.build, "common.debug")
        build.run("dwz", "-m", common, demo.binary, twin)
        self.assertTrue(os.path.exists(common))
        self.assertIn(".gnu_debugaltlink", build.run("readelf", "-SW", demo.binary))
        self.expect_truth(demo)
        # Without the common file names are missing, but none is empty and nothing else breaks.
        os.unlink(common)
        calls = build.calls_of(demo.binary, "escape")
        answers = peers.ours(demo.binary, calls.values())
        self.assertTrue(all(frame[0] for frames in answers.values() for frame in frames))

    def test_split_debug_information(self):
        for compiler in ("g++", "clang++"):
            for version in (4, 5):
                if shutil.which(compiler) is None:
                    continue
                with self.subTest(compiler=compiler, version=version):
                    flags = ("-O2", "-g", "-gsplit-dwarf", f"-gdwarf-{version}")
                    demo = self.demo(compiler, flags)
                    self.assertIn("demo.cpp.dwo", os.listdir(demo.build))
                    self.expect_truth(demo)

    def test_split_debug_information_that_is_gone(self):
        demo = self.demo(flags=("-O2", "-g", "-gsplit-dwarf"))
        os.unlink(os.path.join(demo.build, "demo.cpp.dwo"))
        calls = build.calls_of(demo.binary, "escape")
        answers = peers.ours(demo.binary, calls.values())
        self.assertEqual(answers[calls["outer(int)"]], [("outer(int)", *demo.line("inner"))],
                         "the function from the symbols, the line from what is left")

    def test_mini_debug_information(self):
        need("xz")
        demo = self.demo()
        calls = build.calls_of(demo.binary, "escape")
        mini = demo.path("mini")
        listed = demo.path("symbols")
        with open(listed, "w", encoding="utf-8") as out:
            for line in build.run("nm", "--defined-only", demo.binary).splitlines():
                out.write(line.split()[-1] + "\n")
        build.run("objcopy", "-S", "--remove-section=.comment", f"--keep-symbols={listed}",
                  demo.binary, mini)
        build.run("xz", mini)
        build.run("strip", demo.binary)
        answers = peers.ours(demo.binary, calls.values())
        self.assertNotIn("outer(int)", {frames[0][0] for frames in answers.values()},
                         "stripped, it has no name for that")
        build.run("objcopy", f"--add-section=.gnu_debugdata={mini}.xz", demo.binary)
        answers = peers.ours(demo.binary, calls.values())
        for function, address in calls.items():
            self.assertEqual(answers[address], [(function, "", 0)])

    def test_symbols_alone(self):
        demo = self.demo(flags=("-O2", "-g0"))
        for function, address in build.calls_of(demo.binary, "escape").items():
            self.assertEqual(peers.ours(demo.binary, [address])[address], [(function, "", 0)])


if __name__ == "__main__":
    unittest.main()
