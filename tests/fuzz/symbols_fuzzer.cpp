// Hostile programs and debug information, names and stored symbols: every address asked for has a
// name in the end, and nothing crashes, hangs or takes memory out of proportion.
//
// The first byte chooses, modulo 4: 0 an ELF file, 1 the symbols that a sealed ledger has stored,
// 2 a mangled name, 3 rules that shorten names, and behind a zero byte a name.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/symbols.h"
#include "elf/bytes.h"
#include "elf/image.h"
#include "symbols/demangle.h"
#include "symbols/resolve.h"
#include "symbols/shorten.h"
#include "symbols/symbol_table.h"

using namespace heapledger;
using namespace heapledger::cli::doctor;
using namespace heapledger::elf;

namespace {

void demand(bool truth) {
  if (!truth) abort();
}

std::string file_with(std::string_view bytes) {
  static const int fd = memfd_create("program", MFD_CLOEXEC);
  demand(fd >= 0 && ftruncate(fd, 0) == 0);
  demand(pwrite(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return "/proc/self/fd/" + std::to_string(fd);
}

// What is in the table is there again after it was stored.
void store_and_read(const SymbolTable& table) {
  SymbolTable again = SymbolTable::decode(table.encode());
  demand(again.module_count() == table.module_count());
  demand(again.encode() == table.encode());
}

void name_everything(const std::string& path, size_t size) {
  ModuleAddresses module;
  module.path = path;
  for (uint64_t address = 0x1000; address < 0x1000 + size && module.addresses.size() < 200;
       address += 7) {
    module.addresses.push_back(address);
  }
  ResolveOptions options;
  options.threads = 1;
  SymbolTable table;
  resolve({&module, 1}, options, table);
  uint32_t number = table.module(module.path, module.build_id);
  for (uint64_t address : module.addresses) {
    auto frames = table.find(number, address);
    demand(!frames.empty());
    for (const SymbolFrame& frame : frames) demand(!table.text(frame.function).empty());
  }
  store_and_read(table);
}

void read_program(std::string_view bytes) {
  std::string path = file_with(bytes);
  if (auto file = ElfBytes::open(path)) read_elf_image(*file);
  symbols_of_module("program", path);
  uses_standard_pools(path);
  name_everything(path, bytes.size());
}

void read_stored(std::string_view bytes) {
  store_and_read(SymbolTable::decode(bytes));
}

void read_name(std::string_view bytes) {
  std::string name(bytes.substr(0, bytes.find('\0')));
  shorten(demangle(name.c_str()));
}

void read_rules(std::string_view bytes) {
  size_t end = std::min(bytes.find('\0'), bytes.size());
  ShortenRules rules;
  rules.add(bytes.substr(0, end), "rules");
  shorten(bytes.substr(std::min(end + 1, bytes.size())), rules);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 4) {
      case 0:
        read_program(bytes);
        break;
      case 1:
        read_stored(bytes);
        break;
      case 2:
        read_name(bytes);
        break;
      default:
        read_rules(bytes);
    }
  } catch (const std::runtime_error&) {
    // A clear refusal is a good answer.
  }
  return 0;
}
