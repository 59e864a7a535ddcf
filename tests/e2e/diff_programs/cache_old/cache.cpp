// A cache that fills itself once. What each line allocates is in tests/e2e/diff_versions_test.py.
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

class Cache {
 public:
  void load();
  void add_rows(int rows);

 private:
  std::vector<char> buffer_;
};

__attribute__((noinline)) void Cache::load() {
  keep(std::malloc(1000));  // at header
  keep(new Page);           // at page
  buffer_.reserve(300);     // at buffer
  keep(std::malloc(40));    // at old_only
  keep(std::malloc(60));    // at trailer
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
  cache->add_rows(10);
  return 0;
}
