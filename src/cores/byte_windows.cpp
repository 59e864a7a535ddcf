#include "cores/byte_windows.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heapledger::cores {
namespace {

constexpr size_t kWindowBytes = 16 * 1024;

}  // namespace

ByteWindows::ByteWindows(std::unique_ptr<ByteSource> source, size_t windows)
    : source_(std::move(source)), size_(source_->size()), windows_(windows) {}

const ByteWindows::Window& ByteWindows::window(uint64_t number) {
  Window& window = windows_[number % windows_.size()];
  if (window.number != number) {
    window.bytes.resize(kWindowBytes);
    window.bytes.resize(source_->read(number * kWindowBytes, window.bytes.data(), kWindowBytes));
    window.number = number;
  }
  return window;
}

size_t ByteWindows::read(uint64_t offset, std::span<unsigned char> out) {
  if (offset >= size_) return 0;
  auto wanted = static_cast<size_t>(std::min<uint64_t>(out.size(), size_ - offset));
  if (wanted >= kWindowBytes) return source_->read(offset, out.data(), wanted);
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

}  // namespace heapledger::cores
