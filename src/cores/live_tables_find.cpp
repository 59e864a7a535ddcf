#include <cstring>
#include <vector>

#include "cores/live_layout.h"
#include "cores/live_tables.h"

namespace heapledger::cores {
namespace {

using format::LiveHeader;

constexpr size_t kTablePieceBytes = size_t{1} << 20;
constexpr uint32_t kLargestHeader = 16u << 20;

bool makes_sense(const ForeignBytes& header) {
  uint32_t word = header.word32(offsetof(LiveHeader, word_bytes));
  uint32_t mapped = header.word32(offsetof(LiveHeader, mapped_bytes));
  uint32_t version = header.word32(offsetof(LiveHeader, version));
  return (word == 4 || word == 8) && mapped >= sizeof(LiveHeader) && mapped <= kLargestHeader &&
         version >= 1;
}

bool has_magic(const unsigned char* bytes) {
  return std::memcmp(bytes, format::kLiveMagicHead, 8) == 0 &&
         std::memcmp(bytes + 8, format::kLiveMagicTail, 8) == 0;
}

}  // namespace

std::optional<FoundTables> live_tables_at(const Memory& memory, uint64_t address) {
  std::vector<unsigned char> bytes(sizeof(LiveHeader));
  if (!memory.read_all(address, bytes) || !has_magic(bytes.data())) return std::nullopt;
  for (bool big : {false, true}) {
    ForeignBytes header(bytes, big);
    if (header.word32(offsetof(LiveHeader, byte_order)) != format::kLiveByteOrder) continue;
    if (!makes_sense(header)) continue;
    FoundTables found;
    found.address = address;
    found.self = header.word64(offsetof(LiveHeader, self));
    found.shape.big_endian = big;
    found.shape.word_bytes = header.word32(offsetof(LiveHeader, word_bytes));
    found.shape.machine = header.word32(offsetof(LiveHeader, machine));
    return found;
  }
  return std::nullopt;
}

std::optional<FoundTables> find_live_tables(const Memory& memory, uint32_t pid) {
  std::optional<FoundTables> first;
  bool done = false;
  auto look = [&](uint64_t address) {
    std::optional<FoundTables> found = live_tables_at(memory, address);
    if (!found) return;
    unsigned char bytes[4];
    bool same = memory.read_all(address + offsetof(LiveHeader, pid), bytes) &&
                Memory::decode<uint32_t>(bytes, found->shape.big_endian) == pid;
    done = same || pid == 0;
    if (!first || same) first = found;
  };
  for (const Region& region : memory.regions()) {
    if (done) break;
    for_each_piece(memory, region, kTablePieceBytes,
                   [&](uint64_t address, std::span<const unsigned char> bytes) {
                     // The header is at a multiple of 64, and no piece begins elsewhere in a page.
                     uint64_t skip = (64 - address % 64) % 64;
                     for (size_t at = skip; at + 16 <= bytes.size() && !done; at += 64) {
                       if (bytes[at] == 0x7f && has_magic(bytes.data() + at)) look(address + at);
                     }
                   });
  }
  return first;
}

}  // namespace heapledger::cores
