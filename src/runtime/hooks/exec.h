// How an exec is made with, or without, our variables in its environment. Templates, because what
// the other program gets has to live on the stack of the one who execs: in a vfork child, memory
// that is mapped would stay with the parent.
#pragma once

#include <cstddef>

#include "runtime/bootstrap/next_program.h"
#include "runtime/os/os.h"

namespace heapledger::runtime {

inline constexpr size_t kAlwaysOnStack = 1024;
inline constexpr size_t kMostOnStack = 64 << 10;

// Calls `as_it_is`, or `with` a changed environment.
template <typename AsItIs, typename With>
auto depart(const Departure& departure, char* const* environment, AsItIs as_it_is, With with) {
  if (!departure.without_us) return as_it_is();
  const size_t bytes = bytes_without_us(environment);
  const bool on_stack =
      bytes <= kAlwaysOnStack || (bytes <= kMostOnStack && !os::on_signal_stack());
  void* room = on_stack ? __builtin_alloca(bytes) : os::map_private(bytes);
  if (room == nullptr) return as_it_is();
  auto result = with(environment_without_us(environment, room));
  if (!on_stack) os::unmap(room, bytes);
  return result;
}

// For a program that takes this one's place: comes back only when that has failed.
template <typename AsItIs, typename With>
auto executed(const NextProgram& program, AsItIs as_it_is, With with) {
  const Departure departure = before_departure(program);
  UnrecordedNote note;
  if (departure.unrecorded.reason != format::Unrecorded::kNone) {
    note = note_departure(departure, os::process_id());
  }
  auto result = depart(departure, program.environment, as_it_is, with);
  take_back(note);
  return result;
}

extern "C" {
// Where the exported syscall() goes for execve and execveat: numbers come as pointers, too.
long heapledger_exec_by_syscall(long number, void* first, void* second, void* third, void* fourth,
                                void* fifth);
}

}  // namespace heapledger::runtime
