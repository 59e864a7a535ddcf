#!/usr/bin/env python3
"""Makes the tarball, and uses it as somebody does who has nothing else: unpacked at a path with a space, not to be
written to, as another user, and on an older libc.

    tarball_test.py CMAKE BUILD_FOLDER OLDER_LIBC

OLDER_LIBC is the root of an unpacked one; without it that part is left out.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import unittest

from scratch import ROOT, ScratchTest
import check_exports

OLDER_LIBC = pathlib.Path(sys.argv.pop())
BUILD, CMAKE = pathlib.Path(sys.argv.pop()), sys.argv.pop()
NOBODY = 65534
OF_LIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}


def output(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make():
    output(CMAKE, "--build", BUILD, "--target", "tarball")
    (tarball,) = BUILD.glob("heapledger-*-linux-*.tar.zst")
    return tarball


class TarballTest(ScratchTest):
    @classmethod
    def setUpClass(cls):
        cls.tarball = make()

    def unpack(self, folder):
        folder.mkdir(parents=True)
        output("tar", "-xf", self.tarball, "-C", folder)
        (inside,) = folder.iterdir()
        return inside

    def test_its_checksum_and_size(self):
        output("sha256sum", "--check", f"{self.tarball.name}.sha256", cwd=BUILD)
        self.assertLess(self.tarball.stat().st_size, 10_000_000)

    def test_made_again_it_has_the_same_bytes(self):
        before = hashlib.sha256(self.tarball.read_bytes()).hexdigest()
        self.assertEqual(hashlib.sha256(make().read_bytes()).hexdigest(), before)

    def test_it_needs_an_old_libc_and_nothing_else(self):
        inside = self.unpack(self.folder / "unpacked")
        programs = ["bin/heapledger", "lib/heapledger-player", "lib/libheapledger.so", "lib/libheapledger_new.so"]
        for name in programs:
            needed = set(check_exports.NEEDED.findall(check_exports.readelf("--dynamic", inside / name)))
            self.assertLessEqual(needed, OF_LIBC, name)
            self.assertIn("libc.so.6", needed, name)
            self.assertEqual(list(check_exports.younger_than_promised(inside / name)), [], name)

    def test_what_else_is_there(self):
        inside = self.unpack(self.folder / "unpacked")
        for name in ("share/man/man1/heapledger.1", "share/bash-completion/completions/heapledger",
                     "share/zsh/site-functions/_heapledger", "share/fish/vendor_completions.d/heapledger.fish",
                     "include/heapledger.h", "lib/libheapledger_static.a", "licences/README.txt",
                     "licences/heapledger.txt", "licences/preact.txt", "licences/libdw-dev.txt"):
            self.assertGreater((inside / name).stat().st_size, 0, name)
        told = (inside / "licences/README.txt").read_text(encoding="utf-8")
        for licence in (inside / "licences").iterdir():
            self.assertTrue(licence.name == "README.txt" or licence.name in told, licence.name)

    def records(self, tool, folder, before=()):
        """What the report says of a recorded program."""
        clean = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        command = [*before, tool]
        output(*command, "run", "-q", "-o", "ls.ledger", "--", "/bin/ls", "/", cwd=folder, env=clean)
        output(*command, "view", "--html", "page.html", "ls.ledger", cwd=folder, env=clean)
        self.assertGreater((folder / "page.html").stat().st_size, 100_000)
        replayed = json.loads(output(*command, "replay", "--json", "ls.ledger", cwd=folder, env=clean))
        report = json.loads(output(*command, "report", "--json", "ls.ledger", cwd=folder, env=clean))
        self.assertTrue(report["ledgers"][0]["complete"])
        return report, replayed

    def test_another_user_at_a_path_with_spaces_that_cannot_be_written(self):
        inside = self.unpack(self.folder / "some place with spaces")
        output("chmod", "-R", "a-w", inside)
        work = self.folder / "work"
        work.mkdir()
        before = []
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            os.chown(work, NOBODY, NOBODY)
            before = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        try:
            report, replayed = self.records(inside / "bin/heapledger", work, before)
        finally:
            output("chmod", "-R", "u+w", inside)
        self.assertGreater(report["totals"]["calls"], 20)
        self.assertTrue(replayed)
        # The tool of the build sees the same in that ledger.
        same = json.loads(output(BUILD / "bin/heapledger", "report", "--json", "ls.ledger", cwd=work))
        self.assertEqual(same["totals"], report["totals"])

    def older_system(self):
        """The root of a system that has that libc and nothing else, and how a command is called in there."""
        if os.geteuid() != 0 or not OLDER_LIBC.is_dir():
            self.skipTest("needs an older libc, and to be root")
        root = self.folder / "root"
        shutil.copytree(OLDER_LIBC, root, symlinks=True,
                        ignore=shutil.ignore_patterns("include", "*.a", "share", "gconv", "gcc"))
        for name in ("proc", "tmp", "ledgers"):
            (root / name).mkdir()
        script = f"mount --bind /proc '{root}/proc' && exec chroot '{root}' \"$@\""
        return root, ["unshare", "--mount", "sh", "-c", script, "sh"]

    def test_on_an_older_libc(self):
        root, within = self.older_system()
        os.rename(self.unpack(self.folder / "unpacked"), root / "heapledger")
        tool = "/heapledger/bin/heapledger"
        inside = [*within, tool]
        self.assertRegex(output(*inside, "--version"), r"^heapledger \d")
        # It records itself: there is no other program in there.
        output(*inside, "run", "-q", "-o", "/tmp/self.ledger", "--", tool, "--version")
        report = json.loads(output(*inside, "report", "--json", "/tmp/self.ledger"))
        self.assertTrue(report["ledgers"][0]["complete"])
        self.assertGreater(report["totals"]["calls"], 20)
        modules = json.loads(output(*inside, "info", "--json", "/tmp/self.ledger"))["ledgers"][0]["modules"]
        self.assertTrue(any("2.31" in module["path"] for module in modules), modules)
        # What goes wrong is thrown and caught there.
        wrong = subprocess.run([*inside, "report", "/tmp/none.ledger"], capture_output=True, text=True, check=False)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("/tmp/none.ledger", wrong.stderr)

    def test_the_container(self):
        """What the recipe says, done by hand: no engine is needed for three of its words."""
        root, within = self.older_system()
        recipe = (ROOT / "examples/container/Containerfile").read_text(encoding="utf-8")
        steps = [line.split(None, 1) for line in recipe.splitlines() if line and not line.startswith("#")]
        self.assertEqual([step[0] for step in steps], ["FROM", "COPY", "ENV", "ENTRYPOINT"])
        self.unpack(self.folder / "beside")
        source, target = steps[1][1].split()
        shutil.copytree(self.folder / "beside" / source, root / target.lstrip("/"), symlinks=True)
        clean = dict([steps[2][1].split("=", 1)])
        entry = ["/opt/heapledger/bin/" + word if word == "heapledger" else word for word in json.loads(steps[3][1])]
        env = ["env", "-i", *(f"{name}={value}" for name, value in clean.items())]
        output(*env, *within, *entry, "/opt/heapledger/bin/heapledger", "--version")
        self.assertEqual(len(list((root / "ledgers").glob("heapledger.*.ledger"))), 1)

    def test_the_workflow(self):
        """Its steps, one after the other, with the tarball from a folder of ours."""
        workflow = (ROOT / "examples/continuous-integration/memory.yml").read_text(encoding="utf-8")
        steps = [textwrap.dedent(block) for block in re.findall(r"^        run: \|\n((?:          .*\n)+)", workflow, re.MULTILINE)]
        self.assertEqual(len(steps), 2)
        work = self.folder / "work"
        shutil.copytree(ROOT / "examples/memory-test", work)
        version = re.search(r"heapledger-(.*)-linux", self.tarball.name)[1]
        self.assertIn(f"VERSION: {version}\n", workflow)
        env = {"PATH": os.environ["PATH"], "HOME": str(work), "VERSION": version, "TARBALLS": BUILD.as_uri(),
               "GITHUB_ENV": str(self.folder / "environment")}
        output("bash", "-e", "-c", steps[0], cwd=work, env=env)
        more = (self.folder / "environment").read_text(encoding="utf-8")
        env.update(line.split("=", 1) for line in more.splitlines())
        self.assertIn("100% tests passed", output("bash", "-e", "-c", steps[1], cwd=work, env=env))


if __name__ == "__main__":
    unittest.main()
