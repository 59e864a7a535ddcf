#include "analyzer/extent_index.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "format/checksum.h"
#include "format/count_table.h"

namespace heapledger {
namespace {

// Far more than a process can have threads; bounds what a hostile file can make us hold open.
constexpr size_t kMaxWindows = 32768;
constexpr size_t kMaxCountExtents = 1024;
constexpr uint64_t kMaxExtents = uint64_t{1} << 31;

bool in_order(const ExtentRef& a, const ExtentRef& b) {
  return std::make_tuple(a.window, a.seq, a.is_window(), a.place) <
         std::make_tuple(b.window, b.seq, b.is_window(), b.place);
}

std::string number_of(uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

bool header_is_sound(const format::ExtentHeader& header) {
  return header.header_checksum ==
         format::checksum(&header, offsetof(format::ExtentHeader, header_checksum));
}

void ExtentIndex::build(ByteSource& source, uint64_t header_bytes, bool check_sums,
                        Problems& problems) {
  const uint64_t size = source.size();
  if (size < header_bytes) {
    problems.add("the file is cut short: it ends inside its header");
    return;
  }
  extents_ = (size - header_bytes + format::kExtentBytes - 1) / format::kExtentBytes;
  if (extents_ > kMaxExtents) {
    problems.add("the file claims to be larger than any ledger can be; the far end is not read");
    extents_ = kMaxExtents;
  }
  for (uint64_t extent = 0; extent < extents_; ++extent) {
    const uint64_t offset = header_bytes + extent * format::kExtentBytes;
    format::ExtentHeader header{};
    size_t got = source.read(offset, &header, sizeof header);
    bool marked = got >= sizeof header.magic &&
                  (header.magic == format::kWindowMagic || header.magic == format::kChunkMagic);
    if (marked && got == sizeof header) {
      if (header.magic == format::kWindowMagic && size - offset < format::kExtentBytes) {
        problems.add("the file is cut short: it ends inside a window");
      }
      add(header, extent, check_sums);
      continue;
    }
    if (got == sizeof header && header.magic == format::kCountMagic) {
      if (size - offset < format::kExtentBytes) {
        problems.add("the file is cut short: it ends inside an extent of counters");
      }
      if (count_extents_.size() < kMaxCountExtents) count_extents_.push_back(extent);
      continue;
    }
    // A chunk that is cut this short leaves a gap, unless its window still has the entries.
    if (marked && header.magic == format::kWindowMagic) {
      problems.add("the file is cut short: it ends inside a window");
    } else if (got < sizeof header.magic && header.magic != 0) {
      problems.add("the file is cut short: it ends where an extent begins");
    }
    ++counts_.holes;
    uint64_t data = source.next_data(offset);
    if (data >= size) {
      counts_.holes += extents_ - extent - 1;
      break;
    }
    uint64_t reached = data < header_bytes ? 0 : (data - header_bytes) / format::kExtentBytes;
    if (reached > extent + 1) {
      counts_.holes += reached - extent - 1;
      extent = reached - 1;
    }
  }
  group(problems);
}

void ExtentIndex::adopt(std::vector<ExtentRef> refs, const ExtentCounts& counts, uint64_t missed,
                        Problems& problems) {
  refs_ = std::move(refs);
  extents_ = refs_.size();
  counts_ = counts;
  if (missed > 0) missed_[0] = missed;
  group(problems);
}

void ExtentIndex::add(const format::ExtentHeader& header, uint64_t extent, bool check_sums) {
  bool is_window = header.magic == format::kWindowMagic;
  ++(is_window ? counts_.windows : counts_.chunks);
  if (!is_window &&
      (header.bytes > format::kPayloadBytes || (check_sums && !header_is_sound(header)))) {
    torn_.push_back({header.seq, header.window, static_cast<uint32_t>(extent)});
    return;
  }
  auto place = static_cast<uint32_t>(extent * 2 + (is_window ? 1 : 0));
  refs_.push_back({header.seq, header.base_time, header.window, place});
  if (header.missed > 0) {
    uint64_t& missed = missed_[header.window];
    missed = std::max(missed, header.missed);
  }
}

uint64_t ExtentIndex::missed() const {
  uint64_t sum = 0;
  for (const auto& [window, missed] : missed_) sum = std::max(sum, sum + missed);
  return sum;
}

void ExtentIndex::group(Problems& problems) {
  std::sort(refs_.begin(), refs_.end(), in_order);
  for (size_t from = 0; from < refs_.size();) {
    if (windows_.size() == kMaxWindows) {
      problems.add("more than " + std::to_string(kMaxWindows) + " windows; the rest is not read");
      break;
    }
    size_t to = from;
    while (to < refs_.size() && refs_[to].window == refs_[from].window) ++to;
    windows_.emplace_back(refs_.data() + from, to - from);
    check_order(windows_.back(), problems);
    from = to;
  }
  check_torn(problems);
}

// Fillings of a window are numbered from 0: a number that is left out is a chunk that is lost.
void ExtentIndex::check_order(WindowExtents extents, Problems& problems) const {
  uint64_t expected = 0;
  for (const ExtentRef& ref : extents) {
    if (ref.seq > expected) {
      problems.add(number_of(ref.seq - expected, "chunk") + " of window " +
                   std::to_string(ref.window) + " missing, from number " +
                   std::to_string(expected));
    }
    if (ref.seq >= expected) expected = ref.seq + 1;
  }
}

// A process killed while it appends a chunk leaves it torn, with the entries still in the window.
void ExtentIndex::check_torn(Problems& problems) const {
  for (const Torn& torn : torn_) {
    if (window_holds(torn.window, torn.seq)) continue;
    problems.add("extent " + std::to_string(torn.extent) +
                 " is damaged: its header is not as written");
  }
}

bool ExtentIndex::window_holds(uint32_t window, uint64_t seq) const {
  ExtentRef probe{seq, 0, window, 1};
  auto at = std::lower_bound(refs_.begin(), refs_.end(), probe, in_order);
  return at != refs_.end() && at->window == window && at->seq == seq && at->is_window();
}

}  // namespace heapledger
