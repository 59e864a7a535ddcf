// Threads that name themselves before or after their first allocation, and rename themselves.
#include <pthread.h>
#include <sys/prctl.h>

#include "account.h"

static void* named_first(void* unused) {
  pthread_setname_np(pthread_self(), "named-first");
  churn(100);
  return unused;
}

static void* named_later(void* unused) {
  churn(100);
  prctl(PR_SET_NAME, "named-later");
  churn(50000);
  return unused;
}

static void* named_by_another(void* unused) {
  churn(50000);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, named_first, NULL);
  pthread_create(&threads[1], NULL, named_later, NULL);
  pthread_create(&threads[2], NULL, named_by_another, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  prctl(PR_SET_NAME, "odd \"name\" \\");
  churn(50000);
  print_account();
  return 0;
}
