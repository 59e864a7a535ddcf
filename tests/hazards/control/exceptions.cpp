// Exceptions thrown through frames that allocate and clean up, in several threads; also one that
// is thrown because memory is out.
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "account.h"

namespace {

struct Held {
  void* block = take(64);
  ~Held() { give(block); }
};

int descend(int depth) {
  Held held;
  if (depth == 0) throw std::runtime_error(std::string(100, 'x'));
  return descend(depth - 1) + 1;
}

void body() {
  for (int i = 0; i < 500; ++i) {
    try {
      descend(20);
    } catch (const std::exception& error) {
      require(std::string(error.what()).size() == 100, "the message");
    }
  }
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(body);
  for (auto& thread : threads) thread.join();
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    try {
      volatile size_t huge = SIZE_MAX / 2 - 100;
      static_cast<char*>(::operator new(huge))[0] = 1;
    } catch (const std::bad_alloc&) {
      ++refused;
    }
  }
  say("refused %d\n", refused);
  print_account();
  return 0;
}
