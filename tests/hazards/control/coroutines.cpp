// C++20 coroutines: frames from the heap, resumed on another thread than they were made on.
#include <coroutine>
#include <thread>
#include <utility>

#include "account.h"

namespace {

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() {
      return Generator{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int next) {
      value = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { abort(); }
    void* operator new(size_t bytes) { return take(bytes); }
    void operator delete(void* block) { give(block); }
  };
  std::coroutine_handle<promise_type> handle;
};

Generator count(int most) {
  for (int i = 0; i < most; ++i) {
    give(take(32));
    co_yield i;
  }
}

int drain(Generator generator) {
  int sum = 0;
  while (!generator.handle.done()) {
    generator.handle.resume();
    sum += generator.handle.promise().value;
  }
  generator.handle.destroy();
  return sum;
}

}  // namespace

int main() {
  long total = 0;
  for (int i = 0; i < 200; ++i) {
    Generator generator = count(20);
    generator.handle.resume();
    std::thread([&] { total += drain(std::exchange(generator, {})); }).join();
  }
  say("sum %ld\n", total);
  print_account();
  return 0;
}
