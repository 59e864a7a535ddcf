// Lines of text to a descriptor that may be anything: a file, a pipe, a socket, a terminal. The
// program never notices: no signal (SIGPIPE, SIGXFSZ) reaches it, errno stays as it is, and a
// descriptor that is set not to block is waited for at most a moment.
#pragma once

#include "runtime/os/os.h"

namespace heapledger::runtime::os {

enum class OutputKind : uint32_t {
  kFile,
  kSocket,
  kOther,  // a pipe, a terminal, a device
};

struct Output {
  FileId id;
  OutputKind kind = OutputKind::kOther;
  uint64_t bytes = 0;  // kFile: its size
};

// What is behind a descriptor. 0 or -errno.
long look_at_output(int fd, Output& output);

// Opens a file for appending, made if it is not there. Returns the descriptor.
int open_for_lines(const char* path);

// Moves a descriptor to a high number, out of the program's way. -errno, and it stays as it was,
// where there is no room for that.
int move_high(int fd);

// Writes a line with one system call, so that it stays whole between the lines of others. False: it
// was not, or not all of it, written.
bool write_line(int fd, const Output& output, const char* line, size_t bytes);

}  // namespace heapledger::runtime::os
