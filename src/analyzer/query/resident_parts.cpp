#include "analyzer/query/resident_parts.h"

#include <algorithm>

namespace heapledger {
namespace {

using format::ResidentKind;
using format::ResidentRange;

// glibc gives a thread memory in pieces that begin at a multiple of this, and end before the next,
// a guard behind what it uses. What a program maps itself may begin there, too.
constexpr uint64_t kArenaBytes = 64ull << 20;
constexpr uint64_t kSmallestMapped = 128 * 1024;
// No program has more; a ledger that says so is damaged, and must not lead astray.
constexpr uint64_t kMostBytes = uint64_t{1} << 60;

uint64_t plus(uint64_t sum, uint64_t more) {
  return std::min(kMostBytes, sum + std::min(kMostBytes, more));
}

// What a block takes, from where to where.
struct Chunk {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool has_pages = false;  // of its own

  uint64_t bytes() const { return end - begin; }
};

// What glibc's malloc takes for a request: a multiple of 16 with 8 bytes for itself, 32 at least;
// large blocks have pages of their own, which one sees by where they begin.
Chunk chunk_of(const PlacedBlock& block, const ResidentFacts& facts) {
  uint64_t page = facts.page_bytes;
  uint64_t at = block.address;
  uint64_t size = at < kMostBytes ? std::min(block.size, kMostBytes) : 0;
  if (!facts.glibc_model) return {at, at + size, false};
  if (size >= kSmallestMapped && at % page == 16) {
    return {at - 16, at - 16 + (size + 16 + page - 1) / page * page, true};
  }
  uint64_t begin = at < 8 ? 0 : at - 8;
  return {begin, begin + std::max<uint64_t>(32, (size + 8 + 15) / 16 * 16), false};
}

// The pages that blocks lie in, each once, and who keeps them from being given back: what is free
// in a page is shared by the blocks that lie in it.
class Pages {
 public:
  Pages(uint64_t page_bytes, ResidentSums* sums) : page_bytes_(page_bytes), sums_(sums) {}

  // In the order of addresses.
  void add(const PlacedBlock& block, const Chunk& chunk) {
    uint64_t last_byte = block.address + std::max<uint64_t>(block.size, 1) - 1;
    uint64_t first = block.address / page_bytes_;
    uint64_t last = std::max(first, last_byte / page_bytes_);
    used_ += chunk.bytes();
    if (count_ == 0 || first > page_) open(first);
    take(block.account, chunk, page_);
    if (last <= page_) return;
    count_ += last - page_ - 1;
    open(last);
    take(block.account, chunk, last);
  }
  void finish() { close(); }

  uint64_t count() const { return count_; }
  // What is free in them.
  uint64_t free_bytes() const {
    uint64_t all = count_ * page_bytes_;
    return all > used_ ? all - used_ : 0;
  }

 private:
  void open(uint64_t page) {
    close();
    page_ = page;
    ++count_;
  }
  void take(uint32_t account, const Chunk& chunk, uint64_t page) {
    uint64_t begin = std::max(chunk.begin, page * page_bytes_);
    uint64_t end = std::min(chunk.end, (page + 1) * page_bytes_);
    if (end > begin) in_page_ += end - begin;
    if (sums_ != nullptr) accounts_.push_back(account);
  }
  void close() {
    uint64_t free = in_page_ < page_bytes_ ? page_bytes_ - in_page_ : 0;
    for (uint32_t account : accounts_) {
      sums_->own(RssPart::kPinned, account, free / accounts_.size());
    }
    accounts_.clear();
    in_page_ = 0;
  }

  uint64_t page_bytes_;
  ResidentSums* sums_;  // for owners; nullptr: nobody wants them
  uint64_t page_ = 0;
  uint64_t count_ = 0;
  uint64_t used_ = 0;
  uint64_t in_page_ = 0;
  std::vector<uint32_t> accounts_;  // of blocks in this page
};

class Sharing {
 public:
  Sharing(ResidentFacts& facts, ResidentSums& sums)
      : facts_(facts),
        sums_(sums),
        pages_(facts.page_bytes, &sums),
        pages_elsewhere_(facts.page_bytes, &sums) {}

  void run() {
    auto by_address = [](const PlacedBlock& a, const PlacedBlock& b) {
      return a.address < b.address;
    };
    std::sort(facts_.blocks.begin(), facts_.blocks.end(), by_address);
    std::sort(facts_.mappings.begin(), facts_.mappings.end(), by_address);
    list_ranges();
    place_blocks();
    place_mappings();
    count_pages();
    if (!facts_.has_rss) return;
    if (facts_.has_look) {
      for (Range& range : ranges_) share(range);
      own_mappings();
      share_the_rest();
      follow_change();
    } else {
      share_by_pages();
    }
  }

 private:
  struct Range {
    ResidentKind kind;
    uint64_t start;
    uint64_t end;
    uint64_t resident;
    uint64_t used = 0;    // by blocks
    uint64_t mapped = 0;  // by the program
    bool has_small = false;
    double mapped_share = 0;  // of that, what is resident

    bool is_heap() const {
      return kind == ResidentKind::kHeap || has_small ||
             (kind == ResidentKind::kAnonymous && start % kArenaBytes == 0 &&
              end - start < kArenaBytes);
    }
  };

  void add(RssPart part, uint64_t bytes) { sums_.add(part, bytes); }
  void take(RssPart part, uint64_t bytes) { sums_.add(part, -bytes); }

  void list_ranges() {
    for (const ResidentRange& range : facts_.ranges) {
      if (range.bytes == 0) {
        rest_[static_cast<size_t>(range.kind)] += range.resident;
      } else if (range.start + range.bytes > range.start) {
        ranges_.push_back({range.kind, range.start, range.start + range.bytes,
                           std::min(kMostBytes, range.resident)});
      }
    }
    std::sort(ranges_.begin(), ranges_.end(),
              [](const Range& a, const Range& b) { return a.start < b.start; });
  }

  // The first that ends behind an address.
  std::vector<Range>::iterator range_at(uint64_t address) {
    return std::partition_point(ranges_.begin(), ranges_.end(),
                                [address](const Range& range) { return range.end <= address; });
  }

  void place_blocks() {
    auto range = ranges_.begin();
    for (const PlacedBlock& block : facts_.blocks) {
      Chunk chunk = chunk_of(block, facts_);
      sums_.live_bytes += block.size;
      sums_.rounding_bytes += chunk.bytes() - std::min(chunk.bytes(), block.size);
      add(RssPart::kLive, block.size);
      add(RssPart::kRounding, chunk.bytes() - std::min(chunk.bytes(), block.size));
      sums_.own(RssPart::kLive, block.account, block.size);
      sums_.own(RssPart::kRounding, block.account,
                chunk.bytes() - std::min(chunk.bytes(), block.size));
      while (range != ranges_.end() && range->end <= block.address) ++range;
      if (range == ranges_.end() || block.address < range->start) {
        used_elsewhere_ = plus(used_elsewhere_, chunk.bytes());
        continue;
      }
      range->used = plus(range->used, chunk.bytes());
      range->has_small = range->has_small || !chunk.has_pages;
    }
  }

  bool has_blocks(const PlacedBlock& mapping) const {
    auto first = std::partition_point(
        facts_.blocks.begin(), facts_.blocks.end(),
        [&mapping](const PlacedBlock& block) { return block.address < mapping.address; });
    return first != facts_.blocks.end() && first->address - mapping.address < mapping.size;
  }

  // Another allocator's memory is recorded, too: what blocks lie in is theirs.
  template <typename Use>
  void for_each_mapped(Use use) {
    for (const PlacedBlock& mapping : facts_.mappings) {
      uint64_t end = mapping.address + mapping.size;
      if (end < mapping.address || has_blocks(mapping)) continue;
      for (auto at = range_at(mapping.address); at != ranges_.end() && at->start < end; ++at) {
        use(*at, mapping, std::min(end, at->end) - std::max(mapping.address, at->start));
      }
    }
  }

  void place_mappings() {
    for_each_mapped([](Range& range, const PlacedBlock&, uint64_t bytes) {
      range.mapped = plus(range.mapped, bytes);
    });
  }

  void count_pages() {
    Pages all(facts_.page_bytes, nullptr);
    auto range = ranges_.begin();
    for (const PlacedBlock& block : facts_.blocks) {
      Chunk chunk = chunk_of(block, facts_);
      all.add(block, chunk);
      while (range != ranges_.end() && range->end <= block.address) ++range;
      bool in_range = range != ranges_.end() && block.address >= range->start;
      if (!facts_.has_look || (in_range && range->is_heap() && !chunk.has_pages)) {
        pages_.add(block, chunk);
      } else if (!in_range) {
        pages_elsewhere_.add(block, chunk);
      }
    }
    pages_.finish();
    pages_elsewhere_.finish();
    sums_.touched_pages += all.count();
    sums_.touched_bytes += all.count() * facts_.page_bytes;
  }

  // What blocks and mappings have of a range; where not all of them can be resident, each has its
  // share.
  uint64_t take_users(Range& range, uint64_t& mapped) {
    uint64_t wanted = range.used + range.mapped;
    double share = wanted <= range.resident || wanted == 0
                       ? 1
                       : static_cast<double>(range.resident) / static_cast<double>(wanted);
    auto used = static_cast<uint64_t>(static_cast<double>(range.used) * share);
    mapped = static_cast<uint64_t>(static_cast<double>(range.mapped) * share);
    if (used + mapped > range.resident) mapped = range.resident - std::min(used, range.resident);
    take(RssPart::kNotResident, range.used - used);
    not_there_ = plus(not_there_, range.used - used);
    return range.resident - std::min(range.resident, used + mapped);
  }

  void share(Range& range) {
    uint64_t mapped = 0;
    uint64_t left = take_users(range, mapped);
    add(users_of(range), mapped);
    range.mapped_share =
        range.mapped == 0 ? 0 : static_cast<double>(mapped) / static_cast<double>(range.mapped);
    if (range.is_heap()) {
      free_ += left;
    } else {
      add(part_of(range.kind), left);
    }
  }

  static RssPart users_of(const Range& range) {
    bool is_file = range.kind == ResidentKind::kFile || range.kind == ResidentKind::kCode;
    return is_file ? RssPart::kFiles : RssPart::kMappings;
  }

  void own_mappings() {
    for_each_mapped([this](const Range& range, const PlacedBlock& mapping, uint64_t bytes) {
      double there = static_cast<double>(std::min(kMostBytes, bytes)) * range.mapped_share;
      sums_.own(users_of(range), mapping.account, static_cast<uint64_t>(there));
    });
  }

  static RssPart part_of(ResidentKind kind) {
    switch (kind) {
      case ResidentKind::kMainStack:
        return RssPart::kMainStack;
      case ResidentKind::kThreadStack:
        return RssPart::kThreadStacks;
      case ResidentKind::kCode:
        return RssPart::kCode;
      case ResidentKind::kFile:
        return RssPart::kFiles;
      case ResidentKind::kRecorder:
        return RssPart::kRecorder;
      case ResidentKind::kHeap:
        return RssPart::kFree;
      default:
        return RssPart::kUnexplained;
    }
  }

  // Mappings that were too small to be told one by one, and blocks in these or in none.
  void share_the_rest() {
    uint64_t& small = rest_[static_cast<size_t>(ResidentKind::kAnonymous)];
    uint64_t there = std::min(small, used_elsewhere_);
    small -= there;
    not_there_ = plus(not_there_, used_elsewhere_ - there);
    take(RssPart::kNotResident, used_elsewhere_ - there);
    for (size_t kind = 0; kind < rest_.size(); ++kind) {
      add(part_of(static_cast<ResidentKind>(kind)), rest_[kind]);
    }
    put_free();
  }

  void put_free() {
    uint64_t pinned = std::min(free_, pages_.free_bytes());
    add(RssPart::kPinned, pinned);
    add(RssPart::kFree, free_ - pinned);
  }

  // The sample may be younger than the look. What has come since then is blocks that had no memory
  // there, with the pages they lie in, then what blocks have left that came and went; what has
  // gone is what nobody has, then free memory.
  void follow_change() {
    uint64_t then = facts_.looked_total;
    uint64_t now = facts_.rss;
    if (now >= then) {
      uint64_t blocks = std::min(now - then, not_there_);
      uint64_t around = std::min(now - then - blocks, pages_elsewhere_.free_bytes());
      add(RssPart::kNotResident, blocks);
      add(RssPart::kPinned, around);
      uint64_t left = std::min(now - then - blocks - around, facts_.left_since_look);
      add(RssPart::kFree, left);
      add(RssPart::kUnexplained, now - then - blocks - around - left);
      return;
    }
    uint64_t gone = then - now;
    for (RssPart part : {RssPart::kUnexplained, RssPart::kFree, RssPart::kPinned}) {
      auto there = static_cast<uint64_t>(std::max<int64_t>(0, sums_.of(part)));
      uint64_t from = std::min(gone, there);
      take(part, from);
      gone -= from;
    }
    take(RssPart::kNotResident, gone);
  }

  void share_by_pages() {
    uint64_t fragmentation = pages_.free_bytes();
    add(RssPart::kPinned, fragmentation);
    if (facts_.has_file_rss) add(RssPart::kFiles, facts_.file_rss);
    add(RssPart::kUnexplained, facts_.rss);
    take(RssPart::kUnexplained, facts_.has_file_rss ? facts_.file_rss : 0);
    for (const PlacedBlock& block : facts_.blocks) {
      take(RssPart::kUnexplained, std::max(block.size, chunk_of(block, facts_).bytes()));
    }
    take(RssPart::kUnexplained, fragmentation);
  }

  ResidentFacts& facts_;
  ResidentSums& sums_;
  Pages pages_;            // of malloc's memory
  Pages pages_elsewhere_;  // in no mapping that was there
  std::vector<Range> ranges_;
  std::array<uint64_t, format::kResidentKinds> rest_{};
  uint64_t used_elsewhere_ = 0;
  uint64_t not_there_ = 0;
  uint64_t free_ = 0;
};

}  // namespace

void ResidentSums::own(RssPart part, uint32_t account, uint64_t more) {
  if (account == UINT32_MAX) return;
  std::vector<uint64_t>& owners = by_account[static_cast<size_t>(part)];
  if (account >= owners.size()) owners.resize(account + size_t{1} + account / 2);
  owners[account] += more;
}

uint64_t left_by(const PlacedBlock& block, const ResidentFacts& facts) {
  const Chunk chunk = chunk_of(block, facts);
  return chunk.has_pages ? 0 : chunk.bytes();
}

void share_out(ResidentFacts& facts, ResidentSums& sums) {
  Sharing(facts, sums).run();
}

}  // namespace heapledger
