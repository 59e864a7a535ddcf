// The functions that start another program, or become it: passed on; but a program that our library
// cannot be loaded into gets an environment without us (bootstrap/next_program.h). system() and
// popen() start a shell, which is recorded and comes by here itself.
#include "runtime/hooks/exec.h"

#include <fcntl.h>
#include <hook_form.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>

#include "runtime/hooks/filters.h"

HEAPLEDGER_BEFORE(execve)
HEAPLEDGER_BEFORE(execv)
HEAPLEDGER_BEFORE(execvp)
HEAPLEDGER_BEFORE(execvpe)
HEAPLEDGER_BEFORE(fexecve)
HEAPLEDGER_BEFORE(posix_spawn)
HEAPLEDGER_BEFORE(posix_spawnp)

namespace heapledger::runtime {
namespace {

using Texts = char* const*;
using Execute = int (*)(const char*, Texts);
using ExecuteWith = int (*)(const char*, Texts, Texts);
using ExecuteOpen = int (*)(int, Texts, Texts);
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                      const posix_spawnattr_t*, Texts, Texts);
using Syscall = long (*)(long, ...);

ExecuteWith next_execve() {
  return HEAPLEDGER_NEXT(execve, ExecuteWith);
}
Execute next_execv() {
  return HEAPLEDGER_NEXT(execv, Execute);
}
Execute next_execvp() {
  return HEAPLEDGER_NEXT(execvp, Execute);
}
ExecuteWith next_execvpe() {
  return HEAPLEDGER_NEXT(execvpe, ExecuteWith);
}
ExecuteOpen next_fexecve() {
  return HEAPLEDGER_NEXT(fexecve, ExecuteOpen);
}
Spawn next_posix_spawn() {
  return HEAPLEDGER_NEXT(posix_spawn, Spawn);
}
Spawn next_posix_spawnp() {
  return HEAPLEDGER_NEXT(posix_spawnp, Spawn);
}

Syscall next_syscall() {
  void* next = heapledger_next_syscall;
  if (next == nullptr) next = heapledger_find_syscall();
  return reinterpret_cast<Syscall>(next);
}

// When the library is initialised: in a forked child, or in a handler, nothing may be looked up.
__attribute__((constructor(101))) void find_all() {
  next_execve();
  next_execv();
  next_execvp();
  next_execvpe();
  next_fexecve();
  next_posix_spawn();
  next_posix_spawnp();
  next_syscall();
}

NextProgram by_path(const char* path, Texts arguments, Texts environment) {
  NextProgram program;
  program.file = path;
  program.arguments = arguments;
  program.environment = environment;
  return program;
}

NextProgram by_name(const char* name, Texts arguments, Texts environment) {
  NextProgram program = by_path(name, arguments, environment);
  program.by = NextProgram::By::kName;
  return program;
}

NextProgram by_descriptor(int fd, Texts arguments, Texts environment) {
  NextProgram program = by_path("", arguments, environment);
  program.by = NextProgram::By::kDescriptor;
  program.folder = fd;
  return program;
}

int execute_path(const char* path, Texts arguments) {
  return executed(
      by_path(path, arguments, environ), [=] { return next_execv()(path, arguments); },
      [=](char** variables) { return next_execve()(path, arguments, variables); });
}

int execute_path(const char* path, Texts arguments, Texts environment) {
  auto execute = [=](Texts variables) { return next_execve()(path, arguments, variables); };
  return executed(
      by_path(path, arguments, environment), [=] { return execute(environment); }, execute);
}

int execute_name(const char* name, Texts arguments) {
  return executed(
      by_name(name, arguments, environ), [=] { return next_execvp()(name, arguments); },
      [=](char** variables) { return next_execvpe()(name, arguments, variables); });
}

int spawn(Spawn next, const NextProgram& program, pid_t* pid,
          const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes) {
  // The note comes after the program: only then is the process known.
  Departure departure = before_departure(program);
  pid_t child = 0;
  int result = depart(
      departure, program.environment,
      [&] {
        return next(&child, program.file, actions, attributes, program.arguments,
                    program.environment);
      },
      [&](char** variables) {
        return next(&child, program.file, actions, attributes, program.arguments, variables);
      });
  if (result != 0) return result;
  if (pid != nullptr) *pid = child;
  note_departure(departure, static_cast<uint32_t>(child));
  return 0;
}

template <typename Execute>
auto execute_at(int folder, const char* path, Texts arguments, Texts environment, int flags,
                Execute execute) {
  NextProgram program = by_path(path, arguments, environment);
  program.folder = folder;
  program.flags = flags;
  return executed(
      program, [=] { return execute(environment); }, execute);
}

int as_number(const void* pointer) {
  return static_cast<int>(reinterpret_cast<long>(pointer));
}

// The arguments of execl and its like, as an array on the stack of the caller.
size_t count_arguments(const char* first, va_list list) {
  size_t count = 1;
  if (first == nullptr) return count;
  do {
    ++count;
  } while (va_arg(list, char*) != nullptr);
  return count;
}

void take_arguments(const char* first, va_list list, char** to) {
  *to = const_cast<char*>(first);
  while (*to != nullptr) *++to = va_arg(list, char*);
}

}  // namespace

extern "C" long heapledger_exec_by_syscall(long number, void* first, void* second, void* third,
                                           void* fourth, void* fifth) {
  if (number == SYS_execve) {
    auto environment = static_cast<Texts>(third);
    auto execute = [=](Texts variables) {
      return next_syscall()(number, first, second, variables, fourth, fifth);
    };
    return executed(
        by_path(static_cast<const char*>(first), static_cast<Texts>(second), environment),
        [=] { return execute(environment); }, execute);
  }
  auto execute = [=](Texts variables) {
    return next_syscall()(number, first, second, third, variables, fifth);
  };
  return execute_at(as_number(first), static_cast<const char*>(second), static_cast<Texts>(third),
                    static_cast<Texts>(fourth), as_number(fifth), execute);
}

}  // namespace heapledger::runtime

// NOLINTBEGIN: names and signatures are libc's.
using namespace heapledger::runtime;
#define EXPORTED extern "C" __attribute__((visibility("default")))
// Declares `arguments`, all of them with a null at the end, and `list`, which stands behind them.
#define TAKE_ARGUMENTS(first)                                                      \
  va_list list;                                                                    \
  va_start(list, first);                                                           \
  const size_t count = count_arguments(first, list);                               \
  va_end(list);                                                                    \
  auto** arguments = static_cast<char**>(__builtin_alloca(count * sizeof(char*))); \
  va_start(list, first);                                                           \
  take_arguments(first, list, arguments)

EXPORTED int HEAPLEDGER_HOOK(execve)(const char* path, Texts arguments,
                                     Texts environment) noexcept {
  return execute_path(path, arguments, environment);
}

EXPORTED int HEAPLEDGER_HOOK(execv)(const char* path, Texts arguments) noexcept {
  return execute_path(path, arguments);
}

EXPORTED int HEAPLEDGER_HOOK(execvp)(const char* name, Texts arguments) noexcept {
  return execute_name(name, arguments);
}

EXPORTED int HEAPLEDGER_HOOK(execvpe)(const char* name, Texts arguments,
                                      Texts environment) noexcept {
  auto execute = [=](Texts variables) { return next_execvpe()(name, arguments, variables); };
  return executed(
      by_name(name, arguments, environment), [=] { return execute(environment); }, execute);
}

EXPORTED int HEAPLEDGER_HOOK(execl)(const char* path, const char* first, ...) noexcept {
  TAKE_ARGUMENTS(first);
  va_end(list);
  return execute_path(path, arguments);
}

EXPORTED int HEAPLEDGER_HOOK(execlp)(const char* name, const char* first, ...) noexcept {
  TAKE_ARGUMENTS(first);
  va_end(list);
  return execute_name(name, arguments);
}

EXPORTED int HEAPLEDGER_HOOK(execle)(const char* path, const char* first, ...) noexcept {
  TAKE_ARGUMENTS(first);
  auto environment = va_arg(list, char**);
  va_end(list);
  return execute_path(path, arguments, environment);
}

EXPORTED int HEAPLEDGER_HOOK(fexecve)(int fd, Texts arguments, Texts environment) noexcept {
  auto execute = [=](Texts variables) { return next_fexecve()(fd, arguments, variables); };
  return executed(
      by_descriptor(fd, arguments, environment), [=] { return execute(environment); }, execute);
}

EXPORTED int HEAPLEDGER_HOOK(execveat)(int folder, const char* path, Texts arguments,
                                       Texts environment, int flags) noexcept {
  // By syscall(): a libc that has no execveat must not be asked for it, which would leave an error
  // text behind.
  auto execute = [=](Texts variables) {
    return next_syscall()(SYS_execveat, folder, path, arguments, variables, flags);
  };
  return static_cast<int>(execute_at(folder, path, arguments, environment, flags, execute));
}

EXPORTED int HEAPLEDGER_HOOK(posix_spawn)(pid_t* pid, const char* path,
                                          const posix_spawn_file_actions_t* actions,
                                          const posix_spawnattr_t* attributes, Texts arguments,
                                          Texts environment) {
  return spawn(next_posix_spawn(), by_path(path, arguments, environment), pid, actions, attributes);
}

EXPORTED int HEAPLEDGER_HOOK(posix_spawnp)(pid_t* pid, const char* name,
                                           const posix_spawn_file_actions_t* actions,
                                           const posix_spawnattr_t* attributes, Texts arguments,
                                           Texts environment) {
  return spawn(next_posix_spawnp(), by_name(name, arguments, environment), pid, actions,
               attributes);
}
// NOLINTEND
