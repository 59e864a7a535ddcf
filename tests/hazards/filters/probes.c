// Asks for filters that the kernel refuses, as libraries do to find out what there is, and goes on
// as ever after each. The argument is the kind of question.
#include <pthread.h>

#include "filter.h"

static void ask(const char* what, long result) {
  say("%s: %s, errno %d\n", what, result < 0 ? "refused" : "not refused", result < 0 ? errno : 0);
  churn(5000);
}

static long ask_seccomp(unsigned operation, unsigned flags, const void* argument) {
  return syscall(SYS_seccomp, operation, flags, argument);
}

static long ask_prctl(unsigned long mode, const void* filter) {
  return prctl(PR_SET_SECCOMP, mode, filter, 0, 0);
}

// What libseccomp does before its first filter.
static void like_libseccomp(void) {
  unsigned action = SECCOMP_RET_LOG;
  ask("strict with a flag", ask_seccomp(SECCOMP_SET_MODE_STRICT, 1, NULL));
  ask("an action", ask_seccomp(SECCOMP_GET_ACTION_AVAIL, 0, &action));
  ask("TSYNC", ask_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL));
  ask("LOG", ask_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, NULL));
  ask("NEW_LISTENER", ask_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, NULL));
  ask("a filter by prctl", ask_prctl(SECCOMP_MODE_FILTER, NULL));
  ask("its mode", prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
}

// Filters that can be read, and are wrong.
static void wrong_filters(void) {
  struct sock_filter rule = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog good = {1, &rule}, empty = {0, &rule}, lost = {1, (struct sock_filter*)16};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
  ask("unknown flags", ask_seccomp(SECCOMP_SET_MODE_FILTER, 0x8000, &good));
  ask("no rules", ask_seccomp(SECCOMP_SET_MODE_FILTER, 0, &empty));
  ask("no rules by prctl", ask_prctl(SECCOMP_MODE_FILTER, &empty));
  ask("rules nowhere", ask_seccomp(SECCOMP_SET_MODE_FILTER, 0, &lost));
  ask("a filter nowhere", ask_seccomp(SECCOMP_SET_MODE_FILTER, 0, (void*)16));
  ask("a mode that is none", ask_prctl(77, &good));
  ask("ticks that are none", prctl(PR_SET_TSC, 99, 0, 0, 0));
}

// There is a filter already, so that strict mode is refused.
static void strict_too_late(void) {
  require(allow_all(0) == 0, "a filter");
  ask("strict by prctl", ask_prctl(SECCOMP_MODE_STRICT, NULL));
  ask("strict by seccomp", ask_seccomp(SECCOMP_SET_MODE_STRICT, 0, NULL));
}

static pthread_barrier_t met;

static void* has_its_own(void* unused) {
  require(allow_all(0) == 0, "a filter");
  pthread_barrier_wait(&met);
  pthread_barrier_wait(&met);
  return unused;
}

// For all threads at once, where one has a filter that the others have not: the answer is its
// number, and nothing is installed.
static void not_for_all(void) {
  struct sock_filter rule = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog filter = {1, &rule};
  pthread_t thread;
  pthread_barrier_init(&met, NULL, 2);
  require(pthread_create(&thread, NULL, has_its_own, NULL) == 0, "a thread");
  pthread_barrier_wait(&met);
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
  ask("for all threads", ask_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter));
  pthread_barrier_wait(&met);
  pthread_join(thread, NULL);
}

int main(int count, char** arguments) {
  require(count == 2, "an argument");
  warm_heap();
  if (strcmp(arguments[1], "libseccomp") == 0) like_libseccomp();
  if (strcmp(arguments[1], "wrong") == 0) wrong_filters();
  if (strcmp(arguments[1], "late") == 0) strict_too_late();
  if (strcmp(arguments[1], "all") == 0) not_for_all();
  enum { kMuch = 64 << 20 };
  char* much = (char*)take(kMuch);
  memset(much, 'x', kMuch);
  give(much);
  print_account();
  return 18;
}
