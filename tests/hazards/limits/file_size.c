// Limits the size of files in mid-run to the bytes its argument names, and goes on allocating: no
// SIGXFSZ may come but the program's own.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "account.h"

static volatile int signals;
static void handler(int number) {
  signals += number == SIGXFSZ;
}

int main(int count, char** arguments) {
  require(count >= 2, "an argument");
  if (count == 3) signal(SIGXFSZ, handler);  // else the default: the end
  churn(1000);
  struct rlimit limit = {(rlim_t)atol(arguments[1]), RLIM_INFINITY};
  require(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
  churn(300000);
  say("signals before %d\n", signals);
  if (count == 3) {  // our own file meets the limit as it always does
    int fd = open("file", O_WRONLY | O_CREAT, 0644);
    require(fd >= 0 && lseek(fd, (off_t)limit.rlim_cur, SEEK_SET) >= 0, "a file");
    long result = write(fd, "x", 1);
    say("write %ld errno %d signals %d\n", result, errno, signals);
  }
  print_account();
  return 0;
}
