// A program that knows the truth about itself: `oracle SEED THREADS OPERATIONS`.
//
// It uses all of malloc's family at random, from several call sites, in several threads that hand
// blocks to each other, and prints at its end, as one line of JSON on stdout, what a ledger of it
// must say. Its own books lie in static memory: no call here allocates but those that count. With
// one thread it also knows the peaks, its own and each site's.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>

#include "oracle_books.h"
#include "oracle_sites.h"

namespace {

using oracle::Block;
using oracle::Books;

constexpr unsigned kMaxThreads = 8;
constexpr unsigned kSlots = 192;
constexpr unsigned kRing = 64;

// Blocks on their way from one thread to another; one writer, one reader, no lock.
struct Ring {
  Block blocks[kRing];
  alignas(64) unsigned head;
  alignas(64) unsigned tail;

  bool put(const Block& block) {
    unsigned at = __atomic_load_n(&head, __ATOMIC_RELAXED);
    if (at - __atomic_load_n(&tail, __ATOMIC_ACQUIRE) == kRing) return false;
    blocks[at % kRing] = block;
    __atomic_store_n(&head, at + 1, __ATOMIC_RELEASE);
    return true;
  }

  bool get(Block& block) {
    unsigned at = __atomic_load_n(&tail, __ATOMIC_RELAXED);
    if (at == __atomic_load_n(&head, __ATOMIC_ACQUIRE)) return false;
    block = blocks[at % kRing];
    __atomic_store_n(&tail, at + 1, __ATOMIC_RELEASE);
    return true;
  }
};

Ring rings[kMaxThreads][kMaxThreads];  // [from][to]
unsigned thread_count;
long operation_count;

class Actor {
 public:
  void begin(unsigned number, unsigned long seed) {
    books_.begin(number, thread_count == 1);
    random_ = seed * 0x9E3779B97F4A7C15ul + number * 0xD1B54A32D192ED03ul + 1;
  }

  const Books& books() const { return books_; }

  void run() {
    for (long i = 0; i < operation_count; ++i) {
      step();
      if (thread_count > 1 && next() % 4 == 0) receive();
    }
  }

 private:
  unsigned next() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<unsigned>(random_ >> 20);
  }

  size_t some_size() {
    unsigned kind = next() % 100;
    if (kind < 3) return 0;
    if (kind < 80) return 1 + next() % 256;
    if (kind < 98) return 1 + next() % 5000;
    return 1 + next() % 200000;
  }

  void step() {
    Block& slot = slots_[next() % kSlots];
    unsigned kind = next() % 100;
    if (slot.address == nullptr) return kind < 3 ? fail(slot) : take(slot, kind);
    if (kind < 35) return give(slot);
    if (kind < 55) return resize(slot);
    if (kind < 60) return resize_to_nothing(slot);
    if (kind < 62) return fail(slot);
    if (kind < 80 && thread_count > 1) return hand_over(slot);
    // The same size again at once: libc mostly gives the same address back.
    size_t size = slot.size;
    give(slot);
    slot = books_.took(oracle::kMalloc0, oracle::site_malloc<0>(size), size);
  }

  void take(Block& slot, unsigned kind) {
    size_t size = some_size();
    unsigned site = next() % oracle::kTakingSites;
    slot = books_.took(site, oracle::take_at(site, size), size);
    if (kind < 15) give(slot);  // lived for one operation
  }

  void give(Block& slot) {
    unsigned how = next() % 10;
    unsigned function = how < 8    ? oracle::kFree
                        : how == 8 ? oracle::kFreeSized
                                   : oracle::kFreeAlignedSized;
    Block block = slot;
    slot.address = nullptr;
    books_.freed(function, block);
    oracle::give_by(function, block.address, block.size);
  }

  void resize(Block& slot) {
    size_t size = some_size() + 1;
    unsigned site = oracle::kTakingSites + next() % oracle::kResizingSites;
    Block old = slot;
    slot = books_.resized(site, old, oracle::resize_at(site, old.address, size), size);
  }

  void resize_to_nothing(Block& slot) {
    Block block = slot;
    slot.address = nullptr;
    bool array = next() % 2 == 0;
    books_.freed(array ? oracle::kReallocArray : oracle::kRealloc, block);
    if (oracle::resize_to_nothing(array, block.address) != nullptr) abort();
  }

  // Calls that libc turns down or that do nothing: they must leave no trace.
  void fail(Block& slot) {
    if (oracle::fail(next() % 6, slot.address) != nullptr) abort();
  }

  void hand_over(Block& slot) {
    unsigned to = next() % thread_count;
    if (rings[books_.thread()][to].put(slot)) slot.address = nullptr;
  }

  void receive() {
    Block block;
    if (!rings[next() % thread_count][books_.thread()].get(block)) return;
    Block& slot = slots_[next() % kSlots];
    if (slot.address != nullptr || next() % 2 == 0)
      give(block);
    else
      slot = block;
  }

  Books books_;
  unsigned long random_ = 1;
  Block slots_[kSlots] = {};
};

Actor actors[kMaxThreads];

void* thread_body(void* actor) {
  static_cast<Actor*>(actor)->run();
  return nullptr;
}

int first_object(struct dl_phdr_info* info, size_t, void* bias) {
  *static_cast<unsigned long*>(bias) = info->dlpi_addr;
  return 1;  // the executable comes first
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  unsigned long seed = strtoul(arguments[1], nullptr, 10);
  thread_count = static_cast<unsigned>(strtoul(arguments[2], nullptr, 10));
  operation_count = strtol(arguments[3], nullptr, 10);
  if (thread_count < 1 || thread_count > kMaxThreads) return 2;
  oracle::find_sized_frees();
  for (unsigned i = 0; i < thread_count; ++i) actors[i].begin(i, seed);

  if (thread_count == 1) {
    actors[0].run();
  } else {
    pthread_t threads[kMaxThreads];
    for (unsigned i = 0; i < thread_count; ++i)
      if (pthread_create(&threads[i], nullptr, thread_body, &actors[i]) != 0) return 3;
    for (unsigned i = 0; i < thread_count; ++i) pthread_join(threads[i], nullptr);
  }

  unsigned long bias = 0;
  dl_iterate_phdr(first_object, &bias);
  static Books sum;
  for (unsigned i = 0; i < thread_count; ++i) sum.add(actors[i].books());
  return sum.print(bias) ? 0 : 4;
}
