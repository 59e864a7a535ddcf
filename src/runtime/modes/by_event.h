// What the modes that follow blocks have in common: they are told what becomes of each. A policy
// derives from ByEvent<Policy> and has, as static templates of the function that was called:
//
//   void born(void* block, const Asked& asked, const Caller& caller)
//   void died(void* block)             before it is given back: then another thread may have it
//   auto resizing(void* old_block)     before; what it returns comes back in one of these two:
//   void resized(before, void* old_block, void* block, size_t size, const Caller& caller)
//   void freed(before, void* old_block)   a resize to no bytes, which gave it back
//
// Calls that fail, and those about no block or one of the early arena, are none of its business. It
// may replace what is below as well.
#pragma once

#include "runtime/modes/make_mode.h"
#include "runtime/modes/real_calls.h"

#define HEAPLEDGER_INLINE __attribute__((always_inline)) static inline

namespace heapledger::runtime {

template <typename Policy>
struct ByEvent {
  // Ahead of all else.
  template <Function>
  HEAPLEDGER_INLINE void before() {}

  // A question was answered.
  template <Function>
  HEAPLEDGER_INLINE void answered(void*, size_t) {}

  // What the function does, without this mode.
  template <Function function, typename... Arguments>
  HEAPLEDGER_INLINE auto below(const Caller&, Arguments... arguments) {
    return real<function>(arguments...);
  }

  template <Function function, typename... Arguments>
  HEAPLEDGER_INLINE auto call(const Caller& caller, Arguments... arguments) {
    constexpr Act kAct = act_of(function);
    Policy::template before<function>();
    if constexpr (kAct == Act::kBirth) {
      return birth<function>(caller, arguments...);
    } else if constexpr (kAct == Act::kDeath) {
      return death<function>(caller, arguments...);
    } else if constexpr (kAct == Act::kResize) {
      return resize<function>(caller, arguments...);
    } else {
      return question<function>(caller, arguments...);
    }
  }

 private:
  template <Function function, typename... Arguments>
  HEAPLEDGER_INLINE auto birth(const Caller& caller, Arguments... arguments) {
    auto result = Policy::template below<function>(caller, arguments...);
    void* block = given(result, arguments...);
    if (__builtin_expect(block != nullptr, 1)) {
      Policy::template born<function>(block, asked<function>(arguments...), caller);
    }
    return result;
  }

  template <Function function, typename... Sizes>
  HEAPLEDGER_INLINE void death(const Caller& caller, void* block, Sizes... sizes) {
    if (__builtin_expect(is_block(block), 1)) Policy::template died<function>(block);
    Policy::template below<function>(caller, block, sizes...);
  }

  template <Function function, typename... Sizes>
  HEAPLEDGER_INLINE void* resize(const Caller& caller, void* old_block, Sizes... sizes) {
    if (__builtin_expect(!is_block(old_block), 0))
      return birth<function>(caller, old_block, sizes...);
    auto before = Policy::template resizing<function>(old_block);
    void* block = Policy::template below<function>(caller, old_block, sizes...);
    size_t size = bytes_of(sizes...);
    if (__builtin_expect(block != nullptr, 1)) {
      Policy::template resized<function>(before, old_block, block, size, caller);
    } else if (size == 0) {
      Policy::template freed<function>(before, old_block);
    }
    return block;
  }

  template <Function function>
  HEAPLEDGER_INLINE size_t question(const Caller& caller, void* block) {
    size_t size = Policy::template below<function>(caller, block);
    Policy::template answered<function>(block, size);
    return size;
  }
};

}  // namespace heapledger::runtime
