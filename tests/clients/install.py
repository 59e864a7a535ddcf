"""Installs the npm packages that the export tests hand their files to: install.py TO

They go to a folder of the build, once for every version of the lock file. Without npm, or where npm
cannot get them, this is skipped, and so are the tests that need them; with
HEAPLEDGER_REQUIRE_CLIENTS set, as in continuous integration, it fails.
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ("package.json", "package-lock.json")
SKIPPED = 77


def same(path, other):
    try:
        with open(path, "rb") as one, open(other, "rb") as two:
            return one.read() == two.read()
    except OSError:
        return False


def missing(why):
    print(why)
    return 1 if os.environ.get("HEAPLEDGER_REQUIRE_CLIENTS") else SKIPPED


def main(folder):
    stamp = os.path.join(folder, "installed.json")
    if same(os.path.join(HERE, FILES[1]), stamp):
        return 0
    if not shutil.which("npm"):
        return missing("npm is not here: install the packages nodejs and npm")
    os.makedirs(folder, exist_ok=True)
    for name in FILES:
        shutil.copyfile(os.path.join(HERE, name), os.path.join(folder, name))
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    for _ in range(3):  # a registry may fail to answer once
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        if done.returncode == 0:
            shutil.copyfile(os.path.join(HERE, FILES[1]), stamp)
            return 0
    return missing("npm could not install the clients:\n" + done.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
