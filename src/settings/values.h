// How values are written: numbers, sizes and durations (base/units.h), switches. Each returns
// false, and changes nothing, when the text is not all of one value.
#pragma once

#include <cstdint>

namespace heapledger::settings {

bool read_number(const char* text, uint64_t least, uint64_t most, uint64_t& value);
bool read_size(const char* text, uint64_t& bytes);   // 4096, 64k, 1.5M
bool read_duration(const char* text, uint64_t& ns);  // 10s, 500ms, 2min; more than 0
bool read_switch(const char* text, bool& on);        // on, off
bool read_hex(const char* text, uint64_t& value);    // up to 16 small digits

}  // namespace heapledger::settings
