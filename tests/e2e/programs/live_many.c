// Holds many blocks, and says how much memory is resident then.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  long wanted = count > 1 ? atol(words[1]) : 1000;
  void** blocks = malloc(sizeof(void*) * (size_t)wanted);
  for (long i = 0; i < wanted; ++i) blocks[i] = malloc(24);
  FILE* file = fopen("/proc/self/statm", "r");
  long mapped = 0;
  long resident = 0;
  if (file == NULL || fscanf(file, "%ld %ld", &mapped, &resident) != 2) return 1;
  printf("%ld\n", resident * 4096);
  return blocks[wanted / 2] == NULL;
}
