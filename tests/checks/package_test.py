#!/usr/bin/env python3
"""Makes the Debian package, looks at what is in it, and records a program with what it unpacks to.

    package_test.py CPACK BUILD_FOLDER
"""

import re
import shutil
import subprocess
import sys
import unittest

from scratch import ScratchTest

BUILD, CPACK = sys.argv.pop(), sys.argv.pop()


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


@unittest.skipUnless(shutil.which("dpkg-deb"), "no dpkg-deb: not a Debian system")
class PackageTest(ScratchTest):
    def setUp(self):
        super().setUp()
        output(CPACK, "-G", "DEB", "--config", f"{BUILD}/CPackConfig.cmake", "-B", str(self.folder))
        found = list(self.folder.glob("*.deb"))
        self.assertEqual(len(found), 1)
        self.package = str(found[0])

    def test_contents(self):
        names = {line.split()[5] for line in output("dpkg-deb", "-c", self.package).splitlines()}
        for name in ("bin/heapledger", "include/heapledger.h", "share/man/man1/heapledger.1",
                     "share/doc/heapledger/copyright"):
            self.assertIn(f"./usr/{name}", names)
        runtime = re.compile(r"\./usr/lib(/.*)?/libheapledger\.so")
        self.assertEqual(len([name for name in names if runtime.fullmatch(name)]), 1, names)
        self.assertEqual([name for name in names if not name.startswith("./usr/")], [])

    def test_fields(self):
        self.assertEqual(output("dpkg-deb", "-f", self.package, "Package").strip(), "heapledger")
        self.assertRegex(output("dpkg-deb", "-f", self.package, "Depends"), r"\blibc6 \(>= ")

    def test_it_records(self):
        output("dpkg-deb", "-x", self.package, str(self.folder / "unpacked"))
        tool = self.folder / "unpacked/usr/bin/heapledger"
        output(tool, "run", "-q", "-o", "ls.ledger", "--", "/bin/ls", cwd=self.folder)
        self.assertIn('"heapledger.report/4"',
                      output(tool, "report", "--json", "ls.ledger", cwd=self.folder))


if __name__ == "__main__":
    unittest.main()
