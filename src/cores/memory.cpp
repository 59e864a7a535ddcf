#include "cores/memory.h"

#include <algorithm>

namespace heapledger::cores {
namespace {

constexpr uint64_t kSmallestPage = 4096;

// UINT64_MAX behind the last page.
uint64_t page_after(uint64_t address) {
  uint64_t next = (address | (kSmallestPage - 1)) + 1;
  return next == 0 ? UINT64_MAX : next;
}

}  // namespace

void for_each_piece(const Memory& memory, const Region& region, size_t piece_bytes,
                    const PieceCallback& callback) {
  if (!region.readable || region.start >= region.end) return;
  size_t pages = std::max<size_t>(1, (piece_bytes + kSmallestPage - 1) / kSmallestPage);
  uint64_t most = std::min<uint64_t>(pages * kSmallestPage, region.end - region.start);
  std::vector<unsigned char> buffer(static_cast<size_t>(most));
  uint64_t at = region.start;
  while (at < region.end) {
    uint64_t data = memory.next_data(at);
    // Whole pages only, so that words are cut nowhere.
    if (data > at) at = std::max(at, data & ~(kSmallestPage - 1));
    if (data >= region.end) break;
    auto wanted = static_cast<size_t>(std::min<uint64_t>(most, region.end - at));
    size_t got = memory.read(at, std::span(buffer).first(wanted));
    if (got > 0) callback(at, std::span<const unsigned char>(buffer).first(got));
    at = got == wanted ? at + got : page_after(at + got);
  }
}

}  // namespace heapledger::cores
