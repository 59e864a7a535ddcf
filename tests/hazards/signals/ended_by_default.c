// Children that are ended by signals in all states that a process can be in; the parent prints how
// each has ended. None of them says a word after that.
#define _GNU_SOURCE 1
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "account.h"

static int number;
static int ready_pipe[2];

static void ready(void) {
  require(write(ready_pipe[1], "!", 1) == 1, "write");
}

static void plain(void) {
  ready();
  for (;;) pause();
}

static void busy(void) {
  ready();
  for (;;) churn(1000);
}

static void reading(void) {
  int ends[2];
  char byte;
  require(pipe(ends) == 0, "pipe");
  ready();
  require(read(ends[0], &byte, 1) == 1, "read");
  say("came back\n");
}

// Let in for the time of one call only.
static void suspended(void) {
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &all, NULL);
  ready();
  sigsuspend(&none);
  say("came back\n");
}

static void polling(void) {
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &all, NULL);
  ready();
  ppoll(NULL, 0, NULL, &none);
  say("came back\n");
}

static void* churning(void* nothing) {
  for (;;) churn(1000);
  return nothing;
}

static void threads(void) {
  pthread_t thread;
  for (int i = 0; i < 3; ++i) require(pthread_create(&thread, NULL, churning, NULL) == 0, "thread");
  churn(1000);
  ready();
  for (;;) pause();
}

// The main thread has it blocked, another one gets it.
static void* waiting(void* nothing) {
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  free(take(10));
  ready();
  for (;;) pause();
  return nothing;
}

static void another_thread(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_t thread;
  require(pthread_create(&thread, NULL, waiting, NULL) == 0, "thread");
  for (;;) churn(1000);
}

static void to_default(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void in_handler(void) {
  signal(number, to_default);
  ready();
  for (;;) churn(10);
}

static void on_own_stack(void) {
  static char stack[1 << 16];
  stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  require(sigaltstack(&own, NULL) == 0, "sigaltstack");
  ready();
  for (;;) churn(1000);
}

// A child of the child, with what it has inherited.
static void end_grandchild(int uses_heap) {
  pid_t pid = fork();
  if (pid == 0) {
    if (uses_heap) free(take(10));
    raise(number);
    _exit(72);
  }
  int status = 0;
  require(waitpid(pid, &status, 0) == pid, "waitpid");
  raise(WTERMSIG(status));
  ready();
}

static void grandchild(void) {
  end_grandchild(1);
}

static void idle_grandchild(void) {
  end_grandchild(0);
}

static void vforked(void) {
  pid_t pid = vfork();
  if (pid == 0) {
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    _exit(72);
  }
  int status = 0;
  require(waitpid(pid, &status, 0) == pid, "waitpid");
  churn(10);  // the parent is as it was
  raise(WTERMSIG(status));
  ready();
}

static void twice(void) {
  ready();
  raise(number);
}

static void ignoring(void) {
  signal(number, SIG_IGN);
  raise(number);
  churn(100);
  signal(number, SIG_DFL);
  raise(number);
}

static void one(const char* name, void (*body)(void), int given) {
  number = given;
  require(pipe(ready_pipe) == 0, "pipe");
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    free(take(100));
    close(ready_pipe[0]);
    body();
    _exit(73);
  }
  close(ready_pipe[1]);
  char byte;
  if (read(ready_pipe[0], &byte, 1) == 1) {
    kill(pid, number);
    kill(pid, number);
  }
  close(ready_pipe[0]);
  int status = 0;
  require(waitpid(pid, &status, 0) == pid, "waitpid");
  say("%s %d: ended %d by %d core %d, else %d\n", name, number, WIFSIGNALED(status),
      WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFSIGNALED(status) ? WCOREDUMP(status) != 0 : 0,
      WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

static void by_alarm(void) {
  struct itimerval soon = {{0, 0}, {0, 1000}};
  setitimer(number == SIGPROF     ? ITIMER_PROF
            : number == SIGVTALRM ? ITIMER_VIRTUAL
                                  : ITIMER_REAL,
            &soon, NULL);
  for (;;) churn(1000);
}

static void by_pipe(void) {
  int ends[2];
  require(pipe(ends) == 0, "pipe");
  close(ends[0]);
  require(write(ends[1], "!", 1) == 1, "write");
}

int main(void) {
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  free(take(1000));
  static const int kNumbers[] = {SIGHUP,    SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE,
                                 SIGALRM,   SIGTERM, SIGXCPU, SIGXFSZ, SIGIO,   SIGPROF,
                                 SIGVTALRM, SIGPWR,  SIGSEGV, SIGABRT, SIGKILL};
  for (size_t i = 0; i < sizeof kNumbers / sizeof kNumbers[0]; ++i)
    one("plain", plain, kNumbers[i]);
  one("busy", busy, SIGTERM);
  one("reading", reading, SIGINT);
  one("suspended", suspended, SIGTERM);
  one("polling", polling, SIGHUP);
  one("threads", threads, SIGTERM);
  one("another thread", another_thread, SIGTERM);
  one("in its handler", in_handler, SIGTERM);
  one("on its own stack", on_own_stack, SIGINT);
  one("grandchild", grandchild, SIGTERM);
  one("idle grandchild", idle_grandchild, SIGTERM);
  one("vforked", vforked, SIGTERM);
  one("twice", twice, SIGINT);
  one("ignoring", ignoring, SIGHUP);
  one("alarm", by_alarm, SIGALRM);
  one("alarm", by_alarm, SIGPROF);
  one("alarm", by_alarm, SIGVTALRM);
  one("pipe", by_pipe, SIGPIPE);
  return 0;
}
