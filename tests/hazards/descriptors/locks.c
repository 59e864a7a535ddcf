// Holds a POSIX lock on a file: closing any descriptor of that file would drop it. And watches that
// the ledger's coming and going leaves no descriptor behind.
#include <dirent.h>
#include <sys/wait.h>

#include "files.h"

static int open_descriptors(void) {
  int number = 0;
  for (int fd = 0; fd < 1024; ++fd) number += fcntl(fd, F_GETFD) >= 0;
  return number;
}

int main(void) {
  int fd = write_file(0);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  require(fcntl(fd, F_SETLK, &lock) == 0, "a lock");
  int before = open_descriptors();
  churn(200000);
  say("descriptors %d\n", open_descriptors() - before);
  pid_t pid = fork();
  if (pid == 0) {
    struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    _exit(fcntl(fd, F_SETLK, &other) == 0 ? 1 : 0);
  }
  int status = 0;
  require(waitpid(pid, &status, 0) == pid, "waitpid");
  say("the lock held: %d\n", status == 0);
  print_account();
  return 0;
}
