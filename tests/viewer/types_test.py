"""The types of the page's code, by TypeScript's compiler: types_test.py VIEWER CLIENTS

esbuild throws types away without a look at them.
"""

import os
import subprocess
import sys

SKIPPED = 77


def main(viewer, clients):
    compiler = os.path.join(clients, "node_modules", "typescript", "bin", "tsc")
    if not os.path.exists(compiler):
        print("not here: typescript, an npm package")
        return 1 if os.environ.get("HEAPLEDGER_REQUIRE_CLIENTS") else SKIPPED
    return subprocess.run(["node", compiler, "--noEmit", "-p", viewer]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
