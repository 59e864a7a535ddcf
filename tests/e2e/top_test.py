"""`heapledger top` in a terminal, and without one, against what the program says that it holds.

The terminal is tmux's. Nothing is waited for but what has to appear on it, for as long as a busy
machine may take."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import harness

PATIENCE = 60  # seconds
NAMES = ("grow", "steady", "shrink", "deep")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class Told:
    """The program that does what it is told, in live mode."""

    def __init__(self, words="mode=live"):
        self.ledgers = harness.fresh_folder()
        self.process = subprocess.Popen(
            [harness.program("top_sites")], cwd=harness.fresh_folder(), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=harness.recording_environment(self.ledgers, words=words))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.end()

    @property
    def pid(self):
        return str(self.process.pid)

    def tell(self, line):
        """Does it; returns what the program holds then: {name: (bytes, blocks)}."""
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().decode().split()
        harness.expect_equal(words[0::3], list(NAMES), "the program's answer")
        return {name: (int(size), int(count))
                for name, size, count in zip(words[0::3], words[1::3], words[2::3])}

    def end(self):
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        self.process.wait(PATIENCE)
        self.process.stdout.close()


class Tmux:
    """A shell in a terminal of its own."""

    count = 0

    def __init__(self, width=100, height=30, environment=None):
        Tmux.count += 1
        self.name = f"heapledger-top-{os.getpid()}-{Tmux.count}"
        self.environment = harness.plain_environment(
            {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color", **(environment or {})})
        self.environment.pop("TMUX", None)
        self.environment["TMUX_TMPDIR"] = harness.fresh_folder()
        self.run("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height),
                 "ulimit -c 0; exec env 'PS1=prompt> ' bash --norc --noprofile")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("kill-server")

    def run(self, *words):
        done = subprocess.run(["tmux", "-u", "-L", self.name, *words], env=self.environment,
                              capture_output=True, timeout=PATIENCE, check=False)
        harness.expect_equal(done.returncode, 0, f"tmux {words}: {harness.shown(done.stderr)}")
        return done.stdout.decode()

    def keys(self, *keys):
        self.run("send-keys", *keys)

    def type(self, text):
        self.run("send-keys", "-l", text)

    def screen(self):
        return self.run("capture-pane", "-p").split("\n")

    def wait_for(self, wanted, what):
        """Polls until `wanted(lines)` is something, which it returns."""
        end = time.monotonic() + PATIENCE
        while True:
            lines = self.screen()
            found = wanted(lines)
            if found:
                return found
            if time.monotonic() > end:
                raise harness.Failure(f"{what} did not appear within {PATIENCE} s:\n"
                                      + "\n".join(lines))
            time.sleep(0.05)

    def wait_for_text(self, text):
        self.wait_for(lambda lines: any(text in line for line in lines), f"'{text}'")

    def start(self, told, *words):
        self.type(f"{harness.TOOL} top {told.pid} --interval 200ms {' '.join(words)}")
        self.keys("Enter")
        self.wait_for_text("WHERE")


def functions_shown(lines):
    """The test's own sites on the screen, from above."""
    found = [re.search(r"\b(\w+)_here\b", line) for line in table(lines)]
    return [match.group(1) for match in found if match]


def table(lines):
    starts = [i for i, line in enumerate(lines) if "WHERE" in line or "FUNCTION" in line]
    return lines[starts[0] + 1:] if starts else []


def row_of(lines, name):
    for line in table(lines):
        if f"{name}_here" in line:
            return line
    return ""


def shown_bytes(size):
    """As the screen has it: one digit behind the point."""
    for unit, factor in reversed(UNITS.items()):
        if size >= factor:
            return f"{size} B" if factor == 1 else f"{size / factor:.1f} {unit}"
    return "0 B"


class OnATerminal(unittest.TestCase):
    def fill(self, told):
        told.tell("grow 10 1024")
        told.tell("steady 300 10")
        return told.tell("shrink 5 4096")

    def test_shows_what_the_program_holds_and_how_it_changes(self):
        with Told() as told, Tmux() as tmux:
            self.fill(told)
            tmux.start(told)
            told.tell("grow 90 1024")
            truth = told.tell("drop 3")
            for name in ("grow", "steady", "shrink"):
                size, blocks = truth[name]
                tmux.wait_for(lambda lines, n=name, s=size, b=blocks: re.search(
                    rf"\s{re.escape(shown_bytes(s))}\s.*\s{b}\s", row_of(lines, n)),
                    f"{name}: {shown_bytes(size)} in {blocks} blocks")
            tmux.wait_for(lambda lines: "▲+90.0 KiB" in row_of(lines, "grow"), "growth")
            tmux.wait_for(lambda lines: "▼-12.0 KiB" in row_of(lines, "shrink"), "shrinking")
            tmux.wait_for(lambda lines: "▲" not in row_of(lines, "steady")
                          and "█████" in row_of(lines, "steady"), "what stays as it is")
            total = sum(size for size, _ in truth.values())
            blocks = sum(count for _, count in truth.values())
            tmux.wait_for_text(f"live {shown_bytes(total)} in {blocks} blocks")
            self.assertTrue(any("top_sites (" + told.pid in line for line in tmux.screen()))

    def test_keys_sort_filter_group_pause_and_show_stacks(self):
        with Told() as told, Tmux() as tmux:
            self.fill(told)
            told.tell("deep 1 100")
            tmux.start(told)
            order = ["shrink", "grow", "steady", "deep"]
            tmux.wait_for(lambda lines: functions_shown(lines) == order, "order by live bytes")
            tmux.keys("r")
            tmux.wait_for(lambda lines: functions_shown(lines) == order[::-1], "the reverse")
            tmux.keys("r")
            tmux.keys("<")
            tmux.wait_for(lambda lines: functions_shown(lines) == sorted(order), "order by name")
            tmux.keys("<")
            tmux.wait_for(lambda lines: functions_shown(lines)
                          == ["steady", "grow", "shrink", "deep"], "order by blocks")
            tmux.keys("s")
            tmux.keys("s")
            tmux.keys("/")
            tmux.type("STEADY_")
            tmux.wait_for(lambda lines: functions_shown(lines) == ["steady"], "the filter")
            tmux.keys("Enter")
            tmux.wait_for_text("only with 'STEADY_'")
            tmux.keys("Escape")
            tmux.wait_for(lambda lines: functions_shown(lines) == order, "no filter")
            tmux.keys("g")
            tmux.wait_for_text("FUNCTION")
            tmux.keys("g")
            tmux.wait_for_text("WHERE")
            for _ in order:
                tmux.keys("Down")
            tmux.wait_for(lambda lines: any(re.search(r"\s0\s+deep_here\s", line)
                                            for line in lines), "the stack of the last row")
            tmux.wait_for(lambda lines: any(re.search(r"\s5.?\s+down\s", line)
                                            for line in lines), "its frames")
            tmux.keys("End")
            for _ in range(12):
                tmux.keys("NPage")
            tmux.wait_for(lambda lines: any(re.search(r"\s32\s+main\s", line)
                                            for line in lines), "the outermost frame")
            tmux.keys("Enter")
            tmux.wait_for(lambda lines: not any("down" in line for line in lines), "no stack")
            tmux.keys("p")
            tmux.wait_for_text("PAUSED")
            tmux.keys("p")
            tmux.keys("+")
            tmux.wait_for_text("every 500 ms")
            tmux.keys("h")
            tmux.wait_for_text("the other way round")
            tmux.keys("h")
            tmux.wait_for_text("WHERE")

    def test_follows_the_size_of_the_terminal(self):
        with Told() as told, Tmux() as tmux:
            self.fill(told)
            tmux.start(told)
            tmux.wait_for_text("BLOCKS")
            tmux.run("set-option", "-g", "window-size", "manual")
            tmux.run("resize-window", "-x", "40", "-y", "10")
            tmux.wait_for(lambda lines: "BLOCKS" not in "".join(lines)
                          and functions_shown(lines) == ["shrink", "grow", "steady"], "40 by 10")
            self.assertLessEqual(max(len(line) for line in tmux.screen()), 40)
            tmux.run("resize-window", "-x", "180", "-y", "50")
            tmux.wait_for(lambda lines: "CALLS/S" in "".join(lines)
                          and any("q quit" in line for line in lines[48:]), "180 by 50")

    def expect_shell(self, tmux):
        """The prompt is back, keys are shown again and taken line by line, and nothing is left over."""
        def at_the_prompt(lines):
            command = tmux.run("display-message", "-p", "#{pane_current_command}")
            return (command == "bash\n" and not any("WHERE" in line for line in lines)
                    and any(line.startswith("prompt>") for line in lines))

        def settings(lines):
            return [line for line in lines
                    if re.fullmatch(r"(-?(echo|icanon|ixon|icrnl) ?){4}", line)]

        tmux.wait_for(at_the_prompt, "the prompt")
        before = len(settings(tmux.screen()))
        tmux.type("stty -a | tr ' ;' '\\n\\n' | grep -xE -e '-?(echo|icanon|ixon|icrnl)' | xargs")
        tmux.keys("Enter")
        flags = tmux.wait_for(lambda lines: settings(lines)[before:], "what stty says")
        self.assertEqual(sorted(flags[-1].split()), ["echo", "icanon", "icrnl", "ixon"])
        self.assertEqual(tmux.run("display-message", "-p",
                                  "#{alternate_on} #{cursor_flag} #{wrap_flag}").split(),
                         ["0", "1", "1"])

    def test_gives_the_terminal_back_on_every_way_out(self):
        with Told() as told, Tmux(height=40) as tmux:
            self.fill(told)
            for way in ("q", "C-c", "C-\\", signal.SIGTERM, signal.SIGHUP):
                with self.subTest(way=way):
                    tmux.type("clear")
                    tmux.keys("Enter")
                    tmux.start(told)
                    self.assertEqual(tmux.run("display-message", "-p", "#{alternate_on}"), "1\n")
                    if isinstance(way, str):
                        tmux.keys(way)
                    else:
                        os.kill(self.tool_in(tmux), way)
                    self.expect_shell(tmux)

    def test_stops_and_goes_on(self):
        with Told() as told, Tmux(height=40) as tmux:
            self.fill(told)
            tmux.start(told)
            tmux.keys("C-z")
            tmux.wait_for_text("Stopped")
            self.expect_shell(tmux)
            tmux.type("fg")
            tmux.keys("Enter")
            tmux.wait_for_text("WHERE")
            os.kill(self.tool_in(tmux), signal.SIGSTOP)
            tmux.wait_for_text("Stopped")
            tmux.type("clear; fg")
            tmux.keys("Enter")
            tmux.wait_for_text("q quit")
            tmux.keys("q")
            self.expect_shell(tmux)

    def tool_in(self, tmux):
        shell = tmux.run("display-message", "-p", "#{pane_pid}").strip()
        with open(f"/proc/{shell}/task/{shell}/children", encoding="ascii") as file:
            (tool,) = file.read().split()
        return int(tool)

    def test_shows_the_last_screen_when_the_process_ends(self):
        with Told() as told, Tmux() as tmux:
            self.fill(told)
            tmux.start(told)
            tmux.wait_for(lambda lines: len(functions_shown(lines)) == 3, "all sites")
            told.end()
            tmux.wait_for_text(f"process {told.pid} has ended")
            lines = tmux.screen()
            self.assertEqual(functions_shown(lines), ["shrink", "grow", "steady"])
            tmux.type("echo status $?")
            tmux.keys("Enter")
            tmux.wait_for(lambda seen: "status 0" in seen, "the exit status")

    def test_other_locales_get_plain_signs_and_no_color_no_colours(self):
        with Told() as told, Tmux(environment={"LC_ALL": "C", "NO_COLOR": "1"}) as tmux:
            self.fill(told)
            tmux.start(told)
            told.tell("grow 90 1024")
            tmux.wait_for(lambda lines: "^+90.0 KiB" in row_of(lines, "grow"), "growth")
            painted = tmux.run("capture-pane", "-p", "-e")
            self.assertIsNone(re.search("\x1b\\[[0-9;]*[349][0-7]m", painted))


class WithoutATerminal(unittest.TestCase):
    def top(self, told, *words, status=0, interval="100ms"):
        done = subprocess.run([harness.TOOL, "top", told.pid, "--interval", interval, *words],
                              env=harness.plain_environment({"LC_ALL": "C.UTF-8"}),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE,
                              check=False)
        harness.expect_equal(done.returncode, status, harness.shown(done.stderr))
        return done

    def test_one_screen_has_the_truth(self):
        with Told() as told:
            told.tell("grow 100 1000")
            truth = told.tell("steady 7 50")
            lines = self.top(told, "--once").stdout.decode().split("\n")
            self.assertEqual(lines[1].split("  ")[0], "live 98.0 KiB in 107 blocks")
            self.assertRegex(row_of(lines, "grow"), r"^ +97\.7 KiB +99\.7% +100 ")
            answer = json.loads(self.top(told, "--once", "--json").stdout)
            self.assertEqual(answer["schema"], "heapledger.top/1")
            self.assertEqual(answer["total"]["live_bytes"], sum(v[0] for v in truth.values()))
            self.assertEqual(answer["total"]["live_blocks"], sum(v[1] for v in truth.values()))
            for row in answer["rows"]:
                name = row["name"].removesuffix("_here")
                self.assertEqual((row["live_bytes"], row["live_blocks"]), truth[name])
                self.assertEqual(row["growth_bytes"], 0)
                self.assertEqual(row["frames"][-1]["function"], "_start")
            self.assertEqual(answer["threads"], 1)
            self.assertGreater(answer["rss_bytes"], 100_000)

    def test_rates_are_what_was_allocated_between_the_readings(self):
        with Told() as told:
            told.tell("grow 1 10")
            told.tell("shrink 50 100")
            top = subprocess.Popen(
                [harness.TOOL, "top", told.pid, "--interval", "50ms", "--batch", "100000", "--json"],
                env=harness.plain_environment(), stdout=subprocess.PIPE)
            try:
                # From here on two readings are over, and whatever happens is seen by the next ones.
                json.loads(top.stdout.readline())
                told.tell("churn 1234 77")
                told.tell("grow 20 1000")
                truth = told.tell("drop 10")
                calls, sizes = {}, {}
                end = time.monotonic() + PATIENCE
                # Accounts are read before blocks: those of one that has all blocks may be old, those
                # of the next are not.
                complete = 0
                while complete < 2:
                    answer = json.loads(top.stdout.readline())
                    for row in answer["rows"]:
                        name = row["name"].removesuffix("_here")
                        calls[name] = calls.get(name, 0) + row["calls"]
                        sizes[name] = sizes.get(name, 0) + row["bytes"]
                        per_second = row["calls"] * 1e9 / answer["interval_ns"]
                        self.assertAlmostEqual(row["calls_per_second"], per_second, places=3)
                    grown = {row["name"]: row["growth_since_first_bytes"] for row in answer["rows"]}
                    if answer["total"]["live_bytes"] == sum(v[0] for v in truth.values()):
                        complete += 1
                    self.assertLess(time.monotonic(), end, answer)
                self.assertEqual(calls, {"churn": 1234, "grow": 20, "shrink": 0})
                self.assertEqual(sizes, {"churn": 1234 * 77, "grow": 20_000, "shrink": 0})
                self.assertEqual(grown["grow_here"], 20_000)
                self.assertEqual(grown["shrink_here"], -1000)
            finally:
                top.kill()
                top.wait()
                top.stdout.close()

    def test_tables_that_grow_after_the_first_reading_are_read_whole(self):
        with Told() as told:
            told.tell("grow 1 10")
            top = subprocess.Popen(
                [harness.TOOL, "top", told.pid, "--interval", "50ms", "--batch", "100000", "--json"],
                env=harness.plain_environment(), stdout=subprocess.PIPE)
            try:
                json.loads(top.stdout.readline())
                truth = told.tell("grow 99999 16")
                wanted = truth["grow"]
                end = time.monotonic() + PATIENCE
                seen = None
                while seen != wanted:
                    self.assertLess(time.monotonic(), end, seen)
                    answer = json.loads(top.stdout.readline())
                    self.assertIsNone(answer["problem"])
                    seen = answer["total"]["live_bytes"], answer["total"]["live_blocks"]
            finally:
                top.kill()
                top.wait()
                top.stdout.close()

    def test_options_choose_and_sort(self):
        with Told() as told:
            told.tell("grow 1 1000")
            told.tell("steady 5 10")
            told.tell("deep 2 100")

            def names(*words):
                rows = json.loads(self.top(told, "--once", "--json", *words).stdout)["rows"]
                return [row["name"].removesuffix("_here") for row in rows]

            self.assertEqual(names(), ["grow", "deep", "steady"])
            self.assertEqual(names("--sort", "blocks"), ["steady", "deep", "grow"])
            self.assertEqual(names("--sort", "name", "--reverse"), ["steady", "grow", "deep"])
            self.assertEqual(names("--filter", "DOWN"), ["deep"])
            self.assertEqual(names("--by", "function", "--top", "1"), ["grow"])

    def test_samples_are_said_to_be_estimates(self):
        with Told("mode=live live=sampled sample-calls=1") as told:
            truth = told.tell("grow 40 1000")
            answer = json.loads(self.top(told, "--once", "--json").stdout)
            self.assertEqual(answer["total"]["live_bytes"], truth["grow"][0])
            self.assertIsNone(answer["rows"][0]["calls"])

    def test_the_end_of_the_process_is_told(self):
        with Told() as told:
            told.tell("grow 3 1000")
            top = subprocess.Popen([harness.TOOL, "top", told.pid, "--interval", "50ms",
                                    "--batch", "100000"], env=harness.plain_environment(),
                                   stdout=subprocess.PIPE)
            top.stdout.readline()
            told.end()
            text = top.communicate(timeout=PATIENCE)[0].decode()
            self.assertEqual(top.returncode, 0)
            last = text.split("\n\n")[-1].split("\n")
            self.assertIn("2.9 KiB", row_of(last, "grow"))
            self.assertEqual(last[-2], f"process {told.pid} has ended")

    def test_what_cannot_be_watched_is_refused_with_the_way_out(self):
        with Told("mode=trace") as told:
            told.tell("grow 3 1000")
            self.assertIn(b"--mode live", self.top(told, "--once", status=2).stderr)
        with Told() as told:
            told.tell("grow 3 1000")
            self.assertIn(b"--once", self.top(told, status=2).stderr)
            self.assertIn(b"--json needs", self.top(told, "--json", status=2).stderr)
            self.assertIn(b"cannot read 'soon' as a duration", self.top(told, "--once", interval="soon", status=2).stderr)


if __name__ == "__main__":
    if shutil.which("tmux") is None:
        print("skipped: the Debian package tmux is missing")
        sys.exit(77)
    unittest.main()
