"""Debian packages for what is missing: asked for by name, as root or through sudo."""

import os
import subprocess

from benchlib.place import BenchError, find_program


def install_packages(packages):
    names = sorted(set(packages))
    if not names:
        return
    command = ["apt-get", "install", "-y", "--no-remove", "--no-install-recommends"] + names
    if not find_program("apt-get"):
        raise BenchError(f"--install needs apt-get. Install these yourself: {' '.join(names)}")
    if os.geteuid() != 0:
        if not find_program("sudo"):
            raise BenchError(f"--install needs root or sudo. As root: {' '.join(command)}")
        command = ["sudo"] + command
    # Output to stderr: stdout is for results.
    if subprocess.run(command, stdout=2).returncode != 0:
        raise BenchError(f"This failed, see above: {' '.join(command)}")
