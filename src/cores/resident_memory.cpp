#include "cores/resident_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "cores/process_files.h"
#include "format/layout.h"

namespace heapledger::cores {
namespace {

using format::ResidentKind;
using format::ResidentRange;

constexpr uint64_t kLargestGuard = 1 << 20;

struct SmapsEntry {
  Region region;
  bool is_file = false;
  bool shared = false;
  uint64_t resident = 0;
  uint64_t swapped = 0;

  bool accessible() const { return region.readable || region.writable || region.executable; }
  std::string_view name() const {
    return std::string_view(region.path).substr(region.path.rfind('/') + 1);
  }
};

// "Rss:                 120 kB", in bytes.
void take_kilobytes(std::string_view line, std::string_view word, uint64_t& bytes) {
  if (!line.starts_with(word)) return;
  line.remove_prefix(std::min(line.size(), line.find_first_of("0123456789")));
  uint64_t kilobytes = 0;
  std::from_chars(line.data(), line.data() + line.size(), kilobytes);
  bytes = kilobytes * 1024;
}

// 55d0c8a00000-55d0c8a21000 r-xp 00002000 08:01 1234    /usr/bin/cat
std::optional<SmapsEntry> entry_of_line(std::string_view line) {
  const std::optional<Region> region = region_of_line(line);
  if (!region) return std::nullopt;
  SmapsEntry entry;
  entry.region = *region;
  const size_t rights = std::min(line.find(' ') + 1, line.size());
  entry.shared = line.size() > rights + 3 && line[rights + 3] == 's';
  size_t inode = rights;
  for (int i = 0; i < 3; ++i) inode = std::min(line.find(' ', inode), line.size() - 1) + 1;
  entry.is_file = inode < line.size() && line[inode] != '0';
  return entry;
}

// Puts mappings that belong together into one range: those of a file, with what is zeroed behind
// its data.
class MappingSorter {
 public:
  explicit MappingSorter(const MappingHints& hints) : hints_(hints) {}

  void add(const SmapsEntry& entry) {
    found_.total += entry.resident;
    found_.swapped += entry.swapped;
    if (entry.is_file) {
      if (entry.region.path != path_ || entry.shared) begin_file(entry);
      add_to_file(entry);
    } else if (is_zeroed_data(entry)) {
      add_to_file(entry);
      path_.clear();
    } else {
      end_file();
      add_private(entry);
    }
    before_ = entry;
  }

  ResidentMemory finish() {
    end_file();
    std::stable_sort(
        found_.ranges.begin(), found_.ranges.end(),
        [](const ResidentRange& a, const ResidentRange& b) { return a.resident > b.resident; });
    while (found_.ranges.size() > format::kMaxResidentRanges) {
      rest_[static_cast<size_t>(found_.ranges.back().kind)] += found_.ranges.back().resident;
      found_.ranges.pop_back();
    }
    for (size_t kind = 0; kind < rest_.size(); ++kind) {
      if (rest_[kind] > 0) {
        found_.ranges.push_back({static_cast<ResidentKind>(kind), 0, 0, rest_[kind]});
      }
    }
    return std::move(found_);
  }

 private:
  void put(const ResidentRange& range) {
    if (range.resident == 0) return;
    if (range.kind == ResidentKind::kRecorder) {
      rest_[static_cast<size_t>(range.kind)] += range.resident;
    } else {
      found_.ranges.push_back(range);
    }
  }

  void begin_file(const SmapsEntry& entry) {
    end_file();
    path_ = entry.region.path;
    file_ = {ResidentKind::kFile, entry.region.start, 0, 0};
    const auto& ledgers = hints_.ledgers;
    const bool ours = entry.name().starts_with("libheapledger") ||
                      std::find(ledgers.begin(), ledgers.end(), path_) != ledgers.end();
    if (ours) file_.kind = ResidentKind::kRecorder;
  }

  void add_to_file(const SmapsEntry& entry) {
    file_.bytes = entry.region.end - file_.start;
    file_.resident += entry.resident;
    if (entry.region.executable && file_.kind == ResidentKind::kFile) {
      file_.kind = ResidentKind::kCode;
    }
  }

  void end_file() {
    if (file_.bytes != 0) put(file_);
    file_ = {};
    path_.clear();
  }

  bool is_zeroed_data(const SmapsEntry& entry) const {
    return !path_.empty() && entry.region.path.empty() && entry.region.writable &&
           before_.region.writable && !before_.shared && entry.region.start == before_.region.end;
  }

  void add_private(const SmapsEntry& entry) {
    const Region& region = entry.region;
    uint64_t ours = 0;
    for (const OwnRange& own : hints_.own) {
      if (own.start >= region.start && own.end <= region.end) ours += own.end - own.start;
    }
    ours = std::min(ours, entry.resident);
    put({ResidentKind::kRecorder, 0, 0, ours});
    put({kind_of(entry), region.start, region.end - region.start, entry.resident - ours});
  }

  ResidentKind kind_of(const SmapsEntry& entry) const {
    const std::string& name = entry.region.path;
    if (name == "[heap]") return ResidentKind::kHeap;
    if (name == "[stack]") return ResidentKind::kMainStack;
    if (name.find("stack") != std::string::npos) return ResidentKind::kThreadStack;
    if (!name.empty() && !name.starts_with("[anon:")) return ResidentKind::kCode;  // [vdso]
    const bool holds_thread =
        std::any_of(hints_.in_stacks.begin(), hints_.in_stacks.end(), [&entry](uint64_t address) {
          return address >= entry.region.start && address < entry.region.end;
        });
    return is_behind_guard(entry) || holds_thread ? ResidentKind::kThreadStack
                                                  : ResidentKind::kAnonymous;
  }

  bool is_behind_guard(const SmapsEntry& entry) const {
    const Region& guard = before_.region;
    return !before_.accessible() && !before_.is_file && guard.end == entry.region.start &&
           guard.end - guard.start <= kLargestGuard && entry.region.writable;
  }

  const MappingHints& hints_;
  ResidentMemory found_;
  std::array<uint64_t, format::kResidentKinds> rest_{};
  SmapsEntry before_;
  ResidentRange file_;
  std::string path_;  // of the file that file_ is about; empty: none that goes on
};

std::vector<std::string> mapped_ledgers(const Memory& memory) {
  std::vector<std::string> paths;
  for (const Region& region : memory.regions()) {
    if (region.file_offset != 0 || region.path.empty() || !region.writable) continue;
    std::array<unsigned char, sizeof format::kFileMagic> magic;
    if (!memory.read_all(region.start, magic)) continue;
    if (std::memcmp(magic.data(), format::kFileMagic, magic.size()) == 0) {
      paths.push_back(region.path);
    }
  }
  return paths;
}

// Of a range that is in memory: page by page, as stretches.
class ResidentPages {
 public:
  ResidentPages(uint32_t pid, uint64_t page_bytes)
      : file_(::open(("/proc/" + std::to_string(pid) + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC)),
        page_bytes_(page_bytes) {}
  ~ResidentPages() {
    if (file_ >= 0) ::close(file_);
  }
  ResidentPages(const ResidentPages&) = delete;
  ResidentPages& operator=(const ResidentPages&) = delete;

  // Pages that are only touched at an end count as well.
  void add(const OwnRange& range, std::vector<OwnRange>& to) const {
    constexpr uint64_t kPresent = uint64_t{1} << 63U;
    std::array<uint64_t, 512> flags;
    uint64_t page = range.start / page_bytes_;
    const uint64_t end = (range.end + page_bytes_ - 1) / page_bytes_;
    while (file_ >= 0 && page < end) {
      const size_t wanted = std::min<uint64_t>(flags.size(), end - page) * sizeof flags[0];
      const ssize_t got =
          ::pread(file_, flags.data(), wanted, static_cast<off_t>(page * sizeof flags[0]));
      if (got < static_cast<ssize_t>(sizeof flags[0])) return;
      for (size_t i = 0; i < static_cast<size_t>(got) / sizeof flags[0]; ++i, ++page) {
        if ((flags[i] & kPresent) == 0) continue;
        to.push_back({page * page_bytes_, (page + 1) * page_bytes_});
      }
    }
  }

 private:
  int file_;
  uint64_t page_bytes_;
};

}  // namespace

ResidentMemory sort_mappings(std::string_view smaps, const MappingHints& hints) {
  MappingSorter sorter(hints);
  std::optional<SmapsEntry> entry;
  while (!smaps.empty()) {
    const size_t end = std::min(smaps.find('\n'), smaps.size());
    const std::string_view line = smaps.substr(0, end);
    smaps.remove_prefix(std::min(end + 1, smaps.size()));
    // All other lines begin with a capital letter.
    const bool is_head = !line.empty() && (line[0] < 'A' || line[0] > 'Z');
    if (is_head) {
      if (entry) sorter.add(*entry);
      entry = entry_of_line(line);
    } else if (entry) {
      take_kilobytes(line, "Rss:", entry->resident);
      take_kilobytes(line, "Swap:", entry->swapped);
    }
  }
  if (entry) sorter.add(*entry);
  return sorter.finish();
}

bool add_resident(LiveHeap& heap, const Memory& memory) {
  MappingHints hints;
  hints.ledgers = mapped_ledgers(memory);
  for (const Thread& thread : memory.threads()) {
    if (thread.tid == memory.pid()) continue;
    for (const uint64_t address : {thread.stack_pointer, thread.thread_pointer}) {
      if (address != 0) hints.in_stacks.push_back(address);
    }
  }
  const ResidentPages pages(memory.pid(), heap.page_bytes);
  for (const OwnRange& own : heap.own_ranges) pages.add(own, hints.own);
  auto by_start = [](const OwnRange& a, const OwnRange& b) { return a.start < b.start; };
  auto same_start = [](const OwnRange& a, const OwnRange& b) { return a.start == b.start; };
  std::sort(hints.own.begin(), hints.own.end(), by_start);
  hints.own.erase(std::unique(hints.own.begin(), hints.own.end(), same_start), hints.own.end());

  std::ifstream file("/proc/" + std::to_string(memory.pid()) + "/smaps");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  heap.resident = sort_mappings(text, hints);
  if (heap.resident.total == 0) return false;
  heap.rss_bytes = heap.resident.total;
  return true;
}

}  // namespace heapledger::cores
