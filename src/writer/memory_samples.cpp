#include "writer/memory_samples.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/ledger_file.h"
#include "format/checksum.h"
#include "format/entry_encoder.h"
#include "format/modes.h"
#include "format/outside.h"

namespace heapledger {
namespace {

constexpr size_t kSampleRoom = 128;  // an entry, and what the encoder stores beyond it

// Where the samples go, and what times they have there.
struct Place {
  uint64_t file_bytes = 0;  // as it is
  uint64_t offset = 0;      // of the next extent
  uint64_t start_ns = 0;    // CLOCK_MONOTONIC
  uint64_t start_wall_ns = 0;
  uint64_t end = UINT64_MAX;  // units
  LedgerClock clock;
  uint32_t thread = 0;
};

std::optional<Place> place_in(const std::string& path) {
  try {
    LedgerFile file(open_file(path));
    const format::FileHeader& header = file.header();
    const std::vector<WindowExtents>& windows = file.index().windows();
    if (file.sealed() || header.mode == format::kModeLive || windows.empty()) return {};
    if (!file.problems().texts().empty()) return {};
    if (windows.back().front().window == format::kOutsideWindow) return {};
    const WindowExtents fillings = windows.front();
    size_t places = 1;
    while (places < fillings.size() && fillings[places].seq == fillings[0].seq) ++places;
    Payload first;
    if (!file.load(fillings.first(places), first)) return {};
    Place place;
    place.file_bytes = file.size();
    place.offset = header.header_bytes + file.work_bytes();
    place.start_ns = header.start.monotonic_ns;
    place.start_wall_ns = header.start.realtime_ns;
    for (const uint64_t ticks : {header.exit_ticks, header.stop_ticks}) {
      if (ticks != 0) place.end = std::min(place.end, file.clock().units_of_ticks(ticks));
    }
    place.clock = file.clock();
    place.thread = first.thread;
    return place;
  } catch (const Error&) {
    return {};
  }
}

class SampleWriter {
 public:
  SampleWriter(int fd, const Place& place)
      : fd_(fd), place_(place), payload_(format::kPayloadBytes + kSampleRoom) {
    state_.time = place.clock.units_at_wall(place.start_wall_ns);
  }

  bool add(const OutsideSample& sample) {
    if (sample.monotonic_ns < place_.start_ns) return true;
    const uint64_t since = sample.monotonic_ns - place_.start_ns;
    const uint64_t time = place_.clock.units_at_wall(place_.start_wall_ns + since);
    if (time > place_.end) return true;
    if (header_.bytes == 0) start_filling();
    // Nobody has read the ticks for it.
    format::LongEntry(state_, format::Kind::kMemory, time)
        .number(sample.rss_bytes)
        .number(sample.highest_bytes)
        .number(0)
        .number(0)
        .number(sample.file_bytes)
        .finish();
    header_.bytes = static_cast<uint32_t>(state_.cursor - payload_.data());
    added_ = true;
    return header_.bytes + kSampleRoom <= format::kPayloadBytes || flush();
  }

  bool finish() { return (header_.bytes == 0 || flush()) && added_; }

 private:
  void start_filling() {
    std::fill(payload_.begin(), payload_.end(), static_cast<unsigned char>(0));
    state_.cursor = payload_.data();
    header_.magic = format::kChunkMagic;
    header_.window = format::kOutsideWindow;
    header_.base_time = state_.time;
    header_.thread = place_.thread;
  }

  // The header comes last: without it the extent is a hole, which readers step over.
  bool flush() {
    header_.checksum = format::checksum(payload_.data(), header_.bytes);
    header_.header_checksum =
        format::checksum(&header_, offsetof(format::ExtentHeader, header_checksum));
    if (!put(payload_.data(), header_.bytes, place_.offset + sizeof header_) ||
        !put(&header_, sizeof header_, place_.offset)) {
      return false;
    }
    place_.offset += format::kExtentBytes;
    header_.bytes = 0;
    ++header_.seq;
    return true;
  }

  bool put(const void* bytes, size_t count, uint64_t offset) const {
    const char* at = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t written = ::pwrite(fd_, at, count, static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      at += written;
      count -= static_cast<size_t>(written);
      offset += static_cast<uint64_t>(written);
    }
    return true;
  }

  int fd_;
  Place place_;
  format::ExtentHeader header_{};
  std::vector<unsigned char> payload_;
  format::EncoderState state_;
  bool added_ = false;
};

}  // namespace

bool add_memory_samples(const std::string& path, std::span<const OutsideSample> samples) {
  if (samples.empty()) return false;
  const std::optional<Place> place = place_in(path);
  if (!place) return false;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  SampleWriter writer(fd, *place);
  bool good = true;
  for (const OutsideSample& sample : samples) good = good && writer.add(sample);
  good = good && writer.finish();
  if (!good) (void)::ftruncate(fd, static_cast<off_t>(place->file_bytes));
  return ::close(fd) == 0 && good;
}

}  // namespace heapledger
