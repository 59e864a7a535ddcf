#!/usr/bin/env python3
"""./test and the packages it installs, with everything around it faked, as in launcher_test.py: an
apt-get that takes a package away unless it is told not to, a ctest that is quickly done."""

import shutil
import unittest

import launcher_test
from scratch import ROOT

PACKAGES = """
build    cmake        command:cmake     CMake
test     python3      command:python3   Python 3
client   cross-one    command:one-gcc   a compiler that gets on with nobody
client   cross-two    command:two-gcc   another
client   viewer       command:viewer    something to look at things with
"""

# The first cannot be beside multilib, which is removed when that is not forbidden.
APT = """#!/bin/sh
echo "apt-get $*" >> "$CALLS"
[ "$NETWORK" = none ] && { echo "E: no network" >&2; exit 100; }
case " $* " in *" update "*) exit 0 ;; esac
forbidden=''
clash=''
for word; do
  case $word in
    --no-remove) forbidden=1 ;;
    cross-one) clash=$CLASH ;;
    python3) [ "$CLASH" != python ] || clash=1 ;;
  esac
done
if [ -n "$clash" ]; then
  printf 'The following packages will be REMOVED:\\n  gcc-multilib libold*\\n'
  if [ -n "$forbidden" ]; then
    echo "E: Packages need to be removed but remove is disabled." >&2
    exit 100
  fi
  rm "$STATE/bin/multilib"
fi
for word; do
  case $word in
    cross-one) touch "$STATE/bin/one-gcc"; chmod +x "$STATE/bin/one-gcc" ;;
    cross-two) touch "$STATE/bin/two-gcc"; chmod +x "$STATE/bin/two-gcc" ;;
    viewer) touch "$STATE/bin/viewer"; chmod +x "$STATE/bin/viewer" ;;
  esac
done
exit 0
"""


class TestScript(launcher_test.LauncherTest):
    def setUp(self):
        super().setUp()
        self.clone = self.clone.rename(self.folder / "clone")  # no spaces: they are refused
        for name in ("test", "scripts/clients.sh"):
            if (ROOT / name).exists():
                shutil.copy(ROOT / name, self.clone / name)
        (self.clone / "scripts/packages.txt").write_text(PACKAGES)
        self.command("apt-get", APT)
        self.command("multilib", "#!/bin/sh\n")
        self.command("nproc", "#!/bin/sh\necho 2\n")
        self.command("python3", "#!/bin/sh\n")
        self.command("ctest", '#!/bin/sh\necho "ctest $*" >> "$CALLS"\necho all tests\nexit 5\n')
        self.environment["CLASH"] = "1"

    def run_tests(self, **extra):
        return self.launch(at=self.clone / "test", **extra)

    def has(self, name):
        return (self.bin / name).exists()

    def test_no_package_is_removed(self):
        status, stdout, stderr = self.run_tests()
        self.assertEqual((status, stdout), (5, "all tests\n"), stderr)
        self.assertTrue(self.has("multilib"))
        self.assertEqual([self.has(name) for name in ("one-gcc", "two-gcc", "viewer")],
                         [False, True, True])

    def test_what_is_left_out_is_said_at_the_end(self):
        _, _, stderr = self.run_tests()
        end = stderr[stderr.index("were left out"):]
        self.assertIn("cross-one (a compiler that gets on with nobody): apt-get would remove "
                      "gcc-multilib libold for it", end)
        self.assertIn("to get them anyway:  apt-get install --no-install-recommends cross-one\n",
                      end)
        self.assertNotIn("two", end)

    def test_nothing_is_said_when_nothing_is_missing(self):
        status, _, stderr = self.run_tests(CLASH="")
        self.assertEqual(status, 5)
        self.assertNotIn("left out", stderr)
        self.assertTrue(self.has("one-gcc"))

    def test_continuous_integration_demands_it(self):
        status, stdout, stderr = self.run_tests(HEAPLEDGER_REQUIRE_CLIENTS="1")
        self.assertEqual((status, stdout), (1, ""))
        self.assertIn("cross-one", stderr)
        self.assertIn("HEAPLEDGER_REQUIRE_CLIENTS", stderr)
        self.assertFalse(self.called("ctest"))
        self.assertTrue(self.has("multilib"))

    def test_a_refusal_is_remembered_and_said_again(self):
        self.run_tests()
        self.calls.unlink()
        status, _, stderr = self.run_tests()
        self.assertEqual(status, 5)
        self.assertFalse(self.called("apt-get"))
        self.assertIn("apt-get would remove gcc-multilib", stderr)

    def test_what_was_installed_by_hand_since_is_not_missing(self):
        self.run_tests()
        self.command("one-gcc", "#!/bin/sh\n")
        self.assertNotIn("left out", self.run_tests()[2])

    def test_without_a_network_the_rest_is_tested(self):
        status, _, stderr = self.run_tests(NETWORK="none")
        self.assertEqual(status, 5)
        for name in ("cross-one", "cross-two", "viewer"):
            self.assertRegex(stderr, f"{name} .*: apt-get cannot reach its servers")

    def test_and_tried_again_when_there_is_one(self):
        self.run_tests(NETWORK="none")
        self.run_tests()
        self.assertTrue(self.has("viewer"))

    def test_without_rights_the_rest_is_tested(self):
        self.command("id", "#!/bin/sh\necho 1000\n")
        status, _, stderr = self.run_tests()
        self.assertEqual(status, 5)
        self.assertIn("viewer (something to look at things with): only root", stderr)

    def test_quick_runs_what_is_quick_and_needs_no_clients(self):
        status, stdout, _ = self.launch("--quick", "-R", "unit", at=self.clone / "test")
        self.assertEqual((status, stdout), (5, "all tests\n"))
        self.assertTrue(self.called("-L ^(unit|quick)$ -R unit\n"))
        self.assertFalse(self.called("apt-get"))

    def test_nightly_builds_the_fuzzers_and_runs_them(self):
        self.command("python3", '#!/bin/sh\necho "python3 $*" >> "$CALLS"\nexit 4\n')
        status, _, _ = self.launch("--nightly", at=self.clone / "test")
        self.assertEqual(status, 4)
        self.assertTrue(self.called("cmake --build --preset fuzz --target heapledger_fuzzers\n"))
        self.assertTrue(self.called(f"python3 {self.clone}/scripts/fuzz_long.py "
                                    f"{self.clone}/build/fuzz\n"))
        self.assertFalse(self.called("ctest"))
        self.assertFalse(self.called("apt-get"))

    def test_what_every_test_needs_is_demanded(self):
        (self.bin / "python3").unlink()
        status, stdout, stderr = self.run_tests(CLASH="python")
        self.assertEqual((status, stdout), (1, ""))
        self.assertIn("cannot be installed beside gcc-multilib libold", stderr)
        self.assertIn("apt-get install --no-install-recommends python3", stderr)
        self.assertFalse(self.called("ctest"))
        self.assertTrue(self.has("multilib"))


if __name__ == "__main__":
    unittest.main()
