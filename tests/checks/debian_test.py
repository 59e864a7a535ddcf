#!/usr/bin/env python3
"""Builds the Debian packages from a copy of the sources, has lintian judge them, and runs their own tests
(debian/tests) with what they unpack to.

    debian_test.py [twice]

twice: builds them again in another folder, and wants the same bytes; that takes as long once more.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

from scratch import ROOT, ScratchTest
import repo

TWICE = __name__ == "__main__" and sys.argv[1:] == ["twice"]
if TWICE:
    del sys.argv[1:]


def output(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def clean_environment(**more):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("CMAKE_", "DEB_", "HEAPLEDGER")) and name not in ("LD_PRELOAD", "PYTHONPATH")}
    return {**kept, "LC_ALL": "C.UTF-8", **more}


@unittest.skipUnless(shutil.which("dh") and shutil.which("lintian"), "no debhelper or no lintian here")
class DebianTest(ScratchTest):
    def build(self, name):
        """The packages, by name."""
        sources = self.folder / name / "heapledger-sources"
        for path in repo.all_files(ROOT):
            (sources / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, sources / path)
        cores = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2")
        output("dpkg-buildpackage", "-b", "-d", "-uc", "-us", cwd=sources,
               env=clean_environment(DEB_BUILD_OPTIONS=f"parallel={cores}"))
        return {path.name.split("_")[0]: path for path in (self.folder / name).glob("*.deb") if "-dbgsym_" not in path.name}

    def test_packages(self):
        packages = self.build("first")
        self.assertEqual(set(packages), {"heapledger", "libheapledger-dev"})
        (changes,) = (self.folder / "first").glob("*.changes")
        judged = output("lintian", "--allow-root", "--no-tag-display-limit", "--display-info", "--pedantic", changes)
        self.assertEqual([line for line in judged.splitlines() if re.match(r"[A-Z]: ", line)], [])
        self.assertRegex(output("dpkg-deb", "-f", packages["heapledger"], "Depends"), r"\blibc6 \(>= ")

        root = self.folder / "root"
        for package in packages.values():
            output("dpkg-deb", "-x", package, root)
        for name in ("bin/heapledger", "libexec/heapledger/heapledger-player", "share/man/man1/heapledger-report.1.gz",
                     "share/bash-completion/completions/heapledger", "share/zsh/vendor-completions/_heapledger",
                     "share/doc/heapledger/copyright", "include/heapledger.h"):
            self.assertTrue((root / "usr" / name).is_file(), name)
        self.assertEqual(len(list(root.glob("usr/lib/*/heapledger/libheapledger.so"))), 1)

        tests = (ROOT / "debian/tests/control").read_text(encoding="utf-8")
        for test in re.findall(r"^Tests: (\S+)$", tests, re.MULTILINE):
            work = self.folder / "tests" / test
            work.mkdir(parents=True)
            output(ROOT / "debian/tests" / test, cwd=ROOT,
                   env=clean_environment(PATH=f"{root}/usr/bin:{os.environ['PATH']}", AUTOPKGTEST_TMP=str(work),
                                         HEAPLEDGER_PREFIX=f"{root}/usr"))
        if TWICE:
            again = self.build("again/elsewhere")
            for name, package in packages.items():
                self.assertEqual(again[name].read_bytes(), package.read_bytes(), name)


if __name__ == "__main__":
    unittest.main()
