// Schedules written by hand for tests of replays: malloc and free of a few blocks, in one lane.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "replay/build.h"

namespace heapledger::test {

inline void write_bytes(int file, const void* bytes, size_t size, uint64_t at) {
  ASSERT_EQ(::pwrite(file, bytes, size, static_cast<off_t>(at)), static_cast<ssize_t>(size));
}

// Cut into chunks, each but the last with a kNext at its end.
inline std::vector<uint64_t> in_chunks(const std::vector<uint64_t>& words) {
  using namespace schedule;
  std::vector<uint64_t> chunks;
  for (uint64_t word : words) {
    if (chunks.size() % kChunkWords == kChunkWords - 1) {
      chunks.push_back(
          make_word(Word::kNext, 0, static_cast<uint32_t>(chunks.size() / kChunkWords + 1)));
    }
    chunks.push_back(word);
  }
  chunks.resize((chunks.size() + kChunkWords - 1) / kChunkWords * kChunkWords);
  return chunks;
}

// `rounds` times: `blocks` blocks of `size` bytes are allocated, then freed. Phase 0 is at the peak
// of the last round, phase 1 at the end.
inline Schedule tiny_schedule(uint32_t rounds, uint32_t blocks, uint32_t size) {
  using namespace schedule;
  std::vector<uint64_t> words;
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t i = 0; i < blocks; ++i) words.push_back(make_word(Word::kMalloc, i, size));
    if (round + 1 == rounds) words.push_back(make_word(Word::kPhase, 0, 0));
    for (uint32_t i = 0; i < blocks; ++i) words.push_back(make_word(Word::kFree, i, size));
  }
  words.push_back(make_word(Word::kPhase, 0, 1));
  words.push_back(make_word(Word::kEnd, 0, 0));
  const std::vector<uint64_t> chunks = in_chunks(words);

  const uint64_t half = static_cast<uint64_t>(rounds) * blocks;
  const uint64_t bytes = half * size;
  const Lane lane{0, 1, 2 * half, half, bytes, bytes, 0, blocks};
  const uint32_t ends = 0;
  Schedule made;
  made.phases = {{static_cast<uint64_t>(blocks) * size, blocks, 2 * half - blocks, 0, 1, 1},
                 {0, 0, 2 * half, 0, 1, 0}};
  Header& header = made.header;
  header.magic = kMagic;
  header.version = kVersion;
  header.lanes = 1;
  header.phases = 2;
  header.slots = blocks;
  header.chunks = static_cast<uint32_t>(chunks.size() / kChunkWords);
  header.calls = 2 * half;
  header.words = words.size();
  header.largest = size;
  header.peak_bytes = static_cast<uint64_t>(blocks) * size;
  header.lanes_at = sizeof(Header);
  header.ends_at = header.lanes_at + sizeof lane;
  header.phases_at = header.ends_at + 8;
  header.chunks_at = kChunkBytes;
  made.file = FileDescriptor(::memfd_create("schedule", MFD_CLOEXEC));
  const int file = made.file.get();
  write_bytes(file, &header, sizeof header, 0);
  write_bytes(file, &lane, sizeof lane, header.lanes_at);
  write_bytes(file, &ends, sizeof ends, header.ends_at);
  write_bytes(file, made.phases.data(), made.phases.size() * sizeof(Phase), header.phases_at);
  write_bytes(file, chunks.data(), chunks.size() * sizeof(uint64_t), header.chunks_at);
  return made;
}

// The player of this build, and the allocators that tests bring along.
inline void use_built_player() {
  ::setenv("HEAPLEDGER_PLAYER", HEAPLEDGER_PLAYER_PATH, 1);
}
inline std::string test_allocator(const std::string& name) {
  return std::string(HEAPLEDGER_TEST_ALLOCATORS) + "/lib" + name + ".so";
}

}  // namespace heapledger::test
