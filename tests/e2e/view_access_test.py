"""Who may ask the server of `heapledger view`, and what it never gives out."""

import os
import socket
import stat
import subprocess
import time
import unittest

import export_program
import harness
import viewing

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = viewing.View("--no-browser", export_program.cpp())

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def status(self, path="/api/recording", body=b"{}", method="POST", **fields):
        return self.view.send(path, body, method, **fields)[0]

    def test_the_token(self):
        self.assertEqual(self.status(), 200)
        self.assertRegex(self.view.token, "^[0-9a-f]{32}$")
        wrong = self.view.token[:-1] + ("0" if self.view.token[-1] != "0" else "1")
        for given in (None, "Bearer " + wrong, "Bearer ", "Bearer " + self.view.token[:31], self.view.token,
                      "Basic " + self.view.token):
            for path in ("/api/recording", "/api/ask", "/api/events", "/api/source", "/api/marker", "/api/nothing"):
                self.assertEqual(self.status(path, Authorization=given), 401, (path, given))

    def test_every_server_has_another(self):
        with viewing.View("--no-browser", export_program.cpp()) as other:
            self.assertNotEqual(other.token, self.view.token)
            self.assertEqual(other.send("/api/recording", b"{}", Authorization="Bearer " + self.view.token)[0], 401)
            other.stop()

    def test_the_host(self):
        for host in (f"localhost:{self.view.port}", f"127.0.0.1:{self.view.port}"):
            self.assertEqual(self.status(Host=host), 200)
        for host in ("evil.example", f"evil.example:{self.view.port}", "127.0.0.1", "127.0.0.1:1",
                     f"127.0.0.1:{self.view.port}.evil.example", ""):
            self.assertEqual(self.status(Host=host), 403, host)
            self.assertEqual(self.status("/", None, "GET", Host=host), 403, host)

    def test_other_sites(self):
        ours = f"http://127.0.0.1:{self.view.port}"
        self.assertEqual(self.status(Origin=ours, Sec_Fetch_Site="same-origin"), 200)
        for origin in ("http://evil.example", "null", "https://127.0.0.1", ours + "1", "file://"):
            self.assertEqual(self.status(Origin=origin), 403, origin)
        for site in ("cross-site", "same-site", "anything"):
            self.assertEqual(self.status(Sec_Fetch_Site=site), 403, site)
            self.assertEqual(self.status("/page.js", None, "GET", Sec_Fetch_Site=site), 403, site)
            self.assertEqual(self.status("/", None, "GET", Sec_Fetch_Site=site), 403, site)
            # A link, and the file that a browser is opened with.
            self.assertEqual(self.status("/", None, "GET", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate"), 200)
            self.assertEqual(self.status(Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate"), 403, site)

    def test_what_is_said_with_every_answer(self):
        for path, body, method in (("/", None, "GET"), ("/page.js", None, "GET"), ("/nothing", None, "GET"),
                                   ("/api/recording", b"{}", "POST"), ("/api/ask", b"{", "POST")):
            _, fields, _ = self.view.send(path, body, method)
            harness.expect_figures(fields, {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff",
                                            "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
                                            "Cross-Origin-Resource-Policy": "same-origin"}, path)
            self.assertEqual([name for name in fields if name.lower().startswith("access-control")
                              or name.lower() == "set-cookie"], [])

    def test_methods_and_files(self):
        self.assertEqual(self.status("/", None, "GET"), 200)
        self.assertEqual(self.status("/", None, "HEAD"), 200)
        self.assertEqual(self.status("/page.js", None, "GET", Authorization=None), 200)
        for path in ("/page.ts", "//", "/../page.js", "/etc/passwd", "/%2e%2e/etc/passwd"):
            self.assertEqual(self.status(path, None, "GET"), 404, path)
        for method in ("GET", "PUT", "OPTIONS", "DELETE"):
            self.assertEqual(self.status(method=method), 405, method)
        self.assertEqual(self.status("/", b"", "POST"), 405)

    def test_requests_that_are_too_large(self):
        self.assertEqual(self.status(X_Long="x" * 9000), 431)
        self.assertEqual(self.status(body=b"{" + b" " * (65 << 10) + b"}"), 413)
        self.assertEqual(self.status(body=b"{" + b" " * (60 << 10) + b"}"), 200)
        nested = b'{"a":' + b"[" * 30000 + b"]" * 30000 + b"}"
        self.assertEqual(self.status(body=nested), 400)

    def raw(self, request):
        with socket.create_connection(("127.0.0.1", self.view.port), timeout=harness.HANG_SECONDS) as connection:
            connection.sendall(request)
            received = b""
            while part := connection.recv(65536):
                received += part
            return received

    def test_requests_that_are_none(self):
        self.assertIn(b" 400 ", self.raw(b"hello\r\n\r\n").split(b"\r\n")[0])
        self.assertIn(b" 400 ", self.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").split(b"\r\n")[0])
        host = b"Host: 127.0.0.1:%d\r\n" % self.view.port
        twice = self.raw(b"GET / HTTP/1.1\r\n" + host + host + b"Connection: close\r\n\r\n")
        self.assertIn(b" 400 ", twice.split(b"\r\n")[0])
        both = self.raw(b"POST /api/ask HTTP/1.1\r\n" + host +
                        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        self.assertIn(b" 400 ", both.split(b"\r\n")[0])

    def test_requests_in_pieces_and_in_a_row(self):
        host = b"Host: 127.0.0.1:%d\r\n" % self.view.port
        one = b"GET /icon.svg HTTP/1.1\r\n" + host + b"\r\n"
        last = b"GET /icon.svg HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n"
        self.assertEqual(self.raw(one + one + last).count(b"HTTP/1.1 200 OK"), 3)
        with socket.create_connection(("127.0.0.1", self.view.port)) as connection:
            for byte in last:
                connection.sendall(bytes([byte]))
            self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 200 OK"))

    def test_more_connections_than_there_may_be(self):
        opened = [socket.create_connection(("127.0.0.1", self.view.port)) for _ in range(70)]
        refused = 0
        for connection in opened:
            connection.settimeout(0.2)
            try:
                refused += connection.recv(100).startswith(b"HTTP/1.1 503 ")
            except TimeoutError:
                pass
            connection.close()
        self.assertGreaterEqual(refused, 6)
        # They are gone, and there is room again.
        for _ in range(200):
            try:
                if self.status() == 200:
                    return
            except OSError:
                pass
            time.sleep(0.05)
        self.fail("there was no room again")

    def test_only_this_machine(self):
        with open("/proc/net/tcp", encoding="ascii") as file:
            places = [line.split()[1] for line in file if line.split()[3] == "0A"]
        port = f":{self.view.port:04X}"
        self.assertEqual([place for place in places if place.endswith(port)], ["0100007F" + port])
        with open("/proc/net/tcp6", encoding="ascii") as file:
            self.assertEqual([line for line in file if line.split()[1].endswith(port)], [])

    def test_the_token_is_in_no_list_of_processes(self):
        seen = 0
        for pid in filter(str.isdigit, os.listdir("/proc")):
            for name in ("cmdline", "environ"):
                try:
                    with open(f"/proc/{pid}/{name}", "rb") as file:
                        self.assertNotIn(self.view.token.encode(), file.read(), pid)
                        seen += 1
                except OSError:
                    pass
        self.assertGreater(seen, 2)


class Browser(unittest.TestCase):
    def test_it_is_led_by_a_file_of_ours(self):
        folder = harness.fresh_folder()
        browser = os.path.join(folder, "browser")
        with open(browser, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nprintf %s "$*" > {folder}/asked.new\ncp "$1" {folder}/page\n'
                       f"mv {folder}/asked.new {folder}/asked\n")
        os.chmod(browser, 0o755)
        with viewing.View(export_program.cpp(), browser=browser) as view:
            asked = os.path.join(folder, "asked")
            for _ in range(600):
                if os.path.exists(asked):
                    break
                time.sleep(0.05)
            with open(asked, encoding="utf-8") as file:
                path = file.read()
            facts = os.stat(path)
            self.assertEqual((stat.S_IMODE(facts.st_mode), facts.st_uid), (0o600, os.getuid()))
            with open(os.path.join(folder, "page"), encoding="utf-8") as file:
                self.assertIn(f'content="0;url={view.url}"', file.read())
            self.assertNotIn(view.token, path)
            self.assertEqual(view.stop(), 0)
        self.assertFalse(os.path.exists(path))
        self.assertFalse(os.path.exists(os.path.dirname(path)) and
                         os.path.basename(os.path.dirname(path)).startswith("heapledger-"))

    def test_without_one(self):
        with viewing.View(export_program.cpp()) as view:
            self.assertEqual(view.stop(), 0)
        self.assertIn("no display", view.said)
        self.assertIn(f"ssh -L {view.port}:127.0.0.1:{view.port} ", view.said)
        with viewing.View(export_program.cpp(), browser="/nowhere/browser") as view:
            self.assertEqual(view.stop(), 0)
        self.assertIn("no browser", view.said)


class Sources(unittest.TestCase):
    """A ledger can name any file as the source of a function."""

    @classmethod
    def setUpClass(cls):
        cls.folder = harness.fresh_folder()
        secret = os.path.join(cls.folder, "id_rsa")
        with open(secret, "w", encoding="utf-8") as file:
            file.write("secret")
        os.symlink(secret, os.path.join(cls.folder, "link.c"))
        os.symlink("/etc", os.path.join(cls.folder, "folder.c"))
        os.mkfifo(os.path.join(cls.folder, "pipe.c"))
        os.symlink("/dev/zero", os.path.join(cls.folder, "device.c"))
        with open(os.path.join(cls.folder, "large.c"), "wb") as file:
            file.truncate((8 << 20) + 1)
        with open(os.path.join(cls.folder, "true.c"), "w", encoding="utf-8") as file:
            file.write("int x;\n")
        os.symlink("true.c", os.path.join(cls.folder, "good.c"))
        names = ["/etc/passwd", "/proc/self/environ", secret, "relative.c"]
        names += [os.path.join(cls.folder, name)
                  for name in ("link.c", "folder.c", "folder.c/passwd", "pipe.c", "device.c", "large.c",
                               "missing.c", "good.c", "true.c")]
        cls.view = viewing.View("--no-browser", cls.forged(names))
        answer = cls.view.ask("/api/ask", {"question": {"by": "file", "at": "end"}})["answer"]
        cls.numbers = {os.path.basename(path): int(number) for number, path in answer["files"].items()}

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    @classmethod
    def forged(cls, names):
        """A recording whose debug information names these files."""
        text = "#include <stdlib.h>\nvoid* volatile kept;\n"
        calls = ""
        for i, name in enumerate(names):
            text += (f'# 1 "{name}"\n'
                     f"__attribute__((noinline)) void f{i}(void) {{ kept = malloc({100 + i}); }}\n")
            calls += f"f{i}(); "
        text += f'# 1 "main.c"\nint main(void) {{ {calls}return 0; }}\n'
        binary = export_program.compile_program("forged", text, "gcc", ("-O1", "-g"))
        return export_program.record([binary], "forged")

    def refused(self, name):
        error = self.view.ask("/api/source", {"file": self.numbers[name]}, status=500)["error"]
        self.assertEqual(error["kind"], "data")
        return error["text"]

    def test_what_is_no_source(self):
        self.assertIn("not that of a source", self.refused("passwd"))
        self.assertIn("not that of a source", self.refused("environ"))
        self.assertIn("not that of a source", self.refused("id_rsa"))
        self.assertIn("no source file", self.refused("link.c"))
        self.assertIn("no source file", self.refused("folder.c"))
        self.assertIn("no source file", self.refused("device.c"))
        self.assertIn("no regular file", self.refused("pipe.c"))
        self.assertIn("8 MiB", self.refused("large.c"))
        self.assertIn("No such file", self.refused("missing.c"))

    def test_what_is_one(self):
        for name in ("true.c", "good.c"):
            self.assertEqual(self.view.ask("/api/source", {"file": self.numbers[name]}),
                             {"text": "int x;\n", "changed": False})

    def test_changed_since(self):
        with open(os.path.join(self.folder, "true.c"), "a", encoding="utf-8") as file:
            file.write("int y;\n")
        answer = self.view.ask("/api/source", {"file": self.numbers["good.c"]})
        self.assertEqual(answer, {"text": "int x;\nint y;\n", "changed": True})
        with open(os.path.join(self.folder, "true.c"), "w", encoding="utf-8") as file:
            file.write("int x;\n")
        os.utime(os.path.join(self.folder, "true.c"), (0, 0))

    def test_numbers_nobody_gave(self):
        for number in (0, 10**6, -1, "1", None):
            self.assertEqual(self.view.send("/api/source", {"file": number})[0], 400, number)


if __name__ == "__main__":
    unittest.main()
