#include "cores/byte_windows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "analyzer/error.h"
#include "text/text.h"

namespace heapledger::cores {
namespace {

constexpr size_t kWindowBytes = 16 * 1024;

}  // namespace

ByteWindows::ByteWindows(std::unique_ptr<ByteSource> source, size_t windows, Faults faults)
    : source_(std::move(source)), size_(source_->size()), faults_(faults), windows_(windows) {}

// Within the size that the file had at first.
size_t ByteWindows::fetch(uint64_t offset, void* to, size_t count) {
  count = static_cast<size_t>(std::min<uint64_t>(count, size_ - offset));
  try {
    size_t got = source_->read(offset, to, count);
    if (got < count) fail_shrunk(*source_, size_);
    return got;
  } catch (const Error&) {
    if (faults_ == Faults::kTold) throw;
    return 0;
  }
}

const ByteWindows::Window& ByteWindows::window(uint64_t number) {
  Window& window = windows_[number % windows_.size()];
  if (window.number != number) {
    window.number = UINT64_MAX;
    window.bytes.resize(kWindowBytes);
    window.bytes.resize(fetch(number * kWindowBytes, window.bytes.data(), kWindowBytes));
    window.number = number;
  }
  return window;
}

size_t ByteWindows::read(uint64_t offset, std::span<unsigned char> out) {
  if (offset >= size_) return 0;
  auto wanted = static_cast<size_t>(std::min<uint64_t>(out.size(), size_ - offset));
  if (wanted >= kWindowBytes) return fetch(offset, out.data(), wanted);
  size_t done = 0;
  while (done < wanted) {
    const Window& from = window((offset + done) / kWindowBytes);
    auto start = static_cast<size_t>((offset + done) % kWindowBytes);
    if (start >= from.bytes.size()) break;
    size_t count = std::min(wanted - done, from.bytes.size() - start);
    std::memcpy(out.data() + done, from.bytes.data() + start, count);
    done += count;
  }
  return done;
}

void fail_shrunk(ByteSource& source, uint64_t size) {
  throw Error(source.name() + ": was cut from " + human_bytes(size) + " to " +
                  human_bytes(source.size()) +
                  " while it was read. Find out what shortens it, then read it again",
              ErrorKind::kData);
}

}  // namespace heapledger::cores
