// The main thread ends by pthread_exit; another one goes on allocating and ends the process.
#include <pthread.h>

#include "account.h"

static pthread_t main_thread;

static void* survivor(void* unused) {
  (void)unused;
  pthread_join(main_thread, NULL);
  churn(5000);
  void* last = take(321);
  require(last != NULL, "a block");
  print_account();
  exit(6);
}

int main(void) {
  main_thread = pthread_self();
  churn(1000);
  pthread_t thread;
  require(pthread_create(&thread, NULL, survivor, NULL) == 0, "a thread");
  pthread_exit(NULL);
}
