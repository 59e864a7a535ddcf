"""A server of `heapledger view`, as a page sees it, for the tests of it.

    with viewing.View(ledger) as view:
        answer = view.ask("/api/ask", {"question": {"by": "function"}})
"""

import http.client
import json
import os
import signal
import subprocess
import threading

import harness


class View:
    """The command under way; what it prints on standard error is in `said` after the end."""

    def __init__(self, *arguments, browser=None, tool=(), folder=None, wait=True):
        variables = {"BROWSER": browser} if browser else {}
        environment = harness.plain_environment(variables)
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            environment.pop(name, None)
        words = [*(tool or (harness.TOOL, "view")), *arguments]
        self.process = subprocess.Popen(words, env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        start_new_session=True)
        self.url = self.process.stdout.readline().strip()
        self.said = ""
        if not self.url:
            self.said = self.process.communicate(timeout=harness.HANG_SECONDS)[1]
            raise harness.Failure(f"no URL, but status {self.process.returncode}: {self.said}")
        place, self.token = self.url.removeprefix("http://127.0.0.1:").split("/#")
        self.port = int(place)
        if wait:
            self.wait_until_read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)

    def stop(self, how=signal.SIGINT):
        """Ends it; returns its status."""
        self.process.send_signal(how)
        return self.end()

    def end(self):
        """Waits for its end; returns its status."""
        try:
            _, said = self.process.communicate(timeout=harness.HANG_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise harness.Failure("heapledger view did not end") from None
        self.said += said
        return self.process.returncode

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=harness.HANG_SECONDS)

    def send(self, path, body, method="POST", **fields):
        """Status, fields and bytes of the answer to a request with the token, unless `fields` have
        something else (None: not this one)."""
        sent = {"Authorization": "Bearer " + self.token}
        sent.update({name.replace("_", "-"): value for name, value in fields.items()})
        connection = self.connect()
        try:
            content = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
            connection.request(method, path, content,
                               {name: value for name, value in sent.items() if value is not None})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def ask(self, path, body, status=200):
        got, _, content = self.send(path, body)
        harness.expect_equal(got, status, f"status of {path} {body}: {content[:500]}")
        return json.loads(content)

    def wait_for_event(self, name):
        with Page(self) as page:
            for event in page.events():
                if name in event:
                    return
        raise harness.Failure(f"the events ended without {name}")

    def wait_until_read(self):
        self.wait_for_event("ready")

    def recording(self):
        return self.ask("/api/recording", {})


class Page:
    """A page that is open, and what it hears."""

    def __init__(self, view):
        self.connection = view.connect()
        self.connection.request("POST", "/api/events", b"{}", {"Authorization": "Bearer " + view.token})
        self.lines = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.lines.close()
        self.connection.close()

    def events(self):
        for line in iter(self.lines.readline, b""):
            if line.strip():
                yield json.loads(line)


def at_once(*calls):
    """The results of several calls made at the same time."""
    results = [None] * len(calls)

    def run(i):
        results[i] = calls[i]()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def rows_of(table, answer, columns=("name",)):
    """A table of columns as a list of objects, texts and files put in."""
    files = {int(number): path for number, path in answer["files"].items()}
    words = {"name", "function", "module", "kind"}

    def value(column, i):
        if column not in table:
            return "" if column in words or column == "file" else 0
        one = table[column][i]
        return answer["texts"][one] if column in words else files.get(one, "") if column == "file" else one

    rows = [{column: value(column, i) for column in columns} for i in range(table["count"])]
    for part in ("all", "self"):
        for key, values in table.get(part, {}).items():
            for row, figure in zip(rows, values):
                row.setdefault(part, {})[key] = figure
    return rows
