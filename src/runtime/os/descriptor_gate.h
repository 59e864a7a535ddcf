// Keeps our short-lived descriptors and the program's closing of descriptors apart.
//
// A descriptor of ours is open only for the microseconds of one file operation. If another
// thread closed it in that moment ("close everything") and opened a file of its own, it would get
// the same number, and our bytes, or our close, would hit the program's file. So each operation
// holds a place here, and the hooks of close, close_range, closefrom, dup2 and dup3 look at it:
// the descriptor is as good as not there for them. They wait only while such an operation is
// under way on that very descriptor, and never in a handler that interrupted one.
//
// Thread safety: all of it. No lock: a place has one owner.
#pragma once

#include <atomic>

namespace heapledger::runtime::os {

// Held around open … close. Waits, for a bounded time, for a closing of ranges that is under way.
class DescriptorHold {
 public:
  DescriptorHold();
  ~DescriptorHold();
  DescriptorHold(const DescriptorHold&) = delete;
  DescriptorHold& operator=(const DescriptorHold&) = delete;

  // The descriptor that was opened.
  void set(int fd);
  // Closes it; nothing more is opened under this hold.
  void close(int fd);

 private:
  std::atomic<int>* place_;
};

// Whether any of our descriptors may be open now: one load.
bool descriptors_held();

// Whether `fd` is ours at this moment. While one is being opened or closed that cannot be told:
// waits for that, if it may.
bool is_our_descriptor(int fd, bool may_wait);

// Keeps our operations out of [first, last] while the program closes or replaces descriptors
// there. Waits, for a bounded time, until those under way are done.
class RangeClosing {
 public:
  RangeClosing(unsigned first, unsigned last);
  ~RangeClosing();
  RangeClosing(const RangeClosing&) = delete;
  RangeClosing& operator=(const RangeClosing&) = delete;
};

// In a forked child: the operations of other threads did not come along.
void forget_descriptors();

}  // namespace heapledger::runtime::os
