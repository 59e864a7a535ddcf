"""A small program in two builds, for the tests of differences and gates.

Its heap is known from its source. The old build parses ten times 1,000 bytes, draws once (a
temporary block of 300) and frees everything; the new one parses ten times 1,500, saves 5,000 that it
never frees, and does not draw. All its lines are elsewhere.
"""

import os
import subprocess

import harness

SOURCE = """
#include <stdlib.h>
static void* volatile kept[16];
__attribute__((noinline)) static void parse(int i, size_t bytes) {
  kept[i] = malloc(bytes);  // at parse
}
__attribute__((noinline)) void draw(void) {
  void* volatile block = malloc(300);  // at draw
  free(block);
}
__attribute__((noinline)) void save(void) {
  kept[15] = malloc(5000);  // at save
}
int main(void) {
#ifndef NEW
  draw();
#endif
  for (int i = 0; i < 10; ++i) parse(i, PARSE);
#ifdef NEW
  save();
#endif
  for (int i = 0; i < 10; ++i) free(kept[i]);
  return 0;
}
"""


def source(new):
    """The text of one build; the new one begins with lines that the old one has not."""
    return "// moved\n" * 40 + SOURCE if new else SOURCE


def line_of(mark, new):
    """The line with a comment `// at MARK`."""
    lines = source(new).splitlines()
    return 1 + next(i for i, line in enumerate(lines) if line.endswith(f"// at {mark}"))


def build(folder, new):
    """Compiles one build as `folder`/app; the path of the executable."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "app.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source(new))
    flags = ["-DNEW", "-DPARSE=1500"] if new else ["-DPARSE=1000"]
    app = os.path.join(folder, "app")
    subprocess.run(["cc", "-O1", "-g", "-fno-builtin", *flags, "-o", app, path], check=True)
    return app


def record(app, ledger):
    """Records it as `ledger`."""
    os.makedirs(os.path.dirname(ledger), exist_ok=True)
    subprocess.run([harness.TOOL, "run", "-q", "-o", ledger.replace("%", "%%"), "--", app],
                   env=harness.plain_environment(), check=True, timeout=harness.HANG_SECONDS)
    return ledger


def tool(*arguments, cwd=None):
    """The tool's exit status, stdout and stderr."""
    done = subprocess.run([harness.TOOL, *arguments], env=harness.plain_environment(), cwd=cwd,
                          capture_output=True, text=True, check=False,
                          timeout=2 * harness.HANG_SECONDS)
    return done.returncode, done.stdout, done.stderr


def damage(ledger):
    """Cuts off its end: what happened is still in it, but nobody can know."""
    os.truncate(ledger, os.path.getsize(ledger) - 300)
