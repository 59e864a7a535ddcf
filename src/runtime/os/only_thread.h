// Whether the calling thread is the only one, so that what threads share may be changed without the
// processor's locks.
//
// glibc knows: its malloc goes without locks, too, until the first pthread_create, which clears a
// word before the other thread exists. So there is no second thread while a hook of the first is at
// work. Signal handlers there are: so words are still changed with one instruction (arch_add.h).
#pragma once

namespace heapledger::runtime::os {

// glibc's word, or one that is never set.
extern const volatile char* single_thread_word __attribute__((visibility("hidden")));

// `word`: what libc has under the name __libc_single_threaded; null: nothing.
void set_single_thread_word(const void* word);

inline bool is_only_thread() {
  return *single_thread_word != 0;
}

}  // namespace heapledger::runtime::os
