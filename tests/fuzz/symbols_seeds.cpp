// Writes the seeds of the fuzzer of symbols into a folder: small programs with debug information of
// several versions, made by the compiler that is here, and symbols as a sealed ledger stores them.
// Without a compiler there are no programs among them.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "seed_folder.h"
#include "symbols/symbol_table.h"

namespace {

namespace fs = std::filesystem;
using heapledger::fuzz::SeedFolder;

constexpr const char* kProgram = R"(
static inline __attribute__((always_inline)) int inner(int x) { return x * 3 + 1; }
__attribute__((noinline)) int middle(int x) { return inner(x) + inner(x + 1); }
int _start(void) { return middle(4) + middle(5); }
)";

// Nothing but the code and what describes it: a few thousand bytes.
void add_program(const SeedFolder& seeds, const char* name, const std::string& flags) {
  fs::path source = seeds.path() / "program.c";
  fs::path binary = seeds.path() / "program";
  seeds.write("program.c", kProgram);
  std::string command = "cc -O1 -nostdlib -static -Wl,--build-id -Wl,-z,noseparate-code " + flags +
                        " -o '" + binary.string() + "' '" + source.string() + "' 2>/dev/null";
  if (std::system(command.c_str()) == 0) {
    std::ifstream file(binary, std::ios::binary);
    seeds.write(name, '\0' + std::string(std::istreambuf_iterator<char>(file), {}));
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
  const SeedFolder seeds(argc, argv);
  add_program(seeds, "dwarf5", "-g -gdwarf-5");
  add_program(seeds, "dwarf4", "-g -gdwarf-4");
  add_program(seeds, "packed", "-g -gz");
  add_program(seeds, "plain", "");
  seeds.write("stored", '\1' + stored());
  seeds.write("cpp", "\2_ZN3foo3barISt6vectorIiSaIiEEEEvT_");
  seeds.write("rust", "\2_RNvCs1234_7mycrate3foo");
  seeds.write("rules", '\3' + std::string("my::detail::handle<*> => handle<$1>\n") + '\0' +
                           "my::detail::handle<std::vector<int, std::allocator<int> > >");
  return 0;
}
