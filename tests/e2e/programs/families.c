// Two processes with known peaks: `families together` holds 1,000,000 bytes while the process it
// starts holds 2,000,000; `families apart` frees them first. The second process also takes 500,000
// bytes, one after the other, so that its calls are 2. All wait for each other by waitpid.
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char** environ;

int main(int count, char** arguments) {
  if (count != 2) return 2;
  if (strcmp(arguments[1], "second") == 0) {
    free(malloc(2000000));
    return malloc(500000) == NULL;
  }
  void* block = malloc(1000000);
  if (strcmp(arguments[1], "apart") == 0) free(block);
  char* const second[] = {arguments[0], "second", NULL};
  pid_t pid;
  int status = 1;
  if (posix_spawn(&pid, arguments[0], NULL, NULL, second, environ) != 0) return 3;
  if (waitpid(pid, &status, 0) != pid) return 4;
  if (strcmp(arguments[1], "together") == 0) free(block);
  return status;
}
