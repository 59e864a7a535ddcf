#include "symbols/copy_names.h"

#include <optional>
#include <utility>
#include <vector>

namespace heapledger {

bool copy_names(const SymbolTable& from, ModuleAddresses& wanted, SymbolTable& to) {
  std::optional<uint32_t> known = from.find_module(wanted.path, wanted.build_id);
  if (!known) return false;
  uint32_t module = to.module(wanted.path, wanted.build_id);
  std::vector<uint64_t> missing;
  std::vector<SymbolFrame> frames;
  for (uint64_t address : wanted.addresses) {
    std::span<const SymbolFrame> found = from.find(*known, address);
    if (found.empty()) {
      missing.push_back(address);
      continue;
    }
    frames.assign(found.begin(), found.end());
    for (SymbolFrame& frame : frames) {
      frame.function = to.intern(from.text(frame.function));
      frame.file = to.intern(from.text(frame.file));
    }
    to.set(module, address, frames);
  }
  to.set_source(module, from.source(*known), from.remark(*known));
  wanted.addresses = std::move(missing);
  return true;
}

}  // namespace heapledger
