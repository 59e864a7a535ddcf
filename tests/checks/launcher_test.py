#!/usr/bin/env python3
"""./heapledger with everything around it faked: a PATH that holds only what a test put there, a
cmake that "builds" a shell script, an apt-get that "installs" into that PATH. So each situation a
user can be in is tested in milliseconds, also those this machine is not in."""

import os
import shutil
import subprocess
import time
import unittest

from scratch import ROOT, ScratchTest

BASICS = ("sh env find readlink mkdir tail tee sed tr cut cat rm rmdir mv flock sleep touch ls sort "
          "chmod true date").split()

TOOL = """#!/bin/sh
if [ "$1" = cat ]; then exec cat; fi
if [ "$1" = env ]; then exec env; fi
if [ "$1" = descriptors ]; then exec ls /proc/self/fd; fi
printf '<%s>' "$@"
exit 7
"""

CMAKE = """#!/bin/sh
echo "cmake $*" >> "$CALLS"
case $1 in
  --version) echo "cmake version ${CMAKE_IS:-3.25.1}" ;;
  --preset)
    cache=build/release/CMakeCache.txt
    if [ -e $cache ] && [ "$(cat $cache)" != "of $PWD" ]; then
      echo "CMakeCache.txt is of another place" >&2
      exit 1
    fi
    mkdir -p build/release && echo "of $PWD" > $cache ;;
  --build)
    cat > /dev/null
    mkdir "$CALLS.building" || exit 9  # two builds at once
    [ -z "$SLOW" ] || sleep "$SLOW"
    echo "[1/2] Building CXX object one.cpp.o"
    [ -z "$BROKEN" ] || { echo "one.cpp:3: error: no such luck" >&2; rmdir "$CALLS.building"; exit 1; }
    mkdir -p build/release/bin && cat "$TOOL" > build/release/bin/heapledger
    chmod +x build/release/bin/heapledger
    echo "[2/2] Linking CXX executable bin/heapledger"
    rmdir "$CALLS.building" ;;
esac
"""

# Answers the header probe: what apt-get has not installed is missing.
CXX = """#!/bin/sh
echo "c++ $*" >> "$CALLS"
[ -n "$HEADERS" ] || [ -e "$STATE/libfmt-dev" ] || echo 'missing "libfmt-dev"'
"""

APT = """#!/bin/sh
echo "apt-get $*" >> "$CALLS"
[ -z "$NO_NETWORK" ] || { echo "E: no network" >&2; exit 100; }
for last; do
  [ ! -e "$STATE/pool/$last" ] || mv "$STATE/pool/$last" "$STATE/bin/$last"
  case $last in *-dev) touch "$STATE/$last" ;; esac
done
"""


class LauncherTest(ScratchTest):
    def setUp(self):
        super().setUp()
        self.bin = self.folder / "bin"
        self.clone = self.folder / "a clone"
        self.calls = self.folder / "calls"
        self.environment = {"PATH": str(self.bin), "CALLS": str(self.calls), "HEADERS": "all",
                            "STATE": str(self.folder), "TOOL": str(self.plant("tool", TOOL))}
        self.bin.mkdir()
        for name in BASICS:
            os.symlink(shutil.which(name), self.bin / name)
        for name, text in (("cmake", CMAKE), ("c++", CXX), ("ninja", "#!/bin/sh\n"), ("esbuild", "#!/bin/sh\n"),
                           ("apt-get", APT), ("id", "#!/bin/sh\necho 0\n")):
            self.command(name, text)
        for name in ("heapledger", "scripts/setup.sh", "scripts/packages.txt"):
            (self.clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.clone / name)
        for name in ("src/cli/main.cpp", "include/heapledger.h", "cmake/a.cmake", "third_party/a/b.mjs", "CMakeLists.txt",
                     "CMakePresets.json"):
            self.plant(f"a clone/{name}", "\n")

    def command(self, name, text):
        self.plant(f"bin/{name}", text).chmod(0o755)

    def start(self, *arguments, at=None, **extra):
        return subprocess.Popen([at or self.clone / "heapledger", *arguments], text=True,
                                cwd=self.folder, env=self.environment | extra, bufsize=0,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def launch(self, *arguments, at=None, given="", **extra):
        """Runs the launcher; returns status, stdout, stderr."""
        process = self.start(*arguments, at=at, **extra)
        stdout, stderr = process.communicate(given)
        return process.returncode, stdout, stderr

    def called(self, words):
        return words in self.calls.read_text() if self.calls.exists() else False

    def build(self):
        self.assertEqual(self.launch()[0], 7)
        self.calls.unlink()


class FirstCall(LauncherTest):
    def test_builds_and_runs(self):
        status, stdout, stderr = self.launch("run", "--", "x")
        self.assertEqual((status, stdout), (7, "<run><--><x>"))
        self.assertIn("first use", stderr)
        self.assertIn("2 of 2", stderr)
        self.assertFalse(self.called("apt-get"))

    def test_tells_how_long_it_still_takes(self):
        # The first step takes three seconds, and weighs as much as the second.
        self.command("ninja", "#!/bin/sh\nprintf 'c++ -o one.cpp.o\\nc++ -o bin/heapledger\\n'\n")
        stderr = self.launch(SLOW="3")[2]
        self.assertIn("1 of 2 steps, about 10 s left", stderr)
        self.assertNotIn("left", stderr.partition("2 of 2 steps")[2])

    def test_stdin_is_left_to_the_program(self):
        self.assertEqual(self.launch("cat", given="all of it")[1], "all of it")

    def test_a_failed_build_shows_why(self):
        status, stdout, stderr = self.launch(BROKEN="1")
        self.assertEqual((status, stdout), (125, ""))
        self.assertIn("no such luck", stderr)
        self.assertIn("build/release.log", stderr)
        self.assertIn("no such luck", (self.clone / "build/release.log").read_text())

    def test_after_a_failed_build_the_next_call_tries_again(self):
        self.launch(BROKEN="1")
        self.assertEqual(self.launch()[0], 7)

    def test_two_at_once_build_once(self):
        started = [self.start("a", SLOW="0.3") for _ in range(3)]
        for process in started:
            stdout, stderr = process.communicate("")
            self.assertEqual((process.returncode, stdout), (7, "<a>"), stderr)
        self.assertEqual(self.calls.read_text().count("cmake --build"), 1)

    def test_an_old_cmake_is_told(self):
        status, _, stderr = self.launch(CMAKE_IS="3.18.4")
        self.assertEqual(status, 125)
        self.assertIn("3.18.4", stderr)
        self.assertIn("3.25", stderr)


class SecondCall(LauncherTest):
    def setUp(self):
        super().setUp()
        self.build()

    def test_runs_without_building(self):
        status, stdout, stderr = self.launch("a")
        self.assertEqual((status, stdout, stderr), (7, "<a>", ""))
        self.assertFalse(self.calls.exists())

    def test_arguments_arrive_exactly(self):
        given = ["", "two words", "*", "$HOME", "a'b\"c", "line\nbreak", "--", "-n", "\\"]
        self.assertEqual(self.launch(*given)[1], "".join(f"<{word}>" for word in given))

    def test_works_through_symlinks(self):
        os.symlink(self.clone / "heapledger", self.bin / "hl")
        os.symlink("hl", self.bin / "hl2")
        self.assertEqual(self.launch("a", at=self.bin / "hl2")[:2], (7, "<a>"))

    def test_works_from_the_path_and_inside_the_clone(self):
        for folder, command in ((self.folder, "heapledger"), (self.clone, "./heapledger")):
            path = f"{self.clone}:{self.bin}"
            result = subprocess.run(["sh", "-c", f"{command} a"], cwd=folder, text=True,
                                    env=self.environment | {"PATH": path}, capture_output=True)
            self.assertEqual((result.returncode, result.stdout), (7, "<a>"), result.stderr)

    def test_the_environment_is_untouched(self):
        names = dict(root="1", tool="2", log="3", status="4", program="5", stamp="6")
        got = set(self.launch("env", **names)[1].splitlines())
        self.assertLessEqual({f"{name}={value}" for name, value in names.items()}, got)

    def test_a_changed_source_is_built(self):
        time.sleep(0.02)  # file times are as coarse as the kernel's clock tick
        (self.clone / "src/cli/main.cpp").touch()
        self.assertEqual(self.launch("a")[:2], (7, "<a>"))
        self.assertTrue(self.called("cmake --build"))

    def test_a_deleted_source_is_built(self):
        time.sleep(0.02)
        (self.clone / "src/cli/main.cpp").unlink()
        self.launch()
        self.assertTrue(self.called("cmake --build"))

    def test_a_moved_clone_builds_again(self):
        self.clone = self.clone.rename(self.folder / "moved")
        self.assertEqual(self.launch("a")[:2], (7, "<a>"))
        self.assertFalse(self.called("cmake"))
        time.sleep(0.02)
        (self.clone / "src/cli/main.cpp").touch()
        self.assertEqual(self.launch("a")[:2], (7, "<a>"))
        self.assertTrue(self.called("cmake --fresh --preset release"))

    def test_no_descriptor_of_ours_reaches_the_tool(self):
        plain = self.launch("descriptors")[1]
        time.sleep(0.02)
        (self.clone / "src/cli/main.cpp").touch()
        self.assertEqual(self.launch("descriptors")[1], plain)
        self.assertTrue(self.called("cmake --build"))


class MissingPackages(LauncherTest):
    def setUp(self):
        super().setUp()
        (self.folder / "pool").mkdir()
        (self.bin / "cmake").rename(self.folder / "pool/cmake")
        self.environment["HEADERS"] = ""

    def test_root_installs_just_what_is_missing(self):
        status, stdout, stderr = self.launch("a")
        self.assertEqual((status, stdout), (7, "<a>"), stderr)
        self.assertIn("apt-get: cmake libfmt-dev", stderr)
        self.assertNotIn("ninja-build", self.calls.read_text())

    def test_sudo_is_used_when_not_root(self):
        self.command("id", "#!/bin/sh\necho 1000\n")
        self.command("sudo", '#!/bin/sh\necho "sudo $*" >> "$CALLS"\nshift\nexec "$@"\n')
        self.assertEqual(self.launch("a")[0], 7)
        self.assertTrue(self.called("sudo -n env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get"))

    def test_sudo_that_needs_a_password_and_no_terminal(self):
        self.command("id", "#!/bin/sh\necho 1000\n")
        self.command("sudo", "#!/bin/sh\nexit 1\n")
        status, _, stderr = self.launch("a")
        self.assertEqual(status, 125)
        self.assertIn("sudo apt-get install --no-install-recommends cmake libfmt-dev", stderr)

    def test_neither_root_nor_sudo(self):
        self.command("id", "#!/bin/sh\necho 1000\n")
        status, stdout, stderr = self.launch("a")
        self.assertEqual((status, stdout), (125, ""))
        self.assertIn("as root:  apt-get install --no-install-recommends cmake libfmt-dev", stderr)
        self.assertFalse(self.called("apt-get"))

    def test_no_apt_at_all(self):
        (self.bin / "apt-get").unlink()
        status, _, stderr = self.launch("a")
        self.assertEqual(status, 125)
        self.assertIn("CMake 3.25 or newer", stderr)
        self.assertIn("fmt, text formatting", stderr)
        self.assertNotIn("Ninja", stderr)

    def test_no_network(self):
        status, _, stderr = self.launch("a", NO_NETWORK="1")
        self.assertEqual(status, 125)
        self.assertIn("E: no network", stderr)
        self.assertIn("build/packages.log", stderr)

    def test_installed_but_not_found_ends(self):
        self.command("apt-get", "#!/bin/sh\nexit 0\n")
        status, _, stderr = self.launch("a")
        self.assertEqual(status, 125)
        self.assertIn("not found: cmake libfmt-dev", stderr)


@unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "root may write everywhere")
class ReadOnlyClone(LauncherTest):
    def start(self, *arguments, at=None, **options):
        process = super().start
        if os.geteuid() != 0:
            return process(*arguments, **options)
        # Root may write everywhere: run as nobody, who may read.
        self.folder.chmod(0o755)
        drop = ["--reuid=65534", "--regid=65534", "--clear-groups", str(self.clone / "heapledger")]
        return process(*drop, *arguments, at=shutil.which("setpriv"), **options)

    def lock(self):
        for folder, _, _ in os.walk(self.clone, topdown=False):
            os.chmod(folder, 0o555)
            self.addCleanup(os.chmod, folder, 0o755)

    def test_nothing_built(self):
        self.lock()
        status, _, stderr = self.launch("a")
        self.assertEqual(status, 125)
        self.assertIn("cannot write to", stderr)

    def test_a_built_tool_is_used(self):
        super().start().communicate()
        self.lock()
        self.assertEqual(self.launch("a"), (7, "<a>", ""))

    def test_an_old_tool_is_used_with_a_word(self):
        super().start().communicate()
        os.utime(self.clone / "src/cli/main.cpp", (time.time() + 9, time.time() + 9))
        self.lock()
        status, stdout, stderr = self.launch("a")
        self.assertEqual((status, stdout), (7, "<a>"))
        self.assertIn("using it as it is", stderr)


if __name__ == "__main__":
    unittest.main()
