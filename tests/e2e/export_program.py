"""Ledgers for the tests of exports, each recorded once for a test: a C++ program with templates,
inlined functions, recursion and threads; a Python run; a program whose functions have names that no
format was made for; the C++ program again, sampled.

    ledger = export_program.cpp()       # the path of a sealed ledger
    text = export_program.export(ledger, "collapsed", "--metric", "calls")
"""

import functools
import json
import os
import subprocess

import harness
from harness import expect_equal

CPP = """
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace shop {
template <typename T>
struct Shelf {
  std::vector<T> things;
  inline void put(const T& thing) { things.push_back(thing); }
};
struct Item {
  std::string name;
  std::vector<int> prices;
};
inline Item make_item(int i) {
  return {std::string(static_cast<size_t>(20 + i % 80), 'n'), std::vector<int>(static_cast<size_t>(i % 30))};
}
__attribute__((noinline)) std::map<int, Item> stock(int count) {
  std::map<int, Item> items;
  for (int i = 0; i < count; ++i) items.emplace(i, make_item(i));
  return items;
}
__attribute__((noinline)) void* nested(int depth) {
  void* volatile block = depth > 0 ? nested(depth - 1) : malloc(4321);
  return block;
}
}  // namespace shop

int main() {
  // Whatever the order of the threads: at the peak each of them holds a part of it.
  std::atomic<int> holding{0};
  std::atomic<bool> filled{false};
  std::vector<std::thread> threads;
  for (int t = 1; t <= 3; ++t) {
    threads.emplace_back([t, &holding, &filled] {
      for (int round = 0; round < 3; ++round) shop::stock(200 * t);
      const std::map<int, shop::Item> held = shop::stock(50 * t);
      ++holding;
      while (!filled) std::this_thread::yield();
    });
  }
  while (holding < 3) std::this_thread::yield();
  std::map<int, shop::Item> kept = shop::stock(1500);
  shop::Shelf<std::string> shelf;
  for (int i = 0; i < 1000; ++i) shelf.put(std::string(40, 's'));
  filled = true;
  for (std::thread& thread : threads) thread.join();
  void* volatile leak = shop::nested(5);
  void* grown = malloc(10);
  for (size_t size = 20; size < 20000; size *= 2) grown = realloc(grown, size);
  free(grown);
  return leak == nullptr || kept.empty() ? 1 : 0;
}
"""

PYTHON = "import json; print(len(json.dumps([{'a': [i] * 20, 'b': str(i)} for i in range(3000)])))"

# Bytes that the names of functions are made of, each in a function of its own that allocates; the
# number is how much. A name in an object file can hold anything but a zero byte.
HOSTILE_NAMES = {
    b'semi;colon "quoted" <tag> & more': 101,
    b"line\nbreak\ttab\rreturn": 202,
    b"escape\x1b[31mred\x07": 303,
    b"no utf-8 \xff\xfe\xc3 here": 404,
    b"back\\slash 'single' `tick` $dollar {brace} [bracket] %d": 505,
    b"long " + b"x" * 10000: 606,
    b"</script><script>alert(1)</script>": 707,
    "direction \u202e mark \u2028 separator".encode(): 808,
    b"-- comment /* here */ ; drop table": 909,
    b"(1) calls=2 fn=(3)": 1010,
}


def _folder():
    if not hasattr(_folder, "path"):
        _folder.path = harness.fresh_folder()
    return _folder.path


def compile_program(name, source, compiler="g++", flags=("-O2", "-g", "-pthread")):
    """The path of a program made from the text of its source."""
    suffix = ".cpp" if compiler.endswith("++") else ".c"
    path = os.path.join(_folder(), name + suffix)
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    binary = os.path.join(_folder(), name)
    subprocess.run([compiler, *flags, "-o", binary, path], check=True)
    return binary


def record(command, name, *options):
    """The ledger of a command, made by `heapledger run`."""
    ledger = os.path.join(_folder(), name + ".ledger")
    done = subprocess.run([harness.TOOL, "run", "-o", ledger, *options, "--", *command],
                          stdin=subprocess.DEVNULL, capture_output=True, cwd=_folder(),
                          env=harness.plain_environment(), timeout=300)
    expect_equal(done.returncode, 0, f"status of the recording: {done.stderr}")
    return ledger


@functools.cache
def cpp_binary():
    return compile_program("shop", CPP)


@functools.cache
def cpp():
    return record([cpp_binary()], "shop")


@functools.cache
def sampled():
    return record([cpp_binary()], "sampled", "--mode", "sample", "--sample", "2048")


@functools.cache
def python():
    return record(["python3", "-I", "-S", "-c", PYTHON], "python", "--children", "off")


@functools.cache
def hostile():
    """The ledger of a program with a function for each of HOSTILE_NAMES."""
    functions, calls = "", ""
    for number, size in enumerate(HOSTILE_NAMES.values()):
        functions += (f"__attribute__((noinline)) void* f{number}(void) "
                      f"{{ void* volatile block = malloc({size}); return block; }}\n")
        calls += f"  kept[{number}] = f{number}();\n"
    source = (f"#include <stdlib.h>\nvoid* volatile kept[64];\n{functions}"
              f"int main(void) {{\n{calls}  return 0;\n}}\n")
    folder = _folder()
    with open(os.path.join(folder, "hostile.c"), "w", encoding="utf-8") as file:
        file.write(source)
    # Without debug information, so that the names are those of the symbol table; they are put in
    # place of others of the same length there.
    rename = []
    for number, name in enumerate(HOSTILE_NAMES):
        rename += ["--redefine-sym", f"f{number}=" + placeholder(number, len(name))]
    binary = os.path.join(folder, "hostile")
    subprocess.run(["gcc", "-O1", "-c", "-o", binary + ".o", binary + ".c"], check=True)
    subprocess.run(["objcopy", *rename, binary + ".o"], check=True)
    subprocess.run(["gcc", "-o", binary, binary + ".o"], check=True)
    with open(binary, "rb") as file:
        content = file.read()
    for number, name in enumerate(HOSTILE_NAMES):
        old = placeholder(number, len(name)).encode()
        expect_equal(content.count(old), 1, f"places of the name {number} in the program")
        content = content.replace(old, name)
    with open(binary, "wb") as file:
        file.write(content)
    return record([binary], "hostile")


def placeholder(number, length):
    return f"hl{number:02}_".ljust(length, "z")[:length]


def export(ledgers, form, *options, text=True, status=0):
    """What `heapledger export` writes to standard output."""
    ledgers = [ledgers] if isinstance(ledgers, str) else ledgers
    done = subprocess.run([harness.TOOL, "export", *ledgers, "--to", form, *options],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    expect_equal(done.returncode, status, f"status of the export to {form}: {done.stderr}")
    return done.stdout.decode("utf-8") if text else done.stdout


def report(ledgers, *options):
    """The JSON of `heapledger report` with these options."""
    ledgers = [ledgers] if isinstance(ledgers, str) else ledgers
    done = subprocess.run([harness.TOOL, "report", *ledgers, "--json", *options],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    expect_equal(done.returncode, 0, f"status of the report: {done.stderr}")
    return harness.with_frames(json.loads(done.stdout))


def totals_of(ledgers):
    """The totals of the report, with what it says was never freed: without what is suppressed."""
    answer = report(ledgers, "--top", "1000000")
    return {**answer["totals"],
            "never_freed_bytes": sum(site["live_bytes"] for site in answer["never_freed"])}
