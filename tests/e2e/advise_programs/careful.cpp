// The same work without any of it: reserved, kept, freed by whoever allocated, and in time.
#include <cstdlib>
#include <string>
#include <vector>

namespace {

volatile char sink;

void use(const void* block) {
  sink = *static_cast<const volatile char*>(block);
}

__attribute__((noinline)) void grow(std::vector<long>& numbers) {
  numbers.clear();
  for (long i = 0; i < 1024; ++i) numbers.push_back(i);
  use(numbers.data());
}

__attribute__((noinline)) void churn(std::string& text) {
  text.assign(100, 'x');
  use(text.data());
}

// Texts of many sizes, live for as long as the three after them.
__attribute__((noinline)) void work() {
  void* window[4] = {};
  for (size_t i = 0; i < 5000; ++i) {
    std::free(window[i % 4]);
    window[i % 4] = std::malloc(16 + i * 37 % 1000);
    use(window[i % 4]);
  }
  for (void* block : window) std::free(block);
}

}  // namespace

int main() {
  std::vector<long> numbers;
  numbers.reserve(1024);
  std::string text;
  text.reserve(200);
  for (int round = 0; round < 200; ++round) grow(numbers);
  for (int round = 0; round < 3000; ++round) churn(text);
  work();
  return 0;
}
