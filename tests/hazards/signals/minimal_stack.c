// A handler that allocates on the smallest alternate stack the kernel accepts plus 4 KiB, with an
// unmapped page right below it. The handler runs often, so also when a window is full.
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "account.h"

static void handler(int number) {
  (void)number;
  for (int i = 0; i < 30; ++i) {
    void* block = take(120);
    block = take_resized(block, 130);
    give(block);
  }
}

int main(void) {
  long page = sysconf(_SC_PAGESIZE);
  long smallest = (long)getauxval(AT_MINSIGSTKSZ);
  if (smallest < MINSIGSTKSZ) smallest = MINSIGSTKSZ;
  long size = smallest + 4096;
  long room = (size + page - 1) / page * page;
  char* memory =
      mmap(NULL, (size_t)(room + page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED && mprotect(memory, (size_t)page, PROT_NONE) == 0, "a stack");
  stack_t alternate = {.ss_sp = memory + page, .ss_size = (size_t)size};
  require(sigaltstack(&alternate, NULL) == 0, "sigaltstack");
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 2000; ++i) raise(SIGUSR1);
  print_account();
  return 0;
}
