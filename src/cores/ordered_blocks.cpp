#include "cores/ordered_blocks.h"

#include <algorithm>
#include <tuple>

#include "text/text.h"

namespace heapledger::cores {
namespace {

// A ledger's clock has room for some centuries; nothing runs for longer.
constexpr uint64_t kLatest = uint64_t{1} << 62;

// A program that runs goes on while its heap is read.
constexpr uint64_t kMayBeLater = 1'000'000'000;

bool fits(const LiveBlock& block, unsigned word_bytes) {
  uint64_t last = word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
  return block.address != 0 && block.address <= last && block.size <= last - block.address;
}

void tell(std::vector<std::string>& problems, size_t count, const char* what) {
  if (count > 0) problems.push_back(counted(count, "block") + what);
}

}  // namespace

uint64_t moment_of(const LiveHeap& heap) {
  uint64_t now = heap.now_ns;
  if (now == 0 && heap.has_times) {
    for (const LiveBlock& block : heap.blocks) now = std::max(now, block.time);
  }
  return std::min(now, kLatest);
}

std::vector<size_t> ordered_blocks(const LiveHeap& heap, std::vector<std::string>& problems) {
  const std::vector<LiveBlock>& blocks = heap.blocks;
  std::vector<size_t> order;
  order.reserve(blocks.size());
  const uint64_t latest = moment_of(heap) + kMayBeLater;
  size_t late = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (fits(blocks[i], heap.shape.word_bytes)) order.push_back(i);
    if (heap.has_times && blocks[i].time > latest) ++late;
  }
  tell(problems, blocks.size() - order.size(), " cannot be where the heap says: left out");

  auto by_address = [&blocks](size_t a, size_t b) {
    return std::tuple(blocks[a].address, blocks[a].time, a) <
           std::tuple(blocks[b].address, blocks[b].time, b);
  };
  std::sort(order.begin(), order.end(), by_address);
  size_t kept = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    bool last_there =
        i + 1 == order.size() || blocks[order[i]].address != blocks[order[i + 1]].address;
    if (last_there) order[kept++] = order[i];
  }
  tell(problems, order.size() - kept, " at the address of a later one: left out");
  order.resize(kept);
  tell(problems, late, " allocated later than the moment of the heap, by what it says");

  auto by_time = [&](size_t a, size_t b) {
    uint64_t time_a = heap.has_times ? blocks[a].time : 0;
    uint64_t time_b = heap.has_times ? blocks[b].time : 0;
    return std::tuple(time_a, blocks[a].thread, a) < std::tuple(time_b, blocks[b].thread, b);
  };
  std::sort(order.begin(), order.end(), by_time);
  return order;
}

std::vector<uint32_t> outermost_first(const std::vector<LiveSite>& sites) {
  std::vector<char> seen(sites.size());
  std::vector<uint32_t> order;
  order.reserve(sites.size());
  std::vector<uint32_t> way;  // from a site outwards
  for (uint32_t first = 1; first < sites.size(); ++first) {
    uint32_t site = first;
    while (site != 0 && site < sites.size() && seen[site] == 0) {
      seen[site] = 1;
      way.push_back(site);
      site = sites[site].parent;
    }
    order.insert(order.end(), way.rbegin(), way.rend());
    way.clear();
  }
  return order;
}

}  // namespace heapledger::cores
