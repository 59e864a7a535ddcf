// Forks children one after the other, each of which allocates a little and ends, and prints how
// many microseconds a child takes from the fork until it is waited for: the median.
//
//   fork_loop CHILDREN ALLOCATIONS
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

[[noreturn]] void be_a_child(int allocations) {
  for (int i = 0; i < allocations; ++i) {
    void* volatile block = std::malloc(static_cast<size_t>(i % 1000 + 1));
    std::free(block);
  }
  _exit(0);
}

double microseconds_of_a_child(int allocations) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) be_a_child(allocations);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) std::exit(1);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  const int children = argc == 3 ? std::atoi(argv[1]) : 0;
  if (children < 1) {
    std::fprintf(stderr, "usage: fork_loop CHILDREN ALLOCATIONS\n");
    return 2;
  }
  std::vector<double> times;
  for (int i = 0; i < children; ++i) times.push_back(microseconds_of_a_child(std::atoi(argv[2])));
  std::nth_element(times.begin(), times.begin() + children / 2, times.end());
  std::printf("%.1f\n", times[static_cast<size_t>(children / 2)]);
  return 0;
}
