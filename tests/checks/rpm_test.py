#!/usr/bin/env python3
"""Builds the packages for RPM from a copy of the sources, and runs the tests of debian/tests with what they unpack to.
What they depend on has other names here, so that is not looked at; and libraries go to lib, where CMake looks here."""

import os
import shutil
import unittest

from debian_test import clean_environment, output
from scratch import ROOT, ScratchTest
import repo


@unittest.skipUnless(shutil.which("rpmbuild"), "no rpmbuild here")
class RpmTest(ScratchTest):
    def test_packages(self):
        sources = self.folder / "sources"
        for path in repo.all_files(ROOT):
            (sources / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, sources / path)
        cores = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2")
        output("rpmbuild", "-bb", "--build-in-place", "--nodeps", "--define", f"_topdir {self.folder}/rpm",
               "--define", "_lib lib",                "rpm/heapledger.spec", cwd=sources, env=clean_environment(CMAKE_BUILD_PARALLEL_LEVEL=cores))
        packages = {path.name.rsplit("-", 2)[0]: path for path in self.folder.glob("rpm/RPMS/*/*.rpm")}
        self.assertEqual(set(packages), {"heapledger", "heapledger-devel"})
        root = self.folder / "root"
        root.mkdir()
        for package in packages.values():
            output("rpm2archive", package)
            output("tar", "-xzf", f"{package}.tgz", "-C", root)
        for name in ("bin/heapledger", "libexec/heapledger/heapledger-player", "include/heapledger.h"):
            self.assertTrue((root / "usr" / name).is_file(), name)
        # Whether pages are packed is up to the system.
        self.assertEqual(len(list(root.glob("usr/share/man/man1/heapledger-report.1*"))), 1)
        for test in ("records", "memory-test"):
            work = self.folder / "tests" / test
            work.mkdir(parents=True)
            output(ROOT / "debian/tests" / test, cwd=ROOT,
                   env=clean_environment(PATH=f"{root}/usr/bin:{os.environ['PATH']}", AUTOPKGTEST_TMP=str(work),
                                         HEAPLEDGER_PREFIX=f"{root}/usr"))


if __name__ == "__main__":
    unittest.main()
