// Allocates and frees by a fixed rule, and counts what it has done in the file that its argument
// names, mapped shared: so the count survives any end. The rule is that of killed.c.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kOperations = 40000 };

int main(int count, char** arguments) {
  if (count != 2) return 2;
  int fd = open(arguments[1], O_RDWR);
  if (fd < 0) return 3;
  volatile uint64_t* done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (done == MAP_FAILED) return 4;
  close(fd);
  void* last = NULL;
  for (uint64_t n = 0; n < kOperations; ++n) {
    if (n % 3 == 2)
      free(last);
    else if ((last = malloc(16 + n % 1000)) == NULL)
      return 5;
    *done = n + 1;
  }
  return 0;
}
