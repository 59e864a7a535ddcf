#include "cli/run/memory_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "analyzer/seal/writers.h"
#include "format/layout.h"
#include "format/modes.h"
#include "settings/settings.h"

namespace heapledger::cli::run {
namespace {

constexpr uint64_t kWatchIntervalNs = 20'000'000;
// All looks together take a hundredth of the time, this aside.
constexpr uint64_t kSpentAtOnceNs = 10'000'000;
constexpr uint64_t kShareOfTime = 100;
// With so many samples of one process, or of all, every second one goes.
constexpr size_t kMostOfOne = 4096;
constexpr size_t kMostInAll = size_t{1} << 19;
constexpr size_t kMostWatched = 200;  // at once: each takes three descriptors
// A ledger is there a moment before its header is, and before it is mapped.
constexpr unsigned kTries = 5;
// File systems may keep times in steps as large as this.
constexpr int64_t kTimeStepNs = 2'000'000'000;
constexpr std::chrono::hours kNeverAgain{24};

uint64_t clock_ns(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// The beginning of a ledger, as its process writes it.
struct LedgerHead {
  format::FileHeader header;
  std::array<char, format::kControlOffset - sizeof(format::FileHeader)> between;
  format::Control control;
};
static_assert(offsetof(LedgerHead, control) == format::kControlOffset);

bool read_head(const FileDescriptor& file, LedgerHead& head) {
  return ::pread(file.get(), &head, sizeof head, 0) == static_cast<ssize_t>(sizeof head) &&
         std::memcmp(head.header.magic, format::kFileMagic, sizeof head.header.magic) == 0;
}

FileDescriptor open_quietly(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

std::string text_of(const FileDescriptor& file) {
  std::string text;
  std::array<char, 16384> piece;
  for (ssize_t got; (got = ::pread(file.get(), piece.data(), piece.size(),
                                   static_cast<off_t>(text.size()))) > 0;) {
    text.append(piece.data(), static_cast<size_t>(got));
  }
  return text;
}

// Of a line such as "VmRSS:	    1234 kB"; 0 where there is none.
uint64_t bytes_in(std::string_view status, std::string_view name) {
  size_t at = status.find(name);
  if (at == std::string_view::npos) return 0;
  at = status.find_first_not_of(" \t", at + name.size());
  if (at == std::string_view::npos) return 0;
  uint64_t kilobytes = 0;
  std::from_chars(status.data() + at, status.data() + status.size(), kilobytes);
  return kilobytes * 1024;
}

// Nothing is resident of a process that is gone.
OutsideSample read_status(const FileDescriptor& file) {
  std::array<char, 4096> text;
  OutsideSample sample;
  const uint64_t before = clock_ns(CLOCK_MONOTONIC);
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  sample.monotonic_ns = before + (clock_ns(CLOCK_MONOTONIC) - before) / 2;
  const std::string_view status(text.data(), got > 0 ? static_cast<size_t>(got) : 0);
  sample.rss_bytes = bytes_in(status, "\nVmRSS:");
  sample.highest_bytes = bytes_in(status, "\nVmHWM:");
  sample.file_bytes = bytes_in(status, "\nRssFile:") + bytes_in(status, "\nRssShmem:");
  return sample;
}

// The kernel has no mappings to tell of memory that nobody uses any more.
bool is_in_use(const FileDescriptor& maps) {
  char first = 0;
  return ::pread(maps.get(), &first, 1, 0) == 1;
}

// Of two neighbours the higher one stays.
void halve(std::vector<OutsideSample>& samples) {
  size_t kept = 0;
  for (size_t at = 0; at < samples.size(); at += 2) {
    const bool is_next =
        at + 1 < samples.size() && samples[at + 1].rss_bytes >= samples[at].rss_bytes;
    samples[kept++] = samples[at + (is_next ? 1 : 0)];
  }
  samples.resize(kept);
}

}  // namespace

MemoryWatch::MemoryWatch(uint64_t run_id) : run_id_(run_id), start_ns_(clock_ns(CLOCK_MONOTONIC)) {}

std::chrono::nanoseconds MemoryWatch::look(const OutputPattern& output) noexcept {
  if (given_up_) return kNeverAgain;
  const uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (now < due_ns_) return std::chrono::nanoseconds(due_ns_ - now);
  const uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  try {
    find_new(output);
    std::erase_if(watched_,
                  [&](Watched& watched) { return now >= watched.due_ns && !sample(watched, now); });
  } catch (const std::exception&) {
    given_up_ = true;  // no memory: the program has a better use for it
    watched_.clear();
  }
  spent_ns_ += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
  due_ns_ = now + kWatchIntervalNs;
  if (spent_ns_ > kSpentAtOnceNs) {
    due_ns_ = std::max(due_ns_, start_ns_ + (spent_ns_ - kSpentAtOnceNs) * kShareOfTime);
  }
  return std::chrono::nanoseconds(due_ns_ - now);
}

bool MemoryWatch::is_unchanged(const OutputPattern& output) {
  struct stat status;
  if (::stat(output.folder().c_str(), &status) != 0) return true;
  const int64_t changed = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  const auto now = static_cast<int64_t>(clock_ns(CLOCK_REALTIME));
  if (changed == folder_changed_ns_ && now - changed > kTimeStepNs && !expects_more_) return true;
  folder_changed_ns_ = changed;
  return false;
}

void MemoryWatch::find_new(const OutputPattern& output) {
  if (is_unchanged(output)) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(output.folder().c_str()), ::closedir);
  if (!folder) return;
  expects_more_ = false;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN) continue;
    if (!name_fits(output.name(), entry->d_name)) continue;
    unsigned& tries = names_.try_emplace(entry->d_name, kTries).first->second;
    if (tries == 0) continue;
    const bool has_room = watched_.size() < kMostWatched;
    if (has_room && !begin(output.shown_folder() + entry->d_name)) {
      --tries;
    } else if (has_room) {
      tries = 0;
    }
    expects_more_ = expects_more_ || tries > 0;
  }
}

// False where it may be too early.
bool MemoryWatch::begin(const std::string& path) {
  Watched watched;
  watched.path = path;
  watched.ledger = open_quietly(path);
  LedgerHead head;
  if (!read_head(watched.ledger, head)) return false;
  const format::FileHeader& header = head.header;
  if (header.run_id != run_id_ || header.mode == format::kModeLive) return true;
  // A process may live in another time than we do.
  if (header.start.monotonic_ns < start_ns_) return true;
  const std::string process = "/proc/" + std::to_string(header.pid);
  watched.maps = open_quietly(process + "/maps");
  watched.status = open_quietly(process + "/status");
  if (!maps_ledger(text_of(watched.maps), path)) return false;
  watched.interval_ns = kWatchIntervalNs;
  watched_.push_back(std::move(watched));
  return true;
}

// False when the process is gone, or records no more.
bool MemoryWatch::sample(Watched& watched, uint64_t now) {
  LedgerHead head;
  if (!read_head(watched.ledger, head)) return false;
  const format::FileHeader& header = head.header;
  if (header.exit_ticks != 0 || header.stop_reason != 0) return false;
  watched.due_ns = now + watched.interval_ns;
  // Where it takes samples itself, nobody needs ours.
  const uint64_t latest = header.latest[header.latest_index & 1].monotonic_ns;
  const bool is_off = head.control.mode == static_cast<uint32_t>(settings::Mode::kOff);
  if (is_off || latest + watched.interval_ns > now) return is_in_use(watched.maps);
  const OutsideSample sample = read_status(watched.status);
  if (!is_in_use(watched.maps)) return false;
  if (sample.rss_bytes > 0) keep(watched, sample);
  return true;
}

void MemoryWatch::keep(Watched& watched, const OutsideSample& sample) {
  Samples& samples = samples_[watched.path];
  samples.push_back(sample);
  ++kept_;
  if (samples.size() >= kMostOfOne) {
    kept_ -= samples.size();
    halve(samples);
    kept_ += samples.size();
    watched.interval_ns *= 2;
  }
  if (kept_ < kMostInAll) return;
  kept_ = 0;
  for (auto& [path, its_samples] : samples_) {
    halve(its_samples);
    kept_ += its_samples.size();
  }
}

void MemoryWatch::add_to(const std::vector<RunLedger>& ledgers) {
  watched_.clear();
  for (const RunLedger& ledger : ledgers) {
    const auto found = samples_.find(ledger.path);
    if (found == samples_.end() || seal::has_writer(ledger.path, ledger.pid)) continue;
    add_memory_samples(ledger.path, found->second);
  }
}

}  // namespace heapledger::cli::run
