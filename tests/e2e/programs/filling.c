// Fills a block of 64 MiB bit by bit, gives its pages back and frees it, with no call of the heap
// in between: `filling WATCHER [leave]`. WATCHER is the process that looks at this one from
// outside. It is waited for after each step, by how often it has gone to sleep, so that there is a
// look at each; one that never looks, or is gone, is not waited for for ever. Prints what was
// resident before. With `leave` it leaves a process behind that has all that it has mapped, and
// prints its number.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { kPage = 4096, kMiB = 1 << 20, kStepMiB = 4, kSteps = 16, kLooks = 4, kPatienceSeconds = 20 };

static char* volatile block;
static char status_path[64];
static char text[4096];
static time_t patience_ends;

// A number in a file of /proc, after `name`.
static long number_in(const char* path, const char* name) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) return 0;
  long bytes = read(fd, text, sizeof text - 1);
  close(fd);
  text[bytes > 0 ? bytes : 0] = '\0';
  const char* at = strstr(text, name);
  return at == NULL ? 0 : atol(at + strlen(name));
}

static long sleeps(void) {
  return number_in(status_path, "\nvoluntary_ctxt_switches:");
}

static void wait_for_looks(void) {
  long from = sleeps();
  for (long now = from; now > 0 && now < from + kLooks && time(NULL) < patience_ends;) {
    usleep(1000);
    now = sleeps();
  }
}

static void print(long number) {
  char line[32];
  int length = snprintf(line, sizeof line, "%ld\n", number);
  if (write(1, line, (size_t)length) != length) _exit(1);
}

// It never calls the heap, and so has no ledger of its own.
static void leave_a_process(void) {
  pid_t pid = fork();
  if (pid == 0) {
    close(0);
    close(1);
    close(2);
    alarm(60);
    for (;;) pause();
  }
  print(pid);
}

int main(int count, char** words) {
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  snprintf(status_path, sizeof status_path, "/proc/%s/status", count > 1 ? words[1] : "self");
  patience_ends = time(NULL) + kPatienceSeconds;
  block = malloc((size_t)kSteps * kStepMiB * kMiB);
  wait_for_looks();
  print(number_in("/proc/self/status", "\nVmRSS:") * 1024);
  char* at = block;
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < kStepMiB * kMiB / kPage; ++i, at += kPage) *(volatile char*)at = 'x';
    wait_for_looks();
  }
  char* from = block + (kPage - (size_t)block % kPage) % kPage;
  if (madvise(from, (size_t)(block + (size_t)kSteps * kStepMiB * kMiB - from) / kPage * kPage,
              MADV_DONTNEED) != 0) {
    return 1;
  }
  wait_for_looks();
  if (count > 2) leave_a_process();
  free(block);
  return 0;
}
