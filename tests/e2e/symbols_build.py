"""Builds small programs whose inlining is known from the source, for the tests of symbols."""

import os
import re
import shutil
import subprocess
import tempfile

HEADER = """#pragma once
extern "C" void escape(int);
__attribute__((always_inline)) inline void inner(int x) {
  escape(x);  // at inner
}
namespace ns {
struct Box {
  __attribute__((always_inline)) void middle(int x) {
    inner(x + 1);  // at middle
    asm volatile("");
  }
};
}
"""

MAIN = """#include "../include/demo.h"
extern "C" void hand(void);
__attribute__((noinline)) void outer(int x) {
  ns::Box box;
  box.middle(x);  // at outer
  asm volatile("");
}
template <class T>
__attribute__((noinline)) T twice(T value) {
  escape(2);  // at twice
  asm volatile("");
  return value + value;
}
namespace {
struct Hidden {
  __attribute__((noinline)) static int work(int n) {
    auto step = [n](int k) __attribute__((noinline)) {
      escape(k);  // at lambda
      asm volatile("");
      return n;
    };
    return step(n) + step(n + 1);
  }
};
}
int main(int count, char**) {
  outer(count);
  hand();
  return static_cast<int>(twice(1.5)) + Hidden::work(count);
}
"""

PLAIN_C = """__attribute__((noinline)) void escape(int x) { asm volatile("" : : "r"(x) : "memory"); }
"""

# Without type and size, as people write it.
ASSEMBLY = """  .text
  .globl hand
hand:
  sub $8, %rsp
  xor %edi, %edi
  call escape
  add $8, %rsp
  ret
  .section .note.GNU-stack,"",@progbits
"""


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)} failed: {done.stderr}")
    return done.stdout


class Demo:
    """The program, built in a folder of its own."""

    def __init__(self, compiler="g++", flags=("-O2", "-g"), c_flags=None):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="symbols."))
        self.build = os.path.join(self.folder, "build")
        self.sources = {}
        for name, text in (("include/demo.h", HEADER), ("source/demo.cpp", MAIN),
                           ("source/demo_c.c", PLAIN_C), ("source/demo_asm.S", ASSEMBLY)):
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            self.sources[name] = text
        os.makedirs(self.build)
        objects = []
        c_compiler = {"g++": "gcc", "clang++": "clang"}[compiler]
        for name in ("demo.cpp", "demo_c.c", "demo_asm.S"):
            tool = compiler if name.endswith("cpp") else c_compiler
            more = () if name.endswith("S") else flags
            objects.append(name + ".o")
            # By a relative path, so that the compilation folder matters.
            run(tool, *more, "-c", "../source/" + name, "-o", objects[-1], cwd=self.build)
        self.binary = os.path.join(self.build, "demo")
        run(compiler, *flags, "-Wl,--build-id", *objects, "-o", self.binary, cwd=self.build)

    def remove(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def line(self, mark):
        """("whole path", line) of the line that ends in "// at MARK"."""
        for name, text in self.sources.items():
            for number, line in enumerate(text.splitlines(), 1):
                if line.endswith("// at " + mark):
                    return os.path.join(self.folder, name), number
        raise KeyError(mark)

    def truth(self):
        """Every function that calls escape -> its frames there, from the source."""
        return {
            "outer(int)": [("inner(int)", *self.line("inner")),
                           ("ns::Box::middle(int)", *self.line("middle")),
                           ("outer(int)", *self.line("outer"))],
            "double twice<double>(double)": [("double twice<double>(double)", *self.line("twice"))],
            "(anonymous namespace)::Hidden::work(int)::{lambda(int)#1}::operator()(int) const": [
                ("(anonymous namespace)::Hidden::work(int)::{lambda(int)#1}::operator()(int) const",
                 *self.line("lambda"))],
            "hand": [("hand", "", 0)],
        }


def calls_of(binary, called):
    """Function -> address (as a ledger has it) of its one call of `called`."""
    found = {}
    function = ""
    waiting = False
    for line in run("objdump", "-d", "-C", "--no-show-raw-insn", binary).splitlines():
        start = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if start:
            function = start[1]
        instruction = re.match(r"^\s+([0-9a-f]+):\t(\S+)\s*(.*)", line)
        if not instruction:
            continue
        if waiting:
            found[waiting] = int(instruction[1], 16) - 1
        calls = instruction[2].startswith("call") and instruction[3].endswith(f"<{called}>")
        waiting = function if calls else False
    return found


def build_id(binary):
    return re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", binary))[1]
