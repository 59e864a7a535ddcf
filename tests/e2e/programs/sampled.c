// What sample mode has to get right beside chance: with blocks so large that all are sampled, or
// with every call sampled, its figures are exact.
//   sampled threads   blocks of one thread, freed and resized by another
//   sampled fork      a child that frees what it inherits, and allocates of its own
//   sampled kill      tells that it is done, and waits to be killed
//   sampled time      sleeps before one of two allocations
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 100
#define SIZE 100000

static void* blocks[BLOCKS];

__attribute__((noinline)) static void take(void) {
  for (int i = 0; i < BLOCKS; ++i) blocks[i] = malloc(SIZE);
  __asm__ volatile("" ::: "memory");
}

// Of ten blocks, five are freed, two shrink to nothing much, two grow, one stays.
static void* give_back(void* unused) {
  for (int i = 0; i < BLOCKS; ++i) {
    int what = i % 10;
    if (what < 5) {
      free(blocks[i]);
    } else if (what < 9) {
      blocks[i] = realloc(blocks[i], what < 7 ? 50000 : 2 * SIZE);
    }
  }
  return unused;
}

static int threads(void) {
  pthread_t other;
  take();
  return pthread_create(&other, NULL, give_back, NULL) != 0 || pthread_join(other, NULL) != 0;
}

static int in_fork(void) {
  take();
  pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    for (int i = 0; i < BLOCKS / 2; ++i) free(blocks[i]);
    take();
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status;
}

__attribute__((noinline)) static void* after_sleep(void) {
  usleep(60000);
  return malloc(SIZE);
}

__attribute__((noinline)) static void* at_once(void) {
  return malloc(SIZE);
}

static int in_time(void) {
  for (int i = 0; i < 3; ++i) {
    free(after_sleep());
    free(at_once());
  }
  return 0;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  if (strcmp(arguments[1], "threads") == 0) return threads();
  if (strcmp(arguments[1], "fork") == 0) return in_fork();
  if (strcmp(arguments[1], "time") == 0) return in_time();
  take();
  give_back(NULL);
  if (write(1, "!", 1) != 1) return 3;
  for (;;) pause();
}
