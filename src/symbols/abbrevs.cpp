#include "symbols/abbrevs.h"

#include <dwarf.h>

namespace heapledger {
namespace {

// Compilers number abbreviations from 1 without gaps; the largest programs have some thousands.
constexpr uint64_t kMostCodes = 1u << 20;

}  // namespace

uint32_t size_of_form(unsigned form, const UnitPlace& unit) {
  switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      return 8;
    case DW_FORM_data16:
      return 16;
    case DW_FORM_addr:
      return unit.address_size;
    case DW_FORM_ref_addr:
      return unit.version <= 2 ? unit.address_size : unit.offset_size;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_GNU_ref_alt:
      return unit.offset_size;
    default:
      return Abbrev::kVaries;
  }
}

void skip_form(ByteReader& from, unsigned form, const UnitPlace& unit) {
  if (form == DW_FORM_indirect) form = static_cast<unsigned>(from.uleb());
  const uint32_t size = size_of_form(form, unit);
  if (size != Abbrev::kVaries) return from.skip(size);
  switch (form) {
    case DW_FORM_string:
      from.text();
      return;
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      return from.skip_leb();
    case DW_FORM_block1:
      return from.skip(from.fixed<uint8_t>());
    case DW_FORM_block2:
      return from.skip(from.fixed<uint16_t>());
    case DW_FORM_block4:
      return from.skip(from.fixed<uint32_t>());
    case DW_FORM_block:
    case DW_FORM_exprloc:
      return from.skip(from.uleb());
    default:  // unknown, or indirect again: the rest of the unit cannot be understood
      return from.fail();
  }
}

void Abbrevs::load(std::string_view section, const UnitPlace& unit) {
  const bool same = section.data() == section_.data() && unit.abbrevs == offset_ &&
                    unit.version == unit_.version && unit.address_size == unit_.address_size &&
                    unit.offset_size == unit_.offset_size;
  if (same) return;
  section_ = section;
  offset_ = unit.abbrevs;
  unit_ = unit;
  by_code_.clear();
  attributes_.clear();
  ByteReader from(section, unit.abbrevs);
  for (uint64_t code = from.uleb(); code != 0 && code <= kMostCodes; code = from.uleb()) {
    if (code > by_code_.size()) by_code_.resize(code);
    Abbrev abbrev;
    abbrev.tag = static_cast<uint16_t>(from.uleb());
    abbrev.children = from.fixed<uint8_t>() != 0;
    abbrev.first = static_cast<uint32_t>(attributes_.size());
    abbrev.size = 0;
    while (!from.bad()) {
      const auto name = static_cast<uint16_t>(from.uleb());
      const auto form = static_cast<uint16_t>(from.uleb());
      if (form == DW_FORM_implicit_const) from.sleb();
      if (name == 0 && form == 0) break;
      attributes_.push_back({name, form});
      const uint32_t size = size_of_form(form, unit);
      if (size == Abbrev::kVaries || abbrev.size == Abbrev::kVaries) {
        abbrev.size = Abbrev::kVaries;
      } else {
        abbrev.size += size;
      }
    }
    if (from.bad()) return;
    abbrev.count = static_cast<uint32_t>(attributes_.size()) - abbrev.first;
    by_code_[code - 1] = abbrev;
  }
}

}  // namespace heapledger
