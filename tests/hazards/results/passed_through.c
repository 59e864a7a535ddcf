// malloc's informational relatives answer as natively.
#include <malloc.h>

#include "account.h"

int main(void) {
  void* blocks[100];
  struct mallinfo2 before = mallinfo2();
  for (int i = 0; i < 100; ++i) blocks[i] = take((size_t)(1000 + i));
  struct mallinfo2 after = mallinfo2();
  say("in use: %zu more\n", after.uordblks - before.uordblks);
  for (int i = 0; i < 100; i += 20) say("room %zu\n", malloc_usable_size(blocks[i]));
  void* mapped = take(1 << 20);
  after = mallinfo2();
  say("mapped: %zu more, %zu bytes\n", after.hblks - before.hblks, after.hblkhd - before.hblkhd);
  say("mallopt %d %d\n", mallopt(M_MMAP_THRESHOLD, 64 << 10), mallopt(-1000, 1));
  void* also_mapped = take(100 << 10);
  after = mallinfo2();
  say("mapped: %zu more\n", after.hblks - before.hblks);
  give(mapped);
  give(also_mapped);
  for (int i = 0; i < 100; ++i) give(blocks[i]);
  say("trim %d\n", malloc_trim(0));

  char* text = NULL;
  size_t length = 0;
  FILE* stream = open_memstream(&text, &length);
  require(stream != NULL && malloc_info(0, stream) == 0, "malloc_info");
  fclose(stream);
  say("malloc_info begins %.20s\n", text);
  free(text);
  errno = 0;
  say("malloc_info of options: %d errno %d\n", malloc_info(1, stdout), errno);
  print_account();
  return 0;
}
