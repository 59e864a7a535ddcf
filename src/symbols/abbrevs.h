// The abbreviations of a unit: what each kind of debugging entry consists of, and how long it is.
// Made for stepping over entries as fast as their bytes allow; values are left to others.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "symbols/byte_reader.h"

namespace heapledger {

// Where a unit is and how its numbers are stored.
struct UnitPlace {
  uint64_t start = 0;        // offsets in .debug_info: the header
  uint64_t first_entry = 0;  // and what follows it
  uint64_t end = 0;
  uint64_t abbrevs = 0;  // offset in .debug_abbrev
  uint16_t version = 0;
  uint8_t address_size = 0;
  uint8_t offset_size = 0;
};

struct AttributeForm {
  uint16_t name;
  uint16_t form;
};

struct Abbrev {
  static constexpr uint32_t kVaries = UINT32_MAX;
  uint16_t tag = 0;
  bool children = false;
  uint32_t first = 0;  // of the attributes
  uint32_t count = 0;
  uint32_t size = kVaries;  // of all attributes together
};

class Abbrevs {
 public:
  // Reads those of a unit, unless it has them already.
  void load(std::string_view section, const UnitPlace& unit);

  const Abbrev* find(uint64_t code) const {
    return code != 0 && code <= by_code_.size() && by_code_[code - 1].tag != 0 ? &by_code_[code - 1]
                                                                               : nullptr;
  }
  const AttributeForm* attributes(const Abbrev& abbrev) const {
    return attributes_.data() + abbrev.first;
  }

 private:
  std::string_view section_;
  uint64_t offset_ = UINT64_MAX;
  UnitPlace unit_;
  std::vector<Abbrev> by_code_;
  std::vector<AttributeForm> attributes_;
};

// The bytes that a value of this form takes; Abbrev::kVaries when that depends on the value.
uint32_t size_of_form(unsigned form, const UnitPlace& unit);
void skip_form(ByteReader& from, unsigned form, const UnitPlace& unit);

}  // namespace heapledger
