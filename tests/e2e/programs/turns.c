// Threads that take turns: while one has many blocks, the others have next to nothing.
// turns THREADS ROUNDS BLOCKS BYTES
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { kMostThreads = 16, kMostBlocks = 4096 };

static pthread_barrier_t next_turn;
static int threads, rounds, blocks;
static size_t bytes;
static void* taken[kMostBlocks];  // of the thread whose turn it is

static void work(void) {
  for (int i = 0; i < blocks; ++i) {
    taken[i] = malloc(bytes);
    memset(taken[i], 1, bytes);
  }
  for (int i = 0; i < blocks; ++i) free(taken[i]);
}

static void* take_turns(void* number) {
  void* volatile kept = malloc(10);
  for (int turn = 0; turn < rounds * threads; ++turn) {
    if (turn % threads == *(int*)number) work();
    pthread_barrier_wait(&next_turn);
  }
  free(kept);
  return NULL;
}

int main(int count, char** words) {
  if (count != 5) return 2;
  threads = atoi(words[1]);
  rounds = atoi(words[2]);
  blocks = atoi(words[3]);
  bytes = (size_t)atoi(words[4]);
  if (threads > kMostThreads || blocks > kMostBlocks) return 2;
  if (threads == 0) return 0;  // without a single call of malloc
  pthread_t all[kMostThreads];
  int numbers[kMostThreads];
  pthread_barrier_init(&next_turn, NULL, (unsigned)threads);
  for (int i = 0; i < threads; ++i) {
    numbers[i] = i;
    if (pthread_create(&all[i], NULL, take_turns, &numbers[i]) != 0) return 1;
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  return 0;
}
