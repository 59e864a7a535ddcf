"""`heapledger view` of what still goes on: a trace that grows, and a process in live mode. What is
expected is what the program says that it holds."""

import os
import subprocess
import time
import unittest

import harness
import viewing

PATIENCE = 60  # seconds


class Told:
    """The program that does what it is told (programs/top_sites.c), recorded."""

    def __init__(self, words):
        self.folder = harness.fresh_folder()
        self.process = subprocess.Popen(
            [harness.program("top_sites")], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=harness.recording_environment(self.folder, words=words))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.end()

    def ledger(self):
        return next(os.path.join(self.folder, name) for name in os.listdir(self.folder) if name.endswith(".ledger"))

    def tell(self, line):
        """Does it; returns the bytes that all its sites hold then."""
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return sum(map(int, self.process.stdout.readline().split()[1::3]))

    def end(self):
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        self.process.wait(PATIENCE)
        self.process.stdout.close()


class Live(unittest.TestCase):
    def wait_for(self, view, has):
        """The recording, once it has something."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            recording = view.recording()
            if has(recording):
                return recording
            time.sleep(0.1)
        self.fail(f"the recording never had it: {recording['totals']}")

    def live_of(self, view, function, **more):
        answer = view.ask("/api/ask", {"question": {"by": "function", "at": "end"}, **more})["answer"]
        return next((row["all"].get("live_bytes", 0) for row in viewing.rows_of(answer["rows"], answer)
                     if row["name"] == function), 0)

    def test_a_trace_that_grows(self):
        with Told("") as told:
            held = told.tell("grow 100 1000")
            with viewing.View("--no-browser", told.ledger()) as view, viewing.Page(view) as page:
                self.wait_for(view, lambda recording: recording["goes_on"])
                self.wait_for(view, lambda recording: self.live_of(view, "grow_here") == held)
                held = told.tell("grow 50 2000")
                self.assertEqual(held, 200000)
                heard = page.events()
                self.assertTrue(next(event for event in heard if "grown" in event)["grown"]["goes_on"])
                self.wait_for(view, lambda recording: self.live_of(view, "grow_here") == held)
                # A marker from the page; the program carries it out with its next call.
                marked = []

                def mark():
                    marked.append(view.send("/api/marker", {"text": "from here"}))

                def go_on():
                    while not marked:
                        told.tell("churn 10 16")
                        time.sleep(0.02)

                viewing.at_once(mark, go_on)
                self.assertEqual(marked[0][0], 200, marked[0][2])
                recording = self.wait_for(view, lambda recording: recording["markers"])
                self.assertEqual([marker["text"] for marker in recording["markers"]], ["from here"])
                told.tell("steady 7 100")
                told.end()
                last = self.wait_for(view, lambda recording: not recording["goes_on"])
                self.assertFalse(next(event for event in heard if "grown" in event and
                                      not event["grown"]["goes_on"])["grown"]["goes_on"])
                report = harness.tool_json("report", [told.ledger()])
                for key in ("calls", "bytes", "peak_bytes", "temporary_calls"):
                    self.assertEqual(last["totals"][key], report["totals"][key], key)
                self.assertEqual(last["totals"]["live_bytes"], held + 700)
                self.assertEqual(self.live_of(view, "steady_here"), 700)
                self.assertEqual(self.live_of(view, "grow_here"), held)
                # Nobody records any more.
                self.assertEqual(view.send("/api/marker", {"text": "late"})[0], 400)
                self.assertEqual(view.stop(), 0)

    def test_a_process_in_live_mode(self):
        with Told("mode=live") as told:
            first = told.tell("grow 10 1000")
            with viewing.View("--no-browser", str(told.process.pid)) as view:
                recording = self.wait_for(view, lambda recording: self.live_of(view, "grow_here") == first)
                self.assertTrue(recording["live"] and recording["goes_on"])
                early = recording["number"]
                second = told.tell("grow 30 1000")
                self.assertEqual((first, second), (10000, 40000))
                self.wait_for(view, lambda recording: self.live_of(view, "grow_here") == second)
                # What was read before can still be looked at.
                self.assertEqual(self.live_of(view, "grow_here", reading=early), first)
                readings = view.recording()["readings"]
                there = {reading["number"]: reading["live_bytes"] for reading in readings}
                self.assertEqual((there[early], readings[-1]["live_bytes"]), (first, second))
                self.assertEqual(view.ask("/api/recording", {"reading": early})["totals"]["live_bytes"], first)
                refused = view.ask("/api/recording", {"reading": 10**6}, 400)
                self.assertIn("reading", refused["error"]["text"])
                told.end()
                last = self.wait_for(view, lambda recording: not recording["goes_on"])
                self.assertIn(str(told.process.pid), last["ended"])
                self.assertEqual(self.live_of(view, "grow_here"), second)
                self.assertEqual(view.stop(), 0)

    def test_who_cannot_be_looked_at(self):
        done = subprocess.run([harness.TOOL, "view", "--no-browser", str(os.getpid())], capture_output=True,
                              text=True, env=harness.plain_environment(), stdin=subprocess.DEVNULL,
                              timeout=harness.HANG_SECONDS)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("not recorded", done.stderr)


class Finished(unittest.TestCase):
    def test_nothing_goes_on(self):
        with Told("") as told:
            told.tell("grow 1 10")
            told.end()
            with viewing.View("--no-browser", told.ledger()) as view:
                recording = view.recording()
                for word in ("goes_on", "can_mark", "number", "readings"):
                    self.assertNotIn(word, recording)
                refused = view.ask("/api/marker", {"text": "late"}, 400)
                self.assertIn("goes on", refused["error"]["text"])
                self.assertEqual(view.stop(), 0)


if __name__ == "__main__":
    unittest.main()
