// Allocates in a fixed pattern: three functions, blocks of three kinds, a peak in the middle and
// some blocks that are never freed. Prints nothing; what it does can be added up on paper, and
// peers that look at it must see the same.
#include <stdlib.h>

enum { kRooms = 100, kChairs = 7, kGuests = 1000 };

static void* rooms[kRooms];
static void* chairs[kRooms][kChairs];
static void* volatile guest;

__attribute__((noinline)) static void furnish(int room) {
  for (int i = 0; i < kChairs; ++i) chairs[room][i] = malloc(40);
  __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void build(int room) {
  rooms[room] = calloc((size_t)room + 1, 100);
  furnish(room);
  __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void host(void) {
  for (int i = 0; i < kGuests; ++i) {
    guest = malloc(24);
    free(guest);
  }
  __asm__ volatile("" ::: "memory");
}

int main(void) {
  for (int room = 0; room < kRooms; ++room) build(room);
  host();
  for (int room = 0; room < kRooms; ++room) {
    if (room % 10 != 0) free(rooms[room]);  // every tenth is forgotten, chairs are not
    for (int i = 0; i < kChairs; ++i) free(chairs[room][i]);
  }
  return 0;
}
