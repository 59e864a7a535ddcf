#include "cores/live_tables.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "cores/live_layout.h"
#include "cores/live_parts.h"
#include "format/entry.h"
#include "text/text.h"

namespace heapledger::cores {
namespace {

using format::LiveHeader;
using format::LiveKind;

// Ticks of the program's clock to nanoseconds since its start.
class TickScale {
 public:
  TickScale(const ForeignBytes& header, std::optional<uint64_t> now_ns) {
    start_ = decode_clock(header, offsetof(LiveHeader, start));
    size_t newest = offsetof(LiveHeader, latest);
    if (header.word32(offsetof(LiveHeader, latest_index)) % 2 == 1) newest += sizeof(start_);
    format::ClockPair latest = decode_clock(header, newest);
    if (latest.ticks > start_.ticks && latest.monotonic_ns > start_.monotonic_ns) {
      elapsed_ = latest.monotonic_ns - start_.monotonic_ns;
      scale_ = static_cast<double>(elapsed_) / static_cast<double>(latest.ticks - start_.ticks);
    }
    if (now_ns && *now_ns > start_.monotonic_ns) elapsed_ = *now_ns - start_.monotonic_ns;
  }

  uint64_t ns(uint64_t ticks) const {
    return static_cast<uint64_t>(std::min(static_cast<double>(ticks) * scale_, 1e18));
  }
  uint64_t elapsed() const { return elapsed_; }
  uint64_t wall() const { return start_.realtime_ns; }

 private:
  format::ClockPair start_{};
  uint64_t elapsed_ = 0;
  double scale_ = 0.4;  // before the clock was looked at twice: some 2.5 GHz
};

class Reader {
 public:
  Reader(const Memory& memory, const FoundTables& found, std::optional<uint64_t> now_ns)
      : memory_(memory), found_(found) {
    bytes_.resize(sizeof(LiveHeader));
    memory_.read_all(found_.address, bytes_);
    size_t mapped = ForeignBytes(bytes_, big()).word32(offsetof(LiveHeader, mapped_bytes));
    bytes_.resize(mapped);
    bytes_.resize(std::max(memory_.read(found_.address, bytes_), sizeof(LiveHeader)));
    scale_.emplace(header(), now_ns);
  }

  LiveHeap read() {
    read_process();
    read_texts();
    parts_.emplace(memory_, header(), found_, heap_.problems);
    read_threads();
    read_modules();
    read_sites();
    read_accounts();
    read_blocks();
    heap_.own_ranges.push_back({found_.address, found_.address + bytes_.size()});
    for (const OwnRange& range : parts_->ranges()) heap_.own_ranges.push_back(range);
    return std::move(heap_);
  }

 private:
  bool big() const { return found_.shape.big_endian; }
  ForeignBytes header() const { return {bytes_, big()}; }

  void read_process() {
    ForeignBytes h = header();
    heap_.source = "the tables of live mode";
    heap_.shape = found_.shape;
    heap_.pid = h.word32(offsetof(LiveHeader, pid));
    heap_.parent_pid = h.word32(offsetof(LiveHeader, parent_pid));
    heap_.page_bytes = h.word32(offsetof(LiveHeader, page_bytes));
    heap_.missed = h.word64(offsetof(LiveHeader, missed));
    heap_.rss_bytes = h.word64(offsetof(LiveHeader, rss_bytes));
    heap_.sample_bytes = h.word64(offsetof(LiveHeader, sample_bytes));
    heap_.sample_calls = h.word64(offsetof(LiveHeader, sample_calls));
    heap_.has_accounts = heap_.sample_bytes == 0 && heap_.sample_calls == 0;
    heap_.started_ns = scale_->wall();
    heap_.now_ns = scale_->elapsed();
    read_stop();
    time_shift_ = std::min(h.word32(offsetof(LiveHeader, time_shift)), 31u);
    if (h.word32(offsetof(LiveHeader, version)) > format::kLiveVersion) {
      heap_.problems.push_back("the tables are of a newer version than this program knows");
    }
  }

  void read_stop() {
    ForeignBytes h = header();
    bool stopped = (h.word32(offsetof(LiveHeader, flags)) & format::kLiveStopped) != 0;
    if (!stopped && heap_.missed == 0) return;
    heap_.stop_reason = h.word32(offsetof(LiveHeader, stop_reason));
    heap_.stop_errno = h.word32(offsetof(LiveHeader, stop_errno));
    // Tables made before there were reasons.
    if (stopped && heap_.stop_reason == 0) {
      heap_.stop_reason = static_cast<uint32_t>(format::StopReason::kIoError);
    }
  }

  void read_texts() {
    ForeignBytes h = header();
    size_t at = h.word32(offsetof(LiveHeader, texts));
    size_t end = at + h.word32(offsetof(LiveHeader, text_bytes));
    std::map<uint32_t, std::string> texts;
    while (at + 8 <= end && at + 8 <= h.size()) {
      uint32_t bytes = h.word32(at + 4);
      std::span<const unsigned char> text = h.part(at + 8, bytes);
      texts[h.word32(at)].append(text.begin(), text.end());
      at += size_t{8} + bytes;
    }
    auto text = [&](format::InfoKey key) { return texts[static_cast<uint32_t>(key)]; };
    heap_.executable = text(format::InfoKey::kExecutable);
    heap_.host = text(format::InfoKey::kHost);
    heap_.rank = text(format::InfoKey::kRank);
    heap_.job = text(format::InfoKey::kJob);
    heap_.folder = text(format::InfoKey::kFolder);
    heap_.runtime = text(format::InfoKey::kRuntime);
    heap_.allocator = text(format::InfoKey::kAllocator);
    std::string command = text(format::InfoKey::kCommand);
    for (size_t from = 0; from < command.size();) {
      size_t to = std::min(command.find('\0', from), command.size());
      heap_.command.push_back(command.substr(from, to - from));
      from = to + 1;
    }
  }

  static std::string text_of(std::span<const unsigned char> bytes) {
    auto end = std::find(bytes.begin(), bytes.end(), 0);
    return {bytes.begin(), end};
  }

  // Thread n of the tables is element n + 1 here.
  void read_threads() {
    const uint32_t first = header().word32(offsetof(LiveHeader, first_thread));
    parts_->for_each(LiveKind::kThreads, [&](uint64_t index, const ForeignBytes& item) {
      if (item.word32(0) == 0 || index >= format::kLiveOtherThreads) return;
      heap_.threads.resize(std::max<size_t>(heap_.threads.size(), index + 2));
      LiveThread& thread = heap_.threads[index + 1];
      thread.tid = item.word32(0);
      thread.name = text_of(item.part(offsetof(format::LiveThread, name), 16));
      thread.inherited = index < first;
    });
  }

  void read_modules() {
    parts_->for_each(LiveKind::kModules, [&](uint64_t index, const ForeignBytes& item) {
      if (item.word32(offsetof(format::LiveModule, state)) == 0 || index == 0) return;
      heap_.modules.resize(std::max<size_t>(heap_.modules.size(), index + 1));
      Module& module = heap_.modules[index];
      module.start = item.word64(offsetof(format::LiveModule, start));
      module.end = item.word64(offsetof(format::LiveModule, end));
      module.bias = item.word64(offsetof(format::LiveModule, bias));
      size_t bytes = std::min(item.word32(offsetof(format::LiveModule, build_id_bytes)), 32u);
      std::span<const unsigned char> id = item.part(offsetof(format::LiveModule, build_id), bytes);
      module.build_id.assign(id.begin(), id.end());
      module.path = text_of(item.part(offsetof(format::LiveModule, path), 448));
    });
  }

  void read_sites() {
    parts_->for_each(LiveKind::kSites, [&](uint64_t index, const ForeignBytes& item) {
      uint64_t pc = item.word64(offsetof(format::LiveNode, pc)) & ~format::kLiveForgotten;
      if (pc == 0 || index == 0) return;
      heap_.sites.resize(std::max<size_t>(heap_.sites.size(), index + 1));
      LiveSite& site = heap_.sites[index];
      site.pc = pc;
      uint32_t parent = item.word32(offsetof(format::LiveNode, parent));
      uint32_t module = item.word32(offsetof(format::LiveNode, module));
      site.parent = parent < index ? parent : 0;  // those outside are born first
      site.module = module < heap_.modules.size() ? module : 0;
    });
  }

  void read_accounts() {
    parts_->for_each(LiveKind::kAccounts, [&](uint64_t index, const ForeignBytes& item) {
      if (index >= heap_.sites.size()) return;
      LiveSite& site = heap_.sites[index];
      site.calls = item.word64(offsetof(format::LiveAccount, calls));
      site.bytes = item.word64(offsetof(format::LiveAccount, bytes));
      site.peak = item.word64(offsetof(format::LiveAccount, peak));
    });
  }

  void read_blocks() {
    uint64_t latest = 0;
    bool others = false;
    parts_->for_each_block([&](const ForeignBytes& item) {
      uint32_t high_thread = item.word32(offsetof(format::LiveRecord, address_high_thread));
      uint32_t site_size = item.word32(offsetof(format::LiveRecord, site_size_high));
      LiveBlock block;
      block.address = (item.word32(offsetof(format::LiveRecord, address_low)) |
                       uint64_t{high_thread & 0xFFF} << 32)
                      << format::kLiveAddressShift;
      // Written last and erased first; no allocator gives out multiples of 32 GiB.
      if (item.word32(offsetof(format::LiveRecord, address_low)) == 0) return;
      block.size = item.word32(offsetof(format::LiveRecord, size_low)) |
                   uint64_t{site_size >> format::kLiveSiteBits} << 32;
      uint32_t site = site_size & ((1u << format::kLiveSiteBits) - 1);
      block.site = site < heap_.sites.size() ? site : 0;
      uint32_t thread = high_thread >> format::kLiveThreadShift & 0xFFFF;
      others = others || thread == format::kLiveOtherThreads;
      block.thread = thread + 1;
      uint64_t ticks = uint64_t{item.word32(offsetof(format::LiveRecord, time))} << time_shift_;
      block.time = scale_->ns(ticks);
      latest = std::max(latest, block.time);
      heap_.blocks.push_back(block);
    });
    name_other_threads(others);
    heap_.now_ns = std::max(heap_.now_ns, latest);
  }

  // Threads beyond any number, and those that are not in the table, are one.
  void name_other_threads(bool others) {
    auto end = static_cast<uint32_t>(heap_.threads.size());
    bool unknown = false;
    for (LiveBlock& block : heap_.blocks) {
      if (block.thread < end) continue;
      block.thread = end;
      unknown = true;
    }
    if (others || unknown) heap_.threads.push_back({0, "(other threads)"});
  }

  const Memory& memory_;
  FoundTables found_;
  std::vector<unsigned char> bytes_;
  std::optional<TickScale> scale_;
  std::optional<LiveParts> parts_;
  uint32_t time_shift_ = 0;
  LiveHeap heap_;
};

}  // namespace

LiveHeap read_live_tables(const Memory& memory, const FoundTables& found,
                          std::optional<uint64_t> now_ns) {
  return Reader(memory, found, now_ns).read();
}

}  // namespace heapledger::cores
