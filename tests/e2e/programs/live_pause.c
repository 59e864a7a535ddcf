// Pauses the recording, and frees in the pause what it took before.
#include <heapledger.h>
#include <stdlib.h>

static void* volatile kept[5];

int main(void) {
  kept[1] = malloc(1001);
  kept[3] = malloc(1003);
  heapledger_stop();
  kept[2] = malloc(1002);
  free(kept[1]);
  heapledger_start();
  kept[4] = malloc(1004);
  free(kept[2]);
  return 0;
}
