// Allocates in constructors of several priorities and gives back in destructors, atexit and
// on_exit handlers; the order of all of them is printed.
#include "account.h"

static void* held[6];

__attribute__((constructor(101))) static void early(void) {
  say("constructor 101\n");
  held[0] = take(101);
}

__attribute__((constructor(50000))) static void late(void) {
  say("constructor 50000\n");
  held[1] = take_zeroed(5, 100);
}

__attribute__((destructor(50000))) static void first_destructor(void) {
  say("destructor 50000\n");
  give(held[1]);
  held[5] = take(55);
}

__attribute__((destructor(101))) static void last_destructor(void) {
  say("destructor 101\n");
  give(held[0]);
  give(held[5]);
  churn(500);
  print_account();
}

static void at_exit(void) {
  say("atexit\n");
  give(held[2]);
  held[4] = take(44);
}

static void on_the_exit(int status, void* argument) {
  say("on_exit %d\n", status);
  give(held[3]);
  give(held[4]);
  give(argument);
}

static void small_handler(void) {
  give(take(9));
}

int main(void) {
  say("main\n");
  held[2] = take(202);
  held[3] = take(303);
  require(on_exit(on_the_exit, take(7)) == 0, "on_exit");
  require(atexit(at_exit) == 0, "atexit");
  // More handlers than fit in libc's first table: atexit itself allocates from here on.
  for (int i = 0; i < 100; ++i) require(atexit(small_handler) == 0, "atexit");
  return 5;
}
