// Numbers of free records of the live image: who is to use which.
#pragma once

#include <cstdint>

#include "format/live_tables.h"
#include "runtime/ledger/live_image.h"

namespace heapledger::runtime {

struct Window;

inline constexpr uint32_t kNoRecord = UINT32_MAX;

inline constexpr unsigned kRecordBits = 16;  // of the records in a part
inline format::LiveRecord& live_record(uint32_t number) {
  void* part = known_live_part(live_block_places, number >> kRecordBits);
  return static_cast<format::LiveRecord*>(part)[number & ((1u << kRecordBits) - 1)];
}

// A record that nobody uses, its address 0; kNoRecord when there is no memory.
uint32_t take_live_record(Window* window);
void return_live_record(Window* window, uint32_t number);

// See forget_live_records.
void forget_free_records(bool all);

}  // namespace heapledger::runtime
