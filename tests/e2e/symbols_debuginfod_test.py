"""Debug files from a server: fetched when asked, never otherwise, and not for longer than allowed."""

import ctypes
import http.server
import os
import shutil
import threading
import unittest

import symbols_build as build
from symbols_hostile_test import symbolize


class Server(http.server.ThreadingHTTPServer):
    """Has one file, and remembers what it was asked for."""

    def __init__(self, path):
        super().__init__(("127.0.0.1", 0), Handler)
        self.path = path
        self.asked = []
        self.release = threading.Event()
        self.stalls = False


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        if self.server.stalls:
            self.server.release.wait(100)
            return
        identity = build.build_id(self.server.path)
        if self.path != f"/buildid/{identity}/debuginfo":
            self.send_error(404)
            return
        with open(self.server.path, "rb") as file:
            content = file.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Debuginfod(unittest.TestCase):
    def setUp(self):
        try:
            ctypes.CDLL("libdebuginfod.so.1")
        except OSError:
            self.skipTest("the debuginfod client is not installed")
        self.demo = build.Demo()
        self.addCleanup(self.demo.remove)
        self.calls = build.calls_of(self.demo.binary, "escape")
        self.addresses = sorted(self.calls.values())
        debug = self.demo.path("only.debug")
        build.run("objcopy", "--only-keep-debug", self.demo.binary, debug)
        build.run("strip", self.demo.binary)
        self.server = Server(debug)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.release.set)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.environment = {**os.environ, "DEBUGINFOD_URLS": url, "HOME": self.demo.folder,
                            "DEBUGINFOD_CACHE_PATH": self.demo.path("cache"), "no_proxy": "127.0.0.1"}
        self.environment.pop("DEBUGINFOD_PROGRESS", None)

    def symbolize(self, *options):
        return symbolize(self.demo.binary, self.addresses, *options, environment=self.environment)

    def test_nobody_is_asked_unless_the_user_wants_it(self):
        status, answers, source, _ = self.symbolize()
        self.assertEqual((status, source), (0, "nothing"))
        self.assertEqual({frames[0][1:] for frames in answers.values()}, {("", 0)})
        self.assertEqual(self.server.asked, [])

    def test_fetched_when_asked(self):
        status, answers, source, _ = self.symbolize("--debuginfod", "60000")
        self.assertEqual((status, source), (0, "debug-info"))
        for function, address in self.calls.items():
            self.assertEqual(answers[address], self.demo.truth()[function])
        self.assertEqual(len(self.server.asked), 1)

    def test_a_server_that_stalls_is_left(self):
        self.server.stalls = True
        status, _, source, remark = self.symbolize("--debuginfod", "1500")
        self.assertEqual((status, source), (0, "nothing"))
        self.assertIn("took longer than the limit", remark)

    def test_no_server_is_said(self):
        del self.environment["DEBUGINFOD_URLS"]
        _, _, source, remark = self.symbolize("--debuginfod", "1500")
        self.assertEqual(source, "nothing")
        self.assertIn("DEBUGINFOD_URLS names no server", remark)

    def test_what_is_found_here_is_not_fetched(self):
        identity = build.build_id(self.demo.binary)
        folder = self.demo.path(f"debug/.build-id/{identity[:2]}")
        os.makedirs(folder)
        shutil.copy(self.server.path, f"{folder}/{identity[2:]}.debug")
        _, _, source, _ = self.symbolize("--debuginfod", "60000", "--debug-folder",
                                         self.demo.path("debug"))
        self.assertEqual((source, self.server.asked), ("debug-info", []))


if __name__ == "__main__":
    unittest.main()
