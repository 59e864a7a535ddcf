// An array that grows without moving what it holds, so that growing costs neither time nor a
// second copy in memory. Large ones sit in huge pages: whoever reads ledgers touches them at
// random, and with small pages most accesses would miss the TLB as well.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
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

  using Page = std::unique_ptr<T, Free>;
  static constexpr size_t kPageBytes =
      ((sizeof(T) << kBits) + kHugePage - 1) / kHugePage * kHugePage;

  // Pages that were given up, for the next array of these: the kernel takes longer to clear a page
  // than it takes to fill it. Some are kept, whoever has them.
  struct Spare {
    static constexpr size_t kMost = (size_t{512} << 20) / kPageBytes;
    std::mutex mutex;
    std::vector<Page> pages;

    Page take() {
      std::lock_guard lock(mutex);
      if (pages.empty()) return nullptr;
      Page page = std::move(pages.back());
      pages.pop_back();
      return page;
    }
    void give(std::vector<Page>& given) {
      std::lock_guard lock(mutex);
      for (Page& page : given) {
        if (pages.size() < kMost) pages.push_back(std::move(page));
      }
    }
  };
  static Spare& spare() {
    static Spare& spare = *new Spare;  // arrays may outlive what is destroyed at the end
    return spare;
  }

  // Memory that is not used yet is not touched either.
  void add_page() {
    if (!pages_.empty()) {
      if (Page page = spare().take()) {
        pages_.push_back(std::move(page));
        return;
      }
    }
    Page page(static_cast<T*>(std::aligned_alloc(kHugePage, kPageBytes)));
    if (page == nullptr) throw std::bad_alloc();
    pages_.push_back(std::move(page));
    if (pages_.size() > 1) ::madvise(pages_.back().get(), kPageBytes, MADV_HUGEPAGE);
  }

  void clear() {
    for (uint32_t i = 0; i < size_; ++i) (*this)[i].~T();
    size_ = 0;
    if (pages_.size() > 1) {  // the first one is small, mostly, and soon made
      pages_.front().reset();
      pages_.erase(pages_.begin());
      spare().give(pages_);
    }
    pages_.clear();
  }

  std::vector<Page> pages_;
  uint32_t size_ = 0;
};

}  // namespace heapledger
