"""Small programs that use include/heapledger.h, compiled by a test as a user would compile them."""

import os
import subprocess

import harness

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(ROOT, "include")
HEAD = """
#include <heapledger.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
"""


def build(body, *flags, language="c", compiler=None, name="program"):
    """Compiles `body`, with the usual includes before it, and returns the program's path."""
    folder = harness.fresh_folder()
    source, path = os.path.join(folder, f"{name}.{language}"), os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(HEAD + body)
    compiler = compiler or ("c++" if language == "cpp" else "cc")
    subprocess.run([compiler, "-g", "-O1", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-I",
                    INCLUDE, source, "-o", path, *flags], check=True)
    return path
