#include "symbols/unit_functions.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

namespace heapledger {
namespace {

// Real trees have some dozens of levels.
constexpr size_t kMostDepth = 4096;

// An address is in as many functions as are inlined into one another there, hence in some dozens. A
// file in which every address is in every function is hostile, and not read to its end.
constexpr uint64_t kMostFunctionHits = 10'000;

bool is_function(unsigned tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

bool is_type(unsigned tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
         tag == DW_TAG_enumeration_type || tag == DW_TAG_array_type ||
         tag == DW_TAG_subroutine_type || tag == DW_TAG_interface_type;
}

// What an entry says of itself, as far as the pass needs it.
struct Entry {
  uint64_t offset = 0;
  uint64_t sibling = 0;  // 0: not said
  uint64_t low = 0;
  uint64_t high = 0;
  bool has_low = false;
  bool has_high = false;
  bool high_is_size = false;
  bool other_form = false;  // of a kind that is left to libdw
};

class Pass {
 public:
  Pass(Dwarf* dwarf, const DwarfSections& sections, const UnitPlace& unit, const Abbrevs& abbrevs,
       std::span<const uint64_t> addresses, std::span<const AddressRange> code)
      : dwarf_(dwarf),
        unit_(unit),
        abbrevs_(abbrevs),
        addresses_(addresses),
        code_(code),
        from_(sections.info.substr(0, std::min<uint64_t>(unit.end, sections.info.size())),
              unit.first_entry) {
    found_.at.assign(addresses.size(), FunctionNode::kNone);
    sizes_.assign(addresses.size(), UINT64_MAX);
    budget_ = kMostFunctionHits * (addresses.size() + 1);
  }

  // With `hurried`, what is inside of types and of functions without any of the addresses is left
  // out. Hardly ever is there code in there: methods of local classes, nested functions.
  UnitFunctions run(bool hurried) {
    while (!from_.at_end()) {
      const uint64_t offset = from_.offset();
      const uint64_t code = from_.uleb();
      if (code == 0) {
        if (parents_.empty()) break;
        parents_.pop_back();
        if (parents_.empty()) break;
        continue;
      }
      const Abbrev* const abbrev = abbrevs_.find(code);
      if (abbrev == nullptr) break;
      step(*abbrev, offset, hurried);
      if (from_.bad() || (parents_.empty() && !abbrev->children)) break;
    }
    return std::move(found_);
  }

 private:
  void step(const Abbrev& abbrev, uint64_t offset, bool hurried) {
    const uint32_t parent = parents_.empty() ? FunctionNode::kNone : parents_.back();
    // An inlined function matters only inside of one that was hit.
    const bool function =
        is_function(abbrev.tag) && (abbrev.tag == DW_TAG_subprogram || parent != kNoNode);
    const bool skippable = hurried && abbrev.children && (function || is_type(abbrev.tag));
    uint32_t node = parent;
    if (!function && !skippable) {
      pass_over(abbrev);
    } else {
      Entry entry;
      entry.offset = offset;
      read(abbrev, entry);
      if (function) node = look(abbrev.tag == DW_TAG_inlined_subroutine, entry, parent);
      const bool leave = skippable && (!function || node == kNoNode);
      if (leave && entry.sibling > from_.offset() && entry.sibling <= unit_.end) {
        from_.skip(entry.sibling - from_.offset());
        return;
      }
    }
    if (!abbrev.children) return;
    if (parents_.size() >= kMostDepth) return from_.fail();
    parents_.push_back(node);
  }

  void pass_over(const Abbrev& abbrev) {
    if (abbrev.size != Abbrev::kVaries) return from_.skip(abbrev.size);
    const AttributeForm* const forms = abbrevs_.attributes(abbrev);
    for (uint32_t i = 0; i < abbrev.count; ++i) skip_form(from_, forms[i].form, unit_);
  }

  void read(const Abbrev& abbrev, Entry& entry) {
    const AttributeForm* const forms = abbrevs_.attributes(abbrev);
    for (uint32_t i = 0; i < abbrev.count; ++i) {
      const auto [name, form] = forms[i];
      const uint32_t size = size_of_form(form, unit_);
      if (name == DW_AT_sibling && size <= 8 && form != DW_FORM_ref_addr) {
        entry.sibling = unit_.start + from_.number(size);  // counted from the header
      } else if (name == DW_AT_low_pc && form == DW_FORM_addr) {
        entry.low = from_.number(unit_.address_size);
        entry.has_low = true;
      } else if (name == DW_AT_high_pc && size <= 8 && form != DW_FORM_implicit_const) {
        entry.high = from_.number(size);
        entry.has_high = true;
        entry.high_is_size = form != DW_FORM_addr;
      } else {
        const bool place = name == DW_AT_low_pc || name == DW_AT_high_pc || name == DW_AT_ranges;
        entry.other_form = entry.other_form || place;
        skip_form(from_, form, unit_);
      }
    }
  }

  // Notes the addresses in the function; the node for what is inside of it.
  uint32_t look(bool inlined, const Entry& entry, uint32_t parent) {
    node_ = kNoNode;
    if (entry.other_form) {
      look_with_libdw(inlined, entry, parent);
    } else if (entry.has_low && entry.has_high) {
      const uint64_t high = entry.high_is_size ? entry.low + entry.high : entry.high;
      look_at(inlined, entry, parent, {entry.low, high}, high - entry.low);
    }
    // The children of an inlined function without hits have none either; a function without any
    // may still hold another one.
    return node_;
  }

  void look_with_libdw(bool inlined, const Entry& entry, uint32_t parent) {
    Dwarf_Die die;
    if (dwarf_offdie(dwarf_, entry.offset, &die) == nullptr) return;
    ranges_.clear();
    Dwarf_Addr base = 0;
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    uint64_t size = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;) {
      if (end <= start) continue;
      ranges_.push_back({start, end});
      size += end - start;
    }
    for (const AddressRange& range : ranges_) look_at(inlined, entry, parent, range, size);
  }

  void look_at(bool inlined, const Entry& entry, uint32_t parent, AddressRange range,
               uint64_t size) {
    const auto first = std::lower_bound(addresses_.begin(), addresses_.end(), range.start);
    if (first == addresses_.end() || *first >= range.end || !holds(code_, range.start)) return;
    for (auto i = static_cast<size_t>(first - addresses_.begin());
         i < addresses_.size() && addresses_[i] < range.end; ++i) {
      if (budget_-- == 0) return from_.fail();
      if (!inlined && sizes_[i] <= size) continue;  // where two claim it, the smaller one
      if (node_ == kNoNode) {
        node_ = static_cast<uint32_t>(found_.nodes.size());
        found_.nodes.push_back({entry.offset, inlined ? parent : kNoNode, inlined});
      }
      if (inlined && !is_inside(found_.at[i], parent)) continue;
      found_.at[i] = node_;
      if (!inlined) sizes_[i] = size;
    }
  }

  // Whether `node` is `ancestor` or one that `ancestor` is inlined into.
  bool is_inside(uint32_t node, uint32_t ancestor) const {
    for (uint32_t at = ancestor; at != kNoNode; at = found_.nodes[at].parent) {
      if (at == node) return true;
    }
    return false;
  }

  static constexpr uint32_t kNoNode = FunctionNode::kNone;

  Dwarf* const dwarf_;
  const UnitPlace& unit_;
  const Abbrevs& abbrevs_;
  const std::span<const uint64_t> addresses_;
  const std::span<const AddressRange> code_;
  ByteReader from_;
  UnitFunctions found_;
  std::vector<uint64_t> sizes_;    // of the function that each address was found in
  std::vector<uint32_t> parents_;  // for each open entry the function it is in
  std::vector<AddressRange> ranges_;
  uint32_t node_ = kNoNode;
  uint64_t budget_ = 0;
};

}  // namespace

bool holds(std::span<const AddressRange> code, uint64_t address) {
  auto after =
      std::upper_bound(code.begin(), code.end(), address,
                       [](uint64_t a, const AddressRange& range) { return a < range.start; });
  return after != code.begin() && address < (--after)->end;
}

UnitFunctions find_functions(Dwarf* dwarf, const DwarfSections& sections, const UnitPlace& unit,
                             Abbrevs& abbrevs, std::span<const uint64_t> addresses,
                             std::span<const AddressRange> code) {
  abbrevs.load(sections.abbrev, unit);
  UnitFunctions found = Pass(dwarf, sections, unit, abbrevs, addresses, code).run(true);
  std::vector<uint64_t> missing;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (found.at[i] == FunctionNode::kNone) missing.push_back(addresses[i]);
  }
  if (missing.empty()) return found;

  UnitFunctions more = Pass(dwarf, sections, unit, abbrevs, missing, code).run(false);
  const auto shift = static_cast<uint32_t>(found.nodes.size());
  for (FunctionNode node : more.nodes) {
    if (node.parent != FunctionNode::kNone) node.parent += shift;
    found.nodes.push_back(node);
  }
  for (size_t i = 0, next = 0; i < addresses.size(); ++i) {
    if (found.at[i] != FunctionNode::kNone) continue;
    const uint32_t node = more.at[next++];
    if (node != FunctionNode::kNone) found.at[i] = node + shift;
  }
  return found;
}

}  // namespace heapledger
