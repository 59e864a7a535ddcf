// Asks for the dispositions of signals and changes them, in all ways that there are, and prints
// every answer: the default must look like the default, with the flags that the program gave it.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE 1
#define _GNU_SOURCE 1
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "account.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void nothing(int number) {
  (void)number;
}

static const char* word(void (*handler)(int)) {
  if (handler == SIG_DFL) return "default";
  if (handler == SIG_IGN) return "ignored";
  if (handler == SIG_ERR) return "error";
  if (handler == SIG_HOLD) return "held";
  return handler == nothing ? "own" : "foreign";
}

static void print_now(int number) {
  struct sigaction now;
  memset(&now, 0, sizeof now);
  int result = sigaction(number, NULL, &now);
  int masked = 0;
  for (int i = 1; i < 65; ++i) masked += sigismember(&now.sa_mask, i) == 1;
  unsigned flags = (unsigned)now.sa_flags & ~0x04000000u;  // libc's own: where handlers return to
  say("%d: %d %s flags %x mask %d\n", number, result, word(now.sa_handler), flags, masked);
}

static void print_all(const char* when) {
  say("%s\n", when);
  for (int i = 0; i < 66; ++i) print_now(i);
}

static void change(int number) {
  struct sigaction wanted, before;
  memset(&wanted, 0, sizeof wanted);
  wanted.sa_handler = SIG_DFL;
  wanted.sa_flags = SA_NODEFER | SA_RESTART;
  sigaddset(&wanted.sa_mask, SIGWINCH);
  say("sigaction %d: ", number);
  say("%d ", sigaction(number, &wanted, &before));
  say("%s\n", word(before.sa_handler));
  print_now(number);
  say("signal: %s\n", word(signal(number, nothing)));
  say("signal: %s\n", word(signal(number, SIG_DFL)));
  print_now(number);
  say("signal: %s\n", word(signal(number, SIG_IGN)));
  say("sigset: %s\n", word(sigset(number, SIG_DFL)));
  print_now(number);
  say("sigset: %s\n", word(sigset(number, SIG_HOLD)));
  say("sigset: %s\n", word(sigset(number, SIG_DFL)));
  say("sysv_signal: %s\n", word(sysv_signal(number, nothing)));
  print_now(number);
  say("sysv_signal: %s\n", word(sysv_signal(number, SIG_DFL)));
  print_now(number);
  say("ssignal: %s\n", word(ssignal(number, SIG_DFL)));
  say("siginterrupt: %d\n", siginterrupt(number, 1));
  // One and the same place for what is wanted and what was.
  memset(&wanted, 0, sizeof wanted);
  wanted.sa_handler = nothing;
  struct sigaction* volatile same = &wanted;
  sigaction(number, &wanted, same);
  say("the same place: %s\n", word(wanted.sa_handler));
  sigaction(number, &wanted, same);
  say("and back: %s\n", word(wanted.sa_handler));
  print_now(number);
}

// Taken where it is waited for, it does not end the program.
static void wait_for(int number) {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, &before);
  kill(getpid(), number);
  int taken = 0;
  say("sigwait: %d ", sigwait(&set, &taken));
  say("%d\n", taken);
  int fd = signalfd(-1, &set, 0);
  struct signalfd_siginfo info;
  kill(getpid(), number);
  require(read(fd, &info, sizeof info) == (ssize_t)sizeof info, "signalfd");
  say("signalfd: %u from %d\n", info.ssi_signo, (int)info.ssi_pid == (int)getpid());
  close(fd);
  // Ignored while it waits, it is gone.
  kill(getpid(), number);
  signal(number, SIG_IGN);
  signal(number, SIG_DFL);
  sigset_t pending;
  sigpending(&pending);
  say("pending: %d\n", sigismember(&pending, number));
  sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(int count, char** words) {
  free(take(1));
  if (count > 1) {
    print_all(words[1]);
    return 0;
  }
  print_all("at first");
  static const int kNumbers[] = {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD, SIGSEGV};
  for (size_t i = 0; i < sizeof kNumbers / sizeof kNumbers[0]; ++i) change(kNumbers[i]);
  wait_for(SIGTERM);
  wait_for(SIGINT);
  print_all("then");
  say("system: %d\n", system("true"));
  print_now(SIGINT);
  fflush(NULL);
  signal(SIGUSR2, SIG_IGN);
  pid_t child = vfork();
  if (child == 0) {
    // What a careful vfork does before exec.
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    execl("/proc/self/exe", words[0], "executed", (char*)NULL);
    _exit(71);
  }
  int status = 0;
  require(waitpid(child, &status, 0) == child, "waitpid");
  say("child %d\n", status);
  print_all("after all");
  return 0;
}
