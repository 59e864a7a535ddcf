#include "symbols/unit_scopes.h"

#include <dwarf.h>

#include <algorithm>

namespace heapledger {
namespace {

constexpr size_t kMostScopes = 4096;

bool is_scope(unsigned tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_subprogram || tag == DW_TAG_module ||
         tag == DW_TAG_interface_type || tag == DW_TAG_enumeration_type;
}

}  // namespace

UnitScopes::UnitScopes(std::string_view info, const UnitPlace& unit, const Abbrevs& abbrevs) {
  ByteReader from(info.substr(0, std::min<uint64_t>(unit.end, info.size())), unit.first_entry);
  std::vector<uint32_t> open;
  while (!from.at_end()) {
    const uint64_t offset = from.offset();
    const uint64_t code = from.uleb();
    if (code == 0) {
      if (open.empty()) return;
      open.pop_back();
      continue;
    }
    const Abbrev* const abbrev = abbrevs.find(code);
    if (abbrev == nullptr) return;
    uint32_t scope = open.empty() ? kNone : open.back();
    if (is_scope(abbrev->tag)) {
      scopes_.push_back({offset, scope});
      scope = static_cast<uint32_t>(scopes_.size() - 1);
    }
    if (abbrev->size != Abbrev::kVaries) {
      from.skip(abbrev->size);
    } else {
      const AttributeForm* const forms = abbrevs.attributes(*abbrev);
      for (uint32_t i = 0; i < abbrev->count; ++i) skip_form(from, forms[i].form, unit);
    }
    if (!abbrev->children) continue;
    if (open.size() >= kMostScopes) return;
    open.push_back(scope);
  }
}

const UnitScopes::Scope* UnitScopes::find(uint64_t entry) const {
  const auto found =
      std::lower_bound(scopes_.begin(), scopes_.end(), entry,
                       [](const Scope& scope, uint64_t wanted) { return scope.entry < wanted; });
  return found != scopes_.end() && found->entry == entry ? &*found : nullptr;
}

}  // namespace heapledger
