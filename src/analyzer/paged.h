// An array that grows without moving what it holds, so that growing costs neither time nor a
// second copy in memory. Large ones sit in huge pages: whoever reads ledgers touches them at
// random, and with small pages most accesses would miss the TLB as well.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace heapledger {

template <typename T>
class Paged {
 public:
  Paged() = default;
  Paged(Paged&& other) noexcept
      : pages_(std::move(other.pages_)), size_(std::exchange(other.size_, 0)) {}
  Paged& operator=(Paged&& other) noexcept {
    if (this == &other) return *this;
    clear();
    pages_ = std::move(other.pages_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~Paged() { clear(); }

  T& operator[](uint32_t at) { return pages_[at >> kBits].get()[at & kMask]; }
  const T& operator[](uint32_t at) const { return pages_[at >> kBits].get()[at & kMask]; }
  uint32_t size() const { return size_; }

  uint32_t add() {
    if (size_ >> kBits == pages_.size()) add_page();
    new (&pages_[size_ >> kBits].get()[size_ & kMask]) T();
    return size_++;
  }

  void grow_to(uint32_t size) {
    while (size_ < size) add();
  }

 private:
  static constexpr unsigned kBits = 16;
  static constexpr uint32_t kMask = (1u << kBits) - 1;
  static constexpr size_t kHugePage = size_t{2} << 20;

  struct Free {
    void operator()(T* page) const { std::free(page); }
  };

  // Memory that is not used yet is not touched either.
  void add_page() {
    constexpr size_t kBytes = (sizeof(T) << kBits) + kHugePage - 1;
    void* page = std::aligned_alloc(kHugePage, kBytes / kHugePage * kHugePage);
    if (page == nullptr) throw std::bad_alloc();
    pages_.emplace_back(static_cast<T*>(page));
    if (pages_.size() > 1) ::madvise(page, kBytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  }

  void clear() {
    for (uint32_t i = 0; i < size_; ++i) (*this)[i].~T();
    size_ = 0;
    pages_.clear();
  }

  std::vector<std::unique_ptr<T, Free>> pages_;
  uint32_t size_ = 0;
};

}  // namespace heapledger
