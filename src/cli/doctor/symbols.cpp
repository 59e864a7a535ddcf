#include "cli/doctor/symbols.h"

#include "symbols/debug_files.h"
#include "symbols/debuginfod.h"
#include "symbols/elf_file.h"
#include "symbols/read_guard.h"

namespace heapledger::cli::doctor {

ModuleSymbols symbols_of_module(const std::string& name, const std::string& path) {
  using From = ModuleSymbols::From;
  ModuleSymbols symbols{name, path, From::kNowhere, ""};
  if (path.empty()) return symbols;
  const ReadGuard guard;
  const ElfFile file(path);
  if (!file) return symbols;
  Debuginfod nobody(false, std::chrono::milliseconds(0));
  const DebugFiles files = find_debug_files(path, file.build_id(), {}, nobody, {});
  if (!files.debug.empty()) {
    const bool inside = files.debug == files.image;
    symbols.from = inside ? From::kInside : From::kSeparate;
    if (!inside) symbols.debug_file = files.debug;
  } else if (file.has_section(".symtab") || file.has_section(".gnu_debugdata")) {
    symbols.from = From::kSymbols;
  } else if (file.has_section(".dynsym")) {
    symbols.from = From::kExports;
  }
  if (guard.failed()) return {name, path, From::kNowhere, ""};
  return symbols;
}

bool uses_standard_pools(const std::string& path) {
  const ReadGuard guard;
  const ElfFile file(path);
  if (!file) return false;
  const std::string_view names = file.section(".dynstr");
  // __gnu_cxx::__pool_alloc_base and __gnu_cxx::__pool<…>, as mangled names have them.
  return names.find("9__gnu_cxx17__pool_alloc_base") != std::string_view::npos ||
         names.find("9__gnu_cxx6__poolI") != std::string_view::npos;
}

}  // namespace heapledger::cli::doctor
