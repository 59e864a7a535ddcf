// The file of a schedule while it is built: lanes' words, a chunk at a time, and the tables that
// come before them. It has no name, so it is gone when the last one closes it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "player/schedule.h"
#include "replay/file_descriptor.h"

namespace heapledger {

class ScheduleFile {
 public:
  // Where the chunks begin depends on how many lanes and phases there will be. Throws Error.
  ScheduleFile(uint32_t lanes, uint32_t phases);

  void append(uint32_t lane, uint64_t word) {
    std::vector<uint64_t>& words = lanes_[lane].words;
    if (words.size() == schedule::kChunkWords - 1) [[unlikely]] {
      next_chunk(lanes_[lane]);
    }
    words.push_back(word);
    ++words_;
  }
  void end(uint32_t lane);

  uint32_t first_chunk(uint32_t lane) const { return lanes_[lane].first_chunk; }

  // Writes the tables, and tells the header where all of it is.
  void finish(schedule::Header& header, std::span<const schedule::Lane> lanes,
              std::span<const uint32_t> ends, std::span<const schedule::Phase> phases);
  FileDescriptor take() { return std::move(file_); }
  uint64_t bytes() const { return chunks_at_ + chunks_ * schedule::kChunkBytes; }

 private:
  struct LaneWords {
    uint32_t first_chunk = 0;
    uint32_t chunk = 0;
    std::vector<uint64_t> words;  // of the chunk; grows, because most threads do little
  };

  void next_chunk(LaneWords& lane);
  uint32_t new_chunk();
  void write_chunk(const LaneWords& lane);
  void write(const void* from, uint64_t size, uint64_t at);
  [[noreturn]] void fail() const;

  FileDescriptor file_;
  std::vector<LaneWords> lanes_;
  uint64_t chunks_at_ = 0;
  uint64_t chunks_ = 0;
  uint64_t words_ = 0;
};

}  // namespace heapledger
