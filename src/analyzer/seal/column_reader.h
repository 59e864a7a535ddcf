// Puts payloads together again from columns, byte for byte, in the order in which they were taken
// apart. Hostile columns give a refusal, never a read or write outside them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analyzer/seal/columns.h"
#include "format/entry.h"

namespace heapledger::seal {

// Readers load up to eight bytes at once: a column has this much behind its end.
inline constexpr size_t kColumnPadding = 16;

// One column, read from its beginning to its end.
class ColumnCursor {
 public:
  ColumnCursor() = default;
  explicit ColumnCursor(std::span<const unsigned char> padded)
      : at_(padded.data()), end_(at_ + padded.size()) {}

  bool number(uint64_t& value);
  bool byte(unsigned char& value);
  bool bytes(uint64_t count, std::string_view& value);
  bool within() const { return end_ - at_ >= static_cast<ptrdiff_t>(kColumnPadding); }

 private:
  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;  // of the padding
};

// One note, as its columns have it.
struct NoteParts {
  unsigned kind = 0;
  uint64_t time = 0;  // since the beginning of its payload
  std::string_view fields;
};

// The notes alone: needs the columns of notes and no others.
class NoteReader {
 public:
  explicit NoteReader(const Columns& columns);

  bool begin_filling(uint64_t& notes);
  bool next(NoteParts& note);
  bool within() const;

 private:
  std::array<ColumnCursor, kNoteColumns> at_;
  uint64_t time_ = 0;
  uint64_t site_id_ = 0;
  uint64_t site_pc_ = 0;
  unsigned char buffer_[64];
};

class ColumnReader {
 public:
  // The columns are padded with kColumnPadding bytes each, and stay where they are.
  explicit ColumnReader(const Columns& columns);

  // The next payload, which has `bytes` bytes; false when the columns do not give that.
  bool next(uint32_t bytes, Bytes& payload);

  // Whether nothing was read that is not there.
  bool within() const;

 private:
  struct Birth {
    uint64_t address;
    unsigned size_class;
  };

  unsigned char* entry(unsigned char tag, unsigned char* to);
  unsigned char* note(unsigned char* to, const unsigned char* end);
  bool birth(uint64_t size, uint64_t& address);
  bool death(uint64_t& address);
  bool put_pointer(uint64_t address, unsigned char*& to);

  std::array<ColumnCursor, kColumns> at_;
  NoteReader notes_;
  std::vector<Birth> births_;
  std::array<std::vector<uint64_t>, kClasses> deaths_;
  uint64_t last_birth_ = 0;
  std::array<uint64_t, kClasses> last_death_{};
  uint64_t time_ = 0;
  uint64_t previous_ = 0;
  uint64_t last_new_ = 0;
};

}  // namespace heapledger::seal
