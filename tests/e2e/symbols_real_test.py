"""Every call in real binaries: our frames against those of addr2line and eu-addr2line."""

import collections
import glob
import os
import re
import unittest

import symbols_peers as peers

TOOL = os.environ.get("HEAPLEDGER_TOOL", "")


def folded(frames):
    """Debian compiles glibc with a relative folder, which both peers put in front twice."""
    def fold(path):
        parts = path.split("/")
        return "/".join(parts[1:]) if len(parts) > 1 and parts[0] == parts[1] else path
    return [(name, fold(path), line) for name, path, line in frames]


def halves_joined(frames):
    """GCC can split a function and inline the one half into the other: the debug information has
    the same function twice in a row, and the peers show it once."""
    return [frame for i, frame in enumerate(frames) if i == 0 or frame[0] != frames[i - 1][0]]


class RealBinaries(unittest.TestCase):
    def compare(self, binary, least):
        addresses = sorted(set(peers.call_addresses(binary)))
        self.assertGreater(len(addresses), least)
        mine = peers.ours(binary, addresses)
        theirs = peers.addr2line(binary, addresses)
        kinds = collections.Counter()
        doubtful = []
        for address in addresses:
            kind = peers.difference(mine[address], folded(theirs[address]))
            if kind in peers.UNEXPLAINED:
                doubtful.append(address)
            else:
                kinds[kind] += 1
        self.expect_unnamed(binary, [address for address in addresses
                                     if re.search(r"\+0x[0-9a-f]+$", mine[address][0][0])])
        # Where addr2line differs, elfutils is asked.
        others = peers.eu_addr2line(binary, doubtful) if doubtful else {}
        wrong = []
        for address in doubtful:
            if peers.difference(mine[address], folded(others[address])) not in peers.UNEXPLAINED:
                kinds["eu-addr2line agrees"] += 1
            elif self.is_alias(binary, mine[address], theirs[address]):
                kinds["another symbol of the same function"] += 1
            elif peers.difference(halves_joined(mine[address]),
                                  folded(theirs[address])) not in peers.UNEXPLAINED:
                kinds["a function that the compiler split, inlined into its own other half"] += 1
            elif peers.both_halves_agree(mine[address], theirs[address], others[address]):
                kinds["addr2line agrees on the calls, eu-addr2line on the line"] += 1
            else:
                wrong.append((hex(address), mine[address], theirs[address], others[address]))
        print(f"{binary}: {dict(kinds)}", flush=True)
        self.assertEqual(wrong[:3], [], f"{len(wrong)} of {len(addresses)} differ from both")
        return mine, kinds

    def skip_sanitized(self, binary):
        with open(binary, "rb") as file:
            if b"__asan_init" in file.read():
                self.skipTest("a sanitizer's build has little debug information and code of its own")

    def expect_unnamed(self, binary, addresses):
        """That addr2line only guesses is no excuse: no symbol may reach over these."""
        functions = sorted({*peers.function_addresses(binary),
                            *peers.function_addresses(binary, "-D")})
        reached = [(hex(address), hex(start)) for address in addresses
                   for start, size in functions if start <= address < start + size]
        self.assertEqual(reached[:3], [], f"{len(reached)} are inside of a symbol")

    def is_alias(self, binary, mine, theirs):
        """Whether the two differ in nothing but one of several symbols of the same function."""
        if [frame[1:] for frame in mine] != [frame[1:] for frame in folded(theirs)]:
            return False
        return self.symbols(binary).get(mine[-1][0], -1) == self.symbols(binary).get(theirs[-1][0])

    def symbols(self, binary):
        if not hasattr(self, "known"):
            self.known = {}
            places = [["-D", binary], [binary]]
            note = re.search(r"Build ID: (..)(\w+)", peers.run(["readelf", "-n", binary]))
            if note:
                places.append([f"/usr/lib/debug/.build-id/{note[1]}/{note[2]}.debug"])
            for place in places:
                lines = peers.run(["nm", "-C", "--defined-only", *place], fine=(0, 1))
                for line in lines.splitlines():
                    words = line.split(" ", 2)
                    if len(words) == 3:
                        self.known[words[2].partition("@")[0]] = int(words[0], 16)
        return self.known

    def test_our_own_tool(self):
        if not TOOL:
            self.skipTest("HEAPLEDGER_TOOL is not set")
        self.skip_sanitized(TOOL)
        _, kinds = self.compare(TOOL, 5000)
        self.assertGreater(kinds[peers.SAME], 2500)

    def test_the_symbolizer(self):
        self.skip_sanitized(peers.symbolizer())
        mine, _ = self.compare(peers.symbolizer(), 1000)
        inlined = sum(len(frames) > 1 for frames in mine.values())
        self.assertGreater(inlined, 100)

    def test_libstdcxx(self):
        for path in glob.glob("/usr/lib/*-linux-gnu/libstdc++.so.6"):
            self.compare(path, 5000)

    def test_libc(self):
        for path in glob.glob("/usr/lib/*-linux-gnu/libc.so.6"):
            self.compare(path, 5000)

    def test_bash(self):
        self.compare("/bin/bash", 5000)


if __name__ == "__main__":
    unittest.main()
