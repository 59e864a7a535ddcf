"""How recordings in live mode end, and what they say about it: stops, tables that could not be written,
signals, forks. Figures come from what the program itself has counted."""

import os
import random
import re
import resource
import signal
import subprocess
import time
import unittest

import harness
import live_truth

COUNT = 300_000  # five parts of the table of blocks
ROOT = os.geteuid() == 0
NEEDS_ROOT = "only root may do this"


def command(count, when, limit, end):
    return [harness.program("live_ends"), str(count), when, limit, str(end)]


def recorded(count, when, limit, end, words, **options):
    """A recorded run that is the same as the native one."""
    plain = harness.native(command(count, when, limit, end), **options)
    with_us = harness.recorded(command(count, when, limit, end), words=f"mode=live {words}", **options)
    harness.expect_same(plain, with_us)
    return with_us


def tool(verb, *words):
    done = subprocess.run([harness.TOOL, verb, *words], env=harness.plain_environment(),
                          capture_output=True, timeout=harness.HANG_SECONDS, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def own_calls(answer):
    return sum(group["calls"] for group in answer["groups"]
               if group["frames"] and group["frames"][0]["function"] == "take")


def own_blocks(answer):
    return sum(group["end_blocks"] for group in answer["groups"]
               if group["frames"] and group["frames"][0]["function"] == "take")


class Stops(unittest.TestCase):
    """What was entered and what was missed are together what was made, and the cause is told."""

    def expect_stop(self, run, cause):
        answer = harness.report(run)
        ledger = answer["ledgers"][0]
        self.assertIn(cause, ledger["stopped"] or "")
        self.assertFalse(ledger["complete"])
        self.assertEqual(answer["totals"]["missed"], ledger["missed"])
        made = int(run.stdout)
        self.assertEqual(made, COUNT)
        self.assertEqual(own_calls(answer) + ledger["missed"], made)
        self.assertGreater(own_calls(answer), 0)
        self.assertGreater(ledger["missed"], 1000)
        info = harness.tool_json("info", run.ledgers)["ledgers"][0]
        self.assertEqual((info["stopped"], info["missed"]), (ledger["stopped"], ledger["missed"]))
        status, text, _ = tool("report", *run.ledgers)
        self.assertEqual(status, 0)
        self.assertIn(cause, re.sub(r"\s+", " ", text + _))

    def stop_in_file(self, limit, cause):
        self.expect_stop(recorded(COUNT, "first", limit, "exit", "tables=file"), cause)

    def test_file_size(self):
        self.stop_in_file(f"fsize={8 << 20}", "file size limit (ulimit -f)")

    def test_descriptors(self):
        self.stop_in_file("nofile=0", "no file descriptor was free (ulimit -n)")

    @unittest.skipUnless(ROOT, NEEDS_ROOT)
    def test_rights(self):
        self.stop_in_file("user", "no permission")

    @unittest.skipUnless(ROOT, NEEDS_ROOT)
    def test_root_folder(self):
        self.stop_in_file("root", "out of reach (chroot)")

    def test_memory(self):
        self.expect_stop(recorded(COUNT, "first", "memory", "exit", "tables=memory"),
                         "no memory could be mapped (ulimit -v")

    def test_a_snapshot_tells_it_too(self):
        folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
        environment = harness.recording_environment(ledgers, words="mode=live tables=file")
        with subprocess.Popen(command(COUNT, "first", f"fsize={8 << 20}", "hold"), cwd=folder,
                              env=environment, stdout=subprocess.PIPE) as process:
            try:
                self.assertEqual(int(process.stdout.readline()), COUNT)
                answer = live_truth.tool("snapshot", str(process.pid))
            finally:
                process.kill()
        self.assertIn("file size limit", answer["ledgers"][0]["stopped"])
        self.assertEqual(own_calls(answer) + answer["ledgers"][0]["missed"], COUNT)


class NotWritten(unittest.TestCase):
    """Tables in memory that could not be written at the end: the cause, and what to do."""

    def expect_cause(self, limit, *texts):
        run = recorded(COUNT, "last", limit, "exit", "")
        for verb in ("report", "info"):
            status, _, errors = tool(verb, *run.ledgers)
            errors = re.sub(r"\s+", " ", errors)
            self.assertEqual(status, 3, errors)
            for text in ("live mode", "could not be written") + texts:
                self.assertIn(text, errors)
        return run

    def test_file_size(self):
        self.expect_cause("fsize=0", "file size limit (ulimit -f)", "Raise the limit")

    def test_descriptors(self):
        self.expect_cause("nofile=0", "no file descriptor was free", "ulimit -n", "--tables file")

    @unittest.skipUnless(ROOT, NEEDS_ROOT)
    def test_rights(self):
        self.expect_cause("user", "no permission", "--tables file", "heapledger snapshot")

    @unittest.skipUnless(ROOT, NEEDS_ROOT)
    def test_root_folder(self):
        self.expect_cause("root", "out of reach (chroot)", "--tables file")

    def test_under_run(self):
        run = harness.execute([harness.TOOL, "run", "--mode", "live", "--"] +
                              command(COUNT, "last", "fsize=0", "exit"), harness.plain_environment(),
                              harness.fresh_folder(), "")
        self.assertEqual(run.status, 0)
        self.assertIn("the file size limit (ulimit -f) was reached",
                      re.sub(r"\s+", " ", run.stderr.decode()))

    @unittest.skipUnless(ROOT, NEEDS_ROOT)
    def test_full_disk(self):
        place, copies = harness.fresh_folder(), harness.fresh_folder()
        lines = ("mount -t tmpfs -o size=1m none \"$PLACE\" || exit 77\n"
                 "LD_PRELOAD=$INNER \"$@\"; status=$?\ncp \"$PLACE\"/* \"$COPIES\"; exit $status")
        environment = harness.recording_environment(place, words="mode=live")
        environment.update(PLACE=place, COPIES=copies, INNER=environment.pop("LD_PRELOAD"))
        run = harness.execute(["unshare", "-m", "sh", "-c", lines, "sh"] +
                              command(COUNT, "last", "none", "exit"), environment,
                              harness.fresh_folder(), copies)
        if run.status == 77 or b"unshare" in run.stderr:
            self.skipTest("no mount namespace of one's own here")
        self.assertEqual((run.status, run.stdout), (0, b"%d\n" % COUNT))
        answer = harness.report([run.ledger_of("live_ends")])
        # What has room is there, and the sums of the sites are of all.
        self.assertIn("not all of its tables could be written", answer["ledgers"][0]["stopped"])
        self.assertIn("No space left on device", answer["ledgers"][0]["stopped"])
        self.assertEqual(own_calls(answer), COUNT)
        self.assertLess(own_blocks(answer), COUNT)

    def test_part_of_it(self):
        run = recorded(COUNT, "last", f"fsize={12 << 20}", "exit", "")
        self.assertIsNone(harness.report(run)["ledgers"][0]["stopped"])
        run = recorded(COUNT, "last", f"fsize={4 << 20}", "exit", "")
        self.expect_part(harness.report(run))

    def test_part_of_it_under_run(self):
        """`run` keeps what there is, as an ordinary ledger, sealed like others."""
        run = harness.recorded_by_tool(command(COUNT, "last", f"fsize={4 << 20}", "exit"),
                                       options=("--mode", "live"))
        self.expect_part(harness.report(run))
        self.assertTrue(harness.tool_json("info", run.ledgers)["ledgers"][0]["sealed"])

    def expect_part(self, answer):
        self.assertIn("not all of its tables could be written", answer["ledgers"][0]["stopped"])
        self.assertIn("File too large", answer["ledgers"][0]["stopped"])
        self.assertEqual(own_calls(answer), COUNT)
        self.assertGreater(own_blocks(answer), 65536)
        self.assertLess(own_blocks(answer), COUNT)


class StillWritten(unittest.TestCase):
    """What needs the file only at the end goes on where the file cannot grow for a while."""

    def test_threads_begun_where_the_file_cannot_grow(self):
        """A new thread finds no room in the file: it is recorded all the same."""
        folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
        environment = harness.recording_environment(ledgers, words="mode=live")
        with subprocess.Popen(command(1000, "last", f"fsize={64 << 10}", "thread"), cwd=folder,
                              env=environment, stdout=subprocess.PIPE) as process:
            try:
                self.assertEqual(process.stdout.readline(), b"1000\n")
                self.assertEqual(process.stdout.readline(), b"ready\n")
                answer = live_truth.tool("snapshot", str(process.pid))
            finally:
                process.kill()
        self.assertEqual((answer["ledgers"][0]["stopped"], answer["ledgers"][0]["missed"]), (None, 0))
        self.assertEqual(own_blocks(answer), 1001)


    def test_behind_a_system_call_filter(self):
        """What was reserved before the filter came has room for the tables."""
        run = harness.recorded([harness.program("filters_refusing")], words="mode=live")
        made = int(re.search(rb"^account calls=(\d+)", run.stdout, re.MULTILINE).group(1))
        answer = harness.report(run)
        harness.expect_complete(answer)
        self.assertEqual(harness.own_sums(answer, "filters_refusing")["calls"], made)

    def test_exit_in_a_handler(self):
        """Also when it has interrupted the recorder itself."""
        for _ in range(5):
            run = recorded(1000, "last", "none", "handler", "")
            answer = harness.report(run)
            self.assertEqual(own_blocks(answer), 1000)


class Signals(unittest.TestCase):
    NUMBERS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
               signal.SIGPIPE, signal.SIGALRM, signal.SIGTERM, signal.SIGVTALRM, signal.SIGPROF,
               signal.SIGXCPU, signal.SIGXFSZ, signal.SIGIO, signal.SIGPWR)

    def expect_kept(self, run, number, blocks):
        self.assertEqual(run.signal, number)
        answer = harness.report(run)
        harness.expect_complete(answer)
        self.assertEqual((own_calls(answer), own_blocks(answer)), (blocks, blocks))

    def test_each_that_ends_by_default(self):
        no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number in self.NUMBERS:
            with self.subTest(number=number):
                run = recorded(1000, "last", "none", int(number), "", before_exec=no_core)
                self.expect_kept(run, number, 1000)

    def test_with_the_default_set_again_in_a_handler(self):
        self.expect_kept(recorded(1000, "last", "none", "dfl=15", ""), signal.SIGTERM, 1000)

    def test_after_a_filter_that_was_refused(self):
        self.expect_kept(recorded(1000, "last", "refused", 15, ""), signal.SIGTERM, 1000)

    def test_blocked_in_a_system_call(self):
        for end in ("hold", "hold-read", "thread"):
            with self.subTest(end=end):
                folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
                environment = harness.recording_environment(ledgers, words="mode=live")
                with subprocess.Popen(command(1000, "last", "none", end), cwd=folder, env=environment,
                                      stdout=subprocess.PIPE) as process:
                    for line in (b"1000\n", b"ready\n"):
                        self.assertEqual(process.stdout.readline(), line)
                    process.send_signal(signal.SIGTERM)
                    self.assertEqual(process.wait(harness.HANG_SECONDS), -signal.SIGTERM)
                answer = harness.report([os.path.join(ledgers, name) for name in os.listdir(ledgers)])
                self.assertEqual(own_blocks(answer), 1001 if end == "thread" else 1000)

    def test_interrupted_at_the_terminal_under_run(self):
        """^C goes to the whole group; `run` outlives it and shows what was live."""
        folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
        pattern = os.path.join(ledgers, "%e.%p.ledger")
        words = [harness.TOOL, "run", "--mode", "live", "-o", pattern, "--"]
        with subprocess.Popen(words + command(1000, "last", "none", "hold"), cwd=folder,
                              env=harness.plain_environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True) as process:
            for line in (b"1000\n", b"ready\n"):
                self.assertEqual(process.stdout.readline(), line)
            os.killpg(process.pid, signal.SIGINT)
            _, errors = process.communicate(timeout=harness.HANG_SECONDS)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        (ledger,) = os.listdir(ledgers)
        self.assertEqual(own_blocks(harness.report([os.path.join(ledgers, ledger)])), 1000)

    def test_at_random_instants(self):
        """What is kept is within one operation of the truth, for each thread."""
        chance = random.Random(17)
        judged = 0
        for round_number in range(int(os.environ.get("HEAPLEDGER_ROUNDS", "20"))):
            threads = chance.choice((1, 2, 4))
            folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
            process, path = live_truth.start(folder, ledgers, threads, 0, round_number, "hold",
                                             "mode=live")
            time.sleep(0.02 + chance.random() * 0.2)
            process.terminate()
            process.wait()
            process.stdout.close()
            self.assertEqual(process.returncode, -signal.SIGTERM)
            if not os.path.exists(path) or os.path.getsize(path) == 0:
                continue
            with self.subTest(round=round_number, threads=threads):
                paths = [os.path.join(ledgers, name) for name in os.listdir(ledgers)]
                answer = live_truth.tool("report", *paths, *live_truth.BLOCKS)
                truth = live_truth.Truth(path, threads)
                live_truth.compare(truth, answer)
                judged += len(truth.blocks) > 0
        self.assertGreater(judged, 0)

    @unittest.skipUnless(ROOT, NEEDS_ROOT)
    def test_the_first_process_of_a_container_is_not_ended(self):
        """There the kernel ignores such a signal, and so do we."""
        words = ["unshare", "--pid", "--fork"]
        runs = []
        for environment in (harness.plain_environment(),
                            harness.recording_environment(harness.fresh_folder(), words="mode=live")):
            with subprocess.Popen(words + command(10, "last", "none", "15"), env=environment,
                                  cwd=harness.fresh_folder(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, start_new_session=True) as process:
                line = process.stdout.readline()
                if line == b"":
                    self.skipTest("no process namespace of one's own here")
                time.sleep(0.3)  # it has had the signal by then, or gets it later: both are alive
                runs.append((line, process.poll()))
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(runs[0], (b"10\n", None))


class Forked(unittest.TestCase):
    def held(self, words):
        """Parent and child of a fork, at rest."""
        folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
        process, path = live_truth.start(folder, ledgers, 2, 5_000, 13, "fork", words)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        child = subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid="], capture_output=True,
                               check=True).stdout.split()[0].decode()
        return process, child, ledgers, path

    def wait_for_end_of(self, pid):
        """Until the process, which need not be our child, is gone or a zombie."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                    if file.read().rpartition(")")[2].split()[0] in "ZX":
                        return
            except (FileNotFoundError, ProcessLookupError):
                return
            time.sleep(0.01)
        self.fail(f"{pid} does not end")

    def test_threads_are_counted_once(self):
        """Two threads before the fork, one after it in the child."""
        process, child, ledgers, _ = self.held("mode=live")
        try:
            facts = live_truth.tool("snapshot", child)["ledgers"][0]
            blocks = live_truth.tool("snapshot", child, *live_truth.BLOCKS)["blocks"]
            self.assertEqual(facts["threads"], 1)
            # Blocks from before keep their threads, whose numbers are not the child's.
            self.assertIn(process.pid, {block["tid"] for block in blocks})
            # The child first, and to its end: it writes its tables then.
            os.kill(int(child), signal.SIGTERM)
            self.wait_for_end_of(child)
            os.kill(process.pid, signal.SIGTERM)
            process.wait()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
        paths = sorted(os.path.join(ledgers, name) for name in os.listdir(ledgers))
        threads = {ledger["pid"]: ledger["threads"] for ledger in harness.report(paths)["ledgers"]}
        self.assertEqual(threads, {process.pid: 2, int(child): 1})
        (info,) = [ledger for ledger in harness.tool_json("info", paths)["ledgers"]
                   if ledger["pid"] == int(child)]
        self.assertEqual([thread["tid"] for thread in info["threads"] if not thread["inherited"]],
                         [int(child)])

    def test_a_child_that_is_ended_leaves_its_heap(self):
        process, child, ledgers, path = self.held("mode=live")
        try:
            os.kill(int(child), signal.SIGTERM)
            deadline = time.monotonic() + harness.HANG_SECONDS
            while "Z" not in subprocess.run(["ps", "-o", "stat=", child], capture_output=True,
                                            check=False).stdout.decode():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
        (ledger,) = [name for name in os.listdir(ledgers) if f".{child}." in name]
        answer = live_truth.tool("report", os.path.join(ledgers, ledger), *live_truth.BLOCKS)
        live_truth.compare(live_truth.Truth(path, 2), answer)


if __name__ == "__main__":
    unittest.main()
