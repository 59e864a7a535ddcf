"""The machines that header mode is tried on: their compilers, and how to run what those make."""

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass

import clients

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EMBED = os.path.join(ROOT, "embed")
HERE = os.path.dirname(os.path.abspath(__file__))
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-I", EMBED]


@dataclass
class Machine:
    prefix: str  # of its compiler and binutils
    packages: str
    emulator: str
    word_bytes: int
    order: str
    elf_machine: int
    walks_frames: bool = True  # by frame pointers
    flags: tuple = ()
    native: str = ""  # hosts that run its programs themselves

    @property
    def compiler(self):
        if self.native == platform.machine() == "x86_64" and self.word_bytes == 8:
            return clients.command("gcc", "gcc")
        return clients.command(self.prefix + "gcc", self.packages)

    def tool(self, name):
        own = shutil.which(self.prefix + name)
        return own if own else clients.command(name, "binutils")

    def run(self, program, *arguments):
        """Its output."""
        command = [program, *arguments]
        if self.native != platform.machine() or not runs_here(program):
            command.insert(0, clients.command(self.emulator, "qemu-user"))
        return clients.run(command)

    def build(self, folder, name, sources, *flags, link="-static"):
        program = os.path.join(folder, name)
        done = subprocess.run([self.compiler, *self.flags, *flags, *sources, link, "-o", program],
                              capture_output=True, text=True, check=False)
        if "cannot find -lc" in done.stderr or "stdio.h: No such file" in done.stderr:
            clients.lacking(f"the C library of {self.packages}")
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return program


def runs_here(program):
    """Whether the kernel takes programs of this kind: not every one takes those of 32 bits."""
    try:
        subprocess.run([program], capture_output=True, check=False, timeout=60)
        return True
    except OSError:
        return False


MACHINES = {
    "x86_64": Machine("x86_64-linux-gnu-", "gcc-x86-64-linux-gnu", "qemu-x86_64", 8, "little", 62,
                      native="x86_64"),
    "i686": Machine("i686-linux-gnu-", "gcc-i686-linux-gnu and libc6-dev-i386-cross", "qemu-i386",
                    4, "little", 3, native="x86_64"),
    "aarch64": Machine("aarch64-linux-gnu-", "gcc-aarch64-linux-gnu and libc6-dev-arm64-cross",
                       "qemu-aarch64", 8, "little", 183),
    "arm": Machine("arm-linux-gnueabihf-", "gcc-arm-linux-gnueabihf and libc6-dev-armhf-cross",
                   "qemu-arm", 4, "little", 40, flags=("-marm",)),
    "thumb": Machine("arm-linux-gnueabihf-", "gcc-arm-linux-gnueabihf and libc6-dev-armhf-cross",
                     "qemu-arm", 4, "little", 40, walks_frames=False, flags=("-mthumb",)),
    "s390x": Machine("s390x-linux-gnu-", "gcc-s390x-linux-gnu and libc6-dev-s390x-cross",
                     "qemu-s390x", 8, "big", 22, walks_frames=False),
    "powerpc": Machine("powerpc-linux-gnu-", "gcc-powerpc-linux-gnu and libc6-dev-powerpc-cross",
                       "qemu-ppc", 4, "big", 20),
    "riscv64": Machine("riscv64-linux-gnu-", "gcc-riscv64-linux-gnu and libc6-dev-riscv64-cross",
                       "qemu-riscv64", 8, "little", 243),
}
