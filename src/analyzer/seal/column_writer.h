// Takes the payloads of consecutive fillings of one window apart into columns. An address is not
// written as such where the history of the segment knows it: a death names the birth it ends, a
// birth the death whose place it takes, each as a distance from the one before. Exact for payloads
// in the form our encoder gives them; whoever compresses checks that and uses add_plain() else.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/seal/column_buffer.h"
#include "analyzer/seal/columns.h"
#include "format/entry_decoder.h"

namespace heapledger::seal {

class ColumnWriter {
 public:
  ColumnWriter();

  // Starts a new segment.
  void clear();

  // Returns the time of the last entry, counted from the beginning of the payload.
  uint64_t add(std::span<const unsigned char> payload);
  void add_plain(std::span<const unsigned char> payload);

  std::span<const unsigned char> column(unsigned number) const { return columns_[number].bytes(); }

 private:
  // An address that lives, or that was freed as a block of some class: it may be both, as memory is
  // split and joined.
  struct Slot {
    uint64_t address;
    uint32_t number;     // of the birth, or of the death within its class; kNone: over
    uint16_t epoch;      // of another segment: empty
    uint8_t role;        // kLive, or the class it died in
    uint8_t size_class;  // of a live one
  };
  static constexpr uint8_t kLive = 0;  // no class has this number
  static constexpr uint32_t kNone = UINT32_MAX;

  void put(Column column, uint64_t value) { columns_[column].put(value); }
  void entry(const format::Entry& entry, unsigned char tag);
  void note(const format::Entry& entry, unsigned char tag);
  bool site_note(const format::Entry& entry);
  void birth(uint64_t address, uint64_t size);
  void death(uint64_t address);
  Slot* find(uint64_t address, unsigned role, bool insert);

  std::array<ColumnBuffer, kColumns> columns_;
  std::vector<Slot> slots_;
  uint16_t epoch_ = 0;
  uint32_t births_ = 0;
  uint32_t last_birth_ = 0;
  std::array<uint32_t, kClasses> deaths_{};
  std::array<uint32_t, kClasses> last_death_{};
  uint64_t time_ = 0;
  uint64_t note_time_ = 0;
  uint64_t previous_ = 0;
  uint64_t last_new_ = 0;
  uint64_t notes_ = 0;
  uint64_t site_id_ = 0;
  uint64_t site_pc_ = 0;
};

}  // namespace heapledger::seal
