#include "cores/block_header_choice.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace heapledger::cores {
namespace {

// What headers can agree in, and in which order they are preferred when as many say one as another.
struct Claim {
  bool is_moved;
  uint64_t displacement;
  uint8_t word_bytes;
  bool big_endian;

  auto key() const { return std::tie(is_moved, displacement, word_bytes, big_endian); }
  bool operator<(const Claim& other) const { return key() < other.key(); }
};

template <typename Structure>
Claim claim_of(const Structure& structure) {
  uint64_t displacement = structure.displacement();
  return {displacement != 0, displacement, structure.word_bytes, structure.big_endian};
}

void accept(const Claim& claim, FoundHeaders& found) {
  found.displacement = claim.displacement;
  found.shape = {claim.word_bytes, claim.big_endian, 0};
}

bool is_younger(const BlockHeader& a, const BlockHeader& b) {
  return std::tie(a.time, a.serial, b.self) > std::tie(b.time, b.serial, a.self);
}

// Ranges of addresses, joined where they touch.
class Covered {
 public:
  bool overlaps(uint64_t start, uint64_t end) const {
    auto after = ranges_.lower_bound(end);
    return after != ranges_.begin() && std::prev(after)->second > start;
  }

  void add(uint64_t start, uint64_t end) {
    auto first = ranges_.upper_bound(start);
    if (first != ranges_.begin() && std::prev(first)->second >= start) --first;
    while (first != ranges_.end() && first->first <= end) {
      start = std::min(start, first->first);
      end = std::max(end, first->second);
      first = ranges_.erase(first);
    }
    ranges_.emplace(start, end);
  }

 private:
  std::map<uint64_t, uint64_t> ranges_;
};

bool have_overlaps(const std::vector<BlockHeader>& by_address) {
  for (size_t i = 1; i < by_address.size(); ++i) {
    if (by_address[i - 1].end() > by_address[i].start()) return true;
  }
  return false;
}

// A header is dead if any younger one lies over it, even one that is dead itself by now.
void drop_dead(std::vector<BlockHeader>& headers) {
  std::sort(headers.begin(), headers.end(), is_younger);
  Covered younger;
  auto last = std::remove_if(headers.begin(), headers.end(), [&](const BlockHeader& header) {
    bool dead = younger.overlaps(header.start(), header.end());
    younger.add(header.start(), header.end());
    return dead;
  });
  headers.erase(last, headers.end());
}

void sort_by_address(std::vector<BlockHeader>& headers) {
  std::sort(headers.begin(), headers.end(),
            [](const BlockHeader& a, const BlockHeader& b) { return a.self < b.self; });
}

}  // namespace

bool addresses_known(const Memory& memory) {
  return !memory.threads().empty() || !memory.modules().empty();
}

FoundHeaders agreement(ScannedHeaders& scanned, const Memory& memory) {
  std::vector<BlockHeader>& headers = scanned.headers;
  std::sort(headers.begin(), headers.end(), [](const BlockHeader& a, const BlockHeader& b) {
    return std::tuple(claim_of(a), a.self) < std::tuple(claim_of(b), b.self);
  });
  bool fixed = addresses_known(memory);
  if (fixed) {
    std::erase_if(scanned.images,
                  [](const ProgramImage& image) { return image.displacement() != 0; });
  }
  FoundHeaders found;
  for (size_t i = 0, next = 0; i < headers.size(); i = next) {
    Claim claim = claim_of(headers[i]);
    while (next < headers.size() && !(claim < claim_of(headers[next]))) ++next;
    if (next - i <= found.headers || (fixed && claim.is_moved)) continue;
    accept(claim, found);
    found.headers = next - i;
  }
  // An image speaks where there are no blocks.
  if (headers.empty() && !scanned.images.empty()) accept(claim_of(scanned.images.front()), found);
  found.others = headers.size() - found.headers;
  if (!memory.regions().empty()) found.base = memory.regions().front().start + found.displacement;
  return found;
}

const ProgramImage* image_of(const ScannedHeaders& scanned, const FoundHeaders& found) {
  const ProgramImage* best = nullptr;
  for (const ProgramImage& image : scanned.images) {
    if (image.word_bytes != found.shape.word_bytes) continue;
    if (image.big_endian != found.shape.big_endian) continue;
    bool in_place = image.displacement() == found.displacement;
    if (best == nullptr || (in_place && best->displacement() != found.displacement)) best = &image;
  }
  return best;
}

ChosenHeaders choose_headers(std::vector<BlockHeader> headers, const FoundHeaders& found) {
  std::erase_if(headers, [&](const BlockHeader& header) {
    return header.displacement() != found.displacement ||
           header.word_bytes != found.shape.word_bytes ||
           header.big_endian != found.shape.big_endian;
  });
  ChosenHeaders chosen;
  chosen.live = std::move(headers);
  size_t all = chosen.live.size();
  sort_by_address(chosen.live);
  if (have_overlaps(chosen.live)) {
    drop_dead(chosen.live);
    sort_by_address(chosen.live);
  }
  chosen.dead = all - chosen.live.size();
  return chosen;
}

}  // namespace heapledger::cores
