// What dlerror() has to say when the program has not yet asked the loader for anything: nothing.
#include <dlfcn.h>
#include <pthread.h>

#include "account.h"

static void* body(void* unused) {
  churn(10);
  const char* error = dlerror();
  say("in a thread: %s\n", error == NULL ? "no error" : error);
  return unused;
}

int main(void) {
  const char* error = dlerror();
  say("at the start: %s\n", error == NULL ? "no error" : error);
  churn(20000);
  error = dlerror();
  say("later: %s\n", error == NULL ? "no error" : error);
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  print_account();
  return 0;
}
