// Writes the seeds of the fuzzer of symbols into a folder: small programs with debug information of
// several versions, made by the compiler that is here, and symbols as a sealed ledger stores them.
// Without a compiler there are no programs among them.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "symbols/symbol_table.h"

namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = R"(
static inline __attribute__((always_inline)) int inner(int x) { return x * 3 + 1; }
__attribute__((noinline)) int middle(int x) { return inner(x) + inner(x + 1); }
int _start(void) { return middle(4) + middle(5); }
)";

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Nothing but the code and what describes it: a few thousand bytes.
void add_program(const fs::path& folder, const std::string& name, const std::string& flags) {
  fs::path source = folder / "program.c";
  fs::path binary = folder / "program";
  write(source, kProgram);
  std::string command = "cc -O1 -nostdlib -static -Wl,--build-id -Wl,-z,noseparate-code " + flags +
                        " -o '" + binary.string() + "' '" + source.string() + "' 2>/dev/null";
  if (std::system(command.c_str()) == 0) {
    std::ifstream file(binary, std::ios::binary);
    write(folder / name, '\0' + std::string(std::istreambuf_iterator<char>(file), {}));
  }
  fs::remove(source);
  fs::remove(binary);
}

std::string stored() {
  heapledger::SymbolTable table;
  uint32_t module = table.module("/lib/x.so", "\x01\x02\x03");
  heapledger::SymbolFrame frames[2];
  frames[0] = {table.intern("inner(int)"), table.intern("a.cpp"), 7, true};
  frames[1] = {table.intern("outer()"), table.intern("b.cpp"), 9, false};
  table.set(module, 0x1234, frames);
  table.set(module, 0x1300, {frames + 1, 1});
  table.set_source(module, heapledger::SymbolSource::kSymbols, "no debug information");
  return table.encode();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  fs::path folder = argv[1];
  fs::create_directories(folder);
  add_program(folder, "dwarf5", "-g -gdwarf-5");
  add_program(folder, "dwarf4", "-g -gdwarf-4");
  add_program(folder, "packed", "-g -gz");
  add_program(folder, "plain", "");
  write(folder / "stored", '\1' + stored());
  write(folder / "cpp", "\2_ZN3foo3barISt6vectorIiSaIiEEEEvT_");
  write(folder / "rust", "\2_RNvCs1234_7mycrate3foo");
  write(folder / "rules", '\3' + std::string("my::detail::handle<*> => handle<$1>\n") + '\0' +
                              "my::detail::handle<std::vector<int, std::allocator<int> > >");
  return 0;
}
