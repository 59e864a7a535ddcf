// Patterns that `heapledger advise` knows, on purpose, each in a function of its own with a mark on
// its line. What each of them asks for is counted in advise_test.py. Those that need time are in
// kept.cpp.
#include <cstddef>
#include <cstdlib>
#include <list>
#include <string>
#include <thread>
#include <vector>

namespace {

volatile char sink;

void use(const void* block) {
  sink = *static_cast<const volatile char*>(block);
}

// 200 vectors of 1,024 numbers: libstdc++ takes 1, 2, 4, … 1,024 of them.
__attribute__((noinline)) void grow() {
  for (int round = 0; round < 200; ++round) {
    std::vector<long> numbers;
    for (long i = 0; i < 1024; ++i) numbers.push_back(i);  // at grow
    use(numbers.data());
  }
}

// 3,000 texts that are too long to be kept inside a string.
__attribute__((noinline)) void churn() {
  for (int i = 0; i < 3000; ++i) {
    std::string text(100, 'x');  // at churn
    use(text.data());
  }
}

// 4,000 nodes of 24 bytes that end together.
__attribute__((noinline)) void nodes() {
  std::list<long> all;
  for (long i = 0; i < 4000; ++i) all.push_back(i);  // at nodes
  use(&all.front());
}

// 100 blocks of 24 bytes, each on a page of its own.
__attribute__((noinline)) void align() {
  void* blocks[100];
  for (void*& block : blocks) {
    if (posix_memalign(&block, 4096, 24) != 0) std::abort();  // at align
    use(block);
  }
  for (void* block : blocks) std::free(block);
}

// One slot, through which 2,000 blocks go from one thread to another.
void* slot;
__attribute__((noinline)) void* make() {
  return std::malloc(300);  // at make
}

void hand_over() {
  std::thread consumer([] {
    for (int i = 0; i < 2000; ++i) {
      void* block = nullptr;
      while ((block = __atomic_exchange_n(&slot, nullptr, __ATOMIC_ACQ_REL)) == nullptr) {
        std::this_thread::yield();
      }
      use(block);
      std::free(block);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    void* block = make();
    while (__atomic_load_n(&slot, __ATOMIC_ACQUIRE) != nullptr) std::this_thread::yield();
    __atomic_store_n(&slot, block, __ATOMIC_RELEASE);
  }
  consumer.join();
}

}  // namespace

int main() {
  grow();
  churn();
  nodes();
  align();
  hand_over();
  return 0;
}
