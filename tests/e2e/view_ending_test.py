"""When `heapledger view` ends, what it says then, and what keeps it from beginning."""

import os
import signal
import socket
import subprocess
import unittest

import export_program
import harness
import viewing


def refused(*arguments, folder=None):
    done = subprocess.run([harness.TOOL, "view", "--no-browser", *arguments], capture_output=True, text=True,
                          env=harness.plain_environment(), stdin=subprocess.DEVNULL, cwd=folder,
                          timeout=harness.HANG_SECONDS)
    return done.returncode, done.stdout, done.stderr


class Ending(unittest.TestCase):
    def test_signals(self):
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with viewing.View("--no-browser", export_program.cpp()) as view:
                with viewing.Page(view):
                    self.assertEqual(view.stop(how), 0, how)

    def test_at_once_while_reading(self):
        with viewing.View("--no-browser", export_program.python(), wait=False) as view:
            self.assertEqual(view.stop(), 0)

    def test_after_the_last_page(self):
        with viewing.View("--no-browser", "--linger", "300ms", export_program.cpp(), wait=False) as view:
            first, second = viewing.Page(view), viewing.Page(view)
            view.wait_until_read()
            first.close()
            # As long as one is open it goes on, however long that is.
            with self.assertRaises(subprocess.TimeoutExpired):
                view.process.wait(timeout=1.5)
            self.assertEqual(view.send("/api/recording", b"{}")[0], 200)
            second.close()
            self.assertEqual(view.end(), 0)
        self.assertIn("No page has been open for 300.0 ms: done.", view.said)

    def test_when_no_page_ever_comes(self):
        with viewing.View("--no-browser", "--linger", "10ms", export_program.cpp(), wait=False) as view:
            self.assertEqual(view.end(), 0)

    def test_the_newest_here(self):
        folder = harness.fresh_folder()
        os.symlink(export_program.cpp(), os.path.join(folder, "shop.ledger"))
        with viewing.View("--no-browser", folder=folder) as view:
            self.assertEqual(view.recording()["title"], "shop")
            self.assertEqual(view.stop(), 0)
        self.assertIn("Reading shop, 1 ledger.", view.said)

    def test_a_port(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            status, stdout, stderr = refused("--port", str(port), export_program.cpp())
            self.assertEqual((status, stdout), (2, ""))
            self.assertIn(f"port {port}", stderr)
        with viewing.View("--no-browser", "--port", str(port), export_program.cpp()) as view:
            self.assertEqual(view.port, port)
            self.assertEqual(view.stop(), 0)

    def test_what_cannot_be_shown(self):
        status, stdout, stderr = refused(folder=harness.fresh_folder())
        self.assertEqual((status, stdout), (2, ""))
        self.assertIn("no ledgers", stderr)
        folder = harness.fresh_folder()
        path = os.path.join(folder, "bad.ledger")
        with open(path, "wb") as file:
            file.write(b"no ledger at all")
        status, _, stderr = refused(path)
        self.assertEqual(status, 3)
        self.assertIn("bad.ledger", stderr)
        self.assertEqual(refused("--linger", "soon", export_program.cpp())[0], 2)
        self.assertEqual(refused("--port", "70000", export_program.cpp())[0], 2)

    def test_a_damaged_ledger_is_shown_with_a_warning(self):
        folder = harness.fresh_folder()
        raw = os.path.join(folder, "raw.ledger")
        subprocess.run([harness.TOOL, "run", "-q", "--no-seal", "-o", raw, "--", export_program.cpp_binary()],
                       check=True, env=harness.plain_environment(), timeout=harness.HANG_SECONDS)
        size = os.path.getsize(raw)
        with open(raw, "r+b") as file:
            file.truncate(size // 2)
        with viewing.View("--no-browser", raw) as view:
            self.assertTrue(any("raw.ledger" in text for text in view.recording()["warnings"]))
            self.assertEqual(view.stop(), 3)

    def test_after_a_run(self):
        folder = harness.fresh_folder()
        tool = (harness.TOOL, "run", "--view", "-o", os.path.join(folder, "sh.ledger"), "--children", "off")
        with viewing.View("--", "sh", "-c", "exit 7", tool=tool, folder=folder) as view:
            self.assertEqual(view.recording()["processes"][0]["command"], "sh -c 'exit 7'")
            self.assertEqual(view.stop(), 7)


if __name__ == "__main__":
    unittest.main()
