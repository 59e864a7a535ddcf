#!/usr/bin/env python3
"""Runs ShellCheck over every shell script of the repository."""

import subprocess
import sys

import repo


def is_shell(path):
    if path.suffix == ".sh":
        return True
    with open(repo.ROOT / path, "rb") as script:
        return script.readline(64).startswith((b"#!/bin/sh", b"#!/bin/bash", b"#!/usr/bin/env bash"))


def main():
    names = [str(path) for path in repo.files() if path.suffix in ("", ".sh") and is_shell(path)]
    for expected in ("heapledger", "test", "scripts/setup.sh"):
        if expected not in names:
            sys.exit(f"shell: {expected} was not found")
    if subprocess.run(["shellcheck", "-x", *names], cwd=repo.ROOT).returncode != 0:
        sys.exit("shell: see above")
    print(f"shell: {len(names)} scripts are good")


if __name__ == "__main__":
    main()
