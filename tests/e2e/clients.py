"""The programs of other people that exports are made for: where they are, and how to run them.

A client that is not here is a reason to skip a test, with the name of the package that has it; with
HEAPLEDGER_REQUIRE_CLIENTS set, as in continuous integration, it is a failure.
"""

import glob
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from harness import Failure

NODE_FOLDER = os.environ.get("HEAPLEDGER_CLIENTS", "")
HANG_SECONDS = 300


def lacking(package):
    """Leaves the test: the client in `package` is not here."""
    message = f"not here: {package}"
    if os.environ.get("HEAPLEDGER_REQUIRE_CLIENTS"):
        raise Failure(message)
    raise unittest.SkipTest(message)


def command(name, package):
    """The path of a program from a Debian package."""
    found = shutil.which(name)
    return found if found else lacking(f"{name}, of the Debian package {package}")


def first_file(pattern, package):
    """The path of a file from a Debian package, which may have any version in it."""
    found = sorted(glob.glob(pattern))
    return found[-1] if found else lacking(f"{pattern}, of the Debian package {package}")


def node_module(name):
    """The folder of an npm package (tests/clients installs them)."""
    path = os.path.join(NODE_FOLDER, "node_modules", name)
    if not NODE_FOLDER or not os.path.isdir(path):
        lacking(f"{name}, an npm package")
    return path


def run(arguments, check=True, text=True, **more):
    """Runs a client; its output."""
    done = subprocess.run(arguments, stdin=more.pop("stdin", subprocess.DEVNULL),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text,
                          timeout=HANG_SECONDS, **more)
    if check and done.returncode != 0:
        raise Failure(f"{arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def run_node(script, *arguments):
    """Runs JavaScript (the text of a module) that may require() the npm clients; its output."""
    node = command("node", "nodejs")
    node_module("playwright-core")  # any of them: all are installed together
    with tempfile.NamedTemporaryFile("w", suffix=".cjs", dir=NODE_FOLDER) as file:
        file.write(script)
        file.flush()
        return run([node, file.name, *arguments], cwd=NODE_FOLDER)


# What a page is opened with. `body` is JavaScript with `page`, `args` and `require` at hand; what it
# returns is printed as JSON.
BROWSER = """
const { chromium } = require('playwright-core');
(async () => {
  const args = JSON.parse(process.argv[2]);
  const browser = await chromium.launch({
    executablePath: args.chromium, headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
           '--disable-background-networking', '--disable-component-update', '--disable-sync',
           '--allow-file-access-from-files'] });
  const failures = [];
  try {
    const page = await browser.newPage({ viewport: { width: args.width, height: args.height },
                                         colorScheme: args.scheme });
    page.on('pageerror', (error) => failures.push(String(error)));
    const result = await (async (page, args) => { BODY })(page, args.given);
    console.log(JSON.stringify({ result, failures }));
  } finally {
    await browser.close();
  }
})().catch((error) => { console.error(error); process.exit(1); });
"""


def in_browser(body, given=None, width=1200, height=800, scheme="light"):
    """Runs `body` with a page of headless Chromium; returns what it returns. A script of the page
    that throws is a failure."""
    arguments = {"chromium": command("chromium", "chromium"), "given": given, "width": width,
                 "height": height, "scheme": scheme}
    answer = json.loads(run_node(BROWSER.replace("BODY", body), json.dumps(arguments)))
    if answer["failures"]:
        raise Failure(f"scripts of the page failed: {answer['failures']}")
    return answer.get("result")
