"""Files that are not what they should be: another build, gone, cut short, damaged. Every address has
a name in the end, and the tool never breaks."""

import os
import random
import re
import shutil
import subprocess
import unittest

import symbols_build as build
import symbols_peers as peers


def symbolize(binary, addresses, *options, environment=None):
    text = "".join(f"0x{address:x}\n" for address in addresses)
    done = subprocess.run([peers.symbolizer(), *options, binary], input=text, capture_output=True,
                          text=True, errors="replace", timeout=300, env=environment)
    source, remark = done.stderr.split("\n")[:2] if done.returncode == 0 else ("", "")
    return done.returncode, peers.parse(done.stdout), source, remark


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.demo = build.Demo()
        cls.calls = build.calls_of(cls.demo.binary, "escape")
        cls.addresses = sorted(cls.calls.values())

    @classmethod
    def tearDownClass(cls):
        cls.demo.remove()

    def expect_floor(self, answers, name):
        self.assertEqual(answers, {address: [(f"{name}+0x{address:x}", "", 0)]
                                   for address in self.addresses})

    def test_another_build_is_said_and_not_used(self):
        status, answers, source, remark = symbolize(self.demo.binary, self.addresses,
                                                    "--build-id", "00112233445566778899")
        self.assertEqual((status, source), (0, "nothing"))
        self.assertIn("was built differently from what ran", remark)
        self.expect_floor(answers, "demo")

    def test_the_right_build_is_used(self):
        identity = build.build_id(self.demo.binary)
        status, answers, source, remark = symbolize(self.demo.binary, self.addresses,
                                                    "--build-id", identity)
        self.assertEqual((status, source, remark), (0, "debug-info", ""))
        self.assertEqual(answers[self.calls["outer(int)"]], self.demo.truth()["outer(int)"])

    def test_a_file_that_is_gone(self):
        status, answers, source, remark = symbolize("/nowhere/libgone.so", self.addresses)
        self.assertEqual((status, source), (0, "nothing"))
        self.assertIn("is not there", remark)
        self.expect_floor(answers, "libgone.so")

    def test_what_is_no_program(self):
        for path in ("/proc/self/maps", "/dev/zero", "/", "/etc/passwd", "[vdso]"):
            with self.subTest(path):
                status, answers, source, _ = symbolize(path, self.addresses)
                self.assertEqual((status, source), (0, "nothing"))
                self.expect_floor(answers, os.path.basename(path) or "unknown")

    def test_an_address_that_nothing_names(self):
        status, answers, _, _ = symbolize(self.demo.binary, [0x1f, 0xFFFFFFFFFFFFFFFF])
        self.assertEqual(status, 0)
        self.assertEqual(answers[0x1f], [("demo+0x1f", "", 0)])
        self.assertEqual(answers[0xFFFFFFFFFFFFFFFF], [("demo+0xffffffffffffffff", "", 0)])

    def expect_harmless(self, path, what):
        status, answers, _, _ = symbolize(path, self.addresses)
        self.assertEqual(status, 0, what)
        self.assertEqual(set(answers), set(self.addresses), what)
        for frames in answers.values():
            self.assertTrue(frames and all(name for name, _, _ in frames), (what, frames))

    def test_cut_short(self):
        path = self.demo.path("cut")
        with open(self.demo.binary, "rb") as whole:
            content = whole.read()
        for length in (0, 1, 4, 16, 63, 64, 100, *range(500, len(content), len(content) // 40)):
            with open(path, "wb") as out:
                out.write(content[:length])
            self.expect_harmless(path, f"{length} bytes")

    def test_damaged(self):
        rng = random.Random(7)
        path = self.demo.path("damaged")
        for source in self.forms():
            with open(source, "rb") as whole:
                content = whole.read()
            places = self.debug_places(source)
            for round_ in range(60):
                damaged = bytearray(content)
                for _ in range(rng.choice((1, 4, 32))):
                    start, size = rng.choice(places)
                    damaged[start + rng.randrange(size)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF,
                                                                       rng.randrange(256)))
                with open(path, "wb") as out:
                    out.write(damaged)
                self.expect_harmless(path, f"round {round_} of {source}")

    def forms(self):
        """The program as it is, compressed, and with old debug information by Clang."""
        packed = self.demo.path("packed")
        build.run("objcopy", "--compress-debug-sections=zlib", self.demo.binary, packed)
        yield self.demo.binary
        yield packed
        if shutil.which("clang++"):
            other = build.Demo("clang++", ("-O2", "-g", "-gdwarf-4"))
            self.addCleanup(other.remove)
            yield other.binary

    def debug_places(self, path):
        """(offset, size) of what is worth damaging; the headers count as one more."""
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
        places = [(0, 64), (size - 64 * 30, 64 * 30)]
        for line in build.run("readelf", "-SW", path).splitlines():
            section = re.match(r"^\s*\[ *\d+\] \.(debug_\S+|symtab|strtab|dynsym|note\S*) +\S+ +\S+ +"
                               r"([0-9a-f]+) ([0-9a-f]+)", line)
            if section and int(section[3], 16):
                places.append((int(section[2], 16), int(section[3], 16)))
        self.assertGreater(len(places), 6)
        return places


if __name__ == "__main__":
    unittest.main()
