#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "cores/process_memory.h"

namespace heapledger::cores {
namespace {

constexpr size_t kPagesAtOnce = 4096;
constexpr uint64_t kPresentOrSwapped = uint64_t{3} << 62U;

}  // namespace

PresentPages::PresentPages(uint32_t pid, uint64_t page_bytes)
    : file_(::open(("/proc/" + std::to_string(pid) + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC)),
      page_bytes_(page_bytes) {}

PresentPages::~PresentPages() {
  if (file_ >= 0) ::close(file_);
}

bool PresentPages::load(uint64_t first, uint64_t end) const {
  auto count = static_cast<size_t>(std::min<uint64_t>(kPagesAtOnce, end - first));
  flags_.resize(count);
  ssize_t got = ::pread(file_, flags_.data(), count * sizeof(uint64_t),
                        static_cast<off_t>(first * sizeof(uint64_t)));
  flags_.resize(got <= 0 ? 0 : static_cast<size_t>(got) / sizeof(uint64_t));
  first_ = first;
  return !flags_.empty();
}

uint64_t PresentPages::next(uint64_t address, uint64_t end) const {
  if (file_ < 0) return address;
  uint64_t page = address / page_bytes_;
  uint64_t end_page = (end + page_bytes_ - 1) / page_bytes_;
  for (uint64_t at = page; at < end_page; ++at) {
    bool loaded = at >= first_ && at - first_ < flags_.size();
    // Where nothing tells, anything may be.
    if (!loaded && !load(at, end_page)) return std::max(address, at * page_bytes_);
    if ((flags_[at - first_] & kPresentOrSwapped) != 0) return std::max(address, at * page_bytes_);
  }
  return end;
}

}  // namespace heapledger::cores
