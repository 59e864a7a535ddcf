// A cache that fills itself once. What each line allocates is in tests/e2e/diff_versions_test.py.
//
// This is the second version of it. It has more words at the beginning than the first one, a
// function that was not there, and a line less and a line more in the function that loads.
#include <cstdlib>
#include <vector>

void* volatile kept[64];
static int used;

static void keep(void* block) {
  kept[used++] = block;
}

struct Page {
  char bytes[200];
};

// Nothing that is kept comes from here.
__attribute__((noinline)) int checked(int rows) {
  int sum = 0;
  for (int i = 0; i < rows; ++i) {
    sum += i % 3;
  }
  return sum > 0 ? rows : 0;
}

class Cache {
 public:
  void load();
  void add_rows(int rows);

 private:
  std::vector<char> buffer_;
};

__attribute__((noinline)) void Cache::load() {
  // The header knows more than it did.
  keep(std::malloc(1600));  // at header
  keep(new Page);           // at page
  buffer_.reserve(300);     // at buffer
  keep(std::malloc(60));    // at trailer
  keep(std::malloc(7000));  // at new_only
}

__attribute__((noinline)) void Cache::add_rows(int rows) {
  for (int i = 0; i < rows; ++i) {
    keep(std::malloc(100));  // at row
  }
}

int main() {
  Cache* cache = new Cache;  // at cache
  keep(cache);
  cache->load();
  cache->add_rows(checked(25));
  return 0;
}
