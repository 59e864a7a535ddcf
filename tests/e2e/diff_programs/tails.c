/* Whatever an optimising compiler does to frames: functions that are inlined, functions that end in
 * a call and leave no frame, loops that are unrolled, recursion, and a wrapper that many call. It
 * is the same source in both builds, so nothing of its heap may differ. */
#include <stdlib.h>
#include <string.h>

void* volatile kept[256];
static int used;

static void keep(void* block) {
  kept[used++] = block;
}

/* Ends in a call: optimised, its caller seems to allocate. */
__attribute__((noinline)) void* make(size_t bytes) {
  return malloc(bytes);
}

/* The same twice over. */
__attribute__((noinline)) void* make_pair(size_t bytes) {
  return make(2 * bytes);
}

static void* inlined(size_t bytes) {
  void* block = malloc(bytes);
  if (block != NULL) memset(block, 1, bytes);
  return block;
}

/* Called from many places: its callers are blamed. */
static void* my_alloc(size_t bytes) {
  void* block = malloc(bytes);
  if (block == NULL) abort();
  return block;
}

struct node {
  struct node* left;
  struct node* right;
};

static struct node* plant(int depth) {
  struct node* node = malloc(sizeof *node);
  node->left = depth > 0 ? plant(depth - 1) : NULL;
  node->right = depth > 0 ? plant(depth - 1) : NULL;
  return node;
}

__attribute__((noinline)) static void read_names(void) {
  keep(my_alloc(11));
  keep(my_alloc(12));
}

__attribute__((noinline)) static void read_values(void) {
  keep(my_alloc(21));
  keep(inlined(22));
}

__attribute__((noinline)) static void read_colours(void) {
  keep(my_alloc(31));
  void* volatile soon_gone = malloc(32);
  free(soon_gone);
}

/* The last call leaves no frame of this one. */
__attribute__((noinline)) static void read_all(void) {
  keep(my_alloc(41));
  read_names();
  read_values();
  read_colours();
}

__attribute__((noinline)) static void load(void) {
  keep(make(1000));
  keep(malloc(50));
  keep(make(2000));
  keep(make_pair(300));
  for (int i = 0; i < 4; ++i) keep(malloc(70));
  read_all();
}

int main(void) {
  load();
  keep(plant(3));
  keep(make(4000));
  return 0;
}
