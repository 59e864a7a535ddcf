// A handler that allocates on an alternate stack. The stack is painted before, and how deep the
// handler went is told on stderr; "first" lets it be the thread's very first allocation.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "account.h"

enum { kStack = 64 << 10 };
static unsigned char* stack;

static void handler(int number) {
  (void)number;
  char* block = take(100);
  block = take_resized(block, 300);
  give(block);
  give(take_zeroed(3, 40));
  void* aligned = NULL;
  if (posix_memalign(&aligned, 64, 128) == 0) account_took(aligned, 128);
  give(aligned);
}

static void* body(void* mode) {
  stack_t alternate = {.ss_sp = stack, .ss_size = kStack};
  require(sigaltstack(&alternate, NULL) == 0, "sigaltstack");
  if (mode == NULL) churn(100);
  raise(SIGUSR1);
  return NULL;
}

int main(int count, char** arguments) {
  (void)arguments;
  stack = mmap(NULL, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(stack != MAP_FAILED, "a stack");
  memset(stack, 0x5a, kStack);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, body, count == 2 ? "first" : NULL);
  pthread_join(thread, NULL);
  long untouched = 0;
  while (untouched < kStack && stack[untouched] == 0x5a) ++untouched;
  say_to(2, "depth %ld\n", kStack - untouched);
  print_account();
  return 0;
}
