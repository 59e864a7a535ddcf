// Keeps our short-lived descriptors and the program's closing of descriptors apart.
//
// A descriptor of ours is open only for the microseconds of one file operation. If another
// thread closed it in that moment ("close everything") and opened a file of its own, it would get
// the same number, and our bytes, or our close, would hit the program's file. So each operation
// holds a place here, with signals kept away from its thread, and the hooks of close, close_range,
// closefrom, dup2 and dup3 look at it: the descriptor is as good as not there for them. They wait
// only while one is being opened or closed, so that nobody knows whose the number is.
//
// Thread safety: all of it. No lock: a place has one owner.
#pragma once

#include <atomic>
#include <cstdint>

namespace heapledger::runtime::os {

// Held around open … close. Waits, for a bounded time, for a closing of ranges that is under way.
class DescriptorHold {
 public:
  DescriptorHold();
  ~DescriptorHold();
  DescriptorHold(const DescriptorHold&) = delete;
  DescriptorHold& operator=(const DescriptorHold&) = delete;

  // False: something is stuck, and nothing may be opened now.
  explicit operator bool() const { return place_ != nullptr; }

  // The descriptor that was opened.
  void set(int fd);
  // Closes it; nothing more is opened under this hold.
  void close(int fd);

 private:
  std::atomic<int>* place_ = nullptr;
  uint64_t signals_;
};

// Whether any of our descriptors may be open now: one load.
bool descriptors_held();

// Whether `fd` is ours at this moment. While one is being opened or closed that cannot be told:
// waits for that, if it may.
bool is_our_descriptor(int fd, bool may_wait);

// Keeps our operations from beginning while the program closes or replaces descriptors in
// [first, last]. What of ours is open there by then is listed; it may be closed meanwhile, by us,
// but nothing is added.
class RangeClosing {
 public:
  // Waits, for a bounded time, until none is being opened or closed.
  RangeClosing(unsigned first, unsigned last);
  ~RangeClosing();
  RangeClosing(const RangeClosing&) = delete;
  RangeClosing& operator=(const RangeClosing&) = delete;

  // Descriptors of ours, in order.
  const int* begin() const { return ours_; }
  const int* end() const { return ours_ + count_; }

  // Waits, for a bounded time, until none of those listed is ours any more.
  void wait_for_ours();

 private:
  bool list();
  void add(int fd);

  unsigned first_;
  unsigned last_;
  unsigned count_ = 0;
  int ours_[65];
};

// One descriptor may stay open: log mode's, which has something to write at every call. It is given
// up when the program wants its very number; whoever uses it makes sure, each time, that it still
// is the same file. -1: none.
void keep_descriptor(int fd);
int kept_descriptor();

// In a forked child: the operations of other threads did not come along.
void forget_descriptors();

}  // namespace heapledger::runtime::os
