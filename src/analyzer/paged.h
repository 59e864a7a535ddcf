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

// Pages that were given up, for the next array whose pages are as large: the kernel takes longer to
// clear a page than it takes to fill it. Some are kept, whoever had them.
class SparePages {
 public:
  static SparePages& all() {
    static SparePages& spare = *new SparePages;  // arrays may outlive what is destroyed at the end
    return spare;
  }

  void* take(size_t bytes) {  // nullptr: there is none
    std::lock_guard lock(mutex_);
    for (size_t i = pages_.size(); i-- > 0;) {
      const Page page = pages_[i];
      if (page.bytes != bytes) continue;
      pages_.erase(pages_.begin() + static_cast<ptrdiff_t>(i));
      kept_ -= bytes;
      return page.at;
    }
    return nullptr;
  }

  void give(void* page, size_t bytes) {
    {
      std::lock_guard lock(mutex_);
      if (kept_ + bytes <= kMost) {
        pages_.push_back({page, bytes});
        kept_ += bytes;
        return;
      }
    }
    std::free(page);
  }

  // To whom they came from: after the work that needed so many.
  void give_back() {
    std::lock_guard lock(mutex_);
    for (const Page& page : pages_) std::free(page.at);
    pages_.clear();
    kept_ = 0;
  }

 private:
  static constexpr size_t kMost = size_t{128} << 20;
  struct Page {
    void* at;
    size_t bytes;
  };

  std::mutex mutex_;
  std::vector<Page> pages_;
  size_t kept_ = 0;
};

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

  // Memory that is not used yet is not touched either.
  void add_page() {
    if (!pages_.empty()) {
      if (void* page = SparePages::all().take(kPageBytes)) {
        pages_.emplace_back(static_cast<T*>(page));
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
      for (size_t i = 1; i < pages_.size(); ++i) {
        SparePages::all().give(pages_[i].release(), kPageBytes);
      }
    }
    pages_.clear();
  }

  std::vector<Page> pages_;
  uint32_t size_ = 0;
};

}  // namespace heapledger
