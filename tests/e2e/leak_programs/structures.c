// Blocks that are kept and lost in all the ways C has. Every block is made by a function with its
// name, and the test knows which class each of them is in.
#include "checkpoint.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAKE(name, bytes)      \
  SITE void* name(void) {      \
    return calloc(1, (bytes)); \
  }

// Lost.
MAKE(list_head, 32)
MAKE(list_node, 24)
MAKE(ring_node, 40)
MAKE(table_lost, 80)
MAKE(table_item_lost, 16)
MAKE(behind_freed, 48)
MAKE(freed_holder, 1024)
MAKE(hidden, 56)
MAKE(past_the_end, 64)
MAKE(never_stored, 72)
MAKE(by_itself, 88)
MAKE(large_lost, 300000)
MAKE(in_large_lost, 20)
MAKE(held_ring_node, 96)
MAKE(ring_holder, 104)
MAKE(lost_in_main, 33)
MAKE(dead_stack, 200)
// Kept.
MAKE(table_kept, 80)
MAKE(table_item_kept, 16)
MAKE(middle_block, 100)
MAKE(under_middle, 50)
MAKE(middle_of_kept, 120)
MAKE(kept_for_middle, 16)
MAKE(in_register, 144)
MAKE(on_main_stack, 152)
MAKE(on_thread_stack, 160)
MAKE(in_main_local, 168)
MAKE(in_thread_local, 176)
MAKE(in_specific, 184)
MAKE(in_plugin_local, 192)
MAKE(in_mapping, 208)
MAKE(large_kept, 400000)
MAKE(in_large_kept, 28)
MAKE(no_bytes, 0)
MAKE(full_chunk, 1032)

static void* volatile kept_table;
static char* volatile middle;
static void* volatile holder_of_middle;
static char* volatile end_of_block;
static uintptr_t volatile masked;
static void* volatile kept_large;
static void* volatile kept_nothing;
static void* volatile* volatile mapping;
static __thread void* volatile local;
static pthread_key_t key;
static void* (*volatile plugin_local)(void*);

// Stores into it happen, though nobody will read what is stored.
typedef void* volatile Slot;

static void lose_lists(void) {
  Slot* head = (Slot*)list_head();
  Slot* last = head;
  for (int i = 0; i < 9; ++i) {
    Slot* node = (Slot*)list_node();
    *last = (void*)node;
    last = node;
  }
  Slot* ring[3];
  for (int i = 0; i < 3; ++i) ring[i] = (Slot*)ring_node();
  for (int i = 0; i < 3; ++i) ring[i][i] = (void*)ring[(i + 1) % 3];
  Slot* table = (Slot*)table_lost();
  for (int i = 0; i < 10; ++i) table[i] = table_item_lost();
  Slot* self = (Slot*)by_itself();
  self[3] = (void*)self;
  // A ring that is entered at its second member, by a block that was made later.
  Slot* one = (Slot*)held_ring_node();
  Slot* other = (Slot*)held_ring_node();
  *one = (void*)other;
  *other = (void*)one;
  *(Slot*)ring_holder() = (void*)other;
}

static void* lose(void* unused) {
  lose_lists();
  Slot* freed = (Slot*)freed_holder();
  freed[100] = behind_freed();
  free((void*)freed);
  masked = (uintptr_t)hidden() ^ 0x5555aaaa5555aaaau;
  end_of_block = (char*)past_the_end() + 64;
  never_stored();
  *(Slot*)large_lost() = in_large_lost();
  return unused;
}

static void* keep(void* unused) {
  Slot* table = (Slot*)table_kept();
  for (int i = 0; i < 10; ++i) table[i] = table_item_kept();
  kept_table = (void*)table;
  char* block = (char*)middle_block();
  *(Slot*)block = under_middle();
  middle = block + 52;
  Slot* holder = (Slot*)kept_for_middle();
  holder[1] = (char*)middle_of_kept() + 99;
  holder_of_middle = (void*)holder;
  Slot* large = (Slot*)large_kept();
  large[40000] = in_large_kept();
  kept_large = (void*)large;
  kept_nothing = no_bytes();
  mapping = (Slot*)mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mapping[1000] = in_mapping();
  // As the last block of a heap: glibc's note of what is free begins in its last bytes.
  full_chunk();
  return unused;
}

// Nothing but the stack of an ended thread has it.
static void* leave_on_stack(void* unused) {
  void* volatile here = dead_stack();
  (void)here;
  return unused;
}

static pthread_barrier_t ready;
static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;

static void* hold(void* unused) {
  void* volatile here = on_thread_stack();
  local = in_thread_local();
  pthread_setspecific(key, in_specific());
  if (plugin_local) plugin_local(in_plugin_local());
  clobber_stack();
  pthread_barrier_wait(&ready);
  pthread_mutex_lock(&never);
  return here == NULL ? here : unused;
}

SITE void lose_in_main(void) {
  lost_in_main();
}

int main(int count, char** arguments) {
  if (count > 1) {
    void* plugin = dlopen(arguments[1], RTLD_NOW);
    if (!plugin) return 4;
    plugin_local = (void* (*)(void*))dlsym(plugin, "set_local");
  }
  pthread_key_create(&key, NULL);
  pthread_barrier_init(&ready, NULL, 2);
  pthread_mutex_lock(&never);
  in_a_thread_that_ends(lose);
  in_a_thread_that_ends(keep);
  pthread_t thread;
  pthread_create(&thread, NULL, hold, NULL);
  pthread_barrier_wait(&ready);
  pthread_t dead;
  pthread_create(&dead, NULL, leave_on_stack, NULL);
  pthread_join(dead, NULL);
  lose_in_main();
  local = in_main_local();
  void* volatile on_stack = on_main_stack();
  checkpoint(in_register());
  return on_stack == NULL;
}
