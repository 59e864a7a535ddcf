// Makes 10,001 allocations and ends in the way its argument names, without any exit handler.
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "account.h"

static void end(const char* how) {
  if (strcmp(how, "_exit") == 0) _exit(7);
  if (strcmp(how, "_Exit") == 0) _Exit(8);
  if (strcmp(how, "quick_exit") == 0) quick_exit(9);
  if (strcmp(how, "exit_group") == 0) syscall(SYS_exit_group, 10);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) *(volatile int*)16 = 1;
  if (strcmp(how, "sigkill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "sigterm") == 0) kill(getpid(), SIGTERM);
  if (strcmp(how, "return") == 0) exit(0);
}

int main(int count, char** arguments) {
  require(count == 2, "an argument");
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  void* before = NULL;
  for (int i = 0; i < 10000; ++i) {
    void* block = take((size_t)(8 + i % 300));
    if (i % 3 == 0) {
      give(before);
      before = block;
    }
  }
  // The account is printed before the last call, which is the very last thing the program does.
  account_add(&account_calls, 1);
  account_add(&account_bytes, 12345);
  print_account();
  if (malloc(12345) == NULL) return 1;
  end(arguments[1]);
  return 97;
}
