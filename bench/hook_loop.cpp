// A loop around one kind of heap call and nothing else, for bench/callgrind_count: two runs of
// different length, subtracted, leave the instructions of the calls alone. Compiled with
// -fno-builtin, so that the calls stay.
//
//   hook_loop KIND TURNS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace {

constexpr size_t kSize = 48;

// Never freed: what an allocation costs without the free that usually follows.
void keep(long turns) {
  for (long i = 0; i < turns; ++i) {
    if (malloc(kSize) == nullptr) abort();
  }
}

void pair(long turns) {
  for (long i = 0; i < turns; ++i) free(malloc(kSize));
}

void zeroed(long turns) {
  for (long i = 0; i < turns; ++i) free(calloc(1, kSize));
}

void aligned(long turns) {
  for (long i = 0; i < turns; ++i) {
    void* block;
    if (posix_memalign(&block, 64, kSize) != 0) abort();
    free(block);
  }
}

// One block that changes its size in place.
void resize(long turns) {
  void* block = malloc(kSize);
  for (long i = 0; i < turns; ++i) block = realloc(block, kSize - static_cast<size_t>(i % 8));
  free(block);
}

struct Kind {
  const char* name;
  void (*run)(long turns);
};

constexpr Kind kKinds[] = {
    {"keep", keep}, {"pair", pair}, {"zeroed", zeroed}, {"aligned", aligned}, {"resize", resize},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) {
    for (const Kind& kind : kKinds) {
      if (strcmp(kind.name, argv[1]) != 0) continue;
      kind.run(atol(argv[2]));
      return 0;
    }
  }
  fprintf(stderr, "usage: hook_loop keep|pair|zeroed|aligned|resize TURNS\n");
  return 2;
}
