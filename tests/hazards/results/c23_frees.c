// free_sized and free_aligned_sized, where there are any: libc may lack them, we never do.
#include <dlfcn.h>
#include <stdlib.h>

#include "account.h"

typedef void (*SizedFree)(void*, size_t);
typedef void (*AlignedSizedFree)(void*, size_t, size_t);

int main(void) {
  SizedFree sized = (SizedFree)dlsym(RTLD_DEFAULT, "free_sized");
  AlignedSizedFree aligned = (AlignedSizedFree)dlsym(RTLD_DEFAULT, "free_aligned_sized");
  say_to(2, "there: %d %d\n", sized != NULL, aligned != NULL);
  for (int i = 0; i < 100; ++i) {
    void* block = take(40);
    account_add(&account_frees, 1);
    if (sized != NULL)
      sized(block, 40);
    else
      free(block);
    block = aligned_alloc(64, 128);
    account_took(block, 128);
    account_add(&account_frees, 1);
    if (aligned != NULL)
      aligned(block, 64, 128);
    else
      free(block);
  }
  errno = 77;
  if (sized != NULL) sized(NULL, 0);
  if (aligned != NULL) aligned(NULL, 64, 0);
  say("errno %d\n", errno);
  print_account();
  return 0;
}
