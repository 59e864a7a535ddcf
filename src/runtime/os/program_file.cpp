#include "runtime/os/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "runtime/os/descriptor_gate.h"
#include "runtime/os/elf_program.h"
#include "runtime/os/file_bytes.h"
#include "runtime/os/syscall.h"
#include "runtime/os/text.h"

namespace heapledger::runtime::os {
namespace {

using format::Unrecorded;

// All that the kernel looks at for a script.
static_assert(FileBytes::kAtOnce == 256);
constexpr unsigned kMostInterpreters = 5;  // scripts run by scripts: the kernel's limit
constexpr const char* kShell = "/bin/sh";  // what libc has text run by
constexpr const char* kDefaultPath = "/bin:/usr/bin";
constexpr long kNoSetuid = 2;  // ST_NOSUID, as the kernel tells it

// What a file is, in eight bits that are remembered.
enum Kind : uint8_t {
  kUnknown = 0,
  kText = 1,    // neither a program nor a script
  kScript = 2,  // only while it is looked at: what it comes to depends on other files
  kLoader = 3,
  kProgram = 16,       // and the reason
  kCapabilities = 32,  // it gains some; together with the above
};
static_assert(format::kUnrecordedReasons <= kProgram);

// --- what is remembered: a word for each file, of its identity and what it is ---

constexpr size_t kRemembered = 64;
constinit std::atomic<uint64_t> remembered[kRemembered] = {};

uint64_t identity_of(const struct stat& status) {
  const uint64_t parts[] = {status.st_dev,
                            status.st_ino,
                            static_cast<uint64_t>(status.st_size),
                            static_cast<uint64_t>(status.st_mtim.tv_sec),
                            static_cast<uint64_t>(status.st_mtim.tv_nsec),
                            static_cast<uint64_t>(status.st_ctim.tv_sec),
                            static_cast<uint64_t>(status.st_ctim.tv_nsec)};
  uint64_t mixed = 1;
  for (uint64_t part : parts) {
    mixed = (mixed ^ part) * 0x9e37'79b9'7f4a'7c15;
    mixed ^= mixed >> 29;
  }
  return mixed | 0xff;
}

uint8_t recall(uint64_t identity) {
  uint64_t word = remembered[identity >> 8 & (kRemembered - 1)].load(std::memory_order_relaxed);
  return (word | 0xff) == identity ? static_cast<uint8_t>(word) : uint8_t{kUnknown};
}

void remember(uint64_t identity, uint8_t what) {
  remembered[identity >> 8 & (kRemembered - 1)].store((identity & ~uint64_t{0xff}) | what,
                                                      std::memory_order_relaxed);
}

// --- one file ---

bool itself(const ProgramPlace& place) {
  return place.path[0] == '\0' && (place.flags & AT_EMPTY_PATH) != 0;
}

int open_program(const ProgramPlace& place) {
  Text<64> link;
  const char* path = place.path;
  if (itself(place)) {
    link.add("/proc/self/fd/").add_number(static_cast<uint64_t>(place.folder));
    path = link.data();
  }
  long fd;
  do {
    fd = raw_syscall(SYS_openat, place.folder, address(path),
                     O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
  } while (fd == -EINTR);
  return static_cast<int>(fd);
}

// Opens the file for as long as `operation` takes, a function of the descriptor.
template <typename Operation>
void with_program(const ProgramPlace& place, bool own_descriptors, Operation operation) {
  if (own_descriptors) {
    DescriptorHold hold;
    if (!hold) return;
    int fd = open_program(place);
    if (fd < 0) return;
    hold.set(fd);
    operation(fd);
    hold.close(fd);
    return;
  }
  // In a child that shares memory with its parent, or has just been forked, nobody else has these
  // descriptors, and the numbers mean nothing to the parent.
  uint64_t signals = block_signals();
  int fd = open_program(place);
  if (fd >= 0) {
    operation(fd);
    close_file(fd);
  }
  restore_signals(signals);
}

// The interpreter in the first line, as the kernel reads it. The line is cut there.
const char* interpreter_in(char* line) {
  char* at = line + 2;
  while (*at == ' ' || *at == '\t') ++at;
  char* end = at + strcspn(at, " \t\n");
  *end = '\0';
  return end == at ? nullptr : at;
}

uint8_t kind_of_elf(FileBytes& file, int fd) {
  ProgramFacts facts = look_at_elf(file);
  if (facts.is_loader) return kLoader;
  unsigned kind = kProgram + static_cast<unsigned>(facts.reason);
  char capabilities[64];
  if (raw_syscall(SYS_fgetxattr, fd, address("security.capability"), address(capabilities),
                  sizeof capabilities) > 0) {
    kind |= kCapabilities;
  }
  return static_cast<uint8_t>(kind);
}

// Of a script, `line` gets the beginning. Else it stays as it is: the path of the file may be in
// it.
uint8_t kind_of(int fd, char (&line)[FileBytes::kAtOnce]) {
  FileBytes file(fd);
  char magic[SELFMAG];
  if (!file.read(0, magic, 2)) return kUnknown;
  if (magic[0] == '#' && magic[1] == '!') return file.read_text(0, line) ? kScript : kUnknown;
  bool elf = file.read(0, magic, SELFMAG) && memcmp(magic, ELFMAG, SELFMAG) == 0;
  return elf ? kind_of_elf(file, fd) : uint8_t{kText};
}

// Mounted nosuid, or no_new_privs: the kernel then ignores what the file would grant.
bool rights_ignored(const ProgramPlace& place) {
  if (raw_syscall(SYS_prctl, PR_GET_NO_NEW_PRIVS) == 1) return true;
  struct statfs mount;
  long result = itself(place) ? raw_syscall(SYS_fstatfs, place.folder, address(&mount))
                              : raw_syscall(SYS_statfs, address(place.path), address(&mount));
  return result == 0 && (mount.f_flags & kNoSetuid) != 0;
}

// Whether the program will run with other rights than its process has: then the loader preloads
// nothing.
__attribute__((noinline)) bool gains_rights(const ProgramPlace& place, const struct stat& status,
                                            bool capabilities) {
  const auto user = static_cast<uid_t>(raw_syscall(SYS_getuid));
  const auto group = static_cast<gid_t>(raw_syscall(SYS_getgid));
  if (static_cast<uid_t>(raw_syscall(SYS_geteuid)) != user ||
      static_cast<gid_t>(raw_syscall(SYS_getegid)) != group) {
    return true;
  }
  // Without the group's execute bit, setgid means something else.
  const bool by_group = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0;
  const bool granted = ((status.st_mode & S_ISUID) != 0 && status.st_uid != user) ||
                       (by_group && status.st_gid != group) || (capabilities && user != 0);
  return granted && !rights_ignored(place);
}

bool find_status(const ProgramPlace& place, struct stat& status) {
  return raw_syscall(SYS_newfstatat, place.folder, address(place.path), address(&status),
                     place.flags) == 0;
}

bool may_execute(const ProgramPlace& place, struct stat& status) {
  return find_status(place, status) && S_ISREG(status.st_mode) &&
         raw_syscall(SYS_faccessat, place.folder, address(place.path), X_OK) == 0;
}

}  // namespace

ProgramFacts look_at_program(const ProgramPlace& place, ProgramLook look) {
  ProgramPlace at = place;
  char line[FileBytes::kAtOnce];
  for (unsigned depth = 0; depth <= kMostInterpreters + 1; ++depth) {
    struct stat status;
    // Opening what is no file could have effects of its own.
    if (!find_status(at, status) || !S_ISREG(status.st_mode)) return {};
    const uint64_t identity = identity_of(status);
    uint8_t kind = recall(identity);
    if (kind == kUnknown) {
      with_program(at, look.own_descriptors, [&](int fd) { kind = kind_of(fd, line); });
      if (kind != kScript && kind != kUnknown) remember(identity, kind);
    }
    if (kind == kLoader) return {Unrecorded::kNone, true};
    if (kind >= kProgram) {
      auto reason = static_cast<Unrecorded>(kind & (kProgram - 1));
      if (reason == Unrecorded::kNone && gains_rights(at, status, (kind & kCapabilities) != 0)) {
        reason = Unrecorded::kPrivileged;
      }
      return {reason};
    }
    const char* next = nullptr;
    if (kind == kScript) next = interpreter_in(line);
    if (kind == kText && look.shell_runs_text && depth == 0) next = kShell;
    if (next == nullptr) return {};
    at = {AT_FDCWD, next, 0};
  }
  return {};
}

ProgramFacts look_for_program(const char* name, const char* search_path, ProgramLook look) {
  if (strchr(name, '/') != nullptr) return look_at_program({AT_FDCWD, name}, look);
  const size_t length = strnlen(name, NAME_MAX + 1);
  if (length == 0 || length > NAME_MAX) return {};
  const char* folder = search_path != nullptr ? search_path : kDefaultPath;
  size_t longest = strnlen(folder, PATH_MAX);
  // As much as libc itself takes there.
  char* path = static_cast<char*>(__builtin_alloca(longest + 1 + length + 1));
  while (true) {
    const size_t bytes = strcspn(folder, ":");
    if (bytes <= longest) {
      memcpy(path, folder, bytes);
      // An empty one is the current folder.
      path[bytes] = '/';
      memcpy(path + bytes + (bytes == 0 ? 0 : 1), name, length + 1);
      struct stat status;
      if (may_execute({AT_FDCWD, path}, status)) return look_at_program({AT_FDCWD, path}, look);
    }
    if (folder[bytes] == '\0') return {};
    folder += bytes + 1;
  }
}

}  // namespace heapledger::runtime::os
