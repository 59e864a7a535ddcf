// The functions of a mode, made of a policy, which has
//
//   template <Function function, typename... Arguments>
//   static auto call(const Caller& caller, Arguments... arguments);
//
// and does there what the call does, and what the mode does about it. A policy that also has a
// function with the very name and parameters of one in Mode has written that one by hand.
//
// Most modes only care what becomes of blocks: by_event.h makes their `call`.
#pragma once

#include "runtime/modes/mode.h"

namespace heapledger::runtime {

template <typename Policy, Function function, typename Signature>
struct MadeFunction;

template <typename Policy, Function function, typename Result, typename... Arguments>
struct MadeFunction<Policy, function, Result(Arguments...)> {
  static Result call(Arguments... arguments, HEAPLEDGER_CALLER) {
    return Policy::template call<function>(Caller{pc, sp, bp}, arguments...);
  }
};

template <typename Policy>
constexpr Mode make_mode() {
  Mode mode = {};
#define X(id, result, name, parameters, arguments)                            \
  if constexpr (requires { &Policy::name; }) {                                \
    mode.name = &Policy::name;                                                \
  } else {                                                                    \
    mode.name = &MadeFunction<Policy, Function::id, result parameters>::call; \
  }
  HEAPLEDGER_ALL_FUNCTIONS(X)
#undef X
  return mode;
}

}  // namespace heapledger::runtime
