#include "runtime/os/only_thread.h"

namespace heapledger::runtime::os {
namespace {

constexpr char kNever = 0;

}  // namespace

constinit const volatile char* single_thread_word = &kNever;

void set_single_thread_word(const void* word) {
  if (word != nullptr) single_thread_word = static_cast<const char*>(word);
}

}  // namespace heapledger::runtime::os
